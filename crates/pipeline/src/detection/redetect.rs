//! Detection of a few nodes at another pose: the contacts are known, and the parts have moved a little since.

use arrayvec::ArrayVec;
use tightfit_shape::Part;
use tightfit_shape::block::{BLOCK, FaceBlock, PointBlock};
use tightfit_spatial::{Vectorise, vectorised};

use super::contact_writer::ContactWriter;
use super::node_blocks::Frame;
use super::node_query::NodeQuery;
use super::{BallPair, DetectionOptions, PairBody, TurnedPair};
use crate::records::Contacts;

/// Appends the contacts of the nodes of earlier contacts; `ids` are those contacts' identities, in the order of their
/// record. Crossings of edges, polyhedra and triangles of meshes are not detected again.
pub fn redetect(sides: [&PairBody; 2], options: &DetectionOptions, ids: &[u32], contacts: &mut Contacts) {
    let is_of_faces = TurnedPair::of(sides).is_some() || BallPair::of(sides).is_some();
    if sides.iter().all(|side| side.polyhedron.is_some()) || is_of_faces {
        return;
    }
    for (of, against) in [(sides[0], sides[1]), (sides[1], sides[0])] {
        if of.mesh.is_none() && against.network.is_none() {
            vectorised(Redetection { of, against, options, ids, contacts });
        }
    }
}

/// The nodes of one body against the surface of the other.
struct Redetection<'a> {
    of: &'a PairBody<'a>,
    against: &'a PairBody<'a>,
    options: &'a DetectionOptions,
    ids: &'a [u32],
    contacts: &'a mut Contacts,
}

impl Vectorise for Redetection<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self { of, against, options, ids, contacts } = self;
        let frame = Frame::of(&(against.world_from_part.inverse() * of.world_from_part));
        let query = NodeQuery::new(of, against, options);
        let (mut writer, mut faces) = (ContactWriter::new(of, against, contacts), FaceBlock::default());
        let mut points = PointBlock::default();
        let mut rest = ids.iter().map(|id| (id / Part::MOST_PIECES).wrapping_sub(of.first_id));
        let mut last = None;
        loop {
            let mut nodes = ArrayVec::<u32, BLOCK>::new();
            for node in rest.by_ref() {
                // The contacts of one node are consecutive.
                if (node as usize) < of.nodes.len() && last.replace(node) != Some(node) {
                    nodes.push(node);
                }
                if nodes.is_full() {
                    break;
                }
            }
            if nodes.is_empty() {
                break;
            }
            of.nodes.carry_some(&nodes, &frame, &mut points);
            against.part.face_block(&points, query.reach, query.choice.behind, &mut faces);
            query.at_block(|lane| nodes[lane], nodes.len(), &points, &mut faces, &mut writer);
        }
        writer.finish(options);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::{UnitQuaternion, Vector3};
    use tightfit_shape::node::NodeSpacing;
    use tightfit_shape::preset::preset;
    use tightfit_spatial::{Columns3, Pose};

    use super::super::{Clearances, DetectionScratch, NodeBlocks, detect_pair};
    use super::*;
    use crate::records::NOT_FREE;

    #[test]
    fn redetected_contacts_equal_those_of_full_detection() {
        let options = DetectionOptions {
            margin: 5e-5,
            crossings: false,
            horizon: 0.01,
            friction: 0.1,
            restitution: 0.0,
        };
        let [nut, bolt] = ["m48x5-nut", "m48x5-bolt"].map(|name| preset(name).expect("a preset"));
        let [own, other] = [&nut, &bolt].map(|part| {
            let mut positions = Columns3::default();
            part.place(&part.nodes(&NodeSpacing::default()), &mut positions);
            NodeBlocks::new(positions)
        });
        let [_, top] = bolt.extent().heights;
        // At the start of the thread there are edges, corners and flanks.
        let mut count = 0;
        for turn in [0.3, 1.9, 4.0] {
            let pose = Pose::new(
                Vector3::new(1e-4, 5e-5, top + 4.3e-3 - 2e-4 * turn),
                UnitQuaternion::from_scaled_axis(Vector3::new(4e-3, 0.0, turn)),
            );
            let mut first = PairBody::at_rest(&nut, &own, pose, 0);
            (first.linear, first.angular) = (Vector3::new(1e-3, 0.0, -2e-3), Vector3::z());
            let mut second = PairBody::at_rest(&bolt, &other, Pose::identity(), NOT_FREE);
            second.first_id = own.len() as u32;
            let sides = [&first, &second];
            let (mut all, mut again) = (Contacts::default(), Contacts::default());
            let mut clearances = <[Clearances; 2]>::default();
            detect_pair(sides, &options, &mut clearances, &mut DetectionScratch::default(), &mut all);
            redetect(sides, &options, &all.id, &mut again);
            assert_eq!(all.id, again.id);
            count += all.len();
            for contact in 0..all.len() {
                assert!((all.gap[contact] - again.gap[contact]).abs() < 1e-12, "contact {contact}");
                let turned = (all.normal.get(contact) - again.normal.get(contact)).norm();
                assert!(turned < 1e-9, "contact {contact}");
            }
        }
        assert!(count > 30, "{count} contacts");
    }
}
