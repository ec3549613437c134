//! From the description to the scene: units to SI, names to parts, checks that need several fields.

use std::path::Path;
use std::sync::Arc;

use tightfit_robot::control::SetPoints;
use tightfit_shape::fit::{FitSection, HoleDimensions, PegDimensions};
use tightfit_shape::mesh::CollisionMesh;
use tightfit_shape::node::NodeSpacing;
use tightfit_shape::preset::preset;
use tightfit_shape::primitive::{Block, Capsule, NodeList};
use tightfit_shape::thread::{
    Bolt, Hand, HexHead, Nut, ThreadAllowance, ThreadStart, coarse_pitch, width_across_flats,
};
use tightfit_shape::{Part, ShapeError};
use tightfit_spatial::{Inertia, Matrix3, Pose, UnitQuaternion, Vector3};

use crate::drive::{Drive, Waypoint, Wiggle, about};
use crate::{ClusteringMethod, CspaceMethod, IntegrationMethod, Methods, Preset};

use super::arm::arm_of;
use super::cspace_file::cspace_of;
use super::description::{
    ContactDescription, DriveDescription, NodeDescription, PartDescription, ShapeDescription, TaskDescription,
};
use super::interaction_file::interaction_of;
use super::method::{DetectionMethod, MethodDescription};
use super::network_file::network_of;
use super::schema_check::Document;
use super::{
    Body, ContactPair, Motion, Scene, SceneDescription, SceneError, SceneProblem, SceneSource, Task,
    scene_schema,
};

/// Density where a file gives none [kg/m³].
const STEEL: f64 = 7850.0;

pub(super) fn scene_from_text(text: &str, name: &str, folder: &Path) -> Result<Scene, SceneError> {
    let invalid = |problems: Vec<SceneProblem>| SceneError::Invalid { name: name.to_string(), problems };
    let document = Document::parse(text).map_err(|problem| invalid(vec![problem]))?;
    let problems = document.check(&scene_schema());
    if !problems.is_empty() {
        return Err(invalid(problems));
    }
    let description: SceneDescription = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        let problem =
            SceneProblem { line, key: "scene".into(), value: None, remedy: error.message().to_string() };
        invalid(vec![problem])
    })?;
    let source = SceneSource { text: text.to_string(), folder: folder.to_path_buf() };
    let scene = build(description, &document, folder).map_err(invalid)?;
    Ok(Scene { source, ..scene })
}

