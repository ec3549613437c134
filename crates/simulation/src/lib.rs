/*!
Scenes: which parts meet, where they start and how they touch.

A scene file is TOML with the unit in every key. [`Scene::load`] reads one, [`built_in_scenes`] lists those that
come with the program, [`scene_schema`] is the JSON schema of the format. A wrong value is answered with its
key, the value, what is allowed, and the line.

[`Simulation`] simulates a scene, [`Certificate`] is measured in every step, [`Assessment`] says whether the result of a run may be
relied on. Features, all on by default: `clock` (times of stages), `parallel` (threads), `parquet` (logs beside .csv).

```
use tightfit_simulation::Scene;

let scene = Scene::from_toml(r#"
    name = "my-fit"
    [parts.hole]
    shape = { kind = "preset", name = "hole-50" }
    motion = "fixed"
    [parts.peg]
    shape = { kind = "peg", diameter_mm = 49.97, length_mm = 80 }
    mass_kg = 0.5
    position_mm = [0, 0, 3]
"#).expect("a valid scene");
assert_eq!(scene.bodies.len(), 2);

let wrong = Scene::from_toml("name = \"x\"\n[parts.a]\nshape = { kind = \"sphere\", diameter_mm = -3 }\n");
assert!(wrong.unwrap_err().to_string().contains("line 3: parts.a.shape.diameter_mm = -3"));
```
*/

#![forbid(unsafe_code)]

pub mod arm;
mod assessment;
mod audit;
pub mod batch;
mod certificate;
mod comparison;
mod contact_point;
mod drive;
mod gap_field;
mod input;
mod limits;
pub mod log;
mod methods;
mod outcome;
mod parameters;
mod preset_choices;
pub mod recordings;
mod scene;
mod simulation;
mod snapshot;
mod state;
mod step;
mod step_halving;
mod stopwatch;
pub mod trials;
mod validation;

pub use arm::{Arm, ArmCertificate, ArmFailure, ArmInput, ArmMotion, ArmRecord};
pub use assessment::{Assessment, Grade, MeasuredBy, Reason};
pub use audit::{Audit, AuditedPlace};
pub use certificate::{Certificate, StageSeconds};
pub use comparison::WrenchDifference;
pub use contact_point::ContactPoint;
pub use drive::{Drive, Waypoint, Wiggle};
pub use gap_field::{ChartWeights, GapChart, GapField, SIDES};
pub use input::Input;
pub use limits::{Limit, Limits};
pub use methods::{CspaceMethod, Methods, Preset};
pub use outcome::{Outcome, Summary, ThreadState};
pub use parameters::{BodyParameters, Parameters};
pub use preset_choices::PresetChoice;
pub use simulation::{BodyRecord, ContactWrench, Disturbance, KinematicRecord, Record, Simulation};
pub use snapshot::{Snapshot, SnapshotError};
pub use state::State;
pub use step::{PairImpulse, Workspace, step};
pub use step_halving::{HalvingLevel, StepHalving};
pub use validation::{Case, Verdict, validation_cases};

// what inputs, states and methods are made of
pub use tightfit_pipeline::clustering::ClusteringMethod;
pub use tightfit_pipeline::integration::{BodyMotion, Coupling, IntegrationMethod};
pub use tightfit_pipeline::solving::{SlipRule, SolverMethod, SweepOptions};

pub use scene::{
    ArmBuilder, ArmControl, Body, BodyBuilder, BodyId, BuiltInScene, ContactPair, CspacePair,
    DetectionMethod, DriveBuilder, InteractionPair, Motion, Scene, SceneBuilder, SceneDescription,
    SceneError, SceneProblem, SceneSource, SceneWarning, Task, TaskBuilder, Uncertain, built_in_scenes,
    scene_schema,
};
