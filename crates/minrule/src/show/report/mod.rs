//! One page about a model and a table, for people to look at and to keep.
//!
//! The page is a template with everything it needs inside; here its data are put together.

mod counts;
mod sections;
mod trade;
mod verdict;
mod words;

use hashbrown::HashMap;
use serde_json::{Value, json};

use crate::apply::predict::{DecidedBy, Policy, Predictor, Scratch, Uncovered, Verdict as ByDefault};
use crate::data::binarise::{Cell, EncodedColumn, Encoding};
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::judge::model::ModelFault;
use crate::result::history::Moment;
use crate::result::model::Model;
use crate::show::export::escaped;
use counts::Counts;
use sections::Sections;
use verdict::Verdict;
use words::{file_name, phrase};

const PAGE: &str = include_str!("page.html");

/// A page, and what it says about the model first of all.
#[derive(Debug, Clone)]
pub struct Report {
    /// The page, as HTML.
    pub page: String,
    /// Whether the table is the one that the model was learned from.
    pub its_table: bool,
    /// Why the table refuses the model; nothing if it holds.
    pub faults: Vec<ModelFault>,
}

/// A page about a model and a table, by which the model is judged and its rows are counted. `history` may
/// be empty.
pub fn report(model: &Model, table: &Table, history: &[Moment]) -> Result<Report> {
    let counts = Counts::new(model, table)?;
    let verdict = Verdict::new(model, table)?;
    let data = serde_json::to_string(&data(model, &counts, history)?)
        .map_err(|cause| Error::Internal(format!("the report cannot be written: {cause}")))?;
    let title = format!("{}: {}", model.decision_set.target, file_name(&model.provenance.table));
    let sections = Sections { model, table, verdict: &verdict, counts: &counts };
    let page = fill(&[
        ("{{TITLE}}", escaped(&title)),
        ("{{SUMMARY}}", sections.summary()),
        ("{{LEAD}}", sections.lead()),
        ("{{RULES}}", sections.rules()),
        ("{{OTHERWISE}}", sections.otherwise()),
        ("{{COLUMNS}}", sections.columns()),
        ("{{PROOF}}", sections.proof()),
        ("{{DECISIONS}}", sections.decisions()),
        ("{{FOOT}}", sections.foot()),
        // Text of the table must not end the script that holds it.
        ("{{DATA}}", data.replace('<', "\\u003c")),
    ]);
    Ok(Report { page, its_table: verdict.its_table, faults: verdict.faults })
}

/// The page with its parts, in order; what looks like a place for one of them in another stays text.
fn fill(parts: &[(&str, String)]) -> String {
    let (mut page, mut rest) = (String::new(), PAGE);
    for (place, part) in parts {
        let (before, after) = rest.split_once(place).expect("the page has a place for each part");
        page += before;
        page += part;
        rest = after;
    }
    page + rest
}

/// What the scripts of the page work with.
fn data(model: &Model, counts: &Counts, history: &[Moment]) -> Result<Value> {
    let set = &model.decision_set;
    // Rules are many, different conditions are few: each is written once.
    let mut places: HashMap<(&str, String), usize> = HashMap::new();
    let mut conditions: Vec<Value> = Vec::new();
    let mut fired = counts.rules.iter();
    let mut classes: Vec<Value> = Vec::new();
    for class in &set.classes {
        let mut rules: Vec<Value> = Vec::new();
        for (rule, fired) in class.rules.iter().zip(&mut fired) {
            let mut premise: Vec<usize> = Vec::new();
            for condition in &rule.conditions {
                let words = condition.to_string();
                let key = (condition.feature.as_str(), words.clone());
                premise.push(*places.entry(key).or_insert_with(|| {
                    let (before, after) = phrase(condition);
                    conditions.push(json!({
                        "feature": condition.feature,
                        "op": condition.op,
                        "value": condition.value,
                        "words": words,
                        "before": before,
                        "after": after,
                    }));
                    conditions.len() - 1
                }));
            }
            // `covers` and `wrong` are what conflicts are decided by; the rows are those of this table.
            rules.push(json!({
                "if": premise, "covers": rule.covers, "wrong": rule.wrong.unwrap_or_default(),
                "rows": fired.own, "others": fired.others,
            }));
        }
        let errors = set.is_sparse().then(|| counts.errors(model, classes.len()));
        let reached = model.labels.iter().position(|label| *label == class.class);
        let reached = reached.map(|label| counts.reached[label]);
        classes
            .push(json!({ "class": class.class, "rules": rules, "errors": errors, "reached": reached }));
    }
    Ok(json!({
        "target": set.target,
        "objective": set.objective,
        "sparse": set.is_sparse(),
        "ordered": set.is_ordered(),
        "policy": model.policy,
        "default_class": model.default_label().map(|label| &model.labels[label]),
        "otherwise": model.otherwise().is_some(),
        "labels": model.labels,
        "class_rows": counts.class_rows,
        // What `predict --proba` says where no rule fires, and what it is reckoned from where one does.
        "default_shares": default_shares(model)?,
        "learned_rows": model.class_rows,
        "conditions": conditions,
        "classes": classes,
        "columns": columns(model),
        "coverage": {
            "examples": counts.map.examples,
            "shown": counts.map.rows.len(),
            "class": counts.map.labels,
            "row": counts.map.rows.iter().map(|row| row + 1).collect::<Vec<usize>>(),
            "rules": counts.map.rules,
        },
        "history": history,
    }))
}

/// The share of each label for a row that no rule covers.
fn default_shares(model: &Model) -> Result<Vec<f64>> {
    let names: Vec<String> = model.used_columns().iter().map(|column| column.name.to_string()).collect();
    let policy = Policy { uncovered: Uncovered::Default, ..model.policy };
    let predictor = Predictor::new(model, policy, &names, "the model")?;
    let verdict = ByDefault { label: model.default_label(), decided_by: DecidedBy::Uncovered };
    Ok(predictor.shares(verdict, &mut Scratch::default()))
}

/// The columns that rules test, with the values that they know.
fn columns(model: &Model) -> Vec<Value> {
    let encoded = |name: &str| model.features.columns.iter().find(|column| column.name == name);
    let column = |column: crate::result::model::UsedColumn<'_>| {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::binarise::BinariseOptions;
    use crate::data::table::TableOptions;
    use crate::testing::model_of;

    #[test]
    fn the_data_say_what_the_model_says_and_cannot_end_their_script() {
        let text = "a,b,class\n1,</script>,x\n0,two,<b>\n0,one,x\n0,two,<b>\n";
        let model = model_of(text, &BinariseOptions::default());
        let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
        let page = report(&model, &table, &[]).unwrap().page;
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
