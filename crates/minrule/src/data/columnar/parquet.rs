//! Parquet files, some rows of each column at a time. The file is held in memory as it is, since what says where its
//! columns are comes last.

use std::cell::Cell;
use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};
use std::sync::Once;

use ::parquet::basic::{Compression, ConvertedType, LogicalType, TimeUnit, Type as Physical};
use ::parquet::column::reader::ColumnReader;
use ::parquet::data_type::AsBytes;
use ::parquet::errors::ParquetError;
use ::parquet::file::reader::{FileReader, SerializedFileReader};
use ::parquet::schema::types::ColumnDescriptor;
use bytes::Bytes;

use crate::data::columnar::arrow::half;
use crate::data::columnar::{Cells, Described, Fault, Meaning, Opened, Unit, read_all, whole_number};

/// A file and the place in it.
pub(super) struct Parquet {
    reader: SerializedFileReader<Bytes>,
    /// For each column its number among those that are no lists of others, and what it holds; nothing if it is not read.
    leaves: Vec<Option<(usize, Content)>>,
    /// The next group of rows.
    group: usize,
    /// What is left of the group at hand, and the readers of its columns.
    rows: usize,
    columns: Vec<Option<ColumnReader>>,
    /// Which of the rows have a value.
    levels: Vec<i16>,
}

/// What the values of a column are.
#[derive(Debug, Clone, Copy)]
enum Content {
    Plain,
    Whole { signed: bool, meaning: Meaning },
    Half,
    Text,
}

impl From<ParquetError> for Fault {
    fn from(error: ParquetError) -> Fault {
        match error {
            ParquetError::NYI(what) => Fault::Bad(format!("it needs what is not there: {what}")),
            error => Fault::damaged(error),
        }
    }
}

thread_local! {
    /// Whether this thread reads bytes that may be anything.
    static GUARDED: Cell<bool> = const { Cell::new(false) };
}

/// Runs what reads bytes that may be anything, and may panic on them. Nothing is printed then: that a file is damaged is no
/// bug.
fn guarded<T>(read: impl FnOnce() -> Result<T, Fault>) -> Result<T, Fault> {
    static QUIET: Once = Once::new();
    QUIET.call_once(|| {
        let before = take_hook();
        set_hook(Box::new(move |panic| {
            if !GUARDED.get() {
                before(panic);
            }
        }));
    });
    GUARDED.set(true);
    let result = catch_unwind(AssertUnwindSafe(read));
    GUARDED.set(false);
    result.unwrap_or_else(|_| Err(Fault::damaged("its reader gave up")))
}

impl Parquet {
    /// Reads what the file says of itself; with it come the columns, and what pandas says of them.
    pub(super) fn open(mut reader: impl Read) -> Result<Opened<Parquet>, Fault> {
        let file = read_all(&mut reader)?;
        guarded(|| Parquet::of(SerializedFileReader::new(file)?))
    }

    fn of(reader: SerializedFileReader<Bytes>) -> Result<Opened<Parquet>, Fault> {
        let metadata = reader.metadata();
        for column in metadata.row_groups().iter().flat_map(|group| group.columns()) {
            let unknown = match column.compression() {
                Compression::BROTLI(_) => "Brotli",
                Compression::LZO => "LZO",
                _ => continue,
            };
            return Err(Fault::Bad(format!("it is packed with {unknown}, which is not read")));
        }
        let schema = metadata.file_metadata().schema_descr();
        let mut described = Vec::new();
        let mut leaves = Vec::new();
        for (root, field) in schema.root_schema().get_fields().iter().enumerate() {
            let leaf = (0..schema.num_columns()).find(|&leaf| schema.get_column_root_idx(leaf) == root);
            let content = match leaf {
                Some(leaf) if field.is_primitive() => content(&schema.column(leaf)),
                _ => Err("lists or structs"),
            };
            let unreadable = content.err().map(str::to_string);
            described.push(Described { name: field.name().to_string(), unreadable });
            leaves.push(leaf.zip(content.ok()));
        }
        let said = metadata.file_metadata().key_value_metadata().into_iter().flatten();
        let pandas = said.filter(|said| said.key == "pandas").find_map(|said| said.value.clone());
        let (columns, levels) = (Vec::new(), Vec::new());
        let file = Parquet { reader, leaves, group: 0, rows: 0, columns, levels };
        Ok(Opened { file, described, pandas })
    }

