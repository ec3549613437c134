//! Laws of the interaction clustering.

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_network::{Random, Range};
use tightfit_spatial::{InstructionSet, Pose};

use super::neighbours::{NeighbourSearch, find_neighbours};
use super::{Cluster, ContactSet, InteractionClustering, InteractionWorkspace, SurfaceContact};
use crate::{
    CLUSTERS, EmbeddedSurface, INPUTS, InteractionNetwork, InteractionOptions, NEIGHBOURS, ObjectState,
};

/// A sheet of 1 mm squares in the plane z = 0, embedded without distortion.
fn sheet(n: u32) -> EmbeddedSurface {
    let at = |x: u32, y: u32| y * (n + 1) + x;
    let places: Vec<(u32, u32)> = (0..=n).flat_map(|y| (0..=n).map(move |x| (x, y))).collect();
    let points: Vec<Vector3<f64>> =
        places.iter().map(|(x, y)| Vector3::new(f64::from(*x), f64::from(*y), 0.0) * 1e-3).collect();
    let embedding = places.iter().map(|(x, y)| [f64::from(*x), f64::from(*y), 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]);
    let squares = (0..n).flat_map(|y| (0..n).map(move |x| (x, y)));
    let faces = squares.flat_map(|(x, y)| {
        [[at(x, y), at(x + 1, y), at(x + 1, y + 1)], [at(x, y), at(x + 1, y + 1), at(x, y + 1)]]
    });
    let normals = vec![-Vector3::z(); points.len()];
    EmbeddedSurface::new(points, normals, faces.collect(), embedding.collect()).unwrap()
}

fn ranges() -> [Range; INPUTS] {
    let half = |k: usize| if k < 3 { 0.02 } else { 2.0 };
    std::array::from_fn(|k| Range { low: -half(k), high: half(k) })
}

fn clustering(options: InteractionOptions) -> InteractionClustering {
    let network = InteractionNetwork::random(ranges(), options, &mut Random::new(3)).unwrap();
    InteractionClustering { network, surface: sheet(20) }
}

fn state() -> ObjectState {
    ObjectState {
        static_from_object: Pose::new(
            Vector3::new(0.01, 0.02, 0.03),
            UnitQuaternion::from_scaled_axis(Vector3::new(0.2, -0.1, 0.4)),
        ),
        linear_in_static: Vector3::new(0.1, -0.2, 0.05),
        angular_in_object: Vector3::new(0.3, 0.1, -0.5),
        force_in_static: Vector3::new(1.0, 0.5, -1.5),
        torque_in_object: Vector3::new(0.2, -0.3, 0.1),
    }
}

fn noise(random: &mut Random) -> Vector3<f64> {
    Vector3::new(random.unit(), random.unit(), 0.0) * 0.02
}

fn contacts(own: &InteractionClustering, count: usize) -> ContactSet {
    let mut set = ContactSet::default();
    let mut random = Random::new(count as u64);
    for _ in 0..count {
        let point = noise(&mut random);
        set.push(point, Vector3::z(), 1e-6 * random.unit(), own.surface.locate(point));
    }
    set.finish(own.network.inputs_from_object());
    set
}

fn chosen(own: &InteractionClustering, set: &ContactSet) -> Vec<Cluster> {
    let mut workspace = InteractionWorkspace::default();
    own.choose(
        set,
        &state(),
        |point| SurfaceContact { point, gap: point.x, normal: Vector3::z() },
        &mut workspace,
    );
    workspace.clusters
}

