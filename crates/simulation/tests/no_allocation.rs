//! No step after the first takes memory.
//!
//! A count of all allocations of the thread, taken around every step. What fails here is a buffer that grows when
//! contacts do, or a level of the solver's ladder that is first climbed in mid-run: the scenes are chosen so that
//! contacts come from none to thousands and every level but the slowest is met, and the disturbed peg projects often.

#![allow(
    unsafe_code,
    reason = "counting allocations takes a global allocator, and that trait is unsafe to implement"
)]
#![allow(clippy::unwrap_used, reason = "a test may fail")]

mod support;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use tightfit_interaction::InteractionOptions;
use tightfit_simulation::batch::Batch;
use tightfit_simulation::{Disturbance, Scene, Simulation};

/// The system's allocator, with a count per thread.
struct Counting;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // a thread that is ending has no count left, and none is asked for
    let _ = ALLOCATIONS.try_with(|allocations| allocations.set(allocations.get() + 1));
}

// SAFETY: every call is passed on unchanged to the system's allocator; counting touches no memory of it.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller keeps the contract of `alloc`, which is that of the system's.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: `pointer` came from `alloc` above, so from the system's allocator, with this layout.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        // SAFETY: as for `dealloc`; the caller vouches for the new size.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Allocations of every step, what contacts it had, and how high the solver climbed.
struct Observed {
    allocations: Vec<u64>,
    most_candidates: usize,
    highest_level: u8,
    projected: usize,
}

fn observe(mut run: Simulation, steps: usize) -> Observed {
    let mut observed = Observed {
        allocations: Vec::with_capacity(steps),
        most_candidates: 0,
        highest_level: 0,
        projected: 0,
    };
    for _ in 0..steps {
        let before = ALLOCATIONS.get();
        let certificate = run.step();
        observed.allocations.push(ALLOCATIONS.get() - before);
        observed.most_candidates = observed.most_candidates.max(certificate.candidates);
        observed.highest_level = observed.highest_level.max(certificate.level);
        observed.projected += usize::from(certificate.projection_work != 0.0);
    }
    observed
}

fn whole(name: &str, overrides: &[String]) -> (Simulation, usize) {
    let scene = Scene::find_with(name, overrides).unwrap();
    let steps = (scene.drives[0].duration() / scene.dt).round() as usize;
    (Simulation::new(scene, 1), steps)
}

fn assert_none_after_the_first(name: &str, observed: &Observed) {
    assert!(observed.allocations[0] > 0, "{name}: the counter counts nothing");
    let later: Vec<_> =
        observed.allocations.iter().enumerate().skip(1).filter(|(_, count)| **count > 0).collect();
    assert!(later.is_empty(), "{name}: (step, allocations) {later:?}");
}

#[test]
fn a_peg_goes_in_and_is_shaken_without_allocation() {
    let (mut run, steps) = whole("peg-in-hole", &[]);
    run.disturbance = Some(Disturbance { force: 20.0, torque: 0.5 });
    let observed = observe(run, steps + 500);
    assert_none_after_the_first("peg-in-hole", &observed);
    assert!(observed.most_candidates > 1000 && observed.projected > 0, "the scene has become too easy");
}

#[test]
fn networks_are_asked_without_allocation() {
    for (name, steps) in [("peg-in-hole", 300), ("bolting-engaged", 40)] {
        let scene = Scene::find_with(name, &["method.detection=neural".into()]).unwrap();
        let observed = observe(Simulation::new(scene, 1), steps);
        assert_none_after_the_first(name, &observed);
        assert!(observed.most_candidates > 100, "{name}: the network was not asked");
    }
}

#[test]
fn meshes_meet_without_allocation() {
    for (name, steps) in [("peg-in-hole", 240), ("bolting-engaged", 20)] {
        let scene = Scene::find_with(name, &["method.detection=mesh".into()]).unwrap();
        let observed = observe(Simulation::new(scene, 1), steps);
        assert_none_after_the_first(name, &observed);
        assert!(observed.most_candidates > 100, "{name}: {}", observed.most_candidates);
    }
}

/// So many nodes on the faces that thousands are near at once.
fn finer_threads() -> Vec<String> {
    let of = |part| {
        [format!("parts.{part}.nodes.face_spacing_mm=1"), format!("parts.{part}.nodes.helix_spacing_mm=2")]
    };
    ["nut", "bolt"].map(of).concat()
}

#[test]
fn an_engaged_nut_turns_without_allocation() {
    for overrides in [Vec::new(), finer_threads()] {
        let (run, steps) = whole("bolting-engaged", &overrides);
        let observed = observe(run, steps);
        assert_none_after_the_first("bolting-engaged", &observed);
        let (candidates, level) = (observed.most_candidates, observed.highest_level);
        let is_hard = if overrides.is_empty() { level >= 2 } else { candidates > 4000 };
        assert!(is_hard, "the scene has become too easy: {candidates} candidates, level {level}");
    }
}

