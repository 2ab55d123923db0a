//! Columns of any objects: text, numbers, truth values, nothing, or what `str` says of the rest.
//!
//! Each object takes the interpreter, so there is as little as possible to do for each: the texts of a
//! block of rows are joined by Python itself and handed over in one piece.

use hashbrown::HashMap;
use minrule::data::{Column, ColumnBuilder};
use numpy::ndarray::{ArrayView1, Axis};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::reading::{ROWS, Reading};

/// Between two texts in one piece; a block with a text that has it is read text by text.
const SEPARATOR: char = '\0';

/// Reads a column.
pub(crate) fn read(
    py: Python,
    name: &str,
    array: &PyReadonlyArray1<Py<PyAny>>,
    reading: &Reading,
) -> PyResult<Column> {
    let mut column = ColumnBuilder::new(name);
    let dates = dates(py)?;
    for block in array.as_array().axis_chunks_iter(Axis(0), ROWS) {
        reading.check(py)?;
        let mut block = Block::new(py, block)?;
        let start = column.rows();
        for cell in std::mem::take(&mut block.cells) {
            match cell {
                Cell::Missing => column.push_missing(),
                Cell::Text => column.push_text(block.next()),
                Cell::Again(row) => column.push_again(start + row),
                Cell::Other(object) => push_object(&mut column, &object, &dates)?,
            }
        }
    }
    Ok(column.finish())
}

/// The distinct texts of an array: the row where each appears first and, for each row, its place among
/// them. Nothing if something else is among them.
#[pyfunction]
pub(crate) fn distinct_texts<'py>(
    py: Python<'py>,
    array: PyReadonlyArray1<'py, Py<PyAny>>,
) -> PyResult<Option<Distinct<'py>>> {
    let mut column = ColumnBuilder::new("");
    for block in array.as_array().axis_chunks_iter(Axis(0), ROWS) {
        py.check_signals()?;
        let Ok(mut block) = Block::new(py, block) else { return Ok(None) };
        let start = column.rows();
        for cell in std::mem::take(&mut block.cells) {
            match cell {
                Cell::Text => column.push_name(block.next()),
                Cell::Again(row) => column.push_again(start + row),
                Cell::Missing | Cell::Other(_) => return Ok(None),
            }
        }
    }
    let codes: Vec<i64> = column.finish().codes.iter().map(i64::from).collect();
    let mut first = Vec::new();
    for (row, &code) in codes.iter().enumerate() {
        if code == first.len() as i64 {
            first.push(row as i64);
        }
    }
    Ok(Some((first.into_pyarray(py), codes.into_pyarray(py))))
}

/// First rows, and a place for each row.
type Distinct<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>);

/// What a row holds.
enum Cell<'py> {
    Missing,
    /// The next of the texts.
    Text,
    /// The object of an earlier row of the block: tables of text often repeat a few of them.
    Again(usize),
    Other(Bound<'py, PyAny>),
}

/// Some rows, their texts in one piece.
struct Block<'py> {
    cells: Vec<Cell<'py>>,
    text: String,
    /// Where each text ends.
    ends: std::vec::IntoIter<usize>,
    start: usize,
}

impl<'py> Block<'py> {
    fn new(py: Python<'py>, rows: ArrayView1<Py<PyAny>>) -> PyResult<Block<'py>> {
        let mut cells = Vec::with_capacity(rows.len());
        let mut texts: Vec<Bound<'py, PyString>> = Vec::new();
        let mut row_of: HashMap<*mut pyo3::ffi::PyObject, usize> = HashMap::with_capacity(rows.len());
        for (row, object) in rows.iter().enumerate() {
            if let Some(&row) = row_of.get(&object.as_ptr()) {
                cells.push(Cell::Again(row));
                continue;
            }
            row_of.insert(object.as_ptr(), row);
            let object = object.bind(py);
            cells.push(if object.is_none() {
                Cell::Missing
            } else if let Ok(text) = object.cast::<PyString>() {
                texts.push(text.clone());
                Cell::Text
            } else {
                Cell::Other(object.clone())
            });
        }
        let (text, ends) = in_one_piece(py, &texts)?;
        Ok(Block { cells, text, ends: ends.into_iter(), start: 0 })
    }

    /// The next text.
    fn next(&mut self) -> &str {
        let end = self.ends.next().expect("a text for each cell that has one");
        let text = &self.text[self.start..end];
        self.start = end + SEPARATOR.len_utf8();
        text
    }
}

/// Texts with a separator between them, and where each ends.
fn in_one_piece(py: Python, texts: &[Bound<PyString>]) -> PyResult<(String, Vec<usize>)> {
    let joined =
        PyString::new(py, &SEPARATOR.to_string()).call_method1("join", (PyList::new(py, texts)?,))?;
    let joined = joined.cast::<PyString>()?.to_cow()?.into_owned();
    let mut ends: Vec<usize> = joined.match_indices(SEPARATOR).map(|(at, _)| at).collect();
    ends.push(joined.len());
    if ends.len() == texts.len() || texts.is_empty() {
        return Ok((joined, ends));
    }
    let mut all = String::new();
    ends.clear();
    for text in texts {
        all.push_str(&text.to_cow()?);
        ends.push(all.len());
        all.push(SEPARATOR);
    }
    Ok((all, ends))
}

/// An object that is neither a text nor nothing.
fn push_object(
    column: &mut ColumnBuilder,
    object: &Bound<PyAny>,
    dates: &Bound<PyTuple>,
) -> PyResult<()> {
    let truth = |yes| if yes { "True" } else { "False" };
    if let Ok(number) = object.cast::<PyFloat>() {
        column.push_number(number.value());
    } else if object.is_instance_of::<PyBool>() {
        column.push_text(truth(object.is_truthy()?));
    } else if object.is_instance_of::<PyInt>() {
        match object.extract::<i64>() {
            Ok(number) => column.push_integer(number),
            Err(_) => column.push_text(&object.str()?.to_cow()?),
        }
    } else {
        match &*object.get_type().name()?.to_cow()? {
            "NAType" | "NaTType" => column.push_missing(),
            "bool" | "bool_" => column.push_text(truth(object.is_truthy()?)),
            "datetime64" => match &*object.str()?.to_cow()? {
                "NaT" => column.push_missing(),
                text => column.push_text(text),
            },
            "timedelta64" => return Err(no_durations(column.name())),
            _ if object.is_instance(&dates.get_item(0)?)? => {
                column.push_text(&object.call_method0("isoformat")?.str()?.to_cow()?);
            }
            _ if object.is_instance(dates)? => return Err(no_durations(column.name())),
            _ => match object.extract::<f64>() {
                Ok(number) => column.push_number(number),
                Err(_) => column.push_text(&object.str()?.to_cow()?),
            },
        }
    }
    Ok(())
}

/// The types of dates and times.
fn dates(py: Python) -> PyResult<Bound<PyTuple>> {
    let datetime = py.import("datetime")?;
    let types = ["date", "time", "timedelta"].map(|name| datetime.getattr(name));
    PyTuple::new(py, types.into_iter().collect::<PyResult<Vec<_>>>()?)
}

/// What is raised for a column of durations or of times without a date, whatever it is made of.
pub(crate) fn no_durations(column: &str) -> PyErr {
    PyValueError::new_err(format!(
        "column \"{column}\" holds durations, periods or times of day; turn them into numbers or categories first"
    ))
}
