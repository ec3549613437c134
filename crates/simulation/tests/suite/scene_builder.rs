//! Scenes built in Rust: the same as their files, in the given order, with the same checks.

use std::path::PathBuf;

use tightfit_shape::Part;
use tightfit_shape::preset::preset;
use tightfit_shape::primitive::Block;
use tightfit_simulation::log::{self, RunMeta};
use tightfit_simulation::{
    BodyBuilder, Drive, DriveBuilder, Scene, SceneBuilder, SceneError, SceneWarning, Simulation, Task, Wiggle,
};
use tightfit_spatial::{Pose, UnitQuaternion, Vector3};

fn problems(scene: SceneBuilder) -> Vec<String> {
    match scene.build() {
        Err(SceneError::Invalid { problems, .. }) => problems.iter().map(ToString::to_string).collect(),
        other => panic!("expected problems, got {other:?}"),
    }
}

fn block(size: [f64; 3]) -> Part {
    Part::Block(Block::new(size.into()).unwrap())
}

fn springs(part: &str) -> DriveBuilder {
    Drive::springs(part)
        .stiffness(Vector3::repeat(2000.0))
        .turning_stiffness(Vector3::new(2.0, 2.0, 0.6))
        .damping(50.0)
}

fn peg_in_hole() -> SceneBuilder {
    Scene::builder("peg-in-hole")
        .gravity(Vector3::zeros())
        .part("hole", BodyBuilder::fixed(preset("hole-50").unwrap()))
        .part("peg", BodyBuilder::free(preset("peg-50").unwrap()).mass(0.53))
        .drive(
            springs("peg")
                .offset(0.4 * 1e-3)
                .tilt(0.2_f64.to_radians())
                .waypoint(0.0, Vector3::new(0.0, 0.0, 3.0) * 1e-3)
                .waypoint(2.0, Vector3::new(0.0, 0.0, -22.0) * 1e-3)
                .wiggle(Wiggle {
                    span: [2.2, 4.2],
                    shift: [2.0 * 1e-3, 1.0],
                    tilt: [2_f64.to_radians(), 1.3],
                }),
        )
        .task(Task::insert("hole", 20.0 * 1e-3).engaged(1e-3))
}

#[test]
fn a_scene_in_rust_runs_like_its_file() {
    let hashes = |scene: Scene| {
        let mut run = Simulation::new(scene, 1);
        (0..120).map(|_| run.advance().hash).collect::<Vec<_>>()
    };
    let built = peg_in_hole().build().unwrap();
    assert!(built.warnings.is_empty(), "{:?}", built.warnings);
    assert_eq!(hashes(built), hashes(Scene::find("peg-in-hole").unwrap()));
}

#[test]
fn bodies_keep_the_given_order_and_are_found_by_name() {
    let text = "name = \"x\"\n[parts.z]\nshape = { kind = \"half-space\" }\nmotion = \"fixed\"\n\
                [parts.a]\nshape = { kind = \"sphere\", diameter_mm = 1 }\nposition_mm = [0, 0, 9]\n";
    for scene in [
        Scene::from_toml(text).unwrap(),
        // the text of a scene with replaced values keeps the order too
        Scene::from_source_with(&Scene::from_toml(text).unwrap().source, "x", &["friction=0.2".into()])
            .unwrap(),
    ] {
        let names: Vec<&str> = scene.bodies.iter().map(|body| body.name.as_str()).collect();
        assert_eq!(names, ["z", "a"]);
        assert_eq!(scene.body("a").unwrap().index(), 1);
        assert_eq!(scene.bodies[scene.body_id("z").unwrap()].name, "z");
        let error = scene.body_id("b").unwrap_err().to_string();
        assert_eq!(error, "scene `x` has no part `b`; parts: z, a");
    }
}

#[test]
fn every_problem_of_a_builder_has_its_key_and_a_remedy() {
    let wrong = Scene::builder("x")
        .friction(-0.5)
        .part("floor", BodyBuilder::fixed(Part::HalfSpace))
        .part("block", BodyBuilder::free(block([0.1, 0.1, 0.1])).mass(0.0))
        .part("sky", BodyBuilder::free(Part::HalfSpace))
        .drive(Drive::springs("block").damping(3.0).waypoint(0.0, Vector3::zeros()))
        .drive(Drive::path("floor"))
        .task(Task::insert("hole", 0.1));
    let found = problems(wrong);
    for expected in [
        "friction = -0.5: allowed: 0 to 10",
        "parts.block.mass = 0: allowed: above 0 up to 1000000 kg",
        "parts.sky.shape: this part has no mass",
        "drives[0].stiffness: is missing",
        "drives[1].part: names a fixed part",
        "task.into: names `hole`, which is no part; parts: floor, block, sky",
    ] {
        assert!(found.iter().any(|problem| problem.starts_with(expected)), "{expected}: {found:#?}");
    }
    let twice = peg_in_hole().drive(springs("peg").waypoint(0.0, Vector3::zeros()));
    assert_eq!(
        problems(twice),
        ["drives[1].part: names a part that has a drive already; a part has at most one"]
    );
    let far = Vector3::new(0.0, 1e300, 0.0);
    let far = Scene::builder("x").part("a", BodyBuilder::free(block([0.1, 0.1, 0.1])).position(far));
    assert!(problems(far)[0].contains("within 1000 km"));
}

