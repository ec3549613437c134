//! A hand on a part that an arm holds: the proxy is the set pose of the arm's controller (paper, section 5.6).

use tightfit_haptics::{
    Device, DeviceDescription, DeviceSample, DeviceWrench, RenderedScene, RunOptions, rehearse,
};
use tightfit_simulation::{Scene, Simulation};
use tightfit_spatial::Pose;

const ADMITTANCE: &str = "arm.controller={ kind = \"admittance\", mass_kg = [12, 12, 12], damping_ns_m = [310, 310, 310], \
    stiffness_n_m = [2000, 2000, 2000], turning_mass_kg_m2 = [0.8, 0.8, 0.8], \
    turning_damping_nms_rad = [12.65, 12.65, 12.65], turning_stiffness_nm_rad = [50, 50, 50] }";
/// Way of the hand along x [m], and its time [s].
const WAY: f64 = 4e-3;
const TIME: f64 = 0.8;

/// A hand that moves smoothly to one side and stays there.
struct Aside(f64);

impl Device for Aside {
    fn description(&self) -> DeviceDescription {
        DeviceDescription::default()
    }

    fn read(&mut self, elapsed: f64) -> Option<DeviceSample> {
        self.0 += elapsed;
        let share = (self.0 / TIME).min(1.0);
        let mut sample = DeviceSample::at(Pose::identity());
        sample.pose.translation.x = WAY * share * share * (3.0 - 2.0 * share);
        sample.linear.x = WAY * 6.0 * share * (1.0 - share) / TIME;
        Some(sample)
    }

    fn write(&mut self, _wrench: &DeviceWrench) {}
}

#[test]
fn an_arm_follows_the_hand_by_impedance_and_by_admittance() {
    // friction of the joints would hold the arm back by a millimetre
    let smooth = || "arm.joint_friction=false".to_string();
    for changes in [vec![smooth()], vec![smooth(), ADMITTANCE.to_string()]] {
        let scene = Scene::find_with("peg-in-hole-arm", &changes).unwrap();
        let mut scene = RenderedScene::new(Simulation::new(scene, 1)).unwrap();
        let peg = scene.simulation().scene.body_id("peg").unwrap();
        let place = |scene: &RenderedScene| scene.simulation().world_from_part(peg).translation;
        let start = place(&scene);
        let options = RunOptions { seconds: 2.0, ..RunOptions::default() };
        let measures = rehearse(&mut scene, &mut Aside(0.0), &options, &mut |_| {});
        let moved = place(&scene) - start;
        println!("moved by {:?} mm, lowest energy {:e} J", 1e3 * moved, measures.lowest_port_energy);
        assert!((moved.x - WAY).abs() < 0.1 * WAY, "{moved:?}");
        assert!(moved.y.abs() < 0.5e-3 && moved.z.abs() < 1e-3, "{moved:?}");
        assert!(measures.lowest_port_energy >= -1e-6 && measures.unconverged == 0);
        assert!(scene.simulation().certificate().arm_failure.is_none());
    }
}
