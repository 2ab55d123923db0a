//! What the page says without any script: the check, the rules, what was proven, how it decides.
//!
//! A browser with scripts lists the rules anew, so that they can be searched and tried, and adds the map,
//! the form and the charts; the rest it leaves as it is here.

use hashbrown::{HashMap, HashSet};

use crate::apply::choose::Expected;
use crate::apply::predict::{Conflict, Uncovered};
use crate::data::table::Table;
use crate::data::wording::{Phrase, Style, Wording};
use crate::judge;
use crate::limits::StopReason;
use crate::result::decision_set::{ClassRules, CostValue, DecisionRule};
use crate::result::model::{Model, UsedColumn};
use crate::result::outcome::Status;
use crate::show::export::escaped;
use crate::show::report::counts::Counts;
use crate::show::report::expected;
use crate::show::report::sets::Shown;
use crate::show::report::trade::{Trade, errors, price, without};
use crate::show::report::verdict::Verdict;
use crate::show::report::words::{any_of, count, file_name, in_rows, number, percent, pieces, some_of};

/// Rules that are listed, at most; of more, the first of each class are.
const RULES: usize = 1_000;
/// Rules that a browser lays out without ado.
const FEW: usize = 200;
/// Classes and columns that are listed, at most.
const LINES: usize = 500;
/// Conditions on a column and names in a sentence, at most.
const NAMES: usize = 12;

/// What the sections speak of.
pub(super) struct Sections<'a> {
    model: &'a Model,
    table: &'a Table,
    verdict: &'a Verdict,
    counts: &'a Counts,
    expected: Option<&'a Expected>,
    /// The colour of each label.
    palette: &'a [usize],
    wording: Wording<'a>,
}

