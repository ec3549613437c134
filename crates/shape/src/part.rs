//! A part: one question, one answer, whatever it is made of.
//!
//! | kind | distance | error |
//! |---|---|---|
//! | pegs, holes, cylinders, hexagons, blocks, balls, half-space | exact | 1e-15 of the size, edges and corners included |
//! | thread flanks (M48x5) | third order | 0.03 nm within 50 µm, 1.1 nm within 0.3 mm, gradient 0.0002° |
//! | thread crest, root and start edges and corners, blunt or chamfered | second order | within 100 µm: never long by more than 1 nm, short by at most 24 nm |
//! | meshes | exact to the triangles | the facets' own error, which the doctor states |

use nalgebra::Vector3;
use tightfit_spatial::{Columns3, Inertia};

use crate::mesh::{Aabb, MeshOptions, MeshPart, TriMesh};
use crate::node::{Chart, NodeSet, NodeSpacing};
use crate::primitive::{Block, Capsule, NodeList, half_space};
use crate::profile::{Outline, Rim, Section, SectionedSolid, Wall};
use crate::thread::{Bolt, Nut};
use crate::{Branches, FieldColumns, Sample, ShapeError};

/// Motions that map a part to itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symmetry {
    /// None that we use.
    None,
    /// Any turn about z.
    Revolved,
    /// A turn about z with the advance of the thread, as far as its ends allow.
    Screw {
        /// Advance per turn [m], negative for a left-hand thread.
        pitch: f64,
    },
}

/// Where the material of a part is, in cylindrical coordinates about its z axis: nothing is outside.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Lowest and highest z [m].
    pub heights: [f64; 2],
    /// Smallest and largest distance from the axis [m].
    pub radii: [f64; 2],
}

/// Something with a surface.
#[allow(
    clippy::large_enum_variant,
    reason = "a scene holds a handful of parts; a box would cost every sample"
)]
#[derive(Clone, Debug, PartialEq)]
pub enum Part {
    /// Peg, hole, cylinder, prism.
    Sectioned(SectionedSolid),
    /// External thread.
    Bolt(Bolt),
    /// Internal thread.
    Nut(Nut),
    /// Everything below z = 0.
    HalfSpace,
    /// Rectangular block.
    Block(Block),
    /// Ball or capsule.
    Capsule(Capsule),
    /// A triangle mesh.
    Mesh(MeshPart),
    /// Nodes without material.
    Nodes(NodeList),
}

impl Part {
    /// A cylinder along z, centred at its frame, of this radius and length [m].
    ///
    /// # Errors
    /// When a dimension is not positive.
    pub fn cylinder(radius: f64, length: f64) -> Result<Self, ShapeError> {
        for (field, value) in [("diameter_mm", 2.0 * radius), ("length_mm", length)] {
            if !(value > 0.0 && value <= 10.0) {
                return Err(ShapeError::length(field, value, "more than 0 up to 10000 mm"));
            }
        }
        let half = length / 2.0;
        let outline = Outline::new(&[[0.0, -half], [radius, -half], [radius, half], [0.0, half]]);
        Ok(Self::Sectioned(SectionedSolid::new(Section::Round, outline)))
    }

    /// Signed distance and gradient at a point of the part's frame [m].
    #[must_use]
    pub fn sample(&self, point: Vector3<f64>) -> Sample {
        match self {
            Self::Sectioned(solid) => solid.sample(point),
            Self::Bolt(bolt) => bolt.sample(point),
            Self::Nut(nut) => nut.sample(point),
            Self::HalfSpace => half_space(point),
            Self::Block(block) => block.sample(point),
            Self::Capsule(capsule) => capsule.sample(point),
            Self::Mesh(mesh) => mesh.sample(point),
            Self::Nodes(_) => Sample { distance: f64::INFINITY, normal: Vector3::z() },
        }
    }

