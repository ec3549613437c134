//! From `[arm]` of a scene file to the arm: units to SI, the start by inverse kinematics, gains checked.

use std::path::Path;

use nalgebra::Vector6;
use tightfit_pipeline::integration::IntegrationMethod;
use tightfit_robot::chain::JointKind;
use tightfit_robot::control::{
    Admittance, AdmittanceGains, CartesianImpedance, ControlError, ImpedanceGains, JointController,
};
use tightfit_robot::grasp::{CompliantGrasp, Grasp, RigidGrasp, SlipLimit};
use tightfit_robot::sensing::{ForceSensor, SensorFilter};
use tightfit_robot::{Chain, JointVector, ReachOptions};
use tightfit_spatial::{Pose, Vector3};

use super::arm_description::{
    ArmDescription, ComplianceDescription, ControllerDescription, SensorDescription, SensorPlaceDescription,
    TorquePointDescription,
};
use super::build::turned;
use super::strategy::strategy_of;
use super::{Body, Motion, Task};
use crate::arm::{Arm, Controller, Sensor, SensorPlace, TorquePoint};
use crate::{Drive, Methods};

/// Creep of joints that dry friction holds [rad/s or m/s]: with a tenth of it 4 of 5,880 steps of variants of `peg-in-hole-arm`
/// end unconverged, with this none.
const STICKING_SPEED: f64 = 1e-5;

/// Posture from which the start of the built-in arms is sought [deg].
const READY: [f64; 8] = [0.0, -45.0, 0.0, -135.0, 0.0, 90.0, 45.0, 0.0];

type Problem = (String, String);

/// The arm; the part that it holds is put where the arm has it.
pub(super) fn arm_of(
    description: &ArmDescription,
    bodies: &mut [Body],
    drive: Option<&Drive>,
    task: Option<&Task>,
    methods: &Methods,
    folder: &Path,
) -> Result<Arm, Problem> {
    if methods.integration != IntegrationMethod::Midpoint {
        let remedy = format!(
            "is `{}`; an arm and what it holds are tied at the middle of the step: choose `midpoint`, with the presets \
             `tight` or `standard`",
            methods.integration.name()
        );
        return Err(("method.integration".into(), remedy));
    }
    let names: Vec<&str> = bodies.iter().map(|body| body.name.as_str()).collect();
    let body = names.iter().position(|name| *name == description.holds).ok_or_else(|| {
        let remedy = format!("names `{}`, which is no part; parts: {}", description.holds, names.join(", "));
        ("arm.holds".to_string(), remedy)
    })?;
    let inertia = bodies[body].inertia.filter(|_| bodies[body].motion == Motion::Free);
    let inertia = inertia.ok_or_else(|| -> Problem {
        ("arm.holds".into(), "names a part that is not free; leave its motion out".into())
    })?;
    if drive.is_some_and(|drive| drive.body != body) {
        return Err((
            "drive.part".into(),
            "names another part than the arm holds; it is led by the arm".into(),
        ));
    }
    if drive.is_some() && description.strategy.is_some() {
        let remedy = "is given beside [drive]; both make set-points: keep one of the two";
        return Err(("arm.strategy.kind".into(), remedy.into()));
    }
    let (chain, ready) = chain_of(description, folder)?;
    let base =
        Pose::new(Vector3::from(description.base_position_mm) * 1e-3, turned(description.base_rotation_deg));
    let mut chain = chain.with_base(base).with_sticking_speed(STICKING_SPEED);
    if !description.joint_friction {
        chain = chain.without_friction();
    }
    let posture = joints(&chain, "arm.posture_deg", description.posture_deg.as_deref())?;
    let given = joints(&chain, "arm.joints_deg", description.joints_deg.as_deref())?;
    let grasp = &description.grasp;
    let tip_from_part = match (grasp.position_mm, grasp.rotation_deg) {
        (None, None) => None,
        (position, rotation) => Some(Pose::new(
            Vector3::from(position.unwrap_or_default()) * 1e-3,
            turned(rotation.unwrap_or_default()),
        )),
    };
    let (start, tip_from_part) = match (given, tip_from_part) {
        (Some(start), Some(tip_from_part)) => {
            bodies[body].world_from_part = chain.posture(&start).world_from_tip * tip_from_part;
            (start, tip_from_part)
        }
        (Some(start), None) => {
            (start, chain.posture(&start).world_from_tip.inverse() * bodies[body].world_from_part)
        }
        (None, Some(tip_from_part)) => {
            let target = bodies[body].world_from_part * tip_from_part.inverse();
            let from = posture.or(ready).unwrap_or_else(|| chain.of_joints(|joint| joint.limits.middle()));
            let options = ReachOptions { preferred: Some(from), ..ReachOptions::default() };
            let reached = chain.reach(&target, &from, &options).map_err(|error| -> Problem {
                let remedy = format!("the arm cannot hold `{}` where it starts: {error}", description.holds);
                ("arm.base_position_mm".into(), remedy)
            })?;
            (reached.angles, tip_from_part)
        }
        (None, None) => {
            let remedy = "is missing, and so is arm.joints_deg; give the part's pose in the hand, the joints at the \
                          start, or both";
            return Err(("arm.grasp.position_mm".into(), remedy.into()));
        }
    };
    let preferred = posture.unwrap_or(start);
    let model = chain.clone().with_payload(&tip_from_part, &inertia).with_tip(tip_from_part);
    let controller = controller_of(&description.controller, preferred, posture)
        .map_err(|error| -> Problem { ("arm.controller".into(), error.to_string()) })?;
    let grasp = grasp_of(grasp.compliance.as_ref())
        .map_err(|error| -> Problem { ("arm.grasp.compliance".into(), error.to_string()) })?;
    let sensor = sensor_of(&description.sensor)?;
    let strategy =
        description.strategy.as_ref().map(|own| strategy_of(own, bodies, body, task)).transpose()?;
    if strategy.is_some() && matches!(controller, Controller::Joints(..)) {
        let remedy =
            "is `joints`, which does not give way to force; a strategy needs `impedance` or `admittance`";
        return Err(("arm.controller.kind".into(), remedy.into()));
    }
    Ok(Arm { chain, model, body, tip_from_part, grasp, start, preferred, controller, sensor, strategy })
}

