//! The ten inertial parameters of the body on the sensor, physically consistent.
//!
//! ```text
//! f = m (Rᵀg − a) + m (ω × (c × ω) + c × α)               reading: weight and inertia of the body
//! τ = m c × (Rᵀg − a) − I α − ω × I ω                       about the sensor's origin, tool axes
//!
//! P = [Σ  mc; mcᵀ  m] = L Lᵀ,   I = tr(Σ) 1 − Σ               pseudo-inertia, positive definite by its Cholesky factor
//! ```
//!
//! a, α are accelerations of the sensor's origin. The search runs over L (its diagonal by logarithms), so every iterate
//! is a physical body; results are m, mc and I with propagated uncertainty. Parameters that the motion does not excite
//! keep a standard deviation above their limit and are reported as undetermined.
//!
//! P. Wensing, S. Kim, J.-J. Slotine, "Linear matrix inequalities for physically consistent inertial parameter
//! identification", RA-L 2018. C. Rucker, P. Wensing, "Smooth parameterization of rigid-body inertia", RA-L 2022.

use nalgebra::{Matrix3, Matrix4};
use tightfit_spatial::Vector3;

use super::least_squares::{Parameter, Problem};
use super::sensor_load::{FreeRow, GRAVITY, free_motion};
use super::{Answer, SensorLoad};
use crate::recordings::Trial;

/// Weight of a torque relative to a force [1/m].
const PER_METRE: f64 = 20.0;
/// Names, units and limits of the ten parameters: mass, first moments, moments of inertia about the sensor's origin.
const TEN: [(&str, &str, f64); 10] = [
    ("mass", "kg", 0.02),
    ("first moment x", "kg·m", 1e-3),
    ("first moment y", "kg·m", 1e-3),
    ("first moment z", "kg·m", 1e-3),
    ("moment of inertia xx", "kg·m²", 2e-4),
    ("moment of inertia yy", "kg·m²", 2e-4),
    ("moment of inertia zz", "kg·m²", 2e-4),
    ("product of inertia xy", "kg·m²", 2e-4),
    ("product of inertia xz", "kg·m²", 2e-4),
    ("product of inertia yz", "kg·m²", 2e-4),
];
/// Lower bound of a reading's standard deviation [N], from differencing the motion.
const NOISE: f64 = 0.01;

/// Pseudo-inertia from ten numbers: logarithms of the factor's diagonal, then the entries below it.
fn pseudo_inertia(numbers: &[f64]) -> Matrix4<f64> {
    let [d, l] = [&numbers[..4], &numbers[4..10]];
    #[rustfmt::skip]
    let factor = Matrix4::new(
        d[0].exp(), 0.0, 0.0, 0.0,
        l[0], d[1].exp(), 0.0, 0.0,
        l[1], l[2], d[2].exp(), 0.0,
        l[3], l[4], l[5], d[3].exp(),
    );
    factor * factor.transpose()
}

/// m, mc, I of a pseudo-inertia.
fn ten(pseudo: &Matrix4<f64>) -> [f64; 10] {
    let second: Matrix3<f64> = pseudo.fixed_view::<3, 3>(0, 0).into();
    let inertia = Matrix3::from_diagonal_element(second.trace()) - second;
    [
        pseudo[(3, 3)],
        pseudo[(0, 3)],
        pseudo[(1, 3)],
        pseudo[(2, 3)],
        inertia[(0, 0)],
        inertia[(1, 1)],
        inertia[(2, 2)],
        inertia[(0, 1)],
        inertia[(0, 2)],
        inertia[(1, 2)],
    ]
}

/// Sensor reading of a moving body, without bias.
fn reading(body: &[f64; 10], row: &FreeRow, origin: Vector3<f64>) -> [Vector3<f64>; 2] {
    let [m, x, y, z, xx, yy, zz, xy, xz, yz] = *body;
    let first = Vector3::new(x, y, z);
    let inertia = Matrix3::new(xx, xy, xz, xy, yy, yz, xz, yz, zz);
    let (turning, spin_up) = (row.turning, row.turning_acceleration);
    let acceleration = row.acceleration + spin_up.cross(&origin) + turning.cross(&turning.cross(&origin));
    let felt = row.tool_from_world * GRAVITY - acceleration;
    let force = felt * m - spin_up.cross(&first) - turning.cross(&turning.cross(&first));
    let torque = first.cross(&felt) - inertia * spin_up - turning.cross(&(inertia * turning));
    [force, torque]
}

