//! Where alpha comes from: it is given, chosen by cross-validation, or that of the best set within a budget.

use std::time::Instant;

use minrule::apply::{Candidate, Choose, Chosen, Expected, Score, Validation};
use minrule::solve::{Alpha, Budget, Known, Order, Within};
use minrule::text::count;
use minrule::{Choice, Error, LearnOptions, Limits, Outcome, Policy, Problem, Result, Status};
use serde_json::{Value, json};

use crate::args::Learn;
use crate::learn::request;
use crate::progress::CountLine;

/// What people write to have alpha chosen.
const AUTO: &str = "auto";
const FOLDS: usize = 5;
/// How far down a curve is followed for a budget, unless somebody says so.
const DOWN_TO: &str = "1row";
const IN_COMPARISONS: &str = "a price such as 0.5% where methods are compared";

/// What was asked for.
pub(crate) enum Asked {
    /// This alpha, or none.
    Given(Option<Alpha>),
    /// The best one for rows not seen.
    Auto,
    /// That of the best set within a budget, down to this one.
    Within(Budget, Alpha),
}

/// Options that have an alpha, and where it comes from.
pub(crate) struct Settled {
    pub(crate) options: LearnOptions,
    /// What is known of the set before it is learned.
    pub(crate) known: Vec<Known>,
    /// The set, if it is not to be learned: where the best one at its alpha is not known, that may be beyond the
    /// budget.
    pub(crate) found: Option<Outcome>,
    pub(crate) by: By,
}

/// Where an alpha comes from.
pub(crate) enum By {
    Asking,
    Folds { validation: Box<Validation>, chosen: Chosen, score: Score, choose: Choose },
    Curve { budget: Budget, within: Within, errors: u64, size: usize },
}

impl Asked {
    pub(crate) fn new(args: &Learn) -> Result<Asked> {
        let budget = args.budget.budget()?;
        let auto = args.alpha.as_deref().is_some_and(|alpha| alpha.trim() == AUTO);
        if let (Some(what), false) = (args.choice.given(), auto) {
            let (given, allowed) = ("given".to_string(), "left out, unless with `--alpha auto`");
            return Err(Error::Unsuitable { what, given, allowed });
        }
        let down_to = args.budget.down_to.as_deref();
        match (budget, &args.alpha) {
            (Some(_), Some(_)) => {
                let (what, given) = ("--alpha", "given".to_string());
                let allowed =
                    "left out with `--max-size`, `--max-rules` or `--max-errors`, which choose it";
                Err(Error::Unsuitable { what, given, allowed })
            }
            (Some(budget), None) => Ok(Asked::Within(budget, down_to.unwrap_or(DOWN_TO).parse()?)),
            (None, _) if down_to.is_some() => {
                let (what, given) = ("--down-to", "given".to_string());
                let allowed = "left out, unless with `--max-size`, `--max-rules` or `--max-errors`";
                Err(Error::Unsuitable { what, given, allowed })
            }
            (None, Some(_)) if auto => Ok(Asked::Auto),
            (None, given) => Ok(Asked::Given(given.as_deref().map(str::parse).transpose()?)),
        }
    }

    /// An alpha to begin with: what goes with one goes with all.
    pub(crate) fn first(&self) -> Option<Alpha> {
        match self {
            Asked::Given(alpha) => *alpha,
            Asked::Auto => DOWN_TO.parse().ok(),
            Asked::Within(_, alpha) => Some(*alpha),
        }
    }

    /// The alpha that was given. Elsewhere nobody chooses one.
    pub(crate) fn given(&self) -> Result<Option<Alpha>> {
        match self {
            Asked::Given(alpha) => Ok(*alpha),
            _ => {
                let (what, given) = ("alpha", "to be chosen".to_string());
                Err(Error::Unsuitable { what, given, allowed: IN_COMPARISONS })
            }
        }
    }

    /// Finds the alpha, in half of the time that there is.
    pub(crate) fn settle(
        &self,
        args: &Learn,
        problem: &Problem,
        options: LearnOptions,
        policy: Policy,
        limits: &Limits,
    ) -> Result<Settled> {
        let visible = !args.quiet && args.verbose == 0;
        let limits = half_of(limits);
        match self {
            Asked::Given(_) => Ok(Settled { options, known: Vec::new(), found: None, by: By::Asking }),
            Asked::Auto => {
                let (rows, classes) = (problem.table().rows(), problem.examples().classes().len());
                let folds = args.choice.folds.unwrap_or(FOLDS.min(rows).max(2));
                let validation = Validation {
                    folds,
                    repeats: args.choice.repeats.unwrap_or_else(|| Validation::default_repeats(rows)),
                    alphas: Validation::default_alphas(rows, classes, folds),
                    orders: match leaves_order_open(args) {
                        true => Validation::default_orders(&options, classes),
                        false => vec![options.order().clone()],
                    },
                    binarise: problem.binarise().clone(),
                    learn: options.clone(),
                    policy,
                };
                validation.check(rows)?;
                let mut line =
                    CountLine::new("choosing alpha", "folds", validation.parts().len(), visible);
                let (score, choose) =
                    (args.choice.score.unwrap_or_default(), args.choice.choose.unwrap_or_default());
                let parts =
                    validation.run(problem.table(), Some(score), &limits, |done| line.show(done));
                line.clear();
                let chosen = validation.choose(&parts?, score, choose);
                let Candidate { alpha, order } = validation.candidate(chosen.place);
                let options = options.with_alpha(alpha).with_order(order.clone())?;
                let by = By::Folds { validation: Box::new(validation), chosen, score, choose };
                Ok(Settled { options, known: Vec::new(), found: None, by })
            }
            Asked::Within(budget, down_to) => {
                let mut line = CountLine::new("following the curve", "prices solved", 0, visible);
                let curve = problem.curve(&options, *down_to, (&limits, None), |done| line.show(done));
                line.clear();
                let curve = curve?;
                let within = curve.within(budget).ok_or_else(|| nothing_fits(&curve, *down_to))?;
                let point = &curve.all_points()[within.place];
                let alpha = curve.alpha(point);
                let outcome = curve.outcome(point, alpha);
                let known = outcome.solved().map(|class| Known {
                    class: class.class,
                    rules: class.rules.clone(),
                    lower_bound: Default::default(),
                    argument: None,
                });
                let known = known.collect();
                let by = By::Curve { budget: *budget, within, errors: point.errors, size: point.size() };
                let found = (point.status == Status::Feasible).then_some(outcome);
                Ok(Settled { options: options.with_alpha(alpha), known, found, by })
            }
        }
    }
}

