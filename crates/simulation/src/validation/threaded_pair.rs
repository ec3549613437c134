//! The M48x5 pair of the thread cases: a fixed bolt, a driven or free nut, an axial load.
//!
//! Nodes at the pitch radius: two whole turns on either flank of the nut, so that the lateral parts of the normals
//! cancel and every contact has the radius of the formula.

use tightfit_pipeline::integration::Coupling;
use tightfit_shape::Part;
use tightfit_shape::node::{NodeKind, NodeSet};
use tightfit_spatial::{Pose, Vector3};

use super::trial::Trial;
use crate::SceneError;
use crate::drive::about;

/// P [m].
pub(super) const PITCH: f64 = 5e-3;
/// r₂ [m]: (48 − 0.75 · √3/2 · 5)/2 mm.
pub(super) const PITCH_RADIUS: f64 = 22.376_202_641_911_67e-3;
/// Tangent of half the thread angle.
const SLOPE: f64 = 0.577_350_269_189_625_8;
/// Radial play of the pair [m].
const PLAY: f64 = 0.2e-3;
/// Faces of a thread's charts: lower and upper flank.
const FLANKS: [u32; 2] = [1, 3];
/// Nodes per turn.
const LAPS: usize = 72;

/// Nodes that detect contact.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Nodes {
    /// All nodes of the parts.
    All,
    /// Flank nodes of the nut at r₂ only.
    PitchRadius,
}

/// tan λ at r₂ and g = |∇F| of the flank there.
pub(super) fn slopes() -> (f64, f64) {
    let lead = PITCH / (std::f64::consts::TAU * PITCH_RADIUS);
    (lead, (1.0 + SLOPE * SLOPE + lead * lead).sqrt())
}

/// A nut in the middle of the bolt, resting with its load flank on that of the bolt.
pub(super) fn pair(friction: f64, nodes: Nodes) -> Result<Trial, SceneError> {
    // In phase at z = 22.5 mm and half a turn; the play lowers the nut onto the flank.
    let rest = 22.5 - 1e3 * PLAY * SLOPE;
    let mut trial = Trial::from_toml(&format!(
        r#"
        name = "thread"
        friction = {friction}
        [parts.bolt]
        shape = {{ kind = "preset", name = "m48x5-bolt" }}
        motion = "fixed"
        [parts.nut]
        shape = {{ kind = "preset", name = "m48x5-nut" }}
        mass_kg = 0.6
        position_mm = [0, 0, {rest:e}]
        rotation_deg = [0, 0, 180]
        "#
    ))?;
    if nodes == Nodes::PitchRadius {
        for body in &mut trial.scene.bodies {
            body.nodes = NodeSet::default();
            let Part::Nut(nut) = &body.part else { continue };
            let [root, crest] = [nut.thread().root_radius(), nut.thread().crest_radius()];
            let across = (PITCH_RADIUS - root) / (crest - root);
            for face in FLANKS {
                for lap in 0..2 * LAPS {
                    body.nodes.push(NodeKind::Face, face, across, lap as f64 / LAPS as f64 - 1.0);
                }
            }
        }
    }
    Ok(trial)
}

/// A spring that centres the nut and holds its axis upright. It turns the nut at `rate` [rad/s], or leaves it free to
/// turn.
pub(super) fn lead(trial: &mut Trial, rate: Option<f64>) {
    let time = trial.state.step_count as f64 * trial.scene.dt;
    let x = trial.body().rotation * Vector3::x();
    let here = libm::atan2(x.y, x.x);
    // There is no spring along the axis, so the height of the target does not matter.
    let target = |time: f64| {
        let angle = rate.map_or(here, |rate| std::f64::consts::PI + rate * time);
        Pose::new(Vector3::zeros(), about(Vector3::z(), angle))
    };
    let grip = if rate.is_some() { 1.0 } else { 0.0 };
    trial.input.couplings[0] = Some(Coupling {
        stiffness: Vector3::new(1e5, 1e5, 0.0),
        damping: Vector3::new(500.0, 500.0, 0.0),
        turning_stiffness: Vector3::new(200.0, 200.0, 200.0 * grip),
        turning_damping: Vector3::new(1.0, 1.0, grip),
        target: target(time),
        next_target: target(time + trial.scene.dt),
        twist: 0.0,
    });
}
