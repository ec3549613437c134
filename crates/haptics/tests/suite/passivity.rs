//! A person wrenches at random on the engaged nut.

use tightfit_haptics::{
    Device, DeviceDescription, DeviceSample, DeviceWrench, HumanOptions, HumanPlan, LoopOptions, Measures,
    RenderedScene, RunOptions, VirtualHuman, rehearse, run,
};
use tightfit_simulation::{Scene, Simulation};

fn scene(name: &str) -> RenderedScene {
    RenderedScene::new(Simulation::new(Scene::find(name).unwrap(), 1)).unwrap()
}

fn wrench(seed: u64) -> Measures {
    let mut human = VirtualHuman::new(HumanOptions { seed, ..HumanOptions::default() });
    let options = RunOptions { seconds: 0.5, ..RunOptions::default() };
    rehearse(&mut scene("bolting-engaged"), &mut human, &options, &mut |_| {})
}

fn is_passive(measures: &Measures) -> bool {
    // with a delay only the device knows force and displacement of the same moment
    measures.lowest_device_energy.unwrap() >= -1e-6
}

#[test]
fn a_wrenched_nut_stays_on_its_thread_and_the_port_stays_passive() {
    let mut human = VirtualHuman::new(HumanOptions::default());
    let options = RunOptions { seconds: 3.0, audit_every: 10, ..RunOptions::default() };
    let measures = rehearse(&mut scene("bolting-engaged"), &mut human, &options, &mut |_| {});
    println!("{:?}", Measures { moments: Vec::new(), ..measures.clone() });
    assert!(measures.lowest_port_energy >= -1e-6 && is_passive(&measures));
    assert!((measures.lowest_port_energy - measures.lowest_device_energy.unwrap()).abs() < 1e-9);
    assert_eq!(measures.watchdog_trips, 0);
    assert!(measures.audited.unwrap().0 <= 5e-6);
    let thread = measures.thread.unwrap();
    assert!(!thread.has_slipped() && thread.swept > 1.0, "{thread:?}");
    assert!(measures.largest_wrench[0] > 2.0, "the hand feels the thread");
}

/// The person wrenches for a second and then holds on: the port is passive throughout, and the handle comes to rest.
#[test]
fn a_delayed_port_is_passive_and_comes_to_rest() {
    for (delay, scene_delay) in [(0.0, 0.0), (0.01, 0.0), (0.05, 0.0), (0.0, 0.02), (0.0, 0.05), (0.03, 0.03)]
    {
        let options = HumanOptions { seed: 2, delay, rest_after: 1.0, ..HumanOptions::default() };
        let mut human = VirtualHuman::new(options);
        let options = RunOptions { seconds: 2.5, scene_delay, ..RunOptions::default() };
        let measures = rehearse(&mut scene("bolting-engaged"), &mut human, &options, &mut |_| {});
        let [speed, spin] = human.speeds();
        println!(
            "delay {delay} s, scene {scene_delay} s: lowest {:e} J, {:.0} N/m, {:.1} N at most, at the end {speed:e} m/s, \
             {spin:e} rad/s",
            measures.lowest_device_energy.unwrap(),
            measures.stiffness.unwrap().linear,
            measures.largest_wrench[0],
        );
        assert!(is_passive(&measures), "{delay} {scene_delay}");
        assert!(speed < 1e-3 && spin < 0.02, "{delay} {scene_delay}: {speed} m/s, {spin} rad/s");
        assert!(!measures.thread.unwrap().has_slipped());
    }
}

#[test]
fn the_same_seed_gives_the_same_bits() {
    let (a, b) = (wrench(5), wrench(5));
    assert_eq!((a.hash, a.port_energy.to_bits()), (b.hash, b.port_energy.to_bits()));
    assert_ne!(a.hash, wrench(6).hash);
}

/// A handle that nobody holds, and nothing moves: the loop must not move it.
#[test]
fn at_rest_nothing_is_felt() {
    let mut human = VirtualHuman::new(HumanOptions { plan: HumanPlan::Rest, ..HumanOptions::default() });
    let options = RunOptions { seconds: 1.0, ..RunOptions::default() };
    let measures = rehearse(&mut scene("bolting-engaged"), &mut human, &options, &mut |_| {});
    assert!(measures.largest_wrench[0] < 0.2 && human.speeds()[0] < 1e-3, "{:?}", measures.largest_wrench);
}

/// A device that falls silent.
struct Silent(VirtualHuman, f64, [f64; 2]);

impl Device for Silent {
    fn description(&self) -> DeviceDescription {
        self.0.description()
    }

    fn read(&mut self, elapsed: f64) -> Option<DeviceSample> {
        self.1 += elapsed;
        let sample = self.0.read(elapsed);
        sample.filter(|_| !(self.2[0]..self.2[1]).contains(&self.1))
    }

    fn write(&mut self, wrench: &DeviceWrench) {
        let silence = self.1 - self.2[0];
        if silence > 0.022 && self.1 < self.2[1] {
            assert_eq!(*wrench, DeviceWrench::default(), "no force {silence} s after the last input");
        }
        self.0.write(wrench);
    }
}

#[test]
fn a_silent_device_gets_no_force_and_may_come_back() {
    let human = VirtualHuman::new(HumanOptions::default());
    let mut device = Silent(human, 0.0, [0.5, 0.8]);
    let options = RunOptions { seconds: 1.5, ..RunOptions::default() };
    let measures = rehearse(&mut scene("bolting-engaged"), &mut device, &options, &mut |_| {});
    assert_eq!(measures.watchdog_trips, 1);
    assert!(!measures.thread.unwrap().has_slipped());
}

#[test]
fn without_the_tank_and_the_clamp_the_port_is_active() {
    let mut human = VirtualHuman::new(HumanOptions { plan: HumanPlan::Wrench, ..HumanOptions::default() });
    let haptic_loop =
        LoopOptions { is_guarded: false, is_clamped: false, stiffness: 2e4, ..LoopOptions::default() };
    let options = RunOptions { seconds: 2.0, haptic_loop, ..RunOptions::default() };
    let active = rehearse(&mut scene("bolting-engaged"), &mut human, &options, &mut |_| {});
    println!("unguarded at ten times the stiffness: lowest {:e} J", active.lowest_port_energy);
    assert!(active.lowest_port_energy < -1e-6, "the guards are needed");
}

#[test]
fn a_run_in_real_time_ends_with_and_without_an_audit() {
    for audit_every in [0, 1] {
        let mut human = VirtualHuman::new(HumanOptions::default());
        let options = RunOptions { seconds: 0.3, audit_every, ..RunOptions::default() };
        let measures = run(scene("bolting-engaged"), &mut human, &options, &mut |_| true).unwrap();
        assert_eq!(measures.audited.is_some(), audit_every > 0);
        assert!(measures.ticks > 0 && measures.steps > 0 && !measures.thread.unwrap().has_slipped());
    }
}
