//! C-space networks of pairs of parts: named by a scene, or embedded in the program.

use std::path::Path;
use std::sync::Arc;

use tightfit_network::{CspaceField, CspaceFile, NetworkError};
use tightfit_pipeline::cspace::CspaceNetworks;
use tightfit_shape::preset::preset;

use super::description::PartDescription;
use super::{Body, CspacePair, Motion};

macro_rules! embedded {
    ($($moving:literal, $fixed:literal, $file:literal);* $(;)?) => {
        [$((
            $moving,
            $fixed,
            include_bytes!(concat!("../../assets/networks/", $file, "-cspace.safetensors")),
        )),*]
    };
}

/// Moving part, fixed part and file of every embedded network, both parts by the name of their preset.
static NETWORKS: [(&str, &str, &[u8]); 2] = embedded![
    "peg-50", "hole-50", "peg-in-hole-inserted";
    "m48x5-nut", "m48x5-bolt", "bolting-engaged-engaged";
];

/// The networks that a part names, or else the embedded ones of a pair of the scene; the key that is wrong and why.
pub(super) fn cspace_of(
    bodies: &[Body],
    descriptions: &[(&String, &PartDescription)],
    folder: &Path,
) -> Result<Option<CspacePair>, (String, String)> {
    let named = descriptions
        .iter()
        .enumerate()
        .filter_map(|(body, (name, part))| Some((body, *name, part.cspace.as_ref()?)));
    let mut named: Vec<_> = named.collect();
    if let Some((_, name, _)) = named.get(1) {
        return Err((format!("parts.{name}.cspace"), "is the second one; only one part may have it".into()));
    }
    let Some((moving, name, description)) = named.pop() else {
        return embedded_of(bodies).map_err(|error| ("method.cspace".into(), error.to_string()));
    };
    let at = |key: &str| format!("parts.{name}.cspace.{key}");
    let fixed = bodies.iter().position(|body| body.name == description.against);
    let Some(fixed) = fixed.filter(|fixed| bodies[*fixed].motion == Motion::Fixed) else {
        let parts = bodies.iter().filter(|body| body.motion == Motion::Fixed).map(|body| body.name.as_str());
        let parts: Vec<&str> = parts.collect();
        return Err((at("against"), format!("names no fixed part; fixed parts: {}", parts.join(", "))));
    };
    if bodies[moving].motion != Motion::Free {
        return Err((
            format!("parts.{name}.cspace"),
            "is for free parts; leave it out or free the part".into(),
        ));
    }
    let load = |file: &String| CspaceFile::load(&folder.join(file)).map(|file| file.field);
    let fields: Result<Vec<CspaceField>, NetworkError> = description.networks.iter().map(load).collect();
    let fields = fields.map_err(|error| (at("networks"), error.to_string()))?;
    Ok(Some(CspacePair { moving, fixed, space: Arc::new(CspaceNetworks::new(fields)) }))
}

/// Embedded networks of the first pair that has some.
fn embedded_of(bodies: &[Body]) -> Result<Option<CspacePair>, NetworkError> {
    let find = |motion: Motion, name: &str| {
        let is = |body: &Body| body.motion == motion && preset(name).is_ok_and(|known| known == body.part);
        bodies.iter().position(is)
    };
    for (own, other, _) in &NETWORKS {
        let (Some(moving), Some(fixed)) = (find(Motion::Free, own), find(Motion::Fixed, other)) else {
            continue;
        };
        let of_pair = NETWORKS.iter().filter(|(first, second, _)| (first, second) == (own, other));
        let fields = of_pair.map(|(name, _, bytes)| Ok(CspaceFile::from_bytes(bytes, name)?.field));
        let fields: Result<Vec<CspaceField>, NetworkError> = fields.collect();
        return Ok(Some(CspacePair { moving, fixed, space: Arc::new(CspaceNetworks::new(fields?)) }));
    }
    Ok(None)
}
