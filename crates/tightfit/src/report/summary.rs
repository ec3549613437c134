//! What a report is made from: the records of a run, and its contacts at one step.

use tightfit_simulation::{DetectionMethod, Methods, Record, Run, Scene, StepHalving, Task};

use super::ContactDrawing;

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// Whether the task was done.
    pub is_success: bool,
    /// The verdict in a few words.
    pub text: String,
}

/// A run, gathered step by step.
///
/// ```
/// use tightfit::report::{RunSummary, report_html};
/// use tightfit::scene::{Run, Scene};
///
/// let mut run = Run::new(Scene::find("block-on-table").expect("built in"), 1);
/// let mut summary = RunSummary::new(&run.scene);
/// for _ in 0..10 {
///     let record = run.advance();
///     summary.follow(&run, record);
/// }
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
    /// What its steps are made of.
    pub methods: Methods,
    /// The verdict; left out of the report when `None`.
    pub outcome: Option<Outcome>,
    /// Every step.
    pub records: Vec<Record>,
    /// Step whose contacts are drawn, from 1; the one with the largest contact force when `None`.
    pub drawn_step: Option<u64>,
    /// The drawing of the contacts.
    pub contacts: Option<ContactDrawing>,
    /// The run at smaller steps, where that was asked for.
    pub order: Option<StepHalving>,
}

impl RunSummary {
    /// A run that has not begun.
    #[must_use]
    pub fn new(scene: &Scene) -> Self {
        Self {
            name: scene.name.clone(),
            description: scene.description.clone(),
            task: scene.task,
            step: scene.step,
            detection: scene.detection,
            methods: scene.methods,
            outcome: None,
            records: Vec::new(),
            drawn_step: None,
            contacts: None,
            order: None,
        }
    }

    /// Takes in the step that the run has just made.
    pub fn follow(&mut self, run: &Run, record: Record) {
        let is_drawn = match self.drawn_step {
            Some(step) => run.state.step == step,
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

    /// Whether the task is a thread.
    pub(super) fn is_thread(&self) -> bool {
        matches!(self.task, Some(Task::Thread { .. }))
    }
}
