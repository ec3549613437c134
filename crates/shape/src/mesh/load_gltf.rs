//! glTF 2.0 (`.gltf` and `.glb`): the triangles of every mesh in the scene, transformed by its nodes.
//!
//! ```text
//! GLB: "glTF", version 2, length; then chunks (length: u32, kind: "JSON" | "BIN\0", bytes)
//! scene → nodes (T R S or a 4×4 matrix, column by column) → mesh → primitives → accessors → views → buffers
//! ```
//!
//! Only single-precision positions and plain triangles are read; compressed files are refused with the name of the
//! compression. The format stores a vertex once for each of its normals, so vertices with equal bits are merged, as
//! in STL.

use nalgebra::{Matrix4, Quaternion, UnitQuaternion, Vector3};
use serde::Deserialize;

use super::gather::Gather;
use super::mesh_error::excerpt;
use super::weld::weld_exact;
use super::{MeshError, TriMesh, base64};

/// Reads an external buffer, given its path relative to the file.
pub(super) type ReadBuffer<'a> = dyn Fn(&str) -> Result<Vec<u8>, MeshError> + 'a;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[derive(Default)]
struct Document {
    scene: Option<usize>,
    scenes: Vec<Scene>,
    nodes: Vec<Node>,
    meshes: Vec<Mesh>,
    accessors: Vec<Accessor>,
    buffer_views: Vec<View>,
    buffers: Vec<Buffer>,
    extensions_required: Vec<String>,
}

#[derive(Deserialize)]
struct Scene {
    #[serde(default)]
    nodes: Vec<usize>,
}

#[derive(Deserialize)]
struct Node {
    #[serde(default)]
    children: Vec<usize>,
    mesh: Option<usize>,
    matrix: Option<[f64; 16]>,
    translation: Option<[f64; 3]>,
    rotation: Option<[f64; 4]>,
    scale: Option<[f64; 3]>,
}

#[derive(Deserialize)]
struct Mesh {
    #[serde(default)]
    primitives: Vec<Primitive>,
}

#[derive(Deserialize)]
struct Primitive {
    attributes: Attributes,
    indices: Option<usize>,
    mode: Option<u32>,
    extensions: Option<serde_json::Map<String, serde_json::Value>>,
}

#[derive(Deserialize)]
struct Attributes {
    #[serde(rename = "POSITION")]
    position: Option<usize>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Accessor {
    buffer_view: Option<usize>,
    #[serde(default)]
    byte_offset: usize,
    component_type: u32,
    count: usize,
    #[serde(rename = "type")]
    shape: String,
    sparse: Option<serde_json::Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    buffer: usize,
    #[serde(default)]
    byte_offset: usize,
    byte_length: usize,
    byte_stride: Option<usize>,
}

#[derive(Deserialize)]
struct Buffer {
    uri: Option<String>,
}

const TRIANGLES: u32 = 4;
const U8: u32 = 5121;
const U16: u32 = 5123;
const U32: u32 = 5125;
const F32: u32 = 5126;

pub(super) fn parse(bytes: &[u8], file: &str, read_buffer: &ReadBuffer<'_>) -> Result<TriMesh, MeshError> {
    let (json, blob) = if bytes.starts_with(b"glTF") { container(bytes, file)? } else { (bytes, None) };
    let document: Document = serde_json::from_slice(json).map_err(|error| MeshError::Syntax {
        file: file.into(),
        place: format!("line {}, column {} of the JSON text", error.line(), error.column()),
        value: error.to_string(),
        expected: "a glTF 2.0 document".into(),
    })?;
    if let Some(extension) = document.extensions_required.iter().find(|name| !harmless(name)) {
        return Err(unsupported(file, &format!("the extension {}", excerpt(extension.as_bytes()))));
    }
    let mut buffers = Vec::new();
    for (index, buffer) in document.buffers.iter().enumerate() {
        buffers.push(match &buffer.uri {
            None => blob.unwrap_or_default().to_vec(),
            Some(uri) => read_uri(uri, index, file, read_buffer)?,
        });
    }
    let reader = Reader { document: &document, buffers: &buffers, file };
    let mut gather = Gather::new(file);
    for (mesh, file_from_mesh) in reader.placed_meshes()? {
        for primitive in &reader.get(&document.meshes, mesh, "mesh")?.primitives {
            reader.primitive(primitive, &file_from_mesh, &mut gather)?;
        }
    }
    Ok(weld_exact(&gather.finish()?).mesh)
}

/// Extensions about appearance, which do not affect the shape.
fn harmless(extension: &str) -> bool {
    ["KHR_materials_", "KHR_texture_", "KHR_lights_"].iter().any(|family| extension.starts_with(family))
}

fn unsupported(file: &str, what: &str) -> MeshError {
    let remedy = "export plain triangles with 32-bit positions, without compression".into();
    MeshError::Unsupported { file: file.into(), what: what.into(), remedy }
}

/// The JSON and the binary chunk of a GLB file.
fn container<'a>(bytes: &'a [u8], file: &str) -> Result<(&'a [u8], Option<&'a [u8]>), MeshError> {
    let word = |at: usize| bytes.get(at..at + 4).and_then(|w| w.try_into().ok()).map(u32::from_le_bytes);
    let (mut json, mut blob, mut at) = (None, None, 12);
    while let (Some(length), Some(kind)) = (word(at), bytes.get(at + 4..at + 8)) {
        let length = length as usize;
        let chunk = bytes[at + 8..].get(..length).ok_or_else(|| MeshError::Truncated {
            file: file.into(),
            place: format!("byte {}", bytes.len()),
            what: "bytes of a chunk".into(),
            promised: length as u64,
            found: (bytes.len() - at - 8) as u64,
        })?;
        match kind {
            b"JSON" if json.is_none() => json = Some(chunk),
            b"BIN\0" if blob.is_none() => blob = Some(chunk),
            _ => {}
        }
        at += 8 + length;
    }
    let json = json.ok_or_else(|| MeshError::Truncated {
        file: file.into(),
        place: format!("byte {}", bytes.len()),
        what: "JSON chunks".into(),
        promised: 1,
        found: 0,
    })?;
    Ok((json, blob))
}

