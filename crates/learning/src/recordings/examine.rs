//! Inspects a trial for faults of the data.
//!
//! ```text
//! gap          a step of time above 2.5 times the median
//! repeated     pose and wrench equal to the row before, bit by bit
//! saturated    at least 5 rows in a row exactly at the channel's extreme, more than once or for 0.1 s
//! unit         |position| > 20 m: mm;  |F| > 5 kN: mN;  median |M|/|F| > 5 m: N·mm;  spacing of time > 1 s: ms
//! jump         a step of the pose above 20 times its median and 5 mm or 2°
//! velocity     correlation of logged and differenced velocity below 0.8, where the tool moves
//! ```

use tightfit_spatial::Vector3;

use super::{Finding, FindingKind, Severity, Trial};

/// Names of the channels that are inspected one by one.
const CHANNELS: [&str; 9] = [
    "position x",
    "position y",
    "position z",
    "force x",
    "force y",
    "force z",
    "torque x",
    "torque y",
    "torque z",
];

/// All findings of a trial, most severe first.
#[must_use]
pub fn examine(trial: &Trial) -> Vec<Finding> {
    let mut look = Look { trial, findings: Vec::new() };
    look.numbers();
    // The other checks need complete rows.
    if look.findings.is_empty() {
        look.time();
        look.repeated();
        look.attitudes();
        (0..CHANNELS.len()).for_each(|channel| look.channel(channel));
        look.units();
        look.jumps();
        look.velocities();
        look.unzeroed();
    }
    look.findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    look.findings
}

struct Look<'a> {
    trial: &'a Trial,
    findings: Vec<Finding>,
}

