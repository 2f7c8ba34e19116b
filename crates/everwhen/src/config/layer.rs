//! The layers of a configuration: the file, overridden by the environment, overridden by flags.
//!
//! Values stay raw here. Keys are checked, because an unknown key is a mistake wherever it
//! stands.

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::key::{self, KEYS, Key};
use super::row::Row;
use super::{Environment, Flags};
use crate::{Error, Result};

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The default value.
    Default,
    /// The configuration file.
    File {
        /// The file.
        path: PathBuf,
        /// The line in it.
        line: usize,
    },
    /// An environment variable.
    Environment(&'static str),
    /// A flag, without its dashes.
    Flag(&'static str),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::File { path, line } => write!(f, "{}:{line}", path.display()),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "flag --{name}"),
        }
    }
}

/// A value that has not been parsed yet.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Raw {
    Text(String),
    Number(i64),
    Decimal(f64),
    Flag(bool),
    Texts(Vec<String>),
    /// Something no key takes, by the name of its type.
    Other(&'static str),
}

/// A raw value and its origin.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Found {
    pub(super) raw: Raw,
    pub(super) from: Origin,
}

impl Found {
    /// An error that names the place, the key and what would be right.
    pub(super) fn refuse(&self, key: Key, problem: impl fmt::Display) -> Error {
        Error::invalid(format!("{}: `{}` {problem}; write {}", self.from, key.name, key.right))
    }

    /// The value as text.
    pub(super) fn text(&self, key: Key) -> Result<&str> {
        match &self.raw {
            Raw::Text(text) if text.trim().is_empty() => Err(self.refuse(key, "is empty")),
            Raw::Text(text) => Ok(text),
            Raw::Number(_) | Raw::Decimal(_) => Err(self.refuse(key, "is a number")),
            other => Err(self.refuse(key, format_args!("is of type {}", other.kind()))),
        }
    }

    /// The value as a number; only a file can tell a number from text.
    pub(super) fn number(&self, key: Key) -> Result<i64> {
        match (&self.raw, &self.from) {
            (Raw::Number(number), _) => Ok(*number),
            (Raw::Decimal(number), _) => Err(self.refuse(key, format_args!("is {number}"))),
            (Raw::Text(_), Origin::File { .. }) => Err(self.refuse(key, "is text")),
            (Raw::Text(text), _) => text
                .trim()
                .parse()
                .map_err(|_| self.refuse(key, format_args!("is {text:?}, which is no number"))),
            (other, _) => Err(self.refuse(key, format_args!("is of type {}", other.kind()))),
        }
    }
}

impl Raw {
    /// The name of its type.
    fn kind(&self) -> &'static str {
        match self {
            Self::Text(_) => "string",
            Self::Number(_) => "integer",
            Self::Decimal(_) => "float",
            Self::Flag(_) => "boolean",
            Self::Texts(_) => "array",
            Self::Other(kind) => kind,
        }
    }
}

impl Found {
    /// The value as an amount of money: a number, whole or not, not below zero.
    pub(super) fn amount(&self, key: Key) -> Result<f64> {
        let number = match &self.raw {
            Raw::Decimal(number) => *number,
            Raw::Text(text) if !matches!(self.from, Origin::File { .. }) => {
                let wrong = |_| self.refuse(key, format_args!("is {text:?}, which is no number"));
                text.trim().parse().map_err(wrong)?
            }
            _ => self.number(key)? as f64,
        };
        if number.is_finite() && number >= 0.0 {
            Ok(number)
        } else {
            Err(self.refuse(key, format_args!("is {number}")))
        }
    }
}

/// All that was set, the strongest layer on top.
#[derive(Debug, Default)]
pub(super) struct Layers {
    values: BTreeMap<&'static str, Found>,
    rows: Vec<Row>,
}

impl Layers {
    /// Reads the three layers.
    pub(super) fn read(
        file: Option<&Path>,
        environment: &Environment,
        flags: &Flags,
    ) -> Result<Self> {
        let mut layers = Self::default();
        if let Some(path) = file {
            layers.add_file(path)?;
        }
        layers.add_environment(environment)?;
        for (key, flag, value) in flags.values() {
            layers.put(key, Raw::Text(value.to_owned()), Origin::Flag(flag));
        }
        Ok(layers)
    }

    /// What was set for this key.
    pub(super) fn find(&self, key: Key) -> Option<&Found> {
        self.values.get(key.name)
    }

    /// The tables of this name that stand in double brackets, in order.
    pub(super) fn rows(&self, table: &'static str) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(move |row| row.table == table)
    }

    fn put(&mut self, key: Key, raw: Raw, from: Origin) {
        self.values.insert(key.name, Found { raw, from });
    }

