//! A PMML 4.4 rule set, for the many programs that read it.
//!
//! PMML knows three truth values: a comparison with a missing value is UNKNOWN, and a rule that is
//! not TRUE does not fire. What denies must therefore let the missing value in by name. What is no
//! finite number counts as missing (`asMissing`), an unseen text as it is (`asIs`).
//!
//! Policies map to the criteria of PMML: majority to the sum of weights, size to the largest weight.
//! A tie goes to the label that stands first in the data dictionary, says PMML; readers are known to
//! take the first rule instead, and to compare confidences where weights are meant. Weights without
//! ties, and confidences in the same order, leave no room for either.

use std::cmp::Reverse;

use crate::apply::predict::{Conflict, Uncovered};
use crate::data::kind::Kind;
use crate::error::{Error, Result, Setting};
use crate::show::export::program::{Column, Program, Rule, Test, What};
use crate::show::export::words::{origin, policy};
use crate::text::{is_plain, one_line};

/// Whole numbers up to here are exact in floating point, with room for the divisions of readers.
const EXACT: u128 = 1 << 50;

/// Spellings of a missing value, for columns where rules ask for it.
const MISSING: [&str; 14] =
    ["", "?", "na", "nA", "Na", "NA", "nan", "naN", "nAn", "nAN", "Nan", "NaN", "NAn", "NAN"];

/// What makes infinity an invalid number.
const FINITE: &str = "      <Interval closure=\"closedClosed\" leftMargin=\"-1.7976931348623157E308\" \
                      rightMargin=\"1.7976931348623157E308\"/>\n";

pub(crate) fn pmml(program: &Program) -> Result<String> {
    let refused = |setting, given: &str, allowed| {
        Err(Error::BadOption { setting, given: given.to_string(), allowed })
    };
    if program.policy.uncovered == Uncovered::Nearest {
        let allowed = "`default` or `abstain` in PMML, which knows no distance from a rule";
        return refused(Setting::Uncovered, "nearest", allowed);
    }
    if program.policy.conflict == Conflict::Abstain {
        let allowed = "`majority` or `size` in PMML, where conflicts always have a winner";
        return refused(Setting::Conflict, "abstain", allowed);
    }
    let allowed = "free of control characters, which XML cannot hold";
    program.refuse("a name or value for PMML", |c| !is_xml(c), allowed)?;

    let set = &program.model.decision_set;
    let (version, target) = (attribute(&program.model.provenance.minrule), attribute(&set.target));
    let mut notes = String::new();
    for sentence in origin(program).iter().chain(&policy(program)).chain(&in_utc(program)) {
        let sentence = escaped(&one_line(sentence));
        notes.push_str(&format!("    <Annotation>{sentence}</Annotation>\n"));
    }
    Ok(format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <PMML xmlns=\"http://www.dmg.org/PMML-4_4\" version=\"4.4\">\n  \
           <Header>\n    \
             <Application name=\"minrule\" version={version}/>\n{notes}  \
           </Header>\n{}  \
           <RuleSetModel modelName={target} functionName=\"classification\" algorithmName=\"minrule\">\n\
         {}{}  \
           </RuleSetModel>\n\
         </PMML>\n",
        dictionary(program),
        schema(program),
        rule_set(program),
    ))
}

/// What times there are that must be brought to UTC, a sentence each. PMML has no word for an offset.
fn in_utc(program: &Program) -> Vec<String> {
    let instants = program.columns.iter().filter(|column| column.kind == Kind::Instant);
    let sentence =
        |column: &Column| format!("Times in \"{}\" must be in UTC, without an offset.", column.name);
    instants.map(sentence).collect()
}

/// A number as values of its column are written.
fn value(column: &Column, x: f64) -> String {
    match column.kind {
        Kind::Real | Kind::Whole => format!("{x:?}"),
        Kind::Date | Kind::Time | Kind::Instant => column.kind.shown(x).replace('Z', ""),
    }
}

fn dictionary(program: &Program) -> String {
    let mut out = format!("  <DataDictionary numberOfFields=\"{}\">\n", program.columns.len() + 1);
    let tests = || program.rules.iter().flat_map(|rule| &rule.tests);
    for (i, column) in program.columns.iter().enumerate() {
        let name = attribute(column.name);
        let kind = match (column.numeric, column.kind) {
            (false, _) => "optype=\"categorical\" dataType=\"string\"",
            (true, Kind::Real | Kind::Whole) => "optype=\"continuous\" dataType=\"double\"",
            (true, Kind::Date) => "optype=\"ordinal\" dataType=\"date\"",
            (true, Kind::Time | Kind::Instant) => "optype=\"ordinal\" dataType=\"dateTime\"",
        };
        let asks = tests().any(|test| test.column == i && program.is_missing_text(test));
        let values: String = match column.numeric {
            true => {
                let missing = column.missing.iter().map(|x| missing_value(&value(column, *x)));
                let finite = if column.kind.is_temporal() { "" } else { FINITE };
                finite.to_string() + &missing.collect::<String>()
            }
            false if asks => {
                let also = program.missing_texts().iter().map(|text| missing_value(text));
                MISSING.map(missing_value).concat() + &also.collect::<String>()
            }
            false => String::new(),
        };
        out.push_str(&match values.is_empty() {
            true => format!("    <DataField name={name} {kind}/>\n"),
            false => format!("    <DataField name={name} {kind}>\n{values}    </DataField>\n"),
        });
    }
    let target = attribute(&program.model.decision_set.target);
    out.push_str(&format!("    <DataField name={target} optype=\"categorical\" dataType=\"string\">\n"));
    for label in &program.model.labels {
        out.push_str(&format!("      <Value value={}/>\n", attribute(label)));
    }
    out.push_str("    </DataField>\n  </DataDictionary>\n");
    out
}

