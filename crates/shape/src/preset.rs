//! Preset parts, found by name.
//!
//! | name | part |
//! |---|---|
//! | `peg-50`, `hole-50` | the paper's fit: 49.97 mm peg, 50.035 mm through hole |
//! | `m48x5-bolt`, `m48x5-nut` | the paper's thread, with the ends and the 0.2 mm radial play of the nut drive |
//! | `m12-bolt`, `m12x1.25-nut`, … | any coarse or fine ISO size from M3 to M64; a free size is `m13.3x1.7-bolt` |
//! | `paper-47.2x5-nut`, … | the ten pairs of the paper's Table II |

use crate::fit::{FitSection, HoleDimensions, PegDimensions};
use crate::thread::{
    Bolt, Hand, Nut, ThreadAllowance, ThreadStart, coarse_pitch, standard_threads, width_across_flats,
};
use crate::{Part, ShapeError};

/// (diameter, pitch) [mm] of the narrow and the broad group in the paper's Table II.
pub const PAPER_PAIRS: [(f64, f64); 10] = [
    (47.2, 5.0),
    (47.6, 5.0),
    (48.5, 5.0),
    (49.0, 5.0),
    (39.0, 4.0),
    (42.0, 4.5),
    (45.0, 4.5),
    (52.0, 5.0),
    (56.0, 5.5),
    (60.0, 5.5),
];

/// Radial play of a bolt, divided by its pitch [-]: 0.2 mm on M48x5.
const RADIAL_PLAY: f64 = 0.04;
/// Radius of a bolt's tip less its root radius, divided by the pitch [-]: the tip of M48x5 has 21.6 mm.
const TIP_ABOVE_ROOT: f64 = (21.6 - (24.0 - 0.2 - 5.0 * 0.541_265_877_365_274)) / 5.0;
/// Radius of a nut's countersink less its minor radius, divided by the pitch [-]: that of M48x5 has 22.5 mm.
const COUNTERSINK_ABOVE_MINOR: f64 = (22.5 - (24.0 - 5.0 * 0.541_265_877_365_274)) / 5.0;

/// Names of the standard parts. Any other `m<d>x<pitch>-bolt` or `-nut` works too.
#[must_use]
pub fn preset_names() -> Vec<String> {
    let fits = ["peg-50", "hole-50", "square-peg-20", "square-hole-20"].map(String::from);
    let iso = standard_threads().map(|thread| format!("m{}x{}", thread.diameter_mm, thread.pitch_mm));
    let paper = PAPER_PAIRS.iter().map(|(diameter, pitch)| format!("paper-{diameter}x{pitch}"));
    let threads = iso.chain(paper).flat_map(|pair| [format!("{pair}-bolt"), format!("{pair}-nut")]);
    fits.into_iter().chain(threads).collect()
}

/// The part of this name.
///
/// # Errors
/// When the name is unknown (the error lists similar names), or when a free size leaves no thread.
pub fn preset(name: &str) -> Result<Part, ShapeError> {
    match name {
        "peg-50" => peg_50().build().map(Part::Sectioned),
        "hole-50" => hole_50().build().map(Part::Sectioned),
        "square-peg-20" => square_peg_20().build().map(Part::Sectioned),
        "square-hole-20" => square_hole_20().build().map(Part::Sectioned),
        _ => thread(name).unwrap_or_else(|| Err(unknown(name))),
    }
}

/// The paper's peg: 49.97 mm, 100 mm long, 1 mm chamfer at the tip.
#[must_use]
pub fn peg_50() -> PegDimensions {
    PegDimensions {
        section: FitSection::Round,
        diameter: 49.97e-3,
        length: 100e-3,
        tip_chamfer: 1e-3,
        tail_chamfer: 0.0,
    }
}

/// The paper's hole: 50.035 mm through 50 mm, 1 mm chamfer at the mouth.
#[must_use]
pub fn hole_50() -> HoleDimensions {
    HoleDimensions {
        section: FitSection::Round,
        diameter: 50.035e-3,
        depth: 50e-3,
        floor: None,
        chamfer: 1e-3,
        outer_diameter: 76e-3,
    }
}

/// A square key with rounded corners, 19.97 mm across flats.
#[must_use]
pub fn square_peg_20() -> PegDimensions {
    PegDimensions {
        section: FitSection::Polygon { sides: 4, corner_radius: 2e-3 },
        diameter: 19.97e-3,
        length: 60e-3,
        tip_chamfer: 0.5e-3,
        tail_chamfer: 0.0,
    }
}

