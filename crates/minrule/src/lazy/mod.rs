//! The lazy method: generate only the rules that can matter.
//!
//! 1. *Column generation.* The linear relaxation of the cover, over the rules known so far, puts a
//!    price on each example. A rule that is worth more than it costs at these prices is missing;
//!    the most attractive ones are added, and the prices change. When there is none, the prices add
//!    up to a lower bound over *all* rules, known or not. The prices are rounded to integers before
//!    the search for missing rules, so the bound is exact whatever the LP solver's arithmetic was.
//! 2. *Cover.* The smallest cover of the rules known. If the bound meets it, it is optimal.
//! 3. *Gap.* Otherwise a cheaper cover can only use rules that miss their cost by less than the gap
//!    between the two. All of these are enumerated, and the smallest cover among them is optimal.
//!
//! (Gilmore and Gomory 1961 for the first step; the last one is reduced-cost fixing turned around.)

mod master;
mod price;

use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

use crate::board::{Board, Stage};
use crate::cover::{self, News};
use crate::learn::LearnOptions;
use crate::limits::{Halt, Stop};
use crate::objective::{Cost, Objective};
use crate::problem::ClassProblem;
use crate::rule::{Coverage, Rule};
use crate::rules::walk::Ground;
use crate::stages::offer_good_cover;
use master::Master;
use price::{Find, Market, Tariff};

/// Prices are integers in this fraction of the unit of cost, or in a coarser one.
const SCALE: i64 = 1 << 20;
/// LP prices are lowered by this much, relatively, before they are rounded down: more than the LP
/// solver's tolerance, so that no rule it knows seems to be missing.
const SLACK: f64 = 1e-6;
/// Rules added to the LP at a time, at most.
const COLUMNS: usize = 100;
/// Nodes of a search that takes what it gets.
const HASTY_NODES: u64 = 10_000;
/// Bytes of coverages that the gap's rules may take.
const GAP_BYTES: usize = 2 << 30;

/// Solves one class, starting from terms that cover every example.
pub(crate) fn solve(
    problem: &ClassProblem,
    first: &[Vec<usize>],
    options: &LearnOptions,
    stop: &Stop,
    board: &Board,
) -> Result<(), Halt> {
    board.enter(Stage::Rules);
    let mut lazy = Lazy {
        problem,
        weights: Weights::new(options.objective, problem, first)?,
        ground: Ground::new(problem),
        options,
        stop,
        board,
        pool: Vec::new(),
    };
    let relaxation = lazy.generate_columns(first);
    // What was generated is worth a look, complete or not.
    offer_good_cover(problem, options.objective, &lazy.pool, &[], board);
    let relaxation = relaxation?;
    lazy.raise(relaxation.bound);

    board.enter(Stage::Cover);
    let best = lazy.cover_of_pool(None)?;
    if relaxation.bound >= best {
        return Ok(());
    }
    board.enter(Stage::Rules);
    lazy.enumerate_gap(&relaxation, best)?;
    log::debug!(
        "class {}: bound {}, best {best}, {} rules within the gap",
        problem.label(),
        relaxation.bound,
        lazy.pool.len()
    );
    board.enter(Stage::Cover);
    lazy.cover_of_pool(Some(best))?;
    Ok(())
}

/// The objective as one number for each rule. A lexicographic one weighs a rule more than all the
/// literals of the best cover together.
#[derive(Debug, Clone, Copy)]
struct Weights {
    per_rule: i64,
    per_literal: i64,
    /// Whether a weight stands for both parts of a lexicographic cost.
    lexicographic: bool,
    /// Prices are integers in this fraction of the unit of cost.
    scale: i64,
}

