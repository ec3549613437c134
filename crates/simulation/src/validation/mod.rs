/*!
Validation: compares the step with published analytical results.

A [`Case`] builds a scene, simulates it with [`crate::step`], as all other code does, and measures.
Every number becomes a [`Verdict`] with the tolerance of `docs/design/math.md` §11. One case may give
several, with dotted names. A case that misses its tolerance is reported as failing; no tolerance is widened.
*/

mod ball;
mod chamfer_crossing;
mod heavy_top;
mod incline;
mod insertion_force;
mod jamming;
mod moved_slab;
mod painleve_rod;
mod peg_fit;
mod plastic_drop;
mod sliding_stop;
mod spinning_disc;
mod symmetric_top;
mod tall_box;
mod thread_lead;
mod thread_locking;
mod thread_torque;
mod threaded_pair;
mod trial;
mod two_point_tilt;
mod verdict;
mod wedging;

pub use verdict::Verdict;

use crate::SceneError;

/// Acceleration of gravity [m/s²].
const GRAVITY: f64 = 9.81;

/// A reference result and the experiment that tests it.
#[derive(Clone, Copy, Debug)]
pub struct Case {
    /// Short name, first part of the names of its verdicts.
    pub name: &'static str,
    /// The reference result and its source, in one line.
    pub truth: &'static str,
    experiment: fn(&str) -> Result<Vec<Verdict>, SceneError>,
}

impl Case {
    /// Runs the experiment.
    ///
    /// # Errors
    /// When its scene cannot be built.
    pub fn run(&self) -> Result<Vec<Verdict>, SceneError> {
        (self.experiment)(self.name)
    }

    const fn new(
        name: &'static str,
        truth: &'static str,
        experiment: fn(&str) -> Result<Vec<Verdict>, SceneError>,
    ) -> Self {
        Self { name, truth, experiment }
    }
}

static CASES: [Case; 21] = [
    Case::new("incline", "Coulomb: a block slips iff tan θ > μ, then a = g (sin θ − μ cos θ)", incline::run),
    Case::new("sliding-stop", "Coulomb: a sliding block stops after v²/2μg", sliding_stop::run),
    Case::new(
        "ball-on-slope",
        "rolling a = 5/7 g sin θ if μ ≥ 2/7 tan θ, else g (sin θ − μ cos θ)",
        ball::slope,
    ),
    Case::new("ball-to-rolling", "a sliding ball ends rolling at 5/7 of its speed", ball::to_rolling),
    Case::new(
        "moved-slab",
        "a ball on an accelerated slab: 2/7 a if a ≤ 7/2 μ g, else μ g; the slab supplies the energy",
        moved_slab::run,
    ),
    Case::new("plastic-drop", "a plastic impact has no rebound and loses m g h", plastic_drop::run),
    Case::new("painleve-rod", "Painlevé 1895: pₙ = m g T/(1.6 ∓ 1.2 μ) at tan θ = 2", painleve_rod::run),
    Case::new(
        "spinning-disc",
        "Farkas et al. 2003: sliding and spinning of a uniform disc end together",
        spinning_disc::run,
    ),
    Case::new(
        "symmetric-top",
        "Euler: body rate (J₃ − J₁)/J₁ ω₃, midpoint rule 2/T atan(ΩT/2)",
        symmetric_top::run,
    ),
    Case::new("heavy-top", "Lagrange: J₁ cos θ Ω² − J₃ ω₃ Ω + m g l = 0, slow root", heavy_top::run),
    Case::new("tall-box", "a box tips iff tan θ > w/h when μ is large", tall_box::run),
    Case::new(
        "thread-torque",
        "power screw: T/W = r₂ (tan λ ± μ g cos λ)/(1 ∓ μ g sin λ), contact at r₂",
        thread_torque::run,
    ),
    Case::new(
        "thread-torque-flanks",
        "the same between the radii of the flanks: ±7 %",
        thread_torque::full_flanks,
    ),
    Case::new("thread-lead", "an engaged nut advances by its pitch every turn", thread_lead::run),
    Case::new(
        "thread-locking",
        "power screw: a nut runs down by itself iff μ < tan λ/(g cos λ)",
        thread_locking::run,
    ),
    Case::new(
        "two-point-tilt",
        "Whitney 1982: D = d cos θ + l sin θ when peg and hole touch at two points",
        two_point_tilt::run,
    ),
    Case::new("wedging", "Whitney 1982: a peg can wedge iff l ≤ μ d", wedging::run),
    Case::new("jamming", "Whitney 1982: sliding until M/rF_z = λ + μ(1 + λ) F_x/F_z", jamming::run),
    Case::new(
        "jamming-tilted",
        "the same with the tilt of the 65 um fit in the mouth's normal",
        jamming::tilted,
    ),
    Case::new(
        "insertion-force",
        "Whitney 1982: F_z = 2μM/l + μF_x (1 + 2μr/l) on a compliant support",
        insertion_force::run,
    ),
    Case::new(
        "chamfer-crossing",
        "F_z/F_x = (sin α + μ cos α)/(cos α − μ sin α) on a chamfer",
        chamfer_crossing::run,
    ),
];

/// All cases, elementary ones first.
#[must_use]
pub fn validation_cases() -> &'static [Case] {
    &CASES
}
