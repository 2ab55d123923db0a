//! One column: its distinct values in order of appearance (of many numbers, in rising order), and a code
//! a row.
//!
//! Everything after reading looks at values once and at rows only through codes, which is what keeps
//! the data path linear in the rows and small in memory.

use std::borrow::Cow;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use hashbrown::{DefaultHashBuilder, HashMap, HashTable};

use crate::data::kind::Kind;
use crate::data::notation::Notation;

/// What counts as a missing value, besides an empty field. Compared without case.
const MISSING: [&str; 3] = ["?", "na", "nan"];

/// Beyond this many different numbers, the rest is sorted instead of being looked up one by one: a
/// larger hash table would not fit in the cache, and the column is sorted for cutting anyway.
const MANY: usize = 1 << 14;

/// One column: its distinct values and a code for each row.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Column {
    /// Its heading.
    pub name: String,
    /// The distinct values; a code is an index into them.
    pub values: Values,
    /// The value of each row.
    pub codes: Codes,
    /// The code that stands for a missing value, if there is any.
    pub missing: Option<u32>,
    /// Whether its values are names even if they look like numbers.
    nominal: bool,
    /// Texts that count as missing because they are no numbers in a column of numbers.
    strays: Vec<String>,
    /// How its numbers were written, if not plainly, and one of them that may have been meant otherwise.
    written: Option<(Notation, Option<String>)>,
    /// Found once, when first asked for.
    #[serde(skip)]
    numbers: OnceLock<Option<Vec<f64>>>,
}

impl Column {
    pub(crate) fn new(name: &str) -> Column {
        Column {
            name: name.to_string(),
            values: Values::default(),
            codes: Codes::default(),
            missing: None,
            nominal: false,
            strays: Vec::new(),
            written: None,
            numbers: OnceLock::new(),
        }
    }

    /// This column, with names that spell a missing value turned into missing values: no rule could tell
    /// the two apart.
    pub(crate) fn with_missing(self) -> Column {
        if self.values.numbers().is_some() {
            return self;
        }
        let stray = |code: u32| self.missing != Some(code) && is_missing(self.text(code));
        if !(0..self.values.len() as u32).any(stray) {
            return self;
        }
        let mut column = ColumnBuilder::new(&self.name);
        let stored = self.codes.iter().try_for_each(|code| column.push(self.text(code)));
        stored.expect("texts are texts");
        Column { nominal: self.nominal, ..column.finish() }
    }

    fn text(&self, code: u32) -> &[u8] {
        self.values.get(code).as_bytes()
    }

