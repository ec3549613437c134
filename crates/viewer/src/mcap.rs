//! A recording as an MCAP file (<https://mcap.dev/spec>) with JSON messages that Foxglove shows.
//!
//! | topic | schema | contents |
//! |---|---|---|
//! | `/tf` | `foxglove.FrameTransforms` | poses of the parts in the frame `world` |
//! | `/parts` | `foxglove.SceneUpdate` | triangles of the parts, once |
//! | `/contacts` | `foxglove.SceneUpdate` | contact forces as arrows |
//! | `/certificate` | `tightfit.Channels` | every channel of the state frame by name |
//!
//! The file has no chunks and no index, which the format allows.

use serde_json::{Value, json};

use crate::recorded_frame::RecordedFrame;
use crate::{CHANNELS, Recording};

const MAGIC: [u8; 8] = [0x89, b'M', b'C', b'A', b'P', b'0', b'\r', b'\n'];
/// Topics and their schemas, in the order of the channel numbers from 1.
const TOPICS: [[&str; 2]; 4] = [
    ["/tf", "foxglove.FrameTransforms"],
    ["/parts", "foxglove.SceneUpdate"],
    ["/contacts", "foxglove.SceneUpdate"],
    ["/certificate", "tightfit.Channels"],
];
/// Length of an arrow per root of its force [m/√N].
const ARROW: f64 = 0.006;

/// A file under construction.
struct File(Vec<u8>);

impl File {
    fn record(&mut self, opcode: u8, content: &[u8]) {
        self.0.push(opcode);
        self.0.extend((content.len() as u64).to_le_bytes());
        self.0.extend(content);
    }

    fn message(&mut self, channel: u16, sequence: u32, seconds: f64, value: &Value) {
        let time = (seconds * 1e9).round() as u64;
        let mut content = channel.to_le_bytes().to_vec();
        content.extend(sequence.to_le_bytes());
        content.extend(time.to_le_bytes());
        content.extend(time.to_le_bytes());
        content.extend(value.to_string().into_bytes());
        self.record(0x05, &content);
    }
}

/// Length and bytes of a text.
fn text(value: &str) -> Vec<u8> {
    let mut bytes = (value.len() as u32).to_le_bytes().to_vec();
    bytes.extend(value.as_bytes());
    bytes
}

/// The recording as a .mcap file.
#[must_use]
pub fn mcap(recording: &Recording) -> Vec<u8> {
    let description: Value = serde_json::from_str(recording.description()).unwrap_or_default();
    let names: Vec<String> = description["parts"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|part| part["name"].as_str().unwrap_or_default().to_string())
        .collect();
    let mut file = File(MAGIC.to_vec());
    file.record(0x01, &[text(""), text(concat!("tightfit ", env!("CARGO_PKG_VERSION")))].concat());
    for (index, [topic, schema]) in TOPICS.iter().enumerate() {
        let number = (index as u16 + 1).to_le_bytes();
        let kind = json!({ "title": schema, "type": "object" }).to_string();
        file.record(0x03, &[&number[..], &text(schema), &text("jsonschema"), &text(&kind)].concat());
        // no metadata
        let channel = [&number[..], &number, &text(topic), &text("json"), &0_u32.to_le_bytes()].concat();
        file.record(0x04, &channel);
    }
    file.message(2, 0, 0.0, &parts(recording, &names));
    for (sequence, bytes) in recording.frames().iter().enumerate() {
        let (frame, sequence) = (RecordedFrame(bytes), sequence as u32);
        let time = frame.time();
        file.message(1, sequence, time, &transforms(&frame, &names));
        file.message(3, sequence, time, &contacts(&frame));
        let channels: serde_json::Map<String, Value> = CHANNELS
            .iter()
            .enumerate()
            .map(|(index, channel)| (channel.name.to_string(), json!(frame.channel(index))))
            .collect();
        file.message(4, sequence, time, &Value::Object(channels));
    }
    file.record(0x0f, &0_u32.to_le_bytes());
    file.record(0x02, &[0; 20]);
    file.0.extend(MAGIC);
    file.0
}

fn stamp(seconds: f64) -> Value {
    let nanoseconds = (seconds * 1e9).round() as u64;
    json!({ "sec": nanoseconds / 1_000_000_000, "nsec": nanoseconds % 1_000_000_000 })
}

