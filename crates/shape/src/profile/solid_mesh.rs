//! Watertight mesh of a sectioned body: one ring of vertices per outline vertex, strips of triangles between rings.

use nalgebra::Vector3;

use super::solid_nodes::LapDistances;
use super::{Section, SectionedSolid};
use crate::mesh::{MeshBuilder, MeshOptions, TriMesh};
use crate::node::NodeSpacing;

impl SectionedSolid {
    /// Closed mesh, counter-clockwise from outside.
    #[must_use]
    pub fn mesh(&self, options: &MeshOptions) -> TriMesh {
        let laps = self.mesh_laps(options);
        let mut builder = MeshBuilder::default();
        // on a face that reaches the axis, each ring is the rim scaled down: rounded corners shrink instead of
        // collapsing
        let ring_at = |builder: &mut MeshBuilder, [level, z]: [f64; 2], rim: f64| -> Vec<u32> {
            if level <= 0.0 {
                return vec![builder.vertex(Vector3::new(0.0, 0.0, z)); laps.len()];
            }
            let point = |&lap: &f64| {
                let across = self.section.point(rim, lap) * (level / rim);
                Vector3::new(across.x, across.y, z)
            };
            laps.iter().map(|lap| builder.vertex(point(lap))).collect()
        };
        let vertices = self.outline.vertices();
        let rings: Vec<_> = vertices.iter().map(|&vertex| ring_at(&mut builder, vertex, vertex[0])).collect();
        for (index, [start, end]) in self.outline.edges() {
            let length = libm::hypot(end[0] - start[0], end[1] - start[1]);
            let count = NodeSpacing::intervals(length, options.max_edge);
            let mut lower = rings[index].clone();
            for step in 1..=count {
                let upper = if step == count {
                    rings[(index + 1) % rings.len()].clone()
                } else {
                    let t = step as f64 / count as f64;
                    let at = [start[0] + (end[0] - start[0]) * t, start[1] + (end[1] - start[1]) * t];
                    let reaches_axis = start[0] == 0.0 || end[0] == 0.0;
                    let rim = if reaches_axis { start[0].max(end[0]) } else { at[0] };
                    ring_at(&mut builder, at, rim)
                };
                builder.strip(&lower, &upper);
                lower = upper;
            }
        }
        builder.finish()
    }

    fn mesh_laps(&self, options: &MeshOptions) -> Vec<f64> {
        let level = self.outline.vertices().iter().map(|vertex| vertex[0]).fold(0.0, f64::max);
        match self.section {
            Section::Round => {
                let count = options.segments(level);
                (0..count).map(|index| index as f64 / count as f64).collect()
            }
            _ => {
                let rounding = level - self.section.core();
                let arc = std::f64::consts::TAU * rounding / options.segments(rounding) as f64;
                self.section.laps(level, LapDistances { straight: options.max_edge, arc }, 0.0)
            }
        }
    }
}
