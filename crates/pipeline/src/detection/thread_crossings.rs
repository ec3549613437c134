//! Where the edges at the ends of two threads cross between their nodes.
//!
//! A nut that is set on a bolt touches it where the edges of both starts cross: they meet at a few degrees, so that nodes on either
//! edge miss micrometres. Only ends that are near one another are looked at; an engaged nut whose ends are elsewhere costs nothing.

use tightfit_shape::Part;
use tightfit_shape::thread::{StartEdges, ThreadStarts};
use tightfit_spatial::{Vectorise, vectorised};

use super::contact_writer::ContactWriter;
use super::crossing_query::CrossingQuery;
use super::{DetectionOptions, PairBody};
use crate::records::Contacts;

const MOST: u32 = StartEdges::MOST as u32;

/// Number of identities that the crossings of two threads take; zero for other parts.
#[must_use]
pub fn thread_crossing_ids(sides: [&PairBody; 2]) -> u32 {
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
    let margin = options.margin.max(0.0);
    // identities follow those of the nodes of both bodies
    let first = sides.map(|side| side.first_id + side.nodes.len() as u32).into_iter().fold(0, u32::max);
    for (pair, [end, other_end]) in [[0, 0], [0, 1], [1, 0], [1, 1]].into_iter().enumerate() {
        let [Some(own), Some(others)] = [own_starts[end], other_starts[other_end]] else { continue };
        let moved = own.bounds().map(|bounds| query.moved(&bounds).grown(margin));
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
        let margin = options.margin.max(0.0);
        let mut writer = ContactWriter::new(of, against, contacts);
        for index in 0..own.len() {
            let (middle, radius) = own.ball(index);
            let (middle, reach) = (query.carried(middle), radius + margin);
            if !region.grown(reach).contains(middle) {
                continue;
            }
            // ridges meet on their flanks
            let count = if index < own.contours() { others.len() } else { others.contours() };
            let chord = query.carried_chord(own.chord(index));
            others.each_near(count, &chord, margin, |number| {
                let other = others.chord(number);
                let out = || others.out_of(number) - query.turned(own.out_of(index));
                if !chord.may_cross(other, margin) || !chord.may_touch(other, margin, out) {
                    return;
                }
                if let Some((point, normal, gap)) = query.contact(&own.edge(index), &others.edge(number)) {
                    let place = index as u32 * MOST + number as u32;
                    let id = first.wrapping_add(place).wrapping_mul(Part::MOST_PIECES);
                    writer.push(point, normal, gap, id);
                }
            });
        }
        writer.finish(options);
    }
}
