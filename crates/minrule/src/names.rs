//! What settings and their values are called. The library knows settings, its callers know what their users
//! call them: an option of the command line, a parameter in Python. Values have one name for all.

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
    Cuts,
    MaxValues,
    Objective,
    Alpha,
    Otherwise,
    Order,
    Classes,
    Method,
    Rules,
    BreakSymmetry,
    Cover,
    OptModel,
    OptSearch,
    PreferDisjoint,
    Proof,
    Resume,
    Threads,
    TimeLimit,
    MemoryLimit,
    Folds,
    Repeats,
    MaxErrors,
    DownTo,
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
            Setting::Cuts => "cuts",
            Setting::MaxValues => "max_values",
            Setting::Objective => "objective",
            Setting::Alpha => "alpha",
            Setting::Otherwise => "otherwise",
            Setting::Order => "order",
            Setting::Classes => "classes",
            Setting::Method => "method",
            Setting::Rules => "rules",
            Setting::BreakSymmetry => "break_symmetry",
            Setting::Cover => "cover",
            Setting::OptModel => "opt_model",
            Setting::OptSearch => "opt_search",
            Setting::PreferDisjoint => "prefer_disjoint",
            Setting::Proof => "proof",
            Setting::Resume => "resume",
            Setting::Threads => "threads",
            Setting::TimeLimit => "time_limit",
            Setting::MemoryLimit => "memory_limit",
            Setting::Folds => "folds",
            Setting::Repeats => "repeats",
            Setting::MaxErrors => "max_errors",
            Setting::DownTo => "down_to",
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

/// A value that people choose by its name.
pub trait Choice: Copy + PartialEq + Send + Sync + 'static {
    /// All there are.
    const ALL: &'static [Self];

    /// Its name.
    fn name(self) -> &'static str;

    /// What it means, in a line.
    fn meaning(self) -> &'static str;

    /// The one of this name.
    fn named(name: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|choice| choice.name() == name)
    }
}

/// Names the values of an enum and says what they mean: all that callers need to offer them.
macro_rules! choices {
    ($type:ident { $($variant:ident = $name:literal: $meaning:literal),+ $(,)? }) => {
        impl $crate::names::Choice for $type {
            const ALL: &'static [$type] = &[$($type::$variant),+];

            fn name(self) -> &'static str {
                match self { $($type::$variant => $name),+ }
            }

            fn meaning(self) -> &'static str {
                match self { $($type::$variant => $meaning),+ }
            }
        }
    };
}
pub(crate) use choices;

#[cfg(test)]
mod tests {
    use serde::Serialize;

    use super::*;
    use crate::apply::{Conflict, Uncovered};
    use crate::data::{Cut, Decimal, Missing, Numeric, Style};
    use crate::solve::{CoverMethod, MethodName, Objective, OptModel, OptSearch, RuleSource};

    /// Files have the names that people type.
    fn is_written_as_typed<C: Choice + Serialize + std::fmt::Debug>() {
        for choice in C::ALL {
            assert_eq!(serde_json::to_value(choice).unwrap(), choice.name(), "{choice:?}");
            assert_eq!(C::named(choice.name()), Some(*choice));
        }
        assert_eq!(C::named("something else"), None);
    }

    #[test]
    fn values_have_one_name_for_all() {
        is_written_as_typed::<Missing>();
        is_written_as_typed::<Decimal>();
        is_written_as_typed::<Numeric>();
        is_written_as_typed::<Cut>();
        is_written_as_typed::<Style>();
        is_written_as_typed::<Objective>();
        is_written_as_typed::<MethodName>();
        is_written_as_typed::<RuleSource>();
        is_written_as_typed::<CoverMethod>();
        is_written_as_typed::<OptModel>();
        is_written_as_typed::<OptSearch>();
        is_written_as_typed::<Uncovered>();
        is_written_as_typed::<Conflict>();
    }
}
