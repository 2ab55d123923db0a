//! Inputs made of others: by their bytes, and for models by what the bytes mean.

use fastrand::Rng;
use serde_json::Value;

/// Inputs do not grow beyond this.
const MOST_BYTES: usize = 1 << 16;

/// Numbers at the edge of what some type can hold, or beyond.
const NUMBERS: [&str; 16] = [
    "0",
    "-1",
    "-0.0",
    "1e308",
    "-1.7976931348623157e308",
    "5e-324",
    "1e999",
    "NaN",
    "inf",
    "4294967295",
    "4294967296",
    "9007199254740993",
    "9223372036854775807",
    "18446744073709551615",
    "18446744073709551616",
    "1152921504606846976",
];

/// Pieces that mean something to a reader of tables, of models or of arguments.
const PIECES: [&[u8]; 24] = [
    b"\"",
    b"\"\"",
    b",",
    b";",
    b"\t",
    b"\r",
    b"\r\n",
    b"\n\n",
    b"\0",
    b"\xef\xbb\xbf",
    b"\xff\xfe",
    b"\x1f\x8b",
    b"\xc3\x28",
    b"\xf0\x9f\xa6\x80",
    b"?",
    b"NA",
    b"null",
    b"{}",
    b"[]",
    b"\\u0000",
    b"\\ud800",
    b"--",
    b"=",
    b" ",
];

/// Changes the bytes of an input a few times; `other` lends its own.
pub fn bytes(input: &[u8], other: &[u8], random: &mut Rng) -> Vec<u8> {
    let mut made = input.to_vec();
    for _ in 0..random.usize(1..5) {
        change(&mut made, other, random);
    }
    made.truncate(MOST_BYTES);
    made
}

fn change(made: &mut Vec<u8>, other: &[u8], random: &mut Rng) {
    let at = random.usize(..=made.len());
    let to = at + random.usize(..=(made.len() - at).min(64));
    match random.u8(..10) {
        0 if !made.is_empty() => {
            let at = random.usize(..made.len());
            made[at] ^= 1 << random.u8(..8);
        }
        1 => made.insert(at, random.u8(..)),
        2 => drop(made.drain(at..to)),
        3 => {
            let piece = made[at..to].to_vec();
            (0..random.usize(1..20)).for_each(|_| drop(made.splice(at..at, piece.iter().copied())));
        }
        4 => {
            let from = random.usize(..=other.len());
            made.truncate(at);
            made.extend_from_slice(&other[from..]);
        }
        5 => drop(made.splice(at..to, other.iter().copied().take(64))),
        6 => {
            let number = NUMBERS[random.usize(..NUMBERS.len())].bytes();
            drop(made.splice(digits(made, at), number));
        }
        7 => {
            let deep = random.usize(..3000);
            let open = [b'[', b'{', b'"'][random.usize(..3)];
            drop(made.splice(at..at, std::iter::repeat_n(open, deep)));
        }
        8 => made.truncate(at),
        _ => {
            let piece = PIECES[random.usize(..PIECES.len())];
            drop(made.splice(at..at, piece.iter().copied()));
        }
    }
}

/// The next number after a place, or the place itself.
fn digits(made: &[u8], at: usize) -> std::ops::Range<usize> {
    let digit = |byte: &u8| byte.is_ascii_digit() || matches!(byte, b'.' | b'-');
    let Some(skipped) = made[at..].iter().position(digit) else { return at..at };
    let start = at + skipped;
    let length = made[start..].iter().position(|byte| !digit(byte)).unwrap_or(made.len() - start);
    start..start + length
}

/// Changes the values of a JSON text a few times and leaves it well-formed; nothing if it is none.
pub fn json(input: &[u8], random: &mut Rng) -> Option<Vec<u8>> {
    let mut value: Value = serde_json::from_slice(input).ok()?;
    for _ in 0..random.usize(1..4) {
        let count = size(&value);
        let chosen = random.usize(..count);
        let lent = random.usize(..count);
        let lent = visit(&mut value, &mut { lent }, &mut |value| value.clone())?;
        visit(&mut value, &mut { chosen }, &mut |value| alter(value, &lent, random));
    }
    let made = serde_json::to_vec(&value).ok()?;
    (made.len() <= MOST_BYTES).then_some(made)
}

fn size(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Object(fields) => 1 + fields.values().map(size).sum::<usize>(),
        _ => 1,
    }
}

/// Does something to the value of this number, counted from the top.
fn visit<T>(value: &mut Value, number: &mut usize, act: &mut impl FnMut(&mut Value) -> T) -> Option<T> {
    if *number == 0 {
        return Some(act(value));
    }
    *number -= 1;
    match value {
        Value::Array(items) => items.iter_mut().find_map(|item| visit_in(item, number, act)),
        Value::Object(fields) => fields.values_mut().find_map(|field| visit_in(field, number, act)),
        _ => None,
    }
}

/// The same for a value that may be too small to hold the number: the count goes on after it.
fn visit_in<T>(
    value: &mut Value,
    number: &mut usize,
    act: &mut impl FnMut(&mut Value) -> T,
) -> Option<T> {
    let here = size(value);
    if *number < here {
        return visit(value, number, act);
    }
    *number -= here;
    None
}

fn alter(value: &mut Value, lent: &Value, random: &mut Rng) {
    match value {
        Value::Number(_) if random.u8(..4) > 0 => {
            let number = NUMBERS[random.usize(..NUMBERS.len())];
            *value = serde_json::from_str(number).unwrap_or_else(|_| number.into());
        }
        Value::Bool(flag) => *flag = !*flag,
        Value::Array(items) if random.u8(..4) > 0 => alter_items(items, lent, random),
        Value::String(text) if random.bool() => match random.u8(..4) {
            0 => text.clear(),
            1 => text.push_str(NUMBERS[random.usize(..NUMBERS.len())]),
            2 => *text = NUMBERS[random.usize(..NUMBERS.len())].to_string(),
            _ => text.push_str(["\"", "\n", "\u{0}", "é", "</script>", "'", "\\"][random.usize(..7)]),
        },
        _ => *value = lent.clone(),
    }
}

fn alter_items(items: &mut Vec<Value>, lent: &Value, random: &mut Rng) {
    let at = random.usize(..=items.len());
    match random.u8(..4) {
        0 if at < items.len() => drop(items.remove(at)),
        1 if at < items.len() => {
            let item = items[at].clone();
            (0..random.usize(1..70)).for_each(|_| items.push(item.clone()));
        }
        2 => items.reverse(),
        _ => items.insert(at, lent.clone()),
    }
}
