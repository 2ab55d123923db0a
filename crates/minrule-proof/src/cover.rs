//! The claim that no cover by rules of the pool costs less than so much.
//!
//! Where examples may be left out, that is one more way to cover them: a column of its own beside the rules.
//! At each moment there are rules still in play, examples still to cover, and what covering them must
//! cost at least. Each step replaces this claim by one that implies it, or closes the case.

use crate::bits::Bits;
use crate::certificate::{Cover, Step};
use crate::verdict::Refusal;

/// Something that covers examples: a rule, or that they are left out.
pub(crate) struct Column {
    pub(crate) covered: Bits,
    pub(crate) cost: u64,
}

/// What to cover, and with what.
pub(crate) struct Problem {
    /// First the rules of the pool.
    pub(crate) columns: Vec<Column>,
    /// Examples to cover.
    pub(crate) examples: Bits,
    /// Of each example, its price where a step gives it none, in units of cost.
    pub(crate) unlisted: Vec<u64>,
}

/// What was accepted, for those who write it down in another form.
pub(crate) enum Event<'e> {
    /// A rule went for another one.
    Dropped(usize, usize),
    /// A rule was taken, since nothing else covers some example.
    Taken(usize),
    /// Prices of examples and of cuts, what one more rule costs, and the rules that went.
    Priced(&'e Prices, u64, Vec<usize>),
    /// The case in which a rule is taken begins.
    Tried(usize),
    /// That case is closed.
    Ended,
}

/// Prices that count: those of what is still to cover.
pub(crate) struct Prices {
    pub(crate) examples: Vec<(usize, i128)>,
    pub(crate) cuts: Vec<(Bits, i128)>,
}

/// Where the argument stands.
#[derive(Clone)]
struct Case {
    /// Rules still in play.
    rules: Bits,
    /// Examples still to cover.
    examples: Bits,
    /// What that must cost at least; settled if it is nothing.
    least: i128,
    /// The most rules it may take; settled if it is less than none.
    limit: Option<i128>,
    closed: bool,
}

/// Whether the steps prove the claim.
pub(crate) fn check(
    problem: &Problem,
    cover: &Cover,
    tired: &dyn Fn() -> bool,
    tell: &mut dyn FnMut(Event),
) -> Result<(), Refusal> {
    if cover.unit == 0 {
        return Err(Refusal::ZeroUnit);
    }
    let checker = Checker { problem, cover };
    let mut case = Case {
        rules: Bits::all(problem.columns.len()),
        examples: problem.examples.clone(),
        least: i128::from(cover.least),
        limit: cover.limit.map(i128::from),
        closed: cover.least == 0,
    };
    // Cases within which this one lies, each with the rule that it goes on without.
    let mut outer: Vec<(Case, usize)> = Vec::new();
    // Cases within a closed one: nothing is left to prove there.
    let mut idle = 0;
    for (number, step) in cover.steps.iter().enumerate() {
        if tired() {
            return Err(Refusal::Unfinished);
        }
        let wrong = |why: &'static str| Refusal::WrongStep { step: number + 1, why };
        match step {
            Step::Try(_) if case.closed || idle > 0 => idle += 1,
            Step::End if idle > 0 => idle -= 1,
            Step::End if !case.closed => return Err(wrong("ends a case that is not closed")),
            Step::End => {
                let (mut around, rule) = outer.pop().ok_or_else(|| wrong("ends no case"))?;
                around.rules.remove(rule);
                case = around;
                tell(Event::Ended);
            }
            _ if case.closed || idle > 0 => {}
            Step::Try(rule) => match checker.rule(*rule).map_err(wrong)? {
                rule if case.rules.contains(rule) => {
                    let around = case.clone();
                    if !checker.covered(rule).meets(&case.examples) {
                        return Err(wrong("tries a rule that covers nothing"));
                    }
                    checker.take(&mut case, rule);
                    outer.push((around, rule));
                    tell(Event::Tried(rule));
                }
                // A rule that is not in play any more needs no trying.
                _ => idle += 1,
            },
            step => checker.apply(&mut case, step, tell).map_err(wrong)?,
        }
    }
    match case.closed && outer.is_empty() && idle == 0 {
        true => Ok(()),
        false => Err(Refusal::Open),
    }
}

struct Checker<'p> {
    problem: &'p Problem,
    cover: &'p Cover,
}