    /// The text behind one code. Of numbers kept as such, no other becomes a text.
    pub(crate) fn text_of(&self, code: u32) -> Cow<'_, str> {
        match self.values.numbers() {
            Some(numbers) => number_text(numbers[code as usize]).into(),
            None => self.values.get(code).into(),
        }
    }

    pub(crate) fn with_rows(&self, rows: &[usize]) -> Column {
        let mut new_codes: Vec<Option<u32>> = vec![None; self.values.len()];
        let mut values = self.values.empty();
        let mut code = |row: &usize| {
            let old = self.codes.get(*row);
            *new_codes[old as usize].get_or_insert_with(|| values.push_from(&self.values, old))
        };
        let codes = rows.iter().map(&mut code).collect();
        let missing = self.missing.and_then(|code| new_codes[code as usize]);
        let (nominal, strays, written) = (self.nominal, self.strays.clone(), self.written.clone());
        Column { values, codes, missing, nominal, strays, written, ..Column::new(&self.name) }
    }

    /// This column with its values replaced by other texts, or by missing values. Values that become
    /// equal are merged.
    pub(crate) fn mapped(self, text: impl Fn(&str) -> Option<String>) -> Column {
        let mut texts = ColumnBuilder::new(&self.name);
        self.values.iter().for_each(|old| match text(old) {
            Some(new) => texts.push_text(&new),
            None => texts.push_missing(),
        });
        // The rows of that column are the values of this one.
        let Column { values, codes: new, missing, .. } = texts.finish();
        let codes = self.codes.iter().map(|code| new.get(code as usize)).collect();
        Column { values, codes, missing, numbers: OnceLock::new(), ..self }
    }

    /// This column, with a record of the texts found where numbers belong.
    pub(crate) fn with_strays(self, strays: Vec<String>) -> Column {
        Column { strays, ..self }
    }

    /// Texts that count as missing because they are no numbers in a column of numbers.
    pub fn strays(&self) -> &[String] {
        &self.strays
    }

    /// This column, with a record of how its numbers were written, and of one that is doubtful.
    pub(crate) fn with_notation(self, notation: Notation, doubtful: Option<String>) -> Column {
        Column { written: Some((notation, doubtful)), ..self }
    }

    /// How its numbers were written, if not plainly.
    pub fn notation(&self) -> Option<&Notation> {
        self.written.as_ref().map(|(notation, _)| notation)
    }

    /// A number with a mark between thousands that may have been meant for a decimal comma.
    pub(crate) fn doubtful(&self) -> Option<&str> {
        self.written.as_ref().and_then(|(_, doubtful)| doubtful.as_deref())
    }

    /// This column with its values taken as names, if `wanted`, even if they look like numbers. Names
    /// that are equal as numbers, such as "1" and "1.0", stay numbers: rules could not tell them apart.
    pub(crate) fn with_names(self, wanted: bool) -> Column {
        let alike = |numbers: &[f64]| {
            let mut numbers = numbers.to_vec();
            numbers.sort_unstable_by(f64::total_cmp);
            numbers.windows(2).any(|pair| pair[0] == pair[1])
        };
        let nominal = self.nominal || (wanted && !self.numbers().is_some_and(alike));
        Column { nominal, ..self }
    }

    /// Whether its values are names, whatever they look like.
    pub fn is_nominal(&self) -> bool {
        self.nominal
    }

    /// Whether its values came as numbers, not as texts that may spell some.
    pub fn came_as_numbers(&self) -> bool {
        self.values.numbers().is_some()
    }

    /// The number behind each code, if every value that is not missing is a finite number and they
    /// are not names; NaN stands for the missing one.
    pub fn numbers(&self) -> Option<&[f64]> {
        if self.nominal {
            return None;
        }
        let only_missing = self.missing.is_some() && self.values.len() == 1;
        if let Some(numbers) = self.values.numbers() {
            return Some(numbers).filter(|_| !only_missing);
        }
        let parse = |code: u32| {
            if self.missing == Some(code) {
                return Some(f64::NAN);
            }
            self.values.get(code).parse().ok().filter(|number: &f64| number.is_finite())
        };
        let all = || (0..self.values.len() as u32).map(parse).collect();
        self.numbers.get_or_init(all).as_deref().filter(|_| !only_missing)
    }
}

/// A code for each row, all as wide as the widest needs: most columns have few values, and the codes
/// are most of what a long table takes.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Codes(Width);

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Width {
    Byte(Vec<u8>),
    Short(Vec<u16>),
    Long(Vec<u32>),
}

impl Default for Codes {
    fn default() -> Self {
        Codes(Width::Byte(Vec::new()))
    }
}

