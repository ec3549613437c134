//! Recorded runs in 3-D inside a report.

use tightfit_viewer::{Recording, page};

/// Adds one view per recording, side by side; they are scrubbed together.
pub(super) fn write<'a>(html: &mut String, recordings: impl Iterator<Item = &'a Recording>) {
    let recordings: Vec<Recording> = recordings.cloned().collect();
    if !recordings.is_empty() {
        html.push_str("<noscript><p>The 3-D view needs scripts; tables and plots do not.</p></noscript>\n");
        html.push_str(&page::recording_section(&recordings));
        html.push('\n');
    }
}

/// Adds style and script of the views, once, after the last of them.
pub(super) fn write_script(html: &mut String, has_views: bool) {
    if has_views {
        html.push_str(&format!("<style>{}</style>\n", page::STYLE));
        html.push_str(&page::script_element());
    }
}
