//! Where shallow trees cut the numbers of a table: what tells the classes apart beside all other columns.
//!
//! Trees are boosted: each is grown on what those before it left unexplained (gradient boosting for softmax;
//! Friedman 2001), so that a cut is made where no earlier one does its work, and columns that only matter together
//! are cut as well as those that matter alone. What is kept of a tree is its cuts and their gains. Cuts from such
//! trees make optimal trees of the same accuracy much faster to find (McTavish et al. 2022); here they make sets
//! smaller, too. Cuts of each column by itself, of bagged trees and others were tried: see `docs/DESIGN.md`.
//!
//! A level of a tree takes one pass over each column in the order of its values, so a tree is linear in rows ×
//! columns × classes. Of long tables every so many-th row is looked at. Nothing is random, and what is not exact is
//! rounded, so that the cuts of a table are the same on every machine.

use rayon::prelude::*;

use crate::data::cuts::Profile;
use crate::data::table::Table;

/// How many trees.
const TREES: usize = 40;
/// Tests on the way to a leaf.
const DEPTH: usize = 3;
/// The share of what a leaf could explain that it does.
const RATE: f64 = 0.3;
/// The furthest step of a leaf: one that is pure would go on for ever.
const STEP: f64 = 4.0;
/// A row is explained if this share of it is left, or less.
const LEFT: f64 = 0.02;
/// The share of all rows, by weight, that a cut must explain. Where a class weighs next to nothing, it is not worth more.
const WORTH: f64 = 1e-6;
/// Rows × columns × classes that trees look at, at most ...
const WORK: usize = 400_000;
/// ... unless that leaves fewer rows than these.
const ROWS: usize = 1_000;

/// No value.
const MISSING: u32 = u32::MAX;

/// The places where the trees of a table cut each column, at most so many, those with the greatest gain; `profiles`
/// are of the columns of numbers. `go_on` is asked before each tree.
pub(crate) fn places<E>(
    table: &Table,
    profiles: &[Option<Profile>],
    most: usize,
    mut go_on: impl FnMut() -> Result<(), E>,
) -> Result<Vec<Vec<usize>>, E> {
    let rows = Rows::new(table, profiles);
    let mut scores = vec![0.0; rows.classes.len() * rows.outputs];
    let mut cuts = vec![Vec::new(); profiles.len()];
    let least = WORTH * rows.weights.iter().sum::<f64>();
    for _ in 0..TREES {
        go_on()?;
        let rest = rows.unexplained(&scores);
        if rest.iter().all(|rest| rest.abs() <= LEFT) {
            break;
        }
        let tree = Tree::grown(&rows, rest);
        if tree.leaves.iter().all(|leaf| *leaf == tree.leaves[0]) {
            break;
        }
        for cut in tree.cuts.iter().filter(|cut| cut.gain > least) {
            cuts[cut.column].push((cut.value, cut.gain));
        }
        tree.explain(&mut scores);
    }
    if cuts.iter().all(Vec::is_empty) {
        // No single test has a gain, as where each of two columns only inverts the other: all may be needed. Or none is
        // worth it, but there must be something to say.
        let has_gain = scores.iter().any(|score| *score != 0.0);
        let places = |profile: &Profile| match has_gain {
            false => profile.strongest_boundaries(most),
            true => profile.middle().into_iter().collect(),
        };
        let of_column = |profile: &Option<Profile>| profile.as_ref().map(places).unwrap_or_default();
        return Ok(profiles.iter().map(of_column).collect());
    }
    Ok(cuts.into_iter().map(|cuts| best_of(cuts, most)).collect())
}

/// The places whose cuts have the greatest gains together.
fn best_of(mut cuts: Vec<(u32, f64)>, most: usize) -> Vec<usize> {
    cuts.sort_by_key(|(place, _)| *place);
    let of_places = cuts.chunk_by(|a, b| a.0 == b.0);
    let mut gains: Vec<(u32, f64)> =
        of_places.map(|cuts| (cuts[0].0, cuts.iter().map(|(_, gain)| gain).sum())).collect();
    gains.sort_by(|a, b| b.1.total_cmp(&a.1));
    gains.into_iter().take(most).map(|(place, _)| place as usize).collect()
}

