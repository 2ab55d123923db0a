//! What a careful reader would ask about a table before trusting rules made of it.

use std::fmt;

use crate::data::binarise::{Encoding, Features, WideColumn};
use crate::data::column::Column;
use crate::data::notation::{Notation, Recognised, Signed};
use crate::data::spelling::{Decimal, Spelling};
use crate::data::table::Table;
use crate::names::{Names, PlainNames, Setting};
use crate::text::{count, one_line};

/// Rows below which "a value for every row" says nothing.
const FEW_ROWS: usize = 8;
/// Texts in a column of numbers that may be slips; more are meant.
const FEW_TEXTS: usize = 3;
/// Different numbers that make a column of numbers in spite of them.
const MANY_NUMBERS: usize = 5;

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
    /// A feature with so many names that some, or all, have no conditions of their own.
    Wide(WideColumn),
    /// A class column with a label of its own for every row.
    IdLikeTarget {
        /// The column.
        column: String,
        /// How many labels it has.
        labels: usize,
    },
    /// A column of numbers, but for a few texts that make names of them all.
    NearlyNumeric {
        /// The column.
        column: String,
        /// The texts.
        texts: Vec<String>,
        /// The rows that have one.
        rows: usize,
        /// How many values the column has, each a category now.
        values: usize,
    },
    /// A column of numbers whose decimals follow a comma, which makes names of them all.
    DecimalComma {
        /// The column.
        column: String,
        /// One of them.
        example: String,
    },
    /// A column of numbers that are not all written alike, which makes names of them all.
    WrittenUnlike {
        /// The column.
        column: String,
        /// Two of them.
        examples: [String; 2],
    },
    /// Marks between thousands that could be decimal commas.
    DoubtfulComma {
        /// The column.
        column: String,
        /// A number with one.
        example: String,
    },
    /// Texts that count as missing, because the column is said to hold numbers.
    TakenForMissing {
        /// The column.
        column: String,
        /// The texts.
        texts: Vec<String>,
    },
    /// Column names that are numbers: is the first line a row?
    NumbersForNames {
        /// The first of them.
        name: String,
    },
    /// A column name that goes on after its closing quote.
    HalfQuotedName {
        /// As it was read.
        name: String,
    },
    /// Column names that hold another separator more often than there are columns.
    OtherSeparator {
        /// One of them.
        name: String,
        /// That separator.
        separator: char,
    },
}

