//! Explains a prediction: which rules fired, and which changes would lead to another class.
//!
//! Advice is a value that occurs in the table, for as few columns as will do. A class is reached by one of its
//! rules, of which every unmet condition asks for a change of its column; whatever overrules that rule then must not
//! fire, which takes a change of one of *its* columns. That leaves few choices, and they are tried to a depth of one
//! change, two, and so on: what is found first is the fewest, unless the search was cut short.

use std::borrow::Cow;
use std::cmp::Reverse;

use hashbrown::HashMap;
use serde::Serialize;

use crate::apply::predict::{DecidedBy, Policy, Predictor, Scratch, Verdict};
use crate::apply::samples::{Sample, samples};
use crate::data::condition::{Condition, Field};
use crate::data::kind::Kind;
use crate::data::spelling::Spelling;
use crate::data::wording::{Style, Wording};
use crate::error::{Error, Result};
use crate::result::decision_set::DecisionRule;
use crate::result::model::{Model, UsedColumn};

/// Columns and rules that are looked at for the fewest changes of a row, at most: many rules over many columns have
/// more ways than anybody would wait for. Half of it is for any changes at all.
const WORK: usize = 40_000_000;

/// Why a row is what the model says.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// What the model says.
    pub verdict: Verdict,
    /// The rules that fired, or were nearest, by number from 0 over all classes.
    pub rules: Vec<usize>,
    /// For each other class, the changes that would lead to it: to a rule of its own, or, if it has none because rows
    /// that no rule covers are of this class, to none.
    pub counterfactuals: Vec<Counterfactual>,
    /// The other classes to which no changes were found to lead.
    pub out_of_reach: Vec<OutOfReach>,
}

/// The fewest changes found that give a row another class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counterfactual {
    /// That class, by position in [`Model::labels`].
    pub label: usize,
    /// The rule that fires then, by number from 0 over all classes; nothing if none does.
    pub rule: Option<usize>,
    /// What changes.
    pub changes: Vec<Change>,
    /// Whether fewer changes cannot do. If not, the search for fewer was cut short.
    pub fewest: bool,
}

/// A class to which no changes were found to lead.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct OutOfReach {
    /// That class, by position in [`Model::labels`].
    pub label: usize,
    /// Whether there are none. If not, the search was cut short.
    pub proven: bool,
}

/// One value for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The column.
    pub column: String,
    /// The value in the row.
    pub from: String,
    /// A value that could take its place, and the nearest of those; of names, the most frequent.
    pub to: String,
    /// In general: the rule's conditions on the column; none if they hold already, and the change
    /// only keeps other rules from firing.
    pub conditions: Vec<String>,
}

/// A column that rules test, with values that it can be given.
struct Place<'m> {
    name: &'m str,
    numeric: bool,
    /// Whether one value is nearer than another.
    is_measured: bool,
    kind: Kind,
    samples: Vec<Sample>,
    is_fixed: bool,
}

/// Explains rows of one kind of table.
pub struct Explainer<'m> {
    model: &'m Model,
    places: Vec<Place<'m>>,
    place_of: HashMap<&'m str, usize>,
    predictor: Predictor<'m>,
    rules: Vec<(usize, &'m DecisionRule)>,
    spelling: &'m Spelling,
    /// Whether rules hold only where none of an earlier class fires.
    ordered: bool,
    wording: Wording<'m>,
}

impl<'m> Explainer<'m> {
    /// Prepares to explain, in this style.
    pub fn new(model: &'m Model, policy: Policy, style: Style) -> Result<Explainer<'m>> {
        let spelling = &model.provenance.spelling;
        let place = |column: UsedColumn<'m>| Place {
            name: column.name,
            numeric: column.numeric,
            is_measured: column.numeric && !spelling.categorical.iter().any(|name| name == column.name),
            kind: model.kind_of(column.name),
            samples: values(model, column.name),
            is_fixed: false,
        };
        let places: Vec<Place> = model.used_columns().into_iter().map(place).collect();
        let names: Vec<String> = places.iter().map(|place| place.name.to_string()).collect();
        let predictor = Predictor::new(model, policy, &names, "the model")?;
        let place_of = places.iter().enumerate().map(|(i, place)| (place.name, i)).collect();
        let (rules, ordered) = (model.rules().collect(), model.decision_set.is_ordered());
        let wording = model.wording(style);
        Ok(Explainer { model, places, place_of, predictor, rules, spelling, ordered, wording })
    }

