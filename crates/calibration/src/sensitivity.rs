//! How a predicted wrench changes with the unknowns, from the contacts that carry it.
//!
//! ```text
//! w + K e + w_g = 0              e = hand − part, K stiffness of the hold         equilibrium of the part
//! G dq + φ_θ dθ = 0              G rows [n; ρ × n] of the contacts that carry     they stay closed
//! dw = Ĝᵀ dλ + f_μ dμ            Ĝ rows [p; ρ × p]/λ: friction keeps its share    f_μ = Σ λ [t; ρ × t] of sliding ones
//! dq = K⁻¹ (dw + dK e + K dh)
//!
//! (G K⁻¹ Ĝᵀ + E) dλ = −φ_θ dθ − G K⁻¹ (f_μ dμ + dK e + K dh)
//! ```
//!
//! q, h displacement of part and hand [m, rad], λ normal forces [N], φ gaps [m], p contact force on the part, t direction of its
//! tangential part. E is a small compliance, larger where a contact carries little: many contacts of a conforming pair
//! cannot all stay closed, and their best common motion is meant. Inertia is left out: unknowns change the pose
//! lastingly, not from step to step. The gap over the surface changes by the weights of its splines, so a hundred unknowns of
//! wear cost little more than one.
//!
//! Implicit differentiation of a contact problem: see J. Carpentier et al., "Differentiable simulation with frictional
//! contact", 2024; here quasi-static.

use nalgebra::{DMatrix, DVector, Matrix3, Matrix6, Vector6};
use tightfit_simulation::{BodyId, GapChart, SIDES};
use tightfit_spatial::{Pose, Vector3};

use crate::{Experiment, Prediction, Quantity, Setup, Unknown, WearChart};

/// Compliance of a contact relative to that of the hold [-].
const SOFTNESS: f64 = 0.02;
/// Distance from the surface at which the slope of a dimension is taken [m].
const BESIDE: f64 = 10e-6;
/// Contacts that are used at most; those with the largest forces.
const MOST: usize = 48;

/// Where a contact lies on a part that may be worn, and what moves its gap.
#[derive(Clone, Debug)]
pub(crate) struct ContactPlace {
    /// Point and outward normal in the part's frame.
    pub(crate) point: Vector3<f64>,
    pub(crate) normal: Vector3<f64>,
    /// Share of the moment's normal force [-].
    pub(crate) share: f64,
    /// dφ/dθ of the geometric unknowns.
    pub(crate) slopes: Vec<f64>,
}

/// Derivatives of one prediction.
pub(crate) struct Sensitivity {
    /// Six rows, one column per unknown.
    pub(crate) rows: DMatrix<f64>,
    /// Change of the wrench when all gaps on one side of the fixed part widen [N/m, N·m/m].
    pub(crate) per_side: [Vector6<f64>; SIDES],
    /// Contacts on the worn part; empty where none is.
    pub(crate) places: Vec<ContactPlace>,
}

