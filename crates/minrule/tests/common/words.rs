//! Random tables with columns of every kind, and the least cost of describing them by brute force on words.
//!
//! The judge takes from the program only which conditions there are. It reads them by its own eyes on the
//! cells of the table, settles equal rows by its own vote, makes every set of rows that conditions can
//! cut out, and finds the cheapest cover by dynamic programming over sets of rows.

use std::collections::{BTreeMap, HashMap};

use minrule::data::{ColumnBuilder, Condition, Op, Operand};
use minrule::{BinariseOptions, Cost, Cuts, Numeric, Objective, Problem, Table, TableOptions};

use super::random::{cost_of_rule, sparse_cover};

/// A table, and how it is to be read.
pub struct Words {
    /// Values of each column: texts, or numbers as texts; an empty one is missing.
    columns: Vec<(String, Vec<String>)>,
    classes: Vec<String>,
    weights: Option<Vec<u64>>,
    pub binarise: BinariseOptions,
}

impl Words {
    /// The table of a seed.
    pub fn random(seed: u64) -> Words {
        let mut random = fastrand::Rng::with_seed(seed);
        let rows = random.usize(3..=16);
        let columns = (0..random.usize(1..=3))
            .map(|i| {
                let (values, numbers) = (random.usize(2..=4), random.bool());
                let unit = if random.bool() { 1.0 } else { 0.5 };
                let value = |random: &mut fastrand::Rng| match (random.u8(0..12), numbers) {
                    (0, _) => String::new(),
                    (_, true) => (random.usize(0..2 * values) as f64 * unit).to_string(),
                    (_, false) => ["red", "green", "blue", "white"][random.usize(0..values)].to_string(),
                };
                (format!("c{i}"), (0..rows).map(|_| value(&mut random)).collect())
            })
            .collect();
        let labels = random.usize(2..=4);
        let class =
            |random: &mut fastrand::Rng| ["a", "b", "c", "d"][random.usize(0..labels)].to_string();
        let classes = (0..rows).map(|_| class(&mut random)).collect();
        let weights = random.bool().then(|| (0..rows).map(|_| random.u64(0..4)).collect());
        let binarise = BinariseOptions {
            numeric: if random.bool() { Numeric::Thresholds } else { Numeric::Intervals },
            intervals: random.usize(2..=4),
            cuts: [None, Some(Cuts::Most(random.usize(1..=4))), Some(Cuts::All)][random.usize(0..3)],
            negations: random.u8(0..3) > 0,
            max_values: Some(if rows.is_multiple_of(3) { 2 } else { BinariseOptions::MAX_VALUES }),
            ..BinariseOptions::default()
        };
        Words { columns, classes, weights, binarise }
    }

    /// The table as the program takes it, if it is one to learn from.
    pub fn problem(&self) -> Option<Problem> {
        let column = |(name, values): &(String, Vec<String>)| {
            let mut column = ColumnBuilder::new(name);
            values.iter().for_each(|value| column.push_text(value));
            column.finish()
        };
        let mut target = ColumnBuilder::new("class");
        self.classes.iter().for_each(|class| target.push_name(class));
        let features = self.columns.iter().map(column).collect();
        let options = TableOptions::default();
        let table =
            Table::from_columns("words", features, target.finish(), self.weights.clone(), &options);
        Problem::new(table.ok()?, &self.binarise).ok()
    }

    /// Every threshold that numbers of these columns can be compared with, in the middle between neighbours and
    /// beyond them all, in every form that a rule may use.
    pub fn every_threshold(&self) -> Vec<Condition> {
        let mut conditions = Vec::new();
        for (name, values) in &self.columns {
            let (missing, present): (Vec<&String>, Vec<&String>) =
                values.iter().partition(|value| value.is_empty());
            let numbers: Result<Vec<f64>, _> = present.iter().map(|value| value.parse()).collect();
            let Ok(mut numbers) = numbers else { continue };
            numbers.sort_unstable_by(f64::total_cmp);
            numbers.dedup();
            let middles = numbers.windows(2).map(|pair| (pair[0] + pair[1]) / 2.0);
            let outside = [numbers.first().map(|n| n - 1.0), numbers.last().map(|n| n + 1.0)];
            let negated = !missing.is_empty() && self.binarise.negations;
            for cut in middles.chain(outside.into_iter().flatten()) {
                // Beyond them all, a test of a column without gaps holds for every row or for none.
                let inside = numbers[0] < cut && cut < numbers[numbers.len() - 1];
                for op in [Op::AtMost, Op::Above, Op::NotAtMost, Op::NotAbove] {
                    let is_negated = matches!(op, Op::NotAtMost | Op::NotAbove);
                    if (negated || !is_negated) && (inside || !missing.is_empty()) {
                        conditions.push(Condition {
                            feature: name.clone(),
                            op,
                            value: Operand::Number(cut),
                        });
                    }
                }
            }
        }
        conditions
    }