impl Checker<'_> {
    fn rule(&self, rule: usize) -> Result<usize, &'static str> {
        match rule < self.problem.columns.len() {
            true => Ok(rule),
            false => Err("names a rule that is not in the pool"),
        }
    }

    fn covered(&self, rule: usize) -> &Bits {
        &self.problem.columns[rule].covered
    }

    fn cost(&self, rule: usize) -> i128 {
        i128::from(self.problem.columns[rule].cost)
    }

    /// An example still to cover.
    fn open(&self, case: &Case, example: usize) -> Result<usize, &'static str> {
        match example < self.problem.unlisted.len() && case.examples.contains(example) {
            true => Ok(example),
            false => Err("names an example that is not to be covered"),
        }
    }

    fn apply(
        &self,
        case: &mut Case,
        step: &Step,
        tell: &mut dyn FnMut(Event),
    ) -> Result<(), &'static str> {
        match *step {
            Step::Drop(rule, other) => {
                let (rule, other) = (self.rule(rule)?, self.rule(other)?);
                if rule == other || !case.rules.contains(other) {
                    return Err("drops a rule for one that is not in play");
                }
                let covers = self.covered(rule).and(&case.examples);
                if !covers.is_subset(self.covered(other)) {
                    return Err("drops a rule for one that covers less");
                }
                if self.cost(other) > self.cost(rule) {
                    return Err("drops a rule for a dearer one");
                }
                if case.rules.contains(rule) {
                    case.rules.remove(rule);
                    tell(Event::Dropped(rule, other));
                }
            }
            Step::Spare(example, other) => {
                let other = self.open(case, other)?;
                if self.open(case, example)? == other {
                    return Err("spares an example for itself");
                }
                let covers = |rule: &usize, example| self.covered(*rule).contains(example);
                if !case.rules.iter().all(|rule| covers(&rule, example) || !covers(&rule, other)) {
                    return Err("spares an example that may stay uncovered");
                }
                case.examples.remove(example);
            }
            Step::Take(rule, example) => {
                let (rule, example) = (self.rule(rule)?, self.open(case, example)?);
                let covers = |other: &usize| self.covered(*other).contains(example);
                if !case.rules.iter().filter(covers).all(|other| other == rule) {
                    return Err("takes a rule that is not the only one");
                }
                self.take(case, rule);
                tell(Event::Taken(rule));
            }
            Step::Prices { limit, slack, ref prices, ref cuts } => {
                let before = case.rules.clone();
                let open = self.price(case, limit, slack, prices, cuts)?;
                let went = before.without(&case.rules).iter().collect();
                tell(Event::Priced(&open, limit, went));
            }
            Step::Stuck(example) => {
                let example = self.open(case, example)?;
                if case.rules.iter().any(|rule| self.covered(rule).contains(example)) {
                    return Err("says that no rule covers an example that one covers");
                }
                case.closed = true;
            }
            Step::Try(_) | Step::End => {}
        }
        Ok(())
    }

    fn take(&self, case: &mut Case, rule: usize) {
        case.rules.remove(rule);
        case.examples.subtract(self.covered(rule));
        case.least -= self.cost(rule);
        case.limit = case.limit.map(|limit| limit - 1);
        case.closed = case.least <= 0 || case.limit.is_some_and(|limit| limit < 0);
    }

    /// Any cover costs the prices of what is to cover, less what its rules are worth beyond their
    /// cost, and less what the limit charges for each rule that it allows. A cut is covered half of
    /// its examples times, and by each rule half of those times that the rule covers of them, all
    /// rounded up. Returns the prices that count.
    fn price(
        &self,
        case: &mut Case,
        limit: u64,
        slack: u64,
        prices: &[(usize, u64)],
        cuts: &[(Vec<usize>, u64)],
    ) -> Result<Prices, &'static str> {
        let unit = i128::from(self.cover.unit);
        let mut listed = vec![None; self.problem.unlisted.len()];
        for &(example, of_it) in prices {
            let place = listed.get_mut(example).ok_or("prices an example that there is not")?;
            if place.replace(i128::from(of_it)).is_some() {
                return Err("prices an example twice");
            }
        }
        let mut price = vec![0; listed.len()];
        for example in case.examples.iter() {
            let unlisted = || i128::from(self.problem.unlisted[example]) * unit;
            price[example] = listed[example].unwrap_or_else(unlisted);
        }
        let mut open_cuts = Vec::new();
        for (examples, of_it) in cuts {
            let mut open = Bits::none(listed.len());
            for &example in examples {
                if example >= listed.len() {
                    return Err("prices an example that there is not");
                }
                open.insert(example);
            }
            open.intersect(&case.examples);
            open_cuts.push((open, i128::from(*of_it)));
        }
        let halves = |count: usize| count.div_ceil(2) as i128;
        let charge = match case.limit {
            Some(_) => i128::from(limit),
            None if limit == 0 => 0,
            None => return Err("charges for a limit that there is not"),
        };
        let worth = |rule: usize| {
            let value: i128 = self.covered(rule).iter().map(|example| price[example]).sum();
            let of_cuts =
                |(cut, price): &(Bits, i128)| halves(self.covered(rule).count_common(cut)) * price;
            value + open_cuts.iter().map(of_cuts).sum::<i128>() - charge - unit * self.cost(rule)
        };
        let worths: Vec<(usize, i128)> = case.rules.iter().map(|rule| (rule, worth(rule))).collect();
        let bound = price.iter().sum::<i128>()
            + open_cuts.iter().map(|(cut, price)| halves(cut.count()) * price).sum::<i128>()
            - charge * case.limit.unwrap_or(0)
            - worths.iter().map(|(_, worth)| (*worth).max(0)).sum::<i128>();
        let enough = unit * (case.least - 1);
        case.closed = bound > enough;
        for (rule, worth) in worths {
            if bound - worth.min(0) > enough + unit * i128::from(slack) {
                case.rules.remove(rule);
            }
        }
        let open = price.iter().enumerate().filter(|(_, price)| **price > 0);
        let examples = open.map(|(example, &price)| (example, price)).collect();
        Ok(Prices { examples, cuts: open_cuts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tariff::Tariff;

    /// Whether the steps prove that five rules around a circle of five examples, each of which covers two
    /// neighbours, cost so much.
    fn around(least: u64, steps: Vec<Step>) -> bool {
        let column = |examples: [usize; 2]| {
            let mut covered = Bits::none(5);
            examples.into_iter().for_each(|example| covered.insert(example));
            Column { covered, cost: 1 }
        };
        let columns = (0..5).map(|i| column([i, (i + 1) % 5])).collect();
        let problem = Problem { columns, examples: Bits::all(5), unlisted: vec![0; 5] };
        let cover = Cover { tariff: Tariff::RULES, limit: None, least, unit: 2, steps };
        check(&problem, &cover, &|| false, &mut |_| ()).is_ok()
    }

    fn prices(prices: Vec<(usize, u64)>, cuts: Vec<(Vec<usize>, u64)>) -> Step {
        Step::Prices { limit: 0, slack: 0, prices, cuts }
    }

    #[test]
    fn a_cut_rounds_up() {
        let circle = || vec![0, 1, 2, 3, 4];
        let halves = (0..5).map(|example| (example, 1)).collect();
        assert!(!around(4, vec![prices(halves, vec![])]));
        assert!(around(3, vec![prices(vec![], vec![(circle(), 2)])]));
        assert!(!around(4, vec![prices(vec![], vec![(circle(), 2)])]));
        assert!(!around(4, vec![prices(vec![], vec![(circle(), 3)])]));
        // An even number of examples gains nothing, and to say one twice neither.
        assert!(!around(3, vec![prices(vec![], vec![(vec![0, 1, 2, 3], 2)])]));
        assert!(!around(3, vec![prices(vec![], vec![(vec![0, 1, 1, 2, 3], 2)])]));
        assert!(!around(3, vec![prices(vec![], vec![(vec![0, 1, 7], 2)])]));
    }

    #[test]
    fn a_cut_is_about_what_is_still_to_cover() {
        // Without the first two examples, a rule covers two of the three others, and then one is left.
        let cut = |price| prices(vec![], vec![(vec![0, 1, 2, 3, 4], price)]);
        let within = |steps: Vec<Step>| [vec![Step::Try(0)], steps, vec![Step::End, cut(2)]].concat();
        assert!(around(3, within(vec![cut(2)])));
        assert!(!around(4, within(vec![cut(2)])));
    }
}
