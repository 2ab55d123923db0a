//! The class that gets no rules: rows that no rule covers are of that class.

use std::cmp::Reverse;

use super::options::{LearnOptions, Otherwise};
use crate::data::examples::Examples;
use crate::data::literal::ClassId;
use crate::error::{Error, Result, Setting};
use crate::result::outcome::{ClassOutcome, Outcome};

/// Refuses to give no rules to a class that is to be described.
pub(super) fn check(options: &LearnOptions, examples: &Examples) -> Result<()> {
    let Otherwise::Class(class) = options.otherwise() else { return Ok(()) };
    let described = options.classes().is_some_and(|classes| classes.contains(&class));
    match examples.classes().get(class.0 as usize) {
        Some(_) if !described => Ok(()),
        label => Err(Error::BadOption {
            setting: Setting::Otherwise,
            given: label.map_or(format!("number {}", class.0), |label| format!("\"{label}\"")),
            allowed: "a class of the table that is not among those to describe",
        }),
    }
}

/// Decides which class gets no rules, once all others, and perhaps that one, are solved.
pub(super) fn choose(examples: &Examples, outcome: &mut Outcome) {
    let (options, classes) = (&outcome.options, &mut outcome.classes);
    outcome.otherwise = match (options.otherwise(), options.classes()) {
        (Otherwise::Auto, None) => {
            let rows = examples.class_rows();
            let key = |class: &ClassOutcome| (class.cost, rows[class.class.0 as usize]);
            dearest(classes.iter().map(key)).map(|place| classes[place].class)
        }
        _ => named(options, examples.classes().len()),
    };
    let solved = classes.iter().position(|class| Some(class.class) == outcome.otherwise);
    outcome.undescribed = solved.map(|place| classes.remove(place));
}

/// The class that gets no rules, of so many, where that does not depend on what they cost.
pub(super) fn named(options: &LearnOptions, classes: usize) -> Option<ClassId> {
    match (options.otherwise(), options.classes()) {
        (Otherwise::Class(class), _) => Some(class),
        (Otherwise::Auto, Some(described)) => {
            let all = (0..classes as u32).map(ClassId);
            let mut left_out = all.filter(|class| !described.contains(class));
            left_out.next().filter(|_| left_out.next().is_none())
        }
        _ => None,
    }
}

/// The place of the class that costs most to describe, by the cost and the rows of each; of equals, the more
/// frequent one. If that is no difference either, the later of two classes, so that the earlier is described,
/// and the earliest of more.
pub(super) fn dearest<C: Ord>(classes: impl ExactSizeIterator<Item = (C, u64)>) -> Option<usize> {
    let two = classes.len() == 2;
    let tie = |place: usize| if two { (place, Reverse(0)) } else { (0, Reverse(place)) };
    let keys = classes.enumerate().map(|(place, key)| (key, tie(place), place));
    keys.max().map(|(.., place)| place)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::result::outcome::StageSeconds;
    use crate::solve::objective::Cost;
    use crate::solve::options::Method;

    /// Classes of these rows and costs, and the one that is left out.
    fn left_out(rows: &[u64], costs: &[u64]) -> Option<u32> {
        let labels: Vec<String> = (0..rows.len()).map(|class| format!("class {class}")).collect();
        let (bits, of): (Vec<u64>, Vec<u32>) =
            (0..rows.len()).map(|class| (class as u64, class as u32)).unzip();
        let examples = Examples::from_rows(bits, 8, &of, Some(rows), labels);
        let class = |(class, &cost): (usize, &u64)| ClassOutcome {
            class: ClassId(class as u32),
            rules: Vec::new(),
            rows_covered: Vec::new(),
            cost: Cost { first: cost, second: 0 },
            lower_bound: Cost { first: cost, second: 0 },
            argument: None,
            rules_enumerated: 0,
            stopped_by: None,
            failure: None,
            seconds: StageSeconds::default(),
        };
        let classes: Vec<ClassOutcome> = costs.iter().enumerate().map(class).collect();
        let Method::Lazy { objective, cover, .. } = Method::default() else { unreachable!() };
        let alpha = Some("1row".parse().unwrap());
        let options = LearnOptions::new(Method::Lazy { objective, cover, alpha });
        let options = options.with_otherwise(Otherwise::Auto).unwrap();
        let (otherwise, undescribed, joint_bound) = (None, None, Cost::default());
        let mut outcome = Outcome { options, classes, otherwise, undescribed, joint_bound };
        choose(&examples, &mut outcome);
        let chosen = outcome.otherwise;
        assert_eq!(outcome.undescribed.as_ref().map(|class| class.class), chosen);
        assert!(outcome.classes.iter().all(|class| Some(class.class) != chosen));
        assert_eq!(outcome.solved().count(), costs.len());
        chosen.map(|ClassId(class)| class)
    }

    #[test]
    fn of_two_classes_the_cheaper_is_described_then_the_rarer_then_the_earlier() {
        assert_eq!(left_out(&[3, 9], &[5, 4]), Some(0));
        assert_eq!(left_out(&[3, 9], &[4, 4]), Some(1));
        assert_eq!(left_out(&[9, 3], &[4, 4]), Some(0));
        assert_eq!(left_out(&[3, 3], &[4, 4]), Some(1));
    }

    #[test]
    fn of_more_the_dearest_gets_no_rules_then_the_more_frequent_then_the_earlier() {
        assert_eq!(left_out(&[3, 9, 1], &[5, 4, 6]), Some(2));
        assert_eq!(left_out(&[3, 9, 1], &[4, 4, 4]), Some(1));
        assert_eq!(left_out(&[3, 3, 3], &[4, 4, 4]), Some(0));
    }
}
