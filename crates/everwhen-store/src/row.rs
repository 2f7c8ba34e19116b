//! What a column holds as JSON: lists, the rules of a vault, receipts, replies of models.

mod receipt;
mod reply;

pub(crate) use receipt::{read_receipt, write_receipt};
pub(crate) use reply::{read_reply, write_reply};

use everwhen_engine::memory::{Lifecycle, Name, Retention, Settings};
use everwhen_engine::{Error, Result};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// An instant as it is written in JSON: microseconds since 1970.
fn micros(instant: Timestamp) -> i64 {
    instant.as_microsecond()
}

/// An instant from JSON.
fn instant(micros: i64) -> Result<Timestamp> {
    Timestamp::from_microsecond(micros).map_err(|_| damaged("time", micros))
}

fn damaged(what: &str, value: impl std::fmt::Display) -> Error {
    Error::damaged(format!("the database holds an impossible {what}: {value}"))
}

/// A list of names as JSON; nothing if it is empty.
pub(crate) fn names_json(names: &[Name]) -> Option<String> {
    let texts: Vec<&str> = names.iter().map(Name::as_str).collect();
    (!texts.is_empty())
        .then(|| serde_json::to_string(&texts).expect("a list of strings can be written as JSON"))
}

/// A list of texts as JSON.
pub(crate) fn texts_json(texts: &[String]) -> String {
    serde_json::to_string(texts).expect("a list of strings can be written as JSON")
}

/// A list of texts from JSON.
pub(crate) fn texts(json: &str) -> Result<Vec<String>> {
    serde_json::from_str(json).map_err(|error| damaged("list of texts", error))
}

fn lifecycle(text: Option<String>) -> Result<Option<Lifecycle>> {
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
    #[serde(default, skip_serializing_if = "Option::is_none")]
    cooling_minutes: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    closed_minutes: Option<u32>,
}

pub(crate) fn settings_json(settings: &Settings) -> String {
    let row = SettingsRow {
        idle_timeout_minutes: settings.idle_timeout_minutes,
        conversations_retained: settings.conversations_retained,
        state_timeout_minutes: settings.state_timeout_minutes,
        retention: settings.retention.as_str().into(),
        lifecycle: settings.lifecycle.map(|lifecycle| lifecycle.as_str().into()),
        cooling_minutes: settings.cooling_minutes,
        closed_minutes: settings.closed_minutes,
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
        cooling_minutes: row.cooling_minutes,
        closed_minutes: row.closed_minutes,
    })
}