    /// Never advises to change these columns.
    pub fn with_fixed(mut self, fixed: &[String]) -> Result<Explainer<'m>> {
        let features = &self.model.features;
        let known = features.columns.iter().map(|column| &column.name).chain(&features.constant);
        let known: Vec<String> = known.chain(&self.model.provenance.ignored).cloned().collect();
        for name in fixed {
            if !known.contains(name) {
                return Err(Error::no_such_column("the model's table", name, &known));
            }
            if let Some(&place) = self.place_of.get(name.as_str()) {
                self.places[place].is_fixed = true;
            }
        }
        Ok(self)
    }

    /// Whether every value that is advised occurs in the table. Models of earlier programs do not say which values
    /// do, and what is advised by them is an example.
    pub fn advises_what_occurs(&self) -> bool {
        self.model.occurring.is_some()
    }

    /// The columns that a row must give, in order.
    pub fn columns(&self) -> impl Iterator<Item = &'m str> {
        self.places.iter().map(|place| place.name)
    }

    /// A value of one of these columns as a model's own table had it, in the spelling of [`explain`](Self::explain).
    pub fn plain<'f>(&self, column: usize, field: &'f [u8]) -> Cow<'f, [u8]> {
        self.spelling.reader(self.places[column].name, self.places[column].numeric).plain(field)
    }

    /// A value that [`plain`](Self::plain) gave, as people read it.
    pub fn shown(&self, column: usize, plain: &[u8]) -> String {
        let text = String::from_utf8_lossy(plain);
        match text.parse() {
            Ok(x) if self.places[column].kind.is_temporal() => self.places[column].kind.shown(x),
            _ => text.into_owned(),
        }
    }

    /// Explains a row, given by the values of [`Explainer::columns`].
    pub fn explain(&self, row: &[&[u8]]) -> Explanation {
        let mut scratch = Scratch::default();
        let verdict =
            self.predictor.predict(|column, numeric| Field::new(row[column], numeric), &mut scratch);
        let mut others: Vec<usize> = self.rules.iter().map(|(label, _)| *label).collect();
        others.extend(self.predictor.label_of_uncovered());
        others.sort_unstable();
        others.dedup();
        others.retain(|label| Some(*label) != verdict.label);
        // Every way that is tried asks all columns and all rules.
        let tries = WORK / (self.places.len() + self.rules.len()).max(1) / others.len().max(1);
        let mut explanation = Explanation {
            verdict,
            rules: scratch.rules,
            counterfactuals: Vec::new(),
            out_of_reach: Vec::new(),
        };
        for label in others {
            match Search::new(self, row, label).run(tries) {
                Ok(counterfactual) => explanation.counterfactuals.push(counterfactual),
                Err(out_of_reach) => explanation.out_of_reach.push(out_of_reach),
            }
        }
        explanation
    }

    /// Whether a rule fires on a row, and, where classes have an order, none of an earlier class.
    pub fn fires(&self, rule: usize, row: &[&[u8]]) -> bool {
        let holds = |condition: &Condition| {
            let place = self.place(condition);
            condition.holds(Field::new(row[place], self.places[place].numeric))
        };
        let meets = |(_, rule): &(usize, &DecisionRule)| rule.conditions.iter().all(holds);
        let earlier = |other: &(usize, &DecisionRule)| other.0 != self.rules[rule].0 && meets(other);
        meets(&self.rules[rule]) && !(self.ordered && self.rules[..rule].iter().any(earlier))
    }

    fn place(&self, condition: &Condition) -> usize {
        self.place_of[condition.feature.as_str()]
    }

    /// The columns that a rule tests.
    fn tested(&self, rule: usize) -> impl Iterator<Item = usize> {
        self.rules[rule].1.conditions.iter().map(|condition| self.place(condition))
    }
}

