//! Edits of a JSON file that leave every other byte as it is: comments, order, spaces, numbers.

use serde_json::{Map, Value};

use crate::failure::{Failure, Result};

/// How deep a file may be nested.
const DEPTH: usize = 128;

/// A value and where it stands in the text.
#[derive(Debug)]
struct Node {
    start: usize,
    end: usize,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    Object(Vec<Member>),
    Array(Vec<Node>),
    Scalar,
}

/// A member of an object; `start` is where its key begins.
#[derive(Debug)]
struct Member {
    key: String,
    start: usize,
    value: Node,
}

/// Whether there is a value at this path.
pub(super) fn has(text: &str, path: &[&str]) -> bool {
    parse(text).is_ok_and(|root| find(&root, path).is_some())
}

/// The value at this path, if it is there. Comments in it make it null.
pub(super) fn value(text: &str, path: &[&str]) -> Option<Value> {
    let root = parse(text).ok()?;
    let node = find(&root, path)?;
    Some(serde_json::from_str(&text[node.start..node.end]).unwrap_or_default())
}

/// Adds a member to the object at `path`, which is made if it is absent.
pub(super) fn add_member(text: &str, path: &[&str], key: &str, value: &Value) -> Result<String> {
    let mut whole = path.to_vec();
    whole.push(key);
    insert_at(text, &whole, value.clone())
}

/// Adds an item to the array at `path`, which is made if it is absent.
pub(super) fn add_item(text: &str, path: &[&str], value: &Value) -> Result<String> {
    let root = parse(text)?;
    let Some(node) = find(&root, path) else {
        return insert_at(text, path, Value::Array(vec![value.clone()]));
    };
    let Shape::Array(items) = &node.shape else { return Err(unexpected(path, "a list")) };
    Ok(add_to(text, node, items.last().map(|item| (item.start, item.end)), None, value))
}

/// Removes the member at `path`.
pub(super) fn remove_member(text: &str, path: &[&str]) -> Result<String> {
    let [parents @ .., key] = path else { return Ok(text.to_owned()) };
    let root = parse(text)?;
    let Some(Node { shape: Shape::Object(members), start, end }) = find(&root, parents) else {
        return Ok(text.to_owned());
    };
    let spans: Vec<_> = members.iter().map(|one| (one.start, one.value.end)).collect();
    let place = members.iter().position(|one| one.key == *key);
    Ok(place.map_or_else(|| text.to_owned(), |place| without(text, (*start, *end), &spans, place)))
}

/// Removes the items of the array at `path` whose text is unwanted.
pub(super) fn remove_items(
    text: &str,
    path: &[&str],
    is_unwanted: &dyn Fn(&str) -> bool,
) -> Result<String> {
    let mut text = text.to_owned();
    loop {
        let root = parse(&text)?;
        let Some(Node { shape: Shape::Array(items), start, end }) = find(&root, path) else {
            return Ok(text);
        };
        let spans: Vec<_> = items.iter().map(|item| (item.start, item.end)).collect();
        let Some(place) = spans.iter().position(|(from, to)| is_unwanted(&text[*from..*to])) else {
            return Ok(text);
        };
        text = without(&text, (*start, *end), &spans, place);
    }
}

/// Whether the object or list at `path` is there and has nothing in it.
pub(super) fn is_empty(text: &str, path: &[&str]) -> bool {
    let Ok(root) = parse(text) else { return false };
    match find(&root, path).map(|node| &node.shape) {
        Some(Shape::Object(members)) => members.is_empty(),
        Some(Shape::Array(items)) => items.is_empty(),
        _ => false,
    }
}

/// The keys of the object at the top.
pub(super) fn keys(text: &str) -> Vec<String> {
    match parse(text).map(|root| root.shape) {
        Ok(Shape::Object(members)) => members.into_iter().map(|member| member.key).collect(),
        _ => Vec::new(),
    }
}

/// Adds a member, and the objects above it that are absent.
fn insert_at(text: &str, path: &[&str], value: Value) -> Result<String> {
    let root = parse(text)?;
    let mut depth = path.len() - 1;
    while find(&root, &path[..depth]).is_none() {
        depth -= 1;
    }
    let nested = path[depth + 1..]
        .iter()
        .rev()
        .fold(value, |inner, key| Value::Object(Map::from_iter([((*key).to_owned(), inner)])));
    let parent = find(&root, &path[..depth]).ok_or_else(|| unexpected(&[], "an object"))?;
    let Shape::Object(members) = &parent.shape else {
        return Err(unexpected(&path[..depth], "an object"));
    };
    if members.iter().any(|member| member.key == path[depth]) {
        return Err(unexpected(&path[..=depth], "absent"));
    }
    let last = members.last().map(|member| (member.start, member.value.end));
    Ok(add_to(text, parent, last, Some(path[depth]), &nested))
}

