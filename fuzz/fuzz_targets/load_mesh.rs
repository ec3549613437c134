//! Any bytes, read as every format, give a mesh or an error; small meshes are examined and repaired too.
#![no_main]

use libfuzzer_sys::fuzz_target;
use tightfit_shape::doctor::{RepairOptions, repair};
use tightfit_shape::mesh::{MeshFormat, load_bytes};

fuzz_target!(|bytes: &[u8]| {
    let formats = [MeshFormat::Stl, MeshFormat::Obj, MeshFormat::Ply, MeshFormat::Gltf, MeshFormat::Glb];
    for format in formats {
        let Ok(loaded) = load_bytes(bytes, format, "fuzz") else { continue };
        if loaded.mesh.triangles.len() < 1000 {
            let _ = repair(&loaded.mesh, &RepairOptions { hole_extent: 1.0, ..RepairOptions::default() });
        }
    }
});