/// The pocket of the square key: 20.03 mm across flats, blind.
#[must_use]
pub fn square_hole_20() -> HoleDimensions {
    HoleDimensions {
        section: FitSection::Polygon { sides: 4, corner_radius: 2e-3 },
        diameter: 20.03e-3,
        depth: 30e-3,
        floor: Some(10e-3),
        chamfer: 0.5e-3,
        outer_diameter: 40e-3,
    }
}

/// A bolt as in the presets: chamfered tip, radial play of 4 % of the pitch. Diameter, pitch and length [m].
///
/// # Errors
/// When the size leaves no thread.
pub fn standard_bolt(diameter: f64, pitch: f64, length: f64) -> Result<Bolt, ShapeError> {
    bolt_with_play(diameter, pitch, length, RADIAL_PLAY * pitch)
}

/// The same with another radial play [m].
///
/// # Errors
/// When the size leaves no thread.
pub fn bolt_with_play(diameter: f64, pitch: f64, length: f64, radial: f64) -> Result<Bolt, ShapeError> {
    let allowance = ThreadAllowance { radial, axial: 0.0 };
    let bolt = Bolt::new(diameter, pitch, length, allowance, Hand::Right)?;
    let end_radius = bolt.thread().root_radius() + TIP_ABOVE_ROOT * pitch;
    bolt.with_start(ThreadStart::Chamfered { end_radius })
}

/// A nut as in the presets: nominal thread, countersunk at both ends. All dimensions [m].
///
/// # Errors
/// When the size leaves no thread or no wall.
pub fn standard_nut(diameter: f64, pitch: f64, height: f64, across_flats: f64) -> Result<Nut, ShapeError> {
    let nut = Nut::new(diameter, pitch, height, across_flats, ThreadAllowance::default(), Hand::Right)?;
    let end_radius = nut.thread().root_radius() + COUNTERSINK_ABOVE_MINOR * pitch;
    nut.with_start(ThreadStart::Chamfered { end_radius })
}

/// Dimensions of a preset [m], for those who change some of them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PresetDimensions {
    /// A peg.
    Peg(PegDimensions),
    /// A hole.
    Hole(HoleDimensions),
    /// A bolt.
    Bolt {
        /// Nominal diameter.
        diameter: f64,
        /// Pitch.
        pitch: f64,
        /// Length of the thread.
        length: f64,
        /// How far the profile is moved inwards.
        radial_clearance: f64,
        /// Diameter of the cone in the end plane.
        start_diameter: f64,
    },
    /// A nut.
    Nut {
        /// Nominal diameter.
        diameter: f64,
        /// Pitch.
        pitch: f64,
        /// Height.
        height: f64,
        /// Width across flats.
        across_flats: f64,
        /// Diameter of the countersinks in the end planes.
        start_diameter: f64,
    },
}

/// Dimensions of the preset of this name, if there is one.
#[must_use]
pub fn preset_dimensions(name: &str) -> Option<PresetDimensions> {
    match name {
        "peg-50" => return Some(PresetDimensions::Peg(peg_50())),
        "hole-50" => return Some(PresetDimensions::Hole(hole_50())),
        "square-peg-20" => return Some(PresetDimensions::Peg(square_peg_20())),
        "square-hole-20" => return Some(PresetDimensions::Hole(square_hole_20())),
        _ => {}
    }
    let ThreadSize { diameter, pitch, body } = thread_size(name)?;
    Some(match body {
        ThreadBody::Nut { height, across_flats } => {
            let nut = standard_nut(diameter, pitch, height, across_flats).ok()?;
            let start_diameter = 2.0 * (nut.thread().root_radius() + COUNTERSINK_ABOVE_MINOR * pitch);
            PresetDimensions::Nut { diameter, pitch, height, across_flats, start_diameter }
        }
        ThreadBody::Bolt { length } => {
            let bolt = standard_bolt(diameter, pitch, length).ok()?;
            let start_diameter = 2.0 * (bolt.thread().root_radius() + TIP_ABOVE_ROOT * pitch);
            let radial_clearance = RADIAL_PLAY * pitch;
            PresetDimensions::Bolt { diameter, pitch, length, radial_clearance, start_diameter }
        }
    })
}

