//! A part's depth network, with the places where it may be asked.

use nalgebra::Vector3;
use tightfit_network::{Field, FieldScratch};
use tightfit_shape::Part;
use tightfit_shape::node::NodeSpacing;
use tightfit_spatial::Columns3;

use super::near_cells::{NearCells, Whereabouts};

/// At half of the part's nodes the network must be nearer than this to the part's distance [m]: what was trained for
/// another part is off by more, what was trained badly by less.
const MOST_MEDIAN: f64 = 100e-6;
/// Distances between the nodes that this is measured on [m].
const CHECK_SPACING: NodeSpacing = NodeSpacing::of_distances([4e-3, 4e-3, 1e-3, 1e-3, 1e-3]);
/// The doubt of a network per largest error that was measured there [-], and the least doubt [m].
const DOUBT: f64 = 2.0;
const LEAST_DOUBT: f64 = 20e-6;

/// Why a network does not serve a part.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum UnfitNetwork {
    /// It describes something else.
    #[error(
        "at half of the part's nodes the network is wrong by {median_um:.1} um or more; allowed: 100 um; train a network \
         for this part with `tightfit train depth`"
    )]
    OtherPart {
        /// Median over the nodes of the network's absolute error [um]; infinite when it does not know the place.
        median_um: f64,
    },
    /// Its values do not reach to both sides of the surface.
    #[error("the network's distances go from {low} m to {high} m; they must go to both sides of zero")]
    OneSided {
        /// Smallest value [m].
        low: f64,
        /// Largest value [m].
        high: f64,
    },
    /// The part has no end, no nodes, or is much larger than the band.
    #[error("the part is unbounded or too large for a network trained within {band_mm} mm of its surface")]
    TooLarge {
        /// Distance up to which the network was trained [mm].
        band_mm: f64,
    },
}

/// A depth network that was found to fit a part; constant, shared between threads.
#[derive(Debug)]
pub struct DepthNetwork {
    pub(super) field: Field,
    pub(super) cells: NearCells,
    /// Points that are farther from the part than they matter, by more than this [m], are not asked for: the network is
    /// not expected to be wrong by as much.
    pub(super) doubt: f64,
}

impl DepthNetwork {
    /// Checks a network against the part that it stands for, and finds out where it may be asked: within its band,
    /// which is what its values span on both sides of the surface.
    ///
    /// # Errors
    /// When it was not trained for this part.
    pub fn new(field: Field, part: &Part) -> Result<Self, UnfitNetwork> {
        let values = field.value_range();
        let band = values.high.min(-values.low);
        if band.is_nan() || band <= 0.0 {
            return Err(UnfitNetwork::OneSided { low: values.low, high: values.high });
        }
        let too_large = UnfitNetwork::TooLarge { band_mm: band * 1e3 };
        let cells = NearCells::new(part, band, |point| field.covers(point)).ok_or(too_large)?;
        let [median, largest] = errors(&field, &cells, part).ok_or(too_large)?;
        if median.is_nan() || median > MOST_MEDIAN {
            return Err(UnfitNetwork::OtherPart { median_um: median * 1e6 });
        }
        Ok(Self { field, cells, doubt: (DOUBT * largest).max(LEAST_DOUBT) })
    }

    /// The network.
    #[must_use]
    pub fn field(&self) -> &Field {
        &self.field
    }
}

/// Median over the part's nodes of |f − d| [m], a node where the network must not be asked counting as infinite, and the
/// largest where it may.
fn errors(field: &Field, cells: &NearCells, part: &Part) -> Option<[f64; 2]> {
    let mut positions = Columns3::default();
    part.place(&part.nodes(&CHECK_SPACING), &mut positions);
    let is_near = |point: &Vector3<f64>| cells.at(*point) == Whereabouts::Near;
    let near: Columns3 = positions.iter().filter(is_near).collect();
    let (mut values, mut gradients) = (Vec::new(), Columns3::default());
    field.evaluate(&near, &mut values, &mut gradients, &mut FieldScratch::default()).ok()?;
    let error = |(value, point): (f64, Vector3<f64>)| (value - part.sample(point).distance).abs();
    let mut errors: Vec<f64> = values.into_iter().zip(near.iter()).map(error).collect();
    let largest = errors.iter().copied().fold(0.0, f64::max);
    errors.resize(positions.len(), f64::INFINITY);
    errors.sort_by(f64::total_cmp);
    errors.get(errors.len() / 2).map(|median| [*median, largest])
}
