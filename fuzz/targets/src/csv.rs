//! A table that a stranger wrote.

use std::io::Cursor;
use std::time::Duration;

use minrule::data::{Batch, Decimal, Rows};
use minrule::judge::{model::judge, outcome::verify};
use minrule::result::overlaps;
use minrule::{
    BinariseOptions, LearnOptions, Limits, Method, Missing, Model, Objective, Outcome, Policy, Problem,
    Request, Spelling, Status, StopReason, Table, TableOptions,
};

use crate::apply;
use crate::choices::Choices;
use crate::refused;

/// What is learned from: more would be slow, and no stranger for it.
const MOST_FEATURES: usize = 40;
const MOST_EXAMPLES: usize = 40;
const MOST_CLASSES: usize = 5;
/// The rivals' formulas grow faster.
const MOST_CELLS: usize = 60;
/// A search that takes longer ends with what it has, which must hold as well.
const TIME: Duration = Duration::from_millis(40);

/// Options from the first bytes, a table from the rest.
///
/// A table is read or refused in words. What is learned from it is valid, no bound is above what
/// another method found, and the model on file is the model in memory.
pub fn csv(bytes: &[u8]) {
    let mut choices = Choices::new(bytes);
    let mut options = choices.table_options();
    let binarise = choices.binarise_options();
    let (ours, other) = (choices.learn_options(), choices.learn_options());
    let (policy, disjoint, named) = (choices.policy(), choices.byte() == 3, choices.byte());
    // The end of the line that the choices stand in.
    choices.byte();
    let text = choices.rest();
    name_columns(&mut options, text, named);
    let max_values = Some([BinariseOptions::MAX_VALUES, 1, 3][usize::from(named) % 3]);
    let binarise = BinariseOptions { max_values, ..binarise };
    options.spelling = spelling(named);

    let streamed = stream(text, options.separator);
    let table = match Table::from_reader(text, "table", &options) {
        Ok(table) => table,
        Err(error) => return refused(&error),
    };
    if options.missing == Missing::Value {
        assert_eq!(streamed, Some(table.rows()), "both ways to read agree on the rows");
    }
    let problem = match Problem::new(table, &binarise) {
        Ok(problem) => problem,
        Err(error) => return refused(&error),
    };
    let (table, features, examples) = (problem.table(), problem.features(), problem.examples());
    problem.warnings().iter().for_each(|warning| assert!(!warning.to_string().is_empty()));
    let cells = features.len() * examples.len();
    let sat = |options: &LearnOptions| options.method().cover().is_none();
    if features.len() > MOST_FEATURES
        || examples.len() > MOST_EXAMPLES
        || examples.classes().len() > MOST_CLASSES
        || (sat(&ours) && cells > MOST_CELLS)
    {
        return;
    }

    let mut outcome = solve(&problem, &ours);
    if !sat(&other) || cells <= MOST_CELLS {
        let other = minimising(ours.objective(), &other);
        if other.objective() == ours.objective() {
            agree(&outcome, &solve(&problem, &other));
        }
    }
    if disjoint {
        let limits = Limits::default().with_time(TIME);
        let cost = outcome.cost();
        outcome = problem.prefer_disjoint(outcome, &limits).expect("no bug");
        assert_eq!(outcome.cost(), cost, "the rules may change, their cost may not");
    }
    let model = on_file(problem.model(&outcome, policy));
    overlaps(features, &model.decision_set);
    assert_eq!(judge(&model, table).expect("its own table"), [], "the model holds");
    apply::everything(&model, table);
    let evaluation = apply::evaluate(&model, table, model.policy);
    let kept = evaluation.rows() - model.decision_set.conflicts.rows_dropped as u64;
    assert_eq!(evaluation.correct(), kept, "all rows that did not lose a vote");
    sparse(&problem, ours.objective(), policy);
}

