//! From the description to the scene: units to SI, names to parts, checks that need several fields.

use std::path::Path;
use std::sync::Arc;

use tightfit_shape::ShapeError;
use tightfit_shape::mesh::CollisionMesh;
use tightfit_spatial::{Inertia, Matrix3, Pose, UnitQuaternion, Vector3};

use crate::drive::about;
use crate::{ClusteringMethod, CspaceMethod, IntegrationMethod, Methods, Preset};

use super::arm::arm_of;
use super::cspace_file::cspace_of;
use super::description::{ContactDescription, PartDescription, TaskDescription};
use super::drive::drive_of;
use super::interaction_file::interaction_of;
use super::method::{DetectionMethod, MethodDescription};
use super::network_file::network_of;
use super::schema_check::Document;
use super::shape::{shape_of, spacing_of};
use super::{
    Body, ContactPair, Motion, Scene, SceneDescription, SceneError, SceneProblem, SceneSource, Task,
    scene_schema,
};

/// Density where a file gives none [kg/m³].
const STEEL: f64 = 7850.0;

pub(super) fn scene_from_text(text: &str, name: &str, folder: &Path) -> Result<Scene, SceneError> {
    let invalid = |problems: Vec<SceneProblem>| SceneError::Invalid { name: name.to_string(), problems };
    let document = Document::parse(text).map_err(|problem| invalid(vec![problem]))?;
    let problems = document.check(&scene_schema());
    if !problems.is_empty() {
        return Err(invalid(problems));
    }
    let description: SceneDescription = toml::from_str(text).map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start].matches('\n').count());
        let problem = SceneProblem {
            line: Some(line),
            key: "scene".into(),
            value: None,
            remedy: error.message().to_string(),
        };
        invalid(vec![problem])
    })?;
    let source = SceneSource { text: text.to_string(), folder: folder.to_path_buf() };
    let scene = build(description, &document, folder).map_err(invalid)?;
    Ok(Scene { source, ..scene })
}

