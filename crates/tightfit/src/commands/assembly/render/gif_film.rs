//! Films as GIF: one palette for all pictures, ordered dithering, and only what changed since the last picture.
//!
//! ```text
//! colour(x, y) = nearest(rgb + a (B(x mod 4, y mod 4) − 1/2)),   B: Bayer's matrix over 16,   a = 6 of 255 levels
//! ```
//!
//! The threshold depends on the place alone, so that a region at rest keeps its bits and costs nothing; diffusion of errors
//! would make it flicker. B. E. Bayer, "An optimum method for two-level rendition of continuous-tone pictures", ICC 1973.

use std::io::Write;

use anyhow::{Context, Result};

use super::palette::Palette;
use super::pixels::Pixels;

/// Index of the colour that lets the last picture show through.
const CLEAR: u8 = 255;
/// Amplitude of the dither [levels of 255].
const DITHER: i32 = 6;
/// The last picture stays, before the film begins again [s].
const PAUSE: f64 = 1.0;
const BAYER: [[i32; 4]; 4] = [[0, 8, 2, 10], [12, 4, 14, 6], [3, 11, 1, 9], [15, 7, 13, 5]];

/// Writes a film picture by picture.
pub(super) struct GifFilm<W: Write> {
    encoder: gif::Encoder<W>,
    palette: Palette,
    size: [u16; 2],
    shown: Vec<u8>,
    /// A picture waits until the next one shows how long it stays.
    waiting: Option<gif::Frame<'static>>,
    /// Time of a picture [1/100 s].
    delay: u16,
}

impl<W: Write> GifFilm<W> {
    /// Begins a film; some of its pictures choose the colours.
    pub(super) fn new(file: W, samples: &[Pixels], rate: f64) -> Result<Self> {
        let first = samples.first().context("a film needs a picture")?;
        let size = [first.width, first.height].map(|side| u16::try_from(side).unwrap_or(u16::MAX));
        let palette = Palette::of(samples, usize::from(CLEAR));
        let mut map = palette.bytes();
        map.resize(3 * 256, 0);
        let mut encoder =
            gif::Encoder::new(file, size[0], size[1], &map).context("the film cannot be written")?;
        encoder.set_repeat(gif::Repeat::Infinite)?;
        let delay = (100.0 / rate).round().clamp(2.0, 1000.0) as u16;
        Ok(Self { encoder, palette, size, shown: Vec::new(), waiting: None, delay })
    }

    /// Adds a picture of the same size.
    pub(super) fn push(&mut self, picture: &Pixels) -> Result<()> {
        let indices = self.indices(picture);
        let frame = match self.shown.len() == indices.len() {
            true => self.change(&indices),
            false => Some(gif::Frame::from_indexed_pixels(self.size[0], self.size[1], indices.clone(), None)),
        };
        self.shown = indices;
        match (frame, &mut self.waiting) {
            (None, Some(waiting)) => waiting.delay = waiting.delay.saturating_add(self.delay),
            (None, None) => {}
            (Some(frame), _) => {
                self.write_waiting()?;
                self.waiting = Some(gif::Frame { delay: self.delay, ..frame });
            }
        }
        Ok(())
    }

    /// Ends the film.
    pub(super) fn finish(mut self) -> Result<()> {
        if let Some(waiting) = &mut self.waiting {
            waiting.delay = waiting.delay.saturating_add((100.0 * PAUSE) as u16);
        }
        self.write_waiting()
    }

    fn write_waiting(&mut self) -> Result<()> {
        match self.waiting.take() {
            Some(frame) => self.encoder.write_frame(&frame).context("the film cannot be written"),
            None => Ok(()),
        }
    }

