//! Episodes follow from their seed alone, and actions move the part as documented.

use tightfit_environments::{ACTIONS, Environments, Kind, OBSERVATIONS, Options, Randomisation};

fn environments(kind: Kind, count: usize, threads: usize, change: impl Fn(&mut Options)) -> Environments {
    let (scene, mut options) = kind.scene_and_options().unwrap();
    change(&mut options);
    Environments::new(scene, count, threads, options).unwrap()
}

fn hash(environments: &Environments, index: usize) -> u64 {
    environments.state(index).unwrap().hash()
}

#[test]
fn an_episode_has_the_same_bits_alone_and_among_others_on_one_and_two_threads() {
    let mut action = [0.3, -0.2, -1.0, 0.5, 0.1, -1.0];
    let mut alone = environments(Kind::NutThread, 1, 1, |_| {});
    alone.reset(0, Some(9)).unwrap();
    let mut batches = [1, 2].map(|threads| environments(Kind::NutThread, 4, threads, |_| {}));
    for batch in &mut batches {
        for index in 0..4 {
            batch.reset(index, Some(7 + index as u64)).unwrap();
        }
    }
    for _ in 0..5 {
        alone.step(&action, |_| true).unwrap();
        for batch in &mut batches {
            batch.step(&action.repeat(4), |_| true).unwrap();
        }
        action[0] = -action[0];
    }
    for batch in &batches {
        assert_eq!(hash(batch, 2), hash(&alone, 0));
        let row = &batch.columns().observation[2 * OBSERVATIONS.len()..3 * OBSERVATIONS.len()];
        assert_eq!(row, alone.columns().observation);
    }
}

#[test]
fn environments_that_are_not_chosen_stay_as_they_are() {
    let mut batch = environments(Kind::PegInHole, 3, 2, |_| {});
    (0..3).for_each(|index| batch.reset(index, Some(index as u64)).unwrap());
    let before = [0, 1, 2].map(|index| hash(&batch, index));
    // the action of an environment that is not chosen may be anything
    let mut actions = vec![0.0; 3 * ACTIONS];
    actions[ACTIONS] = f32::NAN;
    batch.step(&actions, |index| index != 1).unwrap();
    let after = [0, 1, 2].map(|index| hash(&batch, index));
    assert_eq!([0, 1, 2].map(|index| before[index] == after[index]), [false, true, false]);
}

#[test]
fn the_part_follows_its_set_point_by_the_stated_displacement() {
    let still = |options: &mut Options| options.randomisation.enabled = false;
    let mut one = environments(Kind::PegInHole, 1, 1, still);
    one.reset(0, Some(1)).unwrap();
    one.step(&[1.0, 0.0, 0.0, 0.0, 0.0, 0.0], |_| true).unwrap();
    for _ in 0..10 {
        one.step(&[0.0; ACTIONS], |_| true).unwrap();
    }
    let seen = &one.columns().observation;
    assert!((seen[0] - 1.0).abs() < 1e-3 && seen[1].abs() < 1e-3, "{} mm, {} mm", seen[0], seen[1]);
}

#[test]
fn the_lead_of_the_set_point_is_limited_however_long_a_policy_pushes() {
    let beside = |options: &mut Options| {
        // on the face beside the hole the peg cannot follow
        options.randomisation =
            Randomisation { start_mm: [0.0, 0.0, 0.0], start_tilt_deg: 0.0, ..Randomisation::default() };
        options.workspace_mm = 10.0;
    };
    let mut one = environments(Kind::PegInHole, 1, 1, beside);
    one.reset(0, Some(1)).unwrap();
    for step in 0..40 {
        let sideways = if step < 8 { 1.0 } else { 0.0 };
        one.step(&[sideways, 0.0, if step < 8 { 0.0 } else { -1.0 }, 0.0, 0.0, 0.0], |_| true).unwrap();
    }
    let columns = one.columns();
    assert!(columns.observation[20] >= -5.01, "lead {} mm", columns.observation[20]);
    // 5 mm of 2000 N/m
    assert!((8.0..14.0).contains(&columns.peak_force[0]), "{} N", columns.peak_force[0]);
    assert!(!columns.success[0] && columns.penetration[0] < 1e-6);
}

#[test]
fn time_truncates_an_episode_and_audits_cover_every_step() {
    let mut one = environments(Kind::PegInHole, 1, 1, |options| {
        options.episode_s = 0.21;
        options.audit = true;
    });
    one.reset(0, Some(1)).unwrap();
    assert!(one.columns().audited[0].is_nan());
    for step in 1..=3 {
        one.step(&[0.0, 0.0, -1.0, 0.0, 0.0, 0.0], |_| true).unwrap();
        assert_eq!(one.columns().truncated[0], step == 3);
        assert!(one.columns().audited[0] < 1e-6);
    }
    one.reset(0, None).unwrap();
    assert_eq!((one.columns().episode_step[0], one.episode_of(0)), (0, Some((1, 1))));
}
