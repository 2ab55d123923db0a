//! Parquet, Arrow and Feather files as rows of fields.
//!
//! Values become the texts that pandas and polars write into a CSV file, after which everything is as for CSV: a table
//! means the same in either file. They do so some thousand rows at a time.

mod arrow;
mod flatbuffer;
mod parquet;

use std::io::{self, Read, Write};

use bytes::Bytes;
use serde_json::Value as Json;

use crate::data::calendar::{day_text, moment_text};
use crate::data::columnar::arrow::Arrow;
use crate::data::columnar::parquet::Parquet;
use crate::data::read::{is_limit, within};
use crate::data::spelling::Decimal;
use crate::limits::Limits;

/// Rows that become texts at a time: as many as this, or fewer when they are wide.
const ROWS: usize = 8192;
/// Fields that do.
const FIELDS: usize = 1 << 20;

/// What a file is, by its first bytes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Format {
    Parquet,
    /// Also called Feather.
    ArrowFile,
    ArrowStream,
}

impl Format {
    pub(crate) fn of(start: &[u8]) -> Option<Format> {
        match start {
            // The second is encrypted, which its reader says.
            [b'P', b'A', b'R', b'1' | b'E', ..] => Some(Format::Parquet),
            [b'A', b'R', b'R', b'O', b'W', b'1', ..] => Some(Format::ArrowFile),
            [0xff, 0xff, 0xff, 0xff, ..] => Some(Format::ArrowStream),
            _ => None,
        }
    }
}

/// Whether a file of this name should be one of these.
pub(crate) fn is_named_so(place: &str) -> bool {
    let name = place.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    [".parquet", ".pq", ".arrow", ".feather", ".ipc"].iter().any(|end| name.ends_with(end))
}

/// What keeps a file from being read.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The reader says so.
    Read(io::Error),
    /// It is cut short, damaged, or written in a way that is not read.
    Bad(String),
}

impl Fault {
    fn damaged(problem: impl std::fmt::Display) -> Fault {
        Fault::Bad(format!("its data are cut short or damaged ({problem})"))
    }

    /// What went wrong while data were unpacked: a limit was reached, or they are damaged.
    fn of_unpacking(cause: io::Error) -> Fault {
        if is_limit(&cause) { Fault::Read(cause) } else { Fault::damaged(cause) }
    }
}

impl From<io::Error> for Fault {
    fn from(cause: io::Error) -> Fault {
        match cause.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::InvalidData => Fault::damaged(cause),
            _ => Fault::Read(cause),
        }
    }
}

/// Rows of a file, some of them at hand.
pub(crate) struct Columnar<R> {
    file: File<R>,
    limits: Limits,
    /// The columns that are given out, in order.
    columns: Vec<usize>,
    names: Vec<String>,
    /// Those of them that cannot be read, and why.
    unreadable: Vec<(usize, String)>,
    /// The rows at hand, by the file's columns, how many they are, and how many of them were given out.
    cells: Vec<Cells>,
    filled: usize,
    given: usize,
    rows: u64,
}

enum File<R> {
    Parquet(Box<Parquet>),
    Arrow(Box<Arrow<R>>),
}

/// A file as it is.
fn read_all(reader: &mut impl Read) -> Result<Bytes, Fault> {
    let mut bytes = Vec::new();
    reader.read_to_end(&mut bytes)?;
    Ok(bytes.into())
}

/// A file with its columns, and what pandas says of them.
struct Opened<F> {
    file: F,
    described: Vec<Described>,
    pandas: Option<String>,
}

impl<F> Opened<F> {
    fn map<G>(self, wrap: impl FnOnce(F) -> G) -> Opened<G> {
        let Opened { file, described, pandas } = self;
        Opened { file: wrap(file), described, pandas }
    }
}

/// A column as a file describes it: its name, or what keeps it from being read.
struct Described {
    name: String,
    unreadable: Option<String>,
}

