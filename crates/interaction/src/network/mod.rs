//! The interaction network that clusters contacts (paper 3.2, 5.2; Battaglia et al. 2016).
//!
//! ```text
//! round 1   e_i = Σ_l f_R1(X_i, X_l)        l over the ten nearest contacts, i among them
//!           logits_i = f_O1(X_i, e_i)       softmax over the contacts for each of 12 clusters
//! round 2   e_j = Σ_l f_R2(X̄_j, X̄_l)        l over the other clusters
//!           o_j = f_O2(X̄_j, e_j)            two angles by which the normal is turned
//!
//! X  = [p; angle; axis; v + ω×p; ω; f; τ − p×f]   of a contact, 19 numbers, each scaled from its range to [−1, 1]
//! X̄  = [X; n]
//! ```
//!
//! p point [m], n normal, (angle, axis) attitude, v velocity and ω angular velocity of the object, f and τ external
//! force and torque about its centre of mass, all in the object's axes. Activations are rectified, leaky or plain, also
//! at the output of the relations f_R. The outputs of f_O1 and f_O2 are linear.
//!
//! Everything but p and n is equal for all contacts of an object, and X is affine in p. The first layers are therefore
//! composed with X once per state and take three (six) numbers instead of 38 (44).

mod inputs;
mod options;
mod parameters;
mod round;

pub use inputs::{INPUT_NAMES, INPUTS, ObjectState};
pub use options::{InteractionOptions, NormalSource, NormalTurn, SurfaceAverage};
pub use parameters::{CLUSTERS, InteractionNetwork, NEIGHBOURS, PARAMETERS};
pub use round::LANES;
