//! Copilot CLI: `~/.copilot/session-state/<id>/events.jsonl`.

use everwhen_engine::memory::Role;
use serde_json::Value;

use super::Source;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Message, Thread};

/// Copilot CLI.
pub(super) static SOURCE: Source = Source {
    name: "copilot-cli",
    title: "Copilot CLI",
    takes: "events.jsonl from ~/.copilot/session-state",
    folders: &[".copilot/session-state"],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_event = |one: &Value| {
        let kind = one["type"].as_str().unwrap_or_default();
        has(one, &["data", "timestamp"])
            && ["session.", "user.message", "assistant."]
                .iter()
                .any(|start| kind.starts_with(start))
    };
    Claim::when(sample.any_line(is_event))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let folder = document.name.rsplit('/').nth(1).unwrap_or(document.file_name());
        let mut thread = Thread::new(folder, document.place.as_str());
        reading.lines(document, &mut |reading, number, line| {
            let data = &line["data"];
            let role = match line["type"].as_str().unwrap_or_default() {
                "user.message" => Role::User,
                "assistant.message" => Role::Assistant,
                "session.start" => {
                    if let Some(id) = data["sessionId"].as_str() {
                        id.clone_into(&mut thread.id);
                    }
                    thread.created = moment::of_value(&line["timestamp"]);
                    return;
                }
                kind if kind.starts_with("tool.") => return reading.leave_out("tool messages"),
                kind => return reading.leave_out(&format!("events of type {kind}")),
            };
            let said = text::of_content(&data["content"], &mut |_| {});
            let time = moment::of_value(&line["timestamp"]);
            let mut message = Message::new(role, said, time).model(data["model"].as_str());
            let calls = data["toolRequests"].as_array().into_iter().flatten();
            message.tools =
                calls.filter_map(|call| call["name"].as_str().map(str::to_owned)).collect();
            let id = line["id"].as_str().map_or_else(|| number.to_string(), str::to_owned);
            thread.messages.push(message.id(format!("{folder}/{id}")));
        });
        reading.take(thread);
        if reading.is_stopped() {
            return;
        }
    }
}
