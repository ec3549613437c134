//! Small features of large parts, and slender parts, get enough nodes; the presets need no extra nodes.

use std::f64::consts::TAU;

use nalgebra::Vector3;
use tightfit_shape::Part;
use tightfit_shape::fit::{FitSection, HoleDimensions};
use tightfit_shape::node::{FewestNodes, NodeKind, NodeSet, NodeSpacing};
use tightfit_shape::preset::{preset, preset_names};
use tightfit_shape::primitive::Capsule;
use tightfit_shape::thread::{Bolt, Hand, ThreadAllowance};

/// Nodes with the default spacing of a scene.
fn usual_nodes(part: &Part) -> NodeSet {
    part.nodes(&NodeSpacing::for_size(part.aabb().expect("bounded").diagonal()))
}

fn places(part: &Part, nodes: &NodeSet, kind: NodeKind) -> Vec<Vector3<f64>> {
    let of_kind = (0..nodes.len()).filter(|&index| nodes.kind[index] == kind);
    of_kind.map(|index| part.place_one(nodes.chart(index))).collect()
}

/// Largest angle about z between neighbours [rad].
fn widest_gap(points: impl Iterator<Item = Vector3<f64>>) -> f64 {
    let mut angles: Vec<f64> = points.map(|point| point.y.atan2(point.x)).collect();
    angles.sort_by(f64::total_cmp);
    let around = angles[0] + TAU - angles[angles.len() - 1];
    angles.windows(2).map(|pair| pair[1] - pair[0]).fold(around, f64::max)
}

#[test]
fn presets_have_no_small_features() {
    for name in preset_names() {
        let part = preset(&name).unwrap();
        let usual = NodeSpacing::for_size(part.aabb().unwrap().diagonal());
        let plain =
            NodeSpacing { fewest_on_faces: FewestNodes::NONE, fewest_on_edges: FewestNodes::NONE, ..usual };
        assert!(part.nodes(&usual) == part.nodes(&plain), "{name}");
    }
}

#[test]
fn a_rod_two_hundred_times_as_long_as_thick_has_enough_nodes_around_it() {
    let rod = Part::cylinder(2.5e-3, 1.0).unwrap();
    let nodes = usual_nodes(&rod);
    assert!(nodes.len() < 50_000, "{} nodes", nodes.len());
    for (kind, least) in [(NodeKind::Edge, 72.0), (NodeKind::Face, 48.0)] {
        let on_surface = places(&rod, &nodes, kind).into_iter();
        let gap = widest_gap(on_surface.filter(|point| point.xy().norm() > 2.4e-3));
        assert!(gap <= TAU / least + 1e-9, "{kind:?}: {gap} rad");
    }
    // nodes are dense along the axis too, for another rod that lies across it
    let mut heights: Vec<f64> = places(&rod, &nodes, NodeKind::Face).iter().map(|point| point.z).collect();
    heights.sort_by(f64::total_cmp);
    assert!(heights.windows(2).all(|pair| pair[1] - pair[0] <= 1.25e-3 + 1e-9));
}

#[test]
fn a_small_hole_in_a_large_plate_has_enough_nodes_around_its_rims() {
    for section in [FitSection::Round, FitSection::Polygon { sides: 6, corner_radius: 0.0 }] {
        let hole = HoleDimensions {
            section,
            diameter: 10e-3,
            depth: 20e-3,
            floor: None,
            chamfer: 0.5e-3,
            outer_diameter: 1.0,
        };
        let hole = Part::Sectioned(hole.build().unwrap());
        let nodes = usual_nodes(&hole);
        assert!(nodes.len() < 30_000, "{} nodes", nodes.len());
        let rims = places(&hole, &nodes, NodeKind::Edge).into_iter();
        let gap = widest_gap(rims.filter(|point| point.xy().norm() < 7e-3));
        assert!(gap <= TAU / 60.0, "{gap} rad");
    }
}

/// Two capsules of radius R that cross between nodes s apart penetrate by s²/16R.
#[test]
fn nodes_of_a_slender_capsule_are_a_quarter_of_its_radius_apart() {
    let radius = 1e-3;
    let capsule = Part::Capsule(Capsule::new(radius, 0.5).unwrap());
    let nodes = places(&capsule, &usual_nodes(&capsule), NodeKind::Face);
    assert!(nodes.windows(2).all(|pair| pair[1].z - pair[0].z <= radius / 4.0 + 1e-12));
    assert!(nodes.len() <= 2001);
}

#[test]
fn the_turns_of_a_long_threaded_rod_have_nodes() {
    let bolt = Bolt::new(6e-3, 1e-3, 1.0, ThreadAllowance::default(), Hand::Right).unwrap();
    let rod = Part::Bolt(bolt);
    let nodes = places(&rod, &usual_nodes(&rod), NodeKind::Edge);
    let in_one_turn = nodes.iter().filter(|point| (point.z - 0.5).abs() <= 0.5e-3).count();
    assert!(in_one_turn >= 40, "{in_one_turn} nodes on two edges");
    let at_start = nodes.into_iter().filter(|point| point.z > 1.0 - 1e-9);
    assert!(widest_gap(at_start) <= TAU / 100.0);
}
