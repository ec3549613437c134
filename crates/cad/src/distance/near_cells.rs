//! A grid of cells with the faces near each, so that a point near the surface looks at these alone.
//!
//! A cell is a ball for [`Solid::vicinity`]: its faces are found once, for all points in it and any reach up to
//! that of the grid.

use nalgebra::Vector3;

use super::vicinity::{Few, Vicinity};
use crate::Solid;

/// Cells along the longest side of the solid.
const ALONG: f64 = 64.0;
/// Cells along each side of a group that is decided first.
const GROUP: usize = 4;

/// The grid.
#[derive(Clone, Debug)]
pub struct NearCells {
    reach: f64,
    low: Vector3<f64>,
    /// Edge of a cell [m].
    size: f64,
    counts: [usize; 3],
    cells: Vec<Cell>,
    few: Vec<[u32; 4]>,
    /// Ranges of `candidates`.
    several: Vec<[u32; 2]>,
    candidates: Vec<u32>,
    faces: Vec<(u32, [u16; 2])>,
    trim: Vec<(u32, bool)>,
}

#[derive(Clone, Copy, Debug)]
enum Cell {
    /// At least this far outside [m].
    Outside(f32),
    Single(u32),
    Few(u32),
    /// Place in `several`.
    Several(u32),
    /// Deep inside.
    Inside,
}

/// What is near a point.
#[derive(Clone, Copy, Debug)]
pub enum Nearby<'a> {
    /// Nothing within this distance [m].
    Outside(f64),
    /// One smooth face.
    Single(u32),
    /// Several faces, or an edge.
    Few(Few<'a>),
    /// More than a few faces, by number.
    Several(&'a [u32]),
    /// The point is deep inside.
    Inside,
}

impl NearCells {
    /// Largest reaches of queries for which grids are worth their room [m]: cells of a short one list fewer faces.
    pub const REACHES: [f64; 2] = [0.4e-3, 1.2e-3];

    /// The grid of a solid for queries up to a reach [m].
    #[must_use]
    pub fn new(solid: &Solid, reach: f64) -> Self {
        let bounds = solid.aabb().grown(1.01 * reach);
        let extent = bounds.max - bounds.min;
        let size = extent.max() / ALONG;
        let counts = [0, 1, 2].map(|k| ((extent[k] / size).ceil() as usize).clamp(1, ALONG as usize));
        let count = counts.iter().product();
        let mut grid = Self {
            reach,
            low: bounds.min,
            size,
            counts,
            cells: vec![Cell::Inside; count],
            few: Vec::new(),
            several: Vec::new(),
            candidates: Vec::new(),
            faces: Vec::new(),
            trim: Vec::new(),
        };
        let groups = counts.map(|count| count.div_ceil(GROUP));
        for number in 0..groups.iter().product() {
            let group =
                [number % groups[0], number / groups[0] % groups[1], number / (groups[0] * groups[1])];
            grid.fill_group(solid, group);
        }
        grid
    }

    /// Largest reach of a query [m].
    #[must_use]
    pub fn reach(&self) -> f64 {
        self.reach
    }

    /// What is near a point.
    #[must_use]
    #[inline]
    pub fn at(&self, p: Vector3<f64>) -> Nearby<'_> {
        let local = (p - self.low) / self.size;
        let mut place = [0; 3];
        for k in 0..3 {
            if !(local[k] >= 0.0 && local[k] < self.counts[k] as f64) {
                return Nearby::Outside(self.reach + self.beyond(local));
            }
            place[k] = local[k] as usize;
        }
        match self.cells[self.index(place)] {
            Cell::Outside(clear) => Nearby::Outside(f64::from(clear)),
            Cell::Single(face) => Nearby::Single(face),
            Cell::Few(number) => {
                let [first, end, first_trim, end_trim] = self.few[number as usize].map(|n| n as usize);
                Nearby::Few(Few { faces: &self.faces[first..end], trim: &self.trim[first_trim..end_trim] })
            }
            Cell::Several(number) => {
                let [first, end] = self.several[number as usize].map(|n| n as usize);
                Nearby::Several(&self.candidates[first..end])
            }
            Cell::Inside => Nearby::Inside,
        }
    }

    /// Memory [bytes].
    #[must_use]
    pub fn memory(&self) -> usize {
        size_of_val(&*self.cells)
            + size_of_val(&*self.few)
            + size_of_val(&*self.several)
            + size_of_val(&*self.candidates)
            + size_of_val(&*self.faces)
            + size_of_val(&*self.trim)
    }

    /// Distance of a point outside the grid from it [m], 0 where it is NaN.
    fn beyond(&self, local: Vector3<f64>) -> f64 {
        let past = Vector3::from_fn(|k, _| (-local[k]).max(local[k] - self.counts[k] as f64).max(0.0));
        past.norm() * self.size
    }

    fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.counts[0] * (y + self.counts[1] * z)
    }

    fn fill_group(&mut self, solid: &Solid, group: [usize; 3]) {
        let first = group.map(|k| k * GROUP);
        let corner = Vector3::from_fn(|k, _| first[k] as f64) * self.size + self.low;
        let half = 0.5 * GROUP as f64 * self.size;
        let (centre, radius) = (corner.add_scalar(half), half * 3.0_f64.sqrt());
        let distance = solid.sample(centre).distance;
        let faces: Vec<u32> = solid.faces_within(centre, radius + self.reach + solid.edge_gap).collect();
        for number in 0..GROUP * GROUP * GROUP {
            let local = [number % GROUP, number / GROUP % GROUP, number / (GROUP * GROUP)];
            let place = [0, 1, 2].map(|k| first[k] + local[k]);
            if (0..3).any(|k| place[k] >= self.counts[k]) {
                continue;
            }
            let index = self.index(place);
            self.cells[index] = if distance - radius > self.reach {
                Cell::Outside((distance - radius) as f32 * 0.999)
            } else if distance + radius < -self.reach {
                Cell::Inside
            } else {
                self.cell(solid, place, &faces)
            };
        }
    }

    fn cell(&mut self, solid: &Solid, place: [usize; 3], faces: &[u32]) -> Cell {
        let centre = Vector3::from_fn(|k, _| place[k] as f64 + 0.5) * self.size + self.low;
        // points on the rim of the cell may be rounded into it
        let radius = 0.5 * self.size * 3.0_f64.sqrt() * (1.0 + 1e-9);
        match solid.vicinity_of(centre, radius, self.reach, faces.iter().copied()) {
            Vicinity::Far(clear) => Cell::Outside(clear as f32 * 0.999),
            Vicinity::Single(face) => Cell::Single(face),
            Vicinity::Several => {
                let start = self.candidates.len() as u32;
                self.candidates.extend(solid.faces_within(centre, radius + self.reach + solid.edge_gap));
                self.several.push([start, self.candidates.len() as u32]);
                Cell::Several(self.several.len() as u32 - 1)
            }
            Vicinity::Few(few) => {
                let Few { faces, trim } = few.view();
                let starts = [self.faces.len(), self.trim.len()];
                self.faces.extend_from_slice(faces);
                self.trim.extend_from_slice(trim);
                let ends = [self.faces.len(), self.trim.len()];
                self.few.push([starts[0], ends[0], starts[1], ends[1]].map(|n| n as u32));
                Cell::Few(self.few.len() as u32 - 1)
            }
        }
    }
}
