//! Compiles the kernels for the host, once.

#![allow(clippy::print_stderr, reason = "a skipped test says why")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use nalgebra::Vector3;
use tightfit_gpu::Device;
use tightfit_shape::Part;
use tightfit_shape::preset::hole_50;
use tightfit_shape::thread::{Hand, Nut, ThreadAllowance, ThreadStart};
use tightfit_simulation::Scene;
use tightfit_simulation::batch::Setup;
use tightfit_spatial::SplitMix;

/// The kernels for the host; `None` and a printed reason without g++.
pub(crate) fn host_device() -> Option<Device> {
    static LIBRARY: OnceLock<Option<PathBuf>> = OnceLock::new();
    LIBRARY.get_or_init(compile).clone().map(Device::Host)
}

/// Whether a file is newer than all files of a folder.
fn is_newer(file: &Path, folder: &Path) -> bool {
    let changed = |path: &Path| path.metadata().and_then(|about| about.modified()).ok();
    let Some((own, files)) = changed(file).zip(folder.read_dir().ok()) else { return false };
    files.flatten().all(|other| changed(&other.path()).is_some_and(|other| other < own))
}

fn compile() -> Option<PathBuf> {
    // the tests of environments use this file too
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../gpu/kernels/host.cpp");
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libtightfit_host_kernels.so");
    if is_newer(&library, source.parent()?) {
        return Some(library);
    }
    // tests in other processes may be compiling too: each writes a file of its own and puts it there in one move
    let own = library.with_extension(format!("{}.so", std::process::id()));
    let fused = if cfg!(target_arch = "x86_64") { "-mfma" } else { "-O2" };
    let compiled = Command::new("g++")
        .args([
            "-std=c++17",
            "-O2",
            "-ffp-contract=off",
            fused,
            "-DLANES=16",
            "-Wno-unknown-pragmas",
            "-shared",
            "-fPIC",
            "-o",
        ])
        .arg(&own)
        .arg(&source)
        .output();
    match compiled {
        Ok(output) if output.status.success() => {
            std::fs::rename(&own, &library).expect("the folder of the tests can be written");
            Some(library)
        }
        Ok(output) => panic!("the kernels do not compile: {}", String::from_utf8_lossy(&output.stderr)),
        Err(error) => {
            eprintln!("skipped: the kernels need g++ to run on the host ({error})");
            None
        }
    }
}

/// Engaged nuts with clearance, friction, phase and offset of their own.
pub(crate) fn nuts(scene: &Scene, count: usize) -> Vec<Setup> {
    (0..count).map(|index| nut(scene, index)).collect()
}

fn nut(scene: &Scene, index: usize) -> Setup {
    let mut random = SplitMix::stream(index as u64);
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let radial = between(0.0, 0.1e-3);
    let nut = Nut::new(48e-3, 5e-3, 15e-3, 74e-3, ThreadAllowance { radial, axial: 0.0 }, Hand::Right);
    let nut = nut.and_then(|nut| nut.with_start(ThreadStart::Chamfered { end_radius: 22.5e-3 + radial }));
    let mut drive = scene.drives[0].clone();
    drive.offset = between(0.0, 0.05e-3);
    let turn = between(-0.5, 0.5);
    for waypoint in &mut drive.waypoints {
        waypoint.angle += std::f64::consts::TAU * turn;
        waypoint.position += Vector3::z() * 5e-3 * turn;
    }
    Setup::of(scene)
        .with_friction(between(0.05, 0.3))
        .with_part(scene, "nut", Part::Nut(nut.expect("a nut")))
        .and_then(|setup| setup.with_drive(scene, drive))
        .expect("it can start there")
}

/// A nut above its bolt, beside the axis.
pub(crate) fn nut_above(scene: &Scene, index: usize) -> Setup {
    let mut random = SplitMix::stream(index as u64);
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let (friction, radial) = (between(0.05, 0.3), between(0.0, 0.1e-3));
    let nut = Nut::new(48e-3, 5e-3, 15e-3, 74e-3, ThreadAllowance { radial, axial: 0.0 }, Hand::Right);
    let nut = nut.and_then(|nut| nut.with_start(ThreadStart::Chamfered { end_radius: 22.5e-3 + radial }));
    let (turn, aside) = (between(-0.5, 0.5), between(0.0, 0.2e-3));
    let mut drive = scene.drives[0].clone();
    drive.offset = 2.0 * aside;
    drive.waypoints.iter_mut().for_each(|waypoint| waypoint.angle += std::f64::consts::TAU * turn);
    Setup::of(scene)
        .with_friction(friction)
        .with_part(scene, "nut", Part::Nut(nut.expect("a nut")))
        .and_then(|setup| setup.with_drive(scene, drive))
        .expect("it can start there")
}

/// Pegs above holes of their own, beside the axis and tilted.
pub(crate) fn pegs(scene: &Scene, count: usize) -> Vec<Setup> {
    (0..count).map(|index| peg(scene, index)).collect()
}

fn peg(scene: &Scene, index: usize) -> Setup {
    let mut random = SplitMix::stream(1000 + index as u64);
    let mut between = |low: f64, high: f64| low + (high - low) * random.unit();
    let mut hole = hole_50();
    hole.diameter += between(-20e-6, 40e-6);
    let mut drive = scene.drives[0].clone();
    drive.offset = between(0.1e-3, 0.6e-3);
    drive.tilt = between(0.0, 0.3_f64).to_radians();
    drive.waypoints[0].position.z = between(0.5e-3, 3e-3);
    Setup::of(scene)
        .with_friction(between(0.05, 0.3))
        .with_part(scene, "hole", Part::Sectioned(hole.build().expect("a hole")))
        .and_then(|setup| setup.with_drive(scene, drive))
        .expect("it can start there")
}
