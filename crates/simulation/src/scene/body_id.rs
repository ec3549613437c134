//! Which body of a scene is meant.

use std::ops::{Index, IndexMut};

use super::{Body, Scene, SceneError};
use crate::BodyParameters;

/// A body of a scene. [`Scene::body`] finds it by name; it indexes [`Scene::bodies`] and
/// [`Parameters::bodies`](crate::Parameters::bodies).
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct BodyId(usize);

impl BodyId {
    pub(crate) fn at(index: usize) -> Self {
        Self(index)
    }

    /// Its place in [`Scene::bodies`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0
    }
}

macro_rules! indexed_by_body {
    ($($list:ty => $item:ty),* $(,)?) => {
        $(
            impl Index<BodyId> for $list {
                type Output = $item;

                fn index(&self, body: BodyId) -> &$item {
                    &self[body.0]
                }
            }

            impl IndexMut<BodyId> for $list {
                fn index_mut(&mut self, body: BodyId) -> &mut $item {
                    &mut self[body.0]
                }
            }
        )*
    };
}

indexed_by_body!(
    Vec<Body> => Body,
    [Body] => Body,
    Vec<BodyParameters> => BodyParameters,
    [BodyParameters] => BodyParameters,
);

impl Scene {
    /// The body of this name.
    #[must_use]
    pub fn body(&self, name: &str) -> Option<BodyId> {
        self.body_ids().find(|body| self.bodies[*body].name == name)
    }

    /// The body of this name.
    ///
    /// # Errors
    /// When there is none; the error lists the names.
    pub fn body_id(&self, name: &str) -> Result<BodyId, SceneError> {
        self.body(name).ok_or_else(|| SceneError::UnknownBody {
            scene: self.name.clone(),
            name: name.to_string(),
            known: self.bodies.iter().map(|body| body.name.as_str()).collect::<Vec<_>>().join(", "),
        })
    }

    /// All bodies in order.
    pub fn body_ids(&self) -> impl DoubleEndedIterator<Item = BodyId> + use<> {
        (0..self.bodies.len()).map(BodyId)
    }
}