    /// Visits the locally convex pieces of material within `reach` [m] of a point, each with a number and its faces,
    /// prolonged.
    ///
    /// Free space around a convex edge is an OR: the point is outside a piece as long as it is in front of *any* of
    /// its faces. Whoever linearises the distance over a time step must choose the face that the point will be in
    /// front of, or a peg is stopped by a chamfer that it only passes. Concave edges (the floor of a bore, the root
    /// of a thread) are an AND: the point must be outside *every* piece.
    ///
    /// The smallest over the pieces of the largest distance to their faces is the depth inside the material, and
    /// outside it at most the true distance.
    pub fn each_piece(&self, point: Vector3<f64>, reach: f64, mut visit: impl FnMut(u32, &Branches)) {
        let single = match self {
            Self::Sectioned(solid) => return solid.each_piece(point, reach, visit),
            Self::Bolt(bolt) => return bolt.each_piece(point, reach, visit),
            Self::Nut(nut) => return nut.each_piece(point, reach, visit),
            Self::Block(block) => block.branches(point),
            Self::HalfSpace | Self::Capsule(_) | Self::Mesh(_) | Self::Nodes(_) => {
                std::iter::once(self.sample(point)).collect()
            }
        };
        if single.iter().all(|face| face.distance <= reach) {
            visit(0, &single);
        }
    }

    /// Where the material is, in cylindrical coordinates about the part's z axis.
    #[must_use]
    pub fn extent(&self) -> Extent {
        let of_box = |aabb: Aabb| {
            let radius = |corner: Vector3<f64>| corner.x.hypot(corner.y);
            Extent {
                heights: [aabb.min.z, aabb.max.z],
                radii: [0.0, radius(aabb.min.abs().sup(&aabb.max.abs()))],
            }
        };
        match self {
            Self::Sectioned(solid) => {
                let (low, high) = solid.height_range();
                Extent { heights: [low, high], radii: [solid.inner_radius(), solid.outer_radius()] }
            }
            Self::Bolt(bolt) => {
                Extent { heights: [bolt.bottom(), bolt.length()], radii: [0.0, bolt.outer_radius()] }
            }
            Self::Nut(nut) => {
                let half = nut.height() / 2.0;
                Extent { heights: [-half, half], radii: [nut.thread().root_radius(), nut.outer_radius()] }
            }
            Self::HalfSpace => Extent { heights: [f64::NEG_INFINITY, 0.0], radii: [0.0, f64::INFINITY] },
            // nodes have no material anywhere
            Self::Nodes(_) => Extent { heights: [f64::INFINITY, f64::NEG_INFINITY], radii: [0.0, 0.0] },
            Self::Block(_) | Self::Capsule(_) | Self::Mesh(_) => {
                let nowhere = Aabb { min: Vector3::zeros(), max: Vector3::zeros() };
                of_box(self.aabb().unwrap_or(nowhere))
            }
        }
    }

    /// Height from which on all material near a point follows the part's [`Symmetry`], for points that see `reach` far [m].
    #[must_use]
    pub fn symmetric_from(&self, reach: f64) -> f64 {
        match self {
            // shank and head do not turn with the thread
            Self::Bolt(bolt) if bolt.bottom() < 0.0 => reach,
            _ => f64::NEG_INFINITY,
        }
    }

    /// Most pieces that [`Self::each_piece`] numbers.
    pub const MOST_PIECES: u32 = 8;

    /// Most pieces that [`Self::each_piece`] visits for one point of this part.
    #[must_use]
    pub fn most_pieces(&self) -> usize {
        let of_solid = |solid: &SectionedSolid| (2 * solid.outline.concave_vertices().len()).max(1);
        match self {
            Self::Sectioned(solid) => of_solid(solid),
            // core, nearest ridge and the one across the groove; two for shank and head each
            Self::Bolt(_) => 7,
            Self::Nut(_) => 3,
            Self::HalfSpace | Self::Block(_) | Self::Capsule(_) | Self::Mesh(_) => 1,
            Self::Nodes(_) => 0,
        }
    }

    /// Signed distance and gradient for columns of points; `field` is overwritten, its memory reused.
    pub fn evaluate(&self, points: &Columns3, field: &mut FieldColumns) {
        field.clear();
        points.iter().for_each(|point| field.push(self.sample(point)));
    }

