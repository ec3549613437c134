//! Another clearance for a task: the outside of its peg moves inwards or outwards.

use tightfit_shape::Part;
use tightfit_shape::profile::{Outline, SectionedSolid};
use tightfit_simulation::{Scene, Simulation, Task};

/// Whether the clearance of the task can be set. Threads and meshes get theirs from the scene file.
pub(crate) fn is_adjustable(simulation: &Simulation) -> bool {
    let moving = &simulation.parameters.bodies[simulation.scene.led_body()].part;
    matches!((simulation.scene.task, moving), (Some(Task::Insert { .. }), Part::Sectioned(_)))
        && simulation.task_clearance().is_some()
}

/// Sets the gap between the centred parts of the task [m]; `false` where it cannot be set.
pub(crate) fn set(simulation: &Simulation, scene: &mut Scene, gap: f64) -> bool {
    let (true, Some(present)) = (is_adjustable(simulation), simulation.task_clearance()) else {
        return false;
    };
    let body = scene.led_body();
    let changed = with_offset(&simulation.parameters.bodies[body].part, present - gap);
    let Some(part) = changed else { return false };
    // exact distance in place of networks and features of the part as it was
    scene.bodies[body].polyhedron = None;
    scene.bodies[body].network = None;
    scene.bodies[body].mesh = None;
    scene.bodies[body].part = part;
    true
}

/// A peg whose outside is moved outwards by `offset` [m].
fn with_offset(part: &Part, offset: f64) -> Option<Part> {
    let Part::Sectioned(solid) = part else { return None };
    let vertices: Vec<[f64; 2]> =
        solid.outline.vertices().iter().map(|&[r, z]| [if r > 0.0 { r + offset } else { r }, z]).collect();
    let is_sound = vertices.iter().all(|[r, _]| *r >= 0.0);
    is_sound.then(|| Part::Sectioned(SectionedSolid::new(solid.section, Outline::new(&vertices))))
}
