//! Class blocks in order: the rules of a class are learned on the rows that no rule of an earlier class
//! covers, and hold where none of these fires.
//!
//! Each block is one class against the rest, as ever, on fewer rows and at the same price. What is proven is
//! proven of a block given those before it, not of all blocks together: other rules for an early class, even
//! worse ones, might leave rows to later classes that suit them better.

use std::cmp::Reverse;
use std::sync::Arc;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::board::{Progress, Stage};
use super::learn::Running;
use super::objective::Cost;
use super::options::{LearnOptions, Otherwise};
use super::rule::Term;
use super::schedule::Run;
use crate::data::examples::Examples;
use crate::data::literal::{ClassId, Literal};
use crate::error::{Error, Result, Setting};
use crate::limits::{Limits, Stop, StopReason};
use crate::result::outcome::{ClassOutcome, Outcome};

/// What people write for [`Order::None`], [`Order::Rarest`] and [`Order::Frequent`].
pub(super) const NO_ORDER: &str = "none";
pub(super) const RAREST: &str = "rarest";
pub(super) const FREQUENT: &str = "frequent";

/// What blocks have together whose turn had not come when somebody interrupted the run.
const LAST_TURNS: Duration = Duration::from_millis(150);

/// Which classes come first: a rule holds unless a rule of an earlier class fires.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub enum Order {
    /// No order: each class is told from all others, and rules hold whenever they fire.
    #[default]
    None,
    /// The class of the fewest rows first; of equals, the one that appears first.
    Rarest,
    /// The class of the most rows first; of equals, the one that appears first.
    Frequent,
    /// These classes, in this order; one that is not among them comes last and gets no rules.
    Given(Vec<ClassId>),
}

impl Order {
    /// What it is called where somebody asks for it, unless labels are.
    pub fn name(&self) -> &'static str {
        match self {
            Order::None => NO_ORDER,
            Order::Rarest => RAREST,
            Order::Frequent => FREQUENT,
            Order::Given(_) => "given",
        }
    }
}

/// The classes of a table in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Blocks {
    /// Those that get rules.
    classes: Vec<ClassId>,
    /// The one that comes last and gets none.
    otherwise: Option<ClassId>,
}

impl Blocks {
    /// The blocks that were asked for, if there is an order.
    pub(super) fn new(options: &LearnOptions, examples: &Examples) -> Result<Option<Blocks>> {
        let rows = examples.class_rows();
        let rows = |class: &ClassId| rows[class.0 as usize];
        let mut classes: Vec<ClassId> = (0..examples.classes().len() as u32).map(ClassId).collect();
        match options.order() {
            Order::None => return Ok(None),
            Order::Rarest => classes.sort_by_key(rows),
            Order::Frequent => classes.sort_by_key(|class| Reverse(rows(class))),
            Order::Given(given) => classes = all_in_order(given, options.otherwise(), examples)?,
        }
        if options.classes().is_some() {
            return Err(Error::NotWithOrder { setting: Setting::Classes, value: "" });
        }
        let otherwise = match options.otherwise() {
            Otherwise::None => None,
            Otherwise::Auto => classes.pop(),
            Otherwise::Class(last) => {
                classes.retain(|&class| class != last);
                Some(last)
            }
        };
        Ok(Some(Blocks { classes, otherwise }))
    }
}

