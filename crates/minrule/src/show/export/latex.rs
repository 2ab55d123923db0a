//! An article with a list of rules for each class: lists break over pages, and need no package that
//! a plain installation does not have.

use crate::data::wording::{Phrase, Token, Wording};
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
            out.push_str(&item(rule, &program.wording));
        }
        out.push_str("\\end{itemize}\n");
    }
    out.push_str("\n\\end{document}\n");
    out
}

fn item(rule: &DecisionRule, wording: &Wording) -> String {
    let conditions: Vec<String> = wording.parts(&rule.conditions).iter().map(condition).collect();
    let premise = match conditions.is_empty() {
        true => "always".to_string(),
        false => conditions.join(" \\textsc{and}\n    "),
    };
    format!("  \\item \\textsc{{if}} {premise} ({})\n", rule.rows())
}

fn condition(phrase: &Phrase) -> String {
    let token = |token: &Token| match token {
        Token::Name(name) => format!("\\textit{{{}}}", escaped(name)),
        Token::Value(text) => escaped(text),
        Token::Number(number) => format!("${number}$"),
        Token::Sign("<=") => "$\\le$".to_string(),
        Token::Sign(">=") => "$\\ge$".to_string(),
        Token::Sign("!=") => "$\\ne$".to_string(),
        Token::Sign(sign) => format!("${sign}$"),
        Token::Word(word) => (*word).to_string(),
    };
    phrase.spaced(token).map(|(blank, text)| format!("{blank}{text}")).collect()
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
