//! A certificate judged by the examples.

use std::collections::HashMap;

use crate::bits::Bits;
use crate::certificate::{Argument, Bound, Certificate, Cover, Objective, Pricing};
use crate::cover::{Column, Problem};
use crate::grid::Grid;
use crate::search::{Market, PoolRule};
use crate::tariff::{Price, Tariff};
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
    /// An argument about covers that must leave nothing out.
    #[error("examples that are apart need no rules, since they may be left out")]
    MayBeLeftOut,
    /// A price that nobody pays.
    #[error("example {example} is dearer than leaving it out")]
    TooDear {
        /// The example, from 1.
        example: usize,
    },
    /// A price of one more rule where any number will do.
    #[error("its prices charge for a limit on the number of rules, but there is none")]
    NoLimit,
    /// Two arguments for a bound of one part.
    #[error("there is nothing that its second argument could be about")]
    NoSecondPart,
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
    Claim::all(certificate)?.iter().try_for_each(|(claim, argument)| holds(grid, claim, argument, tired))
}

/// What an argument is for: that covers cost at least the bound.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Claim {
    objective: Objective,
    pub(crate) price: Option<Price>,
    bound: Bound,
    /// The most rules that these covers have.
    limit: Option<u64>,
}

impl Claim {
    /// What a certificate claims, and why: in one piece, or one part of the bound after the other.
    pub(crate) fn all(certificate: &Certificate) -> Result<Vec<(Claim, &Argument)>, Refusal> {
        let Certificate { objective, price, bound, ref argument, .. } = *certificate;
        let whole = Claim { objective, price, bound, limit: None };
        let Argument::InTurn(first, then) = argument else { return Ok(vec![(whole, argument)]) };
        let second = objective.tariffs().1.and_then(Tariff::objective).ok_or(Refusal::NoSecondPart)?;
        let only = |first: u64| Bound { first, second: 0 };
        Ok(vec![
            (Claim { bound: only(bound.first), ..whole }, first),
            (
                Claim {
                    objective: second,
                    bound: only(bound.second),
                    limit: Some(bound.first),
                    ..whole
                },
                then,
            ),
        ])
    }

    /// What a charge for each rule adds up to at most.
    fn charged(&self, pricing: &Pricing) -> u128 {
        u128::from(pricing.charge) * u128::from(self.limit.unwrap_or(0))
    }
}

fn holds(
    grid: &Grid,
    claim: &Claim,
    argument: &Argument,
    tired: &dyn Fn() -> bool,
) -> Result<(), Refusal> {
    let Claim { objective, bound, .. } = *claim;
    match argument {
        Argument::InTurn(..) => Err(Refusal::NoSecondPart),
        Argument::Nothing => shown(bound, Bound { first: 0, second: 0 }),
        Argument::Apart(_) if claim.price.is_some() => Err(Refusal::MayBeLeftOut),
        Argument::Apart(examples) => {
            apart::check(grid, examples, tired)?;
            // A rule without literals is consistent only where there is nothing to discriminate.
            let literals = usize::from(grid.negatives > 0);
            let each = |tariff: Tariff| examples.len() as u64 * tariff.rule(literals);
            let (first, second) = objective.tariffs();
            shown(bound, Bound { first: each(first), second: second.map_or(0, each) })
        }
        Argument::Prices(pricing) => {
            let (market, threshold) = market(grid, claim, pricing)?;
            if threshold < 1 {
                let total = u128::from(market.total()).saturating_sub(claim.charged(pricing));
                let shown = in_words(objective, (total as u64).div_ceil(pricing.unit), pricing);
                return Err(Refusal::TooBold { claimed: bound, shown });
            }
            market.check(&[], 1, tired)
        }
        Argument::Pool(pricing, rules, covers) => {
            let (market, threshold) = market(grid, claim, pricing)?;
            let pool = pool(grid, rules)?;
            by_pool(claim, covers)?;
            for cover in covers {
                let problem = cover_problem(grid, claim.price, &pool, cover);
                cover::check(&problem, cover, tired, &mut |_| ())?;
            }
            market.check(&pool, threshold, tired)
        }
    }
}

