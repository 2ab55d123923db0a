//! Sentences, as `minrule learn` prints them.

use crate::result::decision_set::DecisionRule;
use crate::show::export::program::Program;
use crate::show::export::words::{conflicts, cost, policy};
use crate::text::{count, one_line};

pub(crate) fn text(program: &Program) -> String {
    let model = program.model;
    let set = &model.decision_set;
    let mut lines = vec![format!(
        "{}: {}, {}, {} of \"{}\"",
        model.provenance.table,
        count(model.provenance.rows, "row"),
        count(model.features.len(), "Boolean feature"),
        count(model.labels.len(), "class"),
        set.target,
    )];
    if set.conflicts.rows_dropped > 0 {
        lines.push(conflicts(set));
    }
    lines.extend(set.price_in_words());
    lines.extend(set.order_in_words());
    for class in &set.classes {
        lines.extend([String::new(), class.heading(set)]);
        let sentence = |rule: &DecisionRule| rule.sentence_with_size(&set.target, &program.wording);
        lines.extend(class.rules.iter().map(|rule| format!("  {}", sentence(rule))));
    }
    if let Some(Some(otherwise)) = &set.otherwise {
        lines.extend([String::new(), format!("otherwise: {otherwise}")]);
    }
    lines.extend([String::new(), set.total()]);
    lines.extend(cost(program));
    lines.push(set.proof());
    lines.extend(set.scope_in_words());
    lines.extend(policy(program));
    lines.iter().map(|line| one_line(line) + "\n").collect()
}
