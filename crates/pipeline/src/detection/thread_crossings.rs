//! Where the edges at the ends of two threads cross between their nodes.
//!
//! A nut that is set on a bolt touches it where the edges of both starts cross: they meet at a few degrees, so that nodes on either
//! edge miss micrometres. Only ends that are near one another are looked at; an engaged nut whose ends are elsewhere costs nothing.

use tightfit_shape::Part;
use tightfit_shape::thread::{StartEdges, ThreadStarts};
use tightfit_spatial::{Vector3, Vectorise, vectorised};

use super::contact_writer::ContactWriter;
use super::crossing_query::CrossingQuery;
use super::node_blocks::INSIDE;
use super::{DetectionOptions, PairBody};
use crate::records::Contacts;

const MOST: u32 = StartEdges::MOST as u32;

/// Whether one of two parts is a thread beside what it does not engage. A nut that began upright on its bolt has its starts alone, whatever
/// its attitude later.
pub(super) fn is_thread_beside(sides: [&PairBody; 2]) -> bool {
    let has_edges = |side: &&PairBody| side.part.is_threaded() && side.nodes.edges().len() > 0;
    let [one, other] = sides.map(|side| side.world_from_part.rotation * Vector3::z());
    sides.iter().any(has_edges) && sides[0].part.is_thread_beside(sides[1].part, one.dot(&other))
}

/// Number of identities that the crossings of two threads take; zero for other parts.
pub(super) fn thread_crossing_ids(sides: [&PairBody; 2]) -> u32 {
    if is_threaded(sides) { 4 * MOST * MOST } else { 0 }
}

fn is_threaded(sides: [&PairBody; 2]) -> bool {
    sides.iter().all(|side| side.network.is_none() && side.part.has_thread_start())
}

/// Appends the crossings of the edges at the ends of two threads; tells whether these are two threads.
pub(super) fn detect(
    sides: [&PairBody; 2],
    options: &DetectionOptions,
    starts: &mut [ThreadStarts; 2],
    contacts: &mut Contacts,
) -> bool {
    if !is_threaded(sides) {
        return false;
    }
    let [of, against] = sides;
    if !(of.is_free() || against.is_free()) {
        return true;
    }
    let [own_starts, other_starts] = starts;
    let (own_starts, other_starts) = (own_starts.of(of.part), other_starts.of(against.part));
    let query = CrossingQuery::new(of, against, options);
    let reach = options.margin.max(INSIDE);
    // identities follow those of the nodes of both bodies
    let first = sides.map(|side| side.first_id + side.nodes.len() as u32).into_iter().fold(0, u32::max);
    for (pair, [end, other_end]) in [[0, 0], [0, 1], [1, 0], [1, 1]].into_iter().enumerate() {
        let [Some(own), Some(others)] = [own_starts[end], other_starts[other_end]] else { continue };
        let moved = own.bounds().map(|bounds| query.moved(&bounds).grown(reach));
        let [contours, all] = others.bounds();
        if moved[0].overlaps(all) || moved[1].overlaps(contours) {
            let first = first.wrapping_add(pair as u32 * MOST * MOST);
            vectorised(Ends { query: &query, sides, edges: [own, others], first, options, contacts });
        }
    }
    true
}

/// One end of either part.
struct Ends<'a> {
    query: &'a CrossingQuery<'a>,
    sides: [&'a PairBody<'a>; 2],
    edges: [&'a StartEdges; 2],
    /// Identity of the first crossing.
    first: u32,
    options: &'a DetectionOptions,
    contacts: &'a mut Contacts,
}

impl Vectorise for Ends<'_> {
    type Output = ();

    /// Appends the crossings of these ends.
    #[inline(always)]
    fn run(self) {
        let Self { query, sides: [of, against], edges: [own, others], first, options, contacts } = self;
        let region = &others.bounds()[1];
        let (margin, reach) = (options.margin.max(0.0), options.margin.max(INSIDE));
        let mut writer = ContactWriter::new(of, against, contacts);
        for index in 0..own.len() {
            let (middle, radius) = own.ball(index);
            if !region.grown(radius + reach).contains(query.carried(middle)) {
                continue;
            }
            // ridges meet on their flanks
            let count = if index < own.contours() { others.len() } else { others.contours() };
            let chord = query.carried_chord(own.chord(index));
            others.each_near(count, &chord, reach, |number| {
                let other = others.chord(number);
                let out = || others.out_of(number) - query.turned(own.out_of(index));
                if !chord.may_cross(other, reach) || !chord.may_touch(other, margin, out) {
                    return;
                }
                let place = index as u32 * MOST + number as u32;
                let id = first.wrapping_add(place).wrapping_mul(Part::MOST_PIECES);
                query.each_contact(&own.edge(index), &others.edge(number), |place, point, normal, gap| {
                    writer.push(point, normal, gap, id.wrapping_add(place));
                });
            });
        }
        writer.finish(options);
    }
}

