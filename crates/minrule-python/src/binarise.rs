//! Columns to Boolean features, for whoever wants only that.

use minrule::data::{ColumnBuilder, Warning};
use minrule::{Literal, Spelling, Style, Table, TableOptions, Wording};
use numpy::ndarray::Array2;
use numpy::{IntoPyArray, PyArray2, PyReadonlyArray1};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::columns::{self, NamedValues, given, read_columns};
use crate::options::{Binarise, raised};
use crate::problem::in_words;
use crate::reading::Reading;

/// The Boolean features of some columns.
#[pyclass(frozen, module = "minrule._core")]
#[derive(Serialize, Deserialize)]
pub(crate) struct Features {
    features: minrule::Features,
    /// How the values of the columns are written.
    spelling: Spelling,
    /// What a careful reader would ask about the columns.
    #[serde(skip)]
    warnings: Vec<String>,
}

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
        let (binarise, spelling) = (options.options()?, options.spelling()?);
        let mut target = ColumnBuilder::new("y");
        match codes {
            Some(codes) => codes.as_array().iter().for_each(|&code| target.push_integer(code)),
            // A table has two classes; where nobody names them, nobody looks at them either.
            None => (0..rows).for_each(|row| target.push_integer(row as i64 % 2)),
        }
        let reading = Reading::new(options.limits(), columns.len());
        let columns = read_columns(py, &columns, &reading)?;
        let chosen = reading.listen(py, || {
            let options = TableOptions { spelling, ..TableOptions::default() };
            let table = Table::from_columns("X", columns, target.finish(), None, &options)?;
            let features = minrule::Features::choose(&table, &binarise)?;
            let warnings = minrule::data::warnings(&table, &features);
            let warnings = warnings.iter().filter(|warning| is_about_values(warning)).map(in_words);
            let spelling = table.options.spelling.clone();
            Ok(Features { warnings: warnings.collect(), features, spelling })
        })?;
        chosen.map_err(raised)
    }

    #[staticmethod]
    fn from_json(text: &str) -> PyResult<Features> {
        let read = serde_json::from_str(text);
        read.map_err(|e| PyValueError::new_err(format!("these are not features: {e}")))
    }

    fn to_json(&self) -> PyResult<String> {
        serde_json::to_string(self).map_err(|e| PyValueError::new_err(e.to_string()))
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, (String,))> {
        Ok((py.get_type::<Features>().getattr("from_json")?, (self.to_json()?,)))
    }

    /// What each feature says, in words.
    fn names(&self) -> Vec<String> {
        let wording = Wording::new(&self.features, Style::Words);
        self.positive().map(|literal| wording.said(&self.features.condition(literal))).collect()
    }

    /// What a careful reader would ask about the columns; nothing if they were read long ago.
    fn warnings(&self) -> Vec<String> {
        self.warnings.clone()
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
                .features
                .columns
                .par_iter()
                .map(|encoded| {
                    let cells = cells.iter().find(|(name, _)| *name == encoded.name);
                    let Some((_, cells)) = cells else { return Vec::new() };
                    let numeric = encoded.encoding.is_numeric();
                    let fields = cells.fields(&encoded.name, numeric, &self.spelling);
                    let first = encoded.first as usize;
                    let of_column = &literals[first..first + encoded.encoding.features()];
                    let bits = |literal: &Literal| {
                        let condition = self.features.condition(*literal);
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
        (0..self.features.len()).map(feature)
    }
}

/// Whether it is the values of a column that are in question, not what it is good for.
fn is_about_values(warning: &Warning) -> bool {
    matches!(
        warning,
        Warning::NearlyNumeric { .. }
            | Warning::Wide(_)
            | Warning::DecimalComma { .. }
            | Warning::WrittenUnlike { .. }
            | Warning::DoubtfulComma { .. }
            | Warning::TakenForMissing { .. }
    )
}
