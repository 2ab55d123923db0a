//! Words mean what the conditions mean: a reader that knows nothing but the words agrees on every value.

use minrule::data::{Cell, EncodedColumn, Encoding, Field, Kind, Op, Operand};
use minrule::{Condition, Features, Style, Wording};

/// What stands in a sentence.
#[derive(Debug, Clone, PartialEq)]
enum Piece {
    /// A name or a value.
    Text(String),
    /// Anything else.
    Word(String),
}

const WORDS: [&str; 16] = [
    "AND", "and", "or", "is", "not", "nor", "between", "known", "unknown", "missing", "<", "<=", ">",
    ">=", "=", "!=",
];

fn pieces(sentence: &str) -> Vec<Piece> {
    let mut pieces: Vec<Piece> = Vec::new();
    let mut chars = sentence.chars().peekable();
    // Whether the last piece is text that goes on after a blank.
    let mut goes_on = false;
    while let Some(c) = chars.next() {
        match c {
            ' ' => continue,
            '"' => {
                let mut text = String::new();
                loop {
                    match chars.next().expect("quotes are closed") {
                        '"' => break,
                        '\\' => match chars.next().expect("something is escaped") {
                            'n' => text.push('\n'),
                            other => text.push(other),
                        },
                        other => text.push(other),
                    }
                }
                pieces.push(Piece::Text(text));
                goes_on = false;
            }
            '(' | ')' | ',' => {
                pieces.push(Piece::Word(c.to_string()));
                goes_on = false;
            }
            _ => {
                let mut word = c.to_string();
                while let Some(next) = chars.next_if(|c| !" ),".contains(*c)) {
                    word.push(next);
                }
                let is_word = WORDS.contains(&word.as_str())
                    || match pieces.last() {
                        Some(Piece::Word(last)) if last == "is" => {
                            ["none", "neither"].contains(&word.as_str())
                        }
                        Some(Piece::Word(last)) => last == "none" && word == "of",
                        _ => false,
                    };
                match (is_word, pieces.last_mut()) {
                    (true, _) => pieces.push(Piece::Word(word)),
                    (false, Some(Piece::Text(text))) if goes_on => *text += &format!(" {word}"),
                    (false, _) => pieces.push(Piece::Text(word)),
                }
                goes_on = !is_word;
            }
        }
    }
    pieces
}

/// A value of a row: nothing, a number or a text.
#[derive(Debug, Clone, PartialEq)]
enum Value {
    Unknown,
    Number(f64),
    Text(String),
}

impl Value {
    fn is(&self, text: &str) -> bool {
        match self {
            Value::Unknown => false,
            Value::Number(x) => text.parse() == Ok(*x),
            Value::Text(known) => known == text,
        }
    }

    fn compares(&self, sign: &str, text: &str) -> bool {
        let Value::Number(x) = self else { return sign == "=" && self.is(text) };
        let t: f64 = text.parse().expect("numbers are compared with numbers");
        match sign {
            "=" => *x == t,
            "<" => *x < t,
            "<=" => *x <= t,
            ">" => *x > t,
            ">=" => *x >= t,
            _ => panic!("no sign: {sign}"),
        }
    }
}

/// Reads a sentence for a row.
struct Reader<'r> {
    pieces: Vec<Piece>,
    at: usize,
    row: &'r dyn Fn(&str) -> Value,
}

impl Reader<'_> {
    fn peek(&self) -> Option<&str> {
        match self.pieces.get(self.at)? {
            Piece::Word(word) => Some(word),
            Piece::Text(_) => None,
        }
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.peek() == Some(word);
        self.at += usize::from(found);
        found
    }

    fn word(&mut self) -> String {
        let word = self.peek().expect("a word").to_string();
        self.at += 1;
        word
    }

    fn text(&mut self) -> String {
        let Some(Piece::Text(text)) = self.pieces.get(self.at) else {
            panic!("no text at {} of {:?}", self.at, self.pieces)
        };
        self.at += 1;
        text.clone()
    }

    fn all(&mut self) -> bool {
        let mut holds = self.any();
        while self.take("AND") {
            holds &= self.any();
        }
        assert_eq!(self.at, self.pieces.len(), "{:?}", self.pieces);
        holds
    }

    fn any(&mut self) -> bool {
        if self.take("(") {
            let holds = self.any();
            assert!(self.take(")"));
            return holds;
        }
        if self.take("not") {
            assert!(self.take("("));
            let holds = self.any();
            assert!(self.take(")"));
            return !holds;
        }
        let (mut holds, value) = self.one();
        while self.take("or") {
            holds |= match self.take("unknown") {
                true => value == Value::Unknown,
                false => self.one().0,
            };
        }
        holds
    }

    /// Whether a phrase holds, and the value that it speaks of.
    fn one(&mut self) -> (bool, Value) {
        let first = self.text();
        let word = self.word();
        if ["<", "<="].contains(&word.as_str())
            && matches!(self.pieces.get(self.at + 1), Some(Piece::Word(w)) if ["<", "<="].contains(&w.as_str()))
        {
            let (name, sign) = (self.text(), self.word());
            let (value, high) = ((self.row)(&name), self.text());
            let flipped = if word == "<" { ">" } else { ">=" };
            return (value.compares(flipped, &first) && value.compares(&sign, &high), value);
        }
        let value = (self.row)(&first);
        let holds = match word.as_str() {
            "is" if self.take("known") => value != Value::Unknown,
            "is" if self.take("unknown") => value == Value::Unknown,
            "is" if self.take("missing") => value == Value::Unknown,
            "is" if self.take("not") => match self.take("missing") {
                true => value != Value::Unknown,
                false => !value.is(&self.text()),
            },
            "is" if self.take("neither") => {
                let (one, _, other) = (self.text(), self.word(), self.text());
                !value.is(&one) && !value.is(&other)
            }
            "is" if self.take("none") => {
                assert!(self.take("of"));
                let mut holds = !value.is(&self.text());
                while self.take(",") || self.take("and") {
                    holds &= !value.is(&self.text());
                }
                holds
            }
            "between" => {
                let (low, _, high) = (self.text(), self.word(), self.text());
                value.compares(">=", &low) && value.compares("<=", &high)
            }
            "!=" => !value.is(&self.text()),
            sign => value.compares(sign, &self.text()),
        };
        (holds, value)
    }
}

