//! One page about a model and a table, for people to look at and to keep.
//!
//! The page is a template with everything it needs inside; here its data are put together.

mod counts;
mod curve;
mod expected;
mod sections;
mod sets;
mod trade;
mod verdict;
mod words;

use hashbrown::HashMap;
use serde_json::{Value, json};

use crate::apply::predict::{DecidedBy, Policy, Predictor, Scratch, Uncovered, Verdict as ByDefault};
use crate::data::binarise::{Cell, EncodedColumn, Encoding};
use crate::data::condition::Condition;
use crate::data::kind::Kind;
use crate::data::table::Table;
use crate::data::wording::{Phrase, Style, Wording};
use crate::error::{Error, Result};
use crate::judge::model::ModelFault;
use crate::result::curve::CurvePoint;
use crate::result::decision_set::DecisionRule;
use crate::result::history::Moment;
use crate::result::model::Model;
use crate::show::export::escaped;
use curve::CurveView;
use sections::Sections;
use sets::{Sets, Shown};
use trade::without;
use words::{file_name, pieces};

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

/// A page about a model and a table, by which the model is judged and its rows are counted. `history` and `curve`
/// may be empty. Of a curve, the page can show each set instead of the model's; they are judged and counted alike, and
/// refused if they do not hold.
pub fn report(
    model: &Model,
    table: &Table,
    history: &[Moment],
    curve: &[CurvePoint],
    style: Style,
) -> Result<Report> {
    let sets = Sets::new(model, table, curve)?;
    let palette = palette(model);
    let view = CurveView::new(&sets);
    let data = serde_json::to_string(&data(&sets, view.as_ref(), (&palette, history), style)?)
        .map_err(|cause| Error::Internal(format!("the report cannot be written: {cause}")))?;
    let title = format!("{}: {}", model.decision_set.target, file_name(&model.provenance.table));
    let here = Sections::new(sets.here(), table, &palette, style);
    let link = view.as_ref().map_or("", |_| "<a href=\"#curve\">Curve</a>\n");
    let page = fill(&[
        ("{{TITLE}}", escaped(&title)),
        ("{{LINK}}", link.to_string()),
        ("{{SUMMARY}}", here.summary()),
        ("{{CURVE}}", view.as_ref().map_or(String::new(), CurveView::section)),
        ("{{LEAD}}", here.lead()),
        ("{{RULES}}", here.rules()),
        ("{{OTHERWISE}}", here.otherwise()),
        ("{{COLUMNS}}", here.columns()),
        ("{{PROOF}}", here.proof()),
        ("{{DECISIONS}}", here.decisions()),
        ("{{FOOT}}", here.foot()),
        (
            "{{SETS}}",
            view.as_ref().map_or(String::new(), |view| templates(&sets, view, (table, &palette), style)),
        ),
        // Text of the table must not end the script that holds it.
        ("{{DATA}}", data.replace('<', "\\u003c")),
    ]);
    drop(here);
    let Shown { verdict, .. } = sets.all.into_iter().nth(sets.at).expect("the model has a place");
    Ok(Report { page, its_table: verdict.its_table, faults: verdict.faults })
}

/// Whatever depends on the set, for each of them: a script exchanges it.
fn templates(
    sets: &Sets,
    view: &CurveView,
    (table, palette): (&Table, &[usize]),
    style: Style,
) -> String {
    let template = |(place, shown): (usize, &Shown)| {
        let sections = Sections::new(shown, table, palette, style);
        let parts = [
            ("summary", sections.summary()),
            ("step", view.step(place)),
            ("lead", sections.lead()),
            ("otherwise", sections.otherwise()),
            ("columns", sections.columns()),
            ("proof", sections.proof()),
            ("decisions", sections.decisions()),
        ];
        let part = |(name, html): (&str, String)| format!("<div data-part=\"{name}\">\n{html}</div>\n");
        format!("<template class=\"set\">\n{}</template>\n", parts.map(part).concat())
    };
    sets.all.iter().enumerate().map(template).collect()
}