fn build(
    description: SceneDescription,
    document: &Document,
    folder: &Path,
) -> Result<Scene, Vec<SceneProblem>> {
    let mut problems = Vec::new();
    let mut bodies = Vec::new();
    for (name, part) in &description.parts {
        match body(name, part, &description.method, folder) {
            Ok(body) => bodies.push(body),
            Err((key, remedy)) => problems.push(document.problem(&key, remedy)),
        }
    }
    let is_neural = description.method.detection == DetectionMethod::Neural;
    if is_neural && problems.is_empty() && bodies.iter().all(|body: &Body| body.network.is_none()) {
        let remedy = "no part has a depth network; train one with `tightfit train depth` and name its file in \
                      `parts.NAME.network`";
        problems.push(document.problem("method.detection", remedy.into()));
    }
    let is_meshed = description.method.detection == DetectionMethod::Mesh;
    if is_meshed && problems.is_empty() && bodies.iter().filter(|body| body.mesh.is_some()).count() < 2 {
        let remedy =
            "needs two parts with a surface of triangles; a half-space and nodes have none, choose `exact`";
        problems.push(document.problem("method.detection", remedy.into()));
    }
    if description.parts.is_empty() {
        problems.push(document.problem("parts", "is empty; give at least one part".into()));
    }
    let names: Vec<&str> = description.parts.keys().map(String::as_str).collect();
    let listed: Vec<_> =
        description.contacts.iter().map(|contact| pair(contact, &names, description.friction)).collect();
    for problem in listed.iter().filter_map(|pair| pair.as_ref().err()) {
        problems.push(document.problem("contacts", problem.clone()));
    }
    let motions: Vec<Motion> = description.parts.values().map(|part| part.motion).collect();
    let is_armed = description.arm.is_some();
    let drive = description
        .drive
        .as_ref()
        .map(|drive| drive_of(drive, &names, &motions, is_armed, folder))
        .transpose();
    let drive = drive.unwrap_or_else(|(key, remedy)| {
        problems.push(document.problem(&key, remedy));
        None
    });
    let task = description.task.as_ref().map(|task| self::task(task, &names)).transpose();
    let task = task.unwrap_or_else(|(key, remedy)| {
        problems.push(document.problem(&key, remedy));
        None
    });
    let mut methods = description.method.methods().unwrap_or_else(|(key, remedy)| {
        problems.push(document.problem(&key, remedy));
        Methods::default()
    });
    if !problems.is_empty() {
        return Err(problems);
    }
    let parts: Vec<_> = description.parts.iter().collect();
    let cspace =
        cspace_of(&bodies, &parts, folder).map_err(|(key, remedy)| vec![document.problem(&key, remedy)])?;
    if cspace.is_none() && methods.cspace != CspaceMethod::None {
        if description.method.cspace.is_some() {
            let remedy = "no part has C-space networks; train them with `tightfit train cspace` and name their files \
                          in `parts.NAME.cspace`";
            return Err(vec![document.problem("method.cspace", remedy.into())]);
        }
        // a preset takes them where there are some
        methods.cspace = CspaceMethod::None;
    }
    // the preset `paper` takes an interaction network where there is one, and where an arm holds a part its rule of integration
    let is_open = description.method.preset == Preset::Paper && description.method.clustering.is_none();
    let interaction = match methods.clustering {
        ClusteringMethod::KMeans { .. } if is_open && description.method.clusters.is_none() => true,
        other => other == ClusteringMethod::Interaction,
    };
    let interaction = match interaction {
        true => interaction_of(&bodies, &parts, folder)
            .map_err(|(key, remedy)| vec![document.problem(&key, remedy)])?,
        false => None,
    };
    if interaction.is_some() {
        methods.clustering = ClusteringMethod::Interaction;
    } else if methods.clustering == ClusteringMethod::Interaction {
        let remedy = "no part has an interaction network; name its file in `parts.NAME.interaction`";
        return Err(vec![document.problem("method.clustering", remedy.into())]);
    }
    if is_armed && description.method.preset == Preset::Paper && description.method.integration.is_none() {
        methods.integration = IntegrationMethod::Midpoint;
    }
    if let Some(drive) = &drive {
        bodies[drive.body].world_from_part = drive.target(0.0);
    }
    let arm = description
        .arm
        .as_ref()
        .map(|arm| arm_of(arm, &mut bodies, drive.as_ref(), task.as_ref(), &methods, folder))
        .transpose()
        .map_err(|(key, remedy)| vec![document.problem(&key, remedy)])?;
    let listed: Vec<ContactPair> = listed.into_iter().flatten().collect();
    let moves = |index: usize| bodies[index].motion == Motion::Free;
    let mut contacts = listed.clone();
    for first in 0..bodies.len() {
        for second in first + 1..bodies.len() {
            let is_listed = listed.iter().any(|pair| pair.bodies == [first, second]);
            if !is_listed && (moves(first) || moves(second)) {
                let friction = description.friction;
                contacts.push(ContactPair { bodies: [first, second], friction, restitution: 0.0 });
            }
        }
    }
    Ok(Scene {
        name: description.name,
        description: description.description,
        gravity: description.gravity_m_s2.into(),
        step: description.step_ms * 1e-3,
        bodies,
        contacts,
        drive,
        arm,
        task,
        detection: description.method.detection,
        methods,
        cspace,
        interaction,
        source: SceneSource::default(),
    })
}

pub(super) fn body_of(name: &str, names: &[&str], key: &str) -> Result<usize, (String, String)> {
    let found = names.iter().position(|known| *known == name);
    found.ok_or_else(|| {
        (key.to_string(), format!("names `{name}`, which is no part; parts: {}", names.join(", ")))
    })
}

fn task(description: &TaskDescription, names: &[&str]) -> Result<Task, (String, String)> {
    Ok(match description {
        TaskDescription::Insert { into, depth_mm, engaged_mm } => Task::Insert {
            into: body_of(into, names, "task.into")?,
            depth: depth_mm * 1e-3,
            engaged: engaged_mm * 1e-3,
        },
        TaskDescription::Thread { onto, turns, engaged_mm, torque_nm } => Task::Thread {
            onto: body_of(onto, names, "task.onto")?,
            turns: *turns,
            engaged: engaged_mm * 1e-3,
            torque: *torque_nm,
        },
    })
}

