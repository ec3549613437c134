//! Laws of impacts that bounce.

use tightfit_simulation::{Certificate, Input, Parameters, Scene, State, Workspace, step};
use tightfit_spatial::{Quaternion, SplitMix, UnitQuaternion, Vector3, Wrench};

const GRAVITY: f64 = 9.81;

struct Trial {
    scene: Scene,
    parameters: Parameters,
    state: State,
    input: Input,
    workspace: Workspace,
}

impl Trial {
    fn new(text: &str) -> Self {
        let scene = Scene::from_toml(text).unwrap();
        let parameters = Parameters::of(&scene);
        let state = State::start(&scene, &parameters);
        let input = Input {
            couplings: vec![None; state.motions.len()],
            wrenches: vec![Wrench::zero(); state.motions.len()],
            kinematic: state.kinematic.clone(),
            arm: None,
        };
        Self { scene, parameters, state, input, workspace: Workspace::default() }
    }

    fn step(&mut self) -> Certificate {
        step(&self.scene, &self.parameters, &mut self.state, &self.input, &mut self.workspace)
    }

    /// Kinetic energy and weight [J].
    fn energy(&self) -> f64 {
        let inertia = self.parameters.bodies.iter().filter_map(|body| body.inertia);
        let of = |(motion, inertia): (
            &tightfit_simulation::recordings::RecordedState,
            tightfit_spatial::Inertia,
        )| {
            let (v, w) = (motion.twist.linear_in_world, motion.twist.angular_in_body);
            let kinetic = (inertia.mass * v.norm_squared() + w.dot(&(inertia.moment * w))) / 2.0;
            kinetic - inertia.mass * self.scene.gravity.dot(&motion.center)
        };
        self.state.motions.iter().zip(inertia).map(of).sum()
    }
}

fn ball(restitution: f64, height: f64) -> Trial {
    Trial::new(&format!(
        r#"
        name = "bouncing-ball"
        gravity_m_s2 = [0, 0, -{GRAVITY}]
        [[contacts]]
        parts = ["ball", "ground"]
        restitution = {restitution}
        [parts.ground]
        shape = {{ kind = "half-space" }}
        motion = "fixed"
        [parts.ball]
        shape = {{ kind = "nodes", points_mm = [[0, 0, -20], [0, 0, 20]], mass_kg = 0.3, inertia_kg_m2 = [5e-5, 5e-5, 5e-5] }}
        position_mm = [0, 0, {}]
        "#,
        1e3 * (height + 0.02)
    ))
}

#[test]
fn a_ball_rises_by_the_square_of_its_restitution_at_every_bounce() {
    let height = 0.3137;
    for restitution in [0.3, 0.5, 0.8, 1.0_f64] {
        let mut trial = ball(restitution, height);
        let mut bounces = 0;
        let mut falling = true;
        let mut steps = 0;
        while bounces < 5 && steps < 2000 {
            let certificate = trial.step();
            assert!(certificate.converged && certificate.energy_injected < 1e-12);
            assert!(certificate.penetration < 1e-7, "{}", certificate.penetration);
            let motion = trial.state.motions[0];
            let speed = motion.twist.linear_in_world.z;
            if falling && speed > 0.0 {
                bounces += 1;
                let apex = motion.center.z - 0.02 + speed * speed / (2.0 * GRAVITY);
                let truth = height * restitution.powi(2 * bounces);
                // a bounce with a flight shorter than the step would be seen after several
                if 2.0 * (2.0 * truth / GRAVITY).sqrt() > 2.0 * trial.scene.dt {
                    // the law gives way by ε dᵢ pₙ, ε = 1e-7, m dᵢ = 2.6 for this ball: twice that in height
                    let softness = 2.0 * 2.6e-7 * (1.0 + restitution) / restitution;
                    let error = (apex / truth - 1.0).abs();
                    assert!(error < 1.1 * softness * f64::from(bounces), "{restitution} {bounces} {error:e}");
                }
            }
            falling = speed < 0.0;
            steps += 1;
        }
        assert!(bounces >= 2, "{restitution}: {bounces} bounces");
    }
}

#[test]
fn a_bouncing_ball_comes_to_rest_on_the_ground() {
    let mut trial = ball(0.7, 0.1);
    (0..500).for_each(|_| {
        trial.step();
    });
    let motion = trial.state.motions[0];
    assert!((motion.center.z - 0.02).abs() < 1e-6, "{}", motion.center.z);
    assert!(motion.twist.linear_in_world.norm() < 2e-3);
}

