//! MemPalace: drawers, whose only time is when they were filed.

use everwhen_engine::memory::{Role, TimeFrom, TimePrecision};
use serde_json::Value;

use super::Source;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::thread::{Message, Thread};

/// MemPalace.
pub(super) static SOURCE: Source = Source {
    name: "mempalace",
    title: "MemPalace",
    takes: "JSON of its drawers: [{\"document\", \"metadata\": {\"wing\", \"room\", \"filed_at\"}}]",
    folders: &[],
    claims,
    read,
};

fn is_drawer(one: &Value) -> bool {
    one["document"].is_string()
        && (has(&one["metadata"], &["wing"]) || has(&one["metadata"], &["filed_at"]))
}

fn claims(sample: &Sample<'_>) -> Claim {
    let is_page =
        |one: &Value| one["drawers"].as_array().is_some_and(|all| all.iter().any(is_drawer));
    Claim::when(sample.any(is_drawer) || sample.any(is_page) || sample.any_line(is_drawer))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let mut thread = Thread::new("mempalace", document.place.as_str());
        let mut take = |one: &Value| {
            let about = &one["metadata"];
            // It was said before it was filed; how long before is not known.
            let time = moment::of_value(&about["filed_at"])
                .map(|time| time.to(TimePrecision::Unknown).found(TimeFrom::Export));
            let said = one["document"].as_str().unwrap_or_default();
            let mut message = Message::new(Role::User, said, time);
            let hash = || blake3::hash(said.as_bytes()).to_hex().to_string();
            message.id = Some(one["id"].as_str().map_or_else(hash, str::to_owned));
            let places = [&about["wing"], &about["room"]];
            message.tags =
                places.iter().filter_map(|tag| tag.as_str().map(str::to_owned)).collect();
            thread.messages.push(message);
        };
        if document.file_name().ends_with(".jsonl") {
            reading.lines(document, &mut |_, _, line| take(&line));
        } else {
            reading.elements(document, &["drawers"], &mut |_, _, _, one| take(&one));
        }
        reading.warn("MemPalace keeps no times of what was said, only when it was filed; import the original \
            chats instead if you have them");
        reading.take(thread);
    }
}