/// Values that a column can be given: those that the model says occur, or else one from each of its cells.
fn values(model: &Model, name: &str) -> Vec<Sample> {
    if let Some(occurring) = &model.occurring {
        let of_column = occurring.iter().find(|of| of.column == name);
        let values = of_column.iter().flat_map(|of| &of.values);
        return values.map(|value| Sample::occurring(value, model.kind_of(name))).collect();
    }
    let encoded = model.features.columns.iter().find(|column| column.name == name);
    encoded.map(samples).unwrap_or_default()
}

/// A search for the fewest changes of a row that lead to a class.
struct Search<'e, 'm> {
    explainer: &'e Explainer<'m>,
    row: &'e [&'e [u8]],
    label: usize,
    /// Of each column, the values that it may take, the nearest first.
    values: Vec<Vec<(Field<'e>, &'e Sample)>>,
    /// The row as it is changed so far, and what it was.
    fields: Vec<Field<'e>>,
    own: Vec<Field<'e>>,
    changed: Vec<Option<&'e Sample>>,
    /// Columns that have been given up on for now: whatever changes them has been tried already.
    passed: Vec<bool>,
    tries: usize,
    /// Whether more changes might have led further.
    cut_short: bool,
    scratch: Scratch,
}

/// There is no more time to try anything.
struct Exhausted;

type Found = std::result::Result<bool, Exhausted>;

