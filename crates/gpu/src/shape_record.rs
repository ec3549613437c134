//! A part with the dimensions of one environment, as the kernels read it.

use bytemuck::Zeroable;
use tightfit_shape::Part;
use tightfit_shape::profile::{Section, SectionedSolid};
use tightfit_shape::thread::ThreadProfile;

use crate::records::{BOLT, NUT, ROUND, Shape};

/// The record of a part; the name of what is not supported otherwise.
pub(crate) fn shape_record(part: &Part) -> Result<Shape, String> {
    let mut shape = Shape::zeroed();
    let extent = part.extent();
    (shape.heights, shape.radii) = (extent.heights, extent.radii);
    match part {
        Part::Sectioned(solid) => round(solid, &mut shape)?,
        Part::Bolt(bolt) => {
            if bolt.heights()[0] < 0.0 {
                return Err("a bolt with shank or head".into());
            }
            if bolt.thread().lift() != 0.0 || bolt.heights()[0] != 0.0 {
                return Err("a bolt recognised in a file".into());
            }
            shape.kind = BOLT;
            thread(bolt.thread(), [0.0, bolt.length()], [None, bolt.tip_radius()], &mut shape);
        }
        Part::Nut(nut) => {
            if nut.thread().lift() != 0.0 || nut.heights()[0] != -nut.heights()[1] {
                return Err("a nut recognised in a file".into());
            }
            shape.kind = NUT;
            let (half, cone) = (nut.height() / 2.0, nut.countersink_radius());
            thread(nut.thread(), [-half, half], [cone, cone], &mut shape);
        }
        Part::HalfSpace => return Err("a half-space".into()),
        Part::Block(_) => return Err("a block".into()),
        Part::Capsule(_) => return Err("a ball or capsule".into()),
        Part::Mesh(_) => return Err("a mesh".into()),
        Part::Cad(_) => return Err("a STEP solid".into()),
        Part::Nodes(_) => return Err("a list of nodes".into()),
    }
    if let Some((_, endless)) = part.endless_thread() {
        shape.endless = endless;
    }
    Ok(shape)
}

fn round(solid: &SectionedSolid, shape: &mut Shape) -> Result<(), String> {
    if solid.section != Section::Round {
        return Err("a prism".into());
    }
    let outline = &solid.outline;
    let (vertices, concave) = (outline.vertices(), outline.concave_vertices());
    shape.kind = ROUND;
    shape.vertices = vertices.len() as i32;
    for (index, vertex) in vertices.iter().enumerate() {
        (shape.vertex[index], shape.normal[index]) = (*vertex, outline.edge_normal(index));
        shape.convex |= u32::from(outline.is_convex(index)) << index;
    }
    outline.edges().for_each(|(index, _)| shape.faces |= 1 << index);
    let pieces = (2 * concave.len()).max(1);
    if concave.len() > 1 {
        return Err("an outline with more than one concave corner".into());
    }
    shape.pieces = pieces as i32;
    shape.omitted = [-1; 4];
    for (piece, omitted) in shape.omitted.iter_mut().enumerate().take(2 * concave.len()) {
        *omitted = ((concave[piece / 2] + vertices.len() - piece % 2) % vertices.len()) as i32;
    }
    if let Some(wall) = solid.wall() {
        (shape.has_wall, shape.is_bore) = (1, i32::from(wall.is_bore));
        (shape.wall_radius, shape.wall_heights) = (wall.radius, wall.heights);
    }
    Ok(())
}

fn thread(profile: &ThreadProfile, ends: [f64; 2], cones: [Option<f64>; 2], shape: &mut Shape) {
    shape.pitch = profile.pitch();
    shape.per_pitch = 1.0 / profile.pitch();
    shape.rise = profile.rise();
    shape.pitch_radius = profile.pitch_radius();
    shape.half_width = profile.half_width_at(profile.pitch_radius());
    (shape.crest, shape.root) = (profile.crest_radius(), profile.root_radius());
    shape.ends = ends;
    shape.cone = cones.map(|cone| i32::from(cone.is_some()));
    shape.cone_radius = cones.map(Option::unwrap_or_default);
}
