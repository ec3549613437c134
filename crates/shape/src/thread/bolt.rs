//! A bolt: external thread from z = 0 up to its tip, with an optional shank and hexagon head below.
//!
//! Frame: axis z, the thread's tip at z = length, the middle of a ridge at θ = 0, z = 0; a bolt that was recognised in
//! a file keeps the file's frame.

use arrayvec::ArrayVec;
use nalgebra::Vector3;
use tightfit_spatial::{Inertia, InertiaError, Pose};

use super::radial_nodes::{BODY, END};
use super::radial_surface::{AboutAxis, Side};
use super::start_distance::{cut_thread, each_cut_piece};
use super::thread_block::ThreadWindow;
use super::{Hand, RadialSurface, ThreadAllowance, ThreadProfile, ThreadStart};
use crate::intersection::intersection;
use crate::mesh::{MeshBuilder, MeshOptions, TriMesh};
use crate::node::{Chart, NodeSet, NodeSpacing};
use crate::profile::{Outline, Section, SectionedSolid};
use crate::{Branches, Sample, ShapeError};

/// Number of the piece below the wall of a groove.
const RUN_OUT: u32 = 7;

/// Hexagon at the lower end of a bolt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HexHead {
    /// Width across flats [m].
    pub across_flats: f64,
    /// Height along the axis [m].
    pub height: f64,
}

/// A bolt and its dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Bolt {
    pub(crate) surface: RadialSurface,
    shank: Option<SectionedSolid>,
    head: Option<SectionedSolid>,
}

impl Bolt {
    /// Threaded rod of this nominal diameter, pitch and length [m].
    ///
    /// # Errors
    /// When a dimension does not leave a thread; see [`ThreadProfile::external`].
    pub fn new(
        diameter: f64,
        pitch: f64,
        length: f64,
        allowance: ThreadAllowance,
        hand: Hand,
    ) -> Result<Self, ShapeError> {
        let profile = ThreadProfile::external(diameter, pitch, allowance, hand)?;
        if !(length > 0.0 && length <= 10.0) {
            return Err(ShapeError::length("length_mm", length, "more than 0 up to 10000 mm"));
        }
        let surface = RadialSurface {
            profile,
            ends: [0.0, length],
            starts: [ThreadStart::Blunt; 2],
            side: Side::External,
            run_out: None,
        };
        Ok(Self { surface, shank: None, head: None })
    }

    /// The same bolt with another tip.
    ///
    /// # Errors
    /// When the cone would be wider than the thread or longer than the bolt.
    pub fn with_start(mut self, start: ThreadStart) -> Result<Self, ShapeError> {
        if let ThreadStart::Chamfered { end_radius } = start {
            let crest = self.surface.profile.crest_radius();
            let length = self.surface.ends[1];
            let least = (crest - 0.999 * length).max(0.0);
            if !(end_radius > least && end_radius < crest) {
                let allowed = format!(
                    "more than {:.4} mm and less than the crest diameter of {:.4} mm",
                    2e3 * least,
                    2e3 * crest
                );
                return Err(ShapeError::length("start_diameter_mm", 2.0 * end_radius, allowed));
            }
        }
        self.surface.starts[1] = start;
        Ok(self)
    }

    /// The same bolt with a plain shank of this length [m] (none when zero) and a head, below z = 0.
    ///
    /// # Errors
    /// When a length is negative or the head is narrower than the thread.
    pub fn with_body(mut self, shank_length: f64, head: Option<HexHead>) -> Result<Self, ShapeError> {
        if !(0.0..=10.0).contains(&shank_length) {
            return Err(ShapeError::length("shank_length_mm", shank_length, "0 to 10000 mm"));
        }
        let radius = self.surface.profile.crest_radius();
        let cylinder = |section: Section, level: f64, low: f64, high: f64| {
            SectionedSolid::new(
                section,
                Outline::new(&[[0.0, low], [level, low], [level, high], [0.0, high]]),
            )
        };
        if let Some(HexHead { across_flats, height }) = head {
            if !(height > 0.0 && height <= 10.0) {
                return Err(ShapeError::length("head_height_mm", height, "more than 0 up to 10000 mm"));
            }
            if !(across_flats > 2.0 * radius && across_flats <= 10.0) {
                let allowed = format!("more than the crest diameter of {:.4} mm", 2e3 * radius);
                return Err(ShapeError::length("across_flats_mm", across_flats, allowed));
            }
            let hexagon = Section::Polygon { sides: 6 };
            self.head = Some(cylinder(hexagon, across_flats / 2.0, -shank_length - height, -shank_length));
        }
        if shank_length > 0.0 {
            self.shank = Some(cylinder(Section::Round, radius, -shank_length, 0.0));
        }
        Ok(self)
    }

    /// The bolt of a thread between its ends [m], with a shank and a head below.
    pub(crate) fn measured(
        surface: RadialSurface,
        shank: Option<SectionedSolid>,
        head: Option<SectionedSolid>,
    ) -> Self {
        Self { surface, shank, head }
    }

