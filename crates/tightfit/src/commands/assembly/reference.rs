//! `tightfit run --reference FILE`: compares a run with a recorded one, step by step.
//!
//! The file is CSV with the columns of the runs that the paper's authors published: x, y, z, qx, qy, qz, qw of the part's
//! centre of mass and axes, a1 ... of the joints, Fx, Fy, Fz in world axes and Tx, Ty, Tz about the centre of mass in the part's axes, both as
//! means of ten samples. Row k is the end of step k; t_s, where the file has it, must say so too.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tightfit::report::OverlaidCurve;
use tightfit::scene::{BodyRecord, Record, Scene, Simulation};
use tightfit::spatial::{Quaternion, UnitQuaternion, Vector3};

use crate::table::Table;

/// Samples of their moving mean.
const MEAN: usize = 10;
/// A contact force that counts as contact [N].
const TOUCH: f64 = 1e-9;

/// A recorded run.
pub(super) struct Reference {
    place: String,
    header: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Reference {
    pub(super) fn load(path: &Path) -> Result<Self> {
        let place = path.display().to_string();
        let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {place}"))?;
        let mut lines = text.lines();
        let header: Vec<String> =
            lines.next().unwrap_or_default().split(',').map(|name| name.trim().to_string()).collect();
        for name in ["x", "y", "z", "qx", "qy", "qz", "qw", "a1", "Fx", "Fy", "Fz", "Tx", "Ty", "Tz"] {
            if !header.iter().any(|found| found == name) {
                bail!("{place} has no column `{name}`; give a run in the form of reference_runs/peg.csv");
            }
        }
        let mut rows = Vec::new();
        for (index, line) in lines.filter(|line| !line.trim().is_empty()).enumerate() {
            let row: Result<Vec<f64>, _> = line.split(',').map(|cell| cell.trim().parse::<f64>()).collect();
            let row = row.with_context(|| format!("{place}, line {}: a cell is no number", index + 2))?;
            if row.len() != header.len() {
                bail!("{place}, line {}: {} cells under {} columns", index + 2, row.len(), header.len());
            }
            rows.push(row);
        }
        if rows.is_empty() {
            bail!("{place} holds no step");
        }
        Ok(Self { place, header, rows })
    }

    /// Checks that a scene can be compared with it: it has an arm, and its steps end when the rows were recorded.
    pub(super) fn check(&self, scene: &Scene) -> Result<()> {
        if scene.arm.is_none() {
            bail!("--reference is for scenes with an arm; `{}` has none", scene.name);
        }
        for row in 0..self.rows.len() {
            let Some(time) = self.cell(row, "t_s") else { break };
            let end = (row + 1) as f64 * scene.dt;
            // written times may be rounded
            let nearly = end - 0.1 * scene.dt..=end + 0.1 * scene.dt;
            if !nearly.contains(&time) {
                bail!(
                    "{}, line {}: t_s is {time}, but step {row} of the scene ends at {end:.6} s; give the step of the \
                     recorded run with --dt",
                    self.place,
                    row + 2
                );
            }
        }
        Ok(())
    }

    /// Checks that it has the steps to compare.
    pub(super) fn check_steps(&self, [from, until]: [usize; 2]) -> Result<()> {
        let count = self.rows.len();
        if until > count {
            bail!("--reference-steps is {from},{until}; {} has {count} steps", self.place);
        }
        Ok(())
    }

    fn cell(&self, row: usize, name: &str) -> Option<f64> {
        let place = self.header.iter().position(|found| found == name)?;
        self.rows.get(row)?.get(place).copied()
    }

    fn vector(&self, row: usize, names: [&str; 3]) -> Vector3<f64> {
        Vector3::from(names.map(|name| self.cell(row, name).unwrap_or(f64::NAN)))
    }

    fn joints(&self, row: usize) -> Vec<f64> {
        (1..).map_while(|joint| self.cell(row, &format!("a{joint}"))).collect()
    }

    /// The joints at the start as a replacement of the scene's.
    pub(super) fn start(&self) -> String {
        let degrees: Vec<String> =
            self.joints(0).iter().map(|angle| angle.to_degrees().to_string()).collect();
        format!("arm.joints_deg=[{}]", degrees.join(", "))
    }
}

/// One quantity of both runs.
struct Quantity {
    name: String,
    unit: &'static str,
    /// Ours and theirs, by step.
    values: Vec<[f64; 2]>,
}

/// Both runs side by side.
pub(super) struct Overlay {
    quantities: Vec<Quantity>,
    touches: [Option<usize>; 2],
    /// Steps that are compared, from and until.
    steps: [usize; 2],
    /// T [s].
    step: f64,
}

impl Overlay {
    /// Compares the steps that both runs have; differences are taken over `steps`.
    pub(super) fn new(
        run: &Simulation,
        records: &[Record],
        reference: &Reference,
        steps: Option<[usize; 2]>,
    ) -> Result<Self> {
        let count = records.len().min(reference.rows.len());
        let [from, until] = steps.unwrap_or([0, count]);
        if from >= until || until > count {
            let [ours, theirs] = [records.len(), reference.rows.len()];
            bail!(
                "--reference-steps is {from},{until}; the run has {ours} steps and the recorded one {theirs}: choose among \
                 the first {count}, or let the run go on with --seconds"
            );
        }
        let Some(arm) = &run.scene.arm else {
            bail!("--reference is for scenes with an arm; `{}` has none", run.scene.name);
        };
        let drive = run.scene.drive_of(arm.body);
        let turn = drive.map_or_else(UnitQuaternion::identity, |drive| drive.stream_from_part);
        let free = run.scene.bodies[..arm.body.index()].iter().filter(|body| body.inertia.is_some()).count();
        let mut overlay =
            Self { quantities: Vec::new(), touches: [None; 2], steps: [from, until], step: run.scene.dt };
        for step in 0..count {
            overlay.add(records, step, free, turn, reference);
        }
        let ours = records.iter().position(|record| record.force.norm() > TOUCH);
        let is_touch = |row: &usize| reference.vector(*row, ["Fx", "Fy", "Fz"]).norm() > TOUCH;
        overlay.touches = [ours, (0..reference.rows.len()).find(is_touch)];
        Ok(overlay)
    }

