//! A certificate judged by the examples.

use crate::bits::Bits;
use crate::certificate::{Argument, Bound, Certificate, Cover, Measure, Objective, Pricing};
use crate::grid::Grid;
use crate::search::{Market, PoolRule};
use crate::{apart, cover};

/// No sum of prices and no cost may exceed this.
const MOST: u128 = 1 << 61;

/// Why a certificate is not accepted.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// It would take longer than it may. Nothing is said against the certificate.
    #[error("the check was not finished in the time it was given")]
    Unfinished,
    /// An example that does not exist.
    #[error("there is no example {example}: the class has {examples}")]
    NoSuchExample {
        /// The example, from 1.
        example: usize,
        /// How many there are.
        examples: usize,
    },
    /// Two examples that one rule covers.
    #[error("one rule can cover both example {example} and example {other}")]
    NotApart {
        /// An example, from 1.
        example: usize,
        /// Another.
        other: usize,
    },
    /// A rule that is worth more than it costs.
    #[error("at its prices {rule} is worth more than it costs")]
    WorthMore {
        /// The rule.
        rule: String,
    },
    /// A rule that a better cover could use.
    #[error("no rule of the pool stands in for {rule}")]
    NotInPool {
        /// The rule.
        rule: String,
    },
    /// A literal that rules may not use.
    #[error("rule {rule} of the pool uses {literal}, which is no literal of the model")]
    NoSuchLiteral {
        /// The rule, from 1.
        rule: usize,
        /// The literal.
        literal: i32,
    },
    /// An example with two prices.
    #[error("example {example} has two prices")]
    PricedTwice {
        /// The example, from 1.
        example: usize,
    },
    /// Weights that do not stand for the objective.
    #[error("the weights {per_rule} and {per_literal} do not stand for what is minimised")]
    WrongWeights {
        /// Of a rule.
        per_rule: u64,
        /// Of a literal.
        per_literal: u64,
    },
    /// Prices in units of nothing.
    #[error("a unit of prices is zero")]
    ZeroUnit,
    /// Numbers that cannot be added up safely.
    #[error("the prices or the costs are too large")]
    TooLarge,
    /// A step of the argument about covers that does not follow.
    #[error("step {step} of the cover {why}")]
    WrongStep {
        /// The step, from 1.
        step: usize,
        /// What it does.
        why: &'static str,
    },
    /// Steps that do not lead to the claim.
    #[error("the steps of the cover leave a case open")]
    Open,
    /// A bound above what was shown.
    #[error("it claims {claimed}, but its argument shows only {shown}")]
    TooBold {
        /// The bound claimed.
        claimed: Bound,
        /// The bound shown.
        shown: Bound,
    },
}

/// Whether the argument of a certificate holds for these examples. `tired` is asked now and then
/// whether to give up.
pub fn check(grid: &Grid, certificate: &Certificate, tired: &dyn Fn() -> bool) -> Result<(), Refusal> {
    let Certificate { objective, bound, ref argument, .. } = *certificate;
    match argument {
        Argument::Nothing => shown(bound, Bound { first: 0, second: 0 }),
        Argument::Apart(examples) => {
            apart::check(grid, examples, tired)?;
            // A rule without literals is consistent only where there is nothing to discriminate.
            let literals = usize::from(grid.negatives > 0);
            let each = |measure: Measure| examples.len() as u64 * measure.of_rule(literals);
            shown(
                bound,
                match objective {
                    Objective::Rules => Bound { first: each(Measure::Rules), second: 0 },
                    Objective::Literals => Bound { first: each(Measure::Literals), second: 0 },
                    Objective::Size => Bound { first: each(Measure::Size), second: 0 },
                    Objective::RulesThenLiterals => {
                        Bound { first: each(Measure::Rules), second: each(Measure::Literals) }
                    }
                },
            )
        }
        Argument::Prices(pricing) => {
            let (market, total) = market(grid, pricing)?;
            let weight = weight(grid, objective, bound, pricing)?;
            let proven = total.div_ceil(u128::from(pricing.unit));
            if weight > proven {
                let (claimed, shown) = (bound, in_words(objective, proven, pricing));
                return Err(Refusal::TooBold { claimed, shown });
            }
            market.check(&[], 1, tired)
        }
        Argument::Pool(pricing, rules, covers) => {
            let (market, total) = market(grid, pricing)?;
            let weight = weight(grid, objective, bound, pricing)?;
            let pool = pool(grid, rules)?;
            // A cover below the bound that uses a rule costs the prices and what the rule is not
            // worth, at least.
            let below = weight.saturating_sub(1) * u128::from(pricing.unit);
            if below > MOST {
                return Err(Refusal::TooLarge);
            }
            by_pool(objective, bound, covers)?;
            for claim in covers {
                cover::check(&pool, grid.positives, claim, tired, &mut |_| ())?;
            }
            market.check(&pool, (total as i128 - below as i128) as i64, tired)
        }
    }
}

