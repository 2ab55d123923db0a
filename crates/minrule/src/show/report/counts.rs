//! What the rows of a table say about a model: everything the page counts, it counts here.
//!
//! Nothing is taken from the model but its rules and its policy. Rows on which the same conditions hold
//! are predicted once.

use hashbrown::HashMap;

use crate::apply::predict::{DecidedBy, Predictor, Scratch, Uncovered, Verdict};
use crate::data::condition::Field;
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::judge::looks::{Looks, cells};
use crate::result::model::Model;

/// Examples on the coverage map, at most; of more, an even choice is shown.
const SHOWN: usize = 50_000;
/// Sets of more rules are not tried without each of them.
const TRIED: usize = 2_000;

/// Rows, by their weights.
pub(super) struct Counts {
    /// All of them.
    pub(super) rows: u64,
    /// Those of each label.
    pub(super) class_rows: Vec<u64>,
    /// Those whose class the model predicts.
    pub(super) right: u64,
    /// Those of each label that no rule covers.
    pub(super) uncovered: Vec<u64>,
    /// Those of each label that reach their class: where classes have an order, no rule of an earlier one fires.
    pub(super) reached: Vec<u64>,
    /// Those of them that no rule of their own class covers.
    pub(super) left_out: Vec<u64>,
    /// Those that rules of several classes cover.
    pub(super) in_conflict: u64,
    /// Those of which the policy says nothing.
    pub(super) unanswered: u64,
    /// Those on which each rule holds: it fires and, where classes have an order, none of an earlier class does.
    pub(super) rules: Vec<Fired>,
    /// Of each rule, how many more of them would be wrong without it; nothing if there are too many rules to try.
    pub(super) without: Option<Vec<i64>>,
    /// Those that no feature tells apart from rows of another class.
    pub(super) conflicts: Conflicts,
    /// Distinct examples, and which rules fire on them.
    pub(super) map: Map,
}

/// The rows on which a rule holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Fired {
    /// Of its own class.
    pub(super) own: u64,
    /// Of others.
    pub(super) others: u64,
    /// Of its own class, and no other rule of that class holds.
    pub(super) alone: u64,
}

/// Rows that look the same and have several classes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Conflicts {
    /// Groups of such rows.
    pub(super) groups: u64,
    /// Groups in which two classes have the most rows.
    pub(super) ties: u64,
    /// Rows of another class than most of their group.
    pub(super) lost: u64,
}

/// Which rule fires on which example.
pub(super) struct Map {
    /// All examples.
    pub(super) examples: usize,
    /// A row of each example that is shown.
    pub(super) rows: Vec<usize>,
    /// Their labels.
    pub(super) labels: Vec<usize>,
    /// Of each rule, the examples on which it fires, by their place.
    pub(super) rules: Vec<Vec<usize>>,
}

