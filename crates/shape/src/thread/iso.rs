//! ISO metric screw threads: diameter and pitch combinations M3 to M64 (ISO 261), basic profile (ISO 68-1)
//! and widths across flats of hexagon nuts (ISO 4032).

/// A standard combination of nominal diameter and pitch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct IsoThread {
    /// Nominal diameter [mm], as in the designation M48.
    pub diameter_mm: f64,
    /// Pitch [mm].
    pub pitch_mm: f64,
}

/// Coarse pitches [mm] by nominal diameter [mm].
const COARSE: [(f64, f64); 30] = [
    (3.0, 0.5),
    (3.5, 0.6),
    (4.0, 0.7),
    (4.5, 0.75),
    (5.0, 0.8),
    (6.0, 1.0),
    (7.0, 1.0),
    (8.0, 1.25),
    (9.0, 1.25),
    (10.0, 1.5),
    (11.0, 1.5),
    (12.0, 1.75),
    (14.0, 2.0),
    (16.0, 2.0),
    (18.0, 2.5),
    (20.0, 2.5),
    (22.0, 2.5),
    (24.0, 3.0),
    (27.0, 3.0),
    (30.0, 3.5),
    (33.0, 3.5),
    (36.0, 4.0),
    (39.0, 4.0),
    (42.0, 4.5),
    (45.0, 4.5),
    (48.0, 5.0),
    (52.0, 5.0),
    (56.0, 5.5),
    (60.0, 5.5),
    (64.0, 6.0),
];

/// Fine pitches [mm] by nominal diameter [mm].
pub const FINE: [(f64, &[f64]); 44] = [
    (3.0, &[0.35]),
    (3.5, &[0.35]),
    (4.0, &[0.5]),
    (4.5, &[0.5]),
    (5.0, &[0.5]),
    (5.5, &[0.5]),
    (6.0, &[0.75]),
    (7.0, &[0.75]),
    (8.0, &[1.0, 0.75]),
    (9.0, &[1.0, 0.75]),
    (10.0, &[1.25, 1.0, 0.75]),
    (11.0, &[1.0, 0.75]),
    (12.0, &[1.5, 1.25, 1.0]),
    (14.0, &[1.5, 1.25, 1.0]),
    (15.0, &[1.5, 1.0]),
    (16.0, &[1.5, 1.0]),
    (17.0, &[1.5, 1.0]),
    (18.0, &[2.0, 1.5, 1.0]),
    (20.0, &[2.0, 1.5, 1.0]),
    (22.0, &[2.0, 1.5, 1.0]),
    (24.0, &[2.0, 1.5, 1.0]),
    (25.0, &[2.0, 1.5, 1.0]),
    (26.0, &[1.5]),
    (27.0, &[2.0, 1.5, 1.0]),
    (28.0, &[2.0, 1.5, 1.0]),
    (30.0, &[3.0, 2.0, 1.5, 1.0]),
    (32.0, &[2.0, 1.5]),
    (33.0, &[3.0, 2.0, 1.5]),
    (35.0, &[1.5]),
    (36.0, &[3.0, 2.0, 1.5]),
    (38.0, &[1.5]),
    (39.0, &[3.0, 2.0, 1.5]),
    (40.0, &[3.0, 2.0, 1.5]),
    (42.0, &[4.0, 3.0, 2.0, 1.5]),
    (45.0, &[4.0, 3.0, 2.0, 1.5]),
    (48.0, &[4.0, 3.0, 2.0, 1.5]),
    (50.0, &[3.0, 2.0, 1.5]),
    (52.0, &[4.0, 3.0, 2.0, 1.5]),
    (55.0, &[4.0, 3.0, 2.0, 1.5]),
    (56.0, &[4.0, 3.0, 2.0, 1.5]),
    (58.0, &[4.0, 3.0, 2.0, 1.5]),
    (60.0, &[4.0, 3.0, 2.0, 1.5]),
    (62.0, &[4.0, 3.0, 2.0, 1.5]),
    (64.0, &[4.0, 3.0, 2.0, 1.5]),
];

/// Widths across flats [mm] of hexagon nuts by nominal diameter [mm].
const ACROSS_FLATS: [(f64, f64); 25] = [
    (3.0, 5.5),
    (4.0, 7.0),
    (5.0, 8.0),
    (6.0, 10.0),
    (8.0, 13.0),
    (10.0, 16.0),
    (12.0, 18.0),
    (14.0, 21.0),
    (16.0, 24.0),
    (18.0, 27.0),
    (20.0, 30.0),
    (22.0, 34.0),
    (24.0, 36.0),
    (27.0, 41.0),
    (30.0, 46.0),
    (33.0, 50.0),
    (36.0, 55.0),
    (39.0, 60.0),
    (42.0, 65.0),
    (45.0, 70.0),
    (48.0, 75.0),
    (52.0, 80.0),
    (56.0, 85.0),
    (60.0, 90.0),
    (64.0, 95.0),
];

/// Every coarse and fine combination, by diameter, coarse first.
pub fn standard_threads() -> impl Iterator<Item = IsoThread> {
    let coarse = COARSE.iter().map(|&(diameter_mm, pitch_mm)| IsoThread { diameter_mm, pitch_mm });
    let fine = FINE.iter().flat_map(|&(diameter_mm, pitches)| {
        pitches.iter().map(move |&pitch_mm| IsoThread { diameter_mm, pitch_mm })
    });
    let mut all: Vec<_> = coarse.chain(fine).collect();
    all.sort_by(|a, b| a.diameter_mm.total_cmp(&b.diameter_mm).then(b.pitch_mm.total_cmp(&a.pitch_mm)));
    all.into_iter()
}

/// Coarse pitch [mm] of a nominal diameter [mm], if the standard has one.
#[must_use]
pub fn coarse_pitch(diameter_mm: f64) -> Option<f64> {
    COARSE.iter().find(|(diameter, _)| *diameter == diameter_mm).map(|&(_, pitch)| pitch)
}

/// Whether the combination is in the standard.
#[must_use]
pub fn is_standard(thread: IsoThread) -> bool {
    standard_threads().any(|known| known == thread)
}

/// Width across flats [mm]: the standard width, or 1.5 d + 2 mm rounded to whole millimetres for other sizes.
#[must_use]
pub fn width_across_flats(diameter_mm: f64) -> f64 {
    let standard = ACROSS_FLATS.iter().find(|(diameter, _)| *diameter == diameter_mm);
    standard.map_or_else(|| (1.5 * diameter_mm + 2.0).round(), |&(_, width)| width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn combinations_are_unique_and_fine_pitches_are_below_coarse_ones() {
        let all: Vec<_> = standard_threads().collect();
        assert!(all.windows(2).all(|pair| pair[0] != pair[1]));
        for (diameter, pitches) in FINE {
            if let Some(coarse) = coarse_pitch(diameter) {
                assert!(pitches.iter().all(|&pitch| pitch < coarse), "M{diameter}");
            }
        }
        assert!(is_standard(IsoThread { diameter_mm: 48.0, pitch_mm: 5.0 }));
        assert!(!is_standard(IsoThread { diameter_mm: 48.0, pitch_mm: 5.5 }));
    }
}
