//! Numbers and names in the words of the page.

use crate::data::wording::{Phrase, Token};
use crate::text::count as counted;

/// A number with its digits in groups of three.
pub(super) fn number(n: u64) -> String {
    let digits = n.to_string();
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// A number of rows that need not be whole, to a millionth.
pub(super) fn in_rows(rows: f64) -> String {
    let millionths = (rows * 1e6).round();
    let (whole, rest) = ((millionths / 1e6).trunc() as u64, (millionths % 1e6) as u64);
    let digits = format!("{rest:06}");
    match digits.trim_end_matches('0') {
        "" => number(whole),
        digits => format!("{}.{digits}", number(whole)),
    }
}

/// "1 row", "2,000 rows".
pub(super) fn count(n: u64, what: &str) -> String {
    // Whatever comes after the number depends only on whether it is one.
    let words = counted(if n == 1 { 1 } else { 2 }, what);
    let (_, name) = words.split_once(' ').unwrap_or_default();
    format!("{} {name}", number(n))
}

/// A share, rounded down: never 100 unless it is all, and never 0 unless it is nothing.
pub(super) fn percent(part: u64, whole: u64) -> String {
    let tenths = u128::from(part) * 1000 / u128::from(whole.max(1));
    match (tenths / 10, tenths % 10) {
        (0, 0) if part > 0 => "< 0.1 %".to_string(),
        (ones, 0) => format!("{ones} %"),
        (ones, tenth) => format!("{ones}.{tenth} %"),
    }
}

/// A difference of shares, in hundredths, to a tenth of one.
pub(super) fn points(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}

/// A phrase in pieces: what stands before the name of its column, the name, what stands before the next, ...
pub(super) fn pieces(phrase: &Phrase) -> Vec<String> {
    let mut pieces = vec![String::new()];
    for (blank, token) in phrase.spaced(|token| token) {
        let text = match token.text() {
            "<=" => "≤",
            ">=" => "≥",
            "!=" => "≠",
            text => text,
        };
        let last = pieces.last_mut().expect("there is one from the start");
        last.push_str(blank);
        match token {
            Token::Name(name) => pieces.extend([name.clone(), String::new()]),
            _ => last.push_str(text),
        }
    }
    pieces
}

/// "yes or no"; of many names only the first ones.
pub(super) fn any_of(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [name] => (*name).to_string(),
        [first @ .., last] if names.len() <= 5 => format!("{} or {last}", first.join(", ")),
        _ => {
            let all = number(names.len() as u64);
            format!("{} or another of {all} classes", names[..4].join(", "))
        }
    }
}

/// Names one after another, of many only the first ones.
pub(super) fn some_of(names: &[&str], most: usize) -> String {
    let rest = names.len().saturating_sub(most);
    let shown = names[..names.len() - rest].join(", ");
    if rest == 0 { shown } else { format!("{shown} and {} more", number(rest as u64)) }
}

/// The last part of a path, whichever way it is written.
pub(super) fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_can_be_read() {
        assert_eq!([0, 999, 1_000, 1_234_567].map(number), ["0", "999", "1,000", "1,234,567"]);
        assert_eq!([1, 2_000].map(|n| count(n, "class")), ["1 class", "2,000 classes"]);
        assert_eq!([0.0, 26.0, 0.3, 1_234.050_000_4].map(in_rows), ["0", "26", "0.3", "1,234.05"]);
        assert_eq!(any_of(&["a", "b", "c"]), "a, b or c");
        assert_eq!(any_of(&["a"; 7]), "a, a, a, a or another of 7 classes");
        assert_eq!(some_of(&["a", "b", "c"], 2), "a, b and 1 more");
    }

    #[test]
    fn shares_are_rounded_down() {
        assert_eq!(percent(9_999_999, 10_000_000), "99.9 %");
        assert_eq!(percent(159, 160), "99.3 %");
        assert_eq!(percent(160, 160), "100 %");
        assert_eq!(percent(1, 10_000), "< 0.1 %");
        assert_eq!(percent(0, 0), "0 %");
        assert_eq!(percent(29, 100), "29 %");
    }
}
