//! Columns of Arrow tables, taken over through the C stream interface without a copy.

use std::ptr::NonNull;

use arrow_array::cast::AsArray;
use arrow_array::ffi_stream::RecordBatchStreamReader;
use arrow_array::types::{
    Date32Type, Date64Type, Float32Type, Float64Type, Int8Type, Int16Type, Int32Type, Int64Type,
    TimestampMicrosecondType, TimestampMillisecondType, TimestampNanosecondType, TimestampSecondType,
    UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, RecordBatchReader};
use arrow_schema::{ArrowError, DataType, TimeUnit};
use minrule::data::ColumnBuilder;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::objects::no_durations;
use crate::reading::Reading;

/// One column of an Arrow table.
#[pyclass(frozen, module = "minrule._core")]
pub(crate) struct ArrowColumn {
    pub(crate) chunks: Vec<ArrayRef>,
    nominal: bool,
}

/// The columns of anything that speaks Arrow's C stream interface, with their names.
#[pyfunction]
pub(crate) fn arrow_columns(table: &Bound<'_, PyAny>) -> PyResult<Vec<(String, ArrowColumn)>> {
    let capsule = table.call_method0("__arrow_c_stream__")?.cast_into::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(c"arrow_array_stream"))?;
    let failed = |error: ArrowError| PyValueError::new_err(format!("the Arrow table: {error}"));
    let reader = take_over(stream).map_err(failed)?;
    let schema = reader.schema();
    let mut columns: Vec<(String, ArrowColumn)> = Vec::new();
    for field in schema.fields() {
        let kind = field.data_type();
        if kind.is_temporal() && !is_known(kind) {
            return Err(no_durations(field.name()));
        }
        if !is_known(kind) {
            return Err(PyValueError::new_err(format!(
                "column \"{}\" has values of type {kind}; turn them into numbers, text or Booleans first",
                field.name()
            )));
        }
        let nominal = matches!(kind, DataType::Dictionary(..));
        columns.push((field.name().clone(), ArrowColumn { chunks: Vec::new(), nominal }));
    }
    for batch in reader {
        let batch = batch.map_err(failed)?;
        for ((_, column), chunk) in columns.iter_mut().zip(batch.columns()) {
            column.chunks.push(chunk.clone());
        }
    }
    Ok(columns)
}

#[allow(unsafe_code)]
fn take_over(stream: NonNull<std::ffi::c_void>) -> Result<RecordBatchStreamReader, ArrowError> {
    // SAFETY: a capsule of this name holds a pointer to such a stream (Arrow's PyCapsule interface),
    // and taking it over leaves an empty one behind, which the capsule's destructor expects.
    unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr().cast()) }
}

fn is_known(kind: &DataType) -> bool {
    use DataType as D;
    match kind {
        D::Dictionary(_, values) => matches!(**values, D::Utf8 | D::LargeUtf8 | D::Utf8View),
        D::Null | D::Boolean | D::Utf8 | D::LargeUtf8 | D::Utf8View => true,
        D::Float32 | D::Float64 => true,
        D::Date32 | D::Date64 | D::Timestamp(..) => true,
        _ => kind.is_integer(),
    }
}

impl ArrowColumn {
    pub(crate) fn rows(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.len()).sum()
    }

    pub(crate) fn has_infinity(&self) -> bool {
        self.chunks.iter().any(|chunk| match chunk.data_type() {
            DataType::Float64 => {
                chunk.as_primitive::<Float64Type>().iter().flatten().any(f64::is_infinite)
            }
            DataType::Float32 => {
                chunk.as_primitive::<Float32Type>().iter().flatten().any(f32::is_infinite)
            }
            _ => false,
        })
    }

    /// The column that rules are learned from; a part of it once reading is over.
    pub(crate) fn column(&self, name: &str, reading: &Reading) -> minrule::data::Column {
        let mut column = ColumnBuilder::new(name);
        push_all(&self.chunks, &mut column, reading);
        if self.nominal { column.finish_nominal() } else { column.finish() }
    }

    /// The numbers, if they are floats: NaN where there is none.
    pub(crate) fn floats(&self) -> Option<Vec<f64>> {
        let mut numbers = Vec::with_capacity(self.rows());
        for chunk in &self.chunks {
            let chunk = chunk.as_primitive_opt::<Float64Type>()?;
            numbers.extend(chunk.iter().map(|x| x.unwrap_or(f64::NAN)));
        }
        Some(numbers)
    }
}

