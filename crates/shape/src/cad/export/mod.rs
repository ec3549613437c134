//! Parts as STEP files: turned ones, prisms, bolts and nuts.

mod prism;
mod revolution;
mod spline;
mod thread;
mod writer;

use self::writer::Writer;
use crate::profile::Section;
use crate::{Part, ShapeError};

/// The text of a STEP file with this part. Flanks of threads are splines within 0.01 nm up to M48; all else is exact.
///
/// # Errors
/// For parts of other kinds.
pub fn step_text(part: &Part, name: &str) -> Result<String, ShapeError> {
    let mut writer = Writer::default();
    let faces = match part {
        Part::Sectioned(solid) if solid.section == Section::Round => {
            Some(revolution::faces(&mut writer, &solid.outline))
        }
        Part::Sectioned(solid) => prism::faces(&mut writer, solid),
        Part::Bolt(bolt) => thread::bolt_faces(&mut writer, bolt),
        Part::Nut(nut) => thread::nut_faces(&mut writer, nut),
        _ => None,
    };
    let faces = faces.ok_or_else(|| {
        ShapeError::Mesh(format!(
            "`{name}` is no turned solid, prism, threaded rod or nut; only these are written as STEP, export .stl, .obj or \
             .ply instead"
        ))
    })?;
    Ok(writer.product(&faces, name))
}