fn build(
    description: SceneDescription,
    document: &Document,
    folder: &Path,
) -> Result<Scene, Vec<SceneProblem>> {
    let mut problems = Vec::new();
    let mut bodies = Vec::new();
    for (name, part) in &description.parts {
        match body(name, part, &description.method, folder) {
            Ok(body) => bodies.push(body),
            Err((key, remedy)) => problems.push(document.problem(&key, remedy)),
        }
    }
    let is_neural = description.method.detection == DetectionMethod::Neural;
    if is_neural && problems.is_empty() && bodies.iter().all(|body: &Body| body.network.is_none()) {
        let remedy = "no part has a depth network; train one with `tightfit train depth` and name its file in \
                      `parts.NAME.network`";
        problems.push(document.problem("method.detection", remedy.into()));
    }
    let is_meshed = description.method.detection == DetectionMethod::Mesh;
    if is_meshed && problems.is_empty() && bodies.iter().filter(|body| body.mesh.is_some()).count() < 2 {
        let remedy =
            "needs two parts with a surface of triangles; a half-space and nodes have none, choose `exact`";
        problems.push(document.problem("method.detection", remedy.into()));
    }
    if description.parts.is_empty() {
        problems.push(document.problem("parts", "is empty; give at least one part".into()));
    }
    let names: Vec<&str> = description.parts.keys().map(String::as_str).collect();
    let listed: Vec<_> =
        description.contacts.iter().map(|contact| pair(contact, &names, description.friction)).collect();
    for problem in listed.iter().filter_map(|pair| pair.as_ref().err()) {
        problems.push(document.problem("contacts", problem.clone()));
    }
    let motions: Vec<Motion> = description.parts.values().map(|part| part.motion).collect();
    let is_armed = description.arm.is_some();
    let drive = description
        .drive
        .as_ref()
        .map(|drive| self::drive(drive, &names, &motions, is_armed, folder))
        .transpose();
    let drive = drive.unwrap_or_else(|(key, remedy)| {
        problems.push(document.problem(&key, remedy));
        None
    });
    let task = description.task.as_ref().map(|task| self::task(task, &names)).transpose();
    let task = task.unwrap_or_else(|(key, remedy)| {
        problems.push(document.problem(&key, remedy));
        None
    });
    let mut methods = description.method.methods().unwrap_or_else(|(key, remedy)| {
        problems.push(document.problem(&key, remedy));
        Methods::default()
    });
    if !problems.is_empty() {
        return Err(problems);
    }
    let parts: Vec<_> = description.parts.iter().collect();
    let cspace =
        cspace_of(&bodies, &parts, folder).map_err(|(key, remedy)| vec![document.problem(&key, remedy)])?;
    if cspace.is_none() && methods.cspace != CspaceMethod::None {
        if description.method.cspace.is_some() {
            let remedy = "no part has C-space networks; train them with `tightfit train cspace` and name their files \
                          in `parts.NAME.cspace`";
            return Err(vec![document.problem("method.cspace", remedy.into())]);
        }
        // a preset takes them where there are some
        methods.cspace = CspaceMethod::None;
    }
    // the preset `paper` takes an interaction network where there is one, and where an arm holds a part its rule of integration
    let is_open = description.method.preset == Preset::Paper && description.method.clustering.is_none();
    let interaction = match methods.clustering {
        ClusteringMethod::KMeans { .. } if is_open && description.method.clusters.is_none() => true,
        other => other == ClusteringMethod::Interaction,
    };
    let interaction = match interaction {
        true => interaction_of(&bodies, &parts, folder)
            .map_err(|(key, remedy)| vec![document.problem(&key, remedy)])?,
        false => None,
    };
    if interaction.is_some() {
        methods.clustering = ClusteringMethod::Interaction;
    } else if methods.clustering == ClusteringMethod::Interaction {
        let remedy = "no part has an interaction network; name its file in `parts.NAME.interaction`";
        return Err(vec![document.problem("method.clustering", remedy.into())]);
    }
    if is_armed && description.method.preset == Preset::Paper && description.method.integration.is_none() {
        methods.integration = IntegrationMethod::Midpoint;
    }
    if let Some(drive) = &drive {
        bodies[drive.body].world_from_part = drive.target(0.0);
    }
    let arm = description
        .arm
        .as_ref()
        .map(|arm| arm_of(arm, &mut bodies, drive.as_ref(), task.as_ref(), &methods, folder))
        .transpose()
        .map_err(|(key, remedy)| vec![document.problem(&key, remedy)])?;
    let listed: Vec<ContactPair> = listed.into_iter().flatten().collect();
    let moves = |index: usize| bodies[index].motion == Motion::Free;
    let mut contacts = listed.clone();
    for first in 0..bodies.len() {
        for second in first + 1..bodies.len() {
            let is_listed = listed.iter().any(|pair| pair.bodies == [first, second]);
            if !is_listed && (moves(first) || moves(second)) {
                let friction = description.friction;
                contacts.push(ContactPair { bodies: [first, second], friction, restitution: 0.0 });
            }
        }
    }
    Ok(Scene {
        name: description.name,
        description: description.description,
        gravity: description.gravity_m_s2.into(),
        step: description.step_ms * 1e-3,
        bodies,
        contacts,
        drive,
        arm,
        task,
        detection: description.method.detection,
        methods,
        cspace,
        interaction,
        source: SceneSource::default(),
    })
}

