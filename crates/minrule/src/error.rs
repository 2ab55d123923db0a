//! What can go wrong with what the caller gave us, each with its place and its remedy.
//!
//! Running out of time or memory is not here: that is an [`Outcome`](crate::Outcome), not an error.
//! What is wrong is for everybody the same; the remedy names settings as the caller's users
//! [know them](crate::Names).

use std::io;
use std::path::PathBuf;

use crate::data::binarise::Numeric;
use crate::data::quotes::QuoteFault;
use crate::names::{Choice, Names, PlainNames};
use crate::solve::cover::CoverMethod;
use crate::solve::objective::Objective;
use crate::solve::options::MethodName;
use crate::text::one_line;

use crate::limits::StopReason;
pub use crate::names::Setting;

/// A problem with the caller's input or surroundings.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The source could not be opened or read.
    #[error("cannot read {place}: {cause}")]
    Read {
        /// File name, or "standard input".
        place: String,
        /// What the operating system said.
        cause: io::Error,
    },
    /// A folder was given where a table was expected.
    #[error("cannot read {place}: it is a folder")]
    IsFolder {
        /// The folder.
        place: String,
    },
    /// Compressed data stop in the middle or are damaged.
    #[error("cannot read {place}: its gzip data are cut short or damaged ({cause})")]
    BrokenGzip {
        /// File name, or "standard input".
        place: String,
        /// What the decompressor said.
        cause: io::Error,
    },
    /// A file that is something else than text.
    #[error("cannot read {place}: it is {what}")]
    NotText {
        /// File name, or "standard input".
        place: String,
        /// What it is.
        what: &'static str,
        /// What to do about it.
        remedy: &'static str,
    },
    /// Bytes that are not UTF-8.
    #[error("{place}, line {line}, column {column}: the text is not UTF-8")]
    NotUtf8 {
        /// File name, or "standard input".
        place: String,
        /// Line in the file, from 1.
        line: u64,
        /// Name or number of the column.
        column: String,
    },
    /// Not a byte in it.
    #[error("{place} is empty")]
    Empty {
        /// File name, or "standard input".
        place: String,
    },
    /// A single column.
    #[error("{place} has a single column, \"{name}\"")]
    OneColumn {
        /// File name, or "standard input".
        place: String,
        /// The column.
        name: String,
    },
    /// A header and nothing else.
    #[error("{place} has column names but no rows")]
    NoRows {
        /// File name, or "standard input".
        place: String,
    },
    /// Every row was dropped for a missing value.
    #[error("{}", all_rows_dropped(.place, &PlainNames))]
    AllRowsDropped {
        /// File name, or "standard input".
        place: String,
    },
    /// A row with too few or too many fields.
    #[error("{place}, line {line}: {found} fields where the header has {expected}")]
    Ragged {
        /// File name, or "standard input".
        place: String,
        /// Line in the file, from 1.
        line: u64,
        /// Fields of the header.
        expected: u64,
        /// Fields of this row.
        found: u64,
    },
    /// A quote that cannot be meant.
    #[error("{place}, line {line}: {}", quote_words(*.fault))]
    BadQuote {
        /// File name, or "standard input".
        place: String,
        /// Where the quote opens: the line in the file, from 1.
        line: u64,
        /// What is wrong with it.
        fault: QuoteFault,
    },
    /// A line that is no JSON object of plain values.
    #[error("{place}, line {line}: {problem}")]
    BadJsonLine {
        /// File name, or "standard input".
        place: String,
        /// Its number in the file, from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// A file of columns that is cut short or damaged, or written in a way that is not read.
    #[error("cannot read {place}: {problem}")]
    BadColumns {
        /// File name, or "standard input".
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A file of columns that has none.
    #[error("{place} has no columns")]
    NoColumns {
        /// File name, or "standard input".
        place: String,
    },
    /// A column of values that rules cannot test.
    #[error("{place}, column {column}: it holds {what}, which rules cannot test")]
    BadColumnType {
        /// File name, or "standard input".
        place: String,
        /// The column.
        column: String,
        /// Such as "lists".
        what: String,
    },
    /// The column names again, as if they were a row.
    #[error("{place}, line {line}: the column names stand here again")]
    NamesAgain {
        /// File name, or "standard input".
        place: String,
        /// Line in the file, from 1.
        line: u64,
    },
    /// A first row that says more about the columns.
    #[error(
        "{place}, line {line}: {} have a text here and numbers in all rows below, as if this were a \
         second line of column names",
        some_names(.columns)
    )]
    SecondHeader {
        /// File name, or "standard input".
        place: String,
        /// Line in the file, from 1.
        line: u64,
        /// The columns.
        columns: Vec<String>,
    },
    /// The last column, which would be the class, has neither a name nor values.
    #[error(
        "{place}: the last column has no name, and no value in line {line}, so it is not the class; lines seem to \
         end with a separator"
    )]
    NamelessClass {
        /// File name, or "standard input".
        place: String,
        /// Line in the file, from 1.
        line: u64,
    },
    /// A limit was reached before there was any rule.
    #[error("{place}: {} after {progress}, before there was any rule", limit_words(*.limit))]
    LimitReached {
        /// File name, or "standard input".
        place: String,
        /// Which.
        limit: StopReason,
        /// What was done until then.
        progress: String,
    },
    /// Two columns of one name.
    #[error("{place}: columns {first} and {second} are both called \"{name}\"")]
    DuplicateColumn {
        /// File name, or "standard input".
        place: String,
        /// The shared name.
        name: String,
        /// Position of the first, from 1.
        first: usize,
        /// Position of the second, from 1.
        second: usize,
    },
    /// No column of that name.
    #[error("{place} has no column \"{name}\"")]
    NoSuchColumn {
        /// File name, or "standard input".
        place: String,
        /// What was asked for.
        name: String,
        /// The most similar name there is.
        nearest: Option<String>,
        /// Names there are.
        known: Vec<String>,
    },
    /// No class of that name.
    #[error("column \"{target}\" has no class \"{name}\"")]
    NoSuchClass {
        /// The class column.
        target: String,
        /// What was asked for.
        name: String,
        /// The most similar label there is.
        nearest: Option<String>,
        /// Labels there are.
        known: Vec<String>,
    },
    /// The class column was also ignored.
    #[error("column \"{name}\" is the class and cannot be ignored too")]
    IgnoredTarget {
        /// The column.
        name: String,
    },
    /// Nothing to tell the rows apart by.
    #[error("{place}: no column besides the class \"{target}\" has two different values")]
    NoFeatures {
        /// File name, or "standard input".
        place: String,
        /// The class column.
        target: String,
    },
    /// Only one class.
    #[error("{place}: every row has the class \"{label}\" (column \"{target}\")")]
    OneClass {
        /// File name, or "standard input".
        place: String,
        /// The class column.
        target: String,
        /// Its only value.
        label: String,
    },
    /// A missing value where none is allowed.
    #[error("{place}, line {line}: the value of \"{column}\" is missing")]
    MissingValue {
        /// File name, or "standard input".
        place: String,
        /// Line in the file, from 1.
        line: u64,
        /// The column.
        column: String,
    },
    /// A row without a class.
    #[error("{place}, line {line}: the class (column \"{column}\") is missing")]
    MissingClass {
        /// File name, or "standard input".
        place: String,
        /// Line in the file, from 1.
        line: u64,
        /// The class column.
        column: String,
    },
    /// Too many Boolean features to hold.
    #[error(
        "the table makes {features} Boolean features for {rows} rows, {needed} MiB as bits, \
         more than the {allowed} MiB allowed"
    )]
    TooManyFeatures {
        /// Boolean features.
        features: usize,
        /// Rows.
        rows: usize,
        /// MiB needed.
        needed: u64,
        /// MiB allowed.
        allowed: u64,
        /// Column with the most values.
        widest: String,
        /// How many.
        values: usize,
    },
    /// A setting outside its range.
    #[error("{}", bad_option(*.setting, .given, .allowed, &PlainNames))]
    BadOption {
        /// The setting.
        setting: Setting,
        /// What was given.
        given: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A setting that belongs to the other way of using numbers.
    #[error("{}", not_with_numeric(*.setting, *.numeric, &PlainNames))]
    NotWithNumeric {
        /// The setting.
        setting: Setting,
        /// How numbers are used.
        numeric: Numeric,
    },
    /// A setting that the method has no use for.
    #[error("{}", not_with_method(*.setting, *.method, &PlainNames))]
    NotWithMethod {
        /// The setting.
        setting: Setting,
        /// The method asked for.
        method: MethodName,
        /// Methods that it goes with.
        methods: &'static [MethodName],
    },
    /// A setting, or a value of it, that makes no sense where rules may be wrong.
    #[error("{}", not_with_alpha(*.setting, .value, &PlainNames))]
    NotWithAlpha {
        /// The setting.
        setting: Setting,
        /// Its value; empty, if there is none that would go.
        value: &'static str,
    },
    /// A setting that means something only where rules may be wrong.
    #[error("{}", only_with_alpha(*.setting, .value, &PlainNames))]
    OnlyWithAlpha {
        /// The setting.
        setting: Setting,
        /// Its value.
        value: String,
    },
    /// A setting that does not go with an order of classes.
    #[error("{}", not_with_order(*.setting, .value, &PlainNames))]
    NotWithOrder {
        /// The setting.
        setting: Setting,
        /// Its value; empty, if there is none that would go.
        value: &'static str,
    },
    /// A setting that means something only where classes have an order.
    #[error("{}", only_with_order(*.setting, .value, &PlainNames))]
    OnlyWithOrder {
        /// The setting.
        setting: Setting,
        /// Its value.
        value: &'static str,
    },
    /// An order that does not name each class once.
    #[error("{}", bad_order(.problem, &PlainNames))]
    BadOrder {
        /// What is wrong with it.
        problem: String,
        /// The classes there are.
        classes: Vec<String>,
    },
    /// An objective that the method does not minimise.
    #[error("{}", other_objective(*.method, *.asked, &PlainNames))]
    OtherObjective {
        /// The method asked for.
        method: MethodName,
        /// The objective asked for.
        asked: Objective,
        /// What the method minimises.
        only: Objective,
    },
    /// A proof from a method that has none.
    #[error("{}", unprovable(*.method, *.cover, &PlainNames))]
    Unprovable {
        /// The method asked for.
        method: MethodName,
        /// What chooses its cover.
        cover: Option<CoverMethod>,
    },
    /// Something in the data or the model that cannot be used so.
    #[error("{what} is {given}, but it must be {allowed}")]
    Unsuitable {
        /// What it is.
        what: &'static str,
        /// What was given.
        given: String,
        /// What is allowed.
        allowed: &'static str,
    },
    /// A file could not be written; what stood there before is untouched.
    #[error("cannot write {}: {cause}", .path.display())]
    Write {
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        cause: io::Error,
    },
    /// A file that is not a model of ours.
    #[error("{} is not a minrule model: {problem}", .path.display())]
    BadModel {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file that does not say what a proof is of.
    #[error("{} is no manifest of a proof: {problem}", .path.display())]
    BadManifest {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A file that a run cannot go on from.
    #[error(
        "no run can go on from {}: {problem}",
        .path.display()
    )]
    BadProgress {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// A table with labels that the model does not know.
    #[error("{place} has classes of \"{target}\" that the model does not know")]
    OtherClasses {
        /// File name, or "standard input".
        place: String,
        /// The class column.
        target: String,
    },
    /// A file that is no trace of ours.
    #[error("{place} is not a trace: {problem}")]
    BadTrace {
        /// The file.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A file that is no curve of ours, or none of this table and this model.
    #[error("{place} is not a curve of this model and table: {problem}")]
    BadCurve {
        /// The file.
        place: String,
        /// What is wrong with it.
        problem: String,
    },
    /// A row beyond the last.
    #[error("{place} has {}, so there is no row {row}", rows_in_words(*.rows))]
    NoSuchRow {
        /// File name, or "standard input".
        place: String,
        /// What was asked for.
        row: usize,
        /// Rows there are.
        rows: usize,
    },
    /// A result that failed our own check: a bug, reported instead of a wrong answer.
    #[error("internal error: {0}")]
    Internal(String),
}

/// The kinds of [`Error`] that callers handle differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// An option has no valid value.
    Option,
    /// The input could not be read at all.
    Read,
    /// The input was read but is not a table to learn from.
    Table,
    /// A limit was reached before there was anything to give.
    Limit,
    /// The output could not be written.
    Write,
    /// A bug.
    Internal,
}

impl Error {
    /// No such column among these, with the most similar one.
    pub fn no_such_column(place: &str, name: &str, names: &[String]) -> Error {
        Error::NoSuchColumn {
            place: place.to_string(),
            name: name.to_string(),
            nearest: nearest(name, names),
            known: names.to_vec(),
        }
    }

    /// What is wrong, with settings called by these names.
    pub fn problem(&self, names: &dyn Names) -> String {
        match self {
            Error::BadOption { setting, given, allowed } => bad_option(*setting, given, allowed, names),
            Error::NotWithNumeric { setting, numeric } => not_with_numeric(*setting, *numeric, names),
            Error::NotWithMethod { setting, method, .. } => not_with_method(*setting, *method, names),
            Error::NotWithAlpha { setting, value } => not_with_alpha(*setting, value, names),
            Error::OnlyWithAlpha { setting, value } => only_with_alpha(*setting, value, names),
            Error::NotWithOrder { setting, value } => not_with_order(*setting, value, names),
            Error::OnlyWithOrder { setting, value } => only_with_order(*setting, value, names),
            Error::BadOrder { problem, .. } => bad_order(problem, names),
            Error::OtherObjective { method, asked, .. } => other_objective(*method, *asked, names),
            Error::Unprovable { method, cover } => unprovable(*method, *cover, names),
            Error::AllRowsDropped { place } => all_rows_dropped(place, names),
            other => other.to_string(),
        }
    }

    /// What to do about it, with settings called by these names. Nothing of the table in it is longer than a
    /// line.
    pub fn remedy(&self, names: &dyn Names) -> Option<String> {
        let setting = |setting| names.setting(setting);
        let value = |setting, to: &str| names.value(setting, to);
        let more = |limit| format!("Allow more with {}, or give fewer rows or columns.", setting(limit));
        let remedy = match self {
            Error::Read { .. } => "Check the name and its permissions.".to_string(),
            Error::IsFolder { .. } => "Name one CSV file in it.".to_string(),
            Error::BrokenGzip { .. } => {
                "Fetch or compress the file again; `gzip -t` tests it.".to_string()
            }
            Error::NotText { remedy, .. } => remedy.to_string(),
            Error::NotUtf8 { .. } => {
                "Convert it first, for example with `iconv -f latin1 -t utf-8`.".to_string()
            }
            Error::Empty { .. } => "It must start with a line of column names, or hold an object a line.".to_string(),
            Error::OneColumn { name, .. } => separator_hint(name, names),
            Error::NoRows { .. } => "Add at least one row for each of two classes.".to_string(),
            Error::AllRowsDropped { .. } => format!(
                "Keep missing values as a value of their own ({}), or leave out the emptiest columns with \
                 {}.",
                value(Setting::Missing, "value"),
                setting(Setting::Ignore)
            ),
            Error::Ragged { .. } => format!(
                "Mend that line, quote fields that hold the separator, or set another with {}.",
                setting(Setting::Separator)
            ),
            Error::BadQuote { fault, .. } => quote_remedy(*fault),
            Error::BadJsonLine { .. } => "Each line must hold one object, whose values are texts, numbers, true, \
                                          false or null."
                .to_string(),
            Error::BadColumns { .. } => "Write it again, for example with pandas or polars, packed with Snappy, zstd, \
                                         LZ4, gzip or not at all."
                .to_string(),
            Error::NoColumns { .. } => "Write it again with the columns of the table, the class among them.".to_string(),
            Error::BadColumnType { .. } => format!(
                "Leave it out with {}, or turn it into texts, numbers or Booleans first.",
                setting(Setting::Ignore)
            ),
            Error::NamesAgain { .. } => "Remove that line; were two files put together?".to_string(),
            Error::SecondHeader { .. } => format!(
                "Remove that line; or, if it is a row, name these columns with {}.",
                setting(Setting::Categorical)
            ),
            Error::NamelessClass { .. } => format!(
                "Remove it at the ends of lines, or name the class with {}.",
                setting(Setting::Target)
            ),
            Error::LimitReached { limit: StopReason::TimeLimit, .. } => more(Setting::TimeLimit),
            Error::LimitReached { limit: StopReason::MemoryLimit, .. } => more(Setting::MemoryLimit),
            Error::LimitReached { .. } => "Run it again to begin anew.".to_string(),
            Error::DuplicateColumn { .. } => {
                "Rename one of them, so that rules can tell them apart.".to_string()
            }
            Error::NoSuchColumn { nearest, known, .. } => {
                did_you_mean(nearest.as_deref(), "columns", known)
            }
            Error::NoSuchClass { nearest, known, .. } => {
                did_you_mean(nearest.as_deref(), "classes", known)
            }
            Error::IgnoredTarget { .. } => {
                format!("Choose another class with {}.", setting(Setting::Target))
            }
            Error::NoFeatures { .. } => {
                "There is nothing that rules could test; add a column, or ignore fewer.".to_string()
            }
            Error::OneClass { .. } => format!(
                "Rules tell classes apart, so there must be two; choose another column with {}.",
                setting(Setting::Target)
            ),
            Error::MissingValue { .. } => format!(
                "Fill it in, or choose {} or {}.",
                value(Setting::Missing, "value"),
                value(Setting::Missing, "drop-rows")
            ),
            Error::MissingClass { .. } => format!(
                "Fill it in, or leave such rows out with {}.",
                value(Setting::Missing, "drop-rows")
            ),
            Error::TooManyFeatures { widest, values, .. } => format!(
                "Column \"{}\" alone has {values} values: leave it out with {}, lower {} or {}, or raise {}.",
                one_line(widest),
                setting(Setting::Ignore),
                setting(Setting::MaxValues),
                setting(Setting::Cuts),
                setting(Setting::MemoryLimit)
            ),
            Error::NotWithNumeric { setting: other, numeric: Numeric::Thresholds } => format!(
                "Say how many thresholds there may be with {}, or choose {} for {}.",
                setting(Setting::Cuts),
                value(Setting::Numeric, Numeric::Intervals.name()),
                setting(*other)
            ),
            Error::NotWithNumeric { numeric: Numeric::Intervals, .. } => format!(
                "Say how many intervals there are with {}, or choose {}.",
                setting(Setting::Intervals),
                value(Setting::Numeric, Numeric::Thresholds.name())
            ),
            Error::NotWithMethod { methods, .. } => {
                let methods: Vec<String> =
                    methods.iter().map(|method| value(Setting::Method, method.name())).collect();
                format!("Leave it out, or choose {}.", methods.join(" or "))
            }
            Error::NotWithAlpha { setting: Setting::Objective, .. } => format!(
                "Choose {}, {} or {}: errors are weighed against one number, and this has two.",
                value(Setting::Objective, "size"),
                value(Setting::Objective, "rules"),
                value(Setting::Objective, "literals")
            ),
            Error::NotWithAlpha { setting: other, .. } => {
                format!("Leave out {} or {}.", setting(*other), setting(Setting::Alpha))
            }
            Error::OnlyWithAlpha { setting: given, .. } => format!(
                "Say with {} what size costs in errors, for example {}, or leave out {}.",
                setting(Setting::Alpha),
                value(Setting::Alpha, "0.5%"),
                setting(*given)
            ),
            Error::NotWithOrder { setting: other, .. } => {
                format!("Leave out {}, or choose {}.", setting(*other), value(Setting::Order, "none"))
            }
            Error::OnlyWithOrder { setting: other, .. } => format!(
                "Leave out {}, or choose an order, for example {}.",
                setting(*other),
                value(Setting::Order, "rarest")
            ),
            Error::BadOrder { classes, .. } => format!(
                "Name every class once, or all but the one that gets no rules; there are {}.",
                some_names(classes)
            ),
            Error::OtherObjective { only, .. } => {
                let choose = value(Setting::Objective, only.name());
                format!("Choose {choose}: this method minimises nothing else.")
            }
            Error::Unprovable { .. } => format!(
                "Leave it out, or choose {} with {}.",
                value(Setting::Method, "lazy"),
                value(Setting::Cover, "branch")
            ),
            Error::Write { .. } => "Check that the folder exists and is writable.".to_string(),
            Error::BadModel { .. } => "Write one with `minrule learn TABLE --model FILE`.".to_string(),
            Error::BadManifest { .. } => "Write one with `minrule learn TABLE --proof DIR`.".to_string(),
            Error::BadProgress { .. } => "Give the table and the options of the run that wrote it, or \
                                          remove the file to begin anew."
                .to_string(),
            Error::OtherClasses { .. } => {
                "Give the table that the model was learned from, or one of the same classes.".to_string()
            }
            Error::BadTrace { .. } => "Write one with `minrule learn TABLE --trace FILE`.".to_string(),
            Error::BadCurve { .. } => {
                "Write one with `minrule curve TABLE --format json`, of the same table and with the same options."
                    .to_string()
            }
            Error::NoSuchRow { .. } => {
                "Rows are counted from 1, without the line of column names.".to_string()
            }
            Error::Internal(_) => "Please report this with the table and the options.".to_string(),
            Error::BadOption { .. } | Error::Unsuitable { .. } => return None,
        };
        Some(remedy)
    }

    /// Which kind of problem this is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Error::Read { .. }
            | Error::IsFolder { .. }
            | Error::BrokenGzip { .. }
            | Error::BadColumns { .. }
            | Error::NotText { .. }
            | Error::NotUtf8 { .. }
            | Error::BadTrace { .. }
            | Error::BadCurve { .. }
            | Error::BadProgress { .. }
            | Error::BadManifest { .. }
            | Error::BadModel { .. } => ErrorKind::Read,
            Error::Empty { .. }
            | Error::OneColumn { .. }
            | Error::NoRows { .. }
            | Error::AllRowsDropped { .. }
            | Error::Ragged { .. }
            | Error::BadQuote { .. }
            | Error::BadJsonLine { .. }
            | Error::NoColumns { .. }
            | Error::BadColumnType { .. }
            | Error::NamesAgain { .. }
            | Error::SecondHeader { .. }
            | Error::NamelessClass { .. }
            | Error::DuplicateColumn { .. }
            | Error::NoSuchColumn { .. }
            | Error::NoSuchClass { .. }
            | Error::IgnoredTarget { .. }
            | Error::NoFeatures { .. }
            | Error::OneClass { .. }
            | Error::MissingValue { .. }
            | Error::MissingClass { .. }
            | Error::NoSuchRow { .. }
            | Error::OtherClasses { .. }
            | Error::TooManyFeatures { .. } => ErrorKind::Table,
            Error::BadOption { .. }
            | Error::NotWithNumeric { .. }
            | Error::NotWithMethod { .. }
            | Error::NotWithAlpha { .. }
            | Error::OnlyWithAlpha { .. }
            | Error::NotWithOrder { .. }
            | Error::OnlyWithOrder { .. }
            | Error::BadOrder { .. }
            | Error::OtherObjective { .. }
            | Error::Unprovable { .. }
            | Error::Unsuitable { .. } => ErrorKind::Option,
            Error::LimitReached { .. } => ErrorKind::Limit,
            Error::Write { .. } => ErrorKind::Write,
            Error::Internal(_) => ErrorKind::Internal,
        }
    }
}

