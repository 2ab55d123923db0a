//! What a comparison shows: tables to read, and one page that needs no network.

use minrule::show::escaped;
use minrule::{Choice, Error, MethodName, Objective, Request, Result};
use serde_json::json;

use crate::figures::cactus;
use crate::row::Row;

const PAGE: &str = include_str!("page.html");

/// A table to read: a heading, the names of its columns, and rows.
pub struct Sheet {
    /// What it is about.
    pub heading: &'static str,
    /// The names of its columns.
    pub columns: Vec<&'static str>,
    /// A text for each column.
    pub rows: Vec<Vec<String>>,
}

/// The page, as HTML.
pub fn page(rows: &[&Row], names: &[&str]) -> Result<String> {
    let points: Vec<_> = rows
        .iter()
        .map(|row| {
            json!({
                "file": row.file,
                "configuration": row.configuration,
                "solved": row.solved(),
                "seconds": if row.solved() { row.time() } else { row.limit() },
                "rules": Row::number(&row.rules),
                "literals": Row::number(&row.literals),
                "size": Row::number(&row.size),
                "enumerated": Row::number(&row.rules_enumerated),
            })
        })
        .collect();
    let data = serde_json::to_string(&json!({ "names": names, "rows": points }))
        .map_err(|cause| Error::Internal(format!("the page cannot be written: {cause}")))?;
    let sheets: String = sheets(rows, names).iter().map(Sheet::html).collect();
    let first = rows.first().map_or(String::new(), |row| {
        format!(
            "{} seconds and {} for each run, one thread, minrule {}",
            row.time_limit, row.memory_limit, row.version
        )
    });
    // Names of files must not end the script that holds them.
    let data = data.replace('<', "\\u003c");
    let parts = [
        ("{{LIMITS}}", escaped(&first)),
        ("{{CACTUS}}", cactus(rows, names)),
        ("{{SHEETS}}", sheets),
        ("{{DATA}}", data),
    ];
    // From the start to the end: a name that looks like a place of the page is none.
    let (mut page, mut rest) = (String::new(), PAGE);
    for (place, part) in parts {
        let (before, after) = rest.split_once(place).expect("the page has all places");
        page.push_str(before);
        page.push_str(&part);
        rest = after;
    }
    Ok(page + rest)
}

impl Sheet {
    fn html(&self) -> String {
        let cells = |cells: &mut dyn Iterator<Item = &str>, tag: &str| -> String {
            cells.map(|cell| format!("<{tag}>{}</{tag}>", escaped(cell))).collect()
        };
        let head = cells(&mut self.columns.iter().copied(), "th");
        let body: String = self
            .rows
            .iter()
            .map(|row| format!("<tr>{}</tr>", cells(&mut row.iter().map(String::as_str), "td")))
            .collect();
        format!("<h2>{}</h2><table><tr>{head}</tr>{body}</table>", escaped(self.heading))
    }
}

/// Solved tables by method, what symmetry breaking saves, literals, and disagreements if there are any.
pub fn sheets(rows: &[&Row], names: &[&str]) -> Vec<Sheet> {
    let mut sheets = vec![solved(rows, names)];
    sheets.extend(
        [symmetries(rows, names), literals(rows, names), disagreements(rows)].into_iter().flatten(),
    );
    sheets
}

fn of<'a>(rows: &[&'a Row], name: &str) -> Vec<&'a Row> {
    rows.iter().copied().filter(|row| row.configuration == name).collect()
}

/// How many tables each method proved, and how long it took.
fn solved(rows: &[&Row], names: &[&str]) -> Sheet {
    let line = |name: &&str| {
        let own = of(rows, name);
        let solved = own.iter().filter(|row| row.solved()).count();
        let par2 = own.iter().map(|row| if row.solved() { row.time() } else { 2.0 * row.limit() });
        let late = own.iter().filter(|row| row.time().is_finite()).map(|row| row.time() - row.limit());
        let lost = own.iter().filter(|row| row.status != "optimal" && row.status != "feasible").count();
        vec![
            name.to_string(),
            own.len().to_string(),
            solved.to_string(),
            format!("{:.2}", par2.sum::<f64>() / own.len().max(1) as f64),
            own.iter().filter(|row| row.valid == "yes").count().to_string(),
            lost.to_string(),
            format!("{:.2}", late.fold(0.0, f64::max)),
        ]
    };
    Sheet {
        heading: "Tables proven optimal",
        columns: vec![
            "method",
            "runs",
            "proven",
            "PAR2, s",
            "valid",
            "killed or failed",
            "latest, s over",
        ],
        rows: names.iter().map(line).collect(),
    }
}

