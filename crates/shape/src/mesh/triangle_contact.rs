//! Contact of two triangles, with its depth: the method of libraries that collide meshes triangle by triangle.
//!
//! ```text
//! prism over b:   all x with  m_k·(x − b_k) ≥ 0,  m_k = n × (b_{k+1} − b_k),  k = 0, 1, 2
//! height over b:  h(x) = n·(x − b₀)
//! a over b:       a clipped to the prism of b, its lowest and its highest h
//! ```
//!
//! b_k corners of a triangle, counter-clockwise seen from outside [m], n its unit normal, a the other triangle. A point
//! of a in the prism of b at h = 0 lies in b, so the two cross exactly when a over b reaches from h ≤ 0 to h ≥ 0.
//!
//! - *Crossing*: depth = −(lowest height), over b or over a, whichever is less deep; the normal is that of the face.
//!   A corner that pokes through a face is therefore as deep as its distance behind the face, however far its
//!   triangle extends. Where an edge e of a crosses an edge f of b, neither face normal is the direction in which to
//!   separate them. A third direction is d = ±e × f, which points out of b and against the normal of a, with the
//!   depth d·(f − e). It applies only if, along d, a and its neighbour across e lie above e, and b and its neighbour
//!   across f lie below f. Otherwise the edges are not the outermost ones, such as edges that only divide a plane.
//! - *Separated*, faces turned towards each other: gap = lowest height, over b or over a, whichever is less. Either
//!   is a distance between two points of the triangles, so the gap is never less than the true distance; where a
//!   corner is above a face they are equal.
//!
//! Limits of such contacts: a triangle entirely behind the other surface crosses nothing and is not a contact, and no
//! depth exceeds the extent of its triangle. Depths are correct while they are small compared with the triangles.
//!
//! The clipping is that of I. E. Sutherland, G. W. Hodgman, "Reentrant polygon clipping", CACM 17, 1974. FCL measures
//! the depth of crossing triangles over their faces in the same way (J. Pan, S. Chitta, D. Manocha, "FCL: a general
//! purpose library for collision and proximity queries", ICRA 2012). It does not use edges, without which two blocks
//! stacked flush get a depth as large as their triangles, and it has no gaps of separated triangles.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use super::closest_point_triangle::PreparedTriangle;

/// Edges count as parallel below this squared sine of their angle [-].
const PARALLEL: f64 = 1e-16;
/// Largest cosine to the normal at which a direction still counts as parallel to a face [-].
const ALONG: f64 = 1e-9;
/// Largest height that still counts as zero [m].
const BORDER: f64 = 1e-12;

/// A triangle, its normal and the corners of its neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Triangle {
    /// Corners, counter-clockwise seen from outside [m].
    pub corners: [Vector3<f64>; 3],
    /// Unit normal, out of the material.
    pub normal: Vector3<f64>,
    /// Opposite corner of the neighbour across the edge from corner k to the next [m]; without a neighbour, this
    /// triangle's opposite corner.
    pub beyond: [Vector3<f64>; 3],
}

/// Contact of two triangles that cross or nearly touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TriangleContact {
    /// The point that is deepest behind the other triangle's face, or lowest in front of it [m].
    pub point: Vector3<f64>,
    /// Unit normal of that face, or direction across two crossing edges; it points from the second triangle into the
    /// first.
    pub normal: Vector3<f64>,
    /// Height of the point over the face [m]; where the triangles cross it is minus the depth.
    pub gap: f64,
}

/// The part of a triangle within the prism over another: lowest and highest height [m], and the lowest point [m].
#[derive(Clone, Copy)]
struct Over {
    lowest: f64,
    at: Vector3<f64>,
    highest: f64,
}

impl Triangle {
    /// The triangle of three corners [m], without neighbours; `None` when they are collinear and define no plane.
    #[must_use]
    pub fn new(corners: [Vector3<f64>; 3]) -> Option<Self> {
        let PreparedTriangle { corners, normal } = PreparedTriangle::new(corners);
        let beyond = [corners[2], corners[0], corners[1]];
        (normal != Vector3::zeros()).then_some(Self { corners, normal, beyond })
    }