impl Codes {
    /// How many rows there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Width::Byte(codes) => codes.len(),
            Width::Short(codes) => codes.len(),
            Width::Long(codes) => codes.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The code of a row.
    pub fn get(&self, row: usize) -> u32 {
        match &self.0 {
            Width::Byte(codes) => codes[row].into(),
            Width::Short(codes) => codes[row].into(),
            Width::Long(codes) => codes[row],
        }
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// Shows the codes of these rows, in order. Faster than one by one: their width is looked at once.
    pub(crate) fn each(&self, rows: Range<usize>, mut look: impl FnMut(u32)) {
        match &self.0 {
            Width::Byte(codes) => codes[rows].iter().for_each(|&code| look(code.into())),
            Width::Short(codes) => codes[rows].iter().for_each(|&code| look(code.into())),
            Width::Long(codes) => codes[rows].iter().for_each(|&code| look(code)),
        }
    }

    fn push(&mut self, code: u32) {
        match &mut self.0 {
            Width::Byte(codes) => match code.try_into() {
                Ok(code) => codes.push(code),
                Err(_) => self.widen(code),
            },
            Width::Short(codes) => match code.try_into() {
                Ok(code) => codes.push(code),
                Err(_) => self.widen(code),
            },
            Width::Long(codes) => codes.push(code),
        }
    }

    /// Makes room for a code that is too wide, and adds it.
    #[cold]
    fn widen(&mut self, code: u32) {
        let room = self.len() + 1;
        self.0 = match &self.0 {
            Width::Byte(codes) => {
                let mut wider = Vec::with_capacity(room);
                wider.extend(codes.iter().map(|&code| u16::from(code)));
                Width::Short(wider)
            }
            Width::Short(_) | Width::Long(_) => {
                let mut wider = Vec::with_capacity(room);
                wider.extend(self.iter());
                Width::Long(wider)
            }
        };
        self.push(code);
    }

    /// Gives back the room for more rows.
    fn shrink(&mut self) {
        match &mut self.0 {
            Width::Byte(codes) => codes.shrink_to_fit(),
            Width::Short(codes) => codes.shrink_to_fit(),
            Width::Long(codes) => codes.shrink_to_fit(),
        }
    }
}

impl FromIterator<u32> for Codes {
    fn from_iter<I: IntoIterator<Item = u32>>(iter: I) -> Codes {
        let mut codes = Codes::default();
        iter.into_iter().for_each(|code| codes.push(code));
        codes
    }
}

/// Distinct values in order of appearance. Numbers are kept as numbers, and become texts when somebody asks
/// for one: of a column of a million measurements nobody does.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Values(Kept);

#[derive(Debug, Clone, Serialize, Deserialize)]
enum Kept {
    Texts(Texts),
    /// Finite ones; NaN is the missing value.
    Numbers(Vec<f64>, #[serde(skip)] OnceLock<Texts>),
}

impl Default for Values {
    fn default() -> Self {
        Values(Kept::Texts(Texts::default()))
    }
}

impl Values {
    /// How many there are.
    pub fn len(&self) -> usize {
        match &self.0 {
            Kept::Texts(texts) => texts.ends.len(),
            Kept::Numbers(numbers, _) => numbers.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The text behind a code.
    pub fn get(&self, code: u32) -> &str {
        self.texts().get(code)
    }

    /// All of them, in order of their codes.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let texts = self.texts();
        (0..self.len() as u32).map(|code| texts.get(code))
    }

    fn texts(&self) -> &Texts {
        match &self.0 {
            Kept::Texts(texts) => texts,
            Kept::Numbers(numbers, texts) => texts.get_or_init(|| Texts::of(numbers)),
        }
    }

    /// The numbers, if they are kept as such.
    fn numbers(&self) -> Option<&[f64]> {
        match &self.0 {
            Kept::Texts(_) => None,
            Kept::Numbers(numbers, _) => Some(numbers),
        }
    }

    /// None yet, but of the same kind.
    fn empty(&self) -> Values {
        match &self.0 {
            Kept::Texts(_) => Values::default(),
            Kept::Numbers(..) => Values(Kept::Numbers(Vec::new(), OnceLock::new())),
        }
    }

    /// Adds a value of others of the same kind.
    fn push_from(&mut self, others: &Values, code: u32) -> u32 {
        match (&mut self.0, &others.0) {
            (Kept::Numbers(numbers, _), Kept::Numbers(others, _)) => {
                push(numbers, others[code as usize])
            }
            (Kept::Texts(texts), _) => texts.push(others.get(code)),
            (Kept::Numbers(..), Kept::Texts(_)) => unreachable!("they are of the same kind"),
        }
    }
}

/// Adds a number and gives its code.
fn push(numbers: &mut Vec<f64>, number: f64) -> u32 {
    numbers.push(number);
    (numbers.len() - 1) as u32
}

/// Texts in one piece of memory.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
struct Texts {
    text: String,
    ends: Vec<usize>,
}

impl Texts {
    fn of(numbers: &[f64]) -> Texts {
        let mut texts = Texts::default();
        for &number in numbers {
            texts.push(&if number.is_nan() { String::new() } else { number_text(number) });
        }
        texts
    }

    fn get(&self, code: u32) -> &str {
        let code = code as usize;
        let start = if code == 0 { 0 } else { self.ends[code - 1] };
        &self.text[start..self.ends[code]]
    }

