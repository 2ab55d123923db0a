//! The claims about prices where rules may cover negatives: the search for terms that are worth enough.
//!
//! A term is worth the prices of the positives that it covers, less what it pays for the rows of negatives
//! that it covers, for itself and for its literals. The search adds literals one by one, and each set of
//! literals is looked at once. What it need not look at:
//!
//! - Terms with a literal that alone removes negatives of no more weight than it costs: without it, a term
//!   covers no less and costs no more.
//! - Terms that cannot be worth enough. Whoever removes a negative pays for it: with literals, and with the
//!   positives that these lose. A literal costs what it costs and a share of each positive that it loses; the
//!   shares of a positive add up to its price at most. Then every negative gets an amount, no more than its
//!   weight, such that the amounts of the negatives that a literal removes add up to no more than the literal
//!   costs. No longer term is worth more than the value of this one, less its cost, less these amounts. With a
//!   given literal, it is worth less still, by what the literal costs beyond the amounts of what it removes.
//!
//! Positives and negatives that no literal tells apart come and go together: what the one is priced at is
//! taken off the other.

use std::collections::HashMap;

use crate::bits::Bits;
use crate::search::{Market, STEPS, StandIns};
use crate::verdict::Refusal;

/// Rounds in which literals are ruled out, at most.
const ROUNDS: usize = 3;
/// Parts of a negative's weight in which it pays for literals.
const PARTS: i64 = 1 << 20;

/// Rows that nothing tells apart.
#[derive(Debug, Clone, Copy)]
struct Row {
    /// The pattern of literals that they satisfy.
    pattern: u32,
    /// Prices of the positives or the weight of the negatives, whichever is more, less the other.
    value: i64,
    wrong: i64,
    /// The weight of negatives that says whether a literal is needed.
    plain: i64,
}

/// A term on the way, and the literals that could come next.
struct Level {
    covered: Bits,
    rows: Vec<Row>,
    /// Literals that longer terms may use, and how many there were when rows were last merged.
    allowed: Bits,
    merged_at: usize,
    /// For each literal of the term, the rows that it alone removes.
    alone: Vec<Vec<Row>>,
    /// Literals still to be tried, the next one last.
    branches: Vec<usize>,
}

pub(crate) struct Search<'m> {
    market: &'m Market<'m>,
    stand_ins: StandIns<'m>,
    per_literal: i64,
    threshold: i64,
    /// Of each pattern, the literals that it satisfies.
    patterns: Vec<Bits>,
    rows: Vec<Row>,
    term: Vec<usize>,
    memory: Memory,
}

/// Sums for each literal, to use again.
struct Memory {
    /// What it loses of the value.
    lost: Vec<i64>,
    /// What it removes of the negatives.
    removed: Vec<i64>,
    plain: Vec<i64>,
    /// What it costs, with its shares of what it loses, and as a part of what it removes.
    cost: Vec<i64>,
    rate: Vec<i64>,
    /// Of each row, the amount it pays.
    pays: Vec<i64>,
}

