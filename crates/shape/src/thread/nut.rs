//! A hexagon nut: internal thread through a prism, countersunk at both ends.
//!
//! Frame: axis z, middle of the height at z = 0, the middle of a groove at θ = 0, z = 0, a flat facing +x; a nut that
//! was recognised in a file keeps the file's frame. A nut engages a bolt without axial force when z_nut = P · yaw/2π + a multiple of P.

use arrayvec::ArrayVec;
use nalgebra::Vector3;
use tightfit_spatial::{Inertia, InertiaError};

use super::radial_nodes::{BODY, END};
use super::radial_surface::{AboutAxis, Side};
use super::start_distance::{cut_thread, each_cut_piece};
use super::thread_block::ThreadWindow;
use super::{Hand, RadialSurface, ThreadAllowance, ThreadProfile, ThreadStart};
use crate::mesh::{MeshBuilder, MeshOptions, TriMesh};
use crate::node::{Chart, NodeSet, NodeSpacing};
use crate::profile::{Outline, Section, SectionedSolid};
use crate::{Branches, Sample, ShapeError};

/// Outline edge that is the outer wall of the hexagon.
const WALL: usize = 1;
/// The outer wall is ignored for points nearer to the axis than this fraction of the wall's distance [-]: all other
/// faces are nearer.
const WALL_MATTERS: f64 = 0.9;

/// A nut and its dimensions.
#[derive(Clone, Debug, PartialEq)]
pub struct Nut {
    pub(crate) surface: RadialSurface,
    pub(crate) hexagon: SectionedSolid,
}

impl Nut {
    /// Nut of this nominal diameter, pitch, height and width across flats [m].
    ///
    /// # Errors
    /// When a dimension does not leave a thread and a wall.
    pub fn new(
        diameter: f64,
        pitch: f64,
        height: f64,
        across_flats: f64,
        allowance: ThreadAllowance,
        hand: Hand,
    ) -> Result<Self, ShapeError> {
        let profile = ThreadProfile::internal(diameter, pitch, allowance, hand)?;
        if !(height > 0.0 && height <= 10.0) {
            return Err(ShapeError::length("height_mm", height, "more than 0 up to 10000 mm"));
        }
        let major = 2.0 * profile.crest_radius();
        if !(across_flats > major && across_flats <= 10.0) {
            let allowed = format!("more than the thread's major diameter of {:.4} mm", 1e3 * major);
            return Err(ShapeError::length("across_flats_mm", across_flats, allowed));
        }
        let (half, level) = (height / 2.0, across_flats / 2.0);
        let outline = Outline::new(&[[0.0, -half], [level, -half], [level, half], [0.0, half]]);
        let surface = RadialSurface {
            profile,
            ends: [-half, half],
            starts: [ThreadStart::Blunt; 2],
            side: Side::Internal,
            run_out: None,
        };
        Ok(Self { surface, hexagon: SectionedSolid::new(Section::Polygon { sides: 6 }, outline) })
    }

    /// The same nut with this start at both ends.
    ///
    /// # Errors
    /// When a countersink would be narrower than the bore, wider than the nut, or the two would meet.
    pub fn with_start(mut self, start: ThreadStart) -> Result<Self, ShapeError> {
        if let ThreadStart::Chamfered { end_radius } = start {
            let least = self.surface.profile.root_radius();
            let level = self.wall_level();
            let most = level.min(least + 0.499 * self.height());
            if !(end_radius > least && end_radius < most) {
                let allowed = format!(
                    "more than the minor diameter of {:.4} mm and less than {:.4} mm",
                    2e3 * least,
                    2e3 * most
                );
                return Err(ShapeError::length("start_diameter_mm", 2.0 * end_radius, allowed));
            }
        }
        self.surface.starts = [start; 2];
        Ok(self)
    }

    /// The nut around a thread between its ends [m], with an outer wall at this level [m].
    pub(crate) fn measured(surface: RadialSurface, section: Section, level: f64) -> Self {
        let [low, high] = surface.ends;
        let outline = Outline::new(&[[0.0, low], [level, low], [level, high], [0.0, high]]);
        Self { surface, hexagon: SectionedSolid::new(section, outline) }
    }

    /// Lowest and highest z of the material [m].
    #[must_use]
    pub fn heights(&self) -> [f64; 2] {
        self.surface.ends
    }

    /// The thread profile: the region of air inside the nut.
    #[must_use]
    pub fn thread(&self) -> &ThreadProfile {
        &self.surface.profile
    }

    /// Height along the axis [m].
    #[must_use]
    pub fn height(&self) -> f64 {
        self.surface.ends[1] - self.surface.ends[0]
    }

    /// Radius of the countersinks in the end planes [m]; `None` for blunt ends.
    #[must_use]
    pub fn countersink_radius(&self) -> Option<f64> {
        self.surface.end_radius(0)
    }

    /// Distance of the hexagon's flats from the axis [m].
    pub(crate) fn wall_level(&self) -> f64 {
        self.hexagon.outline.vertices()[WALL][0]
    }

    /// Largest distance of the material from the axis [m].
    #[must_use]
    pub fn outer_radius(&self) -> f64 {
        self.hexagon.outer_radius()
    }

    /// Signed distance and unit gradient; errors as for [`super::Bolt::sample`].
    #[must_use]
    pub fn sample(&self, point: Vector3<f64>) -> Sample {
        cut_thread(&self.surface.profile, Side::Internal, point, |at| self.cuts(at))
    }

