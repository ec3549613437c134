//! The interaction network that makes clusters of contacts (paper 3.2, 5.2; Battaglia et al. 2016).
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
//! p point [m], n normal, (angle, axis) attitude, v velocity and ω turning of the object, f and τ external force and torque
//! about its centre of mass, all in the object's axes. Rectified units, leaky or plain, also at the end of the relations f_R;
//! f_O1 and f_O2 end linear.
//!
//! All but p and n is the same for all contacts of an object, and X is affine in p. The first layers are therefore composed
//! with X once for a state, and take three (six) numbers instead of 38 (44).

mod file;
mod inputs;
mod options;
mod parameters;
mod round;

pub use file::InteractionFile;
pub use inputs::{INPUT_NAMES, INPUTS, ObjectState};
pub use options::{InteractionOptions, NormalSource, NormalTurn, SurfaceAverage};
pub use parameters::{CLUSTERS, InteractionNetwork, NEIGHBOURS, PARAMETERS};
pub use round::LANES;
