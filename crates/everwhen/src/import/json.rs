//! JSON of any size: elements of a list one by one, lines of JSON, and the beginning of a document
//! that is too long to be looked at as a whole.

use std::io::{BufRead, Read};

use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};
use serde_json::{Map, Value};

/// What a reader of elements gets: the fields before the list, and one element. It answers
/// whether to go on.
pub(super) type OnJsonElement<'f> = &'f mut dyn FnMut(&Map<String, Value>, Value) -> bool;

/// Reads the elements of a list one by one. The document is the list itself, or an object with the
/// list under one of `keys`, or a single element (an object with none of them). Returns an error
/// with its place if the JSON ends or breaks early; what came before it has been told.
pub(super) fn elements(
    reader: impl Read,
    keys: &[&str],
    on_element: OnJsonElement<'_>,
) -> Result<(), serde_json::Error> {
    let reader = std::io::BufReader::with_capacity(64 * 1024, reader);
    let mut json = serde_json::Deserializer::from_reader(reader);
    let mut stopped = false;
    let outcome = Top { keys, on_element, stopped: &mut stopped }.deserialize(&mut json);
    if stopped {
        return Ok(());
    }
    outcome?;
    json.end()
}

struct Top<'a, 'f> {
    keys: &'a [&'a str],
    on_element: OnJsonElement<'f>,
    stopped: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for Top<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Top<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list or an object")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, list: S) -> Result<(), S::Error> {
        let head = Map::new();
        List { head: &head, on_element: self.on_element, stopped: self.stopped }.read(list)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<(), M::Error> {
        let mut head = Map::new();
        let mut found = false;
        while let Some(key) = object.next_key::<String>()? {
            if !self.keys.contains(&key.as_str()) {
                head.insert(key, object.next_value()?);
                continue;
            }
            let list = List { head: &head, on_element: self.on_element, stopped: self.stopped };
            if let Some(other) = object.next_value_seed(list)? {
                head.insert(key, other);
            } else {
                found = true;
            }
        }
        if !found && !(self.on_element)(&Map::new(), Value::Object(head)) {
            *self.stopped = true;
        }
        Ok(())
    }
}

struct List<'a, 'f> {
    head: &'a Map<String, Value>,
    on_element: &'a mut (dyn FnMut(&Map<String, Value>, Value) -> bool + 'f),
    stopped: &'a mut bool,
}

impl List<'_, '_> {
    fn read<'de, S: SeqAccess<'de>>(self, mut list: S) -> Result<(), S::Error> {
        while let Some(element) = list.next_element::<Value>()? {
            if !(self.on_element)(self.head, element) {
                *self.stopped = true;
                return Err(S::Error::custom("stopped"));
            }
        }
        Ok(())
    }
}

impl<'de> DeserializeSeed<'de> for List<'_, '_> {
    /// What stood there if it was no list.
    type Value = Option<Value>;

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for List<'_, '_> {
    type Value = Option<Value>;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, list: S) -> Result<Self::Value, S::Error> {
        self.read(list).map(|()| None)
    }

    fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<Self::Value, M::Error> {
        let mut map = Map::new();
        while let Some((key, value)) = object.next_entry()? {
            map.insert(key, value);
        }
        Ok(Some(Value::Object(map)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
        Ok(Some(Value::String(text.to_owned())))
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Self::Value, E> {
        Ok(Some(Value::Bool(flag)))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
        Ok(Some(number.into()))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
        Ok(Some(number.into()))
    }

    fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
        Ok(Some(number.into()))
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Some(Value::Null))
    }
}

/// Reads the messages of chats one by one, wherever they are: a chat is an object with a list `messages`,
/// or in a list below `chats`, `left_chats` or `list`. Each is passed with `id`, `name` and `type` of its chat.
pub(super) fn chat_messages(
    reader: impl Read,
    on_element: OnJsonElement<'_>,
) -> Result<(), serde_json::Error> {
    let reader = std::io::BufReader::with_capacity(64 * 1024, reader);
    let mut json = serde_json::Deserializer::from_reader(reader);
    let mut stopped = false;
    let outcome = ChatWalk { on_element, stopped: &mut stopped }.deserialize(&mut json);
    if stopped {
        return Ok(());
    }
    outcome?;
    json.end()
}

struct ChatWalk<'a, 'f> {
    on_element: &'a mut (dyn FnMut(&Map<String, Value>, Value) -> bool + 'f),
    stopped: &'a mut bool,
}

