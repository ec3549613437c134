//! Recordings and their scene for `tightfit train clustering` and `tightfit evaluate`.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use tightfit::interaction_training::wrench::{
    FittedLoad, LoadModel, LoadSearch, RecordedScene, identify_load,
};
use tightfit::learning::identification::Calibration;
use tightfit::learning::identification::HoldingSpring;
use tightfit::learning::recordings::{
    Recording, Sample, Split, fingerprint, load_recordings, read_trials, split_trials,
};
use tightfit::scene::Scene;

use crate::commands::numbers::within;
use crate::commands::output_file::{self, write_text};
use crate::progress;

#[derive(Args)]
pub(super) struct RecordedArguments {
    /// Read this folder of recordings, or one recording.
    pub(super) recordings: PathBuf,
    /// Use this built-in scene or scene file [default: scene.toml in the folder of the recordings].
    #[arg(long)]
    scene: Option<String>,
    /// Use the calibration.toml of `tightfit identify --write`; the logs are then those it was made from, in any format.
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Read the meaning of a foreign table's columns from this TOML file, as for `tightfit identify`.
    #[arg(long, value_name = "FILE", requires = "calibration")]
    map: Option<PathBuf>,
    /// Choose how the state of the part and its load follow from the recording; the same for every method.
    #[arg(long, value_enum)]
    load_model: Option<Load>,
    /// Set the spring of the load: stiffness [N/m], damping [N·s/m], turning stiffness [N·m/rad] and damping [N·m·s/rad]; twelve
    /// numbers set each by axis [default: the calibration's].
    #[arg(long, value_name = "K,B,KR,BR", conflicts_with = "load")]
    spring: Option<String>,
    /// Read spring, friction and height from a file of --write-load.
    #[arg(long, value_name = "FILE")]
    load: Option<PathBuf>,
    /// Fit stiffness, friction and the fixed part's height to training trials by at most this many rounds of least squares, with all contacts.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    fit_load: u64,
    /// Use this many training trials for --fit-load, spread evenly.
    #[arg(long, value_name = "COUNT", default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..))]
    fit_trials: u32,
    /// Use this many seconds of each, early in the first trial and later in each further one.
    #[arg(long, value_name = "S", default_value_t = 5.0, allow_negative_numbers = true)]
    fit_seconds: f64,
    /// Write the result of --fit-load.
    #[arg(long, value_name = "FILE", requires = "fit_load")]
    write_load: Option<PathBuf>,
    /// Split the trials by this seed: seven of ten train, the others test. A calibration of training trials has its own split.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    split: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Load {
    /// The part is at the recorded pose; the spring pulls it by the motion of a step.
    NextPose,
    /// The part follows the recorded poses by the spring.
    Followed,
    /// The part rests where the spring holds it at the recorded pose, independently at every moment.
    Settled,
    /// The part is at the recorded pose under the load that a sensor at the wrist measures, as in the paper.
    Measured,
}

/// Training and test trials with their scene.
pub(super) struct RecordedTrials {
    /// The scene with the friction and height of the load.
    pub(super) recorded: RecordedScene,
    /// The scene as its file states it.
    pub(super) as_given: RecordedScene,
    pub(super) train: Vec<Recording>,
    pub(super) test: Vec<Recording>,
    pub(super) fingerprint: String,
    /// Trials without a known hole, each with the reason.
    pub(super) left_out: Vec<String>,
    /// Cost [-] of the load before and after --fit-load, where it was used.
    pub(super) fit_costs: Option<[f64; 2]>,
    calibration: Option<Calibration>,
}

impl RecordedArguments {
    /// Checks options before anything is read.
    pub(super) fn check(&self) -> Result<()> {
        // A hundredth of a second is the shortest section with two samples.
        within("--fit-seconds", self.fit_seconds, 0.01, 1e5)?;
        output_file::check("--write-load", self.write_load.as_ref())
    }

