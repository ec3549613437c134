//! Start of the search: clusters spread over the contacts.
//!
//! ```text
//! logit_j = κ (cos α_j x + sin α_j y + β_j z)            α_j six directions around the axis, β_j = ±1
//! ```
//!
//! x, y, z scaled point of a contact. A rectified network represents this exactly: h = (x⁺, x⁻, y⁺, y⁻, z⁺, z⁻, …). The
//! softmax then selects the outermost contacts in direction j. The last layer of f_O2 is zero, which leaves the normals
//! unchanged.
//!
//! ```text
//! θ₁ = 0, θ₂ = −30° tanh(γ f)         f external force along the axis, scaled: a braced start
//! ```
//!
//! A braced start also leans every normal by θ₂ against the force along the axis, and its softmax is wider: a cluster then
//! averages both flanks of a thread, its normal is radial, and the lean carries the load. So a part is held although the
//! recorded pose is off by as much as the play and the flank that carries it seems to be free.

use std::f64::consts::TAU;

use tightfit_interaction::{CLUSTERS, INPUTS, InteractionNetwork, InteractionOptions};
use tightfit_network::{Random, Range};

use super::Subset;
use crate::LearningError;

/// κ: how narrow the softmax is.
const NARROW: f64 = 30.0;
/// κ of a braced start: about one turn of a thread lies within the softmax.
const WIDE: f64 = 8.0;
/// γ: the lean is complete at a few hundredths of the largest force.
const LEANING: f64 = 40.0;
/// Force along the axis among the inputs of f_O2, which are X, the normal and the effects.
const FORCE_Z: usize = 15;
const TURN_INPUTS: usize = INPUTS + 3 + 4;
/// Width of the hidden layers of f_O1, and its inputs.
const HIDDEN: usize = 8;
const OBJECT_INPUTS: usize = INPUTS + 4;

/// A network with these options whose clusters are the outermost contacts in twelve directions. All other parameters
/// are random.
///
/// # Errors
/// When a range is empty.
pub fn spread_start(
    ranges: [Range; INPUTS],
    options: InteractionOptions,
    seed: u64,
) -> Result<InteractionNetwork, LearningError> {
    start(ranges, options, seed, NARROW)
}

/// The same with wide clusters whose normals lean against the external force along the axis.
///
/// # Errors
/// When a range is empty.
pub fn braced_start(
    ranges: [Range; INPUTS],
    options: InteractionOptions,
    seed: u64,
) -> Result<InteractionNetwork, LearningError> {
    let mut network = start(ranges, options, seed, WIDE)?;
    let objects = Subset::Objects.places();
    let outputs = Subset::Outputs.places();
    let last = outputs[outputs.len() - 2 * (HIDDEN + 1)];
    let second = last - (HIDDEN + 1) * HIDDEN;
    let first = second - (TURN_INPUTS + 1) * HIDDEN;
    debug_assert!(objects.contains(&first));
    let numbers = network.parameters_mut();
    for (unit, sign) in [1.0, -1.0].into_iter().enumerate() {
        let row = first + unit * TURN_INPUTS;
        numbers[row..row + TURN_INPUTS].fill(0.0);
        numbers[row + FORCE_Z] = sign;
        let row = second + unit * HIDDEN;
        numbers[row..row + HIDDEN].fill(0.0);
        numbers[row + unit] = 1.0;
        // biases follow the weights of a layer
        numbers[first + TURN_INPUTS * HIDDEN + unit] = 0.0;
        numbers[second + HIDDEN * HIDDEN + unit] = 0.0;
        // the second output is the tilt
        numbers[last + HIDDEN + unit] = -LEANING * sign;
    }
    Ok(network)
}

fn start(
    ranges: [Range; INPUTS],
    options: InteractionOptions,
    seed: u64,
    narrow: f64,
) -> Result<InteractionNetwork, LearningError> {
    let mut random = Random::stream(seed, 0x5ead);
    let mut network = InteractionNetwork::random(ranges, options, &mut random)?;
    let first = Subset::Objects.places()[0];
    let numbers = network.parameters_mut();
    let second = first + (OBJECT_INPUTS + 1) * HIDDEN;
    let last = second + (HIDDEN + 1) * HIDDEN;
    for unit in 0..6 {
        // One coordinate with one sign.
        let row = first + unit * OBJECT_INPUTS;
        numbers[row..row + OBJECT_INPUTS].fill(0.0);
        numbers[row + unit / 2] = if unit % 2 == 0 { 1.0 } else { -1.0 };
        let row = second + unit * HIDDEN;
        numbers[row..row + HIDDEN].fill(0.0);
        numbers[row + unit] = 1.0;
    }
    for cluster in 0..CLUSTERS {
        let (sin, cos) = libm::sincos(TAU * (cluster / 2) as f64 / (CLUSTERS / 2) as f64);
        let up = if cluster % 2 == 0 { 1.0 } else { -1.0 };
        let row = last + cluster * HIDDEN;
        for (axis, along) in [cos, sin, up].into_iter().enumerate() {
            numbers[row + 2 * axis] = narrow * along;
            numbers[row + 2 * axis + 1] = -narrow * along;
        }
    }
    let places = Subset::Outputs.places();
    places[places.len() - 18..].iter().for_each(|place| numbers[*place] = 0.0);
    Ok(network)
}