/// Rounds what may differ in its last bits from machine to machine.
fn rounded(x: f64) -> f64 {
    const PARTS: f64 = (1 << 20) as f64;
    (x * PARTS).round() / PARTS
}

/// The rows that trees look at.
struct Rows<'t> {
    columns: Vec<View<'t>>,
    classes: Vec<u32>,
    weights: Vec<f64>,
    /// What is explained of each row: of two classes, one is the rest of the other.
    outputs: usize,
}

/// A column as trees see it.
struct View<'t> {
    /// A number's place among those of the column, or the code of a name.
    values: Vec<u32>,
    /// Rows that have a value, by value.
    order: Vec<u32>,
    /// Of numbers.
    profile: Option<&'t Profile>,
}

impl<'t> Rows<'t> {
    fn new(table: &Table, profiles: &'t [Option<Profile>]) -> Rows<'t> {
        let classes = table.target.values.len();
        let outputs = if classes == 2 { 1 } else { classes };
        let counted: Vec<usize> = (0..table.rows()).filter(|&row| table.weight(row) > 0).collect();
        let most = (WORK / (outputs * profiles.len()).max(1)).max(ROWS).min(counted.len());
        let rows: Vec<usize> = (0..most).map(|i| counted[i * counted.len() / most]).collect();
        let view =
            |(column, profile): (_, &'t Option<Profile>)| View::new(column, profile.as_ref(), &rows);
        Rows {
            columns: table.features.par_iter().zip(profiles).map(view).collect(),
            classes: rows.iter().map(|&row| table.target.codes.get(row)).collect(),
            weights: rows.iter().map(|&row| table.weight(row) as f64).collect(),
            outputs,
        }
    }

    /// What scores leave unexplained of each row: one minus the probability of its class, and minus those of others.
    fn unexplained(&self, scores: &[f64]) -> Vec<f64> {
        let mut rest = Vec::with_capacity(scores.len());
        for (scores, &class) in scores.chunks_exact(self.outputs).zip(&self.classes) {
            let of = |output: usize| f64::from(u8::from(class as usize == output));
            if let [score] = scores {
                rest.push(rounded(of(0) - 1.0 / (1.0 + (-score).exp())));
                continue;
            }
            let most = scores.iter().copied().fold(f64::MIN, f64::max);
            let all: f64 = scores.iter().map(|score| (score - most).exp()).sum();
            let left = |(output, score): (usize, &f64)| rounded(of(output) - (score - most).exp() / all);
            rest.extend(scores.iter().enumerate().map(left));
        }
        rest
    }
}

impl<'t> View<'t> {
    fn new(
        column: &crate::data::column::Column,
        profile: Option<&'t Profile>,
        rows: &[usize],
    ) -> View<'t> {
        let value = |&row: &usize| match column.codes.get(row) {
            code if column.missing == Some(code) => MISSING,
            code => profile.map_or(code, |profile| profile.rank(code)),
        };
        let values: Vec<u32> = rows.iter().map(value).collect();
        let present = |&row: &u32| values[row as usize] != MISSING;
        let mut order: Vec<u32> = (0..rows.len() as u32).filter(present).collect();
        order.sort_by_key(|&row| values[row as usize]);
        View { values, order, profile }
    }

    /// Whether a row goes the first way at a split: a number up to the value, or the very name.
    fn is_left(&self, row: usize, split: &Split) -> bool {
        match (self.values[row], self.profile) {
            (MISSING, _) => false,
            (value, Some(_)) => value <= split.value,
            (value, None) => value == split.value,
        }
    }
}

/// A test that divides the rows of a node.
#[derive(Clone, Copy)]
struct Split {
    gain: f64,
    column: usize,
    /// The last value on the left.
    value: u32,
    /// The first value on the right; none, if only rows without a value are there.
    next: Option<u32>,
}

/// Sums over rows of each node.
struct Sums {
    weights: Vec<f64>,
    /// Of what is unexplained, by node and output.
    rest: Vec<f64>,
    outputs: usize,
}

impl Sums {
    fn new(nodes: usize, outputs: usize) -> Sums {
        Sums { weights: vec![0.0; nodes], rest: vec![0.0; nodes * outputs], outputs }
    }

