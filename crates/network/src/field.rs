//! A network as a scalar field over space: features, scaling and network.
//!
//! ```text
//! f(x) = unscale(network(scale(features(x))))    ∇f = ½(high − low) (∂features/∂x)ᵀ diag(2/(highₖ − lowₖ)) ∇network
//! ```
//! A field with a residual adds the distance and gradient of a primitive shape: f(x) = p(x) + …, ∇f = ∇p + ….
//!
//! Features and scaling are in double precision; only the scaled numbers in [−1, 1] are rounded to f32. Over a range
//! of 10 mm the rounding error is 0.3 nm.

use std::array::from_fn;

use tightfit_spatial::{Columns3, Vector3};

use crate::features::MOST_FEATURES;
use crate::{Features, Inference, InferenceScratch, Network, NetworkError, Range, Residual};

/// The field; immutable and shared between threads.
#[derive(Debug)]
pub struct Field {
    features: Features,
    input_ranges: Vec<Range>,
    output_range: Range,
    residual: Option<Residual>,
    network: Network,
    inference: Inference,
}

/// Memory of an evaluation, allocated at the first call and reused. One per thread.
#[derive(Debug, Default)]
pub struct FieldScratch {
    inference: InferenceScratch,
    inputs: Vec<f32>,
    values: Vec<f32>,
    gradients: Vec<f32>,
}

impl FieldScratch {
    /// Allocates all memory for up to `points` points of this field.
    pub fn reserve(&mut self, field: &Field, points: usize) {
        let width = field.features.count();
        for (numbers, count) in [
            (&mut self.inputs, points * width),
            (&mut self.gradients, points * width),
            (&mut self.values, points),
        ] {
            numbers.reserve(count.saturating_sub(numbers.len()));
        }
        self.inference.reserve(&field.inference);
    }
}

impl Field {
    /// A field from its components; `input_ranges` has one range per feature.
    ///
    /// # Errors
    /// When the numbers of features, ranges and inputs differ, or a range is empty.
    pub fn new(
        features: Features,
        input_ranges: Vec<Range>,
        output_range: Range,
        network: Network,
    ) -> Result<Self, NetworkError> {
        for (what, found) in
            [("number of inputs", network.inputs()), ("number of input ranges", input_ranges.len())]
        {
            if found != features.count() {
                let expected = format!("{} for {features:?}", features.count());
                return Err(NetworkError::size("field", what, found, expected));
            }
        }
        for range in input_ranges.iter().chain([&output_range]) {
            Range::new("field", range.low, range.high)?;
        }
        if let Features::Screw { pitch } = features
            && !(pitch.is_finite() && pitch.abs() > 1e-6)
        {
            let allowed = "a pitch of at least 1e-6 m, negative for a left-hand thread";
            return Err(NetworkError::Value { place: "screw features, pitch".into(), value: pitch, allowed });
        }
        let inference = Inference::new(&network);
        Ok(Self { features, input_ranges, output_range, residual: None, network, inference })
    }

    /// The same field with its values added to those of a primitive shape.
    ///
    /// # Errors
    /// When a dimension of the shape is invalid, or the range of the values is empty.
    pub fn with_residual(self, residual: Residual) -> Result<Self, NetworkError> {
        residual.primitive.check()?;
        Range::new("residual", residual.values.low, residual.values.high)?;
        Ok(Self { residual: Some(residual), ..self })
    }

    /// The primitive shape that the network corrects, if there is one.
    #[must_use]
    pub fn residual(&self) -> Option<Residual> {
        self.residual
    }

    /// Input features of the network.
    #[must_use]
    pub fn features(&self) -> Features {
        self.features
    }

    /// Range of every feature, in metres (cosine and sine: without unit).
    #[must_use]
    pub fn input_ranges(&self) -> &[Range] {
        &self.input_ranges
    }

