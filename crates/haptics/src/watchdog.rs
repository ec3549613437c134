//! A device that is silent for too long gets no force.

/// Counts the time since the last input and trips once it is too long.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Watchdog {
    patience: f64,
    silence: f64,
    has_begun: bool,
    trips: u32,
}

impl Watchdog {
    /// A watchdog that trips after `patience` seconds of silence. It waits for the first input without a trip.
    #[must_use]
    pub fn new(patience: f64) -> Self {
        Self { patience, silence: 0.0, has_begun: false, trips: 0 }
    }

    /// Time passes [s], with an input or without.
    pub fn pass(&mut self, seconds: f64, has_input: bool) {
        if has_input {
            (self.silence, self.has_begun) = (0.0, true);
            return;
        }
        let was_tripped = self.is_tripped();
        self.silence += seconds;
        self.trips += u32::from(self.is_tripped() && !was_tripped);
    }

    /// Whether the force must be zero.
    #[must_use]
    pub fn is_tripped(&self) -> bool {
        self.has_begun && self.silence > self.patience
    }

    /// How often it tripped.
    #[must_use]
    pub fn trips(&self) -> u32 {
        self.trips
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_waits_for_the_first_input_and_counts_each_silence_once() {
        let mut watchdog = Watchdog::new(0.02);
        (0..100).for_each(|_| watchdog.pass(1e-3, false));
        assert_eq!(watchdog.trips(), 0);
        for _ in 0..2 {
            watchdog.pass(1e-3, true);
            (0..19).for_each(|_| watchdog.pass(1e-3, false));
            assert!(!watchdog.is_tripped());
            (0..30).for_each(|_| watchdog.pass(1e-3, false));
            assert!(watchdog.is_tripped());
        }
        assert_eq!(watchdog.trips(), 2);
    }
}
