//! Queries of a baked field at many points at once.
//!
//! A descent through the octree waits for memory at every level. The points of a block descend together, level by
//! level, so that their waits overlap. A point stops at the first cell that is out of reach (`clearance`). Lists of
//! lanes are filled without branches, because the path of a point is unpredictable. The results are bit for bit those
//! of [`BakedField::sample`].

use nalgebra::Vector3;

use super::clearance::{DOORS, Door, Step, half_diagonal};
use super::octree::{BakedField, Node};
use super::trilinear::{CORNERS, trilinear};
use crate::block::{BLOCK, FAR, FaceBlock, Lanes, PointBlock, SEVERAL, SINGLE};

/// Some lanes of a block.
#[derive(Clone, Copy)]
struct LaneList {
    lanes: [u8; BLOCK],
    count: usize,
}

impl LaneList {
    const EMPTY: Self = Self { lanes: [0; BLOCK], count: 0 };

    /// Appends a lane if `is_wanted`; a lane must not be appended twice.
    #[inline(always)]
    fn push_if(&mut self, is_wanted: bool, lane: u8) {
        self.lanes[self.count % BLOCK] = lane;
        self.count += usize::from(is_wanted);
    }

    #[inline(always)]
    fn iter(&self) -> impl Iterator<Item = usize> + '_ {
        self.lanes.iter().take(self.count).map(|&lane| usize::from(lane))
    }
}

/// The points of a block during their descent.
struct Walkers {
    /// The node that each point has reached.
    step: [Step; BLOCK],
    /// Positions within the nodes' cells, each coordinate from 0 to 1 [-].
    place: [Lanes; 3],
    /// Edges of the cells [m].
    size: Lanes,
    /// Coordinates of their doors, and the width of their first cells in doors.
    cell: [[u32; BLOCK]; 3],
    width: [u32; BLOCK],
}

impl Walkers {
    #[inline(always)]
    fn new() -> Self {
        Self {
            step: [Step { code: 0, clear: 0.0 }; BLOCK],
            place: [[0.0; BLOCK]; 3],
            size: [0.0; BLOCK],
            cell: [[0; BLOCK]; 3],
            width: [1; BLOCK],
        }
    }

    #[inline(always)]
    fn place(&self, lane: usize) -> Vector3<f64> {
        Vector3::new(self.place[0][lane], self.place[1][lane], self.place[2][lane])
    }

    /// Returns the lanes that descend further; lanes at a leaf within reach are appended to `smooth` or `exact`.
    #[inline(always)]
    fn sort(&self, lanes: &LaneList, reach: f64, smooth: &mut LaneList, exact: &mut LaneList) -> LaneList {
        let mut onwards = LaneList::EMPTY;
        for lane in lanes.iter() {
            let Step { code, clear } = self.step[lane];
            let (kind, is_near) = (Node::kind(code), f64::from(clear) <= reach);
            onwards.push_if((kind == Node::BRANCH) & is_near, lane as u8);
            smooth.push_if((kind == Node::SMOOTH) & is_near, lane as u8);
            exact.push_if((kind == Node::EXACT) & is_near, lane as u8);
        }
        onwards
    }
}

impl BakedField {
    /// Samples a block of points: those within `reach` [m] of the solid grown by `offset` [m] have one face.
    #[inline(always)]
    pub(crate) fn face_block(&self, points: &PointBlock, reach: f64, offset: f64, out: &mut FaceBlock) {
        let reach_here = reach + offset;
        let (mut walkers, inside) = self.enter(points, reach_here, out);
        let (mut smooth, mut exact) = (LaneList::EMPTY, LaneList::EMPTY);
        let mut active = walkers.sort(&inside, reach_here, &mut smooth, &mut exact);
        while active.count > 0 {
            for lane in active.iter() {
                let mut child = 0;
                for axis in 0..3 {
                    let u = &mut walkers.place[axis][lane];
                    let is_upper = *u >= 0.5;
                    child |= u32::from(is_upper) << axis;
                    *u = *u * 2.0 - f64::from(is_upper);
                }
                walkers.size[lane] /= 2.0;
                walkers.step[lane] =
                    self.steps.nodes[(Node::place(walkers.step[lane].code) + child) as usize];
            }
            active = walkers.sort(&active, reach_here, &mut smooth, &mut exact);
        }
        self.put_smooth(&walkers, &smooth, reach, offset, out);
        for lane in exact.iter() {
            // tighten the bound of the cell to the position of the point
            let (step, size) = (walkers.step[lane], walkers.size[lane]);
            let from_middle = (walkers.place(lane) - Vector3::from_element(0.5)).norm() * size;
            if f64::from(step.clear) + half_diagonal(size) - from_middle > reach_here {
                continue;
            }
            let list = self.octree.list(Node::place(step.code) as usize);
            let sample = self.exact.sample_among(points.get(lane), list);
            let distance = sample.distance - offset;
            if distance <= reach {
                put(out, lane, distance, sample.normal);
            }
        }
    }

