//! The Python package: installed into a virtual environment under the target folder, tested by pytest.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

/// What the tests import.
const PACKAGES: [&str; 4] = ["maturin", "numpy", "gymnasium", "pytest"];
/// What the tests of learning import besides.
const LEARNING_PACKAGES: [&str; 6] = ["torch", "stable_baselines3", "ray", "pandas", "pyarrow", "matplotlib"];

/// Builds the package and runs its tests: those that need torch or Ray with `learning`, else the others. Without Python 3.10 or
/// without its packages and a network to fetch them from, prints why and passes.
pub(crate) fn test(root: &Path, learning: bool) -> Result<()> {
    let Some(system) = interpreter() else {
        println!("skipped: there is no Python 3.10 or later; set PYTHON to one");
        return Ok(());
    };
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from);
    let folder = target.join("python-venv");
    let bin = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
    let python = bin.join(if cfg!(windows) { "python.exe" } else { "python" });
    if !python.exists() {
        let made = Command::new(&system).args(["-m", "venv"]).arg(&folder).status();
        if !made.is_ok_and(|status| status.success()) {
            println!("skipped: `{system} -m venv {}` failed", folder.display());
            return Ok(());
        }
    }
    let mut packages = PACKAGES.to_vec();
    if learning {
        packages.extend(LEARNING_PACKAGES);
    }
    if let Some(missing) = install(&python, &packages) {
        println!("skipped: {missing} cannot be installed; pip or the network is missing");
        return Ok(());
    }
    match learning {
        true => build_by_maturin(root, &folder, &bin)?,
        false => link_into(root, &target, &python)?,
    }
    let mut pytest = Command::new(&python);
    pytest.args([
        "-m",
        "pytest",
        "--doctest-modules",
        "--doctest-ignore-import-errors",
        "python/tests",
        "python/tightfit",
        "-m",
    ]);
    pytest.arg(if learning { "learning" } else { "not learning" });
    let tested = pytest.current_dir(root).status().context("pytest could not be started")?;
    if !tested.success() {
        bail!("pytest ended with {tested}");
    }
    Ok(())
}

/// Builds and installs the package as its users do.
fn build_by_maturin(root: &Path, folder: &Path, bin: &Path) -> Result<()> {
    let before = std::env::var_os("PATH").unwrap_or_default();
    let search_path =
        std::env::join_paths([bin.to_path_buf()].into_iter().chain(std::env::split_paths(&before)))?;
    let build = Command::new(bin.join("maturin"))
        .args(["develop", "--quiet", "--locked"])
        .current_dir(root)
        .env("VIRTUAL_ENV", folder)
        .env("PATH", search_path)
        .status()
        .context("maturin could not be started")?;
    if !build.success() {
        bail!("`maturin develop` ended with {build}");
    }
    Ok(())
}

/// Installs what `cargo build` has built as maturin would, in the folder of the sources. Maturin itself builds with other features
/// of the dependencies, which takes as long as all tests.
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
