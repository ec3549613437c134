use super::description::MeshUnit;
use std::path::Path;
use tightfit_shape::{Part, ShapeError};
pub(super) fn load(_path: &Path, _unit: Option<MeshUnit>, _offset: f64) -> Result<Part, ShapeError> {
    Err(ShapeError::Unbounded { what: "mesh" })
}
