//! LibreChat: the JSON export of a conversation, linear or as a tree.

use serde_json::Value;

use super::Source;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Message, Thread, TreeMessage};

/// LibreChat.
pub(super) static SOURCE: Source = Source {
    name: "librechat",
    title: "LibreChat",
    takes: "the JSON export of a conversation",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_ours = |one: &Value| {
        has(one, &["conversationId"])
            && (one["messages"].is_array() || one["messagesTree"].is_array())
    };
    Claim::when(sample.any(is_ours))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        reading.elements(document, &[], &mut |reading, _, index, conversation| {
            let id = conversation["conversationId"].as_str().unwrap_or_default();
            let mut thread =
                Thread::new(id, format!("{}: conversation {}", document.place, index + 1));
            thread.title = conversation["title"].as_str().map(str::to_owned);
            let mut waiting: Vec<&Value> = ["messages", "messagesTree"]
                .iter()
                .filter_map(|field| conversation[*field].as_array())
                .flatten()
                .collect();
            let mut nodes = Vec::new();
            while let Some(message) = waiting.pop() {
                waiting.extend(message["children"].as_array().into_iter().flatten());
                let own = message["messageId"].as_str().unwrap_or_default().to_owned();
                let parent = message["parentMessageId"].as_str().map(str::to_owned);
                let taken =
                    self::message(reading, message).map(|one| one.id(format!("{id}/{own}")));
                nodes.push(TreeMessage { id: own, parent, message: taken });
            }
            thread.take_tree(nodes, None);
            reading.take(thread);
        });
        if reading.is_stopped() {
            return;
        }
    }
}

fn message(reading: &mut Reading<'_>, message: &Value) -> Option<Message> {
    let by_user = message["isCreatedByUser"].as_bool();
    let sender = message["sender"].as_str().unwrap_or_default();
    let role = match by_user {
        Some(true) => everwhen_engine::memory::Role::User,
        Some(false) => everwhen_engine::memory::Role::Assistant,
        None => text::role(sender)?,
    };
    let mut said = message["text"].as_str().unwrap_or_default().to_owned();
    if said.trim().is_empty() {
        said = text::of_content(&message["content"], &mut |kind| match kind {
            "think" => reading.leave_out("thoughts"),
            "tool_call" => reading.leave_out("tool messages"),
            other => reading.leave_out(&format!("block of type {other}")),
        });
    }
    let time = moment::of_value(&message["createdAt"]);
    Some(Message::new(role, said, time).model(message["model"].as_str()))
}