    fn push(&mut self, text: &str) -> u32 {
        self.text.push_str(text);
        self.ends.push(self.text.len());
        (self.ends.len() - 1) as u32
    }
}

/// Whether a field stands for a missing value: it is empty, `?`, `NA` or `nan`.
pub fn is_missing(field: &[u8]) -> bool {
    field.is_empty()
        || (field.len() <= 3 && MISSING.iter().any(|m| field.eq_ignore_ascii_case(m.as_bytes())))
}

/// Builds one column value by value, giving each new value the next code.
pub struct ColumnBuilder {
    column: Column,
    /// Short hash and code of each value, so that growing the table need not look at the texts.
    codes_by_value: HashTable<(u32, u32)>,
    /// The code of each number seen as such, by its bits.
    codes_by_number: HashMap<u64, u32>,
    hasher: DefaultHashBuilder,
}

impl ColumnBuilder {
    /// A column without rows.
    pub fn new(name: &str) -> ColumnBuilder {
        ColumnBuilder {
            column: Column::new(name),
            codes_by_value: HashTable::new(),
            codes_by_number: HashMap::new(),
            hasher: DefaultHashBuilder::default(),
        }
    }

    /// Its heading.
    pub fn name(&self) -> &str {
        &self.column.name
    }

    /// Adds a row with this text, which may be a spelling of a missing value. As in a file, blanks
    /// around it do not count.
    pub fn push_text(&mut self, text: &str) {
        self.push(text.trim_ascii().as_bytes()).expect("a part of a text is a text");
    }

    /// Adds a row with this name, whatever it spells. That is for labels: in a feature, what spells
    /// a missing value is one.
    pub fn push_name(&mut self, name: &str) {
        self.push_value(name.as_bytes()).expect("a name is a text");
    }

    /// Adds a row with this number; NaN is a missing value.
    pub fn push_number(&mut self, number: f64) {
        if number.is_nan() {
            return self.push_missing();
        }
        if self.codes_by_number.is_empty() {
            let known = self.column.values.numbers().unwrap_or_default();
            let known = known.iter().zip(0..).filter(|(x, _)| !x.is_nan());
            self.codes_by_number.extend(known.map(|(x, code)| (x.to_bits(), code)));
        }
        // Adding zero makes -0 and 0 one.
        let number = number + 0.0;
        if let Some(&code) = self.codes_by_number.get(&number.to_bits()) {
            return self.column.codes.push(code);
        }
        let Column { values, missing, codes, .. } = &mut self.column;
        if values.len() == usize::from(missing.is_some()) {
            values.0 = Kept::Numbers(vec![f64::NAN; values.len()], OnceLock::new());
        }
        match &mut values.0 {
            Kept::Numbers(numbers, _) if number.is_finite() => codes.push(push(numbers, number)),
            _ => self.push_text(&number_text(number)),
        }
        self.codes_by_number.insert(number.to_bits(), self.last());
    }

    /// Adds a row with this whole number.
    pub fn push_integer(&mut self, number: i64) {
        match as_float(number) {
            Some(number) => self.push_number(number),
            None => self.push_text(&number.to_string()),
        }
    }

    /// Adds a row for each of these whole numbers.
    pub fn extend_integers(&mut self, numbers: impl IntoIterator<Item = i64>) {
        let mut inexact = None;
        let mut numbers = numbers.into_iter();
        loop {
            let floats = numbers.by_ref().map_while(|number| {
                let float = as_float(number);
                inexact = float.is_none().then_some(number);
                float
            });
            self.extend_numbers(floats);
            match inexact.take() {
                Some(number) => self.push_text(&number.to_string()),
                None => return,
            }
        }
    }

    /// Adds a row with this day, counted from 1970.
    pub fn push_date(&mut self, days: i64) {
        self.push_text(&Kind::Date.shown(days as f64));
    }

    /// Adds a row with this time, in microseconds since 1970, and whether that is in UTC.
    pub fn push_time(&mut self, micros: i64, in_utc: bool) {
        let kind = if in_utc { Kind::Instant } else { Kind::Time };
        self.push_text(&kind.shown(micros as f64));
    }

