//! What a column holds, as JSON and as a value of a database.

use everwhen_engine::memory::Name;
use jiff::Timestamp;
use uuid::Uuid;

use crate::row;
use crate::tables::columns::{Words, id};
use crate::tables::{Cell, Column, Value};
use everwhen_engine::{Error, Result};

/// How the text of an id is written and read.
pub(super) struct IdText {
    pub(super) write: fn(Uuid) -> String,
    pub(super) read: fn(&str) -> Option<Uuid>,
}

/// What a column holds.
pub(super) enum Kind {
    /// An id with the prefix of its kind.
    Id(&'static IdText),
    /// An id of one of several kinds.
    AnyId,
    /// An instant.
    Time,
    /// A number, or nothing.
    Number,
    /// A number that is 0 in rows of older versions.
    Count,
    /// Yes or no; no in rows of older versions.
    Flag,
    /// Text.
    Text,
    /// A list of names; nothing if it is empty.
    Names,
    /// A list of texts.
    Texts,
    /// JSON, kept as its own text.
    Json,
    /// Bytes, in hexadecimal digits.
    Bytes,
    /// One of these words, kept as its number.
    Word(Words),
}

/// What was read from JSON, on its way into a statement.
pub(super) enum Holder {
    Value(Value<'static>),
    Names(Vec<Name>),
}

impl Holder {
    pub(super) fn value(&self) -> Value<'_> {
        match self {
            Self::Value(value) => value.clone(),
            Self::Names(names) => Value::Names(names),
        }
    }
}

/// A cell as a value that can be compared with later.
pub(super) fn owned(cell: Cell<'_>) -> Value<'static> {
    match cell {
        Cell::Null | Cell::Texts(_) => Value::Null,
        Cell::Bool(flag) => Value::Bool(flag),
        Cell::Number(number) => Value::Number(number),
        Cell::Text(text) => Value::from(text.to_owned()),
        Cell::Bytes(bytes) => Value::from(bytes.to_vec()),
        Cell::Id(bytes) => Value::Id(bytes),
    }
}

impl Kind {
    /// The JSON of a cell; nothing if it is empty.
    pub(super) fn write(&self, cell: Cell<'_>) -> Result<Option<String>> {
        if cell == Cell::Null {
            return Ok(None);
        }
        let shown = cell.to_string();
        let text = match self {
            Self::Id(text) => id(cell).map(|id| quoted(&(text.write)(id))),
            Self::AnyId => id(cell).map(|id| quoted(&id.to_string())),
            Self::Time => Timestamp::read(cell).map(|time| quoted(&time.to_string())),
            Self::Number | Self::Count => i64::read(cell).map(|number| number.to_string()),
            Self::Flag => bool::read(cell).map(|flag| flag.to_string()),
            Self::Text => String::read(cell).map(|text| quoted(&text)),
            Self::Names => Vec::<Name>::read(cell).and_then(|names| row::names_json(&names)),
            Self::Texts => Vec::<String>::read(cell).map(|texts| row::texts_json(&texts)),
            // A line break in JSON is between values, where a blank means the same.
            Self::Json => String::read(cell).map(|json| json.replace(['\n', '\r'], " ")),
            Self::Bytes => Vec::<u8>::read(cell).map(|bytes| quoted(&hexadecimal(&bytes))),
            Self::Word(words) => {
                let number = i64::read(cell);
                words.iter().find(|(one, _)| Some(*one) == number).map(|(_, word)| quoted(word))
            }
        };
        let damaged = || Error::damaged(format!("the database holds an impossible value: {shown}"));
        text.ok_or_else(damaged).map(Some)
    }

    /// The value that JSON says; nothing if it says something impossible.
    pub(super) fn read(&self, json: Option<&str>) -> Option<Holder> {
        let Some(json) = json.filter(|json| *json != "null") else {
            return Some(Holder::Value(match self {
                Self::Count => Value::Number(0),
                Self::Flag => Value::Bool(false),
                Self::Texts => Value::from("[]".to_owned()),
                _ => Value::Null,
            }));
        };
        let text = || serde_json::from_str::<String>(json).ok();
        Some(Holder::Value(match self {
            Self::Id(id) => Value::Id((id.read)(&text()?)?.into_bytes()),
            Self::AnyId => Value::Id(text()?.parse::<Uuid>().ok()?.into_bytes()),
            Self::Time => Value::from(text()?.parse::<Timestamp>().ok()?),
            Self::Number | Self::Count => Value::Number(json.parse().ok()?),
            Self::Flag => Value::Bool(json.parse().ok()?),
            Self::Text => Value::from(text()?),
            Self::Names => {
                let names: Vec<String> = serde_json::from_str(json).ok()?;
                let names = names.iter().map(|name| Name::new("name", name.as_str()).ok());
                return names.collect::<Option<_>>().map(Holder::Names);
            }
            Self::Texts => {
                Value::from(row::texts_json(&serde_json::from_str::<Vec<String>>(json).ok()?))
            }
            Self::Json => Value::from(json.to_owned()),
            Self::Bytes => Value::from(bytes(&text()?)?),
            Self::Word(words) => {
                let said = text()?;
                let (number, _) = words.iter().find(|(_, word)| *word == said)?;
                Value::Number(*number)
            }
        }))
    }
}

fn quoted(text: &str) -> String {
    serde_json::to_string(text).expect("a string can be written as JSON")
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        text.push(char::from_digit(u32::from(byte >> 4), 16).unwrap_or_default());
        text.push(char::from_digit(u32::from(byte & 15), 16).unwrap_or_default());
        text
    })
}

fn bytes(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|digit| digit.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    digits.chunks_exact(2).map(|pair| u8::try_from(pair[0] << 4 | pair[1]).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let bytes: &[u8] = &[0, 15, 16, 255];
        let text = Kind::Bytes.write(Cell::Bytes(bytes)).unwrap().unwrap();
        assert_eq!(text, "\"000f10ff\"");
        let read = Kind::Bytes.read(Some(&text)).unwrap();
        assert!(matches!(read.value(), Value::Bytes(found) if *found == *bytes));
        let words = Kind::Word(&[(0, "user"), (1, "assistant")]);
        assert_eq!(words.write(Cell::Number(1)).unwrap().unwrap(), "\"assistant\"");
        assert!(matches!(words.read(Some("\"user\"")).unwrap().value(), Value::Number(0)));
        assert!(words.read(Some("\"cook\"")).is_none());
        assert!(words.write(Cell::Number(7)).is_err());
        assert!(matches!(Kind::Count.read(None).unwrap().value(), Value::Number(0)));
        let lines = Kind::Json.write(Cell::Text("{\n\"a\": 1.0}")).unwrap().unwrap();
        assert_eq!(lines, "{ \"a\": 1.0}");
    }
}