/// The chain, and the posture that its start is sought from where it is known.
fn chain_of(description: &ArmDescription, folder: &Path) -> Result<(Chain, Option<JointVector>), Problem> {
    let wrong = |error: tightfit_robot::ChainError| ("arm.robot".to_string(), error.to_string());
    let built_in = match description.robot.as_str() {
        "panda" => Some(Chain::panda()),
        "panda-turning-gripper" => Some(Chain::panda_turning_gripper()),
        _ => None,
    };
    match built_in {
        Some(_) if description.tip.is_some() => {
            Err(("arm.tip".into(), "is for URDF files; leave it out".into()))
        }
        Some(chain) => {
            let chain = chain.map_err(wrong)?;
            let ready = chain.joints_from(&READY.map(f64::to_radians));
            Ok((chain, Some(ready)))
        }
        None => {
            let file = folder.join(&description.robot);
            let chain = Chain::from_urdf_file(&file, description.tip.as_deref());
            let known = "built in are `panda` and `panda-turning-gripper`";
            let chain = chain.map_err(|error| ("arm.robot".to_string(), format!("{error}; {known}")))?;
            Ok((chain, None))
        }
    }
}

/// Degrees and millimetres of the joints in SI.
fn joints(chain: &Chain, key: &str, given: Option<&[f64]>) -> Result<Option<JointVector>, Problem> {
    let Some(given) = given else { return Ok(None) };
    if given.len() != chain.count() {
        let remedy = format!("has {} numbers; the arm has {} joints", given.len(), chain.count());
        return Err((key.into(), remedy));
    }
    let mut vector = JointVector::zeros();
    for ((entry, joint), value) in vector.iter_mut().zip(chain.joints()).zip(given) {
        let scale = match joint.kind {
            JointKind::Turning => 1_f64.to_radians(),
            JointKind::Sliding => 1e-3,
        };
        *entry = value * scale;
        if !(joint.limits.lower..=joint.limits.upper).contains(entry) {
            let [lower, upper] = [joint.limits.lower, joint.limits.upper].map(|limit| limit / scale);
            let remedy = format!("`{}` is {value}; allowed: {lower:.2} to {upper:.2}", joint.name);
            return Err((key.into(), remedy));
        }
    }
    Ok(Some(vector))
}