    /// The thread profile.
    #[must_use]
    pub fn thread(&self) -> &ThreadProfile {
        &self.surface.profile
    }

    /// Length of the thread [m].
    #[must_use]
    pub fn length(&self) -> f64 {
        self.surface.ends[1] - self.surface.ends[0]
    }

    /// Lowest and highest z of the material [m].
    #[must_use]
    pub fn heights(&self) -> [f64; 2] {
        let low = self.body().map(|solid| solid.height_range().0).fold(self.surface.ends[0], f64::min);
        [low, self.surface.ends[1]]
    }

    /// Radius of the cone of the tip in the end plane [m]; `None` for a blunt tip.
    #[must_use]
    pub fn tip_radius(&self) -> Option<f64> {
        self.surface.end_radius(1)
    }

    /// Height above which the material is that of the thread alone [m]; −∞ for a bare rod.
    #[must_use]
    pub fn thread_from(&self) -> f64 {
        if self.is_bare() {
            return f64::NEG_INFINITY;
        }
        let bottom = self.surface.ends[0];
        self.surface.run_out.map_or(bottom, |run_out| run_out.top(self.thread()).max(bottom))
    }

    /// Largest distance of the material from the axis [m].
    #[must_use]
    pub fn outer_radius(&self) -> f64 {
        self.body().map(SectionedSolid::outer_radius).fold(self.thread().crest_radius(), f64::max)
    }

    pub(super) fn body(&self) -> impl Iterator<Item = &SectionedSolid> {
        self.shank.iter().chain(self.head.iter())
    }

    /// Signed distance and unit gradient.
    ///
    /// On faces the distance is that of [`ThreadProfile::sample`], or exact; at the edges of the start it is accurate
    /// to second order (see [`crate::Part`] for the measured errors).
    #[must_use]
    pub fn sample(&self, point: Vector3<f64>) -> Sample {
        let thread = cut_thread(&self.surface.profile, Side::External, point, |at| self.cuts(at));
        let thread = self.body().map(|solid| solid.sample(point)).fold(thread, Sample::union);
        let Some(run_out) = self.surface.run_out else { return thread };
        let at = AboutAxis::of(point);
        let mut filled: ArrayVec<Sample, 4> = run_out.faces(self.thread(), &at).into_iter().collect();
        if filled.is_empty() {
            return thread;
        }
        filled.push(Sample { distance: self.heights()[0] - point.z, normal: -Vector3::z() });
        filled.extend(self.surface.sample_cone(1, &at));
        thread.union(intersection(&filled))
    }

    /// Visits the locally convex pieces near a point; see [`crate::Part::each_piece`].
    pub fn each_piece(&self, point: Vector3<f64>, reach: f64, mut visit: impl FnMut(u32, &Branches)) {
        let at = AboutAxis::of(point);
        let mut cuts = ArrayVec::<Sample, 3>::new();
        let [low, high] = self.heights();
        cuts.push(Sample { distance: point.z - high, normal: Vector3::z() });
        cuts.push(Sample { distance: low - point.z, normal: -Vector3::z() });
        if self.surface.cone_matters(1, point.z, reach) {
            cuts.extend(self.surface.sample_cone(1, &at));
        }
        each_cut_piece(&self.surface.profile, Side::External, &at, reach, &cuts, &mut visit);
        if point.z > self.thread_from() + reach {
            return;
        }
        if let Some(run_out) = self.surface.run_out {
            let filled = run_out.faces(self.thread(), &at);
            if !filled.is_empty() && filled.iter().chain(&cuts).all(|face| face.distance <= reach) {
                visit(RUN_OUT, &filled.into_iter().chain(cuts.iter().copied()).collect());
            }
        }
        for (index, solid) in self.body().enumerate() {
            solid.each_piece(point, reach, |number, branches| {
                visit(3 + 2 * index as u32 + number.min(1), branches);
            });
        }
    }

    /// The bounds of the thread, for blocks of points.
    #[inline(always)]
    pub(crate) fn window(&self) -> ThreadWindow {
        ThreadWindow {
            ends: self.heights(),
            body_top: self.thread_from(),
            widest: f64::INFINITY,
            // the lower end has no cone: it is blunt, or inside the shank or head
            cones: [None, self.surface.end_radius(1)],
        }
    }

    /// End planes and cone at a point. The threaded rod extends through shank and head, so their inner faces are not
    /// surfaces.
    fn cuts(&self, point: Vector3<f64>) -> ArrayVec<Sample, 4> {
        let mut cuts = ArrayVec::new();
        let [low, high] = self.heights();
        cuts.push(Sample { distance: point.z - high, normal: Vector3::z() });
        cuts.push(Sample { distance: low - point.z, normal: -Vector3::z() });
        cuts.extend(self.surface.sample_cone(1, &AboutAxis::of(point)));
        cuts
    }

    /// Mass properties at `density` [kg/m³].
    ///
    /// # Errors
    /// When the density is not positive.
    pub fn inertia(&self, density: f64) -> Result<Inertia, InertiaError> {
        let thread = self.surface.inertia(density)?;
        self.body().try_fold(thread, |sum, solid| Ok(sum.combined(&solid.inertia(density)?)))
    }