impl<R: Read> Columnar<R> {
    /// Reads what the file says of itself. Numbers get this decimal mark.
    pub(crate) fn open(
        reader: R,
        format: Format,
        decimal: Decimal,
        limits: &Limits,
    ) -> Result<Columnar<R>, Fault> {
        let Opened { file, described, pandas } = match format {
            Format::Parquet => Parquet::open(reader)?.map(|file| File::Parquet(Box::new(file))),
            Format::ArrowFile | Format::ArrowStream => {
                let is_file = format == Format::ArrowFile;
                Arrow::open(reader, is_file, limits)?.map(|file| File::Arrow(Box::new(file)))
            }
        };
        let columns = order(&described, pandas.as_deref());
        let names = columns.iter().map(|&column| described[column].name.trim_ascii().to_string());
        let unreadable = columns.iter().enumerate().filter_map(|(position, &column)| {
            described[column].unreadable.clone().map(|what| (position, what))
        });
        Ok(Columnar {
            names: names.collect(),
            unreadable: unreadable.collect(),
            columns,
            cells: described.iter().map(|_| Cells::new(decimal)).collect(),
            file,
            limits: limits.clone(),
            filled: 0,
            given: 0,
            rows: 0,
        })
    }

    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Columns whose fields are left empty, since they cannot be read, and what they hold.
    pub(crate) fn unreadable(&self) -> &[(usize, String)] {
        &self.unreadable
    }

    /// Gives out the next row; whether there was one.
    pub(crate) fn next(&mut self, row: &mut csv::ByteRecord) -> Result<bool, Fault> {
        if self.given == self.filled {
            within(&self.limits)?;
            self.given = 0;
            self.cells.iter_mut().for_each(Cells::clear);
            let most = (FIELDS / self.cells.len().max(1)).clamp(1, ROWS);
            self.filled = match &mut self.file {
                File::Parquet(parquet) => parquet.fill(&mut self.cells, most)?,
                File::Arrow(arrow) => arrow.fill(&mut self.cells, most)?,
            };
            if self.filled == 0 {
                return Ok(false);
            }
        }
        row.clear();
        let cells = self.columns.iter().map(|&column| &self.cells[column]);
        cells.for_each(|cells| row.push_field(cells.get(self.given)));
        self.given += 1;
        self.rows += 1;
        let mut position = csv::Position::new();
        position.set_line(self.rows);
        row.set_position(Some(position));
        Ok(true)
    }
}

/// The columns in the order in which pandas writes them into a CSV file: those of its index come first. An index
/// without a name just numbers the rows, and is left out.
fn order(described: &[Described], pandas: Option<&str>) -> Vec<usize> {
    let said: Json = pandas.and_then(|text| serde_json::from_str(text).ok()).unwrap_or_default();
    let index: Vec<&str> =
        said["index_columns"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
    let is_index = |&column: &usize| index.contains(&described[column].name.as_str());
    let (first, rest): (Vec<usize>, Vec<usize>) = (0..described.len()).partition(is_index);
    let named = first.into_iter().filter(|&column| !is_unnamed_index(&described[column].name));
    named.chain(rest).collect()
}

/// What pandas calls an index that has no name.
fn is_unnamed_index(name: &str) -> bool {
    let number = name.strip_prefix("__index_level_").and_then(|rest| rest.strip_suffix("__"));
    number.is_some_and(|number| number.parse::<u32>().is_ok())
}

/// Fields of one column, as a CSV file would have them. One without a value is empty.
#[derive(Debug)]
struct Cells {
    decimal: Decimal,
    text: Vec<u8>,
    ends: Vec<usize>,
}

/// What the whole numbers that stand in a file mean.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Meaning {
    Number,
    /// So many of the digits are decimals.
    Decimal(i32),
    /// A day since 1970.
    Day,
    /// A time of day.
    Clock(Unit),
    /// A time since 1970, perhaps in UTC.
    Moment(Unit, bool),
}

/// What times are counted in.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Unit {
    Seconds,
    Millis,
    Micros,
    Nanos,
}

impl Unit {
    fn nanos(self) -> i128 {
        match self {
            Unit::Seconds => 1_000_000_000,
            Unit::Millis => 1_000_000,
            Unit::Micros => 1000,
            Unit::Nanos => 1,
        }
    }
}

impl Cells {
    fn new(decimal: Decimal) -> Cells {
        Cells { decimal, text: Vec::new(), ends: Vec::new() }
    }

    fn clear(&mut self) {
        self.text.clear();
        self.ends.clear();
    }

    fn len(&self) -> usize {
        self.ends.len()
    }

    /// A field; nothing where there is none.
    fn get(&self, place: usize) -> &[u8] {
        let Some(&end) = self.ends.get(place) else { return b"" };
        let start = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.text[start..end]
    }

    fn push_missing(&mut self) {
        self.ends.push(self.text.len());
    }

    fn push_text(&mut self, text: &[u8]) {
        self.text.extend_from_slice(text.trim_ascii());
        self.push_missing();
    }

