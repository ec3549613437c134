//! Surfaces of a file.

use std::sync::Arc;

use super::Units;
use super::curves::{curve, even_knots, expand, points};
use super::fields::Fields;
use crate::CadError;
use crate::geometry::{Frame, Parametric, SplineSurface, Surface};
use crate::part21::{Table, Value};

/// Longest chain of surfaces that refer to one another.
const DEEPEST: u32 = 8;

pub(super) fn surface(table: &Table, id: u64, units: Units, depth: u32) -> Result<Surface, CadError> {
    let fields = Fields::of(table, id, &[])?;
    if depth > DEEPEST {
        return Err(fields.wrong("surfaces that refer to one another"));
    }
    if let Some(spline) = spline(table, id, units)? {
        return Ok(Surface::Parametric(Arc::new(Parametric::Spline(spline))));
    }
    let length = |place: usize| Ok::<_, CadError>(fields.positive(place)? * units.length);
    match fields.kind {
        "PLANE" => Ok(Surface::Plane(fields.frame(1, units)?)),
        "CYLINDRICAL_SURFACE" => Ok(Surface::Cylinder(fields.frame(1, units)?, length(2)?)),
        "SPHERICAL_SURFACE" => Ok(Surface::Sphere(fields.frame(1, units)?, length(2)?)),
        "CONICAL_SURFACE" => {
            let radius = fields.number(2)? * units.length;
            let (sin, cos) = libm::sincos(fields.number(3)? * units.angle);
            let frame = fields.frame(1, units)?;
            if sin == 0.0 {
                return Ok(Surface::Cylinder(frame, length(2)?));
            }
            if !(radius >= 0.0 && sin > 1e-9 && cos > 1e-9) {
                return Err(fields.wrong("a radius below 0, or a half angle outside 0 to 90 degrees"));
            }
            let apex = frame.origin - frame.z * (radius * cos / sin);
            Ok(Surface::Cone { frame: Frame { origin: apex, ..frame }, half_angle: [sin, cos] })
        }
        "TOROIDAL_SURFACE" | "DEGENERATE_TOROIDAL_SURFACE" => {
            let (frame, radii) = (fields.frame(1, units)?, [length(2)?, length(3)?]);
            Ok(if radii[0] > radii[1] {
                Surface::Torus(frame, radii)
            } else {
                Surface::Parametric(Arc::new(Parametric::Torus { frame, radii }))
            })
        }
        "SURFACE_OF_LINEAR_EXTRUSION" => {
            let vector = fields.follow(2, &["VECTOR"])?;
            let along = vector.direction(1)?.try_normalize(1e-12);
            let along = along.ok_or_else(|| fields.wrong("a direction without length"))?;
            let curve = forward(&fields, curve(table, fields.reference(1)?, units, 0)?)?;
            Ok(Surface::Parametric(Arc::new(Parametric::Extrusion { curve, along })))
        }
        "SURFACE_OF_REVOLUTION" => {
            let curve = forward(&fields, curve(table, fields.reference(1)?, units, 0)?)?;
            Ok(Surface::Parametric(Arc::new(Parametric::Revolution {
                curve,
                frame: fields.frame(2, units)?,
            })))
        }
        "RECTANGULAR_TRIMMED_SURFACE" | "CURVE_BOUNDED_SURFACE" => {
            surface(table, fields.reference(1)?, units, depth + 1)
        }
        "OFFSET_SURFACE" => {
            let basis = surface(table, fields.reference(1)?, units, depth + 1)?;
            let by = fields.number(2)? * units.length;
            let grown = |radius: f64| if radius + by > 0.0 { Some(radius + by) } else { None };
            let moved = match basis {
                Surface::Plane(frame) => {
                    Some(Surface::Plane(Frame { origin: frame.origin + frame.z * by, ..frame }))
                }
                Surface::Cylinder(frame, radius) => grown(radius).map(|r| Surface::Cylinder(frame, r)),
                Surface::Sphere(frame, radius) => grown(radius).map(|r| Surface::Sphere(frame, r)),
                Surface::Torus(frame, [major, minor]) => {
                    grown(minor).filter(|r| *r < major).map(|r| Surface::Torus(frame, [major, r]))
                }
                _ => None,
            };
            moved.ok_or_else(|| unsupported(&fields))
        }
        _ => Err(unsupported(&fields)),
    }
}

fn unsupported(fields: &Fields) -> CadError {
    CadError::Unsupported {
        id: fields.id,
        kind: fields.kind.to_owned(),
        remedy: "convert the face to a B-spline in the CAD program, or export an STL mesh",
    }
}

/// The curve of a sweep; a reversed one would turn the normal of the surface.
fn forward<T>(fields: &Fields, (curve, against): (T, bool)) -> Result<T, CadError> {
    if against { Err(fields.wrong("sweeps a trimmed curve against its direction")) } else { Ok(curve) }
}

/// A B-spline in one of its notations; `None` for other surfaces.
fn spline(table: &Table, id: u64, units: Units) -> Result<Option<SplineSurface>, CadError> {
    let fields = Fields::of(table, id, &[])?;
    let (base, shift) = match fields.sibling("B_SPLINE_SURFACE") {
        Some(base) => (base, 0),
        None => (fields, 1),
    };
    let simple =
        ["B_SPLINE_SURFACE_WITH_KNOTS", "BEZIER_SURFACE", "UNIFORM_SURFACE", "QUASI_UNIFORM_SURFACE"];
    if shift == 1 && !simple.contains(&fields.kind) {
        return Ok(None);
    }
    let degrees = [base.count(shift)?, base.count(shift + 1)?];
    let rows = base.list(shift + 2)?;
    let mut poles = Vec::new();
    let mut longest = 0;
    for row in rows {
        let Value::List(row) = row else { return Err(base.wrong("control points that are no rows")) };
        longest = longest.max(row.len());
        poles.extend(points(table, row, &base, units)?);
    }
    if poles.len() != rows.len() * longest {
        return Err(base.wrong("rows of control points of different lengths"));
    }
    let knots = match base.sibling("B_SPLINE_SURFACE_WITH_KNOTS") {
        Some(with) => {
            let first = if shift == 1 { 8 } else { 0 };
            let most = [rows.len() + degrees[0] + 1, longest + degrees[1] + 1];
            [expand(&with, first, first + 2, most[0])?, expand(&with, first + 1, first + 3, most[1])?]
        }
        None => [even_knots(&base, degrees[0], rows.len()), even_knots(&base, degrees[1], longest)],
    };
    let weights = match base.sibling("RATIONAL_B_SPLINE_SURFACE") {
        Some(rational) => {
            let mut weights = Vec::new();
            for row in rational.list(0)? {
                let Value::List(row) = row else { return Err(base.wrong("weights that are no rows")) };
                let number =
                    |value: &Value| if let Value::Number(number) = value { *number } else { f64::NAN };
                weights.extend(row.iter().map(number));
            }
            Some(weights)
        }
        None => None,
    };
    let spline = SplineSurface::new(degrees, rows.len(), &poles, weights.as_deref(), knots);
    spline.map(Some).map_err(|what| base.wrong(what))
}
