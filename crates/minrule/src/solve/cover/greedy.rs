//! A cover at once: the rule with the lowest cost for each new example, again and again.

use super::CoverProblem;
use crate::solve::rule::Coverage;

/// A cover that is small but seldom smallest; empty of redundant rules. If some example is in no
/// rule, or only so many rules are allowed, it need not be valid: see [`CoverProblem::is_cover`].
pub(crate) fn greedy(problem: &CoverProblem) -> Vec<usize> {
    let mut uncovered = Coverage::with_capacity(problem.examples);
    uncovered.insert_range(..);
    let mut chosen = Vec::new();
    // Rules with what they covered when last counted. That only ever falls, so a rule whose old
    // count cannot win need not be counted again.
    let mut gains: Vec<(u64, usize)> =
        problem.coverages.iter().map(|c| c.count_ones(..) as u64).zip(0..).collect();
    while !uncovered.is_clear() {
        let mut best: Option<(u64, usize)> = None;
        let better = |gain: u64, rule: usize, best: Option<(u64, usize)>| {
            best.is_none_or(|(most, leader)| {
                gain * problem.costs[leader].max(1) > most * problem.costs[rule].max(1)
            })
        };
        for (gain, rule) in &mut gains {
            if !better(*gain, *rule, best) {
                continue;
            }
            *gain = uncovered.intersection_count(&problem.coverages[*rule]) as u64;
            if *gain > 0 && better(*gain, *rule, best) {
                best = Some((*gain, *rule));
            }
        }
        let Some((_, rule)) = best else { break };
        chosen.push(rule);
        uncovered.difference_with(&problem.coverages[rule]);
        gains.retain(|(gain, _)| *gain > 0);
    }
    without_redundant(problem, chosen)
}

/// Drops rules, the dearest first, whose examples others cover too.
pub(super) fn without_redundant(problem: &CoverProblem, mut chosen: Vec<usize>) -> Vec<usize> {
    let mut times = vec![0u32; problem.examples];
    for &rule in &chosen {
        problem.coverages[rule].ones().for_each(|example| times[example] += 1);
    }
    let mut order = chosen.clone();
    order.sort_by_key(|&rule| std::cmp::Reverse((problem.costs[rule], rule)));
    for rule in order {
        if problem.coverages[rule].ones().all(|example| times[example] > 1) {
            problem.coverages[rule].ones().for_each(|example| times[example] -= 1);
            chosen.retain(|&other| other != rule);
        }
    }
    chosen.sort_unstable();
    chosen
}
