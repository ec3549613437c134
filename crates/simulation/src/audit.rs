//! The audit: another, denser set of nodes, another formula, the same question.
//!
//! The certificate is cheap and grades the solver on the solver's own nodes. The audit grades it independently:
//! edges at most 0.05 mm apart, faces at most 0.5 mm, not the solver's places, both directions, and the true
//! distance instead of the branches that the step linearised. Small parts have theirs closer, in proportion; on large ones
//! they are as far apart as a bounded number of nodes allows. A distance changes by no more than the way between two
//! points, so nodes that are nearer to a node than that is to the other part need no look. Distances at the start of a
//! thread err to second order, d²/2r: only a part of a short distance is relied on. Nodes are kept in blocks with a ball
//! around each; a block whose ball is outside the other part's box is passed over, which changes no result.

use tightfit_shape::Part;
use tightfit_shape::node::{FewestNodes, NodeSpacing};
use tightfit_spatial::{Columns3, Pose, Vector3};

use crate::{BodyId, Motion, Parameters, Scene, State};

/// Largest distances between audit nodes [m].
const SPACING: NodeSpacing = NodeSpacing {
    fewest_on_faces: FewestNodes::FACES.times(2),
    fewest_on_edges: FewestNodes::EDGES.times(10),
    ..NodeSpacing::of_distances([0.49e-3, 0.49e-3, 0.049e-3, 0.049e-3, 0.047e-3])
};

/// Overall size below which a part's audit nodes are closer, in proportion [m]: a tenth of the solver's along edges.
const SMALL: f64 = 49e-3;
/// About how many nodes a large part may have on its faces and along its edges.
const MOST_ON_FACES: f64 = 2e6;
const MOST_ON_EDGES: f64 = 0.5e6;

/// Distances up to this [m] are taken at their word...
const FARTHEST: f64 = 0.5e-3;
/// ...less a fifth, which is d²/2r for the thinnest thread, r = 1.2 mm.
const SURE: f64 = 0.8;

/// A place of one part inside another.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AuditedPlace {
    /// How deep it is [m].
    pub depth: f64,
    /// The part whose surface it is on.
    pub part: BodyId,
    /// The part that it is inside of...
    pub inside: BodyId,
    /// ...and where, in the frame of that part [m].
    pub point: Vector3<f64>,
}

/// Nodes of a block: neighbours in the order of the part's faces.
const BLOCK: usize = 64;

/// Audit nodes of every body.
#[derive(Clone, Debug)]
pub struct Audit {
    nodes: Vec<Nodes>,
}

/// Audit nodes of a part, with a ball around every [`BLOCK`] of them.
#[derive(Clone, Debug)]
struct Nodes {
    positions: Columns3,
    /// Centre and radius [m].
    balls: Vec<(Vector3<f64>, f64)>,
}

impl Nodes {
    fn new(positions: Columns3) -> Self {
        let ball = |first: usize| {
            let block = first..positions.len().min(first + BLOCK);
            let count = block.len() as f64;
            let center = block.clone().map(|index| positions.get(index)).sum::<Vector3<f64>>() / count;
            let radius = block.map(|index| (positions.get(index) - center).norm()).fold(0.0, f64::max);
            // rounding must not leave out a node on the rim of the ball
            (center, radius * (1.0 + 1e-9))
        };
        let balls = (0..positions.len()).step_by(BLOCK).map(ball).collect();
        Self { positions, balls }
    }

    /// The nodes of the blocks whose ball `is_near`.
    fn near<'a>(
        &'a self,
        is_near: impl Fn(Vector3<f64>, f64) -> bool + 'a,
    ) -> impl Iterator<Item = Vector3<f64>> + 'a {
        let chosen =
            self.balls.iter().enumerate().filter(move |(_, (center, radius))| is_near(*center, *radius));
        chosen.flat_map(|(block, _)| {
            let first = block * BLOCK;
            (first..self.positions.len().min(first + BLOCK)).map(|index| self.positions.get(index))
        })
    }
}

