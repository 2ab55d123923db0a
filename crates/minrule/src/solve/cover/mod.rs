//! Stage 2: the smallest set of rules that covers every example of a class.

mod branch;
mod cuts;
mod greedy;
mod ilp;
mod local;
pub(crate) mod lp;
mod maxsat;
mod open_lp;
mod reduce;
mod simplex;
mod vicinity;

use serde::{Deserialize, Serialize};

pub(crate) use branch::SCALE;
use branch::{Branch, Branched};
pub(crate) use greedy::greedy;
use ilp::Highs;
pub(crate) use local::improve;
use maxsat::CoreGuided;

use crate::limits::{Halt, Stop};
use crate::names::choices;
use crate::solve::class_problem::ClassProblem;
use crate::solve::evidence::{self, Log, ROOT, Scribe};
use crate::solve::objective::Cost;
use crate::solve::rule::{Coverage, Rule};
use crate::solve::tariff::Part;
use crate::solve::workers::Workers;

/// Which solver chooses the cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoverMethod {
    /// Branch and bound over the linear relaxation.
    #[default]
    Branch,
    /// Integer linear programming (HiGHS).
    Ilp,
    /// MaxSAT, with the solver of stage 1.
    Maxsat,
}

choices!(CoverMethod {
    Branch = "branch": "Branch and bound over the linear relaxation",
    Ilp = "ilp": "Integer linear programming (HiGHS)",
    Maxsat = "maxsat": "MaxSAT",
});

/// A set covering problem: choose rules of least total cost so that each example is covered.
#[derive(Debug, Clone)]
pub(crate) struct CoverProblem {
    /// Examples to cover.
    pub(crate) examples: usize,
    /// Of each rule, the examples it covers.
    pub(crate) coverages: Vec<Coverage>,
    /// Of each rule.
    pub(crate) costs: Vec<u64>,
    /// The most rules that may be chosen.
    pub(crate) max_rules: Option<usize>,
}

impl CoverMethod {
    fn solver(self) -> &'static dyn CoverSolver {
        match self {
            CoverMethod::Branch => &Branch,
            CoverMethod::Ilp => &Highs,
            CoverMethod::Maxsat => &CoreGuided,
        }
    }
}

impl CoverProblem {
    /// Covers of so many examples by these rules, each of which costs what `cost` says.
    pub(crate) fn new<'r>(
        examples: usize,
        rules: impl IntoIterator<Item = &'r Rule>,
        cost: impl Fn(&Rule) -> u64,
    ) -> CoverProblem {
        let (coverages, costs) =
            rules.into_iter().map(|rule| (rule.coverage.clone(), cost(rule))).unzip();
        CoverProblem { examples, coverages, costs, max_rules: None }
    }

    /// Whether these rules cover every example, and are not too many. Exact: solvers that work
    /// in floating point are believed only after this.
    pub(crate) fn is_cover(&self, chosen: &[usize]) -> bool {
        let mut covered = Coverage::with_capacity(self.examples);
        for &rule in chosen {
            covered.union_with(&self.coverages[rule]);
        }
        covered.is_full() && self.max_rules.is_none_or(|most| chosen.len() <= most)
    }

    /// An example that is in no rule, if there is one.
    fn cannot_be_covered(&self) -> Option<usize> {
        let mut covered = Coverage::with_capacity(self.examples);
        self.coverages.iter().for_each(|coverage| covered.union_with(coverage));
        covered.zeroes().next()
    }

    /// This problem with only the given rules.
    fn restricted(&self, rules: &[usize]) -> CoverProblem {
        CoverProblem {
            examples: self.examples,
            coverages: rules.iter().map(|&rule| self.coverages[rule].clone()).collect(),
            costs: rules.iter().map(|&rule| self.costs[rule]).collect(),
            max_rules: self.max_rules,
        }
    }

    /// What these rules cost.
    pub(crate) fn cost(&self, chosen: &[usize]) -> u64 {
        chosen.iter().map(|&rule| self.costs[rule]).sum()
    }
}

