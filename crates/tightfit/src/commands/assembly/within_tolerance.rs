//! `tightfit fit --tolerance H7/g6`: the fit with sizes drawn between the limits of both parts.
//!
//! A file has one size; a drawing allows a range. The difference is material that is missing all over the part's surface: half of
//! it on either side of a shaft or a bore, on its key and its end faces too.

use std::path::Path;

use anyhow::Result;
use rayon::prelude::*;

use tightfit::scene::Scene;
use tightfit::scene::trials::{Trial, Trials};
use tightfit::shape::cad::Limits;
use tightfit::spatial::SplitMix;

use crate::output::put;
use crate::progress;
use crate::table::Table;

/// Keys of the scene file: housing and shaft.
const KEYS: [&str; 2] = ["parts.housing.undersize_um", "parts.shaft.undersize_um"];

/// Sizes that a tolerance allows.
pub(super) struct Sizes {
    /// Least and largest diameter of bore and shaft [m].
    allowed: [[f64; 2]; 2],
    /// Diameters in the files [m].
    files: [f64; 2],
}

impl Sizes {
    /// The limits around a nominal diameter, of files with these diameters of shaft and bore [m].
    pub(super) fn new(nominal: f64, limits: Limits, [shaft, bore]: [f64; 2]) -> Self {
        let allowed = [limits.hole, limits.shaft].map(|range| range.map(|own| nominal + own));
        Self { allowed, files: [bore, shaft] }
    }

    /// What is missing on the surfaces of bore and shaft with these diameters [um].
    fn missing(&self, [bore, shaft]: [f64; 2]) -> [f64; 2] {
        [0.5e6 * (bore - self.files[0]), 0.5e6 * (self.files[1] - shaft)]
    }

    /// The ranges as a part of the scene file.
    pub(super) fn uncertainty(&self) -> String {
        let [[tight_bore, wide_bore], [thin, thick]] = self.allowed;
        let ends = [self.missing([tight_bore, thick]), self.missing([wide_bore, thin])];
        let range = |which: usize| {
            let [low, high] = ends.map(|end| end[which]);
            format!("\n[[uncertainty]]\nkey = \"{}\"\nlow = {low:.6}\nhigh = {high:.6}\n", KEYS[which])
        };
        range(0) + &range(1)
    }

    /// The tightest and the loosest pair, and some drawn uniformly between the limits.
    fn pairs(&self, count: u32, seed: u64) -> Vec<(String, [f64; 2])> {
        let [[tight_bore, wide_bore], [thin, thick]] = self.allowed;
        let mut random = SplitMix(seed);
        let mut all =
            vec![("tightest".to_string(), [tight_bore, thick]), ("loosest".to_string(), [wide_bore, thin])];
        for number in 1..=count {
            let drawn = self.allowed.map(|[low, high]| low + random.unit() * (high - low));
            all.push((format!("drawn {number}"), drawn));
        }
        all
    }
}

/// Runs the pairs of sizes and prints what became of them; tells whether all go in, certified.
pub(super) fn run(scene: &Path, sizes: &Sizes, count: u32, seed: u64) -> Result<bool> {
    let path = scene.display().to_string();
    let pairs = sizes.pairs(count, seed);
    let bar = progress::bar("sizes within the tolerance");
    let done = std::sync::atomic::AtomicUsize::new(0);
    let run_one = |(_, diameters): &(String, [f64; 2])| -> Result<Option<Trial>> {
        // nothing that is larger than its hole goes in
        let goes_in = diameters[0] > diameters[1];
        let trial = goes_in.then(|| -> Result<Trial> {
            let missing = sizes.missing(*diameters);
            let replaced = [0, 1].map(|which| format!("{}={:.9}", KEYS[which], missing[which]));
            let own = Scene::find_with(&path, &replaced)?;
            let exactly = Trials { count: 1, seed: 1, shift: 0.0, tilt: 0.0, audited: 1 };
            Ok(Trial::make(&own, &exactly, 0, true).0)
        });
        let finished = 1 + done.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        progress::set(&bar, finished as f64 / pairs.len() as f64);
        trial.transpose()
    };
    let results: Result<Vec<Option<Trial>>> = pairs.par_iter().map(run_one).collect();
    bar.finish_and_clear();
    let results = results?;
    let mut table = Table::new(&[
        "sizes",
        "bore mm",
        "shaft mm",
        "clearance um",
        "verdict",
        "depth mm",
        "force N",
        "audited um",
    ]);
    let mut is_good = true;
    for ((name, [bore, shaft]), trial) in pairs.iter().zip(&results) {
        let sizes = [
            name.clone(),
            format!("{:.4}", 1e3 * bore),
            format!("{:.4}", 1e3 * shaft),
            format!("{:.1}", 1e6 * (bore - shaft)),
        ];
        let outcome = match trial {
            None => ["interference".into(), "-".into(), "-".into(), "-".into()],
            Some(trial) => [
                trial.assessment.grade.name().to_string(),
                trial.outcome.depth.map_or("-".into(), |depth| format!("{:.3}", 1e3 * depth)),
                format!("{:.1}", trial.peaks[0]),
                trial.penetration[1].map_or("-".into(), |own| format!("{:.3}", 1e6 * own)),
            ],
        };
        is_good &= trial.as_ref().is_some_and(|trial| trial.assessment.is_certified());
        table.row(sizes.into_iter().chain(outcome).collect());
    }
    put!("\n{table}");
    Ok(is_good)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn missing_material_makes_the_sizes() {
        let limits = Limits { hole: [0.0, 21e-6], shaft: [-20e-6, -7e-6] };
        let sizes = Sizes::new(20e-3, limits, [19.99e-3, 20.01e-3]);
        let [bore, shaft] = sizes.missing([20.021e-3, 19.98e-3]);
        assert!((bore - 5.5).abs() < 1e-6 && (shaft - 5.0).abs() < 1e-6, "{bore} {shaft}");
        let pairs = sizes.pairs(50, 3);
        assert_eq!(pairs.len(), 52);
        for (_, [bore, shaft]) in &pairs {
            assert!((20.0e-3..=20.021e-3).contains(bore) && (19.98e-3..=19.993e-3).contains(shaft));
            assert!(*bore - *shaft >= 7e-6 - 1e-12 && *bore - *shaft <= 41e-6 + 1e-12);
        }
    }
}
