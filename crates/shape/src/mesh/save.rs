//! Writes mesh files: binary STL, OBJ and binary PLY.
//!
//! OBJ and PLY keep every digit; STL stores single precision, a relative error of 6e-8 per coordinate.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::{LengthUnit, MeshError, MeshFormat, TriMesh};

/// Writes a mesh in metres to a file in `unit`; the extension selects the format.
///
/// # Errors
/// When the extension is not `stl`, `obj` or `ply`, or the file cannot be written.
pub fn save(mesh: &TriMesh, path: &Path, unit: LengthUnit) -> Result<(), MeshError> {
    let name = || path.display().to_string();
    let write: fn(&TriMesh, f64, &mut dyn Write) -> io::Result<()> = match MeshFormat::from_extension(path) {
        Some(MeshFormat::Stl) => write_stl,
        Some(MeshFormat::Obj) => write_obj,
        Some(MeshFormat::Ply) => write_ply,
        _ => return Err(MeshError::UnknownFormat { file: name(), known: "stl, obj, ply" }),
    };
    let written = File::create(path).and_then(|file| {
        let mut file = BufWriter::new(file);
        write(mesh, unit.factor().recip(), &mut file)?;
        file.flush()
    });
    written.map_err(|error| MeshError::Write { file: name(), reason: error.to_string() })
}

pub(super) fn write_stl(mesh: &TriMesh, scale: f64, file: &mut dyn Write) -> io::Result<()> {
    let mut header = [b' '; 80];
    // not "solid", so that no reader mistakes the file for text
    header[..8].copy_from_slice(b"tightfit");
    file.write_all(&header)?;
    file.write_all(&(mesh.triangles.len() as u32).to_le_bytes())?;
    for index in 0..mesh.triangles.len() {
        let normal = mesh.area_vector(index).try_normalize(f64::MIN_POSITIVE).unwrap_or_default();
        let corners = mesh.corners(index).map(|corner| corner * scale);
        for value in [normal].iter().chain(&corners).flat_map(|vector| vector.iter()) {
            file.write_all(&(*value as f32).to_le_bytes())?;
        }
        file.write_all(&[0, 0])?;
    }
    Ok(())
}

pub(super) fn write_obj(mesh: &TriMesh, scale: f64, file: &mut dyn Write) -> io::Result<()> {
    for vertex in &mesh.vertices {
        // the shortest text that reads back to the same number
        let [x, y, z] = (vertex * scale).into();
        writeln!(file, "v {x} {y} {z}")?;
    }
    mesh.triangles.iter().try_for_each(|[a, b, c]| writeln!(file, "f {} {} {}", a + 1, b + 1, c + 1))
}

pub(super) fn write_ply(mesh: &TriMesh, scale: f64, file: &mut dyn Write) -> io::Result<()> {
    writeln!(file, "ply\nformat binary_little_endian 1.0\nelement vertex {}", mesh.vertices.len())?;
    writeln!(file, "property double x\nproperty double y\nproperty double z")?;
    writeln!(file, "element face {}", mesh.triangles.len())?;
    writeln!(file, "property list uchar uint vertex_indices\nend_header")?;
    for value in mesh.vertices.iter().flat_map(|vertex| vertex.iter()) {
        file.write_all(&(value * scale).to_le_bytes())?;
    }
    for triangle in &mesh.triangles {
        file.write_all(&[3])?;
        triangle.iter().try_for_each(|vertex| file.write_all(&vertex.to_le_bytes()))?;
    }
    Ok(())
}