fn missing_value(spelling: &str) -> String {
    format!("      <Value value={} property=\"missing\"/>\n", attribute(spelling))
}

fn schema(program: &Program) -> String {
    let mut out = String::from("    <MiningSchema>\n");
    for column in &program.columns {
        let treatment = if column.numeric { "asMissing" } else { "asIs" };
        let name = attribute(column.name);
        out.push_str(&format!(
            "      <MiningField name={name} usageType=\"active\" invalidValueTreatment=\"{treatment}\"/>\n"
        ));
    }
    let target = attribute(&program.model.decision_set.target);
    out.push_str(&format!("      <MiningField name={target} usageType=\"target\"/>\n"));
    out.push_str("    </MiningSchema>\n");
    out
}

fn rule_set(program: &Program) -> String {
    let model = program.model;
    let criterion = match program.policy.conflict {
        Conflict::Size | Conflict::Precision | Conflict::Order => "weightedMax",
        Conflict::Majority | Conflict::Abstain => "weightedSum",
    };
    let default = program.uncovered_label().zip(model.default_label()).map(|(label, place)| {
        let others = model.undescribed();
        let in_question = |label: &usize| others.is_empty() || others.contains(label);
        let (rows, all): (&[u64], u64) = match model.uncovered_rows.iter().sum() {
            0 => {
                let rows = |label: usize| model.class_rows[label];
                (&model.class_rows, (0..model.labels.len()).filter(in_question).map(rows).sum())
            }
            uncovered => (&model.uncovered_rows, uncovered),
        };
        let share = rows[place] as f64 / all.max(1) as f64;
        format!(" defaultScore={} defaultConfidence=\"{share}\"", attribute(label))
    });
    let mut out = format!(
        "    <RuleSet{}>\n      <RuleSelectionMethod criterion=\"{criterion}\"/>\n",
        default.unwrap_or_default()
    );
    for ((i, rule), (weight, confidence)) in program.rules.iter().enumerate().zip(weights(program)) {
        let score = attribute(&model.labels[rule.label]);
        out.push_str(&format!(
            "      <SimpleRule id=\"{}\" score={score} recordCount=\"{}\" \
             {}confidence=\"{confidence}\" weight=\"{weight}\">\n{}      </SimpleRule>\n",
            i + 1,
            rule.covers + rule.rule.wrong.unwrap_or_default(),
            rule.rule.wrong.map_or(String::new(), |_| format!("nbCorrect=\"{}\" ", rule.covers)),
            premise(program, rule),
        ));
    }
    out.push_str("    </RuleSet>\n");
    out
}

/// The weight and the confidence of each rule.
fn weights(program: &Program) -> Vec<(u64, f64)> {
    match program.policy.conflict {
        Conflict::Size | Conflict::Precision | Conflict::Order => by_size(&program.rules),
        Conflict::Majority | Conflict::Abstain => {
            let labels = program.model.labels.len();
            let scale = by_covers(&program.rules, labels);
            program.rules.iter().map(|rule| (rule.covers * scale(rule.label), 1.0)).collect()
        }
    }
}

/// The place of each rule in the order in which they win, and this place as a share.
fn by_size(rules: &[Rule]) -> Vec<(u64, f64)> {
    let key = |rule: &Rule| (rule.strength, rule.covers, Reverse(rule.label));
    let mut keys: Vec<_> = rules.iter().map(key).collect();
    keys.sort_unstable();
    keys.dedup();
    let place = |rule: &Rule| keys.partition_point(|other| *other <= key(rule));
    rules.iter().map(|rule| (place(rule) as u64, place(rule) as f64 / keys.len() as f64)).collect()
}

/// What the covers of a rule are multiplied with, by its label: more for an earlier label, but so
/// little more that only equal sums can tell. With S the largest sum of a class, factors from F to
/// F + L - 1 and F > S (L - 1), a sum larger by one outweighs every difference of factors. Where the
/// products were no longer exact, ties are left to the reader.
fn by_covers(rules: &[Rule], labels: usize) -> impl Fn(usize) -> u64 {
    let mut sums = vec![0u128; labels];
    rules.iter().for_each(|rule| sums[rule.label] += u128::from(rule.covers));
    let largest = sums.into_iter().max().unwrap_or(0);
    let last = labels as u128 - 1;
    let factor = largest * last + 1;
    let exact = largest * (factor + last) < EXACT;
    move |label| if exact { (factor + last - label as u128) as u64 } else { 1 }
}

