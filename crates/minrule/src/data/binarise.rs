//! Columns to Boolean features, and literals back to the words of the table.
//!
//! A column is cut into *cells*: its values, or intervals of its numbers, with a cell of its own
//! for missing values. Two cells make one feature; more make one feature each (one-hot). Numbers
//! can instead be taken as thresholds, one feature for each `x <= t`. Of very many names only the most
//! frequent have a feature. In any case a literal is
//! always shown as a [`Condition`] in the original units, never as a code.

use std::cmp::Reverse;
use std::fmt;
use std::str::FromStr;

use hashbrown::HashSet;
use rayon::prelude::*;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::data::column::Column;
use crate::data::condition::{Condition, Op, Operand};
use crate::data::cuts::Profile;
use crate::data::kind::Kind;
use crate::data::literal::{FeatureId, Literal};
use crate::data::notation::Notation;
use crate::data::table::Table;
use crate::data::trees;
use crate::error::{Error, Result, Setting};
use crate::names::choices;

/// What to do with columns of many numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Numeric {
    /// Tested as `x <= t` and `x > t`, with `t` where it tells the classes apart.
    #[default]
    Thresholds,
    /// Cut into intervals, each a value.
    Intervals,
}

choices!(Numeric {
    Thresholds = "thresholds": "Test x <= t and x > t, with t where it tells the classes apart",
    Intervals = "intervals": "Cut the numbers into intervals, and treat each as a value",
});

/// How many thresholds a column of numbers has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cuts {
    /// So many at most, where shallow trees over all columns cut.
    Most(usize),
    /// One wherever the class changes, so that no other threshold could serve a rule better.
    All,
}

impl Cuts {
    /// What can be asked for.
    pub const ALLOWED: &str = "a whole number of 1 or more, or all";
}

impl FromStr for Cuts {
    type Err = Error;

    fn from_str(text: &str) -> Result<Cuts> {
        match text.parse() {
            _ if text == "all" => Ok(Cuts::All),
            Ok(n) if n > 0 => Ok(Cuts::Most(n)),
            _ => Err(Error::BadOption {
                setting: Setting::Cuts,
                given: text.to_string(),
                allowed: Cuts::ALLOWED,
            }),
        }
    }
}

impl fmt::Display for Cuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cuts::Most(n) => n.fmt(f),
            Cuts::All => f.write_str("all"),
        }
    }
}

/// As JSON a number or "all"; for programs only, where nothing but a number can stand, 0 is all.
impl Serialize for Cuts {
    fn serialize<S: Serializer>(&self, out: S) -> std::result::Result<S::Ok, S::Error> {
        match self {
            Cuts::Most(n) => out.serialize_u64(*n as u64),
            Cuts::All if out.is_human_readable() => out.serialize_str("all"),
            Cuts::All => out.serialize_u64(0),
        }
    }
}

impl<'de> Deserialize<'de> for Cuts {
    fn deserialize<D: Deserializer<'de>>(stored: D) -> std::result::Result<Cuts, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Json {
            Number(usize),
            Word(String),
        }
        let text = match stored.is_human_readable() {
            false => match usize::deserialize(stored)? {
                0 => return Ok(Cuts::All),
                n => n.to_string(),
            },
            true => match Json::deserialize(stored)? {
                Json::Number(n) => n.to_string(),
                Json::Word(word) => word,
            },
        };
        text.parse().map_err(D::Error::custom)
    }
}

/// Where intervals are cut.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cut {
    /// Intervals hold about the same number of rows.
    #[default]
    Frequency,
    /// Intervals have the same width.
    Width,
}

choices!(Cut {
    Frequency = "frequency": "The same number of rows in each interval",
    Width = "width": "The same width for each interval",
});

/// How columns become features.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BinariseOptions {
    /// What to do with columns of many numbers.
    pub numeric: Numeric,
    /// The number of intervals.
    pub intervals: usize,
    /// Where intervals are cut.
    pub cut: Cut,
    /// How many thresholds there are, and where. `None` stands for models of earlier versions: there it is at most
    /// as many as `intervals` says, by the entropy of each column alone.
    #[serde(default)]
    pub cuts: Option<Cuts>,
    /// Whether "is not" is a literal too.
    pub negations: bool,
    /// The most names of a column that have a feature of their own; all, in models of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_values: Option<usize>,
    /// Whether whole numbers are cut and compared as such ([`Kind::Whole`]). Models that do not say so are
    /// earlier than that, and have cuts between them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub whole: bool,
    /// The most memory the bits may take; refused beyond.
    #[serde(skip)]
    pub max_bytes: Option<u64>,
}

impl Default for BinariseOptions {
    fn default() -> Self {
        BinariseOptions {
            numeric: Numeric::Thresholds,
            intervals: 4,
            cut: Cut::Frequency,
            cuts: Some(Cuts::Most(4)),
            negations: true,
            max_values: Some(BinariseOptions::MAX_VALUES),
            whole: true,
            max_bytes: None,
        }
    }
}

/// Memory for the bits of a table when the caller set no limit.
const DEFAULT_MAX_BYTES: u64 = 4 << 30;