fn pair(contact: &ContactDescription, names: &[&str], friction: f64) -> Result<ContactPair, String> {
    let index = |name: &String| body_of(name, names, "contacts").map_err(|(_, remedy)| remedy);
    let [first, second] = [index(&contact.parts[0])?, index(&contact.parts[1])?];
    if first == second {
        return Err(format!("names `{}` twice; a pair needs two parts", names[first]));
    }
    Ok(ContactPair {
        bodies: [first.min(second), first.max(second)],
        friction: contact.friction.unwrap_or(friction),
        restitution: contact.restitution,
    })
}

/// A body, or the dotted key that is wrong and what to do about it.
fn body(
    name: &str,
    description: &PartDescription,
    method: &MethodDescription,
    folder: &Path,
) -> Result<Body, (String, String)> {
    let at = |key: &str| format!("parts.{name}.{key}");
    let part = shape_of(&description.shape, folder).map_err(|error| match error {
        ShapeError::Dimension { field, allowed, .. } => {
            (at(&format!("shape.{field}")), format!("allowed: {allowed}"))
        }
        ShapeError::Mesh(reason) => (at("shape.file"), reason),
        ShapeError::UnknownPreset { .. } => (at("shape.name"), error.to_string()),
        other => (at("shape"), other.to_string()),
    })?;
    if description.mass_kg.is_some() && description.density_kg_m3.is_some() {
        return Err((at("mass_kg"), "is given beside density_kg_m3; keep one of the two".into()));
    }
    let inertia = match description.motion {
        Motion::Free => {
            let inertia = part
                .inertia(description.density_kg_m3.unwrap_or(STEEL))
                .map_err(|error| (at("shape"), error.to_string()))?;
            let inertia = description.mass_kg.map_or(inertia, |mass| inertia.with_mass(mass));
            let center = description.center_of_mass_mm.map(|mm| Vector3::from(mm) * 1e-3);
            let moment = description.moment_kg_m2.map(|own| Matrix3::from_diagonal(&Vector3::from(own)));
            let own = Inertia::new(
                inertia.mass,
                center.unwrap_or(inertia.center_of_mass),
                moment.unwrap_or(inertia.moment),
            );
            let is_given = center.is_some() || moment.is_some();
            Some(if is_given {
                own.map_err(|error| (at("moment_kg_m2"), error.to_string()))?
            } else {
                inertia
            })
        }
        Motion::Fixed | Motion::Kinematic => None,
    };
    let spacing = spacing_of(&description.nodes, &part).map_err(|error| (at("nodes"), error.to_string()))?;
    let rotation = turned(description.rotation_deg);
    let translation = Vector3::from(description.position_mm) * 1e-3;
    let network = match method.detection {
        DetectionMethod::Exact | DetectionMethod::Mesh => None,
        DetectionMethod::Neural => {
            let file = description.network.as_ref().map(|file| folder.join(file));
            network_of(&part, file.as_deref()).map_err(|reason| (at("network"), reason))?
        }
    };
    let mesh = match method.detection {
        DetectionMethod::Exact | DetectionMethod::Neural => None,
        // parts without end have no mesh
        DetectionMethod::Mesh => part.mesh(&method.mesh_options()).ok(),
    };
    Ok(Body {
        name: name.to_string(),
        nodes: part.nodes(&spacing),
        network,
        mesh: mesh.map(|mesh| Arc::new(CollisionMesh::new(&mesh))),
        part,
        motion: description.motion,
        world_from_part: Pose::new(translation, rotation),
        inertia,
    })
}

/// The attitude of turns about the x, then y, then z axis [deg].
pub(super) fn turned(rotation_deg: [f64; 3]) -> UnitQuaternion<f64> {
    let [roll, pitch, yaw] = rotation_deg.map(f64::to_radians);
    about(Vector3::z(), yaw) * about(Vector3::y(), pitch) * about(Vector3::x(), roll)
}