/// All classes in an order that names all of them, or all but the one that gets no rules.
fn all_in_order(given: &[ClassId], otherwise: Otherwise, examples: &Examples) -> Result<Vec<ClassId>> {
    let label = |class: ClassId| match examples.classes().get(class.0 as usize) {
        Some(label) => format!("\"{label}\""),
        None => format!("number {}", class.0),
    };
    let refused = |problem: String| Error::BadOrder { problem, classes: examples.classes().to_vec() };
    let all = || (0..examples.classes().len() as u32).map(ClassId);
    if let Some(&unknown) = given.iter().find(|class| !all().any(|known| known == **class)) {
        return Err(refused(format!("names class {}, which there is not", label(unknown))));
    }
    let twice = |class: &ClassId| given.iter().filter(|other| *other == class).count() > 1;
    if let Some(class) = all().find(twice) {
        return Err(refused(format!("names class {} twice", label(class))));
    }
    let missing: Vec<ClassId> = all().filter(|class| !given.contains(class)).collect();
    let mut classes = given.to_vec();
    match (&missing[..], otherwise) {
        ([], _) => {}
        (&[last], Otherwise::Auto) => classes.push(last),
        (&[last], Otherwise::Class(class)) if class == last => classes.push(last),
        _ => {
            let labels: Vec<String> = missing.into_iter().map(label).collect();
            return Err(refused(format!("leaves out class {}", labels.join(" and class "))));
        }
    }
    match otherwise {
        Otherwise::Class(class) if classes.last() != Some(&class) => {
            Err(refused(format!("has class {}, which gets no rules, before others", label(class))))
        }
        _ => Ok(classes),
    }
}

/// The examples that none of these rules covers: those that reach the next block.
pub(crate) fn left_by(examples: &Examples, rules: &[Term]) -> Examples {
    let covers = |rule: &Term, example: usize| {
        rule.literals().iter().all(|&literal| examples.satisfies(example, literal))
    };
    let left = |example: &usize| !rules.iter().any(|rule| covers(rule, *example));
    examples.picked(&(0..examples.len()).filter(left).collect::<Vec<usize>>())
}

/// Learns one block after another. A block that is stopped has its best rules so far, and the next ones follow
/// from these.
pub(super) fn learn(
    blocks: Blocks,
    examples: &Arc<Examples>,
    literals: &[Literal],
    options: &LearnOptions,
    limits: &Limits,
    mut watch: impl FnMut(&Running),
) -> Result<Outcome> {
    // The price is that of the whole table, whatever rows are left.
    let tariffs = options.tariffs(examples.all_rows())?;
    let mut left = Arc::clone(examples);
    let mut times = Times { limits, last_turns: None };
    let mut news: Vec<(ClassId, Progress)> =
        blocks.classes.iter().map(|&class| (class, Progress::WAITING)).collect();
    let mut classes: Vec<ClassOutcome> = Vec::new();
    for (turn, &class) in blocks.classes.iter().enumerate() {
        let own_limits = times.share(blocks.classes.len() - turn);
        let run = Run::new(&left, literals, &options.for_class(class), tariffs.clone(), &own_limits)?;
        let run = Arc::new(run);
        // From here on the block has an answer, even if there is no time for more.
        run.begin();
        own_limits.enforce();
        let others: Vec<(ClassId, Progress)> =
            news.iter().filter(|(other, _)| *other != class).copied().collect();
        if !own_limits.stop.requested() {
            Run::to_the_end(&run, &own_limits, |run| {
                if let Some(reason) = limits.stop.reason() {
                    own_limits.stop.request(reason);
                }
                watch(&Running::new(run, &others));
            })?;
        }
        let (mut outcomes, _) = run.outcomes();
        let mut outcome = outcomes.pop().expect("a run of one class");
        // A block had little time because somebody interrupted those before it.
        if let (Some(StopReason::TimeLimit), Some(reason)) = (outcome.stopped_by, limits.stop.reason()) {
            outcome.stopped_by = Some(reason);
        }
        news[turn].1 = Progress {
            stage: Stage::Done,
            rules_enumerated: outcome.rules_enumerated,
            cost: Some(outcome.cost),
            lower_bound: outcome.lower_bound,
        };
        left = Arc::new(left_by(&left, &outcome.rules));
        classes.push(outcome);
    }
    let (options, joint_bound) = (options.clone(), Cost::default());
    Ok(Outcome { options, classes, otherwise: blocks.otherwise, undescribed: None, joint_bound })
}

/// How blocks share the time.
struct Times<'l> {
    limits: &'l Limits,
    /// When the last turns end, once somebody has interrupted the run.
    last_turns: Option<Instant>,
}

