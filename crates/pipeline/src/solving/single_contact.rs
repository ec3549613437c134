//! One contact while every other impulse is held fixed: Coulomb's law without regularisation (MATH 2.1, S0).
//!
//! ```text
//! v = c + D p      0 ≤ pₙ ⊥ vₙ + b ≥ 0      |pₜ| ≤ μ pₙ,  vₜ = −s pₜ,  s ≥ 0
//!
//! open   cₙ + b ≥ 0:  p = 0
//! else   pₙ = −(cₙ + b + Dₙₜpₜ)/Dₙₙ     D̃ = Dₜₜ − DₜₙDₙₜ/Dₙₙ     c̃ = cₜ − Dₜₙ(cₙ + b)/Dₙₙ
//! stick  pₜ = −D̃⁻¹c̃                     if pₙ > 0 and |pₜ| ≤ μpₙ
//! slip   (u D̃ + (1 − u) d̄ I) pₜ = −u c̃    g(u) = |pₜ| − μpₙ = 0,  u ∈ (0, 1),  d̄ = ½ tr D̃,  s = d̄ (1 − u)/u
//! ```
//!
//! Components in the contact frame [n t₁ t₂]: v, c, b [m/s], p [N·s], D [1/kg], not symmetric in general. When
//! stick fails g(1) > 0 and g(0) < 0, so slip has a root in the Painlevé regime too; there the law may have
//! several solutions.

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};

/// Halvings of u: to the last bit.
const BISECTIONS: u32 = 60;
/// Secants tried before bisection.
const SECANTS: u32 = 12;
/// |g| below this share of μpₙ is rounding.
const ROUNDING: f64 = 4e-16;
/// Cells in which slip roots are sought one by one.
const CELLS: u32 = 64;

/// One contact given the others.
#[derive(Clone, Debug)]
pub struct SingleContact {
    /// Dₙₙ, Dₙₜ, and D̃ with the normal eliminated [1/kg].
    pub(super) normal: f64,
    pub(super) coupling: Vector2<f64>,
    pub(super) reduced: Matrix2<f64>,
    mean: f64,
    pub(super) friction: f64,
    /// D [1/kg].
    delassus: Matrix3<f64>,
}

impl SingleContact {
    /// `None` unless Dₙₙ > 0 and the reduced matrix has a positive trace and determinant, as any D of a
    /// positive definite response has.
    #[must_use]
    pub fn new(delassus: Matrix3<f64>, friction: f64) -> Option<Self> {
        let normal = delassus[(0, 0)];
        let coupling = Vector2::new(delassus[(0, 1)], delassus[(0, 2)]);
        let back = Vector2::new(delassus[(1, 0)], delassus[(2, 0)]);
        let tangential: Matrix2<f64> = delassus.fixed_view::<2, 2>(1, 1).into();
        let reduced = tangential - back * coupling.transpose() / normal;
        let sound = normal > 0.0 && reduced.trace() > 0.0 && reduced.determinant() > 0.0;
        let mean = 0.5 * reduced.trace();
        sound.then_some(Self { normal, coupling, reduced, mean, friction, delassus })
    }

    /// p [N·s] by rule S0, from c and b [m/s].
    #[must_use]
    pub fn solve(&self, free: Vector3<f64>, approach: f64) -> Vector3<f64> {
        self.solve_or(free, approach, || self.bisect(0.0, 1.0, &free, approach))
    }

    /// Like [`Self::solve`], but a slip is sought from where `impulse` [N·s] and its slip speed [m/s] are: a
    /// few steps instead of sixty. Where the law has several solutions it may be another one.
    #[must_use]
    pub fn solve_near(
        &self,
        free: Vector3<f64>,
        approach: f64,
        impulse: &Vector3<f64>,
        slip_speed: f64,
    ) -> Vector3<f64> {
        self.solve_or(free, approach, || {
            let push = (impulse.y * impulse.y + impulse.z * impulse.z).sqrt();
            let guess = self.mean * push / (self.mean * push + slip_speed);
            self.secant(guess, &free, approach)
        })
    }

    /// Open, stick, or what `slip` finds.
    pub(super) fn solve_or(
        &self,
        free: Vector3<f64>,
        approach: f64,
        slip: impl FnOnce() -> Vector3<f64>,
    ) -> Vector3<f64> {
        if free.x + approach >= 0.0 {
            return Vector3::zeros();
        }
        let stick = self.at(1.0, &free, approach);
        if self.excess(&stick) <= 0.0 {
            return stick;
        }
        slip()
    }

    /// Of all solutions of the law the one nearest to `impulse` [N·s], distances weighted by diag D.
    #[must_use]
    pub fn nearest(&self, free: Vector3<f64>, approach: f64, impulse: &Vector3<f64>) -> Vector3<f64> {
        let mut best = self.solve(free, approach);
        let mut consider = |candidate: Vector3<f64>| {
            if self.distance(&candidate, impulse) < self.distance(&best, impulse) {
                best = candidate;
            }
        };
        let stick = self.at(1.0, &free, approach);
        if stick.x > 0.0 && self.excess(&stick) <= 0.0 {
            consider(stick);
        }
        let mut before = self.excess(&self.at(0.0, &free, approach));
        for cell in 1..=CELLS {
            let (low, high) = (f64::from(cell - 1) / f64::from(CELLS), f64::from(cell) / f64::from(CELLS));
            let after = self.excess(&self.at(high, &free, approach));
            if (before <= 0.0) != (after <= 0.0) {
                let root = self.bisect(low, high, &free, approach);
                if root.x >= 0.0 {
                    consider(root);
                }
            }
            before = after;
        }
        best
    }

