/*!
Virtual experiments: recordings of trials that were simulated, for parts of which no real ones exist. **Synthetic**: they
tell how well a method recovers forces of this simulator's own physics, not those of a laboratory.

```text
human motion ─► hand ─► spring of the drive ─► part ─► contact with all nodes, ladder solver, 2 ms
 set-points      ▲                              │
 hesitation      │ gives way by F/K_g           ├─► force and torque ─► mean over 10 ms, noise ─► sensor
 tilt, push      └── grasp ◄────────────────────┘
                     hand pose, noise ─► recorded pose, 100 Hz
```

As on a robot the recorded pose is the hand's: the part is displaced against it by the load on the grasp. Friction varies
over time and from trial to trial; the bolt's diameter varies along the thread by some micrometres, and from trial to trial.
Everything follows from the seed.
*/

mod generate;
mod human_motion;
mod options;
mod pairs;
mod wavy_bolt;

pub use generate::{generate, generate_trial};
pub use options::{Disturbance, VirtualOptions};
pub use pairs::thread_scene;
