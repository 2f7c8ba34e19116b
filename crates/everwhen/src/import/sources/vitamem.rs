//! Vitamem: rows of its tables `messages` and `memories` as JSON.

use everwhen_engine::memory::{Role, TimePrecision};
use serde_json::Value;

use super::Source;
use crate::import::moment::{self, Moment};
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Message, Thread};

/// Vitamem.
pub(super) static SOURCE: Source = Source {
    name: "vitamem",
    title: "Vitamem",
    takes: "JSON of its tables threads, messages and memories",
    folders: &[],
    claims,
    read,
};

fn is_memory(one: &Value) -> bool {
    has(one, &["content"])
        && (has(one, &["threadId"]) || has(one, &["thread_id"]))
        && (has(one, &["source"])
            || has(one, &["userId"])
            || has(one, &["user_id"])
            || has(one, &["embedding"]))
        && !has(one, &["role"])
}

fn is_message(one: &Value) -> bool {
    has(one, &["threadId", "role", "content"]) && has(one, &["createdAt"])
}

fn claims(sample: &Sample<'_>) -> Claim {
    let is_whole = |one: &Value| {
        let list = |field: &str| one[field].as_array().map_or(&[][..], Vec::as_slice);
        list("memories").iter().any(is_memory) || list("messages").iter().any(is_message)
    };
    Claim::when(sample.any(is_memory) || sample.any(is_message) || sample.any(is_whole))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let Some(data) = reading.value(document) else { continue };
        let mut rows: Vec<&Value> = Vec::new();
        rows.extend(data.as_array().into_iter().flatten());
        for field in ["messages", "memories"] {
            rows.extend(data[field].as_array().into_iter().flatten());
        }
        let mut threads: Vec<Thread> = Vec::new();
        for row in rows {
            let id =
                row["threadId"].as_str().or_else(|| row["thread_id"].as_str()).unwrap_or("vitamem");
            let place = threads.iter().position(|thread| thread.id == id).unwrap_or_else(|| {
                threads.push(Thread::new(id, document.place.as_str()));
                threads.len() - 1
            });
            threads[place].messages.push(message(row));
        }
        for mut thread in threads {
            thread.messages.sort_by_key(|message| message.time.as_ref().map(|time| time.at));
            reading.take(thread);
        }
    }
}

fn message(row: &Value) -> Message {
    let said = row["content"].as_str().unwrap_or_default();
    let stored =
        ["createdAt", "created_at"].iter().find_map(|field| moment::of_value(&row[*field]));
    let (said, mentioned) = mentioned(said);
    let role = row["role"].as_str().and_then(text::role).unwrap_or(Role::User);
    let mut message = Message::new(role, said, mentioned.or(stored));
    message.id = row["id"].as_str().map(str::to_owned);
    if !has(row, &["role"]) {
        message.tags.push("memory".to_owned());
    }
    message
}

/// The day in a suffix `(mentioned 2024-05-01)`; it is better than when the memory was made.
fn mentioned(said: &str) -> (&str, Option<Moment>) {
    let found = said.trim_end().strip_suffix(')').and_then(|text| text.rsplit_once("(mentioned "));
    let day = found.and_then(|(said, day)| Some((said.trim_end(), moment::of_text(day)?)));
    match day {
        Some((said, day)) => (said, Some(day.to(TimePrecision::Day))),
        None => (said, None),
    }
}