fn body_of(name: &str, names: &[&str], key: &str) -> Result<usize, (String, String)> {
    let found = names.iter().position(|known| *known == name);
    found.ok_or_else(|| {
        (key.to_string(), format!("names `{name}`, which is no part; parts: {}", names.join(", ")))
    })
}

fn drive(
    description: &DriveDescription,
    names: &[&str],
    motions: &[Motion],
    is_armed: bool,
    folder: &Path,
) -> Result<Drive, (String, String)> {
    let body = body_of(&description.part, names, "drive.part")?;
    if motions[body] == Motion::Fixed {
        return Err(("drive.part".into(), "names a fixed part; make it free or kinematic".into()));
    }
    let springs = [
        ("stiffness_n_m", description.stiffness_n_m.is_some()),
        ("turning_stiffness_nm_rad", description.turning_stiffness_nm_rad.is_some()),
        ("damping_per_s", description.damping_per_s.is_some()),
    ];
    let is_held = motions[body] == Motion::Free && is_armed;
    let leads = motions[body] == Motion::Free && !is_armed;
    if let Some((key, _)) = springs.iter().find(|(_, is_given)| *is_given != leads) {
        let remedy = match leads {
            true => "is missing; a free part is led by a spring and damper",
            false if is_held => {
                "is given; the part is led by the arm, whose controller has the springs: leave it out"
            }
            false => "is given; a kinematic part goes where it is led, leave springs and damping out",
        };
        return Err((format!("drive.{key}"), remedy.into()));
    }
    let times: Vec<f64> = description.waypoints.iter().map(|waypoint| waypoint.time_s).collect();
    let stream = description.file.as_ref().map(|file| SetPoints::from_file(&folder.join(file)));
    let stream = stream.transpose().map_err(|error| ("drive.file".to_string(), error.to_string()))?;
    if stream.is_some() {
        let unfit = match (times.is_empty(), leads) {
            (false, _) => Some("is given beside waypoints; keep one of the two"),
            (true, true) => Some("is for a part in an arm or a kinematic one; give waypoints"),
            (true, false) => None,
        };
        if let Some(remedy) = unfit {
            return Err(("drive.file".into(), remedy.into()));
        }
    } else if times.is_empty() || times.windows(2).any(|pair| pair[1] <= pair[0]) {
        return Err(("drive.waypoints".into(), "give at least one set-point, with rising time_s".into()));
    }
    let factor = description.stiffness_factor;
    let waypoint = |waypoint: &super::description::WaypointDescription| Waypoint {
        time: waypoint.time_s / description.speed_factor,
        position: Vector3::from(waypoint.position_mm) * 1e-3,
        angle: waypoint.turns * std::f64::consts::TAU,
    };
    let waypoints: Vec<Waypoint> = description.waypoints.iter().map(waypoint).collect();
    let earlier = times.last().copied().unwrap_or_default() * (1.0 - 1.0 / description.speed_factor);
    let wiggle = description.wiggle.map(|wiggle| Wiggle {
        span: [wiggle.from_s - earlier, wiggle.until_s - earlier],
        shift: [wiggle.amplitude_mm * 1e-3, wiggle.frequency_hz],
        tilt: [wiggle.tilt_deg.to_radians(), wiggle.tilt_frequency_hz],
    });
    Ok(Drive {
        body,
        stiffness: Vector3::from(description.stiffness_n_m.unwrap_or_default()) * factor,
        turning_stiffness: Vector3::from(description.turning_stiffness_nm_rad.unwrap_or_default()) * factor,
        damping: description.damping_per_s.unwrap_or_default(),
        force: description.force_n.into(),
        offset: description.offset_mm * 1e-3,
        tilt: description.tilt_deg.to_radians(),
        waypoints,
        stream: stream.map(Arc::new),
        stream_from_part: turned(description.file_rotation_deg),
        speed: description.speed_factor,
        hold: description.hold_s,
        wiggle,
    })
}

