//! Items that compare contact forces with recordings: Figs. 9 and 14.
//!
//! The recordings are virtual, made under the conditions of the paper: a person moves the part, a sensor at the wrist
//! measures the load (which the methods are told), another one the contact wrench (which they predict), and the recorded
//! pose is that of the hand, tens of micrometres inside the other part under load.

use anyhow::{Context, Result};
use rayon::prelude::*;
use tightfit::interaction::InteractionFile;
use tightfit::interaction_training::clustering::{interaction_pair, plain_surface};
use tightfit::interaction_training::virtual_experiment::{VirtualOptions, generate, thread_scene};
use tightfit::interaction_training::wrench::{
    FittedLoad, LoadModel, Moments, RecordedScene, WrenchErrors, WrenchPredictor,
};
use tightfit::scene::{ClusteringMethod, CspaceMethod, InteractionPair, Methods, Motion, Preset, Scene};
use tightfit::shape::preset::PAPER_PAIRS;

use super::item::Regenerated;
use crate::commands::learning::evaluate::mean_wrench;

/// Seed of the trials: the embedded networks were trained on others.
const SEED: u64 = 7;
/// Time between samples [s].
const PERIOD: f64 = 0.01;

/// How much is recorded.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    /// Trials per task, of which seven of ten give the mean that a constant predicts.
    pub(super) trials: usize,
    /// Length of a trial [s].
    pub(super) seconds: f64,
}

/// Force errors of every method on one scene [N]: label, all axes, x, y, z.
struct Errors(Vec<(&'static str, [f64; 4])>);

/// Fig. 9: peg and nut.
pub(super) fn at_recorded_states(effort: Effort) -> Result<Regenerated> {
    let mut item = Regenerated::with_head(&["task", "method", "force error N", "x", "y", "z"]);
    for (task, scene) in [("peg-in-hole", Scene::find("peg-in-hole")?), ("bolting", thread_scene(48.0, 5.0)?)]
    {
        let Errors(errors) = errors_of(&scene, task, None, effort)?;
        for (name, numbers) in errors {
            let cells = numbers.map(|value| format!("{value:.3}"));
            item.row(&[vec![task.to_string(), name.to_string()], cells.to_vec()].concat());
            item.bars.push((format!("{task}: {name}"), numbers[0]));
        }
    }
    item.unit = "N, force error".into();
    item.note = "Virtual recordings: the paper's own are not public. Every method is at the recorded pose under the measured \
                 load of the hand; none has been trained on these trials."
        .into();
    Ok(item)
}

/// Fig. 14: the network of M48x5 on the ten pairs.
pub(super) fn ten_pairs(effort: Effort) -> Result<Regenerated> {
    let mut item = Regenerated::with_head(&[
        "pair",
        "textbook N",
        "network N",
        "all contacts N",
        "zero N",
        "network / textbook",
    ]);
    for (diameter, pitch) in PAPER_PAIRS {
        let scene = thread_scene(diameter, pitch)?;
        let free = scene.bodies.iter().find(|body| body.motion == Motion::Free).context("a nut")?;
        let center = free.inertia.context("a free nut has a mass")?.center_of_mass;
        let surface = plain_surface(&free.part, center)?;
        let Errors(errors) = errors_of(&scene, "bolting", Some(surface), effort)?;
        let of =
            |wanted: &str| errors.iter().find(|(name, _)| *name == wanted).map_or(f64::NAN, |own| own.1[0]);
        let [textbook, network, all, zero] = [TEXTBOOK, NETWORK, ALL, ZERO].map(of);
        let cells = [textbook, network, all, zero, network / textbook].map(|value| format!("{value:.3}"));
        let pair = format!("{diameter}x{pitch}");
        item.bars.push((format!("{pair}: textbook"), textbook));
        item.bars.push((format!("{pair}: network"), network));
        item.row(&[vec![pair], cells.to_vec()].concat());
    }
    item.unit = "N, force error".into();
    item.note = "The clustering network is that of M48x5, on the surface of each nut. Detection is exact: the paper retrains \
                 its detection networks for every pair, which adds their error."
        .into();
    Ok(item)
}

const TEXTBOOK: &str = "textbook K-means + PGS";
const NETWORK: &str = "paper, interaction network";
const ALL: &str = "tight, all contacts";
const ZERO: &str = "zero";

fn errors_of(
    scene: &Scene,
    task: &str,
    surface: Option<tightfit::interaction::EmbeddedSurface>,
    effort: Effort,
) -> Result<Errors> {
    let options = VirtualOptions { seed: SEED, seconds: effort.seconds, ..VirtualOptions::default() };
    let trials = generate(scene, &options, effort.trials, || ())?;
    let training = (7 * trials.len()).div_ceil(10).min(trials.len().saturating_sub(1));
    let (train, test) = trials.split_at(training);
    let recorded = RecordedScene::new(scene, PERIOD)?;
    let spring = FittedLoad::default().spring;
    let moments = test.par_iter().map(|trial| LoadModel::Measured.moments(&recorded, &spring, trial));
    let moments: Vec<Moments> = moments.collect::<Result<_, _>>()?;
    let predict = |methods: Methods, network: Option<InteractionPair>| -> Vec<[f64; 6]> {
        let mut recorded = recorded.clone();
        recorded.scene.interaction = network;
        let methods = Methods { cspace: CspaceMethod::None, ..methods };
        let trial = |moments: &Moments| {
            let mut predictor = WrenchPredictor::new(&recorded, methods, spring);
            moments.moments.iter().map(|moment| predictor.predict(moment)).collect::<Vec<_>>()
        };
        moments.par_iter().map(trial).collect::<Vec<_>>().into_iter().flatten().collect()
    };
    let measured: Vec<[f64; 6]> = moments.iter().flat_map(|own| own.measured.iter().copied()).collect();
    let InteractionFile { network, surface: own_surface, .. } = Scene::embedded_interaction(task)?;
    let pair = interaction_pair(&recorded.scene, network, surface.unwrap_or(own_surface))?;
    let paper = Methods { clustering: ClusteringMethod::Interaction, ..Methods::from(Preset::Paper) };
    let mean = mean_wrench(train).unwrap_or_default();
    let predictions = [
        (TEXTBOOK, predict(Preset::Textbook.into(), None)),
        (NETWORK, predict(paper, Some(pair))),
        ("refined, K-means", predict(Preset::Refined.into(), None)),
        (ALL, predict(Preset::Tight.into(), None)),
        (ZERO, vec![[0.0; 6]; measured.len()]),
        ("mean of other trials", vec![mean; measured.len()]),
    ];
    let error = |(name, predicted): (&'static str, Vec<[f64; 6]>)| {
        let errors = WrenchErrors::of(predicted.iter().zip(&measured));
        let [x, y, z, ..] = errors.per_axis;
        (name, [errors.force, x, y, z])
    };
    Ok(Errors(predictions.into_iter().map(error).collect()))
}