impl Times<'_> {
    /// The limits of the first of so many blocks: its share of the time that is left.
    fn share(&mut self, blocks: usize) -> Limits {
        let now = Instant::now();
        let end = match self.limits.stop.requested() {
            true => {
                let soon = *self.last_turns.get_or_insert(now + LAST_TURNS);
                Some(self.limits.deadline.map_or(soon, |deadline| soon.min(deadline)))
            }
            false => self.limits.deadline,
        };
        let deadline = end.map(|end| now + end.saturating_duration_since(now) / blocks as u32);
        Limits { deadline, memory: self.limits.memory, stop: Stop::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::solve::options::Method;

    /// The blocks of four classes of these rows.
    fn blocks(rows: [u64; 4], order: Order, otherwise: Otherwise) -> Result<(Vec<u32>, Option<u32>)> {
        let labels = ["a", "b", "c", "d"].map(String::from).to_vec();
        let examples = Examples::from_rows(vec![0, 1, 2, 3], 8, &[0, 1, 2, 3], Some(&rows), labels);
        let Method::Lazy { objective, cover, .. } = Method::default() else { unreachable!() };
        let alpha = Some("1row".parse().unwrap());
        let options = LearnOptions::new(Method::Lazy { objective, cover, alpha });
        let options = options.with_otherwise(otherwise).unwrap().with_order(order).unwrap();
        let blocks = Blocks::new(&options, &examples)?.expect("an order");
        let number = |ClassId(class): ClassId| class;
        Ok((blocks.classes.into_iter().map(number).collect(), blocks.otherwise.map(number)))
    }

    #[test]
    fn classes_come_by_their_rows_and_equals_as_they_appear() {
        let rows = [5, 2, 9, 2];
        let by = |order, otherwise| blocks(rows, order, otherwise).unwrap();
        assert_eq!(by(Order::Rarest, Otherwise::Auto), (vec![1, 3, 0], Some(2)));
        assert_eq!(by(Order::Frequent, Otherwise::Auto), (vec![2, 0, 1], Some(3)));
        assert_eq!(by(Order::Rarest, Otherwise::None), (vec![1, 3, 0, 2], None));
        assert_eq!(by(Order::Rarest, Otherwise::Class(ClassId(1))), (vec![3, 0, 2], Some(1)));
    }

    #[test]
    fn an_order_names_all_classes_or_all_but_the_one_without_rules() {
        let given = |classes: &[u32], otherwise| {
            let classes = classes.iter().copied().map(ClassId).collect();
            blocks([1; 4], Order::Given(classes), otherwise)
        };
        let d = Otherwise::Class(ClassId(3));
        assert_eq!(given(&[2, 0, 1, 3], Otherwise::Auto).unwrap(), (vec![2, 0, 1], Some(3)));
        assert_eq!(given(&[2, 0, 1], Otherwise::Auto).unwrap(), (vec![2, 0, 1], Some(3)));
        assert_eq!(given(&[2, 0, 1], d).unwrap(), (vec![2, 0, 1], Some(3)));
        assert_eq!(given(&[2, 0, 1, 3], d).unwrap(), (vec![2, 0, 1], Some(3)));
        assert_eq!(given(&[2, 0, 1, 3], Otherwise::None).unwrap(), (vec![2, 0, 1, 3], None));
        for (classes, otherwise, problem) in [
            (&[2, 0, 2, 1][..], Otherwise::Auto, "names class \"c\" twice"),
            (&[2, 0], Otherwise::Auto, "leaves out class \"b\" and class \"d\""),
            (&[2, 0, 1], Otherwise::None, "leaves out class \"d\""),
            (&[2, 0, 3], d, "leaves out class \"b\""),
            (&[3, 2, 0, 1], d, "has class \"d\", which gets no rules, before others"),
            (&[2, 0, 1, 4], Otherwise::Auto, "names class number 4, which there is not"),
        ] {
            let error = given(classes, otherwise).unwrap_err().to_string();
            assert!(error.contains(problem), "{error}");
        }
    }
}
