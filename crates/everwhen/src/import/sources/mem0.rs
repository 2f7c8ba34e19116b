//! mem0: the answer of `get_all`. Its times are when a memory was stored.

use everwhen_engine::memory::Role;
use serde_json::Value;

use super::Source;
use super::rows::at_path;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::thread::{Message, Thread};

/// mem0.
pub(super) static SOURCE: Source = Source {
    name: "mem0",
    title: "mem0",
    takes: "JSON of get_all: {\"results\": [{\"id\", \"memory\", \"created_at\"}]}",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_memory = |one: &Value| has(one, &["id", "memory"]);
    let is_page =
        |one: &Value| one["results"].as_array().is_some_and(|all| all.iter().any(is_memory));
    Claim::when(sample.any(is_memory) || sample.any(is_page) || sample.any_line(is_memory))
}

fn read(reading: &mut Reading<'_>) {
    let field = reading.options.fields.time.clone();
    for document in reading.documents() {
        let mut thread = Thread::new("mem0", document.place.as_str());
        let mut take = |one: &Value| {
            let asked = field.as_deref().and_then(|field| moment::of_value(at_path(one, field)));
            let time = asked.or_else(|| moment::of_value(&one["created_at"]));
            let mut message =
                Message::new(Role::User, one["memory"].as_str().unwrap_or_default(), time);
            message.id = one["id"].as_str().map(str::to_owned);
            message.tags.push("memory".to_owned());
            for name in ["user_id", "agent_id", "run_id", "metadata"] {
                if let Some(value) = one.get(name).filter(|value| !value.is_null()) {
                    message.more.insert(name.to_owned(), value.clone());
                }
            }
            thread.messages.push(message);
        };
        if document.file_name().ends_with(".jsonl") {
            reading.lines(document, &mut |_, _, line| take(&line));
        } else {
            reading.elements(document, &["results"], &mut |_, _, _, one| take(&one));
        }
        if field.is_none() {
            reading.warn(
                "mem0 has only the times at which memories were stored; if yours have a date, name \
                it with --time-field, such as metadata.date",
            );
        }
        thread.messages.sort_by_key(|message| message.time.as_ref().map(|time| time.at));
        reading.take(thread);
    }
}
