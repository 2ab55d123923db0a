//! What can be asked for, as typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use minrule::{
    Conflict, CoverMethod, Cut, Decimal, Export as Target, Method, Missing, Numeric, Objective,
    OptModel, OptSearch, Policy, RuleSource, Uncovered,
};

/// What every exit code means. Kept beside the options: it is part of the help.
const EXIT_CODES: &str = "\
Exit codes:
   0  proven smallest
   1  internal error (a bug; nothing was written)
   2  an option is wrong
   3  the input cannot be read (no such file, a folder, broken gzip, not UTF-8)
   4  the input is not a table to learn from (empty, ragged, one class, no such column, ...)
   5  the output cannot be written
   6  the model does not hold (`minrule check`, `minrule report`)
  10  time limit: a valid decision set and a lower bound were given, without proof
  11  memory limit: the same
  12  interrupted: the same
  13  a solver failed: the same
  14  a limit was reached before there was any rule: nothing was given";

/// The provably smallest set of if-then rules that explains a table.
#[derive(Debug, Parser)]
#[command(name = "minrule", version, about, after_help = EXIT_CODES, max_term_width = 100)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Learn(Box<Learn>),
    Predict(Predict),
    Explain(Explain),
    Evaluate(Evaluate),
    Check(Check),
    Report(Report),
    Export(Export),
    Compare(Compare),
    #[command(hide = true)]
    CompareRun(CompareRun),
}

impl Command {
    /// How the result is printed.
    pub(crate) fn format(&self) -> Format {
        match self {
            Command::Learn(args) => args.format,
            Command::Explain(args) => args.format,
            Command::Evaluate(args) => args.format,
            Command::Check(args) => args.format,
            _ => Format::Text,
        }
    }
}

/// Say the class of each row of a table.
#[derive(Debug, Args)]
pub(crate) struct Predict {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// Add the share of each class among the rows that the rules were learned from and cover
    #[arg(long, help_heading = "Output")]
    pub(crate) proba: bool,

    /// Add the rules that fired, in words
    #[arg(long, help_heading = "Output")]
    pub(crate) explain: bool,

    /// Repeat the columns of the table before the prediction
    #[arg(long, help_heading = "Output")]
    pub(crate) keep_columns: bool,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Do not say how many rows were decided how
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

/// Say why a row is what the model says, and what would make it something else.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,

    /// The rows to explain: 7, 3-9, 5,7,11 or all; the first row below the column names is 1
    #[arg(long, value_name = "N", value_parser = row_range, value_delimiter = ',', required = true)]
    pub(crate) row: Vec<RowRange>,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(crate) format: Format,
}

/// Say how well a model predicts a table whose classes are known.
#[derive(Debug, Args)]
pub(crate) struct Evaluate {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(crate) format: Format,
}

/// Judge a model by a table: do the rules hold, and is what is said of them so?
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,

    /// Check the proof of each bound too, as `minrule learn --proof DIR` wrote it
    #[arg(long, value_name = "DIR")]
    pub(crate) proof: Option<PathBuf>,

    /// Write the proof into this folder in the format of VeriPB too, as far as it is not too long: formulas
    /// (.opb) and their refutations (.pbp)
    #[arg(long, value_name = "DIR", requires = "proof")]
    pub(crate) veripb: Option<PathBuf>,

    /// Give up checking the proof after this long: seconds, or 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "proof")]
    pub(crate) time_limit: Option<Duration>,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(crate) format: Format,
}

/// Write one page about a model and its table, to look at in a browser.
///
/// The model is checked against the table first, and the page says what came of it.
#[derive(Debug, Args)]
pub(crate) struct Report {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,

    /// The page
    #[arg(short, long, value_name = "FILE", default_value = "report.html", help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// Show how costs and bounds met, from a file that `minrule learn --trace FILE` wrote
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,
}

/// Write a model in another form: a program, PMML, or a page to read.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// A model, as `minrule learn TABLE --model FILE` writes it
    pub(crate) model: PathBuf,

    /// What to write
    #[arg(long, value_enum, value_name = "FORM")]
    pub(crate) to: ExportArg,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
}

/// Run methods over many tables, and show what came of it.
#[derive(Debug, Args)]
#[command(after_help = compare_help())]
pub(crate) struct Compare {
    /// Folders of CSV and CSV.gz files, text files (.txt) that list them, or tables
    #[arg(required = true, value_name = "FOLDER|LIST|TABLE")]
    pub(crate) tables: Vec<PathBuf>,

