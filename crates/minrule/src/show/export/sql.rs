//! One SELECT for SQLite and PostgreSQL alike.
//!
//! The rules are rows of a table made on the spot, for each row of the user's; what fired is
//! counted and ordered as any other table. The road not taken is a column of flags for each rule:
//! the policies then have to be spelled out over all pairs of classes.

use crate::apply::predict::Conflict;
use crate::data::kind::Kind;
use crate::error::Result;
use crate::show::export::program::{Program, Rule, Test, What};
use crate::show::export::words::head;
use crate::text::one_line;

pub(crate) fn sql(program: &Program) -> Result<String> {
    program.refuse("a name or value for SQL", |c| c == '\0', "free of NUL characters")?;
    let mut out = String::new();
    for line in head(program) {
        out.push_str(format!("-- {line}").trim_end());
        out.push('\n');
    }
    let target = &program.model.decision_set.target;
    out.push_str(
        "--\n\
         -- Columns of numbers hold numbers, all others texts. A missing value is NULL, and so is what\n\
         -- is no finite number where one belongs. Put the name of your table after the last FROM.\n",
    );
    let has = |kind: Kind| program.columns.iter().any(|column| column.kind == kind);
    let moments = [
        (Kind::Date, "Columns of dates are DATE, or texts such as '2021-03-01'."),
        (Kind::Time, "Columns of times are TIMESTAMP, or texts such as '2021-03-01 12:30:00'."),
        (
            Kind::Instant,
            "Columns of times with an offset are TIMESTAMP WITH TIME ZONE, or texts in UTC such as\n\
             -- '2021-03-01 12:30:00+00:00'.",
        ),
    ];
    for (_, how) in moments.into_iter().filter(|(kind, _)| has(*kind)) {
        out.push_str(&format!("-- {how}\n"));
    }
    if has(Kind::Time) || has(Kind::Instant) {
        out.push_str("-- Texts of times have seconds, and decimals of them without zeros at the end.\n");
    }
    out.push_str(&format!(
        "SELECT t.*, {}AS {}\nFROM {} AS t;\n",
        prediction(program),
        identifier(&format!("predicted {target}")),
        identifier(table_name(&program.model.provenance.table)),
    ));
    Ok(out)
}

/// The class of the row `t`.
fn prediction(program: &Program) -> String {
    let uncovered = program.uncovered_label().map(string);
    if program.rules.is_empty() {
        return uncovered.unwrap_or("CAST(NULL AS VARCHAR(1))".to_string()) + " ";
    }
    let (fires, fired) = match program.nearest() {
        // As a join the least is found once a row; a subquery in WHERE would be asked for each rule.
        true => (
            "unmet",
            "SELECT rules.* FROM rules\n    \
             JOIN (SELECT MIN(unmet) AS fewest FROM rules) AS nearest ON unmet = fewest",
        ),
        false => ("fires", "SELECT * FROM rules WHERE fires = 1"),
    };
    let target = &program.model.decision_set.target;
    let rules = program.rules.iter().map(|r| {
        let words = one_line(&r.rule.sentence_with_size(target, &program.wording));
        let label = string(&program.model.labels[r.label]);
        let (place, covers, strength) = (r.label + 1, r.covers, r.strength);
        let fires = if program.nearest() { unmet(program, r) } else { fires_at_all(program, r) };
        format!("    -- {words}\n    ({place}, {label}, {covers}, {strength}, {fires})")
    });
    let rules: Vec<String> = rules.collect();
    let rules = rules.join(",\n");
    let (open, close) = match (&uncovered, program.policy.conflict) {
        (Some(label), Conflict::Majority | Conflict::Size | Conflict::Precision | Conflict::Order) => {
            ("COALESCE((", format!("), {label}) "))
        }
        _ => ("(", ") ".to_string()),
    };
    let strength = program.strength();
    let choice = match program.policy.conflict {
        Conflict::Majority => "SELECT class FROM fired GROUP BY place, class\n  \
                               ORDER BY SUM(covers) DESC, place LIMIT 1"
            .to_string(),
        Conflict::Size | Conflict::Precision | Conflict::Order => {
            format!("SELECT class FROM fired ORDER BY {strength} DESC, covers DESC, place LIMIT 1")
        }
        Conflict::Abstain => {
            let none = uncovered.map(|label| format!("WHEN COUNT(*) = 0 THEN {label}\n    "));
            format!(
                "SELECT CASE\n    {}WHEN MIN(place) = MAX(place) THEN MIN(class)\n  END FROM fired",
                none.unwrap_or_default()
            )
        }
    };
    format!(
        "{open}\n  \
           WITH rules (place, class, covers, {strength}, {fires}) AS (VALUES\n{rules}\n  \
           ), fired AS (\n    \
             {fired}\n  \
           )\n  \
           {choice}\n{close}"
    )
}

