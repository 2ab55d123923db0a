//! A model put to every use there is.

use minrule::apply::{Conflict, DecidedBy, Explainer, Scratch, Uncovered};
use minrule::data::Field;
use minrule::result::overlaps;
use minrule::{Choice, Evaluation, Export, Model, Policy, Predictor, Style, Table, export, report};

use crate::refused;

/// Rows that a model is applied to.
const MOST_ROWS: usize = 20;

/// Applies a model to a table, writes it in every form and makes its page. Each may be refused in
/// words; where several say the same thing, they must agree.
pub(crate) fn everything(model: &Model, table: &Table) {
    overlaps(&model.features, &model.decision_set);
    for policy in [model.policy, policy(Uncovered::Nearest, Conflict::Size), Policy::default()] {
        for &to in Export::ALL {
            match export(model, policy, to, Style::Words) {
                Ok(text) => assert!(!text.is_empty(), "{to:?} says something"),
                Err(error) => refused(&error),
            }
        }
        predict(model, table, policy);
        explain(model, table, policy);
    }
    if let Err(error) = report(model, table, &[], &[], Style::Words) {
        refused(&error);
    }
}

fn policy(uncovered: Uncovered, conflict: Conflict) -> Policy {
    Policy { uncovered, conflict }
}

fn names(table: &Table) -> Vec<String> {
    table.features.iter().map(|column| column.name.clone()).collect()
}

fn value(table: &Table, row: usize, column: usize) -> &[u8] {
    let column = &table.features[column];
    column.values.get(column.codes.get(row)).as_bytes()
}

/// Predicts rows; the rules that fire must be those whose words hold.
fn predict(model: &Model, table: &Table, policy: Policy) {
    let names = names(table);
    let predictor = match Predictor::new(model, policy, &names, "table") {
        Ok(predictor) => predictor,
        Err(error) => return refused(&error),
    };
    let used = model.used_columns();
    let mut scratch = Scratch::default();
    for row in 0..table.rows().min(MOST_ROWS) {
        let field = |column: usize, numeric: bool| Field::new(value(table, row, column), numeric);
        predictor.fired(field, &mut scratch);
        let holds = |condition: &minrule::Condition| {
            let column = names.iter().position(|name| *name == condition.feature).expect("it is there");
            let used = used.iter().find(|used| used.name == condition.feature).expect("it is used");
            condition.holds(field(column, used.numeric))
        };
        let rules = model.rules().enumerate();
        let by_words: Vec<usize> = rules
            .filter(|(_, (_, rule))| rule.conditions.iter().all(&holds))
            .map(|(number, _)| number)
            .collect();
        assert_eq!(scratch.rules, by_words, "row {row}");
        let verdict = predictor.predict(field, &mut scratch);
        assert_eq!(verdict.decided_by == DecidedBy::Uncovered, by_words.is_empty());
        assert!(verdict.label.is_none_or(|label| label < model.labels.len()));
        let shares = predictor.shares(verdict, &mut scratch);
        assert_eq!(shares.len(), model.labels.len());
        let sum: f64 = shares.iter().sum();
        assert!(sum < 1.0 + 1e-6 && shares.iter().all(|share| *share >= 0.0), "{shares:?}");
    }
}

/// Explains rows; a rule that is named fires.
fn explain(model: &Model, table: &Table, policy: Policy) {
    let explainer = match Explainer::new(model, policy, Style::Words) {
        Ok(explainer) => explainer,
        Err(error) => return refused(&error),
    };
    let names = names(table);
    let position = |name: &str| names.iter().position(|known| known == name);
    let Some(columns) = explainer.columns().map(position).collect::<Option<Vec<usize>>>() else {
        return;
    };
    for row in 0..table.rows().min(4) {
        let values: Vec<&[u8]> = columns.iter().map(|&column| value(table, row, column)).collect();
        let explanation = explainer.explain(&values);
        if explanation.verdict.decided_by != DecidedBy::Uncovered {
            assert!(explanation.rules.iter().all(|&rule| explainer.fires(rule, &values)));
        }
        for other in explanation.counterfactuals {
            assert_ne!(Some(other.label), explanation.verdict.label);
            assert!(!other.changes.is_empty() || explanation.verdict.label.is_none());
        }
    }
}

/// What a model says of the rows of a table, counted.
pub(crate) fn evaluate(model: &Model, table: &Table, policy: Policy) -> Evaluation {
    let mut evaluation = Evaluation::new(&model.labels);
    let mut scratch = Scratch::default();
    if let Ok(predictor) = Predictor::new(model, policy, &names(table), "table") {
        for row in 0..table.rows() {
            let field = |column: usize, numeric: bool| Field::new(value(table, row, column), numeric);
            let verdict = predictor.predict(field, &mut scratch);
            evaluation.add(table.target.values.get(table.target.codes.get(row)), verdict);
        }
        assert_eq!(evaluation.rows(), table.rows() as u64);
    }
    evaluation.classes();
    evaluation.balanced_accuracy();
    evaluation
}