impl Look<'_> {
    fn say(&mut self, kind: FindingKind, severity: Severity, rows: &[usize], text: String) {
        let first_row = rows.first().copied().unwrap_or(0);
        let trial = self.trial.name.clone();
        self.findings.push(Finding { trial, kind, severity, rows: rows.len(), first_row, text });
    }

    fn value(&self, channel: usize, row: usize) -> f64 {
        let of = match channel / 3 {
            0 => self.trial.world_from_tool[row].translation,
            1 => self.trial.force[row],
            _ => self.trial.torque[row],
        };
        of[channel % 3]
    }

    fn rows_where(&self, is: impl Fn(usize) -> bool) -> Vec<usize> {
        (0..self.trial.len()).filter(|row| is(*row)).collect()
    }

    fn numbers(&mut self) {
        let trial = self.trial;
        let is_finite = |v: &Vector3<f64>| v.iter().all(|value| value.is_finite());
        let bad = self.rows_where(|row| {
            !(trial.time[row].is_finite()
                && trial.world_from_tool[row].is_finite()
                && is_finite(&trial.force[row])
                && is_finite(&trial.torque[row]))
        });
        if !bad.is_empty() {
            let text = format!(
                "{} of {} rows hold NaN or infinity; drop them or find the cause",
                bad.len(),
                trial.len()
            );
            self.say(FindingKind::NotANumber, Severity::Error, &bad, text);
        }
    }

    fn time(&mut self) {
        let (trial, period) = (self.trial, self.trial.period());
        let step = |row: usize| trial.time[row] - trial.time[row - 1];
        let back = self.rows_where(|row| row > 0 && step(row) <= 0.0);
        if !back.is_empty() {
            let text = format!("time does not increase {} times, first before row {}", back.len(), back[0]);
            self.say(FindingKind::TimeNotAscending, Severity::Error, &back, text);
        }
        let gaps = self.rows_where(|row| row > 0 && step(row) > 2.5 * period);
        if !gaps.is_empty() {
            let longest = gaps.iter().map(|row| step(*row)).fold(0.0, f64::max);
            let text = format!(
                "{} gaps, the longest {:.1} ms at a median step of {:.2} ms",
                gaps.len(),
                longest * 1e3,
                period * 1e3
            );
            self.say(FindingKind::Gap, Severity::Warning, &gaps, text);
        }
        if period > 1.0 {
            let text = format!("a median step of {period:.3} s; for times in ms write unit = \"ms\"");
            self.say(FindingKind::Unit, Severity::Error, &[0], text);
        }
    }

    fn repeated(&mut self) {
        let trial = self.trial;
        let same = self.rows_where(|row| {
            row > 0
                && trial.world_from_tool[row] == trial.world_from_tool[row - 1]
                && trial.force[row] == trial.force[row - 1]
                && trial.torque[row] == trial.torque[row - 1]
        });
        if !same.is_empty() {
            let share = same.len() as f64 / trial.len() as f64;
            let severity = if share > 0.05 { Severity::Warning } else { Severity::Note };
            let text = format!(
                "{:.2} % of the rows repeat the previous row; the logger is faster than the robot reports",
                share * 100.0
            );
            self.say(FindingKind::RepeatedRow, severity, &same, text);
        }
    }

    fn attitudes(&mut self) {
        let bad = self.rows_where(|row| self.trial.attitude_defect[row] > 1e-3);
        if !bad.is_empty() {
            let worst = self.trial.attitude_defect.iter().copied().fold(0.0, f64::max);
            let text = format!(
                "attitudes deviate from a rotation by up to {worst:.2e}; a unit quaternion or an orthonormal matrix is needed"
            );
            self.say(FindingKind::NotARotation, Severity::Error, &bad, text);
        }
    }

    fn channel(&mut self, channel: usize) {
        let counted: Vec<usize> = self.rows_where(|row| channel < 3 || self.trial.has_wrench(row));
        let values: Vec<f64> = counted.iter().map(|row| self.value(channel, *row)).collect();
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        let high = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if values.len() < 10 {
            return;
        }
        if low == high {
            let text = format!(
                "{} is {low} in every row; the channel is not connected or was not logged",
                CHANNELS[channel]
            );
            self.say(FindingKind::Constant, Severity::Warning, &counted, text);
            return;
        }
        if channel < 3 {
            return; // A tool may rest at the end of its path.
        }
        for extreme in [low, high].into_iter().filter(|extreme| *extreme != 0.0) {
            let (mut at, mut longest, mut run) = (Vec::new(), 0, 0);
            for (index, value) in values.iter().enumerate() {
                run = if *value == extreme { run + 1 } else { 0 };
                longest = longest.max(run);
                if *value == extreme {
                    at.push(counted[index]);
                }
            }
            if longest >= 5 && (at.len() >= 10 || longest as f64 * self.trial.period() > 0.1) {
                let text = format!(
                    "{} stays at its extreme {extreme:.3} for {longest} rows; the sensor or a limit clips it",
                    CHANNELS[channel]
                );
                self.say(FindingKind::Saturated, Severity::Warning, &at, text);
            }
        }
    }

    fn units(&mut self) {
        let trial = self.trial;
        let farthest = trial.world_from_tool.iter().map(|pose| pose.translation.norm()).fold(0.0, f64::max);
        if farthest > 20.0 {
            let text = format!(
                "the tool is {farthest:.0} m from the origin; for positions in mm write unit = \"mm\""
            );
            self.say(FindingKind::Unit, Severity::Error, &[0], text);
        }
        let largest = trial.force.iter().map(Vector3::norm).fold(0.0, f64::max);
        if largest > 5e3 {
            let text = format!("forces of up to {largest:.0} N; for forces in mN write unit = \"mN\"");
            self.say(FindingKind::Unit, Severity::Error, &[0], text);
        }
        let mut arms: Vec<f64> = (0..trial.len())
            .filter(|row| trial.force[*row].norm() > 0.2 * largest && trial.has_wrench(*row))
            .map(|row| trial.torque[row].norm() / trial.force[row].norm())
            .collect();
        arms.sort_by(f64::total_cmp);
        if let Some(arm) = arms.get(arms.len() / 2).filter(|arm| **arm > 5.0) {
            let text =
                format!("the torque has a lever of {arm:.1} m; for torques in N·mm write unit = \"Nmm\"");
            self.say(FindingKind::Unit, Severity::Error, &[0], text);
        }
    }

    fn jumps(&mut self) {
        let trial = self.trial;
        let step = |row: usize| {
            let [from, to] = [row - 1, row].map(|at| trial.world_from_tool[at]);
            [(to.translation - from.translation).norm(), from.rotation.angle_to(&to.rotation)]
        };
        let steps: Vec<[f64; 2]> = (1..trial.len()).map(step).collect();
        for (of, least, what) in [(0, 5e-3, "mm"), (1, 2_f64.to_radians(), "deg")] {
            let mut sizes: Vec<f64> = steps.iter().map(|step| step[of]).collect();
            sizes.sort_by(f64::total_cmp);
            let usual = sizes.get(sizes.len() / 2).copied().unwrap_or(0.0);
            let far: Vec<usize> =
                (1..trial.len()).filter(|row| steps[row - 1][of] > least.max(20.0 * usual)).collect();
            if !far.is_empty() {
                let largest = sizes.last().copied().unwrap_or(0.0);
                let shown = if of == 0 { largest * 1e3 } else { largest.to_degrees() };
                let text = format!("the pose jumps by up to {shown:.1} {what} between two rows");
                self.say(FindingKind::Jump, Severity::Warning, &far, text);
            }
        }
    }

    /// Detects degrees instead of radians, a wrong frame or a wrong clock.
    fn velocities(&mut self) {
        let trial = self.trial;
        if trial.twist.is_empty() || trial.len() < 20 {
            return;
        }
        let reach = 5;
        let differenced = Trial { twist: Vec::new(), ..trial.clone() };
        let (mut sums, mut moving) = ([[0.0; 3]; 2], 0);
        for row in reach..trial.len() - reach {
            let (logged, real) = (trial.twist[row], differenced.twist_at(row, reach));
            let pairs = [
                (logged.linear_in_world, real.linear_in_world),
                (logged.angular_in_body, real.angular_in_body),
            ];
            moving += usize::from(real.linear_in_world.norm() > 2e-3);
            for (sum, (logged, real)) in sums.iter_mut().zip(pairs) {
                sum[0] += logged.dot(&real);
                sum[1] += logged.norm_squared();
                sum[2] += real.norm_squared();
            }
        }
        if moving < 20 {
            return;
        }
        for ([both, logged, real], what) in sums.into_iter().zip(["velocity", "turning"]) {
            let correlation = both / (logged * real).sqrt();
            let ratio = (logged / real).sqrt();
            if !(correlation > 0.8 && (0.5..2.0).contains(&ratio)) && real > 0.0 {
                let text = format!(
                    "logged {what} and that of the poses have correlation {correlation:.2} and ratio {ratio:.2}; check axes, degrees or radians, and the clock"
                );
                self.say(FindingKind::VelocityMismatch, Severity::Warning, &[0], text);
            }
        }
    }

    fn unzeroed(&mut self) {
        let before = self.rows_where(|row| !self.trial.has_wrench(row));
        if !before.is_empty() {
            let text = format!(
                "the wrench counts from {:.2} s on, after the sensor was zeroed",
                self.trial.wrench_from
            );
            self.say(FindingKind::Unzeroed, Severity::Note, &before, text);
        }
    }
}