/// 1 if all conditions hold, else 0.
fn fires_at_all(program: &Program, rule: &Rule) -> String {
    let tests: Vec<String> = rule.tests.iter().map(|t| test(program, t)).collect();
    match tests.is_empty() {
        true => "1".to_string(),
        false => {
            format!("CASE WHEN\n      {}\n      THEN 1 ELSE 0 END", tests.join("\n      AND "))
        }
    }
}

/// How many conditions do not hold.
fn unmet(program: &Program, rule: &Rule) -> String {
    let case = |t| format!("\n      CASE WHEN {} THEN 0 ELSE 1 END", test(program, t));
    let cases: Vec<String> = rule.tests.iter().map(case).collect();
    if cases.is_empty() { "0".to_string() } else { cases.join(" +") }
}

/// True if a condition holds. A comparison with NULL is neither true nor false, so what denies must
/// let NULL in by name.
fn test(program: &Program, test: &Test) -> String {
    let tested = &program.columns[test.column];
    let n = |x: f64| number(x, tested.kind);
    let mut column = format!("t.{}", identifier(tested.name));
    for missing in &tested.missing {
        column = format!("NULLIF({column}, {})", n(*missing));
    }
    match (test.what, test.negated) {
        (What::Is(text), false) => format!("{column} = {}", string(text)),
        (What::Is(text), true) => format!("({column} <> {} OR {column} IS NULL)", string(text)),
        (What::Equals(x), false) => format!("{column} = {}", n(x)),
        (What::Equals(x), true) => format!("({column} <> {} OR {column} IS NULL)", n(x)),
        (What::AtMost(t), false) => format!("{column} <= {}", n(t)),
        (What::AtMost(t), true) => format!("({column} > {} OR {column} IS NULL)", n(t)),
        (What::Above(t), false) => format!("{column} > {}", n(t)),
        (What::Above(t), true) => format!("({column} <= {} OR {column} IS NULL)", n(t)),
        (What::AtLeast(t), false) => format!("{column} >= {}", n(t)),
        (What::AtLeast(t), true) => format!("({column} < {} OR {column} IS NULL)", n(t)),
        (What::Below(t), false) => format!("{column} < {}", n(t)),
        (What::Below(t), true) => format!("({column} >= {} OR {column} IS NULL)", n(t)),
        (What::Between(low, high), false) => format!("{column} BETWEEN {} AND {}", n(low), n(high)),
        (What::Between(low, high), true) => {
            format!("({column} NOT BETWEEN {} AND {} OR {column} IS NULL)", n(low), n(high))
        }
        (What::Within(low, high), false) => format!("{column} > {} AND {column} <= {}", n(low), n(high)),
        (What::Within(low, high), true) => {
            format!("({column} <= {} OR {column} > {} OR {column} IS NULL)", n(low), n(high))
        }
        (What::Missing, negated) if program.is_missing_text(test) => {
            let not = if negated { "NOT " } else { "" };
            let usual = format!("COALESCE(LOWER({column}), '') {not}IN ('', '?', 'na', 'nan')");
            let texts: Vec<String> = program.missing_texts().iter().map(|text| string(text)).collect();
            let (link, texts) = (if negated { "AND" } else { "OR" }, texts.join(", "));
            match texts.is_empty() {
                true => usual,
                false => format!("({usual} {link} COALESCE({column}, '') {not}IN ({texts}))"),
            }
        }
        (What::Missing, false) => format!("{column} IS NULL"),
        (What::Missing, true) => format!("{column} IS NOT NULL"),
        (What::Never, negated) => if negated { "1 = 1" } else { "1 = 0" }.to_string(),
    }
}

/// A number as it is compared with; a date or a time as the text that every database takes for one.
fn number(x: f64, kind: Kind) -> String {
    match kind {
        Kind::Real | Kind::Whole => format!("{x:?}"),
        Kind::Date => string(&kind.shown(x)),
        Kind::Time | Kind::Instant => string(&kind.shown(x).replace('T', " ").replace('Z', "+00:00")),
    }
}

/// What a database would call a table of this file.
fn table_name(place: &str) -> &str {
    let file = place.rsplit(['/', '\\']).next().unwrap_or(place);
    let name = file.strip_suffix(".gz").unwrap_or(file);
    let name = name.strip_suffix(".csv").unwrap_or(name);
    if name.is_empty() { "table" } else { name }
}

fn identifier(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

fn string(text: &str) -> String {
    format!("'{}'", text.replace('\'', "''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_doubled() {
        assert_eq!(identifier("a \"b\" 'c'"), "\"a \"\"b\"\" 'c'\"");
        assert_eq!(string("it's \"so\" \\ "), "'it''s \"so\" \\ '");
    }

    #[test]
    fn tables_are_called_by_their_files() {
        assert_eq!(table_name("data/loans.csv.gz"), "loans");
        assert_eq!(table_name("C:\\data\\my loans.csv"), "my loans");
        assert_eq!(table_name("standard input"), "standard input");
    }
}