    /// Range of the values, in the unit of the field.
    #[must_use]
    pub fn value_range(&self) -> Range {
        self.residual.map_or(self.output_range, |residual| residual.values)
    }

    /// Range of the network's output, in the unit of the field: the values, or their difference from the primitive
    /// shape.
    #[must_use]
    pub fn output_range(&self) -> Range {
        self.output_range
    }

    /// The network inside.
    #[must_use]
    pub fn network(&self) -> &Network {
        &self.network
    }

    /// Whether this point [m] lies in the training range. Every feature may exceed its range by 1 % of the width at
    /// either end, since random samples do not reach the ends.
    #[must_use]
    pub fn covers(&self, point: Vector3<f64>) -> bool {
        let features = self.features.of(point);
        self.input_ranges.iter().zip(features).all(|(range, feature)| range.scaled(feature).abs() <= 1.02)
    }

    /// Scaled features of every point, and room for their values.
    fn fill_inputs(&self, points: &Columns3, scratch: &mut FieldScratch) {
        let count = points.len();
        scratch.inputs.resize(count * self.features.count(), 0.0);
        scratch.values.resize(count, 0.0);
        for (index, point) in points.iter().enumerate() {
            let features = self.features.of(point);
            for (feature, range) in self.input_ranges.iter().enumerate() {
                scratch.inputs[feature * count + index] = range.scaled(features[feature]) as f32;
            }
        }
    }

    /// Value at every point [m], with the bits of [`Self::evaluate`] at a third of its cost; overwrites `values`.
    ///
    /// # Errors
    /// As [`Self::evaluate`].
    pub fn values(
        &self,
        points: &Columns3,
        values: &mut Vec<f64>,
        scratch: &mut FieldScratch,
    ) -> Result<(), NetworkError> {
        self.fill_inputs(points, scratch);
        self.inference.values(&scratch.inputs, &mut scratch.values, &mut scratch.inference)?;
        values.clear();
        values.extend(scratch.values.iter().map(|value| self.output_range.unscaled(f64::from(*value))));
        if let Some(Residual { primitive, .. }) = self.residual {
            values
                .iter_mut()
                .zip(points.iter())
                .for_each(|(value, point)| *value += primitive.sample(point).0);
        }
        Ok(())
    }

    /// Value and gradient at every point [m]; overwrites `values` and `gradients`.
    ///
    /// # Errors
    /// Never for a field from [`Self::new`]; the error type is that of [`Inference`].
    pub fn evaluate(
        &self,
        points: &Columns3,
        values: &mut Vec<f64>,
        gradients: &mut Columns3,
        scratch: &mut FieldScratch,
    ) -> Result<(), NetworkError> {
        let (count, width) = (points.len(), self.features.count());
        scratch.gradients.resize(count * width, 0.0);
        self.fill_inputs(points, scratch);
        self.inference.values_and_gradients(
            &scratch.inputs,
            &mut scratch.values,
            &mut scratch.gradients,
            &mut scratch.inference,
        )?;
        values.clear();
        values.extend(scratch.values.iter().map(|value| self.output_range.unscaled(f64::from(*value))));
        gradients.clear();
        let factors: [f64; MOST_FEATURES] = from_fn(|feature| {
            self.input_ranges
                .get(feature)
                .map_or(0.0, |range| self.output_range.half_width() / range.half_width())
        });
        for (index, point) in points.iter().enumerate() {
            let slope = |feature: usize| f64::from(scratch.gradients[feature * count + index]);
            let gradient =
                from_fn(|feature| if feature < width { factors[feature] * slope(feature) } else { 0.0 });
            gradients.push(self.features.pull_back(point, self.features.of(point), gradient));
        }
        if let Some(Residual { primitive, .. }) = self.residual {
            for (index, point) in points.iter().enumerate() {
                let (distance, slope) = primitive.sample(point);
                values[index] += distance;
                gradients.set(index, gradients.get(index) + slope);
            }
        }
        Ok(())
    }
}