fn premise(program: &Program, rule: &Rule) -> String {
    let tests: Vec<String> = rule.tests.iter().flat_map(|test| predicates(program, test)).collect();
    compound("        ", "and", &tests)
}

/// All of the predicates, or any, with as few elements as the schema allows.
fn compound(indent: &str, operator: &str, predicates: &[String]) -> String {
    match predicates {
        [] => format!("{indent}<True/>\n"),
        [one] => indented(indent, one),
        many => {
            let inner = format!("{indent}  ");
            let many: String = many.iter().map(|predicate| indented(&inner, predicate)).collect();
            format!(
                "{indent}<CompoundPredicate booleanOperator=\"{operator}\">\n{many}\
                 {indent}</CompoundPredicate>\n"
            )
        }
    }
}

fn indented(indent: &str, text: &str) -> String {
    text.lines().map(|line| format!("{indent}{line}\n")).collect()
}

/// What must be TRUE for a test to hold.
fn predicates(program: &Program, test: &Test) -> Vec<String> {
    let column = &program.columns[test.column];
    let field = attribute(column.name);
    let simple = |operator: &str, value: &str| {
        format!("<SimplePredicate field={field} operator=\"{operator}\" value={}/>", attribute(value))
    };
    let number = |operator: &str, x: f64| simple(operator, &value(column, x));
    let missing = |operator: &str| format!("<SimplePredicate field={field} operator=\"{operator}\"/>");
    let or_missing = |mut denials: Vec<String>| {
        denials.insert(0, missing("isMissing"));
        vec![compound("", "or", &denials)]
    };
    match (test.what, test.negated) {
        (What::Is(text), false) => vec![simple("equal", text)],
        (What::Is(text), true) => or_missing(vec![simple("notEqual", text)]),
        (What::Equals(x), false) => vec![number("equal", x)],
        (What::Equals(x), true) => or_missing(vec![number("notEqual", x)]),
        (What::AtMost(t), false) => vec![number("lessOrEqual", t)],
        (What::AtMost(t), true) => or_missing(vec![number("greaterThan", t)]),
        (What::Above(t), false) => vec![number("greaterThan", t)],
        (What::Above(t), true) => or_missing(vec![number("lessOrEqual", t)]),
        (What::AtLeast(t), false) => vec![number("greaterOrEqual", t)],
        (What::AtLeast(t), true) => or_missing(vec![number("lessThan", t)]),
        (What::Below(t), false) => vec![number("lessThan", t)],
        (What::Below(t), true) => or_missing(vec![number("greaterOrEqual", t)]),
        (What::Between(low, high), false) => {
            vec![number("greaterOrEqual", low), number("lessOrEqual", high)]
        }
        (What::Between(low, high), true) => {
            or_missing(vec![number("lessThan", low), number("greaterThan", high)])
        }
        (What::Within(low, high), false) => {
            vec![number("greaterThan", low), number("lessOrEqual", high)]
        }
        (What::Within(low, high), true) => {
            or_missing(vec![number("lessOrEqual", low), number("greaterThan", high)])
        }
        (What::Missing, false) => vec![missing("isMissing")],
        (What::Missing, true) => vec![missing("isNotMissing")],
        (What::Never, negated) => vec![if negated { "<True/>" } else { "<False/>" }.to_string()],
    }
}

/// An attribute value with its quotes.
fn attribute(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// Text as it stands, in an element or an attribute. Line ends and tabs go by number, or readers
/// make blanks of them.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars().filter(|&c| is_xml(c)) {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            _ if is_plain(c) => out.push(c),
            _ => out.push_str(&format!("&#{};", u32::from(c))),
        }
    }
    out
}

/// Whether XML 1.0 can hold a character at all.
fn is_xml(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_escaped() {
        assert_eq!(attribute("a<\"b\" & 'c'>\n"), "\"a&lt;&quot;b&quot; &amp; 'c'&gt;&#10;\"");
        assert!(!is_xml('\u{1}') && !is_xml('\u{ffff}') && is_xml('é') && is_xml('😀'));
    }

    #[test]
    fn only_ties_are_decided_by_the_factors() {
        // Every pair of sums within the largest, for every pair of labels.
        let (largest, labels) = (20u64, 4usize);
        let rule = crate::result::decision_set::DecisionRule {
            conditions: Vec::new(),
            then: String::new(),
            covers: largest,
            wrong: None,
            precision: None,
        };
        let rules = [Rule { label: 0, covers: largest, strength: 0, tests: Vec::new(), rule: &rule }];
        let scale = by_covers(&rules, labels);
        for (a, b) in (0..labels).flat_map(|a| (0..labels).map(move |b| (a, b))) {
            for (x, y) in (1..=largest).flat_map(|x| (1..=largest).map(move |y| (x, y))) {
                let expected = x.cmp(&y).then(b.cmp(&a));
                assert_eq!((x * scale(a)).cmp(&(y * scale(b))), expected, "{a}: {x}, {b}: {y}");
            }
        }
    }
}