    /// Adds a row without a value.
    pub fn push_missing(&mut self) {
        let Column { values, codes, missing, .. } = &mut self.column;
        match missing {
            Some(code) => return codes.push(*code),
            None => match &mut values.0 {
                Kept::Numbers(numbers, _) => codes.push(push(numbers, f64::NAN)),
                Kept::Texts(_) => self.push_value(b"").expect("nothing is a text"),
            },
        }
        self.column.missing = Some(self.last());
    }

    /// Adds a row for each of these numbers; NaN is a missing value.
    pub fn extend_numbers(&mut self, numbers: impl IntoIterator<Item = f64>) {
        let mut numbers = numbers.into_iter();
        while self.column.values.len() <= MANY {
            let Some(number) = numbers.next() else { return };
            self.push_number(number);
        }
        let rest: Vec<f64> = numbers.collect();
        match self.column.values.numbers() {
            Some(known) if !rest.iter().any(|number| number.is_infinite()) => {
                let so_far = self.column.codes.iter().map(|code| known[code as usize]);
                let all: Vec<f64> = so_far.chain(rest).collect();
                self.sort(&all);
            }
            _ => rest.into_iter().for_each(|number| self.push_number(number)),
        }
    }

    /// Gives the numbers of all rows codes in rising order, a missing value the last.
    fn sort(&mut self, numbers: &[f64]) {
        let mut order: Vec<(u64, u32)> = Vec::with_capacity(numbers.len());
        // Adding zero makes -0 and 0 one.
        order.extend((0..).zip(numbers).map(|(row, &number)| (rising(number + 0.0), row)));
        order.sort_unstable();
        let mut values: Vec<f64> = Vec::new();
        let mut codes = vec![0; numbers.len()];
        let mut last = None;
        for (key, row) in order {
            if last != Some(key) {
                values.push(numbers[row as usize] + 0.0);
                last = Some(key);
            }
            codes[row as usize] = (values.len() - 1) as u32;
        }
        // They are looked up again only if more rows come.
        self.codes_by_number = HashMap::new();
        self.column.missing =
            values.last().is_some_and(|x| x.is_nan()).then(|| (values.len() - 1) as u32);
        self.column.codes = codes.into_iter().collect();
        self.column.values = Values(Kept::Numbers(values, OnceLock::new()));
    }

    /// Adds a row for each of these places in a list of this many values. `add` adds the first row of a
    /// place; the others repeat it, so that each value is looked at only once. A place outside the list
    /// is a missing value.
    pub fn extend_places(
        &mut self,
        places: impl IntoIterator<Item = Option<usize>>,
        values: usize,
        mut add: impl FnMut(&mut ColumnBuilder, usize),
    ) {
        let mut codes: Vec<Option<u32>> = vec![None; values];
        for place in places {
            let Some(place) = place.filter(|&place| place < values) else {
                self.push_missing();
                continue;
            };
            match codes[place] {
                Some(code) => self.column.codes.push(code),
                None => {
                    add(self, place);
                    codes[place] = Some(self.last());
                }
            }
        }
    }

    /// Adds a row with the same value as an earlier row.
    pub fn push_again(&mut self, row: usize) {
        self.column.codes.push(self.column.codes.get(row));
    }

    /// The code of the last row.
    fn last(&self) -> u32 {
        self.column.codes.get(self.rows() - 1)
    }

    /// The rows so far.
    pub fn rows(&self) -> usize {
        self.column.codes.len()
    }

    /// The column.
    pub fn finish(mut self) -> Column {
        self.column.codes.shrink();
        self.column
    }

    /// The column, its values taken as names even if they look like numbers.
    pub fn finish_nominal(self) -> Column {
        self.finish().with_names(true)
    }

    /// Adds a row with this field, which may be a spelling of a missing value.
    pub(crate) fn push(&mut self, field: &[u8]) -> std::result::Result<(), std::str::Utf8Error> {
        if !is_missing(field) {
            return self.push_value(field);
        }
        self.push_missing();
        Ok(())
    }