/// Shorthand for results of this library.
pub type Result<T> = std::result::Result<T, Error>;

/// Bytes of a name that somebody may have misspelled. Longer ones are not typed, and comparing two
/// of them takes time for every pair of characters.
const MISSPELLED: usize = 200;

/// The name in `known` most similar to `wanted`, if any is similar at all.
pub(crate) fn nearest(wanted: &str, known: &[String]) -> Option<String> {
    if wanted.len() > MISSPELLED {
        return None;
    }
    let wanted = wanted.to_lowercase();
    known
        .iter()
        .filter(|name| name.len() <= MISSPELLED)
        .map(|name| (strsim::levenshtein(&wanted, &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1.max(name.chars().count().min(12) / 2))
        // Of equally distant names, the one that begins like what was typed.
        .min_by_key(|(distance, name)| (*distance, std::cmp::Reverse(common_start(&wanted, name))))
        .map(|(_, name)| name.clone())
}

fn common_start(wanted: &str, name: &str) -> usize {
    wanted.chars().zip(name.to_lowercase().chars()).take_while(|(a, b)| a == b).count()
}

fn all_rows_dropped(place: &str, names: &dyn Names) -> String {
    let dropping = names.value(Setting::Missing, "drop-rows");
    format!("{place}: every row has a missing value, so {dropping} leaves none")
}

fn bad_option(setting: Setting, given: &str, allowed: &str, names: &dyn Names) -> String {
    format!("{} must be {allowed}; it is {given}", names.setting(setting))
}

fn not_with_alpha(setting: Setting, value: &str, names: &dyn Names) -> String {
    let what = match value {
        "" => names.setting(setting),
        value => names.value(setting, value),
    };
    format!("{what} does not go with {}", names.setting(Setting::Alpha))
}

fn only_with_alpha(setting: Setting, value: &str, names: &dyn Names) -> String {
    let why = match setting {
        Setting::Order => "rules that are never wrong hold in any order",
        _ => "without it every class gets rules",
    };
    let alpha = names.setting(Setting::Alpha);
    format!("{} goes only with {alpha}: {why}", names.value(setting, value))
}

fn not_with_order(setting: Setting, value: &str, names: &dyn Names) -> String {
    let what = match value {
        "" => names.setting(setting),
        value => names.value(setting, value),
    };
    let why = match setting {
        Setting::Conflict => "the earlier class always wins",
        Setting::Classes => "what a class is told from depends on the classes before it",
        _ => "rules of a class depend on those of the classes before it",
    };
    format!("{what} does not go with an order of classes: {why}")
}

fn only_with_order(setting: Setting, value: &str, names: &dyn Names) -> String {
    format!("{} goes only with an order of classes", names.value(setting, value))
}

fn bad_order(problem: &str, names: &dyn Names) -> String {
    format!("{} {problem}", names.setting(Setting::Order))
}

fn not_with_numeric(setting: Setting, numeric: Numeric, names: &dyn Names) -> String {
    let numeric = names.value(Setting::Numeric, numeric.name());
    format!("{} means nothing with {numeric}", names.setting(setting))
}

fn not_with_method(setting: Setting, method: MethodName, names: &dyn Names) -> String {
    let method = names.value(Setting::Method, method.name());
    format!("{} means nothing with {method}", names.setting(setting))
}

fn other_objective(method: MethodName, asked: Objective, names: &dyn Names) -> String {
    let method = names.value(Setting::Method, method.name());
    format!("{} is not for {method}", names.value(Setting::Objective, asked.name()))
}

fn unprovable(method: MethodName, cover: Option<CoverMethod>, names: &dyn Names) -> String {
    let by = match cover.filter(|_| method == MethodName::Lazy) {
        Some(cover) => names.value(Setting::Cover, cover.name()),
        None => names.value(Setting::Method, method.name()),
    };
    format!(
        "{} is not for {by}, which has nothing to show for its bounds",
        names.setting(Setting::Proof)
    )
}

fn quote_words(fault: QuoteFault) -> String {
    match fault {
        QuoteFault::Unclosed => "a quote opens here and is never closed".to_string(),
        QuoteFault::SwallowsRows(lines) => format!(
            "a quote opens here and goes on for {lines} more line{}, which look like whole rows",
            if lines == 1 { "" } else { "s" }
        ),
        QuoteFault::TextBehind => "more text follows the closing quote of a field".to_string(),
    }
}

fn quote_remedy(fault: QuoteFault) -> String {
    const DOUBLED: &str = "A quote inside a quoted field is written twice.";
    match fault {
        QuoteFault::Unclosed => format!("Remove it, or close it where its field ends. {DOUBLED}"),
        QuoteFault::SwallowsRows(_) => "Remove it, or close it where its field ends; a field that is \
                                        meant to hold these lines must be written on one."
            .to_string(),
        QuoteFault::TextBehind => format!("Put the whole field into quotes, or none of it. {DOUBLED}"),
    }
}

/// What was reached.
fn limit_words(limit: StopReason) -> &'static str {
    match limit {
        StopReason::TimeLimit => "the time limit was reached",
        StopReason::MemoryLimit => "the memory limit was reached",
        StopReason::Interrupted | StopReason::SolverFailure => "the run was interrupted",
    }
}

/// The first few names of a list that may be long.
fn some_names(names: &[String]) -> String {
    const SHOWN: usize = 3;
    let shown: Vec<String> =
        names.iter().take(SHOWN).map(|name| format!("\"{}\"", one_line(name))).collect();
    match names.len().saturating_sub(SHOWN) {
        0 => format!("columns {}", shown.join(" and ")),
        more => format!("columns {} and {more} more", shown.join(", ")),
    }
}

/// A table that was written with another separator looks like one with a single column.
fn separator_hint(header: &str, names: &dyn Names) -> String {
    if header.to_ascii_lowercase().starts_with("sep=") {
        let set = names.setting(Setting::Separator);
        return format!("That line only names the separator: remove it, and set {set}.");
    }
    let seen = [(';', "';'"), ('\t', "'tab'"), ('|', "'|'"), (' ', "' '")];
    let seen = seen.into_iter().find(|(c, _)| header.contains(*c));
    match seen {
        Some((_, name)) => {
            let set = names.value(Setting::Separator, name);
            format!("Its fields seem to be separated otherwise: try {set}.")
        }
        None => "There must be a column to test besides the class.".to_string(),
    }
}

fn rows_in_words(rows: usize) -> String {
    if rows == 1 { "a single row".to_string() } else { format!("{rows} rows") }
}

fn did_you_mean(nearest: Option<&str>, what: &str, known: &[String]) -> String {
    if let Some(name) = nearest {
        return format!("Did you mean \"{}\"?", one_line(name));
    }
    const SHOWN: usize = 10;
    let list: Vec<String> = known.iter().take(SHOWN).map(|name| one_line(name)).collect();
    let more = known.len().saturating_sub(SHOWN);
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("The {what} are: {}{rest}.", list.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suggests_a_similar_name_and_nothing_far_fetched() {
        let known = ["age".to_string(), "income".to_string()];
        assert_eq!(nearest("incme", &known).as_deref(), Some("income"));
        assert_eq!(nearest("AGE", &known).as_deref(), Some("age"));
        assert_eq!(nearest("temperature", &known), None);
    }

    #[test]
    fn lists_what_there_is_when_nothing_is_similar() {
        let known: Vec<String> = (0..12).map(|i| format!("c{i}")).collect();
        let text = did_you_mean(None, "columns", &known);
        assert!(text.contains("c0, c1") && text.contains("and 2 more"), "{text}");
    }
}
