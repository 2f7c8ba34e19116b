//! Parts of answers that several calls share.

use everwhen::memory::Entry;
use serde_json::{Value, json};

use super::record::{Attached, write_id};
use super::scope::Ids;

/// The versions of a record as mem0's history, in the memory of an owner.
pub(super) fn history(id: &str, versions: &[Entry], owner: &Ids) -> Value {
    let mut before = Value::Null;
    let rows = versions.iter().map(|entry| {
        let text = json!(entry.content.as_str());
        let event = if entry.corrects.is_some() { "UPDATE" } else { "ADD" };
        let time = entry.creation_time.to_string();
        let mut row = Attached::of(entry).ids.or_else_of(owner).write();
        for (name, value) in [
            ("id", json!(entry.id.to_string())),
            ("memory_id", json!(id)),
            ("input", json!([{ "role": entry.role.as_str(), "content": entry.content.as_str() }])),
            ("old_memory", std::mem::replace(&mut before, text.clone())),
            ("new_memory", text),
            ("event", json!(event)),
            ("metadata", Value::Object(Attached::of(entry).metadata)),
            ("created_at", json!(time)),
            ("updated_at", json!(time)),
        ] {
            row.insert(name.to_owned(), value);
        }
        Value::Object(row)
    });
    rows.collect()
}

/// What was added, in the shapes of all versions at once.
pub(super) fn added(entries: &[Entry]) -> Value {
    let results: Vec<Value> = entries
        .iter()
        .map(|entry| {
            let text = entry.content.as_str();
            json!({
                "id": write_id(entry.memory, entry.id),
                "memory": text,
                "data": { "memory": text },
                "event": "ADD",
                "role": entry.role.as_str(),
                "conversation_time": entry.conversation_time.to_string(),
            })
        })
        .collect();
    let event = results.first().map(|first| first["id"].clone());
    json!({
        "message": "Memories added",
        "status": "SUCCEEDED",
        "event_id": event,
        "results": results,
    })
}

/// One page of a list.
pub(super) fn page(rows: Vec<Value>, page: usize, size: usize) -> Value {
    let count = rows.len();
    let (from, to) = (page.saturating_sub(1).saturating_mul(size), page.saturating_mul(size));
    let shown: Vec<Value> = rows.into_iter().skip(from).take(size).collect();
    let place = |page: usize| format!("?page={page}&page_size={size}");
    json!({
        "count": count,
        "next": (to < count).then(|| place(page + 1)),
        "previous": (page > 1).then(|| place(page - 1)),
        "results": shown,
    })
}
