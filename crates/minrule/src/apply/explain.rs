//! Explains a prediction: which rules fired, and which changes would lead to another class.

use std::borrow::Cow;

use hashbrown::HashMap;
use serde::Serialize;

use crate::apply::predict::{Policy, Predictor, Scratch, Verdict};
use crate::apply::samples::{Sample, samples};
use crate::data::condition::{Condition, Field};
use crate::data::spelling::Spelling;
use crate::data::wording::{Style, Wording};
use crate::error::Result;
use crate::result::decision_set::DecisionRule;
use crate::result::model::Model;

/// Ways to meet a rule's conditions that are tried, at most.
const WAYS: usize = 500;

/// Columns and rules that are looked at to explain a row, at most: many rules over many columns have
/// more ways than anybody would wait for.
const WORK: usize = 100_000_000;

/// Why a row is what the model says.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// What the model says.
    pub verdict: Verdict,
    /// The rules that fired, or were nearest, by number from 0 over all classes.
    pub rules: Vec<usize>,
    /// For each other class that has rules, the changes that would lead to it.
    pub counterfactuals: Vec<Counterfactual>,
}

/// The fewest changes found that give a row another class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Counterfactual {
    /// That class, by position in [`Model::labels`].
    pub label: usize,
    /// The rule that fires then, by number from 0 over all classes.
    pub rule: usize,
    /// What changes.
    pub changes: Vec<Change>,
}

/// One value for another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Change {
    /// The column.
    pub column: String,
    /// The value in the row.
    pub from: String,
    /// An example of a value that would have to take its place.
    pub to: String,
    /// In general: the rule's conditions on the column; none if they hold already, and the change
    /// only keeps other rules from firing.
    pub conditions: Vec<String>,
}

/// A column that rules test, with a value from each of its cells.
struct Place<'m> {
    name: &'m str,
    numeric: bool,
    samples: Vec<Sample>,
}

