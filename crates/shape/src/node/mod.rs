/*!
Nodes: the points of a part that are tested for contact.

A node is a chart coordinate (face, u, v), not a position. [`crate::Part::place`] maps it to the part's frame
with the part's own dimensions, so one [`NodeSet`] serves every environment whatever its clearance, diameter
or pitch. Nodes of faces find surface contact, nodes of convex edges and corners find the contact that
happens *between* the nodes of the other part; a tight fit needs both parts' nodes.
*/

mod compact_order;
mod node_set;
mod spacing;

pub use compact_order::compact_order;
pub use node_set::{Chart, NodeKind, NodeSet};
pub use spacing::{FewestNodes, NodeSpacing};
