//! Options drawn from the first bytes of an input.

use minrule::apply::{Conflict, Uncovered};
use minrule::{
    BinariseOptions, Choice, CoverMethod, Cut, EnumerateOptions, LearnOptions, Method, MethodName,
    Missing, Numeric, Objective, OptModel, OptOptions, OptSearch, Policy, RuleSource, TableOptions,
};

/// Bytes that choices are taken from, one byte each. The digit 0 is the first choice, so that
/// a line of zeros means the defaults and inputs can be read; so is a byte that is not there.
pub(crate) struct Choices<'b> {
    rest: &'b [u8],
}

impl<'b> Choices<'b> {
    pub(crate) fn new(bytes: &'b [u8]) -> Choices<'b> {
        Choices { rest: bytes }
    }

    /// What no choice was taken from.
    pub(crate) fn rest(&self) -> &'b [u8] {
        self.rest
    }

    pub(crate) fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.rest.split_first() else { return 0 };
        self.rest = rest;
        first.wrapping_sub(b'0')
    }

    pub(crate) fn one_of<T: Copy>(&mut self, all: &[T]) -> T {
        all[usize::from(self.byte()) % all.len()]
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.one_of(&[false, true])
    }

    /// A number, most often a small one, sometimes one at the edge of what there is.
    pub(crate) fn number(&mut self) -> u64 {
        match self.byte() {
            small @ 0..200 => u64::from(small),
            200..215 => u64::MAX,
            215..230 => 1 << 53,
            230..245 => u64::from(u32::MAX),
            _ => 1 << 63,
        }
    }

    /// How to read a table. Columns are named later: only the table says what there is.
    pub(crate) fn table_options(&mut self) -> TableOptions {
        TableOptions {
            separator: match self.byte() {
                0 => b',',
                1 => b';',
                2 => b'\t',
                any => any,
            },
            missing: self.one_of(&[Missing::Value, Missing::DropRows, Missing::Error]),
            ..TableOptions::default()
        }
    }

    pub(crate) fn binarise_options(&mut self) -> BinariseOptions {
        BinariseOptions {
            numeric: self.one_of(&[Numeric::Intervals, Numeric::Thresholds]),
            intervals: self.one_of(&[4, 2, 3, 7, 1000, usize::MAX, 1, 0]),
            cut: self.one_of(&[Cut::Frequency, Cut::Width]),
            negations: !self.flag(),
            ..BinariseOptions::default()
        }
    }

    pub(crate) fn learn_options(&mut self) -> LearnOptions {
        let method = self.one_of(MethodName::ALL);
        let objective = self.one_of(Objective::ALL);
        let rules = EnumerateOptions {
            rules: self.one_of(&[RuleSource::Maxsat, RuleSource::Search]),
            break_symmetry: !self.flag(),
        };
        let cover = self.one_of(&[CoverMethod::Branch, CoverMethod::Ilp, CoverMethod::Maxsat]);
        let opt = OptOptions {
            model: self.one_of(&[OptModel::Separate, OptModel::Joint]),
            search: self.one_of(&[OptSearch::Sat, OptSearch::Maxsat]),
        };
        let method = match method {
            MethodName::Lazy => Method::Lazy { objective, cover, alpha: None },
            MethodName::Enumerate => Method::Enumerate { objective, rules, cover },
            MethodName::Mds2 => Method::Mds2,
            MethodName::Mds2Star => Method::Mds2Star,
            MethodName::Opt => Method::Opt(opt),
        };
        LearnOptions::new(method).with_seed(self.flag().then_some(7)).on_one_thread()
    }

    pub(crate) fn policy(&mut self) -> Policy {
        Policy {
            uncovered: self.one_of(&[Uncovered::Default, Uncovered::Abstain, Uncovered::Nearest]),
            conflict: self.one_of(&[Conflict::Majority, Conflict::Size, Conflict::Abstain]),
        }
    }
}
