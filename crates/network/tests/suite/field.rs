//! Fields: the gradient is the derivative of the value, and files preserve every bit.

use nalgebra::Vector3;
use tightfit_network::{
    Activation, CspaceChart, CspaceField, CspaceFile, Features, Field, FieldFile, FieldScratch,
    InferenceScratch, Network, Primitive, Random, Range, Residual,
};
use tightfit_spatial::Columns3;

fn field(features: Features) -> Field {
    let ranges = [(0.0, 0.03), (-0.02, 0.025), (-0.03, 0.03), (-0.01, 0.05)];
    let ranges = ranges.map(|(low, high)| Range::new("test", low, high).unwrap());
    let sizes = [features.count(), 32, 16, 1];
    let network = Network::random(&sizes, Activation::Silu, Activation::Tanh, &mut Random::new(9)).unwrap();
    let output = Range::new("test", -5e-3, 4.6e-3).unwrap();
    Field::new(features, ranges[..features.count()].to_vec(), output, network).unwrap()
}

fn evaluate(field: &Field, points: &Columns3) -> (Vec<f64>, Columns3) {
    let (mut values, mut gradients) = (Vec::new(), Columns3::default());
    field.evaluate(points, &mut values, &mut gradients, &mut FieldScratch::default()).unwrap();
    (values, gradients)
}

#[test]
fn the_gradient_is_the_derivative_of_the_value() {
    let point = Vector3::new(0.011, -0.014, 0.0123);
    for kind in [Features::Cartesian, Features::Revolved, Features::Screw { pitch: 5e-3 }] {
        let field = field(kind);
        // The step is long enough for single precision and short enough for the curvature.
        let step = 2e-6;
        let offsets = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| step * axis);
        let around = offsets.iter().flat_map(|offset| [point + offset, point - offset]);
        let points: Columns3 = std::iter::once(point).chain(around).collect();
        let (values, gradients) = evaluate(&field, &points);
        for axis in 0..3 {
            let slope = (values[1 + 2 * axis] - values[2 + 2 * axis]) / (2.0 * step);
            let error = (slope - gradients.get(0)[axis]).abs();
            assert!(error < 2e-3 * gradients.get(0).norm() + 1e-4, "{kind:?}: {error}");
        }
    }
}

const SCREW: Primitive = Primitive::Screw { pitch: 5e-3, radii: [0.016, 0.019], heights: [0.0, 0.04] };
const RING: Primitive = Primitive::Ring { radii: [0.0, 0.017], heights: [0.0, 0.04] };

fn on_top_of(primitive: Primitive, features: Features) -> Field {
    let values = Range::new("test", -2e-3, 2e-3).unwrap();
    field(features).with_residual(Residual { primitive, values }).unwrap()
}

#[test]
fn a_residual_is_added_to_its_shape_in_value_and_gradient() {
    let point = Vector3::new(0.011, -0.0141, 0.0123);
    for primitive in [SCREW, RING] {
        let features = Features::Screw { pitch: 5e-3 };
        let (alone, whole) = (field(features), on_top_of(primitive, features));
        let step = 2e-6;
        let offsets = [Vector3::x(), Vector3::y(), Vector3::z()].map(|axis| step * axis);
        let around = offsets.iter().flat_map(|offset| [point + offset, point - offset]);
        let points: Columns3 = std::iter::once(point).chain(around).collect();
        let ((parts, part_slopes), (values, slopes)) = (evaluate(&alone, &points), evaluate(&whole, &points));
        for (index, at) in points.iter().enumerate() {
            let (distance, slope) = primitive.sample(at);
            assert_eq!(values[index], parts[index] + distance);
            assert_eq!(slopes.get(index), part_slopes.get(index) + slope);
        }
        for axis in 0..3 {
            let slope = (values[1 + 2 * axis] - values[2 + 2 * axis]) / (2.0 * step);
            assert!((slope - slopes.get(0)[axis]).abs() < 2e-3, "{primitive:?} {axis}");
        }
        assert_eq!(whole.value_range(), Range::new("test", -2e-3, 2e-3).unwrap());
        assert_eq!(whole.output_range(), alone.value_range());
    }
}

#[test]
fn a_file_stores_the_primitive_shape_only_if_there_is_one() {
    let save = |field: Field| FieldFile { field, recipe: serde_json::Value::Null }.to_bytes().unwrap();
    let bytes = save(on_top_of(SCREW, Features::Revolved));
    let read = FieldFile::from_bytes(&bytes, "test").unwrap().field;
    assert_eq!(read.residual(), on_top_of(SCREW, Features::Revolved).residual());
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    assert!(text(&bytes).contains("residual"));
    assert!(!text(&save(field(Features::Revolved))).contains("residual"));
    let backwards = Primitive::Ring { radii: [0.02, 0.01], heights: [0.0, 1.0] };
    let values = Range::new("test", -1.0, 1.0).unwrap();
    assert!(field(Features::Revolved).with_residual(Residual { primitive: backwards, values }).is_err());
}

