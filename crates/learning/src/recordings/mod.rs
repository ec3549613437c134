/*!
Recordings of a part that is moved in contact with another, with the force and torque that a sensor measured.

```text
folder, .csv, .parquet, .npy ─► read ─► [Trial]  tool pose, wrench as the sensor reports it
                                          │ examine: faults of the data    split: trials for training and for testing
                                          ▼
                          calibration (crate::identification) ─► [Recording]  part pose, wrench at its centre of mass
```

`own_recordings` reads the recordings of this program, `run_logs` the logs of its runs, `column_map` any other table;
`number_table` reads the tables themselves.
*/

mod column_map;
mod examine;
mod finding;
mod number_table;
mod own_recordings;
mod read;
mod recording;
mod recording_file;
mod run_logs;
mod split;
mod torque_angle;
mod trial;

pub use column_map::{AttitudeForm, AttitudeMap, ColumnMap, VectorMap};
pub use examine::examine;
pub use finding::{Finding, FindingKind, Severity};
pub use read::{LogForm, TrialSet, read_trials};
pub use recording::{MeasuredLoad, Recording, Sample};
pub use recording_file::{fingerprint, load_recordings};
pub use split::{Split, split_trials};
pub use tightfit_simulation::recordings::RecordingError;
pub use trial::Trial;
