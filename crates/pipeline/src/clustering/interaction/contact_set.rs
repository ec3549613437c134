//! The contacts of an object as the network takes them: columns, neighbours, places in the embedding.

use nalgebra::{UnitQuaternion, Vector3};
use tightfit_network::interaction::{LANES, NEIGHBOURS};
use tightfit_network::{EMBEDDING, Located};
use tightfit_spatial::Columns3;

use super::hilbert::AlongCurve;
use super::neighbours::{NeighbourSearch, find_neighbours};
use crate::make_room;

/// Contacts of one object; nothing is allocated once there is room.
#[derive(Clone, Debug, Default)]
pub struct ContactSet {
    /// Points in the object's frame [m].
    points: Columns3,
    given: Vec<Given>,
    order: AlongCurve,
    /// Length of the columns below, which are in the order of the curve: the number of contacts, filled up to whole registers.
    stride: usize,
    /// Eight columns.
    embedding: Vec<f64>,
    /// Three columns, in the axes of the inputs [m].
    own: Vec<f64>,
    /// Three columns for each neighbour, in the axes of the inputs [m].
    neighbours: Vec<f64>,
    search: NeighbourSearch,
}

/// A contact as it was given, without its point.
#[derive(Clone, Copy, Debug)]
struct Given {
    /// Unit normal in the object's axes, into the object.
    normal: Vector3<f64>,
    /// [m], positive separated.
    gap: f64,
    located: Located,
}

impl ContactSet {
    /// Makes room for so many contacts.
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

    /// Contacts that there is room for.
    #[must_use]
    pub fn room(&self) -> usize {
        self.given.capacity()
    }

    /// Forgets the contacts and keeps the memory.
    pub fn clear(&mut self) {
        self.points.clear();
        self.given.clear();
        self.stride = 0;
    }

    /// Adds a contact: point [m] and unit normal into the object, both in the object's frame, gap [m], place on the surface.
    pub fn push(&mut self, point: Vector3<f64>, normal: Vector3<f64>, gap: f64, located: Located) {
        self.points.push(point);
        self.given.push(Given { normal, gap, located });
    }

    /// Number of contacts.
    #[must_use]
    pub fn len(&self) -> usize {
        self.given.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.given.is_empty()
    }

    /// Fills the columns and finds the neighbours, once all contacts are there. `inputs_from_object` is the network's.
    pub fn finish(&mut self, inputs_from_object: UnitQuaternion<f64>) {
        let count = self.len();
        self.stride = count.next_multiple_of(LANES);
        let stride = self.stride;
        let Some(last) = count.checked_sub(1) else { return };
        let Columns3 { x, y, z } = &self.points;
        self.order.sort([x, y, z]);
        let turn = inputs_from_object.to_rotation_matrix();
        // every number is written below: only the length has to be right
        self.own.resize(3 * stride, 0.0);
        self.embedding.resize(EMBEDDING * stride, 0.0);
        self.neighbours.resize(3 * NEIGHBOURS.min(count) * stride, 0.0);
        for place in 0..stride {
            // the last one stands in for those that are missing
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

    /// The contact at a place of the columns.
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
