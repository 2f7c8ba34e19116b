//! mcp-memory-service: its JSON export.

use everwhen_engine::memory::Role;
use serde_json::Value;

use super::Source;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::thread::{Message, Thread};

/// mcp-memory-service.
pub(super) static SOURCE: Source = Source {
    name: "mcp-memory-service",
    title: "mcp-memory-service",
    takes: "its JSON export: {\"export_metadata\", \"memories\": [...]}",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_memory = |one: &Value| has(one, &["content", "content_hash"]);
    let is_export = |one: &Value| {
        one["memories"].as_array().is_some_and(|all| all.iter().any(is_memory))
            || has(one, &["export_metadata", "memories"])
    };
    Claim::when(sample.any(is_memory) || sample.any(is_export))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let mut thread = Thread::new("mcp-memory-service", document.place.as_str());
        reading.elements(document, &["memories"], &mut |_, _, _, one| {
            let time = moment::of_value(&one["created_at"])
                .or_else(|| moment::of_value(&one["created_at_iso"]));
            let mut message =
                Message::new(Role::User, one["content"].as_str().unwrap_or_default(), time);
            message.id = one["content_hash"].as_str().map(str::to_owned);
            let tags = one["tags"].as_array().into_iter().flatten();
            message.tags = tags.filter_map(|tag| tag.as_str().map(str::to_owned)).collect();
            if let Some(kind) = one["memory_type"].as_str() {
                message.more.insert("memory_type".to_owned(), kind.into());
            }
            thread.messages.push(message);
        });
        thread.messages.sort_by_key(|message| message.time.as_ref().map(|time| time.at));
        reading.take(thread);
    }
}
