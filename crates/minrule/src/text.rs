//! Numbers and names as people read them.

/// A share in percent, rounded down, so that only the whole is shown as 100 %.
pub fn percent(share: f64) -> String {
    // A hundredth that is hit exactly must not fall short by the last bit.
    let hundredths = 10_000.0 * share;
    let whole = hundredths.round();
    let down = if (hundredths - whole).abs() < 1e-9 * whole && share < 1.0 {
        whole
    } else {
        hundredths.floor()
    };
    let down = if share < 1.0 { down.min(9_999.0) } else { down };
    format!("{:.2} %", down / 100.0)
}

/// "1 row", "2 rows".
pub fn count(n: usize, what: &str) -> String {
    let plural = match (n, what) {
        (1, _) => "",
        (_, "class") => "es",
        _ => "s",
    };
    format!("{n} {what}{plural}")
}

/// A text on one line, without characters that change how its neighbours are shown or speak to the
/// terminal: whatever people read of a table goes through here.
pub fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => line.extend(c.escape_default()),
            _ if is_plain(c) => line.push(c),
            _ => line.extend(c.escape_unicode()),
        }
    }
    line
}

/// Whether a character may appear verbatim in the source of a program. Control characters, and those
/// that change the direction of writing, may not.
pub(crate) fn is_plain(c: char) -> bool {
    let separates = matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}');
    let turns = matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    !(c.is_control() || separates || turns)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_line_shows_what_would_break_it() {
        assert_eq!(one_line("a\nb\r\tc"), "a\\nb\\r\\tc");
        assert_eq!(one_line("\u{202e}x\u{2028}\0é"), "\\u{202e}x\\u{2028}\\u{0}é");
    }

    #[test]
    fn percentages_round_down() {
        for (share, shown) in [
            (1.0, "100.00 %"),
            (0.999_999_9, "99.99 %"),
            (1.0 - 1e-12, "99.99 %"),
            (0.57, "57.00 %"),
            (2.0 / 3.0, "66.66 %"),
            (0.0, "0.00 %"),
        ] {
            assert_eq!(percent(share), shown);
        }
    }
}