    /// Visits the locally convex pieces near a point; see [`crate::Part::each_piece`].
    pub fn each_piece(&self, point: Vector3<f64>, reach: f64, visit: impl FnMut(u32, &Branches)) {
        let [bottom, top] = self.surface.ends;
        let at = AboutAxis::of(point);
        let mut cuts = ArrayVec::<Sample, 5>::new();
        cuts.push(Sample { distance: point.z - top, normal: Vector3::z() });
        cuts.push(Sample { distance: bottom - point.z, normal: -Vector3::z() });
        let level = self.wall_level();
        if at.radius >= WALL_MATTERS * level {
            let flat = self.hexagon.section.locate(point.xy());
            let outward = Vector3::new(flat.direction.x, flat.direction.y, 0.0);
            cuts.push(Sample { distance: flat.level - level, normal: outward });
        }
        let cones = (0..2).filter(|&end| self.surface.cone_matters(end, point.z, reach));
        cuts.extend(cones.filter_map(|end| self.surface.sample_cone(end, &at)));
        each_cut_piece(&self.surface.profile, Side::Internal, &at, reach, &cuts, visit);
    }

    /// The bounds of the thread, for blocks of points.
    #[inline(always)]
    pub(crate) fn window(&self) -> ThreadWindow {
        ThreadWindow {
            ends: self.surface.ends,
            body_top: f64::NEG_INFINITY,
            widest: WALL_MATTERS * self.wall_level(),
            cones: [self.surface.end_radius(0), self.surface.end_radius(1)],
        }
    }

    /// Hexagon and countersinks at a point.
    fn cuts(&self, point: Vector3<f64>) -> ArrayVec<Sample, 4> {
        let mut cuts = ArrayVec::new();
        cuts.push(self.hexagon.sample(point));
        let at = AboutAxis::of(point);
        cuts.extend((0..2).filter_map(|end| self.surface.sample_cone(end, &at)));
        cuts
    }

    /// Mass properties at `density` [kg/m³].
    ///
    /// # Errors
    /// When the density is not positive.
    pub fn inertia(&self, density: f64) -> Result<Inertia, InertiaError> {
        let (whole, bore) = (self.hexagon.inertia(density)?, self.surface.inertia(density)?);
        let mass = whole.mass - bore.mass;
        let center = (whole.center_of_mass * whole.mass - bore.center_of_mass * bore.mass) / mass;
        Inertia::new(mass, center, whole.moment_about(center) - bore.moment_about(center))
    }

    /// Closed mesh, counter-clockwise from outside.
    #[must_use]
    pub fn mesh(&self, options: &MeshOptions) -> TriMesh {
        let mut builder = MeshBuilder::default();
        let corners: Vec<f64> = self.hexagon.section.corner_angles().collect();
        let round = if corners.is_empty() { self.wall_level() } else { self.thread().crest_radius() };
        let wanted = options.segments(round);
        let rims = self.surface.add_to(&mut builder, wanted, &corners);
        let level = self.wall_level();
        let ring = |builder: &mut MeshBuilder, z: f64| -> Vec<u32> {
            rims.angles.iter().map(|&angle| builder.vertex(self.hexagon.at_angle(level, angle, z))).collect()
        };
        let [bottom, top] = self.surface.ends;
        let lower = ring(&mut builder, bottom);
        builder.annulus(&rims.lower, &lower, false);
        let count = NodeSpacing::intervals(top - bottom, options.max_edge);
        let mut below = lower;
        for step in 1..=count {
            let above = ring(&mut builder, bottom + (top - bottom) * step as f64 / count as f64);
            builder.strip(&below, &above);
            below = above;
        }
        builder.annulus(&rims.upper, &below, true);
        builder.finish()
    }

    /// Nodes of the thread, its two starts, and the hexagon.
    #[must_use]
    pub fn nodes(&self, spacing: &NodeSpacing) -> NodeSet {
        let mut nodes = self.surface.nodes(spacing);
        for end in 0..2 {
            self.surface.start_nodes(&mut nodes, end, spacing);
            self.end_face_nodes(&mut nodes, end, spacing);
        }
        // `end_face_nodes` covers the end faces around the bore: keep only the outer wall's nodes
        let mut wall = self.hexagon.nodes(spacing);
        wall.retain(|chart| {
            let level = self.wall_level();
            self.hexagon.section.locate(self.hexagon.place(chart).xy()).level > level - 1e-9
        });
        nodes.append(&wall, BODY);
        nodes.pack(|chart| self.surface.side_of(chart), |chart| self.place(chart).z);
        nodes
    }

    fn end_face_nodes(&self, nodes: &mut NodeSet, end: usize, spacing: &NodeSpacing) {
        let (inner, outer) = (self.thread().crest_radius(), self.wall_level());
        let rows = NodeSpacing::intervals(outer - inner, spacing.face);
        for row in 0..rows {
            let u = (row as f64 + 0.5) / rows as f64;
            let circumference = std::f64::consts::TAU * (inner + (outer - inner) * u);
            let count = NodeSpacing::intervals(circumference, spacing.face);
            for lap in 0..count {
                nodes.push(crate::node::NodeKind::Face, END + end as u32, u, lap as f64 / count as f64);
            }
        }
    }

    /// Position of a node [m].
    #[must_use]
    pub fn place(&self, chart: Chart) -> Vector3<f64> {
        if chart.face >= BODY {
            return self.hexagon.place(Chart { face: chart.face - BODY, ..chart });
        }
        let at = self.surface.locate(chart);
        let mut radius = self.surface.radius(at.angle, at.z).0;
        if chart.face == END || chart.face == END + 1 {
            let level = self.wall_level();
            let outer = self.hexagon.at_angle(level, at.angle, 0.0).norm();
            radius += (outer - radius) * chart.u;
        }
        let (sin, cos) = libm::sincos(at.angle);
        Vector3::new(radius * cos, radius * sin, at.z)
    }
}
