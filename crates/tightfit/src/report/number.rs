//! Numbers and words as a report prints them.

/// Three significant digits; powers of ten where zeros would take over.
pub(super) fn number(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return "not finite".into();
    }
    let exponent = value.abs().log10().floor() as i32;
    if !(-3..5).contains(&exponent) {
        let text = format!("{value:.2e}");
        let (digits, power) = text.split_once('e').unwrap_or((&text, "0"));
        return format!("{}·10{}", minus(trimmed(digits)), superscript(power));
    }
    minus(trimmed(&format!("{value:.*}", (2 - exponent).max(0) as usize)))
}

/// 10 to a power.
pub(super) fn power_of_ten(power: i32) -> String {
    match power {
        0..=3 => 10_u32.pow(power as u32).to_string(),
        -3..0 => format!("{:.*}", -power as usize, 10_f64.powi(power)),
        _ => format!("10{}", superscript(&power.to_string())),
    }
}

/// With the typographic minus.
pub(super) fn minus(text: &str) -> String {
    text.replace('-', "−")
}

fn trimmed(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

fn superscript(digits: &str) -> String {
    const SIGNS: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let sign = |c: char| match c.to_digit(10) {
        Some(digit) => SIGNS.get(digit as usize).copied().unwrap_or(c),
        None if c == '-' => '⁻',
        None => c,
    };
    digits.chars().map(sign).collect()
}

/// Text that may stand in HTML.
pub(crate) fn escape(text: &str) -> String {
    let printable: String = text.chars().filter(|c| !c.is_control()).collect();
    printable.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_three_digits() {
        let cases = [
            (0.0, "0"),
            (12.345, "12.3"),
            (-0.5, "−0.5"),
            (1234.0, "1234"),
            (0.001234, "0.00123"),
            (1.5e-9, "1.5·10⁻⁹"),
            (-2.0e7, "−2·10⁷"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
        assert_eq!([-4, -2, 0, 3].map(power_of_ten), ["10⁻⁴", "0.01", "1", "1000"]);
    }
}
