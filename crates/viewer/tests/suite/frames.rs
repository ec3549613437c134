//! The layout of binary messages, as docs/protocol.md states it.

use tightfit_viewer::{CHANNELS, HEADER_BYTES, KIND_MESH, KIND_STATE, Recording, Session, VERSION};

fn half(bytes: &[u8], at: usize) -> usize {
    usize::from(u16::from_le_bytes([bytes[at], bytes[at + 1]]))
}

fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

fn number(bytes: &[u8], at: usize) -> f32 {
    f32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())
}

#[test]
fn a_state_frame_has_its_documented_layout() {
    let mut session = Session::open("bolting-arm").unwrap();
    (0..60).for_each(|_| session.step());
    let mut frame = Vec::new();
    session.write_frame(&mut frame);
    let [bodies, links, contacts, channels] = [28, 30, 32, 34].map(|at| half(&frame, at));
    assert_eq!((frame[0], frame[1]), (KIND_STATE, VERSION));
    assert_eq!((bodies, links, channels), (2, 9, CHANNELS.len()));
    let length = HEADER_BYTES + 4 * (channels + 7 * (bodies + 1 + links) + 10 * contacts);
    assert_eq!(frame.len(), length);
    let time = f64::from_le_bytes(frame[8..16].try_into().unwrap());
    assert!((time - 0.6).abs() < 1e-12 && word(&frame, 16) == 60);
    let hash = u64::from_le_bytes(frame[20..28].try_into().unwrap());
    assert_eq!(hash, session.simulation().state.hash());
    let nut = session.simulation().scene.body_id("nut").unwrap();
    let pose = session.simulation().world_from_part(nut);
    let at = HEADER_BYTES + 4 * (channels + 7 * nut.index());
    for axis in 0..3 {
        assert_eq!(number(&frame, at + 4 * axis), pose.translation[axis] as f32);
    }
}

/// Forces of the contacts in a frame add up to the contact force on the part.
#[test]
fn contact_forces_add_up_to_the_force_on_the_part() {
    let mut session = Session::open("peg-in-hole").unwrap();
    let mut compared = 0;
    for _ in 0..200 {
        session.step();
        let mut frame = Vec::new();
        session.write_frame(&mut frame);
        let [bodies, links, contacts, channels] = [28, 30, 32, 34].map(|at| half(&frame, at));
        let first = HEADER_BYTES + 4 * (channels + 7 * (bodies + 1 + links));
        let sum = |axis: usize| -> f32 {
            (0..contacts).map(|i| number(&frame, first + 4 * (10 * i + 6 + axis))).sum()
        };
        let force = |axis: usize| number(&frame, HEADER_BYTES + 4 * (2 + axis));
        let size = (0..3).map(|axis| force(axis).abs()).fold(0.0, f32::max);
        let is_close = (0..3).all(|axis| (sum(axis).abs() - force(axis).abs()).abs() < 0.02 * size + 1e-3);
        compared += usize::from(size > 0.1 && is_close);
    }
    println!("forces agree in {compared} steps");
    assert!(compared > 50, "the forces of the contacts add up in {compared} steps only");
}

#[test]
fn a_mesh_message_has_its_documented_length() {
    let session = Session::open("bolting").unwrap();
    let messages = session.mesh_messages();
    assert_eq!(messages.len(), 2);
    for message in messages {
        let [vertices, triangles] = [4, 8].map(|at| word(&message, at) as usize);
        assert_eq!((message[0], message.len()), (KIND_MESH, 12 + 36 * vertices + 12 * triangles));
        println!("{vertices} vertices, {triangles} triangles");
    }
}

#[test]
fn a_recording_keeps_start_and_end_and_is_thinned_evenly() {
    let mut session = Session::open("peg-in-hole").unwrap();
    let recording = Recording::of_run(&mut session, "tight");
    let times: Vec<f64> =
        recording.frames().iter().map(|frame| f64::from_le_bytes(frame[8..16].try_into().unwrap())).collect();
    assert_eq!(times[0], 0.0);
    assert!((times[times.len() - 1] - session.simulation().time()).abs() < 1e-12);
    assert!(times.windows(2).all(|pair| pair[0] < pair[1]));
    assert!(recording.description().contains("\"mode\":\"recording\""));
}