#[test]
fn nearest_contacts_equal_brute_force() {
    for count in [1, 3, 10, 11, 40, 333] {
        let stride = usize::next_multiple_of(count, 8);
        let mut random = Random::new(count as u64);
        // Points on a raster, so that many distances are equal.
        let place = |random: &mut Random| f64::from((random.unit() * 9.0) as u32) * 1e-3;
        let mut points = vec![0.0; 3 * stride];
        for axis in 0..3 {
            (0..count).for_each(|k| points[axis * stride + k] = place(&mut random));
        }
        let wanted = NEIGHBOURS.min(count);
        let mut found = vec![0.0; 3 * wanted * stride];
        find_neighbours(&points, count, stride, &mut NeighbourSearch::default(), &mut found);
        let at = |k: usize| Vector3::new(points[k], points[stride + k], points[2 * stride + k]);
        for k in 0..count {
            let mut order: Vec<usize> = (0..count).collect();
            order.sort_by(|a, b| (at(*a) - at(k)).norm_squared().total_cmp(&(at(*b) - at(k)).norm_squared()));
            let mut places: Vec<[u64; 3]> = Vec::new();
            for (rank, expected) in order[..wanted].iter().enumerate() {
                let own = [0, 1, 2].map(|axis| found[(3 * rank + axis) * stride + k]);
                let [way, exact] = [Vector3::from(own), at(*expected)].map(|place| (place - at(k)).norm());
                assert!((way - exact).abs() <= 1e-9 * exact, "{count} contacts, {k}, rank {rank}");
                places.push(own.map(f64::to_bits));
            }
            // No contact is used twice: no position occurs more often than it has contacts.
            for place in &places {
                let taken = places.iter().filter(|other| *other == place).count();
                let there =
                    (0..count).filter(|other| <[f64; 3]>::from(at(*other)).map(f64::to_bits) == *place);
                assert!(taken <= there.count());
            }
        }
    }
}

/// The networks by their definition, one contact after another.
fn plain_logits(own: &InteractionClustering, set: &ContactSet) -> Vec<[f64; CLUSTERS]> {
    let state = state();
    let rotation = state.static_from_object.rotation;
    let (angle, axis) = (rotation.angle(), rotation.axis().unwrap());
    let force = rotation.inverse() * state.force_in_static;
    let scaled = |point: Vector3<f64>| -> Vec<f64> {
        let velocity = rotation.inverse() * state.linear_in_static + state.angular_in_object.cross(&point);
        let torque = state.torque_in_object - point.cross(&force);
        let rows = [vec![point.x, point.y, point.z, angle, axis.x, axis.y, axis.z]];
        let vectors = [velocity, state.angular_in_object, force, torque];
        let numbers = rows
            .into_iter()
            .flatten()
            .chain(vectors.iter().flat_map(|v| v.iter().copied()).collect::<Vec<_>>());
        numbers.zip(ranges()).map(|(value, range)| range.scaled(value)).collect()
    };
    let slope = own.network.options().slope;
    let layer = |parameters: &mut &[f64], x: Vec<f64>, outputs: usize, is_rectified: bool| -> Vec<f64> {
        let (weights, rest) = parameters.split_at(x.len() * outputs);
        let (biases, rest) = rest.split_at(outputs);
        *parameters = rest;
        let sums = weights
            .chunks(x.len())
            .zip(biases)
            .map(|(row, bias)| bias + row.iter().zip(&x).map(|(weight, x)| weight * x).sum::<f64>());
        sums.map(|sum| if is_rectified && sum < 0.0 { slope * sum } else { sum }).collect()
    };
    let points: Vec<Vector3<f64>> = (0..set.len()).map(|k| set.point(k)).collect();
    let logits = points.iter().map(|point| {
        let mut order: Vec<usize> = (0..points.len()).collect();
        order.sort_by(|a, b| (points[*a] - point).norm().total_cmp(&(points[*b] - point).norm()));
        let mut effects = vec![0.0; 4];
        for other in &order[..NEIGHBOURS] {
            let mut parameters = own.network.parameters();
            let mut x = [scaled(*point), scaled(points[*other])].concat();
            for outputs in [16, 16, 16, 4] {
                x = layer(&mut parameters, x, outputs, true);
            }
            effects.iter_mut().zip(x).for_each(|(sum, x)| *sum += x);
        }
        if own.network.options().unit_effects {
            let length = effects.iter().map(|x| x * x).sum::<f64>().sqrt();
            effects.iter_mut().for_each(|x| *x /= length);
        }
        let mut parameters = &own.network.parameters()[1236..];
        let mut x = [scaled(*point), effects].concat();
        for (outputs, is_rectified) in [(8, true), (8, true), (12, false)] {
            x = layer(&mut parameters, x, outputs, is_rectified);
        }
        std::array::from_fn(|k| x[k])
    });
    logits.collect()
}

