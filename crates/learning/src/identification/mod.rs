/*!
Identification of an experiment from its recordings: each quantity with an uncertainty, or the reason why the data do not
determine it (paper 5.1).

```text
[Trial] ─► sensor_load   bias, weight, axes of the sensor         free rows
        ─► inertia       ten inertial parameters       ─► time_offset   lag of the wrench     free motion
        ─► mouth         outline of the tip, lever to the sensor, plane of the mouth     one contact on the plane
        ─► sliding       friction                                                   sliding on the plane
        ─► play          hole's pose per trial, clearance, compliance of the grasp          inside the hole
        ─► height        height of the hole per trial, its depth, compliance along it      on mouth and floor
        ─► grasp         the compliance as a spring by axis, at the point where it decouples
        ─► calibration   all results in a file: Trial ─► Recording, and a scene
```

`fixed_pose` finds the pose of any fixed part from the motion of another, by penetration alone. `holding_spring` is the spring
of predictions. `least_squares` is the fit behind most of them, `cone_loads` finds the contacts that carry a wrench.
*/

mod answer;
mod calibration;
mod cone_loads;
mod fixed_pose;
mod grasp;
mod height;
mod holding_spring;
mod identify;
mod inertia;
pub mod least_squares;
mod mouth;
mod outline;
mod play;
mod pocket;
mod sensor_load;
mod sliding;
mod statistics;
mod time_offset;

pub use answer::{Answer, Estimate, Refusal};
pub use calibration::Calibration;
pub use fixed_pose::identify_fixed_pose;
pub use grasp::GraspSpring;
pub use height::{identify_height, place_height};
pub use holding_spring::HoldingSpring;
pub use identify::{Identification, Known, Question, identify_fit};
pub use inertia::identify_inertia;
pub use mouth::{Landing, Mouth, identify_mouth, landings};
pub use outline::{Outline, WallContact};
pub use play::{Play, identify_play, place_play, tool_from_tip, wrench_at_tip};
pub use pocket::pocket_mesh;
pub use sensor_load::{SensorLoad, identify_sensor};
pub use sliding::identify_friction;
pub use statistics::{median, quantile};
pub use time_offset::identify_time_offset;