/// The Boolean features of a table.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Features {
    /// The columns that have any, with their encodings.
    pub columns: Vec<EncodedColumn>,
    /// Columns with a single value, which no rule can use.
    pub constant: Vec<String>,
    /// Columns of numbers without a threshold that is worth it, since others tell the classes apart.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub uncut: Vec<String>,
    /// Columns of more names than may have a feature of their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub wide: Vec<WideColumn>,
    /// Whether "is not" is a literal too.
    pub negations: bool,
    /// Whether the numbers of all columns are cut wherever the class changes, so that other thresholds are no better.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all_thresholds: bool,
}

/// A column of many names, of which no condition tests some.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct WideColumn {
    /// The column's heading.
    pub name: String,
    /// Its different names.
    pub values: usize,
    /// Those that conditions test: the most frequent, if they are in more than one row. None if it was left out.
    pub kept: usize,
}

/// A column and its features, which are numbered in a row from `first`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct EncodedColumn {
    /// The column's heading.
    pub name: String,
    /// What its numbers are, if it has any.
    #[serde(default, skip_serializing_if = "Kind::is_default")]
    pub kind: Kind,
    /// How its values become features.
    pub encoding: Encoding,
    /// The number of its first feature.
    pub first: u32,
}

/// How the values of a column become features.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// A partition of the values: a single feature for two cells, otherwise one for each cell.
    Cells(Vec<Cell>),
    /// Tests `x <= cut`; with missing values also `x > cut` and "is missing", since a missing
    /// value is neither.
    Thresholds {
        /// Rising.
        cuts: Vec<f64>,
        /// Whether the column has missing values.
        missing: bool,
    },
    /// Some values of many, one feature for each; the others make none true.
    Frequent {
        /// Sorted.
        values: Vec<String>,
        /// Whether the column has missing values, which then have the last feature.
        missing: bool,
    },
}

/// One part of a column's values.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Cell {
    /// No value.
    Missing,
    /// Any value at all.
    Present,
    /// This text.
    Value(String),
    /// Numbers up to this one.
    AtMost(f64),
    /// Numbers above the first, up to the second.
    Between(f64, f64),
    /// Numbers above this one.
    Above(f64),
}

impl Cell {
    /// The test for this cell, and the test for all the others.
    ///
    /// "Not at most" is "above" only where every row has a number. Of whole numbers, those above a cut are at least
    /// the next one, and are said so.
    fn tests(&self, kind: Kind, some_missing: bool) -> [(Op, Operand); 2] {
        if kind.is_whole() {
            return self.whole_tests(some_missing);
        }
        match self {
            Cell::Missing => [(Op::IsMissing, Operand::None), (Op::IsNotMissing, Operand::None)],
            Cell::Present => [(Op::IsNotMissing, Operand::None), (Op::IsMissing, Operand::None)],
            Cell::Value(text) => {
                let value = Operand::Text(text.clone());
                [(Op::Is, value.clone()), (Op::IsNot, value)]
            }
            Cell::AtMost(t) => {
                let not = if some_missing { Op::NotAtMost } else { Op::Above };
                [(Op::AtMost, Operand::Number(*t)), (not, Operand::Number(*t))]
            }
            Cell::Above(t) => {
                let not = if some_missing { Op::NotAbove } else { Op::AtMost };
                [(Op::Above, Operand::Number(*t)), (not, Operand::Number(*t))]
            }
            Cell::Between(low, high) => {
                let value = Operand::Interval(*low, *high);
                [(Op::In, value.clone()), (Op::NotIn, value)]
            }
        }
    }

    fn whole_tests(&self, some_missing: bool) -> [(Op, Operand); 2] {
        let next = |t: f64| Operand::Number(t + 1.0);
        match self {
            Cell::AtMost(t) => {
                let not = if some_missing { Op::NotBelow } else { Op::AtLeast };
                [(Op::AtMost, Operand::Number(*t)), (not, next(*t))]
            }
            Cell::Above(t) => {
                let not = if some_missing { Op::NotAbove } else { Op::AtMost };
                [(Op::AtLeast, next(*t)), (not, Operand::Number(*t))]
            }
            Cell::Between(low, high) if low + 1.0 == *high => {
                let value = Operand::Text(high.to_string());
                [(Op::Is, value.clone()), (Op::IsNot, value)]
            }
            Cell::Between(low, high) => {
                let value = Operand::Interval(low + 1.0, *high);
                [(Op::Between, value.clone()), (Op::NotBetween, value)]
            }
            Cell::Missing | Cell::Present | Cell::Value(_) => self.tests(Kind::Real, some_missing),
        }
    }

    fn contains(&self, text: Option<&str>, number: Option<f64>) -> bool {
        match (self, text) {
            (Cell::Missing, value) => value.is_none(),
            (Cell::Present, value) => value.is_some(),
            (Cell::Value(value), Some(text)) => match number {
                // "1" and "1.0" are one value of a numeric column.
                Some(x) => value.parse() == Ok(x),
                None => value == text,
            },
            (Cell::AtMost(t), Some(_)) => number.is_some_and(|x| x <= *t),
            (Cell::Above(t), Some(_)) => number.is_some_and(|x| x > *t),
            (Cell::Between(low, high), Some(_)) => number.is_some_and(|x| *low < x && x <= *high),
            (_, None) => false,
        }
    }
}

