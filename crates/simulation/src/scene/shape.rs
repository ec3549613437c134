//! From the shape of a scene file to the part, and the distances of its nodes.

use std::path::Path;

use tightfit_shape::fit::{FitSection, HoleDimensions, PegDimensions};
use tightfit_shape::node::{FewestNodes, NodeSpacing};
use tightfit_shape::preset::preset;
use tightfit_shape::primitive::{Block, Capsule, NodeList};
use tightfit_shape::thread::{
    Bolt, Hand, HexHead, Nut, ThreadAllowance, ThreadStart, coarse_pitch, width_across_flats,
};
use tightfit_shape::{Part, ShapeError};
use tightfit_spatial::{Inertia, Matrix3, Vector3};

use super::description::NodeDescription;
use super::shape_description::ShapeDescription;

/// Distances of a part's nodes: those of its size and of its features where a file does not say. What it says is kept to on
/// small features too.
pub(super) fn spacing_of(description: &NodeDescription, part: &Part) -> Result<NodeSpacing, ShapeError> {
    let usual = part.aabb().map_or_else(NodeSpacing::default, |aabb| NodeSpacing::for_size(aabb.diagonal()));
    let or = |given: Option<f64>, usual: f64| given.map_or(usual, |mm| mm * 1e-3);
    // a thread keeps its proportions when only the spacing on other parts is told
    let times = |given: Option<f64>, factor: f64| given.map(|mm| (factor * mm).min(1000.0));
    let helix = description.helix_spacing_mm.or(times(description.face_spacing_mm, 4.0));
    let helix_edge = description.helix_edge_spacing_mm.or(times(description.edge_spacing_mm, 2.0));
    let unless = |given: Option<f64>, fewest: u32| given.map_or(fewest, |_| 0);
    let mut fewest_on_faces = match description.face_spacing_mm {
        Some(_) => FewestNodes::NONE,
        None => usual.fewest_on_faces,
    };
    fewest_on_faces.turn = unless(helix, fewest_on_faces.turn);
    let mut fewest_on_edges = match description.edge_spacing_mm {
        Some(_) => FewestNodes { start: usual.fewest_on_edges.start, ..FewestNodes::NONE },
        None => usual.fewest_on_edges,
    };
    fewest_on_edges.turn = unless(helix_edge, fewest_on_edges.turn);
    fewest_on_edges.start = unless(description.start_spacing_mm, fewest_on_edges.start);
    NodeSpacing {
        face: or(description.face_spacing_mm, usual.face),
        helix: or(helix, usual.helix),
        helix_edge: or(helix_edge, usual.helix_edge),
        edge: or(description.edge_spacing_mm, usual.edge),
        start: or(description.start_spacing_mm, usual.start),
        fewest_on_faces,
        fewest_on_edges,
    }
    .checked()
}

