//! The claim that no rule is worth more than it costs, and that a pool has all that nearly are.
//!
//! Every rule is a consistent term. Terms that cover nothing, or that have a literal they could do
//! without, are no better than others and need not be looked at. The search adds literals one by
//! one: some negative is still let through, so one of the literals that discriminate it must come.
//! A literal is ruled out if the term with it is worth too little already, since longer terms cover
//! no more and cost no less. (Where rules may be wrong, the search is another: see `sparse.rs`.)

use crate::bits::Bits;
use crate::grid::Grid;
use crate::sparse;
use crate::tariff::Tariff;
use crate::verdict::Refusal;

/// Steps between two questions whether to give up.
pub(crate) const STEPS: u64 = 256;

/// A rule of a pool.
pub(crate) struct PoolRule {
    pub(crate) covered: Bits,
    pub(crate) size: usize,
    /// Rows of other classes that it covers.
    pub(crate) wrong: u64,
}

/// What rules are worth and cost, in the money of prices.
pub(crate) struct Market<'g> {
    pub(crate) grid: &'g Grid,
    /// Of each positive.
    pub(crate) prices: Vec<i64>,
    /// In the money of prices.
    pub(crate) tariff: Tariff,
    /// What a rule pays for a row of another class, if it may cover any.
    pub(crate) per_row: Option<i64>,
}

impl Market<'_> {
    pub(crate) fn cost(&self, literals: usize) -> i64 {
        self.tariff.rule(literals) as i64
    }

    pub(crate) fn value(&self, covered: &Bits) -> i64 {
        covered.iter().map(|example| self.prices[example]).sum()
    }

    /// What a rule of the pool costs.
    fn price_of(&self, rule: &PoolRule) -> i64 {
        self.cost(rule.size) + self.per_row.map_or(0, |row| row * rule.wrong as i64)
    }

    /// The sum of all prices.
    pub(crate) fn total(&self) -> u64 {
        self.prices.iter().sum::<i64>() as u64
    }

    /// Whether no term is worth more than it costs, and each that is worth `threshold` beyond its
    /// cost, or misses that little, has a stand-in in the pool: one that covers no less and costs no more.
    pub(crate) fn check(
        &self,
        pool: &[PoolRule],
        threshold: i64,
        tired: &dyn Fn() -> bool,
    ) -> Result<(), Refusal> {
        // What stands in for others must itself be worth no more than it costs.
        for (number, rule) in pool.iter().enumerate() {
            if self.value(&rule.covered) > self.price_of(rule) {
                return Err(Refusal::WorthMore { rule: format!("rule {} of the pool", number + 1) });
            }
        }
        let stand_ins = StandIns::new(self, pool);
        match self.per_row {
            None => Search::new(self, stand_ins, threshold).run(tired),
            Some(per_row) => sparse::Search::new(self, stand_ins, per_row, threshold).run(tired),
        }
    }
}

/// The rules of a pool, to be found by what they cover.
pub(crate) struct StandIns<'p> {
    pool: &'p [PoolRule],
    /// What each costs.
    costs: Vec<i64>,
    /// Of each positive, the rules that cover it.
    covering: Vec<Vec<usize>>,
}

impl<'p> StandIns<'p> {
    fn new(market: &Market, pool: &'p [PoolRule]) -> StandIns<'p> {
        let mut covering = vec![Vec::new(); market.grid.positives];
        for (number, rule) in pool.iter().enumerate() {
            rule.covered.iter().for_each(|example| covering[example].push(number));
        }
        StandIns { pool, costs: pool.iter().map(|rule| market.price_of(rule)).collect(), covering }
    }

    pub(crate) fn are_none(&self) -> bool {
        self.pool.is_empty()
    }

    /// Whether a rule of the pool covers all this and costs no more.
    pub(crate) fn have(&self, covered: &Bits, cost: i64) -> bool {
        if self.are_none() {
            return false;
        }
        let rarest = covered.iter().min_by_key(|&example| self.covering[example].len());
        let rivals = rarest.map_or(&[][..], |example| &self.covering[example]);
        let stands_in = |&number: &usize| {
            self.costs[number] <= cost && covered.is_subset(&self.pool[number].covered)
        };
        rivals.iter().any(stands_in)
    }
}

/// A term on the way, and the literals that could come next.
struct Level {
    covered: Bits,
    /// Negatives that the term lets through.
    left: Bits,
    /// Literals that longer terms may use.
    allowed: Bits,
    /// For each literal of the term, the negatives that it alone discriminates.
    alone: Vec<Bits>,
    value: i64,
    /// What each literal would lose of the value.
    losses: Vec<i64>,
    /// Literals of which one must come, the last first.
    branches: Vec<usize>,
}

struct Search<'m> {
    market: &'m Market<'m>,
    stand_ins: StandIns<'m>,
    threshold: i64,
    /// Of each negative, the literals that discriminate it.
    discriminating: Vec<Bits>,
    /// Of each positive with a price, for each literal the price if the positive does not satisfy it.
    lost: Vec<Vec<i64>>,
    priced: Bits,
    term: Vec<usize>,
}

