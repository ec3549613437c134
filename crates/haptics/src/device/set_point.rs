//! A set-point that comes at any rate, such as that of a page, as a handle that moves smoothly.
//!
//! ```text
//! ẍ = ω² (x_s − x) − 2 ω ẋ          critically damped, backward Euler; likewise for rotations
//! ```
//!
//! A page sends set-points at 60 Hz and returns no force; the filter makes a pose and a twist of them for every tick. The
//! wrench is shown by the page, not felt.

use tightfit_spatial::{Pose, UnitQuaternion, Vector3};

use super::{Device, DeviceDescription, DeviceSample, DeviceWrench};

/// ω [1/s].
const RATE: f64 = 60.0;

/// A handle that follows set-points.
pub struct SetPointDevice<F> {
    source: F,
    handle: Option<DeviceSample>,
}

impl<F: FnMut() -> Option<Pose>> SetPointDevice<F> {
    /// A handle that follows a source: the set-point now, `None` where nobody holds the part.
    pub fn new(source: F) -> Self {
        Self { source, handle: None }
    }
}

impl<F: FnMut() -> Option<Pose>> Device for SetPointDevice<F> {
    fn description(&self) -> DeviceDescription {
        // no force acts on the handle, so that any damping may be assumed
        DeviceDescription { damping: 10.0, turning_damping: 0.05, ..DeviceDescription::default() }
    }

    fn read(&mut self, elapsed: f64) -> Option<DeviceSample> {
        let Some(target) = (self.source)().filter(Pose::is_finite) else {
            self.handle = None;
            return None;
        };
        let handle = self.handle.get_or_insert_with(|| DeviceSample::at(target));
        let approach = |velocity: Vector3<f64>, error: Vector3<f64>| {
            let gain = RATE * elapsed;
            (velocity + error * (RATE * gain)) / (1.0 + 2.0 * gain + gain * gain)
        };
        handle.linear = approach(handle.linear, target.translation - handle.pose.translation);
        let turn = (target.rotation * handle.pose.rotation.inverse()).scaled_axis();
        handle.angular = approach(handle.angular, turn);
        handle.pose.translation += handle.linear * elapsed;
        handle.pose.rotation =
            UnitQuaternion::from_scaled_axis(handle.angular * elapsed) * handle.pose.rotation;
        handle.pose.rotation.renormalize();
        Some(*handle)
    }

    fn write(&mut self, _wrench: &DeviceWrench) {}
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_of_the_set_point_is_followed_without_overshoot() {
        let mut target = Pose::identity();
        let mut device = SetPointDevice::new(move || {
            let now = target;
            target.translation.x = 0.01;
            Some(now)
        });
        let mut last = 0.0;
        for _ in 0..500 {
            let x = device.read(1e-3).map_or(0.0, |sample| sample.pose.translation.x);
            assert!(x >= last && x <= 0.01 + 1e-12);
            last = x;
        }
        assert!(last > 0.01 - 1e-9);
    }
}
