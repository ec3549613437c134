//! Laws of the strategies, each in a minimal contact model.

#![allow(clippy::unwrap_used, reason = "a test may fail")]

use std::f64::consts::TAU;

use nalgebra::{Vector2, Vector3};
use proptest::{prop_assert, proptest};
use tightfit_spatial::Pose;

use super::*;

const STEP: f64 = 0.01;
/// Stiffness of the controller in these tests [N/m].
const STIFFNESS: f64 = 2000.0;

fn seen(part: Placement, force: Vector3<f64>) -> Perception {
    Perception { part, force, torque: Vector3::zeros() }
}

fn at(x: f64, y: f64, z: f64) -> Placement {
    Placement { position: Vector3::new(x, y, z), tilt: Vector2::zeros(), turn: 0.0 }
}

fn strategy(kind: StrategyKind) -> Strategy {
    Strategy::new(Pose::identity(), kind, StrategyLimits::default()).unwrap()
}

/// Runs a strategy to its end over a floor whose height depends on the set-point.
fn play(strategy: &Strategy, floor: impl Fn(Vector3<f64>) -> f64) -> Vec<StrategyMemory> {
    let mut memory = strategy.start(&Pose::from_translation(Vector3::new(0.0, 0.0, 3e-3)));
    let mut path = vec![memory];
    while !memory.phase.is_over() {
        let set_point = memory.command;
        let height = floor(set_point.position);
        let force = STIFFNESS * (height - set_point.position.z).max(0.0);
        let mut part = set_point;
        part.position.z = part.position.z.max(height);
        memory = strategy.ask(&memory, &seen(part, Vector3::new(0.0, 0.0, force)), STEP);
        path.push(memory);
    }
    path
}

proptest! {
    #[test]
    fn a_placement_survives_the_round_trip_through_a_pose(
        x in -2.0..2.0, y in -2.0..2.0, turn in -20.0..20.0,
    ) {
        let placement = Placement { position: Vector3::new(1.0, 2.0, 3.0), tilt: Vector2::new(x, y), turn };
        let back = Placement::of(&placement.pose(), turn + 1.0);
        prop_assert!((back.tilt - placement.tilt).norm() < 1e-12 && (back.turn - turn).abs() < 1e-12);
    }
}

#[test]
fn a_spiral_comes_within_half_its_pitch_of_every_point() {
    let search = SpiralSearch::default();
    let path = play(&strategy(StrategyKind::Spiral(search)), |_| 0.0);
    assert_eq!(path.last().unwrap().phase, Phase::Failed(Failure::NotFound));
    let places: Vec<_> = path
        .iter()
        .filter(|memory| memory.phase == Phase::Search)
        .map(|memory| memory.command.position.xy())
        .collect();
    for index in 0..400 {
        let (radius, angle) = (search.radius * (f64::from(index) / 400.0).sqrt(), 2.4 * f64::from(index));
        let point = Vector2::new(libm::cos(angle), libm::sin(angle)) * (radius - search.pitch).max(0.0);
        let nearest = places.iter().map(|place| (place - point).norm()).fold(f64::INFINITY, f64::min);
        assert!(nearest < 0.51 * search.pitch, "{nearest:e} from {point}");
    }
    // The set-point moves at the specified speed.
    for pair in places.windows(2).skip(1) {
        let speed = (pair[1] - pair[0]).norm() / STEP;
        assert!((speed / search.speed - 1.0).abs() < 0.15, "{speed:e}");
    }
}

#[test]
fn a_spiral_ends_in_the_hole_that_it_passes() {
    let hole = Vector2::new(0.9e-3, -0.7e-3);
    let floor = |place: Vector3<f64>| if (place.xy() - hole).norm() < 0.3e-3 { -30e-3 } else { 0.2e-3 };
    let path = play(&strategy(StrategyKind::Spiral(SpiralSearch::default())), floor);
    let last = path.last().unwrap();
    assert_eq!(last.phase, Phase::Done);
    assert!((last.command.position.xy() - hole).norm() < 0.3e-3 && last.command.position.z < -22e-3);
}

