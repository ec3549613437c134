//! The clearance that the parts of a task state by their dimensions.

use tightfit_shape::Part;
use tightfit_shape::profile::{Section, SectionedSolid};

use crate::{BodyId, Simulation, Task};

/// Smallest gap between the mating surfaces of a task's parts when they are centred [m]: half the difference of the
/// diameters of hole and peg, the gap between the flanks of nut and bolt. `None` where the dimensions do not state one
/// (meshes, parts of different sections) or the parts interfere.
pub(super) fn of_task(run: &Simulation) -> Option<f64> {
    let part = |body: BodyId| &run.parameters.bodies[body].part;
    let moving = part(run.scene.led_body());
    let clearance = match (run.scene.task?, moving) {
        (Task::Insert { into, .. }, Part::Sectioned(peg)) => match part(into) {
            Part::Sectioned(hole) => sectioned(hole, peg)?,
            _ => return None,
        },
        (Task::Thread { onto, .. }, Part::Nut(nut)) => match part(onto) {
            Part::Bolt(bolt) => {
                let (nut, bolt) = (nut.thread(), bolt.thread());
                let radius = bolt.pitch_radius();
                // across the flank, which slopes against the axis
                let slope = bolt.flank_slope();
                let axial = nut.half_width_at(radius) - bolt.half_width_at(radius);
                axial * slope.abs() / libm::hypot(slope, 1.0)
            }
            _ => return None,
        },
        _ => return None,
    };
    (clearance > 0.0).then_some(clearance)
}

/// Bore of a hole less the outside of a peg [m], flats against flats.
fn sectioned(hole: &SectionedSolid, peg: &SectionedSolid) -> Option<f64> {
    let sides = |solid: &SectionedSolid| match solid.section {
        Section::Round => 0,
        Section::Polygon { sides } | Section::RoundedPolygon { sides, .. } => sides,
    };
    if sides(hole) != sides(peg) {
        return None;
    }
    let walls = |solid: &SectionedSolid, is_bore: bool| {
        let upright = solid.outline.edges().filter(|(_, [start, end])| start[0] == end[0] && start[0] > 0.0);
        let facing = upright.filter(|&(index, _)| (solid.outline.edge_normal(index)[0] < 0.0) == is_bore);
        facing.map(|(_, [start, _])| start[0]).collect::<Vec<f64>>()
    };
    let bore = walls(hole, true).into_iter().reduce(f64::min)?;
    let outside = walls(peg, false).into_iter().reduce(f64::max)?;
    Some(bore - outside)
}
