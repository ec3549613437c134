//! Which branch of an OR is the contact: corners over convex edges, and edges that cross near their ends.
//!
//! A corner is free in front of any of the faces that meet at a convex edge; two edges are free beyond the ends of
//! either. One of these branches is the contact of the step, another may take its place once the motion is known.
//!
//! ```text
//! s = d + T n·v                        distance expected at the end of the step
//! s ≥ 0.1 µm                           free there; the largest s is taken
//! d ≥ 0,  s < 0.1 µm                   crossed at the share d/(d − s) of the step; the last one crossed is met
//! d < 0                                the least depth
//! ```
//!
//! d distance to the branch [m], n its normal, v velocity of the point against the other body expected at the end of
//! the step [m/s]. A branch need not be a possible contact: a face whose plane an edge of the corner dips into is met
//! by that edge, and beyond the end of an edge something else is met. Where such a branch lets the point pass, the row
//! is open.

use arrayvec::ArrayVec;
use nalgebra::Vector3;
use tightfit_shape::Sample;
use tightfit_shape::polyhedron::MOST_BRANCHES;

use super::contact_writer::Other;

/// Distance by which a branch must be passed [m]. Corners of flush faces lie on each other's edges to rounding, and
/// still carry.
pub(super) const PASSED: f64 = 0.1e-6;

/// One branch.
#[derive(Clone, Copy, Debug)]
pub(super) struct Branch {
    pub(super) face: Sample,
    /// Whether it can be a contact.
    pub(super) is_row: bool,
}

/// The branches of one contact.
pub(super) type Branches = ArrayVec<Branch, MOST_BRANCHES>;

/// The branch that is met and the one that may take its place; `None` where the contact is passed throughout the step.
pub(super) fn choose(
    branches: &Branches,
    velocity: Vector3<f64>,
    horizon: f64,
) -> Option<(Sample, Option<Other>)> {
    let expected = |face: &Sample| face.distance + horizon * face.normal.dot(&velocity);
    let mut row: Option<([f64; 2], Sample)> = None;
    let mut second: Option<([f64; 2], Sample)> = None;
    let mut open: Option<(f64, Sample)> = None;
    let mut outside = f64::NEG_INFINITY;
    for Branch { face, is_row } in branches {
        let (d, s) = (face.distance, expected(face));
        if *is_row || d >= PASSED {
            outside = outside.max(d);
        }
        if !is_row {
            if d >= PASSED && s >= PASSED {
                return None;
            }
            if open.is_none_or(|(largest, _)| d.max(s) > largest) {
                open = Some((d.max(s), *face));
            }
            continue;
        }
        let own = rank(d, s);
        if row.is_none_or(|(best, _)| own > best) {
            second = row;
            row = Some((own, *face));
        } else if second.is_none_or(|(best, _)| own > best) {
            second = Some((own, *face));
        }
    }
    let (_, face) = row?;
    let raised = |face: Sample| Sample { distance: face.distance.max(outside.min(0.0)), ..face };
    let second = second.map(|([_, _], face)| (face.distance.max(expected(&face)), Other::Face(raised(face))));
    let open = open.map(|(largest, face)| (largest, Other::Open(face)));
    let other = match (second, open) {
        (Some(face), Some(open)) => Some(if face.0 > open.0 { face.1 } else { open.1 }),
        (face, open) => face.or(open).map(|(_, other)| other),
    };
    Some((raised(face), other))
}

/// Order of branches: the greatest is met.
fn rank(d: f64, s: f64) -> [f64; 2] {
    if s >= PASSED {
        [2.0, s]
    } else if d >= 0.0 {
        [1.0, if s < d { d / (d - s) } else { 1.0 }]
    } else {
        [0.0, d]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn branch(distance: f64, normal: Vector3<f64>, is_row: bool) -> Branch {
        Branch { face: Sample { distance, normal }, is_row }
    }

    fn chosen(branches: &[Branch], velocity: Vector3<f64>) -> Option<(Sample, Option<Other>)> {
        choose(&branches.iter().copied().collect(), velocity, 0.01)
    }

    #[test]
    fn of_two_faces_the_one_that_is_crossed_last_is_met() {
        let faces = [branch(1e-3, Vector3::x(), true), branch(2e-4, Vector3::z(), true)];
        let falls_in = |x: f64, z: f64| chosen(&faces, Vector3::new(x, 0.0, z)).expect("a contact").0.normal;
        // x is crossed after 2 ms, z after 4 ms
        assert_eq!(falls_in(-0.5, -0.05), Vector3::z());
        // x is crossed after 8 ms
        assert_eq!(falls_in(-0.125, -0.05), Vector3::x());
        // x is not crossed at all
        assert_eq!(falls_in(0.0, -0.05), Vector3::x());
    }

    #[test]
    fn a_corner_at_rest_on_the_edge_of_a_face_is_carried_by_the_face() {
        for beside in [-1e-9, 0.0, 1e-9] {
            let faces = [branch(-2e-8, Vector3::z(), true), branch(beside, Vector3::x(), false)];
            let (face, other) = chosen(&faces, Vector3::new(1e-9, 0.0, -0.1)).expect("a contact");
            assert_eq!(face.normal, Vector3::z());
            assert!(matches!(other, Some(Other::Open(_))));
        }
        let faces = [branch(-2e-8, Vector3::z(), true), branch(1e-6, Vector3::x(), false)];
        assert!(chosen(&faces, Vector3::zeros()).is_none(), "beside the face there is nothing to carry it");
    }

    #[test]
    fn a_corner_in_front_of_any_face_is_not_deep() {
        let faces = [branch(-5e-6, Vector3::z(), true), branch(3e-6, Vector3::x(), true)];
        for velocity in [Vector3::zeros(), Vector3::new(-0.1, 0.0, 0.1)] {
            assert!(chosen(&faces, velocity).expect("a contact").0.distance >= 0.0);
        }
    }
}
