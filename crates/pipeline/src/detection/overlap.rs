//! Where two parts can meet within a time, as a box.
//!
//! ```text
//! boxes around both parts, grown by what they move                         their common box, in world axes
//! cylinders about parallel axes, at distance a, of radii r, s:  a lens     along the axes' distance   a − s … r
//!                                                                          across                     ± √(r² − x²),  x = (a² + r² − s²) / 2a
//! ```
//!
//! The velocity of one part against the other is an affine function of the place: nowhere in a box is it larger than at a
//! corner. Gears that roll on each other hardly slide where they meet, however fast their far sides move.

use nalgebra::Vector3;
use tightfit_shape::mesh::Aabb;
use tightfit_shape::polyhedron::Face;

use super::PairBody;

/// Cosine of the largest angle between axes that count as parallel [-].
const PARALLEL: f64 = 0.999_999;
/// Most faces of a polyhedron that are looked at one by one.
const MOST_FACES: usize = 16;

/// A box in world axes or along the axes of the parts.
struct Region {
    centre: Vector3<f64>,
    /// Half of each edge [m].
    halves: [Vector3<f64>; 3],
}

impl Region {
    fn corners(&self) -> impl Iterator<Item = Vector3<f64>> + '_ {
        (0..8).map(|corner| {
            let sign = |k: usize| if corner >> k & 1 == 0 { -1.0 } else { 1.0 };
            (0..3).fold(self.centre, |place, k| place + self.halves[k] * sign(k))
        })
    }
}

/// What a pair moves where it can meet within a time.
pub(super) struct Moved {
    /// Longest way of one part against the other [m].
    pub way: f64,
    /// By how much a gap closes, at most [m].
    pub closed: f64,
}

/// What a pair moves within a time where it can meet; less than `least` [m] matters to nobody.
pub(super) fn moved_within(sides: [&PairBody; 2], time: f64, least: f64) -> Moved {
    let nothing = Moved { way: 0.0, closed: 0.0 };
    let at = |place: Vector3<f64>| (sides[0].velocity_at(place) - sides[1].velocity_at(place)) * time;
    let longest = |region: &Region| region.corners().map(|place| at(place).norm()).fold(0.0, f64::max);
    let Some(boxed) = common_box(sides, time) else { return nothing };
    let Some(lens) = common_lens(sides, time) else { return nothing };
    let way = lens.as_ref().map_or(f64::INFINITY, &longest).min(longest(&boxed));
    if way <= least {
        return Moved { way, closed: way };
    }
    // one plane face there: what slides along it closes no gap
    let sinks = |place: usize| {
        let normal = only_normal(sides[place], &boxed, way)?;
        let side = if place == 0 { 1.0 } else { -1.0 };
        Some(boxed.corners().map(|corner| side * normal.dot(&at(corner))).fold(0.0, f64::max))
    };
    let closed = [0, 1].into_iter().filter_map(sinks).fold(way, f64::min);
    Moved { way, closed }
}

/// Box around a part in world axes [m].
fn world_box(side: &PairBody) -> Option<Aabb> {
    let own = side.part.aabb()?;
    let (centre, half) = (own.center(), (own.max - own.min) / 2.0);
    let turn = side.world_from_part.rotation.to_rotation_matrix();
    let reach = turn.matrix().abs() * half;
    let centre = side.world_from_part.transform_point(centre);
    Some(Aabb { min: centre - reach, max: centre + reach })
}

/// What both boxes share while they move; `None` where that is nothing. A part without a box is everywhere.
fn common_box(sides: [&PairBody; 2], time: f64) -> Option<Region> {
    let everywhere = Vector3::repeat(f64::INFINITY);
    let mut common = Aabb { min: -everywhere, max: everywhere };
    for side in sides {
        let Some(own) = world_box(side) else { continue };
        let half = 0.5 * own.diagonal();
        let moved = (side.velocity_at(own.center()).norm() + side.angular.norm() * half) * time;
        let own = own.grown(moved + side.part.node_offset().abs());
        common = Aabb { min: common.min.sup(&own.min), max: common.max.inf(&own.max) };
    }
    let edges = common.max - common.min;
    if edges.min() < 0.0 {
        return None;
    }
    let halves = [Vector3::x(), Vector3::y(), Vector3::z()];
    Some(Region { centre: common.center(), halves: [0, 1, 2].map(|k| halves[k] * (edges[k] / 2.0)) })
}

