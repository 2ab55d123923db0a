//! The argument about covers, written down while it is found.
//!
//! Rules and examples are numbered as in the pool; whoever works on a part of it has a [`Scribe`]
//! who knows the numbers there.

use std::sync::{Mutex, MutexGuard, PoisonError};

use minrule_proof::{Cover, Step, Tariff};

/// The case that has all others in it.
pub(crate) const ROOT: usize = 0;

/// All that was written down about one pool.
#[derive(Debug, Default)]
pub(crate) struct Log {
    /// There once it has begun.
    about: Mutex<Option<Covers>>,
}

/// Covers, and what is known about them.
#[derive(Debug)]
struct Covers {
    tariff: Tariff,
    limit: Option<usize>,
    /// What makes one unit of cost in the money of prices.
    unit: i64,
    cases: Vec<Case>,
}

/// A case of the argument, in which some rules are taken.
#[derive(Debug, Default)]
struct Case {
    /// What was found out, in order.
    notes: Vec<Note>,
    /// The prices that prove most.
    best: Option<Priced>,
    /// Cases within this one, by the rule that is taken there.
    tries: Vec<(usize, usize)>,
    /// An example that no rule but those tried covers.
    stuck: Option<usize>,
    /// What there is to say of the rest, without the rules tried.
    rest: Option<usize>,
}

#[derive(Debug)]
enum Note {
    Step(Step),
    /// Rules went that were too dear.
    Fixed(Priced),
    /// A bound that later steps may not bear out: what they drop had prices.
    Proven(Priced),
}

/// Prices, and what they proved.
#[derive(Debug, Clone)]
struct Priced {
    prices: Vec<(usize, u64)>,
    cuts: Vec<(Vec<usize>, u64)>,
    limit: u64,
    /// What a cover costs at least in this case, in the unit of prices.
    bound: i64,
    /// What it had to cost less than.
    cutoff: u64,
}

impl Log {
    fn lock(&self) -> MutexGuard<'_, Option<Covers>> {
        self.about.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// It is about covers of no more rules than this, which pay by this tariff.
    pub(crate) fn begin(&self, tariff: Tariff, limit: Option<usize>, unit: i64) {
        *self.lock() = Some(Covers { tariff, limit, unit, cases: vec![Case::default()] });
    }

    /// The most rules that the covers may have; none, if any number will do.
    pub(crate) fn limit(&self) -> u64 {
        self.lock().as_ref().and_then(|covers| covers.limit).unwrap_or(0) as u64
    }

    /// The argument that covers cost no less than this, if it has begun.
    pub(crate) fn cover(&self, least: u64) -> Option<Cover> {
        self.lock().as_ref().map(|covers| {
            let mut steps = Vec::new();
            covers.tell(ROOT, least, &mut steps);
            let limit = covers.limit.map(|limit| limit as u64);
            Cover { tariff: covers.tariff, limit, least, unit: covers.unit as u64, steps }
        })
    }
}

impl Covers {
    /// The steps of a case, as far as they are needed. Cases lie within each other no deeper than
    /// there are rules in a cover.
    fn tell(&self, case: usize, least: u64, steps: &mut Vec<Step>) {
        let prices = |priced: &Priced| Step::Prices {
            limit: priced.limit,
            slack: priced.cutoff.saturating_sub(least),
            prices: priced.prices.clone(),
            cuts: priced.cuts.clone(),
        };
        let enough = (least as i64 - 1) * self.unit;
        let mut next = Some(case);
        while let Some(case) = next {
            let case = &self.cases[case];
            for note in &case.notes {
                match note {
                    Note::Step(step) => steps.push(step.clone()),
                    Note::Fixed(priced) => {
                        steps.push(prices(priced));
                        if priced.bound > enough {
                            return;
                        }
                    }
                    Note::Proven(priced) if priced.bound > enough => {
                        steps.push(prices(priced));
                        return;
                    }
                    Note::Proven(_) => {}
                }
            }
            if let Some(best) = case.best.as_ref().filter(|best| best.bound > enough) {
                steps.push(prices(best));
                return;
            }
            for &(rule, within) in &case.tries {
                steps.push(Step::Try(rule));
                self.tell(within, least, steps);
                steps.push(Step::End);
            }
            steps.extend(case.stuck.map(Step::Stuck));
            next = case.rest;
        }
    }
}

