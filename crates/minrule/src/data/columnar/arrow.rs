//! Arrow's format of files and streams (<https://arrow.apache.org/docs/format/Columnar.html>), message by message.
//!
//! Of a stream, one batch of rows is in memory at a time, and the dictionaries. A file is held as it is: its messages are
//! in any order, and a list in its end says where. polars writes dictionaries last, and the columns only there.

use std::io::Read;

use bytes::Bytes;
use hashbrown::HashMap;

use crate::data::columnar::flatbuffer::Record;
use crate::data::columnar::{Cells, Described, Fault, Meaning, Opened, Unit, read_all, whole_number};
use crate::data::read::LimitedReader;
use crate::data::spelling::Decimal;
use crate::limits::Limits;

/// The mark around a file.
const MARK: &[u8] = b"ARROW1";

/// Lists in lists; more than that nobody has.
const DEPTH: usize = 64;

/// The rows of a file or a stream.
pub(super) struct Arrow<R> {
    messages: Messages<R>,
    limits: Limits,
    fields: Vec<Field>,
    /// The values of each dictionary.
    dictionaries: HashMap<i64, Cells>,
    batch: Batch,
}

/// Where messages come from.
enum Messages<R> {
    Stream(R),
    /// The file, and where the messages are that are still to come.
    File(Bytes, std::vec::IntoIter<[i64; 3]>),
    /// There are no more.
    Ended,
}

/// Rows in memory, and those of them that were given out.
#[derive(Default)]
struct Batch {
    arrays: Vec<Array>,
    rows: usize,
    given: usize,
}

/// A column, or a part of one.
struct Field {
    name: String,
    /// How its values are laid out, or their type if that is not read.
    layout: Result<Layout, &'static str>,
    /// The dictionary that its numbers stand for places of, and the type of the values there.
    dictionary: Option<(i64, Result<Layout, &'static str>)>,
    /// Pieces of memory that a batch has for it, and whether it says how many more.
    buffers: usize,
    variadic: bool,
    children: Vec<Field>,
}

/// How values are laid out in memory.
#[derive(Debug, Clone, Copy)]
enum Layout {
    Nothing,
    Boolean,
    /// Whole numbers of so many bytes.
    Whole {
        width: usize,
        signed: bool,
        meaning: Meaning,
    },
    Half,
    Single,
    Double,
    /// Texts in one piece, and where each ends, in so many bytes.
    Text {
        width: usize,
    },
    /// Texts of which only the short ones are in place.
    TextView,
}

/// The values of a column in a batch.
struct Array {
    layout: Layout,
    dictionary: Option<i64>,
    /// A bit for each row that has a value; none if all have.
    valid: Option<Bytes>,
    /// Fixed room for each row; then where texts are.
    values: Bytes,
    texts: Vec<Bytes>,
}

/// A part of a file or a stream.
struct Message {
    metadata: Bytes,
    body: Bytes,
}

impl<R: Read> Arrow<R> {
    /// Reads the schema; with it come the columns, and what pandas says of them.
    pub(super) fn open(
        mut reader: R,
        is_file: bool,
        limits: &Limits,
    ) -> Result<Opened<Arrow<R>>, Fault> {
        let (messages, Schema { fields, pandas }) = match is_file {
            true => Messages::of_file(read_all(&mut reader)?)?,
            false => {
                let first = Message::read(&mut reader)?;
                let schema = first.as_ref().and_then(Message::header).filter(|(kind, _)| *kind == 1);
                let (_, schema) =
                    schema.ok_or_else(|| Fault::damaged("it does not begin with its columns"))?;
                (Messages::Stream(reader), Schema::new(schema)?)
            }
        };
        let described = fields.iter().map(Field::described).collect();
        let batch = Batch::default();
        let (dictionaries, limits) = (HashMap::new(), limits.clone());
        let file = Arrow { messages, limits, fields, dictionaries, batch };
        Ok(Opened { file, described, pandas })
    }

