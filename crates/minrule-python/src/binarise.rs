//! Columns to Boolean features, for whoever wants only that.

use minrule::data::ColumnBuilder;
use minrule::{Literal, Spelling, Table, TableOptions};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::columns::{self, NamedValues, given, read_columns};
use crate::options::{Binarise, raised};
use crate::reading::Reading;

/// The Boolean features of some columns.
#[pyclass(frozen, module = "minrule._core")]
pub(crate) struct Features(minrule::Features);

#[pymethods]
impl Features {
    /// Chooses them; `codes` are the classes of the rows, if there are any.
    #[new]
    fn new(
        py: Python,
        columns: Vec<NamedValues>,
        rows: usize,
        codes: Option<PyReadonlyArray1<i64>>,
        options: Binarise,
    ) -> PyResult<Features> {
        let binarise = options.options()?;
        let mut target = ColumnBuilder::new("y");
        match codes {
            Some(codes) => codes.as_array().iter().for_each(|&code| target.push_integer(code)),
            None => (0..rows).for_each(|_| target.push_integer(0)),
        }
        let reading = Reading::new(options.limits(), columns.len());
        let table = Table {
            name: "X".to_string(),
            sha256: String::new(),
            features: read_columns(py, &columns, &reading)?,
            target: target.finish(),
            weights: None,
            rows_left_out: 0,
            options: TableOptions::default(),
        };
        let chosen = reading.listen(py, || minrule::Features::choose(&table, &binarise))?;
        chosen.map(Features).map_err(raised)
    }

    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Features> {
        let read = serde_json::from_str(text).map(Features);
        read.map_err(|e| PyValueError::new_err(format!("these are not features: {e}")))
    }

    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(&self.0).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Features>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// What each feature says, in words.
    fn names(&self) -> Vec<String> {
        self.positive().map(|literal| self.0.condition(literal).to_string()).collect()
    }

    /// Which features are true for which rows.
    fn transform<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<NamedValues<'py>>,
        rows: usize,
    ) -> PyResult<Bound<'py, PyArray2<u8>>> {
        let given = given(&columns)?;
        let cells = columns::cells(py, &given)?;
        let literals: Vec<Literal> = self.positive().collect();
        let mut bits = Array2::<u8>::zeros((rows, literals.len()));
        py.detach(|| {
            let columns: Vec<Vec<Vec<u8>>> = self
                .0
                .columns
                .par_iter()
                .map(|encoded| {
                    let cells = cells.iter().find(|(name, _)| *name == encoded.name);
                    let Some((_, cells)) = cells else { return Vec::new() };
                    let fields = cells.fields(encoded.encoding.is_numeric(), &Spelling::default());
                    let first = encoded.first as usize;
                    let of_column = &literals[first..first + encoded.encoding.features()];
                    let bits = |literal: &Literal| {
                        let condition = self.0.condition(*literal);
                        (0..rows).map(|row| u8::from(condition.holds(fields.get(row)))).collect()
                    };
                    of_column.iter().map(bits).collect()
                })
                .collect();
            for (feature, values) in columns.into_iter().flatten().enumerate() {
                bits.column_mut(feature).iter_mut().zip(values).for_each(|(bit, value)| *bit = value);
            }
        });
        Ok(bits.into_pyarray(py))
    }
}

impl Features {
    /// The literal that says that a feature is true, for each.
    fn positive(&self) -> impl Iterator<Item = Literal> {
        let feature = |i| Literal { feature: minrule::FeatureId(i as u32), positive: true };
        (0..self.0.len()).map(feature)
    }
}
