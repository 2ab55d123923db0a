//! What can be asked for, as typed.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use minrule::apply::{Choose, Conflict, Score, Uncovered};
use minrule::data::Decimal;
use minrule::solve::Budget;
use minrule::{
    BinariseOptions, Choice, CoverMethod, Cut, Cuts, Export as Target, MethodName, Missing, Numeric,
    Objective, OptModel, OptSearch, Policy, RuleSource, Style,
};

/// What every exit code means. Kept beside the options: it is part of the help.
const EXIT_CODES: &str = "\
Exit codes:
   0  proven smallest (`learn`); done (other commands)
   1  internal error (a bug; nothing was written)
   2  an option is wrong
   3  the input cannot be read (no such file, a folder, broken gzip, not UTF-8)
   4  the input is not a table to learn from (empty, ragged, one class, no such column, ...)
   5  the output cannot be written
   6  the model or its proof does not hold (`check`, `report`)
  10  time limit reached: valid rules and a lower bound, but no proof
  11  memory limit reached: valid rules and a lower bound, but no proof
  12  interrupted: valid rules and a lower bound, but no proof
  13  a solver failed: valid rules and a lower bound, but no proof
  14  a limit was reached before there were any rules
 130  interrupted before there were any rules, or interrupted twice";

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
    Curve(Box<Curve>),
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
            Command::Curve(args) if args.format == CurveFormat::Json => Format::Json,
            Command::Explain(args) => args.format,
            Command::Evaluate(args) => args.format,
            Command::Check(args) => args.format,
            _ => Format::Text,
        }
    }
}

/// How `--alpha auto` chooses.
#[derive(Debug, Args)]
pub(crate) struct ChoiceArgs {
    /// With --alpha auto: which alpha is chosen [default: one-se]
    #[arg(long, value_parser = choice::<Choose>(), help_heading = "Choice of alpha")]
    pub(crate) choose: Option<Choose>,

    /// With --alpha auto: what is best on rows not seen [default: accuracy]
    #[arg(long, value_parser = choice::<Score>(), help_heading = "Choice of alpha")]
    pub(crate) score: Option<Score>,

    /// With --alpha auto: the number of folds [default: 5, or as many as there are rows]
    #[arg(long, value_name = "K", value_parser = at_least::<2>, help_heading = "Choice of alpha")]
    pub(crate) folds: Option<usize>,

    /// With --alpha auto: how often to cross-validate, each time with other folds [default: 1 for tables of 1,000 rows and more, 2 from 500 rows, 3 below]
    #[arg(long, value_name = "N", value_parser = at_least::<1>, help_heading = "Choice of alpha")]
    pub(crate) repeats: Option<usize>,
}

impl ChoiceArgs {
    /// The first of these options that was given.
    pub(crate) fn given(&self) -> Option<&'static str> {
        let all = [
            ("--choose", self.choose.is_some()),
            ("--score", self.score.is_some()),
            ("--folds", self.folds.is_some()),
            ("--repeats", self.repeats.is_some()),
        ];
        all.into_iter().find(|(_, given)| *given).map(|(name, _)| name)
    }
}

/// What a set of the curve may have at most.
#[derive(Debug, Args)]
pub(crate) struct BudgetArgs {
    /// Instead of --alpha: the set with the fewest errors on the curve of best trades that has at most this size
    #[arg(long, value_name = "N", help_heading = "Budget")]
    pub(crate) max_size: Option<usize>,

    /// The same with at most so many rules
    #[arg(long, value_name = "N", help_heading = "Budget")]
    pub(crate) max_rules: Option<usize>,

    /// Instead of --alpha: the smallest set on the curve with at most so many errors: rows (12) or a share of them (5%)
    #[arg(long, value_name = "N|P%", help_heading = "Budget")]
    pub(crate) max_errors: Option<String>,

    /// With a budget: how far down the curve is followed, as --alpha says it [default: 1row]
    #[arg(long, value_name = "ALPHA", help_heading = "Budget")]
    pub(crate) down_to: Option<String>,
}

impl BudgetArgs {
    /// What was asked for, if anything was.
    pub(crate) fn budget(&self) -> minrule::Result<Option<Budget>> {
        let errors = self.max_errors.as_deref().map(str::parse).transpose()?;
        let budget = Budget { size: self.max_size, rules: self.max_rules, errors };
        Ok(budget.is_given().then_some(budget))
    }
}

