//! Nodes of one body for all environments.
//!
//! ```text
//! r(t) = r₀ + t r′     θ(t) = θ₀ + t θ′     z(t) = z₀ + t z′
//! ```
//!
//! A part whose dimensions differ from the scene's has its nodes elsewhere. They follow one number t per environment: 0 for the
//! scene's part, 1 for the first part that differs. What does not follow it to [`CLOSE`] is not supported.

use tightfit_shape::Part;
use tightfit_simulation::Body;
use tightfit_spatial::Columns3;

use crate::records::BLOCK;

/// How far a node may be from where t says it is [m].
const CLOSE: f64 = 1e-10;

/// Columns of the nodes: r, cos θ, sin θ, z, and the slopes of r, θ, z.
#[derive(Clone, Debug, Default)]
pub(crate) struct NodeTable {
    pub(crate) columns: [Vec<f64>; 7],
    /// The columns block by block, as the kernels read them.
    pub(crate) blocked: Vec<f64>,
    /// Middle and half size of the box of each block at t = 0, and their slopes [m].
    pub(crate) boxes: Vec<[f64; 6]>,
    pub(crate) box_slopes: Vec<[f64; 6]>,
    /// Spacing of the nodes that remain without a block [m].
    pub(crate) left: Vec<f64>,
    /// The largest that is finite; infinite without any [m].
    pub(crate) apart: f64,
    /// Most that a node moves per t [m].
    pub(crate) spread: f64,
    /// Part at t = 1.
    other: Option<Part>,
}

impl NodeTable {
    /// Of a scene's body.
    pub(crate) fn new(body: &Body) -> Self {
        Self::weighed(&placed(body, &body.part), &body.nodes.left)
    }

    /// Of nodes that are always used.
    pub(crate) fn of_points(places: &Columns3) -> Self {
        Self::weighed(places, &[])
    }

    /// Of nodes; `left` as in [`tightfit_shape::node::NodeSet`].
    fn weighed(places: &Columns3, left: &[f64]) -> Self {
        let mut table = Self::default();
        for [r, c, s, z] in places.iter().map(cylindrical) {
            for (column, value) in table.columns.iter_mut().zip([r, c, s, z, 0.0, 0.0, 0.0]) {
                column.push(value);
            }
        }
        table.boxes = boxes(places);
        table.box_slopes = vec![[0.0; 6]; table.boxes.len()];
        table.left = left.chunks(BLOCK).map(|own| own.iter().copied().fold(0.0, f64::max)).collect();
        table.left.resize(table.boxes.len(), f64::INFINITY);
        table.set_blocked();
        table.apart = table.left.iter().copied().find(|left| left.is_finite()).unwrap_or(f64::INFINITY);
        table
    }

    pub(crate) fn len(&self) -> usize {
        self.columns[0].len()
    }

    /// t of a part, if its nodes follow it. The first part that differs sets the slopes.
    pub(crate) fn adopt(&mut self, body: &Body, part: &Part) -> Option<f64> {
        if self.other.is_none() && *part != body.part {
            self.set_slopes(body, part);
        }
        self.parameter(body, part)
    }

    /// t of a part, if its nodes follow it.
    pub(crate) fn parameter(&self, body: &Body, part: &Part) -> Option<f64> {
        if *part == body.part {
            return Some(0.0);
        }
        let places = placed(body, part);
        let [r0, c0, s0, z0, r1, a1, z1] = &self.columns;
        // the node that moves most decides
        let moves = |i: usize| r1[i].abs().max(z1[i].abs()).max((a1[i] * r0[i]).abs());
        let most = (0..self.len()).max_by(|a, b| moves(*a).total_cmp(&moves(*b)))?;
        let [r, c, s, z] = cylindrical(places.get(most));
        let turned = angle_between([c0[most], s0[most]], [c, s]);
        let (weights, shifts) =
            ([r1[most], a1[most] * r0[most], z1[most]], [r - r0[most], turned * r0[most], z - z0[most]]);
        let square: f64 = weights.iter().map(|w| w * w).sum();
        let t = weights.iter().zip(shifts).map(|(w, shift)| w * shift).sum::<f64>() / square;
        let follows = |i: usize| {
            let radius = t.mul_add(r1[i], r0[i]);
            let (sin, cos) = (t * a1[i]).sin_cos();
            let x = radius * (c0[i] * cos - s0[i] * sin) - places.x[i];
            let y = radius * (s0[i] * cos + c0[i] * sin) - places.y[i];
            let z = t.mul_add(z1[i], z0[i]) - places.z[i];
            x * x + y * y + z * z <= CLOSE * CLOSE
        };
        (t.is_finite() && (0..self.len()).all(follows)).then_some(t)
    }

    fn set_slopes(&mut self, body: &Body, part: &Part) {
        let places = placed(body, part);
        let [r0, c0, s0, z0, r1, a1, z1] = &mut self.columns;
        let mut spread = 0.0_f64;
        for (i, place) in places.iter().enumerate() {
            let [r, c, s, z] = cylindrical(place);
            let turned = angle_between([c0[i], s0[i]], [c, s]);
            (r1[i], a1[i], z1[i]) = (r - r0[i], if turned.abs() < 1e-14 { 0.0 } else { turned }, z - z0[i]);
            spread = spread.max(r1[i].abs() + z1[i].abs() + (a1[i] * r).abs());
        }
        self.spread = spread;
        for (slope, (own, other)) in self.box_slopes.iter_mut().zip(self.boxes.iter().zip(boxes(&places))) {
            *slope = std::array::from_fn(|k| other[k] - own[k]);
        }
        self.set_blocked();
        self.other = Some(part.clone());
    }

    /// The last block is filled up by its last node, which the kernels do not read.
    fn set_blocked(&mut self) {
        let last = self.len().saturating_sub(1);
        let starts = (0..self.len()).step_by(BLOCK);
        let places = |start: usize| (start..start + BLOCK).map(move |i| i.min(last));
        let of_block = |start| self.columns.iter().flat_map(move |column| places(start).map(|i| column[i]));
        self.blocked = starts.flat_map(of_block).collect();
    }
}

fn placed(body: &Body, part: &Part) -> Columns3 {
    let mut places = Columns3::with_capacity(body.nodes.len());
    part.place(&body.nodes, &mut places);
    places
}

fn cylindrical(place: nalgebra::Vector3<f64>) -> [f64; 4] {
    let r = place.x.hypot(place.y);
    let [c, s] = if r > 0.0 { [place.x / r, place.y / r] } else { [1.0, 0.0] };
    [r, c, s, place.z]
}

fn angle_between([c0, s0]: [f64; 2], [c, s]: [f64; 2]) -> f64 {
    (c0 * s - s0 * c).atan2(c0 * c + s0 * s)
}

/// Middle and half size of the box of each block.
fn boxes(places: &Columns3) -> Vec<[f64; 6]> {
    let starts = (0..places.len()).step_by(BLOCK);
    starts
        .map(|first| {
            let last = places.len().min(first + BLOCK);
            let mut out = [0.0; 6];
            for (axis, column) in [&places.x, &places.y, &places.z].into_iter().enumerate() {
                let own = &column[first..last];
                let low = own.iter().copied().fold(f64::INFINITY, f64::min);
                let high = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
                (out[axis], out[3 + axis]) = ((low + high) / 2.0, (high - low) / 2.0);
            }
            out
        })
        .collect()
}
