//! Binary messages: state frames, meshes and heat maps. All numbers are little-endian; docs/protocol.md has the layout.

use tightfit_simulation::{ContactPoint, Limit, Limits};
use tightfit_spatial::Pose;

use crate::VisualMesh;
use crate::channels::CHANNELS;

/// First byte of a state frame.
pub const KIND_STATE: u8 = 1;
/// First byte of a mesh.
pub const KIND_MESH: u8 = 2;
/// First byte of a heat map.
pub const KIND_HEAT: u8 = 3;
/// Second byte of every binary message.
pub const VERSION: u8 = 1;
/// Length of the header of a state frame [bytes].
pub const HEADER_BYTES: usize = 40;
/// Contacts that carry no force are sent up to this gap [m].
const NEAR: f64 = 30e-6;

/// Which contacts a frame holds; those that carry force come first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// Near ones too, 400 at most.
    Live,
    /// Those that carry force, 100 at most: a report holds hundreds of frames.
    Recorded,
}

impl Detail {
    fn most(self) -> usize {
        match self {
            Self::Live => 400,
            Self::Recorded => 100,
        }
    }
}

/// What a state frame begins with.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameHeader {
    /// Phase of the task, an index of [`crate::PHASES`].
    pub phase: u16,
    /// Whether the simulation is paused.
    pub is_paused: bool,
    /// Whether a hand drives the part.
    pub has_hand: bool,
    /// Whether the scene's drives have reached their end.
    pub is_over: bool,
    /// Whether the set-point of the driven part is known.
    pub has_set_point: bool,
    /// Limits that the last step hit.
    pub limits: Limits,
    /// Time of the state [s].
    pub time: f64,
    /// Steps since the start.
    pub step: u32,
    /// Fingerprint of the state.
    pub hash: u64,
    /// Number of the scene description that the frame belongs to.
    pub generation: u32,
}

/// Everything that a state frame holds after its header.
pub(crate) struct FrameBody<'a> {
    pub(crate) channels: [f64; CHANNELS.len()],
    pub(crate) bodies: &'a [Pose],
    pub(crate) set_point: Pose,
    pub(crate) links: &'a [Pose],
    pub(crate) contacts: &'a [ContactPoint],
    pub(crate) detail: Detail,
}

impl FrameHeader {
    fn flags(&self) -> u16 {
        let flags = [self.is_paused, self.has_hand, self.is_over, self.has_set_point];
        flags.iter().enumerate().map(|(bit, flag)| u16::from(*flag) << bit).sum()
    }

    /// Overwrites `bytes` with the frame.
    pub(crate) fn write(&self, body: &FrameBody<'_>, bytes: &mut Vec<u8>) {
        bytes.clear();
        let carries = |contact: &&ContactPoint| contact.force.norm_squared() > 0.0;
        let is_near =
            |contact: &&ContactPoint| body.detail == Detail::Live && !carries(contact) && contact.gap < NEAR;
        let [active, near] =
            [body.contacts.iter().filter(carries).count(), body.contacts.iter().filter(is_near).count()];
        let count = (active + near).min(body.detail.most());
        let limits: u16 = Limit::ALL
            .into_iter()
            .enumerate()
            .map(|(bit, limit)| u16::from(self.limits.contains(limit)) << bit)
            .sum();
        bytes.extend([KIND_STATE, VERSION]);
        for half in [self.phase, self.flags(), limits] {
            bytes.extend(half.to_le_bytes());
        }
        bytes.extend(self.time.to_le_bytes());
        bytes.extend(self.step.to_le_bytes());
        bytes.extend(self.hash.to_le_bytes());
        for half in [body.bodies.len(), body.links.len(), count, CHANNELS.len()] {
            bytes.extend((half as u16).to_le_bytes());
        }
        bytes.extend(self.generation.to_le_bytes());
        let mut put = |value: f64| bytes.extend((value as f32).to_le_bytes());
        body.channels.into_iter().for_each(&mut put);
        for pose in body.bodies.iter().chain([&body.set_point]).chain(body.links) {
            pose.translation.iter().chain(pose.rotation.coords.iter()).for_each(|value| put(*value));
        }
        let ordered = body.contacts.iter().filter(carries).chain(body.contacts.iter().filter(is_near));
        for contact in ordered.take(count) {
            let vectors = [&contact.position, &contact.normal, &contact.force];
            vectors.into_iter().flat_map(|vector| vector.iter()).for_each(|value| put(*value));
            put(contact.gap);
        }
    }
}

/// A mesh message.
pub(crate) fn mesh_message(body: usize, mesh: &VisualMesh) -> Vec<u8> {
    let mut bytes = vec![KIND_MESH, VERSION];
    bytes.extend((body as u16).to_le_bytes());
    bytes.extend((mesh.positions.len() as u32).to_le_bytes());
    bytes.extend((mesh.triangles.len() as u32).to_le_bytes());
    mesh.write(&mut bytes);
    bytes
}

/// A heat message.
pub(crate) fn heat_message(body: usize, gaps: &[i16]) -> Vec<u8> {
    let mut bytes = vec![KIND_HEAT, VERSION];
    bytes.extend((body as u16).to_le_bytes());
    bytes.extend((gaps.len() as u32).to_le_bytes());
    gaps.iter().for_each(|gap| bytes.extend(gap.to_le_bytes()));
    bytes
}