/// What a solver may tell while it works.
pub(crate) enum Finding {
    /// A valid cover.
    Cover(Vec<usize>),
    /// No cover costs less.
    Bound(u64),
}

/// What a solver is asked for: a cover of least cost, if one costs less than the cutoff.
struct Quest<'q> {
    problem: &'q CoverProblem,
    /// A cover to begin with, if one is known. It never costs less than the cutoff.
    start: Option<&'q [usize]>,
    cutoff: u64,
    /// Whoever is asked to stop answers with [`Halt::Stopped`].
    stop: &'q Stop,
    /// Threads to share the work; nobody has to.
    workers: &'q Workers,
    /// Takes down the argument, if anyone wants to know it and the solver has one; most have none.
    scribe: &'q Scribe<'q>,
}

/// A solver of [`CoverProblem`]s. One file each.
trait CoverSolver: Sync {
    /// The cover asked for; `None` says that no cover costs less than the cutoff. What is found on the way may
    /// be told to `tell`.
    fn solve(&self, quest: &Quest, tell: &mut dyn FnMut(Finding)) -> Result<Option<Vec<usize>>, Halt>;
}

/// News about the cover in the making, in terms of the rules given and the whole objective.
pub(crate) enum News {
    /// A valid cover, by positions in the list of rules.
    Cover(Vec<usize>),
    /// No cover costs less.
    Bound(Cost),
}

/// A cover of least cost among these rules, by positions in the list. `start` is a cover to improve
/// on, if one is known.
///
/// A lexicographic objective takes two passes, the second with the first one's result as a limit
/// on the number of rules: safer with a floating-point solver than one large weight.
pub(crate) fn minimum_cover(
    rules: &[Rule],
    class: &ClassProblem,
    method: CoverMethod,
    start: Option<Vec<usize>>,
    on: (&Stop, &Workers),
    tell: &mut dyn FnMut(News),
) -> Result<Vec<usize>, Halt> {
    let cover = minimum_part(rules, class, (Part::First, method), start, on, None, tell)?;
    if !class.tariffs().is_lexicographic() {
        return Ok(cover);
    }
    let second = Part::Second { rules: cover.len() };
    minimum_part(rules, class, (second, method), Some(cover), on, None, tell)
}

/// A cover of which this part of the cost is least.
pub(crate) fn minimum_part(
    rules: &[Rule],
    class: &ClassProblem,
    (part, method): (Part, CoverMethod),
    start: Option<Vec<usize>>,
    on: (&Stop, &Workers),
    log: Option<&Log>,
    tell: &mut dyn FnMut(News),
) -> Result<Vec<usize>, Halt> {
    let examples = class.positives.len();
    let mut problem = CoverProblem::new(examples, rules, |rule| part.of(rule.cost));
    problem.max_rules = part.limit();
    let cutoff = start.as_ref().map_or(u64::MAX, |start| problem.cost(start));
    let scribe = Scribe::new(log, rules.len(), examples);
    if let Some(log) = log {
        log.begin(evidence::tariff(part.tariff(class.tariffs())), problem.max_rules, SCALE);
    }
    let known = start.as_deref();
    let better = solve_below(&problem, cutoff, known, method.solver(), on, &scribe, &mut |finding| {
        tell(match finding {
            Finding::Cover(cover) => News::Cover(cover),
            Finding::Bound(value) => News::Bound(part.cost(value)),
        });
    })?;
    let none = || Halt::Failed("no rule covers some example".to_string());
    let cover = better.or(start).ok_or_else(none)?;
    tell(News::Cover(cover.clone()));
    tell(News::Bound(part.cost(problem.cost(&cover))));
    Ok(cover)
}

/// A cover of fewer rules has no vicinity that is smaller than the whole.
const FEW_RULES: usize = 12;
/// LPs in which an easy problem is solved to the end, and from how many rules a cover no problem is easy.
const FEW_SOLVES: u64 = 200;
pub(crate) const MANY_RULES: usize = 50;

/// How much a better cover is worth.
#[derive(Clone, Copy)]
pub(crate) enum Effort {
    /// So many LPs of branch and bound.
    Solves(u64),
    /// A search of its [vicinity]; for a cover of few rules, so many LPs.
    Vicinity(u64),
}

