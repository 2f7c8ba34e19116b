//! The data of the SmartHole plugin for Obsidian: `conversationData`, or the older
//! `conversationHistory`. The three settings about conversations and the questions that wait for an
//! answer are read, too; the plugin's other settings are ignored.

use everwhen::time::read_time;
use serde_json::{Map, Value, json};

use super::{ConversationDraft, ImportFile, SkippedItem};
use crate::failure::{Failure, Result};

/// A parsed part of the document, or what is wrong with it.
type Read<T> = std::result::Result<T, String>;

/// The name of the conversation that is made of `conversationHistory`.
const MIGRATED: &str = "conv-migrated";
/// The title that the plugin gives it.
const MIGRATED_TITLE: &str = "Migrated Conversation History";
/// The plugin's text where its model failed; a summary by rules is better.
const FAILED: (&str, &str) = ("Conversation", "Summary generation failed.");

/// Parses the plugin's document.
pub(super) fn read(text: &str) -> Result<ImportFile> {
    let document: Value = serde_json::from_str(text)
        .map_err(|error| Failure::usage(format!("the file is not JSON: {error}")))?;
    let mut source = match (&document["conversationData"], &document["conversationHistory"]) {
        (Value::Null, Value::Null) => Err(Failure::usage(
            "the file holds neither conversationData nor conversationHistory; take the plugin's \
             data.json, from .obsidian/plugins in the Obsidian vault",
        )),
        (Value::Null, history) => conversation_history(history),
        (data, _) => conversation_data(data),
    }?;
    source.settings = settings(&document);
    mark_questions(&mut source, &document["conversationStates"]);
    Ok(source)
}

/// The plugin's settings about conversations, which have the same names here.
fn settings(document: &Value) -> Map<String, Value> {
    const NAMES: [&str; 3] = [
        "conversationIdleTimeoutMinutes",
        "maxConversationsRetained",
        "conversationStateTimeoutMinutes",
    ];
    let beside = &document["settings"];
    let found = |name: &str| {
        let value = [&document[name], &beside[name]].into_iter().find(|value| value.is_number())?;
        Some((name.to_owned(), value.clone()))
    };
    NAMES.into_iter().filter_map(found).collect()
}

/// Marks the assistant's last words in each conversation that waits for an answer.
fn mark_questions(source: &mut ImportFile, states: &Value) {
    for draft in &mut source.drafts {
        let id = draft.body["conversation_id"].as_str().unwrap_or_default();
        if states[id]["isWaitingForResponse"] != true {
            continue;
        }
        let entries = draft.body["entries"].as_array_mut();
        let last = entries.and_then(|entries| entries.last_mut());
        if let Some(last) = last.filter(|entry| entry["role"] == "assistant") {
            last["is_question"] = json!(true);
        }
    }
}

fn conversation_data(data: &Value) -> Result<ImportFile> {
    let list = list(data, "conversations")
        .map_err(|problem| Failure::usage(format!("conversationData: {problem}")))?;
    let last_migrated = data["lastMigrated"].as_str();
    let mut source = ImportFile::default();
    let mut known: Vec<&str> = Vec::new();
    for (index, conversation) in list.iter().enumerate() {
        let id = conversation["id"].as_str().unwrap_or_default();
        let place = format!("conversationData.conversations[{index}] ({id})");
        let read = match !id.is_empty() && known.contains(&id) {
            true => Err("a conversation before it has the same id".to_owned()),
            false => draft(conversation, &place, last_migrated, &mut source.blank),
        };
        known.push(id);
        match read {
            Ok(Some(draft)) => source.drafts.push(draft),
            Ok(None) => source.blank += 1,
            Err(problem) => source.refused.push(SkippedItem { place, problem }),
        }
    }
    Ok(source)
}

