//! The surface of the clusters, and the network in a scene.

use std::sync::Arc;

use tightfit_interaction::{EMBEDDING, EmbeddedSurface, InteractionClustering, InteractionNetwork};
use tightfit_shape::Part;
use tightfit_shape::mesh::MeshOptions;
use tightfit_simulation::{InteractionPair, Motion, Scene};
use tightfit_spatial::{Columns3, Pose, Vector3};

use crate::LearningError;
use crate::embedding::vertex_normals;

/// Chord tolerance and longest edge of the surface's triangles [m].
const TRIANGLES: MeshOptions = MeshOptions { chord_tolerance: 50e-6, max_edge: 3e-3 };

/// Unit of the embedding [m].
const UNIT: f64 = 0.01;

/// The surface of a part around its centre of mass, embedded by its positions in space: averages are those of points,
/// projected to the surface. Imported networks have geodesic embeddings.
///
/// # Errors
/// When the part has no surface.
pub fn plain_surface(part: &Part, center_of_mass: Vector3<f64>) -> Result<EmbeddedSurface, LearningError> {
    let mesh = part.mesh(&TRIANGLES)?;
    let points: Vec<Vector3<f64>> = mesh.vertices.iter().map(|vertex| vertex - center_of_mass).collect();
    let normals = vertex_normals(&mesh);
    let embedding = points.iter().map(|point| {
        let mut place = [0.0; EMBEDDING];
        place.iter_mut().zip(point.iter()).for_each(|(place, x)| *place = x / UNIT);
        place
    });
    let embedding = embedding.collect();
    Ok(EmbeddedSurface::new(points, normals, mesh.triangles, embedding)?)
}

/// Binds a network to a scene's free and fixed part.
///
/// # Errors
/// When the scene lacks a free or a fixed part.
pub fn interaction_pair(
    scene: &Scene,
    network: InteractionNetwork,
    surface: EmbeddedSurface,
) -> Result<InteractionPair, LearningError> {
    let body = |motion: Motion| scene.body_ids().find(|body| scene.bodies[*body].motion == motion);
    let inertia = body(Motion::Free).and_then(|moving| scene.bodies[moving].inertia);
    let (Some(moving), Some(fixed), Some(inertia)) = (body(Motion::Free), body(Motion::Fixed), inertia)
    else {
        return Err(LearningError::Option {
            option: "scene of a clustering",
            value: scene.name.clone(),
            allowed: "one with a free and a fixed part",
        });
    };
    let own = &scene.bodies[moving];
    let part_from_object = Pose::from_translation(inertia.center_of_mass);
    let mut nodes = Columns3::with_capacity(own.nodes.len());
    own.part.place(&own.nodes, &mut nodes);
    let located = nodes.iter().map(|node| surface.locate(node - inertia.center_of_mass)).collect();
    let clustering = Arc::new(InteractionClustering { network, surface });
    Ok(InteractionPair { moving, fixed, part_from_object, clustering, located: Arc::new(located) })
}