impl<'a> Sections<'a> {
    pub(super) fn new(
        shown: &'a Shown<'a>,
        table: &'a Table,
        palette: &'a [usize],
        style: Style,
    ) -> Sections<'a> {
        let Shown { model, verdict, counts, expected, .. } = shown;
        let wording = model.wording(style);
        Sections { model, table, verdict, counts, expected: *expected, palette, wording }
    }

    pub(super) fn summary(&self) -> String {
        let set = &self.model.decision_set;
        let own = escaped(file_name(&self.model.provenance.table));
        let classes: Vec<&str> = set.classes.iter().map(|class| class.class.as_str()).collect();
        let otherwise = match self.otherwise_label() {
            Some(label) => format!(" Otherwise it is {}.", self.model.labels[label]),
            None => String::new(),
        };
        let question = escaped(&format!("when is {} {}?{otherwise}", set.target, any_of(&classes)));
        let target = escaped(&set.target);
        let mut first = [self.expected(), self.verdict.html(self.model, self.table)];
        // What is said of new rows is a claim, too.
        if !self.verdict.bears_out() {
            first.reverse();
        }
        format!(
            "<h1 id=\"title\">Rules for {target}</h1>\n\
             <p class=\"quiet\">Learned from {own}: {question}</p>\n{}{}{}{}",
            first.concat(),
            self.claim(),
            self.figures(),
            self.remarks(),
        )
    }

    /// What to expect on new rows. Where the table does not bear the model out, it is only what the model says.
    fn expected(&self) -> String {
        let counts = self.counts;
        let majority = counts.majority();
        let always = (self.model.labels[majority].as_str(), counts.class_rows[majority], counts.rows);
        if self.verdict.bears_out() {
            return expected::html(self.expected, always);
        }
        let Some(said) = self.expected else { return String::new() };
        format!(
            "<p class=\"claim\" id=\"expected\">What the model says of new rows, and nobody checked: {} right, by \
             {}.</p>\n",
            expected::share(said.accuracy),
            escaped(&said.how),
        )
    }

    /// The class without rules, if rows that no rule covers are given to it.
    fn otherwise_label(&self) -> Option<usize> {
        let by_default = self.model.policy.uncovered == Uncovered::Default;
        self.model.otherwise().filter(|_| by_default)
    }

    /// What was proven. Where the table does not bear it out, it is only what the model says.
    fn claim(&self) -> String {
        let set = &self.model.decision_set;
        let proof = escaped(&set.proof());
        let scope = set.scope_in_words().map_or(String::new(), |scope| {
            format!("<p class=\"quiet\" id=\"scope\">{}</p>\n", escaped(&scope))
        });
        if self.verdict.bears_out() {
            let (kind, sign) = match set.status {
                Status::Optimal => ("proof optimal", "✓"),
                Status::Feasible => ("proof", "≥"),
            };
            return format!(
                "<p class=\"{kind}\"><span aria-hidden=\"true\">{sign}</span><span>{proof}</span></p>\n{scope}"
            );
        }
        let whose = match self.verdict.is_refused() {
            true => "What the model claims, and this table does not confirm:".to_string(),
            false => {
                let own = escaped(file_name(&self.model.provenance.table));
                format!("What the model claims of {own}, not of this table:")
            }
        };
        format!("<p class=\"claim\">{whose} “{proof}”</p>\n{scope}")
    }

    fn figures(&self) -> String {
        let counts = self.counts;
        let rules = self.model.rules().count() as u64;
        let literals: usize = self.model.rules().map(|(_, rule)| rule.conditions.len()).sum();
        let literals = literals as u64;
        let figure =
            |value: String, name: String| format!("<div><dt>{name}</dt><dd>{value}</dd></div>\n");
        let named = |n: u64, what: &str| {
            let words = count(n, what);
            let name = words.split_once(' ').map_or(what, |(_, name)| name);
            figure(number(n), name.to_string())
        };
        let named_for = |n: u64, what: &str, more: &str| {
            let words = count(n, what);
            let name = words.split_once(' ').map_or(what, |(_, name)| name);
            figure(number(n), format!("{name} {more}"))
        };
        let majority = counts.majority();
        let always = percent(counts.class_rows[majority], counts.rows);
        let whose = if self.verdict.its_table { "training rows" } else { "rows" };
        let right = format!(
            "of the {whose} right ({} of {});<br>always saying {}: {always}",
            number(counts.right),
            number(counts.rows),
            escaped(&self.model.labels[majority]),
        );
        [
            "<dl class=\"counts\">\n".to_string(),
            named(rules, "rule"),
            named(literals, "condition"),
            figure(number(rules + literals), "size (rules + conditions)".to_string()),
            named(self.table.rows() as u64, "row"),
            figure(percent(counts.right, counts.rows), right),
            Trade::new(self.model, counts).map_or(String::new(), |trade| {
                let wrong = counts.rows - counts.right;
                let errors = count(trade.errors, "error");
                let cost =
                    format!("cost in rows: {} for size,<br>and {errors}", in_rows(trade.for_size));
                named_for(wrong, "row", "predicted wrongly") + &figure(in_rows(trade.cost), cost)
            }),
            "</dl>\n".to_string(),
        ]
        .concat()
    }

    /// Conflicts in the table, rows that the rules do not decide, and what else should be known.
    fn remarks(&self) -> String {
        let (model, counts) = (self.model, self.counts);
        let share = |n: u64| format!("{} ({})", count(n, "row"), percent(n, counts.rows));
        let mut remarks = Vec::new();
        let conflicts = counts.conflicts;
        if conflicts.lost > 0 && model.decision_set.is_sparse() {
            remarks.push(format!(
                "Conflicts: rows of different classes look the same, in {} of such rows. Each counts as what it is: \
                 whatever the rules, {} or more are wrong.",
                count(conflicts.groups, "group"),
                share(conflicts.lost),
            ));
        } else if conflicts.lost > 0 {
            let tied = match conflicts.ties {
                0 => String::new(),
                n => format!(" {} ended in a tie, won by the class that comes first.", count(n, "vote")),
            };
            remarks.push(format!(
                "Conflicts: {} lost the vote against rows of another class that look the same, in {} of such \
                 rows.{tied}",
                share(conflicts.lost),
                count(conflicts.groups, "group"),
            ));
        } else {
            remarks.push("Conflicts: none; no two rows of different classes look the same.".to_string());
        }
        let uncovered: u64 = counts.uncovered.iter().sum();
        if uncovered + counts.in_conflict > 0 {
            let silent = match counts.unanswered {
                0 => String::new(),
                n => format!(" There is no answer for {}.", share(n)),
            };
            // Where classes have an order, rules of one class hold, whatever else fires.
            let several = match model.decision_set.is_ordered() {
                true => String::new(),
                false => format!(", and rules of several classes on {}", share(counts.in_conflict)),
            };
            remarks.push(format!("No rule fires on {}{several}.{silent}", share(uncovered)));
        }
        let classes = model.decision_set.classes.iter();
        let described: HashSet<&str> = classes.map(|class| class.class.as_str()).collect();
        let labels = model.labels.iter().map(String::as_str);
        let silent: Vec<&str> = labels.filter(|label| !described.contains(label)).collect();
        if !silent.is_empty() {
            remarks.push(format!("Classes without rules: {}.", some_of(&silent, NAMES)));
        }
        let classes = model.decision_set.classes.iter();
        let unworthy: Vec<&str> =
            classes.filter(|class| class.rules.is_empty()).map(|class| class.class.as_str()).collect();
        if !unworthy.is_empty() && model.decision_set.is_sparse() {
            remarks.push(format!("No rule is worth its price for {}.", some_of(&unworthy, NAMES)));
        }
        if self.table.weights.is_some() {
            remarks.push(format!("Rows count by their weights, {} in all.", number(counts.rows)));
        }
        remarks.iter().map(|remark| format!("<p>{}</p>\n", escaped(remark))).collect()
    }

    /// What is said of all rules.
    pub(super) fn lead(&self) -> String {
        let price = price(&self.model.decision_set).map_or(String::new(), |price| {
            format!(" Rules may be wrong where that saves size. {}", escaped(&price))
        });
        let order = match self.model.decision_set.order_in_words() {
            Some(order) => format!("{} They are counted in this table.", escaped(&order)),
            None => {
                "Rules have no order: any number may fire at once. The rows are those of this table."
                    .to_string()
            }
        };
        format!("A rule fires if all its conditions hold. {order}{price}")
    }

    /// The class of rows on which no rule fires, after all rules.
    pub(super) fn otherwise(&self) -> String {
        let Some(label) = self.otherwise_label() else { return String::new() };
        let uncovered = &self.counts.uncovered;
        let name = escaped(&self.model.labels[label]);
        let all: u64 = uncovered.iter().sum();
        format!(
            "<p class=\"otherwise\" id=\"otherwise\" style=\"{}\"><span class=\"part\"><i>OTHERWISE</i> \
             <b><span class=\"dot\"></span>{} = {name}</b></span> <span class=\"quiet\">{} on which no rule \
             fires, {} wrong</span></p>\n",
            self.colour(label),
            escaped(&self.model.decision_set.target),
            count(all, "row"),
            number(all - uncovered[label]),
        )
    }

    /// The rules of each class, up to a limit.
    pub(super) fn rules(&self) -> String {
        let set = &self.model.decision_set;
        let each = match self.counts.rules.len() <= RULES {
            true => usize::MAX,
            false => (RULES / set.classes.len().max(1)).max(1),
        };
        let mut out = String::new();
        let mut first = 0;
        for (place, class) in set.classes.iter().enumerate() {
            if place < LINES && !class.rules.is_empty() {
                out += &self.class(place, class, first, each);
            }
            first += class.rules.len();
        }
        out + &and_more(set.classes.len(), LINES, "class")
    }

    fn class(&self, place: usize, class: &ClassRules, first: usize, most: usize) -> String {
        let heading = escaped(&format!("{} = {}", self.model.decision_set.target, class.class));
        let label = self.model.labels.iter().position(|label| *label == class.class);
        let rows = label.map_or(0, |label| self.counts.class_rows[label]);
        let cards: String = class
            .rules
            .iter()
            .enumerate()
            .take(most)
            .map(|(i, rule)| self.card(first + i, rule, &class.class, rows))
            .collect();
        let list = if self.counts.rules.len() > FEW { "rules long" } else { "rules" };
        let rest = class.rules.len().saturating_sub(most);
        let more = match rest {
            0 => String::new(),
            rest => format!(
                "<p class=\"quiet more\">And {} of this class; a browser with scripts shows them, and \
                 <code>minrule export MODEL --to text</code> lists all.</p>\n",
                count(rest as u64, "more rule"),
            ),
        };
        let wrong = match self.model.decision_set.is_sparse() {
            true => format!(", {}", count(self.counts.errors(self.model, place), "error")),
            false => String::new(),
        };
        let reached = match self.model.decision_set.is_ordered() {
            true => {
                let reached = label.map_or(0, |label| self.counts.reached[label]);
                format!(", of which {} reach it", number(reached))
            }
            false => String::new(),
        };
        format!(
            "<article class=\"class\" style=\"{}\" aria-label=\"{heading}\">\n\
             <header><h3><span class=\"dot\"></span>{heading}</h3> \
             <span class=\"quiet\">{} for {}{reached}{wrong}</span></header>\n\
             <ol class=\"{list}\">\n{cards}</ol>\n{more}</article>\n",
            self.colour_of(&class.class),
            count(class.rules.len() as u64, "rule"),
            count(rows, "row"),
        )
    }

    /// The columns that rules test, and those that none does.
    pub(super) fn columns(&self) -> String {
        let used = self.model.used_columns();
        let mut testing: HashMap<&str, u64> = HashMap::new();
        for (_, rule) in self.model.rules() {
            let mut names: Vec<&str> = rule.conditions.iter().map(|c| c.feature.as_str()).collect();
            names.sort_unstable();
            names.dedup();
            names.into_iter().for_each(|name| *testing.entry(name).or_default() += 1);
        }
        let row = |column: &UsedColumn<'_>| {
            let shown = column.conditions.iter().take(NAMES);
            let said = shown.flat_map(|&condition| self.wording.phrases([condition]));
            let chips: Vec<String> = said.map(|phrase| chip(&phrase)).collect();
            let rest = column.conditions.len().saturating_sub(NAMES);
            let more =
                if rest > 0 { format!(" and {} more", number(rest as u64)) } else { String::new() };
            format!(
                "<tr><td>{}</td><td>{}</td><td class=\"number\">{}</td><td class=\"chips\">{}{more}</td></tr>\n",
                escaped(column.name),
                if column.numeric { "numbers" } else { "texts" },
                number(testing.get(column.name).copied().unwrap_or_default()),
                chips.join(" "),
            )
        };
        let rows: String = used.iter().take(LINES).map(row).collect();
        let table = match rows.is_empty() {
            true => "<p>The rules test no column.</p>\n".to_string(),
            false => format!(
                "<div class=\"scroll\" tabindex=\"0\"><table>\n<caption class=\"skip\">Columns that rules test</caption>\n\
                 <thead><tr><th>Column</th><th>Holds</th><th class=\"number\">Rules</th><th>Conditions</th></tr>\
                 </thead>\n<tbody>\n{rows}</tbody>\n</table></div>\n"
            ),
        };
        let names = self.table.features.iter().map(|column| column.name.as_str());
        let unused: Vec<&str> = names.filter(|name| !testing.contains_key(name)).collect();
        let unused = match unused.is_empty() {
            true => String::new(),
            false => {
                let names = escaped(&some_of(&unused, NAMES));
                format!("<p class=\"quiet more\">No rule tests {names}.</p>\n")
            }
        };
        table + &and_more(used.len(), LINES, "column") + &unused
    }

    /// Cost, bound and status of each class.
    pub(super) fn proof(&self) -> String {
        let set = &self.model.decision_set;
        let what = match price(set) {
            None => {
                let what = set.objective.subject();
                format!("The {what}, of each class, and what any set of rules for it needs at least.")
            }
            Some(price) => {
                let given = match set.is_ordered() {
                    true => {
                        " given those before it; rows that a rule of an earlier class covers do not count"
                    }
                    false => "",
                };
                format!(
                    "What the rules of each class cost, in rows, and what any set of rules for it costs at \
                     least{given}. An error is a row of the class that none of them covers, or a row of another \
                     class, for each that covers it. {}",
                    escaped(&price),
                )
            }
        };
        let whose = match (self.verdict.is_refused(), self.verdict.its_table) {
            (true, _) => " Bounds and status are what the model claims; the table refuses it.",
            (false, false) => " Bounds and status are of the table that the rules were learned from.",
            (false, true) => "",
        };
        let row = |(place, class): (usize, &ClassRules)| {
            let lengths = class.rules.iter().map(|rule| rule.conditions.len());
            let cost = match Trade::of_class(self.model, self.counts, place) {
                Some(trade) => vec![number(trade.errors), in_rows(trade.cost)],
                None => {
                    let cost = judge::cost(set.objective, lengths.clone());
                    vec![cost_words(CostValue::new(set.objective, cost))]
                }
            };
            let sizes = vec![class.rules.len() as u64, lengths.sum::<usize>() as u64];
            let numbers: String = sizes
                .into_iter()
                .map(number)
                .chain(cost)
                .chain([cost_words(class.lower_bound)])
                .map(|text| format!("<td class=\"number\">{text}</td>"))
                .collect();
            format!(
                "<tr style=\"{}\"><td><span class=\"dot\"></span>{}</td>{numbers}<td>{}</td></tr>\n",
                self.colour_of(&class.class),
                escaped(&class.class),
                self.status(place, class),
            )
        };
        let rows: String = set.classes.iter().enumerate().take(LINES).map(row).collect();
        let head = match set.is_sparse() {
            true => &["Rules", "Conditions", "Errors", "Cost", "At least"][..],
            false => &["Rules", "Conditions", "Cost", "At least"],
        };
        let head: String = head.iter().map(|name| format!("<th class=\"number\">{name}</th>")).collect();
        format!(
            "<p class=\"lead\">{what}{whose}</p>\n\
             <div class=\"live\" id=\"panels\" hidden></div>\n\
             <div class=\"scroll\" tabindex=\"0\"><table>\n\
             <caption class=\"skip\">Cost, bound and status of each class</caption>\n\
             <thead><tr><th>Class</th>{head}<th>Status</th></tr></thead>\n\
             <tbody>\n{rows}</tbody>\n</table></div>\n{}",
            and_more(set.classes.len(), LINES, "class"),
        )
    }

    fn status(&self, place: usize, class: &ClassRules) -> String {
        let set = &self.model.decision_set;
        let best = match set.is_sparse() {
            true if set.is_ordered() && place > 0 => "best given those before it",
            true => "best",
            false => "smallest",
        };
        let why = match class.stopped_by {
            Some(StopReason::TimeLimit) => ": time limit",
            Some(StopReason::MemoryLimit) => ": memory limit",
            Some(StopReason::Interrupted) => ": interrupted",
            Some(StopReason::SolverFailure) => ": solver failure",
            None => "",
        };
        match (class.status, self.verdict.bears_out(), self.verdict.is_refused()) {
            (Status::Feasible, ..) => format!("not proven{why}"),
            (Status::Optimal, true, _) => format!("✓ proven {best}"),
            (Status::Optimal, _, true) => format!("claimed {best}"),
            (Status::Optimal, ..) => format!("{best} for its own table"),
        }
    }

    /// How rows are decided.
    pub(super) fn decisions(&self) -> String {
        let model = self.model;
        let conflict = match model.policy.conflict {
            Conflict::Majority => {
                "the class wins whose firing rules cover the most rows of the table that they were learned \
                 from, added up; of equals, the class that comes first."
            }
            Conflict::Size => {
                "the class of the firing rule with the most conditions wins; of equals, of the one that covers \
                 more rows, then the class that comes first."
            }
            Conflict::Precision => {
                "the class of the firing rule with the best precision wins, counted on the rows of the table \
                 that it was learned from and one more on either side; of equals, the class that comes first."
            }
            Conflict::Order => "those of the class that comes first in the order hold, and no others.",
            Conflict::Abstain => "there is no answer.",
        };
        let uncovered = match model.policy.uncovered {
            Uncovered::Default => match (model.default_label(), model.undescribed().is_empty()) {
                (Some(label), described) => {
                    let label = escaped(&model.labels[label]);
                    let why = match (model.otherwise(), described) {
                        (Some(_), _) => "the class without rules",
                        (None, true) => "the class given by default",
                        (None, false) => "the other class",
                    };
                    format!("the answer is <b>{label}</b>, {why}.")
                }
                (None, _) => "the row has one of the classes that no rule describes.".to_string(),
            },
            Uncovered::Abstain => "there is no answer.".to_string(),
            Uncovered::Nearest => {
                "the rules that miss the fewest conditions count as if they fired.".to_string()
            }
        };
        format!(
            "<li>A rule fires if all its conditions hold. If all rules that fire name one class, that is the \
             answer.</li>\n\
             <li>If rules of several classes fire, {conflict}</li>\n\
             <li>If no rule fires, {uncovered}</li>\n\
             <li>A missing value equals nothing, and is neither at most nor more than any number. So it meets \
             only conditions with “≠”, “not”, “or missing” or “is missing”.</li>\n"
        )
    }

    /// Where the model comes from, and the table.
    pub(super) fn foot(&self) -> String {
        let (provenance, table) = (&self.model.provenance, self.table);
        let learned = format!(
            "Learned by minrule {} from {} ({}, SHA-256 <code>{}</code>).",
            escaped(&provenance.minrule),
            escaped(file_name(&provenance.table)),
            count(provenance.rows as u64, "row"),
            escaped(&provenance.sha256),
        );
        let shown = match self.verdict.its_table {
            true => "Checked and counted again with the same table".to_string(),
            false => format!(
                "Checked and counted with another table, {} ({}, SHA-256 <code>{}</code>)",
                escaped(file_name(&table.name)),
                count(table.rows() as u64, "row"),
                escaped(&table.sha256),
            ),
        };
        let version = env!("CARGO_PKG_VERSION");
        format!(
            "<p>{learned}</p>\n<p>{shown}, by minrule {version}. This page holds everything it shows and \
             fetches nothing.</p>\n"
        )
    }

    /// One rule, as a browser with scripts makes it too.
    fn card(&self, place: usize, rule: &DecisionRule, class: &str, class_rows: u64) -> String {
        let fired = self.counts.rules[place];
        let number = place + 1;
        let part =
            |word: &str, content: &str| format!("<span class=\"part\"><i>{word}</i> {content}</span> ");
        let mut sentence: String = self
            .wording
            .parts(&rule.conditions)
            .iter()
            .enumerate()
            .map(|(i, phrase)| part(if i == 0 { "IF" } else { "AND" }, &chip(phrase)))
            .collect();
        if rule.conditions.is_empty() {
            sentence = part("IF", "always");
        }
        let class = escaped(class);
        sentence += &part("THEN", &format!("<b><span class=\"dot\"></span>{class}</b>"));
        let errors = errors(fired);
        let without = without(self.model, self.counts, place, rule.conditions.len());
        let without = without.map_or(String::new(), |words| format!("<p class=\"without\">{words}</p>"));
        let width = u128::from(fired.own) * 1000 / u128::from(class_rows.max(1));
        format!(
            "<li class=\"rule\" id=\"rule-{number}\" tabindex=\"-1\">\
             <a href=\"#rule-{number}\" aria-label=\"Rule {number}\">#{number}</a>\n\
             <div class=\"sentence\">{sentence}</div>\n\
             <div class=\"size\">{}</div>\n\
             <div class=\"covers\"><p><b>{}</b> <span>{} of {class}</span></p><p class=\"wrong\">{errors}</p>\
             <div class=\"meter\"><div style=\"width: {}.{}%\"></div></div>{without}</div></li>\n",
            count(rule.conditions.len() as u64, "condition"),
            count(fired.own, "row"),
            percent(fired.own, class_rows),
            width / 10,
            width % 10,
        )
    }

    fn colour_of(&self, class: &str) -> String {
        let label = self.model.labels.iter().position(|label| label == class);
        self.colour(label.unwrap_or_default())
    }

    fn colour(&self, label: usize) -> String {
        format!("--class: var(--c{})", self.palette[label] % 8)
    }
}

