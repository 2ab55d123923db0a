//! What rows look like to the features of a model, by the words of its conditions alone.

use hashbrown::HashMap;

use crate::data::column::Column;
use crate::data::condition::{Condition, Field};
use crate::data::literal::{FeatureId, Literal};
use crate::data::table::Table;
use crate::error::{Error, Result};
use crate::result::model::Model;

/// The rows of a table as a model sees them.
pub(crate) struct Looks<'a> {
    /// The columns of the model's features, and whether their values are compared as numbers.
    pub(crate) columns: HashMap<&'a str, (&'a Column, bool)>,
    /// Rows that no feature tells apart have the same number.
    pub(crate) look: Vec<u32>,
    /// The code of each row's class once the majority of its equals has decided; a tie goes to the
    /// label that comes first.
    pub(crate) settled: Vec<u32>,
}

impl<'a> Looks<'a> {
    pub(crate) fn new(model: &'a Model, table: &'a Table) -> Result<Looks<'a>> {
        let known: HashMap<&str, &Column> =
            table.features.iter().map(|column| (column.name.as_str(), column)).collect();
        let mut columns = HashMap::new();
        for encoded in &model.features.columns {
            let column = *known.get(encoded.name.as_str()).ok_or_else(|| {
                let names: Vec<String> =
                    table.features.iter().map(|column| column.name.clone()).collect();
                Error::no_such_column(&table.name, &encoded.name, &names)
            })?;
            columns.insert(encoded.name.as_str(), (column, encoded.encoding.is_numeric()));
        }
        let look = looks(model, table, &columns);
        let settled = settle(model, table, &look);
        Ok(Looks { columns, look, settled })
    }
}

impl Looks<'_> {
    /// Looks with rows of more than one class, and those among them whose vote was a tie.
    pub(crate) fn conflicts(&self, table: &Table) -> (u64, u64) {
        let mut by_look: HashMap<u32, Vec<u64>> = HashMap::new();
        for ((look, _), n) in votes(table, &self.look) {
            by_look.entry(look).or_default().push(n);
        }
        let split = by_look.values().filter(|votes| votes.len() > 1);
        let tied = |votes: &&Vec<u64>| {
            let most = votes.iter().max();
            votes.iter().filter(|n| Some(*n) == most).count() > 1
        };
        (split.clone().count() as u64, split.filter(tied).count() as u64)
    }
}

/// Column by column: a look so far and the cell of the next column make a new look.
fn looks(model: &Model, table: &Table, columns: &HashMap<&str, (&Column, bool)>) -> Vec<u32> {
    let mut looks = vec![0u32; table.rows()];
    for encoded in &model.features.columns {
        let (column, numeric) = columns[encoded.name.as_str()];
        let features = 0..encoded.encoding.features() as u32;
        let literals: Vec<Condition> = features
            .map(|i| Literal { feature: FeatureId(encoded.first + i), positive: true })
            .map(|literal| model.features.condition(literal))
            .collect();
        let cell_of = cells(column, numeric, &literals.iter().collect::<Vec<_>>());
        let mut seen: HashMap<(u32, u32), u32> = HashMap::new();
        for (look, code) in looks.iter_mut().zip(column.codes.iter()) {
            let next = seen.len() as u32;
            *look = *seen.entry((*look, cell_of[code as usize])).or_insert(next);
        }
    }
    looks
}

/// Values of a column that meet the same conditions have the same number.
pub(crate) fn cells(column: &Column, numeric: bool, conditions: &[&Condition]) -> Vec<u32> {
    let mut cells: HashMap<Vec<[u32; 2]>, u32> = HashMap::new();
    values(column, numeric)
        .map(|field| {
            // There may be as many conditions as values. A value meets one of them, or, of rising
            // thresholds, all from one on: either is a single run.
            let mut runs: Vec<[u32; 2]> = Vec::new();
            for (number, _) in (0..).zip(conditions).filter(|(_, condition)| condition.holds(field)) {
                match runs.last_mut() {
                    Some([_, end]) if *end == number => *end += 1,
                    _ => runs.push([number, number + 1]),
                }
            }
            let next = cells.len() as u32;
            *cells.entry(runs).or_insert(next)
        })
        .collect()
}

/// The rows of each look and class, by their weight.
fn votes(table: &Table, looks: &[u32]) -> HashMap<(u32, u32), u64> {
    let mut votes: HashMap<(u32, u32), u64> = HashMap::new();
    for (row, (&look, class)) in looks.iter().zip(table.target.codes.iter()).enumerate() {
        *votes.entry((look, class)).or_insert(0) += table.weight(row);
    }
    votes
}

/// The majority vote.
fn settle(model: &Model, table: &Table, looks: &[u32]) -> Vec<u32> {
    // The model's labels are in order of appearance; those it does not know come last.
    let order = |code: u32| {
        let label = table.target.values.get(code);
        model.labels.iter().position(|known| known == label).unwrap_or(usize::MAX)
    };
    let mut winners: HashMap<u32, (u32, u64)> = HashMap::new();
    for ((look, class), n) in votes(table, looks) {
        let winner = winners.entry(look).or_insert((class, n));
        let better = n > winner.1 || (n == winner.1 && order(class) < order(winner.0));
        if better {
            *winner = (class, n);
        }
    }
    looks.iter().map(|look| winners[look].0).collect()
}

/// The values behind the codes of a column, as conditions see them.
pub(crate) fn values(column: &Column, numeric: bool) -> impl Iterator<Item = Field<'_>> {
    (0..column.values.len() as u32).map(move |code| value(column, numeric, code))
}

/// The value behind a code.
pub(crate) fn value(column: &Column, numeric: bool, code: u32) -> Field<'_> {
    match column.missing == Some(code) {
        true => Field::Missing,
        false => Field::new(column.values.get(code).as_bytes(), numeric),
    }
}
