//! The paper's running example, number by number.

mod common;

use common::{learn, load, two_stage};
use minrule::judge::outcome::Judge;
use minrule::solve::enumerate_rules;
use minrule::{
    ClassId, Cost, EnumerateOptions, FeatureId, Literal, Method, Objective, RuleSource, Status, Term,
};

const DATING: &str = include_str!("../../../data/dating.csv");
const NO: ClassId = ClassId(0);
const YES: ClassId = ClassId(1);

fn literal(name: i32) -> Literal {
    Literal { feature: FeatureId(name.unsigned_abs() - 1), positive: name > 0 }
}

#[test]
fn the_binary_table() {
    let problem = load(DATING);
    let examples = problem.examples();
    assert_eq!(problem.features().len(), 4);
    assert_eq!(examples.classes(), ["No", "Yes"]);
    // The paper's rows 2 and 3 are equal: one example that stands for two.
    let mut rows: Vec<([u8; 4], ClassId, u64)> = (0..examples.len())
        .map(|e| {
            let bit = |f| u8::from(examples.value(e, FeatureId(f)));
            ([bit(0), bit(1), bit(2), bit(3)], examples.class(e), examples.rows(e))
        })
        .collect();
    rows.sort_unstable();
    let expected = [([0, 1, 1, 0], NO, 1), ([1, 0, 0, 1], NO, 1), ([1, 0, 1, 0], YES, 2)];
    assert_eq!(rows, expected);
}

#[test]
fn literals_are_in_the_words_of_the_table() {
    let problem = load(DATING);
    let words = |name| problem.features().condition(literal(name)).to_string();
    assert_eq!(words(1), "Day = Weekend");
    assert_eq!(words(-1), "Day = Weekday");
    assert_eq!(words(4), "TV Show = Good");
    assert_eq!(words(-4), "TV Show = Bad");
}

/// All terms that stage 1 enumerates, per class, as sorted lists of the paper's names.
fn enumerated(rules: RuleSource, break_symmetry: bool) -> [Vec<Vec<i32>>; 2] {
    let problem = load(DATING);
    let (examples, literals) = (problem.examples(), problem.features().literals());
    let options = EnumerateOptions { rules, break_symmetry };
    [NO, YES].map(|class| {
        let rules = enumerate_rules(examples, &literals, class, &options);
        let mut terms: Vec<Vec<i32>> = rules.iter().map(|rule| names(&rule.term)).collect();
        terms.sort();
        terms
    })
}

fn names(term: &Term) -> Vec<i32> {
    let name = |l: &Literal| {
        let number = l.feature.0 as i32 + 1;
        if l.positive { number } else { -number }
    };
    let mut names: Vec<i32> = term.literals().iter().map(name).collect();
    names.sort_by_key(|n| n.abs());
    names
}

#[test]
fn four_terms_for_each_class() {
    for rules in [RuleSource::Maxsat, RuleSource::Search] {
        let [no, yes] = enumerated(rules, false);
        assert_eq!(yes, [vec![-2, -4], vec![-2, 3], vec![1, -4], vec![1, 3]]);
        assert_eq!(no, [vec![-3], vec![-1], vec![2], vec![4]]);
    }
}

#[test]
fn with_symmetry_breaking_one_term_and_two_terms() {
    for rules in [RuleSource::Maxsat, RuleSource::Search] {
        let [no, yes] = enumerated(rules, true);
        assert_eq!((yes.len(), no.len()), (1, 2));
    }
}

#[test]
fn costs_of_the_covers_in_every_configuration() {
    let problem = load(DATING);
    let objectives = [Objective::Rules, Objective::Literals];
    for configuration in objectives.into_iter().flat_map(two_stage) {
        let outcome = learn(&problem, configuration, 1);
        let (no, yes) = (&outcome.classes[0], &outcome.classes[1]);
        let literals = |rules: &[Term]| rules.iter().map(Term::size).sum::<usize>();
        assert_eq!((yes.rules.len(), literals(&yes.rules)), (1, 2), "{configuration:?}");
        assert_eq!((no.rules.len(), literals(&no.rules)), (2, 2), "{configuration:?}");
        assert_eq!(outcome.status(), Status::Optimal);
        let Method::Enumerate { rules, .. } = configuration else { unreachable!() };
        let counts = if rules.break_symmetry { (2, 1) } else { (4, 4) };
        assert_eq!((no.rules_enumerated, yes.rules_enumerated), counts, "{configuration:?}");
    }
}

#[test]
fn total_size_seven() {
    let problem = load(DATING);
    for configuration in [Objective::Size, Objective::RulesThenLiterals].into_iter().flat_map(two_stage)
    {
        let outcome = learn(&problem, configuration, 1);
        assert_eq!((outcome.rules(), outcome.literals(), outcome.size()), (3, 4, 7));
    }
    let size = two_stage(Objective::Size)[0];
    assert_eq!(learn(&problem, size, 1).cost(), Cost { first: 7, second: 0 });
}

#[test]
fn both_published_decision_sets_are_valid_with_three_rules_and_total_size_seven() {
    let problem = load(DATING);
    let mut judge = Judge::new(problem.examples());
    let rule = |names: &[i32]| Term::new(names.iter().map(|&name| literal(name)).collect());
    let no = vec![rule(&[4]), rule(&[-1])];
    for yes in [vec![rule(&[-4, 1])], vec![rule(&[3, 1])]] {
        judge.rules(NO, &no).unwrap();
        judge.rules(YES, &yes).unwrap();
        let rules = no.len() + yes.len();
        let literals: usize = no.iter().chain(&yes).map(Term::size).sum();
        assert_eq!((rules, literals + rules), (3, 7));
    }
}
