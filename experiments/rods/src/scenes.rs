//! Each hole as a scene with its trials as recordings, for `tightfit identify SCENE --recordings FOLDER --fit LIST`.
//!
//! ```text
//! world    middle of the hole's mouth, +z out of the hole, x along the inserted rod's x
//! rod      round: frame at the tip; rectangular: in the middle; +z towards the tail
//! τ_C = τ_O + (o − c) × f         o origin of the logged torque, c centre of mass
//! ```
//!
//! A rod comes to rest on a load cell below the plate: a plane at the lowest tool point of the hole's trials. The sheet is 3 mm
//! thick, rods are 50 mm long. The data set does not state where torques have their origin; its lines of force pass the rod's
//! axis 90 to 100 mm beyond it, so it is taken 95 mm above the tip.

use std::f64::consts::PI;
use std::fmt::Write;
use std::path::Path;

use nalgebra::Vector2;
use tightfit_learning::identification::{Outline, median};
use tightfit_learning::recordings::{Recording, Sample, Split, Trial};
use tightfit_spatial::{Pose, Twist, UnitQuaternion, Vector3};

use crate::Rod;
use crate::first_contact::plate_height;
use crate::first_touch::{first_touch, unbiased};
use crate::holes::holes;

/// Thickness of the sheet and length of the rods [m].
const SHEET: f64 = 3e-3;
const LENGTH: f64 = 50e-3;
/// Origin of the logged torque above the tip [m].
const TORQUE_ORIGIN: f64 = 95e-3;

