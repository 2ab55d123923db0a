//! A table as the person wrote it: named columns of text, one of which is the class.
//!
//! Each column is kept as a dictionary: its distinct values in order of appearance, and one code
//! a row. Everything after this step looks at values once and at rows only through codes, which
//! is what keeps the data path linear in the rows and small in memory.

use std::fs::File;
use std::hash::BuildHasher;
use std::io::{self, BufRead, BufReader, Read};
use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};
use rayon::prelude::*;
use sha2::{Digest, Sha256};

use crate::error::{Error, Result};
use crate::limits::memory_in_use;

/// What counts as a missing value, besides an empty field. Compared without case.
const MISSING: [&str; 3] = ["?", "na", "nan"];

/// A batch of rows: as many as this, or fewer when they are wide.
const BATCH_ROWS: usize = 8192;
/// Fields in a batch.
const BATCH_FIELDS: usize = 1 << 20;

/// Bytes that are read before the memory is looked at again.
const BYTES_UNSEEN: usize = 1 << 20;

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

/// How to read a table.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableOptions {
    /// Between two fields.
    pub separator: u8,
    /// The class column; the last one when `None`.
    pub target: Option<String>,
    /// Columns to leave out.
    pub ignore: Vec<String>,
    /// What to do about missing values.
    pub missing: Missing,
    /// The most memory, in bytes, that the process may hold while it reads. A small file can hold a
    /// large table, or one field without end.
    pub memory: Option<u64>,
}

impl Default for TableOptions {
    fn default() -> Self {
        let (target, ignore, missing) = (None, Vec::new(), Missing::Value);
        TableOptions { separator: b',', target, ignore, missing, memory: None }
    }
}

/// A table that has been read and found well-formed.
#[derive(Debug, Clone)]
pub struct Table {
    /// Where it came from, for messages and provenance.
    pub name: String,
    /// SHA-256 of the bytes as they were read (compressed bytes if it was compressed).
    pub sha256: String,
    /// The columns that rules may test.
    pub features: Vec<Column>,
    /// The class of each row.
    pub target: Column,
    /// What each row counts for; every row once when `None`.
    pub weights: Option<Vec<u64>>,
    /// Rows left out for a missing value.
    pub rows_left_out: usize,
}

/// One column: its distinct values and a code for each row.
#[derive(Debug, Clone)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// The distinct values; a code is an index into them.
    pub values: Values,
    /// The value of each row.
    pub codes: Codes,
    /// The code that stands for a missing value, if there is any.
    pub missing: Option<u32>,
    /// Whether its values are names even if they look like numbers.
    nominal: bool,
    /// Found once, when first asked for.
    numbers: OnceLock<Option<Vec<f64>>>,
}

impl Column {
    fn new(name: &str) -> Column {
        Column {
            name: name.to_string(),
            values: Values::default(),
            codes: Codes::default(),
            missing: None,
            nominal: false,
            numbers: OnceLock::new(),
        }
    }

    /// The same, where names that spell a missing value are one: no rule could tell them from it.
    fn with_missing(self) -> Column {
        let stray = |code: u32| self.missing != Some(code) && is_missing(self.text(code));
        if !(0..self.values.len() as u32).any(stray) {
            return self;
        }
        let mut column = ColumnBuilder::new(&self.name);
        let stored = self.codes.iter().try_for_each(|code| column.push(self.text(code)));
        stored.expect("texts are texts");
        Column { nominal: self.nominal, ..column.finish() }
    }

    fn text(&self, code: u32) -> &[u8] {
        self.values.get(code).as_bytes()
    }

    fn with_rows(&self, rows: &[usize]) -> Column {
        let mut new_codes: Vec<Option<u32>> = vec![None; self.values.len()];
        let mut values = Values::default();
        let mut code = |row: &usize| {
            let old = self.codes.get(*row);
            *new_codes[old as usize].get_or_insert_with(|| values.push(self.values.get(old)))
        };
        let codes = rows.iter().map(&mut code).collect();
        let missing = self.missing.and_then(|code| new_codes[code as usize]);
        Column { values, codes, missing, nominal: self.nominal, ..Column::new(&self.name) }
    }

    /// The number behind each code, if every value that is not missing is a finite number and they
    /// are not names; NaN stands for the missing one.
    pub fn numbers(&self) -> Option<&[f64]> {
        if self.nominal {
            return None;
        }
        let parse = |code: u32| {
            if self.missing == Some(code) {
                return Some(f64::NAN);
            }
            self.values.get(code).parse().ok().filter(|number: &f64| number.is_finite())
        };
        let all = || (0..self.values.len() as u32).map(parse).collect();
        let only_missing = self.missing.is_some() && self.values.len() == 1;
        self.numbers.get_or_init(all).as_deref().filter(|_| !only_missing)
    }
}