    fn height(&self, point: Vector3<f64>) -> f64 {
        self.normal.dot(&(point - self.corners[0]))
    }

    /// Whether another triangle is entirely above height `reach` [m] or entirely behind this one.
    fn misses(&self, other: &[Vector3<f64>; 3], reach: f64) -> bool {
        let [a, b, c] = other.map(|corner| self.height(corner));
        a.min(b).min(c) > reach || a.max(b).max(c) < 0.0
    }

    /// Clips another triangle to the prism over this one; `None` when nothing is left.
    fn under(&self, other: &[Vector3<f64>; 3]) -> Option<Over> {
        // each of the three planes adds at most one corner
        let mut polygon: ArrayVec<Vector3<f64>, 6> = other.iter().copied().collect();
        for k in 0..3 {
            let (from, to) = (self.corners[k], self.corners[(k + 1) % 3]);
            let inwards = self.normal.cross(&(to - from));
            let whole = std::mem::take(&mut polygon);
            let &last = whole.last()?;
            let mut before = (last, inwards.dot(&(last - from)));
            for &point in &whole {
                let side = inwards.dot(&(point - from));
                if (side >= 0.0) != (before.1 >= 0.0) {
                    let share = before.1 / (before.1 - side);
                    // rounding at a corner on the plane could produce a seventh point, which is redundant
                    let _ = polygon.try_push(before.0 + (point - before.0) * share);
                }
                if side >= 0.0 {
                    let _ = polygon.try_push(point);
                }
                before = (point, side);
            }
        }
        let first = *polygon.first()?;
        let start = Over { lowest: f64::INFINITY, at: first, highest: f64::NEG_INFINITY };
        Some(polygon.iter().fold(start, |over, &point| {
            let height = self.height(point);
            let (lowest, at) = if height < over.lowest { (height, point) } else { (over.lowest, over.at) };
            Over { lowest, at, highest: over.highest.max(height) }
        }))
    }

    /// The shallowest crossing of an edge of this triangle with an edge of another, along the normal of both edges.
    fn crossing_edges(&self, other: &Self) -> Option<TriangleContact> {
        let mut shallowest: Option<TriangleContact> = None;
        for (i, j) in (0..9).map(|pair| (pair / 3, pair % 3)) {
            let [p, p_end, p_third] = [0, 1, 2].map(|k| self.corners[(i + k) % 3]);
            let [q, q_end, q_third] = [0, 1, 2].map(|k| other.corners[(j + k) % 3]);
            let (p_beyond, q_beyond) = (self.beyond[i], other.beyond[j]);
            let (e, f) = (p_end - p, q_end - q);
            let across = e.cross(&f);
            let squared = across.norm_squared();
            if squared <= PARALLEL * e.norm_squared() * f.norm_squared() {
                continue;
            }
            // where d is parallel to both faces, either sign may lead out
            for d in [across / squared.sqrt(), -across / squared.sqrt()] {
                let gap = d.dot(&(p - q));
                let leads_out = d.dot(&other.normal) >= -ALONG && d.dot(&self.normal) <= ALONG;
                let is_above = [p_third, p_beyond].iter().all(|corner| d.dot(&(corner - p)) >= -BORDER);
                let is_below = [q_third, q_beyond].iter().all(|corner| d.dot(&(corner - q)) <= BORDER);
                if leads_out
                    && is_above
                    && is_below
                    && gap <= 0.0
                    && shallowest.is_none_or(|known| gap > known.gap)
                {
                    let share = f.cross(&across).dot(&(q - p)) / f.cross(&across).dot(&e);
                    let point = p + e * share.clamp(0.0, 1.0);
                    shallowest = Some(TriangleContact { point, normal: d, gap });
                }
            }
        }
        shallowest
    }

