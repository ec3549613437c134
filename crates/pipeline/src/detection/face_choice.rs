//! Which of the faces that meet at an edge is the contact of a node.
//!
//! ```text
//! score_k = d_k + T n_k·v     if d_k ≥ −(5 µm + 0.01 T|v| + w), else d_k − 1 m    the face with the largest score is the contact
//! ```
//!
//! d_k distance of the node to face k [m], n_k its normal, v velocity of the node against the other body
//! expected at the end of the step [m/s], w by how much worn surfaces may lie beside those of the parts [m].

use nalgebra::Vector3;
use tightfit_shape::Sample;
use tightfit_shape::block::{BLOCK, FaceBlock, PAIR, PointBlock};

use super::PairBody;

/// A face is no longer a candidate if the node is behind it by more than this [m]. Two crossing edges overlap by
/// micrometres between their nodes; at 1 µm a node that reaches the crossing has already lost the face that it should
/// slide onto, and a nut jams at its first turn.
const BEHIND: f64 = -5e-6;

/// Additional allowed depth behind a face per length that the node slides in the step [-]: a tilt of half a degree. A
/// thread slides by 1.5 mm per step through the opening at the end of a nut, where it reaches the flank only at the
/// end.
const BENT: f64 = 0.01;

/// The choice of the nodes of one body among the faces of the other.
pub(super) struct FaceChoice {
    motion: Motion,
    /// T: the time over which the gap is predicted [s].
    horizon: f64,
    /// Largest depth of any node behind its contact face [m].
    pub(super) behind: f64,
    /// By how much the surfaces may lie beside those of the parts [m].
    worn: f64,
}

impl FaceChoice {
    /// For nodes within `farthest` of the other part's origin [m].
    pub(super) fn new(of: &PairBody, against: &PairBody, horizon: f64, farthest: f64) -> Self {
        let motion = Motion::of(of, against);
        let worn = of.worn + against.worn;
        let behind = worn - behind(horizon * motion.fastest(farthest));
        Self { motion, horizon, behind, worn }
    }

    /// How far a node is expected to move in the step [m].
    #[inline(always)]
    pub(super) fn path(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.motion.at(point) * self.horizon
    }

    /// The same past a solid of revolution about z, whose spin moves no surface [m].
    pub(super) fn path_past_turned(&self, point: Vector3<f64>) -> Vector3<f64> {
        let Motion { linear, angular } = self.motion;
        (linear + Vector3::new(angular.x, angular.y, 0.0).cross(&point)) * self.horizon
    }

    /// The face with the largest predicted gap, and the next candidate. A node in front of any face is outside the
    /// piece, so the gap to the chosen face is then not negative.
    #[inline(always)]
    pub(super) fn choose(&self, point: Vector3<f64>, faces: &[Sample]) -> [Option<Sample>; 2] {
        let velocity = self.motion.at(point);
        let behind = behind(self.horizon * velocity.norm()) - self.worn;
        let mut best: [Option<(f64, Sample)>; 2] = [None; 2];
        let mut outside = f64::NEG_INFINITY;
        for face in faces {
            let own = score(face.distance, face.normal.dot(&velocity), behind, self.horizon);
            outside = outside.max(face.distance);
            if best[0].is_none_or(|(other, _)| own > other) {
                best = [Some((own, *face)), best[0]];
            } else if best[1].is_none_or(|(other, _)| own > other) {
                best[1] = Some((own, *face));
            }
        }
        let raise =
            |(_, face): (f64, Sample)| Sample { distance: raised(face.distance, outside, self.worn), ..face };
        let [first, second] = best;
        [first.map(raise), second.filter(|(_, face)| face.distance >= behind).map(raise)]
    }

    /// The same for all nodes of a block that are at an edge of two faces: the chosen face comes first. A second face
    /// that is no candidate gets the distance −∞.
    #[inline(always)]
    pub(super) fn choose_in_block(&self, points: &PointBlock, faces: &mut FaceBlock) {
        let ([x, y, z], Motion { linear, angular }) = (&points.axes, &self.motion);
        let (horizon, worn) = (self.horizon, self.worn);
        let ([first_x, first_y, first_z], [second_x, second_y, second_z]) =
            (&mut faces.normal, &mut faces.second_normal);
        for lane in 0..BLOCK {
            let vx = linear.x + (angular.y * z[lane] - angular.z * y[lane]);
            let vy = linear.y + (angular.z * x[lane] - angular.x * z[lane]);
            let vz = linear.z + (angular.x * y[lane] - angular.y * x[lane]);
            let behind = behind(horizon * (vx * vx + vy * vy + vz * vz).sqrt()) - worn;
            let (one, two) = (faces.distance[lane], faces.second_distance[lane]);
            let (ax, ay, az) = (first_x[lane], first_y[lane], first_z[lane]);
            let (bx, by, bz) = (second_x[lane], second_y[lane], second_z[lane]);
            let is_pair = faces.verdict[lane] == PAIR;
            let one_score = score(one, ax * vx + ay * vy + az * vz, behind, horizon);
            let two_score = score(two, bx * vx + by * vy + bz * vz, behind, horizon);
            let is_second = is_pair & (two_score > one_score);
            let outside = if one > two { one } else { two };
            let (chosen, other) = if is_second { (two, one) } else { (one, two) };
            faces.distance[lane] = if is_pair { raised(chosen, outside, worn) } else { chosen };
            let beside = if other >= behind { raised(other, outside, worn) } else { f64::NEG_INFINITY };
            faces.second_distance[lane] = if is_pair { beside } else { other };
            first_x[lane] = if is_second { bx } else { ax };
            first_y[lane] = if is_second { by } else { ay };
            first_z[lane] = if is_second { bz } else { az };
            second_x[lane] = if is_second { ax } else { bx };
            second_y[lane] = if is_second { ay } else { by };
            second_z[lane] = if is_second { az } else { bz };
        }
    }
}

