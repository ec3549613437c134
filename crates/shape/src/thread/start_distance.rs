//! The distance near a thread start, where ridges end.
//!
//! Away from the starts the distance of the endless thread is correct. Where an end plane or a cone has cut away its
//! foot, the body is split into locally convex pieces, and the nearest piece gives the distance:
//!
//! ```text
//! bolt   core {r < r_root},      ridges  {r < r_crest} ∩ {above the lower flank} ∩ {below the upper flank}
//! nut    sleeve {r > r_crest},   ridges  {r > r_root}  ∩ {above one groove's upper flank} ∩ {below the next groove}
//! ```
//!
//! each intersected with the cuts by [`intersection`], which is exact to second order at edges and corners.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use crate::angle::angle_of;

use super::ThreadProfile;
use super::radial_surface::{AboutAxis, Side};
use crate::intersection::intersection;
use crate::{Branches, Sample};

/// A foot at most this far outside counts as on the body [m]: the foot itself has a second-order error.
const ON_BODY: f64 = 1e-9;

/// Upper bound of |∇F| of a flank F = ±s + r tan α − const over all supported threads: a flank within reach has F of at
/// most this many times the reach.
pub(super) const STEEPEST: f64 = 1.2;

/// Field of a thread between cuts (end planes, cones, hexagon), all of which bound the material.
pub(crate) fn cut_thread(
    profile: &ThreadProfile,
    side: Side,
    point: Vector3<f64>,
    cuts: impl Fn(Vector3<f64>) -> ArrayVec<Sample, 4>,
) -> Sample {
    let thread = |at: Vector3<f64>| match side {
        Side::External => profile.sample(at),
        Side::Internal => profile.sample(at).complement(),
    };
    let own_cuts = cuts(point);
    let deepest =
        own_cuts.iter().copied().fold(thread(point), |a, b| if b.distance > a.distance { b } else { a });
    if deepest.distance <= 0.0 {
        return deepest;
    }
    let foot = point - deepest.normal * deepest.distance;
    let is_on_body = thread(foot).distance <= ON_BODY && cuts(foot).iter().all(|cut| cut.distance <= ON_BODY);
    if is_on_body {
        return deepest;
    }
    let nearest = pieces(profile, side, point, &own_cuts);
    if nearest.distance < deepest.distance { deepest } else { nearest }
}

/// The nearest of core (or sleeve) and the three ridges around the point, each within the cuts.
fn pieces(profile: &ThreadProfile, side: Side, point: Vector3<f64>, cuts: &[Sample]) -> Sample {
    let AboutAxis { radius, outward, .. } = AboutAxis::of(point);
    let wall = |limit: f64| {
        let inside = Sample { distance: radius - limit, normal: outward };
        if side == Side::External { inside } else { inside.complement() }
    };
    let (body, tip) = match side {
        Side::External => (profile.root_radius(), profile.crest_radius()),
        Side::Internal => (profile.crest_radius(), profile.root_radius()),
    };
    let within_cuts = |faces: &[Sample]| {
        let mut bodies: ArrayVec<Sample, 7> = cuts.iter().copied().collect();
        bodies.extend(faces.iter().copied());
        intersection(&bodies)
    };
    let middle = profile.ridges_up_to(angle_of(point.x, point.y), point.z).round() as i64;
    let ridge = |index: i64| match side {
        Side::External => [1.0, -1.0].map(|flank| profile.sample_flank(point, index, flank)),
        // between this groove and the next one up
        Side::Internal => {
            let above = profile.sample_flank(point, index, 1.0).complement();
            [above, profile.sample_flank(point, index + 1, -1.0).complement()]
        }
    };
    (middle - 1..=middle + 1).fold(within_cuts(&[wall(body)]), |nearest, index| {
        let [upper, lower] = ridge(index);
        nearest.union(within_cuts(&[wall(tip), upper, lower]))
    })
}

/// Visits the locally convex pieces of material within `reach` [m] of the point: core (or sleeve) and the two nearest
/// ridges, each with the cuts. Of the core and the nearest ridge, the nearer comes first.
pub(crate) fn each_cut_piece(
    profile: &ThreadProfile,
    side: Side,
    at: &AboutAxis,
    reach: f64,
    cuts: &[Sample],
    mut visit: impl FnMut(u32, &Branches),
) {
    // every piece lies behind every cut: far from one cut is far from all pieces
    if cuts.iter().any(|cut| cut.distance > reach) {
        return;
    }
    let AboutAxis { point, radius, outward } = *at;
    let into_material = |sample: Sample| if side == Side::External { sample } else { sample.complement() };
    let wall = |limit: f64| into_material(Sample { distance: radius - limit, normal: outward });
    let (body, tip) = match side {
        Side::External => (wall(profile.root_radius()), wall(profile.crest_radius())),
        Side::Internal => (wall(profile.crest_radius()), wall(profile.root_radius())),
    };
    if tip.distance > reach {
        return;
    }
    let s = profile.phase(angle_of(point.x, point.y), point.z);
    let toward = if s < 0.0 { -1.0 } else { 1.0 };
    let half_width = profile.half_width_at(radius);
    let beyond = s.abs() - half_width;
    let from_near = if side == Side::External { beyond } else { -beyond };
    let is_near = from_near <= STEEPEST * reach;
    let from_across = match side {
        Side::External => profile.pitch() - s.abs() - half_width,
        Side::Internal => half_width + s.abs(),
    };
    let is_across = from_across <= STEEPEST * reach;
    if !is_near && !is_across && body.distance > reach {
        return;
    }
    let near = into_material(profile.flank_at_radius(point, radius, s, toward));
    let mut branches = Branches::new();
    let mut offer = |number: u32, faces: &[Sample]| {
        if faces.iter().all(|face| face.distance <= reach) {
            branches.clear();
            branches.extend(faces.iter().chain(cuts).copied());
            visit(number, &branches);
        }
    };
    if body.distance < near.distance.max(tip.distance) {
        offer(0, &[body]);
        offer(1, &[near, tip]);
    } else {
        offer(1, &[near, tip]);
        offer(0, &[body]);
    }
    if !is_across {
        return;
    }
    // the flank across the groove: on a bolt that of the next ridge, on a nut the other flank of the same groove
    let across = match side {
        Side::External => profile.flank_at_radius(point, radius, s - toward * profile.pitch(), -toward),
        Side::Internal => profile.flank_at_radius(point, radius, s, -toward),
    };
    offer(2, &[into_material(across), tip]);
}
