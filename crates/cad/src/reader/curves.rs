//! Curves of a file.

use std::sync::Arc;

use nalgebra::Vector3;

use super::Units;
use super::fields::{Fields, point};
use crate::CadError;
use crate::geometry::{Conic, Curve, SplineCurve};
use crate::part21::{Table, Value};

/// Longest chain of curves that refer to one another.
const DEEPEST: u32 = 8;

/// A curve, and whether it runs against the direction that the file gives it.
pub(super) fn curve(table: &Table, id: u64, units: Units, depth: u32) -> Result<(Curve, bool), CadError> {
    let fields = Fields::of(table, id, &[])?;
    if depth > DEEPEST {
        return Err(fields.wrong("curves that refer to one another"));
    }
    if let Some(spline) = spline(table, id, units)? {
        return Ok((Curve::Spline(Arc::new(spline)), false));
    }
    let forward = |curve| Ok((curve, false));
    match fields.kind {
        "LINE" => {
            let vector = fields.follow(2, &["VECTOR"])?;
            let along = vector.direction(1)?.try_normalize(1e-12);
            let along = along.ok_or_else(|| fields.wrong("a direction without length"))?;
            forward(Curve::Line { origin: fields.point(1, units)?, along })
        }
        "CIRCLE" => forward(Curve::Circle(fields.frame(1, units)?, fields.positive(2)? * units.length)),
        "ELLIPSE" | "HYPERBOLA" => {
            let kind = if fields.kind == "ELLIPSE" { Conic::Ellipse } else { Conic::Hyperbola };
            let axes = [fields.positive(2)? * units.length, fields.positive(3)? * units.length];
            let frame = fields.frame(1, units)?;
            if kind == Conic::Ellipse && axes[0] == axes[1] {
                return forward(Curve::Circle(frame, axes[0]));
            }
            forward(Curve::Conic(kind, frame, axes))
        }
        "PARABOLA" => {
            let focal = fields.positive(2)? * units.length;
            forward(Curve::Conic(Conic::Parabola, fields.frame(1, units)?, [focal, focal]))
        }
        "SURFACE_CURVE" | "SEAM_CURVE" | "INTERSECTION_CURVE" | "BOUNDED_SURFACE_CURVE" => {
            curve(table, fields.reference(1)?, units, depth + 1)
        }
        "TRIMMED_CURVE" => {
            let (basis, against) = curve(table, fields.reference(1)?, units, depth + 1)?;
            Ok((basis, against == fields.flag(4)?))
        }
        "POLYLINE" => {
            let points = points(table, fields.list(1)?, &fields, units)?;
            let last = points.len().saturating_sub(1) as f64;
            let mut knots = vec![0.0];
            knots.extend((0..points.len()).map(|k| k as f64));
            knots.push(last);
            let spline = SplineCurve::new(1, &points, None, knots).map_err(|what| fields.wrong(what))?;
            forward(Curve::Spline(Arc::new(spline)))
        }
        _ => Err(CadError::Unsupported {
            id,
            kind: fields.kind.to_owned(),
            remedy: "export edges as lines, conics or B-splines",
        }),
    }
}

/// A B-spline in one of its four notations; `None` for other curves.
fn spline(table: &Table, id: u64, units: Units) -> Result<Option<SplineCurve>, CadError> {
    let fields = Fields::of(table, id, &[])?;
    // a complex instance has no name before the fields of B_SPLINE_CURVE, a simple one has
    let (base, shift) = match fields.sibling("B_SPLINE_CURVE") {
        Some(base) => (base, 0),
        None => (fields, 1),
    };
    let simple = ["B_SPLINE_CURVE_WITH_KNOTS", "BEZIER_CURVE", "UNIFORM_CURVE", "QUASI_UNIFORM_CURVE"];
    if shift == 1 && !simple.contains(&fields.kind) {
        return Ok(None);
    }
    let degree = base.count(shift)?;
    let points = points(table, base.list(shift + 1)?, &base, units)?;
    let knots = match base.sibling("B_SPLINE_CURVE_WITH_KNOTS") {
        Some(with) => {
            let first = if shift == 1 { 6 } else { 0 };
            expand(&with, first, first + 1, points.len() + degree + 1)?
        }
        None => even_knots(&base, degree, points.len()),
    };
    let weights = match base.sibling("RATIONAL_B_SPLINE_CURVE") {
        Some(rational) => Some(rational.numbers(0)?),
        None => None,
    };
    let spline = SplineCurve::new(degree, &points, weights.as_deref(), knots);
    spline.map(Some).map_err(|what| base.wrong(what))
}

/// Knots, each as often as its multiplicity.
pub(super) fn expand(
    fields: &Fields,
    counts: usize,
    knots: usize,
    most: usize,
) -> Result<Vec<f64>, CadError> {
    let (counts, values) = (fields.numbers(counts)?, fields.numbers(knots)?);
    let total: f64 = counts.iter().sum();
    if counts.len() != values.len() || counts.iter().any(|count| *count < 1.0) || total != most as f64 {
        return Err(fields.wrong(format!("{total} knots by multiplicity; expected {most}")));
    }
    let repeated = values.iter().zip(&counts).flat_map(|(knot, count)| vec![*knot; *count as usize]);
    Ok(repeated.collect())
}

/// Knots of the notations without them: Bézier, uniform and quasi-uniform.
pub(super) fn even_knots(fields: &Fields, degree: usize, points: usize) -> Vec<f64> {
    let has = |kind: &str| {
        fields.kind.starts_with(kind)
            || fields.sibling(&format!("{kind}_CURVE")).is_some()
            || fields.sibling(&format!("{kind}_SURFACE")).is_some()
    };
    let knot = |k: usize| -> f64 {
        let k = k as f64 - degree as f64;
        let last = points.saturating_sub(degree) as f64;
        if has("UNIFORM") {
            k
        } else if has("BEZIER") {
            ((k - 1.0).max(-1.0) / degree.max(1) as f64).floor() + 1.0
        } else {
            k.clamp(0.0, last)
        }
    };
    (0..=points + degree).map(knot).collect()
}

/// Control points [m].
pub(super) fn points(
    table: &Table,
    list: &[Value],
    fields: &Fields,
    units: Units,
) -> Result<Vec<Vector3<f64>>, CadError> {
    let read = |value: &Value| match value {
        Value::Reference(id) => point(table, *id, units),
        _ => Err(fields.wrong("control points that are no references")),
    };
    list.iter().map(read).collect()
}
