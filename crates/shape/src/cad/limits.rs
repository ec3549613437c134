//! Limits of a fit by its ISO name, such as `H7/g6`.
//!
//! ```text
//! hole   EI = fundamental deviation of its letter,  ES = EI + IT        (letters D to H, JS)
//! shaft  es = fundamental deviation of its letter,  ei = es − IT        (letters d to h)
//!        ei = fundamental deviation of its letter,  es = ei + IT        (letters k to p)
//! clearance   from EI − es to ES − ei; negative for an interference
//! ```
//! IT is the tolerance of the grade over the range of nominal sizes. Values: ISO 286-1:2010, tables 1 to 5, nominal sizes
//! up to 500 mm.

use crate::ShapeError;

/// Upper ends of the ranges of nominal sizes [mm].
const SIZES: [f64; 13] = [3.0, 6.0, 10.0, 18.0, 30.0, 50.0, 80.0, 120.0, 180.0, 250.0, 315.0, 400.0, 500.0];

/// Tolerance of a grade in each range [um].
const GRADES: [(u32, [i32; 13]); 7] = [
    (5, [4, 5, 6, 8, 9, 11, 13, 15, 18, 20, 23, 25, 27]),
    (6, [6, 8, 9, 11, 13, 16, 19, 22, 25, 29, 32, 36, 40]),
    (7, [10, 12, 15, 18, 21, 25, 30, 35, 40, 46, 52, 57, 63]),
    (8, [14, 18, 22, 27, 33, 39, 46, 54, 63, 72, 81, 89, 97]),
    (9, [25, 30, 36, 43, 52, 62, 74, 87, 100, 115, 130, 140, 155]),
    (10, [40, 48, 58, 70, 84, 100, 120, 140, 160, 185, 210, 230, 250]),
    (11, [60, 75, 90, 110, 130, 160, 190, 220, 250, 290, 320, 360, 400]),
];

/// Distance of the nearer limit from the nominal size, for shafts below it and holes above it [um].
const LOOSE: [(char, [i32; 13]); 5] = [
    ('d', [20, 30, 40, 50, 65, 80, 100, 120, 145, 170, 190, 210, 230]),
    ('e', [14, 20, 25, 32, 40, 50, 60, 72, 85, 100, 110, 125, 135]),
    ('f', [6, 10, 13, 16, 20, 25, 30, 36, 43, 50, 56, 62, 68]),
    ('g', [2, 4, 5, 6, 7, 9, 10, 12, 14, 15, 17, 18, 20]),
    ('h', [0; 13]),
];

/// Lower limit of shafts above the nominal size [um]; `k` of grades 4 to 7.
const FIRM: [(char, [i32; 13]); 4] = [
    ('k', [0, 1, 1, 1, 2, 2, 2, 3, 3, 4, 4, 4, 5]),
    ('m', [2, 4, 6, 7, 8, 9, 11, 13, 15, 17, 20, 21, 23]),
    ('n', [4, 8, 10, 12, 15, 17, 20, 23, 27, 31, 34, 37, 40]),
    ('p', [6, 12, 15, 18, 22, 26, 32, 37, 43, 50, 56, 62, 68]),
];

/// Limits of a hole and its shaft against their nominal size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    /// Least and largest deviation of the hole [m].
    pub hole: [f64; 2],
    /// Least and largest deviation of the shaft [m].
    pub shaft: [f64; 2],
}

impl Limits {
    /// Limits of a fit such as `H7/g6` at a nominal diameter [m].
    ///
    /// # Errors
    /// When the name or the diameter is not among those of the tables.
    pub fn of(name: &str, diameter: f64) -> Result<Self, ShapeError> {
        let refuse = |reason: String| {
            ShapeError::Mesh(format!("fit `{name}`: {reason}; give one such as H7/g6, H8/f7 or H7/k6"))
        };
        let (hole, shaft) =
            name.split_once('/').ok_or_else(|| refuse("has no `/` between hole and shaft".into()))?;
        let millimetres = 1e3 * diameter;
        let range = SIZES.iter().position(|most| millimetres > 0.0 && millimetres <= *most);
        let range = range.ok_or_else(|| {
            refuse(format!("the tables end at 500 mm, and the diameter is {millimetres:.3} mm"))
        })?;
        let hole = deviations(hole, true, range).map_err(refuse)?;
        let shaft = deviations(shaft, false, range).map_err(refuse)?;
        let metres = |limits: [f64; 2]| limits.map(|um| 1e-6 * um);
        Ok(Self { hole: metres(hole), shaft: metres(shaft) })
    }

