//! The claim that no rule is worth more than it costs, and that a pool has all that nearly are.
//!
//! Every rule is a consistent term. Terms that cover nothing, or that have a literal they could do
//! without, are no better than others and need not be looked at. The search adds literals one by
//! one: some negative is still let through, so one of the literals that discriminate it must come.
//! A literal is ruled out if the term with it is worth too little already, since longer terms cover
//! no more and cost no less.

use crate::bits::Bits;
use crate::grid::Grid;
use crate::tariff::Tariff;
use crate::verdict::Refusal;

/// Steps between two questions whether to give up.
const STEPS: u64 = 256;

/// A rule of a pool.
pub(crate) struct PoolRule {
    pub(crate) covered: Bits,
    pub(crate) size: usize,
}

/// What rules are worth and cost, in the money of prices.
pub(crate) struct Market<'g> {
    pub(crate) grid: &'g Grid,
    /// Of each positive.
    pub(crate) prices: Vec<i64>,
    /// In the money of prices.
    pub(crate) tariff: Tariff,
}

impl Market<'_> {
    pub(crate) fn cost(&self, literals: usize) -> i64 {
        self.tariff.rule(literals) as i64
    }

    pub(crate) fn value(&self, covered: &Bits) -> i64 {
        covered.iter().map(|example| self.prices[example]).sum()
    }

    /// The sum of all prices.
    pub(crate) fn total(&self) -> u64 {
        self.prices.iter().sum::<i64>() as u64
    }

    /// Whether no term is worth more than it costs, and each that is worth `threshold` beyond its
    /// cost, or misses that little, has a stand-in in the pool: one that covers no less with no more
    /// literals.
    pub(crate) fn check(
        &self,
        pool: &[PoolRule],
        threshold: i64,
        tired: &dyn Fn() -> bool,
    ) -> Result<(), Refusal> {
        // What stands in for others must itself be worth no more than it costs.
        for (number, rule) in pool.iter().enumerate() {
            if self.value(&rule.covered) > self.cost(rule.size) {
                return Err(Refusal::WorthMore { rule: format!("rule {} of the pool", number + 1) });
            }
        }
        let mut covering = vec![Vec::new(); self.grid.positives];
        for (number, rule) in pool.iter().enumerate() {
            rule.covered.iter().for_each(|example| covering[example].push(number));
        }
        Search::new(self, pool, covering, threshold).run(tired)
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
    pool: &'m [PoolRule],
    /// Of each positive, the rules of the pool that cover it.
    covering: Vec<Vec<usize>>,
    threshold: i64,
    /// Of each negative, the literals that discriminate it.
    discriminating: Vec<Bits>,
    /// Of each positive with a price, for each literal the price if the positive does not satisfy it.
    lost: Vec<Vec<i64>>,
    priced: Bits,
    term: Vec<usize>,
}

impl<'m> Search<'m> {
    fn new(
        market: &'m Market<'m>,
        pool: &'m [PoolRule],
        covering: Vec<Vec<usize>>,
        threshold: i64,
    ) -> Search<'m> {
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
        Search { market, pool, covering, threshold, discriminating, lost, priced, term: Vec::new() }
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
        if self.has_stand_in(&level.covered, size + 1) {
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
        let worth = level.value - self.market.cost(size);
        if worth > 0 {
            return Err(Refusal::WorthMore { rule: self.words() });
        }
        if worth >= self.threshold && !self.has_stand_in(&level.covered, size) {
            return Err(Refusal::NotInPool { rule: self.words() });
        }
        Ok(())
    }

    /// Whether a rule of the pool covers all this, with so many literals at most.
    fn has_stand_in(&self, covered: &Bits, size: usize) -> bool {
        let rarest = covered.iter().min_by_key(|&example| self.covering[example].len());
        let rivals = rarest.map_or(&[][..], |example| &self.covering[example]);
        let mut rivals = rivals.iter().map(|&number| &self.pool[number]);
        rivals.any(|rule| rule.size <= size && covered.is_subset(&rule.covered))
    }

    fn words(&self) -> String {
        self.market.grid.words(&self.term)
    }
}