/// Two blocks, far from one another, each on a drive.
const TWO_DRIVES: &str = r#"
    name = "two"
    gravity_m_s2 = [0, 0, 0]
    [parts.left]
    shape = { kind = "block", size_mm = [20, 20, 20] }
    [parts.right]
    shape = { kind = "block", size_mm = [20, 20, 20] }
    motion = "kinematic"
    [[drives]]
    part = "left"
    stiffness_n_m = [2000, 2000, 2000]
    turning_stiffness_nm_rad = [2, 2, 2]
    damping_per_s = 50
    waypoints = [{ time_s = 0, position_mm = [0, 0, 0] }, { time_s = 1, position_mm = [0, 50, 0] }]
    [[drives]]
    part = "right"
    waypoints = [{ time_s = 0, position_mm = [100, 0, 0] }, { time_s = 1, position_mm = [100, 0, 70] }]
"#;

#[test]
fn several_parts_are_driven_at_once() {
    let mut run = Simulation::new(Scene::from_toml(TWO_DRIVES).unwrap(), 1);
    let [left, right] = ["left", "right"].map(|name| run.scene.body(name).unwrap());
    assert_eq!(run.scene.led_body(), left);
    for _ in 0..130 {
        run.step();
    }
    assert!((run.world_from_part(left).translation - Vector3::new(0.0, 0.05, 0.0)).norm() < 1e-4);
    assert!((run.world_from_part(right).translation - Vector3::new(0.1, 0.0, 0.07)).norm() < 1e-12);

    let twice = TWO_DRIVES.replace("part = \"right\"", "part = \"left\"");
    let error = Scene::from_toml(&twice).unwrap_err().to_string();
    assert!(error.contains("line 16: drives[1].part = \"left\": names a part that has a drive"), "{error}");
    let source = Scene::from_toml(TWO_DRIVES).unwrap().source;
    let set = |set: &str| Scene::from_source_with(&source, "two", &[set.to_string()]);
    let error = set("tilt_deg=1").unwrap_err().to_string();
    assert!(error.contains("has 2 drives") && error.contains("drives.0.tilt_deg"), "{error}");
    let tilted = set("drives.1.tilt_deg=1").unwrap();
    assert_eq!(tilted.drives[1].tilt, 1_f64.to_radians());
}

#[test]
fn a_free_block_follows_a_quarter_turn_about_y() {
    let quarter = UnitQuaternion::from_axis_angle(&Vector3::y_axis(), std::f64::consts::FRAC_PI_2);
    let scene = Scene::builder("turned")
        .gravity(Vector3::zeros())
        .part("block", BodyBuilder::free(block([0.04, 0.03, 0.02])))
        .drive(
            springs("block")
                .turning_stiffness(Vector3::repeat(2.0))
                .waypoint(0.0, Vector3::zeros())
                .waypoint_pose(2.0, Pose::new(Vector3::zeros(), quarter))
                .hold(0.5),
        )
        .build()
        .unwrap();
    let block = scene.body("block").unwrap();
    let steps = (scene.duration() / scene.dt).round() as usize;
    let mut run = Simulation::new(scene, 1);
    for _ in 0..steps {
        run.step();
        let error =
            run.world_from_part(block).rotation.angle_to(&run.scene.drives[0].target(run.time()).rotation);
        assert!(error < 1_f64.to_radians(), "{:.2} s: {} deg", run.time(), error.to_degrees());
    }
    let error = run.world_from_part(block).rotation.angle_to(&quarter);
    assert!(error < 0.01_f64.to_radians(), "{} deg", error.to_degrees());
}

