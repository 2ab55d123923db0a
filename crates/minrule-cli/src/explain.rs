//! `minrule explain`: why a row is what the model says, and what would make it something else.

use std::borrow::Cow;

use minrule::apply::{Counterfactual, DecidedBy, Explainer, Explanation, OutOfReach, Uncovered};
use minrule::data::Rows;
use minrule::{Condition, DecisionRule, Error, Model, Policy, Result, Style, Wording};
use serde_json::{Value, json};

use crate::args::{Explain, Format, RowRange};
use crate::predict::{each_batch, open};
use crate::words;

/// Rows that are named one by one as support of a rule.
const SHOWN: usize = 5;

/// What is said of advice by a model that does not know better.
const EXAMPLES: &str = "Values after \"->\" are examples, which need not occur in the table: an earlier version of minrule \
                        made this model. Learn it again for values that occur.";

/// Runs the command.
pub(crate) fn run(args: &Explain) -> Result<()> {
    let model = Model::read(&args.input.model)?;
    let policy = args.policy.or(model.policy)?;
    let mut rows = open(&args.input, &model)?;
    let explainer = Explainer::new(&model, policy, args.style)?.with_fixed(&args.fixed)?;
    let cases = Case::find(&model, (policy, args.style), &explainer, &mut rows, &args.row)?;
    words::print(&match (args.format, &cases[..], &args.row[..]) {
        (Format::Text, cases, _) => {
            let mut texts: Vec<String> =
                cases.iter().map(|case| case.text(&rows, !args.fixed.is_empty())).collect();
            let advised = cases.iter().any(|case| !case.explanation.counterfactuals.is_empty());
            if advised && !explainer.advises_what_occurs() {
                texts.push(format!("{EXAMPLES}\n"));
            }
            texts.join("\n")
        }
        // Who asks for one row gets one object.
        (Format::Json, [case], [RowRange::One(_)]) => words::pretty(&case.json()),
        (Format::Json, cases, _) => words::pretty(&cases.iter().map(Case::json).collect()),
    })
}

/// A row and what is to say of it.
struct Case<'m> {
    model: &'m Model,
    policy: Policy,
    wording: Wording<'m>,
    row: usize,
    columns: Vec<&'m str>,
    values: Vec<String>,
    explanation: Explanation,
    /// For each rule that fired: how many rows of its class it covers, and the first of them.
    support: Vec<(usize, Vec<usize>)>,
    /// Whether advised values occur in the model's table.
    values_occur: bool,
}

