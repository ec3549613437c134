//! A recording as binary glTF 2.0: one node per part with its mesh, and one animation of all poses. Blender and
//! three.js open it. Lengths are metres; a root node turns the z axis of the scene to glTF's y axis.

use serde_json::{Value, json};

use crate::Recording;
use crate::frame::HEADER_BYTES;

const FLOAT: u32 = 5126;
const UNSIGNED: u32 = 5125;

/// Buffer, views and accessors under construction.
#[derive(Default)]
struct Buffer {
    bytes: Vec<u8>,
    views: Vec<Value>,
    accessors: Vec<Value>,
}

impl Buffer {
    /// Adds an accessor of `count` elements over these bytes; returns its index.
    fn add(
        &mut self,
        bytes: &[u8],
        component: u32,
        kind: &str,
        count: usize,
        bounds: Option<[Vec<f32>; 2]>,
    ) -> usize {
        let view = json!({ "buffer": 0, "byteOffset": self.bytes.len(), "byteLength": bytes.len() });
        self.bytes.extend(bytes);
        self.views.push(view);
        let mut accessor = json!({
            "bufferView": self.views.len() - 1,
            "componentType": component,
            "count": count,
            "type": kind,
        });
        if let Some([low, high]) = bounds {
            accessor["min"] = json!(low);
            accessor["max"] = json!(high);
        }
        self.accessors.push(accessor);
        self.accessors.len() - 1
    }
}

fn half(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

fn word(bytes: &[u8], at: usize) -> usize {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]) as usize
}

fn number(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// Least and largest value of each of `width` interleaved columns.
fn bounds(bytes: &[u8], width: usize) -> [Vec<f32>; 2] {
    let mut result = [vec![f32::INFINITY; width], vec![f32::NEG_INFINITY; width]];
    for (index, at) in (0..bytes.len()).step_by(4).enumerate() {
        let value = number(bytes, at);
        result[0][index % width] = result[0][index % width].min(value);
        result[1][index % width] = result[1][index % width].max(value);
    }
    result
}

/// The recording as a .glb file.
#[must_use]
pub fn glb(recording: &Recording) -> Vec<u8> {
    let description: Value = serde_json::from_str(recording.description()).unwrap_or_default();
    let mut buffer = Buffer::default();
    let (mut meshes, mut nodes, mut channels, mut samplers) =
        (Vec::new(), Vec::new(), Vec::new(), Vec::new());
    let times: Vec<u8> = recording
        .frames()
        .iter()
        .flat_map(|frame| {
            let mut time = [0; 8];
            time.copy_from_slice(&frame[8..16]);
            (f64::from_le_bytes(time) as f32).to_le_bytes()
        })
        .collect();
    let time_bounds = Some(bounds(&times, 1));
    let input = buffer.add(&times, FLOAT, "SCALAR", recording.frames().len(), time_bounds);
    for message in recording.meshes() {
        let (body, vertices, triangles) = (half(message, 2), word(message, 4), word(message, 8));
        let part = &description["parts"][body];
        let positions = &message[12..12 + 12 * vertices];
        let normals = &message[12 + 12 * vertices..12 + 24 * vertices];
        let indices = &message[12 + 36 * vertices..12 + 36 * vertices + 12 * triangles];
        let position = buffer.add(positions, FLOAT, "VEC3", vertices, Some(bounds(positions, 3)));
        let normal = buffer.add(normals, FLOAT, "VEC3", vertices, None);
        let index = buffer.add(indices, UNSIGNED, "SCALAR", 3 * triangles, None);
        let material = usize::from(part["motion"] != "fixed");
        meshes.push(json!({ "name": part["name"], "primitives": [{
            "attributes": { "POSITION": position, "NORMAL": normal }, "indices": index, "material": material,
        }] }));
        let pose = |frame: &Vec<u8>, from: usize, count: usize| -> Vec<u8> {
            let at = HEADER_BYTES + 4 * (half(frame, 34) + 7 * body + from);
            frame[at..at + 4 * count].to_vec()
        };
        let [translations, rotations] = [(0, 3), (3, 4)].map(|(from, count)| {
            recording.frames().iter().flat_map(|frame| pose(frame, from, count)).collect::<Vec<u8>>()
        });
        let first =
            |bytes: &[u8], count: usize| (0..count).map(|i| number(bytes, 4 * i)).collect::<Vec<f32>>();
        nodes.push(json!({
            "name": part["name"],
            "mesh": meshes.len() - 1,
            "translation": first(&translations, 3),
            "rotation": first(&rotations, 4),
        }));
        if part["motion"] == "fixed" {
            continue;
        }
        for (path, kind, bytes, width) in
            [("translation", "VEC3", &translations, 12), ("rotation", "VEC4", &rotations, 16)]
        {
            let output = buffer.add(bytes, FLOAT, kind, bytes.len() / width, None);
            samplers.push(json!({ "input": input, "output": output, "interpolation": "LINEAR" }));
            channels.push(
                json!({ "sampler": samplers.len() - 1, "target": { "node": nodes.len() - 1, "path": path } }),
            );
        }
    }
    let parts: Vec<usize> = (0..nodes.len()).collect();
    let turn = std::f64::consts::FRAC_1_SQRT_2;
    nodes
        .push(json!({ "name": description["name"], "children": parts, "rotation": [-turn, 0.0, 0.0, turn] }));
    let mut document = json!({
        "asset": { "version": "2.0", "generator": concat!("tightfit ", env!("CARGO_PKG_VERSION")) },
        "scene": 0,
        "scenes": [{ "nodes": [nodes.len() - 1] }],
        "nodes": nodes,
        "meshes": meshes,
        "materials": [
            material("steel", [0.49, 0.54, 0.60], 0.32),
            material("brass", [0.69, 0.37, 0.05], 0.28),
        ],
        "buffers": [{ "byteLength": buffer.bytes.len() }],
        "bufferViews": buffer.views,
        "accessors": buffer.accessors,
    });
    if !channels.is_empty() {
        document["animations"] =
            json!([{ "name": description["name"], "channels": channels, "samplers": samplers }]);
    }
    container(&document, buffer.bytes)
}

fn material(name: &str, [r, g, b]: [f64; 3], roughness: f64) -> Value {
    let surface =
        json!({ "baseColorFactor": [r, g, b, 1.0], "metallicFactor": 1.0, "roughnessFactor": roughness });
    json!({ "name": name, "pbrMetallicRoughness": surface })
}

/// Header, JSON chunk padded with spaces, binary chunk padded with zeros.
fn container(document: &Value, mut bytes: Vec<u8>) -> Vec<u8> {
    let mut text = document.to_string().into_bytes();
    text.resize(text.len().next_multiple_of(4), b' ');
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let mut file = b"glTF".to_vec();
    let whole = 12 + 8 + text.len() + 8 + bytes.len();
    for value in [2, whole as u32, text.len() as u32] {
        file.extend(value.to_le_bytes());
    }
    file.extend(b"JSON");
    file.extend(text);
    file.extend((bytes.len() as u32).to_le_bytes());
    file.extend(b"BIN\0");
    file.extend(bytes);
    file
}
