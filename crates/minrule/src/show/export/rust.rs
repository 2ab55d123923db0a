//! A Rust module that is also a program, with no dependency and in any edition.

use crate::apply::predict::Conflict;
use crate::show::export::identifiers::identifiers;
use crate::show::export::program::{Count, Program, Rule, Test, What};
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
    out.push_str(&moments(program));
    out.push_str(&predict(program, &fields));
    out.push_str(&rules(program, &fields));
    out.push_str(&main(program, &fields));
    out
}

fn row(program: &Program, fields: &[String]) -> String {
    let texts = program.columns.iter().any(|column| !column.numeric);
    let columns = program.columns.iter().zip(fields).map(|(column, field)| {
        let kind = if column.numeric { "f64" } else { "&'a str" };
        let unit = column.count().map_or(String::new(), |count| format!(", in {}", count.unit));
        format!("    // {}{unit}\n    pub {field}: Option<{kind}>,\n", comment(column.name))
    });
    format!(
        "\n/// The values that rules test; `None` where one is missing.\n\
         #[derive(Debug, Clone, Copy, Default)]\n\
         pub struct Row{} {{\n{}}}\n",
        if texts { "<'a>" } else { "" },
        columns.collect::<String>(),
    )
}

/// What turns dates and times into numbers, for users as well.
fn moments(program: &Program) -> String {
    let function = |count: &Count| {
        let Count { function, unit, reads, days, offset } = count;
        format!(
            "\n/// Reads {reads}:\n/// {unit}.\n\
             pub fn {function}(text: &str) -> Option<f64> {{\n    moment(text, {days}, {offset})\n}}\n"
        )
    };
    let counts = program.counts();
    let moment = if counts.is_empty() { "" } else { MOMENT };
    counts.iter().map(function).collect::<String>() + moment
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
        let also = |column: usize| -> String {
            let missing = program.columns[column].missing.iter();
            missing.map(|x| format!(" && *x != {x:?}")).collect()
        };
        let some = (0..fields.len()).any(|column| !also(column).is_empty());
        body.push_str(&format!(
            "    // What is no finite number counts as missing{}.\n    let row = &Row {{\n",
            if some { ", and so do some numbers" } else { "" },
        ));
        for column in (0..fields.len()).filter(|&column| is_numeric(column)) {
            let (field, also) = (&fields[column], also(column));
            body.push_str(&format!("        {field}: row.{field}.filter(|x| x.is_finite(){also}),\n"));
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
        let value = match (column.count(), column.numeric) {
            (Some(count), _) => format!("{}(&fields[at[{i}]])", count.function),
            (None, true) if program.decimal_comma() => format!("comma(&fields[at[{i}]])"),
            (None, true) => format!("fields[at[{i}]].parse().ok()"),
            (None, false) => format!("Some(&fields[at[{i}]])"),
        };
        format!("            {field}: {value},\n")
    });
    let values: String = values.collect();
    let row =
        if values.is_empty() { "Row {}".to_string() } else { format!("Row {{\n{values}        }}") };
    let find = if names.is_empty() { "" } else { FIND };
    let numbers = program.columns.iter().any(|column| column.numeric && column.kind.is_plain());
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

const MOMENT: &str = r#"
/// Days or microseconds since 1970 of a date or time in ISO 8601, with or without an offset.
fn moment(text: &str, in_days: bool, with_offset: bool) -> Option<f64> {
    const BEFORE: [i64; 13] = [0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334, 365];
    const DAY: i64 = 86_400_000_000;
    let rest = &mut &*text;
    let year = take(rest, 4).filter(|year| *year > 0)?;
    let month = skip(rest, "-").and_then(|_| take(rest, 2)).filter(|month| 0 < *month && *month <= 12)?;
    let day = skip(rest, "-").and_then(|_| take(rest, 2))?;
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let before = BEFORE[month as usize - 1];
    let length = BEFORE[month as usize] - before + (leap && month == 2) as i64;
    if day < 1 || day > length {
        return None;
    }
    let last = year - 1;
    let days = 365 * last + last / 4 - last / 100 + last / 400 - 719_162;
    let mut micros = (days + before + (leap && month > 2) as i64 + day - 1) * DAY;
    let (has_time, mut has_offset) = (skip(rest, "Tt ").is_some(), false);
    if has_time {
        let hour = take(rest, 2)?;
        let minute = skip(rest, ":").and_then(|_| take(rest, 2))?;
        let (mut second, mut decimals) = (0, 0);
        if skip(rest, ":").is_some() {
            second = take(rest, 2)?;
            if skip(rest, ".,").is_some() {
                // What is less than a microsecond is cut off.
                decimals = take(rest, 1)? * 100_000;
                let mut unit = 10_000;
                while let Some(digit) = take(rest, 1) {
                    decimals += digit * unit;
                    unit /= 10;
                }
            }
        }
        let blank = skip(rest, " ").is_some();
        let (mut hours, mut minutes) = (0, 0);
        if let Some(sign) = skip(rest, "+-Zz") {
            has_offset = true;
            if sign == '+' || sign == '-' {
                hours = take(rest, 2)?;
                if skip(rest, ":").is_some() || !rest.is_empty() {
                    minutes = take(rest, 2)?;
                }
            }
            let ahead = (hours * 60 + minutes) * 60_000_000;
            micros -= if sign == '-' { -ahead } else { ahead };
        } else if blank {
            return None;
        }
        if hour > 23 || minute > 59 || second > 59 || hours > 23 || minutes > 59 {
            return None;
        }
        micros += ((hour * 60 + minute) * 60 + second) * 1_000_000 + decimals;
    }
    let exact = micros.abs() < 9_007_199_254_740_991 || (in_days && !has_time);
    if !rest.is_empty() || has_offset != with_offset || !exact || (in_days && micros % DAY != 0) {
        return None;
    }
    Some(if in_days { micros / DAY } else { micros } as f64)
}

/// The next so many digits as a number.
fn take(rest: &mut &str, digits: usize) -> Option<i64> {
    let head = rest.get(..digits).filter(|head| head.bytes().all(|byte| byte.is_ascii_digit()))?;
    *rest = &rest[digits..];
    head.parse().ok()
}

/// The next character, if it is one of these.
fn skip(rest: &mut &str, any: &str) -> Option<char> {
    let next = rest.chars().next().filter(|c| any.contains(*c))?;
    *rest = &rest[next.len_utf8()..];
    Some(next)
}
"#;

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