/// Adds the values of all chunks, which are of one type.
fn push_all(chunks: &[ArrayRef], column: &mut ColumnBuilder, reading: &Reading) {
    macro_rules! values {
        ($chunk:ident => $array:expr) => {
            reading.rows(chunks.iter().flat_map(|$chunk| $array.iter()))
        };
    }
    macro_rules! each {
        ($chunk:ident => $array:expr, $push:expr) => {
            for value in values!($chunk => $array) {
                match value {
                    Some(value) => $push(column, value),
                    None => column.push_missing(),
                }
            }
        };
    }
    macro_rules! integers {
        ($kind:ty) => {
            match chunks.iter().any(|chunk| chunk.null_count() > 0) {
                false => column.extend_integers(
                    values!(chunk => chunk.as_primitive::<$kind>().values())
                        .map(|&n| i64::from(n)),
                ),
                true => each!(
                    chunk => chunk.as_primitive::<$kind>(),
                    |column: &mut ColumnBuilder, n| column.push_integer(i64::from(n))
                ),
            }
        };
    }
    macro_rules! floats {
        ($kind:ty) => {{
            let numbers = values!(chunk => chunk.as_primitive::<$kind>());
            column.extend_numbers(numbers.map(|x| x.map_or(f64::NAN, f64::from)))
        }};
    }
    macro_rules! times {
        ($kind:ty, $in_utc:expr, $micros:expr) => {
            each!(
                chunk => chunk.as_primitive::<$kind>(),
                |column: &mut ColumnBuilder, n: i64| column.push_time($micros(n), $in_utc)
            )
        };
    }
    let Some(first) = chunks.first() else { return };
    match first.data_type() {
        DataType::Boolean => {
            let places = values!(chunk => chunk.as_boolean()).map(|yes| yes.map(usize::from));
            column.extend_places(places, 2, |column, yes| column.push_text(["False", "True"][yes]));
        }
        DataType::Int8 => integers!(Int8Type),
        DataType::Int16 => integers!(Int16Type),
        DataType::Int32 => integers!(Int32Type),
        DataType::Int64 => integers!(Int64Type),
        DataType::UInt8 => integers!(UInt8Type),
        DataType::UInt16 => integers!(UInt16Type),
        DataType::UInt32 => integers!(UInt32Type),
        DataType::UInt64 => each!(
            chunk => chunk.as_primitive::<UInt64Type>(),
            |column: &mut ColumnBuilder, n: u64| match i64::try_from(n) {
                Ok(n) => column.push_integer(n),
                Err(_) => column.push_text(&n.to_string()),
            }
        ),
        DataType::Date32 => each!(
            chunk => chunk.as_primitive::<Date32Type>(),
            |column: &mut ColumnBuilder, days| column.push_date(i64::from(days))
        ),
        DataType::Date64 => each!(
            chunk => chunk.as_primitive::<Date64Type>(),
            |column: &mut ColumnBuilder, millis: i64| column.push_time(millis.saturating_mul(1000), false)
        ),
        DataType::Timestamp(unit, zone) => {
            let in_utc = zone.is_some();
            match unit {
                TimeUnit::Second => {
                    times!(TimestampSecondType, in_utc, |n: i64| n.saturating_mul(1_000_000))
                }
                TimeUnit::Millisecond => {
                    times!(TimestampMillisecondType, in_utc, |n: i64| n.saturating_mul(1000))
                }
                TimeUnit::Microsecond => times!(TimestampMicrosecondType, in_utc, |n: i64| n),
                TimeUnit::Nanosecond => {
                    times!(TimestampNanosecondType, in_utc, |n: i64| n.div_euclid(1000))
                }
            }
        }
        DataType::Float32 => floats!(Float32Type),
        DataType::Float64 => floats!(Float64Type),
        DataType::Utf8 => each!(chunk => chunk.as_string::<i32>(), ColumnBuilder::push_text),
        DataType::LargeUtf8 => each!(chunk => chunk.as_string::<i64>(), ColumnBuilder::push_text),
        DataType::Utf8View => each!(chunk => chunk.as_string_view(), ColumnBuilder::push_text),
        DataType::Dictionary(..) => chunks.iter().for_each(|chunk| push_names(chunk, column, reading)),
        _ => chunks.iter().for_each(|chunk| (0..chunk.len()).for_each(|_| column.push_missing())),
    }
}

/// Adds the rows of a dictionary, whose values are looked at once.
fn push_names(chunk: &ArrayRef, column: &mut ColumnBuilder, reading: &Reading) {
    let dictionary = chunk.as_any_dictionary();
    let values = texts(dictionary.values());
    // A row without a key and a key without a value are both missing.
    let keys = dictionary.normalized_keys().into_iter().enumerate();
    let places = keys.map(|(row, key)| dictionary.keys().is_valid(row).then_some(key));
    column.extend_places(reading.rows(places), values.len(), |column, key| match values[key] {
        Some(text) => column.push_text(text),
        None => column.push_missing(),
    });
}

fn texts(values: &ArrayRef) -> Vec<Option<&str>> {
    match values.data_type() {
        DataType::Utf8 => values.as_string::<i32>().iter().collect(),
        DataType::LargeUtf8 => values.as_string::<i64>().iter().collect(),
        _ => values.as_string_view().iter().collect(),
    }
}
