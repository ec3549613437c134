//! `tightfit evaluate RECORDINGS`: compares the contact wrenches of several presets with the measured ones.

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::{Args, ValueEnum};
use rayon::prelude::*;
use serde_json::json;
use tightfit::interaction::InteractionFile;
use tightfit::interaction_training::clustering::{interaction_pair, plain_surface, spread_start};
use tightfit::interaction_training::wrench::{
    FittedLoad, LoadModel, Moments, RecordedScene, WrenchErrors, WrenchPredictor, closed_loop,
};
use tightfit::learning::recordings::Recording;
use tightfit::report::{EvaluatedMethod, evaluation_html};
use tightfit::scene::{ClusteringMethod, CspaceMethod, InteractionPair, Methods, Motion, Preset};

use super::evaluate_arm;
use super::recorded_trials::{RecordedArguments, load_words};
use crate::commands::output_file::{self, write_text};
use crate::commands::simulate::preset;
use crate::output;
use crate::progress;
use crate::table::Table;

#[derive(Args)]
pub(crate) struct EvaluateArguments {
    #[command(flatten)]
    pub(super) recorded: RecordedArguments,
    /// Evaluate these presets, separated by commas [default: all].
    #[arg(long, value_name = "NAMES", value_delimiter = ',', value_parser = preset)]
    pub(super) preset: Vec<Preset>,
    /// Evaluate this network of `tightfit train clustering`; every method uses its load model and spring.
    #[arg(long, value_name = "FILE")]
    pub(super) trained: Option<PathBuf>,
    /// Take the surface from this file, where the trained network has the geodesic surface of another part.
    #[arg(long, value_name = "FILE", requires = "trained")]
    surface: Option<PathBuf>,
    /// Use the other methods of this preset with the networks [default: the preset of their training].
    #[arg(long, value_name = "PRESET", value_parser = preset, requires = "trained")]
    solved_by: Option<Preset>,
    /// Choose whether methods with clusters project poses out of the parts [default: as in their presets].
    #[arg(long, value_enum)]
    projection: Option<Projection>,
    /// Give the paper's methods their frictionless C-space rows too, where the scene has a network for them. The rows hold a part
    /// where clusters fail, so that an error says little about the clusters.
    #[arg(long)]
    cspace: bool,
    /// Also evaluate all contacts and K-means + PGS with the part held rigidly at the recorded poses (load model next-pose), which
    /// needs no compliance of the grasp.
    #[arg(long, conflicts_with = "closed_loop")]
    rigid: bool,
    /// Evaluate all trials, not only the test trials of the split.
    #[arg(long)]
    pub(super) all_trials: bool,
    /// Simulate each trial from its first evaluated state on, instead of predicting every recorded state.
    #[arg(long)]
    closed_loop: bool,
    /// Write measured and predicted wrenches of every moment as CSV.
    #[arg(long, value_name = "FILE")]
    pub(super) curves: Option<PathBuf>,
    /// Write a page with tables and curves.
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, Eq, PartialEq, ValueEnum)]
enum Projection {
    /// Enabled.
    On,
    /// Disabled.
    Off,
}

/// Name of the methods that know next to nothing about the load.
const RIGID_K_MEANS: &str = "K-means + PGS, rigid hold";

/// A named set of methods.
struct Contender {
    name: &'static str,
    methods: Methods,
    network: Option<InteractionPair>,
    /// Whether the part is held at the recorded poses in the scene as given, whatever the load model.
    rigid: bool,
}

