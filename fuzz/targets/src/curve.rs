//! A curve that a stranger wrote.

use std::sync::OnceLock;

use minrule::result::CurveFile;
use minrule::solve::Request;
use minrule::{
    BinariseOptions, Error, Limits, Model, Policy, Problem, Style, Table, TableOptions, report,
};

use crate::refused;

const NOISY: &str = include_str!("noisy.csv");

/// A curve is refused in words, by itself or by the table, or there is a page of each of its sets.
pub fn curve(bytes: &[u8]) {
    let curve = match CurveFile::from_json(bytes, "curve.json") {
        Ok(curve) => curve,
        Err(error) => {
            assert!(matches!(error, Error::BadCurve { .. }), "{error}");
            return refused(&error);
        }
    };
    let json = serde_json::to_vec(&curve).expect("what was read can be written");
    let again = CurveFile::from_json(&json, "curve.json");
    assert_eq!(again.expect("and read again"), curve);

    static OWN: OnceLock<(Model, Table)> = OnceLock::new();
    let (model, table) = OWN.get_or_init(own);
    match curve.points(model, table, "curve.json") {
        Ok(points) => {
            for point in &points {
                if let Err(error) = report(&point.model, table, &[], &points, Style::Words) {
                    refused(&error);
                }
            }
        }
        Err(error) => refused(&error),
    }
}

/// A model of the table that the corpus is of.
fn own() -> (Model, Table) {
    let options = TableOptions::default();
    let table = Table::from_reader(NOISY.as_bytes(), "noisy.csv", &options).expect("a table");
    let problem = Problem::new(table, &BinariseOptions::default()).expect("features");
    let request = Request { alpha: "1row".parse().ok(), ..Request::default() };
    let options = request.options().expect("an alpha is all it asks for");
    let outcome = problem.learn(&options, &Limits::default()).expect("no limit");
    let model = problem.model(&outcome, Policy::suited_to(&options));
    (model, problem.table().clone())
}