/// A code for each row, all as wide as the widest needs: most columns have few values, and the codes
/// are most of what a long table takes.
#[derive(Debug, Clone)]
pub struct Codes(Width);

#[derive(Debug, Clone)]
enum Width {
    Byte(Vec<u8>),
    Short(Vec<u16>),
    Long(Vec<u32>),
}

impl Default for Codes {
    fn default() -> Self {
        Codes(Width::Byte(Vec::new()))
    }
}

impl Codes {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Width::Byte(codes) => codes.len(),
            Width::Short(codes) => codes.len(),
            Width::Long(codes) => codes.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of a row.
    pub fn get(&self, row: usize) -> u32 {
        match &self.0 {
            Width::Byte(codes) => codes[row].into(),
            Width::Short(codes) => codes[row].into(),
            Width::Long(codes) => codes[row],
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// Shows the codes of these rows, in order. Faster than one by one: their width is looked at once.
    pub(crate) fn each(&self, rows: Range<usize>, mut look: impl FnMut(u32)) {
        match &self.0 {
            Width::Byte(codes) => codes[rows].iter().for_each(|&code| look(code.into())),
            Width::Short(codes) => codes[rows].iter().for_each(|&code| look(code.into())),
            Width::Long(codes) => codes[rows].iter().for_each(|&code| look(code)),
        }
    }

    fn push(&mut self, code: u32) {
        match &mut self.0 {
            Width::Byte(codes) => match code.try_into() {
                Ok(code) => codes.push(code),
                Err(_) => self.widen(code),
            },
            Width::Short(codes) => match code.try_into() {
                Ok(code) => codes.push(code),
                Err(_) => self.widen(code),
            },
            Width::Long(codes) => codes.push(code),
        }
    }

    /// Makes room for a code that is too wide, and adds it.
    #[cold]
    fn widen(&mut self, code: u32) {
        let room = self.len() + 1;
        self.0 = match &self.0 {
            Width::Byte(codes) => {
                let mut wider = Vec::with_capacity(room);
                wider.extend(codes.iter().map(|&code| u16::from(code)));
                Width::Short(wider)
            }
            Width::Short(_) | Width::Long(_) => {
                let mut wider = Vec::with_capacity(room);
                wider.extend(self.iter());
                Width::Long(wider)
            }
        };
        self.push(code);
    }

    /// Gives back the room for more rows.
    fn shrink(&mut self) {
        match &mut self.0 {
            Width::Byte(codes) => codes.shrink_to_fit(),
            Width::Short(codes) => codes.shrink_to_fit(),
            Width::Long(codes) => codes.shrink_to_fit(),
        }
    }
}

impl FromIterator<u32> for Codes {
    fn from_iter<I: IntoIterator<Item = u32>>(iter: I) -> Codes {
        let mut codes = Codes::default();
        iter.into_iter().for_each(|code| codes.push(code));
        codes
    }
}

/// Distinct texts in order of appearance, in one piece of memory.
#[derive(Debug, Clone, Default)]
pub struct Values {
    text: String,
    ends: Vec<usize>,
}

impl Values {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The text behind a code.
    pub fn get(&self, code: u32) -> &str {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.text[start..self.ends[code]]
    }

    /// All of them, in order of their codes.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len() as u32).map(|code| self.get(code))
    }

    fn push(&mut self, value: &str) -> u32 {
        self.text.push_str(value);
        self.ends.push(self.text.len());
        (self.ends.len() - 1) as u32
    }
}

impl Table {
    /// Reads a CSV or CSV.gz file.
    pub fn read(path: &Path, options: &TableOptions) -> Result<Table> {
        let place = path.display().to_string();
        if path.is_dir() {
            return Err(Error::IsFolder { place });
        }
        let file = File::open(path).map_err(|cause| Error::Read { place: place.clone(), cause })?;
        Table::from_reader(file, &place, options)
    }

