//! Films of a run: the page is taken to one instant after another and drawn.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, bail};

use super::gif_film::GifFilm;
use super::headless_browser::HeadlessBrowser;
use super::pixels::Pixels;

/// Pictures that choose the colours of a GIF.
const SAMPLES: usize = 6;

/// Instants that a film shows [s].
pub(super) fn instants([from, to]: [f64; 2], speed: f64, rate: f64) -> Vec<f64> {
    let count = ((to - from) / speed * rate).round().max(1.0) as usize;
    (0..=count).map(|index| from + (to - from) * index as f64 / count as f64).collect()
}

/// Checks that MP4 can be encoded.
///
/// # Errors
/// With the remedy.
pub(super) fn check_encoder() -> Result<()> {
    let mut command = Command::new("ffmpeg");
    command.arg("-version").stdout(Stdio::null()).stderr(Stdio::null());
    if !command.status().is_ok_and(|status| status.success()) {
        bail!(
            "films as .mp4 are encoded by ffmpeg, which was not found; install `ffmpeg`, or write .gif instead"
        );
    }
    Ok(())
}

/// Writes a GIF of the page at these instants; `progress` hears the share that is done.
pub(super) fn write_gif(
    browser: &mut HeadlessBrowser,
    times: &[f64],
    rate: f64,
    out: &Path,
    progress: &mut dyn FnMut(f64),
) -> Result<()> {
    let picks = (0..SAMPLES).map(|index| times[index * (times.len() - 1) / (SAMPLES - 1)]);
    let samples =
        picks.map(|time| Pixels::of_png(&picture_at(browser, time)?)).collect::<Result<Vec<_>>>()?;
    let file = File::create(out).with_context(|| format!("cannot write {}", out.display()))?;
    let mut film = GifFilm::new(BufWriter::new(file), &samples, rate)?;
    for (index, time) in times.iter().enumerate() {
        film.push(&Pixels::of_png(&picture_at(browser, *time)?)?)?;
        progress((index + 1) as f64 / times.len() as f64);
    }
    film.finish()
}

/// Pipes the page at these instants through ffmpeg, which chooses the codec.
pub(super) fn write_mp4(
    browser: &mut HeadlessBrowser,
    times: &[f64],
    rate: f64,
    out: &Path,
    progress: &mut dyn FnMut(f64),
) -> Result<()> {
    let mut encoder = Command::new("ffmpeg")
        .args([
            "-y",
            "-loglevel",
            "error",
            "-f",
            "image2pipe",
            "-c:v",
            "png",
            "-framerate",
            &rate.to_string(),
        ])
        // the usual pixel format has one colour per four pixels, so sides must be even
        .args([
            "-i",
            "-",
            "-vf",
            "pad=ceil(iw/2)*2:ceil(ih/2)*2",
            "-pix_fmt",
            "yuv420p",
            "-movflags",
            "+faststart",
        ])
        .arg(out)
        .stdin(Stdio::piped())
        .spawn()
        .context("ffmpeg could not be started")?;
    let mut pipe = encoder.stdin.take().context("ffmpeg has no input")?;
    for (index, time) in times.iter().enumerate() {
        pipe.write_all(&picture_at(browser, *time)?).context("ffmpeg stopped reading")?;
        progress((index + 1) as f64 / times.len() as f64);
    }
    drop(pipe);
    let status = encoder.wait()?;
    if !status.success() {
        bail!("ffmpeg ended with {status}");
    }
    Ok(())
}

fn picture_at(browser: &mut HeadlessBrowser, time: f64) -> Result<Vec<u8>> {
    browser.evaluate(&format!("window.tightfit[0].draw({time})"))?;
    browser.picture()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_film_has_both_ends_and_its_rate() {
        let times = instants([1.0, 3.0], 0.5, 25.0);
        assert_eq!((times.len(), times[0], times[100]), (101, 1.0, 3.0));
        assert!((times[1] - times[0] - 0.02).abs() < 1e-12);
        assert_eq!(instants([0.0, 0.0], 1.0, 25.0), [0.0, 0.0]);
    }
}