impl Counts {
    pub(super) fn new(model: &Model, table: &Table) -> Result<Counts> {
        let label_of = labels(model, table)?;
        let looks = Looks::new(model, table)?;
        let names: Vec<String> = table.features.iter().map(|column| column.name.clone()).collect();
        let predictor = Predictor::new(model, model.policy, &names, &table.name)?;
        let rule_labels: Vec<usize> = model.rules().map(|(label, _)| label).collect();
        let mut counts = Counts {
            rows: 0,
            class_rows: vec![0; model.labels.len()],
            right: 0,
            uncovered: vec![0; model.labels.len()],
            reached: vec![0; model.labels.len()],
            left_out: vec![0; model.labels.len()],
            in_conflict: 0,
            unanswered: 0,
            rules: vec![Fired::default(); rule_labels.len()],
            without: (rule_labels.len() <= TRIED).then(|| vec![0; rule_labels.len()]),
            conflicts: conflicts(table, &looks.look),
            map: Map::new(&looks, &label_of, rule_labels.len()),
        };
        let alike = alike(model, table);
        let mut shown: HashMap<u32, Vec<usize>> = HashMap::new();
        for (example, &row) in counts.map.rows.iter().enumerate() {
            shown.entry(alike[row]).or_default().push(example);
        }
        let others = model.undescribed();
        let places = places(model);
        let (mut scratch, mut tried) = (Scratch::default(), Scratch::default());
        for group in groups(table, &alike, &label_of) {
            let verdict = predictor.predict(field(table, group.row), &mut scratch);
            let rows: u64 = group.labels.iter().map(|(_, rows)| rows).sum();
            counts.rows += rows;
            // Of several classes that no rule describes, none is named, and any of them is right.
            let is_one_of_others = |verdict: Verdict| {
                model.default_label().is_none()
                    && model.policy.uncovered == Uncovered::Default
                    && verdict.decided_by == DecidedBy::Uncovered
            };
            let right = |verdict: Verdict| -> u64 {
                let is_right = |label: usize| match is_one_of_others(verdict) {
                    true => others.contains(&label),
                    false => verdict.label == Some(label),
                };
                let rows = group.labels.iter().filter(|(label, _)| is_right(*label));
                rows.map(|(_, rows)| rows).sum()
            };
            group.labels.iter().for_each(|&(label, rows)| counts.class_rows[label] += rows);
            counts.right += right(verdict);
            if let Some(without) = &mut counts.without {
                for &rule in &scratch.rules {
                    let field = field(table, group.row);
                    let otherwise = predictor.predict_without(rule, field, &mut tried);
                    without[rule] += right(verdict) as i64 - right(otherwise) as i64;
                }
            }
            let silent = verdict.label.is_none() && !is_one_of_others(verdict);
            counts.unanswered += if silent { rows } else { 0 };
            match verdict.decided_by {
                // The rules in `scratch` are only the nearest ones.
                DecidedBy::Uncovered => {
                    for &(label, rows) in &group.labels {
                        counts.uncovered[label] += rows;
                        counts.reached[label] += rows;
                        counts.left_out[label] += rows;
                    }
                    continue;
                }
                DecidedBy::Conflict => counts.in_conflict += rows,
                DecidedBy::Rules => {}
            }
            // Where classes have an order, the rules in `scratch` are those of the first class that has any.
            let last = match model.decision_set.is_ordered() {
                true => scratch.rules.first().map_or(usize::MAX, |&rule| places[rule_labels[rule]]),
                false => usize::MAX,
            };
            for &(label, rows) in group.labels.iter().filter(|(label, _)| places[*label] <= last) {
                counts.reached[label] += rows;
                let covered = scratch.rules.iter().any(|&rule| rule_labels[rule] == label);
                counts.left_out[label] += if covered { 0 } else { rows };
            }
            let examples = shown.get(&alike[group.row]).map_or(&[][..], Vec::as_slice);
            let mut of_class = vec![0usize; model.labels.len()];
            scratch.rules.iter().for_each(|&rule| of_class[rule_labels[rule]] += 1);
            for &rule in &scratch.rules {
                let (fired, own) = (&mut counts.rules[rule], rule_labels[rule]);
                for &(label, rows) in &group.labels {
                    *if label == own { &mut fired.own } else { &mut fired.others } += rows;
                    fired.alone += if label == own && of_class[own] == 1 { rows } else { 0 };
                }
                counts.map.rules[rule].extend_from_slice(examples);
            }
        }
        counts.map.rules.iter_mut().for_each(|examples| examples.sort_unstable());
        Ok(counts)
    }

    /// Rows that the rules of a class get wrong, as the objective of sparse sets counts them: each of the class
    /// that none covers, and each of another for every rule that covers it. The class is given by its place.
    pub(super) fn errors(&self, model: &Model, place: usize) -> u64 {
        let classes = &model.decision_set.classes;
        let first: usize = classes[..place].iter().map(|class| class.rules.len()).sum();
        let rules = &self.rules[first..first + classes[place].rules.len()];
        let label = model.labels.iter().position(|label| *label == classes[place].class);
        let left_out = label.map_or(0, |label| self.left_out[label]);
        left_out + rules.iter().map(|fired| fired.others).sum::<u64>()
    }

