//! The order of the step, measured: the same run with ever smaller steps, against the smallest.
//!
//! ```text
//! e_k(t) = max over free bodies of |x_k − x_N| + R |θ(R_kᵀ R_N)|        at the common times t = T, 2T, ...
//! ratio  = e_k / e_{k+1}          2 for first order, 4 for second, more where k + 1 is near N
//! ```
//!
//! T the scene's step [s], run k has the step T/2ᵏ, x centre of mass [m], R half the diagonal of the part's box [m], θ
//! angle of a rotation [rad]: about the farthest that any point of a part is from its place. Largest and mean over t.
//!
//! Set-points that jump and contacts that close make a run first order at best: when they happen is known to a step.
//! Where rigid contact leaves the share of the contacts open (a thread's flanks), runs differ by that share at any step.

use tightfit_spatial::{UnitQuaternion, Vector3};

use crate::{Disturbance, Motion, Scene, Simulation};

/// A run at falling steps.
#[derive(Clone, Debug, PartialEq)]
pub struct StepHalving {
    /// From the scene's own step to the last but one.
    pub levels: Vec<HalvingLevel>,
    /// Step of the run that the others are held against [s].
    pub reference_step: f64,
}

/// A run at one step against the one at the smallest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HalvingLevel {
    /// Its step [s].
    pub step: f64,
    /// Largest pose error over time [m].
    pub largest: f64,
    /// When that is [s].
    pub time: f64,
    /// Mean pose error over time [m].
    pub mean: f64,
}

/// Position and attitude of one free body.
type Place = (Vector3<f64>, UnitQuaternion<f64>);

impl StepHalving {
    /// Runs a scene for some time [s] at T, T/2, ... T/2^`halvings`; `progress` hears the share done.
    #[must_use]
    pub fn measure(
        scene: &Scene,
        seed: u64,
        disturbance: Option<Disturbance>,
        seconds: f64,
        halvings: u32,
        mut progress: impl FnMut(f64),
    ) -> Self {
        let count = (seconds / scene.dt).round().max(1.0) as usize;
        let all = f64::from((2_u32 << halvings) - 1);
        let step_of = |level: u32| scene.dt / f64::from(1_u32 << level);
        let mut runs = Vec::new();
        for level in 0..=halvings {
            let mut run = Simulation::new(Scene { dt: step_of(level), ..scene.clone() }, seed);
            run.disturbance = disturbance;
            let done = f64::from((1_u32 << level) - 1);
            let mut places = Vec::with_capacity(count);
            for index in 0..count {
                for _ in 0..1_u32 << level {
                    run.step();
                }
                places.push(run.state.motions.iter().map(|m| (m.center, m.rotation)).collect::<Vec<Place>>());
                let share = (index + 1) as f64 / count as f64;
                progress((done + share * f64::from(1_u32 << level)) / all);
            }
            runs.push(places);
        }
        let radii = radii(scene);
        let reference = runs.pop().unwrap_or_default();
        let level = |(level, run): (usize, &Vec<Vec<Place>>)| {
            let errors: Vec<f64> = run.iter().zip(&reference).map(|(a, b)| error(a, b, &radii)).collect();
            let (index, largest) = errors
                .iter()
                .copied()
                .enumerate()
                .fold((0, 0.0), |worst, one| if one.1 > worst.1 { one } else { worst });
            HalvingLevel {
                step: step_of(level as u32),
                largest,
                time: (index + 1) as f64 * scene.dt,
                mean: errors.iter().sum::<f64>() / count as f64,
            }
        };
        Self { levels: runs.iter().enumerate().map(level).collect(), reference_step: step_of(halvings) }
    }

    /// How much the largest and the mean error fall from each level to the next [-].
    pub fn ratios(&self) -> impl Iterator<Item = [f64; 2]> {
        self.levels.windows(2).map(|pair| [pair[0].largest / pair[1].largest, pair[0].mean / pair[1].mean])
    }
}

/// R of every free body [m].
fn radii(scene: &Scene) -> Vec<f64> {
    let free = scene.bodies.iter().filter(|body| body.motion == Motion::Free);
    free.map(|body| body.part.aabb().map_or(0.0, |aabb| aabb.diagonal() / 2.0)).collect()
}

fn error(a: &[Place], b: &[Place], radii: &[f64]) -> f64 {
    let one = |((a, b), radius): ((&Place, &Place), &f64)| {
        let turn = a.1.inverse() * b.1;
        let angle = 2.0 * libm::atan2(turn.imag().norm(), turn.w.abs());
        (a.0 - b.0).norm() + radius * angle
    };
    a.iter().zip(b).zip(radii).map(one).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_oscillation_without_contact_is_of_second_order() {
        // a ball on a spring, led along a ramp: the midpoint rule errs by T²
        let text = r#"
            name = "spring"
            [parts.ball]
            shape = { kind = "sphere", diameter_mm = 20 }
            mass_kg = 1
            [drive]
            part = "ball"
            stiffness_n_m = [400, 400, 400]
            turning_stiffness_nm_rad = [1, 1, 1]
            damping_per_s = 1
            waypoints = [{ time_s = 0, position_mm = [0, 0, 0] }, { time_s = 1, position_mm = [50, 0, 0] }]
        "#;
        let scene = Scene::from_toml(text).unwrap_or_else(|error| panic!("{error}"));
        let mut shares = Vec::new();
        let halving = StepHalving::measure(&scene, 1, None, 1.0, 4, |share| shares.push(share));
        assert!(
            shares.windows(2).all(|pair| pair[0] < pair[1]) && (shares[shares.len() - 1] - 1.0).abs() < 1e-12
        );
        assert_eq!(halving.levels.len(), 4);
        for ratio in halving.ratios() {
            assert!(ratio.iter().all(|ratio| (3.8..5.2).contains(ratio)), "{halving:?}");
        }
    }
}
