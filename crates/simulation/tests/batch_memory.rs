//! What an environment of a batch takes beyond what all share: at most 256 KiB.
//!
//! All memory that is held is counted, before and after, with one environment and with nine; the difference is that of
//! eight. Every environment has a clearance or an error of pitch, a friction and a mass of its own. A naive version fails where each
//! keeps room for all contacts that its nodes could have: megabytes.

#![allow(
    unsafe_code,
    reason = "counting memory takes a global allocator, and that trait is unsafe to implement"
)]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering};

use tightfit_shape::Part;
use tightfit_shape::preset::{hole_50, standard_bolt, standard_nut};
use tightfit_simulation::Scene;
use tightfit_simulation::batch::{Batch, Setup};

/// The system's allocator, with the bytes that are held.
struct Counting;

static HELD: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on unchanged to the system's allocator; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller keeps the contract of `alloc`, which is that of the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: `pointer` came from `alloc` above, so from the system's allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_add(size, Ordering::Relaxed);
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: as for `dealloc`; the caller vouches for the new size.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const STEPS: usize = 80;

type Parts = dyn Fn(usize) -> Vec<(&'static str, Part)>;

/// Environment `index`: parts, friction and mass of its own.
fn setup(scene: &Scene, parts: &Parts, index: usize) -> Setup {
    let mut setup = Setup::of(scene).with_friction(0.05 + 0.01 * index as f64);
    for (name, part) in parts(index) {
        setup = setup.with_part(scene, name, part).unwrap();
    }
    for inertia in setup.parameters.bodies.iter_mut().filter_map(|body| body.inertia.as_mut()) {
        inertia.mass *= 1.0 + 0.01 * index as f64;
        inertia.moment *= 1.0 + 0.01 * index as f64;
    }
    setup
}

/// Bytes of a batch of so many environments after some steps, and what the batch itself says of its last one.
fn held(name: &str, parts: &Parts, count: usize) -> (usize, usize) {
    let before = HELD.load(Ordering::Relaxed);
    let mut batch = Batch::new(Scene::find(name).unwrap(), count, 1).unwrap();
    for index in 0..count {
        let setup = setup(batch.scene(), parts, index + 1);
        batch.reset(index, setup).unwrap();
    }
    (0..STEPS).for_each(|_| batch.step());
    assert_eq!(batch.faults().count(), 0, "{name}");
    assert!(batch.certificate(count - 1).unwrap().candidates > 0, "{name}: nothing came near");
    (HELD.load(Ordering::Relaxed) - before, batch.environment_bytes(count - 1).unwrap())
}

#[test]
fn an_environment_takes_at_most_256_kib_beyond_what_is_shared() {
    let clearance = |index: usize| {
        let mut hole = hole_50();
        hole.diameter += 1e-6 * index as f64;
        vec![("hole", Part::Sectioned(hole.build().unwrap()))]
    };
    let pitch = |index: usize| {
        let pitch = 5e-3 * (1.0 + 1e-5 * index as f64);
        vec![("nut", Part::Nut(standard_nut(48e-3, pitch, 15e-3, 74e-3).unwrap()))]
    };
    let both = |index: usize| {
        let pitch = 5e-3 * (1.0 + 1e-5 * index as f64);
        vec![
            ("nut", Part::Nut(standard_nut(48e-3, pitch, 15e-3, 74e-3).unwrap())),
            ("bolt", Part::Bolt(standard_bolt(48e-3, pitch, 40e-3).unwrap())),
        ]
    };
    let cases: [(&str, &Parts); 3] =
        [("peg-in-hole", &clearance), ("bolting-engaged", &pitch), ("bolting-engaged", &both)];
    for (name, dimensions) in cases {
        let (one, _) = held(name, dimensions, 1);
        let (nine, said) = held(name, dimensions, 9);
        let each = (nine - one) / 8;
        println!(
            "{name}: {each} bytes an environment, {said} by its own count, {one} with all that is shared"
        );
        assert!(each <= 256 << 10, "{name}: {each} bytes an environment");
        assert!(said.abs_diff(each) < 4096, "{name}: {said} bytes by its own count, {each} held");
    }
}
