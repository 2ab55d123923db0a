//! A Rust module that is also a program, with no dependency and in any edition.

use crate::apply::predict::Conflict;
use crate::show::export::identifiers::identifiers;
use crate::show::export::program::{Program, Rule, Test, What};
use crate::show::export::words::{all_of, head};
use crate::text::one_line;

/// Words that are no names of fields, in any edition.
const KEYWORDS: &str = "\
    abstract as async await become box break const continue crate do dyn else enum extern false \
    final fn for gen if impl in let loop macro match mod move mut override priv pub ref return \
    self static struct super trait true try type typeof unsafe unsized use virtual where while \
    yield";

pub(crate) fn rust(program: &Program) -> String {
    let fields = identifiers(program.columns.iter().map(|column| column.name), KEYWORDS);
    let mut out = String::new();
    for line in head(program) {
        out.push_str(format!("// {line}").trim_end());
        out.push('\n');
    }
    out.push_str(&row(program, &fields));
    out.push_str(&predict(program, &fields));
    out.push_str(&rules(program, &fields));
    out.push_str(&main(program, &fields));
    out
}

fn row(program: &Program, fields: &[String]) -> String {
    let texts = program.columns.iter().any(|column| !column.numeric);
    let columns = program.columns.iter().zip(fields).map(|(column, field)| {
        let kind = if column.numeric { "f64" } else { "&'a str" };
        format!("    // {}\n    pub {field}: Option<{kind}>,\n", comment(column.name))
    });
    format!(
        "\n/// The values that rules test; `None` where one is missing.\n\
         #[derive(Debug, Clone, Copy, Default)]\n\
         pub struct Row{} {{\n{}}}\n",
        if texts { "<'a>" } else { "" },
        columns.collect::<String>(),
    )
}

fn predict(program: &Program, fields: &[String]) -> String {
    let label = program.uncovered_label().map_or("None".to_string(), |l| format!("Some({l:?})"));
    let head = "\n/// The class of a row, if the rules and the policy give it one.\n";
    if program.rules.is_empty() {
        return format!(
            "{head}pub fn predict(_row: &Row) -> Option<&'static str> {{\n    {label}\n}}\n"
        );
    }
    let mut body = String::new();
    let is_numeric = |column: usize| program.columns[column].numeric;
    if (0..fields.len()).any(is_numeric) {
        let also: String =
            program.missing_numbers().iter().map(|x| format!(" && *x != {x:?}")).collect();
        body.push_str(&format!(
            "    // What is no finite number counts as missing{}.\n    \
             let finite = |x: Option<f64>| x.filter(|x| x.is_finite(){also});\n    \
             let row = &Row {{\n",
            if also.is_empty() { "" } else { ", and so do some numbers" },
        ));
        for column in (0..fields.len()).filter(|&column| is_numeric(column)) {
            body.push_str(&format!("        {0}: finite(row.{0}),\n", fields[column]));
        }
        if !(0..fields.len()).all(is_numeric) {
            body.push_str("        ..*row\n");
        }
        body.push_str("    };\n");
    }
    if program.nearest() {
        body.push_str(
            "    let fewest = RULES.iter().map(|rule| (rule.unmet)(row)).min()?;\n    \
             let fired: Vec<&Rule> = RULES.iter().filter(|rule| (rule.unmet)(row) == fewest).collect();\n",
        );
    } else {
        body.push_str(&format!(
            "    let fired: Vec<&Rule> = RULES.iter().filter(|rule| (rule.fires)(row)).collect();\n    \
             if fired.is_empty() {{\n        return {label};\n    }}\n",
        ));
    }
    body.push_str(
        "    if fired.iter().all(|rule| rule.then == fired[0].then) {\n        \
             return Some(LABELS[fired[0].then]);\n    \
         }\n",
    );
    let strength = program.strength();
    body.push_str(&match program.policy.conflict {
        Conflict::Abstain => "    None\n".to_string(),
        Conflict::Majority => {
            "    let mut votes = [0; LABELS.len()];\n    \
             for rule in fired {\n        \
                 votes[rule.then] += rule.covers;\n    \
             }\n    \
             let most = votes.iter().max()?;\n    \
             let first = votes.iter().position(|votes| votes == most)?;\n    \
             Some(LABELS[first])\n"
                .to_string()
        }
        Conflict::Size | Conflict::Precision | Conflict::Order => format!(
            "    let earlier = std::cmp::Reverse::<usize>;\n    \
             let first =\n        \
                 fired.iter().max_by_key(|rule| (rule.{strength}, rule.covers, earlier(rule.then)))?;\n    \
             Some(LABELS[first.then])\n"
        ),
    });
    format!("{head}pub fn predict(row: &Row) -> Option<&'static str> {{\n{body}}}\n")
}

