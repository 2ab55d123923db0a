//! What every form says about a decision set, in the same words.

use crate::apply::predict::{Conflict, Uncovered};
use crate::data::wording::Wording;
use crate::limits::StopReason;
use crate::result::decision_set::{ClassRules, CostValue, DecisionRule, DecisionSet};
use crate::result::outcome::Status;
use crate::show::export::program::Program;
use crate::solve::alpha::Alpha;
use crate::solve::objective::{Cost, Objective};
use crate::text::{count, one_line, percent};

impl DecisionRule {
    /// The rule as a sentence.
    pub fn sentence(&self, target: &str, wording: &Wording) -> String {
        let (target, then) = (wording.text(target), wording.text(&self.then));
        format!("IF {} THEN {target} = {then}", self.premise(wording))
    }

    /// The sentence with the rows that the rule covers and its literals. A condition with two ends is two literals.
    pub fn sentence_with_size(&self, target: &str, wording: &Wording) -> String {
        format!("{}   [{}]", self.sentence(target, wording), self.size())
    }

    pub(crate) fn premise(&self, wording: &Wording) -> String {
        let conditions: Vec<String> =
            wording.parts(&self.conditions).iter().map(ToString::to_string).collect();
        if conditions.is_empty() { "always".to_string() } else { conditions.join(" AND ") }
    }

    fn size(&self) -> String {
        format!("{}, {}", self.rows(), count(self.conditions.len(), "literal"))
    }

    /// The rows that it covers, and those of them that it gets wrong, if it may.
    pub(crate) fn rows(&self) -> String {
        let wrong = self.wrong.map_or(String::new(), |wrong| format!(", {wrong} wrong"));
        count(self.covers as usize, "row") + &wrong
    }
}

impl ClassRules {
    /// The class, how much its rules are and what was proven about them, in a line.
    pub fn heading(&self, set: &DecisionSet) -> String {
        format!("{} = {}: {}", set.target, self.class, self.summary(set))
    }

    pub(crate) fn summary(&self, set: &DecisionSet) -> String {
        let literals: usize = self.rules.iter().map(|rule| rule.conditions.len()).sum();
        let (rules, literals) = (count(self.rules.len(), "rule"), count(literals, "literal"));
        let errors = self.errors.map_or(String::new(), |errors| {
            format!("{}, cost {}, ", count(errors as usize, "error"), set.amount(self.cost))
        });
        format!("{rules}, {literals}, {errors}{}", self.proof(set))
    }

    fn proof(&self, set: &DecisionSet) -> String {
        let first = set.classes.first().is_some_and(|first| first.class == self.class);
        let given = if set.is_ordered() && !first { " given those before it" } else { "" };
        if self.status == Status::Optimal {
            return format!("optimal{given}");
        }
        let why = match self.stopped_by {
            Some(StopReason::TimeLimit) => "time limit",
            Some(StopReason::MemoryLimit) => "memory limit",
            Some(StopReason::Interrupted) => "interrupted",
            Some(StopReason::SolverFailure) | None => "solver failure",
        };
        let (cost, bound) = (set.amount(self.cost), set.amount(self.lower_bound));
        format!("feasible ({why}): {cost}, at least {bound}{given}")
    }
}

impl DecisionSet {
    /// How much all rules are, as a sentence.
    pub fn total(&self) -> String {
        let (rules, literals) = (count(self.rules, "rule"), count(self.literals, "literal"));
        format!("Total: {rules}, {literals}, size {}.", self.size)
    }

    /// What a sparse set pays for size, as a sentence.
    pub fn price_in_words(&self) -> Option<String> {
        let (price, alpha) = (rows(self.price?), self.alpha_in_words()?);
        let what = match self.objective {
            Objective::Rules => "rule",
            Objective::Literals => "literal",
            Objective::Size | Objective::RulesThenLiterals => "rule and each literal",
        };
        Some(format!("Price: each {what} costs {price} (alpha {alpha}), each error 1 row."))
    }