    fn add(&mut self, node: usize, weight: f64, rest: &[f64]) {
        self.weights[node] += weight;
        let sums = &mut self.rest[node * self.outputs..][..self.outputs];
        sums.iter_mut().zip(rest).for_each(|(sum, rest)| *sum += weight * rest);
    }

    fn clear(&mut self, node: usize) {
        self.weights[node] = 0.0;
        self.rest[node * self.outputs..][..self.outputs].fill(0.0);
    }

    fn rest_of(&self, node: usize) -> &[f64] {
        &self.rest[node * self.outputs..][..self.outputs]
    }

    /// What two answers explain beyond one for all, if these rows of a node get one of their own; nothing if they are
    /// none or all.
    fn gain(&self, node: usize, part: &Sums) -> Option<f64> {
        let (all, some) = (self.weights[node], part.weights[node]);
        if some <= 0.0 || all - some <= 0.0 {
            return None;
        }
        let sums = self.rest_of(node).iter().zip(part.rest_of(node));
        let explained = |(of_all, of_some): (&f64, &f64)| {
            of_some.powi(2) / some + (of_all - of_some).powi(2) / (all - some) - of_all.powi(2) / all
        };
        Some(sums.map(explained).sum())
    }
}

/// One tree.
struct Tree<'r> {
    rows: &'r Rows<'r>,
    /// What it is to explain.
    rest: Vec<f64>,
    /// The leaf of each row.
    leaves: Vec<u32>,
    /// The cuts of numbers.
    cuts: Vec<Split>,
}

impl<'r> Tree<'r> {
    fn grown(rows: &'r Rows<'r>, rest: Vec<f64>) -> Tree<'r> {
        let leaves = vec![0; rows.classes.len()];
        let mut tree = Tree { rows, rest, leaves, cuts: Vec::new() };
        (0..DEPTH).for_each(|depth| tree.divide(1 << depth));
        tree
    }

    fn rest_of(&self, row: usize) -> &[f64] {
        &self.rest[row * self.rows.outputs..(row + 1) * self.rows.outputs]
    }

    /// Makes two nodes of each.
    fn divide(&mut self, nodes: usize) {
        let mut all = Sums::new(nodes, self.rows.outputs);
        for (row, &node) in self.leaves.iter().enumerate() {
            all.add(node as usize, self.rows.weights[row], self.rest_of(row));
        }
        let sweep = |(column, view)| self.sweep(column, view, &all);
        let found: Vec<Vec<Option<Split>>> =
            self.rows.columns.par_iter().enumerate().map(sweep).collect();
        let mut best: Vec<Option<Split>> = vec![None; nodes];
        for of_column in found {
            best.iter_mut().zip(of_column).for_each(|(best, split)| keep_better(best, split));
        }
        for split in best.iter_mut().flatten() {
            if let (Some(profile), Some(next)) = (self.rows.columns[split.column].profile, split.next) {
                split.value = profile.halfway(split.value, next);
                self.cuts.push(*split);
            }
        }
        for (row, leaf) in self.leaves.iter_mut().enumerate() {
            let is_left = best[*leaf as usize]
                .is_some_and(|split| self.rows.columns[split.column].is_left(row, &split));
            *leaf = 2 * *leaf + u32::from(!is_left);
        }
    }

    /// The best split of each node by one column, in one pass over its rows.
    fn sweep(&self, column: usize, view: &View, all: &Sums) -> Vec<Option<Split>> {
        let nodes = all.weights.len();
        let mut best = vec![None; nodes];
        let mut left = Sums::new(nodes, self.rows.outputs);
        let mut last = vec![MISSING; nodes];
        let mut consider = |node: usize, left: &Sums, value: u32, next: Option<u32>| {
            let gain = all.gain(node, left).filter(|&gain| gain > 0.0);
            keep_better(&mut best[node], gain.map(|gain| Split { gain, column, value, next }));
        };
        for &row in &view.order {
            let (row, node) = (row as usize, self.leaves[row as usize] as usize);
            let value = view.values[row];
            if last[node] != value && last[node] != MISSING {
                consider(node, &left, last[node], Some(value));
                // A name stands for itself, a number for all up to it.
                if view.profile.is_none() {
                    left.clear(node);
                }
            }
            last[node] = value;
            left.add(node, self.rows.weights[row], self.rest_of(row));
        }
        for (node, &last) in last.iter().enumerate().filter(|(_, last)| **last != MISSING) {
            consider(node, &left, last, None);
        }
        best
    }

    /// Moves the scores of all rows towards what their leaves say: a step of Newton's method for each.
    fn explain(&self, scores: &mut [f64]) {
        let outputs = self.rows.outputs;
        let mut steps = vec![(0.0, 0.0); outputs << DEPTH];
        let at = |row: usize, output: usize| self.leaves[row] as usize * outputs + output;
        for (row, &weight) in self.rows.weights.iter().enumerate() {
            for (output, rest) in self.rest_of(row).iter().enumerate() {
                let (sum, curvature) = &mut steps[at(row, output)];
                *sum += weight * rest;
                *curvature += weight * rest.abs() * (1.0 - rest.abs());
            }
        }
        let share = if outputs == 1 { 1.0 } else { (outputs - 1) as f64 / outputs as f64 };
        for (place, score) in scores.iter_mut().enumerate() {
            let (sum, curvature) = steps[at(place / outputs, place % outputs)];
            if sum != 0.0 {
                *score += RATE * (share * sum / curvature.max(f64::MIN_POSITIVE)).clamp(-STEP, STEP);
            }
        }
    }
}