/// One conversation; `None` if it has no text.
fn draft(
    conversation: &Value,
    place: &str,
    last_migrated: Option<&str>,
    blank: &mut u64,
) -> Read<Option<ConversationDraft>> {
    let id = string(conversation, "id")?;
    let migrated = last_migrated.filter(|_| id.starts_with(MIGRATED));
    let (messages, entries) = entries(list(conversation, "messages")?, migrated, blank)?;
    let branches = branches(&conversation["archivedBranches"], migrated, blank)?;
    let aside = branches.iter().filter_map(|branch| branch["entries"].as_array()).map(Vec::len);
    let count = entries.len() + aside.sum::<usize>();
    let (title, summary) = words(conversation)?;
    let body = json!({
        "conversation_id": id,
        "entries": entries,
        "branches": branches,
        "ended_at": string_or_null(conversation, "endedAt")?,
        "title": title,
        "summary": summary,
    });
    let draft =
        ConversationDraft { place: place.to_owned(), body, messages, entries: count as u64 };
    Ok((count > 0).then_some(draft))
}

/// Title and summary, if the plugin has made them.
fn words(conversation: &Value) -> Read<(Option<&str>, Option<&str>)> {
    let said = |word: &&str| !word.trim().is_empty();
    let title = string_or_null(conversation, "title")?.filter(said);
    let words = (title, string_or_null(conversation, "summary")?.filter(said));
    Ok(if words == (Some(FAILED.0), Some(FAILED.1)) { (None, None) } else { words })
}

fn branches(archived: &Value, migrated: Option<&str>, blank: &mut u64) -> Read<Vec<Value>> {
    let archived = list_or_null(archived).ok_or("archivedBranches is not a list")?;
    let mut branches = Vec::new();
    for (index, branch) in archived.iter().enumerate() {
        let at = |problem| format!("archivedBranches[{index}]: {problem}");
        let messages = list(branch, "messages").map_err(at)?;
        let (_, entries) = entries(messages, migrated, blank).map_err(at)?;
        let archived_at = time(branch, "archivedAt").map_err(at)?;
        if !entries.is_empty() {
            branches.push(json!({ "archived_at": archived_at, "entries": entries }));
        }
    }
    Ok(branches)
}

/// The messages with text, and their positions.
fn entries(
    messages: &[Value],
    migrated: Option<&str>,
    blank: &mut u64,
) -> Read<(Vec<usize>, Vec<Value>)> {
    let mut kept = (Vec::new(), Vec::new());
    for (index, message) in messages.iter().enumerate() {
        let read = entry(message, migrated);
        match read.map_err(|problem| format!("messages[{index}]: {problem}"))? {
            Some(entry) => {
                kept.0.push(index);
                kept.1.push(entry);
            }
            None => *blank += 1,
        }
    }
    Ok(kept)
}

fn entry(message: &Value, migrated: Option<&str>) -> Read<Option<Value>> {
    let role = string(message, "role")?;
    if !matches!(role, "user" | "assistant") {
        return Err(format!("role is {role:?}; it should be user or assistant"));
    }
    let content = string(message, "content")?;
    let time = time(message, "timestamp")?;
    let tools = tools(&message["toolsUsed"])?;
    let metadata = metadata(string_or_null(message, "id")?, [("lastMigrated", migrated)]);
    Ok((!content.trim().is_empty()).then(|| {
        json!({ "role": role, "content": content, "conversation_time": time,
            "tools_used": tools, "metadata": metadata })
    }))
}

/// The metadata of a message.
fn metadata<const N: usize>(id: Option<&str>, more: [(&str, Option<&str>); N]) -> Value {
    let known = [("source", Some("smarthole")), ("source_id", id)].into_iter().chain(more);
    let known = known.filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
    Value::Object(known.collect::<Map<String, Value>>())
}

/// The flat list of exchanges of older versions of the plugin: one conversation, which ended with
/// its last message.
fn conversation_history(history: &Value) -> Result<ImportFile> {
    let list = list(history, "recentConversations")
        .map_err(|problem| Failure::usage(format!("conversationHistory: {problem}")))?;
    let mut source = ImportFile::default();
    let (mut entries, mut exchanges) = (Vec::new(), Vec::new());
    for (index, given) in list.iter().enumerate() {
        match exchange(given) {
            Ok(pair) => {
                let said = pair.into_iter().flatten();
                let before = entries.len();
                entries.extend(said);
                source.blank += 2 - (entries.len() - before) as u64;
                exchanges.push(given);
            }
            Err(problem) => {
                let place = format!("conversationHistory.recentConversations[{index}]");
                source.refused.push(SkippedItem { place, problem });
            }
        }
    }
    let summaries = history["summaries"].as_array().map_or(&[][..], Vec::as_slice);
    if !entries.is_empty() {
        source.drafts.push(migrated(entries, &exchanges, summaries));
    } else if !summaries.is_empty() {
        let problem = "there are summaries, but nothing that was said to keep them with".to_owned();
        source.refused.push(SkippedItem { place: "conversationHistory.summaries".into(), problem });
    }
    Ok(source)
}