fn six(linear: [f64; 3], angular: [f64; 3]) -> Vector6<f64> {
    Vector6::new(linear[0], linear[1], linear[2], angular[0], angular[1], angular[2])
}

fn controller_of(
    description: &ControllerDescription,
    preferred: JointVector,
    posture: Option<JointVector>,
) -> Result<Controller, ControlError> {
    Ok(match *description {
        ControllerDescription::Impedance {
            stiffness_n_m,
            damping_ns_m,
            turning_stiffness_nm_rad,
            turning_damping_nms_rad,
            posture_stiffness_nm_rad,
            posture_damping_nms_rad,
        } => Controller::Impedance(CartesianImpedance::new(ImpedanceGains {
            stiffness: six(stiffness_n_m, turning_stiffness_nm_rad),
            damping: six(damping_ns_m, turning_damping_nms_rad),
            posture_stiffness: posture_stiffness_nm_rad,
            posture_damping: posture_damping_nms_rad,
        })?),
        ControllerDescription::Admittance {
            mass_kg,
            damping_ns_m,
            stiffness_n_m,
            turning_mass_kg_m2,
            turning_damping_nms_rad,
            turning_stiffness_nm_rad,
            joint_frequency_rad_s,
            joint_damping_ratio,
        } => {
            let gains = AdmittanceGains {
                mass: six(mass_kg, turning_mass_kg_m2),
                damping: six(damping_ns_m, turning_damping_nms_rad),
                stiffness: six(stiffness_n_m, turning_stiffness_nm_rad),
            };
            let inner = JointController::new(joint_frequency_rad_s, joint_damping_ratio)?;
            Controller::Admittance(Admittance::new(gains, inner, Some(preferred))?)
        }
        ControllerDescription::Joints { joint_frequency_rad_s, joint_damping_ratio } => {
            Controller::Joints(JointController::new(joint_frequency_rad_s, joint_damping_ratio)?, posture)
        }
    })
}

fn grasp_of(compliance: Option<&ComplianceDescription>) -> Result<Grasp, ControlError> {
    let Some(given) = compliance else { return Ok(Grasp::Rigid(RigidGrasp::default())) };
    let limit = (given.slip_force_n.is_some() || given.slip_torque_nm.is_some()).then(|| SlipLimit {
        force: given.slip_force_n.unwrap_or(1e12),
        torque: given.slip_torque_nm.unwrap_or(1e12),
    });
    let stiffness = six(given.stiffness_n_m, given.turning_stiffness_nm_rad);
    let damping = six(given.damping_ns_m, given.turning_damping_nms_rad);
    CompliantGrasp::new(stiffness, damping, limit).map(Grasp::Compliant)
}

fn sensor_of(description: &SensorDescription) -> Result<Sensor, Problem> {
    let filter = match (description.mean_samples, description.low_pass_hz) {
        (None, None) => SensorFilter::None,
        (Some(samples), None) => SensorFilter::Mean { samples: samples as usize },
        (None, Some(cutoff)) => SensorFilter::LowPass { cutoff },
        (Some(_), Some(_)) => {
            let remedy = "is given beside mean_samples; keep one of the two";
            return Err(("arm.sensor.low_pass_hz".into(), remedy.into()));
        }
    };
    let pose = Pose::new(Vector3::from(description.position_mm) * 1e-3, turned(description.rotation_deg));
    let bias = six(description.bias_n, description.bias_nm);
    let noise = [description.noise_n, description.noise_nm];
    let sensor = ForceSensor::new(pose, bias, noise, filter)
        .map_err(|error| -> Problem { ("arm.sensor".into(), error.to_string()) })?;
    let place = match description.place {
        SensorPlaceDescription::Wrist => SensorPlace::Wrist,
        SensorPlaceDescription::Table => SensorPlace::Table,
    };
    let torque_about = match description.torque_about {
        TorquePointDescription::Frame => TorquePoint::Frame,
        TorquePointDescription::CenterOfMass => TorquePoint::CenterOfMass,
    };
    Ok(Sensor { sensor, place, torque_about, seed: description.seed.into() })
}
