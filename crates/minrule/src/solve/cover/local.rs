//! Better covers by local search.
//!
//! Takes rules away from a cover until something is uncovered, covers an uncovered example again
//! by the rule that gains most, and so on, staying below the cost of the best cover known. An
//! example that is uncovered for long gains weight, which drives the search out of every corner
//! (row weighting, Gao, Weise and Li 2015). The random choices are the same in every run.

use super::CoverProblem;
use crate::limits::Stop;

/// Steps between two looks at the request to stop.
const STEPS_PER_LOOK: u64 = 64;

/// Gains counted anew, at most: a few hundredths of a second; and for each example in each rule.
const MOST_WORK: u64 = 10_000_000;
const WORK_EACH: u64 = 300;

/// A cover at least as good as `start`.
pub(crate) fn improve(problem: &CoverProblem, start: &[usize], stop: &Stop) -> Vec<usize> {
    if problem.examples == 0 || start.len() < 2 || !problem.is_cover(start) {
        return start.to_vec();
    }
    let mut search = Search::new(problem, start);
    let size: usize = search.examples_of.iter().map(Vec::len).sum();
    let work = MOST_WORK.min(WORK_EACH * size as u64);
    let mut random = fastrand::Rng::with_seed(0);
    let mut best = start.to_vec();
    let mut best_cost = problem.cost(start);
    for step in 1.. {
        if search.work > work || (step % STEPS_PER_LOOK == 0 && stop.requested()) {
            break;
        }
        while search.uncovered.is_empty() {
            let chosen = search.chosen();
            let fits = problem.max_rules.is_none_or(|most| chosen.len() <= most);
            if fits && search.cost < best_cost {
                (best, best_cost) = (chosen, search.cost);
            }
            let Some(rule) = search.least_missed(None) else { return best };
            search.take_away(rule, step);
        }
        if let Some(rule) = search.least_missed(search.added) {
            search.take_away(rule, step);
        }
        let example = search.uncovered[random.usize(..search.uncovered.len())];
        let Some(rule) = search.best_for(example) else { break };
        while search.cost + problem.costs[rule] >= best_cost {
            let Some(rule) = search.least_missed(None) else { return best };
            search.take_away(rule, step);
        }
        search.put_in(rule, step);
        search.weigh_uncovered();
    }
    best
}

struct Search<'p> {
    problem: &'p CoverProblem,
    examples_of: Vec<Vec<u32>>,
    rules_of: Vec<Vec<u32>>,
    inside: Vec<bool>,
    /// The rules inside, in no order.
    cover: Vec<usize>,
    /// Of a rule outside, the weight it would cover anew; of one inside, the weight that only it
    /// covers.
    gain: Vec<u64>,
    /// When a rule last came in or went out.
    moved: Vec<u64>,
    /// Whether anything around a rule has changed since it went out. If not, it would come back at once.
    changed: Vec<bool>,
    weight: Vec<u64>,
    /// For each example, how many rules of the cover contain it, and the sum of their numbers: if there
    /// is one rule, the sum is its number.
    times: Vec<u32>,
    sum: Vec<usize>,
    uncovered: Vec<usize>,
    /// Where each example is in `uncovered`.
    place: Vec<usize>,
    cost: u64,
    added: Option<usize>,
    work: u64,
}