    fn weight(&self, row: usize) -> u64 {
        self.weights.as_ref().map_or(1, |weights| weights[row])
    }

    /// The least cost of describing all classes with these conditions.
    pub fn optimum(&self, conditions: &[Condition], objective: Objective) -> Cost {
        let seen = self.seen(conditions);
        let appearance = self.appearance();
        // The heaviest class wins, of equals the first to appear.
        let rows: Vec<(&Vec<bool>, &str)> = seen
            .iter()
            .map(|(looks, votes)| {
                let most = votes.values().max().unwrap();
                let winner = appearance.iter().find(|class| votes.get(**class) == Some(most));
                (looks, *winner.unwrap())
            })
            .collect();
        let fewest = fewest(&seen, conditions.len());
        appearance.iter().map(|class| cheapest_cover(&rows, class, &fewest, objective)).sum()
    }

    /// The least cost of describing a class with these conditions, if rules may be wrong: a unit of size costs
    /// `price`, a wrong row costs `row`.
    pub fn sparse_optimum(
        &self,
        conditions: &[Condition],
        class: &str,
        objective: Objective,
        (price, row): (u64, u64),
    ) -> u64 {
        let seen = self.seen(conditions);
        let own: Vec<u64> = seen.values().map(|rows| rows.get(class).copied().unwrap_or(0)).collect();
        let others: Vec<u64> =
            seen.values().zip(&own).map(|(rows, own)| rows.values().sum::<u64>() - own).collect();
        let rules = fewest(&seen, conditions.len());
        sparse_cover(rules.into_iter(), &own, &others, objective, (price, row))
    }

    /// The table without the rows that one of these rules covers, each a list of conditions.
    pub fn left_by(&self, rules: &[&[Condition]]) -> Words {
        let left = |&row: &usize| !rules.iter().any(|rule| self.meets(row, rule));
        let rows: Vec<usize> = (0..self.classes.len()).filter(left).collect();
        let pick = |values: &Vec<String>| rows.iter().map(|&row| values[row].clone()).collect();
        Words {
            columns: self.columns.iter().map(|(name, values)| (name.clone(), pick(values))).collect(),
            classes: pick(&self.classes),
            weights: Some(rows.iter().map(|&row| self.weight(row)).collect()),
            binarise: self.binarise.clone(),
        }
    }

    /// Whether all of these conditions hold for a row.
    pub fn meets(&self, row: usize, conditions: &[Condition]) -> bool {
        conditions.iter().all(|condition| self.holds(condition, row))
    }

    fn holds(&self, condition: &Condition, row: usize) -> bool {
        let column = self.columns.iter().find(|(name, _)| *name == condition.feature);
        by_eye(condition, &column.expect("a column").1[row])
    }

    /// The rows that count: their numbers, their classes and what they weigh.
    pub fn rows(&self) -> impl Iterator<Item = (usize, &str, u64)> {
        let rows =
            (0..self.classes.len()).map(|row| (row, self.classes[row].as_str(), self.weight(row)));
        rows.filter(|(.., weight)| *weight > 0)
    }

    /// The cells of a row, in the order of these columns.
    pub fn cells(&self, row: usize, names: &[String]) -> Vec<&str> {
        let column = |name: &String| self.columns.iter().find(|(known, _)| known == name);
        names.iter().map(|name| column(name).expect("a column").1[row].as_str()).collect()
    }

    /// The classes, as they appear in rows that count.
    pub fn appearance(&self) -> Vec<&str> {
        let mut appearance: Vec<&str> = Vec::new();
        for row in (0..self.classes.len()).filter(|&row| self.weight(row) > 0) {
            let class = self.classes[row].as_str();
            if !appearance.contains(&class) {
                appearance.push(class);
            }
        }
        appearance
    }

