//! One table of several, such as `[[upstream]]`: its fields, and errors that name the line.

use std::collections::BTreeMap;

use toml::de::DeValue;

use super::key;
use super::layer::{Found, Origin, Raw, SettingsFile, raw};
use crate::{Error, Result};

/// A table that stands in double brackets.
#[derive(Debug)]
pub(super) struct Row {
    pub(super) table: &'static str,
    from: Origin,
    fields: BTreeMap<String, Found>,
}

impl Row {
    pub(super) fn read(
        source: &SettingsFile<'_>,
        name: &str,
        value: &toml::Spanned<DeValue<'_>>,
    ) -> Result<Self> {
        let from = source.origin(value.span().start);
        let known = key::REPEATED.into_iter().find(|table| *table == name);
        let table = known.expect("only repeated tables are read as rows");
        let DeValue::Table(inner) = value.get_ref() else {
            return Err(Error::invalid(format!("{from}: write [[{table}]] above its fields")));
        };
        let field = |(name, value): (&toml::Spanned<_>, &toml::Spanned<DeValue<'_>>)| {
            let name: &std::borrow::Cow<'_, str> = name.get_ref();
            let from = source.origin(value.span().start);
            (name.clone().into_owned(), Found { raw: raw(value.get_ref()), from })
        };
        let fields = inner.iter().map(field).collect();
        Ok(Self { table, from, fields })
    }

    /// Refuses fields other than these.
    pub(super) fn only(&self, known: &[&str]) -> Result<()> {
        match self.fields.iter().find(|(name, _)| !known.contains(&name.as_str())) {
            None => Ok(()),
            Some((name, found)) => Err(Error::invalid(format!(
                "{}: unknown field `{name}` of [[{}]]; known are {}",
                found.from,
                self.table,
                known.join(", ")
            ))),
        }
    }

    /// A field that holds text, if it is there.
    pub(super) fn text(&self, name: &str) -> Result<Option<&str>> {
        match self.fields.get(name).map(|found| &found.raw) {
            None => Ok(None),
            Some(Raw::Text(text)) if !text.trim().is_empty() => Ok(Some(text)),
            Some(_) => Err(self.refuse(name, "text")),
        }
    }

    /// A field that is true or false, if it is there.
    pub(super) fn flag(&self, name: &str) -> Result<Option<bool>> {
        match self.fields.get(name).map(|found| &found.raw) {
            None => Ok(None),
            Some(Raw::Flag(value)) => Ok(Some(*value)),
            Some(_) => Err(self.refuse(name, "true or false")),
        }
    }

    /// A field that holds a list of texts; none if it is not there. `right` ends "write …".
    pub(super) fn texts(&self, name: &str, right: &str) -> Result<&[String]> {
        match self.fields.get(name).map(|found| &found.raw) {
            None => Ok(&[]),
            Some(Raw::Texts(texts)) => Ok(texts),
            Some(_) => Err(self.refuse(name, right)),
        }
    }

    /// A field that holds an amount of money, if it is there.
    pub(super) fn amount(&self, name: &str) -> Result<Option<f64>> {
        let amount = match self.fields.get(name).map(|found| &found.raw) {
            None => return Ok(None),
            Some(Raw::Number(number)) => Some(*number as f64),
            Some(Raw::Decimal(number)) => Some(*number),
            Some(_) => None,
        };
        let amount = amount.filter(|amount| amount.is_finite() && *amount >= 0.0);
        amount.map(Some).ok_or_else(|| self.refuse(name, "an amount, such as 0.15"))
    }

    /// Every field, as one would write it without quotes.
    pub(super) fn written(&self) -> impl Iterator<Item = (&str, Result<String>)> {
        self.fields.iter().map(|(name, found)| {
            let written = match &found.raw {
                Raw::Text(text) => Ok(text.clone()),
                Raw::Number(number) => Ok(number.to_string()),
                _ => Err(self.refuse(name, "text or a whole number")),
            };
            (name.as_str(), written)
        })
    }

    /// Where a field stands.
    pub(super) fn place(&self, name: &str) -> &Origin {
        self.fields.get(name).map_or(&self.from, |found| &found.from)
    }

    /// A field is wrong; `right` ends the sentence "write …".
    pub(super) fn refuse(&self, name: &str, right: &str) -> Error {
        let (place, table) = (self.place(name), self.table);
        Error::invalid(format!("{place}: `{name}` of [[{table}]] is wrong; write {right}"))
    }

    /// A field is absent that must be there.
    pub(super) fn lacks(&self, name: &str, right: &str) -> Error {
        let (place, table) = (&self.from, self.table);
        Error::invalid(format!("{place}: [[{table}]] lacks `{name}`; write {right}"))
    }
}