impl Warning {
    /// The question, with settings called by these names.
    pub fn words(&self, names: &dyn Names) -> String {
        let set = |setting, text: &str| names.list(setting, &[text.to_string()]);
        match self {
            Warning::IdLike { column, values } => format!(
                "column \"{}\" has a value of its own for each of {values} rows: if it is an identifier, \
                 rules on it explain nothing; leave it out with {}",
                one_line(column),
                set(Setting::Ignore, column)
            ),
            Warning::Wide(WideColumn { name, values, kept: 0 }) => format!(
                "column \"{}\" has {values} values, none of them in two rows, and is left out: if it is no \
                 identifier, set {} to {values}",
                one_line(name),
                names.setting(Setting::MaxValues)
            ),
            Warning::Wide(WideColumn { name, values, kept }) => format!(
                "column \"{}\" has {values} values, of which rules test only the {kept} most frequent: for \
                 more, set {}; or leave it out with {}",
                one_line(name),
                names.setting(Setting::MaxValues),
                set(Setting::Ignore, name)
            ),
            Warning::IdLikeTarget { column, labels } => format!(
                "the class \"{}\" has a label of its own for each of {labels} rows: if it is not the class, \
                 name the right column with {}",
                one_line(column),
                names.setting(Setting::Target)
            ),
            Warning::NearlyNumeric { column, texts, rows, values } => format!(
                "column \"{}\" holds numbers except {} in {}, which makes each of its {values} values a \
                 category: if that stands for a missing value, say so with {} or {}; if not, {}",
                one_line(column),
                quoted(texts),
                count(*rows, "row"),
                names.list(Setting::MissingValues, texts),
                set(Setting::NumericColumns, column),
                set(Setting::Categorical, column)
            ),
            Warning::DecimalComma { column, example } => format!(
                "column \"{}\" holds texts such as \"{}\", each a category: if these are numbers with a \
                 decimal comma, say so with {}; if not, {}",
                one_line(column),
                one_line(example),
                names.value(Setting::Decimal, ","),
                set(Setting::Categorical, column)
            ),
            Warning::WrittenUnlike { column, examples: [one, other] } => format!(
                "column \"{}\" holds numbers or times that are not written alike, such as \"{}\" and \"{}\", each a \
                 category: write them all with the same sign and the same mark between thousands, or times all with \
                 an offset from UTC or all without; if numbers without a sign mean the same, say so with {}; if \
                 they are no numbers, {}",
                one_line(column),
                one_line(one),
                one_line(other),
                set(Setting::NumericColumns, column),
                set(Setting::Categorical, column)
            ),
            Warning::DoubtfulComma { column, example } => format!(
                "column \"{}\": the commas of numbers such as \"{}\" were taken for marks between thousands: \
                 if decimals follow them, say so with {}; if these are no numbers, {}",
                one_line(column),
                one_line(example),
                names.value(Setting::Decimal, ","),
                set(Setting::Categorical, column)
            ),
            Warning::TakenForMissing { column, texts } => format!(
                "column \"{}\": {} {} no number and {} as missing, as {} asks",
                one_line(column),
                quoted(texts),
                if texts.len() == 1 { "is" } else { "are" },
                if texts.len() == 1 { "counts" } else { "count" },
                names.setting(Setting::NumericColumns)
            ),
            Warning::NumbersForNames { name } => format!(
                "most column names are numbers, such as \"{}\": if the first line is a row, put a line of \
                 column names above it",
                one_line(name)
            ),
            Warning::HalfQuotedName { name } => format!(
                "the column name \"{}\" is only partly in quotes in the file, and was read without them",
                one_line(name)
            ),
            Warning::OtherSeparator { name, separator } => format!(
                "the column name \"{}\" holds '{}' more often than there are columns: if that separates \
                 fields, say so with {}",
                one_line(name),
                one_line(&separator.to_string()),
                names.setting(Setting::Separator)
            ),
        }
    }
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words(&PlainNames))
    }
}