impl Weights {
    fn new(objective: Objective, problem: &ClassProblem, first: &[Vec<usize>]) -> Result<Weights, Halt> {
        let rules = first.len() as i64;
        let literals: i64 = first.iter().map(|term| term.len() as i64).sum();
        // An irredundant term has at most one literal a negative, and one a feature.
        let longest = problem.negatives.len().min(problem.literals.len()) as i64;
        let (per_rule, per_literal) = match objective {
            Objective::Rules => (1, 0),
            Objective::Literals => (0, 1),
            Objective::Size => (1, 1),
            Objective::RulesThenLiterals => (1 + rules * longest, 1),
        };
        // No sum of prices exceeds what the first rules cost.
        let most = rules.saturating_mul(per_rule) + literals * per_literal;
        let scale = SCALE.min(price::MOST / most.max(1));
        match scale {
            0 if objective.is_lexicographic() => Weights::new(Objective::Rules, problem, first),
            0 => Err(Halt::Failed("the first rules are too large to improve on".to_string())),
            _ => Ok(Weights { per_rule, per_literal, lexicographic: objective.is_lexicographic(), scale }),
        }
    }

    fn of_rule(self, literals: usize) -> i64 {
        self.per_rule + self.per_literal * literals as i64
    }

    fn of(self, cost: Cost) -> i64 {
        match self.lexicographic {
            true => cost.first as i64 * self.per_rule + cost.second as i64,
            false => cost.first as i64,
        }
    }

    /// The cost that a weight stands for; a lower bound stays one.
    fn cost(self, weight: i64) -> Cost {
        let weight = weight.max(0);
        match self.lexicographic {
            true => Cost {
                first: (weight / self.per_rule) as u64,
                second: (weight % self.per_rule) as u64,
            },
            false => Cost { first: weight as u64, second: 0 },
        }
    }

    /// The same in the unit of prices.
    fn tariff(self) -> Tariff {
        let scaled = |weight: i64| (weight * self.scale) as i32;
        Tariff { per_rule: scaled(self.per_rule), per_literal: scaled(self.per_literal) }
    }

    /// A price in integers, not above the LP's.
    fn rounded(self, price: f64) -> i32 {
        (price.max(0.0) * (1.0 - SLACK) * self.scale as f64).floor() as i32
    }
}

/// Prices at which no rule is worth more than it costs, and the bound they prove.
struct Relaxation {
    prices: Vec<i32>,
    bound: i64,
}

struct Lazy<'a> {
    problem: &'a ClassProblem,
    weights: Weights,
    ground: Ground,
    options: &'a LearnOptions,
    stop: &'a Stop,
    board: &'a Board,
    pool: Vec<Rule>,
}

