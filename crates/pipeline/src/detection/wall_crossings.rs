//! Where convex walls of revolution, cylinders and cones, touch between the nodes and edges of two parts: a shaft across a rail, one roller
//! on another, a rounded corner on a pin.
//!
//! ```text
//! n·a = −s₁,  n·b = s₂,  |n| = 1       n out of the second wall, where −n is a normal of the first one: two solutions
//! n = α a + β b ± γ a × b
//! p + x t₁ = q + y t₂ + φ n             the straight lines of both walls with these normals cross, seen along n
//! ```
//!
//! a, b axes, s₁, s₂ axial components of the normals [-], p, q points and t₁, t₂ directions of the lines, φ gap [m]. No node moves
//! this place, so that a roller on rails is neither braked nor lifted, whatever the step. As past other round faces (`turned.rs`)
//! the gap is raised until the expected motion ends with the gap that it will have. Walls whose lines are parallel touch along
//! them, from edge to edge, and edges have nodes.

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_shape::{Part, RoundWall};

use super::contact_writer::ContactWriter;
use super::crossing_query::CrossingQuery;
use super::thread_crossings::is_thread_beside;
use super::{DetectionOptions, PairBody};
use crate::records::Contacts;

/// Sine of the angle between lines or axes that count as parallel [-].
const PARALLEL: f64 = 1e-6;
/// Depth from which a place has to be inside the other part [m], and by which share of its depth at least [-].
const DEEP: f64 = 10e-6;
const AS_DEEP: f64 = 0.5;

/// Number of identities that the walls of a pair take; zero where others find their contacts in every pose.
pub(super) fn wall_crossing_ids(sides: [&PairBody; 2]) -> u32 {
    if !has_crossings(sides) && !sides.iter().any(|side| side.part.is_threaded()) {
        return 0;
    }
    let [first, second] = sides.map(|side| side.nodes.walls().len() as u32);
    2_u32.wrapping_mul(first.wrapping_mul(second))
}

/// Whether nodes of both parts slide, both are solids of revolution, or one is a thread that does not engage the other.
fn has_crossings(sides: [&PairBody; 2]) -> bool {
    let is_exact = |side: &PairBody| matches!(side.part, Part::Cad(_)) || side.part.has_round_corners();
    sides.iter().all(|side| side.network.is_none() && !side.nodes.walls().is_empty())
        && (sides.iter().any(|side| is_exact(side))
            || sides.iter().all(|side| side.part.is_turned())
            || is_thread_beside(sides))
}

/// Whether both parts are convex solids of revolution.
pub(super) fn are_convex_and_turned(sides: [&PairBody; 2]) -> bool {
    sides.iter().all(|side| side.part.turned().is_some())
}

/// Appends the contacts between the walls of two parts, whose identities begin at `first`.
pub(super) fn detect(sides: [&PairBody; 2], options: &DetectionOptions, first: u32, contacts: &mut Contacts) {
    let [of, against] = sides;
    if !has_crossings(sides) || !(of.is_free() || against.is_free()) {
        return;
    }
    let reach = options.margin.max(0.0);
    let query = CrossingQuery::new(of, against, options);
    let around = against.part.aabb().map(|bounds| bounds.grown(reach));
    let from_world = against.world_from_part.inverse();
    let mut writer = ContactWriter::new(of, against, contacts);
    for (number, wall) in of.nodes.walls().iter().enumerate() {
        let bounds = query.moved(&wall.bounds).grown(reach);
        let own_now = Moved::now(wall, of);
        if !around.is_some_and(|around| around.overlaps(&bounds)) {
            continue;
        }
        for (other_number, other) in against.nodes.walls().iter().enumerate() {
            if !other.bounds.overlaps(&bounds) {
                continue;
            }
            let pair = first.wrapping_add(2 * (number * against.nodes.walls().len() + other_number) as u32);
            let now = [own_now, Moved::now(other, against)];
            for side in [0, 1] {
                let Some(place) = Place::of(&now, side).filter(|place| place.gap < options.margin) else {
                    continue;
                };
                let point = from_world.transform_point(place.point);
                let is_inside =
                    || place.gap > -DEEP || against.part.sample(point).distance < AS_DEEP * place.gap;
                let own = of.world_from_part.inverse().transform_point(place.point);
                let facing = from_world.transform_point(place.point - place.normal * place.gap);
                if wall.holds(of.part, own) && other.holds(against.part, facing) && is_inside() {
                    let gap = raised(&place, sides, [wall, other], options.horizon, side);
                    let id = pair.wrapping_add(side as u32).wrapping_mul(Part::MOST_PIECES);
                    writer.push(point, from_world.rotation * place.normal, gap, id);
                }
            }
        }
    }
    writer.finish(options);
}