impl<'e, 'm> Search<'e, 'm> {
    fn new(explainer: &'e Explainer<'m>, row: &'e [&'e [u8]], label: usize) -> Search<'e, 'm> {
        let places = explainer.places.iter().enumerate();
        let own: Vec<Field> =
            places.clone().map(|(i, place)| Field::new(row[i], place.numeric)).collect();
        let values = places.map(|(i, place)| match place.is_fixed {
            true => Vec::new(),
            false => {
                let mut values = place.nearest_first(own[i]);
                values.retain(|(field, _)| !explainer.predictor.are_alike(i, *field, own[i]));
                values
            }
        });
        let columns = explainer.places.len();
        Search {
            explainer,
            row,
            label,
            values: values.collect(),
            fields: own.clone(),
            own,
            changed: vec![None; columns],
            passed: vec![false; columns],
            tries: 0,
            cut_short: false,
            scratch: Scratch::default(),
        }
    }

    fn run(mut self, tries: usize) -> std::result::Result<Counterfactual, OutOfReach> {
        let aims = self.aims();
        match self.fewest(&aims, tries / 2) {
            Ok(Some(aim)) => Ok(self.found(aim, true)),
            Ok(None) => Err(OutOfReach { label: self.label, proven: true }),
            Err(Exhausted) => match self.any(&aims, tries / 2) {
                Some(aim) => Ok(self.found(aim, false)),
                None => Err(OutOfReach { label: self.label, proven: false }),
            },
        }
    }

    /// What leads to the class: a rule, easy ones first, or that none fires.
    fn aims(&self) -> Vec<Option<usize>> {
        let rules = self.explainer.rules.iter().enumerate().filter(|(_, (of, _))| *of == self.label);
        let mut rules: Vec<(usize, Reverse<u64>, usize)> = rules
            .map(|(number, (_, rule))| (self.unmet(number).len(), Reverse(rule.covers), number))
            .collect();
        rules.sort_unstable();
        match rules.is_empty() {
            true => vec![None],
            false => rules.into_iter().map(|(.., number)| Some(number)).collect(),
        }
    }

    /// The aim that the fewest changes reach, and these changes in place; nothing if no aim can be reached.
    fn fewest(
        &mut self,
        aims: &[Option<usize>],
        tries: usize,
    ) -> std::result::Result<Option<Option<usize>>, Exhausted> {
        self.tries = tries;
        for most in 0..=self.values.len() {
            self.cut_short = false;
            for &aim in aims {
                if self.reaches(aim, most)? {
                    return Ok(Some(aim));
                }
            }
            if !self.cut_short {
                break;
            }
        }
        Ok(None)
    }

    /// An aim that some changes reach, and these changes in place, none of which can be left out.
    fn any(&mut self, aims: &[Option<usize>], tries: usize) -> Option<Option<usize>> {
        for &aim in aims {
            self.tries = tries / aims.len();
            self.take_all_back();
            if let Ok(true) = self.reaches(aim, self.values.len()) {
                for column in 0..self.values.len() {
                    let kept = (self.fields[column], self.changed[column]);
                    self.take_back(column);
                    let unmet = aim.is_some_and(|rule| !self.unmet(rule).is_empty());
                    if unmet || !self.has_arrived(aim) {
                        (self.fields[column], self.changed[column]) = kept;
                    }
                }
                return Some(aim);
            }
        }
        None
    }

    /// Whether an aim can be reached by so many more changes; if so, they are in place.
    fn reaches(&mut self, aim: Option<usize>, left: usize) -> Found {
        let unmet = aim.map(|rule| self.unmet(rule)).unwrap_or_default();
        let columns = match unmet.first() {
            Some(&column) => vec![column],
            None => {
                self.tries = self.tries.checked_sub(1).ok_or(Exhausted)?;
                if self.has_arrived(aim) {
                    return Ok(true);
                }
                self.in_the_way(aim)
            }
        };
        let open = |column: &usize| self.changed[*column].is_none() && !self.passed[*column];
        let columns: Vec<usize> = columns.into_iter().filter(open).collect();
        if unmet.len().max(1) > left {
            self.cut_short |= !columns.is_empty();
            return Ok(false);
        }
        for &column in &columns {
            for value in 0..self.values[column].len() {
                let (field, sample) = self.values[column][value];
                if aim.is_some_and(|rule| !self.suits(rule, column, field)) {
                    continue;
                }
                (self.fields[column], self.changed[column]) = (field, Some(sample));
                if self.reaches(aim, left - 1)? {
                    return Ok(true);
                }
            }
            self.take_back(column);
            self.passed[column] = true;
        }
        columns.into_iter().for_each(|column| self.passed[column] = false);
        Ok(false)
    }

    fn take_back(&mut self, column: usize) {
        (self.fields[column], self.changed[column]) = (self.own[column], None);
    }

    fn take_all_back(&mut self) {
        (0..self.values.len()).for_each(|column| self.take_back(column));
        self.passed.fill(false);
    }

    /// Whether the model says the class, and for the reason that is aimed at.
    fn has_arrived(&mut self, aim: Option<usize>) -> bool {
        let fields = &self.fields;
        let verdict = self.explainer.predictor.predict(|column, _| fields[column], &mut self.scratch);
        let by_none = verdict.decided_by == DecidedBy::Uncovered;
        verdict.label == Some(self.label) && by_none == aim.is_none()
    }

    /// Columns of which one must change, now that a rule fires or none should: those of a rule that is in the way.
    /// Where rules vote, also those that could bring in another vote.
    fn in_the_way(&self, aim: Option<usize>) -> Vec<usize> {
        let Explainer { predictor, rules, .. } = self.explainer;
        let fired = || self.scratch.rules.iter().copied();
        let open = |rule: usize| {
            let mut columns: Vec<usize> = self.explainer.tested(rule).collect();
            columns.retain(|&column| self.changed[column].is_none() && !self.passed[column]);
            columns.sort_unstable();
            columns.dedup();
            columns
        };
        if let (Some(_), true) = (aim, predictor.is_by_vote()) {
            let others = fired().filter(|&rule| rules[rule].0 != self.label);
            let own = (0..rules.len()).filter(|&rule| rules[rule].0 == self.label);
            let mut columns: Vec<usize> = others.chain(own).flat_map(open).collect();
            columns.sort_unstable();
            columns.dedup();
            return columns;
        }
        let is_in_the_way = |rule: &usize| {
            aim.is_none_or(|aim| rules[*rule].0 != self.label && predictor.overrules(*rule, aim))
        };
        fired().filter(is_in_the_way).map(open).min_by_key(Vec::len).unwrap_or_default()
    }

    /// The columns, in order, that a rule's conditions do not hold for.
    fn unmet(&self, rule: usize) -> Vec<usize> {
        let mut columns: Vec<usize> =
            self.explainer.tested(rule).filter(|&at| !self.suits(rule, at, self.fields[at])).collect();
        columns.sort_unstable();
        columns.dedup();
        columns
    }

    /// Whether a rule's conditions on a column hold for a value.
    fn suits(&self, rule: usize, column: usize, field: Field) -> bool {
        self.conditions(rule, column).all(|condition| condition.holds(field))
    }

    fn conditions(&self, rule: usize, column: usize) -> impl Iterator<Item = &'m Condition> {
        let all = self.explainer.rules[rule].1.conditions.iter();
        all.filter(move |condition| self.explainer.place(condition) == column)
    }

    /// The changes that are in place, in words.
    fn found(&self, aim: Option<usize>, fewest: bool) -> Counterfactual {
        let wording = &self.explainer.wording;
        let change = |(column, sample): (usize, &Option<&Sample>)| {
            let sample = sample.as_ref()?;
            let unmet = aim.filter(|&rule| !self.suits(rule, column, self.own[column]));
            let conditions = unmet.into_iter().flat_map(|rule| self.conditions(rule, column));
            Some(Change {
                column: self.explainer.places[column].name.to_string(),
                from: self.explainer.shown(column, self.row[column]),
                to: sample.words.clone(),
                conditions: wording.phrases(conditions).iter().map(ToString::to_string).collect(),
            })
        };
        let changes = self.changed.iter().enumerate().filter_map(change).collect();
        Counterfactual { label: self.label, rule: aim, changes, fewest }
    }
}