pub(crate) fn run(arguments: &EvaluateArguments) -> Result<ExitCode> {
    output_file::check("--curves", arguments.curves.as_ref())?;
    output_file::check("--report", arguments.report.as_ref())?;
    arguments.recorded.check()?;
    let scene = arguments.recorded.scene()?;
    if scene.arm.is_some() {
        return evaluate_arm::run(arguments, &scene);
    }
    let mut trials = arguments.recorded.load()?;
    let trained = arguments.trained.as_deref().map(InteractionFile::load).transpose()?;
    let told = trained.as_ref().map(|file| &file.recipe["purpose"]["recipe"]);
    let told_model =
        told.and_then(|recipe| serde_json::from_value::<LoadModel>(recipe["load_model"].clone()).ok());
    let told_load = told.and_then(|recipe| serde_json::from_value::<FittedLoad>(recipe.clone()).ok());
    let model = arguments.recorded.load_model(told_model.unwrap_or_default());
    let load = arguments.recorded.load_of(&mut trials, model, told_load)?;
    let spring = load.spring;
    // the trial of a single file is evaluated whatever the split says, so nothing is left to train on
    let mean = mean_wrench(&trials.train).filter(|_| !arguments.recorded.recordings.is_file());
    let mut chosen = std::mem::take(&mut trials.test);
    let mut training = Vec::new();
    if arguments.all_trials || arguments.recorded.recordings.is_file() || chosen.is_empty() {
        training = trials.train.iter().map(|trial| trial.name.clone()).collect();
        chosen.append(&mut trials.train);
    }
    if !arguments.all_trials
        && let Some(file) = &trained
    {
        let task = &file.recipe["purpose"]["task"];
        let known = task["train"].as_array().filter(|_| task["recordings"] == trials.fingerprint.as_str());
        let seen = |name: &str| known.is_some_and(|known| known.iter().any(|own| own == name));
        if let Some(trial) = chosen.iter().find(|trial| seen(&trial.name)) {
            bail!(
                "{} cannot be evaluated: the network was trained on it; give the --split of its training, or --all-trials",
                trial.name
            );
        }
    }
    let contenders = contenders(arguments, &trials.recorded, trained)?;
    let task = Task {
        model,
        load,
        trials: chosen.len(),
        training_trials: training.len(),
        fit_costs: trials.fit_costs,
        closed_loop: arguments.closed_loop,
    };
    let moments: Vec<Moments> = chosen
        .par_iter()
        .map(|trial| model.moments(&trials.recorded, &spring, trial))
        .collect::<Result<_, _>>()?;
    let at_recorded_poses: Vec<Moments> = match arguments.rigid {
        true => chosen
            .par_iter()
            .map(|trial| LoadModel::NextPose.moments(&trials.as_given, &spring, trial))
            .collect::<Result<_, _>>()?,
        false => Vec::new(),
    };
    let bar = progress::bar("evaluating");
    let (mut evaluated, mut curves) = (Vec::new(), Vec::new());
    let mut of_all_contacts: Option<Vec<Vec<[f64; 6]>>> = None;
    for (index, contender) in contenders.iter().enumerate() {
        bar.set_message(format!("evaluating {}", contender.name));
        let predicted = match contender.rigid {
            true => task.predict(contender, &trials.as_given, &at_recorded_poses),
            false => task.predict(contender, &trials.recorded, &moments),
        };
        let measured = moments.iter().flat_map(|own| &own.measured);
        let errors = WrenchErrors::of(predicted.iter().flatten().zip(measured));
        let curve = predicted.first().cloned().unwrap_or_default();
        if contender.methods == Methods::from(Preset::Tight) && !contender.rigid {
            of_all_contacts = Some(predicted.clone());
        }
        let from_all = of_all_contacts.as_ref().filter(|_| !contender.rigid).map(|all| {
            let WrenchErrors { force, torque, .. } =
                WrenchErrors::of(predicted.iter().flatten().zip(all.iter().flatten()));
            [force, torque]
        });
        evaluated.push(EvaluatedMethod { name: contender.name, errors, from_all, curve });
        if arguments.curves.is_some() {
            curves.push((contender.name, predicted));
        }
        progress::set(&bar, (index + 1) as f64 / contenders.len() as f64);
    }
    bar.finish_and_clear();
    // a method that errs by more than these two knows nothing of the contact
    let constants = match mean {
        Some(_) => [("zero", Some([0.0; 6])), ("mean of the training trials", mean)],
        None => [("zero", Some([0.0; 6])), ("mean of the evaluated trials", mean_wrench(&chosen))],
    };
    if mean.is_none() {
        let _ = writeln!(
            std::io::stderr(),
            "tightfit: there are no training trials: nothing was calibrated to them, and the last row is the mean of the \
             evaluated trials; evaluate a folder, or calibrate with `tightfit identify SCENE --fit`"
        );
    }
    for (name, constant) in constants.iter().filter_map(|(name, wrench)| Some((*name, (*wrench)?))) {
        let measured = moments.iter().flat_map(|own| &own.measured);
        let errors = WrenchErrors::of(measured.map(|measured| (&constant, measured)));
        let curve = moments.first().map_or(Vec::new(), |own| vec![constant; own.measured.len()]);
        evaluated.push(EvaluatedMethod { name, errors, from_all: None, curve });
    }
    let force_of = |name: &str| evaluated.iter().find(|own| own.name == name).map(|own| own.errors.force);
    if let (Some(all), Some(zero)) = (force_of("all contacts"), force_of("zero"))
        && all > zero
    {
        let _ = writeln!(
            std::io::stderr(),
            "tightfit: all contacts err by {all:.3} N, predicting no force at all by {zero:.3} N: the parts, their poses or \
             the hold are not those of the scene; calibrate it with `tightfit identify SCENE --fit`"
        );
    }
    let words = task.words(&trials.fingerprint);
    let curves =
        arguments.curves.as_deref().map_or(Ok(()), |path| write_text(path, &curves_csv(&moments, &curves)));
    let page = arguments.report.as_deref().map_or(Ok(()), |path| {
        write_text(path, &evaluation_html(&trials.recorded.scene.name, &words, &moments[0], &evaluated))
    });
    let text = if arguments.json {
        let methods: Vec<_> = evaluated
            .iter()
            .map(|own| json!({ "name": own.name, "errors": own.errors, "from_all_contacts": own.from_all }))
            .collect();
        let report = json!({
            "scene": trials.recorded.scene.name, "recordings": trials.fingerprint, "closed_loop": task.closed_loop,
            "load_model": model, "load": load, "trials": chosen.iter().map(|own| &own.name).collect::<Vec<_>>(),
            "training_trials": training, "left_out": trials.left_out, "fit_costs": trials.fit_costs,
            "methods": methods,
        });
        serde_json::to_string_pretty(&report)? + "\n"
    } else {
        format!("{}\n{words}\n", table(&evaluated))
    };
    // print the results even if a file could not be written
    let said = output::write(format_args!("{text}"));
    curves.and(page).and(said)?;
    Ok(ExitCode::SUCCESS)
}

