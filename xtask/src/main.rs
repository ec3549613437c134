//! `cargo xtask test` runs every check that this repository has; `cargo xtask layers` only the layer check.

mod dependencies;
mod documents;
mod layers;
mod page;
mod playground;
mod python;

use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::time::Instant;

use anyhow::{Context, Result, bail};

fn main() -> ExitCode {
    let task = std::env::args().nth(1).unwrap_or_default();
    let result = match task.as_str() {
        "test" if std::env::args().any(|argument| argument == "--learning") => python::test(&root(), true),
        "test" => test(),
        "python" => python::test(&root(), false),
        "wheel" => python::wheel(&root()),
        "layers" => layers::check(&root()),
        "dependencies" => dependencies::check(&root()),
        "documents" => documents::check(&root()),
        "page" => page::check(&root()),
        "playground" => playground::build(&root()).map(|_| ()),
        "playground-test" => playground::check(&root()),
        _ => {
            println!(
                "cargo xtask test          every check: layers, dependencies, documents, format, clippy, docs, tests, Python, page"
            );
            println!("cargo xtask test --learning  the Python tests that need torch or Ray");
            println!("cargo xtask python        the Python package and its tests");
            println!(
                "cargo xtask wheel         the wheel, installed into a fresh virtual environment and tested there"
            );
            println!("cargo xtask layers        imports follow the layer order");
            println!("cargo xtask dependencies  licences and duplicate versions, by the rules of deny.toml");
            println!(
                "cargo xtask documents     paths and links of documents exist, docs/SUMMARY.md is complete"
            );
            println!(
                "cargo xtask page          the viewer's page: bundle matches its sources, tests in Chromium"
            );
            println!(
                "cargo xtask playground    builds target/playground: the simulator as WebAssembly with its page"
            );
            println!("cargo xtask playground-test  compares it with the native program in Chromium");
            return ExitCode::from(u8::from(!task.is_empty()) * 2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error:#}");
            ExitCode::FAILURE
        }
    }
}

/// The repository's root: the folder above this crate.
fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn test() -> Result<()> {
    let root = root();
    step("layers", || layers::check(&root))?;
    step("dependencies", || dependencies::check(&root))?;
    step("documents", || documents::check(&root))?;
    step("format", || cargo(&["fmt", "--all", "--check"], &[]))?;
    step("clippy", || {
        cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"], &[])
    })?;
    step("library without default features", || {
        cargo(&["check", "--package", "tightfit", "--lib", "--no-default-features", "--locked"], &[])
    })?;
    let strict_docs = [("RUSTDOCFLAGS", "-D warnings")];
    step("documentation", || cargo(&["doc", "--workspace", "--no-deps", "--locked"], &strict_docs))?;
    // examples and benches are checked by clippy; linking them would take minutes
    let targets = ["--workspace", "--lib", "--bins", "--tests", "--locked"];
    step("build", || cargo(&[&["build"], &targets[..]].concat(), &[]))?;
    step("tests", || cargo(&[&["test", "--no-fail-fast"], &targets[..]].concat(), &[]))?;
    step("documentation tests", || cargo(&["test", "--workspace", "--doc", "--locked"], &[]))?;
    step("Python", || python::test(&root, false))?;
    step("page", || page::check(&root))
}

fn step(name: &str, check: impl FnOnce() -> Result<()>) -> Result<()> {
    println!("== {name}");
    let start = Instant::now();
    check().with_context(|| format!("{name} failed"))?;
    println!("== {name} passed in {:.0} s", start.elapsed().as_secs_f64());
    Ok(())
}

fn cargo(arguments: &[&str], environment: &[(&str, &str)]) -> Result<()> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| "cargo".into());
    let mut command = Command::new(cargo);
    command.current_dir(root()).args(arguments).envs(environment.iter().copied());
    let status = command.status().context("cargo could not be started")?;
    if !status.success() {
        bail!("`cargo {}` ended with {status}", arguments.join(" "));
    }
    Ok(())
}
