//! The plots of a run's report.

use std::f64::consts::TAU;

use tightfit_simulation::{HalvingLevel, Record, StepHalving, Task};

use super::RunSummary;
use super::axis::Scale;
use super::number::number;
use super::plot::{Plot, Series, TIME};

/// Smaller penetrations are drawn at this value [um].
pub(super) const LEAST_PENETRATION: f64 = 1e-4;

/// Smaller residuals are drawn at this value [m/s].
pub(super) const LEAST_RESIDUAL: f64 = 1e-16;

/// Smaller pose errors are drawn at this value [um].
const LEAST_ERROR: f64 = 1e-9;

/// No step is smaller [ms].
const LEAST_STEP: f64 = 1e-6;

/// A line: its name, and its value in a step.
type Line<'a> = (&'static str, &'a dyn Fn(&Record) -> f64);

/// The plots of a run.
pub(super) fn charts(run: &RunSummary) -> Vec<Plot> {
    let is_insertion = matches!(run.task, Some(Task::Insert { .. }));
    let place: Line = ("z", &|r| 1e3 * r.pose.translation.z);
    let depth: Line = ("depth", &|r| 1e3 * r.depth.unwrap_or(-r.pose.translation.z));
    let turns: Line = ("turns", &|r| r.angle / TAU);
    let x: Line = ("x", &|r| 1e3 * r.pose.translation.x);
    let y: Line = ("y", &|r| 1e3 * r.pose.translation.y);
    let tilt: Line = ("between the axes of the parts", &|r| tilt(r).to_degrees());
    let mut plots = vec![
        match is_insertion {
            true => plot(run, "Insertion depth [mm]", &[depth]),
            false => plot(run, "Height of the part's frame [mm]", &[place]),
        },
        match run.is_thread() {
            true => plot(run, "Turns about the axis [-]", &[turns]),
            false => plot(run, "Sideways [mm]", &[x, y]),
        },
        plot(run, "Tilt [deg]", &[tilt]),
        Plot {
            scale: Scale::Log { floor: 1.0 },
            ..plot(
                run,
                "Contacts [-]",
                &[
                    ("carrying force", &|r| r.certificate.active as f64),
                    ("candidates", &|r| r.certificate.candidates as f64),
                ],
            )
        },
        plot(
            run,
            "Contact force, mean over a step [N]",
            &[("x", &|r| r.force.x), ("y", &|r| r.force.y), ("z", &|r| r.force.z)],
        ),
        plot(
            run,
            "Contact torque about the centre of mass [N·m]",
            &[("x", &|r| r.torque.x), ("y", &|r| r.torque.y), ("z", &|r| r.torque.z)],
        ),
        penetration(run),
        energy(run),
        Plot {
            scale: Scale::Log { floor: LEAST_RESIDUAL },
            ..plot(
                run,
                "Residuals of the contact laws [m/s]",
                &[
                    ("Coulomb", &|r| r.certificate.coulomb),
                    ("complementarity", &|r| r.certificate.complementarity),
                ],
            )
        },
        plot(
            run,
            "Iterations or sweeps of the solver [-]",
            &[("both stages", &|r| f64::from(r.certificate.iterations))],
        ),
        plot(run, "Level of the solver's ladder [-]", &[("highest", &|r| f64::from(r.certificate.level))]),
        Plot {
            scale: Scale::Log { floor: 1.0 },
            ..plot(
                run,
                "Computing time of a step [µs]",
                &[
                    ("detection", &|r| 1e6 * r.certificate.stage_seconds.detection),
                    ("clustering", &|r| 1e6 * r.certificate.stage_seconds.clustering),
                    ("solving", &|r| 1e6 * r.certificate.stage_seconds.solving),
                    ("integration", &|r| 1e6 * r.certificate.stage_seconds.integration),
                ],
            )
        },
    ];
    plots.extend(run.order.as_ref().map(order));
    plots
}

/// Pose error over the step, both logarithmic, beside a first-order line.
fn order(halving: &StepHalving) -> Plot {
    let points = |of: fn(&HalvingLevel) -> f64| {
        halving.levels.iter().map(|level| [1e3 * level.step, 1e6 * of(level)]).collect::<Vec<_>>()
    };
    let first = halving.levels.first().copied();
    let line = |level: &HalvingLevel| {
        let scale = first.map_or(0.0, |first| first.largest * level.step / first.step);
        [1e3 * level.step, 1e6 * scale]
    };
    Plot {
        title: format!("Pose error against a step of {} ms [µm]", number(1e3 * halving.reference_step)),
        scale: Scale::Log { floor: LEAST_ERROR },
        across: ("step [ms]", Scale::Log { floor: LEAST_STEP }),
        series: vec![
            Series { name: "largest", points: points(|level| level.largest) },
            Series { name: "mean over time", points: points(|level| level.mean) },
            Series { name: "first order", points: halving.levels.iter().map(line).collect() },
        ],
        marks: Vec::new(),
    }
}

fn plot(run: &RunSummary, title: &str, lines: &[Line]) -> Plot {
    let series = |(name, value): &Line| Series {
        name,
        points: run.records.iter().map(|record| [record.time, value(record)]).collect(),
    };
    let engaged = run.records.iter().position(|record| record.engaged).filter(|first| *first > 0);
    Plot {
        title: title.to_string(),
        scale: Scale::Linear,
        across: TIME,
        series: lines.iter().map(series).collect(),
        marks: engaged.map(|first| (run.records[first].time, "engaged")).into_iter().collect(),
    }
}

fn penetration(run: &RunSummary) -> Plot {
    let certified: Line = ("certificate", &|r| 1e6 * r.certificate.penetration);
    let audited: Line = ("audit", &|r| r.audited.map_or(f64::NAN, |depth| 1e6 * depth));
    let is_audited = run.records.iter().any(|record| record.audited.is_some());
    let lines: &[Line] = if is_audited { &[certified, audited] } else { &[certified] };
    let scale = Scale::Log { floor: LEAST_PENETRATION };
    Plot { scale, ..plot(run, "Deepest penetration [µm]", lines) }
}

/// Energies summed from the start, in the unit that suits the largest.
fn energy(run: &RunSummary) -> Plot {
    let sums = |of: fn(&Record) -> f64| {
        let mut sum = 0.0;
        let add = |record: &Record| {
            sum += of(record);
            [record.time, sum]
        };
        run.records.iter().map(add).collect::<Vec<_>>()
    };
    let mut series = vec![
        Series { name: "work of contacts", points: sums(|r| r.certificate.contact_work) },
        Series { name: "put in by contacts", points: sums(|r| r.certificate.energy_injected) },
        Series { name: "put in by projection", points: sums(|r| r.certificate.projection_work) },
    ];
    let points = series.iter().flat_map(|series| &series.points);
    let largest = points.fold(0.0_f64, |largest, point| largest.max(point[1].abs()));
    let (unit, factor) = match largest {
        1.0.. => ("J", 1.0),
        1e-3.. => ("mJ", 1e3),
        _ => ("µJ", 1e6),
    };
    series.iter_mut().flat_map(|series| &mut series.points).for_each(|point| point[1] *= factor);
    Plot { series, ..plot(run, &format!("Energy since the start [{unit}]"), &[]) }
}

/// Angle between the z axes of the part and of its counterpart [rad].
pub(super) fn tilt(record: &Record) -> f64 {
    let axis = record.pose.rotation * tightfit_spatial::Vector3::z();
    axis.x.hypot(axis.y).atan2(axis.z)
}