impl Audit {
    /// Sets the nodes of a scene.
    #[must_use]
    pub fn new(scene: &Scene, parameters: &Parameters) -> Self {
        let place = |index: usize| {
            let part = &parameters.bodies[index].part;
            let mut positions = Columns3::default();
            part.place(&part.nodes(&spacing_of(part)), &mut positions);
            Nodes::new(positions)
        };
        Self { nodes: (0..scene.bodies.len()).map(place).collect() }
    }

    /// Deepest penetration of any pair [m], zero when all are apart.
    #[must_use]
    pub fn penetration(&self, scene: &Scene, parameters: &Parameters, state: &State) -> f64 {
        self.deepest(scene, parameters, state).map_or(0.0, |place| place.depth)
    }

    /// Where parts are deepest inside one another; `None` when all are apart.
    #[must_use]
    pub fn deepest(&self, scene: &Scene, parameters: &Parameters, state: &State) -> Option<AuditedPlace> {
        let mut deepest: Option<AuditedPlace> = None;
        for pair in &scene.contacts {
            let poses = pair.bodies.map(|body| pose(scene, parameters, state, body));
            for (of, against) in [(0, 1), (1, 0)] {
                let against_from_of = poses[against].inverse() * poses[of];
                let other = &parameters.bodies[pair.bodies[against]].part;
                let own = &parameters.bodies[pair.bodies[of]].part;
                let fields =
                    [of, against].map(|side| parameters.bodies[pair.bodies[side]].gap_field.as_deref());
                let most_worn: f64 = fields.iter().flatten().map(|field| field.largest()).sum();
                let bounds = other.aabb().map(|bounds| bounds.grown(own.node_offset().max(0.0) + most_worn));
                // a node looked at, and how far it is from touching [m]
                let mut clear = (Vector3::zeros(), 0.0);
                let is_near = |center: Vector3<f64>, radius: f64| {
                    let center = against_from_of.transform_point(center);
                    bounds.is_none_or(|bounds| bounds.grown(radius).contains(center))
                };
                for node in self.nodes[pair.bodies[of].index()].near(is_near) {
                    if (node - clear.0).norm_squared() < clear.1 * clear.1 {
                        continue;
                    }
                    let point = against_from_of.transform_point(node);
                    if bounds.is_none_or(|bounds| bounds.contains(point)) {
                        let sample = other.sample(point);
                        let worn = fields[1].map_or(0.0, |field| field.value(&point, &sample.normal))
                            + fields[0].map_or(0.0, |field| {
                                field.value(&node, &-(against_from_of.rotation.inverse() * sample.normal))
                            });
                        let depth = own.node_offset() - sample.distance - worn;
                        if depth > deepest.map_or(0.0, |place| place.depth) {
                            let [part, inside] = [of, against].map(|side| pair.bodies[side]);
                            deepest = Some(AuditedPlace { depth, part, inside, point });
                        }
                        clear = (node, SURE * (-depth - 2.0 * most_worn).clamp(0.0, FARTHEST));
                    }
                }
            }
        }
        deepest
    }
}

/// Distances of a part's audit nodes.
fn spacing_of(part: &Part) -> NodeSpacing {
    let Some(bounds) = part.aabb() else { return SPACING };
    let scale = bounds.diagonal() / SMALL;
    // a box stands for what is inside it
    let size = bounds.size();
    let area = 2.0 * (size.x * size.y + size.y * size.z + size.z * size.x);
    let on_faces = area / (SPACING.face * SPACING.face);
    let on_edges = 4.0 * size.sum() / SPACING.edge;
    let by_faces = scale.min(1.0).max((on_faces / MOST_ON_FACES).sqrt());
    let by_edges = scale.min(1.0).max(on_edges / MOST_ON_EDGES);
    NodeSpacing {
        face: SPACING.face * by_faces,
        helix: SPACING.helix * by_faces,
        helix_edge: SPACING.helix_edge * by_edges,
        edge: SPACING.edge * by_edges,
        start: SPACING.start * by_edges,
        ..SPACING
    }
}