/// The labels, the table of rules and a function for each.
fn rules(program: &Program, fields: &[String]) -> String {
    if program.rules.is_empty() {
        return String::new();
    }
    let labels: Vec<String> = program.model.labels.iter().map(|label| format!("{label:?}")).collect();
    let covers = program.policy.conflict != Conflict::Abstain;
    let strongest =
        matches!(program.policy.conflict, Conflict::Size | Conflict::Precision | Conflict::Order);
    let strength = program.strength();
    let (name, kind) = if program.nearest() { ("unmet", "usize") } else { ("fires", "bool") };
    let mut out = format!(
        "\nconst LABELS: [&str; {}] = [{}];\n\n\
         struct Rule {{\n    /// Its class, by position in `LABELS`.\n    then: usize,\n",
        labels.len(),
        labels.join(", "),
    );
    if covers {
        out.push_str("    /// Rows of the table that it was learned from.\n    covers: u64,\n");
    }
    if strongest {
        out.push_str(&format!("    {strength}: usize,\n"));
    }
    if program.nearest() {
        out.push_str("    /// How many of its conditions a row does not meet.\n");
    }
    out.push_str(&format!("    {name}: fn(&Row) -> {kind},\n}}\n\n"));
    out.push_str(&format!("static RULES: [Rule; {}] = [\n", program.rules.len()));
    for (i, rule) in program.rules.iter().enumerate() {
        let covers = if covers { format!("covers: {}, ", rule.covers) } else { String::new() };
        let strength = match strongest {
            true => format!("{strength}: {}, ", rule.strength),
            false => String::new(),
        };
        let (then, i) = (rule.label, i + 1);
        out.push_str(&format!("    Rule {{ then: {then}, {covers}{strength}{name}: rule_{i} }},\n"));
    }
    out.push_str("];\n");
    for (i, rule) in program.rules.iter().enumerate() {
        let target = &program.model.decision_set.target;
        let words = comment(&rule.rule.sentence_with_size(target, &program.wording));
        let row = if uses_row(rule) { "row" } else { "_row" };
        let body = body(program, fields, rule);
        let i = i + 1;
        out.push_str(&format!("\n// {words}\nfn rule_{i}({row}: &Row) -> {kind} {{\n{body}}}\n"));
    }
    if program.nearest() {
        out.push_str(
            "\nfn unmet(conditions: &[bool]) -> usize {\n    \
                 conditions.iter().filter(|met| !**met).count()\n\
             }\n",
        );
    }
    if program.asks_for_missing_text() {
        out.push_str(&is_missing(program));
    }
    out
}

fn uses_row(rule: &Rule) -> bool {
    rule.tests.iter().any(|test| !matches!(test.what, What::Never))
}

fn body(program: &Program, fields: &[String], rule: &Rule) -> String {
    let tests: Vec<String> = rule.tests.iter().map(|t| test(program, fields, t)).collect();
    match (program.nearest(), tests.is_empty()) {
        (false, true) => "    true\n".to_string(),
        (false, false) => format!("    {}\n", all_of(&tests)),
        (true, true) => "    unmet(&[])\n".to_string(),
        (true, false) => format!("    unmet(&[\n        {},\n    ])\n", tests.join(",\n        ")),
    }
}

fn test(program: &Program, fields: &[String], test: &Test) -> String {
    let value = format!("row.{}", fields[test.column]);
    let not = if test.negated { "!" } else { "" };
    let equal = if test.negated { "!=" } else { "==" };
    match test.what {
        What::Is(text) => format!("{value} {equal} Some({text:?})"),
        What::Equals(x) => format!("{value} {equal} Some({x:?})"),
        What::AtMost(t) => format!("{not}{value}.is_some_and(|x| x <= {t:?})"),
        What::Above(t) => format!("{not}{value}.is_some_and(|x| x > {t:?})"),
        What::AtLeast(t) => format!("{not}{value}.is_some_and(|x| x >= {t:?})"),
        What::Below(t) => format!("{not}{value}.is_some_and(|x| x < {t:?})"),
        What::Between(low, high) => {
            format!("{not}{value}.is_some_and(|x| {low:?} <= x && x <= {high:?})")
        }
        What::Within(low, high) => format!("{not}{value}.is_some_and(|x| {low:?} < x && x <= {high:?})"),
        What::Missing if program.is_missing_text(test) => format!("{not}is_missing({value})"),
        What::Missing if test.negated => format!("{value}.is_some()"),
        What::Missing => format!("{value}.is_none()"),
        What::Never => test.negated.to_string(),
    }
}

