//! A part of any kind behind one interface. Errors of the signed distance by kind:
//!
//! | kind | distance | error |
//! |---|---|---|
//! | pegs, holes, cylinders, hexagons, blocks, balls, half-space | exact | 1e-15 of the size, corners included |
//! | thread flanks (M48x5) | third order | 0.03 nm within 50 µm, 1.1 nm within 0.3 mm, gradient 0.0002° |
//! | edges and corners of thread crest, root and start (blunt, chamfered) | second order | +1, −24 nm within 100 µm |
//! | STEP files | exact | 1e-12 of the size; free-form faces by iterated foot points |
//! | meshes | exact to the triangles | the faceting error of the mesh, which the mesh doctor reports |

use nalgebra::Vector3;
use tightfit_spatial::{Columns3, Inertia};

use crate::cad::CadPart;
use crate::mesh::{Aabb, MeshOptions, MeshPart, TriMesh};
use crate::node::{Chart, NodeSet, NodeSpacing};
use crate::primitive::{Block, Capsule, NodeList, half_space};
use crate::profile::{Outline, Rim, Section, SectionedSolid, Wall};
use crate::thread::{Bolt, Nut, RadialSurface};
use crate::{Branches, FieldColumns, Sample, ShapeError};

/// Motions that map a part to itself.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Symmetry {
    /// None that the code uses.
    None,
    /// Any rotation about z.
    Revolved,
    /// A rotation about z with the advance of the thread; the ends of the thread break the symmetry.
    Screw {
        /// Advance per turn [m], negative for a left-hand thread.
        pitch: f64,
    },
}

/// Bounds of a part's material in cylindrical coordinates about its z axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Extent {
    /// Lowest and highest z [m].
    pub heights: [f64; 2],
    /// Smallest and largest distance from the axis [m].
    pub radii: [f64; 2],
}

/// A cylinder around a part's material, about an axis along z.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Barrel {
    /// Where the axis crosses the plane z = 0 [m].
    pub centre: [f64; 2],
    /// Radius [m].
    pub radius: f64,
    /// Lowest and highest z [m].
    pub heights: [f64; 2],
}

