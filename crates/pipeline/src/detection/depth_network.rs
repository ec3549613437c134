//! A part's depth network, with the region where it may be queried.

use nalgebra::Vector3;
use tightfit_network::{Field, FieldScratch};
use tightfit_shape::Part;
use tightfit_shape::node::NodeSpacing;
use tightfit_spatial::Columns3;

use super::network_cells::{CellKind, NetworkCells};

/// Largest allowed median error at the part's nodes [m]: a network of another part errs by more, a poorly trained one
/// by less.
const MOST_MEDIAN: f64 = 100e-6;
/// Spacing of the nodes at which the error is measured [m].
const CHECK_SPACING: NodeSpacing = NodeSpacing::of_distances([4e-3, 4e-3, 1e-3, 1e-3, 1e-3]);
/// Tolerance of a network per largest measured error [-], and the least tolerance [m].
const TOLERANCE: f64 = 2.0;
const LEAST_TOLERANCE: f64 = 20e-6;

/// Why a network does not fit a part.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum UnfitNetwork {
    /// It describes something else.
    #[error(
        "at half of the part's nodes the network is wrong by {median_um:.1} um or more; allowed: 100 um; train a network \
         for this part with `tightfit train depth`"
    )]
    OtherPart {
        /// Median absolute error over the nodes [um]; infinite where the network was not trained.
        median_um: f64,
    },
    /// Its values do not cover both sides of the surface.
    #[error("the network's distances range from {low} m to {high} m; they must include both signs")]
    OneSided {
        /// Smallest value [m].
        low: f64,
        /// Largest value [m].
        high: f64,
    },
    /// The part is unbounded, has no nodes, or is much larger than the band.
    #[error("the part is unbounded or too large for a network trained within {band_mm} mm of its surface")]
    TooLarge {
        /// Distance up to which the network was trained [mm].
        band_mm: f64,
    },
}

/// A depth network that was checked against its part; constant, shared between threads.
#[derive(Debug)]
pub struct DepthNetwork {
    pub(super) field: Field,
    /// Where it may be queried; none where it is asked everywhere.
    pub(super) cells: Option<NetworkCells>,
    /// Bound on the network's expected error [m]: points farther from the part than the margin plus this are not
    /// queried.
    pub(super) tolerance: f64,
}

impl DepthNetwork {
    /// Checks a network against its part and determines where it may be queried: within its band, the range of its
    /// values on both sides of the surface.
    ///
    /// # Errors
    /// When the network was not trained for this part.
    pub fn new(field: Field, part: &Part) -> Result<Self, UnfitNetwork> {
        let values = field.value_range();
        let band = values.high.min(-values.low);
        if band.is_nan() || band <= 0.0 {
            return Err(UnfitNetwork::OneSided { low: values.low, high: values.high });
        }
        let too_large = UnfitNetwork::TooLarge { band_mm: band * 1e3 };
        let cells = NetworkCells::new(part, band, |point| field.covers(point)).ok_or(too_large)?;
        let [median, largest] = errors(&field, &cells, part).ok_or(too_large)?;
        if median.is_nan() || median > MOST_MEDIAN {
            return Err(UnfitNetwork::OtherPart { median_um: median * 1e6 });
        }
        Ok(Self { field, cells: Some(cells), tolerance: (TOLERANCE * largest).max(LEAST_TOLERANCE) })
    }

    /// A network that is asked at every node inside the part's bounding volume, as in the paper: the part's exact
    /// distance decides nothing. It must have been trained everywhere there.
    ///
    /// # Errors
    /// When the network was not trained for this part.
    pub fn everywhere(field: Field, part: &Part) -> Result<Self, UnfitNetwork> {
        let checked = Self::new(field, part)?;
        Ok(Self { cells: None, ..checked })
    }

    /// Whether the part's exact distance decides nothing.
    #[must_use]
    pub fn is_asked_everywhere(&self) -> bool {
        self.cells.is_none()
    }

    /// The network.
    #[must_use]
    pub fn field(&self) -> &Field {
        &self.field
    }
}

/// Median of |f − d| over the part's nodes [m], where nodes at which the network must not be queried count as infinite,
/// and the largest over the other nodes.
fn errors(field: &Field, cells: &NetworkCells, part: &Part) -> Option<[f64; 2]> {
    let mut positions = Columns3::default();
    part.place(&part.nodes(&CHECK_SPACING), &mut positions);
    let is_near = |point: &Vector3<f64>| cells.at(*point) == CellKind::Network;
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
