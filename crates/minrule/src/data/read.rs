//! CSV text, JSON lines and files of columns, row by row and column by column.

use std::io::{self, BufRead, BufReader, Read};

use flate2::bufread::MultiGzDecoder;
use rayon::prelude::*;

use crate::data::column::{Column, ColumnBuilder};
#[cfg(feature = "columnar")]
use crate::data::columnar::{self, Columnar, Format};
use crate::data::json_lines::{Fault, JsonLines, are_json_lines};
use crate::data::quotes::{BadQuote, Quotes};
use crate::data::spelling::Decimal;
use crate::data::table::{Missing, Table, TableOptions};
use crate::error::{Error, Result};
use crate::limits::{Limits, StopReason};

/// Bytes that are split into fields at a time.
const BUFFER: usize = 1 << 16;

/// A batch of rows: as many as this, or fewer when they are wide.
const BATCH_ROWS: usize = 8192;
/// Fields in a batch.
const BATCH_FIELDS: usize = 1 << 20;

/// Bytes that are read before the memory is looked at again.
const BYTES_UNSEEN: usize = 1 << 20;

/// What to do with a field.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Feature,
    Target,
    Ignored,
}

/// Rows and column names, whatever they are wrapped in.
pub(crate) struct Source<R: BufRead> {
    text: Rows<R>,
    place: String,
    gzipped: bool,
    names: Vec<String>,
    rows: u64,
}

/// How rows are written. CSV is read row by row.
enum Rows<R: BufRead> {
    Csv(Box<csv::Reader<Quotes<LimitedReader<Text<R>>>>>),
    Json(JsonLines),
    #[cfg(feature = "columnar")]
    Columnar(Box<Columnar<LimitedReader<Text<R>>>>),
}

impl<R: BufRead> Source<R> {
    /// Reads the column names; `place` names the source in messages. Numbers that are no texts get this decimal
    /// mark.
    pub(crate) fn open(
        mut reader: R,
        place: &str,
        (separator, decimal): (u8, Decimal),
        limits: &Limits,
        capacity: usize,
    ) -> Result<Source<R>> {
        let start = reader.fill_buf();
        let start = start.map_err(|cause| Error::Read { place: place.to_string(), cause })?;
        let gzipped = start.starts_with(&[0x1f, 0x8b]);
        let mut text = match gzipped {
            true => Text::Gzip(Box::new(BufReader::new(MultiGzDecoder::new(reader)))),
            false => Text::Plain(reader),
        };
        // What is damaged is found where it is read.
        let start = text.start().unwrap_or_default();
        if let Some((what, remedy)) = no_text(start) {
            return Err(Error::NotText { place: place.to_string(), what, remedy });
        }
        let json = are_json_lines(place, start);
        #[cfg(feature = "columnar")]
        let format = columnar_format(place, start)?;
        let text = LimitedReader::new(text, limits);
        #[cfg(feature = "columnar")]
        if let Some(format) = format {
            return Source::of_columns(text, place, gzipped, (format, decimal), limits);
        }
        if json {
            return Source::of_json(BufReader::with_capacity(capacity, text), place, gzipped, decimal);
        }
        let mut csv = csv::ReaderBuilder::new()
            .delimiter(separator)
            .trim(csv::Trim::All)
            .buffer_capacity(capacity)
            .from_reader(Quotes::new(text, separator));
        let header = csv.byte_headers().cloned();
        let (place, text) = (place.to_string(), Rows::Csv(Box::new(csv)));
        let mut source = Source { text, place, gzipped, names: Vec::new(), rows: 0 };
        let header = header.map_err(|error| source.error(error))?;
        if header.is_empty() {
            return Err(Error::Empty { place: source.place });
        }
        source.names = column_names(&header, &source.place)?;
        Ok(source)
    }

