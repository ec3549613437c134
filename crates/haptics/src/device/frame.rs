//! Binary frames of devices, little-endian (docs/protocol.md): pose and twist in, wrench out.
//!
//! ```text
//! in:   "TFHI"  u8 version  u8 flags  u16 0  u32 sequence  u32 0  u64 token   f64 × 7 pose   f64 × 6 twist  [f64 × 6 hand]
//! out:  "TFHO"  u8 version  u8 flags  u16 0  u32 sequence  u32 0              f64 × 6 wrench
//! ```
//!
//! Every number is checked here, so that a loop never sees a value that is not finite or out of range.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};

use thiserror::Error;
use tightfit_spatial::{Pose, Quaternion, UnitQuaternion, Vector3};

use super::{DeviceSample, DeviceWrench};

const VERSION: u8 = 1;
/// Bytes before the numbers of an input frame.
const INPUT_HEAD: usize = 24;
/// Bytes before the numbers of an output frame.
const OUTPUT_HEAD: usize = 16;
/// Length of an input frame without the wrench of the hand [bytes].
pub const INPUT_BYTES: usize = INPUT_HEAD + 13 * 8;
/// Length of an input frame with the wrench of the hand [bytes].
pub const INPUT_BYTES_WITH_HAND: usize = INPUT_BYTES + 6 * 8;
/// Length of an output frame [bytes].
pub const OUTPUT_BYTES: usize = OUTPUT_HEAD + 6 * 8;

/// Flag of an input frame: it holds the wrench of the hand.
const HAS_HAND: u8 = 1;

/// Why a frame was dropped.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FrameError {
    /// Its length fits no frame.
    #[error(
        "a frame of {0} bytes; allowed: {INPUT_BYTES} or, with the wrench of the hand, {INPUT_BYTES_WITH_HAND}"
    )]
    Length(usize),
    /// It begins otherwise.
    #[error("no input frame of version {VERSION}: it begins with {0:?}; see docs/protocol.md")]
    Head([u8; 8]),
    /// The token is another.
    #[error("the token is not that of this start; use the one that `tightfit haptics` printed")]
    Token,
    /// A number is out of range.
    #[error("`{field}` = {value}: allowed: {allowed}")]
    Range {
        /// What it is.
        field: &'static str,
        /// Its value.
        value: f64,
        /// What is allowed.
        allowed: &'static str,
    },
}

/// An input frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleFrame {
    /// Number that grows by one from frame to frame and wraps.
    pub sequence: u32,
    /// The sample.
    pub sample: DeviceSample,
}

impl SampleFrame {
    /// Reads and checks a frame.
    ///
    /// # Errors
    /// When length, head, token or a number is wrong.
    pub fn parse(bytes: &[u8], token: u64) -> Result<Self, FrameError> {
        if bytes.len() != INPUT_BYTES && bytes.len() != INPUT_BYTES_WITH_HAND {
            return Err(FrameError::Length(bytes.len()));
        }
        let head: [u8; 8] = array(bytes, 0);
        let has_hand = bytes.len() == INPUT_BYTES_WITH_HAND;
        if head != [b'T', b'F', b'H', b'I', VERSION, u8::from(has_hand) * HAS_HAND, 0, 0] {
            return Err(FrameError::Head(head));
        }
        if u64::from_le_bytes(array(bytes, 16)) != token {
            return Err(FrameError::Token);
        }
        let number = |index: usize| f64::from_le_bytes(array(bytes, INPUT_HEAD + 8 * index));
        let vector = |first: usize, field: &'static str, most: f64, allowed: &'static str| {
            let vector = Vector3::new(number(first), number(first + 1), number(first + 2));
            match vector.iter().find(|value| !(-most..=most).contains(*value)) {
                Some(value) => Err(FrameError::Range { field, value: *value, allowed }),
                None => Ok(vector),
            }
        };
        let position = vector(0, "position", 10.0, "-10 to 10 m")?;
        let quaternion = Quaternion::new(number(6), number(3), number(4), number(5));
        let norm = quaternion.norm();
        if !(0.9..=1.1).contains(&norm) {
            let field = "length of the quaternion";
            return Err(FrameError::Range { field, value: norm, allowed: "0.9 to 1.1" });
        }
        let hand = match has_hand {
            true => Some(DeviceWrench {
                force: vector(13, "force of the hand", 1000.0, "-1000 to 1000 N")?,
                torque: vector(16, "torque of the hand", 100.0, "-100 to 100 N·m")?,
            }),
            false => None,
        };
        let sample = DeviceSample {
            pose: Pose::new(position, UnitQuaternion::new_normalize(quaternion)),
            linear: vector(7, "velocity", 10.0, "-10 to 10 m/s")?,
            angular: vector(10, "angular velocity", 200.0, "-200 to 200 rad/s")?,
            hand,
        };
        Ok(Self { sequence: u32::from_le_bytes(array(bytes, 8)), sample })
    }

