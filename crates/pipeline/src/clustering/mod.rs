/*!
Contact clustering, between detection and solving: a few contacts that stand for the many of a pair of parts.

A cluster is represented by its **deepest member**, with the gap, arm, normal and surface velocity of that one real
contact. Means would be smoother, but the mean of points on a curved wall lies inside the material, the mean of
normals of opposite walls is none, and the mean of gaps is no gap that keeps anything apart; the deepest gap is the
one that must not close.

The interaction network (crate `tightfit-interaction`) does average, on the surface of the object, and queries the other part's
distance there.

The pose projection and the certificate go on seeing every contact.
*/

mod covered_area;
mod feature_blocks;
mod k_means;
mod method;

#[cfg(test)]
mod tests;

pub use method::{ClusteringMethod, ClusteringWorkspace, INTERACTION_CLUSTERS};