    /// Writes at most so many rows into the cells of each column; how many there were.
    pub(super) fn fill(&mut self, cells: &mut [Cells], most: usize) -> Result<usize, Fault> {
        while self.batch.given == self.batch.rows {
            let Some(message) = self.messages.next()? else { return Ok(0) };
            let read = message.record_batch(&self.fields, &self.limits)?;
            match read {
                Part::Rows(batch) => self.batch = batch,
                Part::Dictionary { id, array, rows, adds } => {
                    let known = self.dictionaries.entry(id);
                    let values = known.or_insert_with(|| Cells::new(decimal_of(cells)));
                    if !adds {
                        values.clear();
                    }
                    (0..rows).try_for_each(|row| array.write(row, &HashMap::new(), values))?;
                }
                Part::Other => {}
            }
        }
        let Batch { arrays, rows, given } = &mut self.batch;
        let these = *given..*rows.min(&mut (*given + most));
        for (array, cells) in arrays.iter().zip(cells) {
            these.clone().try_for_each(|row| array.write(row, &self.dictionaries, cells))?;
        }
        *given = these.end;
        Ok(these.len())
    }
}

impl<R: Read> Messages<R> {
    /// The messages of a file, dictionaries first, and what its end says of its columns.
    fn of_file(file: Bytes) -> Result<(Messages<R>, Schema), Fault> {
        let damaged = || Fault::damaged("its end is missing");
        let (rest, length) =
            file.strip_suffix(MARK).and_then(<[u8]>::split_last_chunk).ok_or_else(damaged)?;
        let start = usize::try_from(i32::from_le_bytes(*length)).ok();
        let start = start.and_then(|length| rest.len().checked_sub(length)).ok_or_else(damaged)?;
        let footer = Record::root(&rest[start..]).ok_or_else(damaged)?;
        let schema = footer.record(1).ok_or_else(damaged)?;
        let mut places = footer.longs::<3>(2).ok_or_else(damaged)?;
        places.extend(footer.longs::<3>(3).ok_or_else(damaged)?);
        let schema = Schema::new(schema)?;
        Ok((Messages::File(file, places.into_iter()), schema))
    }

    /// The next message; nothing after the last.
    fn next(&mut self) -> Result<Option<Message>, Fault> {
        let next = match self {
            Messages::Stream(reader) => Message::read(reader)?,
            Messages::File(file, places) => match places.next() {
                Some(place) => Some(Message::at(file, place)?),
                None => None,
            },
            Messages::Ended => None,
        };
        if next.is_none() {
            if let Messages::Stream(reader) = self {
                // Whoever wants to know all bytes gets what follows, too.
                std::io::copy(reader, &mut std::io::sink())?;
            }
            *self = Messages::Ended;
        }
        Ok(next)
    }
}

/// The decimal mark of all cells.
fn decimal_of(cells: &[Cells]) -> Decimal {
    cells.first().map_or(Decimal::Point, |cells| cells.decimal)
}

/// What a message brings.
enum Part {
    Rows(Batch),
    Dictionary {
        id: i64,
        array: Array,
        rows: usize,
        adds: bool,
    },
    /// Nothing that is needed.
    Other,
}

impl Message {
    /// The next message; nothing after the last.
    fn read(reader: &mut impl Read) -> Result<Option<Message>, Fault> {
        let mut length = [0; 4];
        // Some end a stream without saying so.
        let read = reader.read(&mut length)?;
        if read == 0 {
            return Ok(None);
        }
        reader.read_exact(&mut length[read..])?;
        if length == [0xff; 4] {
            reader.read_exact(&mut length)?;
        }
        let metadata = Bytes::from(read_bytes(reader, u64::from(u32::from_le_bytes(length)))?);
        if metadata.is_empty() {
            return Ok(None);
        }
        let message = Record::root(&metadata).ok_or_else(|| Fault::damaged("a message is none"))?;
        let length = u64::try_from(message.long(3).unwrap_or(0));
        let length = length.map_err(|_| Fault::damaged("a message has a negative length"))?;
        let body = read_bytes(reader, length)?.into();
        Ok(Some(Message { metadata, body }))
    }

    /// The message at this place, of so many bytes, and with a body of so many.
    fn at(file: &Bytes, [offset, length, body]: [i64; 3]) -> Result<Message, Fault> {
        let message = || {
            let start = usize::try_from(offset).ok()?;
            // What stands in the other half is padding.
            let length = usize::try_from(length as u32).ok()?;
            let middle = start.checked_add(length)?;
            let end = middle.checked_add(usize::try_from(body).ok()?)?;
            let metadata = file.get(start..middle)?;
            let body = file.get(middle..end).map(|body| file.slice_ref(body))?;
            let prefix = if metadata.starts_with(&[0xff; 4]) { 8 } else { 4 };
            Some(Message { metadata: file.slice_ref(metadata.get(prefix..)?), body })
        };
        message().ok_or_else(|| Fault::damaged("a message is not where it should be"))
    }