#[test]
fn a_file_preserves_every_bit_and_its_recipe() {
    let points: Columns3 =
        (0..50).map(|i| Vector3::new(0.02, 1e-4 * f64::from(i), 2e-4 * f64::from(i))).collect();
    for kind in [Features::Cartesian, Features::Revolved, Features::Screw { pitch: -1.75e-3 }] {
        let recipe = serde_json::json!({ "part": "m48x5-bolt", "seed": 7, "p99_m": 1.234_567_890_123e-6 });
        let written = FieldFile { field: field(kind), recipe };
        let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("field.safetensors");
        written.save(&path).unwrap();
        let read = FieldFile::load(&path).unwrap();
        assert_eq!(read.recipe, written.recipe);
        assert_eq!(read.field.network(), written.field.network());
        assert_eq!(read.field.input_ranges(), written.field.input_ranges());
        assert_eq!(read.field.features(), kind);
        assert_eq!(evaluate(&read.field, &points), evaluate(&written.field, &points));
        assert_eq!(read.to_bytes().unwrap(), written.to_bytes().unwrap());
    }
}

#[test]
fn damage_of_any_byte_is_detected() {
    let file = FieldFile { field: field(Features::Revolved), recipe: serde_json::json!({ "seed": 1 }) };
    let bytes = file.to_bytes().unwrap();
    let mut random = Random::new(2);
    for _ in 0..300 {
        let mut damaged = bytes.clone();
        let at = random.index(damaged.len());
        damaged[at] ^= 1 << random.index(8);
        let loaded = FieldFile::from_bytes(&damaged, "test");
        // A changed byte may become a blank in the padding of the header; no other change may pass.
        let is_harmless = loaded.as_ref().is_ok_and(|loaded| loaded.to_bytes().unwrap() == bytes);
        assert!(loaded.is_err() || is_harmless, "a change of byte {at} was not detected");
    }
    for length in [0, 7, 8, 100, bytes.len() - 1] {
        assert!(FieldFile::from_bytes(&bytes[..length], "test").is_err());
    }
    let error = FieldFile::load(std::path::Path::new("no/such/file")).unwrap_err().to_string();
    assert!(error.starts_with("no/such/file: ") && error.ends_with("check the path"), "{error}");
}

#[test]
fn mismatched_ranges_and_features_are_rejected() {
    let network = field(Features::Revolved).network().clone();
    let range = Range::new("test", -1.0, 1.0).unwrap();
    let error = Field::new(Features::Cartesian, vec![range; 3], range, network.clone()).unwrap_err();
    assert_eq!(error.to_string(), "field: number of inputs is 2; expected 3 for Cartesian");
    assert!(Field::new(Features::Revolved, vec![range; 3], range, network).is_err());
    assert!(Range::new("output", 1.0, 1.0).is_err());
    let network = field(Features::Screw { pitch: 1.0 }).network().clone();
    assert!(Field::new(Features::Screw { pitch: 0.0 }, vec![range; 4], range, network).is_err());
}

#[test]
fn a_configuration_field_has_the_derivative_of_its_values_and_survives_its_file() {
    let network =
        Network::random(&[6, 16, 16, 1], Activation::Tanh, Activation::Tanh, &mut Random::new(5)).unwrap();
    let ranges = [(-0.01, 0.02), (-0.02, 0.02), (0.1, 0.13), (-0.2, 0.3), (-0.2, 0.2), (-1.0, 1.0)]
        .map(|(low, high)| Range::new("test", low, high).unwrap());
    let field = CspaceField::new(CspaceChart::Euler, ranges, network).unwrap();
    let path = std::env::temp_dir().join("tightfit-configuration.safetensors");
    CspaceFile { field, recipe: serde_json::json!({ "made": "here" }) }.save(&path).unwrap();
    let CspaceFile { field, recipe } = CspaceFile::load(&path).unwrap();
    assert_eq!(recipe["made"], "here");
    assert!(FieldFile::load(&path).is_err(), "a configuration field is not a field over space");

    let mut scratch = InferenceScratch::default();
    let at = [0.003, -0.004, 0.117, 0.02, -0.1, 0.4];
    let (value, slopes) = field.evaluate(at, &mut scratch).unwrap();
    let exact = |q: [f64; 6]| {
        let scaled: Vec<f64> = q.iter().zip(ranges).map(|(number, range)| range.scaled(*number)).collect();
        field.network().reference(&scaled).0
    };
    assert!((value - exact(at)).abs() < 1e-6);
    for k in 0..6 {
        let step = 1e-6 * ranges[k].half_width();
        let (mut above, mut below) = (at, at);
        above[k] += step;
        below[k] -= step;
        let slope = (exact(above) - exact(below)) / (2.0 * step);
        assert!((slopes[k] - slope).abs() < 1e-4 * (1.0 + slope.abs()), "{k}: {} {slope}", slopes[k]);
    }
    let other = Network::random(&[5, 4, 1], Activation::Tanh, Activation::Tanh, &mut Random::new(5)).unwrap();
    assert!(CspaceField::new(CspaceChart::Euler, ranges, other).unwrap_err().to_string().contains('6'));
}