/// What the cylinders around both parts share; nothing known where their axes are not parallel or one is inside the other, `None`
/// where they do not meet.
#[allow(clippy::option_option, reason = "apart, unknown or known")]
fn common_lens(sides: [&PairBody; 2], time: f64) -> Option<Option<Region>> {
    let axes = sides.map(|side| side.world_from_part.rotation * Vector3::z());
    let barrels = sides.map(|side| side.part.barrel());
    let is_bounded = |k: usize| barrels[k].radius.is_finite() && barrels[k].heights[0].is_finite();
    if axes[0].dot(&axes[1]).abs() < PARALLEL || !is_bounded(0) || !is_bounded(1) {
        return Some(None);
    }
    let axis = axes[0];
    let origins = [0, 1].map(|k: usize| {
        let [x, y] = barrels[k].centre;
        sides[k].world_from_part.transform_point(Vector3::new(x, y, 0.0))
    });
    // spin about its axis keeps a part in its cylinder
    let cylinder = |k: usize| {
        let long = barrels[k].heights.iter().fold(barrels[k].radius, |a, height| a.max(height.abs()));
        let tilt = sides[k].angular.cross(&axes[k]).norm();
        let lean = axes[0].cross(&axes[1]).norm() * long;
        let moved = (sides[k].velocity_at(origins[k]).norm() + 2.0 * tilt * long) * time + lean;
        let moved = moved + sides[k].part.node_offset().abs();
        let up = axis.dot(&axes[k]).signum();
        let from = axis.dot(&(origins[k] - origins[0]));
        let [a, b] = barrels[k].heights.map(|height| from + up * height);
        (barrels[k].radius + moved, [a.min(b) - moved, a.max(b) + moved])
    };
    let [(r, own), (s, other)] = [0, 1].map(cylinder);
    let (low, high) = (own[0].max(other[0]), own[1].min(other[1]));
    let between = origins[1] - origins[0];
    let across = between - axis * between.dot(&axis);
    let a = across.norm();
    if low > high || a > r + s {
        return None;
    }
    if a <= (r - s).abs() {
        return Some(None);
    }
    let u = across / a;
    let x = (a * a + r * r - s * s) / (2.0 * a);
    // the lens is widest at its corners, or at a centre that lies in it
    let wide = if x < 0.0 || x > a { r.min(s) } else { (r * r - x * x).max(0.0).sqrt() };
    let (near, far) = ((a - s).max(-r), r.min(a + s));
    let centre = origins[0] + u * f64::midpoint(near, far) + axis * f64::midpoint(low, high);
    let halves = [u * (0.5 * (far - near)), axis.cross(&u) * wide, axis * (0.5 * (high - low))];
    Some(Some(Region { centre, halves }))
}

/// Outward normal of a polyhedron's only face near a region, in world axes.
fn only_normal(side: &PairBody, region: &Region, reach: f64) -> Option<Vector3<f64>> {
    let polyhedron = side.polyhedron.filter(|solid| solid.faces.len() <= MOST_FACES)?;
    let part_from_world = side.world_from_part.inverse();
    let near = Aabb::of(region.corners().map(|corner| part_from_world.transform_point(corner))).grown(reach);
    let is_near = |face: &&Face| {
        let edges = face.edges().iter().map(|edge| &polyhedron.edges[*edge as usize]);
        // the face of a half-space has no edges
        face.edges().is_empty() || Aabb::of(edges.flat_map(|edge| edge.ends)).overlaps(&near)
    };
    let mut faces = polyhedron.faces.iter().filter(is_near);
    let only = faces.next().filter(|_| faces.next().is_none())?;
    Some(side.world_from_part.rotation * only.normal)
}

#[cfg(test)]
mod tests {
    use tightfit_shape::Part;
    use tightfit_shape::mesh::{MeshOptions, MeshPart};
    use tightfit_shape::primitive::Block;
    use tightfit_spatial::{Columns3, Pose, SplitMix};

    use super::super::NodeBlocks;
    use super::*;

    const TIME: f64 = 0.015;

    fn body<'a>(part: &'a Part, nodes: &'a NodeBlocks, at: Vector3<f64>) -> PairBody<'a> {
        PairBody::at_rest(part, nodes, Pose::new(at, nalgebra::UnitQuaternion::identity()), 0)
    }

