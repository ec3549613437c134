//! Instances of a file by number. All text borrows from the file.

use crate::CadError;

/// Most bytes of a file.
pub(crate) const MOST_BYTES: usize = 512 << 20;

/// A field of a record.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value<'a> {
    /// `$`, not given.
    Null,
    /// `*`, derived from other fields.
    Derived,
    /// An integer or a real.
    Number(f64),
    /// A string, with the escapes of the file.
    Text(&'a str),
    /// An enumeration such as `.T.`, without its dots.
    Word(&'a str),
    /// `#12`.
    Reference(u64),
    /// A list.
    List(Vec<Value<'a>>),
    /// A value with its type, such as `LENGTH_MEASURE(25.4)`.
    Typed(Vec<Value<'a>>),
}

/// A type with its fields.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Record<'a> {
    pub kind: &'a str,
    pub fields: Vec<Value<'a>>,
}

/// One record, or several for a complex instance.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Instance<'a> {
    pub id: u64,
    pub records: Vec<Record<'a>>,
}

impl<'a> Instance<'a> {
    /// The record of this type.
    pub(crate) fn record(&self, kind: &str) -> Option<&Record<'a>> {
        self.records.iter().find(|record| record.kind == kind)
    }

    /// The type of a simple instance; of a complex one its types, joined.
    pub(crate) fn kind(&self) -> String {
        self.records.iter().map(|record| record.kind).collect::<Vec<_>>().join("+")
    }
}

/// All instances of a file, sorted by number.
#[derive(Clone, Debug, Default)]
pub(crate) struct Table<'a> {
    pub instances: Vec<Instance<'a>>,
}

impl<'a> Table<'a> {
    /// Reads the data sections of a file.
    pub(crate) fn parse(text: &'a str) -> Result<Self, CadError> {
        if text.len() > MOST_BYTES {
            return Err(CadError::TooLarge { limit: MOST_BYTES, what: "bytes" });
        }
        let mut instances = super::parser::Parser::new(text).instances()?;
        // the last definition of a number wins, as in other readers
        instances.reverse();
        instances.sort_by_key(|instance| instance.id);
        instances.dedup_by_key(|instance| instance.id);
        Ok(Self { instances })
    }

    pub(crate) fn get(&self, id: u64) -> Option<&Instance<'a>> {
        let place = self.instances.binary_search_by_key(&id, |instance| instance.id).ok()?;
        self.instances.get(place)
    }
}