/// Explains rows of one kind of table.
pub struct Explainer<'m> {
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
        let encoded = |name: &str| model.features.columns.iter().find(|column| column.name == name);
        let place = |column: crate::result::model::UsedColumn<'m>| Place {
            name: column.name,
            numeric: column.numeric,
            samples: encoded(column.name).map(samples).unwrap_or_default(),
        };
        let places: Vec<Place> = model.used_columns().into_iter().map(place).collect();
        let names: Vec<String> = places.iter().map(|place| place.name.to_string()).collect();
        let predictor = Predictor::new(model, policy, &names, "the model")?;
        let place_of = places.iter().enumerate().map(|(i, place)| (place.name, i)).collect();
        let (rules, spelling) = (model.rules().collect(), &model.provenance.spelling);
        let ordered = model.decision_set.is_ordered();
        let wording = model.wording(style);
        Ok(Explainer { places, place_of, predictor, rules, spelling, ordered, wording })
    }

    /// The columns that a row must give, in order.
    pub fn columns(&self) -> impl Iterator<Item = &'m str> {
        self.places.iter().map(|place| place.name)
    }

    /// A value of one of these columns as a model's own table had it, in the spelling of [`explain`](Self::explain).
    pub fn plain<'f>(&self, column: usize, field: &'f [u8]) -> Cow<'f, [u8]> {
        self.spelling.plain(field, self.places[column].numeric)
    }

    /// Explains a row, given by the values of [`Explainer::columns`].
    pub fn explain(&self, row: &[&[u8]]) -> Explanation {
        let mut scratch = Scratch::default();
        let verdict =
            self.predictor.predict(|column, numeric| Field::new(row[column], numeric), &mut scratch);
        let mut others: Vec<usize> = self.rules.iter().map(|(label, _)| *label).collect();
        others.sort_unstable();
        others.dedup();
        others.retain(|label| Some(*label) != verdict.label);
        // Every way that is tried asks all columns and all rules.
        let mut tries = WORK / (self.places.len() + self.rules.len()).max(1);
        let counterfactual = |label: usize| self.counterfactual(row, label, &mut tries);
        let counterfactuals = others.into_iter().filter_map(counterfactual).collect();
        Explanation { verdict, rules: scratch.rules, counterfactuals }
    }

    /// Whether a rule fires on a row, and, where classes have an order, none of an earlier class.
    pub fn fires(&self, rule: usize, row: &[&[u8]]) -> bool {
        let meets = |(_, rule): &(usize, &DecisionRule)| {
            rule.conditions.iter().all(|condition| self.holds(condition, row))
        };
        let earlier = |other: &(usize, &DecisionRule)| other.0 != self.rules[rule].0 && meets(other);
        meets(&self.rules[rule]) && !(self.ordered && self.rules[..rule].iter().any(earlier))
    }

    fn holds(&self, condition: &Condition, row: &[&[u8]]) -> bool {
        let place = self.place(condition);
        condition.holds(Field::new(row[place], self.places[place].numeric))
    }

    fn place(&self, condition: &Condition) -> usize {
        self.place_of[condition.feature.as_str()]
    }

    /// The fewest changes that make a rule of this class fire and the model say so. Rules that are
    /// easy to meet come first; where rules of other classes still win, one more change is tried.
    fn counterfactual(&self, row: &[&[u8]], label: usize, tries: &mut usize) -> Option<Counterfactual> {
        let unmet = |rule: &DecisionRule| {
            let unmet = rule.conditions.iter().filter(|condition| !self.holds(condition, row));
            let mut places: Vec<usize> = unmet.map(|condition| self.place(condition)).collect();
            places.sort_unstable();
            places.dedup();
            places
        };
        let rules = self.rules.iter().enumerate().filter(|(_, (of, _))| *of == label);
        let mut rules: Vec<(Vec<usize>, usize)> =
            rules.map(|(number, (_, rule))| (unmet(rule), number)).collect();
        rules.sort_by_key(|(places, number)| {
            (places.len(), std::cmp::Reverse(self.rules[*number].1.covers), *number)
        });
        let mut best: Option<Counterfactual> = None;
        for (places, number) in &rules {
            let fewest = best.as_ref().map_or(usize::MAX, |best| best.changes.len());
            if places.len() >= fewest || *tries == 0 {
                break;
            }
            let mut found = self.ways(row, label, *number, places, tries);
            for more in 0..self.places.len() {
                if found.is_some() || places.len() + 1 >= fewest || *tries == 0 {
                    break;
                }
                if !places.contains(&more) {
                    let mut places = places.clone();
                    places.push(more);
                    found = self.ways(row, label, *number, &places, tries);
                }
            }
            best = found.or(best);
        }
        best
    }

    /// Changes the values of these columns, and no others, so that a rule fires and the model says
    /// its class.
    fn ways(
        &self,
        row: &[&[u8]],
        label: usize,
        number: usize,
        places: &[usize],
        tries: &mut usize,
    ) -> Option<Counterfactual> {
        *tries = tries.checked_sub(1)?;
        let conditions = |place: usize| {
            let all = self.rules[number].1.conditions.iter();
            all.filter(move |condition| self.place(condition) == place)
        };
        let suits = |place: usize, sample: &&Sample| {
            let Place { numeric, .. } = self.places[place];
            let mut conditions = conditions(place);
            let new = sample.field(numeric) != Field::new(row[place], numeric);
            new && conditions.all(|condition| condition.holds(sample.field(numeric)))
        };
        let choices: Vec<Vec<&Sample>> = places
            .iter()
            .map(|&place| {
                self.places[place].samples.iter().filter(|sample| suits(place, sample)).collect()
            })
            .collect();
        let ways: usize = choices.iter().map(Vec::len).try_fold(1usize, usize::checked_mul)?;
        let mut scratch = Scratch::default();
        for way in 0..ways.min(WAYS).min(*tries) {
            *tries -= 1;
            let mut rest = way;
            let mut changed: Vec<&[u8]> = row.to_vec();
            let mut taken: Vec<&Sample> = Vec::new();
            for (&place, choices) in places.iter().zip(&choices) {
                let sample = choices[rest % choices.len()];
                rest /= choices.len();
                changed[place] = sample.text.as_bytes();
                taken.push(sample);
            }
            let verdict = self
                .predictor
                .predict(|column, numeric| Field::new(changed[column], numeric), &mut scratch);
            if verdict.label != Some(label) || !scratch.rules.contains(&number) {
                continue;
            }
            let change = |(&place, sample): (&usize, &Sample)| {
                let met = conditions(place).all(|condition| self.holds(condition, row));
                let needed = conditions(place).filter(|_| !met);
                Change {
                    column: self.places[place].name.to_string(),
                    from: String::from_utf8_lossy(row[place]).into_owned(),
                    to: sample.words.clone(),
                    conditions: self.wording.phrases(needed).iter().map(ToString::to_string).collect(),
                }
            };
            let changes = places.iter().zip(taken).map(change).collect();
            return Some(Counterfactual { label, rule: number, changes });
        }
        None
    }
}
