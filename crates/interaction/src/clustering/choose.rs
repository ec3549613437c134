//! From contacts to clusters.

use nalgebra::Vector3;
use tightfit_pipeline::make_room;

use super::ContactSet;
use super::softmax::{average, nearest_contact};
use crate::{
    CLUSTERS, EmbeddedSurface, InteractionNetwork, LANES, NormalSource, ObjectState, SurfaceAverage,
};
/// Length of the clusters' columns, padded to whole registers.
const STRIDE: usize = CLUSTERS.next_multiple_of(LANES);
/// Point and normal.
const COLUMNS: usize = 6;
/// Clusters closer than this to an earlier one are dropped [m].
const SAME_PLACE: f64 = 1e-6;
/// Sum of weighted normals that is shorter has no direction [-]; the largest weight is 1.
const CANCELLED: f64 = 1e-6;

/// An interaction network and the surface of its averages.
#[derive(Clone, Debug)]
pub struct InteractionClustering {
    /// The network.
    pub network: InteractionNetwork,
    /// The object's surface, in the object's frame.
    pub surface: EmbeddedSurface,
}

/// Contact of a cluster with the other part, in the object's frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SurfaceContact {
    /// Point on the object's surface [m].
    pub point: Vector3<f64>,
    /// Gap at the point [m], positive when separated.
    pub gap: f64,
    /// Unit normal into the object.
    pub normal: Vector3<f64>,
}

/// A point that represents contacts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cluster {
    /// Point in the object's frame [m].
    pub point: Vector3<f64>,
    /// Turned unit normal into the object, in the object's axes.
    pub normal: Vector3<f64>,
    /// Gap [m], positive when separated.
    pub gap: f64,
    /// Index of the contact that the cluster equals, else of the contact with the largest weight.
    pub contact: u32,
}

/// Buffers. Nothing is allocated after `make_room`.
#[derive(Clone, Debug, Default)]
pub struct InteractionWorkspace {
    /// The clusters, in the order of the network's outputs.
    pub clusters: Vec<Cluster>,
    logits: Vec<f64>,
}

impl InteractionWorkspace {
    /// Allocates for this many contacts.
    pub fn make_room(&mut self, contacts: usize) {
        make_room(&mut self.clusters, CLUSTERS);
        make_room(&mut self.logits, CLUSTERS * contacts.next_multiple_of(LANES));
    }
}

impl InteractionClustering {
    /// Computes the clusters of a finished contact set. `field` moves a point of the surface's triangles, in the
    /// object's frame [m], onto the exact surface of the object and returns the contact with the other part there. The
    /// chords of a thread's triangles are tens of micrometres off the thread, more than the gaps.
    pub fn choose(
        &self,
        contacts: &ContactSet,
        state: &ObjectState,
        mut field: impl FnMut(Vector3<f64>) -> SurfaceContact,
        workspace: &mut InteractionWorkspace,
    ) {
        let InteractionWorkspace { clusters, logits } = workspace;
        clusters.clear();
        let count = contacts.len();
        if count == 0 {
            return;
        }
        let options = self.network.options();
        if options.keeps_few && count <= CLUSTERS {
            clusters.extend((0..count).map(|index| self.of_contact(contacts, index)));
            return;
        }
        let stride = contacts.stride();
        logits.resize(CLUSTERS * stride, 0.0);
        self.network.assign(state, stride, contacts.own(), contacts.neighbours(), logits);
        for column in logits.chunks_exact_mut(stride) {
            let average = average(column, count, contacts.embedding());
            let cluster = match options.average {
                SurfaceAverage::Snap => {
                    let nearest = nearest_contact(&average.place, count, contacts.embedding());
                    self.of_contact(contacts, contacts.at(nearest))
                }
                SurfaceAverage::Project => {
                    let heaviest = contacts.at(average.heaviest);
                    let found = self.surface.project(&average.place, contacts.vertex(heaviest));
                    let met = field(found.point);
                    let normal = match options.normal {
                        NormalSource::Field => met.normal,
                        NormalSource::Surface => -found.normal,
                        NormalSource::Average => {
                            let weighted = |place: usize| column[place] * contacts.normal(contacts.at(place));
                            let sum: Vector3<f64> = (0..count).map(weighted).sum();
                            // normals that cancel leave that of the other part's distance
                            sum.try_normalize(CANCELLED).unwrap_or(met.normal)
                        }
                    };
                    Cluster { point: met.point, normal, gap: met.gap, contact: heaviest as u32 }
                }
            };
            let is_same = |other: &Cluster| match options.average {
                SurfaceAverage::Snap => other.contact == cluster.contact,
                SurfaceAverage::Project => (other.point - cluster.point).norm() < SAME_PLACE,
            };
            if !clusters.iter().any(is_same) {
                clusters.push(cluster);
            }
        }
        self.turn(state, clusters);
    }