    /// The label that most rows have; of equals, the earliest.
    pub(super) fn majority(&self) -> usize {
        let most = self.class_rows.iter().max();
        self.class_rows.iter().position(|rows| Some(rows) == most).unwrap_or_default()
    }
}

impl Map {
    fn new(looks: &Looks, label_of: &[usize], rules: usize) -> Map {
        // The first row of each example, in order.
        let mut seen = vec![false; looks.look.len()];
        let first = |row: &usize| !std::mem::replace(&mut seen[looks.look[*row] as usize], true);
        let all: Vec<usize> = (0..looks.look.len()).filter(first).collect();
        let examples = all.len();
        let rows: Vec<usize> = match examples > SHOWN {
            true => (0..SHOWN).map(|i| all[i * examples / SHOWN]).collect(),
            false => all,
        };
        let labels = rows.iter().map(|&row| label_of[looks.settled[row] as usize]).collect();
        Map { examples, rows, labels, rules: vec![Vec::new(); rules] }
    }
}

/// The place of each label among the classes described; one that is not comes after them.
fn places(model: &Model) -> Vec<usize> {
    let classes = model.decision_set.classes.iter().enumerate();
    let places: HashMap<&str, usize> =
        classes.map(|(place, class)| (class.class.as_str(), place)).collect();
    let place = |label: &String| places.get(label.as_str()).copied().unwrap_or(places.len());
    model.labels.iter().map(place).collect()
}

/// The model's label for each code of the class column.
fn labels(model: &Model, table: &Table) -> Result<Vec<usize>> {
    let places: HashMap<&str, usize> =
        model.labels.iter().enumerate().map(|(place, label)| (label.as_str(), place)).collect();
    let known: Option<Vec<usize>> =
        table.target.values.iter().map(|label| places.get(label).copied()).collect();
    known.ok_or_else(|| Error::OtherClasses {
        place: table.name.clone(),
        target: table.target.name.clone(),
    })
}

/// Rows on which the same conditions of the rules hold have the same number.
fn alike(model: &Model, table: &Table) -> Vec<u32> {
    let mut alike = vec![0u32; table.rows()];
    for used in model.used_columns() {
        let Some(column) = table.features.iter().find(|column| column.name == used.name) else {
            continue;
        };
        let cell_of = cells(column, used.numeric, &used.conditions);
        let mut seen: HashMap<(u32, u32), u32> = HashMap::new();
        for (so_far, code) in alike.iter_mut().zip(column.codes.iter()) {
            let next = seen.len() as u32;
            *so_far = *seen.entry((*so_far, cell_of[code as usize])).or_insert(next);
        }
    }
    alike
}

/// Rows that are alike.
struct Group {
    /// One of them.
    row: usize,
    /// How many there are of each label that some have.
    labels: Vec<(usize, u64)>,
}

fn groups(table: &Table, alike: &[u32], label_of: &[usize]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (row, (&number, code)) in alike.iter().zip(table.target.codes.iter()).enumerate() {
        // They are numbered in order of appearance.
        if number as usize == groups.len() {
            groups.push(Group { row, labels: Vec::new() });
        }
        let (labels, label) = (&mut groups[number as usize].labels, label_of[code as usize]);
        match labels.iter_mut().find(|(known, _)| *known == label) {
            Some((_, rows)) => *rows += table.weight(row),
            None => labels.push((label, table.weight(row))),
        }
    }
    groups
}

