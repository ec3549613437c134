//! Takes the place of `parquet_file` without the feature `parquet`: every call is refused.

use std::path::Path;

use super::{Column, LogError};

type Contents = (Vec<(String, String)>, Vec<Column>);

fn refused(path: &Path) -> LogError {
    LogError::NoParquet { path: path.to_path_buf() }
}

pub(super) fn write(path: &Path, _: &[(String, String)], _: &[Column]) -> Result<(), LogError> {
    Err(refused(path))
}

pub(super) fn read(path: &Path) -> Result<Contents, LogError> {
    Err(refused(path))
}

pub(super) fn read_any(path: &Path) -> Result<Contents, LogError> {
    Err(refused(path))
}