/// Pose of a body's part in a state.
pub(crate) fn pose(scene: &Scene, parameters: &Parameters, state: &State, body: BodyId) -> Pose {
    match (scene.bodies[body].motion, scene.free_index(body), parameters.bodies[body].inertia) {
        (Motion::Free, Some(index), Some(inertia)) => {
            state.motions[index].world_from_part(inertia.center_of_mass)
        }
        _ => match scene.kinematic_index(body) {
            Some(index) => state.kinematic[index],
            None => scene.bodies[body].world_from_part,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tightfit_shape::mesh::{MeshOptions, MeshPart};
    use tightfit_shape::node::NodeKind;
    use tightfit_shape::preset::preset;
    use tightfit_shape::primitive::Block;

    fn cube(side: f64) -> Part {
        Part::Block(Block::new(Vector3::repeat(side)).expect("a cube"))
    }

    /// Two cubes a millimetre inside one another, each drawn beside its frame: the boxes lie on one side of it.
    #[test]
    fn cubes_drawn_beside_their_frames_are_audited_like_centred_ones() {
        let scene = Scene::from_toml(
            "name = 'cubes'\n\
             [parts.base]\nshape = { kind = 'block', size_mm = [20, 20, 20] }\nmotion = 'fixed'\n\
             [parts.cube]\nshape = { kind = 'block', size_mm = [20, 20, 20] }\nposition_mm = [3, 2, 19]\n",
        )
        .expect("two cubes");
        let centred = Parameters::of(&scene);
        for shift in [Vector3::zeros(), Vector3::new(-0.1, -0.1, 0.0), Vector3::new(0.1, -0.05, 0.3)] {
            let mut beside = centred.clone();
            for body in &mut beside.bodies {
                let mut mesh = body.part.mesh(&MeshOptions::default()).expect("a mesh");
                mesh.vertices.iter_mut().for_each(|vertex| *vertex += shift);
                body.part = Part::Mesh(MeshPart::new(mesh).expect("a closed mesh"));
            }
            let state = State::start(&scene, &centred);
            let depth = Audit::new(&scene, &beside).penetration(&scene, &beside, &state);
            assert!((depth - 1e-3).abs() < 1e-9, "{depth:e} m at {shift:?}");
        }
    }

    #[test]
    fn audit_nodes_of_a_small_part_are_closer_than_those_of_the_solver() {
        for side in [1e-3, 5e-3, 50e-3] {
            let part = cube(side);
            let solver = NodeSpacing::for_size(part.aabb().expect("bounded").diagonal());
            let audit = spacing_of(&part);
            assert!(audit.edge <= 0.1 * solver.edge && audit.face <= 0.5 * solver.face, "{side} m");
        }
    }

    #[test]
    fn a_large_part_has_a_bounded_number_and_parts_of_the_presets_keep_theirs() {
        for side in [0.5, 5.0] {
            let count = cube(side).nodes(&spacing_of(&cube(side))).len();
            assert!((1_000_000..3_000_000).contains(&count), "{count} nodes on {side} m");
        }
        for name in ["peg-50", "hole-50", "square-peg-20", "square-hole-20", "m48x5-bolt", "m48x5-nut"] {
            let part = preset(name).expect("a preset");
            let plain = NodeSpacing::of_distances([0.49e-3, 0.49e-3, 0.049e-3, 0.049e-3, 0.047e-3]);
            assert!(part.nodes(&spacing_of(&part)) == part.nodes(&plain), "{name}");
            assert!(part.nodes(&plain).count(NodeKind::Edge) > 1000);
        }
    }
}
