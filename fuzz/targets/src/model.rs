//! A model file that a stranger wrote.

use minrule::data::{Cell, Encoding, Operand};
use minrule::judge::model::{is_its_table, judge};
use minrule::{Error, Model, Table, TableOptions};

use crate::{apply, refused};

const OWN: &str = include_str!("../../../data/dating.csv");

/// The most columns and rows of the table that is made for a model, and values of a column.
const MOST_COLUMNS: usize = 12;
const MOST_ROWS: usize = 16;

/// A model is refused in words, or can be put to every use without a panic, on a table of its own
/// words and on one that is none of its own.
pub fn model(bytes: &[u8]) {
    let model = match Model::from_json(bytes, "model.json".as_ref()) {
        Ok(model) => model,
        Err(error) => {
            assert!(matches!(error, Error::BadModel { .. }), "{error}");
            return refused(&error);
        }
    };
    let json = model.to_json().expect("what was read can be written");
    let again = Model::from_json(json.as_bytes(), "model.json".as_ref());
    assert_eq!(again.expect("and read again"), model);

    let options = model.table_options();
    for (text, options) in [
        (in_its_words(&model), &options),
        (in_its_words(&model), &TableOptions::default()),
        (OWN.as_bytes().to_vec(), &TableOptions::default()),
    ] {
        match Table::from_reader(&text[..], "table", options) {
            Ok(table) => apply(&model, &table),
            Err(error) => refused(&error),
        }
    }
}

fn apply(model: &Model, table: &Table) {
    match judge(model, table) {
        Ok(faults) => faults.iter().for_each(|fault| assert!(!fault.to_string().is_empty())),
        Err(error) => refused(&error),
    }
    is_its_table(model, table);
    apply::everything(model, table);
    apply::evaluate(model, table, model.policy);
}

/// A table with the columns of a model, and the values that its features and rules name.
fn in_its_words(model: &Model) -> Vec<u8> {
    let mut columns: Vec<(&str, Vec<String>)> = Vec::new();
    for column in model.features.columns.iter().take(MOST_COLUMNS) {
        let values = match &column.encoding {
            Encoding::Cells(cells) => cells.iter().take(MOST_ROWS).map(in_cell).collect(),
            Encoding::Frequent { values, .. } => values.iter().take(MOST_ROWS).cloned().collect(),
            Encoding::Thresholds { cuts, .. } => {
                cuts.iter().take(MOST_ROWS).map(ToString::to_string).collect()
            }
        };
        columns.push((&column.name, values));
    }
    for condition in model.rules().flat_map(|(_, rule)| &rule.conditions) {
        let place = columns.iter().position(|(name, _)| *name == condition.feature);
        let place = match place {
            Some(place) => place,
            None if columns.len() < MOST_COLUMNS => {
                columns.push((&condition.feature, Vec::new()));
                columns.len() - 1
            }
            None => continue,
        };
        let value = match &condition.value {
            Operand::None => String::new(),
            Operand::Number(number) | Operand::Interval(_, number) => number.to_string(),
            Operand::Text(text) => text.clone(),
        };
        if columns[place].1.len() < MOST_ROWS && !columns[place].1.contains(&value) {
            columns[place].1.push(value);
        }
    }
    for (_, values) in &mut columns {
        values.extend(["", "0", "-1e300", "something else"].map(str::to_string));
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    let names = columns.iter().map(|(name, _)| *name);
    let written = writer.write_record(names.chain([model.decision_set.target.as_str()]));
    written.expect("memory can be written");
    for row in 0..MOST_ROWS {
        // Columns of other lengths meet in other ways.
        let values = columns.iter().map(|(_, values)| values[row % values.len()].as_str());
        let label = &model.labels[row % model.labels.len()];
        let written = writer.write_record(values.chain([label.as_str()]));
        written.expect("all rows are as long");
    }
    writer.into_inner().expect("memory can be written")
}

/// A value of a cell.
fn in_cell(cell: &Cell) -> String {
    match cell {
        Cell::Missing => String::new(),
        Cell::Present => "present".to_string(),
        Cell::Value(text) => text.clone(),
        Cell::AtMost(number) | Cell::Between(_, number) => number.to_string(),
        Cell::Above(number) => number.next_up().to_string(),
    }
}
