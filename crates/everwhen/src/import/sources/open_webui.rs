//! Open WebUI: its JSON export of chats, or its database `webui.db`.

use everwhen_store::foreign::{self, ForeignValue};
use serde_json::{Value, json};

use super::Source;
use crate::import::decode::json_of;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample};
use crate::import::text;
use crate::import::thread::{Message, Thread, TreeMessage};

/// Open WebUI.
pub(super) static SOURCE: Source = Source {
    name: "open-webui",
    title: "Open WebUI",
    takes: "chat-export-*.json (Settings > Data Controls), or webui.db",
    folders: &[],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_chat = |one: &Value| {
        let history =
            one["chat"]["history"].get("messages").or_else(|| one["history"].get("messages"));
        history.is_some_and(Value::is_object)
    };
    Claim::when(sample.any(is_chat) || sample.has_tables(&["chat", "user", "auth"]))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let begins = document.first_bytes().unwrap_or_default();
        if begins.starts_with(b"SQLite format 3\0") {
            let Some(path) = document.path() else {
                reading
                    .problem(document, "a database inside of an archive; unpack the archive first");
                continue;
            };
            let place = document.place.as_str();
            let sql = "SELECT id, title, chat, created_at, updated_at FROM chat ORDER BY id";
            let outcome = foreign::rows(path, sql, &mut |row| {
                take(reading, &chat_row(&row), &format!("{place}: chat"));
                Ok(!reading.is_stopped())
            });
            if let Err(error) = outcome {
                reading.report.problem(error.message().to_owned());
            }
        } else {
            reading.elements(document, &[], &mut |reading, _, index, chat| {
                take(reading, &chat, &format!("{}: chat {}", document.place, index + 1));
            });
        }
        if reading.is_stopped() {
            return;
        }
    }
}

fn chat_row(row: &[ForeignValue]) -> Value {
    let text = |place: usize| match row.get(place) {
        Some(ForeignValue::Text(text)) => text.as_str(),
        _ => "",
    };
    let number = |place: usize| match row.get(place) {
        Some(ForeignValue::Integer(number)) => Value::from(*number),
        _ => Value::Null,
    };
    let chat = json_of(text(2));
    json!({ "id": text(0), "title": text(1), "chat": chat, "created_at": number(3), "updated_at": number(4) })
}

fn take(reading: &mut Reading<'_>, row: &Value, place: &str) {
    let chat = if row["chat"].is_object() { &row["chat"] } else { row };
    let history = &chat["history"];
    let Some(messages) = history["messages"].as_object() else {
        reading.leave_out("chats without messages");
        return;
    };
    let id = row["id"].as_str().or_else(|| chat["id"].as_str()).unwrap_or_default();
    let mut thread = Thread::new(id, place);
    let title = row["title"].as_str().or_else(|| chat["title"].as_str());
    thread.title = title.map(str::to_owned);
    thread.created =
        moment::of_value(&row["created_at"]).or_else(|| moment::of_value(&chat["timestamp"]));
    let nodes = messages.iter().map(|(key, node)| TreeMessage {
        id: key.clone(),
        parent: node["parentId"].as_str().map(str::to_owned),
        // An import there gives a chat another id and leaves those of messages.
        message: message(node)
            .map(|message| message.id(format!("{id}/{key}")).beside(&node["everwhen"])),
    });
    let nodes = nodes.collect();
    thread.take_tree(nodes, history["currentId"].as_str());
    reading.take(thread);
}

fn message(node: &Value) -> Option<Message> {
    let role = text::role(node["role"].as_str()?)?;
    let said = text::of_content(&node["content"], &mut |_| {});
    let mut parts = vec![without_details(&said)];
    for file in node["files"].as_array().into_iter().flatten() {
        let kind = if file["type"].as_str() == Some("image") { "image" } else { "file" };
        parts.push(text::attachment(kind, file["name"].as_str().unwrap_or_default(), None));
    }
    let model = node["model"].as_str().or_else(|| node["modelName"].as_str());
    let time = moment::of_value(&node["timestamp"]);
    Some(Message::new(role, text::join(parts.iter().map(String::as_str)), time).model(model))
}

/// A reply without the thoughts and tools that stand in it as folded parts.
fn without_details(said: &str) -> String {
    let mut rest = said.to_owned();
    while let Some(start) = rest.find("<details type=\"") {
        let end = rest[start..]
            .find("</details>")
            .map_or(rest.len(), |end| start + end + "</details>".len());
        rest.replace_range(start..end, "");
    }
    rest.trim().to_owned()
}