/// What the name of a threaded preset says [m].
struct ThreadSize {
    diameter: f64,
    pitch: f64,
    body: ThreadBody,
}

enum ThreadBody {
    Nut { height: f64, across_flats: f64 },
    Bolt { length: f64 },
}

fn thread(name: &str) -> Option<Result<Part, ShapeError>> {
    let ThreadSize { diameter, pitch, body } = thread_size(name)?;
    Some(match body {
        ThreadBody::Nut { height, across_flats } => {
            standard_nut(diameter, pitch, height, across_flats).map(Part::Nut)
        }
        ThreadBody::Bolt { length } => standard_bolt(diameter, pitch, length).map(Part::Bolt),
    })
}

/// Parses `m<diameter>[x<pitch>]-bolt|nut` or `paper-<diameter>x<pitch>-bolt|nut`; `None` when the name has another
/// form.
fn thread_size(name: &str) -> Option<ThreadSize> {
    let (size, is_nut) = match name.rsplit_once('-')? {
        (size, "nut") => (size, true),
        (size, "bolt") => (size, false),
        _ => return None,
    };
    let (size, is_paper) = match size.strip_prefix("paper-") {
        Some(size) => (size, true),
        None => (size.strip_prefix(['m', 'M'])?, false),
    };
    let number = |text: &str| text.parse::<f64>().ok().filter(|value| value.is_finite());
    let (diameter, pitch) = match size.split_once('x') {
        Some((diameter, pitch)) => (number(diameter)?, number(pitch)?),
        None => {
            let diameter = number(size)?;
            (diameter, coarse_pitch(diameter)?)
        }
    };
    if is_paper && !PAPER_PAIRS.contains(&(diameter, pitch)) {
        return None;
    }
    // the paper's ten pairs and M48x5 have the body dimensions of the paper's nut drive
    let is_drive = is_paper || (diameter, pitch) == (48.0, 5.0);
    let [d, p] = [diameter * 1e-3, pitch * 1e-3];
    let body = if is_nut {
        let (height, across_flats) = match is_drive {
            true => (15e-3, (74e-3_f64).max(d + 26e-3)),
            false => (0.8 * d, 1e-3 * width_across_flats(diameter)),
        };
        ThreadBody::Nut { height, across_flats }
    } else {
        ThreadBody::Bolt { length: if is_drive { 40e-3 } else { 2.0 * d } }
    };
    Some(ThreadSize { diameter: d, pitch: p, body })
}

fn unknown(name: &str) -> ShapeError {
    let mut near: Vec<(usize, String)> =
        preset_names().into_iter().map(|known| (edit_distance(name, &known), known)).collect();
    near.sort();
    let names: Vec<_> = near.into_iter().take(3).map(|(_, known)| format!("`{known}`")).collect();
    let hint = format!("similar names: {}; `tightfit part --list` lists all", names.join(", "));
    ShapeError::UnknownPreset { name: name.to_string(), hint }
}

/// Levenshtein distance.
fn edit_distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let cost = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = cost.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_listed_name_builds_and_an_unknown_name_suggests_similar_ones() {
        for name in preset_names() {
            assert!(preset(&name).is_ok(), "{name}: {:?}", preset(&name).err());
        }
        assert_eq!(preset("m48-nut"), preset("m48x5-nut"));
        assert!(preset("m13.3x1.7-bolt").is_ok());
        let error = preset("m48x5-nutt").unwrap_err().to_string();
        assert!(error.contains("m48x5-nut") && error.contains("--list"), "{error}");
        let error = preset("m10x12-bolt").unwrap_err().to_string();
        assert!(error.contains("pitch_mm is 12 mm") && error.contains("third of diameter_mm"), "{error}");
    }

    #[test]
    fn the_drive_pair_has_the_published_radii() {
        let Ok(Part::Bolt(bolt)) = preset("m48x5-bolt") else { panic!("a bolt") };
        let Ok(Part::Nut(nut)) = preset("m48x5-nut") else { panic!("a nut") };
        let close = |value: f64, mm: f64| assert!((value * 1e3 - mm).abs() < 1e-4, "{value} against {mm} mm");
        close(bolt.thread().crest_radius(), 23.8);
        close(bolt.thread().root_radius(), 21.0937);
        close(nut.thread().crest_radius(), 24.0);
        close(nut.thread().root_radius(), 21.2937);
        close(nut.thread().pitch_radius(), 22.3762);
    }
}
