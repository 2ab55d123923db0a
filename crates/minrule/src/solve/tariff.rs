//! What rules cost. Everybody who needs to know asks here, and a [`Rule`](super::Rule) carries the answer.

use hashbrown::HashMap;

use super::objective::Cost;
use crate::data::literal::Literal;

/// What is paid for a rule, its literals and its errors, in whole units.
///
/// ```
/// use minrule::data::{FeatureId, Literal};
/// use minrule::solve::Tariff;
///
/// let literal = |feature, positive| Literal { feature: FeatureId(feature), positive };
/// let tariff = Tariff::new(1, 1).with_literal(literal(7, true), 5).with_negative(2);
/// let term = [literal(0, true), literal(7, true)];
/// assert_eq!(tariff.rule(&term, 3), 1 + (1 + 5) + 2 * 3);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tariff {
    per_rule: u64,
    per_literal: u64,
    /// Literals that have a price of their own.
    special: HashMap<Literal, u64>,
    per_negative: Option<u64>,
    per_left_out: Option<u64>,
}

impl Tariff {
    /// So much for each rule, and for each literal. Rules may cover no row of another class and may leave
    /// out no row of their own.
    pub fn new(per_rule: u64, per_literal: u64) -> Tariff {
        Tariff { per_rule, per_literal, special: HashMap::new(), per_negative: None, per_left_out: None }
    }

    /// This literal has a price of its own.
    pub fn with_literal(mut self, literal: Literal, price: u64) -> Tariff {
        self.special.insert(literal, price);
        self
    }

    /// A rule may cover rows of other classes, for so much each.
    pub fn with_negative(mut self, price: u64) -> Tariff {
        self.per_negative = Some(price);
        self
    }

    /// Rows of the class may be left out, for so much each.
    pub fn with_left_out(mut self, price: u64) -> Tariff {
        self.per_left_out = Some(price);
        self
    }

    /// For a rule without its literals.
    pub fn per_rule(&self) -> u64 {
        self.per_rule
    }

    /// For a literal that has no price of its own.
    pub fn per_literal(&self) -> u64 {
        self.per_literal
    }

    /// For a row of another class that a rule covers; nothing, if it may cover none.
    pub fn per_negative(&self) -> Option<u64> {
        self.per_negative
    }

    /// For a row of the class that no rule covers; nothing, if all must be covered.
    pub fn per_left_out(&self) -> Option<u64> {
        self.per_left_out
    }

    /// Whether all literals cost the same.
    pub fn is_uniform(&self) -> bool {
        self.special.is_empty()
    }

    /// For this literal.
    pub fn literal(&self, literal: Literal) -> u64 {
        self.special.get(&literal).copied().unwrap_or(self.per_literal)
    }

    /// For a rule that covers so many rows of other classes.
    pub fn rule(&self, term: &[Literal], negatives: u64) -> u64 {
        let literals = match self.is_uniform() {
            true => self.per_literal.saturating_mul(term.len() as u64),
            false => term.iter().map(|&l| self.literal(l)).fold(0, u64::saturating_add),
        };
        let wrong = self.per_negative.unwrap_or_default().saturating_mul(negatives);
        self.per_rule.saturating_add(literals).saturating_add(wrong)
    }

    /// What a rule of so many literals costs at least.
    fn cheapest_rule(&self, literals: usize) -> u64 {
        let cheapest = self.special.values().copied().fold(self.per_literal, u64::min);
        self.per_rule.saturating_add(cheapest.saturating_mul(literals as u64))
    }
}

/// What rules cost under an objective: one tariff, or two, of which the first counts more than any amount of
/// the second.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tariffs {
    first: Tariff,
    second: Option<Tariff>,
}

impl From<Tariff> for Tariffs {
    fn from(only: Tariff) -> Tariffs {
        Tariffs { first: only, second: None }
    }
}

impl Tariffs {
    /// The first counts more than any amount of the second.
    pub fn lexicographic(first: Tariff, second: Tariff) -> Tariffs {
        Tariffs { first, second: Some(second) }
    }

    /// The only tariff, or the more important one.
    pub fn first(&self) -> &Tariff {
        &self.first
    }

    /// What counts when the first does not decide.
    pub fn second(&self) -> Option<&Tariff> {
        self.second.as_ref()
    }

    /// Whether there are two.
    pub fn is_lexicographic(&self) -> bool {
        self.second.is_some()
    }

    /// Whether rules may cover rows of other classes.
    pub(crate) fn allow_negatives(&self) -> bool {
        self.first.per_negative.is_some()
    }