fn features(number: &str, text: &str, kind: Kind) -> Features {
    let column = |name: &str, kind, cells: Vec<Cell>, first| EncodedColumn {
        name: name.to_string(),
        kind,
        encoding: Encoding::Cells(cells),
        first,
    };
    let value = |text: &str| Cell::Value(text.to_string());
    Features {
        columns: vec![
            column(number, kind, vec![Cell::AtMost(1.0), Cell::Above(1.0), Cell::Missing], 0),
            column(text, Kind::Real, vec![value("red"), value("blue"), Cell::Missing], 3),
        ],
        constant: Vec::new(),
        uncut: Vec::new(),
        wide: Vec::new(),
        all_thresholds: false,
        negations: true,
    }
}

const NAMES: [&str; 7] = ["x", "sepal length", "a or b", "is", "5", "sepal length (cm)", "THEN \"q\""];
const TEXTS: [&str; 16] = [
    "red",
    "dark red",
    "or",
    "a, b",
    "is unknown",
    "say \"hi\"",
    " x",
    "12",
    "back\\slash",
    "a\nb",
    "AND",
    "(x)",
    "missing",
    "a  b",
    "none",
    "neither of them",
];
const NUMBERS: [f64; 6] = [-1.0, 0.0, 1.0, 1.5, 2.0, 4.0];

fn random_condition(random: &mut fastrand::Rng, names: [&str; 2]) -> Condition {
    let numbers = NUMBERS.len();
    let mut number = || NUMBERS[random.usize(..numbers)];
    let (low, high) = (number(), number());
    let ops = [Op::AtMost, Op::Above, Op::AtLeast, Op::NotAtMost, Op::NotAbove, Op::NotBelow];
    let intervals = [Op::In, Op::NotIn, Op::Between, Op::NotBetween];
    let missing = [Op::IsMissing, Op::IsNotMissing];
    let is = [Op::Is, Op::IsNot, Op::IsNot, Op::IsNot];
    let (column, op, value) = match random.u8(..10) {
        0..=3 => (0, ops[random.usize(..6)], Operand::Number(low)),
        4..=5 => (0, intervals[random.usize(..4)], Operand::Interval(low.min(high), low.max(high))),
        6 => (0, is[random.usize(..4)], Operand::Text(low.to_string())),
        7 => (random.usize(..2), missing[random.usize(..2)], Operand::None),
        _ => {
            let text = TEXTS[random.usize(..TEXTS.len())].to_string();
            (1, is[random.usize(..4)], Operand::Text(text))
        }
    };
    Condition { feature: names[column].to_string(), op, value }
}

