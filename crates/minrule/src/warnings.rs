//! What a careful reader would ask about a table before trusting rules made of it.

use std::fmt;

use crate::binarise::{Encoding, Features};
use crate::column::Column;
use crate::export::one_line;
use crate::table::Table;

/// Rows below which "a value for every row" says nothing.
const FEW_ROWS: usize = 8;

/// Something to ask about; the run goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Warning {
    /// A feature with a value of its own for every row.
    IdLike {
        /// The column.
        column: String,
        /// How many values it has.
        values: usize,
    },
    /// A class column with a label of its own for every row.
    IdLikeTarget {
        /// The column.
        column: String,
        /// How many labels it has.
        labels: usize,
    },
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Warning::IdLike { column, values } => write!(
                f,
                "column \"{0}\" has a value of its own for each of {values} rows: if it is an \
                 identifier, rules on it explain nothing; leave it out with --ignore \"{0}\"",
                one_line(column)
            ),
            Warning::IdLikeTarget { column, labels } => write!(
                f,
                "the class \"{}\" has a label of its own for each of {labels} rows: if it is \
                 not the class, name the right column with --target",
                one_line(column)
            ),
        }
    }
}

/// The questions that a table raises.
pub fn warnings(table: &Table, features: &Features) -> Vec<Warning> {
    if table.rows() < FEW_ROWS {
        return Vec::new();
    }
    let id_like = |column: &Column| column.values.len() == table.rows();
    let mut found = Vec::new();
    if id_like(&table.target) {
        let column = table.target.name.clone();
        found.push(Warning::IdLikeTarget { column, labels: table.rows() });
    }
    // A column with a value for each row has more than one, so it has features.
    for (encoded, column) in features.of_columns(table) {
        // Measurements often differ in every row, but then their intervals are what rules see.
        let as_values =
            matches!(&encoded.encoding, Encoding::Cells(cells) if cells.len() == table.rows());
        if id_like(column) && (as_values || numbers_the_rows(column)) {
            found.push(Warning::IdLike { column: column.name.clone(), values: table.rows() });
        }
    }
    found
}

/// Whether the values are consecutive integers.
fn numbers_the_rows(column: &Column) -> bool {
    let Some(numbers) = column.numbers().filter(|_| column.missing.is_none()) else { return false };
    let (low, high) =
        numbers.iter().fold((f64::MAX, f64::MIN), |(low, high), &x| (low.min(x), high.max(x)));
    numbers.iter().all(|x| x.fract() == 0.0) && high - low + 1.0 == numbers.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binarise::BinariseOptions;
    use crate::table::TableOptions;

    fn warned(value: impl Fn(usize) -> String) -> Vec<Warning> {
        let rows: String = (0..10).map(|i| format!("{},{}\n", value(i), i % 2)).collect();
        let text = format!("x,c\n{rows}");
        let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
        warnings(&table, &Features::choose(&table, &BinariseOptions::default()).unwrap())
    }

    #[test]
    fn names_and_row_numbers_are_questioned_but_measurements_are_not() {
        let id_like = vec![Warning::IdLike { column: "x".into(), values: 10 }];
        assert_eq!(warned(|i| format!("patient {i}")), id_like);
        assert_eq!(warned(|i| (i + 100).to_string()), id_like);
        assert_eq!(warned(|i| format!("{}", i as f64 * 0.37)), []);
    }
}