    fn of_json(text: impl BufRead, place: &str, gzipped: bool, decimal: Decimal) -> Result<Source<R>> {
        let place = place.to_string();
        let source = |lines, names| Source {
            text: Rows::Json(lines),
            place: place.clone(),
            gzipped,
            names,
            rows: 0,
        };
        let lines = JsonLines::read(text, decimal).map_err(|fault| match fault {
            Fault::Read(cause) => source(JsonLines::default(), Vec::new()).io_error(cause),
            Fault::Line { line, problem } => Error::BadJsonLine { place: place.clone(), line, problem },
        })?;
        if lines.names().is_empty() {
            return Err(Error::Empty { place });
        }
        let names = column_names(&csv::ByteRecord::from(lines.names().to_vec()), &place)?;
        Ok(source(lines, names))
    }

    #[cfg(feature = "columnar")]
    fn of_columns(
        file: LimitedReader<Text<R>>,
        place: &str,
        gzipped: bool,
        (format, decimal): (Format, Decimal),
        limits: &Limits,
    ) -> Result<Source<R>> {
        let opened = Columnar::open(file, format, decimal, limits);
        let place = place.to_string();
        let text = Rows::Json(JsonLines::default());
        let mut source = Source { text, place, gzipped, names: Vec::new(), rows: 0 };
        let columns = opened.map_err(|fault| source.fault(fault))?;
        if columns.names().is_empty() {
            return Err(Error::NoColumns { place: source.place });
        }
        source.names = column_names(&csv::ByteRecord::from(columns.names().to_vec()), &source.place)?;
        source.text = Rows::Columnar(Box::new(columns));
        Ok(source)
    }

    #[cfg(feature = "columnar")]
    fn fault(&self, fault: columnar::Fault) -> Error {
        match fault {
            columnar::Fault::Read(cause) => self.io_error(cause),
            columnar::Fault::Bad(problem) => Error::BadColumns { place: self.place.clone(), problem },
        }
    }

    /// Refuses columns whose values cannot be read, if they are needed; their fields are empty.
    pub(crate) fn check_columns(&self, is_needed: impl Fn(usize, &str) -> bool) -> Result<()> {
        #[cfg(feature = "columnar")]
        if let Rows::Columnar(columns) = &self.text {
            let needed = |(column, _): &&(usize, String)| is_needed(*column, &self.names[*column]);
            if let Some((column, what)) = columns.unreadable().iter().find(needed) {
                return Err(Error::BadColumnType {
                    place: self.place.clone(),
                    column: self.names[*column].clone(),
                    what: what.clone(),
                });
            }
        }
        #[cfg(not(feature = "columnar"))]
        let _ = is_needed;
        Ok(())
    }

    /// A column name that goes on after its closing quote, if there is one.
    pub(crate) fn half_quoted_name(&self) -> Option<&String> {
        let Rows::Csv(csv) = &self.text else { return None };
        csv.get_ref().half_quoted().and_then(|place| self.names.get(place))
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    /// Reads the next row; whether there was one.
    pub(crate) fn read(&mut self, row: &mut csv::ByteRecord) -> Result<bool> {
        let more = match &mut self.text {
            Rows::Json(lines) => return Ok(lines.next(row)),
            #[cfg(feature = "columnar")]
            Rows::Columnar(columns) => {
                let more = columns.next(row).map_err(|fault| self.fault(fault))?;
                self.rows += u64::from(more);
                return Ok(more);
            }
            Rows::Csv(csv) => csv.read_byte_record(row),
        };
        let more = more.map_err(|error| self.error(error))?;
        self.rows += u64::from(more);
        let again = more && self.says_names(row);
        match again {
            true => Err(Error::NamesAgain { place: self.place.clone(), line: line_of(row) }),
            false => Ok(more),
        }
    }

    /// Whether a row says the column names again, perhaps in capitals or behind the mark of another file.
    fn says_names(&self, row: &csv::ByteRecord) -> bool {
        let mark = "\u{feff}".as_bytes();
        let mut fields =
            row.iter().map(|field| field.strip_prefix(mark).unwrap_or(field)).zip(&self.names);
        fields.all(|(field, name)| field.eq_ignore_ascii_case(name.as_bytes()))
    }

    fn error(&self, error: csv::Error) -> Error {
        let place = self.place.clone();
        match error.into_kind() {
            csv::ErrorKind::UnequalLengths { pos, expected_len, len } => {
                let line = pos.map_or(0, |pos| pos.line());
                Error::Ragged { place, line, expected: expected_len, found: len }
            }
            csv::ErrorKind::Io(cause) => self.io_error(cause),
            other => Error::Read { place, cause: io::Error::other(format!("{other:?}")) },
        }
    }

    fn io_error(&self, cause: io::Error) -> Error {
        let place = self.place.clone();
        if let Some(&LimitReached(limit)) = inside(&cause) {
            let progress = format!("reading {} rows", self.rows);
            return Error::LimitReached { place, limit, progress };
        }
        if let Some(&BadQuote { line, fault }) = inside(&cause) {
            return Error::BadQuote { place, line, fault };
        }
        match self.gzipped {
            true => Error::BrokenGzip { place, cause },
            false => Error::Read { place, cause },
        }
    }
}

/// The error of ours that an error of the system carries.
fn inside<E: std::error::Error + 'static>(cause: &io::Error) -> Option<&E> {
    cause.get_ref().and_then(|inner| inner.downcast_ref())
}