    /// A wheel as the mesh of a file whose origin is beside its axis.
    fn beside_its_origin(radius: f64, origin: Vector3<f64>) -> Part {
        let mut mesh = Part::cylinder(radius, 10e-3).unwrap().mesh(&MeshOptions::default()).unwrap();
        mesh.vertices.iter_mut().for_each(|vertex| *vertex -= origin);
        Part::Mesh(MeshPart::new(mesh).unwrap())
    }

    /// Wheels that roll on each other: where both are, one moves by no more than the bound against the other, which is a fraction of
    /// what their far sides move; wherever the files have their origins.
    #[test]
    fn wheels_that_roll_on_each_other_hardly_move_where_they_meet() {
        wheels_that_roll(
            [21e-3, 11e-3].map(|radius| Part::cylinder(radius, 10e-3).unwrap()),
            [Vector3::zeros(); 2],
        );
        let origins = [Vector3::new(20e-3, -7e-3, 0.0), Vector3::new(-50e-3, 0.0, 4e-3)];
        wheels_that_roll(
            [beside_its_origin(21e-3, origins[0]), beside_its_origin(11e-3, origins[1])],
            origins,
        );
    }

    fn wheels_that_roll(parts: [Part; 2], origins: [Vector3<f64>; 2]) {
        let nodes = NodeBlocks::new(Columns3::default());
        let mut random = SplitMix(3);
        for trial in 0..50 {
            let [turn, off] = [(); 2].map(|()| random.centered_cube());
            let place = Vector3::new(30.5e-3 * turn.z.signum(), 0.0, 2e-3 * off.z);
            let centres = [Vector3::zeros(), place];
            let at = |k: usize| PairBody {
                center: centres[k],
                ..body(&parts[k], &nodes, centres[k] + origins[k])
            };
            let mut sides = [at(0), at(1)];
            let spin = 4.0 * turn.z;
            sides[0].angular = Vector3::new(0.01 * off.x, 0.01 * off.y, spin);
            sides[1].angular = Vector3::new(0.01 * off.y, 0.0, -21.0 / 11.0 * spin);
            sides[1].linear = off * 1e-3;
            let sides = [&sides[0], &sides[1]];
            let moved = moved_within(sides, TIME, 0.0);
            let mut most: f64 = 0.0;
            for _ in 0..2000 {
                let point = place + random.centered_cube().component_mul(&Vector3::new(22e-3, 22e-3, 10e-3));
                let is_in = |radius: f64, at: Vector3<f64>| (point - at).xy().norm() < radius;
                if is_in(21e-3, Vector3::zeros()) && is_in(11e-3, place) {
                    let against = sides[0].velocity_at(point) - sides[1].velocity_at(point);
                    most = most.max(against.norm() * TIME);
                }
            }
            assert!(most <= moved.way && moved.closed <= moved.way, "trial {trial}: {most} of {}", moved.way);
            let far = (sides[0].angular - sides[1].angular).norm() * 21e-3 * TIME;
            assert!(moved.way < 0.4 * far + 0.1e-3, "trial {trial}: {} of {far}", moved.way);
        }
    }

    /// A block that slides and spins on a table closes no gap; one that is apart cannot meet it.
    #[test]
    fn what_slides_on_a_plane_closes_no_gap() {
        let parts = [30e-3, 200e-3].map(|size| Part::Block(Block::new(Vector3::repeat(size)).unwrap()));
        let solids = parts.each_ref().map(|part| part.polyhedron().unwrap());
        let nodes = NodeBlocks::new(Columns3::default());
        let mut sides =
            [body(&parts[0], &nodes, Vector3::z() * 0.115), body(&parts[1], &nodes, Vector3::zeros())];
        for (side, solid) in sides.iter_mut().zip(&solids) {
            side.polyhedron = Some(solid);
        }
        sides[0].linear = Vector3::new(0.3, 0.1, 0.0);
        sides[0].angular = Vector3::z() * 2.0;
        let moved = moved_within([&sides[0], &sides[1]], TIME, 0.0);
        assert!(moved.way > 4e-3 && moved.closed < 1e-12, "{} {}", moved.way, moved.closed);
        sides[0].linear.z = -0.02;
        let moved = moved_within([&sides[0], &sides[1]], TIME, 0.0);
        assert!((moved.closed - 0.3e-3).abs() < 1e-9, "{}", moved.closed);
        sides[0].world_from_part.translation.z += 20e-3;
        assert_eq!(moved_within([&sides[0], &sides[1]], TIME, 0.0).way, 0.0);
    }
}