    /// The frame as bytes, for clients and tests.
    #[must_use]
    pub fn bytes(&self, token: u64) -> Vec<u8> {
        let mut bytes = b"TFHI".to_vec();
        bytes.extend([VERSION, u8::from(self.sample.hand.is_some()) * HAS_HAND, 0, 0]);
        bytes.extend(self.sequence.to_le_bytes());
        bytes.extend([0; 4]);
        bytes.extend(token.to_le_bytes());
        let DeviceSample { pose, linear, angular, hand } = &self.sample;
        let numbers =
            pose.translation.iter().chain(pose.rotation.coords.iter()).chain(linear.iter()).chain(angular);
        numbers.for_each(|number| bytes.extend(number.to_le_bytes()));
        if let Some(hand) = hand {
            hand.force.iter().chain(&hand.torque).for_each(|number| bytes.extend(number.to_le_bytes()));
        }
        bytes
    }

    /// Whether this frame was sent after another; numbers wrap.
    #[must_use]
    pub fn is_after(&self, sequence: u32) -> bool {
        let ahead = self.sequence.wrapping_sub(sequence);
        ahead != 0 && ahead < u32::MAX / 2
    }
}

/// An output frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrenchFrame {
    /// Number of the newest input that the wrench answers.
    pub sequence: u32,
    /// The wrench on the handle.
    pub wrench: DeviceWrench,
}

impl WrenchFrame {
    /// The frame as bytes.
    #[must_use]
    pub fn bytes(&self) -> [u8; OUTPUT_BYTES] {
        let mut bytes = [0; OUTPUT_BYTES];
        bytes[..5].copy_from_slice(&[b'T', b'F', b'H', b'O', VERSION]);
        bytes[8..12].copy_from_slice(&self.sequence.to_le_bytes());
        for (index, number) in self.wrench.force.iter().chain(&self.wrench.torque).enumerate() {
            let at = OUTPUT_HEAD + 8 * index;
            bytes[at..at + 8].copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Reads a frame, for clients and tests; `None` where it is none.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.len() != OUTPUT_BYTES || bytes[..5] != [b'T', b'F', b'H', b'O', VERSION] {
            return None;
        }
        let number = |index: usize| f64::from_le_bytes(array(bytes, OUTPUT_HEAD + 8 * index));
        let vector = |first: usize| Vector3::new(number(first), number(first + 1), number(first + 2));
        let wrench = DeviceWrench { force: vector(0), torque: vector(3) };
        Some(Self { sequence: u32::from_le_bytes(array(bytes, 8)), wrench })
    }
}

/// Bytes from an offset on, which the caller has checked to exist.
fn array<const N: usize>(bytes: &[u8], at: usize) -> [u8; N] {
    std::array::from_fn(|index| bytes.get(at + index).copied().unwrap_or(0))
}

/// A token for one start. The keys of the standard library's hasher come from the system's random numbers.
#[must_use]
pub fn new_token() -> u64 {
    RandomState::new().build_hasher().finish()
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "a test may fail")]
mod tests {
    use super::*;

    fn frame() -> SampleFrame {
        let pose = Pose::new(
            Vector3::new(0.1, -0.2, 0.3),
            UnitQuaternion::from_scaled_axis(Vector3::new(0.3, 0.2, -0.1)),
        );
        let linear = Vector3::new(0.01, 0.02, -0.03);
        SampleFrame { sequence: 7, sample: DeviceSample { linear, ..DeviceSample::at(pose) } }
    }

    #[test]
    fn frames_survive_the_way_there_and_back() {
        let mut frame = frame();
        for hand in [None, Some(DeviceWrench { force: Vector3::x(), torque: Vector3::y() })] {
            frame.sample.hand = hand;
            let read = SampleFrame::parse(&frame.bytes(9), 9).unwrap();
            assert!((read.sample.pose.rotation.coords - frame.sample.pose.rotation.coords).norm() < 1e-15);
            assert_eq!((read.sequence, read.sample.hand, read.sample.linear), (7, hand, frame.sample.linear));
        }
        let wrench = DeviceWrench { force: Vector3::new(1.0, 2.0, 3.0), torque: Vector3::new(4.0, 5.0, 6.0) };
        let out = WrenchFrame { sequence: 3, wrench };
        assert_eq!(WrenchFrame::parse(&out.bytes()), Some(out));
    }

    #[test]
    fn wrong_frames_are_refused_by_name() {
        let good = frame().bytes(9);
        assert_eq!(SampleFrame::parse(&good, 8), Err(FrameError::Token));
        assert_eq!(SampleFrame::parse(&good[1..], 9), Err(FrameError::Length(INPUT_BYTES - 1)));
        let changed = |at: usize, bytes: &[u8]| {
            let mut frame = good.clone();
            frame[at..at + bytes.len()].copy_from_slice(bytes);
            SampleFrame::parse(&frame, 9)
        };
        assert!(matches!(changed(5, &[1]), Err(FrameError::Head(_))));
        assert!(matches!(
            changed(24, &f64::NAN.to_le_bytes()),
            Err(FrameError::Range { field: "position", .. })
        ));
        assert!(matches!(changed(48, &9.0_f64.to_le_bytes()), Err(FrameError::Range { .. })));
        assert!(matches!(changed(80, &f64::INFINITY.to_le_bytes()), Err(FrameError::Range { .. })));
    }

    #[test]
    fn the_sequence_wraps() {
        let at = |sequence: u32| SampleFrame { sequence, ..frame() };
        assert!(at(1).is_after(0) && at(0).is_after(u32::MAX) && !at(5).is_after(5) && !at(4).is_after(5));
    }
}
