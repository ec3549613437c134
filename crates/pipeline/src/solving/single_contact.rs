//! One contact while every other impulse is held fixed: Coulomb's law without regularisation
//! (docs/design/math.md §2.1, rule S0).
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
//!
//! A register holds as many contacts as it has lanes. The residual solves eight contacts at once; the sweeps and the
//! search for the nearest solution take one lane.

use nalgebra::{Matrix2, Matrix3, Vector2, Vector3};
use tightfit_spatial::{Mask, Scalar, Simd, Wide, Wide3};

use super::contact_frame::{WideMatrix, dot};

/// Halvings of u: to the last bit.
const BISECTIONS: u32 = 60;
/// Secants towards a slip root; the few contacts that need more are bisected.
const SECANTS: u32 = 12;
/// |g| below this share of μpₙ is a root. Rounding leaves up to 1e-14.
const ROOT: f64 = 1e-13;
/// Cells in which slip roots are sought one by one.
const CELLS: u32 = 64;

/// Contacts given the others, one per lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct SingleContact<S: Simd> {
    /// Dₙₙ, Dₙₜ, Dₜₙ and D̃ [1/kg].
    normal: Wide<S>,
    coupling: [Wide<S>; 2],
    back: [Wide<S>; 2],
    reduced: [[Wide<S>; 2]; 2],
    mean: Wide<S>,
    friction: Wide<S>,
    /// Diagonal of D [1/kg].
    diagonal: Wide3<S>,
}

/// cₙ + b and c̃ [m/s].
#[derive(Clone, Copy, Debug)]
pub(super) struct FreeSpeed<S: Simd> {
    gap_rate: Wide<S>,
    drive: [Wide<S>; 2],
}

impl<S: Simd> SingleContact<S> {
    /// From D and μ.
    #[inline(always)]
    pub(super) fn new(delassus: &WideMatrix<S>, friction: Wide<S>) -> Self {
        let [[normal, nx, ny], [xn, xx, xy], [yn, yx, yy]] = [delassus[0].0, delassus[1].0, delassus[2].0];
        let reduced =
            [[xx - xn * nx / normal, xy - xn * ny / normal], [yx - yn * nx / normal, yy - yn * ny / normal]];
        let mean = (reduced[0][0] + reduced[1][1]) * Wide::splat(normal.simd(), 0.5);
        let diagonal = Wide3([normal, xx, yy]);
        Self { normal, coupling: [nx, ny], back: [xn, yn], reduced, mean, friction, diagonal }
    }

    /// Where Dₙₙ and D̃ are not those of a positive definite response.
    #[inline(always)]
    pub(super) fn is_unsound(&self) -> Mask<S> {
        let zero = Wide::splat(self.normal.simd(), 0.0);
        let [[a, b], [c, d]] = self.reduced;
        self.normal.is_at_most(zero) | self.mean.is_at_most(zero) | (a * d - c * b).is_at_most(zero)
    }

    /// From c and b [m/s].
    #[inline(always)]
    pub(super) fn free_speed(&self, free: Wide3<S>, approach: Wide<S>) -> FreeSpeed<S> {
        let [normal, x, y] = free.0;
        let gap_rate = normal + approach;
        let stopped = gap_rate / self.normal;
        FreeSpeed { gap_rate, drive: [x - self.back[0] * stopped, y - self.back[1] * stopped] }
    }

    /// A solution p [N·s]; a slip is sought by secants from where `impulse` and its slip speed [m/s] are, and pₙ is not
    /// a number where they do not find it. Where the law has several solutions any of them may be found.
    #[inline(always)]
    pub(super) fn solve_near(&self, free: &FreeSpeed<S>, impulse: Wide3<S>, slip_speed: Wide<S>) -> Wide3<S> {
        let simd = slip_speed.simd();
        let zero = Wide::splat(simd, 0.0);
        let stick = self.at(Wide::splat(simd, 1.0), free);
        let (is_open, sticks) = (zero.is_at_most(free.gap_rate), self.excess(stick).is_at_most(zero));
        let push = self.mean * tangential_norm(impulse);
        let slip = match (is_open | sticks).is_everywhere() {
            true => stick,
            false => self.secant(push / (push + slip_speed), free),
        };
        Wide3([
            is_open.drop(sticks.choose(stick.0[0], slip.0[0])),
            is_open.drop(sticks.choose(stick.0[1], slip.0[1])),
            is_open.drop(sticks.choose(stick.0[2], slip.0[2])),
        ])
    }

    /// |diag(D) (a − b)| [m/s].
    #[inline(always)]
    pub(super) fn distance(&self, a: Wide3<S>, b: Wide3<S>) -> Wide<S> {
        let ([x, y, z], [dx, dy, dz]) = (self.diagonal.0, (a - b).0);
        let speed = Wide3([x * dx, y * dy, z * dz]);
        dot(speed, speed).sqrt()
    }