/// "And 3 more classes", if there are.
fn and_more(all: usize, shown: usize, what: &str) -> String {
    match all.saturating_sub(shown) {
        0 => String::new(),
        rest => {
            let words = count(rest as u64, what);
            let (n, name) = words.split_once(' ').unwrap_or_default();
            format!("<p class=\"quiet more\">And {n} more {name}.</p>\n")
        }
    }
}

fn cost_words(cost: CostValue) -> String {
    match cost {
        CostValue::One(n) => number(n),
        CostValue::Two([rules, literals]) => format!("{}, {}", number(rules), number(literals)),
        CostValue::Rows(rows) => in_rows(rows),
    }
}

fn chip(phrase: &Phrase) -> String {
    let piece = |(i, text): (usize, &String)| match i % 2 {
        0 => escaped(text),
        _ => format!("<b>{}</b>", escaped(text)),
    };
    let pieces: String = pieces(phrase).iter().enumerate().map(piece).collect();
    format!("<span class=\"chip\" title=\"{}\">{pieces}</span>", escaped(&phrase.to_string()))
}

#[cfg(test)]
mod tests {
    use crate::data::binarise::BinariseOptions;
    use crate::data::table::{Table, TableOptions};
    use crate::data::wording::Style;
    use crate::show::report::report;
    use crate::testing::model_of;

