//! A part of a scene under construction: shape, motion, pose, mass and networks.

use std::sync::Arc;

use tightfit_interaction::InteractionFile;
use tightfit_pipeline::cspace::CspaceNetworks;
use tightfit_pipeline::detection::DepthNetwork;
use tightfit_shape::Part;
use tightfit_shape::node::NodeSpacing;
use tightfit_spatial::{Inertia, Matrix3, Pose, UnitQuaternion, Vector3};

use super::Motion;
use super::problem::{FARTHEST, Problem, Problems};
use crate::GapField;

/// Density where none is given [kg/m³].
const STEEL: f64 = 7850.0;
/// Largest mass [kg] and density [kg/m³].
const HEAVIEST: f64 = 1e6;

/// A part for [`SceneBuilder::part`](super::SceneBuilder::part), in SI units.
///
/// ```
/// use tightfit_shape::preset::preset;
/// use tightfit_simulation::BodyBuilder;
/// use tightfit_spatial::Vector3;
///
/// let peg = BodyBuilder::free(preset("peg-50").expect("built in")).mass(0.53).position(Vector3::new(0.0, 0.0, 3e-3));
/// ```
#[derive(Clone, Debug)]
#[must_use]
pub struct BodyBuilder {
    pub(super) part: Part,
    pub(super) motion: Motion,
    pub(super) world_from_part: Pose,
    weight: Weight,
    center_of_mass: Option<Vector3<f64>>,
    moment: Option<Matrix3<f64>>,
    nodes: Option<NodeSpacing>,
    pub(super) network: Option<Arc<DepthNetwork>>,
    pub(super) cspace: Option<CspaceOf>,
    pub(super) interaction: Option<InteractionOf>,
    pub(super) gap_field: Option<Arc<GapField>>,
    /// Whether the file's shape could not be read: `part` is then a placeholder, so that other problems are found too.
    pub(super) is_unknown: bool,
}

#[derive(Clone, Copy, Debug)]
enum Weight {
    /// [kg/m³].
    Density(f64),
    /// [kg].
    Mass(f64),
}

/// C-space networks against a fixed part; `None` where their files could not be read.
#[derive(Clone, Debug)]
pub(super) struct CspaceOf {
    pub(super) against: String,
    pub(super) space: Option<Arc<CspaceNetworks>>,
}

/// An interaction network against a fixed part; `None` where its file could not be read.
#[derive(Clone, Debug)]
pub(super) struct InteractionOf {
    pub(super) against: String,
    pub(super) file: Option<Arc<InteractionFile>>,
    /// Attitude of the network's frame in the part's.
    pub(super) rotation: UnitQuaternion<f64>,
}

impl BodyBuilder {
    /// A part that moves as told or not at all or by forces, at the origin, of steel.
    pub fn new(part: Part, motion: Motion) -> Self {
        Self {
            part,
            motion,
            world_from_part: Pose::identity(),
            weight: Weight::Density(STEEL),
            center_of_mass: None,
            moment: None,
            nodes: None,
            network: None,
            cspace: None,
            interaction: None,
            gap_field: None,
            is_unknown: false,
        }
    }

    /// A part that forces move.
    pub fn free(part: Part) -> Self {
        Self::new(part, Motion::Free)
    }

    /// A part that does not move.
    pub fn fixed(part: Part) -> Self {
        Self::new(part, Motion::Fixed)
    }

    /// A part that moves along its set-points whatever the forces.
    pub fn kinematic(part: Part) -> Self {
        Self::new(part, Motion::Kinematic)
    }

    /// Stands for a part whose shape could not be read.
    pub(super) fn unknown(motion: Motion) -> Self {
        Self { is_unknown: true, ..Self::new(Part::HalfSpace, motion) }
    }

    /// Pose of the part's frame in the world at the start. A driven part starts at its first set-point instead.
    pub fn at(mut self, world_from_part: Pose) -> Self {
        self.world_from_part = world_from_part;
        self
    }

    /// Position of the part's frame at the start [m].
    pub fn position(mut self, position: Vector3<f64>) -> Self {
        self.world_from_part.translation = position;
        self
    }

    /// Attitude of the part's frame at the start.
    pub fn rotation(mut self, rotation: UnitQuaternion<f64>) -> Self {
        self.world_from_part.rotation = rotation;
        self
    }

    /// Density [kg/m³], in place of steel's 7850 or of a mass.
    pub fn density(mut self, density: f64) -> Self {
        self.weight = Weight::Density(density);
        self
    }