    /// Nodes at this spacing; none for a half-space, which has no end.
    #[must_use]
    pub fn nodes(&self, spacing: &NodeSpacing) -> NodeSet {
        match self {
            Self::Sectioned(solid) => solid.nodes(spacing),
            Self::Bolt(bolt) => bolt.nodes(spacing),
            Self::Nut(nut) => nut.nodes(spacing),
            Self::HalfSpace => NodeSet::default(),
            Self::Block(block) => block.nodes(spacing),
            Self::Capsule(capsule) => capsule.nodes(spacing),
            Self::Mesh(mesh) => mesh.nodes(spacing),
            Self::Nodes(list) => list.nodes(),
        }
    }

    /// Position of one node in the part's frame [m].
    #[must_use]
    pub fn place_one(&self, chart: Chart) -> Vector3<f64> {
        match self {
            Self::Sectioned(solid) => solid.place(chart),
            Self::Bolt(bolt) => bolt.place(chart),
            Self::Nut(nut) => nut.place(chart),
            Self::HalfSpace => Vector3::zeros(),
            Self::Block(block) => block.place(chart),
            Self::Capsule(capsule) => capsule.place(chart),
            Self::Mesh(mesh) => mesh.place(chart),
            Self::Nodes(list) => list.place(chart),
        }
    }

    /// Positions of the nodes in the part's frame [m]. The nodes may come from a part of the same kind with
    /// other dimensions; `positions` is overwritten, its memory reused.
    pub fn place(&self, nodes: &NodeSet, positions: &mut Columns3) {
        positions.clear();
        (0..nodes.len()).for_each(|index| positions.push(self.place_one(nodes.chart(index))));
    }

    /// How far the surface lies outside the nodes [m]: to be subtracted from their gaps. A mesh with a clearance has
    /// it, since its nodes stay on the triangles, and a ball or capsule, whose nodes lie on its axis.
    #[must_use]
    pub fn node_offset(&self) -> f64 {
        match self {
            Self::Mesh(mesh) => mesh.offset(),
            Self::Capsule(capsule) => capsule.radius(),
            _ => 0.0,
        }
    }

    /// Whether the nodes lie deep inside, one [`Self::node_offset`] below the surface all around.
    #[must_use]
    pub fn has_core_nodes(&self) -> bool {
        matches!(self, Self::Capsule(_))
    }

    /// Whether all that a ball can touch of it is found from the ball's centre: its pieces are all of its material, and none has a
    /// face that looks at the axis. A seat touches a ball all around, and the nearest point is one of many.
    #[must_use]
    pub fn is_known_to_balls(&self) -> bool {
        match self {
            Self::Sectioned(solid) => {
                solid.outline.edges().all(|(index, _)| solid.outline.edge_normal(index)[0] >= 0.0)
            }
            Self::HalfSpace | Self::Block(_) => true,
            _ => false,
        }
    }

    /// Whether it is a ball.
    #[must_use]
    pub fn is_ball(&self) -> bool {
        matches!(self, Self::Capsule(capsule) if capsule.half_length() == 0.0)
    }

    /// Mass properties at `density` [kg/m³]; a node list has its own, whatever the density.
    ///
    /// # Errors
    /// For a half-space, and when the density is not positive.
    pub fn inertia(&self, density: f64) -> Result<Inertia, ShapeError> {
        if !(density > 0.0 && density <= 1e6) {
            return Err(ShapeError::Dimension {
                field: "density_kg_m3",
                value: density.to_string(),
                allowed: "more than 0 up to 1000000".into(),
            });
        }
        let inertia = match self {
            Self::Sectioned(solid) => solid.inertia(density),
            Self::Bolt(bolt) => bolt.inertia(density),
            Self::Nut(nut) => nut.inertia(density),
            Self::HalfSpace => return Err(ShapeError::Unbounded { what: "mass" }),
            Self::Block(block) => block.inertia(density),
            Self::Capsule(capsule) => capsule.inertia(density),
            Self::Mesh(mesh) => mesh.inertia(density),
            Self::Nodes(list) => Ok(list.inertia()),
        };
        inertia.map_err(ShapeError::from)
    }

