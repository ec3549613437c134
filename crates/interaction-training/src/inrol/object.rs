//! The published mesh of the moving part: nodes, normals, triangles and the embedding of the nodes.

use std::path::Path;

use tightfit_interaction::{EMBEDDING, Embedding};
use tightfit_spatial::Vector3;

use super::table::Table;
use crate::LearningError;

/// The moving part; its frame is at its centre of mass.
#[derive(Clone, Debug, PartialEq)]
pub struct PublishedObject {
    /// Nodes in the object's frame [m].
    pub nodes: Vec<Vector3<f64>>,
    /// Outward unit normals of the nodes in the object's frame [-].
    pub normals: Vec<Vector3<f64>>,
    /// Corners of the triangles: node indices from 0, counter-clockwise seen from outside.
    pub faces: Vec<[u32; 3]>,
    /// Whether the triangles of the file had the opposite orientation.
    pub faces_were_turned: bool,
    /// One point per node, whose distances approximate geodesics on the surface [-].
    pub embedding: Vec<Embedding>,
}

impl PublishedObject {
    pub(super) fn read(txt: &Path) -> Result<Self, LearningError> {
        let vectors = |table: &Table| table.rows().map(Vector3::from_column_slice).collect();
        let nodes: Vec<Vector3<f64>> = vectors(&Table::sized(txt, "po.txt", None, 3)?);
        let normals = vectors(&Table::sized(txt, "no.txt", Some(nodes.len()), 3)?);
        let mut faces = faces(txt, nodes.len())?;
        let corner = |node: u32| nodes[node as usize];
        let volume: f64 =
            faces.iter().map(|face| face.map(corner)).map(|[a, b, c]| a.dot(&b.cross(&c))).sum();
        let faces_were_turned = volume < 0.0;
        if faces_were_turned {
            faces.iter_mut().for_each(|face| face.swap(1, 2));
        }
        // One of the two published files is transposed.
        let embedding = Table::read(txt, "Yo.txt")?;
        let embedding = match (embedding.rows, embedding.columns) {
            (rows, EMBEDDING) if rows == nodes.len() => embedding,
            (EMBEDDING, columns) if columns == nodes.len() => embedding.transposed(),
            (rows, columns) => {
                return Err(LearningError::File {
                    path: txt.join("Yo.txt").display().to_string(),
                    problem: format!("{rows} x {columns} numbers for {} nodes", nodes.len()),
                    remedy: "eight numbers per node are expected; give an unchanged copy of the folder",
                });
            }
        };
        let embedding = embedding.rows().map(|row| std::array::from_fn(|k| row[k])).collect();
        Ok(Self { nodes, normals, faces, faces_were_turned, embedding })
    }
}

fn faces(txt: &Path, nodes: usize) -> Result<Vec<[u32; 3]>, LearningError> {
    let table = Table::sized(txt, "fo.txt", None, 3)?;
    let is_node = |number: &f64| number.fract() == 0.0 && *number >= 1.0 && *number <= nodes as f64;
    if let Some(index) = table.numbers.iter().position(|number| !is_node(number)) {
        return Err(LearningError::File {
            path: txt.join("fo.txt").display().to_string(),
            problem: format!("row {} names node {} of {nodes}", index / 3 + 1, table.numbers[index]),
            remedy: "give an unchanged copy of the folder",
        });
    }
    Ok(table.rows().map(|row| [0, 1, 2].map(|corner| row[corner] as u32 - 1)).collect())
}
