//! JSON lines: one object a line, its keys the columns.
//!
//! Any line may bring a new key, so the columns are known only after the last one, and rows are kept until then.
//! Each is kept as its fields alone: a key that a line lacks takes no room.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, BufRead};

use hashbrown::HashMap;
use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

use crate::data::column::number_text;
use crate::data::spelling::Decimal;

/// Whether a file of this name holds JSON lines, or a text that begins so does.
pub(crate) fn are_json_lines(place: &str, start: &[u8]) -> bool {
    let name = place.to_ascii_lowercase();
    let name = name.strip_suffix(".gz").unwrap_or(&name);
    let start = start.strip_prefix("\u{feff}".as_bytes()).unwrap_or(start).trim_ascii_start();
    name.ends_with(".jsonl") || name.ends_with(".ndjson") || start.starts_with(b"{\"")
}

/// What keeps lines from being read.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The reader says so.
    Read(io::Error),
    /// A line is no flat object.
    Line { line: u64, problem: String },
}

/// Rows as they were read.
#[derive(Debug, Default)]
pub(crate) struct JsonLines {
    names: Vec<String>,
    places: HashMap<String, u32>,
    /// Of each column, the last row that has it.
    last_row: Vec<usize>,
    /// All fields in one piece, with the column and the end of each.
    text: String,
    fields: Vec<(u32, usize)>,
    /// Where the fields of each row end, and its line.
    rows: Vec<(usize, u64)>,
    /// Rows given out.
    given: usize,
    /// Where each column of a row is in the text.
    here: Vec<(usize, usize)>,
}

impl JsonLines {
    /// Reads all lines; numbers are written with this decimal mark.
    pub(crate) fn read(mut reader: impl BufRead, decimal: Decimal) -> Result<JsonLines, Fault> {
        let mut lines = JsonLines::default();
        let mut bytes = Vec::new();
        for line in 1.. {
            bytes.clear();
            if reader.read_until(b'\n', &mut bytes).map_err(Fault::Read)? == 0 {
                break;
            }
            let text = std::str::from_utf8(&bytes)
                .map_err(|_| Fault::Line { line, problem: "the text is not UTF-8".to_string() })?;
            let text = if line == 1 { text.trim_start_matches('\u{feff}') } else { text };
            if text.trim_ascii().is_empty() {
                continue;
            }
            let mut json = serde_json::Deserializer::from_str(text);
            let read = Row { lines: &mut lines, decimal }.deserialize(&mut json);
            read.and_then(|()| json.end())
                .map_err(|error| Fault::Line { line, problem: words(&error) })?;
            lines.rows.push((lines.fields.len(), line));
        }
        // Nobody looks up a name any more.
        lines.places = HashMap::new();
        lines.last_row = Vec::new();
        lines.here = vec![(0, 0); lines.names.len()];
        Ok(lines)
    }

    /// The keys, in order of first appearance.
    pub(crate) fn names(&self) -> &[String] {
        &self.names
    }

    /// Gives out the next row; whether there was one.
    pub(crate) fn next(&mut self, row: &mut csv::ByteRecord) -> bool {
        let Some(&(end, line)) = self.rows.get(self.given) else { return false };
        let start = self.given.checked_sub(1).map_or(0, |before| self.rows[before].0);
        self.given += 1;
        self.here.fill((0, 0));
        for field in start..end {
            let (column, to) = self.fields[field];
            let from = field.checked_sub(1).map_or(0, |before| self.fields[before].1);
            self.here[column as usize] = (from, to);
        }
        row.clear();
        self.here.iter().for_each(|&(from, to)| row.push_field(&self.text.as_bytes()[from..to]));
        let mut position = csv::Position::new();
        position.set_line(line);
        row.set_position(Some(position));
        true
    }

    /// The column of a key in the row that is being read; nothing if the row has it already.
    fn column(&mut self, key: &str) -> Option<u32> {
        let row = self.rows.len() + 1;
        let key = key.trim_ascii();
        let column = match self.places.get(key) {
            Some(&column) => column,
            None => {
                self.names.push(key.to_string());
                self.last_row.push(0);
                let column = (self.names.len() - 1) as u32;
                self.places.insert(key.to_string(), column);
                column
            }
        };
        let before = std::mem::replace(&mut self.last_row[column as usize], row);
        (before != row).then_some(column)
    }

    fn push(&mut self, column: u32, text: &str) {
        self.text.push_str(text.trim_ascii());
        self.fields.push((column, self.text.len()));
    }
}

/// What is wrong with a line. There is only one line to speak of, so where it is goes without saying.
fn words(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let problem = text.split(" at line ").next().unwrap_or(&text);
    match error.is_data() {
        true => problem.to_string(),
        false => format!("{problem}, at character {}", error.column()),
    }
}

/// Reads an object.
struct Row<'l> {
    lines: &'l mut JsonLines,
    decimal: Decimal,
}

impl<'de> DeserializeSeed<'de> for Row<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Row<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<(), A::Error> {
        while let Some(key) = object.next_key::<Cow<str>>()? {
            let Some(column) = self.lines.column(&key) else {
                return Err(A::Error::custom(format_args!("the key {key:?} is there twice")));
            };
            let value = Value { lines: self.lines, decimal: self.decimal, column, key: &key };
            object.next_value_seed(value)?;
        }
        Ok(())
    }
}

