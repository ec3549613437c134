//! Which numbers of the network a search may change.

use serde::{Deserialize, Serialize};
use tightfit_network::interaction::PARAMETERS;

/// Part of the network that is searched.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Subset {
    /// Last layers of f_O1 and f_O2: 126 numbers.
    Outputs,
    /// f_O1 and f_O2: 678 numbers.
    Objects,
    /// All 3,246, the paper's way.
    All,
}

/// Where f_O1 and f_O2 begin and end among the numbers, and how many their last layers have.
const OBJECTS: [(usize, usize, usize); 2] = [(1236, 1608, 108), (2940, PARAMETERS, 18)];

impl Subset {
    /// Places of its numbers, ascending.
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
        // [38, 16, 16, 16, 4] stand before f_O1, [44, 16, 16, 16, 4] between
        assert_eq!(OBJECTS[0].0, 39 * 16 + 2 * 17 * 16 + 17 * 4);
        assert_eq!(OBJECTS[1].0 - OBJECTS[0].1, 45 * 16 + 2 * 17 * 16 + 17 * 4);
    }
}
