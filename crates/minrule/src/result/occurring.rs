//! Values that occur in a table, as far as rules tell them apart: what explanations may advise.
//!
//! Of neighbouring numbers that no rule tells apart, the least and the greatest are enough: seen from outside, one
//! of the two is the nearest. Of names that no rule tells apart, the most frequent is. So a model grows by what
//! its rules say, not by what its table holds.

use hashbrown::{HashMap, HashSet};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use crate::apply::predict::TestedColumn;
use crate::data::binarise::{EncodedColumn, Features};
use crate::data::column::Column;
use crate::data::condition::Field;
use crate::data::table::Table;
use crate::result::model::UsedColumn;

/// Values of a column that rules test, all of which occur in the table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Occurring {
    /// The column.
    pub column: String,
    /// Numbers rising, or names, the most frequent first; then nothing, if it is missing in some row and rules tell
    /// that from the others.
    pub values: Vec<Option<String>>,
}

impl Occurring {
    /// Whether it says the same as another of the same table. "1" and "1.0" are one number.
    pub(crate) fn agrees(&self, other: &Occurring) -> bool {
        let number = |text: &str| text.parse::<f64>().ok().filter(|number| number.is_finite());
        let same = |(one, other): (&Option<String>, &Option<String>)| match (one, other) {
            (Some(one), Some(other)) => {
                one == other || number(one).is_some_and(|x| number(other) == Some(x))
            }
            (one, other) => one == other,
        };
        self.column == other.column
            && self.values.len() == other.values.len()
            && self.values.iter().zip(&other.values).all(same)
    }
}

/// What occurs in each column of a table that has features.
#[derive(Debug, Clone)]
pub(crate) struct Observed(HashMap<String, ObservedColumn>);

#[derive(Debug, Clone)]
struct ObservedColumn {
    /// Rising numbers, if `rising`: the least and the greatest between two cuts. Otherwise names, the most frequent
    /// first.
    values: Vec<String>,
    rising: bool,
    missing: bool,
}

impl Observed {
    /// Looks at each row once.
    pub(crate) fn new(features: &Features, table: &Table) -> Observed {
        let known: HashMap<&str, &Column> =
            table.features.iter().map(|column| (column.name.as_str(), column)).collect();
        let observe = |encoded: &EncodedColumn| {
            let column = known.get(encoded.name.as_str())?;
            Some((encoded.name.clone(), ObservedColumn::new(encoded, column, table)))
        };
        let observed: Vec<(String, ObservedColumn)> =
            features.columns.par_iter().filter_map(observe).collect();
        Observed(observed.into_iter().collect())
    }

    /// Of each column that rules test, a value of each kind that they tell apart.
    pub(crate) fn told_apart(&self, used: &[UsedColumn]) -> Vec<Occurring> {
        let of_column = |used: &UsedColumn| {
            let values = self.0.get(used.name).map(|observed| observed.told_apart(used));
            Occurring { column: used.name.to_string(), values: values.unwrap_or_default() }
        };
        used.iter().map(of_column).collect()
    }
}