/// Records what is found out about a part of the pool, if a proof is wanted.
#[derive(Debug, Clone, Default)]
pub(crate) struct Scribe<'l> {
    log: Option<&'l Log>,
    /// Of each rule of the part, its number in the pool.
    rules: Vec<usize>,
    /// Of each example of the part, its number in the pool.
    examples: Vec<usize>,
    /// What the rules that are taken already cost.
    paid: u64,
}

impl<'l> Scribe<'l> {
    /// For the whole pool.
    pub(crate) fn new(log: Option<&'l Log>, rules: usize, examples: usize) -> Scribe<'l> {
        match log {
            None => Scribe::default(),
            Some(_) => {
                Scribe { log, rules: (0..rules).collect(), examples: (0..examples).collect(), paid: 0 }
            }
        }
    }

    /// For a part of the part, after rules of this cost were taken.
    pub(crate) fn within(&self, rules: &[usize], examples: &[usize], paid: u64) -> Scribe<'l> {
        match self.log {
            None => Scribe::default(),
            Some(_) => Scribe {
                log: self.log,
                rules: rules.iter().map(|&rule| self.rules[rule]).collect(),
                examples: examples.iter().map(|&example| self.examples[example]).collect(),
                paid: self.paid + paid,
            },
        }
    }

    /// Writes, if someone does.
    fn write(&self, write: impl FnOnce(&mut Covers)) {
        if let Some(log) = self.log
            && let Some(covers) = log.lock().as_mut()
        {
            write(covers);
        }
    }

    /// A rule is dropped, because another covers as much at no greater cost.
    pub(crate) fn drop(&self, rule: usize, other: usize) {
        self.note(|scribe| Step::Drop(scribe.rules[rule], scribe.rules[other]));
    }

    /// An example is dropped, because every rule that covers the other one covers it too.
    pub(crate) fn spare(&self, example: usize, other: usize) {
        self.note(|scribe| Step::Spare(scribe.examples[example], scribe.examples[other]));
    }

    /// A rule is taken: it alone covers the example.
    pub(crate) fn take(&self, rule: usize, example: usize) {
        self.note(|scribe| Step::Take(scribe.rules[rule], scribe.examples[example]));
    }

    fn note(&self, step: impl FnOnce(&Self) -> Step) {
        self.write(|covers| {
            let root = &mut covers.cases[ROOT];
            root.notes.extend(root.best.take().map(Note::Proven));
            root.notes.push(Note::Step(step(self)));
        });
    }

    /// Prices that prove a bound, in the unit of prices, and perhaps that some rules are too dear for
    /// a cover below the cutoff. Prices are those that certificates have to list: of examples, of cuts, and of
    /// one more rule.
    pub(crate) fn priced(
        &self,
        case: usize,
        (prices, cuts, limit): (
            impl Iterator<Item = (usize, u64)>,
            impl Iterator<Item = (Vec<usize>, u64)>,
            i64,
        ),
        (bound, unit): (i64, i64),
        cutoff: i64,
        rules_went: bool,
    ) {
        self.write(|covers| {
            let case = &mut covers.cases[case];
            let bound = bound + self.paid as i64 * unit;
            let better = case.best.as_ref().is_none_or(|best| bound > best.bound);
            if !better && !rules_went {
                return;
            }
            let prices = prices.map(|(example, price)| (self.examples[example], price)).collect();
            let numbers = |examples: Vec<usize>| {
                examples.into_iter().map(|example| self.examples[example]).collect()
            };
            let cuts = cuts.map(|(examples, price)| (numbers(examples), price)).collect();
            let (limit, cutoff) = (limit as u64, cutoff as u64 + self.paid);
            let priced = Priced { prices, cuts, limit, bound, cutoff };
            match rules_went {
                true => case.notes.push(Note::Fixed(priced)),
                false => case.best = Some(priced),
            }
        });
    }

    /// The case within this one in which the rule is taken.
    pub(crate) fn attempt(&self, case: usize, rule: usize) -> usize {
        let mut within = ROOT;
        self.write(|covers| {
            within = covers.cases.len();
            covers.cases.push(Case::default());
            covers.cases[case].tries.push((self.rules[rule], within));
        });
        within
    }

    /// The case in which the rule is not taken, after the one in which it is.
    pub(crate) fn rest(&self, case: usize) -> usize {
        let mut rest = ROOT;
        self.write(|covers| {
            rest = covers.cases.len();
            covers.cases.push(Case::default());
            covers.cases[case].rest = Some(rest);
        });
        rest
    }

    /// No rule covers the example but those that were tried.
    pub(crate) fn stuck(&self, case: usize, example: usize) {
        self.write(|covers| covers.cases[case].stuck = Some(self.examples[example]));
    }
}