/// The user's message and the assistant's reply, with the same time.
fn exchange(given: &Value) -> Read<[Option<Value>; 2]> {
    let id = string(given, "id")?;
    let time = time(given, "timestamp")?;
    let (asked, answered) = (string(given, "userMessage")?, string(given, "assistantResponse")?);
    let tools = tools(&given["toolsUsed"])?;
    let channel = given["source"].as_str();
    let said = |role: &str, content: &str, tools: Vec<&str>| {
        let id = format!("{id}-{role}");
        (!content.trim().is_empty()).then(|| {
            json!({ "role": role, "content": content, "conversation_time": time,
                "tools_used": tools, "metadata": metadata(Some(&id), [("channel", channel)]) })
        })
    };
    Ok([said("user", asked, Vec::new()), said("assistant", answered, tools)])
}

fn migrated(entries: Vec<Value>, exchanges: &[&Value], summaries: &[Value]) -> ConversationDraft {
    let times = exchanges.iter().filter_map(|one| one["timestamp"].as_str());
    let ended_at = times.filter_map(|time| read_time(time).ok()).max();
    let (messages, count) = ((0..entries.len()).collect(), entries.len() as u64);
    let body = json!({
        "conversation_id": MIGRATED,
        "entries": entries,
        "ended_at": ended_at.map(|time| time.to_string()),
        "title": MIGRATED_TITLE,
        "summary": old_summaries(exchanges, summaries),
    });
    ConversationDraft { place: "conversationHistory".into(), body, messages, entries: count }
}

/// The old summaries, the number of exchanges and the tools used, in the plugin's format.
fn old_summaries(exchanges: &[&Value], summaries: &[Value]) -> String {
    let day = |value: &Value| value.as_str().and_then(|it| it.get(..10)).unwrap_or("?").to_owned();
    let mut lines: Vec<String> = Vec::new();
    for old in summaries {
        let Some(text) = old["summary"].as_str() else { continue };
        lines.push(format!("{} to {}: {text}", day(&old["startDate"]), day(&old["endDate"])));
    }
    lines.push(format!("Exchanges: {}.", exchanges.len()));
    let mut used: Vec<&str> =
        exchanges.iter().flat_map(|one| tools(&one["toolsUsed"]).unwrap_or_default()).collect();
    used.sort_unstable();
    used.dedup();
    if !used.is_empty() {
        lines.push(format!("Tools used: {}.", used.join(", ")));
    }
    lines.join("\n")
}

fn string<'a>(of: &'a Value, field: &str) -> Read<&'a str> {
    string_or_null(of, field)?.ok_or_else(|| format!("{field} is missing"))
}

fn string_or_null<'a>(of: &'a Value, field: &str) -> Read<Option<&'a str>> {
    match &of[field] {
        Value::Null => Ok(None),
        Value::String(text) => Ok(Some(text)),
        _ => Err(format!("{field} is not a text")),
    }
}

fn time<'a>(of: &'a Value, field: &str) -> Read<&'a str> {
    let text = string(of, field)?;
    read_time(text).map_err(|error| format!("{field}: {error}"))?;
    Ok(text)
}

fn list<'a>(of: &'a Value, field: &str) -> Read<&'a [Value]> {
    let found = of[field].as_array();
    found.map(Vec::as_slice).ok_or_else(|| format!("{field} is missing or not a list"))
}

fn list_or_null(value: &Value) -> Option<&[Value]> {
    if value.is_null() { Some(&[]) } else { value.as_array().map(Vec::as_slice) }
}