    /// Writes at most so many rows into the cells of each column; how many there were.
    pub(super) fn fill(&mut self, cells: &mut [Cells], most: usize) -> Result<usize, Fault> {
        guarded(|| self.fill_unguarded(cells, most))
    }

    fn fill_unguarded(&mut self, cells: &mut [Cells], most: usize) -> Result<usize, Fault> {
        while self.rows == 0 {
            if self.group == self.reader.num_row_groups() {
                return Ok(0);
            }
            let group = self.reader.get_row_group(self.group)?;
            let rows = usize::try_from(group.metadata().num_rows());
            self.rows = rows.map_err(|_| Fault::damaged("a negative number of rows"))?;
            let open = |leaf: &Option<(usize, Content)>| {
                leaf.map(|(number, _)| group.get_column_reader(number)).transpose()
            };
            self.columns = self.leaves.iter().map(open).collect::<Result<_, _>>()?;
            self.group += 1;
        }
        let rows = self.rows.min(most);
        for (column, (reader, cells)) in self.columns.iter_mut().zip(cells).enumerate() {
            let (Some(reader), Some((_, content))) = (reader, self.leaves[column]) else { continue };
            write(reader, content, rows, &mut self.levels, cells)?;
        }
        self.rows -= rows;
        Ok(rows)
    }
}

/// Writes the next rows of a column.
fn write(
    reader: &mut ColumnReader,
    content: Content,
    rows: usize,
    levels: &mut Vec<i16>,
    cells: &mut Cells,
) -> Result<(), Fault> {
    macro_rules! write {
        ($reader:ident, $value:ident => $push:expr) => {{
            let mut values = Vec::new();
            levels.clear();
            let mut read = 0;
            while read < rows {
                let (records, ..) =
                    $reader.read_records(rows - read, Some(levels), None, &mut values)?;
                if records == 0 {
                    return Err(Fault::damaged("a column has too few rows"));
                }
                read += records;
            }
            let mut values = values.iter();
            // A column in which every row has a value has no levels.
            let has_levels = !levels.is_empty();
            for row in 0..rows {
                if has_levels && levels.get(row).is_none_or(|level| *level == 0) {
                    cells.push_missing();
                    continue;
                }
                let too_few = || Fault::damaged("a column has too few values");
                let $value = values.next().ok_or_else(too_few)?;
                $push
            }
        }};
    }
    match reader {
        ColumnReader::BoolColumnReader(reader) => write!(reader, value => cells.push_bool(*value)),
        ColumnReader::Int32ColumnReader(reader) => write!(reader, value => match content {
            Content::Whole { signed: false, meaning } => cells.push_whole((*value as u32).into(), meaning),
            Content::Whole { meaning, .. } => cells.push_whole((*value).into(), meaning),
            _ => cells.push_whole((*value).into(), Meaning::Number),
        }),
        ColumnReader::Int64ColumnReader(reader) => write!(reader, value => match content {
            Content::Whole { signed: false, meaning } => cells.push_whole((*value as u64).into(), meaning),
            Content::Whole { meaning, .. } => cells.push_whole((*value).into(), meaning),
            _ => cells.push_whole((*value).into(), Meaning::Number),
        }),
        ColumnReader::Int96ColumnReader(reader) => write!(reader, value => {
            cells.push_whole(value.to_micros().into(), Meaning::Moment(Unit::Micros, false))
        }),
        ColumnReader::FloatColumnReader(reader) => write!(reader, value => cells.push_float(*value)),
        ColumnReader::DoubleColumnReader(reader) => write!(reader, value => cells.push_float(*value)),
        ColumnReader::ByteArrayColumnReader(reader) => {
            write!(reader, value => push_bytes(value.as_bytes(), content, cells)?)
        }
        ColumnReader::FixedLenByteArrayColumnReader(reader) => {
            write!(reader, value => push_bytes(value.as_bytes(), content, cells)?)
        }
    }
    Ok(())
}

