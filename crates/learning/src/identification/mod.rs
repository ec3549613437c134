/*!
Numbers of an experiment from its recordings, each with an uncertainty or a reason why the data cannot say (paper 5.1).

```text
[Trial] ─► sensor_load   bias, weight, axes of the sensor         free rows
        ─► inertia       ten inertial parameters       ─► time_offset   lag of the wrench     free motion
        ─► mouth         outline of the tip, lever to the sensor, plane of the mouth     one contact on the plane
        ─► sliding       friction                                                   sliding on the plane
        ─► play          hole's pose per trial, clearance, compliance of the grasp          inside the hole
        ─► height        how high the hole stands per trial, its depth, give along it     on mouth and floor
        ─► grasp         the give as a spring by axis, at the point where it decouples
        ─► calibration   all of it in a file: Trial ─► Recording, and a scene
```

`fixed_pose` finds where any part stands from the motion of another in it, by penetration alone. For rods that come down on a plate `rod_holes` finds the holes, `first_touch` measures the first force, `first_contact` foresees its direction, `struck_arm` tells it from the arm's motion. `least_squares` is the fit behind most of them, `cone_loads` says which contacts carry a wrench.
*/

mod answer;
mod calibration;
mod cone_loads;
mod first_contact;
mod first_touch;
mod fixed_pose;
mod grasp;
mod height;
mod identify;
mod inertia;
pub mod least_squares;
mod mouth;
mod outline;
mod play;
mod pocket;
mod rod_holes;
mod sensor_load;
mod sliding;
mod struck_arm;
mod time_offset;

pub use answer::{Answer, Estimate, Refusal};
pub use calibration::Calibration;
pub use first_contact::{FirstContact, Rod, identify_first_contact};
pub use first_touch::FirstTouch;
pub use fixed_pose::identify_fixed_pose;
pub use grasp::GraspSpring;
pub use height::{identify_height, place_height};
pub use identify::{Identification, Known, Question, identify_fit};
pub use inertia::identify_inertia;
pub use mouth::{Landing, Mouth, identify_mouth, landings};
pub use outline::{Outline, WallContact};
pub use play::{Play, identify_play, place_play, tool_from_tip, wrench_at_tip};
pub use pocket::pocket_mesh;
pub use sensor_load::{SensorLoad, identify_sensor};
pub use sliding::identify_friction;
pub use struck_arm::Kick;
pub use time_offset::identify_time_offset;
