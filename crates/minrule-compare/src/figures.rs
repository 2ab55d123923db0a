//! Figures as SVG: tables solved over time, and two methods against each other.

use std::fmt::Write;

use minrule::show::escaped;

use crate::row::Row;

const SIZE: f64 = 420.0;
const EDGE: f64 = 56.0;
const WIDTH: f64 = SIZE + 2.0 * EDGE;
/// Room for the names of the curves.
const LEGEND: f64 = 190.0;

const COLOURS: [&str; 15] = [
    "#1f77b4", "#d62728", "#2ca02c", "#9467bd", "#ff7f0e", "#17becf", "#8c564b", "#e377c2", "#7f7f7f",
    "#bcbd22", "#000000", "#1b9e77", "#a6761d", "#e7298a", "#66a61e",
];

/// What two methods are compared by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Measure {
    Seconds,
    Literals,
}

/// The pairs that the paper shows, and ours beside its best.
const PAIRS: [(Measure, &str, &str); 5] = [
    (Measure::Seconds, "ilp-literals", "opt"),
    (Measure::Literals, "ilp-literals", "mds2"),
    (Measure::Literals, "ilp-literals", "mds2-star"),
    (Measure::Seconds, "lazy-literals", "ilp-literals"),
    (Measure::Seconds, "lazy-rules", "mds2"),
];

/// All figures, each with the name of its file.
pub fn figures(rows: &[&Row], names: &[&str]) -> Vec<(String, String)> {
    let mut drawn = vec![("cactus.svg".to_string(), cactus(rows, names))];
    for (measure, x, y) in PAIRS {
        if names.contains(&x) && names.contains(&y) {
            let what = if measure == Measure::Seconds { "seconds" } else { "literals" };
            drawn.push((format!("{what}-{x}-{y}.svg"), scatter(rows, measure, x, y)));
        }
    }
    drawn
}

/// Tables proven optimal over time, a curve for each method: the paper's "Raw performance".
pub(super) fn cactus(rows: &[&Row], names: &[&str]) -> String {
    let limit = rows.iter().map(|row| row.limit()).fold(0.001, f64::max);
    let scale = Scale { low: 0.001, high: limit };
    let curves: Vec<(&str, Vec<f64>)> = names.iter().map(|name| (*name, times(rows, name))).collect();
    let most = curves.iter().map(|(_, times)| times.len()).max().unwrap_or(0).max(1);
    let mut body = scale.grid_lines(false);
    let step = most.div_ceil(6).max(1);
    for n in (0..=most).step_by(step) {
        let x = EDGE + n as f64 / most as f64 * SIZE;
        tag(&mut body, x, EDGE + SIZE + 18.0, "middle", &n.to_string());
    }
    // The best first, so that the names stand in the order of the curves.
    let mut order: Vec<usize> = (0..curves.len()).collect();
    order.sort_by_key(|&i| std::cmp::Reverse(curves[i].1.len()));
    for (place, &i) in order.iter().enumerate() {
        let (name, times) = &curves[i];
        let colour = COLOURS[i % COLOURS.len()];
        let points: Vec<String> = times
            .iter()
            .enumerate()
            .map(|(n, &seconds)| {
                let x = EDGE + (n + 1) as f64 / most as f64 * SIZE;
                format!("{x:.1},{:.1}", EDGE + SIZE - scale.place(seconds))
            })
            .collect();
        let title = format!("<title>{}</title>", escaped(name));
        put(
            &mut body,
            format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\">{title}</polyline>",
                points.join(" ")
            ),
        );
        let y = EDGE + 14.0 + 18.0 * place as f64;
        let x = EDGE + SIZE + 14.0;
        put(
            &mut body,
            format!("<rect x=\"{x}\" y=\"{}\" width=\"10\" height=\"10\" fill=\"{colour}\"/>", y - 9.0),
        );
        tag(&mut body, x + 16.0, y, "start", &format!("{name}: {}", times.len()));
    }
    frame(&body, WIDTH + LEGEND, "tables proven optimal", "seconds")
}

/// The seconds of the runs of a method that ended with a proof, rising.
fn times(rows: &[&Row], name: &str) -> Vec<f64> {
    let own = rows.iter().filter(|row| row.configuration == name && row.solved());
    let mut times: Vec<f64> = own.map(|row| row.time()).collect();
    times.sort_by(f64::total_cmp);
    times
}

/// Two methods, a point for each table.
fn scatter(rows: &[&Row], measure: Measure, x: &str, y: &str) -> String {
    let points = pairs(rows, measure, x, y);
    let most = points.iter().map(|(_, a, b)| a.max(*b)).fold(1.0, f64::max);
    let (scale, unit) = match measure {
        Measure::Seconds => {
            let limit = rows.iter().map(|row| row.limit()).fold(0.001, f64::max);
            (Scale { low: 0.001, high: limit }, "seconds; the edge is no proof")
        }
        Measure::Literals => {
            (Scale { low: 1.0, high: most.max(2.0) }, "literals, where both have a proof")
        }
    };
    let mut body = scale.grid_lines(true);
    let (low, high) = (EDGE, EDGE + SIZE);
    put(
        &mut body,
        format!("<line x1=\"{low}\" y1=\"{high}\" x2=\"{high}\" y2=\"{low}\" stroke=\"#bbb\"/>"),
    );
    for (file, a, b) in points {
        put(
            &mut body,
            format!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3.5\" fill=\"{}\" fill-opacity=\"0.6\"><title>{}</title></circle>",
                EDGE + scale.place(a),
                EDGE + SIZE - scale.place(b),
                COLOURS[0],
                escaped(file),
            ),
        );
    }
    frame(&body, WIDTH, &format!("{x}, {unit}"), y)
}