fn task(description: &TaskDescription, names: &[&str]) -> Result<Task, (String, String)> {
    Ok(match description {
        TaskDescription::Insert { into, depth_mm, engaged_mm } => Task::Insert {
            into: body_of(into, names, "task.into")?,
            depth: depth_mm * 1e-3,
            engaged: engaged_mm * 1e-3,
        },
        TaskDescription::Thread { onto, turns, engaged_mm, torque_nm } => Task::Thread {
            onto: body_of(onto, names, "task.onto")?,
            turns: *turns,
            engaged: engaged_mm * 1e-3,
            torque: *torque_nm,
        },
    })
}

fn pair(contact: &ContactDescription, names: &[&str], friction: f64) -> Result<ContactPair, String> {
    let index = |name: &String| {
        let found = names.iter().position(|known| known == name);
        found.ok_or_else(|| format!("names `{name}`, which is no part; parts: {}", names.join(", ")))
    };
    let [first, second] = [index(&contact.parts[0])?, index(&contact.parts[1])?];
    if first == second {
        return Err(format!("names `{}` twice; a pair needs two parts", names[first]));
    }
    Ok(ContactPair {
        bodies: [first.min(second), first.max(second)],
        friction: contact.friction.unwrap_or(friction),
        restitution: contact.restitution,
    })
}

/// A body, or the dotted key that is wrong and what to do about it.
fn body(
    name: &str,
    description: &PartDescription,
    method: &MethodDescription,
    folder: &Path,
) -> Result<Body, (String, String)> {
    let at = |key: &str| format!("parts.{name}.{key}");
    let part = shape(&description.shape, folder).map_err(|error| match error {
        ShapeError::Dimension { field, allowed, .. } => {
            (at(&format!("shape.{field}")), format!("allowed: {allowed}"))
        }
        ShapeError::Mesh(reason) => (at("shape.file"), reason),
        ShapeError::UnknownPreset { .. } => (at("shape.name"), error.to_string()),
        other => (at("shape"), other.to_string()),
    })?;
    if description.mass_kg.is_some() && description.density_kg_m3.is_some() {
        return Err((at("mass_kg"), "is given beside density_kg_m3; keep one of the two".into()));
    }
    let inertia = match description.motion {
        Motion::Free => {
            let inertia = part
                .inertia(description.density_kg_m3.unwrap_or(STEEL))
                .map_err(|error| (at("shape"), error.to_string()))?;
            let inertia = description.mass_kg.map_or(inertia, |mass| inertia.with_mass(mass));
            let center = description.center_of_mass_mm.map(|mm| Vector3::from(mm) * 1e-3);
            let moment = description.moment_kg_m2.map(|own| Matrix3::from_diagonal(&Vector3::from(own)));
            let own = Inertia::new(
                inertia.mass,
                center.unwrap_or(inertia.center_of_mass),
                moment.unwrap_or(inertia.moment),
            );
            let is_given = center.is_some() || moment.is_some();
            Some(if is_given {
                own.map_err(|error| (at("moment_kg_m2"), error.to_string()))?
            } else {
                inertia
            })
        }
        Motion::Fixed | Motion::Kinematic => None,
    };
    let spacing = spacing(&description.nodes, &part).map_err(|error| (at("nodes"), error.to_string()))?;
    let rotation = turned(description.rotation_deg);
    let translation = Vector3::from(description.position_mm) * 1e-3;
    let network = match method.detection {
        DetectionMethod::Exact | DetectionMethod::Mesh => None,
        DetectionMethod::Neural => {
            let file = description.network.as_ref().map(|file| folder.join(file));
            network_of(&part, file.as_deref()).map_err(|reason| (at("network"), reason))?
        }
    };
    let mesh = match method.detection {
        DetectionMethod::Exact | DetectionMethod::Neural => None,
        // parts without end have no mesh
        DetectionMethod::Mesh => part.mesh(&method.mesh_options()).ok(),
    };
    Ok(Body {
        name: name.to_string(),
        nodes: part.nodes(&spacing),
        network,
        mesh: mesh.map(|mesh| Arc::new(CollisionMesh::new(&mesh))),
        part,
        motion: description.motion,
        world_from_part: Pose::new(translation, rotation),
        inertia,
    })
}

