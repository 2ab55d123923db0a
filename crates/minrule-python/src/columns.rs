//! Columns as Python has them: numpy arrays, categories, Arrow columns, or any objects at all.

use std::panic::resume_unwind;
use std::thread;

use minrule::Spelling;
use minrule::data::{Column, ColumnBuilder, Decimal, Field};
use numpy::ndarray::ArrayView1;
use numpy::{PyReadonlyArray1, PyUntypedArray};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arrow::ArrowColumn;
use crate::objects;
use crate::reading::Reading;

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
    /// Each of them takes the interpreter.
    Objects(PyReadonlyArray1<'py, Py<PyAny>>),
}

/// The same without the interpreter.
pub(crate) enum Cells<'a> {
    Floats(ArrayView1<'a, f64>),
    Integers(ArrayView1<'a, i64>),
    Booleans(ArrayView1<'a, bool>),
    Names(ArrayView1<'a, i64>, &'a [String]),
    Arrow(&'a ArrowColumn),
    /// Objects, which were read already.
    Read(Box<Column>),
}

impl<'py> Given<'py> {
    fn new(name: &str, values: &Bound<'py, PyAny>) -> PyResult<Given<'py>> {
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
        if let Ok(array) = values.extract() {
            return Ok(Given::Objects(array));
        }
        let kind = match values.cast::<PyUntypedArray>() {
            Ok(array) => format!("an array of {}", array.getattr("dtype")?),
            Err(_) => values.get_type().to_string(),
        };
        Err(PyTypeError::new_err(format!("column \"{name}\" is {kind}, which cannot be read")))
    }

    /// The cells, if they can be read without the interpreter.
    fn lent(&self) -> Option<Cells<'_>> {
        Some(match self {
            Given::Floats(array) => Cells::Floats(array.as_array()),
            Given::Integers(array) => Cells::Integers(array.as_array()),
            Given::Booleans(array) => Cells::Booleans(array.as_array()),
            Given::Names(codes, names) => Cells::Names(codes.as_array(), names),
            Given::Arrow(column) => Cells::Arrow(column.get()),
            Given::Objects(_) => return None,
        })
    }

    /// The cells; objects are read at once.
    fn cells(&self, py: Python, name: &str) -> PyResult<Cells<'_>> {
        match self {
            Given::Objects(array) => objects::read(py, name, array, &Reading::unlimited())
                .map(|column| Cells::Read(Box::new(column))),
            lent => Ok(lent.lent().expect("only objects are not lent")),
        }
    }
}

/// Takes what Python lends.
pub(crate) fn given<'py>(columns: &[NamedValues<'py>]) -> PyResult<Vec<(String, Given<'py>)>> {
    let take = |(name, values): &NamedValues<'py>| Ok((name.clone(), Given::new(name, values)?));
    columns.iter().map(take).collect()
}

/// The cells of all columns, for predictions.
pub(crate) fn cells<'a>(
    py: Python,
    given: &'a [(String, Given<'_>)],
) -> PyResult<Vec<(&'a str, Cells<'a>)>> {
    let cells = |(name, given): &'a (String, Given)| {
        let cells = given.cells(py, name)?;
        if cells.has_infinity() { Err(no_infinity(name)) } else { Ok((name.as_str(), cells)) }
    };
    given.iter().map(cells).collect()
}

/// Reads columns side by side: objects with the interpreter, the others meanwhile without it.
pub(crate) fn read_columns(
    py: Python,
    columns: &[NamedValues],
    reading: &Reading,
) -> PyResult<Vec<Column>> {
    let given = given(columns)?;
    let mut lent = Vec::new();
    let mut objects = Vec::new();
    for (place, (name, given)) in given.iter().enumerate() {
        match (given.lent(), given) {
            (Some(cells), _) => lent.push((place, name.as_str(), cells)),
            (None, Given::Objects(array)) => objects.push((place, name.as_str(), array)),
            (None, _) => unreachable!("only objects are not lent"),
        }
    }
    let mut read: Vec<(usize, Column)> = Vec::with_capacity(given.len());
    let columns = thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let column = |(place, name, cells): &(usize, &str, Cells)| {
                if cells.has_infinity() {
                    return Err(Some(name.to_string()));
                }
                let column = reading.done(cells.column(name, reading)).ok_or(None)?;
                Ok((*place, column))
            };
            lent.par_iter().map(column).collect::<Result<Vec<_>, Option<String>>>()
        });
        for (place, name, array) in objects {
            // Whatever is wrong, nobody waits for the others to be read.
            let column = objects::read(py, name, array, reading).inspect_err(|_| reading.stop())?;
            if objects_have_infinity(&column) {
                reading.stop();
                return Err(no_infinity(name));
            }
            read.push((place, reading.done(column).ok_or_else(|| reading.time_is_up())?));
        }
        reading.listen(py, || worker.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })?;
    read.extend(
        columns.map_err(|name| name.map_or_else(|| reading.time_is_up(), |name| no_infinity(&name)))?,
    );
    read.sort_by_key(|(place, _)| *place);
    Ok(read.into_iter().map(|(_, column)| column).collect())
}

