//! Applies a model to rows.
//!
//! The conditions of all rules are numbered column by column. Of each column, the values that its
//! conditions tell apart are few: the numbers named and the ranges between them, or the texts named
//! and all others. Which conditions hold is written down once for each of these, as bits; a row
//! then costs one look-up a column and a comparison of bits a rule.

use std::cmp::Ordering;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use crate::data::condition::{Condition, Field, Operand};
use crate::data::rows::Row;
use crate::data::spelling::Reader;
use crate::error::{Error, Result, Setting};
use crate::names::{Choice, choices};
use crate::result::model::Model;
use crate::solve::options::LearnOptions;

/// What to say of a row that no rule covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Uncovered {
    /// The class that most rows of the table had.
    #[default]
    Default,
    /// Nothing.
    Abstain,
    /// Decided by the rules with the fewest unmet conditions.
    Nearest,
}

choices!(Uncovered {
    Default = "default": "The most frequent class of the training table",
    Abstain = "abstain": "No class",
    Nearest = "nearest": "Decided by the rules with the fewest unmet conditions",
});

/// What to say of a row that rules of several classes cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Conflict {
    /// The class whose rules that fired cover the most rows of the table, added up.
    #[default]
    Majority,
    /// The class of the rule with the most conditions, of equals the one that covers more rows.
    Size,
    /// The class of the rule that is right most often on the rows of the table, with one more row on either
    /// side, so that few rows say little.
    Precision,
    /// The class that comes first, where classes have an order: rules of later ones do not hold. It goes with no
    /// other set, and nothing else goes with such a set.
    Order,
    /// Nothing.
    Abstain,
}

choices!(Conflict {
    Majority = "majority": "The class whose firing rules together cover the most training rows",
    Size = "size": "The class of the rule with the most conditions",
    Precision = "precision": "The class of the rule with the best precision on the training rows, smoothed",
    Order = "order": "The class that comes first, where classes have an order; nothing else goes with one",
    Abstain = "abstain": "No class",
});

/// How to decide rows that the rules alone leave open. Ties go to the earlier label.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Policy {
    /// Where no rule fires.
    pub uncovered: Uncovered,
    /// Where rules of several classes do.
    pub conflict: Conflict,
}

impl Policy {
    /// What suits rules that were found so, unless somebody wants something else.
    pub fn suited_to(options: &LearnOptions) -> Policy {
        let conflict = match options.alpha() {
            None => Conflict::default(),
            Some(_) if options.is_ordered() => Conflict::Order,
            Some(_) => Conflict::Precision,
        };
        Policy { conflict, ..Policy::default() }
    }

    /// This policy for rules found with these options: where classes have an order, it decides between them.
    pub(crate) fn for_rules_of(self, options: &LearnOptions) -> Policy {
        match options.is_ordered() {
            true => Policy { conflict: Conflict::Order, ..self },
            false => self,
        }
    }

    /// This policy with what somebody asked for instead, if it goes with rules that this one goes with.
    pub fn but(self, uncovered: Option<Uncovered>, conflict: Option<Conflict>) -> Result<Policy> {
        let asked = Policy {
            uncovered: uncovered.unwrap_or(self.uncovered),
            conflict: conflict.unwrap_or(self.conflict),
        };
        asked.goes_with(self.conflict == Conflict::Order)?;
        Ok(asked)
    }

    /// Whether it goes with rules whose classes have an order, or with others.
    pub(crate) fn goes_with(self, ordered: bool) -> Result<()> {
        let (setting, value) = (Setting::Conflict, self.conflict.name());
        match (ordered, self.conflict == Conflict::Order) {
            (true, false) => Err(Error::NotWithOrder { setting, value }),
            (false, true) => Err(Error::OnlyWithOrder { setting, value }),
            _ => Ok(()),
        }
    }
}

/// How often a rule is right, with one more row on either side (Laplace): an exact fraction.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Precision {
    right: u128,
    rows: u128,
}

impl Precision {
    pub(crate) fn new(covers: u64, wrong: u64) -> Precision {
        // No table has so many rows, but a file may say so, and products must be exact.
        let (right, wrong) = (u128::from(covers.saturating_add(1)), u128::from(wrong) + 1);
        Precision { right, rows: right + wrong }
    }

