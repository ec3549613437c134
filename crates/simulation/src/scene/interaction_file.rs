//! The interaction network that a scene names for the contacts of a part.

use std::sync::Arc;

use tightfit_interaction::{InteractionClustering, InteractionFile, Located};
use tightfit_shape::Part;
use tightfit_spatial::{Columns3, Pose, Vector3};

use super::body_builder::{BodyBuilder, InteractionOf};
use super::problem::Problem;
use super::{Body, BodyId, ContactPair};

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

/// The network that a part of the builder has.
pub(super) fn interaction_of(
    bodies: &[Body],
    parts: &[(String, BodyBuilder)],
) -> Result<Option<InteractionPair>, Problem> {
    let own = parts
        .iter()
        .enumerate()
        .find_map(|(body, (name, part))| Some((body, name, part.interaction.as_ref()?)));
    let Some((moving, name, InteractionOf { against, file: Some(file), rotation })) = own else {
        return Ok(None);
    };
    let at = |key: &str| format!("parts.{name}.interaction.{key}");
    let fixed = bodies.iter().position(|body| body.name == *against);
    let fixed = fixed.ok_or_else(|| (at("against"), format!("names `{against}`, which is no part")))?;
    let own = &bodies[moving];
    let Some(inertia) = own.inertia else {
        let remedy = "is for free parts; omit it or make the part free";
        return Err((format!("parts.{name}.interaction"), remedy.into()));
    };
    let InteractionFile { network, surface, .. } = InteractionFile::clone(file);
    let part_from_object = Pose::new(inertia.center_of_mass, *rotation);
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
    Ok(Some(InteractionPair { moving, fixed, part_from_object, clustering, located: Arc::new(located) }))
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
