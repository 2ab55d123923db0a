//! An article with a list of rules for each class: lists break over pages, and need no package that
//! a plain installation does not have.

use crate::data::condition::{Condition, Op, Operand};
use crate::result::decision_set::DecisionRule;
use crate::show::export::program::Program;
use crate::show::export::words::{origin, policy};
use crate::text::one_line;

pub(crate) fn latex(program: &Program) -> String {
    let set = &program.model.decision_set;
    let mut out = format!(
        "% Letters beyond Latin want lualatex or xelatex and a font that has them.\n\
         \\documentclass{{article}}\n\
         \\usepackage[T1]{{fontenc}}\n\
         \\usepackage{{textcomp}}\n\
         \\begin{{document}}\n\n\
         \\section*{{Rules for {}}}\n\n",
        escaped(&set.target),
    );
    for sentence in origin(program).iter().chain(&policy(program)) {
        out.push_str(&escaped(sentence));
        out.push('\n');
    }
    for class in &set.classes {
        let (target, label) = (escaped(&set.target), escaped(&class.class));
        let summary = escaped(&class.summary(set));
        out.push_str(&format!("\n\\subsection*{{{target} = {label}}}\n\n{summary}\n"));
        if class.rules.is_empty() {
            continue;
        }
        out.push_str("\\begin{itemize}\n");
        for rule in &class.rules {
            out.push_str(&item(rule));
        }
        out.push_str("\\end{itemize}\n");
    }
    out.push_str("\n\\end{document}\n");
    out
}

fn item(rule: &DecisionRule) -> String {
    let conditions: Vec<String> = rule.conditions.iter().map(condition).collect();
    let premise = match conditions.is_empty() {
        true => "always".to_string(),
        false => conditions.join(" \\textsc{and}\n    "),
    };
    format!("  \\item \\textsc{{if}} {premise} ({})\n", rule.rows())
}

fn condition(condition: &Condition) -> String {
    let name = format!("\\textit{{{}}}", escaped(&condition.feature));
    let number = |x: &f64| format!("${x}$");
    match (condition.op, &condition.value) {
        (Op::Is, Operand::Text(text)) => format!("{name} $=$ {}", escaped(text)),
        (Op::IsNot, Operand::Text(text)) => format!("{name} $\\ne$ {}", escaped(text)),
        (Op::AtMost, Operand::Number(t)) => format!("{name} $\\le$ {}", number(t)),
        (Op::Above, Operand::Number(t)) => format!("{name} $>$ {}", number(t)),
        (Op::AtLeast, Operand::Number(t)) => format!("{name} $\\ge$ {}", number(t)),
        (Op::NotBelow, Operand::Number(t)) => format!("not ({name} $<$ {})", number(t)),
        (Op::Between, Operand::Interval(low, high)) => {
            format!("{} $\\le$ {name} $\\le$ {}", number(low), number(high))
        }
        (Op::NotBetween, Operand::Interval(low, high)) => {
            format!("not ({} $\\le$ {name} $\\le$ {})", number(low), number(high))
        }
        (Op::NotAtMost, Operand::Number(t)) => format!("not ({name} $\\le$ {})", number(t)),
        (Op::NotAbove, Operand::Number(t)) => format!("not ({name} $>$ {})", number(t)),
        (Op::In, Operand::Interval(low, high)) => {
            format!("{} $<$ {name} $\\le$ {}", number(low), number(high))
        }
        (Op::NotIn, Operand::Interval(low, high)) => {
            format!("not ({} $<$ {name} $\\le$ {})", number(low), number(high))
        }
        (Op::IsMissing, _) => format!("{name} is missing"),
        (Op::IsNotMissing, _) => format!("{name} is not missing"),
        _ => escaped(&condition.to_string()),
    }
}

/// Text as it stands: neither commands nor the ligatures of quotes and dashes.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in one_line(text).chars() {
        match c {
            '-' | ',' if out.ends_with(c) => out.extend(['{', '}', c]),
            '\\' => out.push_str("\\textbackslash{}"),
            '~' => out.push_str("\\textasciitilde{}"),
            '^' => out.push_str("\\textasciicircum{}"),
            '<' => out.push_str("\\textless{}"),
            '>' => out.push_str("\\textgreater{}"),
            '|' => out.push_str("\\textbar{}"),
            '"' => out.push_str("\\textquotedbl{}"),
            '`' => out.push_str("\\textasciigrave{}"),
            '\'' => out.push_str("\\textquotesingle{}"),
            '#' | '$' | '%' | '&' | '_' | '{' | '}' => out.extend(['\\', c]),
            _ => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_a_command_or_a_ligature() {
        assert_eq!(escaped("50 % of $a_b"), "50 \\% of \\$a\\_b");
        assert_eq!(escaped("\\x{y}--"), "\\textbackslash{}x\\{y\\}-{}-");
        assert_eq!(escaped("a\nb"), "a\\textbackslash{}nb");
    }
}