    /// The alpha of a sparse set, as it can be asked for.
    fn alpha_in_words(&self) -> Option<String> {
        let ([units, parts], share) = (self.price_fraction?, self.alpha?.to_string());
        match share.parse::<Alpha>() {
            Ok(_) => Some(share),
            Err(_) => Some(Alpha::of_rows(units, parts).to_string()),
        }
    }

    /// Which classes come first, and what that means, as a sentence each.
    pub fn order_in_words(&self) -> Option<String> {
        let mut classes: Vec<String> =
            self.order.as_ref()?.iter().map(|class| format!("\"{class}\"")).collect();
        let otherwise = self.otherwise.iter().flatten().next().and_then(|_| classes.pop());
        let otherwise = otherwise.map_or(String::new(), |class| format!(", otherwise {class}"));
        Some(format!(
            "Order: {}{otherwise}. A rule holds unless a rule of an earlier class fires; \
             its rows are those where none does.",
            classes.join(", then ")
        ))
    }

    /// What a sparse set costs, as a sentence.
    pub fn cost_in_words(&self) -> Option<String> {
        let (cost, errors) = (self.cost?.rows()?, self.errors?);
        let paid = match self.objective {
            Objective::Rules => self.rules,
            Objective::Literals => self.literals,
            Objective::Size | Objective::RulesThenLiterals => self.size,
        };
        let size = rows(self.for_size(paid as u64)?);
        let errors = count(errors as usize, "error");
        Some(format!("Cost: {} = {size} for size and {errors}.", rows(cost)))
    }

    /// What a sparse set gets wrong with the policy of its model, as a sentence.
    pub fn rows_wrong_in_words(&self) -> Option<String> {
        let wrong = count(self.rows_wrong? as usize, "row");
        Some(format!("Predicted wrongly: {wrong} of the table."))
    }

    /// What a sparse set pays for so many units of size, in rows.
    fn for_size(&self, paid: u64) -> Option<f64> {
        let [units, parts] = self.price_fraction?;
        Some((u128::from(units) * u128::from(paid)) as f64 / parts as f64)
    }

    /// What was proven, as a sentence: how small, and among which sets of rules.
    pub fn proof(&self) -> String {
        let set = self.what_is_counted();
        if self.is_ordered() {
            let over = self.over();
            return match self.status {
                Status::Optimal => format!(
                    "Proven in order: each class's rules are proven best given those before it, {over}."
                ),
                Status::Feasible => {
                    let (bound, gap) = (self.amount(self.lower_bound), rows(self.gap));
                    format!(
                        "Not proven in order: each class's rules given those before it, {over}, cost at \
                         least {bound} together (gap {gap})."
                    )
                }
            };
        }
        if self.is_sparse() {
            return match self.status {
                Status::Optimal => {
                    format!("Proven optimal: no {set} is a better trade of errors against size.")
                }
                Status::Feasible => {
                    let (bound, gap) = (self.amount(self.lower_bound), rows(self.gap));
                    format!("Not proven optimal: every {set} costs at least {bound} (gap {gap}).")
                }
            };
        }
        if self.status == Status::Feasible {
            let bound = self.amount(self.lower_bound);
            let gap = 100.0 * self.gap;
            return format!("Not proven smallest: every {set} has at least {bound} (gap {gap:.1} %).");
        }
        let smallest = self.objective.better();
        format!("Proven optimal: no {set} {smallest}.")
    }

    /// A cost in its unit. What a sparse set costs is rows, even where a file says 26 for 26.0.
    fn amount(&self, cost: CostValue) -> String {
        match (cost, cost.rows().filter(|_| self.is_sparse())) {
            (_, Some(n)) | (CostValue::Rows(n), _) => rows(n),
            (CostValue::One(first), _) => self.objective.amount(Cost { first, second: 0 }),
            (CostValue::Two([first, second]), _) => self.objective.amount(Cost { first, second }),
        }
    }