    fn share(self) -> f64 {
        self.right as f64 / self.rows as f64
    }
}

impl Ord for Precision {
    fn cmp(&self, other: &Precision) -> Ordering {
        (self.right * other.rows).cmp(&(other.right * self.rows))
    }
}

impl PartialOrd for Precision {
    fn partial_cmp(&self, other: &Precision) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Precision {
    fn eq(&self, other: &Precision) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Precision {}

/// What was said of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Verdict {
    /// The label, by position in [`Model::labels`]; none if the policy abstains.
    pub label: Option<usize>,
    /// How it was decided.
    pub decided_by: DecidedBy,
}

/// How a verdict was decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DecidedBy {
    /// All rules that fired agree.
    Rules,
    /// They did not.
    Conflict,
    /// None fired.
    Uncovered,
}

/// A model made ready for the columns of one table.
pub struct Predictor<'m> {
    model: &'m Model,
    policy: Policy,
    columns: Vec<TestedColumn>,
    /// How the fields of each column of the table are read.
    readers: Vec<Reader<'m>>,
    rules: Vec<Premise>,
    /// Words of bits for all conditions.
    words: usize,
    /// Of rows that no rule covers: their label, if it can be named, and the rows of each label among
    /// which it is.
    default: Option<usize>,
    default_rows: Vec<u64>,
}

/// A column that some rule tests.
pub(crate) struct TestedColumn {
    position: usize,
    numeric: bool,
    /// The numbers that conditions name, rising.
    breaks: Vec<f64>,
    /// The texts that conditions name.
    texts: HashMap<Box<[u8]>, usize>,
    /// The words that the bits of its conditions take for each kind of value.
    words: usize,
    /// One piece for a missing value, then one for each range and number, or for all other texts
    /// and each text.
    holds: Vec<u64>,
}

/// A rule as bits that must be set.
struct Premise {
    label: usize,
    covers: u64,
    precision: Precision,
    conditions: usize,
    needed: Vec<(usize, u64)>,
}

/// Memory for one row at a time.
#[derive(Debug, Default, Clone)]
pub struct Scratch {
    holds: Vec<u64>,
    /// The rules that fired, or were nearest, by number over all classes.
    pub rules: Vec<usize>,
    votes: Vec<u64>,
}