fn point([x, y, z]: [f64; 3]) -> Value {
    json!({ "x": x, "y": y, "z": z })
}

fn transforms(frame: &RecordedFrame<'_>, names: &[String]) -> Value {
    let transform = |(body, name): (usize, &String)| {
        let [x, y, z, qx, qy, qz, qw] = frame.pose(body);
        json!({
            "timestamp": stamp(frame.time()),
            "parent_frame_id": "world",
            "child_frame_id": name,
            "translation": point([x, y, z]),
            "rotation": { "x": qx, "y": qy, "z": qz, "w": qw },
        })
    };
    json!({ "transforms": names.iter().enumerate().map(transform).collect::<Vec<_>>() })
}

/// An entity of a scene update with one list of shapes.
fn entity(id: &str, frame: &str, seconds: f64, shapes: &str, list: Vec<Value>) -> Value {
    let mut entity = json!({
        "timestamp": stamp(seconds),
        "frame_id": frame,
        "id": id,
        "lifetime": { "sec": 0, "nsec": 0 },
        "frame_locked": true,
        "metadata": [],
    });
    for name in ["arrows", "cubes", "spheres", "cylinders", "lines", "triangles", "texts", "models"] {
        entity[name] = json!([]);
    }
    entity[shapes] = Value::Array(list);
    entity
}

fn color([r, g, b]: [f64; 3]) -> Value {
    json!({ "r": r, "g": g, "b": b, "a": 1.0 })
}

/// Triangles of every part in its own frame.
fn parts(recording: &Recording, names: &[String]) -> Value {
    let entities = recording.meshes().iter().map(|message| {
        let word =
            |at: usize| u32::from_le_bytes([message[at], message[at + 1], message[at + 2], message[at + 3]]);
        let body = usize::from(u16::from_le_bytes([message[2], message[3]]));
        let (vertices, triangles) = (word(4) as usize, word(8) as usize);
        let number = |index: usize| f64::from(f32::from_bits(word(12 + 4 * index)));
        let points: Vec<Value> =
            (0..vertices).map(|index| point([0, 1, 2].map(|axis| number(3 * index + axis)))).collect();
        let indices: Vec<u32> =
            (0..3 * triangles).map(|index| word(12 + 36 * vertices + 4 * index)).collect();
        let identity =
            json!({ "position": point([0.0; 3]), "orientation": { "x": 0, "y": 0, "z": 0, "w": 1 } });
        let shade = if body == 0 { [0.62, 0.67, 0.74] } else { [0.85, 0.64, 0.25] };
        let list = json!({
            "pose": identity, "points": points, "indices": indices, "color": color(shade), "colors": [],
        });
        let name = names.get(body).map_or("part", String::as_str);
        entity(name, name, 0.0, "triangles", vec![list])
    });
    json!({ "deletions": [], "entities": entities.collect::<Vec<_>>() })
}

/// Contact forces as arrows in the world's frame.
fn contacts(frame: &RecordedFrame<'_>) -> Value {
    let arrows = frame.contacts().into_iter().filter_map(|[position, _, force]| {
        let size = force.iter().map(|value| value * value).sum::<f64>().sqrt();
        // an arrow lies along the x axis of its pose
        let [x, y, z] = force.map(|value| value / size);
        let (w, axis) = (1.0 + x, [0.0, -z, y]);
        let norm = (w * w + axis[1] * axis[1] + axis[2] * axis[2]).sqrt();
        let orientation = if norm > 1e-9 {
            json!({ "x": 0.0, "y": axis[1] / norm, "z": axis[2] / norm, "w": w / norm })
        } else {
            json!({ "x": 0.0, "y": 0.0, "z": 1.0, "w": 0.0 })
        };
        let length = ARROW * size.sqrt();
        (size > 0.0).then(|| {
            json!({
                "pose": { "position": point(position), "orientation": orientation },
                "shaft_length": 0.7 * length,
                "shaft_diameter": 4e-4,
                "head_length": 0.3 * length,
                "head_diameter": 9e-4,
                "color": color([1.0, 0.3, 0.4]),
            })
        })
    });
    let all = entity("contacts", "world", frame.time(), "arrows", arrows.collect());
    json!({ "deletions": [], "entities": [all] })
}