/// Of equals, the first.
fn keep_better(best: &mut Option<Split>, split: Option<Split>) {
    if split.is_some_and(|split| best.is_none_or(|best| split.gain > best.gain)) {
        *best = split;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::column::ColumnBuilder;
    use crate::data::kind::Kind;
    use crate::data::table::TableOptions;

    /// A table of numbers, the last of each row being its class.
    fn table(rows: &[Vec<i64>], weights: Option<Vec<u64>>) -> Table {
        let column = |i: usize| {
            let mut column = ColumnBuilder::new(&format!("c{i}"));
            rows.iter().for_each(|row| column.push_integer(row[i]));
            column.finish()
        };
        let last = rows[0].len() - 1;
        let features = (0..last).map(column).collect();
        Table::from_columns("test", features, column(last), weights, &TableOptions::default()).unwrap()
    }

    fn cuts(table: &Table, most: usize) -> Vec<Vec<f64>> {
        let profile = |column: &crate::data::column::Column| {
            column.numbers().map(|numbers| Profile::new(column, numbers, Kind::of(numbers), table))
        };
        let profiles: Vec<Option<Profile>> = table.features.iter().map(profile).collect();
        let places = places(table, &profiles, most, || Ok::<(), ()>(())).unwrap();
        places
            .into_iter()
            .zip(&profiles)
            .map(|(of, profile)| profile.as_ref().unwrap().cuts_after(of))
            .collect()
    }

    /// Rows of three columns: the class depends on the first two together, each nearly useless alone.
    fn together(rows: usize) -> Vec<Vec<i64>> {
        let mut random = fastrand::Rng::with_seed(8);
        let row = |_| {
            let [x, y, z] = [0; 3].map(|_| random.i64(0..100));
            vec![x, y, z, i64::from((x > 30) != (y > 60))]
        };
        (0..rows).map(row).collect()
    }

    #[test]
    fn columns_that_matter_together_are_cut_where_they_do() {
        let found = cuts(&table(&together(400), None), 1);
        assert!((found[0][0] - 30.5).abs() <= 2.0 && (found[1][0] - 60.5).abs() <= 2.0, "{found:?}");
    }

    #[test]
    fn a_row_of_some_weight_is_so_many_rows() {
        let rows = together(60);
        let weights: Vec<u64> = (0..60).map(|i| i % 4).collect();
        let copies = rows.iter().zip(&weights).flat_map(|(row, &n)| vec![row.clone(); n as usize]);
        let copies = table(&copies.collect::<Vec<_>>(), None);
        assert_eq!(cuts(&table(&rows, Some(weights)), 4), cuts(&copies, 4));
    }

    #[test]
    fn where_no_test_has_a_gain_every_column_is_cut() {
        let row = |i: i64| vec![i % 4, i / 4, i64::from((i % 4 > 1) != (i / 4 > 1))];
        let found = cuts(&table(&(0..16).map(row).collect::<Vec<_>>(), None), 3);
        assert_eq!(found, [[0.0, 1.0, 2.0], [0.0, 1.0, 2.0]]);
    }
}
