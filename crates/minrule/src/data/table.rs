//! A table as the person wrote it: named columns of text, one of which is the class.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use hashbrown::HashMap;
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::data::column::Column;
use crate::data::read::parse;
use crate::data::spelling::Spelling;
use crate::error::{Error, Result};
use crate::limits::Limits;
use crate::names::choices;

/// What to do about missing values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Missing {
    /// They are a value of their own.
    #[default]
    Value,
    /// Rows that have one are left out.
    DropRows,
    /// They are an error.
    Error,
}

choices!(Missing {
    Value = "value": "Missing is a value of its own",
    DropRows = "drop-rows": "Leave out rows with missing values",
    Error = "error": "Refuse tables with missing values",
});

/// How to read a table.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct TableOptions {
    /// Between two fields.
    pub separator: u8,
    /// The class column; the last one when `None`.
    pub target: Option<String>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// What to do about missing values.
    pub missing: Missing,
    /// How values are written.
    pub spelling: Spelling,
    /// Whether columns of numbers that are not written plainly are recognised; if not, only those that the
    /// spelling knows are read so.
    pub recognise: bool,
    /// Within what the table is read and made into examples. A small file can hold a large table, or
    /// one field without end.
    #[serde(skip)]
    pub limits: Limits,
}

impl Default for TableOptions {
    fn default() -> Self {
        TableOptions {
            separator: b',',
            target: None,
            ignore: Vec::new(),
            missing: Missing::Value,
            spelling: Spelling::default(),
            recognise: true,
            limits: Limits::default(),
        }
    }
}

/// A table that has been read and found well-formed.
#[derive(Debug, Clone, serde::Serialize, serde::Deserialize)]
pub struct Table {
    /// Where it came from, for messages and provenance.
    pub name: String,
    /// SHA-256 of the bytes as they were read (compressed bytes if it was compressed). A table in memory has
    /// none; a [`Problem`](crate::Problem) knows it by its examples.
    pub sha256: String,
    /// The columns that rules may test.
    pub features: Vec<Column>,
    /// The class of each row.
    pub target: Column,
    /// What each row counts for; every row once when `None`.
    pub weights: Option<Vec<u64>>,
    /// A column name that is only partly in quotes in the file, if there is one.
    pub(crate) half_quoted_name: Option<String>,
    /// Rows left out for a missing value.
    pub rows_left_out: usize,
    /// How it was read, its spelling as recognised. The limits also apply to everything derived from it.
    pub options: TableOptions,
}

impl Table {
    /// A table of columns that nobody has looked at.
    pub(crate) fn of(
        name: String,
        features: Vec<Column>,
        target: Column,
        options: &TableOptions,
    ) -> Table {
        let mut options = options.clone();
        let written = |column: &Column| Some((column.name.clone(), column.notation()?.clone()));
        options.spelling.notations.extend(features.iter().filter_map(written));
        Table {
            name,
            sha256: String::new(),
            features,
            target,
            weights: None,
            half_quoted_name: None,
            rows_left_out: 0,
            options,
        }
    }

    /// Reads a file of CSV or JSON lines, which may be gzipped. JSON lines are known by the file's name
    /// (`.jsonl`, `.ndjson`) or by their first object. With the feature `columnar`, Parquet and Arrow files (also called
    /// Feather) are read, too; they are known by their first bytes.
    pub fn read(path: &Path, options: &TableOptions) -> Result<Table> {
        let place = path.display().to_string();
        if path.is_dir() {
            return Err(Error::IsFolder { place });
        }
        let file = File::open(path).map_err(|cause| Error::Read { place: place.clone(), cause })?;
        Table::from_reader(file, &place, options)
    }

    /// Reads what [`read`](Table::read) reads from anywhere; `place` names it in messages.
    pub fn from_reader(reader: impl Read, place: &str, options: &TableOptions) -> Result<Table> {
        options.spelling.check()?;
        let mut hashing = HashingReader { inner: reader, sha256: Sha256::new() };
        let mut table = parse(BufReader::with_capacity(1 << 16, &mut hashing), place, options)?;
        table.sha256 = hexadecimal(hashing.sha256);
        Ok(table)
    }