/// Find the best trades of errors against size: every set for which no other is better at some alpha.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Curve {
    #[command(flatten)]
    pub(crate) source: Source,

    /// What size counts [default: size]
    #[arg(long, value_parser = choice::<Objective>(), help_heading = "Method")]
    pub(crate) minimize: Option<Objective>,

    /// The smallest alpha: a share of the rows (0.001, 0.1%) or rows (0.5rows)
    #[arg(long, value_name = "ALPHA", default_value = "1row", help_heading = "Method")]
    pub(crate) down_to: String,

    /// The class without rules, to which rows belong that no rule covers; `auto` chooses the class that costs most to describe, which may be another one along the curve; `none` gives rules to every class [default: auto]
    #[arg(long, value_name = "CLASS|auto|none", help_heading = "Method")]
    pub(crate) otherwise: Option<String>,

    /// Describe only these classes, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Table")]
    pub(crate) classes: Option<Vec<String>>,

    /// Shuffle the examples with this seed, which may lead to other sets that are equally good
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) seed: Option<u64>,

    /// Also cross-validate with K folds: how right are the sets of each alpha on rows not seen?
    #[arg(long, value_name = "K", value_parser = at_least::<2>, help_heading = "Cross-validation")]
    pub(crate) cross_validate: Option<usize>,

    /// How often to cross-validate, each time with other folds [default: 1]
    #[arg(long, value_name = "N", value_parser = at_least::<1>, requires = "cross_validate", help_heading = "Cross-validation")]
    pub(crate) repeats: Option<usize>,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// Stop with the curve found so far after this time: seconds, or 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub(crate) time_limit: Option<Duration>,

    /// Stop with the curve found so far when the process uses this much memory: 512MB, 8GB
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub(crate) memory_limit: Option<u64>,

    /// The number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = at_least::<1>, help_heading = "Limits")]
    pub(crate) threads: Option<usize>,

    /// How to print the curve
    #[arg(long, value_enum, default_value_t = CurveFormat::Text, help_heading = "Output")]
    pub(crate) format: CurveFormat,

    /// Also write an HTML page of the curve, on which each set can be looked at
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) page: Option<PathBuf>,

    /// Show no progress and no warnings
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Log to standard error; give it twice for more detail
    #[arg(short, long, action = clap::ArgAction::Count, conflicts_with = "quiet", help_heading = "Output")]
    pub(crate) verbose: u8,
}

/// Predict the class of each row of a table.
#[derive(Debug, Args)]
pub(crate) struct Predict {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// Add the share of each class among the training rows that the firing rules cover
    #[arg(long, help_heading = "Output")]
    pub(crate) proba: bool,

    /// Add the rules that fired
    #[arg(long, help_heading = "Output")]
    pub(crate) explain: bool,

    /// With --explain: how conditions are said [default: words]
    #[arg(long, value_parser = choice::<Style>(), requires = "explain", help_heading = "Output")]
    pub(crate) style: Option<Style>,

    /// Copy the columns of the table to the output, before the prediction
    #[arg(long, help_heading = "Output")]
    pub(crate) keep_columns: bool,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,

    /// Do not report how many rows were decided by which policy
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,
}

/// Explain the class of a row: which rules fire, and what would change it.
#[derive(Debug, Args)]
pub(crate) struct Explain {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,

    /// The rows to explain: 7, 3-9, 5,7,11 or all; the first row after the column names is 1
    #[arg(long, value_name = "N", value_parser = row_range, value_delimiter = ',', required = true)]
    pub(crate) row: Vec<RowRange>,

    /// Never advise to change these columns, such as age,sex
    #[arg(long, value_name = "COLUMN", value_delimiter = ',')]
    pub(crate) fixed: Vec<String>,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// How conditions are said
    #[arg(long, value_parser = choice::<Style>(), default_value = "words", help_heading = "Output")]
    pub(crate) style: Style,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(crate) format: Format,
}

/// Measure how well a model predicts a table whose classes are known.
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

/// Check a model against a table: do its rules hold, and are its claims true?
#[derive(Debug, Args)]
pub(crate) struct Check {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,

    /// Also verify the proof of each bound, written by `minrule learn --proof DIR`
    #[arg(long, value_name = "DIR")]
    pub(crate) proof: Option<PathBuf>,

    /// Also write the proof for VeriPB into this folder: formulas (.opb) and refutations (.pbp); parts that would be too long are left out
    #[arg(long, value_name = "DIR", requires = "proof")]
    pub(crate) veripb: Option<PathBuf>,

    /// Stop verifying the proof after this time: seconds, or 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration, requires = "proof")]
    pub(crate) time_limit: Option<Duration>,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(crate) format: Format,
}

/// Write an HTML report about a model and a table.
///
/// The model is checked against the table first; the report begins with the verdict.
#[derive(Debug, Args)]
pub(crate) struct Report {
    #[command(flatten)]
    pub(crate) input: ModelAndTable,

