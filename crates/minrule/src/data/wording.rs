//! Conditions in a person's words. This is the one place that says them.
//!
//! The conditions of a rule on one column are read together: they come to a set of values, and the set is what is
//! said. So `x > 0.5` and `x <= 2.5` are one condition with two ends, and what another condition says already is
//! not said again. The words are exact, for values that the table never had and for missing ones, too:
//!
//! ```text
//! phrase := name "=" value | name "<=" value | name ">=" value | name "<" value | name ">" value
//!         | name "between" value "and" value          both ends included
//!         | value "<" name "<=" value                 and so on, where one is not
//!         | name "before" date | name "on or after" date | name "at or after" time ["and before" time]
//!         | name "is" "not" value                     so is an unknown one
//!         | name "is" "neither" value "nor" value | name "is" "none of" value, value "and" value
//!         | name "is known" | name "is unknown"
//!         | phrase "or" phrase                        of one column, in parentheses among others
//!         | phrase "or unknown"
//! ```
//!
//! A name or value that could be taken for something else stands in double quotes ([`quoted`]). Numbers have the signs
//! that they have in the table, `5 %`, `-$1200` or `CHF -1200`, but no marks between thousands.

use std::fmt;

use hashbrown::HashMap;
use serde::{Deserialize, Serialize};

use crate::data::binarise::{EncodedColumn, Features};
use crate::data::condition::{Condition, Op, Operand};
use crate::data::kind::Kind;
use crate::data::notation::Notations;
use crate::names::choices;
use crate::text::{is_plain, one_line};

/// How conditions are said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// As a person would.
    #[default]
    Words,
    /// One by one, as they are counted and stand in the model.
    Symbols,
}

choices!(Style {
    Words = "words": "As a person would: those on one column together",
    Symbols = "symbols": "One by one, as they are counted: x > 1 AND x <= 3, not (x <= 1)",
});

/// Says conditions on the columns of a table.
#[derive(Debug, Clone)]
pub struct Wording<'f> {
    /// How.
    pub style: Style,
    /// What the numbers of each column of them are.
    scales: HashMap<&'f str, Scale<'f>>,
}

/// What the numbers of a column are, and how they are shown.
#[derive(Debug, Clone, Copy, Default)]
struct Scale<'f> {
    kind: Kind,
    /// What stands before and after each of them in the table.
    signs: Option<(&'f str, &'f str)>,
}

impl Scale<'_> {
    /// A number as people read it: with the signs that it has in the table, unless it is too large or too small
    /// for anyone to write it so.
    fn shown(self, x: f64) -> Token {
        let plain = self.kind.shown(x);
        let Some((before, after)) = self.signs.filter(|_| !plain.contains('e')) else {
            return Token::Number(plain);
        };
        // -$5, but CHF -5.
        let apart = before.ends_with(char::is_whitespace);
        Token::Number(one_line(&match plain.strip_prefix('-').filter(|_| !apart) {
            Some(digits) => format!("-{before}{digits}{after}"),
            None => format!("{before}{plain}{after}"),
        }))
    }
}

/// Some conditions of a rule on one column, as they are said.
#[derive(Debug, Clone, PartialEq)]
pub struct Phrase {
    /// What is said.
    pub tokens: Vec<Token>,
    /// The conditions that it stands for, by their places among those given.
    pub conditions: Vec<usize>,
    /// Whether it has parts, any of which will do.
    pub has_parts: bool,
}

