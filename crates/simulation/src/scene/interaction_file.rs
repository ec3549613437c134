//! The interaction network that a scene names for the contacts of a part.

use std::sync::Arc;

use nalgebra::UnitQuaternion;
use tightfit_interaction::{InteractionClustering, InteractionFile, Located};
use tightfit_network::NetworkError;
use tightfit_shape::Part;
use tightfit_shape::preset::preset;
use tightfit_spatial::{Columns3, Pose, Vector3};

use super::body_builder::{BodyBuilder, InteractionOf};
use super::problem::Problem;
use super::{Body, BodyId, ContactPair, Motion, Scene};
use crate::Preset;

/// The interaction network of a pair.
#[derive(Clone, Debug)]
pub struct InteractionPair {
    /// Free body.
    pub moving: BodyId,
    /// Fixed body.
    pub fixed: BodyId,
    /// Pose of the network's object frame in the part's frame: at the centre of mass.
    pub part_from_object: Pose,
    /// Network and surface.
    pub clustering: Arc<InteractionClustering>,
    /// Locations of the free body's nodes on the surface.
    pub located: Arc<Vec<Located>>,
}

impl InteractionPair {
    /// Whether it belongs to these two bodies.
    pub(crate) fn is_of(&self, pair: &ContactPair) -> bool {
        pair.bodies == [self.moving.min(self.fixed), self.moving.max(self.fixed)]
    }
}

/// The network that a part of the builder has; with the presets `paper` and `paper-n-space` else the embedded one.
pub(super) fn interaction_of(
    bodies: &[Body],
    parts: &[(String, BodyBuilder)],
    methods: Preset,
) -> Result<Option<InteractionPair>, Problem> {
    let own = parts
        .iter()
        .enumerate()
        .find_map(|(body, (name, part))| Some((body, name, part.interaction.as_ref()?)));
    let Some((moving, name, InteractionOf { against, file: Some(file), rotation })) = own else {
        return if methods.has_printed_networks() { embedded(bodies) } else { Ok(None) };
    };
    let fixed = bodies.iter().position(|body| body.name == *against);
    let fixed = fixed.ok_or_else(|| {
        (format!("parts.{name}.interaction.against"), format!("names `{against}`, which is no part"))
    })?;
    pair(bodies, [moving, fixed], file, *rotation).map(Some)
}

#[cfg(feature = "clustering-networks")]
macro_rules! embedded {
    ($($moving:literal, $fixed:literal, $file:literal);* $(;)?) => {
        [$((
            $moving,
            $fixed,
            Some(include_bytes!(concat!("../../assets/networks/", $file, "-clustering.safetensors"))),
        )),*]
    };
}
#[cfg(not(feature = "clustering-networks"))]
macro_rules! embedded {
    ($($moving:literal, $fixed:literal, $file:literal);* $(;)?) => { [$(($moving, $fixed, None)),*] };
}

/// Why a network is missing.
const LEFT_OUT: &str = "a build with the feature `clustering-networks`";

/// Moving part, fixed part and file of every embedded network, both parts by the name of their preset. They have the paper's
/// form and were trained by its method on virtual recordings.
static NETWORKS: [(&str, &str, Option<&[u8]>); 2] = embedded![
    "peg-50", "hole-50", "peg-in-hole";
    "m48x5-nut", "m48x5-bolt", "bolting";
];

impl Scene {
    /// The embedded interaction network of a task: `peg-in-hole` or `bolting`.
    ///
    /// # Errors
    /// When there is none for the task.
    pub fn embedded_interaction(task: &str) -> Result<InteractionFile, NetworkError> {
        let place = match task {
            "peg-in-hole" => 0,
            "bolting" => 1,
            other => {
                return Err(NetworkError::size(
                    "embedded clustering",
                    "task",
                    other,
                    "peg-in-hole or bolting",
                ));
            }
        };
        let (name, _, bytes) = NETWORKS[place];
        let bytes = bytes.ok_or_else(|| NetworkError::size("embedded clustering", "task", task, LEFT_OUT))?;
        InteractionFile::from_bytes(bytes, name)
    }
}

/// The embedded network of the first pair of preset parts that has one.
fn embedded(bodies: &[Body]) -> Result<Option<InteractionPair>, Problem> {
    let find = |motion: Motion, name: &str| {
        let is = |body: &Body| body.motion == motion && preset(name).is_ok_and(|known| known == body.part);
        bodies.iter().position(is)
    };
    for (own, other, bytes) in &NETWORKS {
        if let (Some(moving), Some(fixed)) = (find(Motion::Free, own), find(Motion::Fixed, other)) {
            let refused = |reason: String| -> Problem { ("method.clustering".into(), reason) };
            let remedy = format!("has no network here: use another preset, or {LEFT_OUT}");
            let bytes = bytes.ok_or_else(|| refused(remedy))?;
            let file = InteractionFile::from_bytes(bytes, own).map_err(|error| refused(error.to_string()))?;
            return pair(bodies, [moving, fixed], &file, UnitQuaternion::identity()).map(Some);
        }
    }
    Ok(None)
}

/// The network of two bodies.
fn pair(
    bodies: &[Body],
    [moving, fixed]: [usize; 2],
    file: &InteractionFile,
    rotation: UnitQuaternion<f64>,
) -> Result<InteractionPair, Problem> {
    let name = &bodies[moving].name;
    let at = |key: &str| format!("parts.{name}.interaction.{key}");
    let own = &bodies[moving];
    let Some(inertia) = own.inertia else {
        let remedy = "is for free parts; omit it or make the part free";
        return Err((format!("parts.{name}.interaction"), remedy.into()));
    };
    let InteractionFile { network, surface, .. } = InteractionFile::clone(file);
    let part_from_object = Pose::new(inertia.center_of_mass, rotation);
    if let Some(off) = off_surface(&own.part, &part_from_object, surface.points()) {
        let remedy = format!(
            "holds the surface of another part: half of its vertices are more than {:.3} mm off this one; create one with \
             `tightfit train embedding`, or rotate it with rotation_deg",
            off * 1e3
        );
        return Err((at("network"), remedy));
    }
    let object_from_part = part_from_object.inverse();
    let mut nodes = Columns3::with_capacity(own.nodes.len());
    own.part.place(&own.nodes, &mut nodes);
    let located = nodes.iter().map(|node| surface.locate(object_from_part.transform_point(node))).collect();
    let clustering = Arc::new(InteractionClustering { network, surface });
    let [moving, fixed] = [moving, fixed].map(BodyId::at);
    Ok(InteractionPair { moving, fixed, part_from_object, clustering, located: Arc::new(located) })
}

/// Median distance of a network's surface from the part, relative to the part's size, above which it belongs to another
/// part [-].
const OFF: f64 = 0.02;

/// Median distance of vertices from the part [m], if it exceeds the limit.
fn off_surface(part: &Part, part_from_object: &Pose, vertices: &[Vector3<f64>]) -> Option<f64> {
    let size = part.aabb()?.size().norm();
    let away = |vertex: &Vector3<f64>| part.sample(part_from_object.transform_point(*vertex)).distance.abs();
    let mut distances: Vec<f64> = vertices.iter().map(away).collect();
    distances.sort_by(f64::total_cmp);
    distances.get(distances.len() / 2).copied().filter(|median| *median > OFF * size)
}
