//! The part as the hand feels it between two steps: one rigid body on held planes, at the rate of the device.
//!
//! ```text
//! (M/T + B + T K) V₁ = M/T V₀ + B V_d − K e + F_g + Jᵀ p/T                 backward Euler
//! 0 ≤ p_n ⊥ n·V₁ + max(φ/T, −v_out) ≥ 0          |p_t| ≤ μ p_n             planes with friction
//! c₁ = c₀ + T v₁      R₁ = exp(T ω₁) R₀
//! ```
//!
//! e is the error of the proxy against the device's pose, as a shift and a rotation vector in world axes, no longer than the
//! reach of the spring; V_d the device's
//! twist. Backward Euler dissipates at every stiffness, and the end velocity closes a gap exactly, so nothing bounces. A
//! plane that the proxy is beyond pushes it out with v_out at most. The rows are solved by projected Gauss-Seidel, warm
//! started from the last tick. B = d M with one rate d [1/s], as in the drives of scenes, so that the proxy moves as the
//! simulated part does. The gyroscopic torque is left out: at 10 rad/s it is below 0.1 mN·m for a 0.6 kg nut.

use std::f64::consts::TAU;

use nalgebra::Matrix3;
use tightfit_simulation::BodyMotion;
use tightfit_spatial::{Inertia, Twist, UnitQuaternion, Vector3};

use crate::contact_planes::HeldPlanes;
use crate::device::DeviceWrench;
use crate::set_position::Stiffness;

/// Sweeps of Gauss-Seidel per tick.
const SWEEPS: usize = 12;
/// v_out: fastest push out of a plane [m/s].
const FASTEST_OUT: f64 = 0.02;

/// Share of the device's largest wrench by which a set-point may lead.
const LEAD: f64 = 1.5;
/// Largest deflection of the spring [m, rad]: beyond half a turn a rotation has two directions.
const MOST_SHIFT: f64 = 0.1;
const MOST_ANGLE: f64 = 1.0;

/// Set-point of the proxy.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProxyTarget {
    /// Place of the centre of mass [m].
    pub center: Vector3<f64>,
    /// Attitude.
    pub rotation: UnitQuaternion<f64>,
    /// Velocity [m/s].
    pub linear: Vector3<f64>,
    /// Angular velocity, world axes [rad/s].
    pub angular: Vector3<f64>,
}

/// Spring and damper between proxy and set-point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProxyCoupling {
    /// K.
    pub stiffness: Stiffness,
    /// d [1/s].
    pub damping_rate: f64,
    /// Deflection from which on the force stays constant [m, rad].
    pub reach: [f64; 2],
}

impl ProxyCoupling {
    /// A coupling whose force saturates at half more than a device can render [N, N·m], at 0.1 m and at 1 rad.
    #[must_use]
    pub fn new(stiffness: Stiffness, damping_rate: f64, [most_force, most_torque]: [f64; 2]) -> Self {
        let reach = |most: f64, stiffness: f64, limit: f64| (LEAD * most / stiffness.max(1e-6)).min(limit);
        let reach = [
            reach(most_force, stiffness.linear, MOST_SHIFT),
            reach(most_torque, stiffness.turning, MOST_ANGLE),
        ];
        Self { stiffness, damping_rate, reach }
    }

    /// The deflection that the spring feels.
    #[must_use]
    pub fn within_reach(&self, [shift, turn]: [Vector3<f64>; 2]) -> [Vector3<f64>; 2] {
        let shrunk = |vector: Vector3<f64>, most: f64| vector * (most / vector.norm().max(most));
        [shrunk(shift, self.reach[0]), shrunk(turn, self.reach[1])]
    }
}

/// The body at the hand.
#[derive(Clone, Debug)]
pub struct LocalProxy {
    /// Its motion.
    pub motion: BodyMotion,
    inertia: Inertia,
    gravity: Vector3<f64>,
    friction: f64,
    held: HeldPlanes,
    /// Normal impulse and impulse along the surface of each plane [N·s].
    impulses: Vec<(f64, Vector3<f64>)>,
    turn_error: Vector3<f64>,
}

/// A row of the solve.
struct Row {
    arm: Vector3<f64>,
    normal: Vector3<f64>,
    /// Allowed approach speed is `−bias` [m/s].
    bias: f64,
    /// Velocity along the normal per impulse [1/kg].
    response: f64,
    /// The same along the surface: the larger of two directions.
    sliding_response: f64,
}

impl LocalProxy {
    /// A body in free space.
    #[must_use]
    pub fn new(motion: BodyMotion, inertia: Inertia, gravity: Vector3<f64>, friction: f64) -> Self {
        let held = HeldPlanes::none(motion.center, motion.rotation);
        let (impulses, turn_error) = (Vec::new(), Vector3::zeros());
        Self { motion, inertia, gravity, friction, held, impulses, turn_error }
    }