/// A piece of a phrase. What is shown of a table is one line, and speaks to nobody's terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// The name of a column.
    Name(String),
    /// A value of it that is text.
    Value(String),
    /// A value of it that is a number.
    Number(String),
    /// `=`, `<=` and so on.
    Sign(&'static str),
    /// Anything else.
    Word(&'static str),
}

impl Token {
    /// As it is shown.
    pub fn text(&self) -> &str {
        match self {
            Token::Name(text) | Token::Value(text) | Token::Number(text) => text,
            Token::Sign(text) | Token::Word(text) => text,
        }
    }

    /// Whether a blank stands between this and the next.
    fn is_apart_from(&self, next: &Token) -> bool {
        !matches!(self, Token::Word("(")) && !matches!(next, Token::Word(")" | ","))
    }
}

impl Phrase {
    /// Each token with the blank that stands before it, if any, in the words that are given to it.
    pub fn spaced<'p, T>(
        &'p self,
        word: impl Fn(&'p Token) -> T,
    ) -> impl Iterator<Item = (&'static str, T)> {
        self.tokens.iter().enumerate().map(move |(i, token)| {
            let apart = i > 0 && self.tokens[i - 1].is_apart_from(token);
            (if apart { " " } else { "" }, word(token))
        })
    }
}

impl fmt::Display for Phrase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.spaced(Token::text).try_for_each(|(blank, text)| write!(f, "{blank}{text}"))
    }
}

impl<'f> Wording<'f> {
    /// For conditions on these features.
    pub fn new(features: &'f Features, style: Style) -> Wording<'f> {
        let numeric = features.columns.iter().filter(|column| column.encoding.is_numeric());
        let scale =
            |column: &'f EncodedColumn| (column.name.as_str(), Scale { kind: column.kind, signs: None });
        Wording { style, scales: numeric.map(scale).collect() }
    }

    /// With the signs that the numbers of some columns have.
    pub fn with_signs(mut self, notations: &'f Notations) -> Wording<'f> {
        for (name, notation) in notations {
            if let Some(scale) = self.scales.get_mut(name.as_str()) {
                scale.signs = notation.signs();
            }
        }
        self
    }

    /// All of the conditions, in the order in which their columns come up.
    pub fn phrases<'c>(&self, conditions: impl IntoIterator<Item = &'c Condition>) -> Vec<Phrase> {
        let mut columns: Vec<(&str, Vec<(usize, &Condition)>)> = Vec::new();
        for (place, condition) in conditions.into_iter().enumerate() {
            let name = condition.feature.as_str();
            match columns.iter_mut().find(|(known, _)| *known == name && self.style == Style::Words) {
                Some((_, all)) => all.push((place, condition)),
                None => columns.push((name, vec![(place, condition)])),
            }
        }
        columns.iter().flat_map(|(name, conditions)| self.of_column(name, conditions)).collect()
    }

    /// The same, to be joined by AND: where there are several, those that have parts stand in parentheses.
    pub fn parts<'c>(&self, conditions: impl IntoIterator<Item = &'c Condition>) -> Vec<Phrase> {
        let mut phrases = self.phrases(conditions);
        let among_others = phrases.len() > 1;
        for phrase in phrases.iter_mut().filter(|phrase| among_others && phrase.has_parts) {
            phrase.tokens.insert(0, Token::Word("("));
            phrase.tokens.push(Token::Word(")"));
        }
        phrases
    }

    /// One condition by itself.
    pub fn said(&self, condition: &Condition) -> String {
        let phrases: Vec<String> = self.phrases([condition]).iter().map(Phrase::to_string).collect();
        phrases.join(" AND ")
    }

    /// A name, or a value that is text.
    pub fn text(&self, text: &str) -> String {
        match self.style {
            Style::Words => quoted(text),
            Style::Symbols => one_line(text),
        }
    }

    fn of_column(&self, name: &str, conditions: &[(usize, &Condition)]) -> Vec<Phrase> {
        let said = match (self.style, self.scales.get(name)) {
            (Style::Symbols, _) => None,
            (Style::Words, Some(scale)) => {
                Numbers::meeting(conditions).and_then(|left| left.said(name, *scale))
            }
            (Style::Words, None) => Texts::meeting(conditions).and_then(|left| left.said(name)),
        };
        let all = |suits: &dyn Fn(&Condition) -> bool| -> Vec<usize> {
            conditions.iter().filter(|(_, c)| suits(c)).map(|(place, _)| *place).collect()
        };
        match said {
            // What nothing or everything meets has no other words.
            None => conditions.iter().map(|(place, c)| self.symbols(*place, c)).collect(),
            Some(Said { what: Some((tokens, has_parts)), but: None }) => {
                vec![Phrase { tokens, has_parts, conditions: all(&|_| true) }]
            }
            Some(Said { what: None, but }) => {
                let phrase = |tokens| Phrase { tokens, has_parts: false, conditions: all(&|_| true) };
                but.map(phrase).into_iter().collect()
            }
            Some(Said { what, but }) => {
                let is_not = |condition: &Condition| condition.op == Op::IsNot;
                let what = what.map(|(tokens, has_parts)| {
                    let conditions = all(&|condition| !is_not(condition));
                    Phrase { tokens, has_parts, conditions }
                });
                let but = but.map(|tokens| {
                    let conditions = all(&is_not);
                    Phrase { tokens, has_parts: false, conditions }
                });
                what.into_iter().chain(but).collect()
            }
        }
    }

