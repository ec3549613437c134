//! The starts of the thread that was asked for last.

use super::{RadialSurface, StartEdges};
use crate::Part;

/// Convex edges at both ends of a thread, kept until another one is asked for.
#[derive(Clone, Debug, Default)]
pub struct ThreadStarts {
    thread: Option<RadialSurface>,
    ends: [StartEdges; 2],
}

impl ThreadStarts {
    /// The edges at the ends of a part's thread, lower and upper, where it begins.
    pub fn of(&mut self, part: &Part) -> [Option<&StartEdges>; 2] {
        let begins = [0, 1].map(|end| part.start(end));
        let Some(thread) = begins[1] else { return [None; 2] };
        if self.thread.as_ref() != Some(thread) {
            (0..2).for_each(|end| thread.fill_start(end, &mut self.ends[end]));
            self.thread = Some(*thread);
        }
        [0, 1].map(|end| begins[end].map(|_| &self.ends[end]))
    }
}
