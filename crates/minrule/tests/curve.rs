//! Curves against brute force, on small random tables.

mod common;

use common::random::for_seeds;
use common::words::Words;
use minrule::solve::{Alpha, Curve, Otherwise, Point, UnitPrice};
use minrule::{
    ClassId, CoverMethod, LearnOptions, Limits, Method, Objective, Problem, Status, StopReason,
};

const TABLES: u64 = 1_000;
const OBJECTIVES: [Objective; 3] = [Objective::Size, Objective::Rules, Objective::Literals];
const LAST: [&str; 5] = ["0.1rows", "0.35rows", "1row", "2%", "30%"];

fn options(objective: Objective, otherwise: Otherwise, threads: usize) -> LearnOptions {
    let alpha = Some("1row".parse().unwrap());
    let method = Method::Lazy { objective, cover: CoverMethod::Branch, alpha };
    let options = LearnOptions::new(method).with_threads(threads.try_into().unwrap());
    options.with_otherwise(otherwise).unwrap()
}

fn curve(problem: &Problem, options: &LearnOptions, last: &str, limits: &Limits) -> Curve {
    let last = last.parse().unwrap();
    problem.curve(options, last, (limits, None), |_| {}).unwrap()
}

/// The least cost of each class at a price, by brute force.
fn least(words: &Words, problem: &Problem, objective: Objective, alpha: Alpha) -> Vec<u64> {
    let features = problem.features();
    let conditions: Vec<_> = features.literals().iter().map(|&l| features.condition(l)).collect();
    let price = alpha.price(problem.examples().all_rows());
    let classes = problem.examples().classes().iter();
    classes.map(|label| words.sparse_optimum(&conditions, label, objective, price)).collect()
}

/// Compares a set with the best there is at an alpha.
fn is_best(costs: &[u64], curve: &Curve, point: &Point, alpha: Alpha) {
    let outcome = curve.outcome(point, alpha);
    assert_eq!(outcome.status(), Status::Optimal);
    for class in &outcome.classes {
        let expected = costs[class.class.0 as usize];
        assert_eq!((class.cost.first, class.lower_bound.first), (expected, expected), "{alpha}");
    }
    if let Some(ClassId(left_out)) = point.otherwise {
        assert!(costs.iter().all(|&cost| cost <= costs[left_out as usize]), "{alpha}: {costs:?}");
        assert_eq!(outcome.classes.len() + 1, costs.len());
    }
    assert_eq!((outcome.rules(), outcome.size()), (point.rules, point.size()));
}

/// The least cost is concave in the price. So sets that are best at both ends of their ranges are best
/// throughout, and where ranges meet end to end nothing was missed.
#[test]
fn curves_equal_brute_force() {
    for_seeds(TABLES, |seed| {
        let words = Words::random(seed);
        let problem = words.problem()?;
        let objective = OBJECTIVES[seed as usize % 3];
        let otherwise = if seed % 2 == 0 { Otherwise::Auto } else { Otherwise::None };
        let options = options(objective, otherwise, 1 + seed as usize / 2 % 2);
        let last = LAST[seed as usize % LAST.len()];
        let curve = curve(&problem, &options, last, &Limits::default());
        let points = curve.all_points();
        let rows = problem.examples().all_rows();
        assert_eq!(points[0].to, None);
        assert_eq!(points.last().unwrap().from, UnitPrice::of(last.parse().unwrap(), rows));
        assert!(points.windows(2).all(|pair| pair[1].to == Some(pair[0].from)));
        for point in points {
            assert_eq!(point.status, Status::Optimal);
            let ends = [Some(point.from), point.to].into_iter().flatten().map(UnitPrice::alpha);
            for alpha in ends.chain([curve.alpha(point)]) {
                is_best(&least(&words, &problem, objective, alpha), &curve, point, alpha);
            }
            let named = UnitPrice::of(curve.alpha(point), rows);
            assert_eq!(curve.at(named).map(|place| &points[place]), Some(point));
        }
        Some(())
    });
}

#[test]
fn a_curve_is_the_same_on_any_number_of_threads() {
    for_seeds(100, |seed| {
        let problem = Words::random(seed).problem()?;
        let shown = |threads: usize| {
            let options = options(Objective::Size, Otherwise::Auto, threads);
            let curve = curve(&problem, &options, "0.2rows", &Limits::default());
            let rules = |point: &Point| {
                let outcome = curve.outcome(point, curve.alpha(point));
                let classes = outcome.classes.into_iter().map(|class| class.rules);
                (point.from, point.to, point.otherwise, classes.collect::<Vec<_>>())
            };
            curve.all_points().iter().map(rules).collect::<Vec<_>>()
        };
        assert_eq!(shown(1), shown(3));
        Some(())
    });
}

#[test]
fn a_curve_that_has_no_time_claims_nothing_false() {
    for_seeds(100, |seed| {
        let words = Words::random(seed);
        let problem = words.problem()?;
        let options = options(Objective::Size, Otherwise::Auto, 1);
        let limits = Limits::default();
        limits.stop.request(StopReason::Interrupted);
        let curve = curve(&problem, &options, "0.5rows", &limits);
        for point in curve.all_points() {
            let alpha = curve.alpha(point);
            let costs = least(&words, &problem, Objective::Size, alpha);
            for class in curve.outcome(point, alpha).classes {
                let least = costs[class.class.0 as usize];
                assert!(class.lower_bound.first <= least && least <= class.cost.first);
            }
            if point.status == Status::Optimal {
                is_best(&costs, &curve, point, alpha);
            }
        }
        Some(())
    });
}
