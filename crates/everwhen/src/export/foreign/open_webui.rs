//! ExportedChats as Open WebUI exports and imports them: a tree of messages, times in whole seconds.

use serde_json::{Map, Value, json};

use super::read::ExportedChat;
use super::tree::{ChatNode, ChatTree};
use super::{beside, model};

pub(super) fn chat(chat: &ExportedChat) -> Value {
    let tree = ChatTree::new(chat);
    let children = tree.children();
    let mut messages = Map::new();
    for node in &tree.nodes {
        messages
            .insert(node.id.clone(), message(chat, node, children.get(&Some(node.id.as_str()))));
    }
    let current: Vec<&Value> =
        tree.nodes.iter().take(chat.entries.len()).map(|node| &messages[&node.id]).collect();
    let mut models: Vec<Value> = chat.entries.iter().map(model).collect();
    models.retain(Value::is_string);
    models.dedup();
    let (started, last) = (chat.conversation.started_at, chat.conversation.last_at);
    json!({
        "id": chat.id,
        "title": chat.title,
        "chat": {
            "id": chat.id,
            "title": chat.title,
            "models": models,
            "messages": current,
            "history": { "messages": messages, "currentId": tree.current },
            "tags": [],
            "timestamp": started.as_millisecond(),
        },
        "created_at": started.as_second(),
        "updated_at": last.as_second(),
        "archived": chat.conversation.archived_at.is_some(),
        "pinned": false,
        "meta": {},
        "folder_id": null,
        "share_id": null,
    })
}

fn message(chat: &ExportedChat, node: &ChatNode<'_>, children: Option<&Vec<&str>>) -> Value {
    let entry = node.entry;
    json!({
        "id": node.id,
        "parentId": node.parent,
        "childrenIds": children.cloned().unwrap_or_default(),
        "role": entry.role.as_str(),
        "content": entry.content.as_str(),
        "model": model(entry),
        "timestamp": entry.conversation_time.as_second(),
        "done": true,
        "everwhen": beside(entry, chat.source),
    })
}
