//! From a file to rules, a proof and predictions, with the library alone.
//!
//! ```sh
//! cargo run --release --example learn -- data/loans.csv
//! ```

use std::path::PathBuf;
use std::time::Duration;

use minrule::apply::{Predictor, Scratch};
use minrule::data::Field;
use minrule::text::percent;
use minrule::{
    BinariseOptions, LearnOptions, Limits, Numeric, Policy, Problem, Result, Style, Table, TableOptions,
};

fn main() -> Result<()> {
    let path = std::env::args().nth(1).map_or_else(|| PathBuf::from("data/loans.csv"), PathBuf::from);

    // The table, with everything that is known about how it is written.
    let table = Table::read(&path, &TableOptions::default())?;

    // Its columns as yes-or-no questions, and its rows as answers to them.
    let binarise = BinariseOptions { numeric: Numeric::Thresholds, ..BinariseOptions::default() };
    let problem = Problem::new(table, &binarise)?;

    // The smallest set of rules, or the best that ten seconds find.
    let limits = Limits::default().with_time(Duration::from_secs(10));
    let outcome = problem.learn(&LearnOptions::default(), &limits)?;
    let model = problem.model(&outcome, Policy::default());
    let set = &model.decision_set;
    let wording = model.wording(Style::Words);
    for rule in set.classes.iter().flat_map(|class| &class.rules) {
        println!("{}", rule.sentence(&set.target, &wording));
    }
    println!("{}", set.proof());

    // A model holds all it takes to apply the rules, here to the table's own rows.
    let table = problem.table();
    let names: Vec<String> = table.features.iter().map(|column| column.name.clone()).collect();
    let predictor = Predictor::new(&model, model.policy, &names, &table.name)?;
    let mut evaluation = model.evaluation(model.policy);
    let mut scratch = Scratch::default();
    for row in 0..table.rows() {
        let field = |column: usize, numeric: bool| {
            let column = &table.features[column];
            Field::new(column.values.get(column.codes.get(row)).as_bytes(), numeric)
        };
        let verdict = predictor.predict(field, &mut scratch);
        evaluation.add(table.target.values.get(table.target.codes.get(row)), verdict);
    }
    let agree = evaluation.accuracy().map_or("none".to_string(), percent);
    println!("The rules agree with {agree} of the rows that they were learned from.");
    Ok(())
}