    /// The sets of rules among which this one was looked for.
    fn what_is_counted(&self) -> String {
        let over = self.over();
        match self.scope.as_ref().and_then(|scope| scope.classes.as_ref()) {
            None => format!("decision set {over}"),
            Some(classes) => {
                let classes: Vec<String> = classes.iter().map(|class| format!("\"{class}\"")).collect();
                format!("set of rules for {} {over}", classes.join(" and "))
            }
        }
    }

    /// What the rules among which it was looked for can be made of.
    fn over(&self) -> String {
        match &self.scope {
            None => "over the same conditions".to_string(),
            Some(scope) => format!("over these {}", count(scope.conditions, "condition")),
        }
    }

    /// What the claim leaves out, as a sentence: what the conditions are, and what could have been among
    /// them.
    pub fn scope_in_words(&self) -> Option<String> {
        let scope = self.scope.as_ref()?;
        let tests = if scope.negations { "all tests" } else { "all tests but \"is not\"" };
        let mut text = format!("The conditions are {tests} on {}", count(scope.columns, "column"));
        if scope.cut_columns > 0 {
            let (columns, cuts) = (count(scope.cut_columns, "column"), count(scope.cuts, "place"));
            text.push_str(&format!("; the numbers of {columns} are cut at {cuts}"));
        }
        if scope.all_thresholds {
            text.push_str(
                ", wherever the class changes, so that what is proven holds for all thresholds",
            );
        }
        if !scope.ignored.is_empty() {
            let names: Vec<String> = scope.ignored.iter().map(|name| format!("\"{name}\"")).collect();
            text.push_str(&format!("; left out on request: {}", names.join(", ")));
        }
        if scope.wide_columns > 0 {
            let (values, columns) =
                (count(scope.rare_values, "rare value"), count(scope.wide_columns, "column"));
            text.push_str(&format!("; none tests {values} of {columns}"));
        }
        let better = if self.is_sparse() { "better" } else { "smaller" };
        let other_cuts = scope.cut_columns > 0 && !scope.all_thresholds;
        let all = scope.ignored.is_empty() && scope.negations && scope.wide_columns == 0;
        text.push_str(&match (other_cuts, all) {
            (true, _) => format!(". Other cuts may allow a {better} set."),
            (false, false) => format!(". More conditions may allow a {better} set."),
            (false, true) => ".".to_string(),
        });
        Some(text)
    }
}

/// So many rows, which need not be whole.
fn rows(n: f64) -> String {
    if n == 1.0 { "1 row".to_string() } else { format!("{n} rows") }
}

/// Where the rules come from and what was proven, a sentence each.
pub(crate) fn origin(program: &Program) -> Vec<String> {
    let (set, provenance) = (&program.model.decision_set, &program.model.provenance);
    let rows = count(provenance.rows, "row");
    let (version, table) = (&provenance.minrule, &provenance.table);
    let mut lines = vec![
        format!("Rules for \"{}\", learned by minrule {version} from {table} ({rows}).", set.target),
        set.total(),
    ];
    lines.extend(set.price_in_words());
    lines.extend(set.order_in_words());
    lines.extend(cost(program));
    lines.push(set.proof());
    lines.extend(set.scope_in_words());
    if set.conflicts.rows_dropped > 0 {
        lines.push(conflicts(set));
    }
    lines
}

/// What a sparse set costs, and, if that is known for this policy, what it gets wrong: a sentence each.
pub(crate) fn cost(program: &Program) -> Vec<String> {
    let set = &program.model.decision_set;
    let wrong = set.rows_wrong_in_words().filter(|_| program.policy == program.model.policy);
    set.cost_in_words().into_iter().chain(wrong).collect()
}

