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
//! θ₁ = 0,  θ₂ = γ (max(−n_z, 0) where f_z ≤ 0) − γ (max(n_z, 0) where f_z ≥ 0)          braced start
//! ```
//!
//! f_z external force, n_z normal along the axis. A braced start turns the normals that the force would leave to the side
//! that carries it, and no others. So a part is held although the recorded pose is off by as much as the play and only
//! contacts on the unloaded flank of its thread penetrate. It needs angles that are not bounded, as printed.

use std::f64::consts::TAU;

use tightfit_interaction::{CLUSTERS, INPUTS, InteractionNetwork, InteractionOptions};
use tightfit_network::{Random, Range};

use super::Subset;
use crate::LearningError;

/// κ: how narrow the softmax is.
const NARROW: f64 = 30.0;
/// γ [rad]: the normal of a flank, 30° off the axis, turns by 120° to that of the other flank.
const TURNED: f64 = 2.4;
/// Slope that decides by the sign of the scaled force.
const DECIDED: f64 = 100.0;
/// Force and normal along the axis among the inputs of f_O2, which are X, the normal and the effects.
const FORCE_Z: usize = 15;
const NORMAL_Z: usize = INPUTS + 2;
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
            numbers[row + 2 * axis] = NARROW * along;
            numbers[row + 2 * axis + 1] = -NARROW * along;
        }
    }
    let places = Subset::Outputs.places();
    places[places.len() - 18..].iter().for_each(|place| numbers[*place] = 0.0);
    Ok(network)
}

/// The same with normals that are turned to the side that carries the external force along the axis.
///
/// # Errors
/// When a range is empty.
pub fn braced_start(
    ranges: [Range; INPUTS],
    options: InteractionOptions,
    seed: u64,
) -> Result<InteractionNetwork, LearningError> {
    let mut network = spread_start(ranges, options, seed)?;
    let outputs = Subset::Outputs.places();
    let last = outputs[outputs.len() - 2 * (HIDDEN + 1)];
    let second = last - (HIDDEN + 1) * HIDDEN;
    let first = second - (TURN_INPUTS + 1) * HIDDEN;
    let numbers = network.parameters_mut();
    // First layer: f⁺, f⁻, n⁺, n⁻ of force and normal along the axis.
    for (unit, (input, sign)) in
        [(FORCE_Z, 1.0), (FORCE_Z, -1.0), (NORMAL_Z, 1.0), (NORMAL_Z, -1.0)].into_iter().enumerate()
    {
        let row = first + unit * TURN_INPUTS;
        numbers[row..row + TURN_INPUTS].fill(0.0);
        numbers[row + input] = sign;
        // the biases of a layer follow its weights
        numbers[first + TURN_INPUTS * HIDDEN + unit] = 0.0;
    }
    // Second layer: n⁻ without f⁺, n⁺ without f⁻. The second output is the tilt.
    for (unit, (normal, force, sign)) in [(3, 0, 1.0), (2, 1, -1.0)].into_iter().enumerate() {
        let row = second + unit * HIDDEN;
        numbers[row..row + HIDDEN].fill(0.0);
        numbers[row + normal] = 1.0;
        numbers[row + force] = -DECIDED;
        numbers[second + HIDDEN * HIDDEN + unit] = 0.0;
        numbers[last + HIDDEN + unit] = sign * TURNED;
    }
    Ok(network)
}