    /// Reads CSV or gzipped CSV from anywhere; `place` names it in messages.
    pub fn from_reader(reader: impl Read, place: &str, options: &TableOptions) -> Result<Table> {
        let mut hashing = HashingReader { inner: reader, sha256: Sha256::new() };
        let mut buffered = BufReader::with_capacity(1 << 16, &mut hashing);
        let start =
            buffered.fill_buf().map_err(|cause| Error::Read { place: place.to_string(), cause })?;
        let gzipped = start.starts_with(&[0x1f, 0x8b]);
        let mut table = if gzipped {
            parse(flate2::bufread::MultiGzDecoder::new(&mut buffered), place, true, options)?
        } else {
            parse(&mut buffered, place, false, options)?
        };
        let digest = hashing.sha256.finalize();
        table.sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        Ok(table)
    }

    /// A table of columns in memory, which all have as many rows. What a row counts for is its
    /// weight; rows that count for nothing are left out. `missing` is what to do about missing
    /// values.
    pub fn from_columns(
        name: &str,
        features: Vec<Column>,
        target: Column,
        weights: Option<Vec<u64>>,
        missing: Missing,
    ) -> Result<Table> {
        let (name, sha256) = (name.to_string(), String::new());
        let features = features.into_iter().map(Column::with_missing).collect();
        let table = Table { name, sha256, features, target, weights, rows_left_out: 0 };
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
            sum => Err(Error::BadOption {
                option: "the sum of the weights",
                given: sum.map_or("beyond counting".to_string(), |sum| sum.to_string()),
                allowed: "9007199254740992 or less",
            }),
        }
    }

    fn with_two_classes(self) -> Result<Table> {
        if self.target.values.len() > 1 {
            return Ok(self);
        }
        let label = self.target.values.get(0).to_string();
        Err(Error::OneClass { place: self.name, target: self.target.name, label })
    }