/// The attitude of turns about the x, then y, then z axis [deg].
pub(super) fn turned(rotation_deg: [f64; 3]) -> UnitQuaternion<f64> {
    let [roll, pitch, yaw] = rotation_deg.map(f64::to_radians);
    about(Vector3::z(), yaw) * about(Vector3::y(), pitch) * about(Vector3::x(), roll)
}

fn spacing(description: &NodeDescription, part: &Part) -> Result<NodeSpacing, ShapeError> {
    let usual = part.aabb().map_or_else(NodeSpacing::default, |aabb| NodeSpacing::for_size(aabb.diagonal()));
    let or = |given: Option<f64>, usual: f64| given.map_or(usual, |mm| mm * 1e-3);
    // a thread keeps its proportions when only the spacing on other parts is told
    let times = |given: Option<f64>, factor: f64| given.map(|mm| (factor * mm).min(1000.0));
    let helix = description.helix_spacing_mm.or(times(description.face_spacing_mm, 4.0));
    let helix_edge = description.helix_edge_spacing_mm.or(times(description.edge_spacing_mm, 2.0));
    NodeSpacing {
        face: or(description.face_spacing_mm, usual.face),
        helix: or(helix, usual.helix),
        helix_edge: or(helix_edge, usual.helix_edge),
        edge: or(description.edge_spacing_mm, usual.edge),
        start: or(description.start_spacing_mm, usual.start),
    }
    .checked()
}