    /// A table from columns in memory, all with the same number of rows. The weight of a row says how
    /// often it counts; rows of weight zero are left out. Only the options about values and limits are
    /// used.
    pub fn from_columns(
        name: &str,
        features: Vec<Column>,
        target: Column,
        weights: Option<Vec<u64>>,
        options: &TableOptions,
    ) -> Result<Table> {
        options.spelling.check()?;
        let spelled =
            |column: Column| options.spelling.spelled(column.with_missing(), options.recognise);
        let features = features.into_par_iter().map(spelled).collect();
        let missing = options.missing;
        let table = Table { weights, ..Table::of(name.to_string(), features, target, options) };
        let names: Vec<String> = table.features.iter().map(|column| column.name.clone()).collect();
        if let Some(name) = options.spelling.columns().find(|name| !names.contains(name)) {
            return Err(Error::no_such_column(&table.name, name, &names));
        }
        table.check_names()?;
        table.check_weights()?;
        let lacks = |column: &Column, row: usize| column.missing == Some(column.codes.get(row));
        let mut kept = Vec::with_capacity(table.rows());
        let mut left_out = 0;
        for row in (0..table.rows()).filter(|&row| table.weight(row) > 0) {
            match table.features.iter().find(|column| lacks(column, row)) {
                Some(column) if missing == Missing::Error => {
                    let (place, column) = (table.name, column.name.clone());
                    return Err(Error::MissingValue { place, line: row as u64 + 1, column });
                }
                Some(_) if missing == Missing::DropRows => left_out += 1,
                _ => kept.push(row),
            }
        }
        if kept.is_empty() {
            let place = table.name;
            let dropped = left_out > 0;
            return Err(if dropped { Error::AllRowsDropped { place } } else { Error::NoRows { place } });
        }
        if kept.len() == table.rows() {
            return table.with_two_classes();
        }
        Ok(Table { rows_left_out: left_out, ..table.with_rows(&kept)? })
    }

    fn check_names(&self) -> Result<()> {
        let mut positions = HashMap::new();
        for (i, column) in self.features.iter().enumerate() {
            if let Some(first) = positions.insert(&column.name, i + 1) {
                let (place, name) = (self.name.clone(), column.name.clone());
                return Err(Error::DuplicateColumn { place, name, first, second: i + 1 });
            }
        }
        Ok(())
    }

    /// Refuses weights whose sum could not be counted, here or by a program that takes all numbers
    /// for floats.
    fn check_weights(&self) -> Result<()> {
        const MOST: u64 = 1 << 53;
        let weights = self.weights.iter().flatten();
        match weights.copied().try_fold(0, u64::checked_add) {
            Some(sum) if sum <= MOST => Ok(()),
            sum => Err(Error::Unsuitable {
                what: "the sum of the weights",
                given: sum.map_or("beyond counting".to_string(), |sum| sum.to_string()),
                allowed: "9007199254740992 or less",
            }),
        }
    }

    pub(crate) fn with_two_classes(self) -> Result<Table> {
        if self.target.values.len() > 1 {
            return Ok(self);
        }
        let label = self.target.values.get(0).to_string();
        Err(Error::OneClass { place: self.name, target: self.target.name, label })
    }

    /// This table with only the given rows, and only the values that occur in them.
    pub fn with_rows(&self, rows: &[usize]) -> Result<Table> {
        let weights = self.weights.as_ref();
        let table = Table {
            name: self.name.clone(),
            sha256: self.sha256.clone(),
            features: self.features.iter().map(|column| column.with_rows(rows)).collect(),
            target: self.target.with_rows(rows),
            weights: weights.map(|weights| rows.iter().map(|&row| weights[row]).collect()),
            half_quoted_name: self.half_quoted_name.clone(),
            rows_left_out: self.rows_left_out,
            options: self.options.clone(),
        };
        table.with_two_classes()
    }

    /// What a row counts for.
    pub fn weight(&self, row: usize) -> u64 {
        self.weights.as_ref().map_or(1, |weights| weights[row])
    }

    /// Rows kept.
    pub fn rows(&self) -> usize {
        self.target.codes.len()
    }
}

