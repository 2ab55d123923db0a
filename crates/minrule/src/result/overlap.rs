//! Rules of different classes that can fire together.
//!
//! A decision set agrees with its table, but on a row that the table does not have, rules of two
//! classes may both fire. Each condition speaks of one column, and a row may combine any values of
//! its columns; so two rules overlap if every column that both test has a value that suits both.
//! Of a column, only the cells of its encoding matter, and a row is in exactly one of them.

use fixedbitset::FixedBitSet;
use hashbrown::HashMap;
use serde::Serialize;

use crate::apply::samples::{Sample, samples};
use crate::data::binarise::Features;
use crate::data::condition::Condition;
use crate::result::decision_set::DecisionSet;

/// Pairs of rules of different classes.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overlaps {
    /// How many pairs there are.
    pub pairs: u64,
    /// Those that can fire together.
    pub overlapping: Vec<Overlap>,
}

/// Two rules of different classes that can fire together. Rules are numbered from 1 over all
/// classes, in order.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Overlap {
    /// The one.
    pub first: usize,
    /// The other.
    pub second: usize,
    /// A row on which both fire: the columns that they test, each with a value.
    pub example: Vec<(String, String)>,
}

/// Of each column that a rule tests, the cells that suit it.
pub(crate) type Suits = HashMap<usize, FixedBitSet>;

/// The cells of all columns.
pub(crate) struct Space<'f> {
    features: &'f Features,
    places: HashMap<&'f str, usize>,
    samples: Vec<Vec<Sample>>,
}

impl<'f> Space<'f> {
    pub(crate) fn new(features: &'f Features) -> Space<'f> {
        let places = features.columns.iter().enumerate();
        Space {
            features,
            places: places.map(|(i, column)| (column.name.as_str(), i)).collect(),
            samples: features.columns.iter().map(samples).collect(),
        }
    }

    /// The cells that suit all of these conditions.
    pub(crate) fn suits(&self, conditions: &[Condition]) -> Suits {
        let mut suits = Suits::new();
        for condition in conditions {
            let Some(&column) = self.places.get(condition.feature.as_str()) else { continue };
            let numeric = self.features.columns[column].encoding.is_numeric();
            let mut cells = FixedBitSet::with_capacity(self.samples[column].len());
            for (cell, sample) in self.samples[column].iter().enumerate() {
                cells.set(cell, condition.holds(sample.field(numeric)));
            }
            suits.entry(column).and_modify(|all| all.intersect_with(&cells)).or_insert(cells);
        }
        suits
    }

    /// Cells in the words of the table.
    fn example(&self, cells: HashMap<usize, usize>) -> Vec<(String, String)> {
        let mut cells: Vec<(usize, usize)> = cells.into_iter().collect();
        cells.sort_unstable();
        let words = |(column, cell): (usize, usize)| {
            (self.features.columns[column].name.clone(), self.samples[column][cell].words.clone())
        };
        cells.into_iter().map(words).collect()
    }
}

/// Finds all pairs of rules of different classes that can fire together.
pub fn overlaps(features: &Features, set: &DecisionSet) -> Overlaps {
    let space = Space::new(features);
    let classes = set.classes.iter().enumerate();
    let rules: Vec<(usize, Suits)> = classes
        .flat_map(|(class, rules)| rules.rules.iter().map(move |rule| (class, rule)))
        .map(|(class, rule)| (class, space.suits(&rule.conditions)))
        .collect();
    let mut found = Overlaps { pairs: 0, overlapping: Vec::new() };
    for (first, (class, one)) in rules.iter().enumerate() {
        for (second, (other_class, other)) in rules.iter().enumerate().skip(first + 1) {
            if class == other_class {
                continue;
            }
            found.pairs += 1;
            if let Some(cells) = together(one, other) {
                let example = space.example(cells);
                found.overlapping.push(Overlap { first: first + 1, second: second + 1, example });
            }
        }
    }
    found
}

/// A cell for each column that either rule tests, if there is one that suits both everywhere.
pub(crate) fn together(one: &Suits, other: &Suits) -> Option<HashMap<usize, usize>> {
    let mut cells = HashMap::new();
    for (column, suits) in one {
        let cell = match other.get(column) {
            Some(others) => suits.intersection(others).next(),
            None => suits.minimum(),
        };
        cells.insert(*column, cell?);
    }
    for (column, suits) in other {
        if !one.contains_key(column) {
            cells.insert(*column, suits.minimum()?);
        }
    }
    Some(cells)
}

#[cfg(test)]
mod tests {

