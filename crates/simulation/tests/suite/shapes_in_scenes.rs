//! Parts of scenes: slender ones, meshes of flat facets, and meshes that make no solid.

use std::path::PathBuf;

use tightfit_shape::mesh::{LengthUnit, MeshOptions, TriMesh, save};
use tightfit_shape::primitive::{Block, Capsule};
use tightfit_simulation::{Audit, Scene, Simulation};
use tightfit_spatial::Vector3;

/// A file of one test.
fn file(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

fn mesh_file(name: &str, mesh: &TriMesh) -> String {
    let path = file(name);
    save(mesh, &path, LengthUnit::Millimetre).unwrap();
    path.display().to_string()
}

fn on_plane(shape: &str, placed: &str) -> String {
    format!(
        "name = 'a'\ngravity_m_s2 = [0, 0, -9.81]\n\
         [parts.plane]\nshape = {{ kind = 'half-space' }}\nmotion = 'fixed'\n\
         [parts.part]\nshape = {shape}\n{placed}\n"
    )
}

fn of_mesh(file: &str, more: &str) -> Result<Scene, String> {
    let shape = format!("{{ kind = 'mesh', file = '{file}'{more} }}");
    Scene::from_toml(&on_plane(&shape, "position_mm = [0, 0, 12]")).map_err(|error| error.to_string())
}

fn cube(side: f64, at: Vector3<f64>) -> TriMesh {
    let mut mesh = Block::new(Vector3::repeat(side)).unwrap().mesh(&MeshOptions::default());
    mesh.vertices.iter_mut().for_each(|vertex| *vertex += at);
    mesh
}

fn joined(first: &TriMesh, second: &TriMesh) -> TriMesh {
    let mut mesh = first.clone();
    let shift = mesh.vertices.len() as u32;
    mesh.vertices.extend(&second.vertices);
    mesh.triangles.extend(second.triangles.iter().map(|triangle| triangle.map(|vertex| vertex + shift)));
    mesh
}

/// Height of the only free part after `seconds` [m].
fn height_after(scene: Scene, seconds: f64) -> f64 {
    let mut run = Simulation::new(scene, 1);
    while run.time() < seconds {
        let _ = run.step();
    }
    run.state.motions[0].center.z
}

#[test]
fn a_slender_rod_lies_on_its_surface() {
    let rod = "{ kind = 'cylinder', diameter_mm = 5, length_mm = 1000 }";
    let placed = "position_mm = [0, 0, 4]\nrotation_deg = [90, 0, 7]";
    let height = height_after(Scene::from_toml(&on_plane(rod, placed)).unwrap(), 0.3);
    assert!((height - 2.5e-3).abs() < 5e-6, "{height:e} m");
}

/// They meet 1.3 mm beside the middle of both; distances that suit half a metre pass over that.
#[test]
fn slender_rods_and_capsules_do_not_fall_through_one_another() {
    for (kind, diameter) in [("capsule", 2.0), ("cylinder", 5.0)] {
        let shape = format!("{{ kind = '{kind}', diameter_mm = {diameter}, length_mm = 500 }}");
        let text = format!(
            "name = 'a'\ngravity_m_s2 = [0, 0, -9.81]\n\
             [parts.lower]\nshape = {shape}\nmotion = 'fixed'\nrotation_deg = [0, 90, 0]\n\
             [parts.upper]\nshape = {shape}\nposition_mm = [2, 1.3, {}]\nrotation_deg = [90, 0, 0]\n",
            diameter + 0.2
        );
        let mut run = Simulation::new(Scene::from_toml(&text).unwrap(), 1);
        run.with_audit();
        for _ in 0..20 {
            let audited = run.advance().audited.unwrap();
            assert!(audited < 0.02e-3 * diameter, "{kind}: {audited:e} m");
        }
        // it tips about the lower one, whose top its middle stays near to
        assert!(run.state.motions[0].center.z > 0.7e-3 * diameter, "{kind}");
    }
}

#[test]
fn a_ball_of_flat_facets_rests_on_its_vertices() {
    let ball = Capsule::new(10e-3, 0.0).unwrap();
    let mesh = ball.mesh(&MeshOptions { chord_tolerance: 60e-6, max_edge: 0.01 });
    let file = mesh_file("facets.obj", &mesh);
    let mut run = Simulation::new(of_mesh(&file, ", unit = 'mm'").unwrap(), 1);
    run.with_audit();
    let deepest = (0..50).map(|_| run.advance().audited.unwrap()).fold(0.0, f64::max);
    assert!(deepest < 0.1e-6, "{deepest:e} m");
}

#[test]
fn a_gltf_file_is_in_metres_however_large() {
    // a triangle pyramid 3 m long, its numbers embedded
    let points: [[f32; 3]; 4] = [[0.0, 0.0, 0.0], [3.0, 0.0, 0.0], [0.0, 0.2, 0.0], [0.0, 0.0, 0.2]];
    let indices: [u16; 12] = [0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3];
    let bytes: Vec<u8> = points.iter().flatten().flat_map(|number| number.to_le_bytes()).collect();
    let bytes: Vec<u8> = bytes.into_iter().chain(indices.iter().flat_map(|i| i.to_le_bytes())).collect();
    std::fs::write(file("beam.bin"), &bytes).unwrap();
    let text = r#"{ "asset": { "version": "2.0" }, "scene": 0, "scenes": [{ "nodes": [0] }], "nodes": [{ "mesh": 0 }],
        "meshes": [{ "primitives": [{ "attributes": { "POSITION": 0 }, "indices": 1 }] }],
        "buffers": [{ "uri": "beam.bin", "byteLength": 72 }],
        "bufferViews": [{ "buffer": 0, "byteOffset": 0, "byteLength": 48 }, { "buffer": 0, "byteOffset": 48, "byteLength": 24 }],
        "accessors": [
            { "bufferView": 0, "componentType": 5126, "count": 4, "type": "VEC3", "min": [0, 0, 0], "max": [3, 0.2, 0.2] },
            { "bufferView": 1, "componentType": 5123, "count": 12, "type": "SCALAR" }] }"#;
    std::fs::write(file("beam.gltf"), text).unwrap();
    let scene = of_mesh(&file("beam.gltf").display().to_string(), "").unwrap();
    let part = &scene.bodies.iter().find(|body| body.name == "part").unwrap().part;
    assert!((part.aabb().unwrap().size().x - 3.0).abs() < 1e-6);
}