/// Writes a folder for each hole: `scene.toml`, and a folder for each trial with its recording. Returns the number of trials.
///
/// # Errors
/// When the trials do not tell their rods or holes, or a file cannot be written.
pub fn write_scenes(trials: &[Trial], folder: &Path) -> Result<usize, String> {
    let rods: Option<Vec<Rod>> = trials.iter().map(|trial| Rod::of_session(&trial.session)).collect();
    let rods = rods.ok_or("the trials' names do not state their rod and hole (small_rod_t0.1__…)")?;
    let forces: Vec<Vec<Vector3<f64>>> = trials.iter().map(|trial| unbiased(trial, &trial.force)).collect();
    let touches: Vec<_> =
        trials.iter().zip(&forces).map(|(trial, force)| first_touch(trial, force)).collect();
    let every = Split { train: (0..trials.len()).collect(), test: Vec::new() };
    let plate = plate_height(trials, &touches, &every);
    let mut names: Vec<&str> = trials.iter().map(|trial| trial.session.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let found = holes(trials, &every, plate, &names);
    let mut written = 0;
    for (name, middle) in names.iter().zip(&found.middles) {
        let Some(middle) = middle else { continue };
        let own: Vec<usize> = (0..trials.len()).filter(|index| trials[*index].session == *name).collect();
        let points = own.iter().flat_map(|index| &trials[*index].world_from_tool);
        let lowest = points.map(|pose| pose.translation.z).fold(plate, f64::min);
        let along = |axis: usize| -> f64 {
            let last = own.iter().filter_map(|index| trials[*index].world_from_tool.last());
            median(last.map(|pose| (pose.rotation * Vector3::x())[axis]).collect())
        };
        let turn = UnitQuaternion::from_axis_angle(&Vector3::z_axis(), along(1).atan2(along(0)));
        let hole_from_world = Pose::new(Vector3::new(middle.x, middle.y, plate), turn).inverse();
        let folder = folder.join(name);
        let unwritable = |error: std::io::Error| format!("{}: {error}", folder.display());
        std::fs::create_dir_all(&folder).map_err(unwritable)?;
        std::fs::write(folder.join("scene.toml"), scene(rods[own[0]], lowest - plate)).map_err(unwritable)?;
        for index in own {
            let recording = recording(&trials[index], rods[index], &forces[index], &hole_from_world);
            let of_trial = folder.join(&recording.name);
            std::fs::create_dir_all(&of_trial).map_err(unwritable)?;
            let file = of_trial.join("trial.csv");
            recording.save(&file, "UR5e rod insertion").map_err(|error| error.to_string())?;
            written += 1;
        }
    }
    Ok(written)
}

/// A trial from the moment at which its wrench counts, in the hole's frame. `force` in world axes [N].
fn recording(trial: &Trial, rod: Rod, force: &[Vector3<f64>], hole_from_world: &Pose) -> Recording {
    let torque = unbiased(trial, &trial.torque);
    let flip = UnitQuaternion::from_axis_angle(&Vector3::x_axis(), PI);
    let is_round = matches!(rod.outline, Outline::Round { .. });
    // seen from the tool, whose z points out of the tip
    let center = Vector3::new(0.0, 0.0, -0.5 * LENGTH);
    let frame = if is_round { Vector3::zeros() } else { center };
    let arm = Vector3::new(0.0, 0.0, -TORQUE_ORIGIN) - center;
    let start = (0..trial.len()).find(|row| trial.has_wrench(*row)).unwrap_or(0);
    let sample = |row: usize| {
        let tool = &trial.world_from_tool[row];
        let twist = trial.twist_at(row, 2);
        let velocity = twist.velocity_at(&tool.rotation, tool.rotation * center);
        let about_center = torque[row] + (tool.rotation * arm).cross(&force[row]);
        Sample {
            time: trial.time[row] - trial.time[start],
            world_from_part: *hole_from_world * *tool * Pose::new(frame, flip),
            twist: Twist::new(hole_from_world.transform_vector(velocity), flip * twist.angular_in_body),
            force: hole_from_world.transform_vector(force[row]),
            torque: hole_from_world.transform_vector(about_center),
            load: None,
        }
    };
    let mut samples: Vec<Sample> = (start..trial.len()).map(sample).collect();
    // some logs repeat rows
    samples.dedup_by(|next, own| next.time <= own.time);
    Recording { name: trial.name.clone(), samples }
}

/// The plate with its hole, the load cell below it [m], and the rod.
fn scene(rod: Rod, cell: f64) -> String {
    // to a nanometre
    let mm = |length: f64| (length * 1e9).round() / 1e6;
    let (sheet, length) = (mm(SHEET), mm(LENGTH));
    let mut text = String::from(
        "name = \"rod\"\ndescription = \"A rod, its hole in a sheet, and a load cell below\"\ngravity_m_s2 = [0, 0, 0]\n\
         friction = 0.15\n\n",
    );
    match rod.outline {
        Outline::Round { radius } => {
            let (hole, outer) = (2.0 * mm(radius + rod.clearance), 8.0 * mm(radius));
            let _ = write!(
                text,
                "[parts.plate]\nshape = {{ kind = \"hole\", diameter_mm = {hole}, depth_mm = {sheet}, outer_diameter_mm = {outer} }}\n\
                 motion = \"fixed\"\n\n[parts.rod]\nshape = {{ kind = \"peg\", diameter_mm = {}, length_mm = {length} }}\n\
                 position_mm = [0, 0, 5]\n\n",
                2.0 * mm(radius)
            );
        }
        Outline::Rectangle { half } => {
            let half = Vector2::from(half);
            let inner = half.add_scalar(rod.clearance);
            for (axis, name) in ["x", "y"].into_iter().enumerate() {
                for (side, sign) in [("left", -1.0), ("right", 1.0)] {
                    let mut size = [6.0 * mm(inner.max()), 6.0 * mm(inner.max()), sheet];
                    let mut place = [0.0, 0.0, -0.5 * sheet];
                    size[axis] = 10.0;
                    place[axis] = sign * (mm(inner[axis]) + 5.0);
                    if axis == 1 {
                        // between the other two
                        size[0] = 2.0 * mm(inner[0]);
                    }
                    let _ = write!(
                        text,
                        "[parts.{name}-{side}]\nshape = {{ kind = \"block\", size_mm = {size:?} }}\nposition_mm = {place:?}\n\
                         motion = \"fixed\"\n\n"
                    );
                }
            }
            let [x, y] = [2.0 * mm(half.x), 2.0 * mm(half.y)];
            let _ = write!(
                text,
                "[parts.rod]\nshape = {{ kind = \"block\", size_mm = [{x}, {y}, {length}] }}\nposition_mm = [0, 0, {}]\n\n",
                0.5 * length + 5.0
            );
        }
    }
    let _ = write!(
        text,
        "[parts.cell]\nshape = {{ kind = \"half-space\" }}\nposition_mm = [0, 0, {}]\nmotion = \"fixed\"\n",
        mm(cell)
    );
    text
}
