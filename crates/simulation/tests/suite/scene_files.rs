//! What scene files say, and what wrong ones are answered.

use tightfit_simulation::{Scene, SceneError, Simulation, built_in_scenes, scene_schema};

fn problems(text: &str) -> Vec<String> {
    match Scene::from_toml(text) {
        Err(SceneError::Invalid { problems, .. }) => problems.iter().map(ToString::to_string).collect(),
        other => panic!("expected problems, got {other:?}"),
    }
}

#[test]
fn every_built_in_scene_builds_under_its_own_name() {
    for built_in in built_in_scenes() {
        let scene = Scene::find(built_in.name).unwrap();
        assert_eq!(scene.name, built_in.name);
        assert!(!scene.description.is_empty() && !scene.contacts.is_empty());
    }
    let error = Scene::find("peg-in-hol").unwrap_err().to_string();
    assert!(error.contains("peg-in-hole"), "{error}");
}

#[test]
fn a_wrong_value_is_answered_with_key_value_range_and_line() {
    let text = "name = \"x\"\nfriction = -0.5\n\n[parts.peg]\nmass_kg = 0\nmotion = \"flying\"\n\n[parts.peg.shape]\nkind = \"peg\"\ndiameter_mm = \"wide\"\nlenght_mm = 30\n";
    assert_eq!(
        problems(text),
        [
            "line 2: friction = -0.5: allowed: a number from 0 up to 10",
            "line 5: parts.peg.mass_kg = 0: allowed: a number above 0 up to 1000000",
            "line 6: parts.peg.motion = \"flying\": allowed: `free`, `fixed`, `kinematic`",
            "line 8: parts.peg.shape.length_mm: is missing; give a number above 0 up to 10000",
            "line 10: parts.peg.shape.diameter_mm = \"wide\": allowed: a number above 0 up to 10000",
            "line 11: parts.peg.shape.lenght_mm: no such key here; known keys: `corner_radius_mm`, `diameter_mm`, `kind`, `length_mm`, `sides`, `tail_chamfer_mm`, `tip_chamfer_mm`",
        ]
    );
}

#[test]
fn what_several_fields_decide_is_answered_at_the_field() {
    let thread = "name = \"x\"\n[parts.b]\nmotion = \"fixed\"\nshape = { kind = \"bolt\", diameter_mm = 10, length_mm = 20,\n  pitch_mm = 12 }\n";
    assert_eq!(
        problems(thread),
        ["line 5: parts.b.shape.pitch_mm = 12: allowed: more than 0 up to a third of diameter_mm (3.333 mm)"]
    );
    let chamfer = "name = \"x\"\n[parts.p]\nshape = { kind = \"peg\", diameter_mm = 10, length_mm = 20, tip_chamfer_mm = 7 }\n";
    assert!(
        problems(chamfer)[0].starts_with("line 3: parts.p.shape.tip_chamfer_mm = 7: allowed: 0 to 4.995 mm")
    );
    let negative =
        "name = \"x\"\n[parts.b]\nshape = { kind = \"nut\", diameter_mm = 10, radial_clearance_mm = -0.1 }\n";
    assert_eq!(
        problems(negative),
        ["line 3: parts.b.shape.radial_clearance_mm = -0.1: allowed: a number from 0 up to 100"]
    );
    let odd = "name = \"x\"\n[parts.b]\nshape = { kind = \"nut\", diameter_mm = 13.3 }\n";
    assert!(problems(odd)[0].contains("parts.b.shape.pitch_mm: allowed: M13.3 is no standard size"));
    let preset = "name = \"x\"\n[parts.b]\nshape = { kind = \"preset\", name = \"m48x5-bold\" }\n";
    assert!(problems(preset)[0].contains("`m48x5-bolt`"), "{:?}", problems(preset));
    let free_plane = "name = \"x\"\n[parts.b]\nshape = { kind = \"half-space\" }\n";
    assert!(problems(free_plane)[0].contains("line 3: parts.b.shape: this part has no mass"));
    let kinds = "name = \"x\"\n[parts.b]\nshape = { kind = \"cube\" }\n";
    assert!(
        problems(kinds)[0]
            .starts_with("line 3: parts.b.shape.kind = \"cube\": allowed: `preset`, `mesh`, `step`, `peg`")
    );
    let pair = "name = \"x\"\n[[contacts]]\nparts = [\"a\", \"b\"]\n[parts.a]\nshape = { kind = \"sphere\", diameter_mm = 1 }\n";
    assert!(problems(pair)[0].contains("names `b`, which is no part"), "{:?}", problems(pair));
}

#[test]
fn broken_files_never_panic() {
    assert_eq!(problems("name = ")[0].split(':').next(), Some("line 1"));
    for text in [
        "",
        "[",
        "name = 3",
        "parts = 3\nname = \"x\"",
        "name = \"x\"\nparts = {}",
        "name = \"x\"\nstep_ms = nan\n[parts]",
    ] {
        assert!(Scene::from_toml(text).is_err(), "{text}");
    }
}

#[test]
fn the_schema_names_every_kind_and_every_range() {
    let schema = scene_schema().to_string();
    for word in ["\"preset\"", "\"mesh\"", "\"nut\"", "exclusiveMinimum", "diameter_mm"] {
        assert!(schema.contains(word), "{word}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_is_answered(text in ".{0,200}") {
        let _ = Scene::from_toml(&text);
    }

    #[test]
    fn any_single_edit_of_a_good_file_is_answered(at in 0_usize..400, byte in 32_u8..127) {
        let mut text = built_in_scenes()[0].text.as_bytes().to_vec();
        let at = at % text.len();
        text[at] = byte;
        let _ = Scene::from_toml(&String::from_utf8_lossy(&text));
    }
}

#[test]
fn a_single_point_is_a_body_and_no_point_is_none() {
    let scene = |points: &str| {
        format!(
            "name = \"x\"\ngravity_m_s2 = [0, 0, -9.81]\n[parts.floor]\nmotion = \"fixed\"\nshape = {{ kind = \"half-space\" }}\n\
             [parts.grain]\nposition_mm = [0, 0, 1]\nshape = {{ kind = \"nodes\", points_mm = {points}, mass_kg = 0.1, inertia_kg_m2 = [1e-4, 1e-4, 1e-4] }}\n"
        )
    };
    let mut run = Simulation::new(Scene::from_toml(&scene("[[0, 0, 0]]")).unwrap(), 1);
    (0..50).for_each(|_| drop(run.advance()));
    let height = run.state.motions[0].center.z;
    assert!(height.abs() < 1e-6, "it does not rest on the floor: {height}");
    assert_eq!(
        problems(&scene("[]")),
        ["line 8: parts.grain.shape.points_mm = []: allowed: at least one point"]
    );
}
