//! From `[arm.strategy]` of a scene file to the strategy: what is left out has the strategy's default.

use std::f64::consts::TAU;

use tightfit_robot::strategy::{
    BackTurn, ChamferSearch, Insertion, SpiralSearch, StrategyKind, StrategyLimits, Tightening, TiltAndAlign,
    Touch,
};
use tightfit_shape::{Part, Symmetry};

use super::problem::Problem;
use super::strategy_description::{
    InsertionDescription, LimitsDescription, StrategyDescription, ThreadStartDescription,
};

const MM: f64 = 1e-3;

/// The strategy of an arm that holds `part`; `goal` is the part that the task names.
pub(super) fn strategy_of(
    description: &StrategyDescription,
    part: &Part,
    goal: Option<&Part>,
) -> Result<(StrategyKind, StrategyLimits), Problem> {
    let (kind, limits) = match description {
        StrategyDescription::Spiral {
            pitch_mm,
            radius_mm,
            search_speed_mm_s,
            drop_mm,
            insertion,
            limits,
        } => {
            let mut spiral = SpiralSearch::default();
            set(&mut spiral.pitch, *pitch_mm, MM);
            set(&mut spiral.radius, *radius_mm, MM);
            set(&mut spiral.speed, *search_speed_mm_s, MM);
            set(&mut spiral.drop, *drop_mm, MM);
            insertion.set(&mut spiral.touch, &mut spiral.insertion);
            (StrategyKind::Spiral(spiral), limits)
        }
        StrategyDescription::Tilt {
            tilt_deg,
            inset_mm,
            push_n,
            overturn_deg,
            align_deg_s,
            insertion,
            limits,
        } => {
            let radius = part.aabb().map(|bounds| bounds.max.x).ok_or_else(|| -> Problem {
                ("arm.holds".into(), "names a part without end; a peg has a radius".into())
            })?;
            let mut tilt = TiltAndAlign::of_radius(radius);
            set(&mut tilt.tilt, *tilt_deg, 1_f64.to_radians());
            set(&mut tilt.inset, *inset_mm, MM);
            set(&mut tilt.push.force, *push_n, 1.0);
            set(&mut tilt.overturn, *overturn_deg, 1_f64.to_radians());
            set(&mut tilt.rate, *align_deg_s, 1_f64.to_radians());
            insertion.set(&mut tilt.touch, &mut tilt.insertion);
            (StrategyKind::Tilt(tilt), limits)
        }
        StrategyDescription::Chamfer {
            force_threshold,
            radius_mm,
            probes,
            lift_mm,
            drop_mm,
            insertion,
            limits,
        } => {
            let mut chamfer = ChamferSearch::default();
            set(&mut chamfer.threshold, *force_threshold, 1.0);
            set(&mut chamfer.radius, *radius_mm, MM);
            chamfer.probes = probes.unwrap_or(chamfer.probes);
            set(&mut chamfer.lift, *lift_mm, MM);
            set(&mut chamfer.drop, *drop_mm, MM);
            insertion.set(&mut chamfer.touch, &mut chamfer.insertion);
            (StrategyKind::Chamfer(chamfer), limits)
        }
        StrategyDescription::BackTurn { turns, start, limits } => {
            let mut back_turn = thread_start(part, goal, start)?;
            set(&mut back_turn.turn, *turns, TAU);
            (StrategyKind::BackTurn(back_turn), limits)
        }
        StrategyDescription::Tighten { torque_nm, snug_share, tighten_deg_s, turns, start, limits } => {
            let back_turn = thread_start(part, goal, start)?;
            let mut tightening = Tightening::after(back_turn);
            set(&mut tightening.torque, *torque_nm, 1.0);
            set(&mut tightening.snug, *snug_share, 1.0);
            set(&mut tightening.rate, *tighten_deg_s, 1_f64.to_radians());
            set(&mut tightening.start.turn, *turns, TAU);
            (StrategyKind::Tighten(tightening), limits)
        }
    };
    Ok((kind, limits.limits()))
}

/// Replaces a default by what is given in a unit.
fn set(value: &mut f64, given: Option<f64>, unit: f64) {
    if let Some(given) = given {
        *value = given * unit;
    }
}

impl InsertionDescription {
    fn set(&self, touch: &mut Touch, insertion: &mut Insertion) {
        set(&mut touch.pressing.force, self.press_n, 1.0);
        set(&mut touch.pressing.speed, self.speed_mm_s, MM);
        set(&mut insertion.pressing.force, self.insert_n, 1.0);
        set(&mut insertion.pressing.speed, self.insert_speed_mm_s, MM);
        set(&mut insertion.depth, self.depth_mm, MM);
    }
}

impl LimitsDescription {
    fn limits(&self) -> StrategyLimits {
        let mut limits = StrategyLimits::default();
        set(&mut limits.time, self.time_s, 1.0);
        set(&mut limits.force, self.force_n, 1.0);
        set(&mut limits.torque, self.torque_nm, 1.0);
        limits
    }
}

/// The thread start of a nut on a bolt. Without a bolt the builder refuses the strategy, whatever its height.
fn thread_start(
    nut: &Part,
    bolt: Option<&Part>,
    description: &ThreadStartDescription,
) -> Result<BackTurn, Problem> {
    let Some(bolt) = bolt else { return Ok(BackTurn::at_height(1.0)) };
    let (Some(of_nut), Some(of_bolt)) = (nut.aabb(), bolt.aabb()) else {
        return Err(("arm.strategy.kind".into(), "needs a nut and a bolt that end somewhere".into()));
    };
    let mut start = BackTurn::at_height(of_bolt.max.z - of_nut.min.z);
    start.is_left_hand = matches!(bolt.symmetry(), Symmetry::Screw { pitch } if pitch < 0.0);
    set(&mut start.touch.pressing.force, description.press_n, 1.0);
    set(&mut start.touch.pressing.speed, description.speed_mm_s, MM);
    set(&mut start.back_rate, description.back_deg_s, 1_f64.to_radians());
    set(&mut start.most, description.back_turns, TAU);
    set(&mut start.drop, description.drop_mm, MM);
    set(&mut start.rate, description.turn_deg_s, 1_f64.to_radians());
    Ok(start)
}