    /// |diag(D) (a − b)| [m/s].
    #[must_use]
    pub fn distance(&self, a: &Vector3<f64>, b: &Vector3<f64>) -> f64 {
        self.delassus.diagonal().component_mul(&(a - b)).norm()
    }

    /// p on the slip curve at u; u = 1 sticks.
    fn at(&self, u: f64, free: &Vector3<f64>, approach: f64) -> Vector3<f64> {
        let gap_rate = free.x + approach;
        let drive = self.drive(free, approach);
        let m = self.reduced * u + Matrix2::identity() * ((1.0 - u) * self.mean);
        let right = drive * -u;
        let tangential = Vector2::new(
            m[(1, 1)] * right.x - m[(0, 1)] * right.y,
            m[(0, 0)] * right.y - m[(1, 0)] * right.x,
        ) / m.determinant();
        let normal = -(gap_rate + self.coupling.dot(&tangential)) / self.normal;
        Vector3::new(normal, tangential.x, tangential.y)
    }

    /// c̃ [m/s].
    pub(super) fn drive(&self, free: &Vector3<f64>, approach: f64) -> Vector2<f64> {
        let back = Vector2::new(self.delassus[(1, 0)], self.delassus[(2, 0)]);
        Vector2::new(free.y, free.z) - back * ((free.x + approach) / self.normal)
    }

    /// g = |pₜ| − μ pₙ.
    fn excess(&self, impulse: &Vector3<f64>) -> f64 {
        (impulse.y * impulse.y + impulse.z * impulse.z).sqrt() - self.friction * impulse.x
    }

    /// Root of g near `guess` by secants; by bisection of what is left when they do not get there.
    fn secant(&self, guess: f64, free: &Vector3<f64>, approach: f64) -> Vector3<f64> {
        let (mut low, mut high) = (0.0, 1.0);
        let mut before = (0.999 * guess, self.excess(&self.at(0.999 * guess, free, approach)));
        let mut u = guess;
        for _ in 0..SECANTS {
            let impulse = self.at(u, free, approach);
            let excess = self.excess(&impulse);
            if excess.abs() <= ROUNDING * self.friction * impulse.x {
                return impulse;
            }
            *(if excess <= 0.0 { &mut low } else { &mut high }) = u;
            let next = u - excess * (u - before.0) / (excess - before.1);
            before = (u, excess);
            u = if next > low && next < high { next } else { f64::midpoint(low, high) };
        }
        self.bisect(low, high, free, approach)
    }

    /// Root of g between two u where its sign differs; the side inside the cone is returned.
    fn bisect(&self, mut low: f64, mut high: f64, free: &Vector3<f64>, approach: f64) -> Vector3<f64> {
        let rising = self.excess(&self.at(low, free, approach)) <= 0.0;
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(low, high);
            let inside = self.excess(&self.at(middle, free, approach)) <= 0.0;
            *(if inside == rising { &mut low } else { &mut high }) = middle;
        }
        self.at(if rising { low } else { high }, free, approach)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_obeys_signorini_and_coulomb() {
        for k in 0..2000 {
            let noise = |i: u32| (f64::from(k * 31 + i * 7919).sin() * 4e4) % 1.0;
            let root = Matrix3::from_fn(|i, j| noise(3 * i as u32 + j as u32));
            let skew = Vector3::from_fn(|i, _| 0.1 * noise(20 + i as u32)).cross_matrix();
            let delassus = root * root.transpose() + Matrix3::identity() * 0.05 + skew;
            let free = Vector3::from_fn(|i, _| noise(30 + i as u32));
            let (friction, approach) = (noise(40).abs() * 1.5, noise(41).abs() * 0.2);
            let contact = SingleContact::new(delassus, friction).expect("positive definite");

            let p = contact.solve(free, approach);

            let v = free + delassus * p;
            let (slip, push) = (Vector2::new(v.y, v.z), Vector2::new(p.y, p.z));
            assert!(v.x + approach > -1e-9 && p.x >= 0.0);
            assert!((p.x * (v.x + approach)).abs() < 1e-9, "Signorini");
            assert!(push.norm() <= friction * p.x + 1e-12, "cone");
            assert!((push * slip.norm() + slip * (friction * p.x)).norm() < 1e-7, "opposes slip {k}");
            let near = contact.nearest(free, approach, &contact.solve_near(free, approach, &p, slip.norm()));
            assert!(contact.distance(&near, &contact.solve_near(free, approach, &p, slip.norm())) < 1e-9);
            assert!(contact.distance(&contact.nearest(free, approach, &p), &p) < 1e-12);
        }
    }
}
