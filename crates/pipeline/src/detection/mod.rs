//! Stage 1: contact detection between the nodes of each body and the surface of the other.
//!
//! Every node of both bodies is transformed into the other's frame, where the part's distance is queried. Where a
//! convex edge leaves a choice of faces, the face with the largest gap *predicted at the end of the step* is taken
//! ([`tightfit_shape::Part::each_piece`] explains why). A part with a [`DepthNetwork`] uses the network instead; two
//! parts with meshes are detected triangle by triangle (`mesh_pair`). Parts that planes bound touch at corners and edges
//! (`polyhedra`), and convex turned parts touch those where they are lowest (`turned`). Places between nodes are contacts of their own:
//! where edges of two turned parts cross (`edge_crossings`), those of exact solids (`exact_crossings`) and those of the starts of threads
//! (`thread_crossings`), where a rim is lowest over a face (`rim_places`), and where convex round walls touch (`wall_crossings`).

mod ball;
mod branches;
mod clearances;
mod contact_writer;
mod convex_edges;
mod crossing_query;
mod depth_network;
mod detect;
mod edge_crossings;
mod edge_pair;
mod exact_crossings;
mod face_choice;
mod mesh_pair;
mod moved_surface;
mod nearest_place;
mod network_cells;
mod neural;
mod node_blocks;
mod node_query;
mod overlap;
mod pair_body;
mod point_batches;
mod polyhedra;
#[cfg(test)]
mod polyhedra_tests;
mod redetect;
mod rim_places;
mod search_margin;
mod thinning;
mod thread_crossings;
mod turned;
#[cfg(test)]
mod turned_tests;
mod wall_crossings;

pub use ball::BallPair;
pub use clearances::Clearances;
pub use depth_network::{DepthNetwork, UnfitNetwork};
pub use detect::{DetectionOptions, DetectionScratch, crossing_ids, detect_pair};
pub use edge_crossings::most_crossings;
pub use mesh_pair::mesh_ids;
pub use node_blocks::NodeBlocks;
pub use pair_body::PairBody;
pub use polyhedra::polyhedron_ids;
pub use redetect::redetect;
pub use search_margin::{AHEAD, LARGEST_MARGIN, bend, closed_within, search_margin};
pub use turned::TurnedPair;
