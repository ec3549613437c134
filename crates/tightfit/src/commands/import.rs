//! `tightfit import inrol DIR OUT`: imports the folder that the paper's authors published.

use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::Result;
use clap::{Args, Subcommand};
use serde_json::json;
use tightfit::interaction_training::inrol::{PublishedTask, task_folders};

use crate::output::{put, say};
use crate::table::Table;

#[derive(Args)]
pub(crate) struct ImportArguments {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Import nodes, faces, networks, clustering parameters, embedding and set-points of the paper's two tasks.
    Inrol(InrolArguments),
}

#[derive(Args)]
struct InrolArguments {
    /// Published folder with the tasks, or the folder of one task (with `txt` and `des`).
    folder: PathBuf,
    /// Folder to write; each task gets a subfolder.
    out: PathBuf,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &ImportArguments) -> Result<ExitCode> {
    let What::Inrol(arguments) = &arguments.what;
    let mut all = Vec::new();
    for folder in task_folders(&arguments.folder)? {
        let absolute = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let name = absolute.file_name().map_or("task".into(), |name| name.to_string_lossy().into_owned());
        let out = arguments.out.join(&name);
        let summary = PublishedTask::read(&folder)?.write(&out, &format!("published folder, task {name}"))?;
        all.push((name, out, summary));
    }
    if arguments.json {
        let all: Vec<_> = all
            .iter()
            .map(|(name, out, summary)| json!({ "task": name, "folder": out, "import": summary }))
            .collect();
        say!("{}", serde_json::to_string_pretty(&all)?);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::new(&["task", "nodes", "faces", "faces turned", "set-points", "written to"]);
    for (name, out, summary) in &all {
        let cells = ["nodes", "faces", "faces_were_turned", "set_points"].map(|key| summary[key].to_string());
        table.row([vec![name.clone()], cells.to_vec(), vec![out.display().to_string()]].concat());
    }
    put!("{table}");
    Ok(ExitCode::SUCCESS)
}
