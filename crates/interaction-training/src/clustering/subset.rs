//! Parameters of the network that a search changes.

use serde::{Deserialize, Serialize};
use tightfit_interaction::PARAMETERS;

/// Searched part of the network.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subset {
    /// Last layers of f_O1 and f_O2: 126 parameters.
    Outputs,
    /// f_O1 and f_O2: 678 parameters.
    Objects,
    /// All 3,246, as in the paper.
    All,
}

/// Start and end of f_O1 and f_O2 among the parameters, and the size of their last layers.
const OBJECTS: [(usize, usize, usize); 2] = [(1236, 1608, 108), (2940, PARAMETERS, 18)];

impl Subset {
    /// Indices of its parameters, ascending.
    #[must_use]
    pub fn places(self) -> Vec<usize> {
        let ranges = OBJECTS.into_iter();
        match self {
            Self::Outputs => ranges.flat_map(|(_, end, last)| end - last..end).collect(),
            Self::Objects => ranges.flat_map(|(start, end, _)| start..end).collect(),
            Self::All => (0..PARAMETERS).collect(),
        }
    }

    /// Its name in files and options.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Outputs => "outputs",
            Self::Objects => "objects",
            Self::All => "all",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subsets_have_the_sizes_of_their_layers() {
        // [23, 8, 8, 12] and [26, 8, 8, 2] with biases; last layers 9 × 12 and 9 × 2
        assert_eq!(Subset::Objects.places().len(), (24 * 8 + 9 * 8 + 9 * 12) + (27 * 8 + 9 * 8 + 9 * 2));
        assert_eq!(Subset::Outputs.places().len(), 9 * 12 + 9 * 2);
        assert_eq!(Subset::All.places().len(), 3246);
        // [38, 16, 16, 16, 4] precede f_O1, [44, 16, 16, 16, 4] lie between
        assert_eq!(OBJECTS[0].0, 39 * 16 + 2 * 17 * 16 + 17 * 4);
        assert_eq!(OBJECTS[1].0 - OBJECTS[0].1, 45 * 16 + 2 * 17 * 16 + 17 * 4);
    }
}
