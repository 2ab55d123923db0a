//! Of equivalent rules, the one that reads best.
//!
//! Among sets of equal cost a solver takes any. A literal of a rule can be exchanged for another if the rule then
//! covers exactly the same examples: an example that the rule covers must satisfy the new literal, and one that only
//! the old literal kept out must not. Both are questions about bits, answered for all literals at once: the bits
//! that all covered examples have, less those that some example has that only this literal keeps out.
//!
//! Rules, literals, coverage and so costs, errors, bounds and certificates stay as they are. On rows that the table
//! does not have, the new rule may say something else; the table prefers neither.

use crate::data::binarise::Features;
use crate::data::condition::{Condition, Op, Operand};
use crate::data::examples::Examples;
use crate::data::literal::{ClassId, FeatureId, Literal};
use crate::result::outcome::{ClassOutcome, Outcome};
use crate::solve::bits;
use crate::solve::finish;
use crate::solve::rule::Term;

/// Literals and words of bits that are looked at, at most, all rules together: a few tenths of a second. Of sets so
/// large that this is not enough, the rest stays as it is.
const WORK: usize = 300_000_000;

/// How a set reads; less is better, the first first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
struct Reading {
    /// Tests on missing values.
    missing: i64,
    /// Conditions that deny something.
    negations: i64,
    /// Columns of each rule, added up.
    columns_of_rules: i64,
    /// Significant digits of all numbers.
    digits: i64,
    /// Columns of all rules.
    columns: i64,
}

/// How a literal reads.
#[derive(Debug, Clone, Copy)]
struct Looks {
    column: usize,
    missing: i64,
    negations: i64,
    digits: i64,
}

impl Looks {
    fn new(column: usize, condition: &Condition) -> Looks {
        let missing = matches!(condition.op, Op::IsMissing | Op::IsNotMissing);
        let negation = condition.op.denies();
        let digits = match &condition.value {
            Operand::None => 0,
            Operand::Number(number) => significant_digits(*number),
            Operand::Interval(low, high) => significant_digits(*low) + significant_digits(*high),
            Operand::Text(text) => text.parse().map_or(0, significant_digits),
        };
        Looks { column, missing: missing.into(), negations: negation.into(), digits }
    }
}

/// The digits of a number that matter: one of 50 and of 0.5, two of 0.25.
fn significant_digits(number: f64) -> i64 {
    let text = format!("{number:e}");
    text.chars().take_while(|&c| c != 'e').filter(char::is_ascii_digit).count() as i64
}

/// The same rules, as far as the examples tell, in words that are easier to read: plain conditions rather than
/// denials, tests on missing values last of all, fewer columns, rounder numbers, columns that are used anyway.
///
/// Every exchange makes the set read better, and in the end none would, unless there is too much to look at. Rules
/// that were chosen to overlap less stay as they are.
pub(crate) fn readable(mut outcome: Outcome, examples: &Examples, features: &Features) -> Outcome {
    if outcome.options.is_disjoint() {
        return outcome;
    }
    let mut editor = Editor::new(&outcome, examples, features);
    let mut better = true;
    while std::mem::take(&mut better) {
        for class in &mut outcome.classes {
            for rule in &mut class.rules {
                while let Some(term) = editor.better(class.class, rule) {
                    *rule = term;
                    better = true;
                }
            }
        }
    }
    outcome.classes.iter_mut().for_each(in_order);
    outcome
}

/// Rules of equal coverage and size stand in the order of their literals.
fn in_order(class: &mut ClassOutcome) {
    let mut rules: Vec<(u64, Term)> =
        class.rows_covered.iter().copied().zip(std::mem::take(&mut class.rules)).collect();
    finish::sort(&mut rules);
    (class.rows_covered, class.rules) = rules.into_iter().unzip();
}

struct Editor<'e> {
    examples: &'e Examples,
    features: &'e Features,
    /// Whether rules may cover no example of another class.
    perfect: bool,
    /// The features whose negation is a literal, too.
    deniable: Vec<u64>,
    /// How often each column is tested.
    tests: Vec<usize>,
    work: usize,
}