    /// A cluster equal to a contact.
    fn of_contact(&self, contacts: &ContactSet, index: usize) -> Cluster {
        let normal = match self.network.options().normal {
            NormalSource::Field | NormalSource::Average => contacts.normal(index),
            NormalSource::Surface => -self.surface.normals()[contacts.vertex(index) as usize],
        };
        Cluster { point: contacts.point(index), normal, gap: contacts.gap(index), contact: index as u32 }
    }

    /// Turns the normals by the outputs of round 2.
    fn turn(&self, state: &ObjectState, clusters: &mut [Cluster]) {
        let Some(last) = clusters.len().checked_sub(1) else { return };
        let count = clusters.len();
        let inputs_from_object = self.network.inputs_from_object();
        let mut own = [0.0; COLUMNS * STRIDE];
        for place in 0..STRIDE {
            let cluster = &clusters[place.min(last)];
            let vectors = [cluster.point, cluster.normal].map(|vector| inputs_from_object * vector);
            for (column, value) in vectors.iter().flat_map(|vector| vector.iter()).enumerate() {
                own[column * STRIDE + place] = *value;
            }
        }
        let mut others = [0.0; COLUMNS * STRIDE * (CLUSTERS - 1)];
        let blocks = others.chunks_exact_mut(COLUMNS * STRIDE).zip(1..count);
        for (block, ahead) in blocks {
            for (to, from) in block.chunks_exact_mut(STRIDE).zip(own.chunks_exact(STRIDE)) {
                for (place, value) in to.iter_mut().enumerate() {
                    *value = from[(place + ahead) % count];
                }
            }
        }
        let mut outputs = [0.0; 2 * STRIDE];
        let used = &others[..COLUMNS * STRIDE * (count - 1)];
        self.network.turn(state, STRIDE, &own, used, &mut outputs);
        let up = state.static_from_object.rotation.inverse() * Vector3::z();
        for (place, cluster) in clusters.iter_mut().enumerate() {
            let angles = self.network.options().turn.angles([outputs[place], outputs[STRIDE + place]]);
            cluster.normal = turned(cluster.normal, up, angles);
        }
    }
}

/// n̄ = cos θ₂ n + sin θ₂ (cos θ₁ e₁ + sin θ₁ e₂).
fn turned(normal: Vector3<f64>, up: Vector3<f64>, [about, tilt]: [f64; 2]) -> Vector3<f64> {
    let orthogonal = |axis: Vector3<f64>| axis - normal * normal.dot(&axis);
    let mut first = orthogonal(up);
    if first.norm_squared() < 1e-20 {
        // For a normal along the axis any direction will do.
        first = orthogonal(if normal.x.abs() < 0.5 { Vector3::x() } else { Vector3::y() });
    }
    first.normalize_mut();
    let second = normal.cross(&first);
    let (sin_about, cos_about) = libm::sincos(about);
    let (sin_tilt, cos_tilt) = libm::sincos(tilt);
    normal * cos_tilt + (first * cos_about + second * sin_about) * sin_tilt
}
