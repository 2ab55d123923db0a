//! One page about a model and a table, for people to look at and to keep.
//!
//! The page is a template with everything it needs inside; here its data are put together.

use hashbrown::HashMap;
use serde_json::{Value, json};

use crate::binarise::{Cell, EncodedColumn, Encoding};
use crate::condition::Field;
use crate::error::{Error, Result};
use crate::export::escaped;
use crate::history::Moment;
use crate::looks::Looks;
use crate::model::Model;
use crate::predict::{Predictor, Scratch};
use crate::table::Table;

const PAGE: &str = include_str!("page.html");

/// Examples on the coverage map, at most; of more, an even choice is shown.
const SHOWN: usize = 50_000;

/// The page, as HTML. `history` may be empty.
pub fn report(model: &Model, table: &Table, history: &[Moment]) -> Result<String> {
    let data = data(model, table, history)?;
    let data = serde_json::to_string(&data)
        .map_err(|cause| Error::Internal(format!("the report cannot be written: {cause}")))?;
    let title = format!("{}: {}", model.decision_set.target, file_name(&model.provenance.table));
    let (before, rest) = PAGE.split_once("{{TITLE}}").expect("the page has a title");
    let (between, after) = rest.split_once("{{DATA}}").expect("the page has data");
    // Text of the table must not end the script that holds it.
    let data = data.replace('<', "\\u003c");
    Ok([before, &escaped(&title), between, &data, after].concat())
}

fn data(model: &Model, table: &Table, history: &[Moment]) -> Result<Value> {
    let set = &model.decision_set;
    let classes = set.classes.iter().map(|class| {
        let rules = class.rules.iter().map(|rule| {
            let conditions = rule.conditions.iter().map(|condition| {
                json!({
                    "feature": condition.feature,
                    "op": condition.op,
                    "value": condition.value,
                    "words": condition.to_string(),
                })
            });
            json!({ "if": conditions.collect::<Vec<Value>>(), "covers": rule.covers })
        });
        json!({
            "class": class.class,
            "status": class.status,
            "stopped_by": class.stopped_by,
            "cost": class.cost,
            "lower_bound": class.lower_bound,
            "rules": rules.collect::<Vec<Value>>(),
        })
    });
    Ok(json!({
        "table": file_name(&model.provenance.table),
        "target": set.target,
        "minrule": model.provenance.minrule,
        "sha256": model.provenance.sha256,
        "rows": model.provenance.rows,
        "status": set.status,
        "objective": set.objective,
        "rules": set.rules,
        "literals": set.literals,
        "size": set.size,
        "lower_bound": set.lower_bound,
        "gap": set.gap,
        "conflicts": set.conflicts,
        "policy": model.policy,
        "default_class": model.default_label().map(|label| &model.labels[label]),
        "labels": model.labels,
        "class_rows": model.class_rows,
        "classes": classes.collect::<Vec<Value>>(),
        "columns": columns(model),
        "coverage": coverage(model, table)?,
        "history": history,
    }))
}

/// The columns that rules test, with the values that they know.
fn columns(model: &Model) -> Vec<Value> {
    let encoded = |name: &str| model.features.columns.iter().find(|column| column.name == name);
    let column = |column: crate::model::UsedColumn<'_>| {
        let (values, cuts, missing) = encoded(column.name).map(known).unwrap_or_default();
        json!({
            "name": column.name,
            "kind": if column.numeric { "number" } else { "text" },
            "values": values,
            "cuts": cuts,
            "missing": missing,
        })
    };
    model.used_columns().into_iter().map(column).collect()
}

/// Of a column: the values named, the cuts, and whether some are missing.
fn known(column: &EncodedColumn) -> (Vec<String>, Vec<f64>, bool) {
    match &column.encoding {
        Encoding::Thresholds { cuts, missing } => (Vec::new(), cuts.clone(), *missing),
        Encoding::Cells(cells) => {
            let value = |cell: &Cell| match cell {
                Cell::Value(text) => Some(text.clone()),
                _ => None,
            };
            let cut = |cell: &Cell| match cell {
                Cell::AtMost(t) | Cell::Between(_, t) => Some(*t),
                _ => None,
            };
            let values = cells.iter().filter_map(value).collect();
            let cuts = cells.iter().filter_map(cut).collect();
            (values, cuts, cells.contains(&Cell::Missing))
        }
    }
}