/// A good cover, as good as `start` at least.
pub(crate) fn good_cover(
    problem: &CoverProblem,
    start: &[usize],
    effort: Effort,
    on: (&Stop, &Workers),
) -> Result<Vec<usize>, Halt> {
    let stop = on.0;
    let reduced = reduce::reduce(problem, stop, &Scribe::default());
    let small = &reduced.problem;
    let Some(part) = reduced.translate(problem, start).filter(|part| small.is_cover(part)) else {
        return Ok(start.to_vec());
    };
    let part = improve(small, &part, stop);
    let cutoff = small.cost(&part);
    let (solves, wide) = match effort {
        Effort::Vicinity(most) if part.len() >= FEW_RULES => (FEW_SOLVES.min(most), true),
        Effort::Vicinity(most) | Effort::Solves(most) => (most, false),
    };
    let (better, complete) = if wide && part.len() >= MANY_RULES {
        (None, false)
    } else {
        few_solves(small, cutoff, solves, on)?
    };
    let mut part = better.unwrap_or(part);
    if wide && !complete {
        part = vicinity::improve(small, &part, on)?;
    }
    Ok(reduced.with_essential(&part))
}

/// The best cover below the cutoff that branch and bound finds with so many LPs, and whether there is
/// no better one.
fn few_solves(
    problem: &CoverProblem,
    cutoff: u64,
    most_solves: u64,
    on: (&Stop, &Workers),
) -> Result<(Option<Vec<usize>>, bool), Halt> {
    let mut rules: Vec<usize> = (0..problem.costs.len()).collect();
    loop {
        let rest = problem.restricted(&rules);
        let whole = |part: Vec<usize>| part.into_iter().map(|rule| rules[rule]).collect();
        let (scribe, none) = (&Scribe::default(), &mut |_| ());
        match branch::branch(&rest, None, cutoff, most_solves, on, scribe, none)? {
            Branched::Cover(cover) => return Ok((Some(whole(cover)), true)),
            Branched::NoneBelow => return Ok((None, true)),
            Branched::Unfinished(cover) => return Ok((cover.map(whole), false)),
            Branched::Only(left) => rules = whole(left),
        }
    }
}

/// A cover of least cost: `start`, or a better one.
pub(crate) fn cheapest(
    problem: &CoverProblem,
    method: CoverMethod,
    start: Vec<usize>,
    on: (&Stop, &Workers),
    tell: &mut dyn FnMut(Finding),
) -> Result<Vec<usize>, Halt> {
    let (cutoff, scribe) = (problem.cost(&start), &Scribe::default());
    let better = solve_below(problem, cutoff, Some(&start), method.solver(), on, scribe, tell)?;
    Ok(better.unwrap_or(start))
}

/// A cover of these rules that costs less than this one, the cheapest of all, if there is any.
pub(crate) fn cheaper_cover(
    problem: &CoverProblem,
    than: &[usize],
    on: (&Stop, &Workers),
) -> Result<Option<Vec<usize>>, Halt> {
    let cutoff = problem.cost(than);
    let scribe = &Scribe::default();
    solve_below(problem, cutoff, Some(than), &Branch, on, scribe, &mut |_| ())
}