impl Encoding {
    /// How many features this makes.
    pub fn features(&self) -> usize {
        match self {
            Encoding::Cells(cells) if cells.len() == 2 => 1,
            Encoding::Cells(cells) => cells.len(),
            Encoding::Thresholds { cuts, missing: false } => cuts.len(),
            Encoding::Thresholds { cuts, missing: true } => 2 * cuts.len() + 1,
            Encoding::Frequent { values, missing } => values.len() + usize::from(*missing),
        }
    }

    /// How often the numbers of the column are cut; two of their intervals have one cut between them.
    pub(crate) fn cuts(&self) -> usize {
        match self {
            Encoding::Thresholds { cuts, .. } => cuts.len(),
            Encoding::Frequent { .. } => 0,
            Encoding::Cells(cells) => {
                cells.iter().filter(|cell| matches!(cell, Cell::AtMost(_) | Cell::Between(..))).count()
            }
        }
    }

    /// The numbers at which the column is cut.
    fn ends(&self) -> Vec<f64> {
        match self {
            Encoding::Thresholds { cuts, .. } => cuts.clone(),
            Encoding::Frequent { .. } => Vec::new(),
            Encoding::Cells(cells) => {
                let ends = |cell: &Cell| match cell {
                    Cell::Missing | Cell::Present | Cell::Value(_) => [None, None],
                    Cell::AtMost(t) | Cell::Above(t) => [Some(*t), None],
                    Cell::Between(low, high) => [Some(*low), Some(*high)],
                };
                cells.iter().flat_map(ends).flatten().collect()
            }
        }
    }

    /// Whether the column held numbers only: its values are then compared as numbers.
    pub fn is_numeric(&self) -> bool {
        let cells = match self {
            Encoding::Cells(cells) => cells,
            Encoding::Thresholds { .. } => return true,
            Encoding::Frequent { .. } => return false,
        };
        let number = |cell: &Cell| match cell {
            Cell::Missing | Cell::Present => None,
            Cell::Value(text) => Some(text.parse().is_ok_and(f64::is_finite)),
            Cell::AtMost(_) | Cell::Between(..) | Cell::Above(_) => Some(true),
        };
        let mut numbers = cells.iter().filter_map(number).peekable();
        numbers.peek().is_some() && numbers.all(|number| number)
    }

    /// Adds the features that are true for a value.
    fn true_features(&self, text: Option<&str>, number: Option<f64>, out: &mut Vec<u32>) {
        match self {
            Encoding::Cells(cells) => {
                let cell = cells.iter().position(|cell| cell.contains(text, number));
                match cell {
                    Some(1) if cells.len() == 2 => out.push(0),
                    Some(cell) if cells.len() > 2 => out.push(cell as u32),
                    _ => {}
                }
            }
            Encoding::Frequent { values, missing } => {
                let place = match text {
                    Some(text) => values.binary_search_by(|value| value.as_str().cmp(text)).ok(),
                    None => missing.then_some(values.len()),
                };
                out.extend(place.map(|place| place as u32));
            }
            Encoding::Thresholds { cuts, missing } => {
                let n = cuts.len() as u32;
                let Some(x) = number else { return out.push(2 * n) };
                let first_at_most = cuts.partition_point(|&cut| x > cut) as u32;
                out.extend(first_at_most..n);
                if *missing {
                    out.extend((0..first_at_most).map(|i| n + i));
                }
            }
        }
    }

    /// The part of the column that a number is in: no condition tells two numbers of one part apart.
    pub(crate) fn part(&self, number: f64) -> usize {
        match self {
            Encoding::Thresholds { cuts, .. } => cuts.partition_point(|&cut| number > cut),
            // Of names only.
            Encoding::Frequent { .. } => 0,
            Encoding::Cells(cells) => {
                let holds_it = |cell: &Cell| cell.contains(Some(""), Some(number));
                cells.iter().position(holds_it).unwrap_or(cells.len())
            }
        }
    }

    fn test(&self, kind: Kind, feature: u32, positive: bool) -> (Op, Operand) {
        let side = usize::from(!positive);
        let cell = match self {
            // Either literal of a two-valued column names the value that it stands for.
            Encoding::Cells(cells) if cells.len() == 2 => {
                return cells[1 - side].tests(kind, false)[0].clone();
            }
            Encoding::Cells(cells) => {
                let some_missing = cells.contains(&Cell::Missing);
                return cells[feature as usize].tests(kind, some_missing)[side].clone();
            }
            Encoding::Frequent { values, .. } => {
                let value = values.get(feature as usize).map(|value| Cell::Value(value.clone()));
                return value.unwrap_or(Cell::Missing).tests(kind, true)[side].clone();
            }
            Encoding::Thresholds { cuts, .. } => {
                let n = cuts.len() as u32;
                match feature {
                    i if i < n => Cell::AtMost(cuts[i as usize]),
                    i if i < 2 * n => Cell::Above(cuts[(i - n) as usize]),
                    _ => Cell::Missing,
                }
            }
        };
        let Encoding::Thresholds { missing, .. } = self else { unreachable!("others returned above") };
        cell.tests(kind, *missing)[side].clone()
    }

    /// What of a column of names it leaves out, if anything.
    fn wide(&self, column: &Column) -> Option<WideColumn> {
        let Encoding::Frequent { values, .. } = self else { return None };
        let all = column.values.len() - usize::from(column.missing.is_some());
        Some(WideColumn { name: column.name.clone(), values: all, kept: values.len() })
    }

