//! Whether a point of a surface lies inside a trimmed face.
//!
//! ```text
//! b nearest point of the boundary, t its direction, n outward normal:   inside ⇔ (q − b)·(n × t) > 0
//! ```
//!
//! A ball around q that reaches to b cuts a connected patch out of a plane, cylinder, cone, sphere or torus. The patch
//! holds no boundary, so that the side of b on which it lies decides for q. On other surfaces this is true only for
//! small balls; elsewhere the parameters decide (`solid/chart.rs`). Seams are no boundary.

use nalgebra::Vector3;

use crate::Solid;
use crate::solid::{EdgePoint, Face, leads_inside};

/// Closer to the boundary than this [m], a point is on it.
const ON_BOUNDARY: f64 = 1e-13;

impl Solid {
    /// Whether a point of an analytic surface lies in the face; `trim` lists the pieces of its boundary that can be
    /// nearest.
    #[inline]
    pub(crate) fn is_inside(&self, face: &Face, q: Vector3<f64>, trim: &[(u32, bool)]) -> bool {
        let mut best: Option<(EdgePoint, u32, bool)> = None;
        let mut least = f64::INFINITY;
        for &(number, along) in trim {
            let piece = &self.pieces[number as usize];
            if trim.len() > 2 && piece.bounds.distance_squared(q) > least {
                continue;
            }
            let found = piece.nearest(q);
            if found.squared < least {
                least = found.squared;
                best = Some((found, piece.edge, along));
            }
        }
        let Some((nearest, edge, along)) = best else { return true };
        self.is_on_inner_side(face, q, &nearest, edge, along)
    }

    /// Whether a point of a parametric face lies in it.
    pub(crate) fn is_inside_chart(&self, face: &Face, at: [f64; 2], q: Vector3<f64>) -> bool {
        let Some(chart) = &face.chart else { return true };
        let near = 4.0 * chart.deviation + 1e-9;
        let mut best: Option<(EdgePoint, u32, bool)> = None;
        let mut least = near * near;
        for (number, along) in self.boundary_pieces(face) {
            let piece = &self.pieces[number as usize];
            if piece.bounds.distance_squared(q) > least {
                continue;
            }
            let found = piece.nearest(q);
            if found.squared < least {
                least = found.squared;
                best = Some((found, piece.edge, along));
            }
        }
        match best {
            Some((nearest, edge, along)) => self.is_on_inner_side(face, q, &nearest, edge, along),
            None => chart.is_inside(at),
        }
    }

    fn is_on_inner_side(
        &self,
        face: &Face,
        q: Vector3<f64>,
        nearest: &EdgePoint,
        edge: u32,
        along: bool,
    ) -> bool {
        if nearest.squared < ON_BOUNDARY * ON_BOUNDARY {
            return true;
        }
        let normal = match (&face.chart, face.surface.foot(nearest.point)) {
            (Some(chart), _) => chart.normal_near(nearest.point, Some((edge, nearest.t))),
            (None, Some(foot)) => foot.normal,
            (None, None) => Vector3::zeros(),
        } * face.sign;
        let from = q - nearest.point;
        if let Some(vertex) = nearest.vertex
            && let Ok(place) = face.corners.binary_search_by_key(&vertex, |corner| corner.0)
        {
            return leads_inside(normal, &face.corners[place].1, from);
        }
        let way = if along { 1.0 } else { -1.0 };
        from.dot(&normal.cross(&nearest.tangent)) * way > 0.0
    }
}