impl ObservedColumn {
    fn new(encoded: &EncodedColumn, column: &Column, table: &Table) -> ObservedColumn {
        let mut rows = vec![0; column.values.len()];
        for (row, code) in column.codes.iter().enumerate() {
            rows[code as usize] += table.weight(row);
        }
        let occurs = |code: &u32| rows[*code as usize] > 0;
        let missing = column.missing.is_some_and(|code| occurs(&code));
        let codes =
            || (0..rows.len() as u32).filter(occurs).filter(|&code| column.missing != Some(code));
        let Some(numbers) = column.numbers() else {
            let mut names: Vec<(u64, &str)> =
                codes().map(|code| (rows[code as usize], column.values.get(code))).collect();
            names.sort_unstable_by(|(rows, name), (more, other)| more.cmp(rows).then(name.cmp(other)));
            let values = names.into_iter().map(|(_, name)| name.to_string()).collect();
            return ObservedColumn { values, rising: false, missing };
        };
        let number = |code: &u32| numbers[*code as usize];
        let mut ends: HashMap<usize, [u32; 2]> = HashMap::new();
        for code in codes() {
            let [least, greatest] =
                ends.entry(encoded.encoding.part(number(&code))).or_insert([code; 2]);
            if number(&code) < number(&*least) {
                *least = code;
            }
            if number(&code) > number(&*greatest) {
                *greatest = code;
            }
        }
        let mut ends: Vec<u32> = ends.into_values().flatten().collect();
        ends.sort_unstable_by(|a, b| number(a).total_cmp(&number(b)).then(a.cmp(b)));
        ends.dedup_by_key(|code| number(&*code));
        let values = ends.into_iter().map(|code| column.text_of(code).into_owned()).collect();
        ObservedColumn { values, rising: true, missing }
    }

    fn told_apart(&self, used: &UsedColumn) -> Vec<Option<String>> {
        let tested = TestedColumn::new(0, used.numeric, &used.conditions);
        let kind = |text: &str| tested.conditions_of(Field::new(text.as_bytes(), used.numeric));
        let mut kinds: HashSet<&[u64]> = HashSet::new();
        let mut kept: Vec<Option<String>> = Vec::new();
        match self.rising {
            true => {
                for run in self.values.chunk_by(|one, next| kind(one) == kind(next)) {
                    kinds.insert(kind(&run[0]));
                    kept.push(Some(run[0].clone()));
                    kept.extend(run[1..].last().cloned().map(Some));
                }
            }
            false => {
                let new = |text: &&String| kinds.insert(kind(text));
                kept.extend(self.values.iter().filter(new).cloned().map(Some));
            }
        }
        if self.missing && kinds.insert(tested.conditions_of(Field::Missing)) {
            kept.push(None);
        }
        kept
    }
}

#[cfg(test)]
mod tests {
    use crate::data::binarise::{BinariseOptions, Numeric};
    use crate::testing::model_of;

    fn occurring(text: &str, numeric: Numeric) -> Vec<(String, Vec<Option<String>>)> {
        let model = model_of(text, &BinariseOptions { numeric, ..BinariseOptions::default() });
        let occurring = model.occurring.expect("a new model has it");
        occurring.into_iter().map(|of| (of.column, of.values)).collect()
    }

    fn values(values: &[&str]) -> Vec<Option<String>> {
        values.iter().map(|text| (!text.is_empty()).then(|| text.to_string())).collect()
    }

    #[test]
    fn of_numbers_between_cuts_that_rules_name_the_ends_are_kept() {
        // Rules say `x <= 4.5` or `x > 4.5`; y is constant on neither side and useless.
        let text = "x,y,class\n1,5,a\n2.50,1,a\n4,5,a\n5,1,b\n6,5,b\n9,1,b\n";
        let expected = [("x".to_string(), values(&["1", "4", "5", "9"]))];
        assert_eq!(occurring(text, Numeric::Thresholds), expected);
    }

    #[test]
    fn of_names_that_rules_do_not_name_the_most_frequent_is_kept() {
        let text = "x,class\nred,a\nred,a\nblue,b\ngreen,b\ngreen,b\n";
        assert_eq!(
            occurring(text, Numeric::Intervals),
            [("x".to_string(), values(&["green", "red"]))],
            "no rule tells blue from green"
        );
    }

    #[test]
    fn a_missing_value_is_kept_if_it_occurs_and_rules_tell_it_from_others() {
        let told = occurring("x,class\nred,a\nblue,a\n,b\n,b\n", Numeric::Intervals);
        assert_eq!(told, [("x".to_string(), values(&["blue", ""]))]);
        let alike = occurring("x,class\nred,a\nblue,b\n,b\n,b\n", Numeric::Intervals);
        assert_eq!(alike, [("x".to_string(), values(&["blue", "red"]))]);
    }
}