    /// Replaces the planes.
    pub fn hold(&mut self, held: HeldPlanes) {
        self.impulses.clear();
        self.impulses.resize(held.planes.len(), (0.0, Vector3::zeros()));
        self.held = held;
    }

    /// Proxy − device: shift [m] and rotation vector [rad] in world axes, the latter followed over more than half a turn.
    pub fn deflection(&mut self, center: Vector3<f64>, rotation: &UnitQuaternion<f64>) -> [Vector3<f64>; 2] {
        let turn = vector_near(&(self.motion.rotation * rotation.inverse()), self.turn_error);
        self.turn_error = turn;
        [self.motion.center - center, turn]
    }

    /// Moves the proxy by a shift [m] and a rotation vector [rad], world axes.
    pub fn shift(&mut self, [shift, turn]: [Vector3<f64>; 2]) {
        self.motion.center += shift;
        self.turn_by(turn);
    }

    fn turn_by(&mut self, turn: Vector3<f64>) {
        let angular = self.motion.rotation * self.motion.twist.angular_in_body;
        self.motion.rotation = UnitQuaternion::from_scaled_axis(turn) * self.motion.rotation;
        self.motion.rotation.renormalize();
        self.motion.twist.angular_in_body = self.motion.rotation.inverse() * angular;
    }

    /// One tick of `dt` seconds; returns the contact wrench on the proxy.
    pub fn step(&mut self, target: &ProxyTarget, coupling: &ProxyCoupling, dt: f64) -> DeviceWrench {
        let deflection = self.deflection(target.center, &target.rotation);
        let [shift, turn] = coupling.within_reach(deflection);
        let Stiffness { linear: stiffness, turning } = coupling.stiffness;
        let (mass, rate) = (self.inertia.mass, coupling.damping_rate);
        let axes = self.motion.rotation.to_rotation_matrix().into_inner();
        let moment = axes * self.inertia.moment * axes.transpose();
        let start = self.motion.world_velocity();
        let (v0, w0) =
            (Vector3::new(start[0], start[1], start[2]), Vector3::new(start[3], start[4], start[5]));

        let linear_gain = mass / dt + rate * mass + dt * stiffness;
        let angular_gain = moment * (1.0 / dt + rate) + Matrix3::identity() * (dt * turning);
        let Some(angular_inverse) = angular_gain.try_inverse() else { return DeviceWrench::default() };
        let force =
            v0 * (mass / dt) + target.linear * (rate * mass) - shift * stiffness + self.gravity * mass;
        let torque = moment * (w0 / dt + target.angular * rate) - turn * turning;
        let (mut v, mut w) = (force / linear_gain, angular_inverse * torque);

        // velocity per impulse
        let per_impulse = (1.0 / (linear_gain * dt), angular_inverse / dt);
        let push = |v: &mut Vector3<f64>, w: &mut Vector3<f64>, arm: &Vector3<f64>, impulse: Vector3<f64>| {
            *v += impulse * per_impulse.0;
            *w += per_impulse.1 * arm.cross(&impulse);
        };
        let rows: Vec<Row> = self.rows(dt, per_impulse.0, &per_impulse.1);
        for (row, (normal, along)) in rows.iter().zip(&self.impulses) {
            push(&mut v, &mut w, &row.arm, row.normal * *normal + along);
        }
        for _ in 0..SWEEPS {
            for (row, (normal, along)) in rows.iter().zip(&mut self.impulses) {
                let approach = row.normal.dot(&(v + w.cross(&row.arm))) + row.bias;
                let next = (*normal - approach / row.response).max(0.0);
                push(&mut v, &mut w, &row.arm, row.normal * (next - *normal));
                *normal = next;
                let speed = v + w.cross(&row.arm);
                let sliding = speed - row.normal * row.normal.dot(&speed);
                let wanted = *along - sliding / row.sliding_response;
                let most = self.friction * next;
                let size = wanted.norm();
                let next_along = if size > most { wanted * (most / size) } else { wanted };
                push(&mut v, &mut w, &row.arm, next_along - *along);
                *along = next_along;
            }
        }

        let mut contact = DeviceWrench::default();
        for (row, (normal, along)) in rows.iter().zip(&self.impulses) {
            let force = (row.normal * *normal + along) / dt;
            contact.force += force;
            contact.torque += row.arm.cross(&force);
        }
        self.motion.center += v * dt;
        self.motion.twist = Twist::new(v, self.motion.rotation.inverse() * w);
        self.turn_by(w * dt);
        contact
    }

