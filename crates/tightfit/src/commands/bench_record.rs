//! What every bench says of the machine and its conditions, and the CSV files that results are kept in.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use tightfit::spatial::InstructionSet;

/// Where results go that are given no file, below the folder that the program runs in: one folder per processor.
const FOLDER: &str = "experiments/speed/results";

/// Processor, cores and registers, in words.
pub(super) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    format!("{}, {cores} cores, {:?}", processor(), InstructionSet::current())
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
    let before =
        if path.exists() { std::fs::read_to_string(&path).with_context(failed)? } else { String::new() };
    if before.lines().next().is_some_and(|own| own != header) {
        bail!("{} has other columns than {header}; name another file: --csv FILE", path.display());
    }
    let mut out = OpenOptions::new().create(true).append(true).open(&path).with_context(failed)?;
    let tail = [quoted(&machine()), quoted(&conditions())];
    let mut text = String::new();
    if before.is_empty() {
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_added_under_their_own_columns_alone() -> Result<()> {
        let path = std::env::temp_dir().join(format!("tightfit-bench-{}.csv", std::process::id()));
        std::fs::write(&path, "")?;
        let row = || [vec!["1".to_string(), "2".to_string()]];
        append_csv(Some(&path), "any", &["a", "b"], &row())?;
        append_csv(Some(&path), "any", &["a", "b"], &row())?;
        let said = append_csv(Some(&path), "any", &["a", "c"], &row());
        let text = std::fs::read_to_string(&path)?;
        std::fs::remove_file(&path)?;
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(text.starts_with("a,b,machine,conditions\n1,2,"), "{text}");
        assert!(said.is_err_and(|error| error.to_string().contains("--csv FILE")));
        Ok(())
    }
}