    /// A condition by itself, as it stands in the model.
    fn symbols(&self, place: usize, condition: &Condition) -> Phrase {
        let name = Token::Name(match self.style {
            Style::Words => quoted_name(&condition.feature),
            Style::Symbols => one_line(&condition.feature),
        });
        let scale = self.scales.get(condition.feature.as_str()).copied().unwrap_or_default();
        let kind = scale.kind;
        let number = |x: &f64| match kind.is_temporal() {
            true => Token::Number(kind.shown(*x)),
            false => Token::Number(x.to_string()),
        };
        let value = |text: &str| match text.parse() {
            Ok(x) if kind.is_temporal() => Token::Number(kind.shown(x)),
            _ => Token::Value(self.text(text)),
        };
        let (sign, word) = (Token::Sign, Token::Word);
        let not = |tokens: Vec<Token>| -> Vec<Token> {
            [vec![word("not"), word("(")], tokens, vec![word(")")]].into_iter().flatten().collect()
        };
        let tokens = match (condition.op, &condition.value) {
            (Op::Is, Operand::Text(text)) => vec![name, sign("="), value(text)],
            (Op::IsNot, Operand::Text(text)) => vec![name, sign("!="), value(text)],
            (Op::AtMost, Operand::Number(t)) => vec![name, sign("<="), number(t)],
            (Op::Above, Operand::Number(t)) => vec![name, sign(">"), number(t)],
            (Op::AtLeast, Operand::Number(t)) => vec![name, sign(">="), number(t)],
            (Op::NotAtMost, Operand::Number(t)) => not(vec![name, sign("<="), number(t)]),
            (Op::NotAbove, Operand::Number(t)) => not(vec![name, sign(">"), number(t)]),
            (Op::NotBelow, Operand::Number(t)) => not(vec![name, sign("<"), number(t)]),
            (Op::In, Operand::Interval(low, high)) => {
                vec![number(low), sign("<"), name, sign("<="), number(high)]
            }
            (Op::NotIn, Operand::Interval(low, high)) => {
                not(vec![number(low), sign("<"), name, sign("<="), number(high)])
            }
            (Op::Between, Operand::Interval(low, high)) => {
                vec![number(low), sign("<="), name, sign("<="), number(high)]
            }
            (Op::NotBetween, Operand::Interval(low, high)) => {
                not(vec![number(low), sign("<="), name, sign("<="), number(high)])
            }
            (Op::IsMissing, _) => vec![name, word("is missing")],
            (Op::IsNotMissing, _) => vec![name, word("is not missing")],
            // No such condition is ever made, and a model that has one is refused when it is read.
            (op, value) => vec![name, Token::Value(format!("{op:?} {value:?}"))],
        };
        Phrase { tokens, conditions: vec![place], has_parts: false }
    }
}

/// The set of a column's values that conditions leave, in words.
struct Said {
    /// What they are, and whether that has parts; nothing if they are all but some.
    what: Option<(Vec<Token>, bool)>,
    /// What they are not.
    but: Option<Vec<Token>>,
}