fn contenders(
    arguments: &EvaluateArguments,
    recorded: &RecordedScene,
    trained: Option<InteractionFile>,
) -> Result<Vec<Contender>> {
    let presets = match arguments.preset.is_empty() {
        true => vec![Preset::Tight, Preset::Standard, Preset::Refined, Preset::Textbook],
        false => arguments.preset.clone(),
    };
    let named = |preset: Preset| Contender {
        name: match preset {
            Preset::Tight => "all contacts",
            Preset::Standard => "K-means + PGS",
            Preset::Refined => "refined, K-means",
            Preset::Paper | Preset::PaperNSpace => preset.name(),
            Preset::Textbook => "textbook K-means + PGS",
        },
        methods: preset.into(),
        network: None,
        rigid: false,
    };
    let mut all: Vec<Contender> = presets.into_iter().map(named).collect();
    if let Some(file) = trained {
        // A network fits any part of its kind; the surface belongs to the part.
        let is_plain = file.recipe["purpose"]["task"]["surface"] == "plain";
        let surface = if let Some(path) = &arguments.surface {
            InteractionFile::load(path)?.surface
        } else if is_plain {
            let free = recorded.scene.bodies.iter().find(|body| body.motion == Motion::Free);
            plain_surface(&free.context("the scene has no free part")?.part, recorded.inertia.center_of_mass)?
        } else {
            file.surface
        };
        let seed = file.recipe["purpose"]["recipe"]["seed"].as_u64().unwrap_or(1);
        let untrained = spread_start(*file.network.ranges(), *file.network.options(), seed)?;
        let told = serde_json::from_value(file.recipe["purpose"]["recipe"]["solved_by"].clone());
        // Older files were trained with the paper's methods.
        let solved_by = arguments.solved_by.or(told.ok()).unwrap_or(Preset::Refined);
        let methods = Methods { clustering: ClusteringMethod::Interaction, ..Methods::from(solved_by) };
        for (name, network) in [("network untrained", untrained), ("network trained", file.network)] {
            let pair = interaction_pair(&recorded.scene, network, surface.clone())?;
            all.push(Contender { name, methods, network: Some(pair), rigid: false });
        }
    }
    if arguments.rigid {
        for (name, preset) in [("all contacts, rigid hold", Preset::Tight), (RIGID_K_MEANS, Preset::Standard)]
        {
            all.push(Contender { name, methods: preset.into(), network: None, rigid: true });
        }
    }
    if !arguments.cspace {
        all.iter_mut().for_each(|own| own.methods.cspace = CspaceMethod::None);
    }
    if let Some(projection) = arguments.projection {
        let clustered = all.iter_mut().filter(|own| own.methods.clustering != ClusteringMethod::None);
        clustered.for_each(|own| own.methods.projection = projection == Projection::On);
    }
    if all.is_empty() {
        bail!("there is nothing to evaluate; name a preset or a trained network");
    }
    Ok(all)
}

/// Mean measured wrench of some trials [N, N·m]; none without samples.
pub(crate) fn mean_wrench(trials: &[Recording]) -> Option<[f64; 6]> {
    let samples = trials.iter().flat_map(|trial| &trial.samples);
    let mut sum = [0.0; 6];
    let mut count = 0.0;
    for sample in samples {
        let wrench = sample.force.iter().chain(sample.torque.iter());
        sum.iter_mut().zip(wrench).for_each(|(sum, own)| *sum += own);
        count += 1.0;
    }
    (count > 0.0).then(|| sum.map(|sum| sum / count))
}

