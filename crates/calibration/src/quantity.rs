//! What a calibration may determine.

use serde::{Deserialize, Serialize};

/// Component of a pose or a wrench: along x, y, z, then about x, y, z.
pub type Pose6 = usize;

const AXES: [&str; 6] = ["along x", "along y", "along z", "about x", "about y", "about z"];

/// A quantity of an experiment that may be unknown.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Quantity {
    /// A length of a part's shape, by its key in the scene file, such as `diameter_mm`.
    Dimension {
        /// The part.
        part: String,
        /// Key of its shape.
        key: String,
    },
    /// Shift and rotation of the fixed parts, about the first one's frame, world axes.
    FixedPose(Pose6),
    /// Pose of the unloaded part where the recording has the hand, axes of the part.
    InHand(Pose6),
    /// The same for one trial, beside that of all trials.
    Drift {
        /// Number of the trial.
        trial: usize,
        /// Component.
        axis: Pose6,
    },
    /// Stiffness of the hold: along the world's axes, about the part's; its logarithm is fitted.
    Stiffness(Pose6),
    /// Coulomb friction of every pair; its logarithm is fitted.
    Friction,
    /// Bias of the sensor, axes of the part.
    Bias(Pose6),
    /// Time by which the recorded wrench lags behind the recorded pose.
    Delay,
    /// Mass on the sensor that its zero does not contain.
    LoadMass,
    /// Mass times its distance from the part's centre of mass, axes of the part.
    LoadMoment(Pose6),
    /// A coefficient of the correction of the gap.
    Wear(usize),
}

impl Quantity {
    /// Kind, for tables over many experiments.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Dimension { .. } => "dimension",
            Self::FixedPose(_) => "fixed pose",
            Self::InHand(_) => "in-hand pose",
            Self::Drift { .. } => "drift",
            Self::Stiffness(_) => "stiffness",
            Self::Friction => "friction",
            Self::Bias(_) => "bias",
            Self::Delay => "delay",
            Self::LoadMass | Self::LoadMoment(_) => "load",
            Self::Wear(_) => "wear",
        }
    }

    /// Whether it moves surfaces: the correction of the gap must not do the same.
    #[must_use]
    pub fn is_geometric(&self) -> bool {
        matches!(self, Self::Dimension { .. } | Self::FixedPose(_) | Self::InHand(_))
    }

    /// Whether its logarithm is fitted.
    #[must_use]
    pub fn is_logarithmic(&self) -> bool {
        matches!(self, Self::Stiffness(_) | Self::Friction)
    }

    /// Name in reports.
    #[must_use]
    pub fn name(&self) -> String {
        match self {
            Self::Dimension { part, key } => {
                let key = key.trim_end_matches("_mm").trim_end_matches("_deg");
                format!("{part}.{key}")
            }
            Self::FixedPose(axis) => format!("fixed pose {}", AXES[*axis]),
            Self::InHand(axis) => format!("in-hand pose {}", AXES[*axis]),
            Self::Drift { trial, axis } => format!("drift of trial {trial} {}", AXES[*axis]),
            Self::Stiffness(axis) => format!("stiffness {}", AXES[*axis]),
            Self::Friction => "friction".into(),
            Self::Bias(axis) => format!("bias {}", AXES[*axis]),
            Self::Delay => "delay".into(),
            Self::LoadMass => "load mass".into(),
            Self::LoadMoment(axis) => format!("load moment {}", AXES[*axis]),
            Self::Wear(index) => format!("wear {index}"),
        }
    }

    /// SI unit.
    #[must_use]
    pub fn unit(&self) -> &'static str {
        match self {
            Self::Dimension { key, .. } if key.ends_with("_deg") => "deg",
            Self::Dimension { .. } | Self::Wear(_) => "m",
            Self::FixedPose(axis) | Self::InHand(axis) | Self::Drift { axis, .. } => {
                if *axis < 3 {
                    "m"
                } else {
                    "rad"
                }
            }
            Self::Stiffness(axis) => {
                if *axis < 3 {
                    "N/m"
                } else {
                    "N·m/rad"
                }
            }
            Self::Friction => "-",
            Self::Bias(axis) => {
                if *axis < 3 {
                    "N"
                } else {
                    "N·m"
                }
            }
            Self::Delay => "s",
            Self::LoadMass => "kg",
            Self::LoadMoment(_) => "kg·m",
        }
    }

    /// Standard deviation of what is believed before any data, in units of the fit (logarithms for stiffness and friction).
    #[must_use]
    pub fn prior(&self, start: f64) -> f64 {
        match self {
            Self::Dimension { .. } => (0.02 * start.abs()).max(0.3e-3),
            Self::FixedPose(axis) | Self::InHand(axis) => {
                if *axis < 3 {
                    1e-3
                } else {
                    0.02
                }
            }
            Self::Drift { axis, .. } => {
                if *axis < 3 {
                    50e-6
                } else {
                    1e-3
                }
            }
            Self::Stiffness(_) => 2.0,
            Self::Friction => 1.0,
            Self::Bias(axis) => {
                if *axis < 3 {
                    5.0
                } else {
                    0.5
                }
            }
            Self::Delay => 10e-3,
            Self::LoadMass => 1.0,
            Self::LoadMoment(_) => 0.1,
            Self::Wear(_) => 50e-6,
        }
    }
}

/// An unknown of a fit.
#[derive(Clone, Debug, PartialEq)]
pub struct Unknown {
    /// What it is.
    pub quantity: Quantity,
    /// Value that the scene has, SI units.
    pub start: f64,
    /// Standard deviation before any data, in units of the fit.
    pub prior: f64,
}

impl Unknown {
    /// With the usual prior.
    #[must_use]
    pub fn new(quantity: Quantity, start: f64) -> Self {
        let prior = quantity.prior(start);
        Self { quantity, start, prior }
    }

    /// SI value at a coordinate of the fit: an offset from the start, or the logarithm of a factor on it.
    #[must_use]
    pub fn value(&self, coordinate: f64) -> f64 {
        if self.quantity.is_logarithmic() {
            self.start * libm::exp(coordinate)
        } else {
            self.start + coordinate
        }
    }

    /// Coordinate of an SI value.
    #[must_use]
    pub fn coordinate(&self, value: f64) -> f64 {
        if self.quantity.is_logarithmic() { libm::log(value / self.start) } else { value - self.start }
    }
}
