//! The playground: a folder that any web server can host, with the simulator compiled to WebAssembly.
//!
//! With rustup the target wasm32-unknown-unknown is enough. Elsewhere Debian's `rustc-web`, `cargo-web`,
//! `rust-web-src` and `lld` compile the standard library too.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail};

use crate::page::{Tools, target};

const TARGET: &str = "wasm32-unknown-unknown";
/// Debian's compiler, which is older than the one of this workspace: language features that became stable since.
const DEBIAN: [&str; 3] = ["/usr/bin/cargo", "/usr/bin/rustc", "/usr/bin/wasm-ld"];
/// Calls the compiler that is its first argument. The standard library turns on its own features; all other crates get
/// those that they may use.
const DEBIAN_WRAPPER: &str = r#"#!/bin/sh
case " $* " in
*rustlib/src/*|*" --crate-name ___ "*|*" -vV "*) exec "$@" ;;
esac
features="let_chains,unsigned_is_multiple_of,unbounded_shifts,float_next_up_down,integer_sign_cast"
features="$features,trait_upcasting,const_vec_string_slice"
exec "$@" "-Zcrate-attr=feature($features)" -Astable_features
"#;

/// Builds the folder `target/playground`.
pub(crate) fn build(root: &Path) -> Result<PathBuf> {
    let folder = target(root).join("playground");
    let built = target(root).join("wasm");
    let mut command = if has_rustup_target() {
        Command::new(std::env::var("CARGO").unwrap_or_else(|_| "cargo".into()))
    } else if DEBIAN.iter().all(|path| Path::new(path).exists()) {
        let mut command = Command::new(DEBIAN[0]);
        command.env("RUSTC", DEBIAN[1]).env("RUSTC_BOOTSTRAP", "1").env("RUSTC_WRAPPER", wrapper(&built)?);
        command.env("CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_LINKER", "wasm-ld");
        command.env_remove("RUSTUP_TOOLCHAIN").env_remove("CARGO").env_remove("CARGO_INCREMENTAL");
        command
    } else {
        bail!(
            "no compiler for {TARGET}: run `rustup target add {TARGET}`, or on Debian install rustc-web, cargo-web, \
             rust-web-src and lld"
        );
    };
    command.current_dir(root).args([
        "build",
        "--release",
        "--package",
        "tightfit-playground",
        "--target",
        TARGET,
    ]);
    if !has_rustup_target() {
        command.args(["-Z", "build-std=std,panic_abort", "--ignore-rust-version"]);
    }
    for (name, value) in [("LTO", "fat"), ("CODEGEN_UNITS", "1"), ("PANIC", "abort"), ("STRIP", "symbols")] {
        command.env(format!("CARGO_PROFILE_RELEASE_{name}"), value);
    }
    let status = command.env("CARGO_TARGET_DIR", &built).status().context("cargo could not be started")?;
    if !status.success() {
        bail!("the build for {TARGET} ended with {status}");
    }
    std::fs::create_dir_all(&folder)?;
    let module = built.join(TARGET).join("release/tightfit_playground.wasm");
    for (from, name) in [
        (module, "tightfit.wasm"),
        (root.join("web/playground/index.html"), "index.html"),
        (root.join("web/playground/worker.js"), "worker.js"),
        (root.join("crates/viewer/assets/view.js"), "view.js"),
        (root.join("crates/viewer/assets/view.css"), "view.css"),
    ] {
        std::fs::copy(&from, folder.join(name))
            .with_context(|| format!("{} cannot be copied", from.display()))?;
    }
    println!("playground: {}", folder.display());
    Ok(folder)
}

/// Writes the wrapper of Debian's compiler.
fn wrapper(folder: &Path) -> Result<PathBuf> {
    std::fs::create_dir_all(folder)?;
    let path = folder.join("rustc-wrapper.sh");
    std::fs::write(&path, DEBIAN_WRAPPER)?;
    #[cfg(unix)]
    std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755))?;
    Ok(std::path::absolute(path)?)
}

/// Builds the playground and tests it in headless Chromium against the native program.
pub(crate) fn check(root: &Path) -> Result<()> {
    let folder = build(root)?;
    let Some(tools) = Tools::find(root)? else { return Ok(()) };
    crate::cargo(&["build", "--workspace", "--lib", "--bins", "--tests", "--locked"], &[])?;
    let program = target(root).join("debug/tightfit");
    let pictures = target(root).join("page/pictures");
    tools.run(root, "playground.mjs", &[&program, &tools.modules, &tools.browser, &pictures, &folder])
}

fn has_rustup_target() -> bool {
    let output = Command::new("rustup").args(["target", "list", "--installed"]).output();
    output.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).lines().any(|line| line == TARGET))
}