struct Task {
    model: LoadModel,
    load: FittedLoad,
    trials: usize,
    /// Number of training trials among them.
    training_trials: usize,
    fit_costs: Option<[f64; 2]>,
    closed_loop: bool,
}

impl Task {
    /// Wrenches of every moment, trial by trial.
    fn predict(
        &self,
        contender: &Contender,
        recorded: &RecordedScene,
        moments: &[Moments],
    ) -> Vec<Vec<[f64; 6]>> {
        let mut recorded = recorded.clone();
        recorded.scene.interaction.clone_from(&contender.network);
        moments
            .par_iter()
            .map(|moments| {
                if self.closed_loop {
                    return closed_loop(&recorded, contender.methods, &self.load.spring, moments).0;
                }
                let mut predictor = WrenchPredictor::new(&recorded, contender.methods, self.load.spring);
                moments.moments.iter().map(|moment| predictor.predict(moment)).collect()
            })
            .collect()
    }

    /// Description of the evaluation in one sentence.
    fn words(&self, fingerprint: &str) -> String {
        let how = match self.closed_loop {
            true => "each trial simulated from its first evaluated state".to_string(),
            false => format!("every recorded state predicted, load model {}", self.model.name()),
        };
        // Errors on training trials say little about other trials.
        let seen = match self.training_trials {
            0 => String::new(),
            count => format!(" ({count} of them train by the split)"),
        };
        let load = load_words(&self.load, self.fit_costs);
        format!(
            "{} trials{seen} of recordings {fingerprint}, each from 0.1 s on; {how}; {load} for every method",
            self.trials
        )
    }
}

/// One row per moment: trial, time, measured wrench, then the wrench of each method.
pub(super) fn curves_csv(moments: &[Moments], curves: &[(&str, Vec<Vec<[f64; 6]>>)]) -> String {
    let axes = ["force_x_n", "force_y_n", "force_z_n", "torque_x_nm", "torque_y_nm", "torque_z_nm"];
    let mut text = "trial,time_s".to_string();
    for name in std::iter::once("measured").chain(curves.iter().map(|(name, _)| *name)) {
        let name: String = name.chars().map(|own| if own.is_alphanumeric() { own } else { '_' }).collect();
        for axis in axes {
            text += &format!(",{name}.{axis}");
        }
    }
    text.push('\n');
    for (trial, own) in moments.iter().enumerate() {
        for (place, time) in own.times.iter().enumerate() {
            text += &format!("{},{time}", own.trial);
            let of_methods = curves.iter().map(|(_, all)| &all[trial][place]);
            for value in std::iter::once(&own.measured[place]).chain(of_methods).flatten() {
                text += &format!(",{value}");
            }
            text.push('\n');
        }
    }
    text
}

pub(super) fn table(evaluated: &[EvaluatedMethod]) -> Table {
    let mut head = vec![
        "method",
        "force [N]",
        "x",
        "y",
        "z",
        "torque [N·m]",
        "about x",
        "about y",
        "about z",
        "of K-means + PGS",
        "from all contacts [N]",
        "[N·m]",
    ];
    let force_of = |name: &str| evaluated.iter().find(|own| own.name == name).map(|own| own.errors.force);
    let (standard, rigid) = (force_of("K-means + PGS"), force_of(RIGID_K_MEANS));
    if rigid.is_some() {
        head.push("of it with a rigid hold");
    }
    let mut table = Table::new(&head);
    for EvaluatedMethod { name, errors, from_all, .. } in evaluated {
        let [x, y, z, tx, ty, tz] = errors.per_axis;
        let newtons = [errors.force, x, y, z].map(|value| format!("{value:.4}"));
        let metres = [errors.torque, tx, ty, tz].map(|value| format!("{value:.5}"));
        let [share, of_rigid] = [standard, rigid]
            .map(|other| other.map_or(String::new(), |other| format!("{:.3}", errors.force / other)));
        let apart = from_all.map_or([String::new(), String::new()], |[force, torque]| {
            [format!("{force:.4}"), format!("{torque:.5}")]
        });
        let cells = [vec![name.to_string()], newtons.to_vec(), metres.to_vec(), vec![share], apart.to_vec()];
        table.row([cells.concat(), rigid.map(|_| of_rigid).into_iter().collect()].concat());
    }
    if let Some(first) = evaluated.first() {
        let [force, torque] = first.errors.measured;
        let blank = String::new;
        let cells = [format!("{force:.4}"), blank(), blank(), blank(), format!("{torque:.5}")];
        table.row([vec!["(measured)".to_string()], cells.to_vec()].concat());
    }
    table
}
