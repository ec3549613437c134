/*!
Nodes: the points of a part that are tested for contact.

A node is a chart coordinate (face, u, v), not a position. [`crate::Part::place`] maps it to the part's frame
with the dimensions of that part, so one [`NodeSet`] serves every environment whatever its clearance, diameter
or pitch. Nodes on faces find surface contact. Nodes on convex edges and corners find contact *between* the
nodes of the other part. A tight fit needs the nodes of both parts.
*/

mod compact_order;
mod node_set;
mod slide;
mod spacing;

pub use compact_order::compact_order;
pub use node_set::{Chart, NodeKind, NodeSet};
pub use slide::{Arc, Slid, Slides};
pub(crate) use slide::{Cell, Round, RoundKind};
pub use spacing::{FewestNodes, NodeSpacing};
