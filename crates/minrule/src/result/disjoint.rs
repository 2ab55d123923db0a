//! Among equally small decision sets, one whose rules overlap less.
//!
//! With the rules of all other classes fixed, each rule of a class overlaps with some of them, and
//! the smallest cover with the fewest overlaps is a cover problem again: cost first, overlaps
//! second. The classes take turns until none of them can do better. Every step keeps the cost; the
//! end need not be the fewest overlaps of all.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use crate::data::binarise::Features;
use crate::data::condition::Condition;
use crate::data::examples::Examples;
use crate::error::{Error, Result};
use crate::judge::outcome as check;
use crate::limits::{Halt, Limits, Stop};
use crate::result::outcome::{ClassOutcome, Outcome, Status};
use crate::result::overlap::{Space, Suits, together};
use crate::solve::class_problem::ClassProblem;
use crate::solve::cover::{self, CoverProblem};
use crate::solve::finish;
use crate::solve::lazy;
use crate::solve::rule::{Rule, Term};
use crate::solve::start::one_weight;
use crate::solve::workers::Workers;

/// Rules of a class that are considered, at most.
const MOST_RULES: usize = 20_000;
/// How often limits are looked at.
const TICK: Duration = Duration::from_millis(10);

/// Exchanges rules of proven classes for others, so that fewer pairs of rules of different classes
/// can fire together; costs and bounds stay as they are. A limit ends it early, with what was found.
pub fn prefer_disjoint(
    outcome: Outcome,
    examples: &Arc<Examples>,
    features: &Features,
    limits: &Limits,
) -> Result<Outcome> {
    let mut better = outcome;
    thread::scope(|scope| {
        let worker = scope.spawn(|| exchange(&mut better, examples, features, &limits.stop));
        while !worker.is_finished() {
            limits.enforce();
            thread::sleep(TICK);
        }
        match worker.join() {
            // What was found before the limit stays.
            Ok(Ok(()) | Err(Halt::Stopped | Halt::Full)) => Ok(()),
            Ok(Err(Halt::Failed(what))) => Err(Error::Internal(what)),
            Err(_) => Err(Error::Internal("the search for disjoint rules panicked".to_string())),
        }
    })?;
    check::verify(examples, &better).map_err(|fault| Error::Internal(fault.to_string()))?;
    better.options = better.options.with_disjoint();
    Ok(better)
}

/// A class whose rules may change.
struct Player {
    /// Its place in the outcome.
    place: usize,
    problem: ClassProblem,
    /// The rules that smallest covers are made of, and the cells that suit them.
    rules: Vec<Rule>,
    suits: Vec<Suits>,
}

fn exchange(
    outcome: &mut Outcome,
    examples: &Arc<Examples>,
    features: &Features,
    stop: &Stop,
) -> std::result::Result<(), Halt> {
    let space = Space::new(features);
    let suits = |term: &Term| {
        let conditions: Vec<Condition> =
            term.literals().iter().map(|&literal| features.condition(literal)).collect();
        space.suits(&conditions)
    };
    let workers = Workers::new(outcome.options.threads());
    let literals = features.literals();
    let mut players = Vec::new();
    for (place, class) in outcome.classes.iter().enumerate() {
        if class.status() != Status::Optimal || class.rules.is_empty() {
            continue;
        }
        let tariffs = outcome.objective().tariffs();
        let problem = ClassProblem::new(examples, &literals, class.class, tariffs);
        let known = class.rules.iter().map(|term| problem.rule(&problem.positions(term)));
        let mut rules: Vec<Rule> = known.collect();
        let others = lazy::rules_of_smallest_covers(&problem, &class.rules, MOST_RULES, &workers, stop)?;
        rules.extend(others.into_iter().filter(|rule| !class.rules.contains(&rule.term)));
        log::debug!("class {}: {} rules in smallest covers", problem.label(), rules.len());
        let suits = rules.iter().map(|rule| suits(&rule.term)).collect();
        players.push(Player { place, problem, rules, suits });
    }
    let mut in_vain = 0;
    for turn in (0..players.len()).cycle() {
        if in_vain == players.len() {
            break;
        }
        let player = &players[turn];
        let others: Vec<Suits> = outcome
            .classes
            .iter()
            .enumerate()
            .filter(|(place, _)| *place != player.place)
            .flat_map(|(_, class)| class.rules.iter().map(suits))
            .collect();
        let class = &mut outcome.classes[player.place];
        match player.play(class, &others, (stop, &workers))? {
            Some(rules) => {
                (class.rows_covered, class.rules) = finish::in_order(&player.problem, rules);
                in_vain = 0;
            }
            None => in_vain += 1,
        }
    }
    Ok(())
}

