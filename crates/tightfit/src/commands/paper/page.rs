//! The page of `tightfit paper`: one section per item, the printed value first, then ours as table and bars.

use std::fmt::Write;

use super::item::{Item, Regenerated};
use crate::report::number::escape;

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:64rem;margin:2rem auto;padding:0 1rem;color:#1d2733}\
h1{font-size:1.7rem}h2{font-size:1.15rem;margin:2.2rem 0 .3rem}table{border-collapse:collapse;margin:.6rem 0}\
td,th{padding:.25rem .7rem;border-bottom:1px solid #dde3ea;text-align:left;font-variant-numeric:tabular-nums}\
.printed{background:#f3f6fa;border-left:4px solid #8aa4c0;padding:.4rem .8rem;margin:.4rem 0}\
.note{color:#56636f;font-size:.92rem}.bar{fill:#3b78b5}.baseline{fill:#c98a3a}.again{color:#aab4bf}.label{font-size:12px;fill:#1d2733}nav a{margin-right:.8rem}";

/// Width of the chart, of its labels, and height of a bar [px].
const WIDTH: f64 = 900.0;
const LABELS: f64 = 340.0;
const HEIGHT: f64 = 20.0;

pub(super) fn html(items: &[(Item, Regenerated)], is_quick: bool) -> String {
    let mut page = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>The paper, regenerated</title><style>{STYLE}</style>\
         <h1>The paper's tables and figures, regenerated</h1><p>J. Yoon, M. Lee, D. Son, D. J. Lee, \u{201c}Fast and accurate \
         data-driven simulation framework for contact-intensive tight-tolerance robotic assembly tasks\u{201d}. Presets: \
         <code>paper</code> is the system as printed, <code>refined</code> its architecture improved, <code>tight</code> our \
         default, <code>textbook</code> the paper's baseline (<code>tightfit presets NAME</code>).</p>"
    );
    if is_quick {
        page.push_str(
            "<p class=\"note\">Short runs and few trials (<code>--quick</code>): numbers are rough.</p>",
        );
    }
    page.push_str("<nav>");
    for (item, _) in items {
        let _ = write!(page, "<a href=\"#{0}\">{0}</a>", item.name);
    }
    page.push_str("</nav>");
    for (item, made) in items {
        let _ = write!(
            page,
            "<h2 id=\"{0}\">{0}: {1}</h2><div class=\"printed\">Printed: {2}</div>",
            item.name,
            escape(item.title),
            escape(item.printed)
        );
        table(&mut page, made);
        bars(&mut page, made);
        let _ = write!(page, "<p class=\"note\">{}</p>", escape(&made.note));
    }
    page.push_str("</html>\n");
    page
}

fn table(page: &mut String, made: &Regenerated) {
    if made.rows.is_empty() {
        return;
    }
    page.push_str("<table><tr>");
    for cell in &made.head {
        let _ = write!(page, "<th>{}</th>", escape(cell));
    }
    let mut before: Option<&String> = None;
    for row in &made.rows {
        page.push_str("</tr><tr>");
        for (place, cell) in row.iter().enumerate() {
            // a first cell that repeats the one above recedes
            let class = if place == 0 && before == Some(cell) { " class=\"again\"" } else { "" };
            let _ = write!(page, "<td{class}>{}</td>", escape(cell));
        }
        before = row.first();
    }
    page.push_str("</tr></table>");
}

/// Horizontal bars from zero, each with its value; those of the paper's baseline have another colour.
fn bars(page: &mut String, made: &Regenerated) {
    let largest =
        made.bars.iter().map(|(_, value)| *value).filter(|value| value.is_finite()).fold(0.0, f64::max);
    if largest <= 0.0 {
        return;
    }
    let height = HEIGHT * (made.bars.len() as f64 + 1.0);
    let _ = write!(
        page,
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{}\">",
        escape(&made.unit)
    );
    for (place, (label, value)) in made.bars.iter().enumerate() {
        let y = HEIGHT * place as f64;
        let length = (WIDTH - LABELS - 90.0) * (value / largest).clamp(0.0, 1.0);
        let _ = write!(
            page,
            "<text class=\"label\" x=\"{0}\" y=\"{1}\" text-anchor=\"end\">{2}</text>\
             <rect class=\"{6}\" x=\"{LABELS}\" y=\"{3}\" width=\"{length:.1}\" height=\"{4}\"/>\
             <text class=\"label\" x=\"{5:.1}\" y=\"{1}\">{value:.3}</text>",
            LABELS - 8.0,
            y + 0.7 * HEIGHT,
            escape(label),
            y + 3.0,
            HEIGHT - 6.0,
            LABELS + length + 6.0,
            if label.contains("textbook") { "baseline" } else { "bar" },
        );
    }
    let _ = write!(
        page,
        "<text class=\"label\" x=\"{LABELS}\" y=\"{}\">{}</text></svg>",
        height - 5.0,
        escape(&made.unit)
    );
}