impl<'m> Search<'m> {
    pub(crate) fn new(
        market: &'m Market<'m>,
        stand_ins: StandIns<'m>,
        per_row: i64,
        threshold: i64,
    ) -> Search<'m> {
        let grid = market.grid;
        let pattern_of = |example: usize, with: &[Bits]| {
            let mut pattern = Bits::none(grid.literals());
            for (literal, with) in with.iter().enumerate() {
                if with.contains(example) {
                    pattern.insert(literal);
                }
            }
            pattern
        };
        let mut known: HashMap<Bits, u32> = HashMap::new();
        let mut rows: Vec<Row> = Vec::new();
        let mut place = |pattern: Bits, rows: &mut Vec<Row>| {
            let pattern = *known.entry(pattern).or_insert(rows.len() as u32);
            if pattern as usize == rows.len() {
                rows.push(Row { pattern, value: 0, wrong: 0, plain: 0 });
            }
            pattern as usize
        };
        for (positive, &price) in market.prices.iter().enumerate() {
            let row = place(pattern_of(positive, &grid.positives_with), &mut rows);
            rows[row].value += price;
        }
        for (negative, &of_it) in grid.negative_rows.iter().enumerate() {
            let row = place(pattern_of(negative, &grid.negatives_with), &mut rows);
            rows[row].wrong += of_it as i64 * per_row;
        }
        let mut patterns = vec![Bits::none(0); rows.len()];
        known.into_iter().for_each(|(pattern, row)| patterns[row as usize] = pattern);
        let all = || vec![0; grid.literals()];
        let memory = Memory {
            lost: all(),
            removed: all(),
            plain: all(),
            cost: all(),
            rate: all(),
            pays: vec![0; rows.len()],
        };
        let per_literal = market.cost(1) - market.cost(0);
        let mut search = Search {
            market,
            stand_ins,
            per_literal,
            threshold,
            patterns,
            rows,
            term: Vec::new(),
            memory,
        };
        for row in &mut search.rows {
            row.plain = row.wrong;
            net(row, search.stand_ins.are_none());
        }
        search
    }

    pub(crate) fn run(mut self, tired: &dyn Fn() -> bool) -> Result<(), Refusal> {
        let grid = self.market.grid;
        if grid.positives == 0 {
            return Ok(());
        }
        let mut root = Level {
            covered: Bits::all(grid.positives),
            rows: std::mem::take(&mut self.rows),
            allowed: Bits::all(grid.literals()),
            merged_at: grid.literals(),
            alone: Vec::new(),
            branches: Vec::new(),
        };
        self.arrive(&mut root)?;
        let mut levels = vec![root];
        let mut steps = 0;
        while let Some(level) = levels.last_mut() {
            steps += 1;
            if steps % STEPS == 0 && tired() {
                return Err(Refusal::Unfinished);
            }
            let Some(literal) = level.branches.pop() else {
                levels.pop();
                self.term.pop();
                continue;
            };
            // All terms with it are looked at here, none again in a later branch.
            level.allowed.remove(literal);
            if let Some(mut next) = self.with(level, literal) {
                self.term.push(literal);
                self.arrive(&mut next)?;
                levels.push(next);
            }
        }
        Ok(())
    }

    /// The term with one more literal, if it covers anything and needs each of its literals.
    fn with(&self, level: &Level, literal: usize) -> Option<Level> {
        let covered = level.covered.and(&self.market.grid.positives_with[literal]);
        if covered.is_empty() {
            return None;
        }
        let satisfies = |row: &&Row| self.patterns[row.pattern as usize].contains(literal);
        let mut alone: Vec<Vec<Row>> = Vec::with_capacity(level.alone.len() + 1);
        for rows in &level.alone {
            let rows: Vec<Row> = rows.iter().filter(satisfies).copied().collect();
            if rows.iter().map(|row| row.plain).sum::<i64>() <= self.per_literal {
                return None;
            }
            alone.push(rows);
        }
        let removed = level.rows.iter().filter(|row| row.plain > 0 && !satisfies(row));
        alone.push(removed.copied().collect());
        Some(Level {
            covered,
            rows: level.rows.iter().filter(satisfies).copied().collect(),
            allowed: level.allowed.clone(),
            merged_at: level.merged_at,
            alone,
            branches: Vec::new(),
        })
    }

    /// Judges a term and finds out which literals could come next.
    fn arrive(&mut self, level: &mut Level) -> Result<(), Refusal> {
        let cost = self.market.cost(self.term.len());
        let sum = |of: fn(&Row) -> i64| level.rows.iter().map(of).sum::<i64>();
        let worth = sum(|row| row.value) - sum(|row| row.wrong) - cost;
        if worth > 0 {
            return Err(Refusal::WorthMore { rule: self.words() });
        }
        let paid = cost + sum(|row| row.plain);
        if worth >= self.threshold && !self.stand_ins.have(&level.covered, paid) {
            return Err(Refusal::NotInPool { rule: self.words() });
        }
        if 4 * level.allowed.count() <= 3 * level.merged_at {
            self.merge(level);
        }
        for _ in 0..ROUNDS {
            let before = level.allowed.count();
            if !self.narrow(level) {
                return Ok(());
            }
            if level.allowed.count() == before {
                break;
            }
        }
        // Longer terms have one more literal at least, and pay for all that nothing removes.
        if !self.stand_ins.are_none() {
            let stays =
                |row: &&Row| level.allowed.count_without(&self.patterns[row.pattern as usize]) == 0;
            let stays: i64 = level.rows.iter().filter(stays).map(|row| row.plain).sum();
            if self.stand_ins.have(&level.covered, cost + self.per_literal + stays) {
                return Ok(());
            }
        }
        level.branches = level.allowed.iter().collect();
        // Those first that keep least: they leave most to choose from, but not much to cover.
        level.branches.sort_by_key(|&literal| self.memory.lost[literal]);
        Ok(())
    }

    /// Merges the rows that no allowed literal tells apart.
    fn merge(&self, level: &mut Level) {
        let mut place: HashMap<Bits, usize> = HashMap::with_capacity(level.rows.len());
        let mut merged: Vec<Row> = Vec::with_capacity(level.rows.len());
        for &row in &level.rows {
            let pattern = self.patterns[row.pattern as usize].and(&level.allowed);
            let at = *place.entry(pattern).or_insert(merged.len());
            match merged.get_mut(at) {
                None => merged.push(row),
                Some(known) => {
                    known.value += row.value;
                    known.wrong += row.wrong;
                    known.plain += row.plain;
                }
            }
        }
        merged.iter_mut().for_each(|row| net(row, self.stand_ins.are_none()));
        level.rows = merged;
        level.merged_at = level.allowed.count();
    }

    /// Rules out literals that no term needs which is worth enough; returns whether there may be such terms.
    fn narrow(&mut self, level: &mut Level) -> bool {
        let Memory { lost, removed, plain, cost, rate, pays } = &mut self.memory;
        let (patterns, threshold, per_literal) = (&self.patterns, self.threshold, self.per_literal);
        let allowed = &mut level.allowed;
        for literal in allowed.iter() {
            (lost[literal], removed[literal], plain[literal], cost[literal]) = (0, 0, 0, per_literal);
        }
        let mut value = -self.market.cost(self.term.len());
        for row in &level.rows {
            value += row.value;
            for literal in allowed.iter_without(&patterns[row.pattern as usize]) {
                lost[literal] += row.value;
                removed[literal] += row.wrong;
                plain[literal] += row.plain;
            }
        }
        let useless = |&literal: &usize| {
            plain[literal] <= per_literal || value - lost[literal] - per_literal < threshold
        };
        let useless: Vec<usize> = allowed.iter().filter(useless).collect();
        useless.into_iter().for_each(|literal| allowed.remove(literal));

        // A positive that is lost is paid for by the literals that lose it, to equal shares.
        for row in level.rows.iter().filter(|row| row.value > 0) {
            let pattern = &patterns[row.pattern as usize];
            let share = row.value / allowed.count_without(pattern).max(1) as i64;
            allowed.iter_without(pattern).for_each(|literal| cost[literal] += share);
        }
        for literal in allowed.iter() {
            let part =
                i128::from(cost[literal]) * i128::from(PARTS) / i128::from(removed[literal].max(1));
            rate[literal] = part.min(i128::from(PARTS)) as i64;
        }
        // Negatives pay at the lowest rate of the literals that remove them, and then what these have left.
        for (row, pays) in level.rows.iter().zip(&mut *pays).filter(|(row, _)| row.wrong > 0) {
            let removing = || allowed.iter_without(&patterns[row.pattern as usize]);
            let lowest = removing().map(|literal| rate[literal]).min().unwrap_or(PARTS);
            *pays = (i128::from(row.wrong) * i128::from(lowest) / i128::from(PARTS)) as i64;
            removing().for_each(|literal| cost[literal] -= *pays);
        }
        let mut best = value;
        for (row, pays) in level.rows.iter().zip(&mut *pays).filter(|(row, _)| row.wrong > 0) {
            let removing = || allowed.iter_without(&patterns[row.pattern as usize]);
            let more = removing().map(|literal| cost[literal]).fold(row.wrong - *pays, i64::min);
            if more > 0 {
                removing().for_each(|literal| cost[literal] -= more);
            }
            best -= *pays + more;
        }
        if best < threshold {
            return false;
        }
        let too_dear: Vec<usize> =
            allowed.iter().filter(|&literal| best - cost[literal] < threshold).collect();
        too_dear.into_iter().for_each(|literal| allowed.remove(literal));
        true
    }

    fn words(&self) -> String {
        self.market.grid.words(&self.term)
    }
}

/// Takes the positives and the negatives of a row off each other. Where only worth counts, and not what stands
/// in for what, a literal is needed for the negatives that remain.
fn net(row: &mut Row, only_worth: bool) {
    let both = row.value.min(row.wrong);
    row.value -= both;
    row.wrong -= both;
    if only_worth {
        row.plain = row.wrong;
    }
}
