//! Environments on a graphics device, with the kernels compiled for the host: the episodes of the processor.

use tightfit_environments::{ACTIONS, Environments, Kind, Options};
use tightfit_simulation::Scene;
use tightfit_spatial::SplitMix;

use crate::host_library::host_device;

const COUNT: usize = 8;

fn both(kind: Kind) -> Option<[Environments; 2]> {
    let device = host_device()?;
    let (scene, options): (Scene, Options) = kind.scene_and_options().expect("built in");
    let on_device = Environments::on_device(scene.clone(), COUNT, &device, options.clone());
    let mut both = [on_device, Environments::new(scene, COUNT, 0, options)].map(|made| made.expect("a task"));
    let seeds: Vec<_> = (0..COUNT).map(|index| (index, Some(index as u64))).collect();
    both.iter_mut().for_each(|own| own.reset_many(&seeds).expect("seeds"));
    Some(both)
}

#[test]
fn pegs_and_nuts_have_the_episodes_of_the_processor() {
    for (kind, steps) in [(Kind::PegInHole, 40), (Kind::NutThread, 12)] {
        let Some([mut device, mut processor]) = both(kind) else { return };
        assert_eq!(device.columns().observation, processor.columns().observation, "{kind:?}: the same draws");
        let mut random = SplitMix::stream(7);
        for step in 0..steps {
            // a random walk downwards, tilted and turned
            let actions: Vec<f32> = (0..ACTIONS * COUNT)
                .map(|place| {
                    (random.unit() * 2.0 - 1.0) as f32 - if place % ACTIONS == 2 { 0.5 } else { 0.0 }
                })
                .collect();
            let is_chosen = |index: usize| !(index + step).is_multiple_of(3);
            device.step(&actions, is_chosen).expect("finite actions");
            processor.step(&actions, is_chosen).expect("finite actions");
        }
        let (own, other) = (device.columns(), processor.columns());
        assert_eq!((&own.fault, &own.episode_step), (&other.fault, &other.episode_step));
        assert_eq!(own.unconverged, vec![0; COUNT]);
        // a quarter of the nuts may have taken another of many ways to share a load
        let near = (0..COUNT).filter(|index| {
            let range = 16 * index..16 * index + 6;
            let pairs = own.privileged[range.clone()].iter().zip(&other.privileged[range]);
            pairs.into_iter().all(|(own, other)| (own - other).abs() < 1e-3)
        });
        assert!(near.count() >= COUNT - COUNT / 4, "{kind:?}: {:?} {:?}", own.privileged, other.privileged);
        assert!(own.penetration.iter().all(|depth| *depth < 1e-6), "{:?}", own.penetration);
        let touched = own.peak_force.iter().filter(|force| **force > 0.0).count();
        assert!(touched > 0, "{kind:?}: nothing was touched");
    }
}

#[test]
fn an_arm_and_an_audit_are_refused_by_name() {
    let Some(device) = host_device() else { return };
    let (scene, options) = Kind::PegInHoleArm.scene_and_options().expect("built in");
    let refused = Environments::on_device(scene, 1, &device, options).err().expect("no arm there");
    assert!(refused.to_string().contains("the arm"), "{refused}");
    let (scene, options) = Kind::PegInHole.scene_and_options().expect("built in");
    let audited = Options { audit: true, ..options };
    let refused = Environments::on_device(scene, 1, &device, audited).err().expect("no audit there");
    assert!(refused.to_string().contains("audit"), "{refused}");
}