    /// Palette indices of a picture.
    fn indices(&mut self, picture: &Pixels) -> Vec<u8> {
        let width = picture.width as usize;
        let pixels = picture.rgba.chunks_exact(4).enumerate();
        pixels
            .map(|(place, rgba)| {
                let threshold = 2 * BAYER[(place / width) % 4][(place % width) % 4] - 15;
                let shift = DITHER * threshold / 32;
                let colour: [u8; 3] =
                    std::array::from_fn(|axis| (i32::from(rgba[axis]) + shift).clamp(0, 255) as u8);
                self.palette.index(colour)
            })
            .collect()
    }

    /// The rectangle that changed, unchanged pixels clear; `None` where nothing did.
    fn change(&self, indices: &[u8]) -> Option<gif::Frame<'static>> {
        let width = usize::from(self.size[0]);
        let (mut low, mut high) = ([usize::MAX; 2], [0; 2]);
        for (place, _) in
            indices.iter().zip(&self.shown).enumerate().filter(|(_, (now, before))| now != before)
        {
            for (axis, at) in [place % width, place / width].into_iter().enumerate() {
                (low[axis], high[axis]) = (low[axis].min(at), high[axis].max(at));
            }
        }
        if low[0] == usize::MAX {
            return None;
        }
        let mut pixels = Vec::with_capacity((high[0] - low[0] + 1) * (high[1] - low[1] + 1));
        for row in low[1]..=high[1] {
            let span = row * width + low[0]..=row * width + high[0];
            let pairs = indices[span.clone()].iter().zip(&self.shown[span]);
            pixels.extend(pairs.map(|(now, before)| if now == before { CLEAR } else { *now }));
        }
        let [left, top, right, bottom] = [low[0], low[1], high[0], high[1]].map(|side| side as u16);
        let mut frame =
            gif::Frame::from_indexed_pixels(right - left + 1, bottom - top + 1, pixels, Some(CLEAR));
        (frame.left, frame.top, frame.dispose) = (left, top, gif::DisposalMethod::Keep);
        Some(frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A dark picture with a bright square of 8 pixels that begins at `left`.
    fn square(left: u32) -> Pixels {
        let (width, height) = (64, 48);
        let lit =
            |place: u32| (left..left + 8).contains(&(place % width)) && (20..28).contains(&(place / width));
        let rgba = (0..width * height)
            .flat_map(|place| if lit(place) { [240, 200, 40, 255] } else { [20, 24, 30, 255] });
        Pixels { width, height, rgba: rgba.collect() }
    }

    #[test]
    fn a_film_shows_its_pictures_again() -> Result<()> {
        let pictures = [square(4), square(30), square(30), square(50)];
        let mut bytes = Vec::new();
        let mut film = GifFilm::new(&mut bytes, &pictures, 25.0)?;
        pictures.iter().try_for_each(|picture| film.push(picture))?;
        film.finish()?;

        let mut options = gif::DecodeOptions::new();
        options.set_color_output(gif::ColorOutput::RGBA);
        let mut decoder = options.read_info(bytes.as_slice())?;
        let mut canvas = vec![0_u8; 64 * 48 * 4];
        let mut delays = Vec::new();
        let mut shown = Vec::new();
        while let Some(frame) = decoder.read_next_frame()? {
            for (index, pixel) in frame.buffer.chunks_exact(4).enumerate().filter(|(_, pixel)| pixel[3] > 0) {
                let [column, row] = [index % usize::from(frame.width), index / usize::from(frame.width)];
                let at = 4 * ((row + usize::from(frame.top)) * 64 + column + usize::from(frame.left));
                canvas[at..at + 4].copy_from_slice(pixel);
            }
            delays.push(frame.delay);
            shown.push(canvas.clone());
        }
        assert_eq!(delays, [4, 8, 104], "a picture that repeats the last one prolongs it");
        for (canvas, picture) in shown.iter().zip([&pictures[0], &pictures[1], &pictures[3]]) {
            let far = canvas.iter().zip(&picture.rgba).map(|(a, b)| a.abs_diff(*b)).max();
            assert!(far <= Some(12), "a colour is off by {far:?} levels");
        }
        Ok(())
    }
}
