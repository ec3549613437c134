//! What leans or falls into the mouth of a hole: rims, round corners and ridges meet there between their nodes, and no step may be deeper
//! than its certificate says.

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_shape::Part;
use tightfit_shape::fit::{FitSection, HoleDimensions, PegDimensions};
use tightfit_simulation::{Audit, BodyBuilder, Scene, Simulation};
use tightfit_spatial::Pose;

const SHARP: f64 = 0.0;
const ROUND: FitSection = FitSection::Round;

fn prism(sides: u32, corner_radius: f64) -> FitSection {
    FitSection::Polygon { sides, corner_radius }
}

/// A peg and a hole of their own sections, diameters [m] and chamfers [m], and the peg's height [m] and attitude [rad] over the mouth.
struct Fall {
    sections: [FitSection; 2],
    diameters: [f64; 2],
    chamfer: f64,
    height: f64,
    attitude: [f64; 3],
}

impl Fall {
    fn scene(&self) -> Scene {
        let Self { sections, diameters, chamfer, height, attitude: [roll, pitch, yaw] } = *self;
        let peg = PegDimensions {
            section: sections[0],
            diameter: diameters[0],
            length: 30e-3,
            tip_chamfer: chamfer,
            tail_chamfer: 0.0,
        };
        let hole = HoleDimensions {
            section: sections[1],
            diameter: diameters[1],
            depth: 30e-3,
            floor: None,
            chamfer,
            outer_diameter: 46e-3,
        };
        let rotation = UnitQuaternion::from_euler_angles(roll, pitch, yaw);
        let pose = Pose::new(Vector3::new(3e-3, 0.5e-3, height), rotation);
        Scene::builder("mouth")
            .gravity(Vector3::new(0.0, 0.0, -9.81))
            .friction(0.2)
            .part("hole", BodyBuilder::fixed(Part::Sectioned(hole.build().expect("a hole"))))
            .part("peg", BodyBuilder::free(Part::Sectioned(peg.build().expect("a peg"))).at(pose))
            .build()
            .expect("a scene")
    }

    /// Every step is certified, and no deeper than its certificate says.
    fn check(&self) {
        let mut simulation = Simulation::new(self.scene(), 1);
        let audit = Audit::new(&simulation.scene, &simulation.parameters);
        for step in 0..35 {
            let certificate = simulation.step();
            let depth = audit.penetration(&simulation.scene, &simulation.parameters, &simulation.state);
            let place = format!("{:?}, {:?}, step {step}", self.sections, self.attitude);
            assert!(certificate.limits.is_empty() && certificate.converged, "{place}: {certificate:?}");
            let is_told = depth < 0.2e-6 || certificate.penetration >= 0.9 * depth;
            assert!(is_told, "{place}: {} m of {depth} m", certificate.penetration);
        }
    }
}

/// The ridges of a prism meet the corners of its hole: both rims of a corner are then crossed beyond their ends.
#[test]
fn a_sharp_prism_in_the_mouth_of_its_hole() {
    for (sides, yaw) in [(6, 0.087), (6, 0.0), (4, 0.03), (5, 0.02)] {
        let diameters = [24e-3, 24.4e-3];
        let sections = [prism(sides, SHARP); 2];
        Fall { sections, diameters, chamfer: 5e-4, height: 10e-3, attitude: [0.35, 0.17, yaw] }.check();
    }
}

#[test]
fn a_prism_with_round_corners_in_the_mouth_of_its_hole() {
    for (sides, corner_radius) in [(4, 1e-3), (5, 2e-3), (3, 1e-3)] {
        let sections = [prism(sides, corner_radius); 2];
        let diameters = [20e-3, 20.4e-3];
        Fall { sections, diameters, chamfer: 5e-4, height: 10e-3, attitude: [0.35, 0.17, 0.087] }.check();
    }
}

/// The rim of the hole is nearest to the leaning peg between its nodes, by 2 µm at 60 deg.
#[test]
fn a_round_peg_in_the_mouth_of_its_hole() {
    for (height, roll) in [(10e-3, 0.35), (18e-3, 1.05), (20e-3, 1.48)] {
        let sections = [ROUND; 2];
        let diameters = [24e-3, 24.4e-3];
        Fall { sections, diameters, chamfer: 5e-4, height, attitude: [roll, 0.1, 0.0] }.check();
    }
}

/// A round corner bends more than the rim of the hole that it lies on: 20 µm between nodes.
#[test]
fn a_prism_with_round_corners_on_the_rim_of_a_round_hole() {
    for corner_radius in [0.5e-3, 2e-3] {
        let sections = [prism(4, corner_radius), ROUND];
        let diameters = [20e-3, 26.6e-3];
        Fall { sections, diameters, chamfer: 0.0, height: 2e-3, attitude: [0.03, 0.02, 0.05] }.check();
    }
}
