//! Candidate contacts: everything that could touch within the step, found at the pose of a state.
//!
//! The search distance follows from the velocities (`tightfit_pipeline::detection::search_margin`). A nut that lands at 0.1 m/s would move 1 mm in a step,
//! but contacts that touch already stop it after a few hundredths of that. Searching the whole millimetre of thread would
//! cost detection and every pass of the solver, for nothing. So fast motions search a quarter of the distance first:
//!
//! ```text
//! m > 1.5 mm:  search m/4;   a contact with  −(v₀ₙ + φ⁺/T) · 1.5 T > m/4  stops the motion:  done
//! ```
//!
//! m margin that the velocities of a pair require [m], v₀ₙ normal speed [m/s], φ gap [m], T step [s]. If the solved motion goes
//! farther than the search did, the attempt is repeated with a wider one ([`Candidates::wider_margin`]). What is found follows from the state alone.

use tightfit_pipeline::detection::{
    AHEAD, Clearances, DetectionOptions, DetectionScratch, LARGEST_MARGIN, detect_pair,
};
use tightfit_pipeline::make_room;
use tightfit_pipeline::records::Contacts;
use tightfit_pipeline::solving::ApproachSpeeds;

use super::body_views::BodyViews;
use super::free_motion::start_velocities;
use super::gap_fields;

/// Motions that require more than this are fast [m]: 0.1 m/s at 10 ms. Slower ones are rarely stopped at once, and the
/// short search would be wasted.
const FAST: f64 = 1.5e-3;
/// Share of the required distance that the short search covers, and that a contact must forbid for it to suffice [-].
const SHORT: f64 = 0.25;
const STOPPED: f64 = 0.25;

/// Factor by which a search widens at most [-].
const WIDER: f64 = 10.0;
/// Largest angle that polyhedra in contact turn by in a piece of a step [rad]: a corner 20 mm away leaves its tangent by
/// 0.1 mm, which the correction takes back.
const LARGEST_TURN: f64 = 0.1;
/// Pieces that a step is cut into at most.
pub(super) const MOST_CUTS: usize = 32;

/// Contacts at the pose of a state.
#[derive(Debug, Default)]
pub(crate) struct Candidates {
    pub(crate) contacts: Contacts,
    /// Where the contacts of each pair of parts end in the record.
    pub(super) pair_ends: Vec<usize>,
    /// What they were searched for; none when they are not to be used.
    pub(crate) search: Option<Search>,
    /// Whether a stage has replaced faces of edges since (`edge_faces.rs`).
    pub(super) is_exchanged: bool,
    /// Margin that the velocities of each pair require, as they were when it was last asked for [m].
    pub(super) required: Vec<f64>,
}

/// What a search was made for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Search {
    /// Pose and velocity of all bodies ([`crate::State::motion_hash`]).
    motion: u64,
    /// Largest margin that the velocities require of a pair [m].
    required: f64,
    /// How far each pair was searched.
    span: SearchSpan,
    /// Largest distance within which every contact of a pair was found [m].
    pub(super) margin: f64,
}

/// How far each pair is searched: a share of what its velocities require, no less than a distance.
#[derive(Clone, Copy, Debug)]
pub(super) struct SearchSpan {
    /// Share of the required margin [-].
    share: f64,
    /// Least margin [m].
    least: f64,
}

impl SearchSpan {
    /// Everything within a distance [m], whatever the velocities.
    pub(super) fn within(least: f64) -> Self {
        Self { share: 0.0, least }
    }

    /// Margin of a pair whose velocities require another one [m].
    fn of(&self, required: f64) -> f64 {
        (self.share * required).max(self.least)
    }
}

/// Caches and buffers of detection.
#[derive(Debug, Default)]
pub(super) struct DetectionMemory {
    pub(super) scratch: DetectionScratch,
    /// What is known of nodes that are not near, for both directions of every pair.
    pub(super) clearances: Vec<[Clearances; 2]>,
    /// How fast the contacts of a short search close.
    closing: ApproachSpeeds,
    velocity: Vec<f64>,
}

impl DetectionMemory {
    pub(super) fn make_room(&mut self, bodies: usize, contacts: usize) {
        make_room(&mut self.velocity, 6 * bodies);
        self.closing.make_room(contacts);
    }
}

impl Candidates {
    /// Distance within which every contact is known [m].
    pub(super) fn margin(&self) -> f64 {
        self.search.map_or(0.0, |search| search.margin)
    }

    /// Margin that a motion with velocity `pose_velocity` needs, where a pair goes farther than was searched [m].
    ///
    /// What stops the motion is often near: the search widens by and by. Nodes beyond the margin have a larger gap than it, so a motion that stays within it cannot touch them.
    pub(super) fn wider_margin(&self, bodies: &BodyViews, pose_velocity: &[f64]) -> Option<f64> {
        let span = self.search.map_or(SearchSpan::within(0.0), |search| search.span);
        let moved = bodies.moving_with(pose_velocity);
        let pairs = self.required.iter().zip(moved.margins());
        let wider = pairs.filter_map(|(required, needed)| {
            let margin = span.of(*required);
            // the margin covers half a step more than the motion: only the motion itself must stay inside
            let outgrown = needed > AHEAD * margin && margin < LARGEST_MARGIN;
            outgrown.then(|| needed.min(WIDER * margin))
        });
        wider.reduce(f64::max)
    }

