//! Shapes of rows and columns; the only conversion between what is stored and what it means.
//!
//! Whatever a column cannot mean is reported as damage, with the column's name.

mod facts;
mod receipt;
mod reply;

pub(crate) use facts::{precision, precision_number, relation, source, source_number, written_by};
pub(crate) use receipt::{read_receipt, write_receipt};
pub(crate) use reply::{read_reply, write_reply};

use everwhen_engine::key::Scope;
use everwhen_engine::memory::{
    ContextBy, Lifecycle, Name, Person, Retention, Role, Settings, SummaryBy,
};
use everwhen_engine::{Error, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use uuid::Uuid;

/// An instant as it is kept: microseconds since 1970.
pub(crate) fn micros(instant: Timestamp) -> i64 {
    instant.as_microsecond()
}

/// An instant from its column.
pub(crate) fn instant(micros: i64) -> Result<Timestamp> {
    Timestamp::from_microsecond(micros).map_err(|_| damaged("time", micros))
}

/// An id from its column.
pub(crate) fn id<T: From<Uuid>>(bytes: &[u8]) -> Result<T> {
    Uuid::from_slice(bytes).map(T::from).map_err(|_| damaged("id", bytes.len()))
}

/// A name from its column.
pub(crate) fn name(text: String) -> Result<Name> {
    Name::new("stored name", text).map_err(|error| Error::damaged(error.to_string()))
}

/// A count from its column.
pub(crate) fn count(number: i64) -> Result<u64> {
    u64::try_from(number).map_err(|_| damaged("count", number))
}

/// A count as it is kept. Counts of rows never reach the sign bit.
pub(crate) fn number(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

pub(crate) fn damaged(column: &str, value: impl std::fmt::Display) -> Error {
    Error::damaged(format!("the database holds an impossible {column}: {value}"))
}

/// The scope of a key from its column.
pub(crate) fn scope(text: &str) -> Result<Scope> {
    Scope::named(text).ok_or_else(|| damaged("scope of a key", text))
}

pub(crate) fn role_number(role: Role) -> i64 {
    match role {
        Role::User => 0,
        Role::Assistant => 1,
        Role::System => 2,
        Role::Tool => 3,
    }
}

pub(crate) fn role(number: i64) -> Result<Role> {
    Role::ALL
        .into_iter()
        .find(|role| role_number(*role) == number)
        .ok_or_else(|| damaged("role", number))
}

pub(crate) fn summary_by(text: &str) -> Result<SummaryBy> {
    match text {
        "extractive" => Ok(SummaryBy::Extractive),
        "source" => Ok(SummaryBy::Source),
        "llm" => Ok(SummaryBy::Llm),
        _ => Err(damaged("summary_by", text)),
    }
}

pub(crate) fn context_by(text: &str) -> Result<ContextBy> {
    let found = ContextBy::ALL.into_iter().find(|by| by.as_str() == text);
    found.ok_or_else(|| damaged("writer of a context document", text))
}

/// A list of names as JSON; nothing if it is empty.
pub(crate) fn names_json(names: &[Name]) -> Option<String> {
    let texts: Vec<&str> = names.iter().map(Name::as_str).collect();
    (!texts.is_empty())
        .then(|| serde_json::to_string(&texts).expect("a list of strings can be written as JSON"))
}

pub(crate) fn names(json: Option<String>) -> Result<Vec<Name>> {
    let Some(json) = json else { return Ok(Vec::new()) };
    let texts: Vec<String> =
        serde_json::from_str(&json).map_err(|error| damaged("list of names", error))?;
    texts.into_iter().map(name).collect()
}

/// A list of texts as JSON.
pub(crate) fn texts_json(texts: &[String]) -> String {
    serde_json::to_string(texts).expect("a list of strings can be written as JSON")
}

pub(crate) fn texts(json: String) -> Result<Vec<String>> {
    serde_json::from_str(&json).map_err(|error| damaged("list of texts", error))
}

/// Whose chat a memory is.
pub(crate) fn person(text: Option<String>) -> Result<Option<Person>> {
    let read = |text: String| Person::read(&text).map_err(|_| damaged("person", text.len()));
    text.map(read).transpose()
}

pub(crate) fn lifecycle(text: Option<String>) -> Result<Option<Lifecycle>> {
    let named = |text: String| Lifecycle::named(&text).map_err(|_| damaged("lifecycle", text));
    text.map(named).transpose()
}

/// A vault's rules as they are kept. Later rules get defaults when an older row lacks them.
#[derive(Serialize, Deserialize)]
struct SettingsRow {
    idle_timeout_minutes: u32,
    conversations_retained: u32,
    state_timeout_minutes: u32,
    retention: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lifecycle: Option<String>,
}

pub(crate) fn settings_json(settings: &Settings) -> String {
    let row = SettingsRow {
        idle_timeout_minutes: settings.idle_timeout_minutes,
        conversations_retained: settings.conversations_retained,
        state_timeout_minutes: settings.state_timeout_minutes,
        retention: settings.retention.as_str().into(),
        lifecycle: settings.lifecycle.map(|lifecycle| lifecycle.as_str().into()),
    };
    serde_json::to_string(&row).expect("settings can be written as JSON")
}

pub(crate) fn settings(json: &str) -> Result<Settings> {
    let row: SettingsRow =
        serde_json::from_str(json).map_err(|error| damaged("settings", error))?;
    Ok(Settings {
        idle_timeout_minutes: row.idle_timeout_minutes,
        conversations_retained: row.conversations_retained,
        state_timeout_minutes: row.state_timeout_minutes,
        retention: Retention::named(&row.retention)
            .map_err(|_| damaged("retention", &row.retention))?,
        lifecycle: lifecycle(row.lifecycle)?,
    })
}