/// Gap predicted at the end of the step [m]; 1 m less for a face that is no candidate.
#[inline(always)]
fn score(distance: f64, speed: f64, behind: f64, horizon: f64) -> f64 {
    if distance >= behind { distance + horizon * speed } else { distance - 1.0 }
}

/// Distance of a face [m], not negative where the node is in front of any face: `outside` is the largest distance. Where surfaces lie
/// beside those of the parts, that is known up to `worn` [m].
#[inline(always)]
fn raised(distance: f64, outside: f64, worn: f64) -> f64 {
    let least = if outside < 0.0 { outside } else { 0.0 } - worn;
    if distance > least { distance } else { least }
}

/// Smallest distance of a candidate face [m] for a node that moves by `path` [m].
fn behind(path: f64) -> f64 {
    BEHIND - BENT * path
}

/// Velocity of the points of one body against another, in the other's frame.
pub(super) struct Motion {
    linear: Vector3<f64>,
    angular: Vector3<f64>,
}

impl Motion {
    pub(super) fn of(of: &PairBody, against: &PairBody) -> Self {
        let into = against.rotation().inverse();
        let origin = against.world_from_part.translation;
        Self {
            linear: into * (of.velocity_at(origin) - against.velocity_at(origin)),
            angular: into * (of.angular - against.angular),
        }
    }

    pub(super) fn at(&self, point: Vector3<f64>) -> Vector3<f64> {
        self.linear + self.angular.cross(&point)
    }

    /// Velocity of a direction that turns with the points.
    pub(super) fn turning(&self, direction: Vector3<f64>) -> Vector3<f64> {
        self.angular.cross(&direction)
    }

    /// Bound on the speed of the points within `radius` of the origin [m/s].
    fn fastest(&self, radius: f64) -> f64 {
        self.linear.norm() + self.angular.norm() * radius
    }
}

#[cfg(test)]
mod tests {
    use tightfit_shape::block::{CORNER, SINGLE};
    use tightfit_spatial::SplitMix;

    use super::*;

    #[test]
    fn nodes_of_a_block_choose_as_single_nodes() {
        let mut random = SplitMix(5);
        let (mut seconds, mut lost) = (0, 0);
        for _ in 0..50 {
            let motion = Motion { linear: random.centered_cube() * 0.02, angular: random.centered_cube() };
            let choice = FaceChoice { motion, horizon: 0.01, behind: 1e-3, worn: 0.0 };
            let (mut points, mut faces) = (PointBlock::default(), FaceBlock::default());
            for lane in 0..BLOCK {
                let (point, one, two) =
                    (random.centered_cube() * 0.03, random.centered_cube(), random.centered_cube());
                let distances = random.centered_cube() * 3e-5;
                for axis in 0..3 {
                    points.axes[axis][lane] = point[axis];
                    faces.normal[axis][lane] = one.normalize()[axis];
                    faces.second_normal[axis][lane] = two.normalize()[axis];
                }
                faces.distance[lane] = distances.x;
                faces.second_distance[lane] = distances.y;
                faces.verdict[lane] = [PAIR, PAIR, CORNER, SINGLE][lane % 4];
            }
            let before = faces.clone();
            choice.choose_in_block(&points, &mut faces);
            for lane in 0..BLOCK {
                let both = [before.first(lane), before.second(lane)];
                if before.verdict[lane] != PAIR {
                    assert_eq!([faces.first(lane), faces.second(lane)], both, "no edge: nothing to choose");
                    continue;
                }
                let [first, second] = choice.choose(points.get(lane), &both);
                assert_eq!(Some(faces.first(lane)), first);
                let own = (faces.second_distance[lane] >= -choice.behind).then(|| faces.second(lane));
                assert_eq!(own, second);
                seconds += usize::from(first.is_some_and(|face| face.normal == both[1].normal));
                lost += usize::from(second.is_none());
            }
        }
        assert!(seconds > 100 && lost > 100, "{seconds} chose the second face, {lost} lost the other");
    }
}