    /// Contact of this triangle with another: where they cross, or where they are separated, face each other and are
    /// within `reach` [m].
    #[must_use]
    pub fn contact(&self, other: &Self, reach: f64) -> Option<TriangleContact> {
        if other.misses(&self.corners, reach) || self.misses(&other.corners, reach) {
            return None;
        }
        let from_other = other.under(&self.corners).map(|over| (over, other.normal));
        let from_this = self.under(&other.corners).map(|over| (over, -self.normal));
        let crosses = |view: &(Over, Vector3<f64>)| view.0.lowest <= 0.0 && view.0.highest >= 0.0;
        let contact = |(over, normal): (Over, Vector3<f64>)| TriangleContact {
            point: over.at,
            normal,
            gap: over.lowest,
        };
        let views = || from_other.into_iter().chain(from_this);
        if views().any(|view| crosses(&view)) {
            // A touch at the border may cross in one view and miss the prism of the other by rounding. The depth of
            // one view alone would be too large; the neighbours across the border give the contact.
            let (a, b) = from_other.filter(crosses).zip(from_this.filter(crosses))?;
            let face = contact(if a.0.lowest >= b.0.lowest { a } else { b });
            return Some(self.crossing_edges(other).filter(|edges| edges.gap > face.gap).unwrap_or(face));
        }
        if views().any(|(over, _)| over.highest < 0.0) {
            return None;
        }
        let is_near = |view: &(Over, Vector3<f64>)| view.0.lowest <= reach;
        let faces = self.normal.dot(&other.normal) < 0.0;
        let nearest = views().filter(is_near).min_by(|a, b| a.0.lowest.total_cmp(&b.0.lowest));
        nearest.filter(|_| faces).map(contact)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn triangle(corners: [[f64; 3]; 3]) -> Triangle {
        Triangle::new(corners.map(Vector3::from)).unwrap()
    }

    /// A triangle of the ground, facing up.
    fn ground() -> Triangle {
        triangle([[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [0.0, 1.0, 0.0]])
    }

    /// A triangle with its lowest corner at this height; its normal points down and to the side.
    fn spike(height: f64) -> Triangle {
        triangle([[0.0, 0.0, height], [0.3, 0.2, height + 0.4], [0.3, -0.2, height + 0.4]])
    }

    #[test]
    fn the_depth_of_a_corner_is_its_distance_behind_the_face() {
        let contact = spike(-0.01).contact(&ground(), 0.0).unwrap();
        assert!((contact.gap + 0.01).abs() < 1e-15);
        assert!((contact.normal - Vector3::z()).norm() < 1e-15, "from the ground into the spike");
        assert!((contact.point - Vector3::new(0.0, 0.0, -0.01)).norm() < 1e-15);
        // with the triangles exchanged, only the sign of the normal changes
        let turned = ground().contact(&spike(-0.01), 0.0).unwrap();
        assert!((turned.gap - contact.gap).abs() < 1e-15 && (turned.normal + contact.normal).norm() < 1e-15);
    }

    #[test]
    fn separated_triangles_are_contacts_only_within_reach_and_face_to_face() {
        assert!(spike(0.01).contact(&ground(), 0.0).is_none());
        let near = spike(0.01).contact(&ground(), 0.02).unwrap();
        assert!((near.gap - 0.01).abs() < 1e-15 && (near.normal - Vector3::z()).norm() < 1e-15);
        let mut turned_away = spike(0.01).corners;
        turned_away.swap(1, 2);
        assert!(Triangle::new(turned_away).unwrap().contact(&ground(), 0.02).is_none());
    }

    /// The front of one block and the side of another that stands on it, flush at the corner and 1 mm too low. Along
    /// either face normal a whole triangle is behind the other; upwards the depth is only 1 mm.
    #[test]
    fn flush_corners_have_the_depth_of_their_edges() {
        let below = triangle([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0], [0.0, 0.0, 0.0]]);
        let above = triangle([[0.0, 0.0, -1e-3], [-1.0, 0.0, -1e-3], [0.0, 0.0, 1.0]]);
        assert!(below.normal.x > 0.9 && above.normal.y > 0.9);
        let contact = above.contact(&below, 0.0).unwrap();
        assert!((contact.gap + 1e-3).abs() < 1e-12, "{contact:?}");
        assert!((contact.normal - Vector3::z()).norm() < 1e-12, "{contact:?}");
    }

    #[test]
    fn a_triangle_wholly_behind_the_other_is_no_contact() {
        assert!(spike(-0.5).contact(&ground(), 0.02).is_none());
    }

    #[test]
    fn collinear_corners_make_no_triangle() {
        assert!(Triangle::new([[0.0; 3], [1.0; 3], [2.0; 3]].map(Vector3::from)).is_none());
    }

    fn corner() -> impl Strategy<Value = Vector3<f64>> {
        [-1.0..1.0_f64, -1.0..1.0_f64, -1.0..1.0_f64].prop_map(Vector3::from)
    }

    fn any_triangle() -> impl Strategy<Value = Triangle> {
        [corner(), corner(), corner()].prop_map(Triangle::new).prop_filter_map("flat", |triangle| {
            triangle.filter(|t| {
                let [a, b, c] = t.corners;
                (b - a).cross(&(c - a)).norm() > 1e-2
            })
        })
    }

    /// Whether an edge of one passes through the other: an independent test of crossing.
    fn pierces(of: &Triangle, through: &Triangle) -> bool {
        let [a, b, c] = through.corners;
        (0..3).any(|k| {
            let (p, q) = (of.corners[k], of.corners[(k + 1) % 3]);
            let volume = |u: Vector3<f64>, v: Vector3<f64>| (q - p).dot(&(u - p).cross(&(v - p)));
            let volumes = [volume(a, b), volume(b, c), volume(c, a)];
            through.height(p) * through.height(q) <= 0.0
                && (volumes.iter().all(|v| *v >= 0.0) || volumes.iter().all(|v| *v <= 0.0))
        })
    }

    proptest! {
        #[test]
        fn triangles_are_in_contact_without_reach_exactly_when_they_cross(a in any_triangle(), b in any_triangle()) {
            prop_assert_eq!(a.contact(&b, 0.0).is_some(), pierces(&a, &b) || pierces(&b, &a));
        }

        #[test]
        fn moving_along_the_normal_by_the_depth_removes_a_crossing(a in any_triangle(), b in any_triangle()) {
            let Some(contact) = a.contact(&b, 0.0) else { return Ok(()) };
            prop_assert!(contact.gap <= 0.0 && (contact.normal.norm() - 1.0).abs() < 1e-12);
            // holds for the part within the prism; a part that slides in from outside it may still cross
            let depth = -contact.gap;
            let moved = Triangle::new(a.corners.map(|corner| corner + contact.normal * depth)).unwrap();
            let along = |normal: Vector3<f64>| (contact.normal - normal).norm() < 1e-9;
            let (over, is_edges) = match (along(b.normal), along(-a.normal)) {
                (true, _) => (b.under(&moved.corners), false),
                (_, true) => (moved.under(&b.corners), false),
                _ => (None, true),
            };
            prop_assert!(over.is_none_or(|over| over.lowest > -1e-9));
            // at crossing edges a plane then separates the triangles
            let clear = moved.corners.map(|corner| contact.normal.dot(&corner)).into_iter().fold(f64::INFINITY, f64::min);
            let high = b.corners.map(|corner| contact.normal.dot(&corner)).into_iter().fold(f64::NEG_INFINITY, f64::max);
            prop_assert!(!is_edges || clear > high - 1e-9);
        }

        #[test]
        fn a_gap_is_never_less_than_the_distance(a in any_triangle(), b in any_triangle()) {
            let contact = a.contact(&b, 0.5);
            let points = edges(&a).chain(edges(&b)).flat_map(|[p, q]| {
                // unless the triangles cross, one of their nearest points lies on an edge
                (0..=1000).map(move |i| p + (q - p) * (f64::from(i) / 1000.0))
            });
            let farther = |point| distance_to(&a, point).max(distance_to(&b, point));
            let nearest = points.map(farther).fold(f64::INFINITY, f64::min);
            // the points are 3 mm apart along the edges, so the distance is known to half of that
            prop_assert!(contact.is_none_or(|contact| contact.gap <= 0.0 || contact.gap > nearest - 2e-3));
        }
    }

    fn edges(triangle: &Triangle) -> impl Iterator<Item = [Vector3<f64>; 2]> {
        let corners = triangle.corners;
        (0..3).map(move |k| [corners[k], corners[(k + 1) % 3]])
    }

    fn distance_to(triangle: &Triangle, point: Vector3<f64>) -> f64 {
        let closest = PreparedTriangle::new(triangle.corners).closest(point, f64::INFINITY).unwrap();
        closest.squared.sqrt()
    }
}
