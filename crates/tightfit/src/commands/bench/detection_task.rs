//! Tasks of `tightfit bench detection`: two parts, many poses, several methods to find all penetrations.

use std::sync::Arc;

use anyhow::{Context, Result, bail};
use tightfit::network::Field;
use tightfit::scene::Scene;
use tightfit::shape::block::BLOCK;
use tightfit::shape::mesh::baked::{BakeOptions, BakedField};
use tightfit::shape::mesh::{
    CollisionMesh, MeshDistance, MeshFormat, MeshPart, TriMesh, TriangleContact, load_bytes,
};
use tightfit::shape::node::compact_order;
use tightfit::shape::{Part, preset::preset};
use tightfit::spatial::{Columns3, Pose, UnitQuaternion, Vector3};
use tightfit_pipeline::detection::{
    Clearances, DepthNetwork, DetectionOptions, DetectionScratch, NodeBlocks, PairBody, detect_pair,
};
use tightfit_pipeline::records::{Contacts, NOT_FREE};

/// Everything that penetrates, nothing that does not.
pub(super) const OPTIONS: DetectionOptions =
    DetectionOptions { margin: 0.0, crossings: false, horizon: 0.0, friction: 0.0, restitution: 0.0 };

/// A fixed and a moving part with their meshes and poses.
pub(super) struct Task {
    pub(super) name: &'static str,
    /// Built-in scene with the networks of these parts.
    scene: &'static str,
    /// Presets of the fixed and the moving part.
    pub(super) parts: [&'static str; 2],
    /// OBJ files of the two [m].
    pub(super) meshes: [&'static str; 2],
    /// One pose a line.
    pub(super) poses: &'static str,
}

macro_rules! benchmark {
    ($file:literal) => {
        include_str!(concat!("../../../assets/benchmark/", $file))
    };
}

/// The two tasks of the benchmark.
pub(super) static TASKS: [Task; 2] = [
    Task {
        name: "peg",
        scene: "peg-in-hole",
        parts: ["hole-50", "peg-50"],
        meshes: [benchmark!("hole.obj"), benchmark!("peg.obj")],
        poses: benchmark!("peg_poses.csv"),
    },
    Task {
        name: "nut",
        scene: "bolting",
        parts: ["m48x5-bolt", "m48x5-nut"],
        meshes: [benchmark!("bolt.obj"), benchmark!("nut.obj")],
        poses: benchmark!("nut_poses.csv"),
    },
];

/// A pose of the benchmark with what is recorded there.
pub(super) struct Row {
    /// Moving part in the fixed part's frame.
    pub(super) fixed_from_moving: Pose,
    /// Deepest true penetration [m].
    pub(super) depth: f64,
}

/// How penetrations are found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Method {
    /// Exact distances of the parts.
    Exact,
    /// Distances baked from the meshes.
    Baked,
    /// Depth network of the fixed part.
    Neural,
    /// Depth networks of both parts alone, as in the paper.
    NeuralPaper,
    /// Triangle against triangle.
    Mesh,
}

impl Method {
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Baked => "baked",
            Self::Neural => "neural",
            Self::NeuralPaper => "neural-paper",
            Self::Mesh => "mesh",
        }
    }

    /// Description of the query.
    pub(super) fn asks(self) -> &'static str {
        match self {
            Self::Exact => "vertices of both meshes against the other part's exact distance",
            Self::Baked => "vertices of both meshes against the distance baked from the other's mesh",
            Self::Neural => {
                "vertices of the moving part against the fixed part's depth network, those of the fixed part against the \
                 moving part's exact distance, as the step does"
            }
            Self::NeuralPaper => {
                "vertices of both meshes inside the other part's bounding volume against its depth network in x, y, z, as in \
                 the paper"
            }
            Self::Mesh => "all crossing pairs of triangles",
        }
    }
}

impl Task {
    /// The poses with their recorded truth.
    pub(super) fn rows(&self) -> Result<Vec<Row>> {
        let row = |line: &str| {
            let numbers: Vec<f64> = line.split(',').map(str::parse).collect::<Result<_, _>>()?;
            let [x, y, z, qw, qx, qy, qz, depth, _] = numbers[..] else {
                bail!("{} numbers instead of 9", numbers.len())
            };
            let rotation = UnitQuaternion::new_normalize([qx, qy, qz, qw].into());
            let fixed_from_moving = Pose::new(Vector3::new(x, y, z), rotation);
            Ok(Row { fixed_from_moving, depth })
        };
        let lines = self.poses.lines().filter(|line| !line.starts_with('#'));
        lines.map(|line| row(line).with_context(|| format!("pose `{line}` of {}", self.name))).collect()
    }