    /// The methods to compare, separated by commas [default: all that are known by name]
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Method")]
    pub(crate) methods: Vec<String>,

    /// Another method: a name and options of `minrule learn` (may be given more than once)
    #[arg(long, value_name = "NAME: OPTIONS", help_heading = "Method")]
    pub(crate) configuration: Vec<String>,

    /// For each run: seconds, or 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60", help_heading = "Limits")]
    pub(crate) time_limit: Duration,

    /// For each run: 512MB, 8GB
    #[arg(long, value_name = "SIZE", value_parser = bytes, default_value = "4GB", help_heading = "Limits")]
    pub(crate) memory_limit: u64,

    /// Runs side by side, each on one thread unless its options say otherwise
    #[arg(long, value_name = "N", value_parser = at_least::<1>, default_value_t = 1, help_heading = "Limits")]
    pub(crate) jobs: usize,

    /// The folder for results.csv, the page and its figures; runs that results.csv already has are not
    /// repeated, so the same command resumes a comparison that was stopped
    #[arg(short, long, value_name = "FOLDER", help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// Show no progress and print no summary
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

fn compare_help() -> String {
    let names: Vec<&str> = minrule_compare::known_names().collect();
    format!("Methods known by name: {}.", names.join(", "))
}

/// Make one run of a comparison and print its row as JSON: `minrule compare` starts this for each run.
#[derive(Debug, Args)]
pub(crate) struct CompareRun {
    #[arg(long)]
    pub(crate) file: String,

    #[arg(long)]
    pub(crate) name: String,

    #[arg(long)]
    pub(crate) options: String,

    #[arg(long, value_parser = duration)]
    pub(crate) time_limit: Duration,

    /// In bytes
    #[arg(long)]
    pub(crate) memory_limit: u64,

    pub(crate) table: PathBuf,
}

/// What a model is applied to.
#[derive(Debug, Args)]
pub(crate) struct ModelAndTable {
    /// A model, as `minrule learn TABLE --model FILE` writes it
    pub(crate) model: PathBuf,

    /// A CSV or CSV.gz file with column names in its first line; `-` reads standard input
    pub(crate) table: PathBuf,

    /// The character between two fields; `tab` for a tab
    #[arg(long, value_name = "CHAR", default_value = ",", value_parser = separator, help_heading = "Table")]
    pub(crate) separator: u8,
}

/// What to say where the rules alone do not decide.
#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    /// Rows that no rule covers [default: the model's, which is `default` unless it was learned otherwise]
    #[arg(long, value_enum, help_heading = "Policy")]
    pub(crate) uncovered: Option<UncoveredArg>,

    /// Rows that rules of several classes cover [default: the model's, which is `majority` unless it was learned otherwise]
    #[arg(long, value_enum, help_heading = "Policy")]
    pub(crate) conflict: Option<ConflictArg>,
}

impl PolicyArgs {
    /// What was asked for, else what the model says.
    pub(crate) fn or(&self, policy: Policy) -> Policy {
        Policy {
            uncovered: self.uncovered.map_or(policy.uncovered, Into::into),
            conflict: self.conflict.map_or(policy.conflict, Into::into),
        }
    }
}