#[test]
fn words_mean_what_the_conditions_mean() {
    let mut random = fastrand::Rng::with_seed(18);
    let mut seen: [usize; 6] = [0; 6];
    for _ in 0..20_000 {
        let number = random.usize(..NAMES.len());
        let text = (number + random.usize(1..NAMES.len())) % NAMES.len();
        let names = [NAMES[number], NAMES[text]];
        let kind = if random.bool() { Kind::Whole } else { Kind::Real };
        let features = features(names[0], names[1], kind);
        let conditions: Vec<Condition> =
            (0..random.usize(1..5)).map(|_| random_condition(&mut random, names)).collect();
        for style in [Style::Words, Style::Symbols] {
            let wording = Wording::new(&features, style);
            let parts = wording.parts(&conditions);
            let said: Vec<String> = parts.iter().map(ToString::to_string).collect();
            let sentence = said.join(" AND ");
            if style == Style::Symbols {
                // Today's form has no quotes, and can be read only where nothing calls for them.
                let plain: Vec<String> = conditions.iter().map(ToString::to_string).collect();
                assert_eq!(sentence, minrule::text::one_line(&plain.join(" AND ")));
                continue;
            }
            let of_both = ["between", " or ", "or unknown", "neither", "none of", "not ("];
            for (count, word) in seen.iter_mut().zip(of_both) {
                *count += usize::from(sentence.contains(word));
            }
            let places: Vec<usize> = parts.iter().flat_map(|part| part.conditions.clone()).collect();
            assert!(places.len() <= conditions.len() && !places.is_empty());
            let numbers = [-2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 1.25, 1.5, 1.75, 2.0, 3.0, 4.0, 4.5];
            let numbers = numbers.into_iter().map(Value::Number).chain([Value::Unknown]);
            for x in numbers {
                let texts = TEXTS.iter().chain(&["unseen"]).map(|text| Value::Text(text.to_string()));
                for t in texts.chain([Value::Unknown]) {
                    let holds = |condition: &Condition| {
                        let value = if condition.feature == names[0] { &x } else { &t };
                        condition.holds(match value {
                            Value::Unknown => Field::Missing,
                            Value::Number(x) => Field::Number(*x),
                            Value::Text(text) => Field::Text(text.as_bytes()),
                        })
                    };
                    let row = |name: &str| match names.iter().position(|known| *known == name) {
                        Some(0) => x.clone(),
                        Some(_) => t.clone(),
                        None => panic!("no column {name} in {sentence}"),
                    };
                    let mut reader = Reader { pieces: pieces(&sentence), at: 0, row: &row };
                    let expected = conditions.iter().all(holds);
                    assert_eq!(reader.all(), expected, "{sentence}: {x:?} {t:?} {conditions:?}");
                }
            }
        }
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}

fn said(kind: Kind, conditions: &[(Op, Operand)]) -> String {
    let features = features("x", "steel", kind);
    let condition = |(op, value): &(Op, Operand)| {
        let is_text = matches!(value, Operand::Text(text) if text.parse::<f64>().is_err());
        let feature = if is_text { "steel" } else { "x" };
        Condition { feature: feature.to_string(), op: *op, value: value.clone() }
    };
    let conditions: Vec<Condition> = conditions.iter().map(condition).collect();
    let parts = Wording::new(&features, Style::Words).parts(&conditions);
    parts.iter().map(ToString::to_string).collect::<Vec<String>>().join(" AND ")
}

#[test]
fn people_would_say_it_so() {
    use Operand::{Interval, Number};
    let text = |text: &str| Operand::Text(text.to_string());
    let real = |conditions: &[(Op, Operand)]| said(Kind::Real, conditions);
    let whole = |conditions: &[(Op, Operand)]| said(Kind::Whole, conditions);
    assert_eq!(real(&[(Op::NotAtMost, Number(61.5))]), "x > 61.5 or unknown");
    assert_eq!(real(&[(Op::Above, Number(0.5)), (Op::AtMost, Number(2.5))]), "0.5 < x <= 2.5");
    assert_eq!(whole(&[(Op::AtLeast, Number(2.0)), (Op::AtMost, Number(4.0))]), "x between 2 and 4");
    assert_eq!(whole(&[(Op::AtLeast, Number(2.0)), (Op::AtMost, Number(2.0))]), "x = 2");
    assert_eq!(
        real(&[(Op::NotIn, Interval(1.5, 2.5)), (Op::AtMost, Number(4.5))]),
        "x <= 1.5 or 2.5 < x <= 4.5"
    );
    assert_eq!(real(&[(Op::NotIn, Interval(1.5, 2.5))]), "x <= 1.5 or x > 2.5 or unknown");
    assert_eq!(
        real(&[(Op::NotIn, Interval(1.5, 2.5)), (Op::Is, text("R"))]),
        "(x <= 1.5 or x > 2.5 or unknown) AND steel = R"
    );
    assert_eq!(whole(&[(Op::IsNot, text("2")), (Op::AtMost, Number(4.0))]), "x <= 4 AND x is not 2");
    assert_eq!(real(&[(Op::IsNot, text("R"))]), "steel is not R");
    assert_eq!(real(&[(Op::IsNot, text("R")), (Op::IsNot, text("W"))]), "steel is neither R nor W");
    assert_eq!(
        real(&[(Op::IsNot, text("R")), (Op::IsNot, text("W")), (Op::IsNot, text("X"))]),
        "steel is none of R, W and X"
    );
    assert_eq!(real(&[(Op::IsMissing, Operand::None)]), "x is unknown");
    assert_eq!(real(&[(Op::IsNotMissing, Operand::None)]), "x is known");
    assert_eq!(real(&[(Op::Is, text("dark red"))]), "steel = dark red");
    assert_eq!(real(&[(Op::Is, text("red or \"blue\""))]), "steel = \"red or \\\"blue\\\"\"");
}
