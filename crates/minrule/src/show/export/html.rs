//! A page for a browser, whole in one file, light or dark as the reader likes it.

use crate::result::decision_set::ClassRules;
use crate::show::export::program::Program;
use crate::show::export::words::{origin, policy};
use crate::text::one_line;

pub(crate) fn html(program: &Program) -> String {
    let set = &program.model.decision_set;
    let paragraphs = |sentences: Vec<String>| -> String {
        sentences.iter().map(|sentence| format!("<p>{}</p>\n", escaped(sentence))).collect()
    };
    let classes: String = set.classes.iter().map(|class| section(program, class)).collect();
    let title = format!("Rules for {}", escaped(&set.target));
    format!(
        "<!DOCTYPE html>\n\
         <html lang=\"en\">\n\
         <head>\n\
         <meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>{title}</title>\n\
         <style>\n{STYLE}</style>\n\
         </head>\n\
         <body>\n\
         <h1>{title}</h1>\n\
         {}{classes}\
         <h2>Where the rules alone do not decide</h2>\n\
         {}</body>\n\
         </html>\n",
        paragraphs(origin(program)),
        paragraphs(policy(program)),
    )
}

fn section(program: &Program, class: &ClassRules) -> String {
    let set = &program.model.decision_set;
    let (target, label) = (escaped(&set.target), escaped(&class.class));
    let summary = escaped(&class.summary(set));
    let rows: String = class
        .rules
        .iter()
        .map(|rule| {
            let conditions: Vec<String> = program
                .wording
                .parts(&rule.conditions)
                .iter()
                .map(|phrase| format!("<span>{}</span>", escaped(&phrase.to_string())))
                .collect();
            let premise = match conditions.is_empty() {
                true => "always".to_string(),
                false => conditions.join(" <b>and</b> "),
            };
            let (covers, literals) = (rule.covers, rule.conditions.len());
            let wrong = rule.wrong.map_or(String::new(), |wrong| format!("<td>{wrong}</td>"));
            format!("<tr><td>{premise}</td><td>{covers}</td>{wrong}<td>{literals}</td></tr>\n")
        })
        .collect();
    let table = match rows.is_empty() {
        true => String::new(),
        false => format!(
            "<table>\n<thead><tr><th>If</th><th>Rows</th>{}<th>Literals</th></tr></thead>\n\
             <tbody>\n{rows}</tbody>\n</table>\n",
            if set.is_sparse() { "<th>Wrong</th>" } else { "" },
        ),
    };
    format!("<section>\n<h2>{target} = {label}</h2>\n<p>{summary}</p>\n{table}</section>\n")
}

/// Text as it stands, in an element or an attribute, of HTML or of XML.
pub fn escaped(text: &str) -> String {
    let mut out = String::new();
    for c in one_line(text).chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            _ => out.push(c),
        }
    }
    out
}

const STYLE: &str = "\
:root { color-scheme: light dark; --text: #1b1b1b; --page: #fff; --line: #d8d8d8; --mute: #5c5c5c; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6e6e6; --page: #161616; --line: #3c3c3c; --mute: #a8a8a8; }
}
body { max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: var(--text);
  background: var(--page); font: 1rem/1.5 system-ui, sans-serif; }
h1 { font-size: 1.6rem; }
h2 { font-size: 1.2rem; margin-top: 2rem; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: 0.4rem 0.6rem; border-bottom: 1px solid var(--line); text-align: right;
  vertical-align: top; font-variant-numeric: tabular-nums; }
th:first-child, td:first-child { text-align: left; overflow-wrap: anywhere; }
th, td b { color: var(--mute); font-weight: 500; }
";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_markup() {
        assert_eq!(
            escaped("<script>\"a\" & 'b'</script>"),
            "&lt;script&gt;&quot;a&quot; &amp; &#39;b&#39;&lt;/script&gt;"
        );
    }
}
