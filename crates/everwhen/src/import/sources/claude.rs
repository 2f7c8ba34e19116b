//! Claude.ai: `conversations.json` of a data export, with or without parent links, and what stands
//! beside it.

use serde_json::Value;

use super::Source;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Message, Thread, TreeMessage};

/// Claude.ai.
pub(super) static SOURCE: Source = Source {
    name: "claude",
    title: "Claude.ai",
    takes: "the zip of a data export, or conversations.json of it",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_ours = |one: &Value| {
        one["chat_messages"].is_array()
            || one.get("conversations_memory").is_some()
            || has(one, &["prompt_template", "docs", "uuid"])
    };
    Claim::when(lists_downloads(&sample.text) || sample.any(is_ours))
}

/// Whether this is the list of downloads that Claude.ai hands out since August 2026 instead of the export.
fn lists_downloads(text: &str) -> bool {
    text.contains("conversations-000.zip")
        && text.contains("https://")
        && !text.contains("chat_messages")
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        if Sample::of(document).is_ok_and(|sample| lists_downloads(&sample.text)) {
            reading.problem(
                document,
                "this file only lists downloads; fetch its parts (conversations-000.zip \
                and so on) with your browser, and import the folder they are in",
            );
            continue;
        }
        reading.elements(document, &["conversations"], &mut |reading, _, index, one| {
            let place = format!("{}: conversation {}", document.place, index + 1);
            if one["chat_messages"].is_array() {
                take(reading, &one, &place);
            } else if one.get("conversations_memory").is_some() {
                memories(reading, &one, &place);
            } else {
                reading.leave_out("projects");
            }
        });
        if reading.is_stopped() {
            return;
        }
    }
}

fn take(reading: &mut Reading<'_>, conversation: &Value, place: &str) {
    let id = conversation["uuid"].as_str().unwrap_or_default();
    let mut thread = Thread::new(id, place);
    thread.title = conversation["name"].as_str().map(str::to_owned);
    thread.summary = conversation["summary"].as_str().map(str::to_owned);
    thread.created = moment::of_value(&conversation["created_at"]);
    let list = conversation["chat_messages"].as_array().map_or(&[][..], Vec::as_slice);
    let is_tree = list.iter().any(|message| message.get("parent_message_uuid").is_some());
    let mut before: Option<String> = None;
    let mut nodes = Vec::new();
    for (index, message) in list.iter().enumerate() {
        let own = message["uuid"].as_str().map_or_else(|| format!("#{index}"), str::to_owned);
        let parent = match is_tree {
            true => message["parent_message_uuid"].as_str().map(str::to_owned),
            false => before.replace(own.clone()),
        };
        let taken = self::message(reading, message)
            .map(|one| one.id(format!("{id}/{own}")).beside(&message["everwhen"]));
        nodes.push(TreeMessage { id: own, parent, message: taken });
    }
    thread.take_tree(
        nodes,
        before.as_deref().or_else(|| conversation["current_leaf_message_uuid"].as_str()),
    );
    reading.take(thread);
}

fn message(reading: &mut Reading<'_>, message: &Value) -> Option<Message> {
    let sender = message["sender"].as_str().or_else(|| message["role"].as_str())?;
    let role = text::role(sender)?;
    let mut tools = Vec::new();
    let blocks = message["content"].as_array().map_or(&[][..], Vec::as_slice);
    for block in blocks {
        if block["type"].as_str() == Some("tool_use") {
            tools.extend(block["name"].as_str().map(str::to_owned));
        }
    }
    let mut said = text::of_content(&message["content"], &mut |kind| match kind {
        "thinking" => reading.leave_out("thoughts"),
        "tool_use" | "tool_result" => reading.leave_out("tool messages"),
        other => reading.leave_out(&format!("block of type {other}")),
    });
    if said.trim().is_empty() {
        said = message["text"].as_str().unwrap_or_default().to_owned();
    }
    let is_alone = said.trim().is_empty();
    let mut parts = vec![said];
    for file in message["attachments"].as_array().map_or(&[][..], Vec::as_slice) {
        let name = file["file_name"].as_str().unwrap_or_default();
        parts.push(text::attachment("file", name, file["file_size"].as_u64()));
        if is_alone {
            parts.extend(file["extracted_content"].as_str().map(str::to_owned));
        }
    }
    for file in message["files"].as_array().map_or(&[][..], Vec::as_slice) {
        parts.push(text::attachment("file", file["file_name"].as_str().unwrap_or_default(), None));
    }
    let said = text::join(parts.iter().map(String::as_str));
    let mut taken = Message::new(role, said, moment::of_value(&message["created_at"]));
    taken.tools = tools;
    Some(taken)
}

/// What Claude remembers has no dates: it is taken only at a time that the person states.
fn memories(reading: &mut Reading<'_>, one: &Value, place: &str) {
    let mut thread = Thread::new("memories", place);
    let account = one["account_uuid"].as_str().unwrap_or_default();
    let mut texts: Vec<(&str, &str)> = Vec::new();
    texts.extend(one["conversations_memory"].as_str().map(|text| ("all", text)));
    let projects = one["project_memories"].as_object();
    texts.extend(
        projects.into_iter().flatten().filter_map(|(id, text)| Some((id.as_str(), text.as_str()?))),
    );
    for (id, said) in texts {
        let role = everwhen_engine::memory::Role::Assistant;
        let mut message = Message::new(role, said, None).id(format!("memories/{account}/{id}"));
        message.tags.push("memory".to_owned());
        thread.messages.push(message);
    }
    reading.take(thread);
}