/// Residuals of readings for a body and a bias [N]; torques divided by a lever.
fn left_of(body: &[f64; 10], bias: &[f64], rows: &[FreeRow], origin: Vector3<f64>, out: &mut Vec<f64>) {
    for row in rows {
        let [force, torque] = reading(body, row, origin);
        out.extend((0..3).map(|axis| row.force[axis] - bias[axis] - force[axis]));
        out.extend((0..3).map(|axis| (row.torque[axis] - bias[3 + axis] - torque[axis]) * PER_METRE));
    }
}

/// Finds the ten parameters from rows without contact; `origin` is the sensor's origin in the tool's frame [m].
#[must_use]
pub fn identify_inertia(trials: &[Trial], load: &SensorLoad, origin: Vector3<f64>) -> Answer {
    let rows: Vec<Vec<FreeRow>> =
        trials.iter().enumerate().map(|(index, trial)| free_motion(trial, index, load)).collect();
    let count: usize = rows.iter().map(Vec::len).sum();
    if count < 100 {
        let reason =
            format!("{count} rows are free of contact; 100 are needed: move the tool through the air");
        return Answer::refused("inertial parameters", reason);
    }
    // Start from a ball of the measured mass and 20 mm radius.
    let mass = load.mass.max(0.02);
    let spread = (mass * 0.02_f64.powi(2) / 5.0).sqrt().ln();
    let mut parameters: Vec<Parameter> = (0..10)
        .map(|index| match index {
            0..=2 => {
                Parameter::new(format!("logarithm {index} of the pseudo-inertia's factor"), "-", spread, 3.0)
            }
            3 => Parameter::new("logarithm 3 of the pseudo-inertia's factor", "-", mass.sqrt().ln(), 0.3),
            _ => Parameter::new(format!("entry {index} of the pseudo-inertia's factor"), "-", 0.0, 0.02),
        })
        .collect();
    for (trial, [force, torque]) in load.bias.iter().enumerate() {
        for (vector, limit, unit) in [(force, 1.0, "N"), (torque, 0.05, "N·m")] {
            for axis in 0..3 {
                let name = format!("bias {axis} of trial {trial}");
                parameters.push(Parameter::new(name, unit, vector[axis], limit).of_trial(trial));
            }
        }
    }
    let residuals = |values: &[f64], trial: usize, out: &mut Vec<f64>| {
        let bias = &values[10 + 6 * trial..16 + 6 * trial];
        left_of(&ten(&pseudo_inertia(values)), bias, &rows[trial], origin, out);
    };
    let solution = Problem {
        parameters,
        trials: trials.len(),
        residuals: &residuals,
        loss: 0.1,
        noise: NOISE,
        iterations: 40,
    }
    .solve();
    // The reading is linear in the ten parameters, so their uncertainty is that of a linear fit. At the boundary of
    // physical bodies the logarithms have no slope and would report zero uncertainty.
    let body = ten(&pseudo_inertia(&solution.values));
    let named = TEN
        .into_iter()
        .zip(body)
        .map(|((name, unit, limit), value)| Parameter::new(name, unit, value, limit));
    let biases = solution.parameters.iter().zip(&solution.values).skip(10);
    let biases = biases.map(|(parameter, value)| Parameter { start: *value, ..parameter.clone() });
    let linear = |values: &[f64], trial: usize, out: &mut Vec<f64>| {
        let body: [f64; 10] = std::array::from_fn(|index| values[index]);
        let bias = &values[10 + 6 * trial..16 + 6 * trial];
        left_of(&body, bias, &rows[trial], origin, out);
    };
    let around = Problem {
        parameters: named.chain(biases).collect(),
        trials: trials.len(),
        residuals: &linear,
        loss: 0.1,
        noise: NOISE,
        iterations: 0,
    }
    .solve();
    let covariance = around.covariance;
    let mut answer = Answer::default();
    for (index, (name, unit, limit)) in TEN.into_iter().enumerate() {
        let sigma = covariance[(index, index)].sqrt();
        if sigma <= limit {
            answer.add(name, unit, body[index], sigma);
        } else {
            answer.refuse(name, format!("its standard deviation would be {sigma:.1e} {unit}, more than {limit:.0e}; turn the tool faster and about more axes in free air"));
        }
    }
    answer.add("rows in free motion used", "-", count as f64, 0.0);
    answer.add("reading left in free motion", "N", solution.spread, 0.0);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_ten_numbers_is_a_body_that_can_exist() {
        let mut random = tightfit_spatial::SplitMix(5);
        for _ in 0..200 {
            let numbers: Vec<f64> =
                (0..10).map(|index| random.signed() * if index < 4 { 3.0 } else { 0.2 }).collect();
            let [m, _, _, _, xx, yy, zz, ..] = ten(&pseudo_inertia(&numbers));
            assert!(m > 0.0 && xx < yy + zz && yy < xx + zz && zz < xx + yy);
        }
    }
}
