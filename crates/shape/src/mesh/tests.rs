//! Small meshes for tests, and tests of reading and writing.

use std::f64::consts::TAU;
use std::path::Path;

use nalgebra::Vector3;
use proptest::prelude::*;

use super::save::{write_obj, write_ply, write_stl};
use super::*;

/// Unit cube; vertex number x + 2y + 4z.
pub(crate) fn cube() -> TriMesh {
    let corner = |i: u32| Vector3::new((i & 1).into(), (i >> 1 & 1).into(), (i >> 2 & 1).into());
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    TriMesh {
        vertices: (0..8).map(corner).collect(),
        triangles: quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect(),
    }
}

/// An L of unit thickness, with one concave edge.
pub(crate) fn bracket() -> TriMesh {
    let outline = [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (1.0, 1.0), (1.0, 2.0), (0.0, 2.0)];
    let level = |z| outline.iter().map(move |&(x, y)| Vector3::new(x, y, z));
    let vertices: Vec<_> = level(0.0).chain(level(1.0)).collect();
    let count = outline.len() as u32;
    let top = clip_ears(&vertices[outline.len()..]);
    let mut triangles = Vec::new();
    for ear in top {
        let [a, b, c] = ear.map(|corner| corner as u32);
        triangles.extend([[a + count, b + count, c + count], [a, c, b]]);
    }
    for a in 0..count {
        let b = (a + 1) % count;
        triangles.extend([[a, b, b + count], [a, b + count, a + count]]);
    }
    TriMesh { vertices, triangles }
}

/// A torus of radii 1 and 0.3.
pub(crate) fn torus(around: u32, across: u32) -> TriMesh {
    let point = |i: u32, j: u32| {
        let (u, v) = (TAU * f64::from(i) / f64::from(around), TAU * f64::from(j) / f64::from(across));
        let radius = 1.0 + 0.3 * v.cos();
        Vector3::new(radius * u.cos(), radius * u.sin(), 0.3 * v.sin())
    };
    let index = |i: u32, j: u32| i % around * across + j % across;
    let cells = || (0..around).flat_map(|i| (0..across).map(move |j| (i, j)));
    let quad = |(i, j): (u32, u32)| {
        let [a, b, c, d] = [index(i, j), index(i + 1, j), index(i + 1, j + 1), index(i, j + 1)];
        [[a, b, c], [a, c, d]]
    };
    TriMesh {
        vertices: cells().map(|(i, j)| point(i, j)).collect(),
        triangles: cells().flat_map(quad).collect(),
    }
}

pub(crate) fn moved(mesh: &TriMesh, shift: Vector3<f64>) -> TriMesh {
    TriMesh { vertices: mesh.vertices.iter().map(|v| v + shift).collect(), ..mesh.clone() }
}

pub(crate) fn scaled(mesh: &TriMesh, factor: f64) -> TriMesh {
    TriMesh { vertices: mesh.vertices.iter().map(|v| v * factor).collect(), ..mesh.clone() }
}

pub(crate) fn joined(a: &TriMesh, b: &TriMesh) -> TriMesh {
    let shift = a.vertices.len() as u32;
    let vertices = a.vertices.iter().chain(&b.vertices).copied().collect();
    let others = b.triangles.iter().map(|t| t.map(|vertex| vertex + shift));
    TriMesh { vertices, triangles: a.triangles.iter().copied().chain(others).collect() }
}

