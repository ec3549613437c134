/*!
Contact clustering, between detection and solving: a few contacts represent the many of a pair of parts.

A cluster is represented by its **deepest member**, with the gap, arm, normal and surface velocity of that one real
contact. Means would be smoother, but the mean of points on a curved wall lies inside the material, the mean of the
normals of opposite walls vanishes, and a mean gap hides the deepest one, which is the gap that must not close.

The interaction network (crate `tightfit-interaction`) does average, on the surface of the object, and queries the other part's
distance there.

The pose projection and the certificate still use every contact.
*/

mod feature_blocks;
mod k_means;
mod method;

#[cfg(test)]
mod tests;

pub use method::{ClusteringMethod, ClusteringWorkspace, INTERACTION_CLUSTERS};
