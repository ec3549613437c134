//! Parts that are moved as told: what they do to others, and who pays for it.

use tightfit_simulation::{Scene, SceneError, Simulation};

#[test]
fn no_ball_leaves_a_slab_that_is_moved_under_it() {
    let mut run = Simulation::new(Scene::find("balls-on-slab").unwrap(), 1);
    let start: Vec<_> = run.state.motions.clone();
    let steps = (run.scene.drives[0].duration() / run.scene.dt).round() as usize;
    let (mut farthest, mut supplied, mut booked) = (0.0_f64, 0.0, 0.0);
    for _ in 0..steps {
        let record = run.advance();
        assert!(record.certificate.converged, "{:?}", record.certificate);
        assert!(record.certificate.energy_injected < 1e-12);
        assert!(record.certificate.limits.is_empty(), "{:?}", record.certificate.limits);
        assert!(record.certificate.penetration < 1e-7);
        supplied += record.certificate.kinematic_work;
        let certificate = &record.certificate;
        booked += certificate.contact_work + certificate.kinematic_work + certificate.projection_work;
        for (motion, start) in run.state.motions.iter().zip(&start) {
            let lift = motion.center.z - start.center.z;
            assert!(lift.abs() < 1e-7, "a ball is {lift} m off the slab");
            farthest = farthest.max((motion.center.x - start.center.x).abs());
        }
    }
    // rolling balls go 2/7 of the slab's way to and fro, after a start at speed that they keep 2/7 of
    assert!(farthest > 5e-3, "{farthest}");
    assert!(supplied > 0.0);
    let inertia = run.parameters.bodies.iter().filter_map(|body| body.inertia);
    let mut gained = 0.0;
    for ((motion, start), inertia) in run.state.motions.iter().zip(&start).zip(inertia) {
        let (v, w) = (motion.twist.linear_in_world, motion.twist.angular_in_body);
        gained += (inertia.mass * v.norm_squared() + w.dot(&(inertia.moment * w))) / 2.0;
        gained += 9.81 * inertia.mass * (motion.center.z - start.center.z);
    }
    assert!((booked - gained).abs() < 1e-9, "{booked} {gained}");
}

#[test]
fn a_moved_part_gives_the_same_bits_with_the_workspace_cleared() {
    let scene = || Scene::find("balls-on-slab").unwrap();
    let (mut kept, mut cleared) = (Simulation::new(scene(), 1), Simulation::new(scene(), 1));
    for number in 0..100 {
        cleared.forget();
        assert_eq!(kept.advance().hash, cleared.advance().hash, "{number}");
    }
}

#[test]
fn springs_are_for_free_parts_and_only_for_them() {
    let refused = |motion: &str, spring: &str| {
        let text = format!(
            "name = \"x\"\n[parts.slab]\nshape = {{ kind = \"block\", size_mm = [10, 10, 10] }}\nmotion = \"{motion}\"\n[drive]\npart = \"slab\"\n{spring}\nwaypoints = [{{ time_s = 0, position_mm = [0, 0, 0] }}]\n"
        );
        match Scene::from_toml(&text) {
            Err(SceneError::Invalid { problems, .. }) => problems[0].to_string(),
            _ => panic!("expected problems with {motion}, {spring}"),
        }
    };
    assert!(refused("free", "damping_per_s = 3").contains("drive.stiffness_n_m: is missing"));
    assert!(refused("kinematic", "damping_per_s = 3").contains("drive.damping_per_s = 3: is given"));
    assert!(refused("fixed", "").contains("drive.part = \"slab\": names a fixed part"));
    let wide = "stiffness_n_m = [1, 1, -1]\nturning_stiffness_nm_rad = [1, 1, 1]\ndamping_per_s = 3";
    assert!(refused("free", wide).contains("allowed: a number from 0"), "{}", refused("free", wide));
}
