//! The spring of a grasp from its compliance, at the point where translation and rotation decouple.
//!
//! ```text
//! C_p = T C Tᵀ,  T = [[1, −p×], [0, 1]]      compliance at p, from that at the tip; p = (0, 0, h) above the tip
//! ρ²(h) = Σ C_ij² / (C_ii C_jj)              i along, j about an axis: coupling of translation and rotation at p
//! k_i = 1 / C_ii                            at the h where ρ² is least; the remaining coupling is dropped
//! ```
//!
//! Different planes may have different centres; a spring by axis has one.

use nalgebra::Matrix6;
use tightfit_spatial::Vector3;

/// Number of trial heights.
const HEIGHTS: usize = 400;

/// A spring by axis, at a point of the part's axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GraspSpring {
    /// h above the tip [m].
    pub height: f64,
    /// Along the part's axes [N/m].
    pub stiffness: [f64; 3],
    /// About them [N·m/rad].
    pub turning_stiffness: [f64; 3],
    /// Remaining ρ at h [-]; zero where the compliance decouples, up to √2 for two planes.
    pub coupling: f64,
}

impl GraspSpring {
    /// From the compliance at the tip of a peg of this length [m]; `None` where the compliance along an axis is unknown
    /// (zero). A rotation that the hole cannot show, such as that of a round peg about its axis, is assumed as stiff as
    /// the stiffest other.
    #[must_use]
    pub fn of(compliance: &Matrix6<f64>, length: f64) -> Option<Self> {
        let coupling = |at: &Matrix6<f64>| -> f64 {
            let pair = |i: usize, j: usize| at[(i, j)].powi(2) / (at[(i, i)] * at[(j, j)]);
            let pairs = (0..3).flat_map(|i| (3..6).map(move |j| (i, j)));
            pairs.map(|(i, j)| pair(i, j)).filter(|share| share.is_finite()).sum()
        };
        let heights = (0..=HEIGHTS).map(|step| length * step as f64 / HEIGHTS as f64);
        let height = heights
            .min_by(|a, b| coupling(&moved(compliance, *a)).total_cmp(&coupling(&moved(compliance, *b))))?;
        let at = moved(compliance, height);
        let stiffness = std::array::from_fn(|axis| 1.0 / at[(axis, axis)]);
        let turns: [f64; 3] = std::array::from_fn(|axis| 1.0 / at[(3 + axis, 3 + axis)]);
        let is_known = |value: &f64| value.is_finite() && *value > 0.0;
        let stiffest = turns.into_iter().filter(is_known).fold(0.0, f64::max);
        let turning_stiffness = turns.map(|own| if is_known(&own) { own } else { stiffest });
        (stiffness.iter().all(is_known) && stiffest > 0.0).then(|| Self {
            height,
            stiffness,
            turning_stiffness,
            coupling: coupling(&at).sqrt(),
        })
    }
}

/// C at a height above the tip.
fn moved(compliance: &Matrix6<f64>, height: f64) -> Matrix6<f64> {
    let mut motion = Matrix6::identity();
    let across = Vector3::new(0.0, 0.0, height).cross_matrix();
    motion.fixed_view_mut::<3, 3>(0, 3).copy_from(&-across);
    motion * compliance * motion.transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_spring_at_a_point_is_found_from_its_compliance_at_the_tip() {
        let (height, soft) = (0.03, [2e-5, 1e-5, 3e-6, 0.01, 0.04, 0.02]);
        let own = Matrix6::from_diagonal(&soft.into());
        let at_tip = moved(&own, -height);
        assert!(at_tip[(0, 4)] < -1e-3);
        let found = GraspSpring::of(&at_tip, 0.06).expect("a spring");
        assert!((found.height - height).abs() < 1e-9 && found.coupling < 1e-6, "{found:?}");
        for axis in 0..3 {
            assert!((found.stiffness[axis] * soft[axis] - 1.0).abs() < 1e-6);
            assert!((found.turning_stiffness[axis] * soft[3 + axis] - 1.0).abs() < 1e-6);
        }
        assert_eq!(GraspSpring::of(&Matrix6::zeros(), 0.06), None);
    }
}