    /// Whether the negative literal is an "is not", which `--no-negations` forbids.
    fn negative_is_negation(&self) -> bool {
        match self {
            Encoding::Cells(cells) => cells.len() > 2,
            Encoding::Thresholds { missing, .. } => *missing,
            Encoding::Frequent { .. } => true,
        }
    }
}

impl BinariseOptions {
    /// The most names of a column that have a feature of their own, if nobody says otherwise.
    pub const MAX_VALUES: usize = 100;

    /// What was asked for, if it goes together. `memory_limit` is what the whole run may hold.
    pub fn requested(
        numeric: Numeric,
        intervals: Option<usize>,
        cut: Option<Cut>,
        cuts: Option<Cuts>,
        negations: bool,
        max_values: usize,
        memory_limit: Option<u64>,
    ) -> Result<BinariseOptions> {
        let misplaced = match numeric {
            Numeric::Thresholds if intervals.is_some() => Some(Setting::Intervals),
            Numeric::Thresholds if cut.is_some() => Some(Setting::Cut),
            Numeric::Intervals if cuts.is_some() => Some(Setting::Cuts),
            _ => None,
        };
        if let Some(setting) = misplaced {
            return Err(Error::NotWithNumeric { setting, numeric });
        }
        if !negations && max_values != BinariseOptions::MAX_VALUES {
            let (setting, given) = (Setting::MaxValues, max_values.to_string());
            let allowed =
                "left out unless \"is not\" is allowed: every value needs a condition otherwise";
            return Err(Error::BadOption { setting, given, allowed });
        }
        let default = BinariseOptions::default();
        let options = BinariseOptions {
            numeric,
            intervals: intervals.unwrap_or(default.intervals),
            cut: cut.unwrap_or_default(),
            cuts: cuts.or(default.cuts),
            negations,
            max_values: Some(max_values),
            whole: default.whole,
            // The bits are the smaller part of what a run holds.
            max_bytes: memory_limit.map(|limit| limit / 4),
        };
        options.check()?;
        Ok(options)
    }

    /// The same, where what thresholds or intervals have no use for is the default, or not there.
    pub(crate) fn as_used(&self) -> BinariseOptions {
        let default = BinariseOptions::default();
        match (self.numeric, self.cuts) {
            (Numeric::Intervals, _) => BinariseOptions { cuts: None, ..self.clone() },
            (Numeric::Thresholds, None) => BinariseOptions { cut: default.cut, ..self.clone() },
            (Numeric::Thresholds, Some(_)) => {
                BinariseOptions { intervals: default.intervals, cut: default.cut, ..self.clone() }
            }
        }
    }

    fn check(&self) -> Result<()> {
        let bad = |setting, given: usize, allowed| {
            Err(Error::BadOption { setting, given: given.to_string(), allowed })
        };
        match (self.intervals, self.cuts) {
            _ if self.max_values == Some(0) => bad(Setting::MaxValues, 0, "a whole number of 1 or more"),
            (0 | 1, _) => bad(Setting::Intervals, self.intervals, "a whole number of 2 or more"),
            (_, Some(Cuts::Most(0))) => bad(Setting::Cuts, 0, Cuts::ALLOWED),
            _ => Ok(()),
        }
    }
}

impl Features {
    /// Chooses the encoding of each column.
    pub fn choose(table: &Table, options: &BinariseOptions) -> Result<Features> {
        options.check()?;
        let go_on = || table.options.limits.check_time(&table.name, "reading it");
        let profile = |column: &Column| {
            go_on()?;
            let profile = |numbers: &[f64]| {
                let of_numbers = || if options.whole { Kind::of(numbers) } else { Kind::Real };
                let kind = column.notation().and_then(Notation::kind).unwrap_or_else(of_numbers);
                Profile::new(column, numbers, kind, table)
            };
            Ok(column.numbers().map(profile))
        };
        let profiles: Vec<Option<Profile>> =
            table.features.par_iter().map(profile).collect::<Result<_>>()?;
        // Two numbers are values.
        let many = profiles.iter().flatten().any(|profile| profile.values() > 2);
        let by_trees = match (options.numeric, options.cuts) {
            (Numeric::Thresholds, Some(Cuts::Most(most))) if many => {
                trees::places(table, &profiles, most, go_on)?
            }
            _ => vec![Vec::new(); profiles.len()],
        };
        let encode = |((column, profile), by_trees): ((&Column, &Option<Profile>), Vec<usize>)| {
            go_on()?;
            Ok(match profile {
                None => (names(column, table, options), true),
                Some(profile) => numbers(column, profile, by_trees, options),
            })
        };
        let encodings: Vec<(Encoding, bool)> =
            table.features.par_iter().zip(&profiles).zip(by_trees).map(encode).collect::<Result<_>>()?;
        let mut features = Features {
            columns: Vec::new(),
            constant: Vec::new(),
            uncut: Vec::new(),
            wide: Vec::new(),
            negations: options.negations,
            all_thresholds: encodings.iter().any(|(encoding, _)| encoding.cuts() > 0)
                && encodings.iter().all(|(_, all)| *all),
        };
        let mut next = 0;
        for ((column, profile), (encoding, _)) in table.features.iter().zip(&profiles).zip(encodings) {
            let kind = profile.as_ref().map(Profile::kind).unwrap_or_default();
            let wide = encoding.wide(column);
            let nothing_kept = wide.as_ref().is_some_and(|wide| wide.kept == 0);
            features.wide.extend(wide);
            if nothing_kept {
                continue;
            }
            if encoding.features() == 0 {
                let several = profile.as_ref().is_some_and(|profile| profile.values() > 1);
                let left_out = if several { &mut features.uncut } else { &mut features.constant };
                left_out.push(column.name.clone());
                continue;
            }
            let first = next;
            next += encoding.features() as u32;
            features.columns.push(EncodedColumn { name: column.name.clone(), kind, encoding, first });
        }
        if features.columns.is_empty() {
            let target = table.target.name.clone();
            return Err(Error::NoFeatures { place: table.name.clone(), target });
        }
        features.check_size(table, options)?;
        Ok(features)
    }