    /// Closed mesh, counter-clockwise from outside.
    #[must_use]
    pub fn mesh(&self, options: &MeshOptions) -> TriMesh {
        let mut builder = MeshBuilder::default();
        let corners: Vec<f64> = self.body().flat_map(|solid| solid.section.corner_angles()).collect();
        let round = self.body().filter(|solid| solid.section == Section::Round);
        let widest = round.map(SectionedSolid::outer_radius).fold(self.thread().crest_radius(), f64::max);
        let wanted = options.segments(widest);
        let rims = self.surface.add_to(&mut builder, wanted, &corners);
        builder.cap(&rims.upper, self.surface.ends[1], true, options.max_edge);
        let mut rim = rims.lower;
        let mut z = self.surface.ends[0];
        for solid in self.body() {
            let (low, high) = solid.height_range();
            let level = solid.outline.vertices()[1][0];
            rim = builder.step_out(&rim, &rims.angles, solid, level, high);
            rim = builder.wall(&rim, &rims.angles, solid, level, [high, low], options.max_edge);
            z = low;
        }
        builder.cap(&rim, z, false, options.max_edge);
        builder.finish()
    }

    /// Whether the thread is the whole bolt and reaches its lower end.
    pub(crate) fn is_bare(&self) -> bool {
        self.body().next().is_none() && self.surface.run_out.is_none()
    }

    /// Nodes on the thread, its tip and the body.
    #[must_use]
    pub fn nodes(&self, spacing: &NodeSpacing) -> NodeSet {
        let mut nodes = self.surface.nodes(spacing);
        self.surface.start_nodes(&mut nodes, 1, spacing);
        if self.body().next().is_none() {
            self.surface.start_nodes(&mut nodes, 0, spacing);
        }
        for (index, solid) in self.body().enumerate() {
            // faces between the components are inside the bolt
            let mut own = solid.nodes(spacing);
            own.retain(|chart| self.sample(solid.place(chart)).distance.abs() < 1e-9);
            nodes.append(&own, BODY + 16 * index as u32);
        }
        nodes.pack(|chart| self.surface.side_of(chart), |chart| self.place(chart).z);
        nodes
    }

    /// Position of a node [m].
    #[must_use]
    pub fn place(&self, chart: Chart) -> Vector3<f64> {
        if chart.face >= BODY {
            let index = ((chart.face - BODY) / 16) as usize;
            let own = Chart { face: (chart.face - BODY) % 16, ..chart };
            return self.body().nth(index).map_or_else(Vector3::zeros, |solid| solid.place(own));
        }
        let at = self.surface.locate(chart);
        let mut radius = self.surface.radius(at.angle, at.z).0;
        if chart.face == END || chart.face == END + 1 {
            radius *= 1.0 - chart.u;
        }
        let (sin, cos) = libm::sincos(at.angle);
        Vector3::new(radius * cos, radius * sin, at.z)
    }

    /// The screw motion by `angle` [rad] along the bolt's thread: it maps the endless thread to itself.
    #[must_use]
    pub fn screw(&self, angle: f64) -> Pose {
        let (sin, cos) = libm::sincos(angle / 2.0);
        let turn = nalgebra::Quaternion::new(cos, 0.0, 0.0, sin);
        Pose::new(
            Vector3::new(0.0, 0.0, self.thread().rise() * angle),
            nalgebra::UnitQuaternion::new_normalize(turn),
        )
    }
}

impl MeshBuilder {
    /// Flat face at height z from a rim out to the wall of a wider body; returns the wall's upper ring.
    fn step_out(
        &mut self,
        rim: &[u32],
        angles: &[f64],
        solid: &SectionedSolid,
        level: f64,
        z: f64,
    ) -> Vec<u32> {
        let ring: Vec<u32> = rim
            .iter()
            .zip(angles)
            .map(|(&inner, &angle)| {
                let point = solid.at_angle(level, angle, z);
                // where the crest meets the shank, the face has zero width
                let same = (self.position(inner) - point).norm() < 1e-9;
                if same { inner } else { self.vertex(point) }
            })
            .collect();
        self.annulus(rim, &ring, true);
        ring
    }

    /// Wall of a body from one height down to another; returns the lower ring.
    fn wall(
        &mut self,
        ring: &[u32],
        angles: &[f64],
        solid: &SectionedSolid,
        level: f64,
        [high, low]: [f64; 2],
        max_edge: f64,
    ) -> Vec<u32> {
        let count = NodeSpacing::intervals(high - low, max_edge);
        let mut upper = ring.to_vec();
        for step in 1..=count {
            let z = high + (low - high) * step as f64 / count as f64;
            let lower: Vec<u32> =
                angles.iter().map(|&angle| self.vertex(solid.at_angle(level, angle, z))).collect();
            self.strip(&lower, &upper);
            upper = lower;
        }
        upper
    }
}