    /// The same with these rows only, and only the values that they have.
    pub fn with_rows(&self, rows: &[usize]) -> Result<Table> {
        let weights = self.weights.as_ref();
        let table = Table {
            name: self.name.clone(),
            sha256: self.sha256.clone(),
            features: self.features.iter().map(|column| column.with_rows(rows)).collect(),
            target: self.target.with_rows(rows),
            weights: weights.map(|weights| rows.iter().map(|&row| weights[row]).collect()),
            rows_left_out: self.rows_left_out,
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

/// What becomes of a field.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Feature,
    Target,
    Ignored,
}

fn parse(reader: impl Read, place: &str, gzipped: bool, options: &TableOptions) -> Result<Table> {
    let place = place.to_string();
    let reader = LimitedReader { inner: reader, memory: options.memory, unseen: 0 };
    let mut csv =
        csv::ReaderBuilder::new().delimiter(options.separator).trim(csv::Trim::All).from_reader(reader);
    let in_csv = |error: csv::Error| csv_error(error, &place, gzipped);

    let header = csv.byte_headers().map_err(in_csv)?.clone();
    if header.is_empty() {
        return Err(Error::Empty { place });
    }
    let names = column_names(&header, &place)?;
    if let [name] = &names[..] {
        return Err(Error::OneColumn { place, name: name.clone() });
    }
    let roles = assign_roles(&names, &place, options)?;
    let mut readers: Vec<ColumnReader> = (0..names.len())
        .filter(|&position| roles[position] != Role::Ignored)
        .map(|position| ColumnReader::new(position, &names[position], roles[position]))
        .collect();

    // Rows are read in batches and stored column by column: each column's dictionary stays in
    // the cache while it is looked up, and columns can be filled side by side.
    let batch_rows = (BATCH_FIELDS / names.len()).clamp(1, BATCH_ROWS);
    let mut batch = vec![csv::ByteRecord::new()];
    let mut rows_left_out = 0;
    let mut seen_any = false;
    loop {
        let mut filled = 0;
        while filled < batch_rows && csv.read_byte_record(&mut batch[filled]).map_err(in_csv)? {
            seen_any = true;
            if !keeps_row(&batch[filled], &readers, options.missing, &place)? {
                rows_left_out += 1;
                continue;
            }
            filled += 1;
            if filled == batch.len() && filled < batch_rows {
                batch.push(csv::ByteRecord::new());
            }
        }
        if filled == 0 {
            break;
        }
        let store = |reader: &mut ColumnReader| reader.extend(&batch[..filled]).err();
        let bad_line = readers.par_iter_mut().filter_map(store).min();
        if let Some((line, position)) = bad_line {
            return Err(Error::NotUtf8 { place, line, column: names[position].clone() });
        }
    }

    let mut features = Vec::new();
    let mut target = None;
    for reader in readers {
        match reader.role {
            Role::Target => target = Some(reader.column.finish()),
            _ => features.push(reader.column.finish()),
        }
    }
    let target = target.expect("exactly one column has the role of the class");
    if target.codes.is_empty() {
        return Err(if seen_any { Error::AllRowsDropped { place } } else { Error::NoRows { place } });
    }
    let sha256 = String::new();
    Table { name: place, sha256, features, target, weights: None, rows_left_out }.with_two_classes()
}

/// Whether a row is used: a missing value decides about its whole row, so it is looked for before
/// any field is stored. With the default policy only the class matters.
fn keeps_row(
    row: &csv::ByteRecord,
    readers: &[ColumnReader],
    missing: Missing,
    place: &str,
) -> Result<bool> {
    let mut keeps = true;
    for reader in readers {
        let in_question = reader.role == Role::Target || missing != Missing::Value;
        if in_question && is_missing(&row[reader.position]) {
            let (place, line, column) =
                (place.to_string(), line_of(row), reader.column.name().to_string());
            match (missing, reader.role) {
                (Missing::DropRows, _) => keeps = false,
                (_, Role::Target) => return Err(Error::MissingClass { place, line, column }),
                _ => return Err(Error::MissingValue { place, line, column }),
            }
        }
    }
    Ok(keeps)
}

fn line_of(row: &csv::ByteRecord) -> u64 {
    row.position().map_or(0, csv::Position::line)
}

pub(crate) fn column_names(header: &csv::ByteRecord, place: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::with_capacity(header.len());
    let mut positions = hashbrown::HashMap::new();
    for (i, field) in header.iter().enumerate() {
        let name = std::str::from_utf8(field).map_err(|_| Error::NotUtf8 {
            place: place.to_string(),
            line: 1,
            column: (i + 1).to_string(),
        })?;
        // A spreadsheet's unnamed index column still needs a name for rules to speak of.
        let name = if name.is_empty() { format!("column {}", i + 1) } else { name.to_string() };
        if let Some(first) = positions.insert(name.clone(), i + 1) {
            return Err(Error::DuplicateColumn { place: place.to_string(), name, first, second: i + 1 });
        }
        names.push(name);
    }
    Ok(names)
}

fn assign_roles(names: &[String], place: &str, options: &TableOptions) -> Result<Vec<Role>> {
    let find = |wanted: &String| {
        let position = names.iter().position(|name| name == wanted);
        position.ok_or_else(|| Error::no_such_column(place, wanted, names))
    };
    let mut roles = vec![Role::Feature; names.len()];
    for name in &options.ignore {
        roles[find(name)?] = Role::Ignored;
    }
    let target = match &options.target {
        Some(name) => find(name)?,
        None => names.len() - 1,
    };
    if roles[target] == Role::Ignored {
        return Err(Error::IgnoredTarget { name: names[target].clone() });
    }
    roles[target] = Role::Target;
    Ok(roles)
}

pub(crate) fn csv_error(error: csv::Error, place: &str, gzipped: bool) -> Error {
    let place = place.to_string();
    match error.into_kind() {
        csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
            let line = pos.map_or(0, |pos| pos.line());
            Error::Ragged { place, line, expected: expected_len, found: len }
        }
        csv::ErrorKind::Io(cause) if cause.kind() == io::ErrorKind::OutOfMemory => Error::BadOption {
            option: "the memory limit",
            given: cause.to_string(),
            allowed: "more than the table itself takes",
        },
        csv::ErrorKind::Io(cause) if gzipped => Error::BrokenGzip { place, cause },
        csv::ErrorKind::Io(cause) => Error::Read { place, cause },
        other => Error::Read { place, cause: io::Error::other(format!("{other:?}")) },
    }
}

/// Whether a field stands for a missing value: it is empty, `?`, `NA` or `nan`.
pub fn is_missing(field: &[u8]) -> bool {
    field.is_empty()
        || (field.len() <= 3 && MISSING.iter().any(|m| field.eq_ignore_ascii_case(m.as_bytes())))
}

/// A field of each row, stored as a column.
struct ColumnReader {
    /// Of the field in a row.
    position: usize,
    role: Role,
    column: ColumnBuilder,
}

impl ColumnReader {
    fn new(position: usize, name: &str, role: Role) -> Self {
        ColumnReader { position, role, column: ColumnBuilder::new(name) }
    }