    fn push_bool(&mut self, yes: bool) {
        self.push_text(if yes { b"True" } else { b"False" });
    }

    /// Adds a number that is written as precisely as its type has it: a short one has fewer digits.
    fn push_float(&mut self, number: impl std::fmt::Debug + Into<f64> + Copy) {
        if !number.into().is_nan() {
            let start = self.text.len();
            write!(self.text, "{number:?}").expect("a vector takes everything");
            self.mark_decimals(start);
        }
        self.push_missing();
    }

    fn push_whole(&mut self, number: i128, meaning: Meaning) {
        let start = self.text.len();
        let text = match meaning {
            Meaning::Number => None,
            Meaning::Decimal(scale) => decimal_text(number, scale),
            Meaning::Day => i64::try_from(number).ok().and_then(day_text),
            Meaning::Clock(unit) => clock_text(number * unit.nanos()),
            Meaning::Moment(unit, in_utc) => {
                let micros = i64::try_from((number * unit.nanos()).div_euclid(1000));
                let text = micros.ok().and_then(moment_text);
                text.map(|text| if in_utc { text + "Z" } else { text })
            }
        };
        match text {
            Some(text) => self.text.extend_from_slice(text.as_bytes()),
            // What is no date is a number.
            None => write!(self.text, "{number}").expect("a vector takes everything"),
        }
        if matches!(meaning, Meaning::Decimal(_)) {
            self.mark_decimals(start);
        }
        self.push_missing();
    }

    /// Gives the number that starts here the table's decimal mark.
    fn mark_decimals(&mut self, start: usize) {
        if self.decimal == Decimal::Comma {
            self.text[start..].iter_mut().filter(|byte| **byte == b'.').for_each(|byte| *byte = b',');
        }
    }
}

/// A number with so many decimals, all of them written.
fn decimal_text(number: i128, scale: i32) -> Option<String> {
    // More than any type has.
    const MOST: i32 = 76;
    let sign = if number < 0 { "-" } else { "" };
    let digits = number.unsigned_abs();
    match scale {
        0 => None,
        1..=MOST => {
            let scale = scale as usize;
            let digits = format!("{digits:0>width$}", width = scale + 1);
            let (whole, decimals) = digits.split_at(digits.len() - scale);
            Some(format!("{sign}{whole}.{decimals}"))
        }
        _ => Some(format!("{number}e{}", -i64::from(scale))),
    }
}