/// The same triangles without shared vertices.
pub(crate) fn soup(mesh: &TriMesh) -> TriMesh {
    let vertices = (0..mesh.triangles.len()).flat_map(|index| mesh.corners(index)).collect();
    let triangles = (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    TriMesh { vertices, triangles }
}

fn written(mesh: &TriMesh, format: MeshFormat) -> Vec<u8> {
    let mut bytes = Vec::new();
    match format {
        MeshFormat::Stl => write_stl(mesh, 1.0, &mut bytes).unwrap(),
        MeshFormat::Obj => write_obj(mesh, 1.0, &mut bytes).unwrap(),
        MeshFormat::Ply => write_ply(mesh, 1.0, &mut bytes).unwrap(),
        MeshFormat::Gltf => bytes = gltf_text(mesh, "").into_bytes(),
        MeshFormat::Glb => bytes = glb(mesh),
    }
    bytes
}

fn gltf_buffer(mesh: &TriMesh) -> Vec<u8> {
    let positions = mesh
        .vertices
        .iter()
        .flat_map(|v| v.iter().flat_map(|x| (*x as f32).to_le_bytes()).collect::<Vec<_>>());
    positions.chain(mesh.triangles.iter().flatten().flat_map(|i| i.to_le_bytes())).collect()
}

fn gltf_json(mesh: &TriMesh, buffer: &str, node: &str) -> String {
    let (vertices, indices) = (mesh.vertices.len(), 3 * mesh.triangles.len());
    format!(
        r#"{{"asset":{{"version":"2.0"}},"scene":0,"scenes":[{{"nodes":[0]}}],
        "nodes":[{{"children":[1]{node}}},{{"mesh":0}}],
        "meshes":[{{"primitives":[{{"attributes":{{"POSITION":0}},"indices":1}}]}}],
        "accessors":[{{"bufferView":0,"componentType":5126,"count":{vertices},"type":"VEC3"}},
                     {{"bufferView":1,"componentType":5125,"count":{indices},"type":"SCALAR"}}],
        "bufferViews":[{{"buffer":0,"byteLength":{}}},{{"buffer":0,"byteOffset":{},"byteLength":{}}}],
        "buffers":[{{"byteLength":{}{buffer}}}]}}"#,
        12 * vertices,
        12 * vertices,
        4 * indices,
        12 * vertices + 4 * indices
    )
}

