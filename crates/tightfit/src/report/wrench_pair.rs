//! The contact wrenches of two methods over a task, axis by axis: Fig. 9 of the paper.
//!
//! J. Yoon, M. Lee, D. Son, D. J. Lee, "Fast and accurate data-driven simulation framework for contact-intensive
//! tight-tolerance robotic assembly tasks", 2022.

use std::fmt::Write;

use tightfit_simulation::{Record, WrenchDifference};

use super::axis::Scale;
use super::number::number;
use super::plot::{Plot, Series, TIME};

/// Components of a wrench, with their units, in the order of [`WrenchDifference::per_axis`].
pub const WRENCH_AXES: [(&str, &str); 6] = [
    ("force along x", "N"),
    ("force along y", "N"),
    ("force along z", "N"),
    ("torque about x", "N·m"),
    ("torque about y", "N·m"),
    ("torque about z", "N·m"),
];

/// Contact wrenches on the driven part, world axes, torque about its centre of mass.
#[derive(Clone, Debug, Default)]
pub struct WrenchCurve {
    /// Time [s] and components [N, N·m] of every step.
    pub steps: Vec<(f64, [f64; 6])>,
}

impl WrenchCurve {
    /// Takes in a step.
    pub fn follow(&mut self, record: &Record) {
        let (f, t) = (record.force, record.torque);
        self.steps.push((record.time, [f.x, f.y, f.z, t.x, t.y, t.z]));
    }
}

impl<'a> FromIterator<&'a Record> for WrenchCurve {
    fn from_iter<T: IntoIterator<Item = &'a Record>>(records: T) -> Self {
        let mut curve = Self::default();
        records.into_iter().for_each(|record| curve.follow(record));
        curve
    }
}

/// Two methods compared.
#[derive(Clone, Debug)]
pub struct WrenchPair {
    /// Names of the reference and of the other.
    pub names: [&'static str; 2],
    /// Curves of both and their difference, each run at its own states.
    pub own_way: ([WrenchCurve; 2], WrenchDifference),
    /// The same with both at the states of the reference.
    pub same_states: ([WrenchCurve; 2], WrenchDifference),
}

impl WrenchPair {
    /// Differences by axis, and the curves of both.
    pub(super) fn write(&self, html: &mut String) {
        let [reference, other] = self.names;
        let _ = writeln!(
            html,
            "<section><h2>Contact wrench: {other} against {reference}</h2><p>root mean square of the difference, \
             each on its own way and both at the states of {reference}</p><table><tr><th></th>"
        );
        for (axis, unit) in WRENCH_AXES {
            let _ = write!(html, "<th class=\"n\">{axis} [{unit}]</th>");
        }
        html.push_str("</tr>\n");
        for (name, (_, difference)) in [("own way", &self.own_way), ("same states", &self.same_states)] {
            let _ = write!(html, "<tr><td>{name}</td>");
            for value in difference.per_axis {
                let _ = write!(html, "<td class=\"n\">{}</td>", number(value));
            }
            html.push_str("</tr>\n");
        }
        html.push_str("</table><div class=\"plots\">\n");
        for (name, (curves, _)) in [("own way", &self.own_way), ("same states", &self.same_states)] {
            for (axis, (title, unit)) in WRENCH_AXES.iter().enumerate() {
                html.push_str(&self.plot(&format!("Contact {title}, {name} [{unit}]"), curves, axis).svg());
            }
        }
        html.push_str("</div></section>\n");
    }

    fn plot(&self, title: &str, curves: &[WrenchCurve; 2], axis: usize) -> Plot {
        let series = |(name, curve): (&'static str, &WrenchCurve)| Series {
            name,
            points: curve.steps.iter().map(|(time, wrench)| [*time, wrench[axis]]).collect(),
        };
        Plot {
            title: title.to_string(),
            scale: Scale::Linear,
            across: TIME,
            series: self.names.into_iter().zip(curves).map(series).collect(),
            marks: Vec::new(),
        }
    }
}