    /// p on the slip curve at u; u = 1 sticks.
    #[inline(always)]
    fn at(&self, u: Wide<S>, free: &FreeSpeed<S>) -> Wide3<S> {
        let rest = (Wide::splat(u.simd(), 1.0) - u) * self.mean;
        let [[a, b], [c, d]] = self.reduced;
        let (a, b, c, d) = (a * u + rest, b * u, c * u, d * u + rest);
        let (x, y) = (free.drive[0] * -u, free.drive[1] * -u);
        let determinant = a * d - c * b;
        let (x, y) = ((d * x - b * y) / determinant, (a * y - c * x) / determinant);
        let normal = -(free.gap_rate + (self.coupling[0] * x + self.coupling[1] * y)) / self.normal;
        Wide3([normal, x, y])
    }

    /// g = |pₜ| − μ pₙ.
    #[inline(always)]
    fn excess(&self, p: Wide3<S>) -> Wide<S> {
        tangential_norm(p) - self.friction * p.0[0]
    }

    /// Root of g near `guess`; pₙ is not a number where it is not found.
    #[inline(always)]
    fn secant(&self, guess: Wide<S>, free: &FreeSpeed<S>) -> Wide3<S> {
        let simd = guess.simd();
        let (zero, half) = (Wide::splat(simd, 0.0), Wide::splat(simd, 0.5));
        let (mut low, mut high) = (zero, Wide::splat(simd, 1.0));
        let (mut u, mut before) = (guess, guess * Wide::splat(simd, 0.999));
        let mut excess_before = self.excess(self.at(before, free));
        let mut p = self.at(u, free);
        let is_root = |excess: Wide<S>, p: Wide3<S>| {
            excess.abs().is_at_most(Wide::splat(simd, ROOT) * self.friction * p.0[0])
        };
        for _ in 0..SECANTS {
            let excess = self.excess(p);
            // a root keeps its place while other lanes go on
            let is_done = is_root(excess, p);
            if is_done.is_everywhere() {
                break;
            }
            let is_inside = excess.is_at_most(zero);
            low = is_inside.choose(u, low);
            high = is_inside.choose(high, u);
            let next = u - excess * (u - before) / (excess - excess_before);
            let middle = (low + high) * half;
            let next = low.is_below(next).choose(next, middle);
            let next = next.is_below(high).choose(next, middle);
            before = is_done.choose(before, u);
            excess_before = is_done.choose(excess_before, excess);
            u = is_done.choose(u, next);
            p = self.at(u, free);
        }
        let not_found = Wide::splat(simd, f64::NAN);
        Wide3([is_root(self.excess(p), p).choose(p.0[0], not_found), p.0[1], p.0[2]])
    }
}

impl SingleContact<Scalar> {
    /// `None` unless Dₙₙ > 0 and D̃ has a positive trace and determinant, as any D of a positive definite response has.
    pub(super) fn of(delassus: &Matrix3<f64>, friction: f64) -> Option<Self> {
        let row = |row: usize| Wide3::one(&delassus.row(row).transpose());
        let single = Self::new(&[row(0), row(1), row(2)], Wide::one(friction));
        let is_number = delassus.iter().all(|entry| !entry.is_nan());
        (is_number && !single.is_unsound().is_everywhere()).then_some(single)
    }

    /// p [N·s] by rule S0, from c and b [m/s].
    pub(super) fn solve(&self, free: Vector3<f64>, approach: f64) -> Vector3<f64> {
        let speed = self.free_speed(Wide3::one(&free), Wide::one(approach));
        self.solve_or(&speed, || self.bisect(0.0, 1.0, &speed))
    }

    /// Open, stick, or what `slip` finds.
    pub(super) fn solve_or(
        &self,
        free: &FreeSpeed<Scalar>,
        slip: impl FnOnce() -> Vector3<f64>,
    ) -> Vector3<f64> {
        if free.gap_rate() >= 0.0 {
            return Vector3::zeros();
        }
        let (stick, excess) = self.point(1.0, free);
        if excess <= 0.0 { stick } else { slip() }
    }

