//! The published trajectory of the moving part.

use std::path::Path;

use nalgebra::Rotation3;
use tightfit_spatial::{Matrix3, UnitQuaternion, Vector3};

use super::table::Table;
use crate::LearningError;

/// Tolerance of a published rotation matrix [-].
const ROTATION_TOLERANCE: f64 = 1e-6;

/// A set-point of the object.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SetPoint {
    /// Position in world axes [m]: of the peg's tip, or of the nut's centre of mass.
    pub position: Vector3<f64>,
    /// Attitude of the object.
    pub rotation: UnitQuaternion<f64>,
    /// Attitude of the gripper, if the task has one.
    pub gripper: Option<UnitQuaternion<f64>>,
}

pub(super) fn read(des: &Path) -> Result<Vec<SetPoint>, LearningError> {
    let positions = Table::sized(des, "pd.txt", None, 3)?;
    let rotations = rotations(des, "Rd.txt", positions.rows)?;
    let gripper = match des.join("Rd_gripper.txt").exists() {
        true => Some(self::rotations(des, "Rd_gripper.txt", positions.rows)?),
        false => None,
    };
    let set_point = |(index, row): (usize, &[f64])| SetPoint {
        position: Vector3::from_column_slice(row),
        rotation: rotations[index],
        gripper: gripper.as_ref().map(|gripper| gripper[index]),
    };
    Ok(positions.rows().enumerate().map(set_point).collect())
}

/// Stacked matrices of three rows each. Quaternion signs are chosen for continuity.
fn rotations(des: &Path, name: &str, count: usize) -> Result<Vec<UnitQuaternion<f64>>, LearningError> {
    let table = Table::sized(des, name, Some(3 * count), 3)?;
    let mut all: Vec<UnitQuaternion<f64>> = Vec::with_capacity(count);
    for (index, numbers) in table.numbers.chunks_exact(9).enumerate() {
        let matrix = Matrix3::from_row_slice(numbers);
        let off = (matrix * matrix.transpose() - Matrix3::identity()).amax();
        if off > ROTATION_TOLERANCE || matrix.determinant() < 0.0 {
            return Err(LearningError::File {
                path: des.join(name).display().to_string(),
                problem: format!(
                    "rows {} to {} are not a rotation: the error is {off:.1e}",
                    3 * index + 1,
                    3 * index + 3
                ),
                remedy: "give an unchanged copy of the folder",
            });
        }
        let own = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(matrix));
        let is_opposite = all.last().is_some_and(|last| last.coords.dot(&own.coords) < 0.0);
        all.push(if is_opposite { UnitQuaternion::new_unchecked(-own.into_inner()) } else { own });
    }
    Ok(all)
}
