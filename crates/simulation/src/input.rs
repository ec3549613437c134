//! What acts on the bodies during one step.

use tightfit_pipeline::integration::{Coupling, twist_angle};
use tightfit_robot::arm::ArmCommand;
use tightfit_robot::control::Posed;
use tightfit_spatial::{Pose, Vector3, Wrench};

use crate::arm::{ArmInput, Wanted};
use crate::state::unwrapped;
use crate::{BodyId, Drive, Parameters, Scene, State};

/// Loads and targets of one step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Input {
    /// Spring and damper of every free body, where it has one.
    pub couplings: Vec<Option<Coupling>>,
    /// External wrench on every free body, gravity aside.
    pub wrenches: Vec<Wrench>,
    /// Pose of every kinematic part at the end of the step.
    pub kinematic: Vec<Pose>,
    /// Command to the arm, where the scene has one; without it the arm's drives are off.
    pub arm: Option<Box<ArmInput>>,
}

impl Input {
    /// No load, kinematic parts stay where they are, and the drives of an arm are off.
    #[must_use]
    pub fn none(state: &State) -> Self {
        let mut input = Self::default();
        input.clear(state);
        input
    }

    /// The loads of drives over the step that follows a state, and the command of the arm where the scene has one.
    #[must_use]
    pub fn of_drives(drives: &[Drive], scene: &Scene, parameters: &Parameters, state: &State) -> Self {
        let mut input = Self::none(state);
        input.follow(drives, scene, parameters, state);
        input
    }

    /// Becomes [`Self::none`] and keeps its memory.
    pub(crate) fn clear(&mut self, state: &State) {
        let count = state.motions.len();
        self.couplings.clear();
        self.couplings.resize(count, None);
        self.wrenches.clear();
        self.wrenches.resize(count, Wrench::zero());
        self.kinematic.clone_from(&state.kinematic);
        let Some(motion) = state.arm.as_deref() else {
            self.arm = None;
            return;
        };
        let idle = ArmInput::of_command(ArmCommand::none(), motion);
        match &mut self.arm {
            Some(input) => **input = idle,
            input => *input = Some(Box::new(idle)),
        }
    }

    /// Sets spring, damper and force of driven free bodies, the next poses of driven kinematic bodies, and the
    /// command of the arm's controller. The arm's set-point comes from its strategy, else from its part's drive, else
    /// it is the start.
    pub(crate) fn follow(&mut self, drives: &[Drive], scene: &Scene, parameters: &Parameters, state: &State) {
        let time = state.step_count as f64 * parameters.dt;
        if let Some(arm) = &scene.arm {
            let own = drives.iter().find(|drive| drive.body == arm.body);
            let still = scene.bodies[arm.body].world_from_part;
            let at = |time: f64| own.map_or(still, |drive| drive.target(time));
            let asked = arm.ask_strategy(scene, parameters, state);
            let remembered = asked.as_ref().map(|(_, memory)| *memory);
            let wanted = asked.map(|(wanted, _)| wanted).unwrap_or_else(|| Wanted {
                posed: Posed::between(&at(time), &at(time + parameters.dt), parameters.dt),
                force: own.map_or_else(Vector3::zeros, |drive| drive.force),
            });
            if let (Some(input), Some(place)) =
                (arm.input(&wanted, scene, parameters, state), self.arm.as_deref_mut())
            {
                *place = ArmInput { strategy: remembered, ..input };
            }
        }
        let held = scene.arm.as_ref().map(|arm| arm.body);
        for drive in drives.iter().filter(|drive| Some(drive.body) != held) {
            if let Some(index) = scene.kinematic_index(drive.body) {
                self.kinematic[index] = drive.target(time + parameters.dt);
            }
            if let Some(index) = scene.free_index(drive.body)
                && let Some(inertia) = parameters.bodies[drive.body].inertia
            {
                self.couplings[index] =
                    Some(drive.coupling(time, parameters.dt, &inertia, state.spins[index]));
                self.wrenches[index] = drive.wrench();
            }
        }
    }

    /// Moves the set-point of a driven free body, or a kinematic one, from one pose of its part to another.
    pub(crate) fn guide(
        &mut self,
        body: BodyId,
        [start, end]: &[Pose; 2],
        scene: &Scene,
        parameters: &Parameters,
        state: &State,
    ) {
        if let Some(index) = scene.kinematic_index(body) {
            self.kinematic[index] = *end;
        }
        let coupling =
            scene.free_index(body).and_then(|index| Some((index, self.couplings[index].as_mut()?)));
        if let (Some((index, coupling)), Some(inertia)) = (coupling, parameters.bodies[body].inertia) {
            let center = |pose: &Pose| Pose::new(pose.transform_point(inertia.center_of_mass), pose.rotation);
            let spin = state.spins[index];
            coupling.target = center(start);
            coupling.next_target = center(end);
            coupling.twist = spin - unwrapped(twist_angle(&start.rotation), spin);
        }
    }
}