/// What a file is, and what to do about it, if its first bytes say that it is no text.
fn no_text(start: &[u8]) -> Option<(&'static str, &'static str)> {
    const UTF16: (&str, &str) =
        ("UTF-16 text", "Convert it first, for example with `iconv -f utf-16 -t utf-8`.");
    const ARCHIVE: &str = "Unpack it first; only gzip is read as it is.";
    const SAVE: &str = "Save the table as CSV first.";
    const OLD: &str = "Read it with pandas, and write it as Parquet or CSV.";
    #[cfg(not(feature = "columnar"))]
    const FRAME: &str = "Convert it to CSV or JSON lines first, or build minrule with the feature `columnar`; Python \
                         reads it with pandas or polars, whose frames minrule takes as they are.";
    const KINDS: &[(&[u8], (&str, &str))] = &[
        (b"\xff\xfe", UTF16),
        (b"\xfe\xff", UTF16),
        (b"PK\x03\x04", ("a ZIP archive, or a spreadsheet such as Excel's", SAVE)),
        (b"\xd0\xcf\x11\xe0", ("a spreadsheet or document of an older Office", SAVE)),
        #[cfg(not(feature = "columnar"))]
        (b"PAR1", ("a Parquet file", FRAME)),
        #[cfg(not(feature = "columnar"))]
        (b"ARROW1", ("an Arrow file", FRAME)),
        #[cfg(not(feature = "columnar"))]
        (b"\xff\xff\xff\xff", ("a stream of Arrow", FRAME)),
        (b"FEA1", ("a Feather file of the first version", OLD)),
        (b"SQLite format 3\0", ("an SQLite database", SAVE)),
        (b"%PDF-", ("a PDF document", SAVE)),
        (b"\x28\xb5\x2f\xfd", ("packed with zstd", ARCHIVE)),
        (b"\xfd7zXZ\0", ("packed with xz", ARCHIVE)),
        (b"BZh91AY&SY", ("packed with bzip2", ARCHIVE)),
        (b"7z\xbc\xaf\x27\x1c", ("a 7z archive", ARCHIVE)),
    ];
    let known = KINDS.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, what)| *what);
    // Without a mark, text of two bytes a character has a zero in every second one.
    let zeros = |odd: usize| start.len() >= 4 && (0..2).all(|i| start[2 * i + odd] == 0);
    known.or((zeros(0) != zeros(1)).then_some(UTF16))
}

/// What a file of columns is, if it is one; an error if only its name says so.
#[cfg(feature = "columnar")]
fn columnar_format(place: &str, start: &[u8]) -> Result<Option<Format>> {
    let format = Format::of(start);
    if format.is_none() && !start.is_empty() && columnar::is_named_so(place) {
        return Err(Error::NotText {
            place: place.to_string(),
            what: "neither Parquet nor Arrow, whatever its name says",
            remedy: "Name it after what it is, such as `.csv`, or write it again.",
        });
    }
    Ok(format)
}

/// Text as it is, or unpacked.
enum Text<R> {
    Plain(R),
    Gzip(Box<BufReader<MultiGzDecoder<R>>>),
}