/// The same table, with rules that may be wrong.
fn sparse(problem: &Problem, objective: Objective, policy: Policy) {
    let objective = if objective.is_lexicographic() { Objective::Size } else { objective };
    let prices = ["1row", "0.3rows", "0.02", "2.5rows"];
    let alpha = prices[problem.examples().len() % prices.len()].parse().expect("a price");
    let request = Request { objective: Some(objective), alpha: Some(alpha), ..Request::default() };
    let options = request.options().expect("they go together").on_one_thread();
    let limits = Limits::default().with_time(TIME);
    let outcome = problem.learn(&options, &limits).expect("the options are valid");
    let model = on_file(problem.model(&outcome, policy));
    assert_eq!(judge(&model, problem.table()).expect("its own table"), [], "the model holds");
    apply::everything(&model, problem.table());
    let evaluation = apply::evaluate(&model, problem.table(), model.policy);
    let wrong = evaluation.rows() - evaluation.correct();
    assert_eq!(model.decision_set.rows_wrong, Some(wrong), "every error is known");
}

/// How values are written; mostly plainly.
fn spelling(choice: u8) -> Spelling {
    let missing = || ["n/a", "9", "x"].map(str::to_string).to_vec();
    match choice % 16 {
        13 => Spelling { missing: missing(), ..Spelling::default() },
        14 => Spelling { decimal: Decimal::Comma, ..Spelling::default() },
        15 => Spelling { missing: missing(), decimal: Decimal::Comma, ..Spelling::default() },
        _ => Spelling::default(),
    }
}

/// Names columns that are there, and one that is not: only then does a name get anywhere.
fn name_columns(options: &mut TableOptions, text: &[u8], named: u8) {
    let line = text.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let names: Vec<String> = line
        .split(|&byte| byte == options.separator)
        .map(|name| String::from_utf8_lossy(name.trim_ascii()).into_owned())
        .collect();
    let (first, last) = (names.first().cloned(), names.last().cloned());
    match named {
        1 => options.target = first,
        2 => options.ignore = first.into_iter().collect(),
        3 => options.ignore = last.into_iter().collect(),
        4 => options.target = Some(format!("{}x", last.unwrap_or_default())),
        5 => options.ignore = names.into_iter().skip(1).collect(),
        _ => {}
    }
}

/// How many rows there are for those who see each row once; none if the table is refused.
fn stream(text: &[u8], separator: u8) -> Option<usize> {
    let mut rows =
        match Rows::from_reader(Cursor::new(text.to_vec()), "table", separator, Decimal::Point) {
            Ok(rows) => rows,
            Err(error) => {
                refused(&error);
                return None;
            }
        };
    let (mut batch, mut count) = (Batch::default(), 0);
    loop {
        if let Err(error) = rows.read(&mut batch) {
            refused(&error);
            return None;
        }
        if batch.rows().is_empty() {
            return Some(count);
        }
        count += batch.rows().len();
    }
}

/// Learns, and judges what was learned.
pub(crate) fn solve(problem: &Problem, options: &LearnOptions) -> Outcome {
    let limits = Limits::default().with_time(TIME);
    let outcome = problem.learn(options, &limits).expect("the options are valid");
    assert_eq!(verify(problem.examples(), &outcome), Ok(()));
    for class in &outcome.classes {
        assert_eq!(class.failure, None, "no solver fails");
        assert_ne!(class.stopped_by, Some(StopReason::SolverFailure), "every solver has a reason");
        assert_eq!(class.stopped_by.is_none(), class.status() == Status::Optimal);
    }
    outcome
}

/// The method with this objective, if it can minimise several.
fn minimising(objective: Objective, options: &LearnOptions) -> LearnOptions {
    let method = match options.method() {
        Method::Lazy { cover, .. } => Method::Lazy { objective, cover, alpha: None },
        Method::Enumerate { rules, cover, .. } => Method::Enumerate { objective, rules, cover },
        other => other,
    };
    LearnOptions::new(method).with_seed(options.seed()).on_one_thread()
}

/// Two ways to the same rules: no bound of one is above what the other found.
fn agree(one: &Outcome, other: &Outcome) {
    for (one, other) in one.classes.iter().zip(&other.classes) {
        assert!(one.lower_bound <= other.cost, "{one:?}\n{other:?}");
        assert!(other.lower_bound <= one.cost, "{one:?}\n{other:?}");
    }
}

/// The model, once it has been written and read.
fn on_file(model: Model) -> Model {
    let json = model.to_json().expect("a model can be written");
    let read = Model::from_json(json.as_bytes(), "model.json".as_ref()).expect("and read");
    // What is not written is not compared: a bound on memory, which is no part of the model.
    assert_eq!(read.to_json().expect("a model can be written"), json);
    assert_eq!(read, model);
    read
}
