//! `tightfit schema`: the JSON schema of scene files, for editors.

use std::process::ExitCode;

use anyhow::Result;

use crate::output::say;

pub(crate) fn run() -> Result<ExitCode> {
    say!("{}", serde_json::to_string_pretty(&tightfit::scene::scene_schema())?);
    Ok(ExitCode::SUCCESS)
}