fn conflicts(table: &Table, looks: &[u32]) -> Conflicts {
    let every: Vec<usize> = (0..table.target.values.len()).collect();
    let mut conflicts = Conflicts::default();
    for group in groups(table, looks, &every) {
        let most = group.labels.iter().map(|(_, rows)| *rows).max().unwrap_or_default();
        let all: u64 = group.labels.iter().map(|(_, rows)| rows).sum();
        let winners = group.labels.iter().filter(|(_, rows)| *rows == most).count();
        conflicts.groups += u64::from(group.labels.len() > 1);
        conflicts.ties += u64::from(winners > 1);
        conflicts.lost += all - most;
    }
    conflicts
}

/// The values of a row, as the model asks for them.
fn field<'t>(table: &'t Table, row: usize) -> impl Fn(usize, bool) -> Field<'t> {
    move |column, numeric| {
        let column = &table.features[column];
        let code = column.codes.get(row);
        match column.missing == Some(code) {
            true => Field::Missing,
            false => Field::new(column.values.get(code).as_bytes(), numeric),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::binarise::BinariseOptions;
    use crate::data::table::TableOptions;
    use crate::testing::model_of;

    fn table(text: &str) -> Table {
        Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap()
    }

    const TABLE: &str = "a,b,class\n1,p,x\n1,p,x\n1,p,y\n0,p,y\n0,q,y\n1,q,x\n";

    #[test]
    fn rows_are_counted_by_hand() {
        let model = model_of(TABLE, &BinariseOptions::default());
        let counts = Counts::new(&model, &table(TABLE)).unwrap();
        assert_eq!((counts.rows, counts.right, counts.class_rows.as_slice()), (6, 5, &[3, 3][..]));
        assert_eq!(counts.conflicts, Conflicts { groups: 1, ties: 0, lost: 1 });
        // a = 1 for x, a = 0 for y; the row that lost the vote is one of the others.
        let fired = |own, others, alone| Fired { own, others, alone };
        assert_eq!(counts.rules, [fired(3, 1, 3), fired(2, 0, 2)]);
        // Without the rule for x its rows are x by default; without that for y its rows are wrong.
        assert_eq!(counts.without, Some(vec![0, 2]));
        assert_eq!(
            (counts.uncovered.as_slice(), counts.in_conflict, counts.unanswered),
            (&[0, 0][..], 0, 0)
        );
        // The row that lost the vote is wrong for both classes: covered by one, left out by the other.
        assert_eq!((counts.left_out.as_slice(), counts.errors(&model, 0)), (&[0, 1][..], 1));
        assert_eq!(counts.errors(&model, 1), 1);
        assert_eq!((counts.map.examples, counts.map.rows.as_slice()), (4, &[0, 3, 4, 5][..]));
        assert_eq!(counts.map.labels, [0, 1, 1, 0]);
        assert_eq!(counts.map.rules, [vec![0, 3], vec![1, 2]]);
        assert_eq!(counts.majority(), 0);
    }

    #[test]
    fn another_table_is_counted_by_its_own_rows() {
        let model = model_of(TABLE, &BinariseOptions::default());
        let other = table("a,b,class\n1,p,y\n1,q,y\n0,q,x\n0,q,x\n0,p,y\n");
        let counts = Counts::new(&model, &other).unwrap();
        assert_eq!((counts.rows, counts.right, counts.class_rows.as_slice()), (5, 1, &[2, 3][..]));
        let fired = |own, others, alone| Fired { own, others, alone };
        assert_eq!(counts.rules, [fired(0, 2, 0), fired(1, 2, 1)]);
        assert_eq!(counts.majority(), 1);
    }

    #[test]
    fn a_label_that_the_model_does_not_know_is_refused_wherever_it_stands() {
        let model = model_of(TABLE, &BinariseOptions::default());
        // It loses the vote, so it is the class of no example.
        let other = table("a,b,class\n1,p,x\n1,p,x\n1,p,z\n0,q,y\n");
        assert!(matches!(Counts::new(&model, &other), Err(Error::OtherClasses { .. })));
    }
}