fn gltf_text(mesh: &TriMesh, node: &str) -> String {
    let data = base64_encode(&gltf_buffer(mesh));
    gltf_json(mesh, &format!(r#","uri":"data:application/octet-stream;base64,{data}""#), node)
}

fn glb(mesh: &TriMesh) -> Vec<u8> {
    let (json, blob) = (gltf_json(mesh, "", "").into_bytes(), gltf_buffer(mesh));
    let mut bytes = b"glTF\x02\0\0\0".to_vec();
    bytes.extend((12 + 16 + json.len() as u32 + blob.len() as u32).to_le_bytes());
    for (kind, chunk) in [(b"JSON", json), (b"BIN\0", blob)] {
        bytes.extend((chunk.len() as u32).to_le_bytes());
        bytes.extend(kind);
        bytes.extend(chunk);
    }
    bytes
}

const FORMATS: [MeshFormat; 5] =
    [MeshFormat::Stl, MeshFormat::Obj, MeshFormat::Ply, MeshFormat::Gltf, MeshFormat::Glb];

fn error(bytes: &[u8], format: MeshFormat) -> MeshError {
    load_bytes(bytes, format, "part").unwrap_err()
}

#[test]
fn every_format_reads_back_the_cube() {
    for format in FORMATS {
        let bytes = written(&cube(), format);
        assert_eq!(MeshFormat::from_content(&bytes), Some(format));
        let mesh = load_bytes(&bytes, format, "part").unwrap().mesh;
        assert_eq!((mesh.vertices.len(), mesh.triangles.len()), (8, 12), "{format}");
        assert!((mesh.volume() - 1.0).abs() < 1e-12, "{format}");
    }
}

#[test]
fn files_written_in_millimetres_read_back_to_the_same_digits_in_metres() {
    let mesh = scaled(&torus(7, 5), 0.0123);
    let folder = std::env::temp_dir().join(format!("tightfit-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for (name, error) in [("a.stl", 1e-9), ("a.obj", 1e-17), ("a.PLY", 1e-17)] {
        let path = folder.join(name);
        save(&mesh, &path, LengthUnit::Millimetre).unwrap();
        let loaded = load(&path).unwrap();
        assert_eq!(loaded.raw_unit.unit, LengthUnit::Millimetre, "{name}");
        let back = loaded.in_metres(LengthUnit::Millimetre);
        assert_eq!(back.triangles.len(), mesh.triangles.len());
        for index in 0..mesh.triangles.len() {
            let apart = |k: usize| (mesh.corners(index)[k] - back.corners(index)[k]).norm();
            assert!((0..3).all(|k| apart(k) <= error), "{name}");
        }
    }
    assert!(matches!(
        save(&mesh, &folder.join("a.step"), LengthUnit::Metre),
        Err(MeshError::UnknownFormat { .. })
    ));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn gltf_buffers_in_the_folder_of_the_file_are_read_and_others_refused() {
    let folder = std::env::temp_dir().join(format!("tightfit-gltf-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join("part.gltf");
    std::fs::write(folder.join("the buffer.bin"), gltf_buffer(&cube())).unwrap();
    std::fs::write(&path, gltf_json(&cube(), r#","uri":"the%20buffer.bin""#, "")).unwrap();
    assert_eq!(load(&path).unwrap().mesh.triangles.len(), 12);
    std::fs::write(&path, gltf_json(&cube(), r#","uri":"../other.bin""#, "")).unwrap();
    assert!(load(&path).unwrap_err().to_string().contains("leaves the folder"));
    std::fs::remove_dir_all(&folder).unwrap();
}

#[test]
fn gltf_nodes_transform_and_mirror_the_mesh() {
    let node = r#","translation":[1,2,3],"rotation":[0,0,1,0],"scale":[-2,1,1]"#;
    let mesh = load_bytes(gltf_text(&cube(), node).as_bytes(), MeshFormat::Gltf, "part").unwrap().mesh;
    assert!((mesh.volume() - 2.0).abs() < 1e-12, "a mirrored mesh must keep its outward winding");
    assert!((mesh.aabb().min - Vector3::new(1.0, 1.0, 3.0)).norm() < 1e-12);
}

#[test]
fn binary_stl_that_begins_with_solid_is_distinguished_from_text_stl() {
    let mut bytes = written(&cube(), MeshFormat::Stl);
    bytes[..6].copy_from_slice(b"solid ");
    assert_eq!(load_bytes(&bytes, MeshFormat::Stl, "part").unwrap().mesh.triangles.len(), 12);

    let facet =
        "facet normal 0 0 1\n outer loop\n vertex 0 0 0\n vertex 1 0 0\n VERTEX 0 1e0 0\n endloop\nendfacet";
    let text = format!("solid vertex of a part\n{facet}\nendsolid part\n");
    assert_eq!(MeshFormat::from_content(text.as_bytes()), Some(MeshFormat::Stl));
    assert_eq!(load_bytes(text.as_bytes(), MeshFormat::Stl, "part").unwrap().mesh.triangles.len(), 1);
    let marked = format!("\u{feff}{text}");
    assert_eq!(load_bytes(marked.as_bytes(), MeshFormat::Stl, "part").unwrap().mesh.triangles.len(), 1);
    let cut = &text[..text.find("VERTEX").unwrap()];
    assert!(
        error(cut.as_bytes(), MeshFormat::Stl).to_string().contains("expected 3 triangle corners, found 2")
    );
}

#[test]
fn obj_files_with_negative_indices_and_polygons_are_read() {
    let text = "# quad\nv 0 0 0\nv 1 0 0\nv 1 1 0 1.0\nv 0 1 0\nf -4//1 -3//1 \\\n -2//1 -1//1\n";
    let mesh = load_bytes(text.as_bytes(), MeshFormat::Obj, "part").unwrap().mesh;
    assert_eq!(mesh.triangles.len(), 2);
    assert!((mesh.area() - 1.0).abs() < 1e-15);
}

#[test]
fn text_and_big_endian_ply_files_are_read() {
    let header = |format: &str| {
        format!(
            "ply\nformat {format} 1.0\ncomment x\nelement vertex 4\nproperty float x\nproperty float y\n\
             property float z\nproperty uchar red\nelement face 1\nproperty list uchar int vertex_index\nend_header\n"
        )
    };
    let text = header("ascii") + "0 0 0 9\n1 0 0 9\n1 1 0 9\n0 1 0 9\n4 0 1 2 3\n";
    let mut binary = header("binary_big_endian").into_bytes();
    for [x, y] in [[0f32, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]] {
        [x, y, 0.0].iter().for_each(|value| binary.extend(value.to_be_bytes()));
        binary.push(9);
    }
    binary.push(4);
    (0..4i32).for_each(|index| binary.extend(index.to_be_bytes()));
    for bytes in [text.as_bytes(), &binary] {
        assert!((load_bytes(bytes, MeshFormat::Ply, "part").unwrap().mesh.area() - 1.0).abs() < 1e-15);
    }
    let points =
        header("ascii").replace("element face 1", "element face 0") + "0 0 0 9\n1 0 0 9\n1 1 0 9\n0 1 0 9\n";
    assert!(error(points.as_bytes(), MeshFormat::Ply).to_string().contains("point cloud"));
}

#[test]
fn damaged_files_are_refused_with_place_value_and_remedy() {
    for format in FORMATS {
        assert!(matches!(error(b"", format), MeshError::Empty { .. }));
    }
    let stl = written(&cube(), MeshFormat::Stl);
    let message = error(&stl[..stl.len() - 60], MeshFormat::Stl).to_string();
    assert!(message.contains("expected 12 triangles, found 10"), "{message}");
    let mut miscounted = stl[..100].to_vec();
    miscounted[80..84].copy_from_slice(&u32::MAX.to_le_bytes());
    assert!(
        error(&miscounted, MeshFormat::Stl).to_string().contains("expected 4294967295 triangles, found 0")
    );
    let mut nan = stl.clone();
    nan[84 + 12 + 36 + 14..][..4].copy_from_slice(&f32::NAN.to_le_bytes());
    assert!(matches!(error(&nan, MeshFormat::Stl), MeshError::Coordinate { vertex: 3, .. }));

    let case = |text: &str, expected: &str| {
        let message = error(text.as_bytes(), MeshFormat::Obj).to_string();
        assert!(message.contains(expected), "{message}");
    };
    case("v 0 0 0\nv 1 0 inf\n", "vertex 1 has the coordinate inf");
    case("v 0 0 2e6\n", "2e6");
    case("v 0 0\n", "line 1 holds `v 0 0`");
    case("v 0 0 0\nf 1 1 2\n", "refers to vertex 1 but there are 1");
    case("v 0 0 0\nf 1 -7 1\n", "line 2 refers to vertex -7");
    case("v 0 0 0\n", "no triangle");

    let miscounted = "ply\nformat ascii 1.0\nelement vertex 4000000000\nproperty float x\nproperty float y\n\
                property float z\nelement face 4000000000\nproperty list uint int vertex_indices\nend_header\n0 0 0\n";
    assert!(
        error(miscounted.as_bytes(), MeshFormat::Ply)
            .to_string()
            .contains("expected 4000000000 `vertex` elements, found 1")
    );
    let draco = r#"{"extensionsRequired":["KHR_draco_mesh_compression"]}"#;
    assert!(error(draco.as_bytes(), MeshFormat::Gltf).to_string().contains("draco"));
    let cycle = r#"{"scenes":[{"nodes":[0]}],"nodes":[{"children":[0]}]}"#;
    assert!(error(cycle.as_bytes(), MeshFormat::Gltf).to_string().contains("cycle"));
    assert!(matches!(load(Path::new("/nowhere/part.stl")), Err(MeshError::Read { .. })));
}

proptest! {
    #[test]
    fn arbitrary_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for format in FORMATS {
            let _ = load_bytes(&bytes, format, "part");
        }
    }

    #[test]
    fn damaged_valid_files_never_panic(
        which in 0..5usize,
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6),
        keep in 0.5..1.0f64,
    ) {
        let mut bytes = written(&cube(), FORMATS[which]);
        for (place, value) in damage {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        let _ = load_bytes(&bytes, FORMATS[which], "part");
        bytes.truncate((bytes.len() as f64 * keep) as usize);
        let _ = load_bytes(&bytes, FORMATS[which], "part");
    }
}
