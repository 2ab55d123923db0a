//! Outcomes of single classes, wherever they were found, as one.

use super::objective::Cost;
use super::options::LearnOptions;
use super::otherwise;
use crate::data::examples::Examples;
use crate::result::outcome::{ClassOutcome, Outcome};

/// What would have come of all classes at once. Each part has classes of its own, and is of the same examples.
/// Which of them gets no rules can be said only here: no part may have left one out by itself.
pub fn together(
    parts: impl IntoIterator<Item = Outcome>,
    examples: &Examples,
    options: &LearnOptions,
) -> Outcome {
    let mut classes: Vec<ClassOutcome> = parts.into_iter().flat_map(|part| part.classes).collect();
    classes.sort_by_key(|class| class.class);
    let unsettled = options.alpha().map(|_| examples.with_outvoted());
    let examples = unsettled.as_ref().unwrap_or(examples);
    let (options, otherwise, undescribed) = (options.clone(), None, None);
    let mut joined = Outcome { options, classes, otherwise, undescribed, joint_bound: Cost::default() };
    otherwise::choose(examples, &mut joined);
    joined
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::literal::ClassId;
    use crate::limits::Limits;
    use crate::solve::learn::learn;
    use crate::solve::options::Request;
    use crate::testing::dating;

    #[test]
    fn classes_found_one_by_one_are_those_found_at_once() {
        let (examples, features) = dating();
        let literals = features.literals();
        let found = |options: &LearnOptions| {
            let outcome = learn(&examples, &literals, options, &Limits::default(), |_| {}).unwrap();
            // How long it took is another matter.
            let rules = |class: &ClassOutcome| (class.class, class.rules.clone(), class.cost);
            (outcome.classes.iter().map(rules).collect::<Vec<_>>(), outcome.otherwise, outcome)
        };
        for (alpha, otherwise) in [
            (None, "none"),
            (Some("0.3rows"), "auto"),
            (Some("0.3rows"), "none"),
            (Some("0.3rows"), "No"),
        ] {
            let alpha = alpha.map(|alpha| alpha.parse().unwrap());
            let request = |otherwise: &str| Request {
                alpha,
                otherwise: Some(otherwise.into()),
                ..Request::default()
            };
            let options = request(otherwise).options_for(&examples, "Date?").unwrap().on_one_thread();
            let parts = options.classes_to_solve(2).into_iter().map(|class: ClassId| {
                let alone = request("none").options_for(&examples, "Date?").unwrap();
                found(&alone.on_one_thread().with_classes(Some(vec![class]))).2
            });
            let joined = together(parts, &examples, &options);
            let (rules, left_out, at_once) = found(&options);
            let joined_rules: Vec<_> =
                joined.classes.iter().map(|c| (c.class, c.rules.clone(), c.cost)).collect();
            assert_eq!((joined_rules, joined.otherwise), (rules, left_out), "{otherwise}");
            assert_eq!(joined.options, at_once.options);
        }
    }
}
