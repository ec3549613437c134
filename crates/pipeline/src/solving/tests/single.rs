//! One contact: the ladder compared with the rule without regularisation.

use nalgebra::{Matrix6, Vector3};
use tightfit_spatial::Wide3;

use super::scenes::{Random, Scene};
use crate::solving::SolverWorkspace;
use crate::solving::contact_frame::frame_and_delassus;
use crate::solving::single_contact::SingleContact;

#[test]
fn one_contact_agrees_with_the_single_contact_rule() {
    let (mut random, mut workspace) = (Random(1), SolverWorkspace::default());
    for number in 0..3000 {
        let mut scene = Scene::default();
        let root = Matrix6::from_fn(|_, _| random.between(-0.7, 0.7));
        let response = root * root.transpose() + Matrix6::identity() * 0.2;
        scene.add_body(response, random.vector(1.0), random.vector(1.0));
        let (friction, approach) = (random.between(0.0, 1.0), random.between(0.0, 0.3));
        scene.touch(random.vector(0.5), random.vector(1.0).normalize(), friction, approach);
        let problem = scene.problem();

        let report = scene.solve_cold(&mut workspace);

        assert!(report.converged, "{number}");
        let [frame, delassus] = frame_and_delassus(&problem, 0);
        let free = frame.transpose() * scene.contacts.relative_velocity(0, &scene.free_velocity);
        let single = SingleContact::of(&delassus, friction).expect("positive definite");
        let found = workspace.impulses.first().map_or_else(Vector3::zeros, |entry| entry.impulse);
        let found = frame.transpose() * found;
        let exact = single.nearest(free, approach, &found);
        let distance = single.distance(Wide3::one(&found), Wide3::one(&exact)).value();
        assert!(distance < 5e-5, "{number}: {found} {exact}");
    }
}
