//! A disc that slides and spins: friction couples the two (Farkas et al., PRL 2003).
//!
//! ```text
//! m v̇ = −μ m g ⟨u_x/|u|⟩      ½ m R² ω̇ = −μ m g ⟨(x u_y − y u_x)/|u|⟩        u = (v − ω y, ω x)
//! ```
//!
//! ⟨ ⟩ mean over the disc under uniform pressure. Both motions end at the same time, v/Rω → 0.653. The reference
//! is this equation, integrated here by a Runge-Kutta method over 40 × 72 equal areas. The pressure under a
//! rigid disc is not unique; the solver's equal compliance selects the uniform pressure.

use std::f64::consts::TAU;

use super::trial::Trial;
use super::{GRAVITY, Verdict};
use crate::SceneError;

const FRICTION: f64 = 0.3;
const RADIUS: f64 = 0.05;
/// Speed [m/s] and spin [rad/s] at the start.
const START: [f64; 2] = [0.5, 10.0];

pub(super) fn run(case: &str) -> Result<Vec<Verdict>, SceneError> {
    let points: Vec<String> =
        disc(5, 24).iter().map(|[x, y]| format!("[{:e}, {:e}, 0]", x * 1e3, y * 1e3)).collect();
    let polar = RADIUS * RADIUS / 2.0;
    let mut trial = Trial::from_toml(&format!(
        r#"
        name = "spinning-disc"
        gravity_m_s2 = [0, 0, -{GRAVITY}]
        friction = {FRICTION}
        [parts.disc]
        shape = {{ kind = "nodes", points_mm = [{}], mass_kg = 1, inertia_kg_m2 = [{polar:e}, {polar:e}, {polar:e}] }}
        [parts.plane]
        shape = {{ kind = "half-space" }}
        motion = "fixed"
        "#,
        points.join(", ")
    ))?;
    let [speed, spin] = START;
    trial.body_mut().twist.linear_in_world.x = speed;
    trial.body_mut().twist.angular_in_body.z = spin;
    trial.run(0.4);
    let truth = distance_to_rest();
    let measured = trial.body().center.x;
    Ok(vec![Verdict::within_part(format!("{case}.distance"), "mm", truth * 1e3, measured * 1e3, 1e-3)])
}

/// Points of equal area [m].
fn disc(rings: usize, laps: usize) -> Vec<[f64; 2]> {
    let ring = |ring: usize| {
        let radius = RADIUS * ((ring as f64 + 0.5) / rings as f64).sqrt();
        (0..laps).map(move |lap| {
            let (sin, cos) = libm::sincos(TAU * lap as f64 / laps as f64 + 0.13 * ring as f64);
            [radius * cos, radius * sin]
        })
    };
    (0..rings).flat_map(ring).collect()
}

/// Displacement of the centre until both motions end [m].
fn distance_to_rest() -> f64 {
    let points = disc(40, 72);
    let rate = |[v, w]: [f64; 2]| {
        let (mut force, mut torque) = (0.0, 0.0);
        for [x, y] in &points {
            let [ux, uy] = [v - w * y, w * x];
            let speed = ux.hypot(uy).max(1e-12);
            force += ux / speed;
            torque += (x * uy - y * ux) / speed;
        }
        let scale = -FRICTION * GRAVITY / points.len() as f64;
        [scale * force, scale * torque / (RADIUS * RADIUS / 2.0)]
    };
    let [mut v, mut w] = START;
    let mut distance = 0.0;
    while v > 1e-4 {
        // Shorter steps towards the end, where the direction of slip changes faster.
        let step = (0.02 * v / (FRICTION * GRAVITY)).min(1e-3);
        let after = |[dv, dw]: [f64; 2], part: f64| [v + part * step * dv, w + part * step * dw];
        let a = rate([v, w]);
        let b = rate(after(a, 0.5));
        let c = rate(after(b, 0.5));
        let d = rate(after(c, 1.0));
        let mean = [0, 1].map(|k| (a[k] + 2.0 * b[k] + 2.0 * c[k] + d[k]) / 6.0);
        distance += step * v + step * step * (a[0] + b[0] + c[0]) / 6.0;
        (v, w) = (v + step * mean[0], w + step * mean[1]);
    }
    distance
}
