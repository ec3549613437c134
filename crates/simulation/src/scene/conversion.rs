//! From a scene file to the builder: text to description, millimetres and degrees to SI, files of meshes and networks
//! read.
//!
//! What the builder refuses comes back with its dotted keys; they are mapped to the keys, values and lines of the file.

use std::path::Path;
use std::sync::Arc;

use tightfit_interaction::InteractionFile;
use tightfit_network::{CspaceField, CspaceFile, NetworkError};
use tightfit_pipeline::cspace::CspaceNetworks;
use tightfit_robot::control::SetPoints;
use tightfit_shape::{Part, ShapeError};
use tightfit_spatial::{Matrix3, Pose, UnitQuaternion, Vector3};

use super::arm_conversion::arm_of;
use super::body_builder::{BodyBuilder, CspaceOf, InteractionOf};
use super::builder::SceneBuilder;
use super::description::{
    DriveDescription, GapFieldDescription, PartDescription, TaskDescription, UncertaintyDescription,
};
use super::drive_builder::DriveBuilder;
use super::method_choice::MethodChoice;
use super::network_file::network_of;
use super::problem::Problem;
use super::schema_check::Document;
use super::shape::{shape_of, spacing_of};
use super::strategy_conversion::strategy_of;
use super::{
    DetectionMethod, Scene, SceneDescription, SceneError, SceneProblem, SceneSource, Task, Uncertain,
    scene_schema,
};
use crate::drive::{Drive, Waypoint, Wiggle, about};
use crate::{GapChart, GapField};

pub(super) fn scene_from_text(text: &str, name: &str, folder: &Path) -> Result<Scene, SceneError> {
    let invalid = |problems: Vec<SceneProblem>| SceneError::Invalid { name: name.to_string(), problems };
    let document = Document::parse(text).map_err(|problem| invalid(vec![problem]))?;
    let problems = document.check(&scene_schema());
    if !problems.is_empty() {
        return Err(invalid(problems));
    }
    let description: SceneDescription = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        let problem = SceneProblem {
            line: Some(line),
            key: "scene".into(),
            value: None,
            remedy: error.message().to_string(),
        };
        invalid(vec![problem])
    })?;
    let has_drive = description.drive.is_some();
    let located = |problem: SceneProblem| {
        let mut located = document.problem(&key_in_file(&problem.key, has_drive), problem.remedy);
        // a value that is not written in the file, such as one of a list
        located.value = located.value.or(problem.value);
        located
    };
    let source = SceneSource { text: text.to_string(), folder: folder.to_path_buf() };
    let mut conversion = Conversion { folder, problems: Vec::new() };
    let builder = conversion.builder(&description).source(source);
    let found = conversion.problems.into_iter().map(|(key, remedy)| document.problem(&key, remedy));
    let problems: Vec<SceneProblem> = found.chain(builder.check().into_iter().map(located)).collect();
    if !problems.is_empty() {
        return Err(invalid(problems));
    }
    builder.assemble().map_err(|problems| invalid(problems.into_iter().map(located).collect()))
}

/// Keys of the builder that have a unit in the file. The drives of a file are `drive`, then those of `drives`.
fn key_in_file(key: &str, has_drive: bool) -> String {
    let units = [
        ("gravity", "gravity_m_s2"),
        ("step", "step_ms"),
        ("mass", "mass_kg"),
        ("density", "density_kg_m3"),
        ("moment", "moment_kg_m2"),
        ("position", "position_mm"),
        ("base_position", "base_position_mm"),
        ("posture", "posture_deg"),
        ("joints", "joints_deg"),
        ("stiffness", "stiffness_n_m"),
        ("turning_stiffness", "turning_stiffness_nm_rad"),
        ("damping", "damping_per_s"),
        ("force", "force_n"),
        ("offset", "offset_mm"),
        ("tilt", "tilt_deg"),
        ("hold", "hold_s"),
        ("depth", "depth_mm"),
        ("engaged", "engaged_mm"),
        ("torque", "torque_nm"),
    ];
    let (folder, last) = key.rsplit_once('.').map_or(("", key), |(folder, last)| (folder, last));
    let last = units.iter().find(|(own, _)| *own == last).map_or(last, |(_, in_file)| in_file);
    let key = if folder.is_empty() { last.to_string() } else { format!("{folder}.{last}") };
    let index = key.strip_prefix("drives[").and_then(|rest| rest.split_once(']'));
    match index.and_then(|(index, rest)| Some((index.parse::<usize>().ok()?, rest))) {
        Some((0, rest)) if has_drive => format!("drive{rest}"),
        Some((index, rest)) if has_drive => format!("drives[{}]{rest}", index - 1),
        _ => key,
    }
}