fn push_bytes(bytes: &[u8], content: Content, cells: &mut Cells) -> Result<(), Fault> {
    match content {
        Content::Whole { meaning, .. } => {
            let number = whole_number(bytes.iter().copied());
            let number = number
                .ok_or_else(|| Fault::Bad("a number in it has more than 38 digits".to_string()))?;
            cells.push_whole(number, meaning);
        }
        Content::Half => {
            let bits = bytes.first_chunk().ok_or_else(|| Fault::damaged("a number is too short"))?;
            cells.push_float(half(u16::from_le_bytes(*bits)));
        }
        Content::Text | Content::Plain => cells.push_text(bytes),
    }
    Ok(())
}

/// What a column holds, or what that is called if it is not read.
fn content(column: &ColumnDescriptor) -> Result<Content, &'static str> {
    if column.max_rep_level() > 0 {
        return Err("lists");
    }
    let whole = |meaning| Ok(Content::Whole { signed: true, meaning });
    let physical = column.physical_type();
    let is_whole = matches!(physical, Physical::INT32 | Physical::INT64);
    let is_bytes = matches!(physical, Physical::BYTE_ARRAY | Physical::FIXED_LEN_BYTE_ARRAY);
    let unit = |unit: &TimeUnit| match unit {
        TimeUnit::MILLIS => Unit::Millis,
        TimeUnit::MICROS => Unit::Micros,
        TimeUnit::NANOS => Unit::Nanos,
    };
    match column.logical_type_ref() {
        Some(LogicalType::String | LogicalType::Enum | LogicalType::Json) if is_bytes => {
            Ok(Content::Text)
        }
        Some(LogicalType::Decimal(decimal)) if is_whole || is_bytes => {
            whole(Meaning::Decimal(decimal.scale))
        }
        Some(LogicalType::Float16) if is_bytes => Ok(Content::Half),
        Some(LogicalType::Integer(int)) if is_whole => {
            Ok(Content::Whole { signed: int.is_signed, meaning: Meaning::Number })
        }
        Some(LogicalType::Date) if is_whole => whole(Meaning::Day),
        Some(LogicalType::Time(time)) if is_whole => whole(Meaning::Clock(unit(&time.unit))),
        Some(LogicalType::Timestamp(time)) if is_whole => {
            whole(Meaning::Moment(unit(&time.unit), time.is_adjusted_to_u_t_c))
        }
        // A column in which no row has a value.
        Some(LogicalType::Unknown) => Ok(Content::Plain),
        Some(_) => Err("binary data"),
        None => match column.converted_type() {
            ConvertedType::NONE if !is_bytes => Ok(Content::Plain),
            ConvertedType::UTF8 | ConvertedType::ENUM | ConvertedType::JSON if is_bytes => {
                Ok(Content::Text)
            }
            ConvertedType::DECIMAL => whole(Meaning::Decimal(column.type_scale())),
            ConvertedType::DATE if is_whole => whole(Meaning::Day),
            ConvertedType::TIME_MILLIS if is_whole => whole(Meaning::Clock(Unit::Millis)),
            ConvertedType::TIME_MICROS if is_whole => whole(Meaning::Clock(Unit::Micros)),
            ConvertedType::TIMESTAMP_MILLIS if is_whole => whole(Meaning::Moment(Unit::Millis, true)),
            ConvertedType::TIMESTAMP_MICROS if is_whole => whole(Meaning::Moment(Unit::Micros, true)),
            ConvertedType::UINT_8
            | ConvertedType::UINT_16
            | ConvertedType::UINT_32
            | ConvertedType::UINT_64
                if is_whole =>
            {
                Ok(Content::Whole { signed: false, meaning: Meaning::Number })
            }
            ConvertedType::INT_8
            | ConvertedType::INT_16
            | ConvertedType::INT_32
            | ConvertedType::INT_64
                if is_whole =>
            {
                Ok(Content::Plain)
            }
            ConvertedType::INTERVAL => Err("durations"),
            _ => Err("binary data"),
        },
    }
}