#[test]
fn pressing_converges_to_its_force() {
    let memory = strategy(StrategyKind::Spiral(SpiralSearch::default())).start(&Pose::identity());
    let pressing = Pressing::new(6.0, 10e-3);
    let mut memory = StrategyMemory { command: at(0.0, 0.0, 1e-3), ..memory };
    let mut force = 0.0;
    for _ in 0..300 {
        force = STIFFNESS * (-memory.command.position.z).max(0.0);
        pressing.press(&mut memory, &seen(at(0.0, 0.0, 0.0), Vector3::new(0.0, 0.0, force)), STEP);
    }
    assert!((force - 6.0).abs() < 1e-3, "{force}");
}

#[test]
fn a_nut_is_turned_back_until_it_drops_and_then_on() {
    // The nut climbs with the turn and drops by the pitch at 200 degrees.
    let start = BackTurn { touch: Touch::new(8.0, 10e-3, -20e-3), ..BackTurn::at_height(0.0) };
    let own = strategy(StrategyKind::BackTurn(start));
    let mut memory = own.start(&Pose::from_translation(Vector3::new(0.0, 0.0, 3e-3)));
    let (mut furthest, drop_at) = (0.0_f64, 200_f64.to_radians());
    while !memory.phase.is_over() {
        let set_point = memory.command;
        furthest = furthest.max(set_point.turn);
        let height = 5e-3 * set_point.turn / TAU - if furthest > drop_at { 5e-3 } else { 0.0 };
        let mut part = set_point;
        part.position.z = part.position.z.max(height);
        let force = Vector3::new(0.0, 0.0, STIFFNESS * (part.position.z - set_point.position.z));
        memory = own.ask(&memory, &seen(part, force), STEP);
    }
    assert_eq!(memory.phase, Phase::Done);
    assert!(furthest > drop_at && furthest < drop_at + 0.3, "{furthest}");
    assert!((furthest - memory.command.turn - 2.0 * TAU).abs() < 0.05);
}

#[test]
fn exceeded_limits_end_a_strategy_and_name_the_limit() {
    let own = strategy(StrategyKind::Chamfer(ChamferSearch::default()));
    let memory = own.start(&Pose::from_translation(Vector3::new(0.0, 0.0, 3e-3)));
    let strong = own.ask(&memory, &seen(memory.command, Vector3::new(0.0, 0.0, 81.0)), STEP);
    assert_eq!(strong.phase, Phase::Failed(Failure::ForceLimit));
    let twisted =
        Perception { torque: Vector3::new(0.0, 11.0, 0.0), ..seen(memory.command, Vector3::zeros()) };
    assert_eq!(own.ask(&memory, &twisted, STEP).phase, Phase::Failed(Failure::TorqueLimit));
    let late = StrategyMemory { time: 60.0, ..memory };
    let ended = own.ask(&late, &seen(memory.command, Vector3::zeros()), STEP);
    assert_eq!(ended.phase, Phase::Failed(Failure::TimeOut));
    // A strategy that has ended does not change.
    assert_eq!(own.ask(&ended, &seen(memory.command, Vector3::zeros()), STEP), ended);
    for phase in Phase::ALL {
        assert_eq!(Phase::of_code(phase.code()), Some(phase));
    }
}

#[test]
fn invalid_numbers_are_rejected_with_their_key() {
    let limits = StrategyLimits::default();
    let wrong = |kind, key: &str| {
        let error = Strategy::new(Pose::identity(), kind, limits).unwrap_err();
        assert_eq!(error.key, key);
        assert!(error.to_string().contains("allowed"), "{error}");
    };
    wrong(StrategyKind::Spiral(SpiralSearch { pitch: 0.0, ..Default::default() }), "pitch_mm");
    wrong(StrategyKind::Spiral(SpiralSearch { speed: f64::NAN, ..Default::default() }), "search_speed_mm_s");
    wrong(StrategyKind::Tilt(TiltAndAlign { tilt: 1.0, ..TiltAndAlign::of_radius(0.025) }), "tilt_deg");
    wrong(StrategyKind::Chamfer(ChamferSearch { probes: 0, ..Default::default() }), "probes");
    let start = BackTurn { rate: -1.0, ..BackTurn::at_height(0.0475) };
    wrong(StrategyKind::BackTurn(start), "start.turn_deg_s");
    wrong(
        StrategyKind::Tighten(Tightening {
            torque: f64::INFINITY,
            ..Tightening::after(BackTurn::at_height(0.0))
        }),
        "torque_nm",
    );
}
