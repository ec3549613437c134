//! Blocks of points return the same results as the points one by one.

use nalgebra::Vector3;
use tightfit_shape::block::{BLOCK, CORNER, FAR, FaceBlock, PAIR, PointBlock, SINGLE};
use tightfit_shape::node::NodeSpacing;
use tightfit_shape::{Part, Sample, preset};

/// Points on and around the surface of a part: its nodes, moved by up to `spread` [m].
fn points_around(part: &Part, spread: f64) -> Vec<Vector3<f64>> {
    let nodes = part.nodes(&NodeSpacing::default());
    let noise = |i: usize, k: usize| ((i * 37 + k * 1009) as f64).sin() * 4e4 % 1.0 * spread;
    (0..nodes.len())
        .map(|i| part.place_one(nodes.chart(i)) + Vector3::new(noise(i, 1), noise(i, 2), noise(i, 3)))
        .collect()
}

#[test]
fn blocks_of_points_return_the_faces_of_single_points() {
    for name in ["peg-50", "hole-50", "m48x5-bolt", "m48x5-nut"] {
        let part = preset::preset(name).expect(name);
        for (spread, reach, behind) in
            [(30e-6, 50e-6, 5e-6), (2e-3, 0.2e-3, 20e-6), (1e-6, 10e-6, 5e-6), (0.2e-3, 1e-3, 20e-6)]
        {
            let (mut single, mut pairs, mut corners, mut all) = (0, 0, 0, 0);
            for chunk in points_around(&part, spread).chunks_exact(BLOCK) {
                let mut points = PointBlock::default();
                for (lane, point) in chunk.iter().enumerate() {
                    (0..3).for_each(|axis| points.axes[axis][lane] = point[axis]);
                }
                let mut faces = FaceBlock::default();
                part.face_block(&points, reach, behind, &mut faces);
                for (lane, &point) in chunk.iter().enumerate() {
                    let mut pieces = Vec::new();
                    part.each_piece(point, reach, |number, branches| {
                        let holds = |face: &Sample| face.distance >= -behind;
                        let standing: Vec<Sample> = branches.iter().copied().filter(holds).collect();
                        pieces.push((number, standing));
                    });
                    all += 1;
                    let number = faces.number[lane] as u32;
                    match faces.verdict[lane] {
                        FAR => assert!(pieces.is_empty(), "{name} {point:?}: {pieces:?}"),
                        SINGLE => {
                            single += 1;
                            assert_eq!(pieces, [(number, vec![faces.first(lane)])], "{name} {point:?}");
                        }
                        PAIR => {
                            pairs += 1;
                            let both = vec![faces.first(lane), faces.second(lane)];
                            assert_eq!(pieces, [(number, both)], "{name} {point:?}");
                        }
                        CORNER => {
                            corners += 1;
                            let mut both = [(number, faces.first(lane)), (0, faces.second(lane))];
                            if both[1].1.distance < both[0].1.distance {
                                both.swap(0, 1);
                            }
                            // one of the two pieces may be just out of reach
                            let near = both.into_iter().filter(|(_, face)| face.distance <= reach);
                            let expected: Vec<_> = near.map(|(number, face)| (number, vec![face])).collect();
                            assert_eq!(pieces, expected, "{name} {point:?}");
                        }
                        _ => {}
                    }
                }
            }
            println!("{name} spread {spread}: {single} of {all} points face one face, {pairs} an edge");
            assert!(pairs > 0 || !name.contains("x5"), "{name}: no edges tested");
            assert!(corners > 0 || reach < 1e-3 || !name.contains("x5"), "{name}: no corners tested");
            assert!(spread > 1e-3 || single * 2 > all || name.contains("x5"), "{name}: {single} of {all}");
        }
    }
}