    const TABLE: &str = "a,b,class\n1,p,x\n1,p,x\n1,p,y\n0,p,y\n0,q,y\n1,q,x\n0,p,y\n";

    fn table(text: &str) -> Table {
        Table::from_reader(text.as_bytes(), "folder/test.csv", &TableOptions::default()).unwrap()
    }

    #[test]
    fn a_table_that_bears_the_model_out_is_said_to() {
        let model = model_of(TABLE, &BinariseOptions::default());
        let made = report(&model, &table(TABLE), &[], &[], Style::Words).unwrap();
        assert!(made.its_table && made.faults.is_empty());
        assert!(made.page.contains("the table it was learned from: the model holds."));
        assert!(made.page.contains("class=\"proof optimal\""));
        assert!(made.page.contains("85.7 %</dd>"), "rounded down");
        assert!(made.page.contains("of the training rows right (6 of 7);<br>always saying y: 57.1 %"));
    }

    #[test]
    fn no_claim_stands_alone_beside_a_table_that_does_not_bear_it_out() {
        let model = model_of(TABLE, &BinariseOptions::default());
        let proof = model.decision_set.proof();
        let flipped = TABLE.replace(",x\n", ",z\n").replace(",y\n", ",x\n").replace(",z\n", ",y\n");
        for (text, faults) in [(flipped, true), (TABLE.replace("1,q,x\n", "1,q,x\n1,q,x\n"), false)] {
            let made = report(&model, &table(&text), &[], &[], Style::Words).unwrap();
            assert_eq!((made.its_table, !made.faults.is_empty()), (false, faults));
            assert!(made.page.contains("is not the table that the model was learned from"));
            assert!(!made.page.contains("class=\"proof optimal\"") && !made.page.contains("✓ proven"));
            let claims: Vec<_> = made.page.match_indices(&proof).collect();
            assert_eq!(claims.len(), 1);
            assert!(made.page[..claims[0].0].contains("id=\"check\""), "the check comes first");
            assert!(made.page[..claims[0].0].ends_with(": “"));
        }
    }

    #[test]
    fn of_very_many_rules_some_are_listed_and_the_rest_counted() {
        let mut model = model_of(TABLE, &BinariseOptions::default());
        let rule = model.decision_set.classes[0].rules[0].clone();
        model.decision_set.classes[0].rules = vec![rule; 100_000];
        let page = report(&model, &table(TABLE), &[], &[], Style::Words).unwrap().page;
        let (lists, _) = page.split_once("<script type=\"application/json\"").unwrap();
        assert_eq!(lists.matches("<li class=\"rule\"").count(), 501);
        assert!(lists.contains("And 99,500 more rules of this class"));
        assert!(lists.contains("id=\"rule-100001\""), "numbers go on after what is left out");
        assert!(lists.len() < 500_000, "{}", lists.len());
        assert!(page.len() < 10_000_000, "{}", page.len());
    }
}