    /// Triangles of both parts [m].
    fn triangles(&self) -> Result<[TriMesh; 2]> {
        let read = |text: &str, name: &str| -> Result<TriMesh> {
            Ok(load_bytes(text.as_bytes(), MeshFormat::Obj, name)?.mesh)
        };
        Ok([read(self.meshes[0], self.parts[0])?, read(self.meshes[1], self.parts[1])?])
    }

    /// Prepares a method; baking takes seconds.
    pub(super) fn finder(&self, method: Method, progress: &(dyn Fn(f64) + Sync)) -> Result<Finder> {
        let meshes = self.triangles()?;
        if method == Method::Mesh {
            let meshes = [CollisionMesh::new(&meshes[0]), CollisionMesh::new(&meshes[1])];
            return Ok(Finder::Triangles(Box::new(TriangleFinder { meshes, found: Vec::new() })));
        }
        let nodes = meshes.each_ref().map(|mesh| {
            let mut points = mesh.vertices.clone();
            compact_order(&mut points, BLOCK);
            NodeBlocks::new(points.into_iter().collect())
        });
        let [fixed, moving] = meshes;
        let parts = match method {
            Method::Baked => [
                bake(fixed.clone(), &|share| progress(share / 2.0))?,
                bake(moving.clone(), &|share| progress(0.5 + share / 2.0))?,
            ],
            _ => [preset(self.parts[0])?, preset(self.parts[1])?],
        };
        let networks = match method {
            Method::Neural => [Some(self.network("neural", &parts[0])?), None],
            Method::NeuralPaper => [
                Some(self.network("neural-paper", &parts[0])?),
                Some(self.network("neural-paper", &parts[1])?),
            ],
            _ => [None, None],
        };
        Ok(Finder::Nodes(Box::new(NodeFinder {
            exact: match method {
                Method::Baked => [MeshPart::new(fixed)?, MeshPart::new(moving)?].map(Part::Mesh),
                _ => parts.clone(),
            },
            parts,
            networks,
            nodes,
            scratch: DetectionScratch::default(),
            contacts: Contacts::default(),
        })))
    }

    /// The network that a part has in the scene with a method of detection.
    fn network(&self, detection: &str, part: &Part) -> Result<Arc<DepthNetwork>> {
        let scene = Scene::find_with(self.scene, &[format!("method.detection={detection}")])?;
        let body = scene.bodies.iter().find(|body| body.part == *part);
        body.and_then(|body| body.network.clone())
            .with_context(|| format!("a part of {} has no network", self.name))
    }
}

/// A part whose distance is baked from a mesh.
fn bake(mesh: TriMesh, progress: &(dyn Fn(f64) + Sync)) -> Result<Part> {
    let exact = Arc::new(MeshDistance::new(mesh.clone())?);
    let field = BakedField::bake(&exact, &BakeOptions::default(), progress)?;
    Ok(Part::Mesh(MeshPart::new(mesh)?.with_baked(Arc::new(field))))
}

/// Finds what penetrates.
pub(super) enum Finder {
    /// Nodes in distance fields.
    Nodes(Box<NodeFinder>),
    /// Triangles against triangles.
    Triangles(Box<TriangleFinder>),
}

/// Triangles of both parts.
pub(super) struct TriangleFinder {
    /// Fixed and moving.
    meshes: [CollisionMesh; 2],
    /// Triangle of the moving part, of the fixed part, and their contact.
    found: Vec<(u32, u32, TriangleContact)>,
}

/// Nodes of both parts in the other's field. Nothing is reused from one pose to the next.
pub(super) struct NodeFinder {
    parts: [Part; 2],
    /// The parts with exact distances, for comparison.
    exact: [Part; 2],
    networks: [Option<Arc<DepthNetwork>>; 2],
    nodes: [NodeBlocks; 2],
    scratch: DetectionScratch,
    contacts: Contacts,
}

impl Finder {
    /// Finds all that penetrates at a pose.
    pub(super) fn find(&mut self, fixed_from_moving: &Pose) {
        match self {
            Self::Nodes(finder) => finder.find(fixed_from_moving),
            Self::Triangles(finder) => {
                let TriangleFinder { meshes: [fixed, moving], found } = finder.as_mut();
                found.clear();
                moving.each_crossing(fixed, fixed_from_moving, |own, other, contact| {
                    found.push((own, other, *contact));
                });
            }
        }
    }

    /// Exact depth of the deepest node [m] and number of penetrating nodes at a pose; `None` for triangles.
    pub(super) fn truth(&self, fixed_from_moving: &Pose) -> Option<(f64, usize)> {
        match self {
            Self::Nodes(finder) => Some(finder.truth(fixed_from_moving)),
            Self::Triangles(_) => None,
        }
    }