/// Inserts behind the last element of a container, in the container's own layout.
fn add_to(
    text: &str,
    container: &Node,
    last: Option<(usize, usize)>,
    key: Option<&str>,
    value: &Value,
) -> String {
    let key = key.map(|key| format!("{}: ", Value::from(key))).unwrap_or_default();
    let unit = unit(text);
    let Some((start, end)) = last else {
        let outer = indent_of(text, container.start);
        let inner = format!("{outer}{unit}");
        let added = format!("\n{inner}{key}{}\n{outer}", pretty(value, &inner, &unit));
        return spliced(text, container.start + 1, container.end - 1, &added);
    };
    let line = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let added = match text[line..start].trim().is_empty() && line > container.start {
        true => {
            let indent = &text[line..start];
            format!(",\n{indent}{key}{}", pretty(value, indent, &unit))
        }
        false => format!(", {key}{value}"),
    };
    spliced(text, end, end, &added)
}

/// The text without one of the elements of a container.
fn without(text: &str, within: (usize, usize), spans: &[(usize, usize)], place: usize) -> String {
    let (from, to) = match (place, spans.get(place + 1)) {
        (0, None) => (within.0 + 1, within.1 - 1),
        (0, Some(next)) => (spans[0].0, next.0),
        (place, _) => (spans[place - 1].1, spans[place].1),
    };
    spliced(text, from, to, "")
}

fn spliced(text: &str, from: usize, to: usize, added: &str) -> String {
    [&text[..from], added, &text[to..]].concat()
}

/// The spaces at the beginning of the line of a place.
fn indent_of(text: &str, place: usize) -> String {
    let line = text[..place].rfind('\n').map_or(0, |at| at + 1);
    text[line..].chars().take_while(|letter| matches!(letter, ' ' | '\t')).collect()
}

/// One step of indentation in this file.
fn unit(text: &str) -> String {
    let indents = text.lines().map(|line| {
        line.chars().take_while(|letter| matches!(letter, ' ' | '\t')).collect::<String>()
    });
    indents.into_iter().find(|indent| !indent.is_empty()).unwrap_or_else(|| "  ".to_owned())
}

fn pretty(value: &Value, indent: &str, unit: &str) -> String {
    let lines = format!("{value:#}");
    let lines: Vec<String> = lines
        .lines()
        .map(|line| {
            let inner = line.trim_start_matches(' ');
            format!("{}{inner}", unit.repeat((line.len() - inner.len()) / 2))
        })
        .collect();
    lines.join(&format!("\n{indent}"))
}

fn unexpected(path: &[&str], wanted: &str) -> Failure {
    let place = if path.is_empty() { "the file".to_owned() } else { path.join(".") };
    Failure::new(format!("{place} should be {wanted}"))
}

fn find<'n>(root: &'n Node, path: &[&str]) -> Option<&'n Node> {
    path.iter().try_fold(root, |node, key| match &node.shape {
        Shape::Object(members) => {
            members.iter().find(|member| member.key == *key).map(|member| &member.value)
        }
        _ => None,
    })
}

fn parse(text: &str) -> Result<Node> {
    let mut reader = JsonReader { text, at: 0 };
    reader.skip();
    let root = reader.value(0);
    reader.skip();
    root.filter(|_| reader.at == text.len())
        .ok_or_else(|| Failure::new(format!("not JSON at byte {}", reader.at)))
}

/// Reads JSON, with comments and commas behind the last element.
struct JsonReader<'t> {
    text: &'t str,
    at: usize,
}

