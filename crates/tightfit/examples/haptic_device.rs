//! A haptic device of one's own: `cargo run --release --example haptic_device`
//!
//! A motor turns the nut to and fro and prints the torque that it meets.
#![allow(clippy::print_stdout, reason = "an example talks to people")]

use tightfit::haptics::{
    Device, DeviceDescription, DeviceSample, DeviceWrench, RenderError, RenderedScene, RunOptions, rehearse,
};
use tightfit::scene::{Scene, Simulation};
use tightfit::spatial::{Pose, UnitQuaternion, Vector3};

/// Turns its handle by half a turn to and fro, whatever it feels.
#[derive(Default)]
struct Motor {
    time: f64,
    largest_torque: f64,
}

impl Device for Motor {
    fn description(&self) -> DeviceDescription {
        DeviceDescription::default()
    }

    fn read(&mut self, elapsed: f64) -> Option<DeviceSample> {
        self.time += elapsed;
        let (sin, cos) = (3.0 * self.time).sin_cos();
        let rotation = UnitQuaternion::from_scaled_axis(Vector3::z() * (1.5 * (cos - 1.0)));
        let pose = Pose::new(Vector3::zeros(), rotation);
        Some(DeviceSample { angular: Vector3::z() * (-4.5 * sin), ..DeviceSample::at(pose) })
    }

    fn write(&mut self, wrench: &DeviceWrench) {
        self.largest_torque = self.largest_torque.max(wrench.torque.z.abs());
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let simulation = Simulation::new(Scene::find("bolting-engaged")?, 1);
    let mut scene = RenderedScene::new(simulation).map_err(|error: RenderError| error.to_string())?;
    let mut motor = Motor::default();
    let options = RunOptions { seconds: 4.0, ..RunOptions::default() };
    let measures = rehearse(&mut scene, &mut motor, &options, &mut |_| {});
    println!("largest torque on the handle: {:.3} N·m", motor.largest_torque);
    println!(
        "net energy at the port: {:.4} J, lowest {:.1e} J",
        measures.port_energy, measures.lowest_port_energy
    );
    if let Some(thread) = measures.thread {
        println!("deviation from the thread's pitch: {:.3} mm at most", 1e3 * thread.largest_deviation);
    }
    Ok(())
}
