//! What settings are called. The library knows settings, its callers know what their users call them: an
//! option of the command line, a parameter in Python.

/// Something that people can set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[expect(missing_docs, reason = "each is named for the field or function that it sets")]
pub enum Setting {
    Target,
    Ignore,
    Separator,
    Missing,
    MissingValues,
    Categorical,
    NumericColumns,
    Decimal,
    Numeric,
    Intervals,
    Cut,
    Objective,
    Method,
    Rules,
    BreakSymmetry,
    Cover,
    OptModel,
    OptSearch,
    PreferDisjoint,
    Proof,
    Threads,
    TimeLimit,
    MemoryLimit,
    Folds,
    Uncovered,
    Conflict,
}

impl Setting {
    /// Its plain name, in words joined by underscores.
    pub fn name(self) -> &'static str {
        match self {
            Setting::Target => "target",
            Setting::Ignore => "ignore",
            Setting::Separator => "separator",
            Setting::Missing => "missing",
            Setting::MissingValues => "missing_values",
            Setting::Categorical => "categorical",
            Setting::NumericColumns => "numeric_columns",
            Setting::Decimal => "decimal",
            Setting::Numeric => "numeric",
            Setting::Intervals => "intervals",
            Setting::Cut => "cut",
            Setting::Objective => "objective",
            Setting::Method => "method",
            Setting::Rules => "rules",
            Setting::BreakSymmetry => "break_symmetry",
            Setting::Cover => "cover",
            Setting::OptModel => "opt_model",
            Setting::OptSearch => "opt_search",
            Setting::PreferDisjoint => "prefer_disjoint",
            Setting::Proof => "proof",
            Setting::Threads => "threads",
            Setting::TimeLimit => "time_limit",
            Setting::MemoryLimit => "memory_limit",
            Setting::Folds => "folds",
            Setting::Uncovered => "uncovered",
            Setting::Conflict => "conflict",
        }
    }
}

/// What the caller's users call settings.
pub trait Names {
    /// A setting, as it is typed.
    fn setting(&self, setting: Setting) -> String;
    /// A setting with a value, as they are typed.
    fn value(&self, setting: Setting, value: &str) -> String;
    /// A setting with a list of texts, as they are typed.
    fn list(&self, setting: Setting, texts: &[String]) -> String;
}

/// The library's own names.
#[derive(Debug, Clone, Copy, Default)]
pub struct PlainNames;

impl Names for PlainNames {
    fn setting(&self, setting: Setting) -> String {
        setting.name().to_string()
    }

    fn value(&self, setting: Setting, value: &str) -> String {
        format!("{} = {value}", setting.name())
    }

    fn list(&self, setting: Setting, texts: &[String]) -> String {
        format!("{} = {texts:?}", setting.name())
    }
}