#[cfg(test)]
mod tests {
    use nalgebra::UnitQuaternion;
    use tightfit_shape::preset::preset;
    use tightfit_spatial::{Columns3, Pose, SplitMix};

    use super::*;
    use crate::detection::NodeBlocks;
    use crate::records::NOT_FREE;

    /// A nut anywhere about the tip of a bolt: every crossing of two stretches is found, whatever was passed over before.
    #[test]
    fn what_is_passed_over_does_not_cross() {
        let parts = [preset("m16-nut").expect("a nut"), preset("m16-bolt").expect("a bolt")];
        let nodes = NodeBlocks::new(Columns3::default());
        let side = |place: usize, pose: Pose, body: u32| PairBody::at_rest(&parts[place], &nodes, pose, body);
        let tip = parts[1].aabb().expect("bounded").max.z - parts[0].aabb().expect("bounded").min.z;
        let mut random = SplitMix(5);
        let (mut crossings, mut deepest) = (0, 0.0_f64);
        for trial in 0..2000 {
            let options = DetectionOptions {
                margin: [1e-5, 1e-4, 4e-4][trial % 3],
                crossings: true,
                horizon: 0.01,
                friction: 0.1,
                restitution: 0.0,
            };
            let [x, y, z]: [f64; 3] = (random.cube() - Vector3::repeat(0.5)).into();
            let [tilt, lean, spin]: [f64; 3] = (random.cube() - Vector3::repeat(0.5)).into();
            let turn = UnitQuaternion::from_euler_angles(0.1 * tilt, 0.1 * lean, 6.3 * spin);
            let at = Vector3::new(4e-4 * x, 4e-4 * y, tip + 4e-3 * z);
            let sides = [side(0, Pose::new(at, turn), 0), side(1, Pose::identity(), NOT_FREE)];
            let (mut starts, mut contacts) = (<[ThreadStarts; 2]>::default(), Contacts::default());
            assert!(detect(sides.each_ref(), &options, &mut starts, &mut contacts));

            let query = CrossingQuery::new(&sides[0], &sides[1], &options);
            let [own, others] = starts.each_mut();
            let (own, others) = (own.of(&parts[0]), others.of(&parts[1]));
            let mut all = Vec::new();
            for (pair, [end, other_end]) in [[0, 0], [0, 1], [1, 0], [1, 1]].into_iter().enumerate() {
                let (own, others) = (own[end].expect("a thread"), others[other_end].expect("a thread"));
                for index in 0..own.len() {
                    let count = if index < own.contours() { others.len() } else { others.contours() };
                    let (middle, radius) = own.ball(index);
                    let middle = query.carried(middle);
                    // balls that are farther apart than any crossing is deep hold no crossing
                    let is_near = |number: usize| {
                        let (other, other_radius) = others.ball(number);
                        let reach = radius + other_radius + options.margin.max(INSIDE);
                        (other - middle).norm() <= reach
                    };
                    for number in (0..count).filter(|number| is_near(*number)) {
                        let place = (pair as u32 * MOST + index as u32) * MOST + number as u32;
                        let id = place.wrapping_mul(Part::MOST_PIECES);
                        query.each_contact(&own.edge(index), &others.edge(number), |place, _, _, gap| {
                            // what is deeper is found by nodes
                            if gap >= -INSIDE {
                                all.push(id + place);
                                deepest = deepest.min(gap);
                            }
                        });
                    }
                }
            }
            let ids = contacts.id.iter().zip(&contacts.gap);
            let mut found: Vec<u32> = ids.filter(|(_, gap)| **gap >= -INSIDE).map(|(id, _)| *id).collect();
            found.sort_unstable();
            all.sort_unstable();
            assert_eq!(found, all, "trial {trial}");
            crossings += all.len();
        }
        assert!(crossings > 100 && deepest < -2e-5, "{crossings} crossings, {deepest:e} m");
    }
}