/// The header, the chunks and every accessor of an animated glTF agree with the bytes that are there.
#[test]
fn a_recording_becomes_a_sound_gltf() {
    let mut session = Session::open("bolting-engaged").unwrap();
    let recording = Recording::of_run(&mut session, "");
    let file = tightfit_viewer::glb(&recording);
    assert_eq!((&file[0..4], word(&file, 4), word(&file, 8) as usize), (&b"glTF"[..], 2, file.len()));
    let text = word(&file, 12) as usize;
    let json: serde_json::Value = serde_json::from_slice(&file[20..20 + text]).unwrap();
    let binary = word(&file, 20 + text) as usize;
    assert_eq!(28 + text + binary, file.len());
    for accessor in json["accessors"].as_array().unwrap() {
        let view = &json["bufferViews"][accessor["bufferView"].as_u64().unwrap() as usize];
        let width = match accessor["type"].as_str().unwrap() {
            "SCALAR" => 4,
            "VEC3" => 12,
            _ => 16,
        };
        assert_eq!(accessor["count"].as_u64().unwrap() * width, view["byteLength"].as_u64().unwrap());
        let end = view["byteOffset"].as_u64().unwrap() + view["byteLength"].as_u64().unwrap();
        assert!(end as usize <= binary);
    }
    assert_eq!(json["nodes"].as_array().unwrap().len(), 3);
    assert_eq!(json["animations"][0]["channels"].as_array().unwrap().len(), 2);
}

/// A log of a run that was driven by hand is shown by its columns: the same poses as in the run.
#[test]
fn a_log_that_was_driven_by_hand_keeps_its_poses() {
    let mut session = Session::open("bolting-engaged").unwrap();
    let mut heights = Vec::new();
    let nut = session.simulation().scene.body_id("nut").unwrap();
    for _ in 0..80 {
        let command = r#"{"do":"move","part":"nut","linear":[0,0,0],"angular":[0,0,-3]}"#;
        session.apply(tightfit_viewer::Command::parse(command).unwrap()).unwrap();
        session.step();
        heights.push(session.simulation().world_from_part(nut).translation.z as f32);
    }
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("driven-by-hand.csv");
    session.write_log(&path).unwrap();
    let log = tightfit_simulation::log::read(&path).unwrap();
    let (recording, is_repeated) = Recording::of_log(&log, "").unwrap();
    assert!(!is_repeated);
    assert_eq!(recording.frames().len(), 81);
    for (frame, height) in recording.frames()[1..].iter().zip(heights) {
        let at = HEADER_BYTES + 4 * (CHANNELS.len() + 7 * nut.index() + 2);
        assert!((number(frame, at) - height).abs() < 1e-8);
    }
}

/// Records follow one another from magic to magic, and every message is JSON of a channel that was declared.
#[test]
fn a_recording_becomes_a_sound_mcap() {
    let mut session = Session::open("peg-in-hole").unwrap();
    let recording = Recording::of_run(&mut session, "");
    let file = tightfit_viewer::mcap(&recording);
    let magic = &file[..8];
    assert!(magic == b"\x89MCAP0\r\n" && file.ends_with(magic));
    let (mut at, mut counts) = (8, [0_usize; 256]);
    while at < file.len() - 8 {
        let length = u64::from_le_bytes(file[at + 1..at + 9].try_into().unwrap()) as usize;
        let content = &file[at + 9..at + 9 + length];
        if file[at] == 5 {
            assert!((1..=4).contains(&half(content, 0)));
            let message: serde_json::Value = serde_json::from_slice(&content[22..]).unwrap();
            assert!(message.is_object());
        }
        counts[usize::from(file[at])] += 1;
        at += 9 + length;
    }
    assert_eq!(at, file.len() - 8);
    assert_eq!((counts[1], counts[3], counts[4], counts[15], counts[2]), (1, 4, 4, 1, 1));
    assert_eq!(counts[5], 1 + 3 * recording.frames().len());
}
