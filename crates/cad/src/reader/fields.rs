//! Access to the fields of a record, with errors that name the instance.

use nalgebra::Vector3;

use super::Units;
use crate::CadError;
use crate::geometry::Frame;
use crate::part21::{Instance, Table, Value};

/// The fields of one record.
#[derive(Clone, Copy)]
pub(crate) struct Fields<'t, 'a> {
    pub table: &'t Table<'a>,
    pub id: u64,
    pub kind: &'a str,
    values: &'t [Value<'a>],
}

impl<'t, 'a> Fields<'t, 'a> {
    /// The first record of an instance that has one of these types; all types are accepted if the list is empty.
    pub(crate) fn of(table: &'t Table<'a>, id: u64, kinds: &[&str]) -> Result<Self, CadError> {
        let instance = instance(table, id)?;
        let found = instance.records.iter().find(|record| kinds.is_empty() || kinds.contains(&record.kind));
        let Some(record) = found else {
            let what = format!("expected {}", kinds.join(" or "));
            return Err(CadError::Instance { id, kind: instance.kind(), what });
        };
        Ok(Self { table, id, kind: record.kind, values: &record.fields })
    }

    /// The record of this type of the same (complex) instance.
    pub(crate) fn sibling(&self, kind: &str) -> Option<Self> {
        let record = self.table.get(self.id)?.record(kind)?;
        Some(Self { kind: record.kind, values: &record.fields, ..*self })
    }

    pub(crate) fn wrong(&self, what: impl Into<String>) -> CadError {
        CadError::Instance { id: self.id, kind: self.kind.to_owned(), what: what.into() }
    }

    pub(crate) fn value(&self, place: usize) -> &'t Value<'a> {
        self.values.get(place).unwrap_or(&Value::Null)
    }

    pub(crate) fn number(&self, place: usize) -> Result<f64, CadError> {
        number(self.value(place)).ok_or_else(|| self.wrong(format!("field {} is no number", place + 1)))
    }

    pub(crate) fn count(&self, place: usize) -> Result<usize, CadError> {
        let number = self.number(place)?;
        if (0.0..1e9).contains(&number) {
            Ok(number as usize)
        } else {
            Err(self.wrong(format!("count {number}")))
        }
    }

    pub(crate) fn positive(&self, place: usize) -> Result<f64, CadError> {
        let number = self.number(place)?;
        if number > 0.0 {
            return Ok(number);
        }
        Err(self.wrong(format!("field {} is {number}; it must be positive", place + 1)))
    }

    pub(crate) fn reference(&self, place: usize) -> Result<u64, CadError> {
        match self.value(place) {
            Value::Reference(id) => Ok(*id),
            _ => Err(self.wrong(format!("field {} is no reference", place + 1))),
        }
    }

    pub(crate) fn list(&self, place: usize) -> Result<&'t [Value<'a>], CadError> {
        match self.value(place) {
            Value::List(values) => Ok(values),
            _ => Err(self.wrong(format!("field {} is no list", place + 1))),
        }
    }

    pub(crate) fn references(&self, place: usize) -> Result<Vec<u64>, CadError> {
        let reference = |value: &Value| match value {
            Value::Reference(id) => Ok(*id),
            _ => Err(self.wrong(format!("field {} holds something other than references", place + 1))),
        };
        self.list(place)?.iter().map(reference).collect()
    }

    pub(crate) fn numbers(&self, place: usize) -> Result<Vec<f64>, CadError> {
        let wrong = || self.wrong(format!("field {} holds something other than numbers", place + 1));
        self.list(place)?.iter().map(|value| number(value).ok_or_else(wrong)).collect()
    }

    /// A flag `.T.` or `.F.`.
    pub(crate) fn flag(&self, place: usize) -> Result<bool, CadError> {
        match self.value(place) {
            Value::Word("T" | "t") => Ok(true),
            Value::Word("F" | "f") => Ok(false),
            _ => Err(self.wrong(format!("field {} is neither .T. nor .F.", place + 1))),
        }
    }

    pub(crate) fn text(&self, place: usize) -> &'a str {
        if let Value::Text(text) = self.value(place) { text } else { "" }
    }

    pub(crate) fn follow(&self, place: usize, kinds: &[&str]) -> Result<Self, CadError> {
        Self::of(self.table, self.reference(place)?, kinds)
    }

    /// A `CARTESIAN_POINT` [m].
    pub(crate) fn point(&self, place: usize, units: Units) -> Result<Vector3<f64>, CadError> {
        point(self.table, self.reference(place)?, units)
    }

    /// A `DIRECTION`, not normalised.
    pub(crate) fn direction(&self, place: usize) -> Result<Vector3<f64>, CadError> {
        triple(&self.follow(place, &["DIRECTION"])?)
    }

    /// An `AXIS2_PLACEMENT_3D` or `AXIS1_PLACEMENT`.
    pub(crate) fn frame(&self, place: usize, units: Units) -> Result<Frame, CadError> {
        frame(self.table, self.reference(place)?, units)
    }
}

pub(crate) fn instance<'t, 'a>(table: &'t Table<'a>, id: u64) -> Result<&'t Instance<'a>, CadError> {
    let missing =
        || CadError::Instance { id, kind: "(missing)".into(), what: "the file refers to it".into() };
    table.get(id).ok_or_else(missing)
}

pub(crate) fn point(table: &Table, id: u64, units: Units) -> Result<Vector3<f64>, CadError> {
    let fields = Fields::of(table, id, &["CARTESIAN_POINT"])?;
    let point = triple(&fields)? * units.length;
    if point.iter().all(|x| x.abs() < 1e4) {
        return Ok(point);
    }
    Err(fields.wrong("a coordinate beyond 10 km"))
}

pub(crate) fn frame(table: &Table, id: u64, units: Units) -> Result<Frame, CadError> {
    let fields = Fields::of(table, id, &["AXIS2_PLACEMENT_3D", "AXIS1_PLACEMENT"])?;
    let given = |place: usize| -> Result<Option<Vector3<f64>>, CadError> {
        if let Value::Reference(_) = fields.value(place) {
            fields.direction(place).map(Some)
        } else {
            Ok(None)
        }
    };
    let axis = given(2)?.unwrap_or(Vector3::z());
    let towards = given(3)?.or(Some(Vector3::x()));
    Frame::new(fields.point(1, units)?, axis, towards).ok_or_else(|| fields.wrong("an axis without length"))
}

fn triple(fields: &Fields) -> Result<Vector3<f64>, CadError> {
    match fields.numbers(1)?[..] {
        [x, y, z] => Ok(Vector3::new(x, y, z)),
        [x, y] => Ok(Vector3::new(x, y, 0.0)),
        _ => Err(fields.wrong("expected three coordinates")),
    }
}

/// A number, also inside a type such as `LENGTH_MEASURE(1.)`.
fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => Some(*number),
        Value::Typed(values) => match values[..] {
            [Value::Number(number)] => Some(number),
            _ => None,
        },
        _ => None,
    }
}