/// Of a column of objects: columns of finite numbers are known as such.
fn objects_have_infinity(column: &Column) -> bool {
    let infinite = |text: &str| text == "inf" || text == "-inf";
    column.numbers().is_none() && column.values.iter().any(infinite)
}

fn no_infinity(name: &str) -> PyErr {
    PyValueError::new_err(format!(
        "column \"{name}\" contains infinity, which is no number to compare with; replace it"
    ))
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
            Cells::Read(column) => objects_have_infinity(column),
            Cells::Integers(_) | Cells::Booleans(_) | Cells::Names(..) => false,
        }
    }

    /// The column that rules are learned from; a part of it once reading is over.
    pub(crate) fn column(&self, name: &str, reading: &Reading) -> Column {
        let mut column = ColumnBuilder::new(name);
        match self {
            Cells::Floats(array) => column.extend_numbers(reading.rows(array.iter().copied())),
            Cells::Integers(array) => column.extend_integers(reading.rows(array.iter().copied())),
            Cells::Booleans(array) => {
                let places = reading.rows(array.iter()).map(|&yes| Some(usize::from(yes)));
                column.extend_places(places, 2, |column, yes| column.push_text(["False", "True"][yes]));
            }
            Cells::Names(codes, names) => {
                let places = reading.rows(codes.iter()).map(|&code| usize::try_from(code).ok());
                column
                    .extend_places(places, names.len(), |column, place| column.push_text(&names[place]));
                return column.finish_nominal();
            }
            Cells::Arrow(arrow) => return arrow.column(name, reading),
            Cells::Read(read) => return Column::clone(read),
        }
        column.finish()
    }

    /// The values as conditions on the column see them.
    pub(crate) fn fields(&self, name: &str, numeric: bool, spelling: &Spelling) -> Fields {
        let numeric_and_plain = numeric && spelling.reader(name, true).is_plain();
        let floats = match self {
            Cells::Floats(array) if numeric_and_plain => Some(array.to_vec()),
            Cells::Integers(array) if numeric_and_plain => {
                Some(array.iter().map(|&n| n as f64).collect())
            }
            Cells::Arrow(column) if numeric_and_plain => column.floats(),
            _ => None,
        };
        if let Some(floats) = floats {
            return Fields::Numbers(floats);
        }
        let column = self.column(name, &Reading::unlimited());
        let spelling = spelling_of(&column, spelling);
        if !numeric {
            return Fields::Texts(Box::new(column), spelling);
        }
        let reader = spelling.reader(name, true);
        let number = |text: &str| match reader.read(text.as_bytes()) {
            Field::Number(x) => x,
            _ => f64::NAN,
        };
        let parsed = || column.values.iter().map(number).collect();
        let numbers = column.numbers().filter(|_| reader.is_plain());
        let numbers = numbers.map_or_else(parsed, <[f64]>::to_vec);
        Fields::Numbers(column.codes.iter().map(|code| numbers[code as usize]).collect())
    }
}

/// The spelling of a column: the decimals of what came as numbers follow a point.
pub(crate) fn spelling_of(column: &Column, spelling: &Spelling) -> Spelling {
    let decimal = if column.came_as_numbers() { Decimal::Point } else { spelling.decimal };
    Spelling { decimal, ..spelling.clone() }
}

/// A column made ready for prediction.
pub(crate) enum Fields {
    /// NaN is a missing value.
    Numbers(Vec<f64>),
    Texts(Box<Column>, Spelling),
}

impl Fields {
    pub(crate) fn get(&self, row: usize) -> Field<'_> {
        match self {
            Fields::Numbers(numbers) if numbers[row].is_finite() => Field::Number(numbers[row]),
            Fields::Numbers(_) => Field::Missing,
            Fields::Texts(column, spelling) => {
                let reader = spelling.reader("", false);
                reader.read(column.values.get(column.codes.get(row)).as_bytes())
            }
        }
    }
}
