//! A run as it is embedded in a report or sent to a page that plays it back: description, meshes and frames.

use serde_json::{Value, json};

use tightfit_simulation::Simulation;

use crate::Session;
use crate::frame::Detail;

/// Most frames of a recording; a longer run is thinned evenly.
const MOST_FRAMES: usize = 800;

/// A recorded run.
#[derive(Clone, Debug, Default)]
pub struct Recording {
    description: String,
    meshes: Vec<Vec<u8>>,
    frames: Vec<Vec<u8>>,
    /// Only every n-th step is kept.
    stride: usize,
    seen: usize,
}

impl Recording {
    /// An empty recording of a session; `label` names it where several are shown side by side.
    #[must_use]
    pub fn new(session: &Session, label: &str) -> Self {
        let mut description: Value = serde_json::from_str(&session.description()).unwrap_or_default();
        description["mode"] = json!("recording");
        description["label"] = json!(label);
        Self {
            description: description.to_string(),
            meshes: session.mesh_messages(),
            frames: Vec::new(),
            stride: 1,
            seen: 0,
        }
    }

    /// Runs a session to the end of its drives and records it.
    #[must_use]
    pub fn of_run(session: &mut Session, label: &str) -> Self {
        let mut recording = Self::new(session, label);
        recording.follow(session);
        while !session.is_over() {
            session.step();
            recording.follow(session);
        }
        recording.finish(session);
        recording
    }

    /// Runs a simulation for some steps, or until its strategy ends or its arm fails, and records it.
    #[must_use]
    pub fn of_simulation(simulation: Simulation, steps: usize, label: &str) -> Self {
        let mut session = Session::of_simulation(simulation, Vec::new());
        let mut recording = Self::new(&session, label);
        recording.follow(&mut session);
        for _ in 0..steps {
            session.step();
            recording.follow(&mut session);
            let run = session.simulation();
            if run.is_over() || run.certificate().arm_failure.is_some() {
                break;
            }
        }
        recording.finish(&mut session);
        recording
    }

    /// Adds the present state. When the recording is full, every second frame is dropped.
    pub fn follow(&mut self, session: &mut Session) {
        if self.seen.is_multiple_of(self.stride) {
            if self.frames.len() >= MOST_FRAMES {
                let mut index = 0;
                self.frames.retain(|_| {
                    index += 1;
                    index % 2 == 1
                });
                self.stride *= 2;
            }
            self.push(session);
        }
        self.seen += 1;
    }

    /// Adds the last state where thinning left it out.
    pub fn finish(&mut self, session: &mut Session) {
        if !self.seen.saturating_sub(1).is_multiple_of(self.stride) {
            self.push(session);
        }
    }

    fn push(&mut self, session: &mut Session) {
        let mut frame = Vec::new();
        session.write_detailed_frame(Detail::Recorded, &mut frame);
        self.frames.push(frame);
    }

    /// The description as JSON, with `mode` = `recording`.
    #[must_use]
    pub fn description(&self) -> &str {
        &self.description
    }

    /// Mesh messages.
    #[must_use]
    pub fn meshes(&self) -> &[Vec<u8>] {
        &self.meshes
    }

    /// State frames, by time.
    #[must_use]
    pub fn frames(&self) -> &[Vec<u8>] {
        &self.frames
    }

    /// Time of the last state [s]; zero where there is none.
    #[must_use]
    pub fn end(&self) -> f64 {
        let time =
            self.frames.last().and_then(|frame| frame.get(8..16)).and_then(|bytes| bytes.try_into().ok());
        time.map_or(0.0, f64::from_le_bytes)
    }

    /// All messages as one block: for each, its length as u32 and its bytes.
    #[must_use]
    pub fn block(&self) -> Vec<u8> {
        let mut block = Vec::new();
        for message in self.meshes.iter().chain(&self.frames) {
            block.extend((message.len() as u32).to_le_bytes());
            block.extend(message);
        }
        block
    }
}
