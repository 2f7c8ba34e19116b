//! JSON read without being taken apart: fields in order, values as the text they were sent as.
//!
//! Every part is a slice of the body, so an edit can say where it goes and everything else stays
//! as it came, byte for byte.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// An object: names and values in the order they were sent. Of names sent twice the last counts.
#[derive(Debug, Clone, Default)]
pub struct Object<'a>(Vec<(Cow<'a, str>, &'a str)>);

impl<'a> Object<'a> {
    /// The text, if it is an object.
    pub fn read(text: &'a str) -> Option<Self> {
        serde_json::from_str(text).ok()
    }

    /// The value under this name, as its text; `null` counts as absent.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let found = self.0.iter().rev().find(|(known, _)| known == name)?;
        Some(found.1).filter(|text| *text != "null")
    }

    /// The string under this name.
    pub fn text(&self, name: &str) -> Option<Cow<'a, str>> {
        string(self.get(name)?)
    }

    /// The object under this name.
    pub fn object(&self, name: &str) -> Option<Self> {
        Self::read(self.get(name)?)
    }

    /// The items of the array under this name; none if there is no array.
    pub fn items(&self, name: &str) -> Vec<&'a str> {
        self.get(name).map(items).unwrap_or_default()
    }

    /// The number under this name.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// The names of its fields.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(|(name, _)| &**name)
    }

    /// Whether the value under this name is `true`.
    pub fn is_true(&self, name: &str) -> bool {
        self.get(name) == Some("true")
    }
}

/// The items of an array; none if it is something else.
pub fn items(text: &str) -> Vec<&str> {
    let items: Vec<&RawValue> = serde_json::from_str(text).unwrap_or_default();
    items.into_iter().map(RawValue::get).collect()
}

/// A string, its escapes resolved. JSON can hold half of a character (`\ud83d` without the other half), as programs
/// write that cut a text in two; each half is a U+FFFD.
pub fn string(text: &str) -> Option<Cow<'_, str>> {
    let inner = text.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let whole = serde_json::from_str(text).ok();
    let text = whole.or_else(|| Some(serde_json::from_str::<WithHalves>(text).ok()?.0))?;
    Some(Cow::Owned(text))
}

/// A string that may hold halves of characters.
struct WithHalves(String);

impl<'de> Deserialize<'de> for WithHalves {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Read as bytes, a half is three bytes that are no UTF-8; the first of them is no part of anything else.
        deserializer.deserialize_bytes(Halves)
    }
}

struct Halves;

impl Visitor<'_> for Halves {
    type Value = WithHalves;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Self::Value, E> {
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            if chunk.invalid().first() == Some(&HALF) {
                text.push(char::REPLACEMENT_CHARACTER);
            }
        }
        Ok(WithHalves(text))
    }
}

/// The first byte of half a character.
const HALF: u8 = 0xed;

/// Where a byte of a string stands in its literal, quotes and escapes included.
pub fn offset(literal: &str, of: usize) -> usize {
    let (mut at, mut length) = (1, 0);
    let bytes = literal.as_bytes();
    while length < of && at < literal.len() {
        if bytes[at] != b'\\' {
            (at, length) = (at + 1, length + 1);
            continue;
        }
        let escape = escape(&literal[at..]);
        (at, length) = (at + escape.len(), length + meant(escape));
    }
    at.min(literal.len())
}

/// The escape that a text begins with; both halves where two make a character.
fn escape(text: &str) -> &str {
    let is_half = |at: usize, of: &[u8]| {
        let bytes = text.as_bytes().get(at..at + 4);
        bytes.is_some_and(|bytes| {
            bytes[..2] == *b"\\u" && bytes[2].eq_ignore_ascii_case(&b'd') && of.contains(&bytes[3])
        })
    };
    let length = match text.as_bytes() {
        _ if is_half(0, b"89abAB") && is_half(6, b"cdefCDEF") => 12,
        [_, b'u', ..] => 6,
        _ => 2,
    };
    text.get(..length).unwrap_or(text)
}

/// How many bytes an escape means.
fn meant(escape: &str) -> usize {
    match escape.len() {
        2 => 1,
        _ => string(&format!("\"{escape}\"")).map_or(1, |one| one.len()),
    }
}

/// Text as it stands between the quotes of a JSON string.
pub fn escaped(text: &str) -> String {
    let quoted = serde_json::to_string(text).expect("text is always JSON");
    quoted[1..quoted.len() - 1].to_owned()
}

impl<'de: 'a, 'a> Deserialize<'de> for Object<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Fields)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Object<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(Field(name)) = map.next_key()? {
            fields.push((name, map.next_value::<&'de RawValue>()?.get()));
        }
        Ok(Object(fields))
    }
}

/// A name, borrowed unless it is written with escapes.
#[derive(serde::Deserialize)]
struct Field<'a>(#[serde(borrow)] Cow<'a, str>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_slices_of_what_was_sent() {
        let body = r#"{ "a" : [1, {"b":"x\n"} ] ,"c":null,"d":true, "e":"1","e":"2"}"#;
        let object = Object::read(body).unwrap();
        assert_eq!(object.get("a"), Some(r#"[1, {"b":"x\n"} ]"#));
        assert_eq!(object.items("a"), ["1", r#"{"b":"x\n"}"#]);
        assert_eq!(Object::read(object.items("a")[1]).unwrap().text("b").unwrap(), "x\n");
        assert_eq!((object.get("c"), object.is_true("d")), (None, true));
        assert_eq!(object.text("e").unwrap(), "2");
    }

    #[test]
    fn bytes_of_a_string_are_found_in_its_literal() {
        for literal in [
            r#""plain""#,
            r#""a\n\"b\"\\é\u00e9\ud83d\ude00\/c""#,
            r#""\ud83d half \ude00\ud83d\uD83D\uDE00\ud83d\u00e9\ud800""#,
        ] {
            let text = string(literal).unwrap();
            for (at, _) in text.char_indices() {
                let rest = format!("\"{}", &literal[offset(literal, at)..]);
                assert_eq!(string(&rest).unwrap(), &text[at..], "{literal} {at}");
            }
        }
    }

    #[test]
    fn half_a_character_is_a_replacement() {
        let literal = r#""cut \ud83d, \ud83d\ude00 and \u0000 \ude00""#;
        assert_eq!(string(literal).unwrap(), "cut \u{fffd}, \u{1f600} and \0 \u{fffd}");
        assert_eq!(string(r#""\x""#), None);
    }

    #[test]
    fn what_is_no_object_is_none() {
        for text in ["", "[]", "1", "{", "{\"a\":}", "nonsense"] {
            assert!(Object::read(text).is_none(), "{text:?}");
        }
        assert!(items("{}").is_empty() && string("1").is_none());
    }
}