    pub(super) fn load(&self) -> Result<RecordedTrials> {
        self.check()?;
        let calibration = self.calibration.as_deref().map(Calibration::load).transpose()?;
        let (all, left_out) = self.all(calibration.as_ref())?;
        for reason in &left_out {
            let _ = writeln!(std::io::stderr(), "tightfit: left out: {reason}");
        }
        let scene = self.scene()?;
        let mut periods: Vec<f64> = all
            .iter()
            .flat_map(|own| own.samples.windows(2))
            .map(|pair| pair[1].time - pair[0].time)
            .collect();
        periods.sort_by(f64::total_cmp);
        let period = *periods.get(periods.len() / 2).context("no recording has two samples")?;
        let recorded = RecordedScene::new(&scene, period)?;
        let fingerprint = format!("{:016x}", fingerprint(&all));
        // trials that the calibration was not identified from are the test trials
        let tests = calibration.iter().flat_map(|own| &own.trials).filter(|own| !own.trains);
        let tests: Vec<&str> = tests.map(|own| own.name.as_str()).collect();
        let split = match tests.is_empty() {
            true => split_trials(&vec![""; all.len()], self.split),
            false => {
                let (test, train) =
                    (0..all.len()).partition(|place| tests.contains(&all[*place].name.as_str()));
                Split { train, test }
            }
        };
        let of = |places: &[usize]| places.iter().map(|place| all[*place].clone()).collect();
        let (train, test) = (of(&split.train), of(&split.test));
        let (fit_costs, as_given) = (None, recorded.clone());
        Ok(RecordedTrials { recorded, as_given, train, test, fingerprint, left_out, fit_costs, calibration })
    }

    /// The named scene, or that beside the recordings or their calibration.
    pub(super) fn scene(&self) -> Result<Scene> {
        if let Some(scene) = &self.scene {
            return Ok(Scene::find(scene)?);
        }
        let folder =
            if self.recordings.is_dir() { Some(&*self.recordings) } else { self.recordings.parent() };
        let folder = self.calibration.as_deref().map_or(folder, Path::parent);
        let beside = folder.unwrap_or(Path::new(".")).join("scene.toml");
        if !beside.exists() {
            bail!("{} does not exist; name the scene with --scene", beside.display());
        }
        Ok(Scene::load(&beside)?)
    }

    /// Training and test trials, and their fingerprint, for a scene that is simulated as a whole.
    pub(super) fn whole_trials(&self) -> Result<(Vec<Recording>, Vec<Recording>, String)> {
        let all = load_recordings(&self.recordings)?;
        let Split { train, test } = split_trials(&vec![""; all.len()], self.split);
        let of = |places: &[usize]| places.iter().map(|place| all[*place].clone()).collect::<Vec<_>>();
        Ok((of(&train), of(&test), format!("{:016x}", fingerprint(&all))))
    }

    /// The trials, and the reasons why others are left out: no insertion, or unknown to the calibration.
    fn all(&self, calibration: Option<&Calibration>) -> Result<(Vec<Recording>, Vec<String>)> {
        let Some(calibration) = calibration else {
            return Ok((load_recordings(&self.recordings)?, Vec::new()));
        };
        let (mut all, mut left_out) = (Vec::new(), Vec::new());
        for trial in &read_trials(&self.recordings, self.map.as_deref())?.trials {
            match calibration.recording(trial) {
                Ok(recording) => all.push(recording),
                Err(reason) => left_out.push(reason.to_string()),
            }
        }
        if all.is_empty() {
            let reason = left_out.first().map_or("", String::as_str);
            bail!("the calibration applies to no trial of {}: {reason}", self.recordings.display());
        }
        Ok((all, left_out))
    }

    /// The chosen load model, or another.
    pub(super) fn load_model(&self, otherwise: LoadModel) -> LoadModel {
        match self.load_model {
            Some(Load::NextPose) => LoadModel::NextPose,
            Some(Load::Followed) => LoadModel::Followed,
            Some(Load::Settled) => LoadModel::Settled,
            Some(Load::Measured) => LoadModel::Measured,
            None => otherwise,
        }
    }

    /// The load from the options, a fit, a file or the calibration; the scene of the trials adopts it.
    pub(super) fn load_of(
        &self,
        trials: &mut RecordedTrials,
        model: LoadModel,
        told: Option<FittedLoad>,
    ) -> Result<FittedLoad> {
        let step = trials.recorded.scene.dt;
        let given = match (&self.spring, &self.load) {
            (Some(text), _) => FittedLoad::of(spring(text)?),
            (None, Some(path)) => {
                let text = std::fs::read_to_string(path)
                    .with_context(|| format!("cannot read {}", path.display()))?;
                serde_json::from_str(&text)
                    .with_context(|| format!("{}: not what --write-load writes", path.display()))?
            }
            (None, None) => {
                let identified =
                    trials.calibration.as_ref().and_then(|own| own.spring(step, loads(&trials.train)));
                let known = told.or(identified.map(FittedLoad::of));
                let needs_spring = !matches!(model, LoadModel::NextPose | LoadModel::Measured);
                if known.is_none() && self.fit_load == 0 && needs_spring {
                    let _ = writeln!(
                        std::io::stderr(),
                        "tightfit: the compliance of the hold is a guess; --fit-load 20 fits it to training trials, --spring states it"
                    );
                }
                known.unwrap_or_default()
            }
        };
        let load = match self.fit_load {
            0 => given,
            _ => {
                let (load, costs) = self.fit(trials, model, &given)?;
                trials.fit_costs = Some(costs);
                load
            }
        };
        trials.recorded = trials.recorded.fitted(&load);
        Ok(load)
    }

