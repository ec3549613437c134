//! The mating wall of a turned body: the bore of a hole, the outside of a peg.
//!
//! The wall ends at a rim, or at a floor or shoulder that stops the mating part.

use super::{Section, SectionedSolid};

/// A cylindrical wall about the z axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wall {
    /// Distance from the axis [m].
    pub radius: f64,
    /// z of its ends [m].
    pub heights: [f64; 2],
    /// Whether the wall is a bore, with its normal towards the axis.
    pub is_bore: bool,
}

impl SectionedSolid {
    /// The only bore, or the only outer wall of a body without a bore; `None` if there are several, or if the section
    /// is not round.
    #[must_use]
    pub fn wall(&self) -> Option<Wall> {
        self.wall_edge().map(|(_, wall)| wall)
    }

    /// The wall and its edge of the outline.
    pub(super) fn wall_edge(&self) -> Option<(usize, Wall)> {
        let is_upright = |[start, end]: [[f64; 2]; 2]| start[0] == end[0];
        let walls = |is_bore: bool| {
            let matches_side = move |index: usize| (self.outline.edge_normal(index)[0] < 0.0) == is_bore;
            let mut walls =
                self.outline.edges().filter(move |&(index, edge)| is_upright(edge) && matches_side(index));
            (walls.next(), walls.next().is_some())
        };
        let ((bore, more_bores), (outside, more_outside)) = (walls(true), walls(false));
        let (is_bore, wall, more) = match bore {
            Some(_) => (true, bore, more_bores),
            None => (false, outside, more_outside),
        };
        let (index, [start, end]) = wall.filter(|_| self.section == Section::Round && !more)?;
        let heights = [start[1].min(end[1]), start[1].max(end[1])];
        Some((index, Wall { radius: start[0], heights, is_bore }))
    }
}

#[cfg(test)]
mod tests {
    use crate::fit::HoleDimensions;
    use crate::preset::{hole_50, peg_50, square_peg_20};

    #[test]
    fn wall_of_a_peg_is_its_outside_and_of_a_through_hole_its_bore() {
        let peg = peg_50().build().expect("a peg").wall().expect("a wall");
        assert_eq!((peg.radius, peg.is_bore), (24.985e-3, false));
        // the wall ends at the chamfer of the tip
        assert!((peg.heights[1] - peg.heights[0] - 99e-3).abs() < 1e-12);
        let bore = hole_50().build().expect("a hole").wall().expect("a bore");
        assert_eq!((bore.radius, bore.is_bore), (25.0175e-3, true));
        assert!((bore.heights[1] - bore.heights[0] - 49e-3).abs() < 1e-12);
    }

    #[test]
    fn wall_of_a_blind_hole_is_its_bore_and_a_square_peg_has_none() {
        let blind = HoleDimensions { floor: Some(10e-3), ..hole_50() };
        let bore = blind.build().expect("a hole").wall().expect("a bore");
        assert_eq!((bore.radius, bore.is_bore), (25.0175e-3, true));
        assert_eq!(square_peg_20().build().expect("a peg").wall(), None);
    }
}