fn read_uri(uri: &str, index: usize, file: &str, read_buffer: &ReadBuffer<'_>) -> Result<Vec<u8>, MeshError> {
    let Some(data) = uri.strip_prefix("data:") else { return read_buffer(&uri.replace("%20", " ")) };
    let wrong = |value: &str, expected: &str| MeshError::Syntax {
        file: file.into(),
        place: format!("buffer {index}"),
        value: excerpt(value.as_bytes()),
        expected: expected.into(),
    };
    let text = data.split_once(";base64,").map(|(_, text)| text);
    let text = text.ok_or_else(|| wrong(uri, "a data: URI in base64"))?;
    base64::decode(text).map_err(|at| wrong(&format!("an invalid character at {at}"), "base64"))
}

struct Reader<'a> {
    document: &'a Document,
    buffers: &'a [Vec<u8>],
    file: &'a str,
}

impl Reader<'_> {
    fn get<'b, T>(&self, list: &'b [T], index: usize, what: &str) -> Result<&'b T, MeshError> {
        list.get(index).ok_or_else(|| MeshError::Syntax {
            file: self.file.into(),
            place: format!("a reference to a {what}"),
            value: index.to_string(),
            expected: format!("a number below {}", list.len()),
        })
    }

    /// Every mesh of the scene with its transform. A file without scenes uses all nodes that have no parent.
    fn placed_meshes(&self) -> Result<Vec<(usize, Matrix4<f64>)>, MeshError> {
        let document = self.document;
        let roots: Vec<usize> = if document.scenes.is_empty() {
            let mut is_child = vec![false; document.nodes.len()];
            for &child in document.nodes.iter().flat_map(|node| &node.children) {
                is_child.get_mut(child).into_iter().for_each(|flag| *flag = true);
            }
            (0..document.nodes.len()).filter(|&node| !is_child[node]).collect()
        } else {
            self.get(&document.scenes, document.scene.unwrap_or(0), "scene")?.nodes.clone()
        };
        let mut stack: Vec<_> = roots.into_iter().rev().map(|node| (node, Matrix4::identity())).collect();
        let mut seen = vec![false; document.nodes.len()];
        let mut placed = Vec::new();
        while let Some((index, file_from_parent)) = stack.pop() {
            let node = self.get(&document.nodes, index, "node")?;
            if std::mem::replace(&mut seen[index], true) {
                return Err(MeshError::Syntax {
                    file: self.file.into(),
                    place: format!("node {index}"),
                    value: "a second parent or a cycle".into(),
                    expected: "a tree of nodes".into(),
                });
            }
            let file_from_node = file_from_parent * pose(node);
            placed.extend(node.mesh.map(|mesh| (mesh, file_from_node)));
            stack.extend(node.children.iter().rev().map(|&child| (child, file_from_node)));
        }
        Ok(placed)
    }

    fn primitive(
        &self,
        primitive: &Primitive,
        file_from_mesh: &Matrix4<f64>,
        gather: &mut Gather<'_>,
    ) -> Result<(), MeshError> {
        let compressed = |name: &&String| name.contains("draco") || name.contains("meshopt");
        if let Some(name) = primitive.extensions.iter().flat_map(serde_json::Map::keys).find(compressed) {
            return Err(unsupported(self.file, &format!("the compression {}", excerpt(name.as_bytes()))));
        }
        match primitive.mode.unwrap_or(TRIANGLES) {
            TRIANGLES => {}
            0..=3 => return Ok(()), // points and lines have no surface
            mode => return Err(unsupported(self.file, &format!("triangle strips or fans (mode {mode})"))),
        }
        let Some(positions) = primitive.attributes.position else { return Ok(()) };
        let first = gather.vertex_count() as u32;
        let positions = self.accessor(positions, "VEC3", &[F32])?;
        for item in positions.items() {
            let [x, y, z] = [0, 4, 8].map(|at| f64::from(f32::from_bits(little_endian(&item[at..at + 4]))));
            gather.vertex(file_from_mesh.transform_point(&nalgebra::Point3::new(x, y, z)).coords)?;
        }
        let indices: Vec<u32> = match primitive.indices {
            Some(index) => {
                self.accessor(index, "SCALAR", &[U8, U16, U32])?.items().map(little_endian).collect()
            }
            None => (0..positions.count as u32).collect(),
        };
        // a mirroring transform reverses the winding
        let mirrored = file_from_mesh.fixed_view::<3, 3>(0, 0).determinant() < 0.0;
        for (face, corners) in indices.chunks_exact(3).enumerate() {
            if let Some(&index) = corners.iter().find(|&&corner| corner as usize >= positions.count) {
                let (place, count) = (format!("face {face} of a primitive"), positions.count as u64);
                return Err(MeshError::Index { file: self.file.into(), place, index: index.into(), count });
            }
            let [a, b, c] = [0, 1, 2].map(|corner| first + corners[corner]);
            gather.face(&if mirrored { [a, c, b] } else { [a, b, c] })?;
        }
        Ok(())
    }

    fn accessor(&self, index: usize, shape: &str, types: &[u32]) -> Result<Items<'_>, MeshError> {
        let accessor = self.get(&self.document.accessors, index, "accessor")?;
        if accessor.sparse.is_some() {
            return Err(unsupported(self.file, "a sparse accessor"));
        }
        if accessor.shape != shape || !types.contains(&accessor.component_type) {
            let (kind, number) = (excerpt(accessor.shape.as_bytes()), accessor.component_type);
            return Err(unsupported(self.file, &format!("accessor {index} of type {kind}/{number}")));
        }
        let component = match accessor.component_type {
            U8 => 1,
            U16 => 2,
            _ => 4,
        };
        let size = if shape == "VEC3" { 3 * component } else { component };
        let view = accessor.buffer_view.ok_or_else(|| unsupported(self.file, "an accessor without data"))?;
        let view = self.get(&self.document.buffer_views, view, "buffer view")?;
        let buffer = self.get(self.buffers, view.buffer, "buffer")?;
        let stride = view.byte_stride.unwrap_or(size).max(size);
        let bytes = (|| {
            let end = view.byte_offset.checked_add(view.byte_length)?;
            buffer.get(view.byte_offset..end)?.get(accessor.byte_offset..)
        })();
        let bytes = bytes.unwrap_or_default();
        let available = if bytes.len() < size { 0 } else { (bytes.len() - size) / stride + 1 };
        if available < accessor.count {
            return Err(MeshError::Truncated {
                file: self.file.into(),
                place: format!("accessor {index}"),
                what: "items".into(),
                promised: accessor.count as u64,
                found: available as u64,
            });
        }
        Ok(Items { bytes, size, stride, count: accessor.count })
    }
}

/// Items of an accessor: `count` items of `size` bytes, `stride` bytes apart. All of them lie within `bytes`.
struct Items<'a> {
    bytes: &'a [u8],
    size: usize,
    stride: usize,
    count: usize,
}

impl<'a> Items<'a> {
    fn items(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let (bytes, size, stride) = (self.bytes, self.size, self.stride);
        (0..self.count).map(move |item| &bytes[item * stride..item * stride + size])
    }
}

fn little_endian(bytes: &[u8]) -> u32 {
    bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte))
}

fn pose(node: &Node) -> Matrix4<f64> {
    if let Some(matrix) = node.matrix {
        return Matrix4::from_column_slice(&matrix);
    }
    let [x, y, z, w] = node.rotation.unwrap_or([0.0, 0.0, 0.0, 1.0]);
    let rotation = UnitQuaternion::from_quaternion(Quaternion::new(w, x, y, z));
    let scale = Vector3::from(node.scale.unwrap_or([1.0; 3]));
    let translation = Vector3::from(node.translation.unwrap_or([0.0; 3]));
    Matrix4::new_translation(&translation)
        * rotation.to_homogeneous()
        * Matrix4::new_nonuniform_scaling(&scale)
}
