//! Makes a covering problem smaller without losing its smallest covers' cost.
//!
//! The classical reductions, repeated until none applies:
//!
//! - a rule is *dominated* if another covers all its examples at no greater cost;
//! - an example is *dominated* if every rule that covers some other example covers it too;
//! - a rule is *essential* if it alone covers some example.
//!
//! They stay exact under a limit on the number of rules, since each trades one rule for one.

use hashbrown::HashMap;

use super::CoverProblem;
use crate::limits::Stop;
use crate::solve::evidence::Scribe;
use crate::solve::rule::Coverage;

/// Words of bits that each search for dominated rules or examples may compare. What is not
/// compared stays, which costs the solver time but never a result.
const WORK: u64 = 500_000_000;

/// What is left of a problem.
pub(super) struct Reduced {
    pub(super) problem: CoverProblem,
    /// Rules of the original problem that some cover of least cost contains.
    pub(super) essential: Vec<usize>,
    /// For each rule left, its number in the original problem.
    original: Vec<usize>,
    /// For each example left, its number in the original problem.
    examples: Vec<usize>,
}

impl Reduced {
    /// The scribe for what is left, after the essential rules were paid for.
    pub(super) fn scribe<'l>(&self, scribe: &Scribe<'l>, paid: u64) -> Scribe<'l> {
        scribe.within(&self.original, &self.examples, paid)
    }

    /// A cover of what is left as a cover of the original problem.
    pub(super) fn with_essential(&self, part: &[usize]) -> Vec<usize> {
        let mut cover = self.essential.clone();
        cover.extend(part.iter().map(|&rule| self.original[rule]));
        cover.sort_unstable();
        cover
    }

    /// A cover of the original problem as one of what is left: for each rule that is gone, one
    /// that covers as much of what is left at no greater cost.
    pub(super) fn translate(&self, problem: &CoverProblem, cover: &[usize]) -> Option<Vec<usize>> {
        let mut part = Vec::new();
        for &rule in cover.iter().filter(|rule| !self.essential.contains(rule)) {
            let mut rest = Coverage::with_capacity(self.problem.examples);
            for (new, &old) in self.examples.iter().enumerate() {
                rest.set(new, problem.coverages[rule].contains(old));
            }
            if rest.is_clear() {
                continue;
            }
            let stands_in = |&new: &usize| {
                self.problem.costs[new] <= problem.costs[rule]
                    && rest.is_subset(&self.problem.coverages[new])
            };
            let same = self.original.binary_search(&rule).ok().filter(stands_in);
            part.push(same.or_else(|| (0..self.original.len()).find(stands_in))?);
        }
        part.sort_unstable();
        part.dedup();
        Some(part)
    }
}

struct State<'p> {
    problem: &'p CoverProblem,
    scribe: &'p Scribe<'p>,
    /// Examples still to cover.
    examples: Coverage,
    /// Rules still to choose from, in order.
    rules: Vec<usize>,
    /// For each rule of the problem, what it covers of `examples`.
    coverages: Vec<Coverage>,
    essential: Vec<usize>,
}

pub(super) fn reduce(problem: &CoverProblem, stop: &Stop, scribe: &Scribe) -> Reduced {
    let mut state = State {
        problem,
        scribe,
        examples: Coverage::with_capacity(problem.examples),
        rules: (0..problem.costs.len()).collect(),
        coverages: problem.coverages.clone(),
        essential: Vec::new(),
    };
    state.examples.insert_range(..);
    loop {
        let before = (state.rules.len(), state.examples.count_ones(..));
        state.drop_dominated_rules();
        state.take_essential_rules();
        state.drop_dominated_examples();
        let after = (state.rules.len(), state.examples.count_ones(..));
        if before == after || stop.requested() {
            return state.finish();
        }
    }
}