/// A cover of least cost, if one costs less than `cutoff`: reduces the problem, solves what is
/// left, and translates back.
fn solve_below(
    problem: &CoverProblem,
    cutoff: u64,
    known: Option<&[usize]>,
    solver: &dyn CoverSolver,
    on: (&Stop, &Workers),
    scribe: &Scribe,
    tell: &mut dyn FnMut(Finding),
) -> Result<Option<Vec<usize>>, Halt> {
    let (stop, workers) = on;
    if let Some(example) = problem.cannot_be_covered() {
        scribe.stuck(ROOT, example);
        return Ok(None);
    }
    let reduced = reduce::reduce(problem, stop, scribe);
    log::debug!(
        "cover: {} rules and {} examples, reduced to {} and {} after {} essential rules",
        problem.costs.len(),
        problem.examples,
        reduced.problem.costs.len(),
        reduced.problem.examples,
        reduced.essential.len(),
    );
    let whole = |part: &[usize]| reduced.with_essential(part);
    let paid = problem.cost(&reduced.essential);
    let small = &reduced.problem;
    let mut cutoff = match cutoff.checked_sub(paid) {
        None | Some(0) => return Ok(None),
        Some(cutoff) => cutoff,
    };
    if small.examples == 0 {
        return Ok(Some(whole(&[])).filter(|cover| problem.is_cover(cover)));
    }
    let known = known.and_then(|known| reduced.translate(problem, known));
    let start = known.into_iter().chain([greedy(small)]).filter(|start| small.is_cover(start));
    let start = start.min_by_key(|start| small.cost(start));
    let start = start.map(|start| improve(small, &start, stop));
    let mut best = None;
    if let Some(start) = &start
        && small.cost(start) < cutoff
    {
        cutoff = small.cost(start);
        tell(Finding::Cover(whole(start)));
        best = Some(whole(start));
    }
    let mut tell = |finding| {
        tell(match finding {
            Finding::Cover(part) => Finding::Cover(whole(&part)),
            Finding::Bound(value) => Finding::Bound(paid + value),
        });
    };
    let scribe = &reduced.scribe(scribe, paid);
    let quest = Quest { problem: small, start: start.as_deref(), cutoff, stop, workers, scribe };
    let part = solver.solve(&quest, &mut tell)?;
    let Some(part) = part else { return Ok(best) };
    let chosen = whole(&part);
    if problem.is_cover(&chosen) {
        Ok(Some(chosen))
    } else {
        Err(Halt::Failed("the solver's cover leaves an example uncovered".to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::Choice;

    /// The least cost by trying every subset.
    fn brute_force(problem: &CoverProblem) -> Option<u64> {
        (0u32..1 << problem.costs.len())
            .map(|set| (0..problem.costs.len()).filter(|i| set >> i & 1 == 1).collect::<Vec<_>>())
            .filter(|chosen| problem.is_cover(chosen))
            .map(|chosen| problem.cost(&chosen))
            .min()
    }

    fn random_problem(random: &mut fastrand::Rng) -> CoverProblem {
        let examples = random.usize(1..8);
        let rules = random.usize(1..11);
        let mut coverages = vec![Coverage::with_capacity(examples); rules];
        for example in 0..examples {
            coverages[random.usize(0..rules)].insert(example);
            for coverage in &mut coverages {
                if random.u8(0..3) == 0 {
                    coverage.insert(example);
                }
            }
        }
        let costs = (0..rules).map(|_| random.u64(1..6)).collect();
        CoverProblem { examples, coverages, costs, max_rules: None }
    }

    #[test]
    fn every_solver_finds_the_least_cost_of_random_problems() {
        let mut random = fastrand::Rng::with_seed(11);
        for round in 0..400 {
            let mut problem = random_problem(&mut random);
            if round % 2 == 1 {
                // A limit that can be kept: the fewest rules that cover, or one more.
                let fewest = CoverProblem { costs: vec![1; problem.costs.len()], ..problem.clone() };
                let fewest = brute_force(&fewest).unwrap() as usize;
                problem.max_rules = Some(fewest + round / 2 % 2);
            }
            let expected = brute_force(&problem);
            for &method in CoverMethod::ALL {
                let mut bounds = vec![0];
                let tell = &mut |finding| match finding {
                    Finding::Cover(cover) => assert!(problem.is_cover(&cover)),
                    Finding::Bound(bound) => bounds.push(bound),
                };
                let on = (&Stop::default(), &Workers::new(1 + round % 2));
                let scribe = &Scribe::default();
                let chosen = solve_below(&problem, u64::MAX, None, method.solver(), on, scribe, tell);
                let chosen = chosen.unwrap().unwrap();
                assert_eq!(Some(problem.cost(&chosen)), expected, "{method:?} {problem:?}");
                assert!(bounds.iter().max() <= expected.as_ref(), "{method:?} {problem:?}");
            }
        }
    }
}
