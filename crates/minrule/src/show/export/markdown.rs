//! A page of Markdown with a table of rules for each class.

use crate::show::export::program::Program;
use crate::show::export::words::{origin, policy};
use crate::text::one_line;

pub(crate) fn markdown(program: &Program) -> String {
    let set = &program.model.decision_set;
    let mut out = format!("# Rules for {}\n\n", escaped(&set.target));
    for sentence in origin(program) {
        out.push_str(&format!("{}\n", escaped(&sentence)));
    }
    for class in &set.classes {
        out.push_str(&format!("\n## {} = {}\n\n", escaped(&set.target), escaped(&class.class)));
        out.push_str(&format!("{}\n", escaped(&class.summary(set))));
        if class.rules.is_empty() {
            continue;
        }
        out.push_str(match set.is_sparse() {
            false => "\n| IF | rows | literals |\n|---|---:|---:|\n",
            true => "\n| IF | rows | wrong | literals |\n|---|---:|---:|---:|\n",
        });
        for rule in &class.rules {
            let (premise, literals) = (escaped(&rule.premise(&program.wording)), rule.conditions.len());
            let wrong = rule.wrong.map_or(String::new(), |wrong| format!(" {wrong} |"));
            out.push_str(&format!("| {premise} | {} |{wrong} {literals} |\n", rule.covers));
        }
    }
    out.push_str("\n## Where the rules alone do not decide\n\n");
    for sentence in policy(program) {
        out.push_str(&format!("- {}\n", escaped(&sentence)));
    }
    out
}

/// Text as it stands: a backslash before what has a meaning within a line or a table.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in one_line(text).chars() {
        if matches!(c, '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '|' | '~' | '&' | '#' | '$') {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(escaped("a_b *c* | [d](e) `f`"), r"a\_b \*c\* \| \[d\](e) \`f\`");
        assert_eq!(escaped("<b> &amp; \n"), r"\<b> \&amp; \\n");
    }
}