impl<'p> Search<'p> {
    fn new(problem: &'p CoverProblem, start: &[usize]) -> Search<'p> {
        let rules = problem.costs.len();
        let examples_of: Vec<Vec<u32>> =
            problem.coverages.iter().map(|c| c.ones().map(|example| example as u32).collect()).collect();
        let mut rules_of = vec![Vec::new(); problem.examples];
        for (rule, examples) in examples_of.iter().enumerate() {
            examples.iter().for_each(|&example| rules_of[example as usize].push(rule as u32));
        }
        let mut search = Search {
            problem,
            gain: examples_of.iter().map(|examples| examples.len() as u64).collect(),
            examples_of,
            rules_of,
            inside: vec![false; rules],
            cover: Vec::new(),
            moved: vec![0; rules],
            changed: vec![true; rules],
            weight: vec![1; problem.examples],
            times: vec![0; problem.examples],
            sum: vec![0; problem.examples],
            uncovered: (0..problem.examples).collect(),
            place: (0..problem.examples).collect(),
            cost: 0,
            added: None,
            work: 0,
        };
        start.iter().for_each(|&rule| search.put_in(rule, 0));
        search
    }

    fn chosen(&self) -> Vec<usize> {
        let mut chosen = self.cover.clone();
        chosen.sort_unstable();
        chosen
    }

    /// Whether a gains more than b for its cost, or as much and has rested longer.
    fn beats(&self, a: usize, b: usize) -> std::cmp::Ordering {
        let cost = |rule: usize| u128::from(self.problem.costs[rule].max(1));
        let (left, right) = (u128::from(self.gain[a]) * cost(b), u128::from(self.gain[b]) * cost(a));
        left.cmp(&right)
    }

    /// The rule inside that would be missed least for what it costs.
    fn least_missed(&self, except: Option<usize>) -> Option<usize> {
        let others = self.cover.iter().copied().filter(|&rule| Some(rule) != except);
        others.min_by(|&a, &b| self.beats(a, b).then(self.moved[a].cmp(&self.moved[b])).then(a.cmp(&b)))
    }

    /// The rule outside that covers this example and gains most for what it costs.
    fn best_for(&mut self, example: usize) -> Option<usize> {
        self.work += self.rules_of[example].len() as u64;
        let rules = self.rules_of[example].iter().map(|&rule| rule as usize);
        let better = |&a: &usize, &b: &usize| {
            self.changed[a]
                .cmp(&self.changed[b])
                .then(self.beats(a, b))
                .then(self.moved[b].cmp(&self.moved[a]))
        };
        rules.max_by(better)
    }

    fn put_in(&mut self, rule: usize, step: u64) {
        if self.inside[rule] {
            return;
        }
        self.inside[rule] = true;
        self.cover.push(rule);
        self.moved[rule] = step;
        self.added = Some(rule);
        self.cost += self.problem.costs[rule];
        for i in 0..self.examples_of[rule].len() {
            let example = self.examples_of[rule][i] as usize;
            let weight = self.weight[example];
            self.times[example] += 1;
            self.sum[example] += rule;
            match self.times[example] {
                1 => {
                    self.work += self.rules_of[example].len() as u64;
                    for &other in &self.rules_of[example] {
                        let other = other as usize;
                        self.changed[other] = true;
                        if other != rule {
                            self.gain[other] -= weight;
                        }
                    }
                    self.cover(example);
                }
                2 => self.gain[self.sum[example] - rule] -= weight,
                _ => {}
            }
        }
        self.recount(rule);
    }

    fn take_away(&mut self, rule: usize, step: u64) {
        self.inside[rule] = false;
        self.cover.retain(|&other| other != rule);
        self.moved[rule] = step;
        self.cost -= self.problem.costs[rule];
        for i in 0..self.examples_of[rule].len() {
            let example = self.examples_of[rule][i] as usize;
            let weight = self.weight[example];
            self.times[example] -= 1;
            self.sum[example] -= rule;
            match self.times[example] {
                0 => {
                    self.work += self.rules_of[example].len() as u64;
                    for &other in &self.rules_of[example] {
                        let other = other as usize;
                        self.changed[other] = true;
                        if other != rule {
                            self.gain[other] += weight;
                        }
                    }
                    self.place[example] = self.uncovered.len();
                    self.uncovered.push(example);
                }
                1 => self.gain[self.sum[example]] += weight,
                _ => {}
            }
        }
        self.recount(rule);
        self.changed[rule] = false;
    }

    fn cover(&mut self, example: usize) {
        let place = self.place[example];
        self.uncovered.swap_remove(place);
        if let Some(&moved) = self.uncovered.get(place) {
            self.place[moved] = place;
        }
    }

    /// The gain of a rule that changed sides.
    fn recount(&mut self, rule: usize) {
        let mine = u32::from(self.inside[rule]);
        let examples = self.examples_of[rule].iter().map(|&example| example as usize);
        let counted = examples.filter(|&example| self.times[example] == mine);
        self.gain[rule] = counted.map(|example| self.weight[example]).sum();
    }

    fn weigh_uncovered(&mut self) {
        for &example in &self.uncovered {
            self.weight[example] += 1;
            self.work += self.rules_of[example].len() as u64;
            self.rules_of[example].iter().for_each(|&rule| self.gain[rule as usize] += 1);
        }
    }
}