    /// How many Boolean features there are.
    pub fn len(&self) -> usize {
        self.columns.last().map_or(0, |c| c.first as usize + c.encoding.features())
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.columns.is_empty()
    }

    /// The literals that rules may use.
    pub fn literals(&self) -> Vec<Literal> {
        let mut literals = Vec::with_capacity(2 * self.len());
        for column in &self.columns {
            let negative = self.negations || !column.encoding.negative_is_negation();
            for i in 0..column.encoding.features() as u32 {
                let feature = FeatureId(column.first + i);
                literals.push(Literal { feature, positive: true });
                if negative {
                    literals.push(Literal { feature, positive: false });
                }
            }
        }
        literals
    }

    /// A literal in the words of the table.
    pub fn condition(&self, literal: Literal) -> Condition {
        let FeatureId(feature) = literal.feature;
        let after = self.columns.partition_point(|column| column.first <= feature);
        let column = &self.columns[after - 1];
        let (op, value) = column.encoding.test(column.kind, feature - column.first, literal.positive);
        Condition { feature: column.name.clone(), op, value }
    }

    /// Why features cannot be used, if there is a reason. Features that were chosen here are always
    /// usable; those read from a file may contain anything.
    pub(crate) fn problem(&self) -> Option<String> {
        let mut names = HashSet::new();
        let mut next = 0;
        for EncodedColumn { name, kind, encoding, first } in &self.columns {
            if !names.insert(name) {
                return Some(format!("it has two columns \"{name}\""));
            }
            if *first as usize != next {
                return Some(format!("the features of \"{name}\" begin at {first} and not at {next}"));
            }
            if encoding.features() == 0 {
                return Some(format!("column \"{name}\" has no features"));
            }
            if matches!(encoding, Encoding::Frequent { values, .. } if !values.is_sorted_by(|a, b| a < b))
            {
                return Some(format!("the values of \"{name}\" are not sorted"));
            }
            if matches!(encoding, Encoding::Thresholds { cuts, .. } if !cuts.is_sorted_by(|a, b| a < b))
            {
                return Some(format!("the cuts of \"{name}\" do not rise"));
            }
            if !kind.suits(&encoding.ends()) {
                return Some(format!("the cuts of \"{name}\" are no whole numbers"));
            }
            next += encoding.features();
        }
        None
    }

    /// The columns of a table that have any features, with their encodings.
    pub(crate) fn of_columns<'t>(&'t self, table: &'t Table) -> Vec<(&'t EncodedColumn, &'t Column)> {
        let mut columns = table.features.iter();
        let with_column = |encoded: &'t EncodedColumn| {
            let column = columns.find(|column| column.name == encoded.name);
            (encoded, column.expect("encodings keep the order of the columns"))
        };
        self.columns.iter().map(with_column).collect()
    }

    /// Refuses what could only end in an exhausted machine, naming the column to blame.
    fn check_size(&self, table: &Table, options: &BinariseOptions) -> Result<()> {
        let needed = (self.len() as u64).div_ceil(64) * 8 * table.rows() as u64;
        let allowed = options.max_bytes.unwrap_or(DEFAULT_MAX_BYTES);
        if needed <= allowed {
            return Ok(());
        }
        let widest = self.columns.iter().max_by_key(|c| c.encoding.features()).expect("not empty");
        Err(Error::TooManyFeatures {
            features: self.len(),
            rows: table.rows(),
            needed: needed >> 20,
            allowed: allowed >> 20,
            widest: widest.name.clone(),
            values: widest.encoding.features(),
        })
    }
}

impl EncodedColumn {
    /// Which of its features each code of the column makes true.
    pub(crate) fn by_code(&self, column: &Column) -> TrueFeatures {
        let mut by_code = TrueFeatures::default();
        let mut features = Vec::new();
        let numbers = column.numbers();
        for code in 0..column.values.len() as u32 {
            // Of numbers nobody looks at the text.
            let text = || if numbers.is_some() { "" } else { column.values.get(code) };
            let text = (column.missing != Some(code)).then(text);
            let number = numbers.map(|numbers| numbers[code as usize]);
            let number = number.filter(|_| text.is_some());
            features.clear();
            self.encoding.true_features(text, number, &mut features);
            features.iter_mut().for_each(|feature| *feature += self.first);
            by_code.push(code, &features);
        }
        by_code.finish(column.values.len())
    }
}