#[test]
fn an_offset_that_leaves_nothing_is_refused_with_the_largest() {
    let file = mesh_file("offset.obj", &cube(20e-3, Vector3::zeros()));
    let scene = of_mesh(&file, ", unit = 'mm', offset_mm = -9").unwrap();
    let part = &scene.bodies.iter().find(|body| body.name == "part").unwrap().part;
    assert!((part.aabb().unwrap().size() - Vector3::repeat(2e-3)).norm() < 1e-12);
    let error = of_mesh(&file, ", unit = 'mm', offset_mm = -11").unwrap_err();
    assert!(error.contains("offset_mm = -11") && error.contains("more than -10.000 mm"), "{error}");
}

#[test]
fn shells_that_make_no_solid_are_refused_with_file_shell_and_remedy() {
    let [large, apart] = [cube(40e-3, Vector3::zeros()), cube(10e-3, Vector3::new(50e-3, 0.0, 0.0))];
    let inside = cube(10e-3, Vector3::zeros());
    let through = cube(30e-3, Vector3::new(20e-3, 3e-3, 2e-3));
    let refused = |name: &str, mesh: &TriMesh| {
        let file = mesh_file(name, mesh);
        let error = of_mesh(&file, ", unit = 'mm'").unwrap_err();
        let remedy =
            format!("`tightfit part {file}{}`", if name == "through.obj" { "" } else { " --repair OUT.stl" });
        assert!(error.contains(&remedy), "{error}");
        error
    };
    let error = refused("turned.obj", &joined(&large, &apart.clone().flipped()));
    assert!(error.contains("shell 2 of 2") && error.contains("is inside out"), "{error}");
    let error = refused("filled.obj", &joined(&large, &inside));
    assert!(error.contains("must face inwards"), "{error}");
    let error = refused("through.obj", &joined(&large, &through));
    assert!(error.contains("shells 1 and 2 of 2 intersect"), "{error}");
    for (name, mesh) in
        [("hollow.obj", joined(&large, &inside.flipped())), ("pair.obj", joined(&large, &apart))]
    {
        assert!(of_mesh(&mesh_file(name, &mesh), ", unit = 'mm'").is_ok(), "{name}");
    }
}

