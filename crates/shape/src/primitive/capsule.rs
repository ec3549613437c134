//! A sphere swept along z: a capsule, or a sphere when the length is zero. Centred at its frame.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use nalgebra::{Matrix3, Vector3};
use tightfit_spatial::{Inertia, InertiaError};

use crate::mesh::{MeshBuilder, MeshOptions, TriMesh};
use crate::node::{Chart, NodeKind, NodeSet, NodeSpacing};
use crate::{Sample, ShapeError};

/// Largest number of node intervals on a slender capsule.
const MOST_INTERVALS: usize = 4000;

/// Capsule or ball.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Capsule {
    radius: f64,
    half_length: f64,
}

impl Capsule {
    /// Capsule with this radius and this length of its cylindrical part [m]; a sphere when that is zero.
    ///
    /// # Errors
    /// When the radius is not positive or the length is negative.
    pub fn new(radius: f64, length: f64) -> Result<Self, ShapeError> {
        if !(radius > 0.0 && radius <= 10.0) {
            return Err(ShapeError::length("diameter_mm", 2.0 * radius, "more than 0 up to 20000 mm"));
        }
        if !(0.0..=10.0).contains(&length) {
            return Err(ShapeError::length("length_mm", length, "0 to 10000 mm"));
        }
        Ok(Self { radius, half_length: length / 2.0 })
    }

    /// Radius [m].
    #[must_use]
    pub fn radius(&self) -> f64 {
        self.radius
    }

    /// Half the length of the cylindrical part [m].
    #[must_use]
    pub fn half_length(&self) -> f64 {
        self.half_length
    }

    /// Exact signed distance and unit gradient.
    #[must_use]
    pub fn sample(&self, point: Vector3<f64>) -> Sample {
        let on_axis = Vector3::new(0.0, 0.0, point.z.clamp(-self.half_length, self.half_length));
        let away = point - on_axis;
        let length = away.norm();
        let normal = if length > 0.0 { away / length } else { Vector3::x() };
        Sample { distance: length - self.radius, normal }
    }

    /// Mass properties at `density` [kg/m³].
    ///
    /// # Errors
    /// When the density is not positive.
    pub fn inertia(&self, density: f64) -> Result<Inertia, InertiaError> {
        let (r, h) = (self.radius, self.half_length);
        let barrel = PI * r * r * 2.0 * h * density;
        let ball = 4.0 / 3.0 * PI * r.powi(3) * density;
        let polar = barrel * r * r / 2.0 + ball * 0.4 * r * r;
        // the centroid of a half ball is 3r/8 from its base
        let across = barrel * (r * r / 4.0 + h * h / 3.0) + ball * (0.4 * r * r + h * h + 0.75 * h * r);
        let moment = Matrix3::from_diagonal(&Vector3::new(across, across, polar));
        Inertia::new(barrel + ball, Vector3::zeros(), moment)
    }

    /// Closed mesh of latitudes and longitudes.
    #[must_use]
    pub fn mesh(&self, options: &MeshOptions) -> TriMesh {
        let laps = options.segments(self.radius);
        let mut builder = MeshBuilder::default();
        let ring = |builder: &mut MeshBuilder, radius: f64, z: f64| -> Vec<u32> {
            if radius == 0.0 {
                return vec![builder.vertex(Vector3::new(0.0, 0.0, z)); laps];
            }
            (0..laps)
                .map(|lap| {
                    let (sin, cos) = libm::sincos(TAU * lap as f64 / laps as f64);
                    builder.vertex(Vector3::new(radius * cos, radius * sin, z))
                })
                .collect()
        };
        let quarter = laps / 4;
        let barrel = if self.half_length > 0.0 {
            NodeSpacing::intervals(2.0 * self.half_length, options.max_edge)
        } else {
            0
        };
        // latitudes from pole to pole, with the barrel between the two hemispheres
        let latitude = |step: usize| {
            let (sin, cos) = libm::sincos(FRAC_PI_2 * step as f64 / quarter as f64);
            if step == quarter { (0.0, self.radius) } else { (self.radius * cos, self.radius * sin) }
        };
        let mut below = ring(&mut builder, 0.0, -self.half_length - self.radius);
        for step in (0..quarter).rev() {
            let (radius, height) = latitude(step);
            let above = ring(&mut builder, radius, -self.half_length - height);
            builder.strip(&below, &above);
            below = above;
        }
        let upper = (1..=barrel)
            .map(|step| (self.radius, self.half_length * (2.0 * step as f64 / barrel as f64 - 1.0)));
        let cap = (1..=quarter).map(latitude).map(|(radius, height)| (radius, self.half_length + height));
        for (radius, z) in upper.chain(cap) {
            let above = ring(&mut builder, radius, z);
            builder.strip(&below, &above);
            below = above;
        }
        builder.finish()
    }

    /// Nodes on the axis, one radius below the surface: a body one radius away from a node touches the capsule,
    /// however the capsule rolls. Two crossing capsules of radius R with nodes at spacing s penetrate by at most
    /// s²/16R between nodes. A ball has one node. Chart: u along z.
    #[must_use]
    pub fn nodes(&self, spacing: &NodeSpacing) -> NodeSet {
        let mut nodes = NodeSet::default();
        if self.half_length == 0.0 {
            nodes.push(NodeKind::Face, 0, 0.5, 0.0);
            return nodes;
        }
        let length = 2.0 * self.half_length;
        // the axis represents a contact line, so it gets the minimum count of an edge
        let slender = NodeSpacing::on_feature(spacing.face, self.radius, spacing.fewest_on_edges.along);
        let intervals = NodeSpacing::intervals(length, slender)
            .min(MOST_INTERVALS)
            .max(NodeSpacing::intervals(length, spacing.face));
        for row in 0..=intervals {
            nodes.push(NodeKind::Face, 0, row as f64 / intervals as f64, 0.0);
        }
        nodes
    }

    /// Position of a node [m].
    #[must_use]
    pub fn place(&self, chart: Chart) -> Vector3<f64> {
        Vector3::new(0.0, 0.0, self.half_length * (2.0 * chart.u - 1.0))
    }
}
