//! Simulates a recorded toss with the step.
//!
//! ```text
//! position error of a toss   mean over its rows after the first of |x − x_recorded|                  [m]
//! rotation error of a toss   mean over the same rows of the angle between R and R_recorded         [rad]
//! ```
//!
//! The cube is that of the recordings' URDF: side 104.8 mm, 0.37 kg, 8.1e-4 kg m², μ 0.15. Its eight corners touch
//! the ground, which is exact for a plane. By default the ground lies at z = 0, the frame of the recordings. The
//! tracker is biased: cubes at rest are recorded 1 mm lower than half their side and slightly tilted.
//!
//! Recordings: Pfrommer, Halm, Posa, *ContactNets*, CoRL 2020.

use tightfit_pipeline::integration::BodyMotion;
use tightfit_spatial::Wrench;

use super::{RecordedState, Toss};
use crate::{Input, Parameters, Scene, SceneError, State, Workspace, step};

/// Time between two rows of a recording [s].
const ROW_PERIOD: f64 = 6.8e-3;

/// The cube and its ground, ready for many tosses.
pub struct CubeReplay {
    scene: Scene,
    parameters: Parameters,
    start: State,
    input: Input,
    workspace: Workspace,
    steps_per_row: usize,
}

/// Settings that the recordings do not determine.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ReplayOptions {
    /// Steps per row, at least one.
    pub steps_per_row: usize,
    /// Coefficient of restitution between cube and ground [-].
    pub restitution: f64,
    /// Height of the ground [m].
    pub ground: f64,
}

impl Default for ReplayOptions {
    /// One step per row, plastic impacts, ground at z = 0.
    fn default() -> Self {
        Self { steps_per_row: 1, restitution: 0.0, ground: 0.0 }
    }
}

/// Errors of a simulated toss against its recording, averaged over the rows after the first.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TossErrors {
    /// Distance of the centres [m].
    pub position: f64,
    /// Angle between the attitudes [rad].
    pub rotation: f64,
    /// Steps whose contacts did not converge.
    pub unconverged: usize,
    /// Deepest penetration of a corner [m].
    pub penetration: f64,
}

impl CubeReplay {
    /// The cube above its ground.
    ///
    /// # Errors
    /// When the restitution is not between 0 and 1, or the height of the ground is not a number.
    pub fn new(options: &ReplayOptions) -> Result<Self, SceneError> {
        let ReplayOptions { steps_per_row, restitution, ground } = *options;
        let steps_per_row = steps_per_row.max(1);
        let scene = Scene::from_toml(&format!(
            r#"
            name = "cube-toss"
            description = "A cube thrown onto a table"
            gravity_m_s2 = [0, 0, -9.81]
            step_ms = {:e}
            friction = 0.15
            [[contacts]]
            parts = ["cube", "ground"]
            restitution = {restitution}
            [parts.cube]
            shape = {{ kind = "nodes", points_mm = [
                [-52.4, -52.4, -52.4], [-52.4, -52.4, 52.4], [-52.4, 52.4, -52.4], [-52.4, 52.4, 52.4],
                [52.4, -52.4, -52.4], [52.4, -52.4, 52.4], [52.4, 52.4, -52.4], [52.4, 52.4, 52.4],
            ], mass_kg = 0.37, inertia_kg_m2 = [8.1e-4, 8.1e-4, 8.1e-4] }}
            [parts.ground]
            shape = {{ kind = "half-space" }}
            motion = "fixed"
            position_mm = [0, 0, {:e}]
            "#,
            1e3 * ROW_PERIOD / steps_per_row as f64,
            1e3 * ground
        ))?;
        let parameters = Parameters::of(&scene);
        let start = State::start(&scene, &parameters);
        let input = Input { couplings: vec![None], wrenches: vec![Wrench::zero()], ..Input::default() };
        Ok(Self { scene, parameters, start, input, workspace: Workspace::default(), steps_per_row })
    }

    /// Time step [s].
    #[must_use]
    pub fn step(&self) -> f64 {
        self.scene.dt
    }

    /// Simulates a toss from its first state and compares it with the others.
    pub fn errors(&mut self, toss: &Toss) -> TossErrors {
        let mut state = self.start.clone();
        self.workspace.clear();
        let mut errors = TossErrors { position: 0.0, rotation: 0.0, unconverged: 0, penetration: 0.0 };
        let Some((first, others)) = toss.states.split_first() else { return errors };
        state.motions.fill(*first);
        for recorded in others {
            for _ in 0..self.steps_per_row {
                let certificate =
                    step(&self.scene, &self.parameters, &mut state, &self.input, &mut self.workspace);
                errors.unconverged += usize::from(!certificate.converged);
                errors.penetration = errors.penetration.max(certificate.penetration);
            }
            for motion in &state.motions {
                let [position, rotation] = distance(motion, recorded);
                errors.position += position / others.len() as f64;
                errors.rotation += rotation / others.len() as f64;
            }
        }
        errors
    }
}

/// Distance of two poses [m, rad].
fn distance(motion: &BodyMotion, recorded: &RecordedState) -> [f64; 2] {
    let turn = motion.rotation.inverse() * recorded.rotation;
    [(motion.center - recorded.center).norm(), turn.angle()]
}