/// Whether the folds may choose an order of classes. Where there is one, nothing else decides conflicts.
fn leaves_order_open(args: &Learn) -> bool {
    request(args, None).leaves_order_open() && args.policy.conflict.is_none()
}

/// These limits with half of the time that is left: the other half is for what follows.
pub(crate) fn half_of(limits: &Limits) -> Limits {
    let now = Instant::now();
    let half = |deadline: Instant| now + deadline.saturating_duration_since(now) / 2;
    Limits { deadline: limits.deadline.map(half), memory: limits.memory, stop: limits.stop.part() }
}

/// What to say if no set of a curve is within a budget.
fn nothing_fits(curve: &minrule::solve::Curve, down_to: Alpha) -> Error {
    let least = curve.all_points().iter().map(|point| point.errors).min().unwrap_or(0);
    Error::Unsuitable {
        what: "the budget",
        given: format!(
            "too small for any set down to alpha {down_to}, where the fewest errors are {least}"
        ),
        allowed: "larger; or let --down-to be smaller",
    }
}

impl Settled {
    /// What to expect on new rows, if that was found out.
    pub(crate) fn expected(&self) -> Option<Expected> {
        match &self.by {
            By::Folds { validation, chosen, .. } => Some(validation.expected(chosen)),
            _ => None,
        }
    }

    /// What is to be said about the choice, in JSON.
    pub(crate) fn to_json(&self) -> Vec<(String, Value)> {
        match &self.by {
            By::Asking => Vec::new(),
            By::Folds { validation, chosen, score, choose } => {
                let tried = validation.candidates().zip(&chosen.by_candidate).zip(&chosen.behind);
                let tried = tried.map(|((Candidate { alpha, order }, of), behind)| {
                    json!({
                        "alpha": alpha.to_string(),
                        "order": order.name(),
                        "repeats": of.repeats,
                        "accuracy": of.accuracy.mean,
                        "accuracy_se": of.accuracy.se,
                        "balanced_accuracy": of.balanced_accuracy.mean,
                        "balanced_accuracy_se": of.balanced_accuracy.se,
                        "log_loss": of.log_loss.mean,
                        "log_loss_se": of.log_loss.se,
                        "size": of.size.mean,
                        "behind": behind.map(|behind| behind.mean),
                        "behind_se": behind.map(|behind| behind.se),
                    })
                });
                let Candidate { alpha, order } = validation.candidate(chosen.place);
                let choice = json!({
                    "choose": choose.name(),
                    "score": score.name(),
                    "folds": validation.folds,
                    "repeats": validation.repeats,
                    "alpha": alpha.to_string(),
                    "order": order.name(),
                    "tried": tried.collect::<Vec<Value>>(),
                });
                vec![("choice".to_string(), choice)]
            }
            By::Curve { budget, within, .. } => {
                let budget = json!({
                    "max_size": budget.size,
                    "max_rules": budget.rules,
                    "max_errors": budget.errors.map(|errors| errors.to_string()),
                    "least_errors": within.least_errors,
                    "least_size": within.least_size,
                });
                vec![("budget".to_string(), budget)]
            }
        }
    }

    /// The same in words.
    pub(crate) fn in_words(&self) -> Vec<String> {
        match &self.by {
            By::Asking => Vec::new(),
            By::Folds { validation, chosen, score, choose } => {
                let (best, of) = match choose {
                    Choose::OneSe => {
                        ("the largest that is at most one standard error behind the best", score.name())
                    }
                    Choose::Best => ("the best", score.name()),
                };
                let Candidate { alpha, order } = validation.candidate(chosen.place);
                let mut said = vec![format!(
                    "Alpha {alpha} was chosen of {}, by {} in {}: {best}.",
                    count(validation.alphas.len(), "alpha"),
                    of.replace('-', " "),
                    validation.how(),
                )];
                if validation.orders.len() > 1 {
                    said.push(match order {
                        Order::None => "So was that classes have no order: the rarest class first is no better.",
                        _ => "So was the order of the classes, the rarest first: it is better than none.",
                    }.to_string());
                }
                said
            }
            By::Curve { within, errors, size, .. } => {
                let mut said = vec![
                    "The set is the best within the budget of those on the curve of best trades."
                        .to_string(),
                ];
                said.extend(within.least_errors.filter(|least| least < errors).map(|least| {
                    format!(
                        "A set within the budget that is not on the curve could make fewer errors than {errors}, \
                         but no fewer than {least}."
                    )
                }));
                said.extend(within.least_size.filter(|least| *least < *size as u64).map(|least| {
                    format!(
                        "A set within the budget that is not on the curve could be smaller than {size}, but no \
                         smaller than {least}."
                    )
                }));
                said
            }
        }
    }
}
