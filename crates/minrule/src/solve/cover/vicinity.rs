//! Better covers in the vicinity of a good one: some of its rules are given up, and what they alone
//! covered is covered anew, at least cost, by branch and bound (large neighbourhood search, Shaw
//! 1998).
//!
//! The rules given up are neighbours: they cover the same examples. There are as many of them as
//! branch and bound can deal with: one more after a search that was completed, one fewer after
//! one that was not. In every other search one of them must not come back, and a cover that costs as
//! much will do: so the cover changes, and with it the vicinity. The random choices are the same in
//! every run.

use super::{CoverProblem, few_solves, greedy, reduce};
use crate::limits::{Halt, Stop};
use crate::solve::evidence::Scribe;
use crate::solve::rule::Coverage;
use crate::solve::workers::Workers;

/// Rules that are given up at first, at most; of a small cover, half.
const FIRST: usize = 6;
/// LPs of a search.
const SOLVES: u64 = 20;
/// Searches in a row that may bring nothing.
const PATIENCE: usize = 60;

/// A cover that costs no more than this one. Whoever is asked to stop has what was found so far.
pub(super) fn improve(
    problem: &CoverProblem,
    start: &[usize],
    on: (&Stop, &Workers),
) -> Result<Vec<usize>, Halt> {
    let mut random = fastrand::Rng::with_seed(0);
    let mut cover = start.to_vec();
    let mut size = FIRST.min(cover.len() / 2).max(1);
    let (mut in_vain, mut searches) = (0, 0);
    while in_vain < PATIENCE && size < cover.len() && !on.0.requested() {
        in_vain += 1;
        searches += 1;
        let (given_up, kept) = neighbours(problem, &cover, size, &mut random);
        let banned = (in_vain % 2 == 0).then(|| given_up[random.usize(..given_up.len())]);
        let cutoff = problem.cost(&given_up) + u64::from(banned.is_some());
        let (found, complete) = match cover_again(problem, &kept, banned, cutoff, on) {
            Err(Halt::Stopped) => break,
            done => done?,
        };
        size = if complete { size + 1 } else { (size - 1).max(1) };
        if let Some(found) = found {
            let other = greedy::without_redundant(problem, [kept, found].concat());
            if problem.cost(&other) < problem.cost(&cover) {
                in_vain = 0;
            }
            cover = other;
        }
    }
    let (before, after) = (problem.cost(start), problem.cost(&cover));
    log::debug!("cover: from {before} to {after} by {searches} searches, the last one for {size} rules");
    Ok(cover)
}

/// Some rules of a cover that cover the same examples as one of them, drawn by lot, and the others.
fn neighbours(
    problem: &CoverProblem,
    cover: &[usize],
    size: usize,
    random: &mut fastrand::Rng,
) -> (Vec<usize>, Vec<usize>) {
    let center = &problem.coverages[cover[random.usize(..cover.len())]];
    let mut order: Vec<(f64, usize)> = Vec::new();
    for &rule in cover {
        let shared = problem.coverages[rule].intersection_count(center) as f64;
        order.push((shared * (0.5 + random.f64()) + random.f64(), rule));
    }
    order.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut rules: Vec<usize> = order.into_iter().map(|(_, rule)| rule).collect();
    let kept = rules.split_off(size);
    (rules, kept)
}

/// The cheapest rules that cover what these leave open, if any cost less than the cutoff, as far as a short
/// search can tell; and whether it was completed.
fn cover_again(
    problem: &CoverProblem,
    kept: &[usize],
    banned: Option<usize>,
    cutoff: u64,
    on: (&Stop, &Workers),
) -> Result<(Option<Vec<usize>>, bool), Halt> {
    let mut covered = Coverage::with_capacity(problem.examples);
    kept.iter().for_each(|&rule| covered.union_with(&problem.coverages[rule]));
    let open: Vec<usize> = covered.zeroes().collect();
    let useful = |&rule: &usize| Some(rule) != banned && !problem.coverages[rule].is_subset(&covered);
    let rules: Vec<usize> = (0..problem.costs.len()).filter(useful).collect();
    let coverage = |&rule: &usize| {
        let covers = |(_, example): &(usize, &usize)| problem.coverages[rule].contains(**example);
        let mut coverage = Coverage::with_capacity(open.len());
        coverage.extend(open.iter().enumerate().filter(covers).map(|(place, _)| place));
        coverage
    };
    let rest = CoverProblem {
        examples: open.len(),
        coverages: rules.iter().map(coverage).collect(),
        costs: rules.iter().map(|&rule| problem.costs[rule]).collect(),
        max_rules: problem.max_rules.map(|most| most.saturating_sub(kept.len())),
    };
    if rest.cannot_be_covered().is_some() {
        return Ok((None, true));
    }
    let reduced = reduce::reduce(&rest, on.0, &Scribe::default());
    let whole = |part: Vec<usize>| {
        let cover = reduced.with_essential(&part);
        cover.into_iter().map(|rule| rules[rule]).collect::<Vec<usize>>()
    };
    match cutoff.saturating_sub(rest.cost(&reduced.essential)) {
        0 => Ok((None, true)),
        _ if reduced.problem.examples == 0 => Ok((Some(whole(Vec::new())), true)),
        cutoff => {
            let (part, complete) = few_solves(&reduced.problem, cutoff, SOLVES, on)?;
            Ok((part.map(whole), complete))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn random_problem(random: &mut fastrand::Rng) -> CoverProblem {
        let (examples, rules) = (60, 150);
        let mut coverages = vec![Coverage::with_capacity(examples); rules];
        for example in 0..examples {
            (0..5).for_each(|_| coverages[random.usize(0..rules)].insert(example));
        }
        let costs = (0..rules).map(|_| random.u64(3..8)).collect();
        CoverProblem { examples, coverages, costs, max_rules: None }
    }

    #[test]
    fn covers_get_cheaper_and_are_the_same_on_any_number_of_threads() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut better = 0;
        for _ in 0..10 {
            let problem = random_problem(&mut random);
            let start = greedy::greedy(&problem);
            let found = [1, 2].map(|threads| {
                let on = (&Stop::default(), &Workers::new(threads));
                improve(&problem, &start, on).unwrap()
            });
            assert_eq!(found[0], found[1]);
            assert!(problem.is_cover(&found[0]));
            assert!(problem.cost(&found[0]) <= problem.cost(&start));
            better += usize::from(problem.cost(&found[0]) < problem.cost(&start));
        }
        assert!(better > 5, "only {better} of 10");
    }

    #[test]
    fn who_is_asked_to_stop_keeps_the_cover() {
        let problem = random_problem(&mut fastrand::Rng::with_seed(4));
        let (stop, start) = (Stop::default(), greedy::greedy(&problem));
        stop.request(crate::limits::StopReason::TimeLimit);
        assert_eq!(improve(&problem, &start, (&stop, &Workers::new(1))).unwrap(), start);
    }
}
