//! A palette for some pictures: median cut.
//!
//! Colours are counted in cells of 8 levels. The box of cells with the largest count × (longest side)² is cut at the median
//! along that side, until there are enough boxes; each gives the mean of its colours. A rare colour far from the others gets
//! a box of its own early. P. Heckbert, "Color image quantization for frame buffer display", SIGGRAPH 1982.

use std::collections::HashMap;

use super::pixels::Pixels;

type Colour = [u8; 3];

/// Colours of one cell: how many, and their sum.
#[derive(Clone, Copy)]
struct Cell {
    place: Colour,
    count: u64,
    sum: [u64; 3],
}

/// A choice of colours.
pub(super) struct Palette {
    colours: Vec<Colour>,
    /// Nearest colour by colour: few occur often.
    known: HashMap<Colour, u8>,
}

impl Palette {
    /// At most `most` colours for these pictures.
    pub(super) fn of(samples: &[Pixels], most: usize) -> Self {
        let mut cells: HashMap<Colour, Cell> = HashMap::new();
        for pixel in samples.iter().flat_map(|sample| sample.rgba.chunks_exact(4)) {
            let place = std::array::from_fn(|axis| pixel[axis] >> 3);
            let cell = cells.entry(place).or_insert(Cell { place, count: 0, sum: [0; 3] });
            cell.count += 1;
            (0..3).for_each(|axis| cell.sum[axis] += u64::from(pixel[axis]));
        }
        let mut cells: Vec<Cell> = cells.into_values().collect();
        // the order of a map is not that of the next run
        cells.sort_by_key(|cell| cell.place);
        let mut boxes = vec![cells];
        while boxes.len() < most {
            let urgency = |cells: &Vec<Cell>| {
                let side = longest_side(cells).1;
                cells.iter().map(|cell| cell.count).sum::<u64>() * u64::from(side).pow(2)
            };
            let Some((index, worst)) = boxes.iter().map(urgency).enumerate().max_by_key(|(_, worst)| *worst)
            else {
                break;
            };
            if worst == 0 {
                break;
            }
            let cells = boxes.swap_remove(index);
            boxes.extend(cut(cells));
        }
        let colours = boxes.iter().filter(|cells| !cells.is_empty()).map(|cells| mean(cells)).collect();
        Self { colours, known: HashMap::new() }
    }

    /// Red, green and blue of every colour, by index.
    pub(super) fn bytes(&self) -> Vec<u8> {
        self.colours.concat()
    }

    /// Index of the nearest colour.
    pub(super) fn index(&mut self, colour: Colour) -> u8 {
        let colours = &self.colours;
        *self.known.entry(colour).or_insert_with(|| {
            let distance = |own: &Colour| -> u32 {
                own.iter().zip(&colour).map(|(a, b)| u32::from(a.abs_diff(*b)).pow(2)).sum()
            };
            let nearest = colours.iter().enumerate().min_by_key(|(_, own)| distance(own));
            nearest.map_or(0, |(index, _)| index as u8)
        })
    }
}

/// Axis and length of the longest side of a box.
fn longest_side(cells: &[Cell]) -> (usize, u8) {
    let side = |axis: usize| {
        let places = cells.iter().map(|cell| cell.place[axis]);
        places.clone().max().unwrap_or(0) - places.min().unwrap_or(0)
    };
    (0..3).map(|axis| (axis, side(axis))).max_by_key(|(_, side)| *side).unwrap_or((0, 0))
}

/// Two boxes with about half of the pixels each; both have cells.
fn cut(mut cells: Vec<Cell>) -> [Vec<Cell>; 2] {
    let (axis, _) = longest_side(&cells);
    cells.sort_by_key(|cell| cell.place[axis]);
    let half = cells.iter().map(|cell| cell.count).sum::<u64>() / 2;
    let mut passed = 0;
    let below = cells.iter().take_while(|cell| {
        passed += cell.count;
        passed <= half
    });
    let at = below.count().clamp(1, cells.len().saturating_sub(1).max(1));
    let upper = cells.split_off(at.min(cells.len()));
    [cells, upper]
}

fn mean(cells: &[Cell]) -> Colour {
    let count = cells.iter().map(|cell| cell.count).sum::<u64>().max(1);
    std::array::from_fn(|axis| (cells.iter().map(|cell| cell.sum[axis]).sum::<u64>() / count) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_colours_are_kept_as_they_are_and_many_are_near() {
        let picture = |colours: &[Colour]| Pixels {
            width: colours.len() as u32,
            height: 1,
            rgba: colours.iter().flat_map(|[red, green, blue]| [*red, *green, *blue, 255]).collect(),
        };
        let mut few = vec![[20, 24, 30]; 5000];
        few.extend([[240, 200, 40], [255, 80, 110], [52, 209, 123]]);
        let mut palette = Palette::of(&[picture(&few)], 255);
        assert_eq!(palette.colours.len(), 4);
        for colour in &few[4999..] {
            let index = usize::from(palette.index(*colour));
            assert_eq!(palette.colours[index], *colour);
        }

        let grey: Vec<Colour> = (0..=255).flat_map(|level| [[level; 3], [level, level / 2, 0]]).collect();
        let mut palette = Palette::of(&[picture(&grey)], 32);
        assert!(palette.colours.len() <= 32);
        for colour in &grey {
            let index = usize::from(palette.index(*colour));
            let far = palette.colours[index].iter().zip(colour).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(far <= Some(24), "{colour:?} is off by {far:?}");
        }
    }
}