    /// Adds one step: pose, joints, wrench.
    fn add(
        &mut self,
        records: &[Record],
        step: usize,
        free: usize,
        turn: UnitQuaternion<f64>,
        reference: &Reference,
    ) {
        const AXES: [&str; 3] = ["x", "y", "z"];
        let Some(body) = records[step].bodies.get(free) else { return };
        // their axes of the part
        let attitude = |body: &BodyRecord| body.motion.rotation * turn.inverse();
        let center = reference.vector(step, AXES);
        let [qx, qy, qz, qw] =
            ["qx", "qy", "qz", "qw"].map(|name| reference.cell(step, name).unwrap_or(f64::NAN));
        let theirs = UnitQuaternion::new_normalize(Quaternion::new(qw, qx, qy, qz));
        let window = &records[(step + 1).saturating_sub(MEAN)..=step];
        let mean = |of: &dyn Fn(&BodyRecord) -> Vector3<f64>| {
            window.iter().map(|record| of(&record.bodies[free])).sum::<Vector3<f64>>() / window.len() as f64
        };
        let (force, torque) =
            (mean(&|body| body.force), mean(&|body| attitude(body).inverse() * body.torque));
        let [their_force, their_torque] =
            [["Fx", "Fy", "Fz"], ["Tx", "Ty", "Tz"]].map(|names| reference.vector(step, names));
        for (axis, letter) in AXES.into_iter().enumerate() {
            let place = [body.motion.center[axis], center[axis]].map(|metres| metres * 1e3);
            self.push(&format!("centre of mass {letter}"), "mm", place);
        }
        self.push("attitude", "deg", [theirs.angle_to(&attitude(body)).to_degrees(), 0.0]);
        if let Some(arm) = &records[step].arm {
            for (joint, angle) in reference.joints(step).into_iter().enumerate() {
                let both = [arm.joints.angles[joint], angle].map(f64::to_degrees);
                self.push(&format!("joint {}", joint + 1), "deg", both);
            }
        }
        for (axis, letter) in AXES.into_iter().enumerate() {
            self.push(&format!("force {letter}"), "N", [force[axis], their_force[axis]]);
        }
        self.push("force in all", "N", [force.norm(), their_force.norm()]);
        self.push("force difference", "N", [(force - their_force).norm(), 0.0]);
        for (axis, letter) in AXES.into_iter().enumerate() {
            self.push(&format!("torque {letter}"), "N·m", [torque[axis], their_torque[axis]]);
        }
        self.push("torque in all", "N·m", [torque.norm(), their_torque.norm()]);
    }