    fn push_value(&mut self, field: &[u8]) -> std::result::Result<(), std::str::Utf8Error> {
        if self.column.values.numbers().is_some() {
            self.become_texts();
        }
        let Column { values, codes, .. } = &mut self.column;
        let Kept::Texts(texts) = &mut values.0 else { unreachable!("they are texts now") };
        let short = self.hasher.hash_one(field) as u32;
        let same = |entry: &(u32, u32)| entry.0 == short && texts.get(entry.1).as_bytes() == field;
        let code = match self.codes_by_value.find(spread(short), same) {
            Some((_, code)) => *code,
            None => {
                let code = texts.push(std::str::from_utf8(field)?);
                self.codes_by_value.insert_unique(spread(short), (short, code), |e| spread(e.0));
                code
            }
        };
        codes.push(code);
        Ok(())
    }

    /// Numbers turn into their texts where a text that is none joins them.
    #[cold]
    fn become_texts(&mut self) {
        let values = &mut self.column.values;
        let Kept::Numbers(numbers, _) = &values.0 else { return };
        let texts = Texts::of(numbers);
        self.codes_by_value.clear();
        for code in 0..numbers.len() as u32 {
            let short = self.hasher.hash_one(texts.get(code).as_bytes()) as u32;
            self.codes_by_value.insert_unique(spread(short), (short, code), |e| spread(e.0));
        }
        values.0 = Kept::Texts(texts);
    }
}

/// The number as a float, if a float can represent it exactly.
fn as_float(number: i64) -> Option<f64> {
    const EXACT: u64 = 1 << 53;
    (number.unsigned_abs() <= EXACT).then_some(number as f64)
}

/// A key that rises with the numbers; that of NaN is above all others.
fn rising(number: f64) -> u64 {
    const SIGN: u64 = 1 << 63;
    let bits = number.to_bits();
    match bits & SIGN {
        _ if number.is_nan() => u64::MAX,
        0 => bits | SIGN,
        _ => !bits,
    }
}

/// A number as people write it: whole numbers without a point.
pub(crate) fn number_text(number: f64) -> String {
    let text = format!("{number:?}");
    text.strip_suffix(".0").map_or_else(|| text.clone(), str::to_string)
}

/// The table wants its information in the upper bits too.
fn spread(short: u32) -> u64 {
    u64::from(short).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn codes(column: &Column) -> Vec<u32> {
        column.codes.iter().collect()
    }

    fn column(name: &str, texts: &[&str]) -> ColumnBuilder {
        let mut column = ColumnBuilder::new(name);
        texts.iter().for_each(|text| column.push_text(text));
        column
    }

    #[test]
    fn codes_are_as_wide_as_the_widest() {
        let all: Vec<u32> = (0..300).chain(65_000..66_000).chain([0, u32::MAX]).collect();
        for (n, width) in [(0, 1), (256, 1), (257, 2), (300 + 536, 2), (300 + 537, 4), (all.len(), 4)] {
            let codes: Codes = all[..n].iter().copied().collect();
            let found = match &codes.0 {
                Width::Byte(_) => 1,
                Width::Short(_) => 2,
                Width::Long(_) => 4,
            };
            assert_eq!((found, codes.len()), (width, n));
            assert_eq!(codes.iter().collect::<Vec<_>>(), all[..n]);
            let mut shown = Vec::new();
            codes.each(n / 3..n, |code| shown.push(code));
            assert_eq!(shown, all[n / 3..n]);
        }
    }

    #[test]
    fn numbers_in_memory_are_what_a_file_would_say() {
        let mut built = ColumnBuilder::new("x");
        [1.0, 2.5, f64::NAN, 1.0, -0.0, 0.0, 1e300].into_iter().for_each(|x| built.push_number(x));
        let built = built.finish();
        assert_eq!(built.values.iter().collect::<Vec<_>>(), ["1", "2.5", "", "0", "1e300"]);
        assert_eq!(codes(&built), [0, 1, 2, 0, 3, 3, 4]);
        assert_eq!(built.missing, Some(2));
        assert_eq!(built.numbers().unwrap()[4], 1e300);
    }

    #[test]
    fn numbers_are_texts_only_when_somebody_asks() {
        let mut built = ColumnBuilder::new("x");
        built.push_missing();
        [3.5, 3.5, f64::NAN].into_iter().for_each(|x| built.push_number(x));
        let built = built.finish();
        let Kept::Numbers(numbers, texts) = &built.values.0 else { panic!("{built:?}") };
        assert!(numbers[0].is_nan() && numbers[1..] == [3.5], "{numbers:?}");
        assert_eq!((codes(&built), built.missing), (vec![0, 1, 1, 0], Some(0)));
        assert_eq!(built.numbers().map(<[f64]>::len), Some(2));
        assert!(texts.get().is_none());
        assert_eq!(built.with_rows(&[1]).numbers(), Some(&[3.5][..]));
        assert!(texts.get().is_none());
        assert_eq!(built.values.iter().collect::<Vec<_>>(), ["", "3.5"]);
    }

    #[test]
    fn a_text_or_infinity_among_numbers_makes_them_texts() {
        let mut built = ColumnBuilder::new("x");
        built.push_number(1.0);
        built.push_text("?");
        built.push_number(2.5);
        built.push_text("2.5");
        built.push_text("a");
        built.push_number(1.0);
        built.push_missing();
        built.extend_integers([1 << 60, 1, 1 << 60]);
        let built = built.finish();
        assert_eq!(
            built.values.iter().collect::<Vec<_>>(),
            ["1", "", "2.5", "a", "1152921504606846976"]
        );
        assert_eq!((codes(&built), built.missing), (vec![0, 1, 2, 2, 3, 0, 1, 4, 0, 4], Some(1)));
        assert!(built.numbers().is_none());
        let mut infinite = ColumnBuilder::new("x");
        [1.0, f64::INFINITY].into_iter().for_each(|x| infinite.push_number(x));
        let infinite = infinite.finish();
        assert_eq!(infinite.values.iter().collect::<Vec<_>>(), ["1", "inf"]);
        assert!(infinite.numbers().is_none());
    }

    #[test]
    fn many_numbers_are_the_same_numbers_in_rising_order() {
        let mut random = fastrand::Rng::with_seed(4);
        let draw = |random: &mut fastrand::Rng| match random.u32(..20) {
            0 => f64::NAN,
            1 => -0.0,
            2 => 0.0,
            3 => 1.0,
            _ => (random.f64() - 0.5) * 1e6,
        };
        let numbers: Vec<f64> = (0..3 * MANY).map(|_| draw(&mut random)).collect();
        let mut one_by_one = ColumnBuilder::new("x");
        numbers.iter().for_each(|&x| one_by_one.push_number(x));
        let one_by_one = one_by_one.finish();
        let mut built = ColumnBuilder::new("x");
        built.extend_numbers(numbers.iter().copied());
        let again = built.rows();
        built.push_number(numbers[7]);
        built.push_number(f64::NAN);
        assert_eq!(built.column.codes.get(again), built.column.codes.get(7));
        assert_eq!(Some(built.column.codes.get(again + 1)), built.column.missing);
        let built = built.finish();
        assert_eq!(built.values.len(), one_by_one.values.len());
        assert!(built.values.len() > MANY);
        for row in 0..numbers.len() {
            let text = |column: &Column| column.values.get(column.codes.get(row)).to_string();
            assert_eq!(text(&built), text(&one_by_one), "row {row}");
        }
        let known = built.numbers().unwrap();
        assert!(known[..known.len() - 1].is_sorted_by(|a, b| a < b) && known[known.len() - 1].is_nan());
    }

    #[test]
    fn places_in_a_list_are_looked_up_once() {
        let names = [" a ", "?", "b", "a"];
        let mut built = ColumnBuilder::new("x");
        let mut asked = Vec::new();
        let places = [2, 0, 1, 2, 3, 9].map(Some).into_iter().chain([None, Some(0)]);
        built.extend_places(places, names.len(), |column, place| {
            asked.push(place);
            column.push_text(names[place]);
        });
        let built = built.finish();
        assert_eq!(asked, [2, 0, 1, 3]);
        assert_eq!(built.values.iter().collect::<Vec<_>>(), ["b", "a", ""]);
        assert_eq!((codes(&built), built.missing), (vec![0, 1, 2, 0, 1, 2, 2, 1], Some(2)));
    }

    #[test]
    fn names_that_look_like_numbers_can_stay_names() {
        assert!(column("x", &["1", "2"]).finish_nominal().numbers().is_none());
        assert!(column("x", &["1", "1.0"]).finish_nominal().numbers().is_some());
    }
}