    fn rows(&self, dt: f64, linear: f64, angular: &Matrix3<f64>) -> Vec<Row> {
        let row = |plane| {
            let (arm, gap) = self.held.at(plane, self.motion.center, &self.motion.rotation);
            let response = |direction: &Vector3<f64>| {
                let lever = arm.cross(direction);
                linear + lever.dot(&(angular * lever))
            };
            let normal = plane.normal;
            let first =
                normal.cross(&if normal.x.abs() < 0.7 { Vector3::x() } else { Vector3::y() }).normalize();
            let second = normal.cross(&first);
            Row {
                arm,
                normal,
                bias: (gap / dt).max(-FASTEST_OUT),
                response: response(&normal),
                // the sum bounds the larger eigenvalue: the sweep then contracts
                sliding_response: response(&first) + response(&second),
            }
        };
        self.held.planes.iter().map(row).collect()
    }
}

/// The rotation vector of a rotation that is nearest to another vector [rad]; vectors differ by whole turns.
pub(crate) fn vector_near(rotation: &UnitQuaternion<f64>, near: Vector3<f64>) -> Vector3<f64> {
    let vector = rotation.scaled_axis();
    let angle = vector.norm();
    if angle < 1e-9 {
        return vector;
    }
    let axis = vector / angle;
    let turns = ((near.dot(&axis) - angle) / TAU).round();
    axis * (angle + TAU * turns)
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;
    use crate::contact_planes::ContactPlane;

    const COUPLING: ProxyCoupling = ProxyCoupling {
        stiffness: Stiffness { linear: 2000.0, turning: 2.5 },
        damping_rate: 80.0,
        reach: [0.1, 1.0],
    };

    fn proxy(friction: f64) -> LocalProxy {
        let moment = Matrix3::from_diagonal(&Vector3::new(2e-4, 2e-4, 3e-4));
        let inertia = Inertia::new(0.6, Vector3::zeros(), moment).unwrap();
        let motion = BodyMotion {
            center: Vector3::zeros(),
            rotation: UnitQuaternion::identity(),
            twist: Twist::zero(),
        };
        let mut proxy = LocalProxy::new(motion, inertia, Vector3::zeros(), friction);
        let at =
            |x: f64, y: f64| ContactPlane { arm: Vector3::new(x, y, 0.0), normal: Vector3::z(), gap: 0.0 };
        let planes = vec![at(0.02, 0.02), at(-0.02, 0.02), at(0.02, -0.02), at(-0.02, -0.02)];
        let (center, rotation) = (Vector3::zeros(), UnitQuaternion::identity());
        proxy.hold(HeldPlanes { center, rotation, planes });
        proxy
    }

    fn target(center: Vector3<f64>) -> ProxyTarget {
        let (linear, angular) = (Vector3::zeros(), Vector3::zeros());
        ProxyTarget { center, rotation: UnitQuaternion::identity(), linear, angular }
    }

    #[test]
    fn planes_carry_the_spring_and_friction_holds_within_its_cone() {
        // 10 N down and 2 N sideways: μ = 0.3 sticks, μ = 0.1 slides until friction can hold what the spring has left
        for (friction, least, most) in [(0.3, 1.999, 2.001), (0.1, 0.8, 1.0 + 1e-9)] {
            let mut proxy = proxy(friction);
            let target = target(Vector3::new(1e-3, 0.0, -5e-3));
            let mut contact = DeviceWrench::default();
            for _ in 0..2000 {
                contact = proxy.step(&target, &COUPLING, 1e-3);
            }
            assert!((contact.force.z - 10.0).abs() < 1e-3, "{}", contact.force);
            assert!((least..=most).contains(&-contact.force.x), "{}", contact.force);
            assert!(proxy.motion.center.z.abs() < 1e-8);
        }
    }

    #[test]
    fn the_energy_of_proxy_and_spring_never_grows_at_a_held_set_point() {
        let mut proxy = proxy(0.2);
        proxy.motion.twist.linear_in_world = Vector3::new(0.3, -0.1, 0.2);
        let target = target(Vector3::new(2e-3, 1e-3, -4e-3));
        let mut last = f64::INFINITY;
        for _ in 0..3000 {
            proxy.step(&target, &COUPLING, 1e-3);
            let deflection = proxy.deflection(target.center, &target.rotation);
            let Twist { linear_in_world: v, angular_in_body: w } = proxy.motion.twist;
            let kinetic = (0.6 * v.norm_squared() + w.dot(&(proxy.inertia.moment * w))) / 2.0;
            let energy = kinetic + COUPLING.stiffness.energy(deflection);
            assert!(energy <= last + 1e-9, "{energy:e} after {last:e}");
            last = energy;
        }
    }

    #[test]
    fn a_rotation_is_followed_over_more_than_half_a_turn() {
        let mut vector = Vector3::zeros();
        for step in 0..2000 {
            let angle = 0.015 * f64::from(step);
            // at whole turns the axis is lost for an instant
            let rotation = UnitQuaternion::from_scaled_axis(Vector3::z() * (angle + 1e-3));
            vector = vector_near(&rotation, vector);
            assert!((vector.z - angle - 1e-3).abs() < 1e-9);
        }
    }
}
