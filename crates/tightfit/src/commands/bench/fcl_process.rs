//! FCL in a process of its own: a small program, compiled where a compiler and the library are installed.
//!
//! J. Pan, S. Chitta, D. Manocha, "FCL: a general purpose library for collision and proximity queries", ICRA 2012.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context, Result, bail};

use super::detection_task::Task;

const SOURCE: &str = include_str!("../../../assets/fcl_detection.cpp");
const OPTIONS: [&str; 4] = ["-O3", "-march=native", "-DNDEBUG", "-I/usr/include/eigen3"];
const LIBRARIES: [&str; 2] = ["-lfcl", "-lccd"];

/// Remedy where it cannot be compiled.
pub(super) const REMEDY: &str = "`apt-get install g++ libfcl-dev` gives what it takes";

/// The compiled program and a folder for its input.
pub(super) struct Fcl {
    folder: PathBuf,
    program: PathBuf,
}

impl Fcl {
    /// Compiles the program, unless an earlier run did.
    pub(super) fn compile() -> Result<Self> {
        let mut hasher = DefaultHasher::new();
        (SOURCE, OPTIONS, LIBRARIES).hash(&mut hasher);
        let folder = cache().join(format!("fcl-{:016x}", hasher.finish()));
        std::fs::create_dir_all(&folder)
            .with_context(|| format!("{} cannot be written", folder.display()))?;
        let (source, program) = (folder.join("fcl_detection.cpp"), folder.join("fcl_detection"));
        if !program.exists() {
            std::fs::write(&source, SOURCE)?;
            let unfinished = folder.join(format!("unfinished-{}", std::process::id()));
            let mut compiler = Command::new("g++");
            compiler.args(OPTIONS).arg(&source).arg("-o").arg(&unfinished).args(LIBRARIES);
            let output = compiler.output().context("g++ is not installed")?;
            if !output.status.success() {
                let text = String::from_utf8_lossy(&output.stderr);
                let error = text.lines().find(|line| line.contains("error")).unwrap_or("no reason given");
                bail!("g++ cannot build it: {error}");
            }
            std::fs::rename(&unfinished, &program)?;
        }
        Ok(Self { folder, program })
    }

    /// Starts the program on a task.
    pub(super) fn start(&self, task: &Task) -> Result<FclProcess> {
        let place = |name: &str, text: &str| -> Result<PathBuf> {
            let path = self.folder.join(format!("{}-{name}", task.name));
            std::fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
            Ok(path)
        };
        let mut command = Command::new(&self.program);
        command.arg(place("fixed.obj", task.meshes[0])?);
        command.arg(place("moving.obj", task.meshes[1])?);
        command.arg(place("poses.csv", task.poses)?);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (Some(questions), Some(answers)) = (child.stdin.take(), child.stdout.take()) else {
            bail!("the program with FCL has no input or output");
        };
        Ok(FclProcess { child, questions: Some(questions), answers: BufReader::new(answers) })
    }
}

/// The program with FCL, waiting for queries.
pub(super) struct FclProcess {
    child: Child,
    questions: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl FclProcess {
    /// Time [us] and number of contacts of every query at the poses `first`, `first + stride` ...
    pub(super) fn measure(&mut self, first: usize, count: usize, stride: usize) -> Result<Vec<(f64, usize)>> {
        let questions = self.questions.as_mut().context("the program with FCL has ended")?;
        writeln!(questions, "{first} {count} {stride}")?;
        questions.flush()?;
        let mut all = Vec::with_capacity(count);
        for line in self.answers.by_ref().lines() {
            let line = line?;
            if line == "done" {
                return Ok(all);
            }
            let words = line
                .split_once(' ')
                .and_then(|(time, found)| Some((time.parse().ok()?, found.parse().ok()?)));
            all.push(words.with_context(|| format!("the program with FCL said `{line}`"))?);
        }
        bail!("the program with FCL ended early")
    }
}

impl Drop for FclProcess {
    fn drop(&mut self) {
        // without input it ends by itself
        self.questions = None;
        let _ = self.child.wait();
    }
}

/// Folder for files that can be regenerated.
fn cache() -> PathBuf {
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
    let home = || variable("HOME").map(|home| home.join(".cache"));
    let folder = variable("XDG_CACHE_HOME").or_else(home).filter(|folder| is_writable(folder));
    folder.unwrap_or_else(std::env::temp_dir).join("tightfit")
}

fn is_writable(folder: &Path) -> bool {
    std::fs::create_dir_all(folder.join("tightfit")).is_ok()
}
