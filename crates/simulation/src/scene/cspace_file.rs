//! C-space networks of pairs of parts: given by the scene, or embedded in the program.

use std::sync::Arc;

use tightfit_network::{CspaceField, CspaceFile, NetworkError};
use tightfit_pipeline::cspace::CspaceNetworks;
use tightfit_shape::preset::preset as part_preset;

use super::body_builder::{BodyBuilder, CspaceOf};
use super::problem::Problem;
use super::{Body, BodyId, CspacePair, Motion};
use crate::Preset;

macro_rules! embedded {
    ($($moving:literal, $fixed:literal, $file:literal);* $(;)?) => {
        [$((
            $moving,
            $fixed,
            include_bytes!(concat!("../../assets/networks/", $file, ".safetensors")),
        )),*]
    };
}

/// Moving part, fixed part and file of every embedded network, both parts by the name of their preset.
type Embedded = (&'static str, &'static str, &'static [u8]);

static NETWORKS: [Embedded; 2] = embedded![
    "peg-50", "hole-50", "peg-in-hole-inserted-cspace";
    "m48x5-nut", "m48x5-bolt", "bolting-engaged-engaged-cspace";
];

/// Those of the paper's form, for all phases of a task; the narrowest box is tried first.
static PAPER_NETWORKS: [Embedded; 4] = embedded![
    "peg-50", "hole-50", "peg-in-hole-inserted-cspace-paper";
    "peg-50", "hole-50", "peg-in-hole-workspace-cspace-paper";
    "m48x5-nut", "m48x5-bolt", "bolting-engaged-cspace-paper";
    "m48x5-nut", "m48x5-bolt", "bolting-workspace-cspace-paper";
];

/// The networks that a part of the builder has.
pub(super) fn cspace_of(
    bodies: &[Body],
    parts: &[(String, BodyBuilder)],
) -> Result<Option<CspacePair>, Problem> {
    let own =
        parts.iter().enumerate().find_map(|(body, (name, part))| Some((body, name, part.cspace.as_ref()?)));
    let Some((moving, name, CspaceOf { against, space: Some(space) })) = own else { return Ok(None) };
    let fixed = bodies.iter().position(|body| body.name == *against).ok_or_else(|| -> Problem {
        (format!("parts.{name}.cspace.against"), format!("names `{against}`, which is no part"))
    })?;
    let [moving, fixed] = [moving, fixed].map(BodyId::at);
    Ok(Some(CspacePair { moving, fixed, space: Arc::clone(space) }))
}

/// Embedded networks of the first pair of preset parts that has some.
pub(super) fn embedded_cspace(bodies: &[Body], preset: Preset) -> Result<Option<CspacePair>, NetworkError> {
    let networks =
        if preset.has_printed_networks() { PAPER_NETWORKS.as_slice() } else { NETWORKS.as_slice() };
    let find = |motion: Motion, name: &str| {
        let is =
            |body: &Body| body.motion == motion && part_preset(name).is_ok_and(|known| known == body.part);
        bodies.iter().position(is).map(BodyId::at)
    };
    for (own, other, _) in networks {
        let (Some(moving), Some(fixed)) = (find(Motion::Free, own), find(Motion::Fixed, other)) else {
            continue;
        };
        let of_pair = networks.iter().filter(|(first, second, _)| (first, second) == (own, other));
        let fields = of_pair.map(|(name, _, bytes)| Ok(CspaceFile::from_bytes(bytes, name)?.field));
        let fields: Result<Vec<CspaceField>, NetworkError> = fields.collect();
        return Ok(Some(CspacePair { moving, fixed, space: Arc::new(CspaceNetworks::new(fields?)) }));
    }
    Ok(None)
}
