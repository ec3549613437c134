//! Whether two stretches of edges can cross, by their tangents and by the parabolas that follow them.
//!
//! ```text
//! p(u) = m + h u + c u²,   q(v) likewise, −1 ≤ u, v ≤ 1:   (p − q)·p′ = (p − q)·q′ = 0
//! ```
//!
//! A few steps of closest points of the tangents find u and v; what the edges leave their parabolas by moves these by that over
//! the sine of the angle between them.

use nalgebra::Vector3;

use crate::mesh::Aabb;

/// Steps towards the place where two parabolas are nearest, and the squared sine below which they count as parallel.
const ROUNDS: u32 = 3;
const PARALLEL: f64 = 1e-4;
/// Share of a gap by which it is off along the edges, since they turn [-].
const TURNED: f64 = 0.5;

/// A piece of a tangent, how far its edge leaves it, and the parabola that follows the edge: m + h u + c u², −1 ≤ u ≤ 1.
#[derive(Clone, Copy, Debug)]
pub struct Chord {
    /// m: where it touches the edge [m].
    pub middle: Vector3<f64>,
    /// h: from there to its end [m].
    pub half: Vector3<f64>,
    /// c: how far the parabola leaves it [m].
    pub bend: Vector3<f64>,
    /// How far the edge is from it at most [m].
    pub sag: f64,
    /// How far the edge is from the parabola at most [m].
    pub parting: f64,
}

impl Chord {
    /// Box around the edge.
    #[must_use]
    pub fn bounds(&self) -> Aabb {
        let reach = self.half.abs().add_scalar(self.sag);
        Aabb { min: self.middle - reach, max: self.middle + reach }
    }

    /// Whether the edges of two chords may cross within `gap` [m].
    #[must_use]
    #[inline(always)]
    pub fn may_cross(&self, other: &Self, gap: f64) -> bool {
        let (a, b) = (&self.half, &other.half);
        let across = a.cross(b);
        let area = across.norm();
        let sag = self.sag + other.sag;
        let from = other.middle - self.middle;
        // where the edges are nearest they have turned, and with them the direction of the gap
        let (gap, aside) = ((1.0 + TURNED) * gap, TURNED * gap);
        // edges that may be parallel somewhere are near one another where they cross
        if self.may_graze(other) {
            let is_near =
                |along: &Vector3<f64>| from.cross(along).norm() <= (gap + sag) * along.norm() + area;
            return is_near(a) && is_near(b);
        }
        if from.dot(&across).abs() > (gap + sag) * area {
            return false;
        }
        // edges that leave their tangents by the sag cross farther along them by the sag over the sine of the angle
        let squared = area * area;
        let slack = (sag + aside) * area;
        from.cross(b).dot(&across).abs() <= squared + slack * b.norm()
            && from.cross(a).dot(&across).abs() <= squared + slack * a.norm()
    }

    /// Whether the edges of two chords may cross within `gap` [m], by their parabolas; `out` points out of the second edge and into
    /// the first. Edges that are almost parallel may.
    #[must_use]
    pub fn may_touch(&self, other: &Self, gap: f64, out: impl Fn() -> Vector3<f64>) -> bool {
        // edges that bend by more than their angle may cross twice: the ends lead to what the middle does not
        let starts: &[f64] = if self.may_graze(other) { &[0.0, -1.0, 1.0] } else { &[0.0] };
        starts.iter().any(|start| {
            let Some(Meeting { places, slack, across, between }) = self.meeting(other, *start) else {
                return true;
            };
            if places.iter().any(|place| place.abs() > 1.0 + slack) {
                return false;
            }
            let parting = self.parting + other.parting + slack * slack * (self.sag + other.sag);
            let limit = (gap + parting) * across.norm();
            let height = between.dot(&across);
            height.abs() <= limit || height * out().dot(&across) <= 0.0
        })
    }

    /// Whether the edges may be parallel somewhere.
    fn may_graze(&self, other: &Self) -> bool {
        let (a, b) = (self.half.norm(), other.half.norm());
        self.half.cross(&other.half).norm() < 2.0 * (self.sag * b + other.sag * a)
    }

    fn meeting(&self, other: &Self, start: f64) -> Option<Meeting> {
        let [mut u, mut v] = [start, 0.0];
        let mut step = 0.0;
        for _ in 0..ROUNDS {
            let (a, b) = (self.half + self.bend * (2.0 * u), other.half + other.bend * (2.0 * v));
            let from = self.parabola(u) - other.parabola(v);
            let (aa, bb, ab) = (a.norm_squared(), b.norm_squared(), a.dot(&b));
            let area = aa * bb - ab * ab;
            if area < PARALLEL * aa * bb {
                return None;
            }
            let (fa, fb) = (from.dot(&a), from.dot(&b));
            let [next_u, next_v] = [u + (ab * fb - bb * fa) / area, v + (aa * fb - ab * fa) / area];
            let [next_u, next_v] = [next_u, next_v].map(|place| place.clamp(-3.0, 3.0));
            step = (next_u - u).abs().max((next_v - v).abs());
            [u, v] = [next_u, next_v];
        }
        let (a, b) = (self.half + self.bend * (2.0 * u), other.half + other.bend * (2.0 * v));
        let across = a.cross(&b);
        // what the edges leave their parabolas by moves the places by that over the sine of their angle
        let lengths = a.norm() * b.norm();
        let shift = (self.parting + other.parting) * lengths / (across.norm() * a.norm().min(b.norm()));
        let between = self.parabola(u) - other.parabola(v);
        Some(Meeting { places: [u, v], slack: step + shift, across, between })
    }

    fn parabola(&self, place: f64) -> Vector3<f64> {
        self.middle + (self.half + self.bend * place) * place
    }
}

/// Where two parabolas are nearest.
struct Meeting {
    /// The places, from −1 to 1 between their ends.
    places: [f64; 2],
    /// How far those may still be off.
    slack: f64,
    /// Across both, not of unit length [m²].
    across: Vector3<f64>,
    /// From the second to the first [m].
    between: Vector3<f64>,
}