    /// What the message is about, by number, and that.
    fn header(&self) -> Option<(u8, Record<'_>)> {
        let message = Record::root(&self.metadata)?;
        Some((message.byte(1)?, message.record(2)?))
    }

    /// The rows or the values that the message brings.
    fn record_batch(&self, fields: &[Field], limits: &Limits) -> Result<Part, Fault> {
        let damaged = || Fault::damaged("a batch of rows is not as described");
        match self.header() {
            Some((3, batch)) => {
                let mut parts = Parts::new(batch, &self.body, limits)?;
                let arrays: Result<Vec<Array>, Fault> =
                    fields.iter().map(|field| parts.array(field, parts.rows)).collect();
                Ok(Part::Rows(Batch { arrays: arrays?, rows: parts.rows, given: 0 }))
            }
            Some((2, dictionary)) => {
                let id = dictionary.long(0).unwrap_or(0);
                let field = fields.iter().find_map(|field| match &field.dictionary {
                    Some((known, Ok(layout))) if *known == id => Some(*layout),
                    _ => None,
                });
                let Some(layout) = field else { return Ok(Part::Other) };
                let batch = dictionary.record(1).ok_or_else(damaged)?;
                let mut parts = Parts::new(batch, &self.body, limits)?;
                let array = parts.array(&Field::of_values(layout), parts.rows)?;
                let adds = dictionary.byte(2).unwrap_or(0) != 0;
                Ok(Part::Dictionary { id, array, rows: parts.rows, adds })
            }
            Some((1, _)) | None => Err(damaged()),
            Some(_) => Ok(Part::Other),
        }
    }
}

/// What a file says of its columns, and pandas.
struct Schema {
    fields: Vec<Field>,
    pandas: Option<String>,
}

impl Schema {
    fn new(schema: Record) -> Result<Schema, Fault> {
        if schema.short(0).unwrap_or(0) != 0 {
            return Err(Fault::Bad("its numbers are written big end first".to_string()));
        }
        let fields = || schema.records(1)?.into_iter().map(|field| Field::new(field, DEPTH)).collect();
        let fields: Option<Vec<Field>> = fields();
        let fields = fields.ok_or_else(|| Fault::damaged("a column is not described"))?;
        let said = schema.records(2).unwrap_or_default();
        let pandas = said.iter().find(|said| said.text(0) == Some("pandas"));
        Ok(Schema { fields, pandas: pandas.and_then(|said| said.text(1)).map(str::to_string) })
    }
}

/// So many bytes; memory is taken only for those that are there.
fn read_bytes(reader: &mut impl Read, length: u64) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    let read = reader.take(length).read_to_end(&mut bytes)?;
    match read as u64 == length {
        true => Ok(bytes),
        false => Err(Fault::damaged("the file ends too early")),
    }
}

impl Field {
    /// Reads a description; nothing if it is none.
    fn new(field: Record, depth: usize) -> Option<Field> {
        let number = field.byte(2)?;
        let (layout, buffers, variadic) = described(number, field.record(3)?)?;
        let name = field.text(0).unwrap_or_default().to_string();
        let Some(dictionary) = field.record(4) else {
            let children = field.records(5)?.into_iter();
            let depth = depth.checked_sub(1)?;
            let children = children.map(|child| Field::new(child, depth)).collect::<Option<_>>()?;
            return Some(Field { name, layout, dictionary: None, buffers, variadic, children });
        };
        let keys = match dictionary.record(1) {
            Some(keys) => whole(keys),
            None => Some(Layout::Whole { width: 4, signed: true, meaning: Meaning::Number }),
        };
        let dictionary = Some((dictionary.long(0).unwrap_or(0), layout));
        Some(Field {
            name,
            layout: Ok(keys?),
            dictionary,
            buffers: 2,
            variadic: false,
            children: vec![],
        })
    }

    /// The values of a dictionary.
    fn of_values(layout: Layout) -> Field {
        let (buffers, variadic) = match layout {
            Layout::Nothing => (0, false),
            Layout::Text { .. } => (3, false),
            Layout::TextView => (2, true),
            _ => (2, false),
        };
        let name = String::new();
        Field { name, layout: Ok(layout), dictionary: None, buffers, variadic, children: Vec::new() }
    }

    fn described(&self) -> Described {
        let values = self.dictionary.as_ref().map_or(self.layout, |(_, values)| *values);
        Described { name: self.name.clone(), unreadable: values.err().map(str::to_string) }
    }
}