/// What is wrong with the file alone is collected on the way, under the keys of the file.
struct Conversion<'a> {
    folder: &'a Path,
    problems: Vec<Problem>,
}

impl Conversion<'_> {
    fn builder(&mut self, description: &SceneDescription) -> SceneBuilder {
        let method = &description.method;
        let choice = method.choice().unwrap_or_else(|problem| {
            self.problems.push(problem);
            MethodChoice::default()
        });
        let mut builder = Scene::builder(&description.name)
            .description(&description.description)
            .dt(description.step_ms * 1e-3)
            .friction(description.friction)
            .detection(method.detection())
            .mesh_options(method.mesh_options())
            .method_choice(choice);
        if let Some(gravity) = description.gravity_m_s2 {
            builder = builder.gravity(gravity.into());
        }
        let mut uncertain = Vec::new();
        for (index, UncertaintyDescription { key, low, high }) in description.uncertainty.iter().enumerate() {
            if !(low.is_finite() && high.is_finite() && low <= high) {
                let remedy = format!("[{low}, {high}] is no range; write the lower end first");
                self.problems.push((format!("uncertainty[{index}].low"), remedy));
            }
            uncertain.push(Uncertain { key: key.clone(), range: [*low, *high] });
        }
        builder = builder.uncertainty(uncertain);
        let parts: Vec<(&String, BodyBuilder)> = description
            .parts
            .iter()
            .map(|(name, part)| (name, self.part(name, part, method.detection(), &choice)))
            .collect();
        if let Some(arm) = &description.arm {
            match arm_of(arm, self.folder) {
                Ok(mut own) => {
                    let part_of = |name: &str| {
                        let known = parts.iter().find(|(known, _)| *known == name);
                        known.map(|(_, body)| &body.part)
                    };
                    let bolt = match &description.task {
                        Some(TaskDescription::Thread { onto, .. }) => part_of(onto),
                        _ => None,
                    };
                    let strategy = arm.strategy.as_ref().zip(part_of(&arm.holds));
                    match strategy.map(|(strategy, held)| strategy_of(strategy, held, bolt)).transpose() {
                        Ok(Some((kind, limits))) => own = own.strategy(kind, limits),
                        Ok(None) => {}
                        Err(problem) => self.problems.push(problem),
                    }
                    builder = builder.arm(own);
                }
                Err(problem) => {
                    self.problems.push(problem);
                    builder = builder.unknown_arm(&arm.holds);
                }
            }
        }
        for (name, part) in parts {
            builder = builder.part(name, part);
        }
        for contact in &description.contacts {
            builder = builder.contact_with(contact.parts.clone(), contact.friction, contact.restitution);
        }
        if let Some(drive) = &description.drive {
            builder = builder.drive(self.drive(drive, "drive"));
        }
        for (index, drive) in description.drives.iter().enumerate() {
            builder = builder.drive(self.drive(drive, &format!("drives[{index}]")));
        }
        match &description.task {
            None => builder,
            Some(TaskDescription::Insert { into, depth_mm, engaged_mm, along, from_mm }) => {
                let task = Task::insert(into, depth_mm * 1e-3).engaged(engaged_mm * 1e-3);
                builder.task(task.along((*along).into(), from_mm * 1e-3))
            }
            Some(TaskDescription::Thread { onto, turns, engaged_mm, torque_nm }) => {
                let task = Task::thread(onto, *turns).engaged(engaged_mm * 1e-3);
                builder.task(match torque_nm {
                    Some(torque) => task.torque(*torque),
                    None => task,
                })
            }
        }
    }

    fn part(
        &mut self,
        name: &str,
        description: &PartDescription,
        detection: DetectionMethod,
        choice: &MethodChoice,
    ) -> BodyBuilder {
        let at = |key: &str| format!("parts.{name}.{key}");
        let body = match shape_of(&description.shape, self.folder) {
            Ok(part) => self.sized(name, description, part, detection),
            Err(error) => {
                self.problems.push(match error {
                    ShapeError::Dimension { field, allowed, .. } => {
                        (at(&format!("shape.{field}")), format!("allowed: {allowed}"))
                    }
                    ShapeError::Mesh(reason) => (at("shape.file"), reason),
                    ShapeError::UnknownPreset { .. } => (at("shape.name"), error.to_string()),
                    other => (at("shape"), other.to_string()),
                });
                BodyBuilder::unknown(description.motion)
            }
        };
        let mut body = body
            .at(Pose::new(Vector3::from(description.position_mm) * 1e-3, turned(description.rotation_deg)));
        if let Some(cspace) = &description.cspace {
            let load = |file: &String| CspaceFile::load(&self.folder.join(file)).map(|file| file.field);
            let fields: Result<Vec<CspaceField>, NetworkError> = cspace.networks.iter().map(load).collect();
            let space = self.kept(fields, || at("cspace.networks"));
            let space = space.map(|fields| Arc::new(CspaceNetworks::new(fields)));
            body.cspace = Some(CspaceOf { against: cspace.against.clone(), space });
        }
        if let Some(interaction) = description.interaction.as_ref().filter(|_| choice.wants_interaction()) {
            let file = InteractionFile::load(&self.folder.join(&interaction.network));
            let file = self.kept(file, || at("interaction.network")).map(Arc::new);
            let rotation = turned(interaction.rotation_deg);
            body.interaction = Some(InteractionOf { against: interaction.against.clone(), file, rotation });
        }
        let missing = 1e-6 * description.undersize_um;
        if let Some(field) = &description.gap_field {
            let field = gap_field_of(field, missing);
            body.gap_field = self.kept(field, || at("gap_field")).map(Arc::new);
        } else if missing != 0.0 {
            body.gap_field = Some(Arc::new(GapField::uniform(missing)));
        }
        body
    }

    /// A part with mass, nodes and depth network.
    fn sized(
        &mut self,
        name: &str,
        description: &PartDescription,
        part: Part,
        detection: DetectionMethod,
    ) -> BodyBuilder {
        let at = |key: &str| format!("parts.{name}.{key}");
        let spacing = self.kept(spacing_of(&description.nodes, &part), || at("nodes"));
        let file = description.network.as_ref().filter(|_| detection.is_neural());
        let network = file.map(|file| network_of(&part, &self.folder.join(file), detection));
        let network = network.and_then(|network| self.kept(network, || at("network")));
        let mut body = BodyBuilder::new(part, description.motion);
        body.network = network;
        if let Some(spacing) = spacing {
            body = body.nodes(spacing);
        }
        if description.mass_kg.is_some() && description.density_kg_m3.is_some() {
            let remedy = "is given beside density_kg_m3; keep one of the two";
            self.problems.push((at("mass_kg"), remedy.into()));
        }
        if let Some(density) = description.density_kg_m3 {
            body = body.density(density);
        }
        if let Some(mass) = description.mass_kg {
            body = body.mass(mass);
        }
        if let Some(center) = description.center_of_mass_mm {
            body = body.center_of_mass(Vector3::from(center) * 1e-3);
        }
        if let Some(moment) = description.moment_kg_m2 {
            body = body.moment(Matrix3::from_diagonal(&Vector3::from(moment)));
        }
        body
    }

    fn drive(&mut self, description: &DriveDescription, key: &str) -> DriveBuilder {
        let at = |name: &str| format!("{key}.{name}");
        let has_springs =
            description.stiffness_n_m.is_some() || description.turning_stiffness_nm_rad.is_some();
        let factor = description.stiffness_factor;
        if factor != 1.0 && !has_springs {
            let remedy = "scales the springs of a drive, and this one has none; leave it out";
            self.problems.push((at("stiffness_factor"), remedy.into()));
        }
        if description.file_rotation_deg != [0.0; 3] && description.file.is_none() {
            let remedy = "turns the set-points of a file, and this drive has none; leave it out";
            self.problems.push((at("file_rotation_deg"), remedy.into()));
        }
        let mut drive = Drive::path(&description.part)
            .force(description.force_n.into())
            .offset(description.offset_mm * 1e-3)
            .tilt(description.tilt_deg.to_radians())
            .hold(description.hold_s);
        drive.stiffness = description.stiffness_n_m.map(|own| Vector3::from(own) * factor);
        drive.turning_stiffness = description.turning_stiffness_nm_rad.map(|own| Vector3::from(own) * factor);
        drive.damping = description.damping_per_s;
        for waypoint in &description.waypoints {
            drive = drive.push(Waypoint {
                time: waypoint.time_s / description.speed_factor,
                position: Vector3::from(waypoint.position_mm) * 1e-3,
                angle: waypoint.turns * std::f64::consts::TAU,
                rotation: match waypoint.rotation_deg == [0.0; 3] {
                    true => UnitQuaternion::identity(),
                    false => turned(waypoint.rotation_deg),
                },
            });
        }
        let mut last = description.waypoints.last().map_or(0.0, |waypoint| waypoint.time_s);
        if let Some(file) = &description.file {
            let stream = SetPoints::from_file(&self.folder.join(file));
            drive = match self.kept(stream, || at("file")) {
                Some(stream) => {
                    last = stream.duration();
                    let rotation = turned(description.file_rotation_deg);
                    drive.set_points(Arc::new(stream), rotation, description.speed_factor)
                }
                None => drive.with_unknown_stream(),
            };
        }
        let earlier = last * (1.0 - 1.0 / description.speed_factor);
        match description.wiggle {
            None => drive,
            Some(wiggle) => drive.wiggle(Wiggle {
                span: [wiggle.from_s - earlier, wiggle.until_s - earlier],
                shift: [wiggle.amplitude_mm * 1e-3, wiggle.frequency_hz],
                tilt: [wiggle.tilt_deg.to_radians(), wiggle.tilt_frequency_hz],
            }),
        }
    }

    /// A value, or none and a problem under a key.
    fn kept<T, E: ToString>(&mut self, result: Result<T, E>, key: impl Fn() -> String) -> Option<T> {
        result.map_err(|error| self.problems.push((key(), error.to_string()))).ok()
    }
}