impl<R: BufRead> Text<R> {
    /// The first bytes, which are read again.
    fn start(&mut self) -> io::Result<&[u8]> {
        match self {
            Text::Plain(reader) => reader.fill_buf(),
            Text::Gzip(reader) => reader.fill_buf(),
        }
    }
}

impl<R: BufRead> Read for Text<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Text::Plain(reader) => reader.read(buffer),
            Text::Gzip(reader) => reader.read(buffer),
        }
    }
}

/// Reads a table.
pub(crate) fn parse(reader: impl BufRead, place: &str, options: &TableOptions) -> Result<Table> {
    let written = (options.separator, options.spelling.decimal);
    let mut source = Source::open(reader, place, written, &options.limits, BUFFER)?;
    let half_quoted_name = source.half_quoted_name().cloned();
    let place = place.to_string();
    let names = source.names().to_vec();
    if let [name] = &names[..] {
        return Err(Error::OneColumn { place, name: name.clone() });
    }
    let roles = assign_roles(&names, &place, options)?;
    source.check_columns(|position, _| roles[position] != Role::Ignored)?;
    let mut readers: Vec<ColumnReader> = (0..names.len())
        .filter(|&position| roles[position] != Role::Ignored)
        .map(|position| ColumnReader::new(position, &names[position], roles[position]))
        .collect();

    // Rows are read in batches and stored column by column: each column's dictionary stays in
    // the cache while it is looked up, and columns can be filled side by side.
    let batch_rows = (BATCH_FIELDS / names.len()).clamp(1, BATCH_ROWS);
    let mut batch = vec![csv::ByteRecord::new()];
    let mut rows_left_out = 0;
    let mut first_line = None;
    loop {
        let mut filled = 0;
        while filled < batch_rows && source.read(&mut batch[filled])? {
            first_line = first_line.or_else(|| Some(line_of(&batch[filled])));
            if !keeps_row(&batch[filled], &readers, options, &place)? {
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
        let seen_any = first_line.is_some();
        return Err(if seen_any { Error::AllRowsDropped { place } } else { Error::NoRows { place } });
    }
    let spelled = |column: Column| options.spelling.spelled(column, options.recognise);
    let features: Vec<Column> = features.into_par_iter().map(spelled).collect();
    if rows_left_out == 0
        && let Some(columns) = second_header(&features, target.codes.len())
    {
        let line = first_line.unwrap_or_default();
        return Err(Error::SecondHeader { place, line, columns });
    }
    let table = Table::of(place, features, target, options);
    Table { rows_left_out, half_quoted_name, ..table }.with_two_classes()
}

/// Rows below which a first row of texts above numbers is no second line of names.
const FEW_ROWS: usize = 8;

/// The columns whose first row is a text above nothing but numbers, if there are several: then that row
/// is no row but says more about the columns, such as their units.
fn second_header(features: &[Column], rows: usize) -> Option<Vec<String>> {
    let text_above_numbers = |column: &&Column| {
        let number = |code: u32| column.values.get(code).parse().is_ok_and(f64::is_finite);
        let missing = |code: u32| column.missing == Some(code);
        // The first row has code 0, and no other row may have it.
        let numbers = 1..column.values.len() as u32;
        let first_alone = column.codes.iter().filter(|&code| code == 0).nth(1).is_none();
        !column.is_nominal()
            && numbers.len() > 2
            && !missing(0)
            && !number(0)
            && numbers.into_iter().all(|code| missing(code) || number(code))
            && first_alone
    };
    let columns = features.iter().filter(text_above_numbers).map(|column| column.name.clone());
    let columns: Vec<String> = if rows < FEW_ROWS { Vec::new() } else { columns.collect() };
    (columns.len() > 1).then_some(columns)
}

/// Whether a row is used: a missing value decides about its whole row, so it is looked for before
/// any field is stored. With the default policy only the class matters.
fn keeps_row(
    row: &csv::ByteRecord,
    readers: &[ColumnReader],
    options: &TableOptions,
    place: &str,
) -> Result<bool> {
    let mut keeps = true;
    for reader in readers {
        let in_question = reader.role == Role::Target || options.missing != Missing::Value;
        let name = reader.column.name();
        if in_question && options.spelling.is_missing_in(name, &row[reader.position]) {
            let (place, line, column) = (place.to_string(), line_of(row), name.to_string());
            match (options.missing, reader.role) {
                (Missing::DropRows, _) => keeps = false,
                (_, Role::Target) if column == nameless(reader.position) && options.target.is_none() => {
                    return Err(Error::NamelessClass { place, line });
                }
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

/// A spreadsheet's unnamed index column still needs a name for rules to speak of.
fn nameless(position: usize) -> String {
    format!("column {}", position + 1)
}

fn column_names(header: &csv::ByteRecord, place: &str) -> Result<Vec<String>> {
    let mut names: Vec<String> = Vec::with_capacity(header.len());
    let mut positions = hashbrown::HashMap::new();
    for (i, field) in header.iter().enumerate() {
        let name = std::str::from_utf8(field).map_err(|_| Error::NotUtf8 {
            place: place.to_string(),
            line: 1,
            column: (i + 1).to_string(),
        })?;
        let name = if name.is_empty() { nameless(i) } else { name.to_string() };
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
    options.spelling.columns().try_for_each(|name| find(name).map(drop))?;
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

/// Passes bytes on as long as there is time, nobody asks to stop, and the process holds no more memory
/// than it may.
pub(crate) struct LimitedReader<R> {
    inner: R,
    limits: Limits,
    /// Bytes since the memory was last looked at.
    unseen: usize,
}

/// What kept a table from being read to its end.
#[derive(Debug, thiserror::Error)]
#[error("{0:?}")]
struct LimitReached(StopReason);

/// Whether an error says that a limit was reached.
#[cfg(feature = "columnar")]
pub(crate) fn is_limit(cause: &io::Error) -> bool {
    inside::<LimitReached>(cause).is_some()
}

/// An error if a limit was reached.
#[cfg(feature = "columnar")]
pub(crate) fn within(limits: &Limits) -> io::Result<()> {
    let reached = limits.time_is_up().or_else(|| limits.memory_is_full());
    reached.map_or(Ok(()), |limit| Err(io::Error::other(LimitReached(limit))))
}

impl<R> LimitedReader<R> {
    pub(crate) fn new(inner: R, limits: &Limits) -> LimitedReader<R> {
        LimitedReader { inner, limits: limits.clone(), unseen: 0 }
    }
}

impl<R: Read> Read for LimitedReader<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n = self.inner.read(buffer)?;
        self.unseen += n;
        let mut reached = self.limits.time_is_up();
        // To ask for the memory takes a call to the system.
        if self.unseen >= BYTES_UNSEEN {
            self.unseen = 0;
            reached = reached.or_else(|| self.limits.memory_is_full());
        }
        reached.map_or(Ok(n), |limit| Err(io::Error::other(LimitReached(limit))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::limits::memory_in_use;

    #[test]
    fn a_field_without_end_is_read_only_as_far_as_memory_goes() {
        let endless = "a,c\n\"".as_bytes().chain(io::repeat(b'x'));
        let memory = memory_in_use().map(|used| used + (64 << 20));
        let limits = Limits { memory, ..Limits::default() };
        let options = TableOptions { limits, ..TableOptions::default() };
        // Where the system does not tell, there is no limit to keep.
        if memory.is_some() {
            let refused = Table::from_reader(endless, "test", &options).unwrap_err();
            let limit = StopReason::MemoryLimit;
            assert!(matches!(refused, Error::LimitReached { limit: l, .. } if l == limit), "{refused}");
        }
    }

    #[test]
    fn reading_ends_when_the_time_is_up() {
        let endless = "a,c\n".as_bytes().chain(io::repeat(b'\n'));
        let limits = Limits::default().with_time(std::time::Duration::from_millis(50));
        let options = TableOptions { limits, ..TableOptions::default() };
        let refused = Table::from_reader(endless, "test", &options).unwrap_err();
        assert!(
            matches!(refused, Error::LimitReached { limit: StopReason::TimeLimit, .. }),
            "{refused}"
        );
    }
}
