//! Input of a report: the records of a run, and its contacts at one step.

use tightfit_simulation::{
    Assessment, DetectionMethod, Grade, Methods, Outcome, Record, Scene, Simulation, StepHalving, Task,
};

use tightfit_viewer::Recording;

use super::ContactDrawing;

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Conclusion {
    /// The result.
    pub outcome: Outcome,
    /// How far the result may be relied on.
    pub assessment: Assessment,
    /// What ended the run early, in a few words.
    pub end: Option<String>,
}

/// A run, gathered step by step.
///
/// ```
/// use tightfit::report::{RunSummary, report_html};
/// use tightfit::scene::{Scene, Simulation};
///
/// let mut run = Simulation::new(Scene::find("block-on-table").expect("built in"), 1);
/// let mut summary = RunSummary::new(&run.scene);
/// for _ in 0..10 {
///     let record = run.advance();
///     summary.follow(&run, record);
/// }
/// summary.conclude(&run, None);
/// assert!(report_html(&[summary]).contains("block-on-table"));
/// ```
#[derive(Clone, Debug)]
pub struct RunSummary {
    /// Name of the scene.
    pub name: String,
    /// What happens in it.
    pub description: String,
    /// What counts as done.
    pub task: Option<Task>,
    /// Time step [s].
    pub step: f64,
    /// How its contacts are found.
    pub detection: DetectionMethod,
    /// Methods of its steps.
    pub methods: Methods,
    /// Outcome and assessment; left out of the report when `None`.
    pub conclusion: Option<Conclusion>,
    /// Every step.
    pub records: Vec<Record>,
    /// Step whose contacts are drawn, from 1; the one with the largest contact force when `None`.
    pub drawn_step: Option<u64>,
    /// The drawing of the contacts.
    pub contacts: Option<ContactDrawing>,
    /// The run at smaller steps, where it was made.
    pub order: Option<StepHalving>,
    /// The run in 3-D, where it was recorded: [`Self::record_view`].
    pub view: Option<Recording>,
}

impl RunSummary {
    /// A run that has not begun.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        Self {
            name: scene.name.clone(),
            description: scene.description.clone(),
            task: scene.task,
            step: scene.dt,
            detection: scene.detection,
            methods: scene.methods,
            conclusion: None,
            records: Vec::new(),
            drawn_step: None,
            contacts: None,
            order: None,
            view: None,
        }
    }

    /// Adds the step that the run has just taken.
    pub fn follow(&mut self, run: &Simulation, record: Record) {
        let is_drawn = match self.drawn_step {
            Some(step) => run.state.step_count == step,
            None => {
                let largest = self.contacts.as_ref().map_or(0.0, |drawing| drawing.force);
                record.force.norm() > largest
            }
        };
        if is_drawn {
            self.contacts = Some(ContactDrawing::of(run, record.force.norm()));
        }
        self.records.push(record);
    }

    /// Repeats the run of `run`'s scene, as it was started with this seed, and keeps it for the 3-D view.
    pub fn record_view(&mut self, run: &Simulation, seed: u64) {
        let mut repeated = Simulation::new(run.scene.clone(), seed);
        repeated.disturbance = run.disturbance;
        self.view = Some(Recording::of_simulation(repeated, self.records.len(), self.methods.preset.name()));
    }

    /// Concludes the run after its last step; `end` is what ended it early.
    pub fn conclude(&mut self, run: &Simulation, end: Option<String>) {
        self.conclusion = Some(Conclusion {
            outcome: Outcome::of(run, &self.records),
            assessment: Assessment::of(run, &self.records),
            end,
        });
    }

    /// Mean over the steps of the time spent in each stage, in their order [s].
    #[must_use]
    pub fn mean_stage_seconds(&self) -> [f64; 4] {
        let mut sums = [0.0; 4];
        for record in &self.records {
            for (sum, seconds) in sums.iter_mut().zip(record.certificate.stage_seconds.in_order()) {
                *sum += seconds / self.records.len() as f64;
            }
        }
        sums
    }

    /// The scene, and the preset unless it is the usual one.
    pub(super) fn label(&self) -> String {
        match self.methods == Methods::default() {
            true => self.name.clone(),
            false => format!("{} ({})", self.name, self.methods.preset.name()),
        }
    }

    /// Class of the style sheet and text of the verdict.
    pub(super) fn badge(&self) -> Option<(&'static str, String)> {
        let Conclusion { outcome, assessment, end } = self.conclusion.as_ref()?;
        let class = match assessment.grade {
            Grade::Certified => "good",
            Grade::CompletedUncertified => "fair",
            Grade::Failed => "bad",
        };
        let mut text = assessment.grade.name().replace('-', ", ");
        for part in outcome.state.map(|state| state.name().to_string()).into_iter().chain(end.clone()) {
            text += "; ";
            text += &part;
        }
        Some((class, text))
    }

    /// Whether the task is a thread.
    pub(super) fn is_thread(&self) -> bool {
        matches!(self.task, Some(Task::Thread { .. }))
    }
}