/// A part.
#[allow(
    clippy::large_enum_variant,
    reason = "a scene holds few parts; a box would add an indirection to every sample"
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
    /// An exact solid from a STEP file.
    Cad(CadPart),
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

    /// A cone along z, centred halfway up, of these radii below and above and this length [m].
    ///
    /// # Errors
    /// When the length is not positive, a radius is negative, or both are zero.
    pub fn cone(below: f64, above: f64, length: f64) -> Result<Self, ShapeError> {
        if !(length > 0.0 && length <= 10.0) {
            return Err(ShapeError::length("length_mm", length, "more than 0 up to 10000 mm"));
        }
        for (field, radius) in [("diameter_mm", below), ("top_diameter_mm", above)] {
            if !(0.0..=5.0).contains(&radius) || below + above == 0.0 {
                let allowed = "0 to 10000 mm, and more than 0 at one end";
                return Err(ShapeError::length(field, 2.0 * radius, allowed));
            }
        }
        let half = length / 2.0;
        let outline = Outline::new(&[[0.0, -half], [below, -half], [above, half], [0.0, half]]);
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
            Self::Cad(part) => part.sample(point),
            Self::Nodes(_) => Sample { distance: f64::INFINITY, normal: Vector3::z() },
        }
    }

    /// Visits the locally convex pieces of material within `reach` [m] of a point. Each piece has a number and its
    /// faces, extended beyond their edges.
    ///
    /// Free space around a convex edge is an OR: the point is outside a piece as long as it is in front of *any* of
    /// its faces. A caller that linearises the distance over a time step must choose the face that the point will be in
    /// front of; otherwise a chamfer stops a peg that only passes it. Concave edges (the floor of a bore, the root
    /// of a thread) are an AND: the point must be outside *every* piece.
    ///
    /// Take the largest face distance of each piece, then the smallest of these over the pieces. Inside the material
    /// this is the depth (negative); outside it is a lower bound of the distance.
    pub fn each_piece(&self, point: Vector3<f64>, reach: f64, mut visit: impl FnMut(u32, &Branches)) {
        let single = match self {
            Self::Sectioned(solid) => return solid.each_piece(point, reach, visit),
            Self::Bolt(bolt) => return bolt.each_piece(point, reach, visit),
            Self::Nut(nut) => return nut.each_piece(point, reach, visit),
            Self::Block(block) => block.branches(point),
            Self::Cad(part) => return part.each_piece(point, reach, visit),
            Self::HalfSpace | Self::Capsule(_) | Self::Mesh(_) | Self::Nodes(_) => {
                std::iter::once(self.sample(point)).collect()
            }
        };
        if single.iter().all(|face| face.distance <= reach) {
            visit(0, &single);
        }
    }

    /// Bounds of the material in cylindrical coordinates about the part's z axis.
    #[must_use]
    pub fn extent(&self) -> Extent {
        let of_box = |aabb: Aabb| {
            let radius = |corner: Vector3<f64>| libm::hypot(corner.x, corner.y);
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
            Self::Bolt(bolt) => Extent { heights: bolt.heights(), radii: [0.0, bolt.outer_radius()] },
            Self::Nut(nut) => {
                Extent { heights: nut.heights(), radii: [nut.thread().root_radius(), nut.outer_radius()] }
            }
            Self::HalfSpace => Extent { heights: [f64::NEG_INFINITY, 0.0], radii: [0.0, f64::INFINITY] },
            // a node list has no material: an empty range
            Self::Nodes(_) => Extent { heights: [f64::INFINITY, f64::NEG_INFINITY], radii: [0.0, 0.0] },
            Self::Block(_) | Self::Capsule(_) | Self::Mesh(_) | Self::Cad(_) => {
                let nowhere = Aabb { min: Vector3::zeros(), max: Vector3::zeros() };
                let boxed = of_box(self.aabb().unwrap_or(nowhere));
                let outer = match self {
                    Self::Mesh(mesh) => mesh.outer_radius(),
                    Self::Cad(solid) => solid.outer_radius(),
                    _ => boxed.radii[1],
                };
                Extent { radii: [0.0, outer.min(boxed.radii[1])], ..boxed }
            }
        }
    }

    /// A cylinder around the part: about its z axis, or about the middle of its box where files put the origin anywhere.
    #[must_use]
    pub fn barrel(&self) -> Barrel {
        match self {
            Self::Mesh(mesh) => mesh.barrel(),
            Self::Cad(solid) => solid.barrel(),
            _ => {
                let Extent { heights, radii: [_, radius] } = self.extent();
                Barrel { centre: [0.0; 2], radius, heights }
            }
        }
    }

    /// Height z [m] above which all material within `reach` [m] of a point follows the part's [`Symmetry`].
    #[must_use]
    pub fn symmetric_from(&self, reach: f64) -> f64 {
        match self {
            // shank and head do not have the screw symmetry
            Self::Bolt(bolt) => bolt.thread_from() + reach,
            _ => f64::NEG_INFINITY,
        }
    }

    /// Piece numbers of [`Self::each_piece`] are below this, for every part.
    pub const MOST_PIECES: u32 = 8;

    /// Largest number of pieces that [`Self::each_piece`] visits for one point.
    #[must_use]
    pub fn most_pieces(&self) -> usize {
        let of_solid = |solid: &SectionedSolid| (2 * solid.outline.concave_vertices().len()).max(1);
        match self {
            Self::Sectioned(solid) => of_solid(solid),
            // core, nearest ridge, ridge across the groove, the piece below its wall; shank and head count two each
            Self::Bolt(_) => 8,
            Self::Nut(_) => 3,
            Self::Cad(_) => Self::MOST_PIECES as usize,
            Self::HalfSpace | Self::Block(_) | Self::Capsule(_) | Self::Mesh(_) => 1,
            Self::Nodes(_) => 0,
        }
    }

    /// Signed distance and gradient for columns of points; overwrites `field` and reuses its memory.
    pub fn evaluate(&self, points: &Columns3, field: &mut FieldColumns) {
        field.clear();
        points.iter().for_each(|point| field.push(self.sample(point)));
    }

    /// Nodes at this spacing; none for a half-space, which is unbounded.
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
            Self::Cad(part) => part.nodes(spacing),
            Self::Nodes(list) => list.nodes(),
        }
    }

    /// Whether a point is deeper inside than `depth` [m].
    #[must_use]
    pub fn is_inside(&self, point: Vector3<f64>, depth: f64) -> bool {
        self.clearance(point, depth) < -depth
    }

    /// How far outside a point is at least [m]; below `-depth` only where it is deeper inside than that.
    #[must_use]
    pub fn clearance(&self, point: Vector3<f64>, depth: f64) -> f64 {
        match self {
            Self::Cad(part) => part.clearance(point, depth),
            _ => self.sample(point).distance,
        }
    }

    /// Whether this is a thread that begins at its upper end at least.
    #[must_use]
    pub fn has_thread_start(&self) -> bool {
        self.start(1).is_some()
    }

    /// The thread, if it begins at this end.
    pub(crate) fn start(&self, end: usize) -> Option<&RadialSurface> {
        match self {
            Self::Bolt(bolt) if end == 1 || bolt.is_bare() => Some(&bolt.surface),
            Self::Nut(nut) => Some(&nut.surface),
            _ => None,
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
            Self::Cad(part) => part.place(chart),
            Self::Nodes(list) => list.place(chart),
        }
    }

    /// Positions of the nodes in the part's frame [m]. The nodes may come from a part of the same kind with
    /// other dimensions. Overwrites `positions` and reuses its memory.
    pub fn place(&self, nodes: &NodeSet, positions: &mut Columns3) {
        positions.clear();
        (0..nodes.len()).for_each(|index| positions.push(self.place_one(nodes.chart(index))));
    }

    /// Distance from the nodes outwards to the surface [m]; subtract it from the nodes' gaps. Not zero for a mesh
    /// with a clearance, whose nodes stay on the triangles, and for a ball or capsule, whose nodes lie on its axis.
    #[must_use]
    pub fn node_offset(&self) -> f64 {
        match self {
            Self::Mesh(mesh) => mesh.offset(),
            Self::Capsule(capsule) => capsule.radius(),
            _ => 0.0,
        }
    }

    /// Whether the nodes lie inside the material, one [`Self::node_offset`] below the surface in all directions.
    #[must_use]
    pub fn has_core_nodes(&self) -> bool {
        matches!(self, Self::Capsule(_))
    }

    /// Whether a query at a ball's centre finds all contacts of the ball with this part. That needs pieces that cover
    /// all material, and no face that points towards the axis: a seat touches a ball along a whole circle, and one
    /// query returns one point of it.
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

    /// Whether the part is a ball.
    #[must_use]
    pub fn is_ball(&self) -> bool {
        matches!(self, Self::Capsule(capsule) if capsule.half_length() == 0.0)
    }

    /// Mass properties at `density` [kg/m³]; a node list has fixed ones, whatever the density.
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
            Self::Cad(part) => part.inertia(density),
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
            Self::Cad(part) => part.mesh(options),
            Self::HalfSpace | Self::Nodes(_) => Err(ShapeError::Unbounded { what: "mesh" }),
        }
    }

    /// Motions that map the part to itself.
    #[must_use]
    pub fn symmetry(&self) -> Symmetry {
        let screw = |rise: f64| Symmetry::Screw { pitch: rise * std::f64::consts::TAU };
        match self {
            Self::Sectioned(solid) if solid.section == Section::Round => Symmetry::Revolved,
            Self::Bolt(bolt) => screw(bolt.thread().rise()),
            Self::Nut(nut) => screw(nut.thread().rise()),
            Self::HalfSpace | Self::Capsule(_) => Symmetry::Revolved,
            Self::Sectioned(_) | Self::Block(_) | Self::Mesh(_) | Self::Cad(_) | Self::Nodes(_) => {
                Symmetry::None
            }
        }
    }

    /// Root radius of a thread [m], and the heights between which no end plane or cone cuts the thread [m]; `None` for
    /// other parts.
    #[must_use]
    pub fn endless_thread(&self) -> Option<(f64, [f64; 2])> {
        match self {
            Self::Bolt(bolt) => Some((bolt.thread().root_radius(), bolt.surface.endless())),
            Self::Nut(nut) => Some((nut.thread().root_radius(), nut.surface.endless())),
            _ => None,
        }
    }

    /// The cylindrical wall of a peg or hole; see [`SectionedSolid::wall`].
    #[must_use]
    pub fn wall(&self) -> Option<Wall> {
        if let Self::Sectioned(solid) = self { solid.wall() } else { None }
    }

    /// Advance per radian [m/rad] of the symmetry that two coaxial parts share: zero for turned parts, `None` if they
    /// share none.
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

    /// Convex circular edges about z; only turned parts have them.
    pub fn rims(&self) -> impl Iterator<Item = Rim> + '_ {
        let solid = if let Self::Sectioned(solid) = self { Some(solid) } else { None };
        solid.into_iter().flat_map(SectionedSolid::rims)
    }

    /// Bounding box in the part's frame; `None` for a half-space.
    #[must_use]
    pub fn aabb(&self) -> Option<Aabb> {
        let around = |radius: f64, [low, high]: [f64; 2]| Aabb {
            min: Vector3::new(-radius, -radius, low),
            max: Vector3::new(radius, radius, high),
        };
        Some(match self {
            Self::Sectioned(solid) => {
                let (low, high) = solid.height_range();
                around(solid.outer_radius(), [low, high])
            }
            Self::Bolt(bolt) => around(bolt.outer_radius(), bolt.heights()),
            Self::Nut(nut) => around(nut.outer_radius(), nut.heights()),
            Self::HalfSpace => return None,
            Self::Block(block) => Aabb { min: -block.half_size(), max: block.half_size() },
            Self::Capsule(ball) => {
                let height = ball.half_length() + ball.radius();
                around(ball.radius(), [-height, height])
            }
            Self::Mesh(mesh) => mesh.aabb(),
            Self::Cad(part) => part.aabb(),
            Self::Nodes(list) => Aabb::of(list.points().iter().copied()),
        })
    }
}