/// What settling conflicts in the table cost.
pub fn conflicts(set: &DecisionSet) -> String {
    let rows = count(set.conflicts.rows_dropped, "row");
    if set.is_sparse() {
        return format!(
            "Conflicts: equal rows have different classes; whatever the rules, {rows} or more are wrong."
        );
    }
    let agree = percent(set.conflicts.training_accuracy);
    format!(
        "Conflicts: {rows} lost the vote against equal rows of another class; \
         the rules agree with {agree} of the rows."
    )
}

/// How rows are decided that the rules alone do not, a sentence each.
pub(crate) fn policy(program: &Program) -> Vec<String> {
    let uncovered = match program.policy.uncovered {
        Uncovered::Default => match (&program.model.undescribed()[..], program.default_label()) {
            ([], label) => {
                let label = label.unwrap_or_default();
                format!("A row that no rule covers has the class that most rows had, \"{label}\".")
            }
            (_, Some(label)) if program.model.otherwise().is_some() => {
                format!("A row that no rule covers has the class without rules, \"{label}\".")
            }
            (_, Some(label)) => format!("A row that no rule covers has the other class, \"{label}\"."),
            (_, None) => {
                "A row that no rule covers has one of the classes that no rule describes.".to_string()
            }
        },
        Uncovered::Abstain => "A row that no rule covers has no class.".to_string(),
        Uncovered::Nearest => {
            "A row that no rule covers is decided by the rules that miss the fewest conditions."
                .to_string()
        }
    };
    let conflict = match program.policy.conflict {
        Conflict::Majority => {
            "Of several classes, the one whose rules cover the most rows, added up, wins; \
             of equals, the earlier label."
        }
        Conflict::Size => {
            "Of rules of several classes, the one with the most conditions wins; of equals, the one \
             that covers more rows, then the earlier label."
        }
        Conflict::Precision => {
            "Of rules of several classes, the one with the best precision on the table, with one more row on \
             either side, wins; of equals, the earlier label."
        }
        Conflict::Order => {
            "Of rules of several classes, those of the class that comes first in the order hold."
        }
        Conflict::Abstain => "A row that rules of several classes cover has no class.",
    };
    vec![uncovered, conflict.to_string()]
}

/// Which columns take other numbers than the table had, a sentence each.
fn notations(program: &Program) -> impl Iterator<Item = String> {
    let notations = &program.model.provenance.spelling.notations;
    program.columns.iter().filter(|column| column.numeric).filter_map(|column| {
        let how = notations.get(column.name)?.in_words()?;
        Some(format!("Numbers in \"{}\" must be plain here: {how}.", column.name))
    })
}

/// The first lines of a program, for a comment.
pub(crate) fn head(program: &Program) -> Vec<String> {
    let mut lines = Vec::new();
    origin(program).iter().for_each(|sentence| wrap(sentence, &mut lines));
    lines.push(String::new());
    let sentences = policy(program).into_iter().chain(notations(program));
    sentences.for_each(|sentence| wrap(&sentence, &mut lines));
    lines
}

/// Adds the lines of a sentence.
fn wrap(sentence: &str, lines: &mut Vec<String>) {
    const WIDTH: usize = 92;
    let mut line = String::new();
    for word in one_line(sentence).split(' ') {
        if !line.is_empty() && line.chars().count() + 1 + word.chars().count() > WIDTH {
            lines.push(std::mem::take(&mut line));
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
}

/// Conditions that must all hold, in a language with `&&`, on one line if there is room.
pub(crate) fn all_of(conditions: &[String]) -> String {
    const WIDTH: usize = 80;
    let line = conditions.join(" && ");
    if line.chars().count() <= WIDTH { line } else { conditions.join("\n        && ") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_wrap_between_words() {
        let mut lines = Vec::new();
        wrap(&"word ".repeat(40), &mut lines);
        assert!(lines.len() > 1 && lines.iter().all(|line| line.len() <= 92), "{lines:?}");
        assert_eq!(lines.join(" ").trim_end(), "word ".repeat(40).trim_end());
    }
}