    /// For a rule that covers so many rows of other classes.
    pub fn rule(&self, term: &[Literal], negatives: u64) -> Cost {
        self.both(|tariff| tariff.rule(term, negatives))
    }

    /// For a set of rules that cover rows of their own class only.
    pub fn rules<'t>(&self, terms: impl IntoIterator<Item = &'t [Literal]>) -> Cost {
        terms.into_iter().map(|term| self.rule(term, 0)).sum()
    }

    /// What a rule of so many literals costs at least.
    pub(crate) fn cheapest_rule(&self, literals: usize) -> Cost {
        self.both(|tariff| tariff.cheapest_rule(literals))
    }

    /// For one literal.
    pub(crate) fn literal(&self, literal: Literal) -> Cost {
        self.both(|tariff| tariff.literal(literal))
    }

    fn both(&self, price: impl Fn(&Tariff) -> u64) -> Cost {
        Cost { first: price(&self.first), second: self.second.as_ref().map_or(0, price) }
    }
}

/// The part of a cost that is minimised at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// The only one, or the more important one.
    First,
    /// The second, of covers that have no more rules than this: where it matters, the first part counts rules.
    Second { rules: usize },
}

impl Part {
    /// How much of a cost it is.
    pub(crate) fn of(self, cost: Cost) -> u64 {
        match self {
            Part::First => cost.first,
            Part::Second { .. } => cost.second,
        }
    }

    /// What covers cost at least of which this part is no less than so much.
    pub(crate) fn cost(self, least: u64) -> Cost {
        match self {
            Part::First => Cost { first: least, second: 0 },
            Part::Second { rules } => Cost { first: rules as u64, second: least },
        }
    }

    /// The most rules that covers may have.
    pub(crate) fn limit(self) -> Option<usize> {
        match self {
            Part::First => None,
            Part::Second { rules } => Some(rules),
        }
    }

    /// What is paid for.
    pub(crate) fn tariff(self, tariffs: &Tariffs) -> &Tariff {
        match self {
            Part::First => &tariffs.first,
            Part::Second { .. } => tariffs.second.as_ref().unwrap_or(&tariffs.first),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::literal::FeatureId;
    use crate::names::Choice;
    use crate::solve::objective::Objective;

    fn literal(number: i32) -> Literal {
        Literal { feature: FeatureId(number.unsigned_abs() - 1), positive: number > 0 }
    }

    #[test]
    fn a_rule_pays_for_itself_its_literals_and_the_rows_it_gets_wrong() {
        let tariff = Tariff::new(3, 2).with_literal(literal(-1), 7).with_negative(5).with_left_out(4);
        assert_eq!(tariff.rule(&[], 0), 3);
        assert_eq!(tariff.rule(&[literal(1), literal(2)], 0), 3 + 2 + 2);
        assert_eq!(tariff.rule(&[literal(-1), literal(2)], 0), 3 + 7 + 2);
        assert_eq!(tariff.rule(&[literal(-1)], 6), 3 + 7 + 30);
        assert_eq!(tariff.per_left_out(), Some(4));
        assert_eq!(tariff.cheapest_rule(2), 3 + 2 + 2);
        assert_eq!(Tariff::new(0, 2).with_literal(literal(1), 1).cheapest_rule(2), 2);
    }

    #[test]
    fn the_objectives_are_tariffs() {
        let term = [literal(1), literal(-2), literal(3)];
        for (objective, first, second) in [
            (Objective::Rules, 1, 0),
            (Objective::Literals, 3, 0),
            (Objective::Size, 4, 0),
            (Objective::RulesThenLiterals, 1, 3),
        ] {
            assert_eq!(objective.tariffs().rule(&term, 0), Cost { first, second });
        }
    }

    #[test]
    fn the_checker_counts_the_same() {
        let terms = [vec![], vec![literal(1)], vec![literal(1), literal(-2), literal(3)]];
        for &objective in Objective::ALL {
            let counted = crate::judge::cost(objective, terms.iter().map(Vec::len));
            assert_eq!(objective.tariffs().rules(terms.iter().map(|term| &term[..])), counted);
        }
    }

    #[test]
    fn no_price_is_so_high_that_it_becomes_a_low_one() {
        let tariff = Tariff::new(u64::MAX, u64::MAX).with_negative(u64::MAX);
        assert_eq!(tariff.rule(&[literal(1), literal(2)], 3), u64::MAX);
    }
}