fn shown(claimed: Bound, shown: Bound) -> Result<(), Refusal> {
    if claimed <= shown { Ok(()) } else { Err(Refusal::TooBold { claimed, shown }) }
}

/// Whether claims about covers by the pool add up to a bound.
fn by_pool(claim: &Claim, covers: &[Cover]) -> Result<(), Refusal> {
    let least = |tariff: Tariff, limit: Option<u64>| {
        let fits = |cover: &&Cover| {
            cover.tariff == tariff
                && cover.limit.is_none_or(|most| limit.is_some_and(|limit| limit <= most))
        };
        covers.iter().filter(fits).map(|cover| cover.least).max().unwrap_or(0)
    };
    let (tariff, then) = claim.objective.tariffs();
    let first = least(tariff, claim.limit);
    let second = then.map_or(0, |then| least(then, Some(first)));
    shown(claim.bound, Bound { first, second })
}

/// The prices of all examples and the costs of rules in their money; and what a rule of a cover below the
/// bound is worth at least. If that is more than nothing, there is no such cover.
pub(crate) fn market<'g>(
    grid: &'g Grid,
    claim: &Claim,
    pricing: &Pricing,
) -> Result<(Market<'g>, i64), Refusal> {
    if pricing.unit == 0 {
        return Err(Refusal::ZeroUnit);
    }
    if pricing.charge > 0 && claim.limit.is_none() {
        return Err(Refusal::NoLimit);
    }
    // What leaving out a row costs.
    let row = claim.price.map(|price| price.denominator);
    let of_row = row.map_or(Some(0), |row| row.checked_mul(pricing.unit)).ok_or(Refusal::TooLarge)?;
    let own: u128 = grid.positive_rows.iter().map(|&rows| u128::from(rows)).sum();
    let others: u128 = grid.negative_rows.iter().map(|&rows| u128::from(rows)).sum();
    if own.max(others).saturating_mul(u128::from(of_row)) > MOST {
        return Err(Refusal::TooLarge);
    }
    let mut prices: Vec<i64> = grid.positive_rows.iter().map(|&rows| (rows * of_row) as i64).collect();
    let mut priced = Bits::none(grid.positives);
    let mut total: u128 = own * u128::from(of_row);
    for &(example, price) in &pricing.prices {
        if example >= grid.positives {
            return Err(Refusal::NoSuchExample { example: example + 1, examples: grid.positives });
        }
        if priced.contains(example) {
            return Err(Refusal::PricedTwice { example: example + 1 });
        }
        if row.is_some() && price as i64 > prices[example] {
            return Err(Refusal::TooDear { example: example + 1 });
        }
        priced.insert(example);
        total = total + u128::from(price) - prices[example] as u128;
        prices[example] = price as i64;
    }
    let weight = weight(grid, claim, pricing)?;
    let unit = u128::from(pricing.unit);
    let Tariff { per_rule, per_literal } = pricing.tariff;
    let size = claim.price.map_or(1, |price| u128::from(price.numerator));
    let literals = u128::from(per_literal) * grid.literals() as u128;
    let dearest = (u128::from(per_rule) + literals).saturating_mul(size).saturating_mul(unit);
    // A cover below the bound that uses a rule costs the prices and what the rule is not worth, at least.
    let weighed = weight.saturating_mul(unit);
    let charge = u128::from(pricing.charge);
    let charged = claim.charged(pricing);
    if total > MOST || dearest.saturating_add(charge) > MOST || weighed > MOST || charged > MOST {
        return Err(Refusal::TooLarge);
    }
    let threshold = total as i128 - charged as i128 - (weighed as i128 - unit as i128);
    let size = size as u64 * pricing.unit;
    let tariff = Tariff { per_rule: per_rule * size + pricing.charge, per_literal: per_literal * size };
    let market = Market { grid, prices, tariff, per_row: row.map(|_| of_row as i64) };
    Ok((market, threshold.min(1) as i64))
}

