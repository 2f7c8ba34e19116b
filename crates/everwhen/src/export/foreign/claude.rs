//! `conversations.json` as Claude.ai exports it: a list of messages with links to their parents.

use everwhen_engine::memory::Role;
use jiff::Timestamp;
use serde_json::{Value, json};

use super::beside;
use super::read::ExportedChat;
use super::tree::{ChatNode, ChatTree};

/// The parent of a message that begins a conversation.
const ROOT: &str = "00000000-0000-4000-8000-000000000000";

pub(super) fn conversation(chat: &ExportedChat) -> Value {
    let tree = ChatTree::new(chat);
    let messages: Vec<Value> = tree.nodes.iter().map(|node| message(chat, node)).collect();
    json!({
        "uuid": chat.id,
        "name": chat.title.as_deref().unwrap_or_default(),
        "summary": chat.summary.as_deref().unwrap_or_default(),
        "created_at": written(chat.conversation.started_at),
        "updated_at": written(chat.conversation.last_at),
        "current_leaf_message_uuid": tree.current,
        "chat_messages": messages,
    })
}

fn message(chat: &ExportedChat, node: &ChatNode<'_>) -> Value {
    let (entry, time) = (node.entry, written(node.entry.conversation_time));
    let sender = match entry.role {
        Role::User => "human",
        other => other.as_str(),
    };
    let text = entry.content.as_str();
    json!({
        "uuid": node.id,
        "text": text,
        "content": [{
            "start_timestamp": time, "stop_timestamp": time, "type": "text", "text": text, "citations": [],
        }],
        "sender": sender,
        "created_at": time,
        "updated_at": time,
        "attachments": [],
        "files": [],
        "parent_message_uuid": node.parent.as_deref().unwrap_or(ROOT),
        "everwhen": beside(entry, chat.source),
    })
}

/// `2026-02-03T04:05:06.200000Z`.
fn written(time: Timestamp) -> String {
    format!("{time:.6}")
}