impl<'m> Case<'m> {
    /// Looks for the rows asked for and for those that support what is said of them, in one pass; the
    /// rows before the last one asked for are looked at by all rules.
    fn find(
        model: &'m Model,
        (policy, style): (Policy, Style),
        explainer: &Explainer<'m>,
        rows: &mut Rows,
        wanted: &[RowRange],
    ) -> Result<Vec<Case<'m>>> {
        let wording = model.wording(style);
        let columns: Vec<&str> = explainer.columns().collect();
        let position = |name: &str| {
            let position = rows.names().iter().position(|known| known == name);
            position.ok_or_else(|| Error::no_such_column(rows.place(), name, rows.names()))
        };
        let positions: Vec<usize> = columns.iter().map(|name| position(name)).collect::<Result<_>>()?;
        // Without the class there is nothing to support a rule with.
        let target = position(&model.decision_set.target).ok();
        let rules: Vec<(usize, &DecisionRule)> = model.rules().collect();
        let last = wanted.iter().map(RowRange::last).max().unwrap_or_default();
        let mut support: Vec<(usize, Vec<usize>)> = vec![(0, Vec::new()); rules.len()];
        let mut asked = vec![false; rules.len()];
        let mut found: Vec<(usize, Vec<String>, Explanation)> = Vec::new();
        let mut number = 0;
        each_batch(rows, |batch| {
            for row in batch {
                number += 1;
                let fields = positions.iter().enumerate();
                let values: Vec<Cow<[u8]>> =
                    fields.map(|(i, &p)| explainer.plain(i, row.field(p))).collect();
                let values: Vec<&[u8]> = values.iter().map(|value| &**value).collect();
                if wanted.iter().any(|range| range.contains(number)) {
                    let texts = values.iter().enumerate().map(|(i, value)| explainer.shown(i, value));
                    let explanation = explainer.explain(&values);
                    explanation.rules.iter().for_each(|&rule| asked[rule] = true);
                    found.push((number, texts.collect(), explanation));
                }
                let Some(class) = target.map(|target| row.field(target)) else { continue };
                for (rule, (count, first)) in support.iter_mut().enumerate() {
                    let in_question = number <= last || asked[rule];
                    let same = model.labels[rules[rule].0].as_bytes() == class;
                    if in_question && same && explainer.fires(rule, &values) {
                        *count += 1;
                        if first.len() < SHOWN {
                            first.push(number);
                        }
                    }
                }
            }
            Ok(())
        })?;
        let lacking = |range: &&RowRange| {
            range.first() > number || matches!(range, RowRange::FromTo(_, to) if *to > number)
        };
        if let Some(range) = wanted.iter().find(lacking) {
            let row = if range.first() > number { range.first() } else { range.last() };
            return Err(Error::NoSuchRow { place: rows.place().to_string(), row, rows: number });
        }
        let case = |(row, values, explanation): (usize, Vec<String>, Explanation)| {
            let support = explanation.rules.iter().map(|&rule| support[rule].clone()).collect();
            let values_occur = explainer.advises_what_occurs();
            let (columns, wording) = (columns.clone(), wording.clone());
            Case { model, policy, wording, row, columns, values, explanation, support, values_occur }
        };
        Ok(found.into_iter().map(case).collect())
    }

    fn rule(&self, number: usize) -> &'m DecisionRule {
        self.model.rules().nth(number).expect("a rule of this model").1
    }

    fn value(&self, condition: &Condition) -> &str {
        let column = self.columns.iter().position(|name| *name == condition.feature);
        column.map_or("", |column| &self.values[column])
    }

    fn how(&self) -> &'static str {
        let set = &self.model.decision_set;
        let class = self.explanation.verdict.label.map(|label| &self.model.labels[label]);
        let first = set.classes.first().map(|class| &class.class);
        match (self.explanation.verdict.decided_by, self.policy.uncovered) {
            (DecidedBy::Rules, _) if set.is_ordered() && class == first => {
                "a rule fires of the class that comes first"
            }
            (DecidedBy::Rules, _) if set.is_ordered() => "a rule fires, and none of an earlier class",
            (DecidedBy::Rules, _) => "all rules that fire agree",
            (DecidedBy::Conflict, _) => "rules of several classes fire",
            (DecidedBy::Uncovered, Uncovered::Nearest) => "no rule fires; these are the nearest",
            (DecidedBy::Uncovered, Uncovered::Default) if self.model.otherwise().is_some() => {
                "otherwise: no rule fires"
            }
            (DecidedBy::Uncovered, _) => "no rule fires",
        }
    }

    fn text(&self, rows: &Rows, some_fixed: bool) -> String {
        let mut out = String::new();
        let target = &self.model.decision_set.target;
        let mut line = |text: &str| words::line(&mut out, text);
        let what = match self.explanation.verdict.label {
            Some(label) => format!("{target} = {}", self.model.labels[label]),
            None => "no prediction".to_string(),
        };
        line(&format!("Row {} of {}: {what} ({})", self.row, rows.place(), self.how()));
        for (&number, (count, first)) in self.explanation.rules.iter().zip(&self.support) {
            let rule = self.rule(number);
            line("");
            line(&rule.sentence(target, &self.wording));
            for phrase in self.wording.phrases(&rule.conditions) {
                let here = phrase.conditions.first().map(|&place| self.value(&rule.conditions[place]));
                line(&format!("  {phrase}   (here {})", shown(here.unwrap_or_default())));
            }
            if *count > 0 {
                let first: Vec<String> = first.iter().map(ToString::to_string).collect();
                let more = match count - first.len() {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                let rows = words::count(*count, "row");
                line(&format!("  Supported by {rows} of this table: {}{more}.", first.join(", ")));
            }
        }
        for other in &self.explanation.counterfactuals {
            line("");
            self.counterfactual(other, &mut line);
        }
        for OutOfReach { label, proven } in &self.explanation.out_of_reach {
            line("");
            let label = &self.model.labels[*label];
            line(&match (proven, some_fixed) {
                (true, true) => {
                    format!("For {target} = {label}, no change of the other columns would do.")
                }
                (true, false) => format!("For {target} = {label}, no change would do."),
                (false, _) => {
                    format!("For {target} = {label}, no changes were found in reasonable time.")
                }
            });
        }
        out
    }

    fn counterfactual(&self, other: &Counterfactual, line: &mut impl FnMut(&str)) {
        let target = &self.model.decision_set.target;
        let label = &self.model.labels[other.label];
        let changes = words::count(other.changes.len(), "change");
        let fewer = if other.fewest { "" } else { ", and perhaps fewer" };
        line(&format!("For {target} = {label}, {changes} would do{fewer}:"));
        for change in &other.changes {
            let general = match change.conditions.is_empty() {
                true => String::new(),
                false => format!("   ({})", change.conditions.join(", ")),
            };
            line(&format!("  {}: {} -> {}{general}", change.column, shown(&change.from), change.to));
        }
        line(&match other.rule {
            Some(rule) => format!("  Then fires: {}", self.rule(rule).sentence(target, &self.wording)),
            None => format!("  Then no rule fires: otherwise {target} = {label}"),
        });
    }

    fn json(&self) -> Value {
        let set = &self.model.decision_set;
        let label = |label: usize| &self.model.labels[label];
        let rules = self.explanation.rules.iter().zip(&self.support).map(|(&number, support)| {
            json!({
                "rule": number + 1,
                "if": self.rule(number).conditions,
                "then": self.rule(number).then,
                "words": self.rule(number).sentence(&set.target, &self.wording),
                "supported_by": support.0,
                "first_rows": support.1,
            })
        });
        let others = self.explanation.counterfactuals.iter().map(|other| {
            json!({
                "class": label(other.label),
                "changes": other.changes,
                "fewest": other.fewest,
                "rule": other.rule.map(|rule| rule + 1),
                "words": other.rule.map(|rule| self.rule(rule).sentence(&set.target, &self.wording)),
            })
        });
        let out_of_reach = self.explanation.out_of_reach.iter();
        let out_of_reach =
            out_of_reach.map(|other| json!({ "class": label(other.label), "proven": other.proven }));
        let values = self.columns.iter().zip(&self.values);
        let values: serde_json::Map<String, Value> =
            values.map(|(column, value)| (column.to_string(), json!(value))).collect();
        json!({
            "row": self.row,
            "target": set.target,
            "class": self.explanation.verdict.label.map(label),
            "decided_by": match self.explanation.verdict.decided_by {
                DecidedBy::Rules => "rules",
                DecidedBy::Conflict => "conflict",
                DecidedBy::Uncovered => "uncovered",
            },
            "values": values,
            "rules": rules.collect::<Vec<Value>>(),
            "counterfactuals": others.collect::<Vec<Value>>(),
            "out_of_reach": out_of_reach.collect::<Vec<Value>>(),
            "advised_values_occur": self.values_occur,
        })
    }
}

fn shown(value: &str) -> &str {
    if minrule::data::is_missing(value.as_bytes()) { "(missing)" } else { value }
}
