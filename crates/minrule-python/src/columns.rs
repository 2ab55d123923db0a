//! Columns as Python has them: numpy arrays, categories, Arrow columns, or any objects at all.

use hashbrown::HashMap;
use minrule::{Column, ColumnBuilder, Field};
use numpy::ndarray::ArrayView1;
use numpy::{PyReadonlyArray1, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyFloat, PyInt, PyString};
use rayon::prelude::*;

use crate::arrow::ArrowColumn;

/// A name and values, as they come from Python.
pub(crate) type NamedValues<'py> = (String, Bound<'py, PyAny>);

/// Values that Python lends us.
pub(crate) enum Given<'py> {
    Floats(PyReadonlyArray1<'py, f64>),
    Integers(PyReadonlyArray1<'py, i64>),
    Booleans(PyReadonlyArray1<'py, bool>),
    /// Positions in a list of names; -1 is a missing value.
    Names(PyReadonlyArray1<'py, i64>, Vec<String>),
    Arrow(Bound<'py, ArrowColumn>),
    /// Objects are read at once, since each of them takes the interpreter.
    Objects(Column),
}

/// The same without the interpreter.
pub(crate) enum Cells<'a> {
    Floats(ArrayView1<'a, f64>),
    Integers(ArrayView1<'a, i64>),
    Booleans(ArrayView1<'a, bool>),
    Names(ArrayView1<'a, i64>, &'a [String]),
    Arrow(&'a ArrowColumn),
    Read(&'a Column),
}

impl<'py> Given<'py> {
    pub(crate) fn new(name: &str, values: &Bound<'py, PyAny>) -> PyResult<Given<'py>> {
        if let Ok((codes, names)) = values.extract::<(PyReadonlyArray1<i64>, Vec<String>)>() {
            return Ok(Given::Names(codes, names));
        }
        if let Ok(column) = values.cast::<ArrowColumn>() {
            return Ok(Given::Arrow(column.clone()));
        }
        if let Ok(array) = values.extract() {
            return Ok(Given::Floats(array));
        }
        if let Ok(array) = values.extract() {
            return Ok(Given::Integers(array));
        }
        if let Ok(array) = values.extract() {
            return Ok(Given::Booleans(array));
        }
        if let Ok(array) = values.extract::<PyReadonlyArray1<Py<PyAny>>>() {
            return objects(values.py(), name, &array).map(Given::Objects);
        }
        let kind = match values.cast::<PyUntypedArray>() {
            Ok(array) => format!("an array of {}", array.getattr("dtype")?),
            Err(_) => values.get_type().to_string(),
        };
        Err(PyTypeError::new_err(format!("column \"{name}\" is {kind}, which cannot be read")))
    }

    pub(crate) fn cells(&self) -> Cells<'_> {
        match self {
            Given::Floats(array) => Cells::Floats(array.as_array()),
            Given::Integers(array) => Cells::Integers(array.as_array()),
            Given::Booleans(array) => Cells::Booleans(array.as_array()),
            Given::Names(codes, names) => Cells::Names(codes.as_array(), names),
            Given::Arrow(column) => Cells::Arrow(column.get()),
            Given::Objects(column) => Cells::Read(column),
        }
    }
}

/// Takes what Python lends.
pub(crate) fn given<'py>(columns: &[NamedValues<'py>]) -> PyResult<Vec<(String, Given<'py>)>> {
    let take = |(name, values): &NamedValues<'py>| {
        let given = Given::new(name, values)?;
        match given.cells().has_infinity() {
            true => Err(PyValueError::new_err(format!(
                "column \"{name}\" contains infinity, which is no number to compare with; replace it"
            ))),
            false => Ok((name.clone(), given)),
        }
    };
    columns.iter().map(take).collect()
}

/// Reads columns side by side, without the interpreter.
pub(crate) fn read_columns(py: Python, columns: &[NamedValues]) -> PyResult<Vec<Column>> {
    let given = given(columns)?;
    let cells: Vec<(&str, Cells)> =
        given.iter().map(|(name, given)| (name.as_str(), given.cells())).collect();
    Ok(py.detach(|| cells.par_iter().map(|(name, cells)| cells.column(name)).collect()))
}

impl Cells<'_> {
    pub(crate) fn rows(&self) -> usize {
        match self {
            Cells::Floats(array) => array.len(),
            Cells::Integers(array) => array.len(),
            Cells::Booleans(array) => array.len(),
            Cells::Names(codes, _) => codes.len(),
            Cells::Arrow(column) => column.rows(),
            Cells::Read(column) => column.codes.len(),
        }
    }

    fn has_infinity(&self) -> bool {
        match self {
            Cells::Floats(array) => array.iter().any(|x| x.is_infinite()),
            Cells::Arrow(column) => column.has_infinity(),
            Cells::Read(column) => column.values.iter().any(|text| text == "inf" || text == "-inf"),
            Cells::Integers(_) | Cells::Booleans(_) | Cells::Names(..) => false,
        }
    }

    /// The column that rules are learned from.
    pub(crate) fn column(&self, name: &str) -> Column {
        let mut column = ColumnBuilder::new(name);
        match self {
            Cells::Floats(array) => array.iter().for_each(|&x| column.push_number(x)),
            Cells::Integers(array) => array.iter().for_each(|&n| column.push_integer(n)),
            Cells::Booleans(array) => {
                array.iter().for_each(|&yes| column.push_text(if yes { "True" } else { "False" }))
            }
            Cells::Names(codes, names) => {
                for &code in codes {
                    match usize::try_from(code).ok().and_then(|code| names.get(code)) {
                        Some(name) => column.push_text(name),
                        None => column.push_missing(),
                    }
                }
                return column.finish_nominal();
            }
            Cells::Arrow(arrow) => return arrow.column(name),
            Cells::Read(read) => return Column::clone(read),
        }
        column.finish()
    }

    /// The values as conditions on the column see them.
    pub(crate) fn fields(&self, numeric: bool) -> Fields {
        let floats = match self {
            Cells::Floats(array) if numeric => Some(array.to_vec()),
            Cells::Integers(array) if numeric => Some(array.iter().map(|&n| n as f64).collect()),
            Cells::Arrow(column) if numeric => column.floats(),
            _ => None,
        };
        if let Some(floats) = floats {
            return Fields::Numbers(floats);
        }
        let column = self.column("");
        if !numeric {
            return Fields::Texts(column);
        }
        let number = |text: &str| match Field::new(text.as_bytes(), true) {
            Field::Number(x) => x,
            _ => f64::NAN,
        };
        let numbers: Vec<f64> = column.values.iter().map(number).collect();
        Fields::Numbers(column.codes.iter().map(|code| numbers[code as usize]).collect())
    }
}

/// A column made ready for prediction.
pub(crate) enum Fields {
    /// NaN is a missing value.
    Numbers(Vec<f64>),
    Texts(Column),
}

impl Fields {
    pub(crate) fn get(&self, row: usize) -> Field<'_> {
        match self {
            Fields::Numbers(numbers) if numbers[row].is_finite() => Field::Number(numbers[row]),
            Fields::Numbers(_) => Field::Missing,
            Fields::Texts(column) => {
                Field::new(column.values.get(column.codes.get(row)).as_bytes(), false)
            }
        }
    }
}

/// A column of any objects: text, numbers, truth values, nothing, or what `str` says of the rest.
fn objects(py: Python, name: &str, array: &PyReadonlyArray1<Py<PyAny>>) -> PyResult<Column> {
    let mut column = ColumnBuilder::new(name);
    // The same object has the same value: tables of text often repeat a few of them.
    let mut row_of: HashMap<*mut pyo3::ffi::PyObject, usize> = HashMap::new();
    for object in array.as_array() {
        if let Some(&row) = row_of.get(&object.as_ptr()) {
            column.push_again(row);
            continue;
        }
        row_of.insert(object.as_ptr(), column.rows());
        push_object(&mut column, object.bind(py))?;
    }
    Ok(column.finish())
}

fn push_object(column: &mut ColumnBuilder, object: &Bound<PyAny>) -> PyResult<()> {
    if object.is_none() {
        column.push_missing();
    } else if let Ok(text) = object.cast::<PyString>() {
        column.push_text(&text.to_cow()?);
    } else if let Ok(number) = object.cast::<PyFloat>() {
        column.push_number(number.value());
    } else if object.is_instance_of::<PyBool>() {
        column.push_text(if object.is_truthy()? { "True" } else { "False" });
    } else if object.is_instance_of::<PyInt>() {
        column.push_text(&object.str()?.to_cow()?);
    } else {
        let kind = object.get_type().name()?;
        match &*kind.to_cow()? {
            "NAType" | "NaTType" => column.push_missing(),
            "bool" | "bool_" => column.push_text(if object.is_truthy()? { "True" } else { "False" }),
            _ => match object.extract::<f64>() {
                Ok(number) => column.push_number(number),
                Err(_) => column.push_text(&object.str()?.to_cow()?),
            },
        }
    }
    Ok(())
}
