//! A scene to be calibrated: its moving part, its fixed parts, and what of it may be unknown.

use tightfit_learning::identification::HoldingSpring;
use tightfit_learning::recordings::Recording;
use tightfit_simulation::{BodyId, GapChart, Motion, Parameters, Scene, SceneSource, State};
use tightfit_spatial::{Columns3, Inertia, Pose};
use toml::{Table, Value};

use crate::{CalibrationError, Quantity, Unknown, explicit_shapes};

/// Kinds of shapes that go into others.
const MALE: [&str; 6] = ["peg", "bolt", "cylinder", "sphere", "cone", "capsule"];
/// Kinds of shapes that others go into.
const FEMALE: [&str; 2] = ["hole", "nut"];
/// Words of `--fit` beside PART.KEY.
const WORDS: &str = "diameter, clearance, pitch, chamfer, friction, stiffness, fixed-pose, in-hand, drift, bias, delay, load, wear, \
                     PART.wear, or PART.KEY with a number of the part's shape, such as peg.diameter";

/// Where wear is looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WearChart {
    /// The part that carries it.
    pub body: BodyId,
    /// Its chart.
    pub chart: GapChart,
}

/// A scene with one free part, and a step equal to the sampling period.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The scene without drive and task.
    pub scene: Scene,
    /// Its text, presets written out.
    pub source: SceneSource,
    /// Mass properties of the moving part.
    pub inertia: Inertia,
    /// The moving part.
    pub moving: BodyId,
    /// Root mean square distance of its nodes from its centre of mass [m]: converts torques to forces.
    pub lever: f64,
    /// Hold that is assumed where it is not fitted, and the start where it is.
    pub spring: HoldingSpring,
    /// Steps between two samples.
    pub substeps: usize,
}

impl Experiment {
    /// From a scene with one free part, and the sampling period [s].
    ///
    /// # Errors
    /// When the scene has an arm, kinematic parts, or not exactly one free part.
    pub fn new(scene: &Scene, period: f64) -> Result<Self, CalibrationError> {
        let unsuitable = |problem: String, remedy: &str| CalibrationError::Unsuitable {
            scene: scene.name.clone(),
            problem,
            remedy: remedy.into(),
        };
        if !(1e-4..=0.1).contains(&period) {
            let problem = format!("would be stepped by {period} s, the time between samples");
            return Err(unsuitable(problem, "record at 10 Hz to 10 kHz"));
        }
        let source = explicit_shapes(&scene.name, &scene.source)?;
        let mut own = Scene::from_source_with(&source, &scene.name, &[])?;
        let state = State::start(&own, &Parameters::of(&own));
        if own.arm.is_some() || !state.kinematic.is_empty() {
            let remedy = "describe the held part as free, and without the arm";
            return Err(unsuitable("has an arm or kinematic parts".into(), remedy));
        }
        let free: Vec<(BodyId, Inertia)> =
            own.body_ids().filter_map(|body| Some((body, own.bodies[body].inertia?))).collect();
        let &[(moving, inertia)] = &free[..] else {
            return Err(unsuitable(
                format!("has {} free parts", free.len()),
                "one free part is recorded; fix the others",
            ));
        };
        own.drives.clear();
        (own.task, own.dt) = (None, period);
        let mut nodes = Columns3::default();
        own.bodies[moving].part.place(&own.bodies[moving].nodes, &mut nodes);
        let squares: f64 = nodes.iter().map(|node| (node - inertia.center_of_mass).norm_squared()).sum();
        let square = match nodes.len() {
            0 => inertia.moment.trace() / (2.0 * inertia.mass),
            count => squares / count as f64,
        };
        let spring = HoldingSpring::settling([1e5; 3], [200.0; 3], period);
        Ok(Self { scene: own, source, inertia, moving, lever: square.sqrt(), spring, substeps: 1 })
    }

    /// The same experiment with several steps between two samples.
    #[must_use]
    pub fn refined(&self, substeps: usize) -> Self {
        let mut own = self.clone();
        own.scene.dt *= self.substeps as f64 / substeps.max(1) as f64;
        own.substeps = substeps.max(1);
        let HoldingSpring { stiffness, turning_stiffness, .. } = own.spring;
        own.spring = HoldingSpring::settling(stiffness, turning_stiffness, own.scene.dt);
        own
    }