    /// Of all solutions of the law the one nearest to `impulse` [N·s], distances weighted by diag D.
    pub(super) fn nearest(&self, free: Vector3<f64>, approach: f64, impulse: &Vector3<f64>) -> Vector3<f64> {
        let mut best = self.solve(free, approach);
        let distance = |p: &Vector3<f64>| self.distance(Wide3::one(p), Wide3::one(impulse)).value();
        let mut consider = |candidate: Vector3<f64>| {
            if distance(&candidate) < distance(&best) {
                best = candidate;
            }
        };
        let free = &self.free_speed(Wide3::one(&free), Wide::one(approach));
        let (stick, excess) = self.point(1.0, free);
        if stick.x > 0.0 && excess <= 0.0 {
            consider(stick);
        }
        let mut before = self.point(0.0, free).1;
        for cell in 1..=CELLS {
            let (low, high) = (f64::from(cell - 1) / f64::from(CELLS), f64::from(cell) / f64::from(CELLS));
            let after = self.point(high, free).1;
            if (before <= 0.0) != (after <= 0.0) {
                let root = self.bisect(low, high, free);
                if root.x >= 0.0 {
                    consider(root);
                }
            }
            before = after;
        }
        best
    }

    /// Root of g between two u where its sign differs; the side inside the cone is returned.
    fn bisect(&self, mut low: f64, mut high: f64, free: &FreeSpeed<Scalar>) -> Vector3<f64> {
        let rising = self.point(low, free).1 <= 0.0;
        for _ in 0..BISECTIONS {
            let middle = f64::midpoint(low, high);
            let inside = self.point(middle, free).1 <= 0.0;
            *(if inside == rising { &mut low } else { &mut high }) = middle;
        }
        self.point(if rising { low } else { high }, free).0
    }

    /// p and g at u.
    #[inline(always)]
    fn point(&self, u: f64, free: &FreeSpeed<Scalar>) -> (Vector3<f64>, f64) {
        let p = self.at(Wide::one(u), free);
        (p.value(), self.excess(p).value())
    }

    /// Dₙₙ [1/kg].
    pub(super) fn normal(&self) -> f64 {
        self.normal.value()
    }

    /// Dₙₜ [1/kg].
    pub(super) fn coupling(&self) -> Vector2<f64> {
        Vector2::new(self.coupling[0].value(), self.coupling[1].value())
    }

    /// D̃ [1/kg].
    pub(super) fn reduced(&self) -> Matrix2<f64> {
        let [[a, b], [c, d]] = self.reduced;
        Matrix2::new(a.value(), b.value(), c.value(), d.value())
    }

    /// μ [-].
    pub(super) fn friction(&self) -> f64 {
        self.friction.value()
    }
}

impl FreeSpeed<Scalar> {
    /// cₙ + b [m/s].
    pub(super) fn gap_rate(&self) -> f64 {
        self.gap_rate.value()
    }

    /// c̃ [m/s].
    pub(super) fn drive(&self) -> Vector2<f64> {
        Vector2::new(self.drive[0].value(), self.drive[1].value())
    }
}

/// |pₜ|.
#[inline(always)]
pub(super) fn tangential_norm<S: Simd>(p: Wide3<S>) -> Wide<S> {
    (p.0[1] * p.0[1] + p.0[2] * p.0[2]).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_solution_obeys_signorini_and_coulomb() {
        let mut secants = 0;
        for k in 0..2000 {
            let noise = |i: u32| (f64::from(k * 31 + i * 7919).sin() * 4e4) % 1.0;
            let root = Matrix3::from_fn(|i, j| noise(3 * i as u32 + j as u32));
            let skew = Vector3::from_fn(|i, _| 0.1 * noise(20 + i as u32)).cross_matrix();
            let delassus = root * root.transpose() + Matrix3::identity() * 0.05 + skew;
            let free = Vector3::from_fn(|i, _| noise(30 + i as u32));
            let (friction, approach) = (noise(40).abs() * 1.5, noise(41).abs() * 0.2);
            let contact = SingleContact::of(&delassus, friction).expect("positive definite");

            let p = contact.solve(free, approach);

            let v = free + delassus * p;
            let (slip, push) = (Vector2::new(v.y, v.z), Vector2::new(p.y, p.z));
            assert!(v.x + approach > -1e-9 && p.x >= 0.0);
            assert!((p.x * (v.x + approach)).abs() < 1e-9, "Signorini");
            assert!(push.norm() <= friction * p.x + 1e-12, "cone");
            assert!((push * slip.norm() + slip * (friction * p.x)).norm() < 1e-7, "opposes slip {k}");
            let distance = |a: &Vector3<f64>, b| contact.distance(Wide3::one(a), Wide3::one(b)).value();
            assert!(distance(&contact.nearest(free, approach, &p), &p) < 1e-12);
            let speed = contact.free_speed(Wide3::one(&free), Wide::one(approach));
            let near = contact.solve_near(&speed, Wide3::one(&p), Wide::one(slip.norm())).value();
            if !near.x.is_nan() {
                secants += 1;
                assert!(distance(&contact.nearest(free, approach, &near), &near) < 1e-9);
            }
        }
        assert!(secants > 1980, "secants found {secants} of 2000");
    }
}
