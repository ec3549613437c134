//! What the kernels have, checked before the first step: anything else is refused by name.

use tightfit_shape::Part;
use tightfit_simulation::{
    Body, ClusteringMethod, CspaceMethod, DetectionMethod, IntegrationMethod, Methods, Motion, Scene,
    SolverMethod,
};

use crate::depth_network::DepthNetworkRecord;
use crate::error::GpuError;
use crate::shape_record::shape_record;

const ON_CPU: &str = "leave `--device` out to step it on the CPU";

/// The free and the fixed side of the only pair of a scene.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sides {
    /// 0 or 1: which side of the pair is free.
    pub(crate) free: usize,
}

/// Refuses a scene that the kernels cannot step.
pub(crate) fn check_scene(scene: &Scene) -> Result<Sides, GpuError> {
    let refuse =
        |what: String| Err(GpuError::Unsupported { what, scene: scene.name.clone(), remedy: ON_CPU });
    if scene.arm.is_some() {
        return refuse("the arm".into());
    }
    if let Some(body) = scene.bodies.iter().find(|body| body.motion == Motion::Kinematic) {
        return refuse(format!("the kinematic part `{}`", body.name));
    }
    let free = scene.bodies.iter().filter(|body| body.motion == Motion::Free).count();
    if free != 1 {
        return refuse(format!("{free} free bodies"));
    }
    let [pair] = scene.contacts.as_slice() else {
        return refuse(format!("{} contact pairs", scene.contacts.len()));
    };
    if pair.restitution != 0.0 {
        return refuse("restitution".into());
    }
    if !matches!(scene.detection, DetectionMethod::Exact | DetectionMethod::NeuralPaper) {
        return refuse(format!("the detection method {}", scene.detection.name()));
    }
    if let Some(what) = unsupported_method(&scene.methods) {
        return refuse(what);
    }
    let bodies = pair.bodies.map(|body| &scene.bodies[body]);
    for body in bodies {
        if body.mesh.is_some() {
            return refuse(format!("the mesh of `{}`", body.name));
        }
        if let Err(what) = network_record(body) {
            return refuse(format!("{what}, the network of `{}`", body.name));
        }
        if let Err(what) = shape_record(&body.part) {
            return refuse(format!("{what}, the part `{}`", body.name));
        }
    }
    if let Some(what) = unsupported_pair(&bodies[0].part, &bodies[1].part) {
        return refuse(what);
    }
    Ok(Sides { free: usize::from(bodies[1].motion == Motion::Free) })
}

/// None, or the record of the depth network that answers for a body; the name of what is not supported otherwise.
pub(crate) fn network_record(body: &Body) -> Result<Vec<DepthNetworkRecord>, String> {
    let Some(network) = &body.network else { return Ok(Vec::new()) };
    if !network.is_asked_everywhere() {
        return Err("a depth network that is asked near the surface alone".into());
    }
    Ok(vec![DepthNetworkRecord::of(network.field())?])
}

/// A method that the kernels do not have.
pub(crate) fn unsupported_method(methods: &Methods) -> Option<String> {
    if methods.clustering != ClusteringMethod::None {
        return Some(format!("clustering by {:?}", methods.clustering));
    }
    if methods.cspace != CspaceMethod::None {
        return Some("C-space rows".into());
    }
    if methods.solver != SolverMethod::Ladder {
        return Some(format!("the solver {:?}", methods.solver));
    }
    if methods.integration != IntegrationMethod::Midpoint {
        return Some(format!("the integration rule {}", methods.integration.name()));
    }
    let needed = [
        (methods.anticipation, "contacts without anticipation"),
        (methods.impact, "a step without impact stage"),
        (methods.passivity_filter, "a step without passivity filter"),
        (methods.crossings, "a step without crossings"),
        (methods.projection, "a step without projection"),
    ];
    needed.into_iter().find(|(is_on, _)| !is_on).map(|(_, what)| what.to_string())
}

/// Parts that do not move along a common symmetry.
pub(crate) fn unsupported_pair(first: &Part, second: &Part) -> Option<String> {
    let is_convex = |part: &Part| matches!(part, Part::Sectioned(solid) if solid.wall().is_none());
    if is_convex(first) && is_convex(second) {
        return Some("two turned parts without a mating wall".into());
    }
    // their walls touch between nodes and edges
    if first.turned().is_some() && second.turned().is_some() {
        return Some("two convex turned parts".into());
    }
    first.common_rise(second).is_none().then(|| "parts without a common axis or pitch".to_string())
}
