//! The memory server of the Model Context Protocol: `memory.jsonl` with entities and relations. It has
//! no times.

use everwhen_engine::memory::{Role, TimeFrom, TimePrecision};
use serde_json::Value;

use super::Source;
use crate::import::moment::Moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::thread::{Message, Thread};

/// The MCP memory server.
pub(super) static SOURCE: Source = Source {
    name: "mcp-memory",
    title: "MCP memory server",
    takes: "memory.jsonl (or memory.json)",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_ours = |one: &Value| match one["type"].as_str() {
        Some("entity") => has(one, &["name", "observations"]),
        Some("relation") => has(one, &["from", "to", "relationType"]),
        _ => false,
    };
    Claim::when(sample.any_line(is_ours) || sample.any(is_ours))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let mut thread = Thread::new("mcp-memory", document.place.as_str());
        // The time of the file is the only one there is: everything is older than that.
        thread.created = document
            .modified
            .map(|at| Moment::utc(at, TimePrecision::Unknown).found(TimeFrom::File));
        reading.lines(document, &mut |reading, _, line| match line["type"].as_str() {
            Some("entity") => {
                let name = line["name"].as_str().unwrap_or_default();
                for seen in line["observations"].as_array().into_iter().flatten() {
                    let seen =
                        seen.as_str().or_else(|| seen["content"].as_str()).unwrap_or_default();
                    thread.messages.push(fact(format!("{name}: {seen}"), &thread.created));
                }
            }
            Some("relation") => {
                let field = |field: &str| line[field].as_str().unwrap_or_default();
                let said = format!("{} {} {}", field("from"), field("relationType"), field("to"));
                thread.messages.push(fact(said, &thread.created));
            }
            _ => reading.leave_out("lines of an unknown type"),
        });
        reading.warn(
            "the MCP memory server keeps no times; what it knew is older than its file, and only \
            the time of the file is known",
        );
        reading.take(thread);
    }
}

/// Ids are made of the text, so that a changed time of the file changes nothing.
fn fact(said: String, time: &Option<Moment>) -> Message {
    let id = blake3::hash(said.as_bytes()).to_hex().to_string();
    let mut message = Message::new(Role::User, said, time.clone()).id(id);
    message.tags.push("memory".to_owned());
    message
}