/// What a set of rules weighs at least that costs no less than the bound, if the weights stand for
/// the objective.
fn weight(grid: &Grid, claim: &Claim, pricing: &Pricing) -> Result<u128, Refusal> {
    let Claim { objective, bound, price, .. } = *claim;
    let Tariff { per_rule, per_literal } = pricing.tariff;
    let first = u128::from(bound.first);
    // A term has at most one literal that it needs for each negative, and each literal once.
    let longest = grid.negatives.min(grid.literals()) as u128;
    match objective.tariffs() {
        (only, None) if pricing.tariff == only => Ok(first),
        _ if price.is_some() => Err(Refusal::WrongWeights { per_rule, per_literal }),
        (rules, Some(_)) if pricing.tariff == rules && bound.second == 0 => Ok(first),
        // A rule outweighs all the literals of a set that has no more rules than the bound.
        (_, Some(_)) if per_literal == 1 && u128::from(per_rule) > first * longest => {
            Ok(first * u128::from(per_rule) + u128::from(bound.second))
        }
        _ => Err(Refusal::WrongWeights { per_rule, per_literal }),
    }
}

fn in_words(objective: Objective, weight: u64, pricing: &Pricing) -> Bound {
    let per_rule = pricing.tariff.per_rule.max(1);
    match (objective, pricing.tariff.per_literal) {
        (Objective::RulesThenLiterals, 1) => {
            Bound { first: weight / per_rule, second: weight % per_rule }
        }
        _ => Bound { first: weight, second: 0 },
    }
}

pub(crate) fn pool(grid: &Grid, rules: &[Vec<i32>]) -> Result<Vec<PoolRule>, Refusal> {
    let mut pool = Vec::new();
    for (number, term) in rules.iter().enumerate() {
        let place = |&literal: &i32| {
            grid.place(literal).ok_or(Refusal::NoSuchLiteral { rule: number + 1, literal })
        };
        let places: Vec<usize> = term.iter().map(place).collect::<Result<_, _>>()?;
        let (covered, wrong) = (grid.covered(&places), grid.wrong(&places));
        pool.push(PoolRule { covered, size: places.len(), wrong });
    }
    Ok(pool)
}