fn tools(used: &Value) -> Read<Vec<&str>> {
    let names = list_or_null(used).ok_or("toolsUsed is not a list")?.iter().map(Value::as_str);
    names.collect::<Option<_>>().ok_or_else(|| "toolsUsed holds something but names".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(id: &str, role: &str, content: &str) -> Value {
        json!({ "id": id, "timestamp": "2026-02-05T10:30:00.000Z", "role": role,
            "content": content })
    }

    fn read_value(document: &Value) -> ImportFile {
        read(&document.to_string()).unwrap()
    }

    #[test]
    fn a_conversation_keeps_all_that_the_plugin_knew() {
        let mut answer = message("m-assistant", "assistant", "Done.");
        answer["toolsUsed"] = json!(["write_file"]);
        let source = read_value(&json!({ "apiKey": "x", "conversationData": { "conversations": [{
            "id": "conv-1", "startedAt": "2026-02-05T10:30:00.000Z",
            "endedAt": "2026-02-05T11:00:00.000Z", "title": "A note", "summary": "It was written.",
            "messages": [message("m-user", "user", "Write."), answer],
            "archivedBranches": [{ "archivedAt": "2026-02-05T10:40:00.000Z",
                "messages": [message("b", "user", "Draw.")] }],
        }] } }));
        assert!(source.refused.is_empty() && source.blank == 0, "{source:?}");
        let time = "2026-02-05T10:30:00.000Z";
        assert_eq!(source.drafts[0].entries, 3);
        assert_eq!(
            source.drafts[0].body,
            json!({
                "conversation_id": "conv-1",
                "entries": [
                    { "role": "user", "content": "Write.", "conversation_time": time,
                      "tools_used": [],
                      "metadata": { "source": "smarthole", "source_id": "m-user" } },
                    { "role": "assistant", "content": "Done.", "conversation_time": time,
                      "tools_used": ["write_file"],
                      "metadata": { "source": "smarthole", "source_id": "m-assistant" } },
                ],
                "branches": [{ "archived_at": "2026-02-05T10:40:00.000Z", "entries": [
                    { "role": "user", "content": "Draw.", "conversation_time": time,
                      "tools_used": [], "metadata": { "source": "smarthole", "source_id": "b" } },
                ] }],
                "ended_at": "2026-02-05T11:00:00.000Z",
                "title": "A note",
                "summary": "It was written.",
            })
        );
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        let good = message("m", "user", "Hello.");
        let (mut late, mut robot) = (good.clone(), good.clone());
        late["timestamp"] = json!("yesterday");
        robot["role"] = json!("robot");
        let source = read_value(&json!({ "conversationData": { "conversations": [
            { "id": "a", "messages": [good] },
            { "id": "b", "messages": "none" },
            { "id": "c", "messages": [good, late] },
            { "id": "d", "messages": [robot] },
            { "id": "e", "messages": [good], "title": 7 },
            { "id": "a", "messages": [good] },
            { "messages": [good] },
            17,
        ] } }));
        assert_eq!(source.drafts.len(), 1);
        let found: Vec<String> =
            source.refused.iter().map(|one| format!("{}: {}", one.place, one.problem)).collect();
        let begin = [
            "conversationData.conversations[1] (b): messages is missing or not a list",
            "conversationData.conversations[2] (c): messages[1]: timestamp: ",
            "conversationData.conversations[3] (d): messages[0]: role is \"robot\"",
            "conversationData.conversations[4] (e): title is not a text",
            "conversationData.conversations[5] (a): a conversation before it has the same id",
            "conversationData.conversations[6] (): id is missing",
            "conversationData.conversations[7] (): ",
        ];
        assert_eq!(found.len(), begin.len(), "{found:#?}");
        assert!(
            found.iter().zip(begin).all(|(found, begin)| found.starts_with(begin)),
            "{found:#?}"
        );
    }

    #[test]
    fn where_nothing_was_said_nothing_is_kept() {
        let source = read_value(&json!({ "conversationData": { "conversations": [
            { "id": "empty", "messages": [] },
            { "id": "some", "messages": [message("1", "assistant", " "), message("2", "user", "x")],
              "title": "Conversation", "summary": "Summary generation failed." },
        ] } }));
        assert_eq!((source.drafts.len(), source.blank), (1, 2), "{source:?}");
        let draft = &source.drafts[0];
        assert_eq!(draft.refused("entries[0]: no").problem, "messages[1]: no");
        assert!(draft.body["title"].is_null() && draft.body["summary"].is_null());
    }

    #[test]
    fn what_the_plugin_migrated_says_when() {
        let source = read_value(&json!({ "conversationData": {
            "lastMigrated": "2026-02-04T08:00:00.000Z",
            "conversations": [
                { "id": "conv-migrated-1", "messages": [message("1", "user", "old")] },
                { "id": "conv-2", "messages": [message("2", "user", "new")] },
            ],
        } }));
        let migrated =
            |place: usize| &source.drafts[place].body["entries"][0]["metadata"]["lastMigrated"];
        assert_eq!(migrated(0), "2026-02-04T08:00:00.000Z");
        assert!(migrated(1).is_null());
    }

    #[test]
    fn the_flat_history_becomes_one_ended_conversation() {
        let exchange = |id: &str, time: &str, tools: Value| {
            json!({ "id": id, "timestamp": time, "userMessage": "Ask.",
                "assistantResponse": "Answer.", "toolsUsed": tools, "source": "direct" })
        };
        let source = read_value(&json!({ "conversationHistory": {
            "recentConversations": [
                exchange("1", "2025-12-01T10:00:00.000Z", json!(["read_file", "list"])),
                exchange("2", "2025-12-03T10:00:00.000Z", json!(["list"])),
                { "id": 3 },
            ],
            "summaries": [{ "startDate": "2025-11-01T00:00:00.000Z", "conversationCount": 12,
                "endDate": "2025-11-20T00:00:00.000Z", "summary": "Notes were sorted." }],
            "lastSummarized": "2025-11-20T00:00:00.000Z",
        } }));
        assert_eq!(source.refused[0].place, "conversationHistory.recentConversations[2]");
        let body = &source.drafts[0].body;
        assert_eq!(body["conversation_id"], "conv-migrated");
        assert_eq!(body["title"], "Migrated Conversation History");
        assert_eq!(body["ended_at"], "2025-12-03T10:00:00Z");
        assert_eq!(
            body["summary"],
            "2025-11-01 to 2025-11-20: Notes were sorted.\nExchanges: 2.\n\
             Tools used: list, read_file."
        );
        let entries = body["entries"].as_array().unwrap();
        let said: Vec<(&Value, &Value)> =
            entries.iter().map(|one| (&one["metadata"]["source_id"], &one["tools_used"])).collect();
        assert_eq!(said[0], (&json!("1-user"), &json!([])));
        assert_eq!(said[1], (&json!("1-assistant"), &json!(["read_file", "list"])));
        assert_eq!(entries[0]["conversation_time"], entries[1]["conversation_time"]);
        assert_eq!(entries[0]["metadata"]["channel"], "direct");
        assert_eq!(entries.len(), 4);
    }

    #[test]
    fn d39_and_d40_settings_and_waiting_questions_come_along() {
        let source = read_value(&json!({
            "conversationIdleTimeoutMinutes": 45, "maxConversationsRetained": 500,
            "conversationStateTimeoutMinutes": 90, "apiKey": "x",
            "conversationStates": { "conv-1": { "isWaitingForResponse": true } },
            "conversationData": { "conversations": [{ "id": "conv-1",
                "messages": [message("1", "user", "x"), message("2", "assistant", "Which one?")] }] },
        }));
        assert_eq!(
            Value::Object(source.settings.clone()),
            json!({ "conversationIdleTimeoutMinutes": 45, "maxConversationsRetained": 500,
                "conversationStateTimeoutMinutes": 90 })
        );
        let entries = &source.drafts[0].body["entries"];
        assert_eq!(entries[1]["is_question"], true);
        assert!(entries[0]["is_question"].is_null());
    }

    #[test]
    fn the_newer_data_wins_and_other_documents_are_refused() {
        let both = json!({ "conversationHistory": { "recentConversations": [] },
            "conversationData": { "conversations": [{ "id": "a",
                "messages": [message("1", "user", "x")] }] } });
        assert_eq!(read_value(&both).drafts[0].body["conversation_id"], "a");
        for wrong in ["", "[]", "{}", "{\"conversationData\": []}", "{\"conversationHistory\": 1}"]
        {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