impl Lazy<'_> {
    fn raise(&self, weight: i64) {
        self.board.raise(self.weights.cost(weight));
    }

    fn add(&mut self, literals: &[usize], master: &mut Master) -> Result<(), Halt> {
        let rule = self.problem.rule(literals);
        master.add(self.weights.of_rule(rule.size()), &rule.coverage)?;
        self.pool.push(rule);
        self.board.count(self.pool.len());
        Ok(())
    }

    /// Step 1.
    fn generate_columns(&mut self, first: &[Vec<usize>]) -> Result<Relaxation, Halt> {
        let mut master = Master::new(self.problem.positives.len());
        for literals in first {
            self.add(literals, &mut master)?;
        }
        loop {
            if self.stop.requested() {
                return Err(Halt::Stopped);
            }
            let prices = master.prices()?.into_iter().map(|price| self.weights.rounded(price));
            let prices: Vec<i32> = prices.collect();
            let missing = self.missing_rules(&prices)?;
            log::debug!(
                "class {}: {} rules, prices add up to {:.3}, {} rules added",
                self.problem.label(),
                self.pool.len(),
                f64::from(prices.iter().sum::<i32>()) / self.weights.scale as f64,
                missing.len(),
            );
            if missing.is_empty() {
                let bound = i64::from(prices.iter().sum::<i32>());
                return Ok(Relaxation { prices, bound: div_ceil(bound, self.weights.scale) });
            }
            for literals in missing {
                self.add(&literals, &mut master)?;
            }
        }
    }

    /// Rules that are worth more than they cost; none only if there is none. While a short search
    /// finds some, they will do: at the prices of the first rounds a complete one takes longest.
    fn missing_rules(&self, prices: &[i32]) -> Result<Vec<Vec<usize>>, Halt> {
        let market = Market::new(self.problem, &self.ground, prices, false);
        let mut finds: Vec<(i32, Vec<usize>)> = Vec::new();
        for nodes in [HASTY_NODES, u64::MAX] {
            let mut most = 0;
            let mut note = |find: Find| {
                most = most.max(find.worth);
                finds.push((find.worth, find.literals.to_vec()));
                1.max(most / 2)
            };
            let tariff = self.weights.tariff();
            let complete = price::search(&market, tariff, 1, nodes, self.stop, &mut note)?;
            if complete || !finds.is_empty() {
                break;
            }
        }
        finds.sort_by(|a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        finds.truncate(COLUMNS);
        Ok(finds.into_iter().map(|(_, literals)| literals).collect())
    }

    /// Step 2 and the end of step 3: the cheapest cover of the pool, by weight. With `beaten`, the
    /// pool is known to hold a cheapest cover of all rules or none below that weight.
    fn cover_of_pool(&mut self, beaten: Option<i64>) -> Result<i64, Halt> {
        let (pool, board, weights) = (&self.pool, self.board, self.weights);
        let examples = self.problem.positives.len();
        let pick = |cover: &[usize]| cover.iter().map(|&rule| pool[rule].term.clone()).collect();
        let tell = &mut |news| match news {
            News::Cover(cover) => board.offer(pick(&cover)),
            News::Bound(bound) => {
                if let Some(beaten) = beaten {
                    board.raise(weights.cost(weights.of(bound).min(beaten)));
                }
            }
        };
        let (objective, method) = (self.options.objective, self.options.cover);
        let cover = cover::minimum_cover(pool, examples, objective, method, self.stop, tell)?;
        let literals = cover.iter().map(|&rule| pool[rule].size());
        Ok(literals.map(|literals| weights.of_rule(literals)).sum())
    }

    /// Step 3: adds every rule that a cover cheaper than `best` could use.
    fn enumerate_gap(&mut self, relaxation: &Relaxation, best: i64) -> Result<(), Halt> {
        let total: i32 = relaxation.prices.iter().sum();
        let threshold = total - ((best - 1) * self.weights.scale) as i32;
        let mut cheapest: HashMap<Coverage, usize> = HashMap::new();
        for (position, rule) in self.pool.iter().enumerate() {
            cheapest.insert(rule.coverage.clone(), position);
        }
        let (problem, board) = (self.problem, self.board);
        let most = GAP_BYTES / (problem.positives.len() / 8 + 64);
        let market = Market::new(problem, &self.ground, &relaxation.prices, true);
        let tariff = self.weights.tariff();
        let pool = &mut self.pool;
        let mut too_many = false;
        let mut note = |find: Find| {
            let rule = problem.rule(find.literals);
            match cheapest.entry(rule.coverage.clone()) {
                Entry::Occupied(known) if pool[*known.get()].size() <= rule.size() => {}
                Entry::Occupied(known) => pool[*known.get()] = rule,
                Entry::Vacant(new) => {
                    new.insert(pool.len());
                    pool.push(rule);
                    board.count(pool.len());
                }
            }
            too_many |= pool.len() > most;
            // Nothing is worth this much: the search ends.
            if too_many { i32::MAX / 2 } else { threshold }
        };
        price::search(&market, tariff, threshold, u64::MAX, self.stop, &mut note)?;
        if too_many {
            let rules = self.pool.len();
            return Err(Halt::Failed(format!("the gap holds more than {rules} rules")));
        }
        Ok(())
    }
}

fn div_ceil(a: i64, b: i64) -> i64 {
    (a + b - 1).div_euclid(b)
}
