//! Recordings and their scene, as `tightfit train clustering` and `tightfit evaluate` take them.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use tightfit::learning::identification::Calibration;
use tightfit::learning::recordings::{Recording, fingerprint, load_recordings, read_trials, split_trials};
use tightfit::learning::wrench::{HoldingSpring, LoadModel, RecordedScene, identify_spring};
use tightfit::scene::Scene;

use crate::progress;

#[derive(Args)]
pub(super) struct RecordedArguments {
    /// Folder of recordings, or one of them.
    pub(super) recordings: PathBuf,
    /// Built-in scene or scene file; scene.toml in the folder of the recordings when not given.
    #[arg(long)]
    scene: Option<String>,
    /// calibration.toml that `tightfit identify --write` wrote: the logs are then those it was made from, in any form.
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    /// Where the state of the part and its load are taken to be; the same for every method.
    #[arg(long, value_enum)]
    load_model: Option<Load>,
    /// Spring of the load: stiffness [N/m], damping [N·s/m], turning stiffness [N·m/rad] and damping [N·m·s/rad].
    #[arg(long, value_name = "K,B,KR,BR")]
    spring: Option<String>,
    /// Find the spring from training trials by so many generations of a search; all contacts judge it.
    #[arg(long, value_name = "COUNT", default_value_t = 0)]
    identify_spring: u64,
    /// Seed of the split of trials: seven of ten train, the others test.
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    split: u64,
}

#[derive(Clone, Copy, ValueEnum)]
enum Load {
    /// The part is at the recorded pose; a spring as long as the motion of a step.
    NextPose,
    /// The part follows the recorded poses by the spring.
    Followed,
}

/// Trials, split, with the scene they were recorded in.
pub(super) struct RecordedTrials {
    pub(super) recorded: RecordedScene,
    pub(super) train: Vec<Recording>,
    pub(super) test: Vec<Recording>,
    pub(super) fingerprint: String,
}

impl RecordedArguments {
    pub(super) fn load(&self) -> Result<RecordedTrials> {
        let all = self.all()?;
        let folder =
            if self.recordings.is_dir() { Some(&*self.recordings) } else { self.recordings.parent() };
        let folder = self.calibration.as_deref().map_or(folder, Path::parent);
        let beside = folder.unwrap_or(Path::new(".")).join("scene.toml");
        let scene = match &self.scene {
            Some(scene) => Scene::find(scene)?,
            None if beside.exists() => Scene::load(&beside)?,
            None => bail!("{} is not there; name the scene with --scene", beside.display()),
        };
        let mut periods: Vec<f64> = all
            .iter()
            .flat_map(|own| own.samples.windows(2))
            .map(|pair| pair[1].time - pair[0].time)
            .collect();
        periods.sort_by(f64::total_cmp);
        let period = *periods.get(periods.len() / 2).context("no recording has two samples")?;
        let recorded = RecordedScene::new(&scene, period)?;
        let fingerprint = format!("{:016x}", fingerprint(&all));
        let split = split_trials(&vec![""; all.len()], self.split);
        let of = |places: &[usize]| places.iter().map(|place| all[*place].clone()).collect();
        Ok(RecordedTrials { recorded, train: of(&split.train), test: of(&split.test), fingerprint })
    }

    fn all(&self) -> Result<Vec<Recording>> {
        let Some(calibration) = &self.calibration else { return Ok(load_recordings(&self.recordings)?) };
        let calibration = Calibration::load(calibration)?;
        let trials = read_trials(&self.recordings, None)?.trials;
        // trials that never found the hole cannot be placed
        let all: Vec<Recording> =
            trials.iter().filter_map(|trial| calibration.recording(trial).ok()).collect();
        if all.is_empty() {
            bail!("the calibration places no trial of {}; identify again", self.recordings.display());
        }
        Ok(all)
    }

    /// The load model that was asked for, or another.
    pub(super) fn load_model(&self, otherwise: LoadModel) -> LoadModel {
        match self.load_model {
            Some(Load::NextPose) => LoadModel::NextPose,
            Some(Load::Followed) => LoadModel::Followed,
            None => otherwise,
        }
    }

    /// The spring that was asked for, found, or another.
    pub(super) fn spring(
        &self,
        trials: &RecordedTrials,
        model: LoadModel,
        otherwise: HoldingSpring,
    ) -> Result<HoldingSpring> {
        let given = match self.spring.as_deref() {
            None => otherwise,
            Some(text) => {
                let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
                match numbers[..] {
                    [stiffness, damping, turning_stiffness, turning_damping]
                        if numbers.iter().all(|number| *number > 0.0 && number.is_finite()) =>
                    {
                        HoldingSpring { stiffness, damping, turning_stiffness, turning_damping }
                    }
                    _ => bail!("--spring is `{text}`; give four positive numbers, such as 1e5,500,200,1"),
                }
            }
        };
        if self.identify_spring == 0 {
            return Ok(given);
        }
        let few: Vec<&Recording> = trials.train.iter().take(2).collect();
        if few.is_empty() {
            bail!("there are too few trials to find the spring from; give it with --spring");
        }
        let bar = progress::bar("spring");
        let all = self.identify_spring;
        let found =
            identify_spring(&trials.recorded, model, &few, given, all, self.split, |generation, cost| {
                bar.set_message(format!("spring: cost {cost:.4}"));
                progress::set(&bar, generation as f64 / all as f64);
            });
        bar.finish_and_clear();
        Ok(found?.0)
    }
}
