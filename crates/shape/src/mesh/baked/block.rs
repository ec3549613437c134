//! Many points in a baked field at once.
//!
//! A walk down the octree waits for memory at every level. The points of a block go down together, level by level, so
//! that they wait at the same time. Points in cells that are beyond reach (`clearance`) stay where they find that out.
//! Lists of lanes are appended to without branches: which way a point goes cannot be foreseen.
//! The numbers are bit for bit those of [`BakedField::sample`].

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

    /// Appends a lane if it is wanted; each lane at most once.
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

/// Points on their way down.
struct Walkers {
    /// What each has come to.
    step: [Step; BLOCK],
    /// Where they are in their nodes' cells, each coordinate from 0 to 1 [-].
    place: [Lanes; 3],
    /// Edges of the cells [m].
    size: Lanes,
    /// Their doors, and how many of these their first cells were wide.
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

    /// Lanes that go on; those that have come to a leaf within reach are appended to their lists.
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
    /// Looks at the points of a block: those within `reach` [m] of the solid grown by `offset` [m] have one face.
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
            // the bound of the cell, from where the point really is
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

    /// Points in smooth leaves: distances in vectors, normals of the few that are near.
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

    /// Doors of the points. Those beyond the grid are far, or to be asked by themselves.
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
                // multiples of powers of two are exact: the place in a cell is that of a walk from the root
                let scaled = (x - origin) / size * f64::from(DOORS);
                let cell = (scaled as u32).min(count - 1);
                walkers.place[axis][lane] = scaled;
                walkers.cell[axis][lane] = cell;
                door[lane] += stride * cell;
            }
            stride *= count;
        }
        // beyond the grid the distance is that to a point of the surface which is wrong by as much
        let sure = 1.0 - self.options.far_slope;
        let mut inside = LaneList::EMPTY;
        for lane in 0..BLOCK {
            let is_far = sure * beyond[lane] - self.exact.offset() - self.options.tolerance > reach;
            // a point that is no number is not far either
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
