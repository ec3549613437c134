//! Records that host and device exchange, laid out as `kernels/environment.h` has them. SI units.

#![allow(missing_docs, reason = "the fields are described once, in kernels/environment.h")]

use bytemuck::{Pod, Zeroable};

pub(crate) const VERTICES: usize = 12;
pub(crate) const WAYPOINTS: usize = 8;
pub(crate) const WARM: usize = 248;
pub(crate) const ROWS: usize = 1536;
pub(crate) const BLOCKS: usize = 512;
pub(crate) const BLOCK: usize = 32;

/// Bytes of one environment's candidate contacts on the device.
pub(crate) const ROWS_BYTES: usize = 9 * 4 * ROWS;
/// Memory of one environment while its step is in hand [bytes], at least what the kernels take: working set and lists, and
/// what is known between the stages.
pub(crate) const SCRATCH_BYTES: usize = 204 << 10;
pub(crate) const FLIGHT_BYTES: usize = 232 << 10;

pub(crate) const ROUND: i32 = 0;
pub(crate) const BOLT: i32 = 1;
pub(crate) const NUT: i32 = 2;

pub(crate) const STEPPED: i32 = 0;
pub(crate) const FROZEN: i32 = 1;

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable, PartialEq)]
pub(crate) struct Shape {
    pub kind: i32,
    pub vertices: i32,
    pub faces: u32,
    pub convex: u32,
    pub pieces: i32,
    pub omitted: [i32; 4],
    pub has_wall: i32,
    pub is_bore: i32,
    pub cone: [i32; 2],
    pub is_of_network: i32,
    pub heights: [f64; 2],
    pub radii: [f64; 2],
    pub vertex: [[f64; 2]; VERTICES],
    pub normal: [[f64; 2]; VERTICES],
    pub wall_radius: f64,
    pub wall_heights: [f64; 2],
    pub pitch: f64,
    pub per_pitch: f64,
    pub rise: f64,
    pub pitch_radius: f64,
    pub half_width: f64,
    pub crest: f64,
    pub root: f64,
    pub ends: [f64; 2],
    pub cone_radius: [f64; 2],
    pub endless: [f64; 2],
    pub parameter: f64,
    pub spread: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Waypoint {
    pub time: f64,
    pub position: [f64; 3],
    pub angle: f64,
    pub rotation: [f64; 4],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct WaypointPair {
    pub at: [Waypoint; 2],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Summary {
    pub penetration: f64,
    pub coulomb: f64,
    pub impulse: [f64; 6],
    pub peak_force: f64,
    pub steps: i32,
    pub unconverged: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct MotionRecord {
    pub steps: u64,
    pub center: [f64; 3],
    pub rotation: [f64; 4],
    pub linear: [f64; 3],
    pub turning: [f64; 3],
    pub spin: f64,
    pub summary: Summary,
    pub status: i32,
    pub unused: i32,
}

impl MotionRecord {
    /// The record that the kernel `read_motions` writes.
    pub(crate) fn of(record: &Environment) -> Self {
        Self {
            steps: record.steps,
            center: record.center,
            rotation: record.rotation,
            linear: record.linear,
            turning: record.turning,
            spin: record.spin,
            summary: record.summary,
            status: record.status,
            unused: 0,
        }
    }
}

impl Environment {
    /// What the kernel `set_waypoints` does.
    pub(crate) fn set_waypoints(&mut self, points: &WaypointPair) {
        (self.drive.waypoints, self.drive.has_rotations) = (2, 1);
        self.drive.at[..2].copy_from_slice(&points.at);
    }

    /// Adds the step that the host took to the summary.
    pub(crate) fn add_step(&mut self) {
        let Self { summary, report, impulse, dt, .. } = self;
        summary.penetration = summary.penetration.max(report.penetration);
        summary.coulomb = summary.coulomb.max(report.coulomb);
        summary.impulse.iter_mut().zip(&*impulse).for_each(|(sum, own)| *sum += own);
        let force = impulse[..3].iter().map(|own| own * own).sum::<f64>().sqrt() / *dt;
        summary.peak_force = summary.peak_force.max(force);
        summary.steps += 1;
        summary.unconverged += i32::from(report.limits != 0);
    }
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct DriveRecord {
    pub is_driven: i32,
    pub waypoints: i32,
    pub is_given: i32,
    pub has_rotations: i32,
    pub stiffness: [f64; 3],
    pub turning_stiffness: [f64; 3],
    pub damping: f64,
    pub force: [f64; 3],
    pub offset: f64,
    pub tilt: f64,
    pub at: [Waypoint; WAYPOINTS],
    pub span: [f64; 2],
    pub shift: [f64; 2],
    pub swing: [f64; 2],
    pub target: [f64; 7],
    pub next_target: [f64; 7],
    pub linear_damping: [f64; 3],
    pub turning_damping: [f64; 3],
    pub twist: f64,
    pub wrench: [f64; 6],
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Report {
    pub penetration: f64,
    pub coulomb: f64,
    pub complementarity: f64,
    pub cone: f64,
    pub energy_injected: f64,
    pub contact_work: f64,
    pub projection_work: f64,
    pub candidates: i32,
    pub active: i32,
    pub level: i32,
    pub iterations: i32,
    pub evaluations: i32,
    pub limits: i32,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Environment {
    pub steps: u64,
    pub target: u64,
    pub center: [f64; 3],
    pub rotation: [f64; 4],
    pub linear: [f64; 3],
    pub turning: [f64; 3],
    pub spin: f64,
    pub tank: f64,
    pub dt: f64,
    pub friction: f64,
    pub mass: f64,
    pub center_of_mass: [f64; 3],
    pub moment: [f64; 9],
    pub shape: [Shape; 2],
    pub drive: DriveRecord,
    pub status: i32,
    pub is_warm: i32,
    pub warm_count: i32,
    pub is_known: i32,
    pub margin: f64,
    pub required: f64,
    pub warm_velocity: [f64; 6],
    pub warm_id: [u32; WARM],
    pub warm_impulse: [[f64; 3]; WARM],
    pub impulse: [f64; 6],
    pub report: Report,
    pub rows: i32,
    pub by_host: i32,
    pub summary: Summary,
}

/// Addresses are those of the backend's memory.
#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Nodes {
    pub count: i32,
    pub blocks: i32,
    pub node: u64,
    pub boxes: u64,
    pub box_slopes: u64,
    pub left: u64,
    pub apart: f64,
}

#[repr(C)]
#[derive(Clone, Copy, Debug, Pod, Zeroable)]
pub(crate) struct Common {
    pub nodes: [Nodes; 2],
    pub network: [u64; 2],
    pub gravity: [f64; 3],
    pub fixed_position: [f64; 3],
    pub fixed_rotation: [f64; 4],
    pub free_side: i32,
    pub most_passes: i32,
    pub samples: [[f64; 2]; 64],
}

/// Why the host took a step, by the number that the kernels report.
pub(crate) const REASONS: [&str; 12] = [
    "stepped",
    "frozen",
    "more candidate contacts than there is room for",
    "more active contacts than there is room for",
    "passes of the solver at the cap",
    "solver levels beyond those of the kernels",
    "parts inside one another at the start",
    "axes not parallel, or a motion beyond any search",
    "a motion that bends",
    "incomplete projection",
    "a number that is not finite",
    "energy tank empty",
];