    /// Least and largest clearance in the diameter [m]; negative for an interference.
    #[must_use]
    pub fn clearance(&self) -> [f64; 2] {
        [self.hole[0] - self.shaft[1], self.hole[1] - self.shaft[0]]
    }
}

/// Least and largest deviation [um] of a name such as `H7` or `g6`.
fn deviations(name: &str, is_hole: bool, range: usize) -> Result<[f64; 2], String> {
    let split = name.find(|c: char| c.is_ascii_digit()).ok_or(format!("`{name}` has no grade"))?;
    let (letter, grade) = name.split_at(split);
    let known = GRADES.iter().find(|(own, _)| grade.parse() == Ok(*own));
    let width = known.ok_or(format!("grade `{grade}` is not among 5 to 11"))?.1[range];
    let allowed = if is_hole { "D, E, F, G, H, JS" } else { "d, e, f, g, h, js, k, m, n, p" };
    let unknown = || format!("letter `{letter}` is not among {allowed}");
    let lower = letter.to_ascii_lowercase();
    let is_own_case = (letter == lower) != is_hole;
    if !is_own_case {
        return Err(unknown());
    }
    if lower == "js" {
        return Ok([-0.5 * f64::from(width), 0.5 * f64::from(width)]);
    }
    let mut letters = lower.chars();
    let (Some(first), None) = (letters.next(), letters.next()) else { return Err(unknown()) };
    let of = |table: &[(char, [i32; 13])]| table.iter().find(|row| row.0 == first).map(|row| row.1[range]);
    match (of(&LOOSE), of(&FIRM)) {
        (Some(off), _) if is_hole => Ok([f64::from(off), f64::from(off + width)]),
        (Some(off), _) => Ok([f64::from(-off - width), f64::from(-off)]),
        (None, Some(_)) if first == 'k' && !matches!(grade, "5" | "6" | "7") => {
            Err("k is for grades 5 to 7 here".into())
        }
        (None, Some(off)) if !is_hole => Ok([f64::from(off), f64::from(off + width)]),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, diameter: f64, [least, most]: [f64; 2]) {
        let [a, b] = Limits::of(name, diameter).unwrap().clearance().map(|x| 1e6 * x);
        assert!((a - least).abs() < 1e-9 && (b - most).abs() < 1e-9, "{name} at {diameter}: {a} to {b}");
    }

    /// Clearances of usual fits, as tables of limits and fits print them.
    #[test]
    fn usual_fits_have_their_clearances() {
        check("H7/g6", 0.050, [9.0, 50.0]);
        check("H7/h6", 0.025, [0.0, 34.0]);
        check("H8/f7", 0.080, [30.0, 106.0]);
        check("H7/k6", 0.010, [-10.0, 14.0]);
        check("H7/p6", 0.040, [-42.0, -1.0]);
        check("F8/h6", 0.020, [20.0, 66.0]);
        check("JS7/h6", 0.030, [-10.5, 23.5]);
    }

    #[test]
    fn other_names_are_refused_with_what_is_allowed() {
        for (name, part) in [
            ("H7", "no `/`"),
            ("h7/g6", "D, E, F"),
            ("H7/G6", "d, e, f"),
            ("H7/g2", "5 to 11"),
            ("H7/k9", "k is for"),
        ] {
            let text = Limits::of(name, 0.05).unwrap_err().to_string();
            assert!(text.contains(part), "{text}");
        }
        assert!(Limits::of("H7/g6", 0.6).unwrap_err().to_string().contains("500 mm"));
    }
}