/// Find the smallest decision set that agrees with a table.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Learn {
    /// A CSV or CSV.gz file with column names in its first line; `-` reads standard input
    pub(crate) table: PathBuf,

    /// The class column [default: the last one]
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    pub(crate) target: Option<String>,

    /// Leave this column out (may be given more than once)
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    pub(crate) ignore: Vec<String>,

    /// Describe only these classes, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Table")]
    pub(crate) classes: Option<Vec<String>>,

    /// The character between two fields; `tab` for a tab
    #[arg(long, value_name = "CHAR", default_value = ",", value_parser = separator, help_heading = "Table")]
    pub(crate) separator: u8,

    /// What to do about missing values (an empty field, ?, NA, nan, and what --missing-values adds)
    #[arg(long, value_enum, default_value_t = MissingArg::Value, help_heading = "Table")]
    pub(crate) missing: MissingArg,

    /// More texts that stand for a missing value, separated by commas, or by semicolons if one of them
    /// holds a comma: "n/a,-,999" (may be given more than once)
    #[arg(long, value_name = "A,B", allow_hyphen_values = true, help_heading = "Table")]
    pub(crate) missing_values: Vec<String>,

    /// Take the values of this column for names, even if they look like numbers (may be given more than once)
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    pub(crate) categorical: Vec<String>,

    /// Take this column for numbers: what is no number counts as missing (may be given more than once)
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    pub(crate) numeric_columns: Vec<String>,

    /// The mark before decimals
    #[arg(long, value_enum, default_value_t = DecimalArg::Point, help_heading = "Table")]
    pub(crate) decimal: DecimalArg,

    /// How to use columns of many numbers
    #[arg(long, value_enum, default_value_t = NumericArg::Intervals, help_heading = "Features")]
    pub(crate) numeric: NumericArg,

    /// The number of intervals, or the most thresholds, of a numeric column
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = at_least::<2>, help_heading = "Features")]
    pub(crate) intervals: usize,

    /// Where to cut intervals [default: frequency]
    #[arg(long, value_enum, help_heading = "Features")]
    pub(crate) cut: Option<CutArg>,

    /// Allow only "is", never "is not", in rules
    #[arg(long, help_heading = "Features")]
    pub(crate) no_negations: bool,

    /// What "smallest" means [default: size, or the one thing that the method can do]
    #[arg(long, value_enum, help_heading = "Method")]
    pub(crate) minimize: Option<ObjectiveArg>,

    /// How to find the smallest set
    #[arg(long, value_enum, default_value_t = MethodArg::Lazy, help_heading = "Method")]
    pub(crate) method: MethodArg,

    /// With --method enumerate: where rules come from [default: maxsat]
    #[arg(long, value_enum, help_heading = "Method")]
    pub(crate) rules: Option<RulesArg>,

    /// Among equally small sets, prefer one whose rules of different classes overlap less
    #[arg(long, help_heading = "Method")]
    pub(crate) prefer_disjoint: bool,

    /// Look at the examples in another order: of equally small sets, another one may be found
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) seed: Option<u64>,

    /// With --method lazy or enumerate: what chooses the smallest cover [default: branch]
    #[arg(long, value_enum, help_heading = "Method")]
    pub(crate) cover: Option<CoverArg>,

    /// With --method opt: one model for each class, or one for all [default: separate]
    #[arg(long, value_enum, help_heading = "Method")]
    pub(crate) opt_model: Option<OptModelArg>,

    /// With --method opt: what finds the fewest nodes [default: sat]
    #[arg(long, value_enum, help_heading = "Method")]
    pub(crate) opt_search: Option<OptSearchArg>,

    /// Ask every later rule to cover an example that this one does not (the default)
    #[arg(long, overrides_with = "no_break_symmetry", help_heading = "Method")]
    pub(crate) break_symmetry: bool,

    /// Enumerate every irredundant rule
    #[arg(long, overrides_with = "break_symmetry", help_heading = "Method")]
    pub(crate) no_break_symmetry: bool,

    /// Stop after this long with the best set found: seconds, or 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub(crate) time_limit: Option<Duration>,

    /// Stop with the best set found when the process holds this much: 512MB, 8GB
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub(crate) memory_limit: Option<u64>,

    /// Also say how well rules learned from K - 1 of K parts of the rows predict the rest; the time
    /// limit holds for each part
    #[arg(long, value_name = "K", value_parser = at_least::<2>, help_heading = "Output")]
    pub(crate) cross_validate: Option<usize>,

    /// Threads that share the work [default: one for each core]
    #[arg(long, value_name = "N", value_parser = at_least::<1>, help_heading = "Limits")]
    pub(crate) threads: Option<usize>,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(crate) format: Format,

    /// Say which rules of different classes can fire together on a row that the table does not have
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Output")]
    pub(crate) overlap: Option<Overlap>,

    /// Write the model to this file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) model: Option<PathBuf>,

    /// Write to this file when which costs and bounds were known, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,

    /// Write into this folder a proof of each bound, which `minrule check --proof DIR` verifies
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) proof: Option<PathBuf>,

    /// Keep in this file what is known so far; if it is there, go on from it
    ///
    /// A run that was killed, or stopped by a limit, goes on where it was if the same command is given
    /// again. What the file says is checked before it is believed.
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    pub(crate) resume: Option<PathBuf>,

    /// Show no progress and no warnings
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Log what is done to standard error; twice for more
    #[arg(short, long, action = clap::ArgAction::Count, conflicts_with = "quiet", help_heading = "Output")]
    pub(crate) verbose: u8,
}

