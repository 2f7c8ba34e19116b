//! `everwhen export smarthole`: a memory as the SmartHole plugin for Obsidian stores it.

use serde_json::{Map, Value, json};

use crate::args::ExportFileArgs;
use crate::client::{Request, escape};
use crate::console::{Console, rows, text};
use crate::failure::{Failure, Result};
use crate::{output, show};

/// The settings that have the same names in the plugin.
const SETTINGS: [&str; 3] = [
    "conversationIdleTimeoutMinutes",
    "maxConversationsRetained",
    "conversationStateTimeoutMinutes",
];

/// Writes the memory into the plugin's file; what else is in it stays.
pub(crate) async fn run(console: &Console, args: &ExportFileArgs) -> Result<()> {
    let mut document = read(&args.file)?;
    let vault = console.send(Request::get(console.in_vault(""))).await?.value()?;
    for name in SETTINGS {
        document.insert(name.to_owned(), vault["settings"][name].clone());
    }
    let list = Request::get(console.in_memory("/conversations"))
        .with("archived", Some("all"))
        .with("limit", Some("1000"));
    let mut conversations = Vec::new();
    let mut states = Map::new();
    for row in all(console, list).await? {
        let path = console.in_memory(&format!("/conversations/{}", escape(text(&row["id"]))));
        let whole = console.send(Request::get(path)).await?.value()?;
        if let Some(state) = waiting(&whole) {
            states.insert(name(&whole), state);
        }
        conversations.push(conversation(&whole));
    }
    let count = conversations.len() as u64;
    document.insert("conversationData".into(), json!({ "conversations": conversations }));
    document.insert("conversationStates".into(), Value::Object(states));
    write(&args.file, &document)?;
    output::note(&show::count(count, "conversation", "conversations"));
    Ok(())
}

/// All rows of a list.
async fn all(console: &Console, request: Request) -> Result<Vec<Value>> {
    let (mut all, mut cursor) = (Vec::new(), None::<String>);
    loop {
        let page = console.send(request.clone().with("cursor", cursor)).await?.value()?;
        all.extend(rows(&page).iter().cloned());
        cursor = page["next_cursor"].as_str().map(ToOwned::to_owned);
        if cursor.is_none() {
            return Ok(all);
        }
    }
}

/// The file as it is, or an empty one.
fn read(file: &str) -> Result<Map<String, Value>> {
    if file == "-" || !std::path::Path::new(file).exists() {
        return Ok(Map::new());
    }
    let known: Value = serde_json::from_str(&std::fs::read_to_string(file)?)
        .map_err(|error| Failure::usage(format!("{file} is not JSON: {error}")))?;
    match known {
        Value::Object(document) => Ok(document),
        _ => Err(Failure::usage(format!("{file} holds no JSON object"))),
    }
}

fn write(file: &str, document: &Map<String, Value>) -> Result<()> {
    let text =
        serde_json::to_string_pretty(document).map_err(|error| Failure::new(error.to_string()))?;
    if file == "-" {
        return output::json(&text);
    }
    Ok(std::fs::write(file, text + "\n")?)
}

/// The plugin's id of a conversation: the one it came with, else one in the plugin's form.
fn name(whole: &Value) -> String {
    match whole["source_id"].as_str() {
        Some(name) => name.to_owned(),
        None => format!("conv-{}", text(&whole["id"])),
    }
}

fn conversation(whole: &Value) -> Value {
    let entries = whole["entries"].as_array().map_or(&[][..], Vec::as_slice);
    json!({
        "id": name(whole),
        "startedAt": whole["started_at"],
        "endedAt": whole["ended_at"],
        "title": whole["title"],
        "summary": whole["summary"],
        "messages": entries.iter().filter_map(message).collect::<Vec<_>>(),
    })
}

/// What user and assistant said; the plugin knows no other role.
fn message(entry: &Value) -> Option<Value> {
    let role = entry["role"].as_str().filter(|role| matches!(*role, "user" | "assistant"))?;
    let id = entry["metadata"]["source_id"].as_str().unwrap_or(text(&entry["id"]));
    let mut message = json!({ "id": id, "timestamp": entry["conversation_time"], "role": role,
        "content": entry["content"] });
    if let Some(tools) = entry["tools_used"].as_array().filter(|tools| !tools.is_empty()) {
        message["toolsUsed"] = json!(tools);
    }
    Some(message)
}

/// The state of a conversation whose last words are a question that waits.
fn waiting(whole: &Value) -> Option<Value> {
    let last = whole["entries"].as_array()?.last()?;
    (last["is_question"] == true).then(|| {
        json!({
            "isWaitingForResponse": true,
            "pendingContext": {
                "originalMessageId": last["metadata"]["source_id"],
                "toolCallsCompleted": 0,
                "lastAgentMessage": last["content"],
                "createdAt": last["conversation_time"],
            },
        })
    })
}