impl<'e> Editor<'e> {
    fn new(outcome: &Outcome, examples: &'e Examples, features: &'e Features) -> Editor<'e> {
        let mut deniable = vec![0; bits::words(features.len())];
        for Literal { feature, positive } in features.literals() {
            deniable[feature.0 as usize / 64] |= u64::from(!positive) << (feature.0 % 64);
        }
        let perfect = outcome.options.alpha().is_none();
        let tests = vec![0; features.columns.len()];
        let mut editor = Editor { examples, features, perfect, deniable, tests, work: WORK };
        for rule in outcome.classes.iter().flat_map(|class| &class.rules) {
            for &literal in rule.literals() {
                let column = editor.column(literal);
                editor.tests[column] += 1;
            }
        }
        editor
    }

    fn column(&self, literal: Literal) -> usize {
        self.features.columns.partition_point(|column| column.first <= literal.feature.0) - 1
    }

    fn looks(&self, literal: Literal) -> Looks {
        Looks::new(self.column(literal), &self.features.condition(literal))
    }

    /// The rule with one literal exchanged, so that the set reads better by as much as one exchange here can.
    fn better(&mut self, class: ClassId, rule: &Term) -> Option<Term> {
        let literals = rule.literals();
        let words = bits::words(self.features.len());
        self.work = self.work.checked_sub(self.examples.len() * (literals.len() + words))?;
        let looks: Vec<Looks> = literals.iter().map(|&literal| self.looks(literal)).collect();
        let mut exchanges: Vec<(Reading, Literal, usize)> = Vec::new();
        for (place, [with, without]) in self.equivalent(literals).into_iter().enumerate() {
            let literal =
                |positive: bool| move |i: usize| Literal { feature: FeatureId(i as u32), positive };
            let all =
                bits::ones(&with).map(literal(true)).chain(bits::ones(&without).map(literal(false)));
            for new in all.filter(|new| !literals.contains(new)) {
                let change = self.change(&looks, place, self.looks(new));
                if change < Reading::default() {
                    exchanges.push((change, new, place));
                }
            }
        }
        exchanges.sort_unstable();
        let exchanged = |&(_, new, place): &(Reading, Literal, usize)| {
            let mut literals = literals.to_vec();
            literals[place] = new;
            (place, new, Term::new(literals))
        };
        let mut exchanges = exchanges.iter().map(exchanged);
        let (place, new, term) = exchanges.find(|(.., term)| self.needs_all(class, term))?;
        self.tests[looks[place].column] -= 1;
        let column = self.column(new);
        self.tests[column] += 1;
        Some(term)
    }

    /// For each literal of a rule, the features that could stand in its place, and those whose negation could.
    fn equivalent(&self, literals: &[Literal]) -> Vec<[Vec<u64>; 2]> {
        let words = bits::words(self.features.len());
        // Bits that all of some examples have, and bits that some of them have.
        let none = || [bits::full(self.features.len()), vec![0; words]];
        let mut covered = none();
        let mut kept_out: Vec<[Vec<u64>; 2]> = literals.iter().map(|_| none()).collect();
        for example in 0..self.examples.len() {
            let mut failing =
                literals.iter().enumerate().filter(|(_, l)| !self.examples.satisfies(example, **l));
            let [all, some] = match (failing.next(), failing.next()) {
                (None, _) => &mut covered,
                (Some((place, _)), None) => &mut kept_out[place],
                _ => continue,
            };
            let own = self.examples.bits(example);
            all.iter_mut().zip(own).for_each(|(all, own)| *all &= own);
            some.iter_mut().zip(own).for_each(|(some, own)| *some |= own);
        }
        let both = |[all, some]: [Vec<u64>; 2]| {
            let with = (0..words).map(|i| covered[0][i] & !some[i]).collect();
            let without = (0..words).map(|i| !covered[1][i] & all[i] & self.deniable[i]).collect();
            [with, without]
        };
        kept_out.into_iter().map(both).collect()
    }

    /// By how much the set reads differently with a literal of a rule exchanged.
    fn change(&self, rule: &[Looks], place: usize, new: Looks) -> Reading {
        let old = rule[place];
        let others = |column: usize| {
            rule.iter().enumerate().any(|(other, looks)| other != place && looks.column == column)
        };
        let moves = old.column != new.column;
        let rule_has_old = others(old.column);
        Reading {
            missing: new.missing - old.missing,
            negations: new.negations - old.negations,
            columns_of_rules: i64::from(!others(new.column)) - i64::from(!rule_has_old),
            digits: new.digits - old.digits,
            columns: i64::from(moves && self.tests[new.column] == 0)
                - i64::from(moves && self.tests[old.column] == 1),
        }
    }

    /// Whether a rule that must be right needs each of its literals to be so. Where literals cost nothing, an exchange
    /// can make another one useless.
    fn needs_all(&self, class: ClassId, rule: &Term) -> bool {
        if !self.perfect {
            return true;
        }
        let literals = rule.literals();
        let mut needed = vec![false; literals.len()];
        for example in (0..self.examples.len()).filter(|&example| self.examples.class(example) != class)
        {
            let mut failing =
                literals.iter().enumerate().filter(|(_, l)| !self.examples.satisfies(example, **l));
            if let (Some((place, _)), None) = (failing.next(), failing.next()) {
                needed[place] = true;
            }
        }
        needed.into_iter().all(|needed| needed)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::Arc;

    use super::*;
    use crate::data::binarise::{BinariseOptions, Numeric};
    use crate::data::table::{Table, TableOptions};
    use crate::judge::outcome as judge;
    use crate::limits::Limits;
    use crate::solve::learn::learn;
    use crate::solve::objective::Objective;
    use crate::solve::options::{LearnOptions, Method, Otherwise};
    use crate::solve::order::Order;

    fn random_table(random: &mut fastrand::Rng) -> String {
        let mut text = String::from("a,b,c,n,class\n");
        for _ in 0..random.usize(4..24) {
            for _ in 0..3 {
                text += ["red,", "blue,", "green,", ","][random.usize(..4)];
            }
            text += ["1,", "2.5,", "13,", "20,", "21.75,", "40,", ","][random.usize(..7)];
            text += ["x\n", "y\n", "z\n"][random.usize(..3)];
        }
        text
    }

    fn covered(examples: &Examples, literals: &[Literal]) -> Vec<usize> {
        let all = |example: &usize| literals.iter().all(|&l| examples.satisfies(*example, l));
        (0..examples.len()).filter(all).collect()
    }

    /// How a set reads, by its words.
    fn reading(outcome: &Outcome, features: &Features) -> Reading {
        let mut reading = Reading::default();
        let mut columns: BTreeSet<String> = BTreeSet::new();
        for rule in outcome.classes.iter().flat_map(|class| &class.rules) {
            let conditions: Vec<Condition> =
                rule.literals().iter().map(|&literal| features.condition(literal)).collect();
            let own: BTreeSet<String> = conditions.iter().map(|c| c.feature.clone()).collect();
            reading.columns_of_rules += own.len() as i64;
            columns.extend(own);
            for condition in &conditions {
                let words = condition.to_string();
                let is_missing = words.contains("missing");
                reading.missing += i64::from(is_missing);
                reading.negations +=
                    i64::from(!is_missing && (words.contains("!=") || words.starts_with("not")));
                reading.digits += Looks::new(0, condition).digits;
            }
        }
        reading.columns = columns.len() as i64;
        reading
    }

    fn some_options(random: &mut fastrand::Rng, round: usize) -> LearnOptions {
        let objectives = [Objective::Size, Objective::Rules, Objective::Literals];
        let objective = objectives[round % 3];
        let options = match round % 4 {
            0 | 1 => LearnOptions::minimising(objective),
            _ => {
                let alpha = Some(["1row", "0.5rows"][random.usize(..2)].parse().unwrap());
                let Method::Lazy { cover, .. } = Method::default() else { unreachable!() };
                let options = LearnOptions::new(Method::Lazy { objective, cover, alpha });
                let order = if round % 4 == 3 { Order::Rarest } else { Order::None };
                options.with_otherwise(Otherwise::Auto).unwrap().with_order(order).unwrap()
            }
        };
        options.on_one_thread()
    }

    #[test]
    fn costs_and_coverage_stay_and_no_exchange_reads_better() {
        let mut random = fastrand::Rng::with_seed(18);
        let mut exchanged = 0;
        for round in 0..400 {
            let text = random_table(&mut random);
            let read = Table::from_reader(text.as_bytes(), "random", &TableOptions::default());
            let Ok(table) = read else { continue };
            let binarise = BinariseOptions {
                numeric: [Numeric::Thresholds, Numeric::Intervals][round % 2],
                negations: random.bool(),
                ..BinariseOptions::default()
            };
            let Ok(features) = Features::choose(&table, &binarise) else { continue };
            let examples = Arc::new(Examples::new(&table, &features).unwrap());
            let options = some_options(&mut random, round);
            let limits = Limits::default();
            let plain = learn(&examples, &features.literals(), &options, &limits, |_| {}).unwrap();
            let better = readable(plain.clone(), &examples, &features);
            // The same rules by what they cover and by their number of literals, class by class.
            for (before, after) in plain.classes.iter().zip(&better.classes) {
                let shape = |class: &ClassOutcome| {
                    let of_rule = |term: &Term| (covered(&examples, term.literals()), term.size());
                    let mut shapes: Vec<_> = class.rules.iter().map(of_rule).collect();
                    shapes.sort();
                    shapes
                };
                assert_eq!(shape(before), shape(after), "{text}");
                assert_eq!(
                    (before.cost, before.lower_bound, before.status()),
                    (after.cost, after.lower_bound, after.status())
                );
            }
            let judged = match options.alpha() {
                Some(_) => judge::verify(&examples.with_outvoted(), &better),
                None => judge::verify(&examples, &better),
            };
            assert_eq!(judged, Ok(()), "{text}");
            let now = reading(&better, &features);
            assert!(now <= reading(&plain, &features), "{text}");
            exchanged += usize::from(now < reading(&plain, &features));
            assert_eq!(readable(better.clone(), &examples, &features), better, "{text}");
            // Every exchange of one literal, tried by hand.
            for (place, class) in better.classes.iter().enumerate() {
                for (number, rule) in class.rules.iter().enumerate() {
                    let rows = covered(&examples, rule.literals());
                    for at in 0..rule.size() {
                        for new in features.literals() {
                            let mut literals = rule.literals().to_vec();
                            literals[at] = new;
                            let term = Term::new(literals);
                            if term.size() < rule.size() || covered(&examples, term.literals()) != rows {
                                continue;
                            }
                            let needed = |left_out: usize| {
                                let mut others = term.literals().to_vec();
                                others.remove(left_out);
                                let fires = covered(&examples, &others);
                                fires.into_iter().any(|example| examples.class(example) != class.class)
                            };
                            let valid = options.alpha().is_some() || (0..term.size()).all(needed);
                            let mut other = better.clone();
                            other.classes[place].rules[number] = term.clone();
                            let reads_better = reading(&other, &features) < now;
                            assert!(!(valid && reads_better), "{:?} for {:?}\n{text}", term, rule);
                        }
                    }
                }
            }
        }
        assert!(exchanged > 20, "only {exchanged} sets read better than they were found");
    }

    #[test]
    fn plain_words_and_round_numbers_are_preferred() {
        assert_eq!([50.0, 0.5, 0.25, 34.85, -120.0, 0.0].map(significant_digits), [1, 1, 2, 4, 2, 1]);
        // `a = red`, `b != blue` and `n <= 17.25` say the same of every row.
        let text = "a,b,n,class\nred,green,17,x\nred,black,17,x\ngrey,blue,17.5,y\nwhite,blue,18,y\n";
        let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
        let binarise = BinariseOptions { numeric: Numeric::Thresholds, ..BinariseOptions::default() };
        let features = Features::choose(&table, &binarise).unwrap();
        let examples = Arc::new(Examples::new(&table, &features).unwrap());
        let options = LearnOptions::default();
        let plain =
            learn(&examples, &features.literals(), &options, &Limits::default(), |_| {}).unwrap();
        let set = readable(plain, &examples, &features);
        let words = |class: &ClassOutcome| features.condition(class.rules[0].literals()[0]).to_string();
        let words: Vec<String> = set.classes.iter().map(words).collect();
        // One column for both classes would take a denial, or numbers.
        assert_eq!(words, ["a = red", "b = blue"]);
    }
}