impl Player {
    /// A smallest cover that overlaps less with the rules of other classes, if there is one.
    fn play(
        &self,
        class: &ClassOutcome,
        others: &[Suits],
        on: (&Stop, &Workers),
    ) -> std::result::Result<Option<Vec<Term>>, Halt> {
        let overlaps = |suits: &Suits| {
            others.iter().filter(|other| together(suits, other).is_some()).count() as u64
        };
        let penalties: Vec<u64> = self.suits.iter().map(overlaps).collect();
        let now: Vec<usize> = class
            .rules
            .iter()
            .filter_map(|term| self.rules.iter().position(|rule| rule.term == *term))
            .collect();
        let penalty: u64 = now.iter().map(|&rule| penalties[rule]).sum();
        if penalty == 0 {
            return Ok(None);
        }
        // One unit of cost outweighs all the overlaps that there are now.
        let unit = penalty + 1;
        let weigh = one_weight(self.rules.iter());
        let cost = |rule: &Rule| weigh(rule.cost) * unit;
        let mut problem = CoverProblem::new(self.problem.positives.len(), &self.rules, cost);
        problem.costs.iter_mut().zip(&penalties).for_each(|(cost, penalty)| *cost += penalty);
        let cover = cover::cheaper_cover(&problem, &now, on)?;
        Ok(cover.map(|cover| cover.iter().map(|&rule| self.rules[rule].term.clone()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::binarise::BinariseOptions;
    use crate::data::table::{Table, TableOptions};
    use crate::result::decision_set::DecisionSet;
    use crate::result::overlap::overlaps;
    use crate::solve::learn::learn;
    use crate::solve::objective::Objective;
    use crate::solve::options::LearnOptions;

    fn random_table(random: &mut fastrand::Rng) -> String {
        let mut text = String::from("a,b,c,d,e,class\n");
        for _ in 0..random.usize(4..16) {
            for _ in 0..5 {
                text += ["0,", "1,", "2,"][random.usize(..3)];
            }
            text += ["x\n", "y\n", "z\n"][random.usize(..3)];
        }
        text
    }

    #[test]
    fn costs_stay_and_overlaps_fall() {
        let mut random = fastrand::Rng::with_seed(9);
        let (mut before, mut after) = (0, 0);
        for round in 0..80 {
            let text = random_table(&mut random);
            let read = Table::from_reader(text.as_bytes(), "random", &TableOptions::default());
            let Ok(table) = read else { continue };
            let features = Features::choose(&table, &BinariseOptions::default()).unwrap();
            let examples = Arc::new(Examples::new(&table, &features).unwrap());
            let objective = [Objective::Size, Objective::Rules, Objective::RulesThenLiterals][round % 3];
            let options = LearnOptions::minimising(objective).on_one_thread();
            let limits = Limits::default();
            let plain = learn(&examples, &features.literals(), &options, &limits, |_| {}).unwrap();
            let count = |outcome: &Outcome| {
                let set = DecisionSet::new(outcome, &examples, &features, &table);
                overlaps(&features, &set).overlapping.len()
            };
            let now = count(&plain);
            let costs: Vec<_> = plain.classes.iter().map(|c| (c.cost, c.status())).collect();
            let better = prefer_disjoint(plain, &examples, &features, &limits).unwrap();
            assert_eq!(costs, better.classes.iter().map(|c| (c.cost, c.status())).collect::<Vec<_>>());
            assert!(count(&better) <= now, "{text}");
            before += now;
            after += count(&better);
        }
        assert!(after * 10 < before * 9, "{before} overlaps became {after}");
    }

    #[test]
    fn of_two_equal_rules_the_disjoint_one_is_taken() {
        // `a = 1` and `b = 1` cover the same row of x; only the first excludes `c = 1` of y, which
        // has `a = 0` on all its rows, as smallest rules of y can say.
        let text = "a,b,c,class\n1,1,0,x\n0,0,1,y\n";
        let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
        let features = Features::choose(&table, &BinariseOptions::default()).unwrap();
        let examples = Arc::new(Examples::new(&table, &features).unwrap());
        let (options, limits) = (LearnOptions::default(), Limits::default());
        let plain = learn(&examples, &features.literals(), &options, &limits, |_| {}).unwrap();
        let better = prefer_disjoint(plain, &examples, &features, &limits).unwrap();
        let set = DecisionSet::new(&better, &examples, &features, &table);
        assert_eq!(set.size, 4);
        assert_eq!(overlaps(&features, &set).overlapping, []);
    }
}
