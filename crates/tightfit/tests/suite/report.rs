//! The report of runs: whole, self-contained, and without a number that is none.

use tightfit::report::{RunSummary, report_html};
use tightfit::scene::{Scene, Simulation};

fn summary(steps: usize, drawn_step: Option<u64>) -> RunSummary {
    let mut run = Simulation::new(Scene::find("block-on-table").unwrap(), 1);
    let mut summary = RunSummary::new(&run.scene);
    summary.drawn_step = drawn_step;
    for _ in 0..steps {
        let record = run.advance();
        summary.follow(&run, record);
    }
    summary.conclude(&run, Some("at rest <now>".into()));
    summary
}

#[test]
fn a_report_stands_alone_and_shows_the_chosen_step() {
    let html = report_html(&[summary(30, Some(20))]);
    assert!(html.starts_with("<!DOCTYPE html>") && html.ends_with("</body></html>\n"));
    assert!(
        html.contains("<div class=\"good\">certified; at rest &lt;now&gt;") && html.contains("(step 20)")
    );
    assert_eq!(html.matches("<svg").count(), html.matches("</svg>").count());
    assert_eq!(html.matches("<g").count(), html.matches("</g>").count());
    for banned in ["<script", "href=", "src=", "NaN", "inf,", ",inf"] {
        assert!(!html.contains(banned), "{banned}");
    }
}

#[test]
fn several_runs_are_compared_and_an_empty_one_is_no_trouble() {
    let html = report_html(&[summary(5, None), summary(0, None)]);
    assert_eq!(html.matches("<section>").count(), 2);
    assert!(html.contains("2 runs") && html.contains("0 of 5"));
    assert!(!html.contains("NaN"));
}