#[test]
fn composed_layers_in_registers_are_the_plain_network() {
    for options in [InteractionOptions::PAPER, InteractionOptions::PUBLISHED] {
        let own = clustering(options);
        let set = contacts(&own, 37);
        let mut logits = vec![0.0; CLUSTERS * set.stride()];
        own.network.assign(&state(), set.stride(), set.own(), set.neighbours(), &mut logits);
        let plain = plain_logits(&own, &set);
        for place in 0..set.len() {
            for (cluster, exact) in plain[set.at(place)].iter().enumerate() {
                let found = logits[cluster * set.stride() + place];
                assert!((found - exact).abs() < 1e-11 * exact.abs().max(1.0), "{found} {exact}");
            }
        }
    }
}

#[test]
fn clusters_lie_on_the_surface_with_the_gap_of_the_field_there() {
    let own = clustering(InteractionOptions::PAPER);
    for count in [13, 100, 1000] {
        let set = contacts(&own, count);
        let clusters = chosen(&own, &set);
        assert!(!clusters.is_empty() && clusters.len() <= CLUSTERS);
        for cluster in &clusters {
            assert!(cluster.point.z == 0.0 && cluster.gap == cluster.point.x, "{cluster:?}");
            assert!((cluster.normal.norm() - 1.0).abs() < 1e-12);
            // At most 30 degrees from the normal of the field.
            assert!(cluster.normal.z > 0.86);
        }
        assert_eq!(clusters, chosen(&own, &set));
    }
}

#[test]
fn published_options_give_contacts_in_order_of_first_appearance() {
    let own = clustering(InteractionOptions::PUBLISHED);
    let set = contacts(&own, 60);
    let clusters = chosen(&own, &set);
    for (k, cluster) in clusters.iter().enumerate() {
        assert_eq!(cluster.point, set.point(cluster.contact as usize));
        assert_eq!(cluster.gap, set.gap(cluster.contact as usize));
        assert!(clusters[..k].iter().all(|other| other.contact != cluster.contact));
    }
    // No more contacts than clusters: all are kept unchanged.
    let few = contacts(&own, CLUSTERS);
    let clusters = chosen(&own, &few);
    assert_eq!(clusters.len(), CLUSTERS);
    assert!(clusters.iter().enumerate().all(|(k, cluster)| cluster.contact == k as u32));
    assert!(clusters.iter().all(|cluster| cluster.normal == Vector3::z()));
}

#[test]
fn the_order_of_contacts_does_not_matter_and_every_width_gives_the_same_bits() {
    let own = clustering(InteractionOptions::PAPER);
    let set = contacts(&own, 200);
    let expected = chosen(&own, &set);
    for width in InstructionSet::ALL {
        width.limit();
        let again = contacts(&own, 200);
        assert_eq!(chosen(&own, &again), expected, "{width:?}");
    }
    InstructionSet::Avx512.limit();
    let mut turned = ContactSet::default();
    for k in (0..200).rev() {
        let point = set.point(k);
        turned.push(point, set.normal(k), set.gap(k), own.surface.locate(point));
    }
    turned.finish(own.network.inputs_from_object());
    for (found, expected) in chosen(&own, &turned).iter().zip(&expected) {
        assert!((found.point - expected.point).norm() < 1e-12);
        assert!((found.normal - expected.normal).norm() < 1e-9);
    }
}

#[test]
fn a_network_of_zeros_averages_all_contacts() {
    // All weights are zero: every contact counts equally, no normal is turned.
    let parameters = vec![0.0; crate::PARAMETERS];
    let network = InteractionNetwork::new(parameters, ranges(), InteractionOptions::PAPER).unwrap();
    let own = InteractionClustering { network, surface: sheet(20) };
    let set = contacts(&own, 50);
    let clusters = chosen(&own, &set);
    let mean = (0..50).map(|k| set.point(k)).sum::<Vector3<f64>>() / 50.0;
    assert_eq!(clusters.len(), 1);
    assert!((clusters[0].point - mean).norm() < 1e-12);
    assert_eq!(clusters[0].normal, Vector3::z());
}