/// A hash as people write it.
pub(crate) fn hexadecimal(sha256: Sha256) -> String {
    sha256.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Passes bytes on and remembers their hash.
pub(crate) struct HashingReader<R> {
    pub(crate) inner: R,
    pub(crate) sha256: Sha256,
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.sha256.update(&buffer[..n]);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::column::ColumnBuilder;

    fn read(text: &str, options: &TableOptions) -> Result<Table> {
        Table::from_reader(text.as_bytes(), "test", options)
    }

    fn codes(column: &Column) -> Vec<u32> {
        column.codes.iter().collect()
    }

    #[test]
    fn values_get_codes_in_order_of_appearance() {
        let table = read("a,b,class\nx,1,no\ny,1,yes\nx,2,no\n", &TableOptions::default()).unwrap();
        assert_eq!(codes(&table.features[0]), [0, 1, 0]);
        assert_eq!(table.features[0].values.iter().collect::<Vec<_>>(), ["x", "y"]);
        assert_eq!(table.target.values.iter().collect::<Vec<_>>(), ["no", "yes"]);
    }

    #[test]
    fn every_spelling_of_missing_is_one_value() {
        let table = read("a,c\n?,0\nNA,1\n,0\nnan,1\nx,0\n", &TableOptions::default()).unwrap();
        assert_eq!(codes(&table.features[0]), [0, 0, 0, 0, 1]);
        assert_eq!(table.features[0].missing, Some(0));
    }

    #[test]
    fn target_and_ignored_columns_can_stand_anywhere() {
        let options = TableOptions {
            target: Some("c".into()),
            ignore: vec!["id".into()],
            ..TableOptions::default()
        };
        let table = read("id,c,a\n1,0,x\n2,1,y\n", &options).unwrap();
        assert_eq!(table.target.name, "c");
        assert_eq!(table.features.len(), 1);
    }

    #[test]
    fn rows_without_a_value_can_be_left_out_or_refused() {
        let text = "a,c\nx,0\n?,1\ny,1\n";
        let with = |missing| read(text, &TableOptions { missing, ..TableOptions::default() });
        assert_eq!(with(Missing::DropRows).unwrap().rows_left_out, 1);
        let refused = with(Missing::Error).unwrap_err();
        assert!(matches!(refused, Error::MissingValue { line: 3, .. }), "{refused}");
    }

    #[test]
    fn a_byte_order_mark_is_not_part_of_the_first_name() {
        let table = read("\u{feff}a,c\nx,0\ny,1\n", &TableOptions::default()).unwrap();
        assert_eq!(table.features[0].name, "a");
    }

    fn column(name: &str, texts: &[&str]) -> ColumnBuilder {
        let mut column = ColumnBuilder::new(name);
        texts.iter().for_each(|text| column.push_text(text));
        column
    }

    #[test]
    fn rows_in_memory_may_count_for_nothing_or_miss_a_value() {
        let table = |weights: Option<Vec<u64>>, missing| {
            let features = vec![column("x", &["a", "?", "b", "c"]).finish()];
            let target = column("class", &["0", "1", "0", "1"]).finish();
            Table::from_columns(
                "memory",
                features,
                target,
                weights,
                &TableOptions { missing, ..TableOptions::default() },
            )
        };
        let weighted = table(Some(vec![2, 0, 1, 5]), Missing::Error).unwrap();
        assert_eq!((weighted.rows(), weighted.rows_left_out, weighted.weight(2)), (3, 0, 5));
        assert_eq!(table(None, Missing::DropRows).unwrap().rows_left_out, 1);
        let refused = table(None, Missing::Error).unwrap_err();
        assert!(matches!(refused, Error::MissingValue { line: 2, .. }), "{refused}");
        for heavy in [vec![1 << 53, 0, 1, 0], vec![u64::MAX, 1, 1, 1]] {
            let refused = table(Some(heavy), Missing::Value).unwrap_err();
            assert!(matches!(refused, Error::Unsuitable { .. }), "{refused}");
        }
        let one_class = table(Some(vec![1, 0, 1, 0]), Missing::Value).unwrap_err();
        assert!(matches!(one_class, Error::OneClass { .. }), "{one_class}");
    }

    #[test]
    fn a_feature_has_no_names_that_spell_a_missing_value() {
        let mut names = ColumnBuilder::new("x");
        ["a", "", "nan", "b"].iter().for_each(|name| names.push_name(name));
        let target = column("class", &["0", "1", "0", "1"]).finish();
        let table =
            Table::from_columns("memory", vec![names.finish()], target, None, &TableOptions::default())
                .unwrap();
        assert_eq!(codes(&table.features[0]), [0, 1, 1, 2]);
        assert_eq!(table.features[0].missing, Some(1));
    }

    #[test]
    fn the_hash_is_that_of_the_bytes() {
        let table = read("a,c\nx,0\ny,1\n", &TableOptions::default()).unwrap();
        let expected: String =
            Sha256::digest("a,c\nx,0\ny,1\n").iter().map(|b| format!("{b:02x}")).collect();
        assert_eq!(table.sha256, expected);
    }
}
