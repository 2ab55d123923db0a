//! A value from each cell of a column: all that conditions can tell apart.

use crate::data::binarise::{Cell, EncodedColumn, Encoding};
use crate::data::condition::Field;
use crate::data::kind::Kind;

/// A value that stands for a cell.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sample {
    /// As it would stand in a table.
    pub(crate) text: String,
    /// As people read it.
    pub(crate) words: String,
}

impl Sample {
    /// A value that occurs in a table, or a missing one.
    pub(crate) fn occurring(value: &Option<String>, kind: Kind) -> Sample {
        value.as_ref().map_or_else(Sample::missing, |text| Sample::text(text, kind))
    }

    /// A value as it stands in a table; a number that people read as something else is shown so.
    fn text(text: &str, kind: Kind) -> Sample {
        match text.parse() {
            Ok(x) if kind.is_temporal() => Sample::number(x, kind),
            _ => Sample::new(text),
        }
    }

    fn missing() -> Sample {
        Sample { text: String::new(), words: "(missing)".to_string() }
    }

    fn new(text: impl ToString) -> Sample {
        Sample { text: text.to_string(), words: text.to_string() }
    }

    /// A number, which conditions see as such and people as what it stands for.
    fn number(x: f64, kind: Kind) -> Sample {
        Sample { text: x.to_string(), words: kind.shown(x) }
    }

    pub(crate) fn field(&self, numeric: bool) -> Field<'_> {
        Field::new(self.text.as_bytes(), numeric)
    }
}

/// A value from each cell.
pub(crate) fn samples(column: &EncodedColumn) -> Vec<Sample> {
    let sample = |cell: &Cell| match cell {
        Cell::Missing => Sample::missing(),
        Cell::Present => Sample { text: "any".into(), words: "(any value)".into() },
        Cell::Value(text) => Sample::text(text, column.kind),
        Cell::AtMost(t) => Sample::number(*t, column.kind),
        Cell::Between(_, high) => Sample::number(*high, column.kind),
        Cell::Above(t) => Sample::number(above(*t), column.kind),
    };
    match &column.encoding {
        Encoding::Cells(cells) => cells.iter().map(sample).collect(),
        Encoding::Frequent { values, missing: some_missing } => {
            let some = some_missing.then(Sample::missing);
            values.iter().map(Sample::new).chain([other(values)]).chain(some).collect()
        }
        Encoding::Thresholds { cuts, missing: some_missing } => {
            let number = |x: f64| Sample::number(x, column.kind);
            let last = cuts.last().map(|&last| number(above(last)));
            let some = some_missing.then(Sample::missing);
            cuts.iter().copied().map(number).chain(last).chain(some).collect()
        }
    }
}

/// A value that is none of these.
fn other(values: &[String]) -> Sample {
    let mut text = "other".to_string();
    while values.contains(&text) {
        text.push('?');
    }
    Sample { text, words: "(any other value)".to_string() }
}

/// A readable number above another.
fn above(t: f64) -> f64 {
    let next = t.floor() + 1.0;
    if next > t { next } else { t.next_up() }
}