impl Said {
    /// The values are these, or unknown, or both; but not those.
    fn new(name: &Token, known: Known, unknown: bool, not: Vec<Token>) -> Option<Said> {
        let what = match (known, unknown) {
            (Known::None, false) => return None,
            (Known::None, true) => Some((vec![name.clone(), Token::Word("is unknown")], false)),
            (Known::All, true) if not.is_empty() => return None,
            (Known::All, true) => None,
            (Known::All, false) => Some((vec![name.clone(), Token::Word("is known")], false)),
            (Known::These(parts), unknown) => {
                let has_parts = parts.len() > 1;
                let mut tokens = Vec::new();
                for part in parts {
                    if !tokens.is_empty() {
                        tokens.push(Token::Word("or"));
                    }
                    tokens.extend(part);
                }
                tokens.extend(unknown.then_some(Token::Word("or unknown")));
                Some((tokens, has_parts))
            }
        };
        Some(Said { what, but: denial(name, not) })
    }
}

/// Some of a column's values, all of them, or none.
enum Known {
    None,
    All,
    These(Vec<Vec<Token>>),
}

/// "is not a", "is neither a nor b", "is none of a, b and c".
fn denial(name: &Token, mut values: Vec<Token>) -> Option<Vec<Token>> {
    let mut tokens = vec![name.clone()];
    let last = values.pop()?;
    match values.len() {
        0 => tokens.push(Token::Word("is not")),
        1 => tokens.push(Token::Word("is neither")),
        _ => tokens.push(Token::Word("is none of")),
    }
    let many = values.len() > 1;
    for (i, value) in values.into_iter().enumerate() {
        tokens.extend((i > 0).then_some(Token::Word(",")));
        tokens.push(value);
        tokens.extend((!many).then_some(Token::Word("nor")));
    }
    tokens.extend(many.then_some(Token::Word("and")));
    tokens.push(last);
    Some(tokens)
}

/// The texts that conditions leave.
struct Texts<'c> {
    unknown: bool,
    known: bool,
    is: Option<&'c str>,
    not: Vec<&'c str>,
}