/// The part of a description.
pub(super) fn shape_of(description: &ShapeDescription, folder: &Path) -> Result<Part, ShapeError> {
    let section = |sides: Option<u32>, corner_radius_mm: f64| match sides {
        Some(sides) => FitSection::Polygon { sides, corner_radius: corner_radius_mm * 1e-3 },
        None => FitSection::Round,
    };
    let start = |diameter_mm: Option<f64>| match diameter_mm {
        Some(diameter) => ThreadStart::Chamfered { end_radius: diameter * 0.5e-3 },
        None => ThreadStart::Blunt,
    };
    let hand = |left: bool| if left { Hand::Left } else { Hand::Right };
    match *description {
        ShapeDescription::Preset { ref name } => preset(name),
        ShapeDescription::Step { ref file, ref body } => Part::from_step(&folder.join(file), body.as_deref()),
        ShapeDescription::Mesh { ref file, unit, offset_mm, ref baked, faces } => {
            let baked = baked.as_ref().map(|baked| folder.join(baked));
            super::mesh_file::load_part(&folder.join(file), unit, offset_mm * 1e-3, baked.as_deref(), faces)
        }
        ShapeDescription::Peg {
            diameter_mm,
            length_mm,
            tip_chamfer_mm,
            tail_chamfer_mm,
            sides,
            corner_radius_mm,
        } => {
            let dimensions = PegDimensions {
                section: section(sides, corner_radius_mm),
                diameter: diameter_mm * 1e-3,
                length: length_mm * 1e-3,
                tip_chamfer: tip_chamfer_mm * 1e-3,
                tail_chamfer: tail_chamfer_mm * 1e-3,
            };
            dimensions.build().map(Part::Sectioned)
        }
        ShapeDescription::Hole {
            diameter_mm,
            depth_mm,
            outer_diameter_mm,
            floor_mm,
            chamfer_mm,
            sides,
            corner_radius_mm,
        } => {
            let dimensions = HoleDimensions {
                section: section(sides, corner_radius_mm),
                diameter: diameter_mm * 1e-3,
                depth: depth_mm * 1e-3,
                floor: floor_mm.map(|mm| mm * 1e-3),
                chamfer: chamfer_mm * 1e-3,
                outer_diameter: outer_diameter_mm * 1e-3,
            };
            dimensions.build().map(Part::Sectioned)
        }
        ShapeDescription::Bolt {
            diameter_mm,
            pitch_mm,
            length_mm,
            radial_clearance_mm,
            axial_clearance_mm,
            start_diameter_mm,
            shank_length_mm,
            head_height_mm,
            across_flats_mm,
            left_hand,
        } => {
            let allowance =
                ThreadAllowance { radial: radial_clearance_mm * 1e-3, axial: axial_clearance_mm * 1e-3 };
            let pitch = pitch_or_coarse(pitch_mm, diameter_mm)?;
            let head = head_height_mm.map(|height| HexHead {
                across_flats: across_flats_mm.unwrap_or_else(|| width_across_flats(diameter_mm)) * 1e-3,
                height: height * 1e-3,
            });
            let bolt = Bolt::new(diameter_mm * 1e-3, pitch, length_mm * 1e-3, allowance, hand(left_hand))?
                .with_start(start(start_diameter_mm))?
                .with_body(shank_length_mm * 1e-3, head)?;
            Ok(Part::Bolt(bolt))
        }
        ShapeDescription::Nut {
            diameter_mm,
            pitch_mm,
            height_mm,
            across_flats_mm,
            radial_clearance_mm,
            axial_clearance_mm,
            start_diameter_mm,
            left_hand,
        } => {
            let allowance =
                ThreadAllowance { radial: radial_clearance_mm * 1e-3, axial: axial_clearance_mm * 1e-3 };
            let pitch = pitch_or_coarse(pitch_mm, diameter_mm)?;
            let height = height_mm.unwrap_or(0.8 * diameter_mm) * 1e-3;
            let flats = across_flats_mm.unwrap_or_else(|| width_across_flats(diameter_mm)) * 1e-3;
            Nut::new(diameter_mm * 1e-3, pitch, height, flats, allowance, hand(left_hand))?
                .with_start(start(start_diameter_mm))
                .map(Part::Nut)
        }
        ShapeDescription::HalfSpace {} => Ok(Part::HalfSpace),
        ShapeDescription::Block { size_mm } => Block::new(Vector3::from(size_mm) * 1e-3).map(Part::Block),
        ShapeDescription::Sphere { diameter_mm } => {
            Capsule::new(diameter_mm * 0.5e-3, 0.0).map(Part::Capsule)
        }
        ShapeDescription::Cylinder { diameter_mm, length_mm } => {
            Part::cylinder(diameter_mm * 0.5e-3, length_mm * 1e-3)
        }
        ShapeDescription::Cone { diameter_mm, top_diameter_mm, length_mm } => {
            Part::cone(diameter_mm * 0.5e-3, top_diameter_mm * 0.5e-3, length_mm * 1e-3)
        }
        ShapeDescription::Capsule { diameter_mm, length_mm } => {
            Capsule::new(diameter_mm * 0.5e-3, length_mm * 1e-3).map(Part::Capsule)
        }
        ShapeDescription::Nodes { ref points_mm, mass_kg, inertia_kg_m2 } => {
            if points_mm.is_empty() {
                return Err(ShapeError::Dimension {
                    field: "points_mm",
                    value: "[]".into(),
                    allowed: "at least one point".into(),
                });
            }
            let points = points_mm.iter().map(|point| Vector3::from(*point) * 1e-3).collect();
            let moment = Matrix3::from_diagonal(&Vector3::from(inertia_kg_m2));
            let inertia = Inertia::new(mass_kg, Vector3::zeros(), moment)?;
            Ok(Part::Nodes(NodeList::new(points, inertia)))
        }
    }
}

fn pitch_or_coarse(pitch_mm: Option<f64>, diameter_mm: f64) -> Result<f64, ShapeError> {
    let pitch = pitch_mm.or_else(|| coarse_pitch(diameter_mm));
    pitch.map(|mm| mm * 1e-3).ok_or_else(|| ShapeError::Dimension {
        field: "pitch_mm",
        value: "missing".into(),
        allowed: format!("M{diameter_mm} is no standard size: give the pitch"),
    })
}
