//! Conversations of the library in the format of the API.

use everwhen::memory::{Name, NewEntry};
use everwhen::{ImportedBranch, ImportedConversation};
use serde_json::{Map, Value, json};

/// A conversation, as `POST .../conversations/import/batch` takes it.
pub(super) fn conversation(one: &ImportedConversation) -> Value {
    let branches: Vec<Value> = one.branches.iter().map(branch).collect();
    json!({
        "conversation_id": one.name.as_str(),
        "entries": one.entries.iter().map(entry).collect::<Vec<_>>(),
        "branches": branches,
        "ended_at": one.ended_at.map(|at| at.to_string()),
        "title": one.title,
        "summary": one.summary,
    })
}

fn branch(one: &ImportedBranch) -> Value {
    let entries: Vec<Value> = one.entries.iter().map(entry).collect();
    json!({ "archived_at": one.archived_at.to_string(), "entries": entries })
}

fn entry(one: &NewEntry) -> Value {
    let mut entry = Map::new();
    let mut put = |key: &str, value: Value| {
        let is_empty = value.is_null() || value.as_array().is_some_and(Vec::is_empty);
        if !is_empty {
            entry.insert(key.to_owned(), value);
        }
    };
    let names = |names: &[Name]| -> Value { names.iter().map(Name::as_str).collect() };
    put("role", one.role.as_str().into());
    put("content", one.content.as_str().into());
    put("conversation_time", one.conversation_time.map(|at| at.to_string()).into());
    put("speaker", one.speaker.as_ref().map(Name::as_str).into());
    put("tags", names(&one.tags));
    put("tools_used", names(&one.tools_used));
    let metadata = one.metadata.as_ref().and_then(|json| serde_json::from_str(json.as_str()).ok());
    put("metadata", metadata.unwrap_or(Value::Null));
    if let Some(from) = &one.provenance {
        put(
            "provenance",
            json!({
                "source": from.source.as_str(),
                "source_id": from.source_id.as_ref().map(Name::as_str),
                "time_text": from.time_text.as_ref().map(Name::as_str),
                "precision": from.precision.as_str(),
                "time_from": from.time_from.as_str(),
                "zone_from": from.zone_from.as_str(),
            }),
        );
    }
    Value::Object(entry)
}
