//! The page of the viewer: the embedded bundle matches its sources, and it works in a headless browser.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

/// Hashes of the sources and of what was built from them.
const STAMP: &str = "crates/viewer/assets/view.sources";
/// Where Debian, Fedora, Homebrew and Google put the browser.
const BROWSERS: [&str; 6] = [
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
    "/usr/bin/google-chrome-stable",
    "/opt/homebrew/bin/chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/// Compares the bundle with its sources, then runs the page tests where Node and Chromium are installed.
pub(crate) fn check(root: &Path) -> Result<()> {
    matches_sources(root)?;
    let Some(tools) = Tools::find(root)? else { return Ok(()) };
    let target = target(root);
    crate::cargo(&["build", "--workspace", "--lib", "--bins", "--tests", "--locked"], &[])?;
    let program = target.join("debug/tightfit");
    tools.run(root, "page.mjs", &[&program, &tools.modules, &tools.browser, &target.join("page/pictures")])
}

/// Folder of build outputs.
pub(crate) fn target(root: &Path) -> PathBuf {
    std::env::var_os("CARGO_TARGET_DIR").map_or_else(|| root.join("target"), PathBuf::from)
}

/// Node, a browser, and the folder with the test driver.
pub(crate) struct Tools {
    pub(crate) browser: PathBuf,
    pub(crate) modules: PathBuf,
}

impl Tools {
    /// Installs the test driver where it is missing. `None`, with the reason printed, where something is not installed.
    pub(crate) fn find(root: &Path) -> Result<Option<Self>> {
        let named = std::env::var_os("CHROMIUM").map(PathBuf::from);
        let browser = named.or_else(|| BROWSERS.iter().map(PathBuf::from).find(|path| path.exists()));
        let Some(browser) = browser else {
            println!("page tests skipped: no Chromium found; install `chromium` or set CHROMIUM to its path");
            return Ok(None);
        };
        if !Command::new("npm").arg("--version").output().is_ok_and(|output| output.status.success()) {
            println!("page tests skipped: Node with npm is not installed");
            return Ok(None);
        }
        let modules = target(root).join("page");
        std::fs::create_dir_all(&modules)?;
        for name in ["package.json", "package-lock.json"] {
            std::fs::copy(root.join("web/tests").join(name), modules.join(name))?;
        }
        if !modules.join("node_modules/playwright-core").exists() {
            let install = ["ci", "--no-audit", "--no-fund", "--silent"];
            let status = Command::new("npm").current_dir(&modules).args(install).status()?;
            if !status.success() {
                println!("page tests skipped: npm could not install the test driver; is there a network?");
                return Ok(None);
            }
        }
        Ok(Some(Self { browser, modules }))
    }

    pub(crate) fn run(&self, root: &Path, script: &str, arguments: &[&PathBuf]) -> Result<()> {
        let mut command = Command::new("node");
        command.current_dir(root).arg(root.join("web/tests").join(script)).args(arguments);
        let status = command.status().context("node could not be started")?;
        if !status.success() {
            bail!("`node web/tests/{script}` ended with {status}; the pictures show what the page drew");
        }
        Ok(())
    }
}

/// Compares every hash of the stamp, and looks for sources that it does not list.
fn matches_sources(root: &Path) -> Result<()> {
    let stamp =
        std::fs::read_to_string(root.join(STAMP)).with_context(|| format!("{STAMP} cannot be read"))?;
    let listed: Vec<(&str, &str)> = stamp.lines().filter_map(|line| line.split_once(' ')).collect();
    let mut wrong = Vec::new();
    for (expected, name) in &listed {
        match std::fs::read(root.join(name)) {
            Ok(bytes) if hash(&bytes) == *expected => {}
            Ok(_) => wrong.push(format!("{name} has changed")),
            Err(_) => wrong.push(format!("{name} is gone")),
        }
    }
    for entry in std::fs::read_dir(root.join("web/src"))? {
        let name = format!("web/src/{}", entry?.file_name().to_string_lossy());
        if !listed.iter().any(|(_, known)| *known == name) {
            wrong.push(format!("{name} is new"));
        }
    }
    if !wrong.is_empty() {
        bail!("the embedded page is not built from web/: {}; run `npm run build` in web/", wrong.join(", "));
    }
    Ok(())
}

/// FNV-1a with 64 bits, as in `web/vite.config.js`.
fn hash(bytes: &[u8]) -> String {
    let value = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |value, byte| {
        (value ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{value:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_is_that_of_fnv() {
        assert_eq!(hash(b""), "cbf29ce484222325");
        assert_eq!(hash(b"a"), "af63dc4c8601ec8c");
        assert_eq!(hash(b"foobar"), "85944171f73967e8");
    }

    #[test]
    fn the_embedded_page_is_built_from_its_sources() {
        matches_sources(&crate::root()).unwrap();
    }
}
