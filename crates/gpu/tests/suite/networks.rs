//! Depth networks in the step: each step is that of the CPU, and what networks cannot answer is refused.
//!
//! Coordinates go into a network in single precision. Where one of them is rounded to the next number, 2.4 nm away, its gap changes by
//! as much, and a peg that slides leaves its path by more from step to step: the CPU itself, with every state moved by a picometre,
//! ends 0.1 µm away after 100 steps. So steps are compared one by one, each from the CPU's state, and whole runs with such runs.

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_gpu::{Device, GpuBatch};
use tightfit_network::{Activation, Features, Field, FieldFile, Layer, Network, Primitive, Range, Residual};
use tightfit_simulation::batch::Setup;
use tightfit_simulation::{Scene, State};
use tightfit_spatial::SplitMix;

use crate::agreement::{apart, on_cpu, quantile, states, stepped};
use crate::host_library::{host_device, nuts, pegs};
use crate::refusals::refusal;

fn paper(scene: &str) -> Scene {
    Scene::find_with(scene, &["method.detection=neural-paper".into()]).expect("its networks are embedded")
}

/// The same setups with the parts of the scene, which its networks know.
fn with_parts_of(scene: &Scene, mut setups: Vec<Setup>) -> Vec<Setup> {
    for own in &mut setups {
        for body in &scene.contacts[0].bodies {
            own.parameters.bodies[*body].part = scene.bodies[*body].part.clone();
        }
    }
    setups
}

/// One step of the kernels from every fifth state of the CPU's run; numbers of contacts must be the CPU's.
fn single_steps(scene: &Scene, setups: &[Setup], steps: usize, device: &Device) -> Vec<[f64; 2]> {
    let mut batch = GpuBatch::new(scene.clone(), setups.len(), device).expect("host kernels");
    let mut cpu = on_cpu(scene, setups);
    let mut differences = Vec::new();
    for step in (5..=steps).step_by(5) {
        cpu.advance(4);
        let here = setups.iter().zip(states(&cpu)).map(|(setup, state)| Setup { state, ..setup.clone() });
        batch.reset_many(here.enumerate().collect()).expect("setups");
        cpu.advance(1);
        batch.step().expect("a step");
        let all: Vec<usize> = (0..setups.len()).collect();
        for (index, (own, state)) in
            all.iter().zip(batch.states(&all).expect("states").iter().zip(&states(&cpu)))
        {
            let certificates =
                (batch.certificate(*index).expect("it exists"), cpu.certificate(*index).expect("it exists"));
            let (a, b) = (&certificates.0, certificates.1);
            assert_eq!((a.candidates, a.active), (b.candidates, b.active), "step {step} of {index}");
            assert!((a.penetration - b.penetration).abs() < 1e-9, "step {step} of {index}");
            differences.push(apart(own, state));
        }
    }
    assert_eq!(batch.tail().host_steps(), 0);
    differences
}

/// Half of the holes are not those that the network knows: there the exact distance answers, as on the CPU.
#[test]
fn a_step_of_a_peg_by_networks_is_that_of_the_cpu() {
    let Some(device) = host_device() else { return };
    let scene = paper("peg-in-hole");
    let mut setups = with_parts_of(&scene, pegs(&scene, 4));
    setups.extend(pegs(&scene, 4));
    let [shift, turn] = quantile(&single_steps(&scene, &setups, 100, &device), 0.99);
    assert!(shift <= 1e-11 && turn <= 1e-10, "99 %: {shift} m, {turn} rad");
}

#[test]
fn a_step_of_an_engaged_nut_by_networks_is_that_of_the_cpu() {
    let Some(device) = host_device() else { return };
    let scene = paper("bolting-engaged");
    let setups = with_parts_of(&scene, nuts(&scene, 2));
    let [shift, turn] = quantile(&single_steps(&scene, &setups, 40, &device), 0.9);
    assert!(shift <= 1e-11 && turn <= 1e-8, "90 %: {shift} m, {turn} rad");
}

/// States of the CPU after 100 steps, each moved by up to this much [m] and turned by ten times as much [rad/m].
fn disturbed(scene: &Scene, setups: &[Setup], size: f64) -> Vec<State> {
    let (mut cpu, mut random) = (on_cpu(scene, setups), SplitMix::stream(5));
    for _ in 0..100 {
        cpu.advance(1);
        for (index, mut state) in states(&cpu).into_iter().enumerate() {
            let motion = &mut state.motions[0];
            motion.center += Vector3::from_fn(|_, _| size * random.signed());
            let turn = Vector3::from_fn(|_, _| 10.0 * size * random.signed());
            motion.rotation = UnitQuaternion::from_scaled_axis(turn) * motion.rotation;
            cpu.reset(index, Setup { state, ..setups[index].clone() }).expect("it exists");
        }
    }
    states(&cpu)
}

