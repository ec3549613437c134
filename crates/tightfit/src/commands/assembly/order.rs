//! Order of the step for `tightfit run --halvings`.

use serde_json::{Value, json};
use tightfit::scene::StepHalving;

use crate::table::Table;

/// Ratio of the errors to those at half the step.
fn ratios_of(halving: &StepHalving) -> Vec<Option<[f64; 2]>> {
    let mut ratios: Vec<_> = halving.ratios().map(Some).collect();
    ratios.resize(halving.levels.len(), None);
    ratios
}

/// The JSON value of `order`.
pub(crate) fn json(halving: &StepHalving) -> Value {
    let levels = halving.levels.iter().zip(ratios_of(halving)).map(|(level, ratio)| {
        json!({
            "dt_s": level.step,
            "max_error_um": level.largest * 1e6,
            "max_error_time_s": level.time,
            "mean_error_um": level.mean * 1e6,
            "max_error_ratio": ratio.map(|[largest, _]| largest),
            "mean_error_ratio": ratio.map(|[_, mean]| mean),
        })
    });
    json!({
        "norm": "|dx| + R |dtheta|, R half the diagonal of the part's box, largest and mean over the common times",
        "reference_dt_s": halving.reference_step,
        "levels": levels.collect::<Vec<_>>(),
    })
}

/// Pose errors of the halved steps; `None` where none were run.
pub(crate) fn table<'a>(measured: impl Iterator<Item = (&'a str, &'a StepHalving)>) -> Option<Table> {
    let mut table = Table::new(&[
        "pose error",
        "step ms",
        "against ms",
        "largest um",
        "at s",
        "falls by",
        "mean um",
        "falls by",
    ]);
    let mut is_empty = true;
    for (scene, halving) in measured {
        for (level, ratio) in halving.levels.iter().zip(ratios_of(halving)) {
            is_empty = false;
            let fall = |index: usize| ratio.map_or(String::new(), |ratio| format!("{:.2}", ratio[index]));
            table.row(vec![
                scene.to_string(),
                format!("{}", level.step * 1e3),
                format!("{}", halving.reference_step * 1e3),
                format!("{:.3}", level.largest * 1e6),
                format!("{:.2}", level.time),
                fall(0),
                format!("{:.4}", level.mean * 1e6),
                fall(1),
            ]);
        }
    }
    (!is_empty).then_some(table)
}