impl JsonReader<'_> {
    fn rest(&self) -> &str {
        &self.text[self.at..]
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Skips spaces and comments.
    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            let spaces =
                rest.len() - rest.trim_start_matches(['\u{feff}', ' ', '\t', '\n', '\r']).len();
            let comment = match &rest[spaces..] {
                rest if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
                rest if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |end| end + 2),
                _ => 0,
            };
            self.at += spaces + comment;
            if comment == 0 {
                return;
            }
        }
    }

    fn value(&mut self, depth: usize) -> Option<Node> {
        let start = self.at;
        let shape = match self.peek()? {
            _ if depth > DEPTH => return None,
            b'{' => Shape::Object(self.object(depth)?),
            b'[' => Shape::Array(self.array(depth)?),
            b'"' => self.string().map(|_| Shape::Scalar)?,
            _ => self.word()?,
        };
        Some(Node { start, end: self.at, shape })
    }

    fn object(&mut self, depth: usize) -> Option<Vec<Member>> {
        let mut members = Vec::new();
        self.at += 1;
        loop {
            self.skip();
            if self.takes(b'}') {
                return Some(members);
            }
            let start = self.at;
            let key = self.string()?;
            self.skip();
            if !self.takes(b':') {
                return None;
            }
            self.skip();
            members.push(Member { key, start, value: self.value(depth + 1)? });
            self.skip();
            if !self.takes(b',') && self.peek() != Some(b'}') {
                return None;
            }
        }
    }

    fn array(&mut self, depth: usize) -> Option<Vec<Node>> {
        let mut items = Vec::new();
        self.at += 1;
        loop {
            self.skip();
            if self.takes(b']') {
                return Some(items);
            }
            items.push(self.value(depth + 1)?);
            self.skip();
            if !self.takes(b',') && self.peek() != Some(b']') {
                return None;
            }
        }
    }

    fn string(&mut self) -> Option<String> {
        if self.peek() != Some(b'"') {
            return None;
        }
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        while *bytes.get(end)? != b'"' {
            end += if bytes[end] == b'\\' { 2 } else { 1 };
        }
        let read = serde_json::from_str(self.text.get(self.at..=end)?).ok();
        self.at = end + 1;
        read
    }

    /// A number, `true`, `false` or `null`.
    fn word(&mut self) -> Option<Shape> {
        let is_part = |letter: char| letter.is_ascii_alphanumeric() || "+-.".contains(letter);
        let rest = self.rest();
        let length = rest.find(|letter| !is_part(letter)).unwrap_or(rest.len());
        serde_json::from_str::<Value>(&rest[..length]).ok()?;
        self.at += length;
        Some(Shape::Scalar)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FILE: &str = "{\n    // mine\n    \"model\": \"opus\",\n    \"hooks\": {\n        \"Stop\": [\n            {\"a\": 1.50}\n        ]\n    },\n}\n";

    #[test]
    fn what_is_added_is_removed_again_to_the_byte() {
        let files = [
            "{}\n",
            "{ }",
            FILE,
            "{\"a\": [1, 2]}",
            "{\"hooks\": {}}\n",
            "{\r\n\t\"a\": 1\r\n}\r\n",
        ];
        for file in files {
            let hook = json!({ "command": "everwhen hook x", "list": [1, { "b": null }] });
            let added = add_item(file, &["hooks", "Stop"], &hook).unwrap();
            let added = add_member(&added, &["servers"], "everwhen", &hook).unwrap();
            assert!(has(&added, &["servers", "everwhen", "command"]), "{added}");
            let mut back = remove_member(&added, &["servers", "everwhen"]).unwrap();
            back =
                remove_items(&back, &["hooks", "Stop"], &|text| text.contains("hook x")).unwrap();
            for path in [&["servers"][..], &["hooks", "Stop"], &["hooks"]] {
                if is_empty(&back, path) && !has(file, path) {
                    back = remove_member(&back, path).unwrap();
                }
            }
            let squeezed = |text: &str| text.split_whitespace().collect::<String>();
            assert_eq!(squeezed(&back), squeezed(file), "{added}");
            if file == FILE {
                assert_eq!(back, file);
            }
        }
    }

    #[test]
    fn the_layout_of_the_file_is_kept() {
        let added = add_member(FILE, &["servers"], "everwhen", &json!({ "command": "x" })).unwrap();
        assert!(
            added.contains(
                "    \"servers\": {\n        \"everwhen\": {\n            \"command\": \"x\""
            ),
            "{added}"
        );
        assert!(added.contains("// mine") && added.contains("1.50"));
        assert_eq!(add_member("{\"a\": 1}", &[], "b", &json!(2)).unwrap(), "{\"a\": 1, \"b\": 2}");
    }

    #[test]
    fn files_that_are_no_json_are_refused() {
        for file in ["", "{", "[1", "{\"a\" 1}", "{\"a\": 1} x", "{\"a\": nope}"] {
            assert!(add_member(file, &["b"], "c", &json!(1)).is_err(), "{file}");
        }
        assert!(add_item("{\"hooks\": 3}", &["hooks", "Stop"], &json!(1)).is_err());
        assert!(add_member("{\"a\": 1}", &[], "a", &json!(1)).is_err());
    }
}
