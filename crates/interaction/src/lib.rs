/*!
Contact clustering by an interaction network (paper 3.2): a few points of an object's surface, with turned normals, that
represent all its contacts with a fixed part.

[`InteractionNetwork`] weighs contacts and turns normals, [`EmbeddedSurface`] is the surface that clusters are averaged on,
[`InteractionFile`] stores both. [`InteractionClustering::choose`] makes the clusters of a [`ContactSet`].

The simulation calls this crate where `ClusteringMethod::Interaction` is set and a part names a network; nothing else in the
core depends on it. Training is in `tightfit-interaction-training`.
*/

#![forbid(unsafe_code)]

mod clustering;
mod embedded_surface;
mod file;
mod network;

pub use clustering::{Cluster, ContactSet, InteractionClustering, InteractionWorkspace, SurfaceContact};
pub use embedded_surface::{EMBEDDING, EmbeddedSurface, Embedding, Located, SurfacePoint};
pub use file::InteractionFile;
pub use network::{
    CLUSTERS, INPUT_NAMES, INPUTS, InteractionNetwork, InteractionOptions, LANES, NEIGHBOURS, NormalSource,
    NormalTurn, ObjectState, PARAMETERS, SurfaceAverage,
};