/// Derivatives of a prediction of trial `trial` with respect to the coordinates of the fit.
pub(crate) fn sensitivity(
    experiment: &Experiment,
    setup: &Setup,
    unknowns: &[Unknown],
    wear: Option<WearChart>,
    trial: usize,
    prediction: &Prediction,
) -> Sensitivity {
    let mut rows = DMatrix::zeros(6, unknowns.len());
    let rotation = prediction.part.rotation;
    let turn = rotation.to_rotation_matrix().into_inner();
    let mut contacts = prediction.contacts.clone();
    contacts.sort_by(|a, b| b.force.dot(&b.normal).total_cmp(&a.force.dot(&a.normal)));
    contacts.truncate(MOST);
    let count = contacts.len();
    let row = |force: &Vector3<f64>, arm: &Vector3<f64>| {
        let torque = arm.cross(force);
        Vector6::new(force.x, force.y, force.z, torque.x, torque.y, torque.z)
    };
    let pressed: Vec<f64> = contacts.iter().map(|own| own.force.dot(&own.normal)).collect();
    let closed = DMatrix::from_fn(count, 6, |i, axis| row(&contacts[i].normal, &contacts[i].arm)[axis]);
    let pushing =
        DMatrix::from_fn(count, 6, |i, axis| row(&contacts[i].force, &contacts[i].arm)[axis] / pressed[i]);
    let stiffness = hold(&setup.spring.stiffness, &setup.spring.turning_stiffness, &turn);
    let compliance =
        hold(&setup.spring.stiffness.map(f64::recip), &setup.spring.turning_stiffness.map(f64::recip), &turn);
    // S: wrench per gap
    let per_gap = wrench_per_gap(&closed, &pushing, &compliance, &pressed);
    let through_hold = &per_gap * &closed * compliance;
    let e = deflection(&prediction.hand, &prediction.part);
    let springs = stiffness * e;
    let mut rubbed = Vector6::zeros();
    for contact in contacts.iter().filter(|contact| contact.slides) {
        let tangential = contact.force - contact.normal * contact.force.dot(&contact.normal);
        // λ μ t: the derivative by the logarithm of μ
        rubbed += row(&tangential, &contact.arm);
    }
    let points: Vec<Vector3<f64>> =
        contacts.iter().map(|own| prediction.part.translation + own.arm).collect();
    let mut geometric: Vec<(usize, DVector<f64>)> = Vec::new();
    let world_from = |body: BodyId| match body == experiment.moving {
        true => prediction.part * Pose::new(-experiment.inertia.center_of_mass, Default::default()),
        false => setup.scene.bodies[body].world_from_part,
    };
    let origin = experiment.fixed().next().map(|body| setup.scene.bodies[body].world_from_part.translation);
    for (index, unknown) in unknowns.iter().enumerate() {
        let column: Option<Vector6<f64>> = match unknown.quantity {
            Quantity::Dimension { .. } => {
                let slope = setup.slopes.iter().find(|slope| slope.unknown == index);
                slope.map(|slope| {
                    let part_from_world = world_from(slope.body).inverse();
                    let out = if slope.body == experiment.moving { -BESIDE } else { BESIDE };
                    // beside the surface: at an edge the nearest feature is then the edge, not one of its faces
                    let gaps = points.iter().zip(&contacts).map(|(point, own)| {
                        slope.at(part_from_world.transform_point(point + own.normal * out))
                    });
                    let gaps = DVector::from_iterator(count, gaps);
                    let column = six(&(&per_gap * &gaps));
                    geometric.push((index, gaps));
                    column
                })
            }
            Quantity::FixedPose(axis) => {
                let origin = origin.unwrap_or_default();
                let mut unit = Vector3::zeros();
                unit[axis % 3] = 1.0;
                let gaps = points.iter().zip(&contacts).map(|(point, own)| {
                    let moved = if axis < 3 { unit } else { unit.cross(&(point - origin)) };
                    -own.normal.dot(&moved)
                });
                let gaps = DVector::from_iterator(count, gaps);
                let column = six(&(&per_gap * &gaps));
                geometric.push((index, gaps));
                Some(column)
            }
            Quantity::InHand(axis) | Quantity::Drift { axis, .. } => {
                let is_own = match unknown.quantity {
                    Quantity::Drift { trial: own, .. } => own == trial,
                    _ => true,
                };
                is_own.then(|| {
                    let moved = hand_shift(axis, &turn, &experiment.inertia.center_of_mass);
                    // a free part would move with the hand
                    let gaps = &closed * moved;
                    let column = six(&(&per_gap * &gaps));
                    if matches!(unknown.quantity, Quantity::InHand(_)) {
                        geometric.push((index, gaps));
                    }
                    column
                })
            }
            Quantity::Stiffness(axis) => {
                let share = match axis < 3 {
                    true => {
                        let mut share = Vector6::zeros();
                        share[axis] = springs[axis];
                        share
                    }
                    false => {
                        let about = turn.column(axis - 3).into_owned();
                        let torque = springs.fixed_rows::<3>(3).dot(&about);
                        let own = about * torque;
                        Vector6::new(0.0, 0.0, 0.0, own.x, own.y, own.z)
                    }
                };
                Some(six(&(&through_hold * share)))
            }
            Quantity::Friction => Some(six(&(&through_hold * rubbed)) + rubbed),
            Quantity::Bias(axis) => {
                let about = turn.column(axis % 3).into_owned();
                let mut column = Vector6::zeros();
                column.fixed_rows_mut::<3>(3 * (axis / 3)).copy_from(&about);
                Some(column)
            }
            Quantity::Delay => Some(-Vector6::from(prediction.rate)),
            Quantity::LoadMass => {
                let g = setup.scene.gravity;
                Some(Vector6::new(g.x, g.y, g.z, 0.0, 0.0, 0.0))
            }
            Quantity::LoadMoment(axis) => {
                let torque = turn.column(axis).into_owned().cross(&setup.scene.gravity);
                Some(Vector6::new(0.0, 0.0, 0.0, torque.x, torque.y, torque.z))
            }
            Quantity::Wear(_) => None,
        };
        if let Some(column) = column {
            rows.set_column(index, &column);
        }
    }
    let mut places = Vec::new();
    if let Some(WearChart { body, chart }) = wear {
        let first = unknowns.iter().position(|own| matches!(own.quantity, Quantity::Wear(_))).unwrap_or(0);
        let part_from_world = world_from(body).inverse();
        let total: f64 = pressed.iter().sum();
        for (place, contact) in contacts.iter().enumerate() {
            let outward = if body == experiment.moving { -contact.normal } else { contact.normal };
            let point = part_from_world.transform_point(points[place]);
            let normal = part_from_world.rotation * outward;
            for (index, weight) in chart.weights(&point, &normal) {
                for axis in 0..6 {
                    rows[(axis, first + index)] += weight * per_gap[(axis, place)];
                }
            }
            let slopes = geometric.iter().map(|(_, gaps)| gaps[place]).collect();
            places.push(ContactPlace { point, normal, share: pressed[place] / total, slopes });
        }
    }
    let mut per_side = [Vector6::zeros(); SIDES];
    let fixed =
        experiment.fixed().next().map(|body| setup.scene.bodies[body].world_from_part.rotation.inverse());
    for (place, contact) in contacts.iter().enumerate() {
        let side = GapChart::side(&fixed.map_or(contact.normal, |turn| turn * contact.normal));
        per_side[side] += six(&per_gap.column(place).into_owned());
    }
    Sensitivity { rows, per_side, places }
}

