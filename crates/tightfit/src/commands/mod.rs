//! The commands: `assembly` simulates and checks parts and scenes, `bench` measures speed, `learning` trains networks and
//! reads recordings, `paper` regenerates the paper's tables and figures. One file per command; what several of them need is beside the folders.

pub(crate) mod assembly;
pub(crate) mod bench;
pub(crate) mod documentation;
pub(crate) mod haptics;
mod inrol_scene;
pub(crate) mod learning;
mod numbers;
mod output_file;
pub(crate) mod paper;
mod simulate;
