//! A sharp peg in a sharp hole, and the statics of its two contacts (Whitney, J. Dyn. Sys. Meas. Control 1982).
//!
//! ```text
//!        │ peg │←f₁ mouth, right       D = d cos θ + (l_c + r sin θ) tan θ        two-point contact
//!  ──────┤    ╱├──────                 F_x = f₁ − f₂,   F_z = μ(f₁ + f₂)          sliding in
//!        │   ╱ │  ↕ l                  M   = l f₁ + μ r F_x   about the tip's centre
//!   f₂→  │__╱  │                       λ = l/2rμ:   M/rF_z = λ + μ(1 + λ) F_x/F_z
//! ```
//!
//! d, D diameters, r = d/2, l_c depth of the tip's centre, l depth of the tip's touching edge [m], θ tilt [rad]
//! towards +x, F applied force (+x, and −z counted positive), M about +y. Whitney's statics take both normals
//! perpendicular to the axis. The true normal at the mouth is that of the peg's side, tilted by θ; this matters when
//! θ is not far below 2μ.

use tightfit_spatial::Vector3;

use super::trial::Trial;
use crate::SceneError;
use crate::drive::about;

/// d [m] and its half.
pub(super) const DIAMETER: f64 = 49.97e-3;
pub(super) const RADIUS: f64 = DIAMETER / 2.0;
/// D − d [m].
pub(super) const CLEARANCE: f64 = 65e-6;

/// A peg in two-point contact.
#[derive(Clone, Copy)]
pub(super) struct TwoPoint {
    /// D − d [m].
    pub(super) clearance: f64,
    /// l: depth of the touching edge of the tip [m].
    pub(super) depth: f64,
}

impl TwoPoint {
    /// θ [rad]: D cos θ = d + l sin θ.
    pub(super) fn tilt(&self) -> f64 {
        let bore = DIAMETER + self.clearance;
        let mut tilt = self.clearance / self.depth;
        for _ in 0..20 {
            let (sin, cos) = libm::sincos(tilt);
            let excess = bore * cos - DIAMETER - self.depth * sin;
            tilt += excess / (bore * sin + self.depth * cos);
        }
        tilt
    }

    /// Centre of the tip [m]: the left edge of the tip is at the wall.
    pub(super) fn tip(&self) -> Vector3<f64> {
        let (sin, cos) = libm::sincos(self.tilt());
        Vector3::new(RADIUS * cos - RADIUS - self.clearance / 2.0, 0.0, -self.depth - RADIUS * sin)
    }

    /// M/rF_z at which the peg begins to slide in under F_x/F_z, with the mouth's normal tilted by θ.
    pub(super) fn jamming_moment(&self, friction: f64, across: f64) -> f64 {
        let (sin, cos) = libm::sincos(self.tilt());
        // Forces on the peg per f₁ and f₂, and their positions relative to the tip's centre.
        let mouth = [-cos + friction * sin, sin + friction * cos];
        let tip = [1.0, friction];
        let wall = RADIUS + self.clearance / 2.0;
        let center = self.tip();
        let (at_mouth, at_tip) = ([wall - center.x, -center.z], [-wall - center.x, -self.depth - center.z]);
        // f₁ mouth + f₂ tip = (−F_x, F_z) with F_z = 1
        let determinant = mouth[0] * tip[1] - mouth[1] * tip[0];
        let first = (-across * tip[1] - tip[0]) / determinant;
        let second = (mouth[0] + across * mouth[1]) / determinant;
        // Torque about +y of a force (x, z) at (x, z).
        let torque = |at: [f64; 2], force: [f64; 2]| at[1] * force[0] - at[0] * force[1];
        -(first * torque(at_mouth, mouth) + second * torque(at_tip, tip)) / RADIUS
    }

    /// Whether the peg sticks under an axial force of 10 N, a moment M = `moment` r F_z and F_x = `across` F_z.
    pub(super) fn is_stuck(&self, friction: f64, across: f64, moment: f64) -> Result<bool, SceneError> {
        const PUSH: f64 = 10.0;
        // In a tenth of a second 1e-4 of the force moves the peg by 10 µm.
        const MOVED: f64 = 10e-6;
        let mut trial = fit(self.clearance, friction, 0.0)?;
        let rotation = about(Vector3::y(), self.tilt());
        let arm = center_of_mass(&trial);
        let body = trial.body_mut();
        (body.rotation, body.center) = (rotation, self.tip() + rotation * arm);
        let start = body.center.z;
        for _ in 0..10 {
            let arm = trial.body().rotation * arm;
            let force = Vector3::new(across * PUSH, 0.0, -PUSH);
            let torque = Vector3::new(0.0, moment * RADIUS * PUSH, 0.0) - arm.cross(&force);
            trial.load(force, torque);
            trial.step();
        }
        Ok(start - trial.body().center.z < MOVED)
    }
}

/// A free peg above a fixed hole with a 45° chamfer of this leg [m] at its mouth.
pub(super) fn fit(clearance: f64, friction: f64, chamfer: f64) -> Result<Trial, SceneError> {
    let [diameter, bore] = [1e3 * DIAMETER, 1e3 * (DIAMETER + clearance)];
    Trial::from_toml(&format!(
        r#"
        name = "fit"
        friction = {friction}
        [parts.hole]
        shape = {{ kind = "hole", diameter_mm = {bore:e}, depth_mm = 60, outer_diameter_mm = 80, chamfer_mm = {} }}
        nodes = {{ face_spacing_mm = 5, edge_spacing_mm = 2, start_spacing_mm = 1 }}
        motion = "fixed"
        [parts.peg]
        shape = {{ kind = "peg", diameter_mm = {diameter:e}, length_mm = 60 }}
        nodes = {{ face_spacing_mm = 5, edge_spacing_mm = 2, start_spacing_mm = 1 }}
        mass_kg = 0.5
        "#,
        1e3 * chamfer
    ))
}

/// Centre of mass of the peg in its frame, which is at its tip [m].
pub(super) fn center_of_mass(trial: &Trial) -> Vector3<f64> {
    let free = trial.parameters.bodies.iter().find_map(|body| body.inertia);
    free.map_or_else(Vector3::zeros, |inertia| inertia.center_of_mass)
}
