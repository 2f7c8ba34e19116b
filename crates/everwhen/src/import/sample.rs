//! The beginning of a document, from which sources recognise what is theirs.

use serde_json::Value;

use super::input::Document;
use super::json;

/// How sure a source is that a document is its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Claim {
    /// It is not.
    No,
    /// It could be read, if nothing else is known of it.
    AtLast,
    /// It could be, if no other source knows it better.
    Perhaps,
    /// It is.
    Yes,
}

impl Claim {
    /// Yes if it holds.
    pub(crate) fn when(holds: bool) -> Self {
        if holds { Self::Yes } else { Self::No }
    }

    /// At last if it holds.
    pub(crate) fn at_last(holds: bool) -> Self {
        if holds { Self::AtLast } else { Self::No }
    }

    /// Perhaps if it holds.
    pub(crate) fn perhaps(holds: bool) -> Self {
        if holds { Self::Perhaps } else { Self::No }
    }
}

/// What the beginning of a document looks like.
pub(crate) struct Sample<'d> {
    /// Its path in the folder or archive.
    pub(crate) name: &'d str,
    /// Its name without folders.
    pub(crate) file: &'d str,
    /// Its text.
    pub(crate) text: String,
    /// As one JSON document, closed where it is cut off.
    pub(crate) json: Option<Value>,
    /// As lines of JSON: those at its beginning that are objects.
    pub(crate) lines: Vec<Value>,
    /// Tables, if it is a SQLite database.
    pub(crate) tables: Vec<String>,
}

impl<'d> Sample<'d> {
    pub(super) fn of(document: &'d Document) -> std::io::Result<Self> {
        let (name, file) = (document.name.as_str(), document.file_name());
        let none = Self {
            name,
            file,
            text: String::new(),
            json: None,
            lines: Vec::new(),
            tables: Vec::new(),
        };
        if document.first_bytes()?.starts_with(b"SQLite format 3\0") {
            let tables =
                document.path().and_then(|path| everwhen_store::foreign::tables(path).ok());
            return Ok(Self { tables: tables.unwrap_or_default(), ..none });
        }
        let text = document.beginning()?;
        if text.contains('\0') && text.chars().filter(|c| *c == '\0').count() > text.len() / 10 {
            return Ok(none);
        }
        let lines = json_lines(&text);
        let json = if lines.len() > 1 { None } else { json::beginning(&text) };
        Ok(Self { json, lines, text, ..none })
    }

    /// Objects at the top: the elements of a list, or the document itself.
    pub(crate) fn objects(&self) -> impl Iterator<Item = &Value> {
        let list = self.json.as_ref().and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let single = self.json.iter().filter(|json| json.is_object());
        list.iter().filter(|one| one.is_object()).take(20).chain(single)
    }

    /// Whether any object at the top satisfies this.
    pub(crate) fn any(&self, test: impl Fn(&Value) -> bool) -> bool {
        self.objects().any(test)
    }

    /// Whether any of the first lines satisfies this.
    pub(crate) fn any_line(&self, test: impl Fn(&Value) -> bool) -> bool {
        self.lines.iter().any(test)
    }

    /// Whether it is a database with all of these tables.
    pub(crate) fn has_tables(&self, names: &[&str]) -> bool {
        names.iter().all(|name| self.tables.iter().any(|table| table == name))
    }

    /// Whether its path has a folder of this name.
    pub(crate) fn in_folder(&self, folder: &str) -> bool {
        self.name.split('/').rev().skip(1).any(|part| part == folder)
    }
}

fn json_lines(text: &str) -> Vec<Value> {
    let mut found = Vec::new();
    for (place, line) in text.lines().take(50).enumerate() {
        // A file that lost its beginning starts with the rest of a line.
        let is_rest = place == 0 && line.trim_end().ends_with('}');
        match serde_json::from_str::<Value>(line.trim()) {
            Ok(value) if value.is_object() => found.push(value),
            _ if line.trim().is_empty() || is_rest => {}
            _ if found.is_empty() => break,
            _ => {}
        }
    }
    found
}

/// Whether a value has all of these fields.
pub(crate) fn has(value: &Value, fields: &[&str]) -> bool {
    fields.iter().all(|field| value.get(field).is_some())
}