#[test]
fn a_nut_finds_its_thread_without_allocation() {
    for (overrides, many) in [(Vec::new(), 1000), (finer_threads(), 2000)] {
        let (run, steps) = whole("bolting", &overrides);
        let observed = observe(run, steps);
        assert_none_after_the_first("bolting", &observed);
        let Observed { most_candidates, projected, .. } = observed;
        assert!(most_candidates > many && projected > 0, "too easy: {most_candidates}, {projected}");
    }
}

#[test]
fn an_arm_leads_without_allocation() {
    for (name, settings) in
        [("peg-in-hole-arm", vec![]), ("bolting-arm", vec![]), ("peg-in-hole-arm", admittance())]
    {
        let observed = observe(Simulation::new(Scene::find_with(name, &settings).unwrap(), 1), 150);
        assert_none_after_the_first(name, &observed);
        assert!(observed.most_candidates > 100, "{name}: nothing came near");
    }
}

fn admittance() -> Vec<String> {
    let controller = "{ kind = \"admittance\", mass_kg = [12, 12, 12], damping_ns_m = [310, 310, 310], \
        stiffness_n_m = [2000, 2000, 2000], turning_mass_kg_m2 = [0.8, 0.8, 0.8], \
        turning_damping_nms_rad = [12.65, 12.65, 12.65], turning_stiffness_nm_rad = [50, 50, 50] }";
    vec![format!("arm.controller={controller}")]
}

#[test]
fn several_bodies_fall_onto_one_another_without_allocation() {
    let mut text = String::from(
        "name = \"pile\"\ngravity_m_s2 = [0, 0, -9.81]\nfriction = 0.4\n[parts.floor]\nmotion = \"fixed\"\nshape = { kind = \"half-space\" }\n",
    );
    for index in 0..3 {
        let (x, z) = (5 * index, 15 + 25 * index);
        text += &format!(
            "[parts.block{index}]\nshape = {{ kind = \"block\", size_mm = [30, 30, 20] }}\nposition_mm = [{x}, 0, {z}]\nrotation_deg = [3, {index}, 0]\n"
        );
    }
    let observed = observe(Simulation::new(Scene::from_toml(&text).unwrap(), 1), 150);
    assert_none_after_the_first("pile", &observed);
    assert!(observed.most_candidates > 0, "nothing touched");
}

#[test]
fn other_methods_take_no_memory_either() {
    for choice in ["preset=standard", "preset=refined", "clustering=k-means", "solver=sor"] {
        // of a peg in its hole the rims alone count
        let finer = |part: &str| format!("parts.{part}.nodes={{ edge_spacing_mm = 0.15 }}");
        let settings = [format!("method.{choice}"), finer("peg"), finer("hole")];
        let observed = observe(Simulation::new(Scene::find_with("peg-in-hole", &settings).unwrap(), 1), 240);
        assert_none_after_the_first(choice, &observed);
        assert!(observed.most_candidates > 1000, "{choice}: the scene has become too easy");
    }
}

#[test]
fn an_interaction_network_takes_no_memory_either() {
    for options in [InteractionOptions::PAPER, InteractionOptions::PUBLISHED] {
        let settings = support::interaction("memory", "peg-in-hole", ["peg", "hole"], options);
        let observed = observe(Simulation::new(Scene::find_with("peg-in-hole", &settings).unwrap(), 1), 240);
        assert_none_after_the_first("interaction", &observed);
        assert!(observed.most_candidates > 100, "the scene has become too easy");
    }
}

#[test]
fn a_batch_steps_without_allocation() {
    let mut batch = Batch::new(Scene::find("peg-in-hole").unwrap(), 3, 1).unwrap();
    batch.step();
    let before = ALLOCATIONS.get();
    (0..60).for_each(|_| batch.step());
    assert_eq!(ALLOCATIONS.get() - before, 0);
    assert!(batch.certificate(2).unwrap().candidates > 0, "nothing came near");
}

#[test]
fn strategies_decide_without_allocation() {
    let pegs = ["peg-spiral", "peg-tilt", "peg-chamfer"].map(|name| (name, 700));
    let nuts = ["bolt-back-turn", "bolt-tighten"].map(|name| (name, 900));
    for (name, steps) in pegs.into_iter().chain(nuts) {
        let observed = observe(Simulation::new(Scene::find(name).unwrap(), 1), steps);
        assert_none_after_the_first(name, &observed);
        assert!(observed.most_candidates > 100, "{name}: nothing was met");
    }
}