/// A full turn about z in three rotations, and upside down: no winding up where turns are not counted.
#[test]
fn rotations_of_waypoints_take_the_shorter_way_and_count_no_turns() {
    let about =
        |axis: Vector3<f64>, degrees: f64| UnitQuaternion::from_scaled_axis(axis * degrees.to_radians());
    for axis in [Vector3::z(), Vector3::x(), Vector3::new(1.0, 1.0, 0.0).normalize()] {
        let mut drive = springs("block").turning_stiffness(Vector3::repeat(2.0));
        for corner in 0..=4 {
            let rotation = about(axis, 120.0 * f64::from(corner));
            drive = drive.waypoint_pose(f64::from(corner), Pose::new(Vector3::zeros(), rotation));
        }
        let scene = Scene::builder("round")
            .gravity(Vector3::zeros())
            .part("block", BodyBuilder::free(block([0.04, 0.03, 0.02])))
            .drive(drive)
            .build()
            .unwrap();
        let block = scene.body("block").unwrap();
        let mut run = Simulation::new(scene, 1);
        for _ in 0..400 {
            run.step();
            let target = run.scene.drives[0].target(run.time());
            let error = run.world_from_part(block).rotation.angle_to(&target.rotation);
            assert!(error < 3_f64.to_radians(), "{axis}: {:.2} s: {} deg", run.time(), error.to_degrees());
        }
    }
}

#[test]
fn turns_count_on_a_tilted_axis() {
    let text = "name = \"x\"\ngravity_m_s2 = [0, 0, 0]\n[parts.nut]\nshape = { kind = \"block\", size_mm = [20, 20, 20] }\n\
                [drive]\npart = \"nut\"\nstiffness_n_m = [2000, 2000, 2000]\nturning_stiffness_nm_rad = [2, 2, 2]\ndamping_per_s = 50\n\
                waypoints = [{ time_s = 0, position_mm = [0, 0, 0], rotation_deg = [0, 90, 0] },\n\
                { time_s = 4, position_mm = [0, 0, 0], rotation_deg = [0, 90, 0], turns = 2.25 }]\nhold_s = 0.5\n";
    let scene = Scene::from_toml(text).unwrap();
    let nut = scene.body("nut").unwrap();
    let mut run = Simulation::new(scene, 1);
    (0..450).for_each(|_| {
        run.step();
    });
    assert!((run.state.spins[0] / std::f64::consts::TAU - 2.25).abs() < 1e-3, "{}", run.state.spins[0]);
    let axis = run.world_from_part(nut).rotation * Vector3::z();
    assert!((axis - Vector3::x()).norm() < 1e-3, "{axis}");
    let upside_down = text.replace("[0, 90, 0], turns", "[180, 0, 0], turns");
    let error = Scene::from_toml(&upside_down).unwrap_err().to_string();
    assert!(error.contains("drive.waypoints") && error.contains("upside down"), "{error}");
}

#[test]
fn what_is_probably_not_meant_is_a_warning() {
    let text = "name = \"x\"\n[parts.floor]\nshape = { kind = \"half-space\" }\nmotion = \"fixed\"\n\
                [parts.a]\nshape = { kind = \"block\", size_mm = [20, 20, 20] }\nposition_mm = [0, 0, 9.9]\n\
                [parts.b]\nshape = { kind = \"block\", size_mm = [20, 20, 20] }\nposition_mm = [0, 150000, 50]\n";
    let scene = Scene::from_toml(text).unwrap();
    let warnings: Vec<String> = scene.warnings.iter().map(ToString::to_string).collect();
    assert_eq!(
        warnings,
        [
            "gravity_m_s2 is not given: parts have no weight; write gravity_m_s2 = [0, 0, -9.81], or [0, 0, 0] to confirm",
            "`b` starts 150 m from the origin; check the unit of its position",
            "`floor` and `a` overlap by 100.0 um at the start; the first step moves them apart",
        ]
    );
    let silent = Scene::builder("x").part("a", BodyBuilder::free(block([0.1; 3]))).build().unwrap();
    assert_eq!(silent.warnings, [SceneWarning::NoGravity { is_from_file: false }]);
    for built_in in tightfit_simulation::built_in_scenes() {
        let warnings = Scene::find(built_in.name).unwrap().warnings;
        assert!(warnings.is_empty(), "{}: {warnings:?}", built_in.name);
    }
    let far = text.replace("150000", "1e300");
    let error = Scene::from_toml(&far).unwrap_err().to_string();
    assert!(error.contains("line 10: parts.b.position_mm = [0, 1e300, 50]"), "{error}");
}

#[test]
fn the_log_of_a_scene_built_in_rust_says_how_to_replay_it() {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("built.csv");
    let mut run = Simulation::new(peg_in_hole().build().unwrap(), 7);
    let records: Vec<_> = (0..5).map(|_| run.advance()).collect();
    log::write(&path, &run.scene, &RunMeta::new(7, None), &records).unwrap();
    let error = log::replay(&path).map(|_| ()).unwrap_err().to_string();
    assert!(error.contains("built in Rust") && error.contains("state_hash"), "{error}");
}