/// Whole numbers as described.
fn whole(int: Record) -> Option<Layout> {
    let width = int.int(0).unwrap_or(0);
    let signed = int.byte(1).unwrap_or(0) != 0;
    let known = matches!(width, 8 | 16 | 32 | 64);
    known.then_some(Layout::Whole { width: width as usize / 8, signed, meaning: Meaning::Number })
}

/// How values of a type are laid out, or what that type is called; how many pieces of memory they take, and whether there
/// are more. Nothing if there is no such type.
fn described(number: u8, kind: Record) -> Option<(Result<Layout, &'static str>, usize, bool)> {
    let signed = |width, meaning| Layout::Whole { width, signed: true, meaning };
    let unit = |number: i16| match number {
        0 => Some(Unit::Seconds),
        1 => Some(Unit::Millis),
        2 => Some(Unit::Micros),
        3 => Some(Unit::Nanos),
        _ => None,
    };
    let layout = match number {
        1 => Layout::Nothing,
        2 => whole(kind)?,
        3 => match kind.short(0).unwrap_or(0) {
            0 => Layout::Half,
            1 => Layout::Single,
            2 => Layout::Double,
            _ => return None,
        },
        5 => Layout::Text { width: 4 },
        6 => Layout::Boolean,
        7 => {
            let bits = kind.int(2).unwrap_or(128);
            let known = matches!(bits, 32 | 64 | 128 | 256);
            let meaning = Meaning::Decimal(kind.int(1).unwrap_or(0));
            known.then(|| signed(bits as usize / 8, meaning))?
        }
        8 => match kind.short(0).unwrap_or(1) {
            0 => signed(4, Meaning::Day),
            1 => signed(8, Meaning::Moment(Unit::Millis, false)),
            _ => return None,
        },
        9 => {
            let bits = kind.int(1).unwrap_or(32);
            let meaning = Meaning::Clock(unit(kind.short(0).unwrap_or(1))?);
            matches!(bits, 32 | 64).then(|| signed(bits as usize / 8, meaning))?
        }
        10 => {
            let in_utc = kind.text(1).is_some_and(|zone| !zone.is_empty());
            signed(8, Meaning::Moment(unit(kind.short(0).unwrap_or(0))?, in_utc))
        }
        20 => Layout::Text { width: 8 },
        24 => Layout::TextView,
        4 | 19 => return Some((Err("binary data"), 3, false)),
        15 => return Some((Err("binary data"), 2, false)),
        23 => return Some((Err("binary data"), 2, true)),
        11 | 18 => return Some((Err("durations"), 2, false)),
        12 | 21 => return Some((Err("lists"), 2, false)),
        16 => return Some((Err("lists"), 1, false)),
        25 | 26 => return Some((Err("lists"), 3, false)),
        13 => return Some((Err("structs"), 1, false)),
        14 => return Some((Err("unions"), if kind.short(0).unwrap_or(0) == 0 { 1 } else { 2 }, false)),
        17 => return Some((Err("maps"), 2, false)),
        22 => return Some((Err("runs of values"), 0, false)),
        _ => return None,
    };
    let Field { buffers, variadic, .. } = Field::of_values(layout);
    Some((Ok(layout), buffers, variadic))
}

/// The pieces of a batch, in the order of its columns.
struct Parts<'b> {
    rows: usize,
    nodes: std::vec::IntoIter<[i64; 2]>,
    buffers: std::vec::IntoIter<[i64; 2]>,
    variadic: std::vec::IntoIter<[i64; 1]>,
    packed: Option<Packed>,
    body: &'b Bytes,
    limits: &'b Limits,
}

#[derive(Clone, Copy)]
enum Packed {
    Lz4,
    Zstd,
}