#[test]
fn after_100_steps_pegs_differ_from_the_cpu_as_if_it_were_moved_by_a_picometre() {
    let Some(device) = host_device() else { return };
    let scene = paper("peg-in-hole");
    let setups = with_parts_of(&scene, pegs(&scene, 32));
    let (batch, own) = stepped(&scene, &setups, &device);
    let mut cpu = on_cpu(&scene, &setups);
    cpu.advance(100);
    let cpu = states(&cpu);
    let [own, moved] = [own, disturbed(&scene, &setups, 1e-12)]
        .map(|other| other.iter().zip(&cpu).map(|(one, other)| apart(one, other)).collect::<Vec<_>>());
    for share in [0.5, 0.75] {
        let (own, moved) = (quantile(&own, share), quantile(&moved, share));
        assert!(own[0] <= 2.0 * moved[0] && own[1] <= 2.0 * moved[1], "{own:?} instead of {moved:?}");
    }
    let agree = own.iter().filter(|[shift, turn]| *shift <= 0.1e-6 && *turn <= 1e-6).count();
    assert!(2 * agree >= setups.len(), "{agree} agree");
    assert_eq!((batch.tail().host_steps(), batch.faults().count()), (0, 0));
}

#[test]
fn neither_other_environments_nor_the_steps_of_a_call_change_a_bit() {
    let Some(device) = host_device() else { return };
    // a nut has more contacts than are kept between calls
    let scene = paper("bolting-engaged");
    let setups = with_parts_of(&scene, nuts(&scene, 3));
    let hashes = |chosen: &[Setup], steps: &[usize]| -> (Vec<u64>, usize) {
        let mut batch = GpuBatch::new(scene.clone(), chosen.len(), &device).expect("host kernels");
        batch.reset_many(chosen.iter().cloned().enumerate().collect()).expect("setups");
        steps.iter().for_each(|steps| batch.advance(*steps).expect("steps"));
        let all: Vec<usize> = (0..chosen.len()).collect();
        let most = batch.certificates(&all).expect("they exist").iter().map(|own| own.candidates).max();
        (batch.states(&all).expect("states").iter().map(State::hash).collect(), most.unwrap_or(0))
    };
    let (all, most) = hashes(&setups, &[12]);
    assert!(most > 1536, "{most} contacts");
    assert_eq!(hashes(&setups[..2], &[1; 12]).0, all[..2]);
}

#[test]
fn networks_near_the_surface_alone_are_refused_by_name() {
    let scene = Scene::find_with("peg-in-hole", &["method.detection=neural".into()]).expect("built in");
    let said = refusal(scene);
    assert!(said.contains("detection method neural") && said.contains("peg-in-hole"), "{said}");
}

/// A hole without chamfer is a ring, to which its network adds nothing.
#[test]
fn networks_of_other_inputs_are_refused_by_name() {
    let layer = Layer { weights: vec![0.0; 2], biases: vec![0.0], activation: Activation::Identity };
    let range = |low, high| Range::new("test", low, high).expect("a range");
    let inputs = vec![range(0.02, 0.042), range(-0.053, 0.003)];
    let primitive = Primitive::Ring { radii: [0.025_017_5, 0.038], heights: [-0.05, 0.0] };
    let network = Network::new(vec![layer]).expect("a network");
    let field = Field::new(Features::Revolved, inputs, range(-1e-9, 1e-9), network).expect("a field");
    let field = field.with_residual(Residual { primitive, values: range(-2e-3, 2e-3) }).expect("a field");
    let folder = std::env::temp_dir().join("tightfit-gpu-networks");
    std::fs::create_dir_all(&folder).expect("it can be written");
    let path = folder.join("ring.safetensors");
    FieldFile { field, recipe: Default::default() }.save(&path).expect("it can be written");
    let text = format!(
        r#"
        name = "peg-beside-a-ring"
        [parts.hole]
        shape = {{ kind = "hole", diameter_mm = 50.035, depth_mm = 50, outer_diameter_mm = 76, chamfer_mm = 0 }}
        motion = "fixed"
        network = {:?}
        [parts.peg]
        shape = {{ kind = "preset", name = "peg-50" }}
        [method]
        detection = "neural-paper"
        "#,
        path.display().to_string()
    );
    let said = refusal(Scene::from_toml(&text).expect("a scene"));
    assert!(said.contains("coordinates") && said.contains("`hole`"), "{said}");
}