fn main(program: &Program, fields: &[String]) -> String {
    let names: Vec<String> = program.columns.iter().map(|column| format!("{:?}", column.name)).collect();
    let lookup = match names.is_empty() {
        true => String::new(),
        false => format!("    let at = [{}].map(|name| find(&header, name));\n", names.join(", ")),
    };
    let values = program.columns.iter().zip(fields).enumerate().map(|(i, (column, field))| {
        let value = match column.numeric {
            true if program.decimal_comma() => format!("comma(&fields[at[{i}]])"),
            true => format!("fields[at[{i}]].parse().ok()"),
            false => format!("Some(&fields[at[{i}]])"),
        };
        format!("            {field}: {value},\n")
    });
    let values: String = values.collect();
    let row =
        if values.is_empty() { "Row {}".to_string() } else { format!("Row {{\n{values}        }}") };
    let find = if names.is_empty() { "" } else { FIND };
    let numbers = program.columns.iter().any(|column| column.numeric);
    let comma = if program.decimal_comma() && numbers { COMMA } else { "" };
    format!("{MAIN_HEAD}{lookup}{MAIN_ROWS}{row}{MAIN_END}{find}{comma}{RECORDS}")
}

fn is_missing(program: &Program) -> String {
    let texts = program.missing_texts();
    match texts.is_empty() {
        true => IS_MISSING.to_string(),
        false => {
            let texts: Vec<String> = texts.iter().map(|text| format!("{text:?}")).collect();
            let also = format!("        || [{}].contains(&text)\n}}\n", texts.join(", "));
            format!("{}{also}", IS_MISSING.trim_end().trim_end_matches('}'))
        }
    }
}

const COMMA: &str = r#"
/// A number whose decimals follow a comma.
fn comma(text: &str) -> Option<f64> {
    if text.contains('.') { None } else { text.replacen(',', ".", 1).parse().ok() }
}
"#;

/// Text for a comment, never for documentation: there it would be Markdown, whose markup is shown
/// and whose code is run as a test.
fn comment(text: &str) -> String {
    one_line(text)
}

const IS_MISSING: &str = r#"
fn is_missing(text: Option<&str>) -> bool {
    let text = text.unwrap_or("");
    ["", "?", "na", "nan"].iter().any(|missing| text.eq_ignore_ascii_case(missing))
}
"#;

const MAIN_HEAD: &str = r#"
// From here on a program, which may be deleted: it reads a table with column names from standard
// input and prints the class of each row, or an empty line.

fn main() {
    let mut bytes = Vec::new();
    std::io::Read::read_to_end(&mut std::io::stdin(), &mut bytes).expect("a table on standard input");
    let text = String::from_utf8_lossy(&bytes);
    let mut records = records(text.trim_start_matches('\u{feff}')).into_iter();
    let header = records.next().unwrap_or_default();
"#;

const MAIN_ROWS: &str = r#"    for (i, fields) in records.enumerate() {
        if fields.len() != header.len() {
            eprintln!("row {}: {} fields, not {}", i + 1, fields.len(), header.len());
            std::process::exit(1);
        }
        let row = "#;

const MAIN_END: &str = r#";
        let label = predict(&row).unwrap_or("");
        if label.contains(|c| matches!(c, ',' | '"' | '\n' | '\r')) {
            println!("\"{}\"", label.replace('"', "\"\""));
        } else {
            println!("{}", label);
        }
    }
}
"#;

const FIND: &str = r#"
fn find(header: &[String], name: &str) -> usize {
    let is_it = |(i, head): (usize, &String)| match head.is_empty() {
        true => name == format!("column {}", i + 1),
        false => name == head,
    };
    header.iter().enumerate().position(is_it).unwrap_or_else(|| {
        eprintln!("the table has no column {:?}", name);
        std::process::exit(1)
    })
}
"#;

const RECORDS: &str = r#"
/// The records of a CSV text, fields without the blanks around them.
fn records(text: &str) -> Vec<Vec<String>> {
    let mut records = Vec::new();
    let mut chars = text.chars().peekable();
    loop {
        // A line with nothing on it is no record.
        while chars.next_if(|c| matches!(c, '\r' | '\n')).is_some() {}
        if chars.peek().is_none() {
            return records;
        }
        let mut record = Vec::new();
        loop {
            let mut field = String::new();
            if chars.next_if_eq(&'"').is_some() {
                while let Some(c) = chars.next() {
                    if c == '"' && chars.next_if_eq(&'"').is_none() {
                        break;
                    }
                    field.push(c);
                }
            }
            while let Some(c) = chars.next_if(|c| !matches!(c, ',' | '\r' | '\n')) {
                field.push(c);
            }
            record.push(field.trim_matches(|c: char| c.is_ascii_whitespace()).to_string());
            if chars.next_if_eq(&',').is_none() {
                break;
            }
        }
        records.push(record);
    }
}
"#;
