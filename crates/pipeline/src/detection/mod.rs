//! Stage 1: which nodes of either body are near the other.
//!
//! Every node of both bodies is carried into the other's frame and asked for its distance. Where convex edges
//! leave a choice of faces, the one with the largest gap *predicted at the end of the step* is taken
//! ([`tightfit_shape::Part::each_piece`] says why). A part with a [`DepthNetwork`] answers through that instead, and two
//! parts with meshes triangle by triangle (`mesh_pair`). Where the edges of two turned parts cross between their nodes, the
//! crossing is a contact of its own (`edge_crossings`).

mod again;
mod clearances;
mod depth_network;
mod detect;
mod edge_crossings;
mod face_choice;
mod found;
mod gathered;
mod look;
mod mesh_pair;
mod moved_surface;
mod near_cells;
mod neural;
mod node_blocks;
mod search_margin;
mod side;
mod thinning;

pub use again::detect_again;
pub use clearances::Clearances;
pub use depth_network::{DepthNetwork, UnfitNetwork};
pub use detect::{DetectionOptions, detect_pair};
pub use edge_crossings::most_crossings;
pub use mesh_pair::mesh_ids;
pub use neural::NetworkScratch;
pub use node_blocks::NodeBlocks;
pub use search_margin::{AHEAD, LARGEST_MARGIN, bend, closed_within, search_margin};
pub use side::Side;