    /// The load that the search found, and the costs before and after it.
    fn fit(
        &self,
        trials: &RecordedTrials,
        model: LoadModel,
        given: &FittedLoad,
    ) -> Result<(FittedLoad, [f64; 2])> {
        let count = (self.fit_trials as usize).min(trials.train.len());
        let few: Vec<Recording> = (0..count)
            .filter_map(|index| {
                let share = (index as f64 + 0.5) / count as f64;
                let trial = trials.train.get(index * trials.train.len() / count)?;
                Some(trial.stretch(share, self.fit_seconds))
            })
            .collect();
        let few: Vec<&Recording> = few.iter().collect();
        if few.is_empty() {
            bail!("there are too few trials to fit the load to; give it with --spring");
        }
        let bar = progress::bar("load");
        let all = self.fit_load;
        let recorded = trials.recorded.fitted(given);
        let found = identify_load(&recorded, model, &few, given.spring, all, |round, cost| {
            bar.set_message(format!("load: cost {cost:.4}"));
            progress::set(&bar, round as f64 / all as f64);
        });
        bar.finish_and_clear();
        let LoadSearch { load: found, costs, .. } = found?;
        // the search started from the scene with the given values
        let found = FittedLoad {
            friction: found.friction * given.friction,
            raise: found.raise + given.raise,
            ..found
        };
        if let Some(path) = &self.write_load {
            write_text(path, &serde_json::to_string_pretty(&found)?)?;
        }
        Ok((found, costs))
    }
}

/// Description of a load, with the costs of its search where there was one.
pub(super) fn load_words(load: &FittedLoad, costs: Option<[f64; 2]>) -> String {
    let FittedLoad { spring, friction, raise } = load;
    let axes = |numbers: [f64; 3]| match numbers {
        [x, y, z] if x == y && y == z => format!("{x:.3e}"),
        [x, y, z] => format!("({x:.3e}, {y:.3e}, {z:.3e})"),
    };
    let [k, b, turning_k, turning_b] =
        [spring.stiffness, spring.damping, spring.turning_stiffness, spring.turning_damping].map(axes);
    let mut text = format!("spring {k} N/m, {b} N·s/m, {turning_k} N·m/rad, {turning_b} N·m·s/rad");
    if *load != FittedLoad::of(*spring) {
        text += &format!(", friction times {friction:.3}, fixed parts raised by {:.3} mm", raise * 1e3);
    }
    if let Some([before, after]) = costs {
        text += &format!(", fitted: cost {before:.4} before, {after:.4} after");
    }
    text
}

/// Root mean square of the measured wrench by axis [N, N·m].
fn loads(trials: &[Recording]) -> [f64; 6] {
    let samples = || trials.iter().flat_map(|trial| &trial.samples);
    let sum = |axis: usize| -> f64 {
        let own = |sample: &Sample| if axis < 3 { sample.force[axis] } else { sample.torque[axis - 3] };
        samples().map(|sample| own(sample).powi(2)).sum()
    };
    std::array::from_fn(|axis| (sum(axis) / samples().count().max(1) as f64).sqrt())
}

/// Four numbers for all axes, or twelve by axis.
fn spring(text: &str) -> Result<HoldingSpring> {
    let parts: Vec<Option<f64>> = text.split(',').map(|part| part.trim().parse().ok()).collect();
    let numbers: Vec<f64> =
        parts.iter().flatten().copied().filter(|number| *number > 0.0 && number.is_finite()).collect();
    match numbers[..] {
        [k, b, turning_k, turning_b] if parts.len() == 4 => {
            Ok(HoldingSpring::even(k, b, turning_k, turning_b))
        }
        [kx, ky, kz, bx, by, bz, rx, ry, rz, dx, dy, dz] if parts.len() == 12 => Ok(HoldingSpring {
            stiffness: [kx, ky, kz],
            damping: [bx, by, bz],
            turning_stiffness: [rx, ry, rz],
            turning_damping: [dx, dy, dz],
        }),
        _ => bail!(
            "--spring is `{text}`; give four positive numbers, such as 1e5,500,200,1, or twelve by axis"
        ),
    }
}