/// Declares the spelling of a library enum on the command line.
macro_rules! spelled {
    ($name:ident as $target:ty { $($(#[$doc:meta])* $variant:ident => $value:expr),+ $(,)? }) => {
        #[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
        pub(crate) enum $name { $($(#[$doc])* $variant),+ }

        impl From<$name> for $target {
            fn from(arg: $name) -> $target {
                match arg { $($name::$variant => $value),+ }
            }
        }
    };
}

spelled!(MissingArg as Missing {
    /// They are a value of their own
    Value => Missing::Value,
    /// Rows that have one are left out
    DropRows => Missing::DropRows,
    /// They are an error
    Error => Missing::Error,
});
spelled!(DecimalArg as Decimal {
    /// As in 2.5
    #[value(name = ".")]
    Point => Decimal::Point,
    /// As in 2,5
    #[value(name = ",")]
    Comma => Decimal::Comma,
});
spelled!(NumericArg as Numeric {
    /// Cut into intervals, each a value
    Intervals => Numeric::Intervals,
    /// Test x <= t and x > t, with t at class boundaries
    Thresholds => Numeric::Thresholds,
});
spelled!(CutArg as Cut {
    /// As many rows in each
    Frequency => Cut::Frequency,
    /// The same width
    Width => Cut::Width,
});
spelled!(ObjectiveArg as Objective {
    /// Fewest rules
    Rules => Objective::Rules,
    /// Fewest literals
    Literals => Objective::Literals,
    /// Literals plus one for each rule
    Size => Objective::Size,
    /// Fewest rules, and fewest literals among those
    RulesThenLiterals => Objective::RulesThenLiterals,
});
spelled!(UncoveredArg as Uncovered {
    /// The class that most rows had when the rules were learned
    Default => Uncovered::Default,
    /// No class
    Abstain => Uncovered::Abstain,
    /// What the rules say that miss the fewest conditions
    Nearest => Uncovered::Nearest,
});
spelled!(ConflictArg as Conflict {
    /// The class whose rules cover the most rows, added up
    Majority => Conflict::Majority,
    /// The class of the rule with the most conditions
    Size => Conflict::Size,
    /// No class
    Abstain => Conflict::Abstain,
});
spelled!(ExportArg as Target {
    /// Sentences
    Text => Target::Text,
    /// One JSON object
    Json => Target::Json,
    /// A Python module that is also a program
    Python => Target::Python,
    /// A SELECT for SQLite and PostgreSQL
    Sql => Target::Sql,
    /// A Rust module that is also a program
    Rust => Target::Rust,
    /// C99, a program if MINRULE_MAIN is defined
    C => Target::C,
    /// A PMML 4.4 rule set
    Pmml => Target::Pmml,
    /// A LaTeX article
    Latex => Target::Latex,
    /// A Markdown page
    Markdown => Target::Markdown,
    /// A page for a browser
    Html => Target::Html,
});
spelled!(MethodArg as Method {
    /// Generate only the rules that can matter
    Lazy => Method::Lazy,
    /// The paper's: enumerate the rules, then choose the smallest cover
    Enumerate => Method::Enumerate,
    /// An earlier SAT model: the fewest rules
    Mds2 => Method::Mds2,
    /// The same, then the fewest literals for so many rules
    #[value(name = "mds2-star")]
    Mds2Star => Method::Mds2Star,
    /// A later SAT model: the smallest size
    Opt => Method::Opt,
});
spelled!(OptModelArg as OptModel {
    /// One for each class
    Separate => OptModel::Separate,
    /// One for all classes
    Joint => OptModel::Joint,
});
spelled!(OptSearchArg as OptSearch {
    /// SAT with ever more nodes
    Sat => OptSearch::Sat,
    /// MaxSAT with nodes that may stay unused
    Maxsat => OptSearch::Maxsat,
});
spelled!(RulesArg as RuleSource {
    /// The paper's MaxSAT formula
    Maxsat => RuleSource::Maxsat,
    /// Depth-first search on bit sets
    Search => RuleSource::Search,
});
spelled!(CoverArg as CoverMethod {
    /// Branch and bound over the linear relaxation
    Branch => CoverMethod::Branch,
    /// Integer linear programming (HiGHS)
    Ilp => CoverMethod::Ilp,
    /// MaxSAT
    Maxsat => CoverMethod::Maxsat,
});

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Sentences
    Text,
    /// One JSON object
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Overlap {
    /// Count the pairs and show an example of each
    Report,
}

fn at_least<const LEAST: usize>(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n >= LEAST => Ok(n),
        _ => Err(format!("it must be a whole number, {LEAST} or more")),
    }
}

/// Some rows of a table, counted from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RowRange {
    One(usize),
    FromTo(usize, usize),
    All,
}

impl RowRange {
    pub(crate) fn first(&self) -> usize {
        match *self {
            RowRange::One(row) | RowRange::FromTo(row, _) => row,
            RowRange::All => 1,
        }
    }

    pub(crate) fn last(&self) -> usize {
        match *self {
            RowRange::One(row) | RowRange::FromTo(_, row) => row,
            RowRange::All => usize::MAX,
        }
    }

    pub(crate) fn contains(&self, row: usize) -> bool {
        (self.first()..=self.last()).contains(&row)
    }
}

fn row_range(text: &str) -> Result<RowRange, String> {
    if text == "all" {
        return Ok(RowRange::All);
    }
    match text.split_once('-') {
        None => at_least::<1>(text).map(RowRange::One),
        Some((from, to)) => match (at_least::<1>(from)?, at_least::<1>(to)?) {
            (from, to) if from <= to => Ok(RowRange::FromTo(from, to)),
            _ => Err("the first row must not be after the last".to_string()),
        },
    }
}

fn separator(text: &str) -> Result<u8, String> {
    match text.as_bytes() {
        [b'"' | b'\n' | b'\r'] => Err("quotes and line ends have a meaning of their own".to_string()),
        [byte] if byte.is_ascii() => Ok(*byte),
        _ if text == "tab" || text == "\\t" => Ok(b'\t'),
        _ => Err("it must be one character, or `tab`".to_string()),
    }
}

fn duration(text: &str) -> Result<Duration, String> {
    let (number, unit) = number_and_unit(text);
    let factor = match unit {
        "" | "s" => 1.0,
        "ms" => 0.001,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err("write seconds, or a number with ms, s, m or h".to_string()),
    };
    // More time than can be counted is all the time there is.
    let time = |n: f64| Duration::try_from_secs_f64(n * factor).unwrap_or(Duration::MAX);
    positive(number).map(time).ok_or_else(|| "it must be more than zero".to_string())
}

fn bytes(text: &str) -> Result<u64, String> {
    let (number, unit) = number_and_unit(text);
    let factor: f64 = match unit.to_ascii_lowercase().as_str() {
        "k" | "kb" => 1e3,
        "m" | "mb" => 1e6,
        "g" | "gb" => 1e9,
        "kib" => 1024.0,
        "mib" => 1024.0 * 1024.0,
        "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return Err("write a number with KB, MB, GB, KiB, MiB or GiB".to_string()),
    };
    match positive(number) {
        Some(n) => Ok((n * factor) as u64),
        None => Err("it must be more than zero".to_string()),
    }
}

fn number_and_unit(text: &str) -> (&str, &str) {
    let number = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    (number.trim(), text[number.len()..].trim())
}

fn positive(number: &str) -> Option<f64> {
    number.parse().ok().filter(|n: &f64| *n > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }

    #[test]
    fn times_have_units() {
        assert_eq!(duration("90"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("1.5m"), Ok(Duration::from_secs(90)));
        assert_eq!(duration("250ms"), Ok(Duration::from_millis(250)));
        assert_eq!(duration("1e20h"), Ok(Duration::MAX));
        assert_eq!(duration("1e400"), Ok(Duration::MAX));
        for wrong in ["0", "-3", "soon", "5 days", "nan"] {
            assert!(duration(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn sizes_need_units() {
        assert_eq!(bytes("8GB"), Ok(8_000_000_000));
        assert_eq!(bytes("1 MiB"), Ok(1 << 20));
        for wrong in ["0GB", "-1MB", "512", "much"] {
            assert!(bytes(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn separators_are_single_characters() {
        assert_eq!(separator(";"), Ok(b';'));
        assert_eq!(separator("tab"), Ok(b'\t'));
        assert!(separator("::").is_err() && separator("\"").is_err());
    }
}
