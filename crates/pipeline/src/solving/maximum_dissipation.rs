//! The paper's rule for one contact: open, stick, or the slip that dissipates most at the midpoint (paper §3.3,
//! docs/design/math.md §2.1, rule S1; the search along the cone follows Hwangbo, Lee, Hutter, RA-L 2018).
//!
//! ```text
//! slip   pₜ = r e,   r = −μ(cₙ + b)/g,   g = Dₙₙ + μ Dₙₜ·e        on the cone, with vₙ = −b
//!        f(e) = 2 pₜ·v̄ₜ = r e·(c̃ + v₀ₜ) + r² e·D̃e  →  min         twice the energy that friction puts in
//! ```
//!
//! e unit direction in the tangent plane, v₀ₜ slip at the start of the step [m/s], other symbols as in
//! `single_contact`. Where D̃ is not isotropic f may have several minima: a scan over directions brackets them, each is
//! refined to the root of f', and the lowest is taken. Usually there is only one, which Newton's method finds directly
//! (`dissipation_slope`). Beyond Painlevé's limit some directions have no solution; there the arc around every minimum
//! of the scan is bisected by the sign of f'. f prefers directions of large D̃ and of v₀ₜ, so friction is not opposite
//! to the slip at the end of the step, as it is by Coulomb's law.

use std::sync::LazyLock;

use nalgebra::{Vector2, Vector3};
use tightfit_spatial::{Scalar, Wide, Wide3};

use super::dissipation_slope::DissipationSlope;
use super::single_contact::SingleContact;

/// Number of directions of the scan.
const DIRECTIONS: usize = 32;
/// Bisections of the arc between two directions: 0.4 rad down to 6e-9 rad.
const HALVINGS: u32 = 26;
/// A direction with g below this share of Dₙₙ has no solution (Painlevé).
const BLOCKED: f64 = 1e-9;

static FAN: LazyLock<[Vector2<f64>; DIRECTIONS]> = LazyLock::new(|| {
    std::array::from_fn(|index| {
        let (sin, cos) = libm::sincos(std::f64::consts::TAU * index as f64 / DIRECTIONS as f64);
        Vector2::new(cos, sin)
    })
});

/// p [N·s] in the contact frame from c, v₀ₜ and b [m/s]. The search for a slip starts from the direction of `last`, a
/// nearby solution or zero.
pub(super) fn solve(
    contact: &SingleContact<Scalar>,
    free: Vector3<f64>,
    start_slip: Vector2<f64>,
    approach: f64,
    last: &Vector3<f64>,
) -> Vector3<f64> {
    let free = contact.free_speed(Wide3::one(&free), Wide::one(approach));
    contact.solve_or(&free, || {
        let (push, friction) = (-free.gap_rate(), contact.friction());
        if friction <= 0.0 {
            return Vector3::new(push / contact.normal(), 0.0, 0.0);
        }
        let curve = Curve { contact, push: friction * push, toward: free.drive() + start_slip };
        // Of unit length if the last impulse was on the cone.
        let guess = last.yz() / (friction * last.x);
        let is_unit = (guess.norm_squared() - 1.0).abs() < 1e-9;
        curve.at(curve.lowest(is_unit.then_some(guess)))
    })
}

/// The slip impulses as a function of their direction.
struct Curve<'a> {
    contact: &'a SingleContact<Scalar>,
    /// −μ(cₙ + b) [m/s].
    push: f64,
    /// c̃ + v₀ₜ [m/s].
    toward: Vector2<f64>,
}