/// What a claim about covers by the pool has to cover, and with what.
///
/// Where examples may be left out, those that the same rules of the pool cover are one, by the number of the
/// first of them, and each of these has one more column: that it is left out.
pub(crate) fn cover_problem(
    grid: &Grid,
    price: Option<Price>,
    pool: &[PoolRule],
    claim: &Cover,
) -> Problem {
    let Some(Price { numerator, denominator }) = price else {
        let column = |rule: &PoolRule| Column {
            covered: rule.covered.clone(),
            cost: claim.tariff.rule(rule.size),
        };
        return Problem {
            columns: pool.iter().map(column).collect(),
            examples: Bits::all(grid.positives),
            unlisted: vec![0; grid.positives],
        };
    };
    let mut covering = vec![Bits::none(pool.len()); grid.positives];
    for (number, rule) in pool.iter().enumerate() {
        rule.covered.iter().for_each(|example| covering[example].insert(number));
    }
    let mut first: HashMap<Bits, usize> = HashMap::new();
    let mut examples = Bits::none(grid.positives);
    let mut unlisted = vec![0; grid.positives];
    for (example, covering) in covering.into_iter().enumerate() {
        let first = *first.entry(covering).or_insert(example);
        examples.insert(first);
        unlisted[first] += grid.positive_rows[example] * denominator;
    }
    let rule = |rule: &PoolRule| Column {
        covered: rule.covered.and(&examples),
        cost: claim.tariff.rule(rule.size).saturating_mul(numerator) + rule.wrong * denominator,
    };
    let left_out = |example: usize| {
        let mut covered = Bits::none(grid.positives);
        covered.insert(example);
        Column { covered, cost: unlisted[example] }
    };
    let columns = pool.iter().map(rule).chain(examples.iter().map(left_out)).collect();
    Problem { columns, examples, unlisted }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certificate::Step;
    use crate::grid::Example;

    /// One of two is true, and one is not: each positive needs a rule of two literals.
    fn either_or() -> Grid {
        let positives = [[true, false], [false, true]].map(|row| Example::of(row.to_vec())).to_vec();
        let negatives = [[false, false], [true, true]].map(|row| Example::of(row.to_vec()));
        Grid::new(&[1, -1, 2, -2], positives, &negatives)
    }

    fn judged(objective: Objective, bound: u64, argument: Argument) -> Result<(), Refusal> {
        judged_of(objective, Bound { first: bound, second: 0 }, argument)
    }

    fn judged_of(objective: Objective, bound: Bound, argument: Argument) -> Result<(), Refusal> {
        let (table, class) = ("0".to_string(), "yes".to_string());
        let certificate =
            Certificate { table, class, after: Vec::new(), objective, price: None, bound, argument };
        let text = certificate.to_text();
        assert_eq!(Certificate::parse(text.as_bytes()).as_ref(), Ok(&certificate));
        check(&either_or(), &certificate, &|| false)
    }

    fn pricing(prices: &[u64]) -> Pricing {
        let prices = prices.iter().copied().enumerate().collect();
        Pricing { tariff: Tariff::SIZE, unit: 1, charge: 0, prices }
    }

    fn size(bound: u64, argument: Argument) -> Result<(), Refusal> {
        judged(Objective::Size, bound, argument)
    }

    #[test]
    fn nothing_proves_nothing() {
        assert_eq!(size(0, Argument::Nothing), Ok(()));
        assert!(matches!(size(1, Argument::Nothing), Err(Refusal::TooBold { .. })));
    }

    #[test]
    fn examples_that_are_apart_need_a_rule_each() {
        let apart = || Argument::Apart(vec![0, 1]);
        assert_eq!(judged(Objective::Rules, 2, apart()), Ok(()));
        assert_eq!(size(4, apart()), Ok(()));
        assert!(matches!(size(5, apart()), Err(Refusal::TooBold { .. })));
        let twice = judged(Objective::Rules, 2, Argument::Apart(vec![0, 0]));
        assert!(matches!(twice, Err(Refusal::NotApart { .. })));
        let nobody = judged(Objective::Rules, 2, Argument::Apart(vec![0, 2]));
        assert!(matches!(nobody, Err(Refusal::NoSuchExample { .. })));
    }

    #[test]
    fn prices_prove_their_sum() {
        assert_eq!(size(6, Argument::Prices(pricing(&[3, 3]))), Ok(()));
        let bold = size(7, Argument::Prices(pricing(&[3, 3])));
        assert!(matches!(bold, Err(Refusal::TooBold { .. })));
        let dear = size(7, Argument::Prices(pricing(&[4, 3])));
        assert!(matches!(dear, Err(Refusal::WorthMore { .. })));
        let rules = judged(Objective::Rules, 6, Argument::Prices(pricing(&[3, 3])));
        assert!(matches!(rules, Err(Refusal::WrongWeights { .. })));
    }

    /// Prices that fall short, the pool of both rules, and these steps.
    fn pool(rules: &[&[i32]], steps: &[Step]) -> Result<(), Refusal> {
        let cover =
            Cover { tariff: Tariff::SIZE, limit: None, least: 6, unit: 1, steps: steps.to_vec() };
        let rules = rules.iter().map(|rule| rule.to_vec()).collect();
        size(6, Argument::Pool(pricing(&[2, 2]), rules, vec![cover]))
    }

    #[test]
    fn a_pool_and_the_steps_of_its_cover_prove_the_rest() {
        let both: [&[i32]; 2] = [&[-1, 2], &[1, -2]];
        let dear = Step::Prices { limit: 0, slack: 0, prices: vec![(0, 3), (1, 3)], cuts: vec![] };
        for steps in [
            vec![Step::Take(0, 0), Step::Take(1, 1)],
            vec![dear.clone()],
            vec![Step::Try(0), Step::Take(1, 1), Step::End, Step::Stuck(0)],
        ] {
            assert_eq!(pool(&both, &steps), Ok(()), "{steps:?}");
        }
        let cheap = Step::Prices { limit: 0, slack: 0, prices: vec![(0, 3), (1, 2)], cuts: vec![] };
        for steps in [
            vec![],
            vec![cheap],
            vec![Step::Take(1, 0)],
            vec![Step::Drop(0, 1), Step::Stuck(0)],
            vec![Step::Drop(0, 0), Step::Stuck(0)],
            vec![Step::Spare(0, 1), Step::Take(1, 1)],
            vec![Step::Stuck(0)],
            vec![Step::Try(0), Step::End, Step::Stuck(0)],
            vec![Step::Try(0), Step::Take(1, 1)],
            vec![Step::End],
            vec![Step::Try(0), Step::Try(0)],
            vec![Step::Try(7), dear],
        ] {
            let refused = pool(&both, &steps);
            assert!(
                matches!(refused, Err(Refusal::Open | Refusal::WrongStep { .. })),
                "{steps:?}: {refused:?}"
            );
        }
    }

    #[test]
    fn what_is_counted_second_has_an_argument_of_its_own() {
        let rules = || Box::new(Argument::Apart(vec![0, 1]));
        let literals = |charge, of: &[u64]| {
            let pricing = Pricing { tariff: Tariff::LITERALS, charge, ..pricing(of) };
            Argument::InTurn(rules(), Box::new(Argument::Prices(pricing)))
        };
        let judged = |first, second, argument| {
            let bound = Bound { first, second };
            judged_of(Objective::RulesThenLiterals, bound, argument)
        };
        assert_eq!(judged(2, 4, literals(0, &[2, 2])), Ok(()));
        // Two rules are charged for, and what is charged is taken off.
        assert_eq!(judged(2, 4, literals(5, &[7, 7])), Ok(()));
        for (second, argument) in [(5, literals(0, &[2, 2])), (5, literals(5, &[7, 7]))] {
            let bold = judged(2, second, argument);
            assert!(matches!(bold, Err(Refusal::TooBold { .. })), "{bold:?}");
        }
        for argument in [literals(0, &[3, 2]), literals(5, &[8, 7])] {
            let worth_more = judged(2, 4, argument);
            assert!(matches!(worth_more, Err(Refusal::WorthMore { .. })), "{worth_more:?}");
        }
        let three = judged(3, 4, literals(0, &[2, 2]));
        assert!(matches!(three, Err(Refusal::TooBold { .. })), "{three:?}");
        let one = |pricing| judged_of(Objective::Literals, Bound { first: 4, second: 0 }, pricing);
        assert_eq!(one(literals(0, &[2, 2])), Err(Refusal::NoSecondPart));
        let charged = Pricing { tariff: Tariff::LITERALS, charge: 5, ..pricing(&[7, 7]) };
        assert_eq!(one(Argument::Prices(charged)), Err(Refusal::NoLimit));
    }

    #[test]
    fn covers_within_the_limit_are_all_that_the_second_argument_is_about() {
        let both: Vec<Vec<i32>> = vec![vec![-1, 2], vec![1, -2]];
        let judged = |charge, limit, steps: &[Step]| {
            let pricing = Pricing { tariff: Tariff::LITERALS, charge, ..pricing(&[charge, 2 + charge]) };
            let tariff = Tariff::LITERALS;
            let cover = Cover { tariff, limit, least: 4, unit: 1, steps: steps.to_vec() };
            let then = Argument::Pool(pricing, both.clone(), vec![cover]);
            let argument = Argument::InTurn(Box::new(Argument::Apart(vec![0, 1])), Box::new(then));
            judged_of(Objective::RulesThenLiterals, Bound { first: 2, second: 4 }, argument)
        };
        let steps = [Step::Take(0, 0), Step::Take(1, 1)];
        for (charge, limit) in [(0, None), (0, Some(2)), (3, Some(2)), (3, Some(3))] {
            assert_eq!(judged(charge, limit, &steps), Ok(()));
        }
        let fewer = judged(3, Some(1), &steps);
        assert!(matches!(fewer, Err(Refusal::TooBold { .. })), "{fewer:?}");
    }

    #[test]
    fn a_rule_that_is_missing_in_the_pool_is_missed() {
        let refused = pool(&[&[-1, 2]], &[Step::Take(0, 0), Step::Stuck(1)]);
        assert!(matches!(refused, Err(Refusal::NotInPool { .. })), "{refused:?}");
        let refused = pool(&[&[-1, 3]], &[]);
        assert!(matches!(refused, Err(Refusal::NoSuchLiteral { .. })), "{refused:?}");
    }

    /// The same rows where rules may be wrong: three of each positive, and of the second negative one. A unit
    /// of size costs half a row.
    fn sparse(bound: u64, argument: Argument) -> Result<(), Refusal> {
        let example = |first, second, rows| Example { features: vec![first, second], rows };
        let positives = vec![example(true, false, 3), example(false, true, 3)];
        let negatives = [example(false, false, 3), example(true, true, 1)];
        let grid = Grid::new(&[1, -1, 2, -2], positives, &negatives);
        let (table, class, objective) = ("0".to_string(), "yes".to_string(), Objective::Size);
        let (price, bound) =
            (Some(Price { numerator: 1, denominator: 2 }), Bound { first: bound, second: 0 });
        let after = vec!["first\n".to_string()];
        let certificate = Certificate { table, class, after, objective, price, bound, argument };
        let text = certificate.to_text();
        assert_eq!(Certificate::parse(text.as_bytes()).as_ref(), Ok(&certificate));
        check(&grid, &certificate, &|| false)
    }

    #[test]
    fn where_rules_may_be_wrong_nobody_pays_more_than_for_leaving_out() {
        // In halves: a rule of two literals that is right costs 3, leaving out one of the examples 6.
        let prices =
            |of: &[(usize, u64)]| Argument::Prices(Pricing { prices: of.to_vec(), ..pricing(&[]) });
        assert_eq!(sparse(6, prices(&[(0, 3), (1, 3)])), Ok(()));
        let bold = sparse(7, prices(&[(0, 3), (1, 3)]));
        assert!(matches!(bold, Err(Refusal::TooBold { .. })), "{bold:?}");
        let worth_more = sparse(9, prices(&[(0, 3)]));
        assert!(matches!(worth_more, Err(Refusal::WorthMore { .. })), "{worth_more:?}");
        assert_eq!(sparse(10, prices(&[(0, 7)])), Err(Refusal::TooDear { example: 1 }));
        assert_eq!(sparse(2, Argument::Apart(vec![0, 1])), Err(Refusal::MayBeLeftOut));
    }

    #[test]
    fn what_is_left_out_is_paid_for() {
        let pool = |rules: &[&[i32]], steps: &[Step]| {
            let pricing = pricing(&[2, 2]);
            let cover =
                Cover { tariff: Tariff::SIZE, limit: None, least: 6, unit: 1, steps: steps.to_vec() };
            let rules = rules.iter().map(|rule| rule.to_vec()).collect();
            sparse(6, Argument::Pool(pricing, rules, vec![cover]))
        };
        let both: [&[i32]; 2] = [&[-1, 2], &[1, -2]];
        let prices =
            |of: &[(usize, u64)]| Step::Prices { limit: 0, slack: 0, prices: of.to_vec(), cuts: vec![] };
        for steps in [
            vec![prices(&[(0, 3), (1, 3)])],
            // Without the rule, the first example is as dear as leaving it out.
            vec![Step::Try(0), prices(&[(1, 3)]), Step::End, prices(&[(1, 0)])],
        ] {
            assert_eq!(pool(&both, &steps), Ok(()), "{steps:?}");
        }
        for steps in [
            vec![],
            vec![prices(&[(0, 3), (1, 2)])],
            // They may be left out.
            vec![Step::Take(0, 0), Step::Take(1, 1)],
            vec![Step::Try(0), Step::Take(1, 1), Step::End, Step::Stuck(0)],
            vec![Step::Try(0), Step::End, prices(&[(1, 0)])],
            vec![Step::Try(9), prices(&[(1, 3)]), Step::End, prices(&[(1, 0)])],
        ] {
            let refused = pool(&both, &steps);
            assert!(
                matches!(refused, Err(Refusal::Open | Refusal::WrongStep { .. })),
                "{steps:?}: {refused:?}"
            );
        }
        let refused = pool(&[&[-1, 2]], &[prices(&[(0, 3), (1, 3)])]);
        assert!(matches!(refused, Err(Refusal::NotInPool { .. })), "{refused:?}");
    }

    #[test]
    fn numbers_beyond_all_sense_are_refused() {
        let most = 1 << 62;
        let huge = Pricing { unit: most, ..pricing(&[most, most]) };
        assert_eq!(size(2, Argument::Prices(huge)), Err(Refusal::TooLarge));
        let nothing = Pricing { unit: 0, ..pricing(&[3, 3]) };
        assert_eq!(size(6, Argument::Prices(nothing)), Err(Refusal::ZeroUnit));
        let twice = Pricing { prices: vec![(0, 3), (0, 3)], ..pricing(&[]) };
        assert_eq!(size(6, Argument::Prices(twice)), Err(Refusal::PricedTwice { example: 1 }));
    }

    #[test]
    fn who_is_tired_says_so() {
        let (table, class) = ("0".to_string(), "yes".to_string());
        let certificate = Certificate {
            table,
            class,
            after: Vec::new(),
            objective: Objective::Rules,
            price: None,
            bound: Bound { first: 2, second: 0 },
            argument: Argument::Apart(vec![0, 1]),
        };
        assert_eq!(check(&either_or(), &certificate, &|| true), Err(Refusal::Unfinished));
    }

    #[test]
    fn what_is_no_certificate_is_garbled_and_the_line_is_named() {
        let whole = "minrule-proof 1\ntable 0\nclass a\\\\b\\nc\nobjective size\nbound 0\nbecause nothing\nqed\n";
        let read = Certificate::parse(whole.as_bytes()).unwrap();
        assert_eq!((read.class.as_str(), read.to_text().as_str()), ("a\\b\nc", whole));
        for (broken, line) in [
            (whole.replace("size", "weight"), 4),
            (whole.replace("bound 0", "bound 0 0"), 5),
            (whole.replace("bound 0", "bound +1"), 5),
            (whole.replace("bound 0", "bound 18446744073709551616"), 5),
            (whole.replace("qed", "qed\nqed"), 7),
            (whole.replace("\\\\b", "\\b"), 3),
            (whole.replace("nothing", "I say so"), 6),
            (whole.replace("minrule-proof 1", "minrule-proof 2"), 5),
            (whole.replace("minrule-proof 1", "minrule-proof 3"), 7),
            (whole.replace("minrule-proof 1", "minrule-proof 4"), 1),
        ] {
            let garbled = Certificate::parse(broken.as_bytes()).unwrap_err();
            assert_eq!(garbled.line, line, "{broken}: {garbled}");
        }
        assert_eq!(Certificate::parse(b"minrule-proof 1\n\xff").unwrap_err().line, 2);
    }
}
