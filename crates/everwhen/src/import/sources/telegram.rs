//! Telegram Desktop: `result.json` of one chat or of the whole account.

use everwhen_engine::memory::{Role, ZoneFrom};
use jiff::SignedDuration;
use serde_json::{Map, Value};

use super::Source;
use crate::import::gaps::GapSplitter;
use crate::import::moment::{self, Moment};
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::Message;

/// Telegram.
pub(super) static SOURCE: Source = Source {
    name: "telegram",
    title: "Telegram Desktop",
    takes: "result.json of an export in the format JSON",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_chat = |one: &Value| {
        let messages = one["messages"].as_array().map_or(&[][..], Vec::as_slice);
        let is_message = |m: &Value| {
            has(m, &["id", "type", "date"])
                && (has(m, &["from"]) || has(m, &["actor"]) || has(m, &["text"]))
        };
        messages.iter().any(is_message)
    };
    let is_account = |one: &Value| one["chats"]["list"].is_array();
    Claim::when(sample.any(is_chat) || sample.any(is_account))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let mut open: Option<TelegramChat> = None;
        reading.chat_messages(document, &mut |reading, head, message| {
            let id = head.get("id").unwrap_or(&Value::Null).to_string();
            if open.as_ref().is_none_or(|chat| chat.id != id) {
                if let Some(before) = open.take() {
                    before.messages.finish(reading);
                }
                open = Some(TelegramChat::new(id, head, &document.place));
            }
            if let Some(chat) = &mut open {
                chat.take(reading, &message);
            }
        });
        if let Some(last) = open {
            last.messages.finish(reading);
        }
        if reading.is_stopped() {
            return;
        }
    }
}

/// The chat whose messages are being read.
struct TelegramChat {
    id: String,
    /// The file.
    place: String,
    /// How far its local times are from UTC, once a message had both.
    offset: Option<SignedDuration>,
    messages: GapSplitter,
}

impl TelegramChat {
    fn new(id: String, head: &Map<String, Value>, place: &str) -> Self {
        let name = head.get("name").and_then(Value::as_str);
        let name = name.map_or_else(|| format!("telegram {id}"), str::to_owned);
        let messages = GapSplitter::new(name, place);
        Self { id, place: place.to_owned(), offset: None, messages }
    }

    fn take(&mut self, reading: &mut Reading<'_>, message: &Value) {
        if message["type"].as_str() != Some("message") {
            reading.leave_out("notices of the program");
            return;
        }
        self.offset = self.offset.or_else(|| offset(message));
        let mut taken =
            Message::new(Role::User, said(message), time(reading, message, self.offset))
                .dated_by(&message["date"], || format!("{}: message {}", self.place, message["id"]))
                .by(message["from"].as_str())
                .id(format!("{}/{}", self.id, message["id"]));
        for field in ["edited_unixtime", "forwarded_from", "reply_to_message_id"] {
            if let Some(value) = message.get(field).filter(|value| !value.is_null()) {
                taken.more.insert(field.to_owned(), value.clone());
            }
        }
        self.messages.push(reading, taken);
    }
}

/// How far local times of this export are from UTC, by a message that has both.
fn offset(message: &Value) -> Option<SignedDuration> {
    let local = moment::iso_local(message["date"].as_str()?)?;
    let known = moment::of_value(&message["date_unixtime"])?;
    let wall = jiff::tz::Offset::UTC.to_timestamp(local.wall).ok()?;
    Some(wall.duration_since(known.at))
}

fn time(reading: &Reading<'_>, message: &Value, offset: Option<SignedDuration>) -> Option<Moment> {
    if let Some(known) = moment::of_value(&message["date_unixtime"]) {
        return Some(known);
    }
    let written = message["date"].as_str()?;
    let local = moment::iso_local(written)?;
    let found = match offset {
        Some(offset) if reading.options.zone.is_none() => {
            local.at_offset(offset, ZoneFrom::Inferred)
        }
        _ => reading.local(local),
    };
    found.map(|moment| moment.written(written))
}

fn said(message: &Value) -> String {
    let text = match &message["text"] {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .map(|part| part.as_str().or_else(|| part["text"].as_str()).unwrap_or_default())
            .collect(),
        _ => String::new(),
    };
    let mut parts = vec![text];
    if let Some(photo) = message["photo"].as_str() {
        parts.push(text::attachment("image", last(photo), None));
    }
    if let Some(file) = message["file"].as_str() {
        let name = message["file_name"].as_str().unwrap_or_else(|| last(file));
        parts.push(text::attachment("file", name, message["file_size"].as_u64()));
    }
    text::join(parts.iter().map(String::as_str))
}

fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