    /// Stores this column's field of each row; the line and position of one that is not UTF-8.
    fn extend(&mut self, rows: &[csv::ByteRecord]) -> std::result::Result<(), (u64, usize)> {
        for row in rows {
            let stored = self.column.push(&row[self.position]);
            stored.map_err(|_| (line_of(row), self.position))?;
        }
        Ok(())
    }
}

/// Builds one column value by value, giving each new value the next code.
pub struct ColumnBuilder {
    column: Column,
    /// Short hash and code of each value, so that growing the table need not look at the texts.
    codes_by_value: HashTable<(u32, u32)>,
    /// The code of each number seen as such, by its bits.
    codes_by_number: HashMap<u64, u32>,
    hasher: DefaultHashBuilder,
}

impl ColumnBuilder {
    /// A column without rows.
    pub fn new(name: &str) -> ColumnBuilder {
        ColumnBuilder {
            column: Column::new(name),
            codes_by_value: HashTable::new(),
            codes_by_number: HashMap::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Its heading.
    pub fn name(&self) -> &str {
        &self.column.name
    }

    /// Adds a row with this text, which may be a spelling of a missing value. As in a file, blanks
    /// around it do not count.
    pub fn push_text(&mut self, text: &str) {
        self.push(text.trim_ascii().as_bytes()).expect("a part of a text is a text");
    }

    /// Adds a row with this name, whatever it spells. That is for labels: in a feature, what spells
    /// a missing value is one.
    pub fn push_name(&mut self, name: &str) {
        self.push_value(name.as_bytes()).expect("a name is a text");
    }

    /// Adds a row with this number; NaN is a missing value.
    pub fn push_number(&mut self, number: f64) {
        if number.is_nan() {
            return self.push_missing();
        }
        // Adding zero makes -0 and 0 one.
        let key = (number + 0.0).to_bits();
        if let Some(&code) = self.codes_by_number.get(&key) {
            return self.column.codes.push(code);
        }
        self.push_text(&number_text(number + 0.0));
        self.codes_by_number.insert(key, self.column.codes.get(self.rows() - 1));
    }

    /// Adds a row with this whole number.
    pub fn push_integer(&mut self, number: i64) {
        const EXACT_AS_FLOAT: u64 = 1 << 53;
        match number.unsigned_abs() <= EXACT_AS_FLOAT {
            true => self.push_number(number as f64),
            false => self.push_text(&number.to_string()),
        }
    }

    /// Adds a row without a value.
    pub fn push_missing(&mut self) {
        self.push(b"").expect("nothing is a text");
    }

    /// Adds a row with the same value as an earlier row.
    pub fn push_again(&mut self, row: usize) {
        self.column.codes.push(self.column.codes.get(row));
    }

    /// The rows so far.
    pub fn rows(&self) -> usize {
        self.column.codes.len()
    }

    /// The column.
    pub fn finish(mut self) -> Column {
        self.column.codes.shrink();
        self.column
    }

    /// The column, its values taken as names even if they look like numbers. Names that are equal
    /// as numbers, such as "1" and "1.0", stay numbers: rules could not tell them apart.
    pub fn finish_nominal(mut self) -> Column {
        let numbers = self.column.numbers().map(|numbers| {
            let mut numbers = numbers.to_vec();
            numbers.sort_unstable_by(f64::total_cmp);
            numbers.windows(2).any(|pair| pair[0] == pair[1])
        });
        self.column.nominal = !numbers.unwrap_or(false);
        self.finish()
    }

    fn push(&mut self, field: &[u8]) -> std::result::Result<(), std::str::Utf8Error> {
        if !is_missing(field) {
            return self.push_value(field);
        }
        self.push_value(b"")?;
        self.column.missing = Some(self.column.codes.get(self.rows() - 1));
        Ok(())
    }

    fn push_value(&mut self, field: &[u8]) -> std::result::Result<(), std::str::Utf8Error> {
        let Column { values, codes, .. } = &mut self.column;
        let short = self.hasher.hash_one(field) as u32;
        let same = |entry: &(u32, u32)| entry.0 == short && values.get(entry.1).as_bytes() == field;
        let code = match self.codes_by_value.find(spread(short), same) {
            Some((_, code)) => *code,
            None => {
                let code = values.push(std::str::from_utf8(field)?);
                self.codes_by_value.insert_unique(spread(short), (short, code), |e| spread(e.0));
                code
            }
        };
        codes.push(code);
        Ok(())
    }
}

/// A number as people write it: whole numbers without a point.
pub(crate) fn number_text(number: f64) -> String {
    let text = format!("{number:?}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_string)
}

/// The table wants its information in the upper bits too.
fn spread(short: u32) -> u64 {
    u64::from(short).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

/// Passes bytes on and remembers their hash.
struct HashingReader<R> {
    inner: R,
    sha256: Sha256,
}

impl<R: Read> Read for HashingReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.sha256.update(&buffer[..n]);
        Ok(n)
    }
}

/// Passes bytes on as long as the process holds no more memory than it may.
struct LimitedReader<R> {
    inner: R,
    memory: Option<u64>,
    /// Bytes since the memory was last looked at.
    unseen: usize,
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.unseen += n;
        if let Some(limit) = self.memory.filter(|_| self.unseen >= BYTES_UNSEEN) {
            self.unseen = 0;
            if memory_in_use().is_some_and(|used| used >= limit) {
                let limit = format!("{} MB", limit / 1_000_000);
                return Err(io::Error::new(io::ErrorKind::OutOfMemory, limit));
            }
        }
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, options: &TableOptions) -> Result<Table> {
        Table::from_reader(text.as_bytes(), "test", options)
    }

    fn codes(column: &Column) -> Vec<u32> {
        column.codes.iter().collect()
    }

    #[test]
    fn codes_are_as_wide_as_the_widest() {
        let all: Vec<u32> = (0..300).chain(65_000..66_000).chain([0, u32::MAX]).collect();
        for (n, width) in [(0, 1), (256, 1), (257, 2), (300 + 536, 2), (300 + 537, 4), (all.len(), 4)] {
            let codes: Codes = all[..n].iter().copied().collect();
            let found = match &codes.0 {
                Width::Byte(_) => 1,
                Width::Short(_) => 2,
                Width::Long(_) => 4,
            };
            assert_eq!((found, codes.len()), (width, n));
            assert_eq!(codes.iter().collect::<Vec<_>>(), all[..n]);
            let mut shown = Vec::new();
            codes.each(n / 3..n, |code| shown.push(code));
            assert_eq!(shown, all[n / 3..n]);
        }
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
    fn a_field_without_end_is_read_only_as_far_as_memory_goes() {
        let endless = "a,c\n\"".as_bytes().chain(io::repeat(b'x'));
        let memory = memory_in_use().map(|used| used + (64 << 20));
        let options = TableOptions { memory, ..TableOptions::default() };
        // Where the system does not tell, there is no limit to keep.
        if memory.is_some() {
            let refused = Table::from_reader(endless, "test", &options).unwrap_err();
            assert!(matches!(refused, Error::BadOption { .. }), "{refused}");
        }
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
    fn numbers_in_memory_are_what_a_file_would_say() {
        let mut built = ColumnBuilder::new("x");
        [1.0, 2.5, f64::NAN, 1.0, -0.0, 0.0, 1e300].into_iter().for_each(|x| built.push_number(x));
        let built = built.finish();
        assert_eq!(built.values.iter().collect::<Vec<_>>(), ["1", "2.5", "", "0", "1e300"]);
        assert_eq!(codes(&built), [0, 1, 2, 0, 3, 3, 4]);
        assert_eq!(built.missing, Some(2));
        assert_eq!(built.numbers().unwrap()[4], 1e300);
    }

    #[test]
    fn names_that_look_like_numbers_can_stay_names() {
        assert!(column("x", &["1", "2"]).finish_nominal().numbers().is_none());
        assert!(column("x", &["1", "1.0"]).finish_nominal().numbers().is_some());
    }

    #[test]
    fn rows_in_memory_may_count_for_nothing_or_miss_a_value() {
        let table = |weights: Option<Vec<u64>>, missing| {
            let features = vec![column("x", &["a", "?", "b", "c"]).finish()];
            let target = column("class", &["0", "1", "0", "1"]).finish();
            Table::from_columns("memory", features, target, weights, missing)
        };
        let weighted = table(Some(vec![2, 0, 1, 5]), Missing::Error).unwrap();
        assert_eq!((weighted.rows(), weighted.rows_left_out, weighted.weight(2)), (3, 0, 5));
        assert_eq!(table(None, Missing::DropRows).unwrap().rows_left_out, 1);
        let refused = table(None, Missing::Error).unwrap_err();
        assert!(matches!(refused, Error::MissingValue { line: 2, .. }), "{refused}");
        for heavy in [vec![1 << 53, 0, 1, 0], vec![u64::MAX, 1, 1, 1]] {
            let refused = table(Some(heavy), Missing::Value).unwrap_err();
            assert!(matches!(refused, Error::BadOption { .. }), "{refused}");
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
            Table::from_columns("memory", vec![names.finish()], target, None, Missing::Value).unwrap();
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