    /// A shorter duration [s] where polyhedra in contact turn too far against each other: the places where they touch are
    /// found for the attitude at the start.
    pub(super) fn cut(&self, bodies: &BodyViews, pose_velocity: &[f64], duration: f64) -> Option<f64> {
        // most bodies turn too slowly, whatever they are
        let fastest = 2.0 * bodies.fastest_turn(pose_velocity);
        if fastest * duration < LARGEST_TURN {
            return None;
        }
        let turning = bodies.moving_with(pose_velocity).turning_polyhedra(&self.pair_ends);
        let shortest = bodies.context.dt() / MOST_CUTS as f64;
        let wanted = (LARGEST_TURN / turning).max(shortest);
        // a cut that gains nothing is none
        (wanted < 0.9 * duration).then_some(wanted)
    }

    /// Whether a motion goes farther within the piece than detection searches at all.
    pub(super) fn is_outrun(&self, bodies: &BodyViews, pose_velocity: &[f64], duration: f64) -> bool {
        self.margin() >= LARGEST_MARGIN
            && bodies.moving_with(pose_velocity).closed_within(duration) > LARGEST_MARGIN
    }

    /// Depth of the deepest contact [m].
    pub(super) fn deepest(&self) -> f64 {
        (-self.contacts.smallest_gap()).max(0.0)
    }

    /// Finds the contacts within at least `margin`, unless those at hand serve: the last step searched at its end.
    pub(super) fn update(&mut self, bodies: &BodyViews, margin: f64, memory: &mut DetectionMemory) {
        let (required, motion) = (self.require(bodies), bodies.state.motion_hash());
        let serves = |known: Search| {
            known.motion == motion && known.required >= required && known.span.least >= margin
        };
        // the velocity of kinematic parts was not known at the end of the last step
        let is_current = self.search.is_some_and(serves) && bodies.state.kinematic.is_empty();
        if is_current && !self.is_exchanged {
            return;
        }
        match margin > 0.0 {
            true => self.find_within(bodies, SearchSpan { share: 1.0, least: margin }, memory),
            false => self.find_required(bodies, required, memory),
        }
    }

    /// Finds the contacts that the velocities require.
    pub(super) fn find(&mut self, bodies: &BodyViews, memory: &mut DetectionMemory) {
        let required = self.require(bodies);
        self.find_required(bodies, required, memory);
    }

    /// Finds the contacts within a distance, whatever the velocities.
    pub(super) fn find_near(&mut self, bodies: &BodyViews, distance: f64, memory: &mut DetectionMemory) {
        self.require(bodies);
        self.find_within(bodies, SearchSpan::within(distance), memory);
    }

    /// Notes the margins that the velocities require; returns the largest [m].
    fn require(&mut self, bodies: &BodyViews) -> f64 {
        self.required.clear();
        self.required.extend(bodies.margins());
        self.required.iter().copied().fold(0.0, f64::max)
    }

    fn find_required(&mut self, bodies: &BodyViews, required: f64, memory: &mut DetectionMemory) {
        if required > FAST && !bodies.context.scene.bounces() {
            self.find_within(bodies, SearchSpan { share: SHORT, least: 0.0 }, memory);
            let DetectionMemory { closing, velocity, .. } = memory;
            start_velocities(bodies.state, velocity);
            let forbidden = -closing.fill(&self.contacts, bodies.context.dt(), velocity, 0.0);
            if AHEAD * bodies.context.dt() * forbidden > STOPPED * required {
                self.search = self.search.map(|search| Search { required, ..search });
                return;
            }
        }
        self.find_within(bodies, SearchSpan { share: 1.0, least: 0.0 }, memory);
    }

    /// Finds the contacts of all pairs as far as a span says, from the margins that are required.
    fn find_within(&mut self, bodies: &BodyViews, span: SearchSpan, memory: &mut DetectionMemory) {
        self.contacts.clear();
        self.pair_ends.clear();
        self.is_exchanged = false;
        let farther = gap_fields::farther(bodies.context);
        let pairs = &bodies.context.scene.contacts;
        let mut margin = 0.0_f64;
        for ((((sides, options), required), clearances), pair) in
            bodies.pairs(0.0).zip(&self.required).zip(&mut memory.clearances).zip(pairs)
        {
            let sides = [&sides[0], &sides[1]];
            let own = span.of(*required);
            let options = DetectionOptions { margin: own + farther, ..options };
            let from = self.contacts.len();
            detect_pair(sides, &options, clearances, &mut memory.scratch, &mut self.contacts);
            gap_fields::correct_gaps(bodies.context, pair.bodies, sides, from, &mut self.contacts);
            self.pair_ends.push(self.contacts.len());
            margin = margin.max(own);
        }
        self.search = Some(Search { motion: bodies.state.motion_hash(), required: margin, span, margin });
    }
}
