//! Stage 2: the smallest set of rules that covers every example of a class.

mod greedy;
mod ilp;
mod maxsat;
mod reduce;

use serde::{Deserialize, Serialize};

pub(crate) use greedy::greedy;

use crate::limits::{Halt, Stop};
use crate::objective::{Cost, Objective};
use crate::rule::{Coverage, Rule};

/// Which solver chooses the cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CoverMethod {
    /// Integer linear programming (HiGHS).
    #[default]
    Ilp,
    /// MaxSAT, with the solver of stage 1.
    Maxsat,
}

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

impl CoverProblem {
    /// Whether these rules cover every example, and are not too many. Exact: solvers that work
    /// in floating point are believed only after this.
    pub(crate) fn is_cover(&self, chosen: &[usize]) -> bool {
        let mut covered = Coverage::with_capacity(self.examples);
        for &rule in chosen {
            covered.union_with(&self.coverages[rule]);
        }
        covered.is_full() && self.max_rules.is_none_or(|most| chosen.len() <= most)
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

/// A solver of [`CoverProblem`]s. One file each.
pub(crate) trait CoverSolver {
    /// A cover of least cost. `start` is a cover to begin with, if one is known; findings on the
    /// way are told to `tell`.
    fn solve(
        &self,
        problem: &CoverProblem,
        start: Option<&[usize]>,
        stop: &Stop,
        tell: &mut dyn FnMut(Finding),
    ) -> Result<Vec<usize>, Halt>;
}

impl CoverMethod {
    fn solver(self) -> &'static dyn CoverSolver {
        match self {
            CoverMethod::Ilp => &ilp::Highs,
            CoverMethod::Maxsat => &maxsat::CoreGuided,
        }
    }
}

/// News about the cover in the making, in terms of the rules given and the whole objective.
pub(crate) enum News {
    /// A valid cover, by positions in the list of rules.
    Cover(Vec<usize>),
    /// No cover costs less.
    Bound(Cost),
}

/// A cover of least cost among these rules, by positions in the list.
///
/// A lexicographic objective takes two passes, the second with the first one's result as a limit
/// on the number of rules: safer with a floating-point solver than one large weight.
pub(crate) fn minimum_cover(
    rules: &[Rule],
    examples: usize,
    objective: Objective,
    method: CoverMethod,
    stop: &Stop,
    tell: &mut dyn FnMut(News),
) -> Result<Vec<usize>, Halt> {
    let mut max_rules = None;
    let mut chosen = Vec::new();
    let measures = objective.measures();
    for (pass, measure) in measures.iter().enumerate() {
        let problem = CoverProblem {
            examples,
            coverages: rules.iter().map(|rule| rule.coverage.clone()).collect(),
            costs: rules.iter().map(|rule| measure.of_rule(rule.size())).collect(),
            max_rules,
        };
        let known = max_rules.unwrap_or(0) as u64;
        let bound = |value: u64| match pass {
            0 => Cost { first: value, second: 0 },
            _ => Cost { first: known, second: value },
        };
        chosen = solve_reduced(&problem, method.solver(), stop, &mut |finding| {
            tell(match finding {
                Finding::Cover(cover) => News::Cover(cover),
                Finding::Bound(value) => News::Bound(bound(value)),
            });
        })?;
        tell(News::Cover(chosen.clone()));
        tell(News::Bound(bound(problem.cost(&chosen))));
        max_rules = Some(chosen.len());
    }
    Ok(chosen)
}

/// Reduces the problem, solves what is left, and translates back.
fn solve_reduced(
    problem: &CoverProblem,
    solver: &dyn CoverSolver,
    stop: &Stop,
    tell: &mut dyn FnMut(Finding),
) -> Result<Vec<usize>, Halt> {
    let reduced = reduce::reduce(problem, stop);
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
    if reduced.problem.examples == 0 {
        return Ok(whole(&[]));
    }
    let start = Some(greedy(&reduced.problem)).filter(|start| reduced.problem.is_cover(start));
    if let Some(start) = &start {
        tell(Finding::Cover(whole(start)));
    }
    let chosen = solver.solve(&reduced.problem, start.as_deref(), stop, &mut |finding| {
        tell(match finding {
            Finding::Cover(part) => Finding::Cover(whole(&part)),
            Finding::Bound(value) => Finding::Bound(paid + value),
        });
    })?;
    let chosen = whole(&chosen);
    if problem.is_cover(&chosen) {
        Ok(chosen)
    } else {
        Err(Halt::Failed("the solver's cover leaves an example uncovered".to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
            for method in [CoverMethod::Ilp, CoverMethod::Maxsat] {
                let mut bounds = vec![0];
                let chosen =
                    solve_reduced(&problem, method.solver(), &Stop::default(), &mut |f| match f {
                        Finding::Cover(cover) => assert!(problem.is_cover(&cover)),
                        Finding::Bound(bound) => bounds.push(bound),
                    });
                let chosen = chosen.unwrap();
                assert_eq!(Some(problem.cost(&chosen)), expected, "{method:?} {problem:?}");
                assert!(bounds.iter().max() <= expected.as_ref(), "{method:?} {problem:?}");
            }
        }
    }
}
