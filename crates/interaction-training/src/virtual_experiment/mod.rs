/*!
Virtual experiments: recordings of simulated trials, for parts without real ones. **Synthetic**: they show how well a method
recovers the forces of this simulator's physics, not those of a laboratory.

```text
human motion ─► hand ─► spring of the drive ─► part ─► contact with all nodes, ladder solver, 2 ms
 set-points      ▲                              │
 hesitation      │ deflects by F/K_g           ├─► force and torque ─► mean over 10 ms, noise ─► sensor
 tilt, push      └── grasp ◄────────────────────┘
                     hand pose, error, noise ─► recorded pose, 100 Hz
```

As on a robot, the recorded pose is the hand's: the load on the grasp displaces the part relative to it. Friction varies over
time and between trials; the bolt's diameter varies by some micrometres along the thread and between trials. Everything
follows from the seed. In a scene with an arm its controller moves the part (`with_arm.rs`).
*/

mod generate;
mod human_motion;
mod options;
mod pairs;
mod pose_error;
mod wavy_bolt;
mod with_arm;

pub use generate::{generate, generate_trial};
pub use options::{Disturbance, VirtualOptions};
pub use pairs::thread_scene;