/// What breaking symmetries saves, on the tables that were enumerated to the end both ways.
fn symmetries(rows: &[&Row], names: &[&str]) -> Option<Sheet> {
    let mut lines = Vec::new();
    for name in names {
        let all = format!("{name}-all");
        if !names.contains(&all.as_str()) {
            continue;
        }
        let both = common(rows, name, &all);
        let numbers = |side: fn(&(&Row, &Row)) -> String| -> (f64, f64) {
            let numbers: Vec<f64> = both.iter().filter_map(|pair| Row::number(&side(pair))).collect();
            let mean = numbers.iter().sum::<f64>() / numbers.len().max(1) as f64;
            (mean, numbers.iter().copied().fold(0.0, f64::max))
        };
        let with = numbers(|(a, _)| a.rules_enumerated.clone());
        let without = numbers(|(_, b)| b.rules_enumerated.clone());
        lines.push(vec![
            name.to_string(),
            both.len().to_string(),
            format!("{:.1}", with.0),
            format!("{:.0}", with.1),
            format!("{:.1}", without.0),
            format!("{:.0}", without.1),
        ]);
    }
    (!lines.is_empty()).then(|| Sheet {
        heading: "Rules enumerated, on tables proven with and without symmetry breaking",
        columns: vec!["method", "tables", "mean with", "most with", "mean without", "most without"],
        rows: lines,
    })
}

/// Literals of the methods that minimise something else, where both have a proof.
fn literals(rows: &[&Row], names: &[&str]) -> Option<Sheet> {
    let least = "ilp-literals";
    let mut lines = Vec::new();
    for name in names.iter().filter(|name| **name != least && names.contains(&least)) {
        let both = common(rows, name, least);
        let mean = |side: fn(&(&Row, &Row)) -> String| {
            let numbers: Vec<f64> = both.iter().filter_map(|pair| Row::number(&side(pair))).collect();
            numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
        };
        let (own, least) = (mean(|(a, _)| a.literals.clone()), mean(|(_, b)| b.literals.clone()));
        lines.push(vec![
            name.to_string(),
            both.len().to_string(),
            format!("{own:.1}"),
            format!("{least:.1}"),
        ]);
    }
    (!lines.is_empty()).then(|| Sheet {
        heading: "Mean literals, on tables that the method and ilp-literals both proved",
        columns: vec!["method", "tables", "its literals", "fewest literals"],
        rows: lines,
    })
}

/// Methods that say different things of the same optimum: there must be none.
fn disagreements(rows: &[&Row]) -> Option<Sheet> {
    // What is proven smallest is as large as its bound, in the unit of the objective.
    let measure = |row: &Row| (objective(&row.options).name(), row.lower_bound.clone());
    let mut lines = Vec::new();
    for (i, row) in rows.iter().enumerate().filter(|(_, row)| row.solved()) {
        let (what, value) = measure(row);
        let earlier = rows[..i].iter().filter(|other| other.solved() && other.file == row.file);
        for other in earlier {
            let (other_what, other_value) = measure(other);
            if what == other_what && value != other_value {
                lines.push(vec![
                    row.file.clone(),
                    what.to_string(),
                    format!("{}: {value}", row.configuration),
                    format!("{}: {other_value}", other.configuration),
                ]);
            }
        }
    }
    (!lines.is_empty()).then(|| Sheet {
        heading: "DISAGREEMENTS: please report these",
        columns: vec!["table", "fewest", "one says", "the other"],
        rows: lines,
    })
}

/// What these options of `minrule learn` minimise.
fn objective(options: &str) -> Objective {
    let words: Vec<&str> = options.split(|c: char| c.is_whitespace() || c == '=').collect();
    let after = |option| words.iter().position(|word| *word == option).and_then(|at| words.get(at + 1));
    let objective = after("--minimize").and_then(|name| Objective::named(name));
    let method = after("--method").and_then(|name| MethodName::named(name));
    let of_method =
        Request { method, ..Request::default() }.options().map(|options| options.objective());
    objective.or(of_method.ok()).unwrap_or_default()
}

/// The tables that both methods proved.
fn common<'a>(rows: &[&'a Row], first: &str, second: &str) -> Vec<(&'a Row, &'a Row)> {
    let second = of(rows, second);
    let pair = |row: &'a Row| {
        let other = second.iter().find(|other| other.file == row.file)?;
        (row.solved() && other.solved()).then_some((row, *other))
    };
    of(rows, first).into_iter().filter_map(pair).collect()
}