/// For each table that both have: its name and what each of them needs.
fn pairs<'a>(rows: &[&'a Row], measure: Measure, x: &str, y: &str) -> Vec<(&'a str, f64, f64)> {
    let of = |row: &Row| match measure {
        Measure::Seconds => Some(if row.solved() { row.time() } else { row.limit() }),
        Measure::Literals => Row::number(&row.literals).filter(|_| row.solved()),
    };
    let first = rows.iter().filter(|row| row.configuration == x);
    let pair = |row: &&&'a Row| {
        let other = rows.iter().find(|other| other.configuration == y && other.file == row.file)?;
        Some((row.file.as_str(), of(row)?, of(other)?))
    };
    first.filter_map(|row| pair(&row)).collect()
}

/// A logarithmic axis.
struct Scale {
    low: f64,
    high: f64,
}

impl Scale {
    fn place(&self, value: f64) -> f64 {
        let value = value.clamp(self.low, self.high);
        (value / self.low).ln() / (self.high / self.low).ln() * SIZE
    }

    fn grid_lines(&self, both: bool) -> String {
        let mut out = String::new();
        let first = self.low.log10().ceil() as i32;
        for value in (first..12).map(|power| 10f64.powi(power)).take_while(|v| *v <= self.high * 1.0001)
        {
            let at = self.place(value);
            let (y, right) = (EDGE + SIZE - at, EDGE + SIZE);
            put(
                &mut out,
                format!(
                    "<line x1=\"{EDGE}\" x2=\"{right}\" y1=\"{y:.1}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>"
                ),
            );
            tag(&mut out, EDGE - 6.0, y + 4.0, "end", &value.to_string());
            if both {
                let x = EDGE + at;
                put(
                    &mut out,
                    format!(
                        "<line x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{EDGE}\" y2=\"{right}\" stroke=\"#ddd\"/>"
                    ),
                );
                tag(&mut out, x, right + 18.0, "middle", &value.to_string());
            }
        }
        out
    }
}

fn frame(body: &str, width: f64, x_label: &str, y_label: &str) -> String {
    let middle = EDGE + SIZE / 2.0;
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {WIDTH}\" width=\"{width}\" height=\"{WIDTH}\" \
         font-family=\"sans-serif\" font-size=\"12\"><rect width=\"{width}\" height=\"{WIDTH}\" fill=\"white\"/>\
         <rect x=\"{EDGE}\" y=\"{EDGE}\" width=\"{SIZE}\" height=\"{SIZE}\" fill=\"none\" stroke=\"#888\"/>{body}\
         <text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">{}</text>\
         <text x=\"14\" y=\"{middle}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {middle})\">{}</text></svg>\n",
        WIDTH - 14.0,
        escaped(x_label),
        escaped(y_label),
    )
}

fn tag(out: &mut String, x: f64, y: f64, anchor: &str, text: &str) {
    put(
        out,
        format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>", escaped(text)),
    );
}

fn put(out: &mut String, text: String) {
    out.write_str(&text).expect("a string takes all");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(file: &str, configuration: &str, status: &str, seconds: &str, literals: &str) -> Row {
        Row {
            file: file.into(),
            configuration: configuration.into(),
            status: status.into(),
            seconds: seconds.into(),
            literals: literals.into(),
            time_limit: "60".into(),
            ..Row::default()
        }
    }

    #[test]
    fn a_table_without_proof_stands_at_the_edge_and_has_no_size() {
        let rows = [
            row("a", "mds2", "optimal", "0.5", "7"),
            row("a", "ilp-literals", "optimal", "0.1", "5"),
            row("b", "mds2", "feasible", "60.1", "90"),
            row("b", "ilp-literals", "optimal", "0.2", "50"),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        assert_eq!(
            pairs(&rows, Measure::Seconds, "ilp-literals", "mds2"),
            [("a", 0.1, 0.5), ("b", 0.2, 60.0)]
        );
        assert_eq!(pairs(&rows, Measure::Literals, "ilp-literals", "mds2"), [("a", 5.0, 7.0)]);
        assert_eq!(times(&rows, "mds2"), [0.5]);
        let names: Vec<String> =
            figures(&rows, &["mds2", "ilp-literals"]).into_iter().map(|f| f.0).collect();
        assert_eq!(names, ["cactus.svg", "literals-ilp-literals-mds2.svg"]);
    }

    #[test]
    fn names_are_only_text() {
        let rows = [
            row("<script>", "opt", "optimal", "1", "1"),
            row("<script>", "ilp-literals", "optimal", "1", "1"),
        ];
        let rows: Vec<&Row> = rows.iter().collect();
        let figure = scatter(&rows, Measure::Seconds, "ilp-literals", "opt");
        assert!(figure.contains("<title>&lt;script&gt;</title>"), "{figure}");
    }
}
