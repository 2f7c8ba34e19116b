//! JSON with comments and trailing commas, in which every value knows its line.

use std::path::Path;

use jsonc_parser::ast;
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

use crate::diagnostic::Diagnostic;

/// A value and the line it begins on.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Located {
    pub(crate) line: usize,
    pub(crate) value: Value,
}

/// A JSON value.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Value {
    Null,
    Flag(bool),
    Number(f64),
    Text(String),
    List(Vec<Located>),
    Object(Vec<(String, Located)>),
}

impl Value {
    /// The name of the value's type, for messages.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Flag(_) => "true or false",
            Self::Number(_) => "a number",
            Self::Text(_) => "text",
            Self::List(_) => "a list",
            Self::Object(_) => "an object",
        }
    }
}

impl Located {
    /// A property of an object.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Value::Object(properties) = &self.value else { return None };
        properties.iter().find(|(known, _)| known == name).map(|(_, value)| value)
    }

    /// A scalar as the text that a variable shows; `None` for lists and objects.
    pub(crate) fn shown(&self) -> Option<String> {
        match &self.value {
            Value::Null => Some(String::new()),
            Value::Flag(flag) => Some(flag.to_string()),
            Value::Number(number) => Some(number.to_string()),
            Value::Text(text) => Some(text.clone()),
            Value::List(_) | Value::Object(_) => None,
        }
    }
}

impl Located {
    /// The value without its line numbers.
    pub(crate) fn into_json(self) -> serde_json::Value {
        match self.value {
            Value::Null => serde_json::Value::Null,
            Value::Flag(flag) => flag.into(),
            Value::Number(number) if number.fract() == 0.0 => (number as i64).into(),
            Value::Number(number) => number.into(),
            Value::Text(text) => text.into(),
            Value::List(list) => list.into_iter().map(Self::into_json).collect(),
            Value::Object(properties) => {
                properties.into_iter().map(|(name, value)| (name, value.into_json())).collect()
            }
        }
    }
}

/// Parses a text. Strict JSON, except for comments and trailing commas.
pub(crate) fn read(file: &Path, text: &str) -> Result<Located, Diagnostic> {
    let parsed = parse_to_ast(text, &CollectOptions::default(), &options()).map_err(|error| {
        let what = error.kind().to_string();
        let sentence = format!("this is not JSON: {}; comments are allowed", lower_first(&what));
        Diagnostic::new(file, error.line_display(), sentence)
    })?;
    let value = parsed.value.ok_or_else(|| {
        Diagnostic::new(
            file,
            1,
            "the file is empty; write a list of nodes, or an object with \"nodes\"",
        )
    })?;
    let lines = Lines::of(text);
    locate(file, &lines, &value)
}

fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

fn locate(file: &Path, lines: &Lines, value: &ast::Value<'_>) -> Result<Located, Diagnostic> {
    let line = lines.line(value.start());
    let value = match value {
        ast::Value::NullKeyword(_) => Value::Null,
        ast::Value::BooleanLit(flag) => Value::Flag(flag.value),
        ast::Value::NumberLit(number) => Value::Number(
            number
                .value
                .parse()
                .map_err(|_| Diagnostic::new(file, line, "this is not a number"))?,
        ),
        ast::Value::StringLit(text) => Value::Text(text.value.to_string()),
        ast::Value::Array(list) => Value::List(
            list.elements
                .iter()
                .map(|value| locate(file, lines, value))
                .collect::<Result<_, _>>()?,
        ),
        ast::Value::Object(object) => Value::Object(properties(file, lines, object)?),
    };
    Ok(Located { line, value })
}

fn properties(
    file: &Path,
    lines: &Lines,
    object: &ast::Object<'_>,
) -> Result<Vec<(String, Located)>, Diagnostic> {
    let mut found: Vec<(String, Located)> = Vec::new();
    for property in &object.properties {
        let name = property.name.as_str().to_owned();
        if found.iter().any(|(known, _)| *known == name) {
            let line = lines.line(property.start());
            return Err(Diagnostic::new(file, line, format!("{name:?} is given twice; keep one")));
        }
        found.push((name, locate(file, lines, &property.value)?));
    }
    Ok(found)
}

/// The offsets at which lines begin.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Self(std::iter::once(0).chain(breaks.map(|(place, _)| place + 1)).collect())
    }

    fn line(&self, place: usize) -> usize {
        self.0.partition_point(|begin| *begin <= place)
    }
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_lowercase().chain(letters).collect()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Located, Diagnostic> {
        super::read(Path::new("a.json"), text)
    }

    #[test]
    fn every_value_knows_its_line() {
        let read =
            read("{\n  // a remark\n  \"a\": [1,\n    true],\n  /* one\n more */ \"b\": null\n}");
        let read = read.unwrap();
        assert_eq!(read.line, 1);
        assert_eq!(read.get("a").unwrap().line, 3);
        let Value::List(list) = &read.get("a").unwrap().value else { panic!("a list") };
        assert_eq!((list[0].line, list[1].line), (3, 4));
        assert_eq!(read.get("b").unwrap(), &Located { line: 6, value: Value::Null });
    }

    #[test]
    fn broken_json_is_refused_where_it_breaks() {
        for (text, line) in [("{\n \"a\": }", 2), ("[\n\n1 2]", 3), ("{\"a\" 1}", 1), ("[1", 1)] {
            let flaw = read(text).unwrap_err();
            assert_eq!(flaw.line, line, "{text:?}: {flaw}");
            assert!(flaw.sentence.contains("not JSON"), "{flaw}");
        }
        assert!(read("  // nothing\n").unwrap_err().sentence.contains("empty"));
        assert!(read("{\"a\": 1, \"a\": 2}").unwrap_err().sentence.contains("twice"));
    }

    #[test]
    fn a_url_in_a_text_is_no_comment() {
        let read = read("{\"a\": \"http://x/*y*/\"}").unwrap();
        assert_eq!(read.get("a").unwrap().value, Value::Text("http://x/*y*/".into()));
    }
}