/// A time of day, as Python writes it; nothing if the number is none.
fn clock_text(nanos: i128) -> Option<String> {
    let nanos = u64::try_from(nanos).ok().filter(|&nanos| nanos < 86_400_000_000_000)?;
    let (seconds, decimals) = (nanos / 1_000_000_000, nanos % 1_000_000_000);
    let clock = format!("{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
    Some(match (decimals, decimals % 1000) {
        (0, _) => clock,
        (_, 0) => format!("{clock}.{:06}", decimals / 1000),
        _ => format!("{clock}.{decimals:09}"),
    })
}

/// A whole number from bytes, the most significant first; nothing if it has more than 38 digits or so.
fn whole_number(bytes: impl DoubleEndedIterator<Item = u8> + Clone) -> Option<i128> {
    let negative = bytes.clone().next().is_some_and(|byte| byte >= 0x80);
    let filler = if negative { 0xff } else { 0 };
    let mut number: i128 = if negative { -1 } else { 0 };
    let mut spare = 0;
    for (place, byte) in bytes.rev().enumerate() {
        match place {
            0 => number = (number & !0xff) | i128::from(byte),
            1..16 => {
                let shift = 8 * place as u32;
                number = (number & !(0xff << shift)) | (i128::from(byte) << shift);
            }
            _ => spare += u32::from(byte != filler),
        }
    }
    ((number < 0) == negative && spare == 0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(add: impl FnOnce(&mut Cells)) -> String {
        let mut cells = Cells::new(Decimal::Point);
        add(&mut cells);
        assert_eq!((cells.len(), cells.get(1)), (1, &b""[..]));
        String::from_utf8(cells.get(0).to_vec()).unwrap()
    }

    #[test]
    fn values_are_written_as_in_csv() {
        let whole = |number: i128, meaning| text(|cells| cells.push_whole(number, meaning));
        for (number, meaning, expected) in [
            (-7, Meaning::Number, "-7"),
            (i128::from(u64::MAX), Meaning::Number, "18446744073709551615"),
            (-1250, Meaning::Decimal(2), "-12.50"),
            (5, Meaning::Decimal(3), "0.005"),
            (5, Meaning::Decimal(0), "5"),
            (5, Meaning::Decimal(-2), "5e2"),
            (18_687, Meaning::Day, "2021-03-01"),
            (-1, Meaning::Day, "1969-12-31"),
            (10_000_000, Meaning::Day, "10000000"),
            (45_000, Meaning::Clock(Unit::Seconds), "12:30:00"),
            (45_000_500, Meaning::Clock(Unit::Millis), "12:30:00.500000"),
            (1, Meaning::Clock(Unit::Nanos), "00:00:00.000000001"),
            (86_400, Meaning::Clock(Unit::Seconds), "86400"),
            (1_614_601_800, Meaning::Moment(Unit::Seconds, false), "2021-03-01T12:30:00"),
            (1_614_601_800_250, Meaning::Moment(Unit::Millis, true), "2021-03-01T12:30:00.25Z"),
            (-1, Meaning::Moment(Unit::Nanos, false), "1969-12-31T23:59:59.999999"),
            (i128::from(i64::MAX), Meaning::Moment(Unit::Seconds, false), "9223372036854775807"),
            // A year that no float of microseconds reaches.
            (32_503_680_000, Meaning::Moment(Unit::Seconds, false), "3000-01-01T00:00:00"),
        ] {
            assert_eq!(whole(number, meaning), expected, "{meaning:?}");
        }
        assert_eq!(text(|cells| cells.push_float(0.1f32)), "0.1");
        assert_eq!(text(|cells| cells.push_float(1.0)), "1.0");
        assert_eq!(text(|cells| cells.push_float(f64::NAN)), "");
        assert_eq!(text(|cells| cells.push_float(f64::INFINITY)), "inf");
        assert_eq!(text(|cells| cells.push_text(b" a b\n")), "a b");
        let mut cells = Cells::new(Decimal::Comma);
        cells.push_float(1.5);
        cells.push_whole(125, Meaning::Decimal(2));
        cells.push_text(b"1.5");
        assert_eq!([cells.get(0), cells.get(1), cells.get(2)], [b"1,5", &b"1,25"[..], b"1.5"]);
    }

    #[test]
    fn whole_numbers_have_any_number_of_bytes() {
        let of = |bytes: &[u8]| whole_number(bytes.iter().copied());
        assert_eq!(of(&[]), Some(0));
        assert_eq!(of(&[0x80]), Some(-128));
        assert_eq!(of(&[1, 2]), Some(258));
        assert_eq!(of(&i128::MIN.to_be_bytes()), Some(i128::MIN));
        assert_eq!(of(&[&[0xff; 16][..], &(-5i128).to_be_bytes()].concat()), Some(-5));
        assert_eq!(of(&[&[0; 16][..], &7i128.to_be_bytes()].concat()), Some(7));
        assert_eq!(of(&[&[1][..], &[0; 16]].concat()), None);
        assert_eq!(of(&[&[0][..], &[0xff; 16]].concat()), None);
    }

    #[test]
    fn an_index_comes_first_or_not_at_all() {
        let columns = |names: &[&str]| -> Vec<Described> {
            let describe = |name: &&str| Described { name: name.to_string(), unreadable: None };
            names.iter().map(describe).collect()
        };
        let range = r#"{"index_columns": [{"kind": "range", "start": 0}]}"#;
        assert_eq!(order(&columns(&["a", "b"]), Some(range)), [0, 1]);
        let said = r#"{"index_columns": ["id", "__index_level_1__"]}"#;
        assert_eq!(order(&columns(&["a", "b", "id", "__index_level_1__"]), Some(said)), [2, 0, 1]);
        for said in [None, Some("no JSON"), Some("[]")] {
            assert_eq!(order(&columns(&["a", "__index_level_0__"]), said), [0, 1]);
        }
    }

    #[test]
    fn files_are_known_by_their_beginning_and_expected_by_their_names() {
        assert_eq!(Format::of(b"PAR1\x15"), Some(Format::Parquet));
        assert_eq!(Format::of(b"ARROW1\0\0"), Some(Format::ArrowFile));
        assert_eq!(Format::of(b"\xff\xff\xff\xff\x10"), Some(Format::ArrowStream));
        assert_eq!(Format::of(b"a,b\n"), None);
        assert!(is_named_so("a/B.PARQUET") && is_named_so("a.feather.gz") && !is_named_so("a.csv"));
    }
}