/// The features that each code of a column makes true, in one piece of memory.
#[derive(Default)]
pub(crate) struct TrueFeatures {
    features: Vec<u32>,
    ends: Vec<usize>,
    /// The first code of each run of codes that make the same features true, if there are few: those of
    /// sorted numbers are found faster so than in a table that does not fit the cache.
    starts: Vec<u32>,
}

impl TrueFeatures {
    /// Runs that are few.
    const FEW: usize = 32;

    pub(crate) fn of(&self, code: u32) -> &[u32] {
        let run = match self.starts.is_empty() {
            true => code as usize,
            false => self.starts.partition_point(|&start| start <= code) - 1,
        };
        self.run(run)
    }

    fn run(&self, run: usize) -> &[u32] {
        let start = if run == 0 { 0 } else { self.ends[run - 1] };
        &self.features[start..self.ends[run]]
    }

    /// Adds the next code.
    fn push(&mut self, code: u32, features: &[u32]) {
        if !self.ends.is_empty() && self.run(self.ends.len() - 1) == features {
            return;
        }
        self.features.extend(features);
        self.ends.push(self.features.len());
        self.starts.push(code);
    }

    /// All codes were added: many runs become an entry for each code.
    fn finish(self, codes: usize) -> TrueFeatures {
        if self.starts.len() <= Self::FEW {
            return self;
        }
        let mut by_code = TrueFeatures::default();
        for run in 0..self.starts.len() {
            let next = self.starts.get(run + 1).map_or(codes, |&next| next as usize);
            for _ in self.starts[run] as usize..next {
                by_code.features.extend(self.run(run));
                by_code.ends.push(by_code.features.len());
            }
        }
        by_code
    }
}

/// A column of names: each is a cell, unless there are too many.
fn names(column: &Column, table: &Table, options: &BinariseOptions) -> Encoding {
    let mut texts: Vec<&str> = column.values.iter().filter(|text| !text.is_empty()).collect();
    // Where nothing can be denied, a value without a condition of its own could not be described at all.
    if let Some(most) = options.max_values.filter(|most| options.negations && texts.len() > *most) {
        return frequent(column, table, most);
    }
    texts.sort_unstable();
    let names = texts.into_iter().map(|text| Cell::Value(text.to_string()));
    cells(names.collect(), column.missing.is_some())
}

/// A column of numbers, and whether no other thresholds can be better than what it makes of them.
fn numbers(
    column: &Column,
    profile: &Profile,
    by_trees: Vec<usize>,
    options: &BinariseOptions,
) -> (Encoding, bool) {
    let missing = column.missing.is_some();
    let few = match options.numeric {
        Numeric::Thresholds => 2,
        Numeric::Intervals => options.intervals.max(2),
    };
    // A threshold above or below all numbers says "is not missing", which of several values only "is not" can say.
    let sayable = options.negations || !missing;
    if profile.values() <= few {
        let texts = profile.codes().map(|code| Cell::Value(column.values.get(code).to_string()));
        let all = profile.values() < 2 || (profile.values() == 2 && sayable);
        return (cells(texts.collect(), missing), all);
    }
    if options.numeric == Numeric::Intervals {
        let cuts = match options.cut {
            Cut::Frequency => profile.equal_frequency(options.intervals),
            Cut::Width => profile.equal_width(options.intervals),
        };
        return (intervals(&cuts, missing), false);
    }
    let cuts = profile.cuts_after(match options.cuts {
        Some(Cuts::All) => profile.boundaries().collect(),
        Some(Cuts::Most(_)) => by_trees,
        None => profile.strongest_boundaries(options.intervals),
    });
    let all = profile.are_all_boundaries(&cuts);
    match cuts.is_empty() {
        true => (cells(vec![Cell::Present], missing), all),
        false => (Encoding::Thresholds { cuts, missing }, all && sayable),
    }
}

/// The cells between cuts.
fn intervals(cuts: &[f64], missing: bool) -> Encoding {
    let mut parts = Vec::with_capacity(cuts.len() + 2);
    if let (Some(&first), Some(&last)) = (cuts.first(), cuts.last()) {
        parts.push(Cell::AtMost(first));
        parts.extend(cuts.windows(2).map(|pair| Cell::Between(pair[0], pair[1])));
        parts.push(Cell::Above(last));
    }
    cells(parts, missing)
}

/// The most frequent values, at most so many; of equals the first by name. Those of a single row tell it from
/// nothing else that can be learned, and are left out.
fn frequent(column: &Column, table: &Table, most: usize) -> Encoding {
    let (mut rows, mut weights) = (vec![0u64; column.values.len()], vec![0u64; column.values.len()]);
    for (row, code) in column.codes.iter().enumerate() {
        rows[code as usize] += 1;
        weights[code as usize] += table.weight(row);
    }
    let in_several = |code: &u32| column.missing != Some(*code) && rows[*code as usize] > 1;
    let mut codes: Vec<u32> = (0..rows.len() as u32).filter(in_several).collect();
    let by_weight = |code: &u32| (Reverse(weights[*code as usize]), column.values.get(*code));
    if codes.len() > most {
        codes.select_nth_unstable_by(most, |a, b| by_weight(a).cmp(&by_weight(b)));
        codes.truncate(most);
    }
    let mut values: Vec<String> =
        codes.iter().map(|&code| column.values.get(code).to_string()).collect();
    values.sort_unstable();
    Encoding::Frequent { values, missing: column.missing.is_some() }
}