/// The part of a description.
fn shape(description: &ShapeDescription, folder: &Path) -> Result<Part, ShapeError> {
    let section = |sides: Option<u32>, corner_radius_mm: f64| match sides {
        Some(sides) => FitSection::Polygon { sides, corner_radius: corner_radius_mm * 1e-3 },
        None => FitSection::Round,
    };
    let start = |diameter_mm: Option<f64>| match diameter_mm {
        Some(diameter) => ThreadStart::Chamfered { end_radius: diameter * 0.5e-3 },
        None => ThreadStart::Blunt,
    };
    let hand = |left: bool| if left { Hand::Left } else { Hand::Right };
    match *description {
        ShapeDescription::Preset { ref name } => preset(name),
        ShapeDescription::Mesh { ref file, unit, offset_mm, ref baked } => {
            let baked = baked.as_ref().map(|baked| folder.join(baked));
            super::mesh_file::load_part(&folder.join(file), unit, offset_mm * 1e-3, baked.as_deref())
        }
        ShapeDescription::Peg {
            diameter_mm,
            length_mm,
            tip_chamfer_mm,
            tail_chamfer_mm,
            sides,
            corner_radius_mm,
        } => {
            let dimensions = PegDimensions {
                section: section(sides, corner_radius_mm),
                diameter: diameter_mm * 1e-3,
                length: length_mm * 1e-3,
                tip_chamfer: tip_chamfer_mm * 1e-3,
                tail_chamfer: tail_chamfer_mm * 1e-3,
            };
            dimensions.build().map(Part::Sectioned)
        }
        ShapeDescription::Hole {
            diameter_mm,
            depth_mm,
            outer_diameter_mm,
            floor_mm,
            chamfer_mm,
            sides,
            corner_radius_mm,
        } => {
            let dimensions = HoleDimensions {
                section: section(sides, corner_radius_mm),
                diameter: diameter_mm * 1e-3,
                depth: depth_mm * 1e-3,
                floor: floor_mm.map(|mm| mm * 1e-3),
                chamfer: chamfer_mm * 1e-3,
                outer_diameter: outer_diameter_mm * 1e-3,
            };
            dimensions.build().map(Part::Sectioned)
        }
        ShapeDescription::Bolt {
            diameter_mm,
            pitch_mm,
            length_mm,
            radial_clearance_mm,
            axial_clearance_mm,
            start_diameter_mm,
            shank_length_mm,
            head_height_mm,
            across_flats_mm,
            left_hand,
        } => {
            let allowance =
                ThreadAllowance { radial: radial_clearance_mm * 1e-3, axial: axial_clearance_mm * 1e-3 };
            let pitch = pitch_or_coarse(pitch_mm, diameter_mm)?;
            let head = head_height_mm.map(|height| HexHead {
                across_flats: across_flats_mm.unwrap_or_else(|| width_across_flats(diameter_mm)) * 1e-3,
                height: height * 1e-3,
            });
            let bolt = Bolt::new(diameter_mm * 1e-3, pitch, length_mm * 1e-3, allowance, hand(left_hand))?
                .with_start(start(start_diameter_mm))?
                .with_body(shank_length_mm * 1e-3, head)?;
            Ok(Part::Bolt(bolt))
        }
        ShapeDescription::Nut {
            diameter_mm,
            pitch_mm,
            height_mm,
            across_flats_mm,
            radial_clearance_mm,
            axial_clearance_mm,
            start_diameter_mm,
            left_hand,
        } => {
            let allowance =
                ThreadAllowance { radial: radial_clearance_mm * 1e-3, axial: axial_clearance_mm * 1e-3 };
            let pitch = pitch_or_coarse(pitch_mm, diameter_mm)?;
            let height = height_mm.unwrap_or(0.8 * diameter_mm) * 1e-3;
            let flats = across_flats_mm.unwrap_or_else(|| width_across_flats(diameter_mm)) * 1e-3;
            Nut::new(diameter_mm * 1e-3, pitch, height, flats, allowance, hand(left_hand))?
                .with_start(start(start_diameter_mm))
                .map(Part::Nut)
        }
        ShapeDescription::HalfSpace {} => Ok(Part::HalfSpace),
        ShapeDescription::Block { size_mm } => Block::new(Vector3::from(size_mm) * 1e-3).map(Part::Block),
        ShapeDescription::Sphere { diameter_mm } => {
            Capsule::new(diameter_mm * 0.5e-3, 0.0).map(Part::Capsule)
        }
        ShapeDescription::Cylinder { diameter_mm, length_mm } => {
            Part::cylinder(diameter_mm * 0.5e-3, length_mm * 1e-3)
        }
        ShapeDescription::Capsule { diameter_mm, length_mm } => {
            Capsule::new(diameter_mm * 0.5e-3, length_mm * 1e-3).map(Part::Capsule)
        }
        ShapeDescription::Nodes { ref points_mm, mass_kg, inertia_kg_m2 } => {
            if points_mm.is_empty() {
                return Err(ShapeError::Dimension {
                    field: "points_mm",
                    value: "[]".into(),
                    allowed: "at least one point".into(),
                });
            }
            let points = points_mm.iter().map(|point| Vector3::from(*point) * 1e-3).collect();
            let moment = Matrix3::from_diagonal(&Vector3::from(inertia_kg_m2));
            let inertia = Inertia::new(mass_kg, Vector3::zeros(), moment)?;
            Ok(Part::Nodes(NodeList::new(points, inertia)))
        }
    }
}

fn pitch_or_coarse(pitch_mm: Option<f64>, diameter_mm: f64) -> Result<f64, ShapeError> {
    let pitch = pitch_mm.or_else(|| coarse_pitch(diameter_mm));
    pitch.map(|mm| mm * 1e-3).ok_or_else(|| ShapeError::Dimension {
        field: "pitch_mm",
        value: "missing".into(),
        allowed: format!("M{diameter_mm} is no standard size: give the pitch"),
    })
}