impl<'m> Search<'m> {
    fn new(market: &'m Market<'m>, stand_ins: StandIns<'m>, threshold: i64) -> Search<'m> {
        let grid = market.grid;
        let mut discriminating = vec![Bits::none(grid.literals()); grid.negatives];
        for (literal, with) in grid.negatives_with.iter().enumerate() {
            let without = Bits::all(grid.negatives).without(with);
            without.iter().for_each(|negative| discriminating[negative].insert(literal));
        }
        let mut priced = Bits::none(grid.positives);
        let mut lost = vec![Vec::new(); grid.positives];
        for (example, &price) in market.prices.iter().enumerate().filter(|(_, price)| **price > 0) {
            priced.insert(example);
            let satisfies = grid.positives_with.iter().map(|with| with.contains(example));
            lost[example] = satisfies.map(|satisfies| if satisfies { 0 } else { price }).collect();
        }
        Search { market, stand_ins, threshold, discriminating, lost, priced, term: Vec::new() }
    }

    fn run(mut self, tired: &dyn Fn() -> bool) -> Result<(), Refusal> {
        let grid = self.market.grid;
        let covered = Bits::all(grid.positives);
        if covered.is_empty() {
            return Ok(());
        }
        let mut root = Level {
            value: self.market.value(&covered),
            losses: self.losses_from_scratch(&covered),
            covered,
            left: Bits::all(grid.negatives),
            allowed: Bits::all(grid.literals()),
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
        let grid = self.market.grid;
        let covered = level.covered.and(&grid.positives_with[literal]);
        let still = &grid.negatives_with[literal];
        if covered.is_empty() || !level.alone.iter().all(|alone| alone.meets(still)) {
            return None;
        }
        let mut alone: Vec<Bits> = level.alone.iter().map(|alone| alone.and(still)).collect();
        alone.push(level.left.without(still));
        Some(Level {
            value: level.value - level.losses[literal],
            losses: self.losses(level, &covered),
            covered,
            left: level.left.and(still),
            allowed: level.allowed.clone(),
            alone,
            branches: Vec::new(),
        })
    }

    /// What each literal loses of what a longer term covers.
    fn losses(&self, shorter: &Level, covered: &Bits) -> Vec<i64> {
        let mut gone = shorter.covered.without(covered);
        gone.intersect(&self.priced);
        if gone.count() > covered.count_common(&self.priced) {
            return self.losses_from_scratch(covered);
        }
        let mut losses = shorter.losses.clone();
        for example in gone.iter() {
            losses.iter_mut().zip(&self.lost[example]).for_each(|(loss, lost)| *loss -= lost);
        }
        losses
    }

    fn losses_from_scratch(&self, covered: &Bits) -> Vec<i64> {
        let mut losses = vec![0; self.market.grid.literals()];
        for example in covered.and(&self.priced).iter() {
            losses.iter_mut().zip(&self.lost[example]).for_each(|(loss, lost)| *loss += lost);
        }
        losses
    }

    /// Judges a term and finds out which literals could come next.
    fn arrive(&self, level: &mut Level) -> Result<(), Refusal> {
        let size = self.term.len();
        if level.left.is_empty() {
            return self.judge(level, size);
        }
        // Longer terms have one more literal at least.
        if self.stand_ins.have(&level.covered, self.market.cost(size + 1)) {
            return Ok(());
        }
        let spare = level.value - self.threshold - self.market.cost(size + 1);
        let too_dear: Vec<usize> =
            level.allowed.iter().filter(|&literal| level.losses[literal] > spare).collect();
        too_dear.into_iter().for_each(|literal| level.allowed.remove(literal));
        let choices = |negative: &usize| self.discriminating[*negative].count_common(&level.allowed);
        let Some(negative) = level.left.iter().min_by_key(choices) else { return Ok(()) };
        level.branches = self.discriminating[negative].and(&level.allowed).iter().collect();
        level.branches.sort_by_key(|&literal| std::cmp::Reverse(level.losses[literal]));
        Ok(())
    }

    fn judge(&self, level: &Level, size: usize) -> Result<(), Refusal> {
        let cost = self.market.cost(size);
        let worth = level.value - cost;
        if worth > 0 {
            return Err(Refusal::WorthMore { rule: self.words() });
        }
        if worth >= self.threshold && !self.stand_ins.have(&level.covered, cost) {
            return Err(Refusal::NotInPool { rule: self.words() });
        }
        Ok(())
    }

    fn words(&self) -> String {
        self.market.grid.words(&self.term)
    }
}