    /// Nodes of both parts that are queried, or pairs of triangles that might cross.
    pub(super) fn asked(&self) -> usize {
        match self {
            Self::Nodes(finder) => finder.nodes.iter().map(NodeBlocks::len).sum(),
            Self::Triangles(finder) => finder.meshes.iter().map(CollisionMesh::len).sum(),
        }
    }

    /// Depth of the deepest [m] and number of nodes (or pairs) that were found last.
    pub(super) fn found(&self) -> (f64, usize) {
        match self {
            Self::Nodes(finder) => {
                let contacts = &finder.contacts;
                let mut nodes: Vec<u32> = contacts.id.iter().map(|id| id / Part::MOST_PIECES).collect();
                nodes.sort_unstable();
                nodes.dedup();
                (contacts.gap.iter().fold(0.0, |deepest, gap| f64::max(deepest, -gap)), nodes.len())
            }
            Self::Triangles(finder) => {
                let found = &finder.found;
                (found.iter().fold(0.0, |deepest, pair| f64::max(deepest, -pair.2.gap)), found.len())
            }
        }
    }
}

impl NodeFinder {
    /// Depth of the deepest node [m] and number of penetrating nodes, from the exact distance of every node.
    fn truth(&self, fixed_from_moving: &Pose) -> (f64, usize) {
        let (mut deepest, mut count) = (0.0_f64, 0);
        for (of, against, pose) in [(1, 0, *fixed_from_moving), (0, 1, fixed_from_moving.inverse())] {
            let Some(bounds) = self.exact[against].aabb() else { continue };
            for node in self.nodes[of].positions.iter() {
                let point = pose.transform_point(node);
                if bounds.contains(point) {
                    let distance = self.exact[against].sample(point).distance;
                    deepest = deepest.max(-distance);
                    count += usize::from(distance < 0.0);
                }
            }
        }
        (deepest, count)
    }

    /// The moving and the fixed part, and their nodes [m].
    pub(super) fn moving_and_fixed(&self) -> [&Part; 2] {
        [&self.parts[1], &self.parts[0]]
    }

    pub(super) fn positions(&self) -> [&Columns3; 2] {
        [&self.nodes[1].positions, &self.nodes[0].positions]
    }

    /// Their networks, where both have one that is asked alone.
    pub(super) fn networks(&self) -> Option<[&Field; 2]> {
        let [fixed, moving] = self.networks.each_ref().map(|own| own.as_deref().map(DepthNetwork::field));
        moving.zip(fixed).map(|(moving, fixed)| [moving, fixed])
    }

    /// What was found last.
    pub(super) fn contacts(&self) -> &Contacts {
        &self.contacts
    }

    pub(super) fn find(&mut self, fixed_from_moving: &Pose) {
        let Self { parts, networks, nodes, scratch, contacts, .. } = self;
        let side = |index: usize, world_from_part: Pose, body: u32| PairBody {
            part: &parts[index],
            network: networks[index].as_deref(),
            mesh: None,
            polyhedron: None,
            nodes: &nodes[index],
            world_from_part,
            center: world_from_part.translation,
            body,
            linear: Vector3::zeros(),
            angular: Vector3::zeros(),
            first_id: if index == 0 { nodes[1].len() as u32 } else { 0 },
            worn: 0.0,
        };
        let (fixed, moving) = (side(0, Pose::identity(), NOT_FREE), side(1, *fixed_from_moving, 0));
        contacts.clear();
        // empty clearances: every pose is detected as if it were the first
        let mut clearances = [Clearances::default(), Clearances::default()];
        detect_pair([&moving, &fixed], &OPTIONS, &mut clearances, scratch, contacts);
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, reason = "a test may fail")]

    use super::*;

    #[test]
    fn blocks_find_the_nodes_that_penetrate_one_by_one() {
        for task in &TASKS {
            let mut finder = task.finder(Method::Exact, &|_| {}).unwrap();
            for row in task.rows().unwrap().iter().step_by(50) {
                let (deepest, count) = finder.truth(&row.fixed_from_moving).unwrap();
                finder.find(&row.fixed_from_moving);
                let (depth, nodes) = finder.found();
                assert!((depth - deepest).abs() < 1e-9, "{}: {depth} m deep, not {deepest} m", task.name);
                assert_eq!(nodes, count, "{}: nodes that penetrate", task.name);
            }
        }
    }

    /// The column is that of round parts; the vertices of the hole's mesh lie 1.7 um within their material.
    #[test]
    fn the_peg_penetrates_as_deep_as_recorded() {
        let task = &TASKS[0];
        let mut finder = task.finder(Method::Exact, &|_| {}).unwrap();
        for row in task.rows().unwrap().iter().step_by(20) {
            finder.find(&row.fixed_from_moving);
            let (depth, _) = finder.found();
            assert!((depth - row.depth).abs() < 2e-6, "{depth} m deep, recorded {} m", row.depth);
        }
    }
}