impl State<'_> {
    fn drop_dominated_rules(&mut self) {
        let cost = |rule: usize| self.problem.costs[rule];
        // Equal coverages first, by hashing: they are the most common case.
        let mut cheapest: HashMap<&Coverage, usize> = HashMap::new();
        for &rule in &self.rules {
            let coverage = &self.coverages[rule];
            if !coverage.is_clear() {
                let best = cheapest.entry(coverage).or_insert(rule);
                if cost(rule) < cost(*best) {
                    *best = rule;
                }
            }
        }
        for &rule in &self.rules {
            if let Some(&best) = cheapest.get(&self.coverages[rule])
                && best != rule
            {
                self.scribe.drop(rule, best);
            }
        }
        // Larger coverages first: a rule is dominated only by one that stands before it.
        let mut order: Vec<usize> = cheapest.into_values().collect();
        order.sort_by_key(|&rule| {
            (std::cmp::Reverse(self.coverages[rule].count_ones(..)), cost(rule), rule)
        });
        let mut kept_with: Vec<Vec<usize>> = vec![Vec::new(); self.problem.examples];
        let mut kept = Vec::new();
        let words = self.problem.examples as u64 / 64 + 1;
        let mut work = 0;
        for rule in order {
            let coverage = &self.coverages[rule];
            let rarest = coverage.ones().min_by_key(|&example| kept_with[example].len());
            let others = &kept_with[rarest.expect("empty coverages were left out")];
            work += words * others.len() as u64;
            let as_good = |other: &&usize| {
                cost(**other) <= cost(rule) && coverage.is_subset(&self.coverages[**other])
            };
            match others.iter().find(|other| work <= WORK && as_good(other)) {
                Some(&other) => self.scribe.drop(rule, other),
                None => {
                    coverage.ones().for_each(|example| kept_with[example].push(rule));
                    kept.push(rule);
                }
            }
        }
        kept.sort_unstable();
        self.rules = kept;
    }

    /// Of each example still to cover, the positions in `rules` of the rules that cover it.
    fn rules_by_example(&self) -> HashMap<usize, Coverage> {
        let empty = Coverage::with_capacity(self.rules.len());
        let mut by_example: HashMap<usize, Coverage> =
            self.examples.ones().map(|example| (example, empty.clone())).collect();
        for (position, &rule) in self.rules.iter().enumerate() {
            for example in self.coverages[rule].ones() {
                by_example.get_mut(&example).expect("coverages are restricted").insert(position);
            }
        }
        by_example
    }

    fn take_essential_rules(&mut self) {
        let mut count = vec![0u32; self.problem.examples];
        let mut last = vec![0; self.problem.examples];
        for &rule in &self.rules {
            for example in self.coverages[rule].ones() {
                count[example] += 1;
                last[example] = rule;
            }
        }
        let alone = self.examples.ones().filter(|&example| count[example] == 1);
        let mut alone: Vec<(usize, usize)> = alone.map(|example| (last[example], example)).collect();
        alone.sort_unstable();
        alone.dedup_by_key(|(rule, _)| *rule);
        let essential: Vec<usize> = alone.iter().map(|(rule, _)| *rule).collect();
        for &(rule, example) in &alone {
            self.scribe.take(rule, example);
            self.examples.difference_with(&self.problem.coverages[rule]);
        }
        self.rules.retain(|rule| essential.binary_search(rule).is_err());
        self.essential.extend(essential);
        self.restrict();
    }

    fn drop_dominated_examples(&mut self) {
        let examples = self.examples.count_ones(..);
        let words = self.rules.len() as u64 / 64 + 1;
        if examples as u64 * words > WORK {
            return;
        }
        let by_example = self.rules_by_example();
        let mut order: Vec<usize> = self.examples.ones().collect();
        order.sort_by_key(|example| (by_example[example].count_ones(..), *example));
        let mut work = 0;
        for &strict in &order {
            if !self.examples.contains(strict) {
                continue;
            }
            let rules = &by_example[&strict];
            let narrowest = rules.ones().map(|position| &self.coverages[self.rules[position]]);
            let Some(narrowest) = narrowest.min_by_key(|coverage| coverage.count_ones(..)) else {
                continue;
            };
            work += words * narrowest.count_ones(..) as u64;
            if work > WORK {
                break;
            }
            for loose in narrowest.ones() {
                if loose != strict
                    && rules.is_subset(&by_example[&loose])
                    && self.examples.contains(loose)
                {
                    self.scribe.spare(loose, strict);
                    self.examples.remove(loose);
                }
            }
        }
        self.restrict();
    }

    fn restrict(&mut self) {
        for &rule in &self.rules {
            self.coverages[rule].intersect_with(&self.examples);
        }
    }

    fn finish(self) -> Reduced {
        let mut position = vec![0; self.problem.examples];
        for (new, old) in self.examples.ones().enumerate() {
            position[old] = new;
        }
        let left: Vec<usize> = self.examples.ones().collect();
        let examples = left.len();
        let original: Vec<usize> =
            self.rules.into_iter().filter(|&rule| !self.coverages[rule].is_clear()).collect();
        let renumber = |&rule: &usize| {
            let mut coverage = Coverage::with_capacity(examples);
            self.coverages[rule].ones().for_each(|example| coverage.insert(position[example]));
            coverage
        };
        let max_rules = self.problem.max_rules.map(|most| most.saturating_sub(self.essential.len()));
        let problem = CoverProblem {
            examples,
            coverages: original.iter().map(renumber).collect(),
            costs: original.iter().map(|&rule| self.problem.costs[rule]).collect(),
            max_rules,
        };
        Reduced { problem, essential: self.essential, original, examples: left }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn problem(examples: usize, rules: &[(&[usize], u64)]) -> CoverProblem {
        let coverage = |list: &[usize]| {
            let mut coverage = Coverage::with_capacity(examples);
            list.iter().for_each(|&example| coverage.insert(example));
            coverage
        };
        CoverProblem {
            examples,
            coverages: rules.iter().map(|(list, _)| coverage(list)).collect(),
            costs: rules.iter().map(|(_, cost)| *cost).collect(),
            max_rules: None,
        }
    }

    #[test]
    fn dominated_rules_go_and_what_is_left_is_essential() {
        let p = problem(3, &[(&[0, 1], 2), (&[0], 2), (&[1, 2], 1), (&[0, 1], 3)]);
        let reduced = reduce(&p, &Stop::default(), &Scribe::default());
        assert_eq!(reduced.problem.examples, 0);
        assert_eq!(reduced.with_essential(&[]), [0, 2]);
    }

    #[test]
    fn a_cheaper_small_rule_is_not_dominated_by_a_dear_large_one() {
        let p = problem(2, &[(&[0, 1], 5), (&[0], 1), (&[1], 1)]);
        let reduced = reduce(&p, &Stop::default(), &Scribe::default());
        assert_eq!(reduced.problem.costs.len(), 3);
    }

    #[test]
    fn an_example_that_comes_along_with_another_goes() {
        // Whoever covers example 0 covers example 1.
        let p = problem(4, &[(&[0, 1, 2], 1), (&[0, 1, 3], 1), (&[1, 2, 3], 1)]);
        let reduced = reduce(&p, &Stop::default(), &Scribe::default());
        assert_eq!(reduced.problem.examples, 3);
    }
}