/// Gap that the tangent takes to the one at the end of the step [m]; a gap that is closed already stays.
fn raised(place: &Place, sides: [&PairBody; 2], walls: [&RoundWall; 2], horizon: f64, side: usize) -> f64 {
    let velocity = sides[0].velocity_at(place.point) - sides[1].velocity_at(place.point);
    let foretold = place.gap + place.normal.dot(&velocity) * horizon;
    if place.gap <= 0.0 || foretold >= 0.0 {
        return place.gap;
    }
    let later = [0, 1].map(|own| Moved::later(walls[own], sides[own], horizon));
    let at_end = Place::of(&later, side).map_or(foretold, |place| place.gap);
    place.gap + (at_end - foretold).max(0.0)
}

/// A wall in world axes.
#[derive(Clone, Copy)]
struct Moved<'a> {
    wall: &'a RoundWall,
    origin: Vector3<f64>,
    axis: Vector3<f64>,
}

impl<'a> Moved<'a> {
    fn now(wall: &'a RoundWall, body: &PairBody) -> Self {
        let origin = body.world_from_part.transform_point(wall.origin);
        Self { wall, origin, axis: body.world_from_part.rotation * wall.axis }
    }

    /// Where it is expected after a time [s].
    fn later(wall: &'a RoundWall, body: &PairBody, time: f64) -> Self {
        let Self { origin, axis, .. } = Self::now(wall, body);
        let turn = UnitQuaternion::from_scaled_axis(body.angular * time);
        let center = body.center + body.linear * time;
        Self { wall, origin: center + turn * (origin - body.center), axis: turn * axis }
    }

    /// Point at the origin's height and direction of the line whose outward normal is `normal`.
    fn line(&self, normal: Vector3<f64>) -> [Vector3<f64>; 2] {
        let out = (normal - self.axis * self.wall.normal[1]) / self.wall.normal[0];
        [self.origin + out * self.wall.radius, self.axis + out * self.wall.widens()]
    }
}

/// Where two walls of revolution, without their ends, are nearest or farthest.
struct Place {
    /// On the first wall [m].
    point: Vector3<f64>,
    /// Out of the second one.
    normal: Vector3<f64>,
    gap: f64,
}

impl Place {
    /// On one of both sides of the plane through the two axes' directions; none where lines are parallel.
    fn of(walls: &[Moved; 2], side: usize) -> Option<Self> {
        let [first, second] = walls;
        let (a, b) = (first.axis, second.axis);
        let (along, across) = (a.dot(&b), a.cross(&b));
        let squared = across.norm_squared();
        if squared < PARALLEL * PARALLEL {
            return None;
        }
        let [one, two] = [-first.wall.normal[1], second.wall.normal[1]];
        let in_plane = (a * (one - along * two) + b * (two - along * one)) / squared;
        let rest = 1.0 - in_plane.norm_squared();
        if rest <= 0.0 {
            return None;
        }
        let sign = if side == 0 { 1.0 } else { -1.0 };
        let normal = in_plane + across * (sign * (rest / squared).sqrt());
        let ([p, own], [q, other]) = (first.line(-normal), second.line(normal));
        let area = normal.dot(&own.cross(&other));
        if area.abs() < PARALLEL {
            return None;
        }
        let apart = p - q;
        let place = -apart.dot(&other.cross(&normal)) / area;
        let point = p + own * place;
        let facing = -apart.dot(&own.cross(&normal)) / area;
        // both on this side of the tips of cones, and the axes on the sides that the normal tells
        let is_real = first.wall.radius_at(place) > 0.0 && second.wall.radius_at(facing) > 0.0;
        let centres = first.origin + a * place - second.origin - b * facing;
        (is_real && centres.dot(&normal) > 0.0).then(|| Self { point, normal, gap: normal.dot(&apart) })
    }
}
