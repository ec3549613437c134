//! What may differ per environment and per reset.

use std::sync::Arc;

use tightfit_shape::Part;
use tightfit_spatial::Inertia;

use crate::{GapField, Methods, Scene};

/// Dimensions, mass, friction and methods of one environment. Node sets stay those of the scene: they are charts.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameters {
    /// Time step T [s].
    pub dt: f64,
    /// One entry per body of the scene.
    pub bodies: Vec<BodyParameters>,
    /// μ of every contact pair of the scene [-].
    pub friction: Vec<f64>,
    /// What the step is made of.
    pub methods: Methods,
}

/// Parameters of one body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodyParameters {
    /// The part with this environment's dimensions; of the same kind as the scene's.
    pub part: Part,
    /// Mass properties; `None` for bodies that are not free.
    pub inertia: Option<Inertia>,
    /// Correction of the gap over its surface, such as wear.
    pub gap_field: Option<Arc<GapField>>,
}

impl Parameters {
    /// Inertia of the free bodies, in order.
    pub(crate) fn free_inertia(&self) -> impl Iterator<Item = Inertia> + '_ {
        self.bodies.iter().filter_map(|body| body.inertia)
    }

    /// The scene's own.
    #[must_use]
    pub fn of(scene: &Scene) -> Self {
        let body = |body: &crate::Body| BodyParameters {
            part: body.part.clone(),
            inertia: body.inertia,
            gap_field: body.gap_field.clone(),
        };
        Self {
            dt: scene.dt,
            bodies: scene.bodies.iter().map(body).collect(),
            friction: scene.contacts.iter().map(|pair| pair.friction).collect(),
            methods: scene.methods,
        }
    }
}