/// Which rule fires on which example.
fn coverage(model: &Model, table: &Table) -> Result<Value> {
    let looks = Looks::new(model, table)?;
    // The first row of each example, in order.
    let mut first: HashMap<u32, usize> = HashMap::new();
    let mut examples: Vec<usize> = Vec::new();
    for (row, &look) in looks.look.iter().enumerate() {
        first.entry(look).or_insert_with(|| {
            examples.push(row);
            row
        });
    }
    let count = examples.len();
    let shown: Vec<usize> = match count > SHOWN {
        true => (0..SHOWN).map(|i| examples[i * count / SHOWN]).collect(),
        false => examples,
    };
    let names: Vec<String> = table.features.iter().map(|column| column.name.clone()).collect();
    let predictor = Predictor::new(model, model.policy, &names, &table.name)?;
    let mut rules: Vec<Vec<usize>> = vec![Vec::new(); model.rules().count()];
    let mut scratch = Scratch::default();
    for (example, &row) in shown.iter().enumerate() {
        let field = |column: usize, numeric: bool| {
            let column = &table.features[column];
            Field::new(column.values.get(column.codes.get(row)).as_bytes(), numeric)
        };
        predictor.fired(field, &mut scratch);
        scratch.rules.iter().for_each(|&rule| rules[rule].push(example));
    }
    let label = |row: &usize| {
        let label = table.target.values.get(looks.settled[*row]);
        model.labels.iter().position(|known| known == label)
    };
    let classes: Option<Vec<usize>> = shown.iter().map(label).collect();
    let classes = classes.ok_or_else(|| Error::OtherClasses {
        place: table.name.clone(),
        target: table.target.name.clone(),
    })?;
    Ok(json!({
        "examples": count,
        "shown": shown.len(),
        "class": classes,
        "row": shown.iter().map(|row| row + 1).collect::<Vec<usize>>(),
        "rules": rules,
    }))
}

/// The last part of a path, whichever way it is written.
fn file_name(path: &str) -> &str {
    path.rsplit(['/', '\\']).next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::binarise::BinariseOptions;
    use crate::table::TableOptions;
    use crate::testing::model_of;

    #[test]
    fn the_data_say_what_the_model_says_and_cannot_end_their_script() {
        let text = "a,b,class\n1,</script>,x\n0,two,<b>\n0,one,x\n0,two,<b>\n";
        let model = model_of(text, &BinariseOptions::default());
        let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
        let page = report(&model, &table, &[]).unwrap();
        assert_eq!(page.matches("</script>").count(), PAGE.matches("</script>").count());
        assert!(!page.contains("{{"));
        let (_, rest) = page.split_once("id=\"data\">").unwrap();
        let (json, _) = rest.split_once("</script>").unwrap();
        let data: Value = serde_json::from_str(json).unwrap();
        assert_eq!(data["labels"], json!(["x", "<b>"]));
        assert_eq!(data["coverage"]["examples"], 3);
        assert_eq!(data["coverage"]["row"], json!([1, 2, 3]));
        assert_eq!(data["coverage"]["class"], json!([0, 1, 0]));
        let fired = data["coverage"]["rules"].as_array().unwrap().iter();
        let mut covered: Vec<u64> =
            fired.flat_map(|rule| rule.as_array().unwrap()).filter_map(Value::as_u64).collect();
        covered.sort_unstable();
        covered.dedup();
        assert_eq!(covered, [0, 1, 2]);
        let other = "a,b,class\n1,two,y\n0,two,z\n";
        let other = Table::from_reader(other.as_bytes(), "test", &TableOptions::default()).unwrap();
        assert!(matches!(report(&model, &other, &[]), Err(Error::OtherClasses { .. })));
    }
}