    /// The HTML file to write
    #[arg(short, long, value_name = "FILE", default_value = "report.html", help_heading = "Output")]
    pub(crate) output: PathBuf,

    /// How conditions are said
    #[arg(long, value_parser = choice::<Style>(), default_value = "words", help_heading = "Output")]
    pub(crate) style: Style,

    /// Show how costs and bounds converged, from a file written by `minrule learn --trace FILE`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,

    /// Show the best trades of errors against size and their rules, too, from a file written by `minrule curve TABLE --format json > FILE`
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) curve: Option<PathBuf>,
}

/// Convert a model into a program, PMML, or a document.
#[derive(Debug, Args)]
pub(crate) struct Export {
    /// A model file, written by `minrule learn TABLE --model FILE`
    pub(crate) model: PathBuf,

    /// The target format
    #[arg(long, value_parser = choice::<Target>(), value_name = "FORM")]
    pub(crate) to: Target,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// How conditions are said
    #[arg(long, value_parser = choice::<Style>(), default_value = "words", help_heading = "Output")]
    pub(crate) style: Style,

    /// Write to this file instead of standard output
    #[arg(short, long, value_name = "FILE", help_heading = "Output")]
    pub(crate) output: Option<PathBuf>,
}

/// Run methods over many tables and compare the results.
#[derive(Debug, Args)]
#[command(after_help = compare_help())]
pub(crate) struct Compare {
    /// Folders of CSV and CSV.gz files, text files (.txt) that list them, or tables
    #[arg(required = true, value_name = "FOLDER|LIST|TABLE")]
    pub(crate) tables: Vec<PathBuf>,

    /// The methods to compare, separated by commas [default: all methods listed below]
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Method")]
    pub(crate) methods: Vec<String>,

    /// An additional method: a name, and options for `minrule learn` (may be given more than once)
    #[arg(long, value_name = "NAME: OPTIONS", help_heading = "Method")]
    pub(crate) configuration: Vec<String>,

    /// Time limit for each run: seconds, or 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration, default_value = "60", help_heading = "Limits")]
    pub(crate) time_limit: Duration,

    /// Memory limit for each run: 512MB, 8GB
    #[arg(long, value_name = "SIZE", value_parser = bytes, default_value = "4GB", help_heading = "Limits")]
    pub(crate) memory_limit: u64,

    /// Runs in parallel, each on one thread unless its options say otherwise
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
    /// A model file, written by `minrule learn TABLE --model FILE`
    pub(crate) model: PathBuf,

    /// A CSV file with column names in its first line, or JSON lines, either of which may be gzipped; a Parquet, Arrow or Feather file; `-` reads standard input
    pub(crate) table: PathBuf,

    /// The character that separates fields; `tab` for a tab
    #[arg(long, value_name = "CHAR", default_value = ",", value_parser = separator, help_heading = "Table")]
    pub(crate) separator: u8,
}

/// What to say where the rules alone do not decide.
#[derive(Debug, Args)]
pub(crate) struct PolicyArgs {
    /// How to decide rows that no rule covers [default: as stored in the model, initially `default`]
    #[arg(long, value_parser = choice::<Uncovered>(), help_heading = "Policy")]
    pub(crate) uncovered: Option<Uncovered>,

    /// How to decide rows that rules of several classes cover [default: as stored in the model, initially `majority`, with --alpha `precision`, with --order `order`]
    #[arg(long, value_parser = choice::<Conflict>(), help_heading = "Policy")]
    pub(crate) conflict: Option<Conflict>,
}

impl PolicyArgs {
    /// What was asked for, else what the model says.
    pub(crate) fn or(&self, policy: Policy) -> minrule::Result<Policy> {
        policy.but(self.uncovered, self.conflict)
    }
}

/// A table, and how its columns become features.
#[derive(Debug, Args)]
pub(crate) struct Source {
    /// A CSV file with column names in its first line, or JSON lines, either of which may be gzipped; a Parquet, Arrow or Feather file; `-` reads standard input
    pub(crate) table: PathBuf,

    /// The class column [default: the last one]
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    pub(crate) target: Option<String>,

    /// A column that rules must not use (may be given more than once)
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    pub(crate) ignore: Vec<String>,

    /// The character that separates fields; `tab` for a tab
    #[arg(long, value_name = "CHAR", default_value = ",", value_parser = separator, help_heading = "Table")]
    pub(crate) separator: u8,

    /// How to treat missing values (empty fields, ?, NA, nan, and those added by --missing-values)
    #[arg(long, value_parser = choice::<Missing>(), default_value = "value", help_heading = "Table")]
    pub(crate) missing: Missing,