    use super::*;
    use crate::data::binarise::{BinariseOptions, EncodedColumn, Numeric};
    use crate::data::condition::Field;
    use crate::data::table::{Table, TableOptions};
    use crate::limits::Limits;
    use crate::problem::Problem;
    use crate::result::decision_set::DecisionRule;
    use crate::solve::options::LearnOptions;

    /// All rows that can be made of the values of the columns, by trying every combination.
    fn exhaustive(features: &Features, set: &DecisionSet) -> Vec<(usize, usize)> {
        let samples: Vec<Vec<Sample>> = features.columns.iter().map(samples).collect();
        let rules: Vec<(usize, &DecisionRule)> = set
            .classes
            .iter()
            .enumerate()
            .flat_map(|(class, rules)| rules.rules.iter().map(move |rule| (class, rule)))
            .collect();
        let rows: usize = samples.iter().map(Vec::len).product();
        let mut pairs = std::collections::BTreeSet::new();
        for row in 0..rows {
            let mut rest = row;
            let cells: Vec<usize> = samples
                .iter()
                .map(|cells| {
                    let cell = rest % cells.len();
                    rest /= cells.len();
                    cell
                })
                .collect();
            let holds = |condition: &Condition| {
                let named = |column: &EncodedColumn| column.name == condition.feature;
                let column = features.columns.iter().position(named).unwrap();
                condition.holds(
                    samples[column][cells[column]].field(features.columns[column].encoding.is_numeric()),
                )
            };
            let fired: Vec<usize> =
                (0..rules.len()).filter(|&r| rules[r].1.conditions.iter().all(holds)).collect();
            for &a in &fired {
                for &b in fired.iter().filter(|&&b| b > a && rules[a].0 != rules[b].0) {
                    pairs.insert((a + 1, b + 1));
                }
            }
        }
        pairs.into_iter().collect()
    }

    fn random_table(random: &mut fastrand::Rng) -> String {
        let mut text = String::from("colour,x,y,flag,class\n");
        for _ in 0..random.usize(4..14) {
            let colour = ["red", "blue", "green", "?"][random.usize(..4)];
            let x = random.usize(..9).to_string();
            let y = if random.u8(..5) == 0 { "NA".to_string() } else { random.usize(..7).to_string() };
            let flag = ["yes", "no"][random.usize(..2)];
            text += &format!("{colour},{x},{y},{flag},{}\n", ["a", "b", "c"][random.usize(..3)]);
        }
        text
    }

    #[test]
    fn overlaps_are_those_that_trying_every_row_finds() {
        let mut random = fastrand::Rng::with_seed(5);
        let mut seen = 0;
        for round in 0..150 {
            let text = random_table(&mut random);
            let Ok(table) = Table::from_reader(text.as_bytes(), "random", &TableOptions::default())
            else {
                continue;
            };
            let numeric = if round % 2 == 0 { Numeric::Thresholds } else { Numeric::Intervals };
            let options = BinariseOptions { numeric, ..BinariseOptions::default() };
            let problem = Problem::new(table, &options).unwrap();
            let outcome =
                problem.learn(&LearnOptions::default().on_one_thread(), &Limits::default()).unwrap();
            let (features, set) = (problem.features(), problem.decision_set(&outcome));
            let found = overlaps(features, &set);
            let pairs: Vec<_> = found.overlapping.iter().map(|o| (o.first, o.second)).collect();
            assert_eq!(pairs, exhaustive(features, &set), "{text}");
            seen += pairs.len();
            // The example fires both rules.
            let rules: Vec<&DecisionRule> = set.classes.iter().flat_map(|c| &c.rules).collect();
            for overlap in &found.overlapping {
                for number in [overlap.first, overlap.second] {
                    for condition in &rules[number - 1].conditions {
                        let value = overlap.example.iter().find(|(c, _)| *c == condition.feature);
                        let column =
                            features.columns.iter().find(|c| c.name == condition.feature).unwrap();
                        let text = match value.unwrap().1.as_str() {
                            "(missing)" => "",
                            text => text,
                        };
                        let field = Field::new(text.as_bytes(), column.encoding.is_numeric());
                        assert!(condition.holds(field), "{condition} {overlap:?}");
                    }
                }
            }
        }
        assert!(seen > 100, "only {seen} overlaps were compared");
    }
}
