/*!
Recordings of a part that is moved in contact with another, with the force and torque that a sensor felt.

```text
folder, .npy, .csv, .parquet ─► read ─► [Trial]  tool pose, wrench as the sensor shows it
                                          │ examine: what is wrong with it    split: which trials train, which test
                                          ▼
                          calibration (crate::identification) ─► [Recording]  part pose, wrench at its centre of mass
```

`npy_forms` knows the two published data sets, `own_recordings` our own recordings, `run_logs` our own logs and the runs of the
paper's authors, `column_map` any other table; `number_table` reads the tables themselves.
*/

mod column_map;
mod error;
mod examine;
mod finding;
mod npy_forms;
mod number_table;
mod own_recordings;
mod read;
mod recording;
mod recording_file;
mod run_logs;
mod split;
mod trial;

pub use column_map::{AttitudeForm, AttitudeMap, ColumnMap, VectorMap};
pub use error::TrialError;
pub use examine::examine;
pub use finding::{Finding, FindingKind, Severity};
pub use read::{LogForm, TrialSet, read_trials};
pub use recording::{Recording, Sample};
pub use recording_file::{fingerprint, load_recordings};
pub use split::{Split, split_trials};
pub use trial::Trial;