impl<'b> Parts<'b> {
    fn new(batch: Record, body: &'b Bytes, limits: &'b Limits) -> Result<Parts<'b>, Fault> {
        let packed = match batch
            .record(3)
            .map(|packed| (packed.byte(0).unwrap_or(0), packed.byte(1).unwrap_or(0)))
        {
            None => None,
            Some((0, 0)) => Some(Packed::Lz4),
            Some((1, 0)) => Some(Packed::Zstd),
            Some(_) => return Err(Fault::Bad("it is packed in a way that is not known".to_string())),
        };
        let rows = usize::try_from(batch.long(0).unwrap_or(0)).ok();
        let lists = || Some((rows?, batch.longs(1)?, batch.longs(2)?, batch.longs(4)?));
        let (rows, nodes, buffers, variadic) =
            lists().ok_or_else(|| Fault::damaged("a batch of rows is none"))?;
        let (nodes, buffers, variadic) = (nodes.into_iter(), buffers.into_iter(), variadic.into_iter());
        Ok(Parts { rows, nodes, buffers, variadic, packed, body, limits })
    }

    /// The values of a field, which comes next.
    fn array(&mut self, field: &Field, rows: usize) -> Result<Array, Fault> {
        let damaged = || Fault::damaged(format_args!("the values of column \"{}\"", field.name));
        let [length, without_value] = self.nodes.next().ok_or_else(damaged)?;
        let more = match field.variadic {
            true => {
                self.variadic.next().and_then(|[more]| usize::try_from(more).ok()).ok_or_else(damaged)?
            }
            false => 0,
        };
        let count = field.buffers.checked_add(more).filter(|&count| count <= self.buffers.len());
        let mut places = (0..count.ok_or_else(damaged)?)
            .filter_map(|_| self.buffers.next())
            .collect::<Vec<_>>()
            .into_iter();
        let Ok(layout) = field.layout else {
            // It is not looked at, nor is what is in it.
            field.children.iter().try_for_each(|child| self.array(child, 0).map(drop))?;
            return Ok(Array::nothing());
        };
        let dictionary = field.dictionary.as_ref().map(|(id, _)| *id);
        // Inside a column that is not read, nobody looks at values.
        if rows == 0 || field.dictionary.as_ref().is_some_and(|(_, values)| values.is_err()) {
            return Ok(Array::nothing());
        }
        if length != rows as i64 {
            return Err(damaged());
        }
        let mut next = || self.unpacked(places.next().ok_or_else(damaged)?);
        let (mut valid, mut values, mut texts) = (None, Bytes::new(), Vec::new());
        if !matches!(layout, Layout::Nothing) {
            valid = Some(next()?).filter(|_| without_value != 0);
            values = next()?;
            for place in places {
                texts.push(self.unpacked(place)?);
            }
        }
        let array = Array { layout, dictionary, valid, values, texts };
        if array.fits(rows) { Ok(array) } else { Err(damaged()) }
    }

    /// A piece of the body, unpacked; what is not packed stays where it is.
    fn unpacked(&self, [offset, length]: [i64; 2]) -> Result<Bytes, Fault> {
        let damaged = || Fault::damaged("a piece of it is not where it should be");
        let place = || {
            let (offset, length) = (usize::try_from(offset).ok()?, usize::try_from(length).ok()?);
            let end = offset.checked_add(length).filter(|&end| end <= self.body.len())?;
            Some(self.body.slice(offset..end))
        };
        let bytes = place().ok_or_else(damaged)?;
        let Some(packed) = self.packed.filter(|_| !bytes.is_empty()) else { return Ok(bytes) };
        let (length, bytes) = bytes.split_first_chunk().ok_or_else(damaged)?;
        let length = match i64::from_le_bytes(*length) {
            -1 => return Ok(self.body.slice_ref(bytes)),
            length => u64::try_from(length).map_err(|_| damaged())?,
        };
        let unpacking: Box<dyn Read> = match packed {
            Packed::Lz4 => Box::new(lz4_flex::frame::FrameDecoder::new(bytes)),
            Packed::Zstd => Box::new(zstd::stream::read::Decoder::with_buffer(bytes)?),
        };
        let mut limited = LimitedReader::new(unpacking.take(length), self.limits);
        let mut unpacked = Vec::new();
        let read = limited.read_to_end(&mut unpacked).map_err(Fault::of_unpacking)?;
        if read as u64 == length { Ok(unpacked.into()) } else { Err(damaged()) }
    }
}

impl Array {
    /// That of a column that is not read.
    fn nothing() -> Array {
        Array {
            layout: Layout::Nothing,
            dictionary: None,
            valid: None,
            values: Bytes::new(),
            texts: vec![],
        }
    }

