//! Mesh files named by a scene.

use std::path::Path;
use std::sync::Arc;

use tightfit_shape::cad::is_step;
use tightfit_shape::doctor::{ShellFault, check_shells};
use tightfit_shape::mesh::baked::BakedField;
use tightfit_shape::mesh::{LengthUnit, MeshPart, load};
use tightfit_shape::{Part, ShapeError};

use super::shape_description::{MeshFaces, MeshUnit};

/// The part of a mesh file, its surface moved outwards by `offset` [m]; its unit that of the format, or else guessed, where
/// none is given.
pub(super) fn load_part(
    path: &Path,
    unit: Option<MeshUnit>,
    offset: f64,
    baked: Option<&Path>,
    faces: MeshFaces,
) -> Result<Part, ShapeError> {
    if is_step(path) {
        if unit.is_some() || offset != 0.0 || baked.is_some() {
            let reason =
                "a STEP file states its unit and has no offset or baked field; use `kind = \"step\"`";
            return Err(ShapeError::Mesh(format!("{}: {reason}", path.display())));
        }
        return Part::from_step(path, None);
    }
    let loaded = load(path).map_err(|error| ShapeError::Mesh(error.to_string()))?;
    let unit = match unit {
        Some(MeshUnit::M) => LengthUnit::Metre,
        Some(MeshUnit::Cm) => LengthUnit::Centimetre,
        Some(MeshUnit::Mm) => LengthUnit::Millimetre,
        Some(MeshUnit::Inch) => LengthUnit::Inch,
        None => loaded.raw_unit.unit,
    };
    let unsound = |error: &dyn std::error::Error| {
        let file = path.display();
        ShapeError::Mesh(format!(
            "{file}: {error}; `tightfit part {file} --repair OUT.stl` examines and repairs it"
        ))
    };
    let part = MeshPart::new(loaded.in_metres(unit)).map_err(|error| unsound(&error))?;
    check_shells(part.mesh()).map_err(|fault| match fault {
        ShellFault::InsideOut { .. } => unsound(&fault),
        // no repair unites bodies
        ShellFault::Crossing { .. } => {
            let file = path.display();
            ShapeError::Mesh(format!("{file}: {fault}; `tightfit part {file}` shows where"))
        }
    })?;
    if faces != MeshFaces::AsIs
        && offset == 0.0
        && baked.is_none()
        && let Ok((round, _)) = Part::recognised(part.mesh())
    {
        return Ok(round);
    }
    let part = match baked {
        Some(baked) => with_baked(part, baked)?,
        None => part,
    };
    if offset < 0.0 {
        let deepest = part.deepest_inside();
        if -offset >= deepest {
            let allowed =
                format!("more than {:.3} mm, by which nothing is left of {}", -1e3 * deepest, path.display());
            return Err(ShapeError::length("offset_mm", offset, allowed));
        }
    }
    Ok(Part::Mesh(part.with_offset(offset)))
}

/// The part with a field read from a file, if that field was baked from the same mesh.
fn with_baked(part: MeshPart, path: &Path) -> Result<MeshPart, ShapeError> {
    let name = path.display();
    let field = BakedField::load(path).map_err(|error| ShapeError::Mesh(format!("{name}: {error}")))?;
    if field.exact().mesh() != part.mesh() {
        let remedy = "it was baked from another mesh or in another unit; bake it again with `tightfit part FILE --bake`";
        return Err(ShapeError::Mesh(format!("{name}: {remedy}")));
    }
    Ok(part.with_baked(Arc::new(field)))
}

#[cfg(test)]
mod tests {
    use tightfit_shape::mesh::{MeshOptions, save};
    use tightfit_shape::preset::preset;

    use super::*;

    #[test]
    fn a_mesh_becomes_the_solid_that_it_was_made_from_unless_told() {
        let folder = std::env::temp_dir().join(format!("tightfit-faces-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder");
        for (name, turned) in [("peg-50", true), ("square-peg-20", false)] {
            let path = folder.join(format!("{name}.stl"));
            let mesh = preset(name).expect(name).mesh(&MeshOptions::default()).expect("a mesh");
            save(&mesh, &path, LengthUnit::Millimetre).expect("a file");
            let part = |faces| load_part(&path, Some(MeshUnit::Mm), 0.0, None, faces).expect("a part");
            assert_eq!(matches!(part(MeshFaces::Recognised), Part::Sectioned(_)), turned, "{name}");
            assert_eq!(matches!(part(MeshFaces::Recognised), Part::Cad(_)), !turned, "{name}");
            assert!(matches!(part(MeshFaces::AsIs), Part::Mesh(_)), "{name}");
        }
        std::fs::remove_dir_all(&folder).expect("the folder goes");
    }
}