#[test]
fn the_tip_of_a_cone_rests_on_a_lying_cylinder() {
    let text = "name = 'tip'\nfriction = 0.4\ngravity_m_s2 = [0, 0, -9.81]\n\
         [parts.cylinder]\nshape = { kind = 'cylinder', diameter_mm = 25, length_mm = 40 }\nmotion = 'fixed'\n\
         rotation_deg = [90, 0, 0]\n\
         [parts.cone]\nshape = { kind = 'cone', diameter_mm = 36, length_mm = 40 }\n\
         position_mm = [0, 1, 37]\nrotation_deg = [180, 0, 0]\n";
    let mut run = Simulation::new(Scene::from_toml(text).unwrap(), 1);
    let cone = run.scene.body_ids().nth(1).unwrap();
    let mut has_touched = false;
    for step in 0..40 {
        let _ = run.step();
        let tip = run.world_from_part(cone).transform_point(Vector3::new(0.0, 0.0, 20e-3));
        // the axis of the cylinder is that of y
        let gap = tip.x.hypot(tip.z) - 12.5e-3;
        assert!(gap > -0.2e-6 || tip.y.abs() > 20e-3, "step {step}: the tip is {gap:e} m deep");
        has_touched |= gap < 1e-4;
    }
    assert!(has_touched);
}

#[test]
fn a_hexagonal_peg_slides_over_the_rim_of_a_round_hole() {
    let text = "name = 'rim'\nfriction = 0.5\nstep_ms = 20\ngravity_m_s2 = [0, 0, 0]\n\
         [parts.hole]\nmotion = 'fixed'\n\
         shape = { kind = 'hole', diameter_mm = 20.02, depth_mm = 25, outer_diameter_mm = 40, chamfer_mm = 0.5 }\n\
         [parts.peg]\n\
         shape = { kind = 'peg', diameter_mm = 17.3, length_mm = 40, tip_chamfer_mm = 0, sides = 6 }\n\
         [drive]\npart = 'peg'\nstiffness_n_m = [2000, 2000, 2000]\nturning_stiffness_nm_rad = [2, 2, 2]\n\
         damping_per_s = 50\noffset_mm = 0.3\ntilt_deg = 2\n\
         waypoints = [{ time_s = 0.0, position_mm = [0, 0, 1.5], turns = 0.02 }, \
         { time_s = 1.2, position_mm = [0, 0, -18], turns = 0.0 }]\n";
    let mut run = Simulation::new(Scene::from_toml(text).unwrap(), 1);
    let peg = run.scene.body_ids().nth(1).unwrap();
    let corner = 17.3e-3 / 3.0_f64.sqrt();
    let mut deepest = 0.0_f64;
    for _ in 0..60 {
        let told = run.step().penetration;
        let pose = run.world_from_part(peg);
        // the six edges of the prism against the bore, below its chamfer
        for side in 0..6 {
            let angle = (f64::from(side) + 0.5) * std::f64::consts::TAU / 6.0;
            for place in 0..4000 {
                let own = Vector3::new(corner * angle.cos(), corner * angle.sin(), f64::from(place) * 1e-5);
                let point = pose.transform_point(own);
                if (-24e-3..-0.5e-3).contains(&point.z) {
                    let depth = point.x.hypot(point.y) - 10.01e-3;
                    assert!(depth < 0.2e-6 || depth < told / 0.9, "{depth:e} m deep, told {told:e}");
                    deepest = deepest.max(depth);
                }
            }
        }
    }
    assert!(deepest > -1e-6 && deepest < 1e-6, "{deepest:e} m");
}

