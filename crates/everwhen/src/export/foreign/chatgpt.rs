//! `conversations.json` as ChatGPT exports it: a tree of nodes below an empty root.

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::read::ExportedChat;
use super::tree::{ChatNode, ChatTree};
use super::{beside, model};

/// The node without a message, above all others.
const ROOT: &str = "client-created-root";

pub(super) fn conversation(chat: &ExportedChat) -> Value {
    let tree = ChatTree::new(chat);
    let mut mapping = Map::new();
    let children = tree.children();
    let below = |id: Option<&str>| children.get(&id).cloned().unwrap_or_default();
    mapping.insert(
        ROOT.into(),
        json!({ "id": ROOT, "message": null, "parent": null, "children": below(None) }),
    );
    for node in &tree.nodes {
        mapping.insert(node.id.clone(), self::node(chat, node, &below(Some(&node.id))));
    }
    json!({
        "title": chat.title,
        "create_time": seconds(chat.conversation.started_at),
        "update_time": seconds(chat.conversation.last_at),
        "mapping": mapping,
        "moderation_results": [],
        "current_node": tree.current.as_deref().unwrap_or(ROOT),
        "conversation_id": chat.id,
        "is_archived": chat.conversation.archived_at.is_some(),
        "id": chat.id,
    })
}

fn node(chat: &ExportedChat, node: &ChatNode<'_>, children: &[&str]) -> Value {
    let entry = node.entry;
    json!({
        "id": node.id,
        "parent": node.parent.as_deref().unwrap_or(ROOT),
        "children": children,
        "message": {
            "id": node.id,
            "author": { "role": entry.role.as_str(), "name": null, "metadata": {} },
            "create_time": seconds(entry.conversation_time),
            "update_time": null,
            "content": { "content_type": "text", "parts": [entry.content.as_str()] },
            "status": "finished_successfully",
            "end_turn": null,
            "weight": 1.0,
            "metadata": { "model_slug": model(entry), "everwhen": beside(entry, chat.source) },
            "recipient": "all",
            "channel": null,
        },
    })
}

/// Seconds since 1970 with a fraction.
fn seconds(time: Timestamp) -> f64 {
    time.as_microsecond() as f64 / 1e6
}
