//! The published schemas know every value that models can have.

use std::collections::BTreeSet;

use minrule::apply::{Conflict, Uncovered};
use minrule::data::Decimal;
use minrule::{
    Choice, CoverMethod, Cut, MethodName, Missing, Numeric, Objective, OptModel, OptSearch, RuleSource,
};
use serde_json::Value;

const MODEL: &str = include_str!("../../../docs/schema/model.schema.json");

/// All lists of allowed values in a schema.
fn enums(schema: &Value, found: &mut Vec<BTreeSet<String>>) {
    match schema {
        Value::Object(fields) => {
            if let Some(Value::Array(values)) = fields.get("enum") {
                found.push(values.iter().filter_map(|v| v.as_str().map(str::to_string)).collect());
            }
            fields.values().for_each(|field| enums(field, found));
        }
        Value::Array(items) => items.iter().for_each(|item| enums(item, found)),
        _ => {}
    }
}

#[test]
fn every_choice_is_in_the_schema() {
    fn is_listed<C: Choice>(what: &str, schema: &str) {
        let mut found = Vec::new();
        enums(&serde_json::from_str(schema).unwrap(), &mut found);
        let all: BTreeSet<String> = C::ALL.iter().map(|choice| choice.name().to_string()).collect();
        assert!(found.contains(&all), "{what}: none of the lists is {all:?}");
    }
    is_listed::<Objective>("objective", MODEL);
    is_listed::<MethodName>("method", MODEL);
    is_listed::<CoverMethod>("cover", MODEL);
    is_listed::<RuleSource>("rules", MODEL);
    is_listed::<OptModel>("opt model", MODEL);
    is_listed::<OptSearch>("opt search", MODEL);
    is_listed::<Missing>("missing", MODEL);
    is_listed::<Decimal>("decimal", MODEL);
    is_listed::<Numeric>("numeric", MODEL);
    is_listed::<Cut>("cut", MODEL);
    is_listed::<Uncovered>("uncovered", MODEL);
    is_listed::<Conflict>("conflict", MODEL);
}