    /// Additional texts that mean "missing", such as "n/a,-,999"; separate them by commas, or by semicolons if one of them contains a comma (may be given more than once)
    #[arg(long, value_name = "A,B", allow_hyphen_values = true, help_heading = "Table")]
    pub(crate) missing_values: Vec<String>,

    /// Treat the values of this column as names, even if they look like numbers (may be given more than once)
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    pub(crate) categorical: Vec<String>,

    /// Treat this column as numbers; any other text in it counts as missing (may be given more than once)
    #[arg(long, value_name = "NAME", help_heading = "Table")]
    pub(crate) numeric_columns: Vec<String>,

    /// The decimal mark
    #[arg(long, value_parser = choice::<Decimal>(), default_value = ".", help_heading = "Table")]
    pub(crate) decimal: Decimal,

    /// How to turn columns of many numbers into features
    #[arg(long, value_parser = choice::<Numeric>(), default_value = "thresholds", help_heading = "Features")]
    pub(crate) numeric: Numeric,

    /// The maximum number of thresholds for a numeric column; `all` tests every threshold that can matter, so that a proof holds for any other as well [default: 4]
    #[arg(long, value_name = "N|all", value_parser = cuts, allow_hyphen_values = true, help_heading = "Features")]
    pub(crate) cuts: Option<Cuts>,

    /// With --numeric intervals: the number of intervals for a numeric column [default: 4]
    #[arg(long, value_name = "N", value_parser = at_least::<2>, help_heading = "Features")]
    pub(crate) intervals: Option<usize>,

    /// With --numeric intervals: how to choose them [default: frequency]
    #[arg(long, value_parser = choice::<Cut>(), help_heading = "Features")]
    pub(crate) cut: Option<Cut>,

    /// Allow only "is", never "is not", in rules
    #[arg(long, help_heading = "Features")]
    pub(crate) no_negations: bool,

    /// The most values of a column of names that rules may test; of more, the most frequent; not with --no-negations, where all of them are tested
    #[arg(long, value_name = "N", default_value_t = BinariseOptions::MAX_VALUES, value_parser = at_least::<1>, help_heading = "Features")]
    pub(crate) max_values: usize,
}