/// The correction field of a part of which this much is missing all over [m].
fn gap_field_of(description: &GapFieldDescription, missing: f64) -> Result<GapField, String> {
    let GapFieldDescription { axial_mm, angles, heights, up_um, down_um, side_um } = description;
    let chart = GapChart {
        axial: axial_mm.map(|mm| mm * 1e-3),
        angles: *angles as usize,
        heights: *heights as usize,
    };
    let count = chart.angles * chart.heights;
    let mut coefficients = Vec::with_capacity(chart.len());
    for (key, side) in [("up_um", up_um), ("down_um", down_um), ("side_um", side_um)] {
        match side.len() {
            0 => coefficients.extend(std::iter::repeat_n(missing, count)),
            own if own == count => coefficients.extend(side.iter().map(|um| um * 1e-6 + missing)),
            own => return Err(format!("{key} has {own} numbers; {angles} times {heights} are {count}")),
        }
    }
    GapField::new(chart, coefficients)
        .ok_or_else(|| format!("axial_mm = {axial_mm:?} is no section; write the lower end first"))
}

/// The attitude of rotations about the x, then y, then z axis [deg].
pub(super) fn turned(rotation_deg: [f64; 3]) -> UnitQuaternion<f64> {
    let [roll, pitch, yaw] = rotation_deg.map(f64::to_radians);
    about(Vector3::z(), yaw) * about(Vector3::y(), pitch) * about(Vector3::x(), roll)
}
