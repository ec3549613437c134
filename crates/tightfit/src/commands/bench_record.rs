//! What every bench says of the machine and its conditions, and the CSV files that results are kept in.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tightfit::spatial::VectorWidth;

/// Where results go that are given no file, below the folder that the program runs in: one folder per processor.
const FOLDER: &str = "experiments/speed/results";

/// Processor, cores and registers, in words.
pub(super) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores, {:?}", processor(), VectorWidth::current())
}

/// How busy the machine is, in words: the load average of the last minute where the system tells.
pub(super) fn conditions() -> String {
    let text = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    text.split_whitespace().next().map_or("load unknown".into(), |load| format!("load average {load}"))
}

/// The value that a share of all does not exceed.
pub(super) fn quantile(mut values: Vec<f64>, share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(((values.len().max(1) - 1) as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}

/// Appends rows to a CSV file, with machine and conditions in their last two columns; a new file begins with the names.
/// Without a file it goes to the place of this machine.
pub(super) fn append_csv(
    file: Option<&Path>,
    bench: &str,
    names: &[&str],
    rows: &[Vec<String>],
) -> Result<PathBuf> {
    let usual = || Path::new(FOLDER).join(folder_name(&processor())).join(format!("{bench}.csv"));
    let path = file.map_or_else(usual, Path::to_path_buf);
    let failed = || format!("cannot append to {}; name another file: --csv FILE", path.display());
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).with_context(failed)?;
    }
    let header = format!("{},machine,conditions", names.join(","));
    let is_new = !path.exists();
    if !is_new && std::fs::read_to_string(&path).with_context(failed)?.lines().next() != Some(&header) {
        bail!("{} has other columns than {header}; name another file: --csv FILE", path.display());
    }
    let mut out = OpenOptions::new().create(true).append(true).open(&path).with_context(failed)?;
    let tail = [quoted(&machine()), quoted(&conditions())];
    let mut text = String::new();
    if is_new {
        text += &(header + "\n");
    }
    for row in rows {
        let cells: Vec<String> = row.iter().map(|cell| quoted(cell)).chain(tail.iter().cloned()).collect();
        text += &(cells.join(",") + "\n");
    }
    out.write_all(text.as_bytes()).with_context(failed)?;
    Ok(path)
}

fn processor() -> String {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or(std::env::consts::ARCH, |(_, name)| name).to_string()
}

/// Letters and digits in lower case, anything else a single hyphen.
fn folder_name(text: &str) -> String {
    let words = text.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    words.collect::<Vec<_>>().join("-").to_lowercase()
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.into() }
}