impl<'m> Predictor<'m> {
    /// Finds the columns that the rules use among those of a table called `place`.
    pub fn new(
        model: &'m Model,
        policy: Policy,
        names: &[String],
        place: &str,
    ) -> Result<Predictor<'m>> {
        policy.goes_with(model.decision_set.is_ordered())?;
        let others = model.undescribed();
        let in_question = |label: usize| others.is_empty() || others.contains(&label);
        let rows = model.class_rows.iter().enumerate();
        let default_rows = match model.uncovered_rows.iter().any(|&rows| rows > 0) {
            true => model.uncovered_rows.clone(),
            false => rows.map(|(label, &rows)| if in_question(label) { rows } else { 0 }).collect(),
        };
        let spelling = &model.provenance.spelling;
        let mut predictor = Predictor {
            model,
            policy,
            columns: Vec::new(),
            readers: vec![spelling.reader("", false); names.len()],
            rules: Vec::new(),
            words: 0,
            default: model.default_label(),
            default_rows,
        };
        let used = model.used_columns();
        // Of equal names the first counts.
        let positions: HashMap<&str, usize> =
            names.iter().enumerate().rev().map(|(i, name)| (name.as_str(), i)).collect();
        let mut bit_of: HashMap<(&str, String), usize> = HashMap::new();
        for column in &used {
            let position = positions.get(column.name).copied();
            let position = position.ok_or_else(|| Error::no_such_column(place, column.name, names))?;
            predictor.readers[position] = spelling.reader(column.name, column.numeric);
            let first = predictor.words * 64;
            for (i, condition) in column.conditions.iter().enumerate() {
                bit_of.insert((column.name, condition.to_string()), first + i);
            }
            let compiled = TestedColumn::new(position, column.numeric, &column.conditions);
            predictor.words += compiled.words;
            predictor.columns.push(compiled);
        }
        for (label, rule) in model.rules() {
            let mut needed: Vec<(usize, u64)> = Vec::new();
            for condition in &rule.conditions {
                let bit = bit_of[&(condition.feature.as_str(), condition.to_string())];
                match needed.iter_mut().find(|(word, _)| *word == bit / 64) {
                    Some((_, mask)) => *mask |= 1 << (bit % 64),
                    None => needed.push((bit / 64, 1 << (bit % 64))),
                }
            }
            let conditions = rule.conditions.len();
            let (covers, precision) = (rule.covers, rule.smoothed_precision());
            predictor.rules.push(Premise { label, covers, precision, conditions, needed });
        }
        Ok(predictor)
    }

    /// What the model says of a row; `field` gives the value of a column by its position, and is
    /// told whether it is compared as a number.
    pub fn predict<'r>(
        &self,
        field: impl Fn(usize, bool) -> Field<'r>,
        scratch: &mut Scratch,
    ) -> Verdict {
        self.fired(field, scratch);
        let covered = !scratch.rules.is_empty();
        if !covered && self.policy.uncovered == Uncovered::Nearest {
            self.nearest(&scratch.holds, &mut scratch.rules, |_| true);
        }
        self.decide(covered, scratch)
    }

    /// What the model would say of a row if it lacked one of its rules.
    pub(crate) fn predict_without<'r>(
        &self,
        left_out: usize,
        field: impl Fn(usize, bool) -> Field<'r>,
        scratch: &mut Scratch,
    ) -> Verdict {
        self.fired(field, scratch);
        scratch.rules.retain(|&rule| rule != left_out);
        let covered = !scratch.rules.is_empty();
        if !covered && self.policy.uncovered == Uncovered::Nearest {
            self.nearest(&scratch.holds, &mut scratch.rules, |rule| rule != left_out);
        }
        self.decide(covered, scratch)
    }

    /// What the model says of a row, given the rules that fire on it; or, if it is not covered, the nearest, if
    /// the policy asks for them. Where classes have an order, only those of the first class are kept.
    pub(crate) fn decide(&self, covered: bool, scratch: &mut Scratch) -> Verdict {
        let Scratch { rules, votes, .. } = scratch;
        let mut decided_by = if covered { DecidedBy::Rules } else { DecidedBy::Uncovered };
        match self.policy.uncovered {
            Uncovered::Default if !covered => return Verdict { label: self.default, decided_by },
            Uncovered::Abstain if !covered => return Verdict { label: None, decided_by },
            _ => {}
        }
        let first = rules.first().map(|&rule| self.rules[rule].label);
        if self.policy.conflict == Conflict::Order {
            rules.retain(|&rule| Some(self.rules[rule].label) == first);
        }
        if rules.iter().all(|&rule| Some(self.rules[rule].label) == first) {
            return Verdict { label: first, decided_by };
        }
        if decided_by == DecidedBy::Rules {
            decided_by = DecidedBy::Conflict;
        }
        let label = match self.policy.conflict {
            Conflict::Abstain => None,
            Conflict::Order => first,
            Conflict::Majority => {
                self.count_votes(rules, votes);
                first_largest(votes.iter().enumerate().map(|(label, votes)| (*votes, label)))
            }
            Conflict::Size => first_largest(rules.iter().map(|&rule| {
                let rule = &self.rules[rule];
                ((rule.conditions, rule.covers), rule.label)
            })),
            Conflict::Precision => first_largest(rules.iter().map(|&rule| {
                let rule = &self.rules[rule];
                (rule.precision, rule.label)
            })),
        };
        Verdict { label, decided_by }
    }

    /// Whether the first of two rules of different classes, if both fire, keeps the model from saying the class of
    /// the second. Where rules vote, no single one decides.
    pub(crate) fn overrules(&self, first: usize, second: usize) -> bool {
        let [first, second] = [first, second].map(|rule| (&self.rules[rule], rule));
        let key = |(rule, _): (&Premise, usize)| (rule.conditions, rule.covers);
        let larger = match self.policy.conflict {
            Conflict::Majority => return false,
            Conflict::Abstain => return true,
            Conflict::Order => second.1.cmp(&first.1),
            Conflict::Size => key(first).cmp(&key(second)),
            Conflict::Precision => first.0.precision.cmp(&second.0.precision),
        };
        // Of equals, the earlier label wins.
        larger.then(second.0.label.cmp(&first.0.label)).is_gt()
    }

    /// Whether rules of different classes vote.
    pub(crate) fn is_by_vote(&self) -> bool {
        self.policy.conflict == Conflict::Majority
    }

    /// The label of rows that no rule covers, if the policy gives them one.
    pub(crate) fn label_of_uncovered(&self) -> Option<usize> {
        self.default.filter(|_| self.policy.uncovered == Uncovered::Default)
    }

    /// Whether no rule tells two values of a column, given by its place among those tested, apart.
    pub(crate) fn are_alike(&self, column: usize, one: Field, other: Field) -> bool {
        let column = &self.columns[column];
        column.conditions_of(one) == column.conditions_of(other)
    }

    /// What the model says of a row of a file, which is written as the model's own table was.
    pub fn predict_row(&self, row: &Row, scratch: &mut Scratch) -> Verdict {
        self.predict(|column, _| self.readers[column].read(row.field(column)), scratch)
    }

    /// Puts the rules that fire on a row into `scratch`.
    pub fn fired<'r>(&self, field: impl Fn(usize, bool) -> Field<'r>, scratch: &mut Scratch) {
        let Scratch { holds, rules, .. } = scratch;
        holds.clear();
        for column in &self.columns {
            let field = field(column.position, column.numeric);
            holds.extend_from_slice(column.conditions_of(field));
        }
        rules.clear();
        rules.extend((0..self.rules.len()).filter(|&rule| self.rules[rule].fires(holds)));
    }

    /// The share of each label: of the rows of the table that the rules in `scratch` cover, if
    /// there are any, else of all rows, or of those of classes that no rule describes; nothing if the
    /// policy abstains. Of sparse sets, the label has the smoothed precision of the best of its rules, and the
    /// others share the rest by their rows; where no rule fires, it is the share of the rows that none covers.
    pub fn shares(&self, verdict: Verdict, scratch: &mut Scratch) -> Vec<f64> {
        let by_default =
            verdict.decided_by == DecidedBy::Uncovered && self.policy.uncovered == Uncovered::Default;
        if verdict.label.is_none() && !by_default {
            return vec![0.0; self.model.labels.len()];
        }
        if let (true, false, Some(label)) =
            (self.model.decision_set.is_sparse(), scratch.rules.is_empty(), verdict.label)
        {
            return self.precision_shares(label, &scratch.rules);
        }
        let rows = match scratch.rules.is_empty() {
            true => &self.default_rows,
            false => {
                let Scratch { rules, votes, .. } = scratch;
                self.count_votes(rules, votes);
                votes
            }
        };
        let all: u64 = rows.iter().sum();
        rows.iter().map(|&n| n as f64 / all.max(1) as f64).collect()
    }

    fn precision_shares(&self, label: usize, rules: &[usize]) -> Vec<f64> {
        let own = rules.iter().map(|&rule| &self.rules[rule]).filter(|rule| rule.label == label);
        let best = own.map(|rule| rule.precision).max().map_or(0.0, Precision::share);
        let rows = &self.model.class_rows;
        let others: u64 = rows.iter().sum::<u64>() - rows[label];
        let best = if others == 0 { 1.0 } else { best };
        let share = |(of, &rows): (usize, &u64)| match of == label {
            true => best,
            false => (1.0 - best) * rows as f64 / others.max(1) as f64,
        };
        rows.iter().enumerate().map(share).collect()
    }

    fn count_votes(&self, rules: &[usize], votes: &mut Vec<u64>) {
        votes.clear();
        votes.resize(self.model.labels.len(), 0);
        rules.iter().for_each(|&rule| votes[self.rules[rule].label] += self.rules[rule].covers);
    }

    fn nearest(&self, holds: &[u64], rules: &mut Vec<usize>, is_asked: impl Fn(usize) -> bool) {
        let mut fewest = u32::MAX;
        for (number, rule) in self.rules.iter().enumerate().filter(|(number, _)| is_asked(*number)) {
            let unmet = rule.needed.iter().map(|&(word, mask)| (mask & !holds[word]).count_ones()).sum();
            if unmet < fewest {
                fewest = unmet;
                rules.clear();
            }
            if unmet == fewest {
                rules.push(number);
            }
        }
    }
}

