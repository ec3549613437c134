//! Units of length and angle of a representation.

use super::Fields;
use super::fields::instance;
use crate::CadError;
use crate::part21::{Table, Value};

/// Units of a representation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Units {
    /// Metres per unit of length.
    pub length: f64,
    /// Radians per unit of angle.
    pub angle: f64,
}

impl Units {
    /// Units of a context; millimetres and radians where it has none.
    pub(crate) fn of_context(table: &Table, context: u64) -> Result<Self, CadError> {
        let mut units = Self { length: 1e-3, angle: 1.0 };
        let Some(assigned) = instance(table, context)?.record("GLOBAL_UNIT_ASSIGNED_CONTEXT") else {
            return Ok(units);
        };
        let Some(Value::List(list)) = assigned.fields.first() else { return Ok(units) };
        for value in list {
            let Value::Reference(id) = value else { continue };
            let unit = instance(table, *id)?;
            if unit.record("LENGTH_UNIT").is_some() {
                units.length = factor(table, *id, 0)?;
            } else if unit.record("PLANE_ANGLE_UNIT").is_some() {
                units.angle = factor(table, *id, 0)?;
            }
        }
        Ok(units)
    }
}

/// SI value of a unit: metres or radians.
fn factor(table: &Table, id: u64, depth: u32) -> Result<f64, CadError> {
    let unit = instance(table, id)?;
    let wrong = |what: &str| CadError::Instance { id, kind: unit.kind(), what: what.into() };
    if let Some(si) = unit.record("SI_UNIT") {
        // the prefix is the last field but one: complex instances leave the dimensions out
        let prefix = si.fields.len().checked_sub(2).and_then(|place| si.fields.get(place));
        return match prefix {
            Some(Value::Word(word)) => prefix_factor(word).ok_or_else(|| wrong("an unknown SI prefix")),
            _ => Ok(1.0),
        };
    }
    if unit.record("CONVERSION_BASED_UNIT").is_some() && depth < 8 {
        let fields = Fields::of(table, id, &["CONVERSION_BASED_UNIT"])?;
        let measure = Fields::of(table, fields.reference(1)?, &[])?;
        let measure = measure.sibling("MEASURE_WITH_UNIT").unwrap_or(measure);
        return Ok(measure.positive(0)? * factor(table, measure.reference(1)?, depth + 1)?);
    }
    Err(wrong("neither an SI unit nor one that is converted to it"))
}

fn prefix_factor(word: &str) -> Option<f64> {
    Some(match word {
        "KILO" => 1e3,
        "HECTO" => 1e2,
        "DECA" => 1e1,
        "DECI" => 1e-1,
        "CENTI" => 1e-2,
        "MILLI" => 1e-3,
        "MICRO" => 1e-6,
        "NANO" => 1e-9,
        _ => return None,
    })
}