    /// Mass [kg], in place of a density; the inertia scales with it.
    pub fn mass(mut self, mass: f64) -> Self {
        self.weight = Weight::Mass(mass);
        self
    }

    /// Centre of mass in the part's frame [m], where the density is not uniform.
    pub fn center_of_mass(mut self, center: Vector3<f64>) -> Self {
        self.center_of_mass = Some(center);
        self
    }

    /// Moment of inertia about the centre of mass, axes of the part's frame [kg·m²], where the density is not uniform.
    pub fn moment(mut self, moment: Matrix3<f64>) -> Self {
        self.moment = Some(moment);
        self
    }

    /// Mass, centre of mass and moment of inertia in the part's frame.
    pub fn inertia(self, inertia: Inertia) -> Self {
        self.mass(inertia.mass).center_of_mass(inertia.center_of_mass).moment(inertia.moment)
    }

    /// Largest distances between the nodes; by default they follow from the size of the part and of its features.
    pub fn nodes(mut self, spacing: NodeSpacing) -> Self {
        self.nodes = Some(spacing);
        self
    }

    /// Depth network for [`DetectionMethod::Neural`](super::DetectionMethod::Neural), in place of the embedded one.
    pub fn network(mut self, network: Arc<DepthNetwork>) -> Self {
        self.network = Some(network);
        self
    }

    /// C-space networks of this free part against a fixed one.
    pub fn cspace(mut self, against: &str, space: Arc<CspaceNetworks>) -> Self {
        self.cspace = Some(CspaceOf { against: against.to_string(), space: Some(space) });
        self
    }

    /// Interaction network that clusters the contacts of this free part with a fixed one. `rotation` is the attitude
    /// of the network's frame in the part's.
    pub fn interaction(
        mut self,
        against: &str,
        file: Arc<InteractionFile>,
        rotation: UnitQuaternion<f64>,
    ) -> Self {
        self.interaction = Some(InteractionOf { against: against.to_string(), file: Some(file), rotation });
        self
    }

    /// Correction of the gap over the surface, such as wear.
    pub fn gap_field(mut self, field: Arc<GapField>) -> Self {
        self.gap_field = Some(field);
        self
    }

    /// What is wrong with this part alone.
    pub(super) fn check(&self, name: &str, problems: &mut Problems) {
        if self.is_unknown {
            return;
        }
        let at = |key: &str| format!("parts.{name}.{key}");
        problems.position(&at("position"), self.world_from_part.translation);
        if self.part.aabb().is_some_and(|bounds| {
            let corners = [bounds.min, bounds.max];
            !corners.iter().flat_map(|corner| corner.iter()).all(|x| x.abs() <= FARTHEST)
        }) {
            problems.add(&at("shape"), "is larger than 1000 km or not finite; check its unit".into());
        }
        match self.weight {
            Weight::Density(density) => problems.positive(&at("density"), density, HEAVIEST, "kg/m³"),
            Weight::Mass(mass) => problems.positive(&at("mass"), mass, HEAVIEST, "kg"),
        }
        if let Err((key, remedy)) = self.mass_properties(name) {
            problems.add(&key, remedy);
        }
        if let Err((key, remedy)) = self.spacing(name) {
            problems.add(&key, remedy);
        }
    }

    /// Mass properties of a free part.
    pub(super) fn mass_properties(&self, name: &str) -> Result<Option<Inertia>, Problem> {
        if self.motion != Motion::Free {
            return Ok(None);
        }
        let at = |key: &str| format!("parts.{name}.{key}");
        let uniform = |density: f64| {
            self.part.inertia(density).map_err(|error| -> Problem { (at("shape"), error.to_string()) })
        };
        let inertia = match self.weight {
            Weight::Density(density) => uniform(density)?,
            Weight::Mass(mass) => uniform(STEEL)?.with_mass(mass),
        };
        if self.center_of_mass.is_none() && self.moment.is_none() {
            return Ok(Some(inertia));
        }
        let center = self.center_of_mass.unwrap_or(inertia.center_of_mass);
        let own = Inertia::new(inertia.mass, center, self.moment.unwrap_or(inertia.moment));
        own.map(Some).map_err(|error| (at("moment"), error.to_string()))
    }

    /// Distances between the nodes.
    pub(super) fn spacing(&self, name: &str) -> Result<NodeSpacing, Problem> {
        let usual =
            || self.part.aabb().map_or_else(NodeSpacing::default, |b| NodeSpacing::for_size(b.diagonal()));
        let spacing = self.nodes.unwrap_or_else(usual).checked();
        spacing.map_err(|error| (format!("parts.{name}.nodes"), error.to_string()))
    }
}