    fn push(&mut self, name: &str, unit: &'static str, both: [f64; 2]) {
        match self.quantities.iter_mut().find(|known| known.name == name) {
            Some(known) => known.values.push(both),
            None => self.quantities.push(Quantity { name: name.to_string(), unit, values: vec![both] }),
        }
    }

    /// Mean, root mean square and largest difference, and the step of that.
    fn figures(&self, quantity: &Quantity) -> ([f64; 3], usize) {
        let [from, until] = self.steps;
        let window = quantity.values.get(from..until).unwrap_or_default();
        let values: Vec<f64> = window.iter().map(|[ours, theirs]| ours - theirs).collect();
        let (figures, at) = figures(&values);
        (figures, from + at)
    }

    pub(super) fn table(&self) -> Table {
        let mut table =
            Table::new(&["ours less theirs", "unit", "mean", "root mean square", "largest", "at step"]);
        for quantity in &self.quantities {
            let (numbers, at) = self.figures(quantity);
            let mut row = vec![quantity.name.clone(), quantity.unit.into()];
            row.extend(numbers.map(|number| format!("{number:.4}")));
            row.push(at.to_string());
            table.row(row);
        }
        table
    }

    /// First contact of both as text.
    pub(super) fn touches(&self) -> String {
        let step = |touch: Option<usize>| touch.map_or("never".to_string(), |step| format!("at step {step}"));
        let [ours, theirs] = self.touches.map(step);
        format!("contact begins {ours}, in the recorded run {theirs}\n")
    }

    pub(super) fn json(&self) -> Value {
        let of = |quantity: &Quantity| {
            let ([mean, rms, largest], at) = self.figures(quantity);
            json!({
                "quantity": quantity.name,
                "unit": quantity.unit,
                "mean": mean,
                "root_mean_square": rms,
                "largest": largest,
                "at_step": at,
            })
        };
        let differences: Vec<Value> = self.quantities.iter().map(of).collect();
        let [ours, theirs] = self.touches;
        json!({
            "steps": self.steps,
            "differences": differences,
            "first_contact_step": { "ours": ours, "theirs": theirs },
        })
    }

    /// The curves for a page.
    pub(super) fn curves(&self) -> Vec<OverlaidCurve> {
        let line = |quantity: &Quantity, of: usize| {
            let point = |(step, both): (usize, &[f64; 2])| [(step + 1) as f64 * self.step, both[of]];
            quantity.values.iter().enumerate().map(point).collect()
        };
        let curve = |quantity: &Quantity| OverlaidCurve {
            title: match quantity.name.as_str() {
                "attitude" => "angle between both attitudes [deg]".to_string(),
                name => format!("{name} [{}]", quantity.unit),
            },
            ours: line(quantity, 0),
            recorded: line(quantity, 1),
        };
        self.quantities.iter().map(curve).collect()
    }
}

/// Mean, root mean square, largest by magnitude, and where.
fn figures(values: &[f64]) -> ([f64; 3], usize) {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let rms = (values.iter().map(|value| value * value).sum::<f64>() / count).sqrt();
    let (at, largest) = values
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        .map_or((0, 0.0), |(at, value)| (at, *value));
    ([mean, rms, largest], at)
}