/// Six rows of slopes of a prediction's wrench [N, N·m] by the coordinates of the fit, one column per unknown.
#[must_use]
pub fn slopes(
    experiment: &Experiment,
    setup: &Setup,
    unknowns: &[Unknown],
    wear: Option<WearChart>,
    trial: usize,
    prediction: &Prediction,
) -> DMatrix<f64> {
    sensitivity(experiment, setup, unknowns, wear, trial, prediction).rows
}

/// Stiffness or compliance of the hold in world axes.
fn hold(along: &[f64; 3], about: &[f64; 3], turn: &Matrix3<f64>) -> Matrix6<f64> {
    let mut all = Matrix6::zeros();
    all.fixed_view_mut::<3, 3>(0, 0).copy_from(&Matrix3::from_diagonal(&Vector3::from(*along)));
    let turned = turn * Matrix3::from_diagonal(&Vector3::from(*about)) * turn.transpose();
    all.fixed_view_mut::<3, 3>(3, 3).copy_from(&turned);
    all
}

/// From the part to the hand, world axes [m, rad].
fn deflection(hand: &Pose, part: &Pose) -> Vector6<f64> {
    let along = hand.translation - part.translation;
    let about = (hand.rotation * part.rotation.inverse()).scaled_axis();
    Vector6::new(along.x, along.y, along.z, about.x, about.y, about.z)
}

/// Motion of the hand's centre of mass per unit of an in-hand coordinate.
fn hand_shift(axis: usize, turn: &Matrix3<f64>, center: &Vector3<f64>) -> Vector6<f64> {
    let unit = turn.column(axis % 3).into_owned();
    if axis < 3 {
        return Vector6::new(unit.x, unit.y, unit.z, 0.0, 0.0, 0.0);
    }
    let along = unit.cross(&(turn * center));
    Vector6::new(along.x, along.y, along.z, unit.x, unit.y, unit.z)
}

/// −Ĝᵀ (G K⁻¹ Ĝᵀ + E)⁻¹.
fn wrench_per_gap(
    closed: &DMatrix<f64>,
    pushing: &DMatrix<f64>,
    compliance: &Matrix6<f64>,
    pressed: &[f64],
) -> DMatrix<f64> {
    let count = pressed.len();
    if count == 0 {
        return DMatrix::zeros(6, 0);
    }
    let mut delassus = closed * compliance * pushing.transpose();
    let usual = SOFTNESS * delassus.trace().abs() / count as f64;
    let mean = pressed.iter().sum::<f64>() / count as f64;
    for (index, own) in pressed.iter().enumerate() {
        delassus[(index, index)] += usual * (mean / own).clamp(0.1, 100.0);
    }
    let solved = delassus.transpose().lu().solve(pushing);
    solved.map_or_else(|| DMatrix::zeros(6, count), |solved| -solved.transpose())
}

fn six(column: &DVector<f64>) -> Vector6<f64> {
    Vector6::from_iterator(column.iter().copied())
}