impl<'de> DeserializeSeed<'de> for ChatWalk<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<(), D::Error> {
        json.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for ChatWalk<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("chats")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut object: M) -> Result<(), M::Error> {
        let mut head = Map::new();
        while let Some(key) = object.next_key::<String>()? {
            match key.as_str() {
                "messages" => {
                    let list =
                        List { head: &head, on_element: self.on_element, stopped: self.stopped };
                    object.next_value_seed(list)?;
                }
                "chats" | "left_chats" | "list" => {
                    object.next_value_seed(ChatWalk {
                        on_element: self.on_element,
                        stopped: self.stopped,
                    })?;
                }
                "id" | "name" | "type" => {
                    head.insert(key, object.next_value()?);
                }
                _ => {
                    object.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<(), S::Error> {
        let Self { on_element, stopped } = self;
        while list
            .next_element_seed(ChatWalk { on_element: &mut *on_element, stopped: &mut *stopped })?
            .is_some()
        {}
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

/// A line longer than this is left out; no message is that long.
const LINE_BYTES: usize = 64 * 1024 * 1024;

/// One line of a file of JSON lines.
pub(super) enum Line {
    /// A value.
    Value(Value),
    /// What is wrong with it.
    Bad(String),
    /// The file ends in the middle of it: it is still being written.
    Torn,
}

/// Reads lines of JSON. Blank lines are left out. Tells each with its number, from 1, and stops when
/// `on_line` answers false.
pub(super) fn lines(
    reader: impl Read,
    on_line: &mut dyn FnMut(u64, Line) -> bool,
) -> std::io::Result<()> {
    let mut reader = std::io::BufReader::with_capacity(64 * 1024, reader);
    let mut bytes = Vec::new();
    for number in 1.. {
        bytes.clear();
        let limit = LINE_BYTES as u64 + 1;
        if Read::by_ref(&mut reader).take(limit).read_until(b'\n', &mut bytes)? == 0 {
            break;
        }
        let is_complete = bytes.ends_with(b"\n");
        let line = if bytes.len() > LINE_BYTES && !is_complete {
            reader.skip_until(b'\n')?;
            Line::Bad(format!("the line is longer than {} MiB", LINE_BYTES / 1024 / 1024))
        } else {
            let text = bytes.trim_ascii();
            if text.is_empty() {
                continue;
            }
            match serde_json::from_slice(text) {
                Ok(value) => Line::Value(value),
                Err(error) if error.is_eof() && !is_complete => Line::Torn,
                Err(error) => Line::Bad(error.to_string()),
            }
        };
        if !on_line(number, line) {
            break;
        }
    }
    Ok(())
}

/// The beginning of a JSON document as a value: what is cut off is closed where it was last complete.
pub(super) fn beginning(text: &str) -> Option<Value> {
    let text = text.trim_start();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<Value>();
    if let Some(Ok(value)) = values.next() {
        return Some(value);
    }
    closed_candidates(text).into_iter().find_map(|closed| serde_json::from_str(&closed).ok())
}

/// Ways to close a text that is cut off: in the middle of a string, or behind the last complete member
/// of any object or list.
fn closed_candidates(text: &str) -> Vec<String> {
    let (mut open, mut in_string, mut escaped) = (Vec::new(), false, false);
    let mut best = None;
    for (place, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => {}
            b'{' => open.push('}'),
            b'[' => open.push(']'),
            b'}' | b']' => {
                open.pop();
            }
            b',' => best = Some((place, closers(&open))),
            _ => {}
        }
    }
    let mut candidates = Vec::new();
    if in_string {
        let whole = text.trim_end_matches('\u{fffd}').trim_end_matches('\\');
        candidates.push(format!("{whole}\"{}", closers(&open)));
    }
    candidates.extend(best.map(|(cut, closers)| format!("{}{closers}", &text[..cut])));
    candidates
}

fn closers(open: &[char]) -> String {
    open.iter().rev().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str, keys: &[&str]) -> (Vec<Value>, bool) {
        let mut found = Vec::new();
        let outcome = elements(text.as_bytes(), keys, &mut |_, element| {
            found.push(element);
            true
        });
        (found, outcome.is_ok())
    }

    #[test]
    fn elements_come_one_by_one_and_survive_a_break() {
        assert_eq!(all("[1,2,3]", &[]), (vec![1.into(), 2.into(), 3.into()], true));
        assert_eq!(all(r#"{"a":1,"list":[1,2],"b":2}"#, &["list"]).0.len(), 2);
        let (found, complete) = all(r#"[{"a":1},{"b":"#, &[]);
        assert_eq!((found.len(), complete), (1, false));
        assert_eq!(all(r#"{"a":1}"#, &["list"]).0.len(), 1);
        assert_eq!(all(r#"{"list":{"a":1}}"#, &["list"]).0[0]["list"]["a"], 1);
    }

    #[test]
    fn the_beginning_of_a_long_document_is_closed() {
        let start = beginning(r#"[{"id":"a","mapping":{"x":{"parent":null,"mess"#).unwrap();
        assert!(start[0]["mapping"]["x"].is_object());
        assert_eq!(beginning(r#"{"a":[1,2,3"#).unwrap()["a"][0], 1);
        assert_eq!(beginning(r#"{"a":[{"b":"long tex"#).unwrap()["a"][0]["b"], "long tex");
        assert!(beginning("hello").is_none());
    }

    #[test]
    fn a_torn_line_is_told_from_a_bad_one() {
        let mut kinds = Vec::new();
        lines("{\"a\":1}\nnonsense\n\n{\"b\":".as_bytes(), &mut |number, line| {
            kinds.push((number, matches!(line, Line::Value(_)), matches!(line, Line::Torn)));
            true
        })
        .unwrap();
        assert_eq!(kinds, [(1, true, false), (2, false, false), (4, false, true)]);
    }
}