/// A brick of eight corners above a ground and beside a wall, both with their own restitution.
fn brick(friction: f64, restitution: [f64; 2]) -> Trial {
    Trial::new(&format!(
        r#"
        name = "thrown-brick"
        gravity_m_s2 = [0, 0, -{GRAVITY}]
        friction = {friction}
        [[contacts]]
        parts = ["brick", "ground"]
        restitution = {}
        [[contacts]]
        parts = ["brick", "wall"]
        restitution = {}
        [parts.ground]
        shape = {{ kind = "half-space" }}
        motion = "fixed"
        [parts.wall]
        shape = {{ kind = "half-space" }}
        motion = "fixed"
        position_mm = [-100, 0, 0]
        rotation_deg = [0, 90, 0]
        [parts.brick]
        shape = {{ kind = "nodes", points_mm = [
            [60, 40, 20], [60, 40, -20], [60, -40, 20], [60, -40, -20],
            [-60, 40, 20], [-60, 40, -20], [-60, -40, 20], [-60, -40, -20],
        ], mass_kg = 0.5, inertia_kg_m2 = [3.3e-4, 6.6e-4, 8.6e-4] }}
        position_mm = [0, 0, 100]
        "#,
        restitution[0], restitution[1]
    ))
}

fn thrown(random: &mut SplitMix, friction: f64, restitution: [f64; 2]) -> Trial {
    let mut trial = brick(friction, restitution);
    let motion = &mut trial.state.motions[0];
    let turn = Quaternion::new(random.signed(), random.signed(), random.signed(), random.signed());
    motion.rotation = UnitQuaternion::new_normalize(turn);
    motion.twist.linear_in_world = 2.0 * random.centered_cube() - Vector3::x();
    motion.twist.angular_in_body = 15.0 * random.centered_cube();
    trial
}

#[test]
fn no_impact_with_friction_makes_energy_and_the_balance_closes() {
    let mut random = SplitMix(7);
    let (mut impacts, mut dissipated, mut unconverged) = (0, 0.0, 0);
    for _ in 0..60 {
        let friction = 0.5 * (1.0 + random.signed());
        let restitution = [0.5 * (1.0 + random.signed()), 0.5 * (1.0 + random.signed())];
        let mut trial = thrown(&mut random, friction, restitution);
        for number in 0..80 {
            let before = trial.energy();
            let certificate = trial.step();
            let change = trial.energy() - before;
            let booked = certificate.contact_work + certificate.projection_work;
            assert!(certificate.energy_injected <= 1e-12, "{number} {certificate:?}");
            unconverged += usize::from(!certificate.converged);
            assert!((change - booked).abs() < 1e-9, "{number} {change} {booked} {certificate:?}");
            impacts += usize::from(certificate.contact_work < -1e-6);
            dissipated -= certificate.contact_work;
        }
    }
    assert_eq!(unconverged, 0);
    assert!(impacts > 300 && dissipated > 10.0, "{impacts} {dissipated}");
}

#[test]
fn a_restitution_of_zero_is_the_plastic_contact_to_the_last_bit() {
    let text = |contacts: &str| {
        format!(
            "name = \"x\"\nfriction = 0.4\ngravity_m_s2 = [0, 0, -9.81]\n{contacts}\n[parts.ground]\nshape = {{ kind = \"half-space\" }}\nmotion = \"fixed\"\n[parts.box]\nshape = {{ kind = \"block\", size_mm = [40, 30, 20] }}\nposition_mm = [0, 0, 60]\nrotation_deg = [20, 30, 40]\n"
        )
    };
    let mut plain = Trial::new(&text(""));
    let mut listed = Trial::new(&text("[[contacts]]\nparts = [\"box\", \"ground\"]\nrestitution = 0\n"));
    for _ in 0..60 {
        plain.step();
        listed.step();
        assert_eq!(plain.state.hash(), listed.state.hash());
    }
}

#[test]
fn a_cleared_workspace_changes_no_bit_of_a_bouncing_run() {
    let mut kept = thrown(&mut SplitMix(3), 0.4, [0.6, 0.3]);
    let mut cleared = thrown(&mut SplitMix(3), 0.4, [0.6, 0.3]);
    for number in 0..100 {
        cleared.workspace.clear();
        kept.step();
        cleared.step();
        assert_eq!(kept.state.hash(), cleared.state.hash(), "{number}");
    }
}