/// Find the smallest decision set that agrees with a table.
#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Learn {
    #[command(flatten)]
    pub(crate) source: Source,

    /// Describe only these classes, separated by commas
    #[arg(long, value_name = "A,B", value_delimiter = ',', help_heading = "Table")]
    pub(crate) classes: Option<Vec<String>>,

    /// What "smallest" means [default: size, or the only objective that the method supports]
    #[arg(long, value_parser = choice::<Objective>(), help_heading = "Method")]
    pub(crate) minimize: Option<Objective>,

    /// Allow errors where they save size: what a unit of it must be worth, as a share of the rows (0.005, 0.5%) or in rows (2rows, 1/3rows); `auto` chooses it by cross-validation
    #[arg(long, value_name = "PRICE|auto", allow_hyphen_values = true, help_heading = "Method")]
    pub(crate) alpha: Option<String>,

    #[command(flatten)]
    pub(crate) choice: ChoiceArgs,

    #[command(flatten)]
    pub(crate) budget: BudgetArgs,

    /// With --alpha: the class without rules, to which rows belong that no rule covers; `auto` chooses the class that costs most to describe, `none` gives rules to every class [default: auto]
    #[arg(long, value_name = "CLASS|auto|none", help_heading = "Method")]
    pub(crate) otherwise: Option<String>,

    /// With --alpha: learn the classes in this order, each on the rows that no rule of an earlier class covers, so that a rule holds unless a rule of an earlier class fires: the rarest class first, the most frequent one first, or the labels in order; the last class gets no rules unless --otherwise says so [default: none; with --alpha auto and several classes, `none` or `rarest`, whichever is better on rows not seen]
    #[arg(
        long,
        value_name = "none|rarest|frequent|A,B,C",
        value_delimiter = ',',
        help_heading = "Method"
    )]
    pub(crate) order: Option<Vec<String>>,

    /// How to find the smallest set
    #[arg(long, value_parser = choice::<MethodName>(), default_value = "lazy", help_heading = "Method")]
    pub(crate) method: MethodName,

    /// With --method enumerate: how rules are enumerated [default: maxsat]
    #[arg(long, value_parser = choice::<RuleSource>(), help_heading = "Method")]
    pub(crate) rules: Option<RuleSource>,

    /// Among equally small sets, prefer one whose rules of different classes overlap less
    #[arg(long, help_heading = "Method")]
    pub(crate) prefer_disjoint: bool,

    /// Shuffle the examples with this seed, which may lead to another of the equally small sets
    #[arg(long, value_name = "N", help_heading = "Method")]
    pub(crate) seed: Option<u64>,

    /// With --method lazy or enumerate: how the smallest cover is chosen [default: branch]
    #[arg(long, value_parser = choice::<CoverMethod>(), help_heading = "Method")]
    pub(crate) cover: Option<CoverMethod>,

    /// With --method opt: one model for each class, or one for all [default: separate]
    #[arg(long, value_parser = choice::<OptModel>(), help_heading = "Method")]
    pub(crate) opt_model: Option<OptModel>,

    /// With --method opt: how the fewest nodes are found [default: sat]
    #[arg(long, value_parser = choice::<OptSearch>(), help_heading = "Method")]
    pub(crate) opt_search: Option<OptSearch>,

    /// With --method enumerate: skip rules that cover only examples which an earlier rule covers (the default)
    #[arg(long, overrides_with = "no_break_symmetry", help_heading = "Method")]
    pub(crate) break_symmetry: bool,

    /// With --method enumerate: enumerate all irredundant rules
    #[arg(long, overrides_with = "break_symmetry", help_heading = "Method")]
    pub(crate) no_break_symmetry: bool,

    /// Stop with the best set found after this time: seconds, or 90s, 5m, 2h
    #[arg(long, value_name = "TIME", value_parser = duration, help_heading = "Limits")]
    pub(crate) time_limit: Option<Duration>,

    /// Stop with the best set found when the process uses this much memory: 512MB, 8GB
    #[arg(long, value_name = "SIZE", value_parser = bytes, help_heading = "Limits")]
    pub(crate) memory_limit: Option<u64>,

    /// Also cross-validate with K folds; the time limit applies to each fold
    #[arg(long, value_name = "K", value_parser = at_least::<2>, help_heading = "Output")]
    pub(crate) cross_validate: Option<usize>,

    /// The number of threads [default: one for each core]
    #[arg(long, value_name = "N", value_parser = at_least::<1>, help_heading = "Limits")]
    pub(crate) threads: Option<usize>,

    #[command(flatten)]
    pub(crate) policy: PolicyArgs,

    /// How conditions are said
    #[arg(long, value_parser = choice::<Style>(), default_value = "words", help_heading = "Output")]
    pub(crate) style: Style,

    /// How to print the result
    #[arg(long, value_enum, default_value_t = Format::Text, help_heading = "Output")]
    pub(crate) format: Format,

    /// List rules of different classes that can both fire on a row that is not in the table
    #[arg(long, value_enum, value_name = "WHAT", help_heading = "Output")]
    pub(crate) overlap: Option<Overlap>,

    /// Write the model to this file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) model: Option<PathBuf>,

    /// Write the history of costs and bounds to this file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    pub(crate) trace: Option<PathBuf>,

    /// Write a proof of each bound into this folder, for `minrule check --proof DIR`
    #[arg(long, value_name = "DIR", help_heading = "Output")]
    pub(crate) proof: Option<PathBuf>,

    /// Save progress to this file, and continue from it if it exists
    ///
    /// If a run is killed or stopped by a limit, the same command continues where it was. The contents of the file are checked before they are used.
    #[arg(long, value_name = "FILE", help_heading = "Limits")]
    pub(crate) resume: Option<PathBuf>,

    /// Show no progress and no warnings
    #[arg(short, long, help_heading = "Output")]
    pub(crate) quiet: bool,

    /// Log to standard error; give it twice for more detail
    #[arg(short, long, action = clap::ArgAction::Count, conflicts_with = "quiet", help_heading = "Output")]
    pub(crate) verbose: u8,
}

/// A choice that the library knows by its name.
fn choice<C: Choice>() -> impl TypedValueParser<Value = C> {
    let values = C::ALL.iter().map(|choice| PossibleValue::new(choice.name()).help(choice.meaning()));
    PossibleValuesParser::new(values).map(|name| C::named(&name).expect("it is one of them"))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// Readable text
    Text,
    /// One JSON object
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum CurveFormat {
    /// A table to read
    Text,
    /// One JSON object, with the rules of each set
    Json,
    /// A line for each set
    Csv,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Overlap {
    /// Count the pairs and show an example for each
    Report,
}

fn at_least<const LEAST: usize>(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(n) if n >= LEAST => Ok(n),
        _ => Err(format!("it must be a whole number, {LEAST} or more")),
    }
}

fn cuts(text: &str) -> Result<Cuts, String> {
    text.parse().map_err(|_| format!("it must be {}", Cuts::ALLOWED))
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
