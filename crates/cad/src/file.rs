//! A STEP file and its bodies.

use std::path::Path;

use crate::part21::Table;
use crate::reader::{Placed, bodies, read_body};
use crate::{CadError, Solid};

/// A STEP file.
#[derive(Debug)]
pub struct File {
    text: String,
    bodies: Vec<Placed>,
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    /// When it cannot be read, is no STEP file or holds no solid body.
    pub fn open(path: &Path) -> Result<Self, CadError> {
        let wrong = |reason: String| CadError::File { file: path.display().to_string(), reason };
        let bytes = std::fs::read(path).map_err(|error| wrong(error.to_string()))?;
        Self::parse(&bytes)
    }

    /// Reads the contents of a file.
    ///
    /// # Errors
    /// When they are no STEP file or hold no solid body.
    pub fn parse(bytes: &[u8]) -> Result<Self, CadError> {
        // old files use Latin-1 in names; geometry is ASCII
        let text = String::from_utf8_lossy(bytes).into_owned();
        let bodies = bodies(&Table::parse(&text)?)?;
        Ok(Self { text, bodies })
    }

    /// Names of the bodies.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.bodies.iter().map(|body| body.name.clone()).collect()
    }

    /// The body of this name, or the only one.
    ///
    /// # Errors
    /// When the name is unknown, when several bodies are there and none is chosen, or when the body cannot be used.
    pub fn solid(&self, name: Option<&str>) -> Result<Solid, CadError> {
        let chosen = match name {
            Some(name) => self
                .bodies
                .iter()
                .find(|body| body.name == name)
                .ok_or_else(|| CadError::UnknownBody { name: name.to_owned(), names: self.names() })?,
            None => match &self.bodies[..] {
                [only] => only,
                _ => return Err(CadError::SeveralBodies { names: self.names() }),
            },
        };
        let table = Table::parse(&self.text)?;
        Solid::new(read_body(&table, chosen)?)
    }
}
