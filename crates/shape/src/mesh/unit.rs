//! Units of length of part files; inside Tightfit every length is in metres.

use std::fmt;
use std::str::FromStr;

/// Largest diagonal at which a file is assumed to be in metres [raw unit]: above it, millimetres are far more likely.
/// Nothing that a robot arm inserts is 2.5 m long; nearly every part exceeds 2.5 mm.
const LARGEST_METRE_DIAGONAL: f64 = 2.5;

/// A unit of length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum LengthUnit {
    /// 1 m.
    Metre,
    /// 0.01 m.
    Centimetre,
    /// 0.001 m, what most CAD systems write.
    Millimetre,
    /// 1e-6 m.
    Micrometre,
    /// 0.0254 m.
    Inch,
    /// 0.3048 m.
    Foot,
}

impl LengthUnit {
    const ALL: [Self; 6] =
        [Self::Metre, Self::Centimetre, Self::Millimetre, Self::Micrometre, Self::Inch, Self::Foot];

    /// Metres per unit [m].
    #[must_use]
    pub fn factor(self) -> f64 {
        match self {
            Self::Metre => 1.0,
            Self::Centimetre => 1e-2,
            Self::Millimetre => 1e-3,
            Self::Micrometre => 1e-6,
            Self::Inch => 0.0254,
            Self::Foot => 0.3048,
        }
    }

    /// Symbol in ASCII.
    #[must_use]
    pub fn symbol(self) -> &'static str {
        match self {
            Self::Metre => "m",
            Self::Centimetre => "cm",
            Self::Millimetre => "mm",
            Self::Micrometre => "um",
            Self::Inch => "in",
            Self::Foot => "ft",
        }
    }
}

impl fmt::Display for LengthUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.symbol())
    }
}

/// A word that is not a unit of length.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a unit of length; use one of m, cm, mm, um, in, ft")]
pub struct UnknownUnit(pub String);

impl FromStr for LengthUnit {
    type Err = UnknownUnit;

    fn from_str(text: &str) -> Result<Self, UnknownUnit> {
        let word = text.trim().to_lowercase();
        let named = |unit: &Self| match unit {
            Self::Metre => ["metre", "meter", "metres", "meters"].contains(&word.as_str()),
            Self::Centimetre => ["centimetre", "centimeter"].contains(&word.as_str()),
            Self::Millimetre => ["millimetre", "millimeter"].contains(&word.as_str()),
            Self::Micrometre => ["µm", "micrometre", "micrometer", "micron"].contains(&word.as_str()),
            Self::Inch => ["inch", "inches", "\""].contains(&word.as_str()),
            Self::Foot => ["foot", "feet"].contains(&word.as_str()),
        };
        let found = Self::ALL.into_iter().find(|unit| unit.symbol() == word || named(unit));
        found.ok_or_else(|| UnknownUnit(text.to_owned()))
    }
}

/// A guess at the unit of a file that does not state it.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct UnitGuess {
    /// The most likely unit.
    pub unit: LengthUnit,
    /// Whether another unit would give an implausible part size.
    pub confident: bool,
    /// Why, in one line.
    pub reason: String,
}

/// Guesses the unit from the diagonal of the bounding box in the units of the file.
///
/// The size cannot distinguish inches from millimetres; where it matters, state the unit.
#[must_use]
pub fn guess_unit(diagonal: f64) -> UnitGuess {
    let guess = |unit, confident, reason: String| UnitGuess { unit, confident, reason };
    if diagonal > LARGEST_METRE_DIAGONAL {
        let reason = format!("diagonal {diagonal:.4} would be a very large part in metres");
        // between 2.5 and 10, a machine in metres and a small screw in millimetres are both plausible
        guess(LengthUnit::Millimetre, diagonal > 10.0, reason)
    } else {
        let reason = format!("diagonal {diagonal:.4} would be a very small part in millimetres");
        guess(LengthUnit::Metre, (1e-4..0.5).contains(&diagonal), reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_reads_back_from_its_symbol() {
        for unit in LengthUnit::ALL {
            assert_eq!(unit.to_string().parse(), Ok(unit));
        }
        assert_eq!("Inch".parse(), Ok(LengthUnit::Inch));
        assert!("furlong".parse::<LengthUnit>().unwrap_err().to_string().contains("furlong"));
    }

    #[test]
    fn a_part_of_fifty_raw_units_is_in_millimetres_and_one_of_a_twentieth_in_metres() {
        assert_eq!(guess_unit(50.0).unit, LengthUnit::Millimetre);
        assert_eq!(guess_unit(0.05).unit, LengthUnit::Metre);
        assert!(guess_unit(50.0).confident && guess_unit(0.05).confident && !guess_unit(3.0).confident);
    }
}
