//! Corners: the sector of a face at a vertex, and the sign of the distance near a vertex.
//!
//! The sign at a vertex follows from the pseudo-normal Σ αᵢ nᵢ, where αᵢ is the angle of face i at the vertex and nᵢ its
//! normal: J. A. Bærentzen, H. Aanæs, "Signed distance computation using the angle weighted pseudonormal", 2005.

use arrayvec::ArrayVec;
use nalgebra::Vector3;

use crate::geometry::Frame;

/// A boundary of a face that leaves a vertex.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ray {
    /// Unit direction away from the vertex.
    pub direction: Vector3<f64>,
    /// Whether the face lies on the left of the ray, seen against the outward normal.
    pub face_on_left: bool,
}

/// A vertex with its pseudo-normal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Corner {
    /// Σ αᵢ nᵢ / Σ αᵢ; short where faces nearly oppose one another, and then not to be relied on.
    pub pseudo_normal: Vector3<f64>,
}

/// Most rays of a face at one vertex; on the stack, because a step must not allocate.
const MOST_RAYS: usize = 32;

/// Angles of rays around the normal, ascending, with the side on which the face lies.
fn sorted(normal: Vector3<f64>, rays: &[Ray]) -> Option<(Frame, ArrayVec<(f64, bool), MOST_RAYS>)> {
    let frame = Frame::new(Vector3::zeros(), normal, rays.first().map(|ray| ray.direction))?;
    let mut angles: ArrayVec<(f64, bool), MOST_RAYS> = rays
        .iter()
        .take(MOST_RAYS)
        .map(|ray| (libm::atan2(ray.direction.dot(&frame.y), ray.direction.dot(&frame.x)), ray.face_on_left))
        .collect();
    angles.sort_by(|a, b| a.0.total_cmp(&b.0));
    Some((frame, angles))
}

/// Whether a direction from a vertex leads into the face.
pub(crate) fn leads_inside(normal: Vector3<f64>, rays: &[Ray], direction: Vector3<f64>) -> bool {
    if let [a, b] = rays
        && a.face_on_left != b.face_on_left
        && let Some(inside) = is_between(normal, if a.face_on_left { [a, b] } else { [b, a] }, direction)
    {
        return inside;
    }
    let Some((frame, angles)) = sorted(normal, rays) else { return false };
    let angle = libm::atan2(direction.dot(&frame.y), direction.dot(&frame.x));
    let before = angles.iter().rev().find(|ray| ray.0 <= angle).or(angles.last());
    before.is_some_and(|ray| ray.1)
}

/// Whether a direction lies counter-clockwise after the first of two rays and before the second; `None` where they are
/// nearly parallel. Corners have two rays but for faces that touch themselves.
fn is_between(normal: Vector3<f64>, [first, second]: [&Ray; 2], direction: Vector3<f64>) -> Option<bool> {
    let turn = |from: &Vector3<f64>, to: &Vector3<f64>| normal.dot(&from.cross(to));
    let (first, second) = (&first.direction, &second.direction);
    let sine = turn(first, second);
    if sine.abs() < 1e-3 {
        return None;
    }
    Some(if sine > 0.0 {
        turn(first, &direction) >= 0.0 && turn(&direction, second) > 0.0
    } else {
        !(turn(second, &direction) >= 0.0 && turn(&direction, first) > 0.0)
    })
}

/// Angle of the face at the vertex [rad].
pub(crate) fn face_angle(normal: Vector3<f64>, rays: &[Ray]) -> f64 {
    let Some((_, angles)) = sorted(normal, rays) else { return 0.0 };
    let count = angles.len();
    let gap = |k: usize| {
        let next = if k + 1 < count { angles[k + 1].0 } else { angles[0].0 + std::f64::consts::TAU };
        next - angles[k].0
    };
    (0..count).filter(|&k| angles[k].1).map(gap).sum()
}