/// The colour of each label: those that the model describes come first, and keep theirs whatever set is shown.
fn palette(model: &Model) -> Vec<usize> {
    let described = model.decision_set.classes.iter();
    let described = described.filter_map(|class| model.labels.iter().position(|l| *l == class.class));
    let order: Vec<usize> = described.chain(model.undescribed()).collect();
    let place = |label: usize| order.iter().position(|&other| other == label).unwrap_or_default();
    (0..model.labels.len()).map(place).collect()
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
fn data(
    sets: &Sets,
    view: Option<&CurveView>,
    (palette, history): (&[usize], &[Moment]),
    style: Style,
) -> Result<Value> {
    let (mut premises, mut coverage) = (Premises::default(), Pool::default());
    let mut all: Vec<Value> = Vec::new();
    for (place, shown) in sets.all.iter().enumerate() {
        let mut set = set_data(shown, style, &mut premises, &mut coverage)?;
        set["words"] = json!(view.map(|view| view.words(place)));
        all.push(set);
    }
    let here = sets.here();
    let map = &here.counts.map;
    Ok(json!({
        "target": here.model.decision_set.target,
        "labels": here.model.labels,
        "palette": palette,
        "class_rows": here.counts.class_rows,
        "learned_rows": here.model.class_rows,
        "conditions": premises.conditions.all,
        "phrases": premises.phrases.all,
        "coverage": {
            "examples": map.examples,
            "shown": map.rows.len(),
            "class": map.labels,
            "row": map.rows.iter().map(|row| row + 1).collect::<Vec<usize>>(),
            "rules": coverage.all,
        },
        "history": history,
        "sets": all,
        "at": sets.at,
    }))
}

/// Things that many rules share: each is written once.
struct Pool<Key> {
    places: HashMap<Key, usize>,
    all: Vec<Value>,
}

impl<Key> Default for Pool<Key> {
    fn default() -> Pool<Key> {
        Pool { places: HashMap::new(), all: Vec::new() }
    }
}

impl<Key: std::hash::Hash + Eq> Pool<Key> {
    fn place(&mut self, key: Key, value: impl FnOnce() -> Value) -> usize {
        *self.places.entry(key).or_insert_with(|| {
            self.all.push(value());
            self.all.len() - 1
        })
    }
}

/// What rules ask for, and how it is said.
#[derive(Default)]
struct Premises<'a> {
    conditions: Pool<(&'a str, String)>,
    phrases: Pool<String>,
}

impl<'a> Premises<'a> {
    /// The places of a rule's conditions, and of the phrases that say them; of each phrase also which of the rule's
    /// conditions it says.
    fn places(&mut self, rule: &'a DecisionRule, wording: &Wording) -> (Vec<usize>, Vec<Value>) {
        let condition = |condition: &'a Condition| {
            self.conditions.place((&condition.feature, condition.to_string()), || json!(condition))
        };
        let conditions = rule.conditions.iter().map(condition).collect();
        let phrase = |phrase: &Phrase| {
            let words = phrase.to_string();
            let of = || json!({ "words": words, "pieces": pieces(phrase) });
            json!([self.phrases.place(words.clone(), of), phrase.conditions])
        };
        (conditions, wording.parts(&rule.conditions).iter().map(phrase).collect())
    }
}

/// What depends on the set.
fn set_data<'a>(
    shown: &'a Shown,
    style: Style,
    premises: &mut Premises<'a>,
    coverage: &mut Pool<&'a [usize]>,
) -> Result<Value> {
    let Shown { model, counts, .. } = shown;
    let set = &model.decision_set;
    let wording = model.wording(style);
    let mut numbers = 0..;
    let mut classes: Vec<Value> = Vec::new();
    for class in &set.classes {
        let mut rules: Vec<Value> = Vec::new();
        for (rule, number) in class.rules.iter().zip(&mut numbers) {
            let (premise, said) = premises.places(rule, &wording);
            let (fired, examples) = (counts.rules[number], &counts.map.rules[number]);
            // `covers` and `wrong` are what conflicts are decided by; the rows are those of this table.
            rules.push(json!({
                "if": premise, "said": said, "covers": rule.covers, "wrong": rule.wrong.unwrap_or_default(),
                "rows": fired.own, "others": fired.others,
                "without": without(model, counts, number, rule.conditions.len()),
                "fires": coverage.place(examples, || json!(examples)),
            }));
        }
        let errors = set.is_sparse().then(|| counts.errors(model, classes.len()));
        let reached = model.labels.iter().position(|label| *label == class.class);
        let reached = reached.map(|label| counts.reached[label]);
        classes
            .push(json!({ "class": class.class, "rules": rules, "errors": errors, "reached": reached }));
    }
    Ok(json!({
        "objective": set.objective,
        "sparse": set.is_sparse(),
        "ordered": set.is_ordered(),
        "policy": model.policy,
        "default_class": model.default_label().map(|label| &model.labels[label]),
        "otherwise": model.otherwise().is_some(),
        // What `predict --proba` says where no rule fires.
        "default_shares": default_shares(model)?,
        "classes": classes,
        "columns": columns(model),
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
        let kind = encoded(column.name).map_or(Kind::default(), |column| column.kind);
        json!({
            "name": column.name,
            "kind": if column.numeric { "number" } else { "text" },
            "whole": kind.is_whole(),
            "moment": kind.is_temporal().then_some(kind),
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
        Encoding::Frequent { values, missing } => (values.clone(), Vec::new(), *missing),
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
        let page = report(&model, &table, &[], &[], Style::Words).unwrap().page;
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
        assert!(matches!(
            report(&model, &other, &[], &[], Style::Words),
            Err(Error::OtherClasses { .. })
        ));
    }
}