/// A missing value is a cell like the others; fewer than two cells tell nothing apart.
fn cells(mut cells: Vec<Cell>, missing: bool) -> Encoding {
    if missing {
        cells.push(Cell::Missing);
    }
    if cells.len() < 2 {
        cells.clear();
    }
    Encoding::Cells(cells)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::table::TableOptions;

    fn features(text: &str, options: &BinariseOptions) -> Features {
        let table = Table::from_reader(text.as_bytes(), "test", &TableOptions::default()).unwrap();
        Features::choose(&table, options).unwrap()
    }

    fn words(features: &Features) -> Vec<String> {
        features.literals().into_iter().map(|l| features.condition(l).to_string()).collect()
    }

    fn ages(n: usize) -> String {
        let rows: String = (0..n).map(|i| format!("{i},{}\n", i % 2)).collect();
        format!("age,c\n{rows}")
    }

    #[test]
    fn two_values_make_one_feature_whose_literals_both_say_is() {
        let f = features("day,c\nweekday,0\nweekend,1\n", &BinariseOptions::default());
        assert_eq!(words(&f), ["day = weekend", "day = weekday"]);
    }

    #[test]
    fn more_values_make_one_feature_each_and_negations_can_be_forbidden() {
        let text = "colour,c\nred,0\nblue,1\ngreen,1\n";
        let f = features(text, &BinariseOptions::default());
        assert_eq!(f.len(), 3);
        assert_eq!(words(&f)[..2], ["colour = blue", "colour != blue"]);
        let f = features(text, &BinariseOptions { negations: false, ..Default::default() });
        assert_eq!(words(&f), ["colour = blue", "colour = green", "colour = red"]);
    }

    #[test]
    fn intervals_are_named_in_the_original_units() {
        let options = BinariseOptions { numeric: Numeric::Intervals, ..Default::default() };
        let f = features(&ages(8), &options);
        let w = words(&f);
        assert_eq!(w[0], "age <= 1");
        assert_eq!(w[1], "age >= 2");
        assert_eq!(w[2], "2 <= age <= 3");
        assert_eq!(w[3], "not (2 <= age <= 3)");
        assert_eq!(w[6], "age >= 6");
        let f = features(&ages(8).replace("7,", "7.5,"), &options);
        let w = words(&f);
        assert_eq!(w[0], "age <= 1.5");
        assert_eq!(w[1], "age > 1.5");
        assert_eq!(w[2], "1.5 < age <= 3.5");
        assert_eq!(w[3], "not (1.5 < age <= 3.5)");
        assert_eq!(w[6], "age > 5.5");
    }

    #[test]
    fn an_interval_of_one_whole_number_is_that_number() {
        let options =
            BinariseOptions { numeric: Numeric::Intervals, intervals: 3, ..Default::default() };
        let f = features("x,c\n1,0\n1,0\n2,1\n2,1\n3,0\n4,1\n", &options);
        assert_eq!(words(&f)[..4], ["x <= 1", "x >= 2", "x = 2", "x != 2"]);
        assert_eq!(words(&f)[4..], ["x >= 3", "x <= 2"]);
    }

    #[test]
    fn models_of_earlier_versions_cut_between_whole_numbers() {
        let options: BinariseOptions = serde_json::from_str(
            r#"{"numeric":"thresholds","intervals":4,"cut":"frequency","negations":true}"#,
        )
        .unwrap();
        let f = features("x,c\n1,0\n2,0\n3,1\n4,1\n", &options);
        assert_eq!(words(&f), ["x <= 2.5", "x > 2.5"]);
        assert!(!serde_json::to_string(&f).unwrap().contains("kind"));
    }

    #[test]
    fn a_missing_number_is_neither_below_nor_above() {
        let options = BinariseOptions { cuts: Some(Cuts::All), ..Default::default() };
        let f = features("x,c\n1,0\n2,1\n3,0\n?,1\n", &options);
        let w = words(&f);
        assert!(f.all_thresholds);
        // Without it nothing says that there is a number.
        let narrower = BinariseOptions { negations: false, ..options.clone() };
        assert!(!features("x,c\n1,0\n2,1\n3,0\n?,1\n", &narrower).all_thresholds);
        assert!(w.contains(&"x <= 1".into()) && w.contains(&"not (x < 2)".into()), "{w:?}");
        assert!(w.contains(&"x >= 2".into()) && w.contains(&"not (x > 1)".into()), "{w:?}");
        let f = features("x,c\n1,0\n2,1\n3.5,0\n?,1\n", &options);
        let w = words(&f);
        assert!(w.contains(&"x <= 1.5".into()) && w.contains(&"not (x <= 1.5)".into()), "{w:?}");
        assert!(w.contains(&"x > 1.5".into()) && w.contains(&"x is missing".into()), "{w:?}");
    }

    #[test]
    fn thresholds_without_missing_values_need_one_feature_a_cut() {
        let f = features("x,c\n1,0\n2,0\n3,1\n4,1\n", &BinariseOptions::default());
        assert!(f.all_thresholds);
        assert_eq!(words(&f), ["x <= 2", "x >= 3"]);
    }

    fn thresholds(text: &str, cuts: Option<Cuts>) -> Vec<usize> {
        let options = BinariseOptions { cuts, ..Default::default() };
        features(text, &options).columns.iter().map(|column| column.encoding.cuts()).collect()
    }

    #[test]
    fn at_most_so_many_thresholds_are_put_or_one_wherever_the_class_changes() {
        for most in 1..6 {
            let cuts = thresholds(&ages(12), Some(Cuts::Most(most)));
            assert!(1 <= cuts[0] && cuts[0] <= most, "{cuts:?}");
        }
        assert_eq!(thresholds(&ages(12), Some(Cuts::All)), [11]);
        assert_eq!(thresholds(&ages(12), None), [4]);
    }

    #[test]
    fn a_column_that_adds_nothing_is_left_out_and_not_called_constant() {
        let row = |i: usize| format!("{},{},{}\n", i, i / 10 * 7 % 5, if i < 20 { "a" } else { "b" });
        let text = format!("x,y,c\n{}", (0..40).map(row).collect::<String>());
        let f = features(&text, &BinariseOptions::default());
        assert_eq!(
            (words(&f), f.uncut, f.constant),
            (vec!["x <= 19".into(), "x >= 20".into()], vec!["y".into()], vec![])
        );
    }

    #[test]
    fn cuts_are_kept_in_every_form() {
        for (cuts, json) in [(Cuts::Most(3), "3"), (Cuts::All, "\"all\"")] {
            assert_eq!(serde_json::to_string(&cuts).unwrap(), json);
            assert_eq!(serde_json::from_str::<Cuts>(json).unwrap(), cuts);
        }
        for wrong in ["0", "\"some\"", "-1", "1.5"] {
            assert!(serde_json::from_str::<Cuts>(wrong).is_err(), "{wrong}");
        }
        let earlier = r#"{"numeric":"thresholds","intervals":3,"cut":"frequency","negations":true}"#;
        let earlier: BinariseOptions = serde_json::from_str(earlier).unwrap();
        assert_eq!((earlier.cuts, earlier.intervals), (None, 3));
    }

    #[test]
    fn features_of_codes_are_the_same_in_runs_and_one_by_one() {
        for codes in [0u32, 1, 31, 200] {
            for width in [1, 3, 50] {
                let truth = |code: u32| (0..code / width % 4).collect::<Vec<u32>>();
                let mut found = TrueFeatures::default();
                (0..codes).for_each(|code| found.push(code, &truth(code)));
                let found = found.finish(codes as usize);
                assert_eq!(found.starts.is_empty(), codes.div_ceil(width) > 32 || codes == 0);
                (0..codes).for_each(|code| assert_eq!(found.of(code), truth(code), "{codes} {width}"));
            }
        }
    }

    #[test]
    fn of_many_names_the_most_frequent_have_features() {
        let rows = ["b", "a", "c", "a", "d", "?", "b", "c", "c", "e"];
        let rows: String =
            rows.iter().zip(0..).map(|(x, i)| format!("{x},{},{}\n", i % 2, i % 3)).collect();
        let text = format!("x,y,c\n{rows}");
        let options = |most| BinariseOptions { max_values: Some(most), ..Default::default() };
        let f = features(&text, &options(2));
        assert_eq!(f.wide, [WideColumn { name: "x".into(), values: 5, kept: 2 }]);
        let w = words(&f);
        assert_eq!(w[..4], ["x = a", "x != a", "x = c", "x != c"]);
        assert_eq!(w[4..6], ["x is missing", "x is not missing"]);
        // Values of a single row are never kept, and a limit that is kept changes nothing.
        assert_eq!(features(&text, &options(4)).wide[0].kept, 3);
        assert!(features(&text, &options(5)).wide.is_empty());
        assert_eq!(features(&text, &options(5)).len(), 7);
        // A column of which nothing is left is no column.
        let ids = "x,y,c\np,1,0\nq,0,1\nr,1,1\n";
        let f = features(ids, &options(2));
        assert_eq!((f.columns.len(), f.constant.len(), f.wide[0].kept), (1, 0, 0));
    }

    #[test]
    fn dates_are_cut_on_round_days() {
        let rows: String = (1..=12).map(|i| format!("2021-{i:02}-17,{}\n", i / 7)).collect();
        let text = format!("signed,c\n{rows}");
        let thresholds = BinariseOptions { numeric: Numeric::Thresholds, ..Default::default() };
        let f = features(&text, &thresholds);
        let column = &f.columns[0];
        assert_eq!(column.kind, Kind::Date);
        let Encoding::Thresholds { cuts, .. } = &column.encoding else { panic!("{column:?}") };
        assert_eq!(
            cuts.iter().map(|cut| Kind::Date.shown(cut + 1.0)).collect::<Vec<_>>(),
            ["2021-07-01"]
        );
        let intervals = BinariseOptions { numeric: Numeric::Intervals, ..Default::default() };
        let f = features(&text, &intervals);
        assert_eq!(f.columns[0].encoding.cuts(), 3);
    }

    #[test]
    fn constant_columns_go() {
        let f = features("a,b,c\n1,x,0\n1,y,1\n", &BinariseOptions::default());
        assert_eq!(f.constant, ["a"]);
        assert_eq!(f.len(), 1);
    }
}
