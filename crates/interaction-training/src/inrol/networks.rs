//! The published depth and configuration networks: three hidden layers with rectified activation, tanh at the output,
//! inputs and outputs scaled to [−1, 1].

use std::path::Path;

use tightfit_network::{Activation, CspaceChart, CspaceField, Features, Field, Layer, Network, Range};

use super::table::Table;
use crate::LearningError;

/// d(x), x in the static part's frame.
pub(super) fn depth(txt: &Path) -> Result<Field, LearningError> {
    let inputs = ranges(txt, ["mii.txt", "mai.txt"], 3)?;
    let output = ranges(txt, ["mio.txt", "mao.txt"], 1)?[0];
    Ok(Field::new(Features::Cartesian, inputs, output, network(txt, "", 3)?)?)
}

/// h(q).
pub(super) fn configuration(txt: &Path) -> Result<CspaceField, LearningError> {
    let ranges = ranges(txt, ["Cmii.txt", "Cmai.txt"], 6)?;
    let six = [0, 1, 2, 3, 4, 5].map(|k| ranges[k]);
    Ok(CspaceField::new(CspaceChart::Euler, six, network(txt, "C", 6)?)?)
}

fn ranges(txt: &Path, names: [&str; 2], count: usize) -> Result<Vec<Range>, LearningError> {
    let low = Table::sized(txt, names[0], Some(count), 1)?;
    let high = Table::sized(txt, names[1], Some(count), 1)?;
    let place = format!("{} and {}", names[0], names[1]);
    let pairs = low.numbers.iter().zip(&high.numbers);
    let ranges: Result<Vec<_>, _> = pairs.map(|(low, high)| Range::new(&place, *low, *high)).collect();
    Ok(ranges?)
}

fn network(txt: &Path, prefix: &str, inputs: usize) -> Result<Network, LearningError> {
    let mut layers = Vec::new();
    let mut width = inputs;
    for index in 0..4 {
        let biases = Table::sized(txt, &format!("{prefix}b{index}.txt"), None, 1)?;
        let weights = Table::sized(txt, &format!("{prefix}W{index}.txt"), Some(biases.rows), width)?;
        width = biases.rows;
        let single = |numbers: &[f64]| numbers.iter().map(|number| *number as f32).collect();
        layers.push(Layer {
            weights: single(&weights.numbers),
            biases: single(&biases.numbers),
            activation: if index == 3 { Activation::Tanh } else { Activation::Relu },
        });
    }
    Ok(Network::new(layers)?)
}