    /// Rows that all conditions see alike are one; what they weigh for each class.
    fn seen(&self, conditions: &[Condition]) -> BTreeMap<Vec<bool>, HashMap<&str, u64>> {
        let mut seen: BTreeMap<Vec<bool>, HashMap<&str, u64>> = BTreeMap::new();
        for row in (0..self.classes.len()).filter(|&row| self.weight(row) > 0) {
            let looks = conditions.iter().map(|condition| self.holds(condition, row)).collect();
            *seen.entry(looks).or_default().entry(self.classes[row].as_str()).or_default() +=
                self.weight(row);
        }
        seen
    }
}

/// With how few conditions each set of rows can be cut out.
fn fewest<V>(seen: &BTreeMap<Vec<bool>, V>, conditions: usize) -> HashMap<u32, usize> {
    let rows: Vec<&Vec<bool>> = seen.keys().collect();
    let all = (1u32 << rows.len()) - 1;
    let mask = |condition: usize| {
        (0..rows.len()).filter(|&row| rows[row][condition]).fold(0, |set, row| set | 1u32 << row)
    };
    let masks: Vec<u32> = (0..conditions).map(mask).collect();
    let mut fewest: HashMap<u32, usize> = HashMap::from([(all, 0)]);
    let mut frontier = vec![all];
    for size in 1.. {
        let mut next = Vec::new();
        for &set in &frontier {
            for &mask in &masks {
                let smaller = set & mask;
                if smaller != 0 && !fewest.contains_key(&smaller) {
                    fewest.insert(smaller, size);
                    next.push(smaller);
                }
            }
        }
        if next.is_empty() {
            break;
        }
        frontier = next;
    }
    fewest
}

/// The least cost of covering the rows of a class and no other.
fn cheapest_cover(
    rows: &[(&Vec<bool>, &str)],
    class: &str,
    fewest: &HashMap<u32, usize>,
    objective: Objective,
) -> Cost {
    let own = rows.iter().enumerate().filter(|(_, row)| row.1 == class);
    let own = own.fold(0u32, |set, (row, _)| set | 1 << row);
    let rules: Vec<(u32, usize)> =
        fewest.iter().filter(|(set, _)| *set & !own == 0).map(|(set, size)| (*set, *size)).collect();
    let mut best: HashMap<u32, Cost> = HashMap::from([(0, Cost::default())]);
    let mut open = vec![0u32];
    while let Some(set) = open.pop() {
        let lowest = own & !set & (own & !set).wrapping_neg();
        for &(covers, size) in rules.iter().filter(|(covers, _)| covers & lowest != 0) {
            let cost = best[&set] + cost_of_rule(objective, size);
            if best.get(&(set | covers)).is_none_or(|known| cost < *known) {
                best.insert(set | covers, cost);
                open.push(set | covers);
            }
        }
    }
    best[&own]
}

/// Whether a condition holds for a cell, as a person would read it.
fn by_eye(condition: &Condition, cell: &str) -> bool {
    let missing = cell.is_empty();
    let number = || cell.parse::<f64>().ok();
    let at_most = |t: f64| number().is_some_and(|x| x <= t);
    let above = |t: f64| number().is_some_and(|x| x > t);
    let at_least = |t: f64| number().is_some_and(|x| x >= t);
    match (condition.op, &condition.value) {
        (Op::Is, Operand::Text(text)) => !missing && cell == text,
        (Op::IsNot, Operand::Text(text)) => missing || cell != text,
        (Op::AtMost, Operand::Number(t)) => at_most(*t),
        (Op::Above, Operand::Number(t)) => above(*t),
        (Op::AtLeast, Operand::Number(t)) => at_least(*t),
        (Op::NotAtMost, Operand::Number(t)) => !at_most(*t),
        (Op::NotAbove, Operand::Number(t)) => !above(*t),
        (Op::NotBelow, Operand::Number(t)) => missing || at_least(*t),
        (Op::Between, Operand::Interval(low, high)) => at_least(*low) && at_most(*high),
        (Op::NotBetween, Operand::Interval(low, high)) => !(at_least(*low) && at_most(*high)),
        (Op::In, Operand::Interval(low, high)) => above(*low) && at_most(*high),
        (Op::NotIn, Operand::Interval(low, high)) => !(above(*low) && at_most(*high)),
        (Op::IsMissing, _) => missing,
        (Op::IsNotMissing, _) => !missing,
        other => panic!("no such condition: {other:?}"),
    }
}
