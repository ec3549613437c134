//! Configurations with collision labels, most of them near contact.
//!
//! ```text
//! x free;  d random direction in scaled coordinates;  t where x + t d leaves the box
//! x + t d collides:  bisect [0, t] down to 2⁻ⁿ; every queried point is a sample:  distances from contact halve
//! x ← x + u t_free d,  u uniform in (0, 1), if it is free
//! ```
//!
//! A point of a line that crosses contact at t_C is labelled by its distance from there,
//!
//! ```text
//! tanh((t_C − t)/2τ),   the odds of the logit (t_C − t)/τ
//! ```
//!
//! so that h decreases steadily into the collision instead of jumping at contact: a jump has no gradient that leads
//! out. The sign is the collision label. Points of other lines are ±1.
//!
//! This is hit-and-run sampling: x becomes uniform over the free configurations that are reachable without collision,
//! and the samples cover the contact surface around them. A fraction of the samples is uniform over the box instead.
//!
//! R. L. Smith, "Efficient Monte Carlo procedures for generating points uniformly distributed over bounded regions",
//! Operations Research 32, 1984.

use std::array::from_fn;

use arrayvec::ArrayVec;
use rayon::prelude::*;
use tightfit_network::{COORDINATES, Random};

use super::{ConfigurationBox, ConfigurationRecipe, Offenders, PairGap};

/// A configuration [m, rad] and its label: 1 free, −1 colliding, between near contact.
pub type Labelled = ([f64; COORDINATES], f64);

/// Samples per random sequence. Draws do not depend on the number of threads.
const PIECE: usize = 2048;
/// Discarded first walks of a piece, which are still near the nominal pose.
const FIRST_WALKS: usize = 4;
/// Maximum number of points of a line: bisections and its end.
const MOST_HALVINGS: usize = 41;

/// Draws samples in random order. The nominal pose of the box must be free.
#[must_use]
pub fn draw(
    pair: &PairGap,
    place: &ConfigurationBox,
    recipe: &ConfigurationRecipe,
    count: usize,
    seed: u64,
) -> Vec<Labelled> {
    let piece = |first: usize| {
        let walker = Walker { pair, place, random: Random::stream(seed, (first / PIECE + 2) as u64) };
        walker.piece(recipe, PIECE.min(count - first))
    };
    let pieces: Vec<Vec<Labelled>> = (0..count).into_par_iter().step_by(PIECE).map(piece).collect();
    let mut all: Vec<Labelled> = pieces.into_iter().flatten().collect();
    // A minibatch is a run of neighbours, which should not come from one line.
    let mut random = Random::stream(seed, 0);
    for place in (1..all.len()).rev() {
        all.swap(place, random.index(place + 1));
    }
    all
}

struct Walker<'a> {
    pair: &'a PairGap,
    place: &'a ConfigurationBox,
    random: Random,
}

impl Walker<'_> {
    fn piece(mut self, recipe: &ConfigurationRecipe, count: usize) -> Vec<Labelled> {
        let mut offenders = Offenders::default();
        let mut samples = Vec::with_capacity(count + recipe.halvings + 2);
        // In scaled coordinates.
        let mut here = self.scaled(self.place.start);
        for _ in 0..FIRST_WALKS {
            here = self.walk(here, (recipe.halvings, recipe.softness), &mut offenders, &mut samples);
        }
        samples.clear();
        while samples.len() < count {
            if self.random.unit() < recipe.uniform_fraction {
                // As many as a line has.
                for _ in 0..recipe.halvings + 2 {
                    let point =
                        from_fn(|k| if self.is_used(k) { self.random.uniform(-1.0, 1.0) } else { 0.0 });
                    self.ask(point, &mut offenders, &mut samples);
                }
            } else {
                here = self.walk(here, (recipe.halvings, recipe.softness), &mut offenders, &mut samples);
            }
        }
        samples.truncate(count);
        samples
    }

    /// Samples one line from a free point; returns the next free point.
    fn walk(
        &mut self,
        here: [f64; COORDINATES],
        (halvings, softness): (usize, f64),
        offenders: &mut Offenders,
        samples: &mut Vec<Labelled>,
    ) -> [f64; COORDINATES] {
        let mut direction: [f64; COORDINATES] =
            from_fn(|k| if self.is_used(k) { self.random.normal() } else { 0.0 });
        let length = direction.iter().map(|d| d * d).sum::<f64>().sqrt();
        direction.iter_mut().for_each(|d| *d /= length);
        let leaves = |k: usize| {
            let wall = if direction[k] > 0.0 { 1.0 } else { -1.0 };
            if direction[k] == 0.0 { f64::INFINITY } else { (wall - here[k]) / direction[k] }
        };
        let end = (0..COORDINATES).map(leaves).fold(f64::INFINITY, f64::min);
        let at = |t: f64| from_fn(|k| here[k] + t * direction[k]);
        let (mut free, mut colliding) = (0.0, end);
        let first = samples.len();
        let mut asked: ArrayVec<f64, MOST_HALVINGS> = ArrayVec::new();
        if self.ask(at(end), offenders, samples) {
            free = end;
        } else {
            asked.push(end);
            for _ in 0..halvings.min(MOST_HALVINGS - 1) {
                let middle = f64::midpoint(free, colliding);
                *(if self.ask(at(middle), offenders, samples) { &mut free } else { &mut colliding }) = middle;
                asked.push(middle);
            }
            let contact = f64::midpoint(free, colliding);
            for ((_, label), t) in samples[first..].iter_mut().zip(&asked) {
                *label = libm::tanh((contact - t) / (2.0 * softness));
            }
        }
        let next = at(free * self.random.unit());
        if self.ask(next, offenders, samples) { next } else { here }
    }

    /// Whether a point in scaled coordinates is free; adds it to the samples.
    fn ask(&self, point: [f64; COORDINATES], offenders: &mut Offenders, samples: &mut Vec<Labelled>) -> bool {
        let q = from_fn(|k| if self.is_used(k) { self.place.ranges[k].unscaled(point[k]) } else { 0.0 });
        let pose = self.place.chart.fixed_from_part(q, self.pair.center_in_part());
        let is_free = !self.pair.collides(&pose, offenders);
        samples.push((q, if is_free { 1.0 } else { -1.0 }));
        is_free
    }

    fn scaled(&self, q: [f64; COORDINATES]) -> [f64; COORDINATES] {
        from_fn(|k| self.place.ranges[k].scaled(q[k]))
    }

    fn is_used(&self, coordinate: usize) -> bool {
        self.place.uses(coordinate)
    }
}