/// Reads a value.
struct Value<'l, 'k> {
    lines: &'l mut JsonLines,
    decimal: Decimal,
    column: u32,
    key: &'k str,
}

impl Value<'_, '_> {
    fn push(self, text: &str) {
        self.lines.push(self.column, text);
    }

    /// A number, as a table with this decimal mark would have it.
    fn push_number(self, text: String) {
        match self.decimal {
            Decimal::Point => self.push(&text),
            Decimal::Comma => {
                let text = text.replace('.', ",");
                self.push(&text);
            }
        }
    }

    fn nested<E: serde::de::Error>(self, what: &str) -> E {
        E::custom(format_args!("the value of {:?} is {what}", self.key))
    }
}

impl<'de> DeserializeSeed<'de> for Value<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Value<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a text, a number, true, false or null")
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        self.push(text);
        Ok(())
    }

    /// As Python writes it, so that a data frame and a file of it mean the same.
    fn visit_bool<E>(self, yes: bool) -> Result<(), E> {
        self.push(if yes { "True" } else { "False" });
        Ok(())
    }

    fn visit_i64<E>(self, number: i64) -> Result<(), E> {
        self.push_number(number.to_string());
        Ok(())
    }

    fn visit_u64<E>(self, number: u64) -> Result<(), E> {
        self.push_number(number.to_string());
        Ok(())
    }

    fn visit_f64<E>(self, number: f64) -> Result<(), E> {
        self.push_number(number_text(number));
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.push("");
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(self.nested("a list"))
    }

    fn visit_map<A: MapAccess<'de>>(self, _: A) -> Result<(), A::Error> {
        Err(self.nested("an object"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str) -> (Vec<String>, Vec<(u64, Vec<String>)>) {
        let mut lines = JsonLines::read(text.as_bytes(), Decimal::Point).unwrap();
        let mut rows = Vec::new();
        let mut row = csv::ByteRecord::new();
        while lines.next(&mut row) {
            let fields = row.iter().map(|field| String::from_utf8(field.to_vec()).unwrap()).collect();
            rows.push((row.position().unwrap().line(), fields));
        }
        (lines.names().to_vec(), rows)
    }

    #[test]
    fn keys_are_columns_in_order_of_appearance() {
        let text = "\u{feff}{\"a\": 1, \"b\": \" x \"}\n\n  {\"c\": true, \"a\": null}\r\n{}\n{\"b\":\"\\u00e9\",\"a\":2.50}";
        let (names, rows) = rows(text);
        assert_eq!(names, ["a", "b", "c"]);
        let expected: [(u64, [&str; 3]); 4] =
            [(1, ["1", "x", ""]), (3, ["", "", "True"]), (4, ["", "", ""]), (5, ["2.5", "é", ""])];
        for ((line, fields), (expected_line, expected)) in rows.iter().zip(expected) {
            assert_eq!((*line, &fields[..]), (expected_line, &expected.map(String::from)[..]));
        }
        assert_eq!(rows.len(), 4);
    }

    #[test]
    fn numbers_have_the_decimal_mark_of_the_table() {
        let mut lines =
            JsonLines::read(&b"{\"a\":1.5,\"b\":\"1.5\",\"c\":1e300}"[..], Decimal::Comma).unwrap();
        let mut row = csv::ByteRecord::new();
        assert!(lines.next(&mut row));
        assert_eq!(row, csv::ByteRecord::from(vec!["1,5", "1.5", "1e300"]));
    }

    #[test]
    fn what_is_no_flat_object_is_refused_by_its_line() {
        for (text, expected) in [
            ("{\"a\":1}\n{\"a\":[1]}", "2: the value of \"a\" is a list"),
            ("{\"a\":{\"b\":1}}", "1: the value of \"a\" is an object"),
            ("{\"a\":1,\"a\":2}", "1: the key \"a\" is there twice"),
            ("{\"a\":1}\n[1]", "2: invalid type: sequence, expected an object"),
            ("{\"a\":1}\n7", "2: invalid type: integer `7`, expected an object"),
            ("{\"a\":1} {\"a\":2}", "1: trailing characters, at character 9"),
            ("{\"a\":1e999}", "1: number out of range"),
            ("{\"a\":\"\u{ff}\"}", "1: the text is not UTF-8"),
        ] {
            // As a stranger's Latin-1 would have it.
            let bytes: Vec<u8> = text.chars().map(|c| c as u8).collect();
            match JsonLines::read(&bytes[..], Decimal::Point) {
                Err(Fault::Line { line, problem }) => {
                    assert!(format!("{line}: {problem}").starts_with(expected), "{line}: {problem}");
                }
                other => panic!("{text}: {other:?}"),
            }
        }
    }

    #[test]
    fn files_are_known_by_their_names_or_their_beginning() {
        assert!(are_json_lines("a/b.jsonl", b"x") && are_json_lines("B.NDJSON.gz", b""));
        assert!(are_json_lines("standard input", b"\xef\xbb\xbf {\"a\": 1}"));
        assert!(!are_json_lines("a.csv", b"a,b\n") && !are_json_lines("a.json.csv", b"{a},b\n"));
    }
}