    /// Fixed parts of the scene.
    pub fn fixed(&self) -> impl Iterator<Item = BodyId> {
        self.scene.body_ids().filter(|body| self.scene.bodies[*body].motion == Motion::Fixed)
    }

    /// Pose of the centre of mass for a pose of the part's frame.
    #[must_use]
    pub fn center(&self, world_from_part: &Pose) -> Pose {
        Pose::new(world_from_part.transform_point(self.inertia.center_of_mass), world_from_part.rotation)
    }

    /// The unknowns that words name, and the chart of the wear among them. `fineness` are coefficients of wear around and
    /// along the axis.
    ///
    /// # Errors
    /// When a word names nothing of this scene.
    pub fn unknowns(
        &self,
        words: &[String],
        trials: &[Recording],
        fineness: [Option<usize>; 2],
    ) -> Result<(Vec<Unknown>, Option<WearChart>), CalibrationError> {
        let shapes = self.shapes();
        let mut found: Vec<Unknown> = Vec::new();
        let mut wear = None;
        let six = |kind: fn(usize) -> Quantity, found: &mut Vec<Unknown>| {
            found.extend((0..6).map(|axis| Unknown::new(kind(axis), 0.0)));
        };
        for word in words.iter().map(|word| word.trim()) {
            let unknown = |problem: &str| CalibrationError::Unknown {
                word: word.to_string(),
                problem: problem.to_string(),
                known: WORDS.to_string(),
            };
            match word {
                "friction" => {
                    let start = self.scene.contacts.first().map_or(0.1, |pair| pair.friction);
                    if start <= 0.0 {
                        return Err(unknown("the scene has no friction to start from; give it a guess"));
                    }
                    found.push(Unknown::new(Quantity::Friction, start));
                }
                "stiffness" => {
                    let all = self.spring.stiffness.iter().chain(&self.spring.turning_stiffness);
                    found.extend(
                        all.enumerate().map(|(k, start)| Unknown::new(Quantity::Stiffness(k), *start)),
                    );
                }
                "delay" => found.push(Unknown::new(Quantity::Delay, 0.0)),
                "fixed-pose" => six(Quantity::FixedPose, &mut found),
                "in-hand" => six(Quantity::InHand, &mut found),
                "bias" => six(Quantity::Bias, &mut found),
                "load" => {
                    found.push(Unknown::new(Quantity::LoadMass, 0.0));
                    found.extend((0..3).map(|axis| Unknown::new(Quantity::LoadMoment(axis), 0.0)));
                }
                "drift" => {
                    let all = (0..trials.len()).flat_map(|trial| (0..3).map(move |axis| (trial, axis)));
                    found.extend(all.map(|(trial, axis)| Unknown::new(Quantity::Drift { trial, axis }, 0.0)));
                }
                "diameter" | "pitch" | "clearance" | "chamfer" => {
                    let (kinds, keys): (&[&str], &[&str]) = match word {
                        "diameter" => (&MALE, &["diameter_mm"]),
                        "pitch" => (&MALE, &["pitch_mm"]),
                        "clearance" => (&FEMALE, &["diameter_mm"]),
                        _ => (&["peg", "hole"], &["tip_chamfer_mm", "chamfer_mm"]),
                    };
                    let dimension = shapes
                        .iter()
                        .filter(|shape| kinds.contains(&shape.kind.as_str()))
                        .find_map(|WrittenShape { part, numbers, .. }| {
                            let own = numbers.iter().find(|(key, _)| keys.contains(&key.as_str()))?;
                            Some((part.clone(), own.clone()))
                        });
                    let (part, (key, start)) =
                        dimension.ok_or_else(|| unknown("no part of the scene has one"))?;
                    found.push(dimension_unknown(part, key, start));
                }
                _ => {
                    let (part, key) = match word.split_once('.') {
                        Some(pair) => pair,
                        None if word == "wear" => {
                            let first = self.fixed().next().ok_or_else(|| unknown("no part is fixed"))?;
                            (self.scene.bodies[first].name.as_str(), "wear")
                        }
                        None => return Err(unknown("no such quantity")),
                    };
                    if key == "wear" {
                        let body = self.scene.body(part).ok_or_else(|| unknown("no such part"))?;
                        let chart = self.wear_chart(body, trials, fineness).ok_or_else(|| {
                            unknown("the recorded poses never bring another part beside it")
                        })?;
                        wear = Some(WearChart { body, chart });
                        continue;
                    }
                    let WrittenShape { numbers, .. } = shapes
                        .iter()
                        .find(|shape| shape.part == part)
                        .ok_or_else(|| unknown("the scene has no such part"))?;
                    let names = [key.to_string(), format!("{key}_mm"), format!("{key}_deg")];
                    let (key, start) =
                        numbers.iter().find(|(own, _)| names.contains(own)).ok_or_else(|| {
                            let keys: Vec<&str> = numbers.iter().map(|(key, _)| key.as_str()).collect();
                            unknown(&format!("its shape has the numbers {}", keys.join(", ")))
                        })?;
                    found.push(dimension_unknown(part.to_string(), key.clone(), *start));
                }
            }
        }
        if let Some(WearChart { body, chart }) = wear {
            let old = self.scene.bodies[body].gap_field.as_ref().filter(|field| field.chart() == chart);
            let start = |index: usize| old.map_or(0.0, |field| field.coefficients()[index]);
            found.extend((0..chart.len()).map(|k| Unknown::new(Quantity::Wear(k), start(k))));
        }
        let mut seen: Vec<&Quantity> = Vec::new();
        for unknown in &found {
            if seen.contains(&&unknown.quantity) {
                return Err(CalibrationError::Unknown {
                    word: unknown.quantity.name(),
                    problem: "it is named twice".into(),
                    known: WORDS.into(),
                });
            }
            if !matches!(unknown.quantity, Quantity::Wear(_) | Quantity::Drift { .. }) {
                seen.push(&unknown.quantity);
            }
        }
        Ok((found, wear))
    }