#[test]
fn round_corners_pass_no_edge_of_their_hole_unseen() {
    let text = r#"
name = "rounded"
friction = 0.25
gravity_m_s2 = [0, 0, 0]
[parts.hole]
shape = { kind = "hole", diameter_mm = 25.03, depth_mm = 30, outer_diameter_mm = 50, chamfer_mm = 0.5, sides = 4, corner_radius_mm = 3 }
motion = "fixed"
[parts.peg]
shape = { kind = "peg", diameter_mm = 25, length_mm = 45, tip_chamfer_mm = 0.5, sides = 4, corner_radius_mm = 3 }
[drive]
part = "peg"
stiffness_n_m = [2000, 2000, 2000]
turning_stiffness_nm_rad = [2, 2, 2]
damping_per_s = 50
offset_mm = 0.2
tilt_deg = 1
waypoints = [
    { time_s = 0.0, position_mm = [0, 0, 1.5], turns = 0.0028 },
    { time_s = 1.2, position_mm = [0, 0, -20] },
]
"#;
    let mut simulation = Simulation::new(Scene::from_toml(text).expect("a scene"), 1);
    let audit = Audit::new(&simulation.scene, &simulation.parameters);
    for step in 0..60 {
        let certificate = simulation.step();
        assert!(certificate.limits.is_empty() && certificate.converged, "step {step}: {certificate:?}");
        let depth = audit.penetration(&simulation.scene, &simulation.parameters, &simulation.state);
        let bound = (certificate.penetration / 0.9).max(0.3e-6);
        assert!(depth < bound, "step {step}: {depth} m deep, certified {} m", certificate.penetration);
    }
}

/// The end of a round peg rests on the edges of a square hole: where its rim crosses them no wall is behind it.
#[test]
fn a_round_peg_rests_on_a_square_hole() {
    let text = r#"
name = "round on square"
friction = 0.4
gravity_m_s2 = [0, 0, 0]
[parts.hole]
shape = { kind = "hole", diameter_mm = 20.04, depth_mm = 25, outer_diameter_mm = 40, chamfer_mm = 0, sides = 4 }
motion = "fixed"
[parts.peg]
shape = { kind = "peg", diameter_mm = 20, length_mm = 45, tip_chamfer_mm = 0 }
[drive]
part = "peg"
stiffness_n_m = [2000, 2000, 2000]
turning_stiffness_nm_rad = [2, 2, 2]
damping_per_s = 50
offset_mm = 0.3
tilt_deg = 3
waypoints = [
    { time_s = 0.0, position_mm = [0, 0, 1.5] },
    { time_s = 1.2, position_mm = [0, 0, -18] },
]
wiggle = { from_s = 1.4, until_s = 2.2, amplitude_mm = 0.8, frequency_hz = 1.1, tilt_deg = 1.5, tilt_frequency_hz = 1.4 }
"#;
    let mut simulation = Simulation::new(Scene::from_toml(text).expect("a scene"), 1);
    let audit = Audit::new(&simulation.scene, &simulation.parameters);
    for step in 0..220 {
        let certificate = simulation.step();
        assert!(certificate.limits.is_empty() && certificate.converged, "step {step}: {certificate:?}");
        let depth = audit.penetration(&simulation.scene, &simulation.parameters, &simulation.state);
        assert!(depth < 0.2e-6 && certificate.penetration < 0.2e-6, "step {step}: {depth} m deep");
    }
}
