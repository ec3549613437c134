//! `[arm.strategy]` of a scene file, as written.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Set-points of an arm by force feedback, in place of a drive. Distances and tilts are those of the part where the
/// arm believes it to be; the other part is that of `[task]`, at its nominal pose.
#[derive(Clone, Debug, Deserialize, JsonSchema, Serialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum StrategyDescription {
    /// A peg slides over the surface on a spiral until it drops into the hole.
    Spiral {
        /// Distance between two turns of the spiral [mm]; default 0.5.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        pitch_mm: Option<f64>,
        /// Radius at which the spiral ends [mm]; default 2.5.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        radius_mm: Option<f64>,
        /// Speed along the spiral [mm/s]; default 4.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        search_speed_mm_s: Option<f64>,
        /// Drop that identifies the hole [mm]; default 0.8.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        drop_mm: Option<f64>,
        /// Lowering and pushing in.
        #[serde(default)]
        insertion: InsertionDescription,
        /// When it is aborted.
        #[serde(default)]
        limits: LimitsDescription,
    },
    /// A tilted peg is put into the hole with its lower edge, pushed against the wall and set upright.
    Tilt {
        /// Tilt about y [deg]; default 5.
        #[schemars(range(min = 0.5, max = 30.0))]
        tilt_deg: Option<f64>,
        /// How far inside the mouth the lower edge is put [mm]; more than the error of the start; default 2.5.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        inset_mm: Option<f64>,
        /// Force against the wall [N]; default 6.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e4))]
        push_n: Option<f64>,
        /// Largest rotation beyond upright [deg]: slightly more than the error of its tilt; default 1.5.
        #[schemars(range(min = 0.0, max = 30.0))]
        overturn_deg: Option<f64>,
        /// How fast the peg is set upright [deg/s]; default 3.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 360.0))]
        align_deg_s: Option<f64>,
        /// Lowering and pushing in.
        #[serde(default)]
        insertion: InsertionDescription,
        /// When it is aborted.
        #[serde(default)]
        limits: LimitsDescription,
    },
    /// A peg probes the surface until it feels the slope of a chamfer, and yields to it.
    Chamfer {
        /// Force across the axis that identifies a chamfer, as a share of `press_n` [-]; default 0.35.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
        force_threshold: Option<f64>,
        /// Radius of the circle on which it probes after the centre [mm]; default 1.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        radius_mm: Option<f64>,
        /// Probes on that circle; default 6.
        #[schemars(range(min = 1, max = 1000))]
        probes: Option<u32>,
        /// How far it is lifted between them [mm]; default 1.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        lift_mm: Option<f64>,
        /// Drop on the chamfer that identifies the hole [mm]; default 0.5.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        drop_mm: Option<f64>,
        /// Lowering and pushing in.
        #[serde(default)]
        insertion: InsertionDescription,
        /// When it is aborted.
        #[serde(default)]
        limits: LimitsDescription,
    },
    /// A nut is turned backwards until the thread starts pass one another and it drops, then turned on.
    BackTurn {
        /// Turns after the drop; default 2.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        turns: Option<f64>,
        /// Thread start.
        #[serde(default)]
        start: ThreadStartDescription,
        /// When it is aborted.
        #[serde(default)]
        limits: LimitsDescription,
    },
    /// The same, and turned on against a seat up to a torque.
    Tighten {
        /// Torque at which it is done [N·m]; default 3.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e4))]
        torque_nm: Option<f64>,
        /// Share of it from which the nut is turned slowly [-]; default 0.3.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1.0))]
        snug_share: Option<f64>,
        /// How fast the set-point is turned then [deg/s]; default 2.9.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 360.0))]
        tighten_deg_s: Option<f64>,
        /// Most turns from the drop to the seat; default 6.
        #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
        turns: Option<f64>,
        /// Thread start.
        #[serde(default)]
        start: ThreadStartDescription,
        /// When it is aborted.
        #[serde(default)]
        limits: LimitsDescription,
    },
}

/// How a peg is lowered and pushed in.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct InsertionDescription {
    /// Force of touching and searching [N]; default 6, for a chamfer search 8.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e4))]
    pub press_n: Option<f64>,
    /// Speed of approach and lowering [mm/s]; default 10.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
    pub speed_mm_s: Option<f64>,
    /// Force of pushing in [N]; default 20.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e4))]
    pub insert_n: Option<f64>,
    /// Largest speed of pushing in [mm/s]; default 15.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
    pub insert_speed_mm_s: Option<f64>,
    /// Believed depth at which it is done [mm]; default 22.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 10000.0))]
    pub depth_mm: Option<f64>,
}

/// How a thread is started.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ThreadStartDescription {
    /// Force that presses the nut on [N]; default 12.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e4))]
    pub press_n: Option<f64>,
    /// Speed of lowering [mm/s]; default 10.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
    pub speed_mm_s: Option<f64>,
    /// How fast it is turned backwards [deg/s]; default 57.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 3600.0))]
    pub back_deg_s: Option<f64>,
    /// Most turns backwards; default 1.25.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 100.0))]
    pub back_turns: Option<f64>,
    /// Drop that identifies the start [mm]; default 0.8.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1000.0))]
    pub drop_mm: Option<f64>,
    /// How fast it is turned on [deg/s]; default 86.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 3600.0))]
    pub turn_deg_s: Option<f64>,
}

/// When a strategy is aborted.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, Serialize)]
#[serde(deny_unknown_fields)]
pub struct LimitsDescription {
    /// Longest time [s]; default 60.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e5))]
    pub time_s: Option<f64>,
    /// Largest measured force [N]; default 80.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e5))]
    pub force_n: Option<f64>,
    /// Largest measured torque about the part's frame [N·m]; default 10.
    #[schemars(extend("exclusiveMinimum" = 0.0), range(max = 1e5))]
    pub torque_nm: Option<f64>,
}
