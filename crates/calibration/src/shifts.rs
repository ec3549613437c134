//! Errors of the model that more data do not average out, by simulating them once more.
//!
//! ```text
//! δ_h = 2 (w(h/2) − w(h))              steps too long: what a step of zero length would change, to first order
//! δ_p = mean w(p + n) − w(p)           noise of the recorded poses: twice the noise adds what the first has added
//! b   = −H⁻¹ Σ ω jᵀ δ                  shift of the result
//! ```
//!
//! w predicted wrench, h step, p recorded poses, n noise of their size, ω weights. Noise of poses does not cancel out: it pushes parts
//! into one another and never pulls. Its size is told by third differences of the poses, in which motion of a hand leaves
//! nothing.
//!
//! L. Richardson, "The approximate arithmetical solution by finite differences", Phil. Trans. A 210, 1911. J. Cook, L. Stefanski,
//! "Simulation-extrapolation estimation in parametric measurement error models", J. Am. Stat. Assoc. 89, 1994.

use tightfit_learning::recordings::Recording;
use tightfit_spatial::{Pose, SplitMix, UnitQuaternion, Vector3};

use crate::CalibrationError;
use crate::fit::{Evaluation, Fit};

/// Simulations with noise.
const DRAWS: u64 = 2;

impl Fit<'_> {
    /// Changes of the predictions by each kind of error: kind, trial, six per prediction [N].
    pub(crate) fn shifts(
        &self,
        x: &[f64],
        here: &Evaluation,
    ) -> Result<Vec<Vec<Vec<f64>>>, CalibrationError> {
        let all: Vec<usize> = (0..self.trials.len()).collect();
        let change = |found: Evaluation, factor: f64| -> Vec<Vec<f64>> {
            let pairs = found.residuals.iter().zip(&here.residuals);
            // a lost part would count as an error of the model
            pairs
                .map(|(found, here)| {
                    found.iter().zip(here).map(|(found, here)| factor * (found - here)).collect()
                })
                .collect()
        };
        let finer = self.experiment.refined(2 * self.experiment.substeps);
        let finer = Fit { experiment: &finer, ..self.clone() };
        let step = change(finer.evaluate(x, &all)?, 2.0);
        let mut noise: Vec<Vec<f64>> = here.residuals.iter().map(|own| vec![0.0; own.len()]).collect();
        let size = self.options.pose_noise.unwrap_or_else(|| pose_noise(self.trials));
        for draw in 0..DRAWS {
            let noisy: Vec<Recording> = self
                .trials
                .iter()
                .enumerate()
                .map(|(k, own)| with_noise(own, size, k as u64, draw))
                .collect();
            let own = Fit { trials: &noisy, ..self.clone() };
            for (sum, own) in noise.iter_mut().zip(change(own.evaluate(x, &all)?, 1.0 / DRAWS as f64)) {
                sum.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
            }
        }
        Ok(vec![step, noise])
    }
}

/// Standard deviation of the noise of recorded poses: along an axis [m] and about it [rad].
pub(crate) fn pose_noise(trials: &[Recording]) -> [f64; 2] {
    let mut sizes = [Vec::new(), Vec::new()];
    for four in trials.iter().flat_map(|own| own.samples.windows(4)) {
        let poses = [0, 1, 2, 3].map(|k| four[k].world_from_part);
        let turn = |pose: &Pose| (poses[0].rotation.inverse() * pose.rotation).scaled_axis();
        let third = |of: &dyn Fn(&Pose) -> Vector3<f64>| {
            let [a, b, c, d] = [0, 1, 2, 3].map(|k| of(&poses[k]));
            d - c * 3.0 + b * 3.0 - a
        };
        for (sizes, change) in sizes.iter_mut().zip([third(&|pose| pose.translation), third(&turn)]) {
            sizes.extend(change.iter().map(|own| own.abs()));
        }
    }
    // 1 + 9 + 9 + 1 variances; the median of magnitudes of a normal variable is 0.6745 of its standard deviation
    sizes.map(|mut all| {
        all.sort_by(f64::total_cmp);
        all.get(all.len() / 2).copied().unwrap_or(0.0) / 0.6745 / f64::sqrt(20.0)
    })
}

fn with_noise(trial: &Recording, [along, about]: [f64; 2], number: u64, draw: u64) -> Recording {
    let mut random = SplitMix::stream(0x0071_f175_0000 + number * DRAWS + draw);
    let mut normal = || (0..12).map(|_| random.unit()).sum::<f64>() - 6.0;
    let mut samples = trial.samples.clone();
    for sample in &mut samples {
        let shift = Vector3::from_fn(|_, _| along * normal());
        let turn = UnitQuaternion::from_scaled_axis(Vector3::from_fn(|_, _| about * normal()));
        let Pose { translation, rotation } = sample.world_from_part;
        sample.world_from_part = Pose::new(translation + shift, turn * rotation);
    }
    Recording { name: trial.name.clone(), samples }
}