    /// Whether there is room for so many rows. Where texts are is seen when they are read.
    fn fits(&self, rows: usize) -> bool {
        let needed = match self.layout {
            Layout::Nothing => Some(0),
            Layout::Boolean => Some(rows.div_ceil(8)),
            Layout::Whole { width, .. } => rows.checked_mul(width),
            Layout::Half => rows.checked_mul(2),
            Layout::Single => rows.checked_mul(4),
            Layout::Double => rows.checked_mul(8),
            Layout::Text { width } => rows.checked_add(1).and_then(|ends| ends.checked_mul(width)),
            Layout::TextView => rows.checked_mul(16),
        };
        let valid = self.valid.as_ref().is_none_or(|bits| bits.len() >= rows.div_ceil(8));
        valid && needed.is_some_and(|needed| self.values.len() >= needed)
    }

    /// Writes the value of a row.
    fn write(
        &self,
        row: usize,
        dictionaries: &HashMap<i64, Cells>,
        cells: &mut Cells,
    ) -> Result<(), Fault> {
        let bit = |bits: &[u8]| bits[row / 8] >> (row % 8) & 1 == 1;
        let values = &self.values;
        if self.valid.as_ref().is_some_and(|valid| !bit(valid)) {
            cells.push_missing();
            return Ok(());
        }
        match self.layout {
            Layout::Nothing => cells.push_missing(),
            Layout::Boolean => cells.push_bool(bit(values)),
            Layout::Whole { width, signed, meaning } => {
                let bytes = values[row * width..][..width].iter().rev().copied();
                // What has no sign begins with a zero.
                let number = match signed {
                    true => whole_number(bytes),
                    false => whole_number(std::iter::once(0).chain(bytes)),
                };
                let number = number
                    .ok_or_else(|| Fault::Bad("a number in it has more than 38 digits".to_string()))?;
                match self.dictionary {
                    None => cells.push_whole(number, meaning),
                    Some(id) => {
                        let known = dictionaries.get(&id);
                        let place = usize::try_from(number).ok();
                        let text = known.zip(place).filter(|(known, place)| *place < known.len());
                        let (known, place) =
                            text.ok_or_else(|| Fault::damaged("a dictionary lacks a value"))?;
                        cells.push_text(known.get(place));
                    }
                }
            }
            Layout::Half => cells.push_float(half(u16::from_le_bytes(chunk(values, row)))),
            Layout::Single => cells.push_float(f32::from_le_bytes(chunk(values, row))),
            Layout::Double => cells.push_float(f64::from_le_bytes(chunk(values, row))),
            Layout::Text { .. } | Layout::TextView => {
                let text =
                    self.text(row).ok_or_else(|| Fault::damaged("a text is not where it should be"))?;
                cells.push_text(text);
            }
        }
        Ok(())
    }

    fn text(&self, row: usize) -> Option<&[u8]> {
        let Layout::Text { width } = self.layout else { return self.viewed(row) };
        let end = |row: usize| match width {
            4 => usize::try_from(i32::from_le_bytes(chunk(&self.values, row))).ok(),
            _ => usize::try_from(i64::from_le_bytes(chunk(&self.values, row))).ok(),
        };
        self.texts.first()?.get(end(row)?..end(row + 1)?)
    }

    /// A text by its view: its length, and itself, or its beginning, its piece of memory and its place there.
    fn viewed(&self, row: usize) -> Option<&[u8]> {
        let view = &self.values[16 * row..][..16];
        let number = |place: usize| usize::try_from(i32::from_le_bytes(chunk(view, place))).ok();
        let length = number(0)?;
        if length <= 12 {
            return Some(&view[4..4 + length]);
        }
        let start = number(3)?;
        self.texts.get(number(2)?)?.get(start..start.checked_add(length)?)
    }
}

/// The bytes of one of many numbers.
fn chunk<const N: usize>(bytes: &[u8], place: usize) -> [u8; N] {
    *bytes[N * place..].first_chunk().expect("their number was checked")
}

/// A number of half precision.
pub(super) fn half(bits: u16) -> f32 {
    let sign = if bits >> 15 == 1 { -1.0 } else { 1.0 };
    let (exponent, fraction) = (i32::from(bits >> 10 & 31), f32::from(bits & 1023) / 1024.0);
    sign * match exponent {
        0 => fraction * 2f32.powi(-14),
        31 if fraction == 0.0 => f32::INFINITY,
        31 => f32::NAN,
        _ => (1.0 + fraction) * 2f32.powi(exponent - 15),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_precision() {
        let numbers = [0x0000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x7c00, 0x3555].map(half);
        assert_eq!(numbers, [0.0, 1.0, -2.0, 65504.0, 5.960_464_5e-8, f32::INFINITY, 0.333_251_95]);
        assert!(half(0x7e00).is_nan());
    }
}
