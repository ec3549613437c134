//! Union-find (Tarjan 1975); the smallest member identifies each set.

/// A partition of 0..n.
pub(crate) struct UnionFind {
    parent: Vec<u32>,
}

impl UnionFind {
    /// Every member is a set of its own.
    pub(crate) fn new(count: usize) -> Self {
        Self { parent: (0..count as u32).collect() }
    }

    /// Smallest member of the set of `member`.
    pub(crate) fn find(&mut self, mut member: u32) -> u32 {
        while self.parent[member as usize] != member {
            let grandparent = self.parent[self.parent[member as usize] as usize];
            self.parent[member as usize] = grandparent;
            member = grandparent;
        }
        member
    }

    /// Joins two sets. The smaller root wins, so the result does not depend on the order of the joins.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.find(a), self.find(b));
        self.parent[a.max(b) as usize] = a.min(b);
    }
}