    /// Points in smooth leaves: distances in vector instructions, normals only for the few points that are near.
    #[inline(always)]
    fn put_smooth(&self, walkers: &Walkers, smooth: &LaneList, reach: f64, offset: f64, out: &mut FaceBlock) {
        let (blocks, _) = self.octree.values.as_chunks::<CORNERS>();
        let mut corners: [[f32; BLOCK]; CORNERS] = [[0.0; BLOCK]; CORNERS];
        let mut place: [Lanes; 3] = [[0.0; BLOCK]; 3];
        for (own, lane) in smooth.iter().enumerate() {
            let block = &blocks[Node::place(walkers.step[lane].code) as usize];
            for corner in 0..CORNERS {
                corners[corner][own] = block[corner];
            }
            for (gathered, all) in place.iter_mut().zip(&walkers.place) {
                gathered[own] = all[lane];
            }
        }
        let mut distances: Lanes = [0.0; BLOCK];
        let [x, y, z] = &place;
        for own in 0..BLOCK {
            let values: [f32; CORNERS] = std::array::from_fn(|corner| corners[corner][own]);
            distances[own] = trilinear(&values, Vector3::new(x[own], y[own], z[own])).0 - offset;
        }
        for (own, lane) in smooth.iter().enumerate() {
            if distances[own] <= reach {
                let block = &blocks[Node::place(walkers.step[lane].code) as usize];
                let (_, gradient) = trilinear(block, walkers.place(lane));
                let normal = gradient.try_normalize(f64::MIN_POSITIVE).unwrap_or_else(Vector3::z);
                put(out, lane, distances[own], normal);
            }
        }
    }

    /// Finds the doors (entry nodes) of the points. Points outside the grid are [`FAR`], or [`SEVERAL`]: to be
    /// queried one by one.
    #[inline(always)]
    fn enter(&self, points: &PointBlock, reach: f64, out: &mut FaceBlock) -> (Walkers, LaneList) {
        let mut walkers = Walkers::new();
        let mut door = [0_u32; BLOCK];
        let (mut is_inside, mut beyond): ([bool; BLOCK], Lanes) = ([true; BLOCK], [0.0; BLOCK]);
        let (grid, solid) = (self.grid.aabb(), self.exact.mesh_aabb());
        let mut stride = 1;
        for axis in 0..3 {
            let (origin, size) = (self.grid.origin[axis], self.grid.root_size);
            let count = self.grid.counts[axis] * DOORS;
            for lane in 0..BLOCK {
                let x = points.axes[axis][lane];
                is_inside[lane] &= (x >= grid.min[axis]) & (x <= grid.max[axis]);
                let outside = (solid.min[axis] - x).max(x - solid.max[axis]);
                beyond[lane] = if outside > beyond[lane] { outside } else { beyond[lane] };
                // scaling by a power of two is exact: the position in a cell is that of a descent from the root
                let scaled = (x - origin) / size * f64::from(DOORS);
                let cell = (scaled as u32).min(count - 1);
                walkers.place[axis][lane] = scaled;
                walkers.cell[axis][lane] = cell;
                door[lane] += stride * cell;
            }
            stride *= count;
        }
        // outside the grid the distance is that to an estimated surface point, and has the error of this estimate
        let sure = 1.0 - self.options.far_slope;
        let mut inside = LaneList::EMPTY;
        for lane in 0..BLOCK {
            let is_far = sure * beyond[lane] - self.exact.offset() - self.options.tolerance > reach;
            // a point with NaN coordinates is not far either
            out.verdict[lane] = if is_inside[lane] | is_far { FAR } else { SEVERAL };
            inside.push_if(is_inside[lane], lane as u8);
        }
        for lane in inside.iter() {
            let Door { step, width } = self.steps.doors[door[lane] as usize];
            walkers.step[lane] = step;
            walkers.width[lane] = width;
        }
        for axis in 0..3 {
            for lane in 0..BLOCK {
                let width = walkers.width[lane];
                let corner = walkers.cell[axis][lane] & !(width - 1);
                walkers.place[axis][lane] =
                    (walkers.place[axis][lane] - f64::from(corner)) / f64::from(width);
            }
        }
        for lane in 0..BLOCK {
            walkers.size[lane] = self.grid.root_size / f64::from(DOORS) * f64::from(walkers.width[lane]);
        }
        (walkers, inside)
    }
}

#[inline(always)]
fn put(out: &mut FaceBlock, lane: usize, distance: f64, normal: Vector3<f64>) {
    out.verdict[lane] = SINGLE;
    out.number[lane] = 0;
    out.distance[lane] = distance;
    for (column, own) in out.normal.iter_mut().zip(normal.iter()) {
        column[lane] = *own;
    }
}
