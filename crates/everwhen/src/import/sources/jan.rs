//! Jan: `threads/<id>/messages.jsonl` with `thread.json` beside it.

use serde_json::Value;

use super::Source;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Message, Thread};

/// Jan.
pub(super) static SOURCE: Source = Source {
    name: "jan",
    title: "Jan",
    takes: "the folder threads of its data folder",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_message = |one: &Value| {
        one["object"].as_str() == Some("thread.message")
            || has(one, &["thread_id", "role", "content"])
    };
    let is_thread = sample.file == "thread.json" && sample.any(|one| has(one, &["id", "title"]));
    Claim::when(is_thread || sample.any_line(is_message))
}

fn read(reading: &mut Reading<'_>) {
    let documents = reading.documents();
    for document in documents.into_iter().filter(|one| one.file_name() != "thread.json") {
        let folder = document.name.rsplit('/').nth(1).unwrap_or(document.file_name());
        let mut thread = Thread::new(folder, document.place.as_str());
        if let Some(about) =
            reading.beside(document, "thread.json").and_then(|file| reading.value(file))
        {
            thread.title = about["title"].as_str().map(str::to_owned);
            thread.created =
                ["created", "created_at"].iter().find_map(|field| moment::of_value(&about[*field]));
        }
        reading.lines(document, &mut |reading, _, line| {
            if let Some(id) = line["thread_id"].as_str() {
                id.clone_into(&mut thread.id);
            }
            let Some(role) = line["role"].as_str().and_then(text::role) else {
                return reading.leave_out("messages of an unknown role");
            };
            let said = text::of_content(&line["content"], &mut |kind| match kind {
                "reasoning" => reading.leave_out("thoughts"),
                "tool_call" => reading.leave_out("tool messages"),
                other => reading.leave_out(&format!("block of type {other}")),
            });
            let own = line["id"].as_str().unwrap_or_default();
            let time = moment::of_value(&line["created_at"]).or_else(|| moment::of_id(own));
            let model = line["metadata"]["model"].as_str();
            let mut message = Message::new(role, said, time).model(model);
            message.id = (!own.is_empty()).then(|| own.to_owned());
            thread.messages.push(message);
        });
        reading.take(thread);
        if reading.is_stopped() {
            return;
        }
    }
}
