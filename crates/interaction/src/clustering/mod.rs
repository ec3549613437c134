/*!
Clustering by an interaction network: a few points of the object's surface, with turned normals, represent all contacts
(paper 3.2).

```text
order        contacts along a space-filling curve                               hilbert.rs
neighbours   the ten nearest contacts of every contact, by boxes of eight       neighbours.rs, boxes.rs
weights      network, round 1; softmax over the contacts for each cluster       softmax.rs
average      y_j = Σ_i w_ij E_i in the embedding of the surface                 softmax.rs
back         to the nearest point of the surface, or to the nearest contact     choose.rs
gap, normal  of the other part's distance there; never averages
turn         network, round 2: n̄ = cos θ₂ n + sin θ₂ (cos θ₁ e₁ + sin θ₁ e₂)     choose.rs
```

e₁ is the static part's z axis made orthogonal to n, e₂ = n × e₁. [`ContactSet`] holds what does not depend on the
network's parameters: points, neighbours, positions in the embedding.
*/

mod boxes;
mod choose;
mod contact_set;
mod hilbert;
mod neighbours;
mod softmax;

#[cfg(test)]
mod tests;

pub use choose::{Cluster, InteractionClustering, InteractionWorkspace, SurfaceContact};
pub use contact_set::ContactSet;