/// The label with the largest value; of equals, the earliest.
fn first_largest<T: Ord>(values: impl Iterator<Item = (T, usize)>) -> Option<usize> {
    let better = |a: (T, usize), b: (T, usize)| match a.0.cmp(&b.0).then(b.1.cmp(&a.1)) {
        std::cmp::Ordering::Less => b,
        _ => a,
    };
    values.reduce(better).map(|(_, label)| label)
}

impl Premise {
    fn fires(&self, holds: &[u64]) -> bool {
        self.needed.iter().all(|&(word, mask)| holds[word] & mask == mask)
    }
}

impl TestedColumn {
    pub(crate) fn new(position: usize, numeric: bool, conditions: &[&Condition]) -> TestedColumn {
        let mut column = TestedColumn {
            position,
            numeric,
            breaks: Vec::new(),
            texts: HashMap::new(),
            words: conditions.len().div_ceil(64),
            holds: Vec::new(),
        };
        let mut kinds: Vec<Field> = vec![Field::Missing];
        let mut other = b"other".to_vec();
        if numeric {
            column.breaks = breaks(conditions);
            kinds.extend(ranges(&column.breaks));
        } else {
            let mut texts: Vec<&[u8]> = Vec::new();
            for condition in conditions {
                if let Operand::Text(text) = &condition.value {
                    texts.push(text.as_bytes());
                    // Longer than any, so none of them.
                    other.extend_from_slice(text.as_bytes());
                }
            }
            texts.sort_unstable();
            texts.dedup();
            kinds.push(Field::Text(&other));
            for (i, text) in texts.into_iter().enumerate() {
                column.texts.insert(text.into(), 2 + i);
                kinds.push(Field::Text(text));
            }
        }
        for kind in kinds {
            let start = column.holds.len();
            column.holds.resize(start + column.words, 0);
            for (i, condition) in conditions.iter().enumerate() {
                column.holds[start + i / 64] |= u64::from(condition.holds(kind)) << (i % 64);
            }
        }
        column
    }

