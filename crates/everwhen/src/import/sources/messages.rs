//! Files for training: OpenAI's `{"messages": [...]}` and ShareGPT's `{"conversations": [...]}`, as JSON
//! or lines of JSON; also what Everwhen exports in this form. Times are optional there.

use serde_json::{Map, Value};

use super::Source;
use super::rows::at_path;
use crate::import::moment::{self, Moment};
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Message, Thread};

/// OpenAI messages and ShareGPT.
pub(super) static SOURCE: Source = Source {
    name: "messages",
    title: "OpenAI messages or ShareGPT",
    takes: "JSON or JSON lines of {\"messages\": [{\"role\", \"content\"}]} or {\"conversations\": [{\"from\", \"value\"}]}",
    folders: &[],
    claims,
    read,
};

/// Fields that may have a time, on a message or on the whole conversation.
pub(super) const TIMES: [&str; 12] = [
    "timestamp",
    "created_at",
    "createdAt",
    "create_time",
    "conversation_time",
    "created",
    "date",
    "time",
    "datetime",
    "sent_at",
    "updated_at",
    "ts",
];

fn claims(sample: &Sample<'_>) -> Claim {
    let is_ours = |one: &Value| {
        let first = |field: &str| {
            one[field].as_array().and_then(|all| all.first()).cloned().unwrap_or_default()
        };
        // The beginning of a long file may end within its first message.
        let message = first("messages");
        has(&message, &["role"])
            || message["content"].is_string()
            || has(&first("conversations"), &["from"])
            || has(&first("conversations"), &["value"])
    };
    Claim::perhaps(sample.any(is_ours) || sample.any_line(is_ours))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let is_lines = document.beginning().is_ok_and(|text| {
            text.lines()
                .filter(|line| serde_json::from_str::<Value>(line).is_ok_and(|v| v.is_object()))
                .take(2)
                .count()
                > 1
                || (document.file_name().ends_with(".jsonl")
                    || document.file_name().ends_with(".ndjson"))
        });
        let stem =
            document.file_name().rsplit_once('.').map_or(document.file_name(), |(stem, _)| stem);
        if is_lines {
            reading.lines(document, &mut |reading, number, line| {
                take(
                    reading,
                    &line,
                    &format!("{stem}-{number}"),
                    &format!("{}: line {number}", document.place),
                );
            });
        } else {
            reading.elements(document, &[], &mut |reading, _, index, one| {
                let number = index + 1;
                take(
                    reading,
                    &one,
                    &format!("{stem}-{number}"),
                    &format!("{}: conversation {number}", document.place),
                );
            });
        }
        if reading.is_stopped() {
            return;
        }
    }
}

/// The time of a row as it is written there; null if there is none.
pub(super) fn written_time<'v>(reading: &Reading<'_>, one: &'v Value) -> &'v Value {
    match reading.options.fields.time.as_deref() {
        Some(field) => at_path(one, field),
        None => {
            let usual = TIMES.iter().map(|field| &one[*field]);
            usual.into_iter().find(|value| !value.is_null()).unwrap_or(&Value::Null)
        }
    }
}

/// The time of a row: in the field that was named, or in one of the usual ones.
pub(super) fn time_of(reading: &Reading<'_>, one: &Value) -> Option<Moment> {
    let value = written_time(reading, one);
    let local = |text: &str| moment::iso_local(text).or_else(|| moment::date_only(text));
    match value.as_str().filter(|text| moment::stated(text).is_none()).and_then(local) {
        Some(local) => {
            // A text without a zone is in the zone that was stated, or else assumed.
            let written = value.as_str().unwrap_or_default();
            reading.local(local).map(|time| time.written(written))
        }
        None => moment::of_value(value),
    }
}

fn take(reading: &mut Reading<'_>, one: &Value, name: &str, place: &str) {
    let ids = ["conversation_id", "id", "uuid", "session_id"].iter();
    let id = ids.filter_map(|field| one[*field].as_str()).next().unwrap_or(name);
    let mut thread = Thread::new(id, place);
    thread.title = one["title"].as_str().map(str::to_owned);
    thread.created = time_of(reading, one);
    let list = ["messages", "conversations"].iter().find_map(|field| one[*field].as_array());
    for (index, message) in list.into_iter().flatten().enumerate() {
        let role =
            message["role"].as_str().or_else(|| message["from"].as_str()).and_then(text::role);
        let Some(role) = role else {
            reading.leave_out("messages of an unknown role");
            continue;
        };
        let content =
            message.get("content").or_else(|| message.get("value")).unwrap_or(&Value::Null);
        let said = text::of_content(content, &mut |_| {});
        let mut taken = Message::new(role, said, time_of(reading, message))
            .dated_by(written_time(reading, message), || format!("{place}, message {}", index + 1))
            .by(message["name"].as_str());
        taken.id = Some(match message["id"].as_str() {
            Some(own) => format!("{id}/{own}"),
            None => format!("{id}/{index}"),
        });
        taken.more = Map::new();
        thread.messages.push(taken);
    }
    reading.take(thread);
}
