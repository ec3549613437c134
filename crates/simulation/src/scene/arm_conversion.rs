//! From `[arm]` of a scene file to the arm's builder: units to SI, the robot's file read.

use std::path::Path;

use nalgebra::Vector6;
use tightfit_robot::Chain;
use tightfit_robot::chain::JointKind;
use tightfit_robot::control::{AdmittanceGains, ControlError, ImpedanceGains, JointController};
use tightfit_robot::grasp::{CompliantGrasp, Grasp, RigidGrasp, SlipLimit};
use tightfit_robot::sensing::{ForceSensor, SensorFilter};
use tightfit_spatial::{Pose, Vector3};

use super::arm_builder::{ArmBuilder, ArmControl};
use super::arm_description::{
    ArmDescription, ComplianceDescription, ControllerDescription, SensorDescription, SensorPlaceDescription,
    TorquePointDescription,
};
use super::conversion::turned;
use super::problem::Problem;
use crate::arm::{Sensor, SensorPlace, TorquePoint};

/// The builder of an arm, without its strategy.
pub(super) fn arm_of(description: &ArmDescription, folder: &Path) -> Result<ArmBuilder, Problem> {
    let (chain, is_built_in) = chain_of(description, folder)?;
    let control = control_of(&description.controller)
        .map_err(|error| -> Problem { ("arm.controller".into(), error.to_string()) })?;
    let mut arm = ArmBuilder::new(chain, &description.holds, control);
    if is_built_in {
        arm = arm.built_in();
    }
    arm = arm.base(pose(description.base_position_mm, description.base_rotation_deg));
    if !description.joint_friction {
        arm = arm.without_joint_friction();
    }
    if let Some(posture) = &description.posture_deg {
        let posture = joints(arm.chain(), posture);
        arm = arm.posture(&posture);
    }
    if let Some(start) = &description.joints_deg {
        let start = joints(arm.chain(), start);
        arm = arm.joints(&start);
    }
    let grasp = &description.grasp;
    if grasp.position_mm.is_some() || grasp.rotation_deg.is_some() {
        let [position, rotation] = [grasp.position_mm, grasp.rotation_deg].map(Option::unwrap_or_default);
        arm = arm.tip_from_part(pose(position, rotation));
    }
    let grasp = grasp_of(grasp.compliance.as_ref())
        .map_err(|error| -> Problem { ("arm.grasp.compliance".into(), error.to_string()) })?;
    Ok(arm.grasp(grasp).sensor(sensor_of(&description.sensor)?))
}

fn pose(position_mm: [f64; 3], rotation_deg: [f64; 3]) -> Pose {
    Pose::new(Vector3::from(position_mm) * 1e-3, turned(rotation_deg))
}

/// The chain, and whether it is built in.
fn chain_of(description: &ArmDescription, folder: &Path) -> Result<(Chain, bool), Problem> {
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
        Some(chain) => Ok((chain.map_err(wrong)?, true)),
        None => {
            let file = folder.join(&description.robot);
            let chain = Chain::from_urdf_file(&file, description.tip.as_deref());
            let known = "built in are `panda` and `panda-turning-gripper`";
            let chain = chain.map_err(|error| ("arm.robot".to_string(), format!("{error}; {known}")))?;
            Ok((chain, false))
        }
    }
}

/// Degrees and millimetres of the joints in SI.
fn joints(chain: &Chain, given: &[f64]) -> Vec<f64> {
    let kinds = chain.joints().iter().map(|joint| joint.kind).chain(std::iter::repeat(JointKind::Turning));
    let scaled = given.iter().zip(kinds).map(|(value, kind)| match kind {
        JointKind::Turning => value * 1_f64.to_radians(),
        JointKind::Sliding => value * 1e-3,
    });
    scaled.collect()
}

fn six(linear: [f64; 3], angular: [f64; 3]) -> Vector6<f64> {
    Vector6::new(linear[0], linear[1], linear[2], angular[0], angular[1], angular[2])
}

fn control_of(description: &ControllerDescription) -> Result<ArmControl, ControlError> {
    Ok(match *description {
        ControllerDescription::Impedance {
            stiffness_n_m,
            damping_ns_m,
            turning_stiffness_nm_rad,
            turning_damping_nms_rad,
            posture_stiffness_nm_rad,
            posture_damping_nms_rad,
        } => ArmControl::Impedance(ImpedanceGains {
            stiffness: six(stiffness_n_m, turning_stiffness_nm_rad),
            damping: six(damping_ns_m, turning_damping_nms_rad),
            posture_stiffness: posture_stiffness_nm_rad,
            posture_damping: posture_damping_nms_rad,
        }),
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
            ArmControl::Admittance(gains, inner)
        }
        ControllerDescription::Joints { joint_frequency_rad_s, joint_damping_ratio } => {
            ArmControl::Joints(JointController::new(joint_frequency_rad_s, joint_damping_ratio)?)
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
    let pose = pose(description.position_mm, description.rotation_deg);
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
