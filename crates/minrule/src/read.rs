//! CSV text, row by row and column by column.

use std::io::{self, Read};

use rayon::prelude::*;

use crate::column::{ColumnBuilder, is_missing};
use crate::error::{Error, Result};
use crate::limits::memory_in_use;
use crate::table::{Missing, Table, TableOptions};

/// A batch of rows: as many as this, or fewer when they are wide.
const BATCH_ROWS: usize = 8192;
/// Fields in a batch.
const BATCH_FIELDS: usize = 1 << 20;

/// Bytes that are read before the memory is looked at again.
const BYTES_UNSEEN: usize = 1 << 20;

/// What becomes of a field.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Feature,
    Target,
    Ignored,
}

pub(crate) fn parse(
    reader: impl Read,
    place: &str,
    gzipped: bool,
    options: &TableOptions,
) -> Result<Table> {
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
}