    /// The conditions that hold for a value, as bits.
    pub(crate) fn conditions_of(&self, field: Field) -> &[u64] {
        let kind = match field {
            Field::Missing => 0,
            Field::Number(x) => {
                let below = self.breaks.partition_point(|&b| b < x);
                1 + 2 * below + usize::from(self.breaks.get(below) == Some(&x))
            }
            Field::Text(text) => self.texts.get(text).copied().unwrap_or(1),
        };
        &self.holds[kind * self.words..(kind + 1) * self.words]
    }
}

/// The numbers that conditions name.
fn breaks(conditions: &[&Condition]) -> Vec<f64> {
    let mut breaks = Vec::new();
    for condition in conditions {
        match &condition.value {
            Operand::None => {}
            Operand::Number(t) => breaks.push(*t),
            Operand::Interval(low, high) => breaks.extend([*low, *high]),
            // A value is a finite number, so it is equal to no other.
            Operand::Text(text) => breaks.extend(text.parse().ok().filter(|x: &f64| x.is_finite())),
        }
    }
    breaks.sort_unstable_by(f64::total_cmp);
    breaks.dedup();
    breaks
}

/// A number below the first break, the first break itself, one between it and the second, ...
fn ranges(breaks: &[f64]) -> Vec<Field<'static>> {
    let mut numbers = vec![breaks.first().map_or(0.0, |first| first.next_down())];
    for (i, number) in breaks.iter().enumerate() {
        numbers.push(*number);
        let next = breaks.get(i + 1).map_or(f64::MAX, |next| *next);
        // Halves first: the sum of two large numbers is no number.
        numbers.push(number / 2.0 + next / 2.0);
    }
    numbers.into_iter().map(Field::Number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::binarise::{BinariseOptions, Features, Numeric};
    use crate::data::condition::Op;
    use crate::names::Choice;
    use crate::result::decision_set::DecisionRule;
    use crate::testing::model_of;

    const TABLE: &str = "n,t,class\n1,red,a\n2,blue,b\n3,green,c\n4.5,red,b\n6,blue,a\n?,green,c\n";

    /// A model of the columns above with rules at random.
    fn random_model(random: &mut fastrand::Rng) -> Model {
        let options = BinariseOptions { numeric: Numeric::Thresholds, ..BinariseOptions::default() };
        let mut model = model_of(TABLE, &options);
        for class in &mut model.decision_set.classes {
            let rules = random.usize(..4);
            let rule = |_| {
                let mut conditions: Vec<Condition> = Vec::new();
                for _ in 0..random.usize(..4) {
                    let condition = random_condition(random);
                    if !conditions.contains(&condition) {
                        conditions.push(condition);
                    }
                }
                let (then, covers) = (class.class.clone(), random.u64(1..4));
                let wrong = Some(random.u64(..4));
                DecisionRule { conditions, then, covers, wrong, precision: None }
            };
            class.rules = (0..rules).map(rule).collect();
        }
        model
    }

    fn random_condition(random: &mut fastrand::Rng) -> Condition {
        let numbers = [-1.0, 1.0, 2.5, 2.5000000000000004, 6.0];
        let mut number = || numbers[random.usize(..numbers.len())];
        let (low, high) = (number(), number());
        let text = |text: &str| Operand::Text(text.to_string());
        let (feature, op, value) = match random.u8(..16) {
            0 => ("n", Op::AtMost, Operand::Number(low)),
            1 => ("n", Op::Above, Operand::Number(low)),
            2 => ("n", Op::NotAtMost, Operand::Number(low)),
            3 => ("n", Op::NotAbove, Operand::Number(low)),
            4 => ("n", Op::In, Operand::Interval(low.min(high), low.max(high))),
            5 => ("n", Op::NotIn, Operand::Interval(low.min(high), low.max(high))),
            6 => ("n", Op::IsMissing, Operand::None),
            7 => ("n", Op::Is, text(["6.0", "-inf", "-nan"][random.usize(..3)])),
            8 => ("t", Op::Is, text(["red", "blue"][random.usize(..2)])),
            9 => ("t", Op::IsNot, text(["red", "green"][random.usize(..2)])),
            10 => ("t", Op::IsNotMissing, Operand::None),
            11 => ("n", Op::AtLeast, Operand::Number(low)),
            12 => ("n", Op::NotBelow, Operand::Number(low)),
            13 => ("n", Op::Between, Operand::Interval(low.min(high), low.max(high))),
            14 => ("n", Op::NotBetween, Operand::Interval(low.min(high), low.max(high))),
            _ => ("n", Op::IsNot, text("1")),
        };
        Condition { feature: feature.to_string(), op, value }
    }

    /// The verdict derived directly from the words of the rules and of the policies.
    fn by_words(model: &Model, policy: Policy, row: [&str; 2]) -> Verdict {
        let met = |condition: &Condition| match condition.feature.as_str() {
            "n" => condition.holds(Field::new(row[0].as_bytes(), true)),
            _ => condition.holds(Field::new(row[1].as_bytes(), false)),
        };
        let unmet = |rule: &DecisionRule| rule.conditions.iter().filter(|c| !met(c)).count();
        let fewest = match policy.uncovered {
            Uncovered::Nearest => model.rules().map(|(_, rule)| unmet(rule)).min().unwrap_or(0),
            _ => 0,
        };
        let fired: Vec<_> = model.rules().filter(|(_, rule)| unmet(rule) == fewest).collect();
        let covered = model.rules().any(|(_, rule)| unmet(rule) == 0);
        let labels: std::collections::BTreeSet<usize> = fired.iter().map(|(label, _)| *label).collect();
        let decided_by = match (covered, labels.len()) {
            (false, _) => DecidedBy::Uncovered,
            (true, 1) => DecidedBy::Rules,
            (true, _) => DecidedBy::Conflict,
        };
        // The rules of a class stand together.
        let first = fired.first().map(|(label, _)| *label);
        let (ordered, several) = (policy.conflict == Conflict::Order, labels.len() > 1);
        if ordered && several {
            let by_rules = covered.then_some(DecidedBy::Rules);
            return Verdict { label: first, decided_by: by_rules.unwrap_or(decided_by) };
        }
        let value = |label: usize| -> (u64, u64) {
            let mine = fired.iter().filter(|(of, _)| *of == label);
            let wrong = |rule: &DecisionRule| rule.wrong.unwrap_or(0);
            match policy.conflict {
                Conflict::Majority => (mine.map(|(_, rule)| rule.covers).sum(), 0),
                // Every sum of covers and wrong rows, plus two, divides it.
                Conflict::Precision => {
                    let share = |r: &DecisionRule| 5040 * (r.covers + 1) / (r.covers + wrong(r) + 2);
                    (mine.map(|(_, rule)| share(rule)).max().unwrap_or(0), 0)
                }
                _ => mine.map(|(_, r)| (r.conditions.len() as u64, r.covers)).max().unwrap_or((0, 0)),
            }
        };
        let best = labels.iter().map(|&label| value(label)).max();
        let label = match (labels.len(), policy.uncovered, policy.conflict) {
            (0, Uncovered::Default, _) => model.default_label(),
            (0, ..) => None,
            (1, ..) => labels.first().copied(),
            (_, _, Conflict::Abstain) => None,
            _ => labels.iter().copied().find(|&label| Some(value(label)) == best),
        };
        Verdict { label, decided_by }
    }

    #[test]
    fn bits_say_what_the_words_say_under_every_policy() {
        let mut random = fastrand::Rng::with_seed(3);
        let names = ["t".to_string(), "other".to_string(), "n".to_string()];
        let mut seen = std::collections::BTreeSet::new();
        for _ in 0..300 {
            let mut model = random_model(&mut random);
            for uncovered in [Uncovered::Default, Uncovered::Abstain, Uncovered::Nearest] {
                for &conflict in Conflict::ALL {
                    let policy = Policy { uncovered, conflict };
                    let order = (conflict == Conflict::Order).then(|| model.labels.clone());
                    model.decision_set.order = order;
                    let predictor = Predictor::new(&model, policy, &names, "test").unwrap();
                    let mut scratch = Scratch::default();
                    for n in ["-1", "0", "1", "1.0", "2.5", "2.5000000000000004", "6", "7", "", "x"] {
                        for t in ["red", "blue", "green", "purple", "NA"] {
                            let row = [t.as_bytes(), b"", n.as_bytes()];
                            let verdict = predictor.predict(
                                |column, numeric| Field::new(row[column], numeric),
                                &mut scratch,
                            );
                            assert_eq!(verdict, by_words(&model, policy, [n, t]), "{n} {t} {policy:?}");
                            seen.insert(format!("{:?}", verdict.decided_by));
                            let shares: f64 = predictor.shares(verdict, &mut scratch).iter().sum();
                            let expected = if verdict.label.is_some() { 1.0 } else { 0.0 };
                            assert!((shares - expected).abs() < 1e-9);
                        }
                    }
                }
            }
        }
        assert_eq!(seen.len(), 3);
    }

    #[test]
    fn a_column_that_rules_use_must_be_there() {
        let model = model_of(TABLE, &BinariseOptions::default());
        let names = ["m".to_string(), "t".to_string()];
        let error = Predictor::new(&model, Policy::default(), &names, "test").err().unwrap();
        assert!(matches!(error, Error::NoSuchColumn { ref name, .. } if name == "n"), "{error}");
    }

    #[test]
    fn features_tell_columns_of_numbers_from_others() {
        let numeric = |text: &str, numeric| {
            let table = crate::Table::from_reader(text.as_bytes(), "test", &Default::default()).unwrap();
            let options = BinariseOptions { numeric, ..BinariseOptions::default() };
            Features::choose(&table, &options).unwrap().columns[0].encoding.is_numeric()
        };
        for how in [Numeric::Intervals, Numeric::Thresholds] {
            assert!(numeric("x,c\n1,a\n2,b\n", how));
            assert!(numeric("x,c\n1,a\n2,b\n?,b\n3,a\n4,b\n5,a\n6,b\n", how));
            assert!(!numeric("x,c\n1,a\none,b\n", how));
            assert!(!numeric("x,c\n1,a\ninf,b\n", how));
        }
    }
}
