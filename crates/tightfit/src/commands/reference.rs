//! `tightfit run --reference FILE`: a run held against a recorded one, step by step.
//!
//! The file is CSV with the columns of the runs that the paper's authors published: x, y, z, qx, qy, qz, qw of the part's
//! centre of mass and axes, a1 ... of the joints, Fx, Fy, Fz in world axes and Tx, Ty, Tz about the centre of mass in the part's axes, both as
//! means of ten samples.

use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tightfit::scene::{Record, Run};
use tightfit::spatial::{Quaternion, UnitQuaternion, Vector3};

use crate::table::Table;

/// Samples of their moving mean.
const MEAN: usize = 10;
/// A contact force that counts as contact [N].
const TOUCH: f64 = 1e-9;

/// A recorded run.
pub(super) struct Reference {
    header: Vec<String>,
    rows: Vec<Vec<f64>>,
}

impl Reference {
    pub(super) fn load(path: &Path) -> Result<Self> {
        let place = path.display();
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
        Ok(Self { header, rows })
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

/// How one quantity differs.
struct Difference {
    name: String,
    unit: &'static str,
    /// Ours less theirs, by step.
    values: Vec<f64>,
}

/// Both runs side by side.
pub(super) struct Overlay {
    differences: Vec<Difference>,
    touches: [Option<usize>; 2],
    /// Steps that are compared, from and until.
    steps: [usize; 2],
}

impl Overlay {
    /// Compares the steps from and until which are given, or all that both have.
    pub(super) fn new(
        run: &Run,
        records: &[Record],
        reference: &Reference,
        steps: Option<[usize; 2]>,
    ) -> Result<Self> {
        let count = records.len().min(reference.rows.len());
        let [from, until] = steps.unwrap_or([0, count]);
        let until = until.min(count);
        if from >= until {
            bail!("--reference-steps is {from},{until}; both runs have {count} steps");
        }
        let turn =
            run.scene.drive.as_ref().map_or_else(UnitQuaternion::identity, |drive| drive.stream_from_part);
        let held = run.scene.arm.as_ref().map_or(0, |arm| arm.body);
        let free = run.scene.bodies[..held].iter().filter(|body| body.inertia.is_some()).count();
        let mut all: Vec<Difference> = Vec::new();
        let mut push = |name: String, unit: &'static str, value: f64| match all
            .iter_mut()
            .find(|known| known.name == name)
        {
            Some(known) => known.values.push(value),
            None => all.push(Difference { name, unit, values: vec![value] }),
        };
        for step in from..until {
            let Some(body) = records[step].bodies.get(free) else {
                bail!("the held part is not in the records")
            };
            // their axes of the part
            let attitude = body.motion.rotation * turn.inverse();
            let shift = body.motion.center - reference.vector(step, ["x", "y", "z"]);
            let [qx, qy, qz, qw] =
                ["qx", "qy", "qz", "qw"].map(|name| reference.cell(step, name).unwrap_or(f64::NAN));
            let theirs = UnitQuaternion::new_normalize(Quaternion::new(qw, qx, qy, qz));
            let window = &records[(step + 1).saturating_sub(MEAN)..=step];
            let mean = |of: &dyn Fn(&Record) -> Vector3<f64>| {
                window.iter().map(of).sum::<Vector3<f64>>() / window.len() as f64
            };
            let force =
                mean(&|record| record.bodies[free].force) - reference.vector(step, ["Fx", "Fy", "Fz"]);
            let torque = mean(&|record| {
                let body = &record.bodies[free];
                (body.motion.rotation * turn.inverse()).inverse() * body.torque
            }) - reference.vector(step, ["Tx", "Ty", "Tz"]);
            for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
                push(format!("centre of mass {letter}"), "mm", shift[axis] * 1e3);
            }
            push("attitude".into(), "deg", theirs.angle_to(&attitude).to_degrees());
            if let Some(arm) = &records[step].arm {
                for (joint, angle) in reference.joints(step).iter().enumerate() {
                    push(
                        format!("joint {}", joint + 1),
                        "deg",
                        (arm.joints.angles[joint] - angle).to_degrees(),
                    );
                }
            }
            for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
                push(format!("force {letter}"), "N", force[axis]);
            }
            for (axis, letter) in ["x", "y", "z"].into_iter().enumerate() {
                push(format!("torque {letter}"), "N·m", torque[axis]);
            }
        }
        let ours = records.iter().position(|record| record.force.norm() > TOUCH);
        let is_touch = |row: &usize| reference.vector(*row, ["Fx", "Fy", "Fz"]).norm() > TOUCH;
        let theirs = (0..reference.rows.len()).find(is_touch);
        Ok(Self { differences: all, touches: [ours, theirs], steps: [from, until] })
    }

    pub(super) fn table(&self) -> Table {
        let mut table =
            Table::new(&["ours less theirs", "unit", "mean", "root mean square", "largest", "at step"]);
        for Difference { name, unit, values } in &self.differences {
            let [mean, rms, largest, at] = figures(values);
            table.row(vec![
                name.clone(),
                (*unit).into(),
                format!("{mean:.4}"),
                format!("{rms:.4}"),
                format!("{largest:.4}"),
                (self.steps[0] + at as usize).to_string(),
            ]);
        }
        let step = |touch: Option<usize>| touch.map_or("never".into(), |step| step.to_string());
        let [ours, theirs] = self.touches.map(step);
        table.row(vec!["contact begins".into(), "step".into(), ours, theirs, String::new(), String::new()]);
        table
    }

    pub(super) fn json(&self) -> Value {
        let of = |difference: &Difference| {
            let [mean, rms, largest, at] = figures(&difference.values);
            let at = self.steps[0] + at as usize;
            json!({ "quantity": difference.name, "unit": difference.unit, "mean": mean, "root_mean_square": rms,
                    "largest": largest, "at_step": at })
        };
        let differences: Vec<Value> = self.differences.iter().map(of).collect();
        let [ours, theirs] = self.touches;
        json!({ "steps": self.steps, "differences": differences, "first_contact_step": { "ours": ours, "theirs": theirs } })
    }
}

/// Mean, root mean square, largest by magnitude, and where.
fn figures(values: &[f64]) -> [f64; 4] {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let rms = (values.iter().map(|value| value * value).sum::<f64>() / count).sqrt();
    let (at, largest) = values
        .iter()
        .enumerate()
        .max_by(|a, b| a.1.abs().total_cmp(&b.1.abs()))
        .map_or((0, 0.0), |(at, value)| (at, *value));
    [mean, rms, largest, at as f64]
}