fn shown(claimed: Bound, shown: Bound) -> Result<(), Refusal> {
    if claimed <= shown { Ok(()) } else { Err(Refusal::TooBold { claimed, shown }) }
}

/// Whether claims about covers by the pool add up to a bound.
fn by_pool(objective: Objective, bound: Bound, covers: &[Cover]) -> Result<(), Refusal> {
    let least = |measure: Measure, limit: Option<u64>| {
        let fits = |cover: &&Cover| {
            cover.measure == measure
                && cover.limit.is_none_or(|most| limit.is_some_and(|limit| limit <= most))
        };
        covers.iter().filter(fits).map(|cover| cover.least).max().unwrap_or(0)
    };
    let proven = match objective {
        Objective::Rules => Bound { first: least(Measure::Rules, None), second: 0 },
        Objective::Literals => Bound { first: least(Measure::Literals, None), second: 0 },
        Objective::Size => Bound { first: least(Measure::Size, None), second: 0 },
        Objective::RulesThenLiterals => {
            let first = least(Measure::Rules, None);
            Bound { first, second: least(Measure::Literals, Some(first)) }
        }
    };
    shown(bound, proven)
}

/// The prices of all examples and the costs of rules in their money, and the sum of the prices.
fn market<'g>(grid: &'g Grid, pricing: &Pricing) -> Result<(Market<'g>, u128), Refusal> {
    if pricing.unit == 0 {
        return Err(Refusal::ZeroUnit);
    }
    let mut prices = vec![0; grid.positives];
    let mut priced = Bits::none(grid.positives);
    for &(example, price) in &pricing.prices {
        if example >= grid.positives {
            return Err(Refusal::NoSuchExample { example: example + 1, examples: grid.positives });
        }
        if priced.contains(example) {
            return Err(Refusal::PricedTwice { example: example + 1 });
        }
        priced.insert(example);
        prices[example] = price as i64;
    }
    let total: u128 = pricing.prices.iter().map(|(_, price)| u128::from(*price)).sum();
    let literals = u128::from(pricing.per_literal) * grid.literals() as u128;
    let dearest = (u128::from(pricing.per_rule) + literals).checked_mul(u128::from(pricing.unit));
    if total > MOST || dearest.is_none_or(|dearest| dearest > MOST) {
        return Err(Refusal::TooLarge);
    }
    let (per_rule, per_literal) = (pricing.per_rule * pricing.unit, pricing.per_literal * pricing.unit);
    Ok((Market { grid, prices, per_rule: per_rule as i64, per_literal: per_literal as i64 }, total))
}

/// What a set of rules weighs at least that costs no less than the bound, if the weights stand for
/// the objective.
fn weight(grid: &Grid, objective: Objective, bound: Bound, pricing: &Pricing) -> Result<u128, Refusal> {
    let (per_rule, per_literal) = (pricing.per_rule, pricing.per_literal);
    let first = u128::from(bound.first);
    // A term has at most one literal that it needs for each negative, and each literal once.
    let longest = grid.negatives.min(grid.literals()) as u128;
    match (objective, per_rule, per_literal) {
        (Objective::Rules, 1, 0) | (Objective::Literals, 0, 1) | (Objective::Size, 1, 1) => Ok(first),
        (Objective::RulesThenLiterals, 1, 0) if bound.second == 0 => Ok(first),
        // A rule outweighs all the literals of a set that has no more rules than the bound.
        (Objective::RulesThenLiterals, _, 1) if u128::from(per_rule) > first * longest => {
            Ok(first * u128::from(per_rule) + u128::from(bound.second))
        }
        _ => Err(Refusal::WrongWeights { per_rule, per_literal }),
    }
}

fn in_words(objective: Objective, weight: u128, pricing: &Pricing) -> Bound {
    let per_rule = u128::from(pricing.per_rule.max(1));
    match (objective, pricing.per_literal) {
        (Objective::RulesThenLiterals, 1) => {
            Bound { first: (weight / per_rule) as u64, second: (weight % per_rule) as u64 }
        }
        _ => Bound { first: weight as u64, second: 0 },
    }
}

pub(crate) fn pool(grid: &Grid, rules: &[Vec<i32>]) -> Result<Vec<PoolRule>, Refusal> {
    let mut pool = Vec::new();
    for (number, term) in rules.iter().enumerate() {
        let place = |&literal: &i32| {
            grid.place(literal).ok_or(Refusal::NoSuchLiteral { rule: number + 1, literal })
        };
        let places: Vec<usize> = term.iter().map(place).collect::<Result<_, _>>()?;
        pool.push(PoolRule { covered: grid.covered(&places), size: places.len() });
    }
    Ok(pool)
}
