//! The shape of a part in a scene file, as written: millimetres and degrees, the unit in every key.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The shape of a part: by name, by dimensions, or from a file.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum ShapeDescription {
    /// A part by name; `tightfit part --list` shows the names.
    Preset {
        /// Name, `m48x5-nut`.
        name: String,
    },
    /// A mesh file: STL, OBJ, PLY or glTF.
    Mesh {
        /// Path, relative to the scene file.
        file: String,
        /// Unit of the file's coordinates; when left out, metres for glTF, else guessed from the size.
        unit: Option<MeshUnit>,
        /// Offset of the surface [mm]: positive grows the part, negative gives it clearance.
        #[serde(default)]
        #[schemars(range(min = -100.0, max = 100.0))]
        offset_mm: f64,
        /// Baked field of the same mesh, written by `tightfit part FILE --bake`: faster, with the error that it
        /// states. The exact distance is used when left out.
        baked: Option<String>,
        /// Which round surfaces are taken for the triangles. With an offset or a baked field the triangles stay.
        #[serde(default)]
        faces: MeshFaces,
    },
    /// A STEP file (AP203, AP214 or AP242): an exact solid with its faces, edges and corners.
    Step {
        /// Path, relative to the scene file.
        file: String,
        /// Name of the body; may be left out where the file has one body. `tightfit part FILE` lists the names.
        body: Option<String>,
    },
    /// A peg, round unless `sides` is given. Frame at the centre of its tip, +z towards its tail.
    Peg {
        /// Diameter, or width across flats [mm].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        diameter_mm: f64,
        /// Length [mm].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        length_mm: f64,
        /// Leg of the 45° chamfer at the tip [mm].
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 10000.0))]
        tip_chamfer_mm: f64,
        /// Leg of the 45° chamfer at the tail [mm].
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 10000.0))]
        tail_chamfer_mm: f64,
        /// Number of flats of a polygonal peg.
        #[schemars(range(min = 3, max = 64))]
        sides: Option<u32>,
        /// Corner radius of a polygonal peg [mm].
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 10000.0))]
        corner_radius_mm: f64,
    },
    /// A hole in a block. Frame at the centre of its mouth, +z out of the hole.
    Hole {
        /// Diameter, or width across flats [mm].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        diameter_mm: f64,
        /// Depth of the bore [mm].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        depth_mm: f64,
        /// Outer diameter of the block, or width across flats [mm].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        outer_diameter_mm: f64,
        /// Thickness of the floor of a blind hole [mm]; a through hole when left out.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        floor_mm: Option<f64>,
        /// Leg of the 45° chamfer at the mouth [mm].
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 10000.0))]
        chamfer_mm: f64,
        /// Number of flats of a polygonal hole.
        #[schemars(range(min = 3, max = 64))]
        sides: Option<u32>,
        /// Corner radius of a polygonal hole [mm].
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 10000.0))]
        corner_radius_mm: f64,
    },
    /// External ISO thread from z = 0 up to its tip at z = length; shank and head below.
    Bolt {
        /// Nominal diameter [mm].
        #[schemars(range(min = 0.1, max = 1000.0))]
        diameter_mm: f64,
        /// Pitch [mm]; the standard's coarse pitch when left out.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 100.0))]
        pitch_mm: Option<f64>,
        /// Length of the thread [mm].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        length_mm: f64,
        /// How far the whole profile is moved inwards [mm].
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 100.0))]
        radial_clearance_mm: f64,
        /// How much the ridge is thinned along the axis [mm].
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 100.0))]
        axial_clearance_mm: f64,
        /// Diameter of the 45° cone in the end plane [mm]; blunt when left out.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        start_diameter_mm: Option<f64>,
        /// Length of the plain shank below the thread [mm].
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 10000.0))]
        shank_length_mm: f64,
        /// Height of the hexagon head [mm]; no head when left out.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        head_height_mm: Option<f64>,
        /// Width across flats of the head [mm]; the standard's when left out.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        across_flats_mm: Option<f64>,
        /// Whether the thread is left-handed.
        #[serde(default)]
        left_hand: bool,
    },
    /// Hexagon nut with an internal ISO thread, centred at its frame.
    Nut {
        /// Nominal diameter [mm].
        #[schemars(range(min = 0.1, max = 1000.0))]
        diameter_mm: f64,
        /// Pitch [mm]; the standard's coarse pitch when left out.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 100.0))]
        pitch_mm: Option<f64>,
        /// Height [mm]; 0.8 of the diameter when left out.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        height_mm: Option<f64>,
        /// Width across flats [mm]; the standard's when left out.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        across_flats_mm: Option<f64>,
        /// How far the whole profile is moved outwards [mm].
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 100.0))]
        radial_clearance_mm: f64,
        /// How much the groove is widened along the axis [mm].
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 100.0))]
        axial_clearance_mm: f64,
        /// Diameter of the countersinks in the end planes [mm]; blunt when left out.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        start_diameter_mm: Option<f64>,
        /// Whether the thread is left-handed.
        #[serde(default)]
        left_hand: bool,
    },
    /// Everything below z = 0 of its frame.
    HalfSpace {},
    /// A rectangular block, centred at its frame.
    Block {
        /// Edge lengths [mm].
        #[schemars(inner(range(max = 10000.0)))]
        size_mm: [f64; 3],
    },
    /// A ball, centred at its frame.
    Sphere {
        /// Diameter [mm].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        diameter_mm: f64,
    },
    /// A cylinder along z, centred at its frame.
    Cylinder {
        /// Diameter [mm].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        diameter_mm: f64,
        /// Length [mm].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        length_mm: f64,
    },
    /// A cone or a frustum along z, centred halfway up.
    Cone {
        /// Diameter at the lower end [mm].
        #[schemars(range(min = 0.0, max = 10000.0))]
        diameter_mm: f64,
        /// Diameter at the upper end [mm]; 0 for a tip.
        #[serde(default)]
        #[schemars(range(min = 0.0, max = 10000.0))]
        top_diameter_mm: f64,
        /// Length [mm].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        length_mm: f64,
    },
    /// A capsule along z, centred at its frame.
    Capsule {
        /// Diameter [mm].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
        diameter_mm: f64,
        /// Length of the cylindrical part [mm].
        #[schemars(range(min = 0.0, max = 10000.0))]
        length_mm: f64,
    },
    /// Bare nodes with given inertia, for validation.
    Nodes {
        /// Positions [mm].
        points_mm: Vec<[f64; 3]>,
        /// Mass [kg].
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e6))]
        mass_kg: f64,
        /// Principal moments about the frame's origin, which is the centre of mass [kg m²].
        inertia_kg_m2: [f64; 3],
    },
}

/// What the triangles of a mesh stand for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MeshFaces {
    /// Cylinders, cones and planes through their corners, to 2 µm, where there are such; else the triangles.
    #[default]
    Recognised,
    /// The triangles themselves.
    AsIs,
}

/// Unit of a mesh file.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MeshUnit {
    /// Metres.
    M,
    /// Centimetres.
    Cm,
    /// Millimetres.
    Mm,
    /// Inches.
    Inch,
}
