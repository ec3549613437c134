//! Bad input is refused with a reason.

use tightfit_environments::{Environments, Kind, Options};
use tightfit_simulation::Scene;

fn refused(change: impl Fn(&mut Options)) -> String {
    let (scene, mut options) = Kind::PegInHole.scene_and_options().unwrap();
    change(&mut options);
    Environments::new(scene, 1, 1, options).err().map(|error| error.to_string()).unwrap_or_default()
}

#[test]
fn a_wrong_option_is_named_with_its_value_and_range() {
    assert_eq!(refused(|_| {}), "");
    assert_eq!(refused(|options| options.substeps = 0), "option substeps = 0: allowed: 1 to 1000");
    let text = refused(|options| options.lead_mm = f64::NAN);
    assert!(text.starts_with("option lead_mm = NaN: allowed: more than 0"), "{text}");
    let text = refused(|options| options.randomisation.friction = Some([0.3, 0.1]));
    assert!(text.contains("friction = [0.3, 0.1]"), "{text}");
    let text = refused(|options| options.randomisation.pitch_mm = Some([4.0, 5.0]));
    assert!(text.contains("pitch_mm with m48x5 parts"), "{text}");
}

#[test]
fn a_scene_without_task_or_drive_is_refused_with_the_remedy() {
    for (name, part) in [("block-on-table", "add a table [task]"), ("square-key", "add a table [task]")] {
        let scene = Scene::find(name).unwrap();
        let text = Environments::new(scene, 1, 1, Options::default()).err().unwrap().to_string();
        assert!(text.contains(part), "{text}");
    }
}

#[test]
fn actions_before_a_reset_and_of_wrong_size_are_refused() {
    let (scene, options) = Kind::PegInHole.scene_and_options().unwrap();
    let mut one = Environments::new(scene, 1, 1, options).unwrap();
    assert!(one.step(&[0.0; 6], |_| true).unwrap_err().to_string().contains("has not been reset"));
    assert!(one.reset(0, None).is_err());
    one.reset(0, Some(1)).unwrap();
    assert!(one.step(&[0.0; 5], |_| true).unwrap_err().to_string().contains("5 numbers"));
    let text = one.step(&[0.0, 0.0, f32::NAN, 0.0, 0.0, 0.0], |_| true).unwrap_err().to_string();
    assert_eq!(text, "action 2 of environment 0 is NaN; actions must be finite");
}