/// Some of these texts, in quotes.
fn quoted(texts: &[String]) -> String {
    let shown: Vec<String> =
        texts.iter().take(FEW_TEXTS).map(|text| format!("\"{}\"", one_line(text))).collect();
    match texts.len().saturating_sub(FEW_TEXTS) {
        0 => shown.join(" and "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The questions that a table raises.
pub fn warnings(table: &Table, features: &Features) -> Vec<Warning> {
    let half_quoted = table.half_quoted_name.clone().map(|name| Warning::HalfQuotedName { name });
    let mut found: Vec<Warning> = half_quoted.into_iter().chain(names(table)).collect();
    for column in table.features.iter().filter(|column| !column.strays().is_empty()) {
        let texts = column.strays().to_vec();
        found.push(Warning::TakenForMissing { column: column.name.clone(), texts });
    }
    found.extend(features.wide.iter().cloned().map(Warning::Wide));
    let doubtful = |column: &Column| {
        let example = column.doubtful()?.to_string();
        Some(Warning::DoubtfulComma { column: column.name.clone(), example })
    };
    found.extend(table.features.iter().filter_map(doubtful));
    if table.rows() < FEW_ROWS {
        return found;
    }
    found.extend(table.features.iter().filter_map(nearly_numeric));
    let id_like = |column: &Column| column.values.len() == table.rows();
    if id_like(&table.target) {
        let column = table.target.name.clone();
        found.push(Warning::IdLikeTarget { column, labels: table.rows() });
    }
    // A column with a value for each row has more than one, so it has features.
    for (encoded, column) in features.of_columns(table) {
        // Measurements often differ in every row, but then their intervals are what rules see.
        let as_values =
            matches!(&encoded.encoding, Encoding::Cells(cells) if cells.len() == table.rows());
        let questioned = nearly_numeric(column).is_some();
        if id_like(column) && !questioned && (as_values || numbers_the_rows(column)) {
            found.push(Warning::IdLike { column: column.name.clone(), values: table.rows() });
        }
    }
    found
}

/// Whether the first line can be meant as names.
fn names(table: &Table) -> Option<Warning> {
    let names: Vec<&str> =
        table.features.iter().chain([&table.target]).map(|column| column.name.as_str()).collect();
    for separator in [';', '\t', '|'] {
        let held: usize = names.iter().map(|name| name.matches(separator).count()).sum();
        if held >= names.len()
            && let Some(name) = names.iter().find(|name| name.contains(separator))
        {
            return Some(Warning::OtherSeparator { name: name.to_string(), separator });
        }
    }
    let numbers: Vec<f64> = names.iter().filter_map(|name| name.parse().ok()).collect();
    // Columns that are just counted, or called by years, are named well enough.
    let counted = numbers.windows(2).all(|pair| pair[1] == pair[0] + 1.0);
    if counted || 2 * numbers.len() <= names.len() {
        return None;
    }
    let name = names.iter().find(|name| name.parse::<f64>().is_ok())?;
    Some(Warning::NumbersForNames { name: name.to_string() })
}

/// What kept a column of numbers from being read as such, if anything seems to.
fn nearly_numeric(column: &Column) -> Option<Warning> {
    if column.is_nominal() || column.numbers().is_some() {
        return None;
    }
    let present = |code: &u32| column.missing != Some(*code);
    let codes = (0..column.values.len() as u32).filter(present);
    let texts = codes.clone().map(|code| column.values.get(code));
    if let Recognised::Unlike(one, other) = Recognised::of(texts, Decimal::Point) {
        return Some(Warning::WrittenUnlike { column: column.name.clone(), examples: [one, other] });
    }
    let is_number = |text: &str, decimal| {
        let spelling = Spelling { decimal, ..Spelling::default() };
        spelling.number(text.as_bytes()).is_some() || Signed::new(text, decimal).is_some()
    };
    let (mut numbers, mut commas) = (0, 0);
    let mut others: Vec<u32> = Vec::new();
    for code in codes {
        let text = column.values.get(code);
        if is_number(text, Decimal::Point) {
            numbers += 1;
        } else if is_number(text, Decimal::Comma) {
            commas += 1;
        } else {
            others.push(code);
        }
        if others.len() > FEW_TEXTS {
            return None;
        }
    }
    let name = column.name.clone();
    if commas > others.len() && commas + numbers >= MANY_NUMBERS {
        let is_comma = |text: &&str| !is_number(text, Decimal::Point) && is_number(text, Decimal::Comma);
        let example = column.values.iter().find(is_comma);
        return Some(Warning::DecimalComma { column: name, example: example?.to_string() });
    }
    if numbers < MANY_NUMBERS || commas > 0 {
        return None;
    }
    Some(Warning::NearlyNumeric {
        column: name,
        rows: column.codes.iter().filter(|code| others.contains(code)).count(),
        texts: others.iter().map(|&code| column.values.get(code).to_string()).collect(),
        values: column.values.len(),
    })
}

/// Whether the values are consecutive integers.
fn numbers_the_rows(column: &Column) -> bool {
    // A table with a row for each day is not numbered by its days.
    let counts = column.missing.is_none() && column.notation().is_none_or(Notation::takes_plain_numbers);
    let Some(numbers) = column.numbers().filter(|_| counts) else { return false };
    let (low, high) =
        numbers.iter().fold((f64::MAX, f64::MIN), |(low, high), &x| (low.min(x), high.max(x)));
    numbers.iter().all(|x| x.fract() == 0.0) && high - low + 1.0 == numbers.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::binarise::BinariseOptions;
    use crate::data::table::TableOptions;

    fn warned(value: impl Fn(usize) -> String) -> Vec<Warning> {
        let rows: String = (0..10).map(|i| format!("{},{}\n", value(i), i % 2)).collect();
        let text = format!("x,c\n{rows}");
        let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
        warnings(&table, &Features::choose(&table, &BinariseOptions::default()).unwrap())
    }

    #[test]
    fn a_slip_in_a_column_of_numbers_is_named_with_its_remedy() {
        let with = |text: &'static str| {
            warned(move |i| if i == 4 { text.to_string() } else { format!("{}", i as f64 * 0.37) })
        };
        let [warning] = &with("n/a")[..] else { panic!("one warning") };
        let words = warning.to_string();
        assert!(words.contains("except \"n/a\" in 1 row"), "{words}");
        assert!(words.contains("missing_values = [\"n/a\"]"), "{words}");
        assert_eq!(with("NA"), []);
        assert_eq!(warned(|i| ["low", "high", "2", "3"][i % 4].to_string()), []);
        let comma = warned(|i| format!("\"{i},5\""));
        assert!(matches!(&comma[..], [Warning::DecimalComma { .. }, ..]), "{comma:?}");
        let euros = warned(|i| format!("\"{i}.200,50 €\""));
        assert!(matches!(&euros[..], [Warning::DecimalComma { .. }, ..]), "{euros:?}");
    }

    #[test]
    fn numbers_with_signs_are_questioned_where_they_are_not_alike_or_not_clear() {
        assert_eq!(warned(|i| format!("{} %", i * i)), []);
        let unlike = warned(|i| if i == 4 { "4".to_string() } else { format!("{} %", i * i) });
        let examples = ["0 %".to_string(), "4".to_string()];
        assert_eq!(unlike, [Warning::WrittenUnlike { column: "x".into(), examples }]);
        let doubtful = warned(|i| format!("\"{},000\"", i * i + 1));
        let example = "1,000".to_string();
        assert_eq!(doubtful, [Warning::DoubtfulComma { column: "x".into(), example }]);
        assert_eq!(warned(|i| format!("\"{},000.5\"", i * i + 1)), []);
        let slip = warned(|i| if i == 4 { "none".into() } else { format!("${}", i * i) });
        assert!(matches!(&slip[..], [Warning::NearlyNumeric { .. }]), "{slip:?}");
    }

    #[test]
    fn names_that_are_numbers_or_hold_separators_are_questioned() {
        let read = |text: &str| {
            let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
            warnings(&table, &Features::choose(&table, &BinariseOptions::default()).unwrap())
        };
        assert!(matches!(&read("5.1,3.5,a\n1,2,a\n2,1,b\n")[..], [Warning::NumbersForNames { .. }]));
        assert_eq!(read("0,1,2,class\n1,2,1,a\n2,1,1,b\n"), []);
        assert_eq!(read("2019,2020,class\n1,2,a\n2,1,b\n"), []);
        let name = "a(1..2]".to_string();
        assert_eq!(read("\"a\"(1..2],class\n1,a\n2,b\n"), [Warning::HalfQuotedName { name }]);
        let other = read("a;b;c (x,y);d\n1,2\n2,3\n");
        assert!(matches!(&other[..], [Warning::OtherSeparator { separator: ';', .. }]), "{other:?}");
    }

    #[test]
    fn names_and_row_numbers_are_questioned_but_measurements_are_not() {
        let id_like = vec![Warning::IdLike { column: "x".into(), values: 10 }];
        assert_eq!(warned(|i| format!("patient {i}")), id_like);
        assert_eq!(warned(|i| (i + 100).to_string()), id_like);
        assert_eq!(warned(|i| format!("{}", i as f64 * 0.37)), []);
    }
}
