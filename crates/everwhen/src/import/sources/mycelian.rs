//! Mycelian: entries as its REST API lists them.

use everwhen_engine::memory::Role;
use serde_json::Value;

use super::Source;
use crate::import::gaps::take_by_gaps;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::Message;

/// Mycelian.
pub(super) static SOURCE: Source = Source {
    name: "mycelian",
    title: "Mycelian",
    takes: "JSON of its entries, as GET .../entries answers it",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_entry = |one: &Value| has(one, &["entryId", "rawEntry"]);
    let is_page =
        |one: &Value| one["entries"].as_array().is_some_and(|all| all.iter().any(is_entry));
    Claim::when(sample.any(is_entry) || sample.any(is_page) || sample.any_line(is_entry))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let mut messages = Vec::new();
        let mut stored = 0_u64;
        let mut take = |one: &Value| {
            let said = moment::of_value(&one["conversationTime"]);
            stored += u64::from(said.is_none());
            let time = said.or_else(|| moment::of_value(&one["creationTime"]));
            let role = one["metadata"]["role"].as_str().and_then(text::role).unwrap_or(Role::User);
            let mut message =
                Message::new(role, one["rawEntry"].as_str().unwrap_or_default(), time);
            message.id = one["entryId"].as_str().map(str::to_owned);
            let tags = one["tags"].as_array().into_iter().flatten();
            message.tags = tags.filter_map(|tag| tag.as_str().map(str::to_owned)).collect();
            messages.push(message);
        };
        if document.file_name().ends_with("l") {
            reading.lines(document, &mut |_, _, line| take(&line));
        } else {
            reading.elements(document, &["entries"], &mut |_, _, _, one| take(&one));
        }
        if stored > 0 {
            reading.warn(format!("{stored} entries have no conversationTime; they have the time at which they were stored"));
        }
        take_by_gaps(reading, "mycelian", &document.place, messages);
    }
}