impl Place<'_> {
    /// Its values, those nearest to a number first; seen from no number, those nearest to the middle. Names stay as
    /// they are.
    fn nearest_first(&self, from: Field) -> Vec<(Field<'_>, &Sample)> {
        let mut values: Vec<(Field, &Sample)> =
            self.samples.iter().map(|sample| (sample.field(self.numeric), sample)).collect();
        let number = |field: &Field| match field {
            Field::Number(number) => Some(*number),
            _ => None,
        };
        let numbers: Vec<f64> = values.iter().filter_map(|(field, _)| number(field)).collect();
        let from = number(&from).or_else(|| numbers.get(numbers.len() / 2).copied());
        if let (true, Some(from)) = (self.is_measured, from) {
            let away = |field: &Field| number(field).map_or(f64::INFINITY, |x| (x - from).abs());
            values.sort_by(|(one, _), (other, _)| away(one).total_cmp(&away(other)));
        }
        values
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apply::predict::{Conflict, Uncovered};
    use crate::data::binarise::{BinariseOptions, Numeric};
    use crate::data::table::{Table, TableOptions};
    use crate::limits::Limits;
    use crate::problem::Problem;
    use crate::solve::options::{LearnOptions, Method, Otherwise};
    use crate::solve::order::Order;

    const COLUMNS: [&str; 4] = ["a", "b", "m", "n"];

    fn random_rows(random: &mut fastrand::Rng) -> Vec<[&'static str; 5]> {
        let mut row = || {
            let names = ["red", "blue", "green", ""];
            let numbers = ["1", "2.5", "13", "20", "21.75", "40", ""];
            let mut one = |of: &[&'static str]| of[random.usize(..of.len())];
            [one(&names), one(&names[..3]), one(&numbers), one(&numbers[..6]), one(&["x", "y", "z"])]
        };
        (0..25).map(|_| row()).collect()
    }

    fn some_model(random: &mut fastrand::Rng, rows: &[[&str; 5]]) -> Option<(Model, Policy)> {
        let lines: Vec<String> = rows.iter().map(|row| row.join(",")).collect();
        let text = format!("a,b,m,n,class\n{}\n", lines.join("\n"));
        let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).ok()?;
        let numeric = [Numeric::Thresholds, Numeric::Intervals][random.usize(..2)];
        let binarise = BinariseOptions { numeric, ..BinariseOptions::default() };
        let problem = Problem::new(table, &binarise).ok()?;
        let sparse = |order: Order| {
            let Method::Lazy { objective, cover, .. } = Method::default() else { unreachable!() };
            let alpha = Some("0.5rows".parse().unwrap());
            let options = LearnOptions::new(Method::Lazy { objective, cover, alpha });
            options.with_otherwise(Otherwise::Auto).unwrap().with_order(order).unwrap()
        };
        let options = match random.u8(..4) {
            0 => LearnOptions::default(),
            1 => sparse(Order::Rarest),
            _ => sparse(Order::None),
        };
        let options = options.on_one_thread();
        let mut policy = Policy::suited_to(&options);
        if policy.conflict != Conflict::Order {
            let conflicts = [Conflict::Majority, Conflict::Size, Conflict::Precision, Conflict::Abstain];
            policy.conflict = conflicts[random.usize(..4)];
        }
        policy.uncovered =
            [Uncovered::Default, Uncovered::Abstain, Uncovered::Nearest][random.usize(..3)];
        let outcome = problem.learn(&options, &Limits::default()).unwrap();
        Some((problem.model(&outcome, policy), policy))
    }

    /// Every row that can be made of values that occur, with what the model says of it and how.
    fn all_rows(explainer: &Explainer, rows: &[[&'static str; 5]]) -> Vec<(Vec<&'static str>, Verdict)> {
        let columns: Vec<usize> = explainer
            .columns()
            .map(|name| COLUMNS.iter().position(|known| *known == name).unwrap())
            .collect();
        let mut all: Vec<Vec<&'static str>> = vec![Vec::new()];
        for &column in &columns {
            let mut values: Vec<&str> = rows.iter().map(|row| row[column]).collect();
            values.sort_unstable();
            values.dedup();
            let longer = |row: &Vec<&'static str>| -> Vec<Vec<&'static str>> {
                values.iter().map(|value| [&row[..], &[*value]].concat()).collect()
            };
            all = all.iter().flat_map(longer).collect();
        }
        let mut scratch = Scratch::default();
        let mut with_verdict = |row: Vec<&'static str>| {
            let field = |column: usize, numeric| Field::new(row[column].as_bytes(), numeric);
            let verdict = explainer.predictor.predict(field, &mut scratch);
            (row, verdict)
        };
        all.into_iter().map(&mut with_verdict).collect()
    }

    /// Whether a row is of a class by a rule, if the class has any, or else because none fires.
    fn is_of(explainer: &Explainer, verdict: &Verdict, label: usize) -> bool {
        let has_rules = explainer.rules.iter().any(|(of, _)| *of == label);
        verdict.label == Some(label) && has_rules == (verdict.decided_by != DecidedBy::Uncovered)
    }

    #[test]
    fn advice_is_the_fewest_changes_to_values_that_occur() {
        let mut random = fastrand::Rng::with_seed(4);
        let (mut found, mut unreachable, mut by_none) = (0, 0, 0);
        for _ in 0..150 {
            let rows = random_rows(&mut random);
            let Some((model, policy)) = some_model(&mut random, &rows) else { continue };
            let fixed: Vec<String> =
                COLUMNS.iter().filter(|_| random.u8(..4) == 0).map(|name| name.to_string()).collect();
            let explainer =
                Explainer::new(&model, policy, Style::Words).unwrap().with_fixed(&fixed).unwrap();
            let names: Vec<&str> = explainer.columns().collect();
            let all = all_rows(&explainer, &rows);
            for _ in 0..10 {
                let (row, verdict) = &all[random.usize(..all.len())];
                let bytes: Vec<&[u8]> = row.iter().map(|text| text.as_bytes()).collect();
                let explanation = explainer.explain(&bytes);
                let changes = |other: &[&str]| -> Vec<usize> {
                    (0..row.len()).filter(|&column| row[column] != other[column]).collect()
                };
                let free = |other: &[&str]| {
                    changes(other).iter().all(|&column| !fixed.iter().any(|name| name == names[column]))
                };
                let fewest = |label: usize| {
                    let of_label = all
                        .iter()
                        .filter(|(other, verdict)| is_of(&explainer, verdict, label) && free(other));
                    of_label.map(|(other, _)| changes(other).len()).min()
                };
                let told = explanation.counterfactuals.len() + explanation.out_of_reach.len();
                let mut labels: Vec<usize> = explainer.rules.iter().map(|(label, _)| *label).collect();
                labels.extend(explainer.predictor.label_of_uncovered());
                labels.sort_unstable();
                labels.dedup();
                labels.retain(|label| Some(*label) != verdict.label);
                assert_eq!(told, labels.len(), "each other class is spoken of");
                for other in &explanation.counterfactuals {
                    assert!(other.fewest, "the search is small");
                    assert_eq!(Some(other.changes.len()), fewest(other.label), "{row:?} {other:?}");
                    let mut changed = row.clone();
                    for change in &other.changes {
                        let column = names.iter().position(|name| *name == change.column).unwrap();
                        let to = if change.to == "(missing)" { "" } else { change.to.as_str() };
                        let place = COLUMNS.iter().position(|name| *name == change.column).unwrap();
                        let occurs = rows.iter().find(|row| row[place] == to);
                        changed[column] = occurs.unwrap_or_else(|| panic!("{change:?}"))[place];
                    }
                    let said = all.iter().find(|(row, _)| *row == changed).unwrap().1;
                    assert!(
                        free(&changed) && is_of(&explainer, &said, other.label),
                        "{row:?} {other:?}"
                    );
                    assert_eq!(other.rule.is_none(), said.decided_by == DecidedBy::Uncovered);
                    let number = |text: &str| text.parse::<f64>().ok();
                    for column in changes(&changed) {
                        let (Some(own), Some(to)) = (number(row[column]), number(changed[column]))
                        else {
                            continue;
                        };
                        let rule = other.rule.map(|rule| explainer.rules[rule].1);
                        // Nothing nearer would do for the same rule, other things equal.
                        let nearer = all.iter().find(|(near, verdict)| {
                            let number = number(near[column]).unwrap_or(f64::INFINITY);
                            let mut rest = (0..row.len()).filter(|&other| other != column);
                            let bytes: Vec<&[u8]> = near.iter().map(|text| text.as_bytes()).collect();
                            let fires = other.rule.is_none_or(|rule| explainer.fires(rule, &bytes));
                            (number - own).abs() < (to - own).abs()
                                && rest.all(|other| near[other] == changed[other])
                                && is_of(&explainer, verdict, other.label)
                                && fires
                        });
                        assert_eq!(nearer, None, "{row:?} {other:?} {rule:?}");
                    }
                    found += 1;
                    by_none += usize::from(other.rule.is_none());
                }
                for other in &explanation.out_of_reach {
                    assert!(other.proven, "the search is small");
                    assert_eq!(fewest(other.label), None, "{row:?} {other:?}");
                    unreachable += 1;
                }
            }
        }
        println!("{found} found, {by_none} of them by no rule, {unreachable} out of reach");
        assert!(found > 500 && by_none > 20 && unreachable > 50);
    }

    #[test]
    fn an_unknown_fixed_column_is_refused() {
        let model = crate::testing::model_of("age,class\n1,x\n2,y\n", &BinariseOptions::default());
        let explainer = Explainer::new(&model, Policy::default(), Style::Words).unwrap();
        let error = explainer.with_fixed(&["agee".to_string()]).err().unwrap().to_string();
        assert!(error.contains("has no column \"agee\""), "{error}");
    }

    #[test]
    fn a_model_of_an_earlier_program_advises_examples() {
        let text = "x,class\n1,a\n2,a\n3,a\n17,b\n18,b\n40,b\n";
        let numeric = Numeric::Thresholds;
        let mut model =
            crate::testing::model_of(text, &BinariseOptions { numeric, ..BinariseOptions::default() });
        let advised = |model: &Model| {
            let explainer = Explainer::new(model, Policy::default(), Style::Words).unwrap();
            let to = explainer.explain(&[b"2"]).counterfactuals[0].changes[0].to.clone();
            (to, explainer.advises_what_occurs())
        };
        assert_eq!(advised(&model), ("17".to_string(), true));
        model.occurring = None;
        assert_eq!(advised(&model), ("11".to_string(), false), "above a cut at 10");
    }

    #[test]
    fn a_search_that_is_cut_short_says_so() {
        let text = "a,class\n1,x\n0,y\n";
        let model = crate::testing::model_of(text, &BinariseOptions::default());
        let explainer = Explainer::new(&model, Policy::default(), Style::Words).unwrap();
        let search = || Search::new(&explainer, &[b"0"], 0);
        assert!(search().run(10).unwrap().fewest);
        assert_eq!(search().run(0), Err(OutOfReach { label: 0, proven: false }));
    }
}
