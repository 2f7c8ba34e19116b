//! LM Studio: `*.conversation.json`. Messages have no times, but the steps of a reply begin with one.

use everwhen_engine::memory::{Role, TimeFrom};
use serde_json::Value;

use super::Source;
use crate::import::moment::{self, Moment};
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Branch, Message, Thread};

/// LM Studio.
pub(super) static SOURCE: Source = Source {
    name: "lmstudio",
    title: "LM Studio",
    takes: "*.conversation.json from ~/.lmstudio/conversations",
    folders: &[".lmstudio/conversations"],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_ours = |one: &Value| {
        has(one, &["createdAt"])
            && one["messages"]
                .as_array()
                .is_some_and(|all| all.iter().any(|m| m["versions"].is_array()))
    };
    Claim::when(sample.any(is_ours))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let Some(conversation) = reading.value(document) else { continue };
        let id = document.file_name().trim_end_matches(".json").trim_end_matches(".conversation");
        let mut thread = Thread::new(id, document.place.as_str());
        thread.title = conversation["name"].as_str().map(str::to_owned);
        thread.created = moment::of_value(&conversation["createdAt"]);
        let mut before: Option<Moment> = None;
        for (index, turn) in conversation["messages"].as_array().into_iter().flatten().enumerate() {
            let versions = turn["versions"].as_array().map_or(&[][..], Vec::as_slice);
            let current = turn["currentlySelected"].as_u64().unwrap_or(0);
            let current =
                usize::try_from(current).unwrap_or(0).min(versions.len().saturating_sub(1));
            for (number, version) in versions.iter().enumerate() {
                let Some(message) = message(reading, version) else { continue };
                let message = message.id(format!("{id}/{index}/{number}"));
                if number == current {
                    before = message.time.clone().or(before);
                    thread.messages.push(message);
                } else {
                    let (at, after) = (None, before.clone());
                    thread.branches.push(Branch { at, after, messages: vec![message] });
                }
            }
        }
        reading.take(thread);
        if reading.is_stopped() {
            return;
        }
    }
}

fn message(reading: &mut Reading<'_>, version: &Value) -> Option<Message> {
    let role = text::role(version["role"].as_str()?)?;
    let mut parts = vec![text::of_content(&version["content"], &mut |_| {})];
    let (mut time, mut model) = (None, version["senderInfo"]["senderName"].as_str());
    for step in version["steps"].as_array().into_iter().flatten() {
        let id = step["stepIdentifier"].as_str().unwrap_or_default();
        time = time.or_else(|| {
            let millis = id.split('-').next().unwrap_or_default();
            moment::of_text(millis).map(|time| time.found(TimeFrom::Id).written(id))
        });
        model = step["genInfo"]["identifier"].as_str().or(model);
        match (step["type"].as_str(), step["style"]["type"].as_str()) {
            (_, Some("thinking")) => reading.leave_out("thoughts"),
            (Some("contentBlock") | None, _) => {
                parts.push(text::of_content(&step["content"], &mut |_| {}));
            }
            _ => reading.leave_out("tool messages"),
        }
    }
    let model = model.filter(|_| role == Role::Assistant);
    Some(Message::new(role, text::join(parts.iter().map(String::as_str)), time).model(model))
}
