//! The contacts of an object as inputs of the network: columns, neighbours, positions in the embedding.

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_pipeline::make_room;
use tightfit_spatial::Columns3;

use super::hilbert::AlongCurve;
use super::neighbours::{NeighbourSearch, find_neighbours};
use crate::{EMBEDDING, LANES, Located, NEIGHBOURS};
/// Contacts of one object. Nothing is allocated after `make_room`.
#[derive(Clone, Debug, Default)]
pub struct ContactSet {
    /// Points in the object's frame [m].
    points: Columns3,
    given: Vec<Given>,
    order: AlongCurve,
    /// Length of the columns below, which follow the order of the curve: the number of contacts, padded to whole
    /// registers.
    stride: usize,
    /// Eight columns.
    embedding: Vec<f64>,
    /// Three columns, in the axes of the inputs [m].
    own: Vec<f64>,
    /// Three columns for each neighbour, in the axes of the inputs [m].
    neighbours: Vec<f64>,
    search: NeighbourSearch,
}

/// A contact without its point.
#[derive(Clone, Copy, Debug)]
struct Given {
    /// Unit normal in the object's axes, into the object.
    normal: Vector3<f64>,
    /// Gap [m], positive when separated.
    gap: f64,
    located: Located,
}

impl ContactSet {
    /// Allocates for this many contacts.
    pub fn make_room(&mut self, contacts: usize) {
        let stride = contacts.next_multiple_of(LANES);
        self.points.reserve_total(contacts);
        make_room(&mut self.given, contacts);
        self.order.make_room(contacts);
        make_room(&mut self.embedding, EMBEDDING * stride);
        make_room(&mut self.own, 3 * stride);
        make_room(&mut self.neighbours, 3 * NEIGHBOURS * stride);
        self.search.make_room(contacts);
    }

    /// Number of contacts that fit without allocation.
    #[must_use]
    pub fn room(&self) -> usize {
        self.given.capacity()
    }

    /// Removes the contacts and keeps the memory.
    pub fn clear(&mut self) {
        self.points.clear();
        self.given.clear();
        self.stride = 0;
    }

    /// Adds a contact: point [m] and unit normal into the object, both in the object's frame, gap [m], location on the
    /// surface.
    pub fn push(&mut self, point: Vector3<f64>, normal: Vector3<f64>, gap: f64, located: Located) {
        self.points.push(point);
        self.given.push(Given { normal, gap, located });
    }

    /// Number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// Whether the set is empty.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Fills the columns and finds the neighbours after the last `push`. `inputs_from_object` is the network's.
    pub fn finish(&mut self, inputs_from_object: UnitQuaternion<f64>) {
        let count = self.len();
        self.stride = count.next_multiple_of(LANES);
        let stride = self.stride;
        let Some(last) = count.checked_sub(1) else { return };
        let Columns3 { x, y, z } = &self.points;
        self.order.sort([x, y, z]);
        let turn = inputs_from_object.to_rotation_matrix();
        // All numbers are written below; only the length matters here.
        self.own.resize(3 * stride, 0.0);
        self.embedding.resize(EMBEDDING * stride, 0.0);
        self.neighbours.resize(3 * NEIGHBOURS.min(count) * stride, 0.0);
        for place in 0..stride {
            // Padding repeats the last contact.
            let index = self.order.number(place.min(last));
            let point = turn * self.points.get(index);
            for axis in 0..3 {
                self.own[axis * stride + place] = point[axis];
            }
            for (column, value) in self.given[index].located.embedding.iter().enumerate() {
                self.embedding[column * stride + place] = *value;
            }
        }
        find_neighbours(&self.own, count, stride, &mut self.search, &mut self.neighbours);
    }

    /// Point of a contact in the object's frame [m].
    #[must_use]
    pub fn point(&self, index: usize) -> Vector3<f64> {
        self.points.get(index)
    }

    /// Normal of a contact in the object's axes.
    #[must_use]
    pub fn normal(&self, index: usize) -> Vector3<f64> {
        self.given[index].normal
    }

    /// Gap of a contact [m].
    #[must_use]
    pub fn gap(&self, index: usize) -> f64 {
        self.given[index].gap
    }

    /// Index of the contact at a position of the columns.
    pub(super) fn at(&self, place: usize) -> usize {
        self.order.number(place)
    }

    pub(super) fn vertex(&self, index: usize) -> u32 {
        self.given[index].located.vertex
    }

    pub(super) fn stride(&self) -> usize {
        self.stride
    }

    pub(super) fn own(&self) -> &[f64] {
        &self.own
    }

    pub(super) fn neighbours(&self) -> &[f64] {
        &self.neighbours
    }

    pub(super) fn embedding(&self) -> &[f64] {
        &self.embedding
    }
}