    /// Watertight triangles for viewing and export.
    ///
    /// # Errors
    /// For parts without a bounded surface.
    pub fn mesh(&self, options: &MeshOptions) -> Result<TriMesh, ShapeError> {
        match self {
            Self::Sectioned(solid) => Ok(solid.mesh(options)),
            Self::Bolt(bolt) => Ok(bolt.mesh(options)),
            Self::Nut(nut) => Ok(nut.mesh(options)),
            Self::Block(block) => Ok(block.mesh(options)),
            Self::Capsule(capsule) => Ok(capsule.mesh(options)),
            Self::Mesh(part) => Ok(part.mesh().as_ref().clone()),
            Self::HalfSpace | Self::Nodes(_) => Err(ShapeError::Unbounded { what: "mesh" }),
        }
    }

    /// What maps the part to itself.
    #[must_use]
    pub fn symmetry(&self) -> Symmetry {
        let screw = |rise: f64| Symmetry::Screw { pitch: rise * std::f64::consts::TAU };
        match self {
            Self::Sectioned(solid) if solid.section == Section::Round => Symmetry::Revolved,
            Self::Bolt(bolt) => screw(bolt.thread().rise()),
            Self::Nut(nut) => screw(nut.thread().rise()),
            Self::HalfSpace | Self::Capsule(_) => Symmetry::Revolved,
            Self::Sectioned(_) | Self::Block(_) | Self::Mesh(_) | Self::Nodes(_) => Symmetry::None,
        }
    }

    /// Radius of a thread's inner cylinder [m] and the heights between which nothing cuts it [m].
    #[must_use]
    pub fn endless_thread(&self) -> Option<(f64, [f64; 2])> {
        match self {
            Self::Bolt(bolt) => Some((bolt.thread().root_radius(), bolt.surface.endless())),
            Self::Nut(nut) => Some((nut.thread().root_radius(), nut.surface.endless())),
            _ => None,
        }
    }

    /// The wall of a turned part that fits another, where there is one.
    #[must_use]
    pub fn wall(&self) -> Option<Wall> {
        if let Self::Sectioned(solid) = self { solid.wall() } else { None }
    }

    /// Advance per radian of the symmetry that two parts on one axis have in common [m/rad]: zero for turned parts, `None`
    /// without one.
    #[must_use]
    pub fn common_rise(&self, other: &Part) -> Option<f64> {
        match [self.symmetry(), other.symmetry()] {
            [Symmetry::Revolved, Symmetry::Revolved] => Some(0.0),
            [Symmetry::Screw { pitch: a }, Symmetry::Screw { pitch: b }]
                if (a - b).abs() < 1e-3 * a.abs() =>
            {
                Some(a / std::f64::consts::TAU)
            }
            _ => None,
        }
    }

    /// Convex edges that are circles about z: those of turned parts.
    pub fn rims(&self) -> impl Iterator<Item = Rim> + '_ {
        let solid = if let Self::Sectioned(solid) = self { Some(solid) } else { None };
        solid.into_iter().flat_map(SectionedSolid::rims)
    }

    /// Bounding box in the part's frame; `None` for a half-space.
    #[must_use]
    pub fn aabb(&self) -> Option<Aabb> {
        let around = |radius: f64, low: f64, high: f64| Aabb {
            min: Vector3::new(-radius, -radius, low),
            max: Vector3::new(radius, radius, high),
        };
        Some(match self {
            Self::Sectioned(solid) => {
                let (low, high) = solid.height_range();
                around(solid.outer_radius(), low, high)
            }
            Self::Bolt(bolt) => around(bolt.outer_radius(), bolt.bottom(), bolt.length()),
            Self::Nut(nut) => around(nut.outer_radius(), -nut.height() / 2.0, nut.height() / 2.0),
            Self::HalfSpace => return None,
            Self::Block(block) => Aabb { min: -block.half_size(), max: block.half_size() },
            Self::Capsule(ball) => {
                let height = ball.half_length() + ball.radius();
                around(ball.radius(), -height, height)
            }
            Self::Mesh(mesh) => mesh.aabb(),
            Self::Nodes(list) => Aabb::of(list.points().iter().copied()),
        })
    }
}