    /// Shapes of the parts, as written.
    fn shapes(&self) -> Vec<WrittenShape> {
        let table: Table = self.source.text.parse().unwrap_or_default();
        let parts = table.get("parts").and_then(Value::as_table);
        parts
            .into_iter()
            .flatten()
            .filter_map(|(name, part)| {
                let shape = part.get("shape")?.as_table()?;
                let kind = shape.get("kind")?.as_str()?.to_string();
                let number = |value: &Value| value.as_float().or(value.as_integer().map(|own| own as f64));
                let is_length = |key: &str| key.ends_with("_mm") || key.ends_with("_deg");
                let numbers = shape.iter().filter(|(key, _)| is_length(key));
                let numbers = numbers.filter_map(|(key, own)| Some((key.clone(), number(own)?))).collect();
                Some(WrittenShape { part: name.clone(), kind, numbers })
            })
            .collect()
    }

    /// Chart of the section of a part that the recorded poses bring the other part to.
    fn wear_chart(
        &self,
        body: BodyId,
        trials: &[Recording],
        fineness: [Option<usize>; 2],
    ) -> Option<GapChart> {
        if let Some(field) = &self.scene.bodies[body].gap_field {
            return Some(field.chart());
        }
        let own = self.scene.bodies[body].part.aabb()?;
        let (mut low, mut high) = (own.min.z, own.max.z);
        if body != self.moving {
            let moving = self.scene.bodies[self.moving].part.aabb()?;
            let part_from_world = self.scene.bodies[body].world_from_part.inverse();
            let heights = trials
                .iter()
                .flat_map(|trial| &trial.samples)
                .step_by(10)
                .map(|sample| part_from_world.transform_point(sample.world_from_part.translation).z);
            let [least, most] = heights
                .fold([f64::INFINITY, f64::NEG_INFINITY], |[least, most], z| [least.min(z), most.max(z)]);
            (low, high) = (low.max(least + moving.min.z), high.min(most + moving.max.z));
        }
        let extent = high - low;
        let usual = ((extent / 4e-3).round() as usize).clamp(2, 10) + 3;
        let chart = GapChart {
            axial: [low, high],
            angles: fineness[0].unwrap_or(8).max(1),
            heights: fineness[1].unwrap_or(usual).max(4),
        };
        (extent > 1e-6).then_some(chart)
    }
}

/// The shape of a part in a scene file.
struct WrittenShape {
    part: String,
    kind: String,
    /// Lengths and angles by their keys, in the units of these.
    numbers: Vec<(String, f64)>,
}

/// Lengths of scene files are millimetres.
fn dimension_unknown(part: String, key: String, start: f64) -> Unknown {
    let si = if key.ends_with("_mm") { start * 1e-3 } else { start };
    Unknown::new(Quantity::Dimension { part, key }, si)
}