impl Curve<'_> {
    /// g; `None` for a direction without solution.
    fn gain(&self, e: Vector2<f64>) -> Option<f64> {
        let gain = self.contact.normal() + self.contact.friction() * self.contact.coupling().dot(&e);
        (gain > BLOCKED * self.contact.normal()).then_some(gain)
    }

    fn at(&self, e: Vector2<f64>) -> Vector3<f64> {
        let size = self.gain(e).map_or(0.0, |gain| self.push / gain);
        Vector3::new(size / self.contact.friction(), size * e.x, size * e.y)
    }

    /// f [J·2].
    fn energy(&self, e: Vector2<f64>) -> f64 {
        self.gain(e).map_or(f64::INFINITY, |gain| {
            let size = self.push / gain;
            size * (e.dot(&self.toward) + size * e.dot(&(self.contact.reduced() * e)))
        })
    }

    /// df/dθ, θ the angle of e.
    fn slope(&self, e: Vector2<f64>) -> Option<f64> {
        let gain = self.gain(e)?;
        let across = Vector2::new(-e.y, e.x);
        let size = self.push / gain;
        let growth = -size * self.contact.friction() * self.contact.coupling().dot(&across) / gain;
        let (along, reduced) = (self.contact.reduced() * e, self.contact.reduced());
        let square = across.dot(&along) + e.dot(&(reduced * across));
        Some(
            growth * e.dot(&self.toward)
                + size * across.dot(&self.toward)
                + 2.0 * size * growth * e.dot(&along)
                + size * size * square,
        )
    }

    /// Direction of the lowest f.
    fn lowest(&self, guess: Option<Vector2<f64>>) -> Vector2<f64> {
        let (normal, friction, coupling) =
            (self.contact.normal(), self.contact.friction(), self.contact.coupling());
        let steepest = friction * friction * coupling.norm_squared();
        if steepest >= (1.0 - BLOCKED) * normal * normal {
            return self.lowest_unblocked();
        }
        let slope = DissipationSlope::new(self.contact, self.push, self.toward);
        slope.only_minimum(guess).unwrap_or_else(|| self.lowest_root(&slope))
    }

    /// The lowest of the minima that the scan of f' brackets.
    fn lowest_root(&self, slope: &DissipationSlope) -> Vector2<f64> {
        let fan = &*FAN;
        let slopes: [f64; DIRECTIONS] = std::array::from_fn(|index| slope.at(fan[index]));
        let mut best = (f64::INFINITY, fan[0]);
        for index in 0..DIRECTIONS {
            let after = (index + 1) % DIRECTIONS;
            if slopes[index] < 0.0 && slopes[after] >= 0.0 {
                let direction = slope.root_between(fan[index], fan[after]);
                let energy = self.energy(direction);
                if energy < best.0 {
                    best = (energy, direction);
                }
            }
        }
        best.1
    }

    /// The lowest of the minima of the scan among the directions with a solution.
    fn lowest_unblocked(&self) -> Vector2<f64> {
        let energies: [f64; DIRECTIONS] = std::array::from_fn(|index| self.energy(FAN[index]));
        let mut best = (f64::INFINITY, FAN[0]);
        for index in 0..DIRECTIONS {
            let (before, after) = ((index + DIRECTIONS - 1) % DIRECTIONS, (index + 1) % DIRECTIONS);
            if energies[index] <= energies[before] && energies[index] < energies[after] {
                let direction = self.halve(FAN[before], FAN[index], FAN[after]);
                let energy = self.energy(direction);
                if energy < best.0 {
                    best = (energy, direction);
                }
            }
        }
        best.1
    }

    /// The minimum between two directions around `center`, which is lower than both.
    fn halve(&self, mut low: Vector2<f64>, center: Vector2<f64>, mut high: Vector2<f64>) -> Vector2<f64> {
        let mut middle = center;
        for _ in 0..HALVINGS {
            let rises = match self.slope(middle) {
                Some(slope) => slope > 0.0,
                // No solution here: go back towards the centre.
                None => center.perp(&middle) > 0.0,
            };
            *(if rises { &mut high } else { &mut low }) = middle;
            middle = (low + high).normalize();
        }
        middle
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use nalgebra::Matrix3;

    /// Deterministic noise in (−1, 1).
    fn noise(seed: u32, index: u32) -> f64 {
        (f64::from(seed * 31 + index * 7919).sin() * 4e4) % 1.0
    }

    fn contact(seed: u32) -> (SingleContact<Scalar>, Matrix3<f64>, Vector3<f64>, Vector2<f64>, f64, f64) {
        let root = Matrix3::from_fn(|i, j| noise(seed, (3 * i + j) as u32));
        let delassus = root * root.transpose() + Matrix3::identity() * 0.05;
        let free = Vector3::from_fn(|i, _| noise(seed, 30 + i as u32));
        let start = Vector2::new(noise(seed, 50), noise(seed, 51));
        let (friction, approach) = (noise(seed, 40).abs(), noise(seed, 41).abs() * 0.2);
        let single = SingleContact::of(&delassus, friction).expect("positive definite");
        (single, delassus, free, start, friction, approach)
    }

    fn distance(single: &SingleContact<Scalar>, a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
        single.distance(Wide3::one(a), Wide3::one(b)).value()
    }

    #[test]
    fn signorini_and_the_cone_hold_and_no_other_slip_dissipates_more() {
        for seed in 0..2000 {
            let (single, delassus, free, start, friction, approach) = contact(seed);
            let p = solve(&single, free, start, approach, &Vector3::zeros());
            let repeated = solve(&single, free, start, approach, &p);
            assert!(
                distance(&single, &repeated, &p) < 1e-9 * (1.0 + p.norm()),
                "{seed}: the same from any start"
            );
            let v = free + delassus * p;
            assert!(p.x >= 0.0 && v.x + approach > -1e-9 && (p.x * (v.x + approach)).abs() < 1e-9, "{seed}");
            let push = Vector2::new(p.y, p.z);
            assert!(push.norm() <= friction * p.x * (1.0 + 1e-12) + 1e-15, "{seed}");
            if push.norm() < friction * p.x * (1.0 - 1e-9) {
                assert!(v.yz().norm() < 1e-9, "{seed}: inside the cone only sticking");
                continue;
            }
            let work = |push: Vector2<f64>, v: Vector3<f64>| push.dot(&(v.yz() + start));
            let found = work(push, v);
            for step in 0..3600 {
                let (sin, cos) = (f64::from(step) * 0.1_f64.to_radians()).sin_cos();
                let gain = single.normal() + friction * single.coupling().dot(&Vector2::new(cos, sin));
                let size = -friction * (free.x + approach) / gain;
                if gain > 0.0 && p.x > 0.0 {
                    let other = Vector3::new(size / friction, size * cos, size * sin);
                    let energy = work(other.yz(), free + delassus * other);
                    assert!(
                        found <= energy + 1e-5 * energy.abs().max(found.abs()),
                        "{seed} {found} {energy}"
                    );
                }
            }
        }
    }

    #[test]
    fn a_ball_slides_by_coulombs_law_and_other_bodies_do_not() {
        // D̃ isotropic, no coupling, constant direction of slip: both rules agree.
        let single = SingleContact::of(&Matrix3::from_diagonal(&Vector3::new(1.0, 3.5, 3.5)), 0.2).unwrap();
        let (free, start) = (Vector3::new(-0.1, 0.6, 0.3), Vector2::new(0.6, 0.3));
        let (paper, coulomb) = (solve(&single, free, start, 0.0, &Vector3::zeros()), single.solve(free, 0.0));
        assert!(distance(&single, &paper, &coulomb) < 1e-8, "{paper} {coulomb}");

        // Median angle between −pₜ and the slip at the end, over sliding contacts.
        let mut angles = Vec::new();
        for seed in 0..2000 {
            let (single, delassus, free, _, friction, approach) = contact(seed);
            let p = solve(&single, free, free.yz(), approach, &Vector3::zeros());
            let slip = (free + delassus * p).yz();
            if p.x > 0.0 && p.yz().norm() > friction * p.x * (1.0 - 1e-9) && slip.norm() > 1e-6 {
                angles.push((-p.yz()).angle(&slip).to_degrees());
            }
        }
        angles.sort_by(f64::total_cmp);
        let median = angles[angles.len() / 2];
        assert!(angles.len() > 200 && median > 1.0, "{} contacts, {median} deg", angles.len());
    }
}
