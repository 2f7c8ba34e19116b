//! Discord: JSON of DiscordChatExporter, and `messages.json` of Discord's own data package.

use everwhen_engine::memory::{Role, TimeFrom, TimePrecision};
use jiff::Timestamp;
use serde_json::{Map, Value};

use super::Source;
use crate::import::gaps::take_by_gaps;
use crate::import::moment::{self, Moment};
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::Message;

/// Discord.
pub(super) static SOURCE: Source = Source {
    name: "discord",
    title: "Discord",
    takes: "JSON of DiscordChatExporter, or messages.json of the data package",
    folders: &[],
    claims,
    read,
};

/// Discord counts milliseconds from 2015-01-01.
const EPOCH: i64 = 1_420_070_400_000;

fn claims(sample: &Sample<'_>) -> Claim {
    let is_exported = |one: &Value| {
        has(one, &["channel", "messages"]) && (has(one, &["guild"]) || has(one, &["exportedAt"]))
    };
    let is_package = |one: &Value| has(one, &["ID", "Timestamp", "Contents"]);
    Claim::when(sample.any(is_exported) || sample.any(is_package))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let folder = document.name.rsplit('/').nth(1).unwrap_or("discord").to_owned();
        let (mut name, mut messages) = (None, Vec::new());
        reading.elements(document, &["messages"], &mut |reading, head, _, one| {
            if has(&one, &["messages"]) {
                return;
            }
            name.get_or_insert_with(|| channel(head, &folder));
            messages.extend(message(reading, &one));
        });
        let name = name.unwrap_or(folder);
        take_by_gaps(reading, &name, &document.place, messages);
        if reading.is_stopped() {
            return;
        }
    }
}

fn channel(head: &Map<String, Value>, folder: &str) -> String {
    let field = |one: &str| head.get(one).and_then(|one| one["name"].as_str());
    match (field("guild"), field("channel")) {
        (Some(guild), Some(channel)) => format!("{guild} #{channel}"),
        (None, Some(channel)) => channel.to_owned(),
        _ => folder.to_owned(),
    }
}

fn message(reading: &mut Reading<'_>, one: &Value) -> Option<Message> {
    let id = one.get("id").or_else(|| one.get("ID"))?;
    let id = id.as_str().map_or_else(|| id.to_string(), str::to_owned);
    let kind = one["type"].as_str().unwrap_or("Default");
    if !matches!(kind, "Default" | "Reply" | "ThreadStarterMessage" | "0" | "19") {
        reading.leave_out("notices of the program");
        return None;
    }
    let stated = one.get("timestamp").or_else(|| one.get("Timestamp")).and_then(moment::of_value);
    let content = one["content"].as_str().or_else(|| one["Contents"].as_str()).unwrap_or_default();
    let mut parts = vec![content.to_owned()];
    for file in one["attachments"].as_array().into_iter().flatten() {
        let name = file["fileName"].as_str().unwrap_or_default();
        parts.push(text::attachment("file", name, file["fileSizeBytes"].as_u64()));
    }
    let author = &one["author"];
    let role = if author["isBot"].as_bool() == Some(true) { Role::Assistant } else { Role::User };
    let speaker = author["nickname"]
        .as_str()
        .filter(|name| !name.is_empty())
        .or_else(|| author["name"].as_str());
    let time = stated.or_else(|| snowflake(&id));
    Some(Message::new(role, text::join(parts.iter().map(String::as_str)), time).by(speaker).id(id))
}

/// The time in an id of Discord.
fn snowflake(id: &str) -> Option<Moment> {
    let number: i64 = id.parse().ok().filter(|number| *number > 1 << 40)?;
    let at = Timestamp::from_millisecond((number >> 22) + EPOCH).ok()?;
    Some(Moment::utc(at, TimePrecision::Millisecond).found(TimeFrom::Id).written(id))
}
