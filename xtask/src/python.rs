//! The Python package: installed into a virtual environment under the target folder, tested by pytest.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// What the tests import.
const PACKAGES: [&str; 4] = ["maturin", "numpy", "gymnasium", "pytest"];
/// What the tests of learning import besides.
const LEARNING_PACKAGES: [&str; 7] =
    ["torch", "stable_baselines3", "ray", "pandas", "pyarrow", "matplotlib", "mcap"];

/// Builds the package and runs its tests: those that need torch or Ray with `learning`, else the others. Without Python 3.10 or
/// without its packages and a network to fetch them from, prints why and passes.
pub(crate) fn test(root: &Path, learning: bool) -> Result<()> {
    let Some(system) = interpreter() else {
        println!("skipped: there is no Python 3.10 or later; set PYTHON to one");
        return Ok(());
    };
    let target = target(root);
    let environment = Environment::at(target.join("python-venv"));
    if !environment.python.exists() && !environment.make(&system) {
        println!("skipped: `{system} -m venv {}` failed", environment.folder.display());
        return Ok(());
    }
    let python = &environment.python;
    let mut packages = PACKAGES.to_vec();
    if learning {
        packages.extend(LEARNING_PACKAGES);
    }
    if let Some(missing) = install(python, &packages) {
        println!("skipped: {missing} cannot be installed; pip or the network is missing");
        return Ok(());
    }
    link_into(root, &target, python)?;
    let modules = ["--doctest-modules", "--doctest-ignore-import-errors", "python/tightfit"];
    pytest(root, python, &modules, if learning { "learning" } else { "not learning" })
}

/// Builds the wheel, installs it into a fresh virtual environment as its users do, and runs the command and the tests there.
pub(crate) fn wheel(root: &Path) -> Result<()> {
    let system = interpreter().context("there is no Python 3.10 or later; set PYTHON to one")?;
    let target = target(root);
    let builder = Environment::at(target.join("python-venv"));
    if !builder.python.exists() && !builder.make(&system) {
        bail!("`{system} -m venv {}` failed", builder.folder.display());
    }
    if let Some(missing) = install(&builder.python, &["maturin"]) {
        bail!("{missing} cannot be installed; pip or the network is missing");
    }
    let wheels = target.join("wheels");
    // a wheel of an earlier version would be found as well
    let _ = std::fs::remove_dir_all(&wheels);
    let mut maturin = Command::new(builder.bin.join("maturin"));
    maturin
        .args(["build", "--quiet", "--locked", "--interpreter"])
        .arg(&builder.python)
        .arg("--out")
        .arg(&wheels);
    succeed(maturin.current_dir(root), "maturin build")?;
    let built = std::fs::read_dir(&wheels)?.next().context("maturin built no wheel")??.path();
    let fresh = Environment::at(target.join("wheel-venv"));
    let _ = std::fs::remove_dir_all(&fresh.folder);
    if !fresh.make(&system) {
        bail!("`{system} -m venv {}` failed", fresh.folder.display());
    }
    let mut pip = Command::new(&fresh.python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "pytest"]).arg(&built);
    succeed(&mut pip, "pip install of the wheel")?;
    let program = fresh.bin.join(if cfg!(windows) { "tightfit.exe" } else { "tightfit" });
    succeed(Command::new(program).arg("scenes").stdout(Stdio::null()), "tightfit scenes")?;
    pytest(root, &fresh.python, &[], "not learning")
}

/// A virtual environment.
struct Environment {
    folder: PathBuf,
    bin: PathBuf,
    python: PathBuf,
}

impl Environment {
    fn at(folder: PathBuf) -> Self {
        let bin = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
        let python = bin.join(if cfg!(windows) { "python.exe" } else { "python" });
        Self { folder, bin, python }
    }

    fn make(&self, system: &str) -> bool {
        let made = Command::new(system).args(["-m", "venv"]).arg(&self.folder).status();
        made.is_ok_and(|status| status.success())
    }
}

fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Runs the tests with a mark, and those of `others`.
fn pytest(root: &Path, python: &Path, others: &[&str], mark: &str) -> Result<()> {
    let mut pytest = Command::new(python);
    pytest.args(["-m", "pytest", "python/tests"]).args(others).args(["-m", mark]).current_dir(root);
    succeed(&mut pytest, "pytest")
}

fn succeed(command: &mut Command, name: &str) -> Result<()> {
    let status = command.status().with_context(|| format!("{name} could not be started"))?;
    if !status.success() {
        bail!("{name} ended with {status}");
    }
    Ok(())
}

/// Installs what `cargo build` has built as maturin would, in the folder of the sources. Maturin itself builds with other features
/// of the dependencies, which takes as long as all tests: [`wheel`].
fn link_into(root: &Path, target: &Path, python: &Path) -> Result<()> {
    crate::cargo(&["build", "--workspace", "--lib", "--bins", "--tests", "--locked"], &[])?;
    let sources = std::path::absolute(root.join("python"))?;
    let library = if cfg!(windows) { "_native.dll" } else { "lib_native.so" };
    let library = if cfg!(target_os = "macos") { "lib_native.dylib" } else { library };
    let module = if cfg!(windows) { "_native.pyd" } else { "_native.abi3.so" };
    let built = target.join("debug").join(library);
    std::fs::copy(&built, sources.join("tightfit").join(module))
        .with_context(|| format!("{} cannot be copied", built.display()))?;
    let asked = Command::new(python)
        .args(["-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])"])
        .output()
        .context("Python could not be started")?;
    let packages = PathBuf::from(String::from_utf8_lossy(&asked.stdout).trim());
    std::fs::write(packages.join("tightfit.pth"), format!("{}\n", sources.display()))?;
    let described = packages.join("tightfit-0.1.0.dist-info");
    std::fs::create_dir_all(&described)?;
    let manifest: toml::Table = std::fs::read_to_string(root.join("pyproject.toml"))?.parse()?;
    let project = manifest.get("project").context("pyproject.toml has no [project]")?;
    let mut points = String::new();
    let mut group = |name: &str, table: Option<&toml::Value>| {
        points += &format!("[{name}]\n");
        for (key, value) in table.and_then(toml::Value::as_table).into_iter().flatten() {
            points += &format!("{key}={}\n", value.as_str().unwrap_or_default());
        }
    };
    group("console_scripts", project.get("scripts"));
    let environments = project.get("entry-points").and_then(|all| all.get("gymnasium.envs"));
    group("gymnasium.envs", environments);
    std::fs::write(described.join("entry_points.txt"), points)?;
    std::fs::write(described.join("METADATA"), "Metadata-Version: 2.1\nName: tightfit\nVersion: 0.1.0\n")?;
    Ok(())
}

/// A Python of version 3.10 or later: the one that PYTHON names, else the first on the path.
fn interpreter() -> Option<String> {
    let candidates = [std::env::var("PYTHON").ok(), Some("python3".into()), Some("python".into())];
    let is_new = "import sys, venv; sys.exit(sys.version_info < (3, 10))";
    candidates.into_iter().flatten().find(|name| runs(Command::new(name).args(["-c", is_new])))
}

/// Installs what cannot be imported; returns what is still missing.
fn install(python: &Path, packages: &[&'static str]) -> Option<String> {
    let is_known = |package: &&&str| {
        let found = format!("import importlib.util as u, sys; sys.exit(u.find_spec('{package}') is None)");
        runs(Command::new(python).args(["-c", &found]))
    };
    let missing: Vec<String> =
        packages.iter().filter(|package| !is_known(package)).map(|name| name.replace('_', "-")).collect();
    let mut pip = Command::new(python);
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check"]).args(&missing);
    (!missing.is_empty() && !pip.status().is_ok_and(|status| status.success())).then(|| missing.join(", "))
}

fn runs(command: &mut Command) -> bool {
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().is_ok_and(|status| status.success())
}
