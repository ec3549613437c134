//! Lists of numbers in options and files. A cell that is not a number is an error with its place; skipping it would shift the
//! numbers after it.

use std::str::FromStr;

/// A kind of number that a list may hold.
pub(crate) trait Number: FromStr {
    /// In an error.
    const NAME: &'static str;
}

impl Number for f64 {
    const NAME: &'static str = "number";
}

impl Number for usize {
    const NAME: &'static str = "whole number";
}

/// The numbers between separators.
///
/// # Errors
/// With the first cell that is none, and its place from 1.
pub(crate) fn numbers<T: Number>(text: &str, separator: char) -> Result<Vec<T>, String> {
    let number = |(place, cell): (usize, &str)| {
        let wrong = |_| format!("`{}` in place {} is no {}", cell.trim(), place + 1, T::NAME);
        cell.trim().parse().map_err(wrong)
    };
    text.split(separator).enumerate().map(number).collect()
}

/// The number of an option, if it is within a range.
///
/// # Errors
/// With the option, the number and the range; a number that is not finite lies in none.
pub(crate) fn within(option: &str, number: f64, least: f64, most: f64) -> anyhow::Result<f64> {
    if !(least..=most).contains(&number) {
        anyhow::bail!("{option} is {number}; allowed: {least} to {most}");
    }
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_that_is_no_number_is_named_with_its_place() {
        assert_eq!(numbers::<f64>(" 5, 0.5", ','), Ok(vec![5.0, 0.5]));
        assert_eq!(numbers::<f64>("5,abc,0.5", ','), Err("`abc` in place 2 is no number".into()));
        assert_eq!(numbers::<usize>("3-6.5-1", '-'), Err("`6.5` in place 2 is no whole number".into()));
        assert_eq!(numbers::<f64>("5,", ','), Err("`` in place 2 is no number".into()));
    }

    #[test]
    fn what_is_not_finite_lies_in_no_range() {
        assert!(within("--width", 2.0, 0.0, 2.0).is_ok());
        for number in [f64::NAN, f64::INFINITY, -1e-300] {
            assert!(within("--width", number, 0.0, f64::MAX).is_err(), "{number}");
        }
    }
}
