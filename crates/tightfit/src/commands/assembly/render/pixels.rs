//! A picture as its pixels.

use anyhow::{Context, Result, bail};

/// Pixels by rows, four bytes each.
#[derive(Clone, Debug)]
pub(super) struct Pixels {
    pub(super) width: u32,
    pub(super) height: u32,
    pub(super) rgba: Vec<u8>,
}

impl Pixels {
    /// Reads a PNG file of eight bits per colour.
    pub(super) fn of_png(bytes: &[u8]) -> Result<Self> {
        let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
        decoder
            .set_transformations(png::Transformations::normalize_to_color8() | png::Transformations::ALPHA);
        let mut reader = decoder.read_info().context("the picture is not a PNG file")?;
        let mut rgba = vec![0; reader.output_buffer_size().context("the picture is too large")?];
        let info = reader.next_frame(&mut rgba).context("the picture is cut short")?;
        if info.color_type != png::ColorType::Rgba {
            bail!("the picture has colours of kind {:?}; expected RGBA", info.color_type);
        }
        rgba.truncate(info.buffer_size());
        Ok(Self { width: info.width, height: info.height, rgba })
    }
}
