//! Tables and figures of the paper, and what a regenerated one holds.

use serde::{Deserialize, Serialize};

/// A table or figure of the paper.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) struct Item {
    /// Name on the command line: `table-1`, `fig-8`.
    pub(super) name: &'static str,
    /// What it is about.
    pub(super) title: &'static str,
    /// What the paper prints.
    pub(super) printed: &'static str,
}

/// Every table and figure, in the order of the paper.
pub(super) const ITEMS: [Item; 21] = [
    Item { name: "fig-1", title: "Pipelines of the framework", printed: "a drawing" },
    Item {
        name: "fig-2",
        title: "Balls on a slab that moves sideways",
        printed: "balls jump out of the slab where penetration constraints are approximated",
    },
    Item { name: "fig-3", title: "Contact detection by a network", printed: "a drawing" },
    Item { name: "fig-4", title: "Data-driven contact clustering", printed: "a drawing" },
    Item { name: "fig-5", title: "Structure of the interaction network", printed: "a drawing" },
    Item { name: "fig-6", title: "N-space and C-space contact combined", printed: "a drawing" },
    Item {
        name: "fig-7",
        title: "Experiment setup",
        printed: "photographs of a Panda arm, two force sensors and the parts",
    },
    Item {
        name: "table-1",
        title: "Time of contact detection",
        printed: "peg: FCL 2.31 ms mean, 8.44 max; theirs 0.28, 0.58. Bolting: FCL 5.82, 19.10; theirs 0.28, 0.72",
    },
    Item {
        name: "fig-8",
        title: "Penetration without and with C-space contact, under a random wrench",
        printed: "curves; with C-space contact it drastically reduces",
    },
    Item {
        name: "fig-9",
        title: "Contact force at recorded states",
        printed: "force error (RMSE): peg 16.27 N by K-means and PGS, 1.37 N by theirs; bolting 5.28 N and 0.72 N",
    },
    Item {
        name: "fig-10",
        title: "Complete simulation with the arm",
        printed: "force error (RMSE): peg 1.63 N, bolting 1.01 N by theirs; K-means and PGS penetrates suddenly",
    },
    Item {
        name: "fig-11",
        title: "Computation time of each stage, with the arm",
        printed: "3.2 ms (peg) and 5.6 ms (bolting) per step of 10 ms",
    },
    Item {
        name: "fig-12",
        title: "Other simulators on the same tasks",
        printed: "ODE, Bullet, Vortex and MuJoCo deviate substantially or become unstable",
    },
    Item { name: "fig-13", title: "Bolts and nuts of ten sizes", printed: "a photograph" },
    Item {
        name: "table-2",
        title: "Diameters and pitches of the ten pairs",
        printed: "narrow: 47.2, 47.6, 48.5, 49 mm with 5 mm; broad: 39x4, 42x4.5, 45x4.5, 52x5, 56x5.5, 60x5.5",
    },
    Item {
        name: "fig-14",
        title: "Generalisation: force error on the ten pairs",
        printed: "a chart; the network trained on M48x5 errs less than K-means and PGS on every pair",
    },
    Item {
        name: "fig-15",
        title: "Complete simulation of the narrow group",
        printed: "two pairs behave as in the experiment; K-means and PGS penetrates suddenly",
    },
    Item {
        name: "fig-16",
        title: "Complete simulation of the broad group",
        printed: "two pairs behave as in the experiment; K-means and PGS penetrates suddenly",
    },
    Item { name: "fig-17", title: "Haptic rendering: architecture", printed: "a drawing" },
    Item {
        name: "fig-18",
        title: "Haptic rendering: snapshots",
        printed: "photographs and pictures of the virtual nut",
    },
    Item {
        name: "fig-19",
        title: "Haptic rendering: force to the user",
        printed: "a curve over the search and fastened phases",
    },
];

/// A regenerated table or figure.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub(super) struct Regenerated {
    /// Column names.
    pub(super) head: Vec<String>,
    pub(super) rows: Vec<Vec<String>>,
    /// How it was made, and what differs from the paper's.
    pub(super) note: String,
    /// Bars of a chart, where there is one: label and value.
    pub(super) bars: Vec<(String, f64)>,
    /// Unit of the bars.
    pub(super) unit: String,
}

impl Regenerated {
    pub(super) fn with_head(head: &[&str]) -> Self {
        Self { head: head.iter().map(ToString::to_string).collect(), ..Self::default() }
    }

    /// One that only says where to look, or why it cannot be had.
    pub(super) fn note(text: &str) -> Self {
        Self { note: text.to_string(), ..Self::default() }
    }

    pub(super) fn row(&mut self, cells: &[String]) {
        self.rows.push(cells.to_vec());
    }
}