    fn add_file(&mut self, path: &Path) -> Result<()> {
        let text = std::fs::read_to_string(path).map_err(|error| {
            Error::invalid(format!("cannot read the configuration {}: {error}", path.display()))
        })?;
        let table = DeTable::parse(&text).map_err(|error| {
            let line = error.span().map_or(1, |span| line_of(&text, span.start));
            let problem = error.message();
            Error::invalid(format!("{}:{line}: not valid TOML: {problem}", path.display()))
        })?;
        let mut unknown = Vec::new();
        let file = SettingsFile { path, text: &text };
        self.add_table(&file, "", table.get_ref(), &mut unknown)?;
        unknown.sort_by_key(|(place, _)| *place);
        refuse_all(unknown.into_iter().map(|(_, error)| error))
    }

    /// Adds what a table sets; `unknown` gets the keys that no setting has, with their places, so that all of
    /// them are reported at once.
    fn add_table(
        &mut self,
        source: &SettingsFile<'_>,
        prefix: &str,
        table: &DeTable<'_>,
        unknown: &mut Vec<(usize, Error)>,
    ) -> Result<()> {
        for (name, value) in table {
            let full = format!("{prefix}{}", name.get_ref());
            let from = source.origin(name.span().start);
            match (value.get_ref(), key::named(&full)) {
                (DeValue::Array(rows), _) if key::REPEATED.contains(&full.as_str()) => {
                    for row in rows {
                        self.rows.push(Row::read(source, &full, row)?);
                    }
                }
                (value, Some(key)) => self.put(key, raw(value), from),
                (DeValue::Table(inner), None) if key::is_table(&full) => {
                    self.add_table(source, &format!("{full}."), inner, unknown)?;
                }
                (_, None) => unknown.push((name.span().start, unknown_key(&full, &from))),
            }
        }
        Ok(())
    }

    fn add_environment(&mut self, environment: &Environment) -> Result<()> {
        let mut unknown = Vec::new();
        for (name, value) in environment.ours() {
            let known = KEYS.into_iter().find(|key| key.variable == name);
            match known {
                Some(key) if !value.is_empty() => {
                    let from = Origin::Environment(key.variable);
                    self.put(key, Raw::Text(value.to_owned()), from);
                }
                Some(_) => {}
                None if key::OTHER_VARIABLES.contains(&name) => {}
                None => {
                    let help = key::suggest_variable(name);
                    let message = format!("unknown environment variable {name}; {help}");
                    unknown.push(Error::invalid(message));
                }
            }
        }
        refuse_all(unknown.into_iter())
    }
}

/// One error of several, a line each.
fn refuse_all(errors: impl Iterator<Item = Error>) -> Result<()> {
    let messages: Vec<String> = errors.map(|error| error.message().to_owned()).collect();
    if messages.is_empty() { Ok(()) } else { Err(Error::invalid(messages.join("\n"))) }
}

fn unknown_key(name: &str, from: &Origin) -> Error {
    if key::is_table(name) {
        return Error::invalid(format!(
            "{from}: `{name}` is a table; write [{name}] above its keys"
        ));
    }
    Error::invalid(format!("{from}: unknown key `{name}`; {}", key::suggest_key(name)))
}

/// The file being read.
pub(super) struct SettingsFile<'a> {
    path: &'a Path,
    text: &'a str,
}

impl SettingsFile<'_> {
    pub(super) fn origin(&self, place: usize) -> Origin {
        Origin::File { path: self.path.to_owned(), line: line_of(self.text, place) }
    }
}

fn line_of(text: &str, place: usize) -> usize {
    text.as_bytes().iter().take(place).filter(|byte| **byte == b'\n').count() + 1
}

/// The items of an array, if all are text.
fn texts(items: &toml::de::DeArray<'_>) -> Option<Vec<String>> {
    let text = |item: &toml::Spanned<DeValue<'_>>| Some(item.get_ref().as_str()?.to_owned());
    items.iter().map(text).collect()
}

pub(super) fn raw(value: &DeValue<'_>) -> Raw {
    let number = |value: &toml::de::DeInteger<'_>| {
        i64::from_str_radix(value.as_str(), value.radix())
            .map_or(Raw::Other("integer"), Raw::Number)
    };
    match value {
        DeValue::String(text) => Raw::Text(text.clone().into_owned()),
        DeValue::Integer(value) => number(value),
        DeValue::Float(value) => value.as_str().parse().map_or(Raw::Other("float"), Raw::Decimal),
        DeValue::Boolean(value) => Raw::Flag(*value),
        DeValue::Array(items) => texts(items).map_or(Raw::Other("array"), Raw::Texts),
        other => Raw::Other(other.type_str()),
    }
}
