//! Reads the properties of a node: each is checked as it is read, and errors are collected.

use std::path::Path;

use crate::diagnostic::{Diagnostic, nearest};
use crate::source::{Located, Value};
use crate::template::Template;

/// A number, or a variable that will hold one.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Amount {
    /// A number in the file.
    Fixed(i64),
    /// A variable, resolved when the node runs, and the number if it holds none.
    Open(Template, i64),
}

/// The properties of one node, and the diagnostics collected so far.
pub(crate) struct Properties<'n> {
    file: &'n Path,
    node: &'n Located,
    /// The node's type, for messages.
    kind: &'n str,
    diagnostics: Vec<Diagnostic>,
}

impl<'n> Properties<'n> {
    pub(crate) fn of(file: &'n Path, node: &'n Located, kind: &'n str) -> Self {
        Self { file, node, kind, diagnostics: Vec::new() }
    }

    /// The diagnostics that were collected.
    pub(crate) fn diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// Reports an error.
    pub(crate) fn refuse(&mut self, line: usize, sentence: impl Into<String>) {
        self.diagnostics.push(Diagnostic::new(self.file, line, sentence));
    }

    /// Reports something that the file runs in spite of.
    pub(crate) fn hint(&mut self, line: usize, sentence: impl Into<String>) {
        self.diagnostics.push(Diagnostic::hint(self.file, line, sentence));
    }

    /// The line the node begins on.
    pub(crate) fn line(&self) -> usize {
        self.node.line
    }

    /// A value, unless it is absent or null.
    pub(crate) fn value(&self, name: &str) -> Option<&'n Located> {
        self.node.get(name).filter(|found| found.value != Value::Null)
    }

    /// A text.
    pub(crate) fn text(&mut self, name: &str) -> Option<&'n str> {
        let found = self.value(name)?;
        match &found.value {
            Value::Text(text) => Some(text),
            other => {
                let kind = other.kind();
                self.refuse(found.line, format!("{name:?} is {kind}; it must be text"));
                None
            }
        }
    }

    /// A required text.
    pub(crate) fn required(&mut self, name: &str) -> &'n str {
        let absent = self.value(name).is_none();
        if absent {
            let sentence = format!("a {} node needs {name:?}", self.kind);
            self.refuse(self.line(), sentence);
        }
        self.text(name).unwrap_or_default()
    }

    /// A text with variables.
    pub(crate) fn template(&mut self, name: &str) -> Option<Template> {
        self.text(name).map(Template::read)
    }

    /// A required text with variables.
    pub(crate) fn required_template(&mut self, name: &str) -> Template {
        Template::read(self.required(name))
    }

    /// A boolean; false if absent.
    pub(crate) fn flag(&mut self, name: &str) -> bool {
        let Some(found) = self.value(name) else { return false };
        match &found.value {
            Value::Flag(flag) => *flag,
            other => {
                let kind = other.kind();
                self.refuse(found.line, format!("{name:?} is {kind}; write true or false"));
                false
            }
        }
    }

    /// A whole number or a variable; `absent` if there is none.
    pub(crate) fn amount(&mut self, name: &str, absent: i64) -> Amount {
        let Some(found) = self.value(name) else { return Amount::Fixed(absent) };
        match &found.value {
            Value::Number(number) if number.fract() == 0.0 => Amount::Fixed(*number as i64),
            Value::Text(text) => match (text.trim().parse(), Template::read(text)) {
                (Ok(number), _) => Amount::Fixed(number),
                (_, open) if !open.variables().is_empty() => Amount::Open(open, absent),
                _ => self.no_number(name, found, absent),
            },
            _ => self.no_number(name, found, absent),
        }
    }

    fn no_number(&mut self, name: &str, found: &Located, absent: i64) -> Amount {
        let sentence = format!("{name:?} must be a whole number, or text with a variable in it");
        self.refuse(found.line, sentence);
        Amount::Fixed(absent)
    }

    /// A list of texts with variables.
    pub(crate) fn templates(&mut self, name: &str) -> Vec<Template> {
        let Some(found) = self.value(name) else { return Vec::new() };
        let Value::List(list) = &found.value else {
            self.refuse(found.line, format!("{name:?} must be a list of texts"));
            return Vec::new();
        };
        let mut read = Vec::new();
        for item in list {
            match &item.value {
                Value::Text(text) => read.push(Template::read(text)),
                other => {
                    let kind = other.kind();
                    self.refuse(item.line, format!("{name:?} holds {kind}; it must hold texts"));
                }
            }
        }
        read
    }

    /// The properties of an object, in the order of the file.
    pub(crate) fn object(&mut self, name: &str) -> &'n [(String, Located)] {
        let Some(found) = self.value(name) else { return &[] };
        match &found.value {
            Value::Object(properties) => properties,
            other => {
                let kind = other.kind();
                self.refuse(found.line, format!("{name:?} is {kind}; it must be an object"));
                &[]
            }
        }
    }

    /// Warns about properties that look like a misspelled known one. Other unknown properties are
    /// accepted: WilmerAI's files carry remarks and settings that have no meaning here.
    pub(crate) fn hint_at_slips(&mut self, known: &[&'static str]) {
        let Value::Object(properties) = &self.node.value else { return };
        for (name, value) in properties {
            if known.contains(&name.as_str()) {
                continue;
            }
            let meant = nearest(name, known.iter().copied());
            if let Some(meant) = meant.filter(|meant| self.node.get(meant).is_none()) {
                let sentence = format!("{name:?} means nothing here; is {meant:?} meant?");
                self.diagnostics.push(Diagnostic::hint(self.file, value.line, sentence));
            }
        }
    }
}
