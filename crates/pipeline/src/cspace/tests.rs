//! The nearest contact against closed forms, and the laws of its row.

use nalgebra::{Matrix6, Vector6};
use tightfit_network::{
    Activation, ChartSymmetry, CspaceChart, CspaceField, InferenceScratch, Layer, LocalChart, Network,
    Random, Range,
};
use tightfit_spatial::{Pose, Vector3};

use super::{FreeBody, LocalField, coming_contact, nearest_contact};

const HALF_WIDTHS: [f64; 6] = [1e-4, 1e-4, 2e-3, 4e-3, 4e-3, 5e-3];

fn field(layers: Vec<Layer>) -> CspaceField {
    let chart = CspaceChart::Local(LocalChart {
        point_in_part: [0.0, 0.0, 0.01],
        nominal_point: [0.0, 0.0, 0.01],
        nominal_rotation: [0.0, 0.0, 0.0, 1.0],
        symmetry: ChartSymmetry::None,
    });
    let ranges = HALF_WIDTHS.map(|half| Range { low: -half, high: half });
    CspaceField::new(chart, ranges, Network::new(layers).unwrap()).unwrap()
}

/// h = ½ + w·(scaled q): a plane in scaled coordinates.
fn plane() -> CspaceField {
    let weights = vec![-1.0, 0.5, 0.1, -0.7, 0.3, 0.2];
    field(vec![Layer { weights, biases: vec![0.5], activation: Activation::Identity }])
}

fn curved(seed: u64) -> CspaceField {
    let sizes = [6, 16, 16, 1];
    let network =
        Network::random(&sizes, Activation::Tanh, Activation::Identity, &mut Random::new(seed)).unwrap();
    field(network.layers().to_vec())
}

fn body() -> FreeBody {
    let mass = Vector6::new(0.5, 0.5, 0.5, 6e-4, 5e-4, 2e-4);
    let mut inverse_mass = Matrix6::from_diagonal(&mass.map(|m| 1.0 / m));
    // a body whose axes are not the world's
    inverse_mass[(3, 4)] = 200.0;
    inverse_mass[(4, 3)] = 200.0;
    let center_in_part = Vector3::new(0.0, 0.0, 0.03);
    FreeBody { world_from_part: Pose::identity(), center_in_part, mass: 0.5, inverse_mass }
}

#[test]
fn the_nearest_contact_lies_at_zero_and_its_normal_is_that_of_the_paper() {
    let mut scratch = InferenceScratch::default();
    let mut found = 0;
    let fields = std::iter::once(plane()).chain((1..30).map(curved));
    for (index, field) in fields.enumerate() {
        let mut local = LocalField::new(&field, Pose::identity(), body(), &mut scratch);
        let (start, _) = local.at(&Vector6::zeros()).unwrap();
        let Some(contact) = nearest_contact(&mut local).unwrap() else { continue };
        found += 1;
        let (value, slope) = local.at(&contact.displacement).unwrap();
        let away = value / (0.5 * slope.dot(&(body().inverse_mass * slope))).sqrt();
        assert!(away.abs() < 1e-6, "{index}: {away:e} m from h = 0");
        // N ∝ M V_C, and towards growing h whichever side the body is on
        let momentum = body().inverse_mass.try_inverse().unwrap() * contact.displacement;
        let cosine = contact.normal.dot(&momentum) / (contact.normal.norm() * momentum.norm());
        assert!(cosine.abs() > 0.999, "{index}: cosine {cosine}");
        assert!(slope.dot(&contact.normal) > 0.0);
        assert_eq!(contact.gap > 0.0, start > 0.0, "{index}: gap {:e}, h {start}", contact.gap);
        // a metric length
        let length = (contact.displacement.dot(&momentum) / 0.5).sqrt();
        assert!(
            (contact.gap.abs() - length).abs() < 2e-6 + 1e-2 * length,
            "{index}: {:e} {length:e}",
            contact.gap
        );
    }
    assert!(found > 15, "{found} of 30 searches came to an end");
}

#[test]
fn a_motion_is_held_at_the_contact_that_it_comes_to() {
    let (field, mut scratch) = (plane(), InferenceScratch::default());
    let mut local = LocalField::new(&field, Pose::identity(), body(), &mut scratch);
    // along x: h = ½ − x/100 µm, so that contact is at x = 50 µm
    let motion = |x: f64| Vector6::new(x, 0.0, 0.0, 0.0, 0.0, 0.0);
    assert_eq!(coming_contact(&mut local, &motion(40e-6), 1e-7).unwrap(), None);
    for x in [60e-6, 90e-6, 5e-4] {
        let contact = coming_contact(&mut local, &motion(x), 1e-7).unwrap().unwrap();
        let allowed = contact.gap / -contact.normal.x;
        assert!((allowed - 50e-6).abs() < 0.2e-6, "{x:e}: {allowed:e}");
    }
}
