//! Random split into training and test trials, by a seed.
//!
//! Rows of one trial are correlated: a split by rows would test on training data.

use tightfit_spatial::SplitMix;

/// Indices of trials, ascending.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Split {
    /// Training trials.
    pub train: Vec<usize>,
    /// Test trials.
    pub test: Vec<usize>,
}

/// Seven of ten trials train, the rest test. Each group (a session, a hole) is split separately, so both sides contain
/// it.
#[must_use]
pub fn split_trials(groups: &[&str], seed: u64) -> Split {
    let mut split = Split { train: Vec::new(), test: Vec::new() };
    let mut random = SplitMix::stream(seed);
    let mut names: Vec<&str> = groups.to_vec();
    names.sort_unstable();
    names.dedup();
    for name in names {
        let mut members: Vec<usize> = (0..groups.len()).filter(|index| groups[*index] == name).collect();
        for last in (1..members.len()).rev() {
            let chosen = (random.unit() * (last + 1) as f64) as usize;
            members.swap(last, chosen.min(last));
        }
        let trained = (members.len() as f64 * 0.7).round() as usize;
        split.train.extend(&members[..trained]);
        split.test.extend(&members[trained..]);
    }
    split.train.sort_unstable();
    split.test.sort_unstable();
    split
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_trial_is_on_one_side_and_the_seed_decides_which() {
        let groups: Vec<&str> = (0..60).map(|index| ["a", "b", "c"][index % 3]).collect();
        let split = split_trials(&groups, 7);
        assert_eq!((split.train.len(), split.test.len()), (42, 18));
        let mut all = [split.train.clone(), split.test.clone()].concat();
        all.sort_unstable();
        assert_eq!(all, (0..60).collect::<Vec<_>>());
        assert_eq!(split, split_trials(&groups, 7));
        assert_ne!(split, split_trials(&groups, 8));
        let of_a = split.test.iter().filter(|index| groups[**index] == "a").count();
        assert_eq!(of_a, 6);
    }
}