impl<'c> Texts<'c> {
    /// Nothing if no text meets them, nor a missing one.
    fn meeting(conditions: &[(usize, &'c Condition)]) -> Option<Texts<'c>> {
        let mut left = Texts { unknown: true, known: true, is: None, not: Vec::new() };
        for (_, condition) in conditions {
            match (condition.op, &condition.value) {
                (Op::Is, Operand::Text(text)) => {
                    left.unknown = false;
                    left.known &= left.is.is_none_or(|is| is == text);
                    left.is = Some(text);
                }
                (Op::IsNot, Operand::Text(text)) if !left.not.contains(&text.as_str()) => {
                    left.not.push(text);
                }
                (Op::IsNot, Operand::Text(_)) => {}
                (Op::IsMissing, _) => left.known = false,
                (Op::IsNotMissing, _) => left.unknown = false,
                // No text is a number.
                _ => return None,
            }
        }
        Some(left)
    }

    fn said(mut self, name: &str) -> Option<Said> {
        let name = Token::Name(quoted_name(name));
        if self.is.is_some_and(|is| self.not.contains(&is)) {
            self.known = false;
        }
        let known = match (self.known, self.is) {
            (false, _) => Known::None,
            (true, None) => Known::All,
            (true, Some(text)) => {
                Known::These(vec![vec![name.clone(), Token::Sign("="), Token::Value(quoted(text))]])
            }
        };
        let not = match known {
            Known::All => self.not.iter().map(|text| Token::Value(quoted(text))).collect(),
            Known::None | Known::These(_) => Vec::new(),
        };
        Said::new(&name, known, self.unknown, not)
    }
}

/// The numbers that conditions leave.
struct Numbers {
    unknown: bool,
    /// Rising, and apart.
    ranges: Vec<Range>,
}

/// Numbers from one end to another.
#[derive(Clone, Copy, PartialEq)]
struct Range {
    low: End,
    high: End,
}

/// An end, and whether it is included; none is infinite.
#[derive(Clone, Copy, PartialEq)]
struct End {
    at: f64,
    included: bool,
}

const ALL: Range = Range { low: open(f64::NEG_INFINITY), high: open(f64::INFINITY) };

const fn open(at: f64) -> End {
    End { at, included: false }
}

const fn closed(at: f64) -> End {
    End { at, included: true }
}

impl Range {
    fn is_empty(&self) -> bool {
        let (low, high) = (self.low, self.high);
        low.at > high.at || (low.at == high.at && !(low.included && high.included))
    }

    fn meet(&self, other: &Range) -> Range {
        let low = match self.low.at.total_cmp(&other.low.at) {
            std::cmp::Ordering::Less => other.low,
            std::cmp::Ordering::Greater => self.low,
            std::cmp::Ordering::Equal => {
                if self.low.included {
                    other.low
                } else {
                    self.low
                }
            }
        };
        let high = match self.high.at.total_cmp(&other.high.at) {
            std::cmp::Ordering::Less => self.high,
            std::cmp::Ordering::Greater => other.high,
            std::cmp::Ordering::Equal => {
                if self.high.included {
                    other.high
                } else {
                    self.high
                }
            }
        };
        Range { low, high }
    }

    fn said(&self, name: &Token, scale: Scale) -> Vec<Token> {
        if scale.kind.is_temporal() {
            return self.said_of_time(name.clone(), scale.kind);
        }
        let Range { low, high } = *self;
        let number = |end: End| scale.shown(end.at);
        let up_to = |end: End| Token::Sign(if end.included { "<=" } else { "<" });
        let from = |end: End| Token::Sign(if end.included { ">=" } else { ">" });
        let name = name.clone();
        match (low.at.is_finite(), high.at.is_finite()) {
            (true, true) if low == high => vec![name, Token::Sign("="), number(low)],
            (true, true) if low.included && high.included => {
                vec![name, Token::Word("between"), number(low), Token::Word("and"), number(high)]
            }
            (true, true) => vec![number(low), up_to(low), name, up_to(high), number(high)],
            (false, true) => vec![name, up_to(high), number(high)],
            (true, false) => vec![name, from(low), number(low)],
            (false, false) => vec![name, Token::Word("is known")],
        }
    }

    /// Dates and times are whole numbers: what is up to one of them is before the next.
    fn said_of_time(&self, name: Token, kind: Kind) -> Vec<Token> {
        let first = if self.low.included { self.low.at } else { self.low.at + 1.0 };
        let end = if self.high.included { self.high.at + 1.0 } else { self.high.at };
        let shown = |x: f64| Token::Number(kind.shown(x));
        let (word, after) =
            (Token::Word, if kind == Kind::Date { "on or after" } else { "at or after" });
        match (first.is_finite(), end.is_finite()) {
            (true, true) if first + 1.0 == end => vec![name, Token::Sign("="), shown(first)],
            (true, true) if kind == Kind::Date => {
                vec![name, word("between"), shown(first), word("and"), shown(end - 1.0)]
            }
            (true, true) => vec![name, word(after), shown(first), word("and before"), shown(end)],
            (false, true) => vec![name, word("before"), shown(end)],
            (true, false) => vec![name, word(after), shown(first)],
            (false, false) => vec![name, word("is known")],
        }
    }
}

impl Numbers {
    /// Nothing if there is a condition that cannot be read.
    fn meeting(conditions: &[(usize, &Condition)]) -> Option<Numbers> {
        let mut left = Numbers { unknown: true, ranges: vec![ALL] };
        for (_, condition) in conditions {
            let (ranges, denied) = Numbers::of(condition)?;
            let ranges = if denied { others(&ranges) } else { ranges };
            let meets = |range: &Range| ranges.iter().map(|other| range.meet(other)).collect::<Vec<_>>();
            left.ranges = left.ranges.iter().flat_map(meets).filter(|range| !range.is_empty()).collect();
            // What denies lets a missing value in.
            left.unknown &= denied;
        }
        Some(left)
    }

    /// What a condition names, and whether it denies it.
    fn of(condition: &Condition) -> Option<(Vec<Range>, bool)> {
        let number = |t: f64| if t == 0.0 { 0.0 } else { t };
        let range = |low, high| vec![Range { low, high }];
        let (low, high) = (ALL.low, ALL.high);
        let named = match (condition.op, &condition.value) {
            (Op::Is, Operand::Text(text)) | (Op::IsNot, Operand::Text(text)) => {
                let x: f64 = text.parse().ok().filter(|x: &f64| x.is_finite())?;
                (range(closed(number(x)), closed(number(x))), condition.op == Op::IsNot)
            }
            (Op::AtMost, Operand::Number(t)) => (range(low, closed(number(*t))), false),
            (Op::NotAtMost, Operand::Number(t)) => (range(low, closed(number(*t))), true),
            (Op::Above, Operand::Number(t)) => (range(open(number(*t)), high), false),
            (Op::NotAbove, Operand::Number(t)) => (range(open(number(*t)), high), true),
            (Op::AtLeast, Operand::Number(t)) => (range(closed(number(*t)), high), false),
            (Op::NotBelow, Operand::Number(t)) => (range(low, open(number(*t))), true),
            (Op::In | Op::NotIn, Operand::Interval(from, to)) => {
                (range(open(number(*from)), closed(number(*to))), condition.op == Op::NotIn)
            }
            (Op::Between | Op::NotBetween, Operand::Interval(from, to)) => {
                (range(closed(number(*from)), closed(number(*to))), condition.op == Op::NotBetween)
            }
            // A missing value is no number, and any number is not missing.
            (Op::IsMissing, _) => (vec![ALL], true),
            (Op::IsNotMissing, _) => (vec![ALL], false),
            _ => return None,
        };
        Some(named)
    }

    fn said(self, name: &str, scale: Scale) -> Option<Said> {
        let name = Token::Name(quoted_name(name));
        // Ranges that only one number keeps apart are one, but for that number.
        let mut not = Vec::new();
        let mut ranges: Vec<Range> = Vec::new();
        for range in self.ranges {
            match ranges.last_mut() {
                Some(last) if last.high == range.low => {
                    not.push(scale.shown(range.low.at));
                    last.high = range.high;
                }
                _ => ranges.push(range),
            }
        }
        let known = match &ranges[..] {
            [] => Known::None,
            [range] if *range == ALL => Known::All,
            _ => Known::These(ranges.iter().map(|range| range.said(&name, scale)).collect()),
        };
        Said::new(&name, known, self.unknown, not)
    }
}

/// All numbers but those of a range.
fn others(ranges: &[Range]) -> Vec<Range> {
    let [range] = ranges else { return vec![ALL] };
    if range.is_empty() {
        return vec![ALL];
    }
    let other = |end: End| End { included: !end.included, ..end };
    let below = Range { low: ALL.low, high: other(range.low) };
    let above = Range { low: other(range.high), high: ALL.high };
    [below, above].into_iter().filter(|part| !part.is_empty() && part.low.at != part.high.at).collect()
}

/// Words that stand beside names and values in conditions and rules, or that could be taken for a missing value.
const WORDS: [&str; 10] =
    ["and", "or", "nor", "is", "not", "between", "then", "known", "unknown", "missing"];

/// A text as it stands in words: in double quotes if it is empty, has blanks that nobody would see, one of
/// `, ( ) < > = "` or a character that is not shown as it is, or one of the words and, or, nor, is, not, between, then,
/// known, unknown and missing. Within quotes, a quote and a backslash have a backslash before them.
pub fn quoted(text: &str) -> String {
    let is_bare = |c: char| is_plain(c) && !",()<>=\"".contains(c) && (c == ' ' || !c.is_whitespace());
    let is_word = |word: &str| WORDS.iter().any(|known| known.eq_ignore_ascii_case(word));
    if text.chars().all(is_bare) && text.split(' ').all(|word| !word.is_empty() && !is_word(word)) {
        return text.to_string();
    }
    one_line_in_quotes(text)
}

/// The same of a column's name; one that looks like a number has quotes, too.
pub fn quoted_name(name: &str) -> String {
    match name.parse::<f64>() {
        Ok(_) => one_line_in_quotes(name),
        Err(_) => quoted(name),
    }
}

fn one_line_in_quotes(text: &str) -> String {
    format!("\"{}\"", one_line(&text.replace('\\', "\\\\").replace('"', "\\\"")))
}
