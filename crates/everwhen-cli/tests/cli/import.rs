//! Importing what the SmartHole plugin kept, from a file as it lies in an Obsidian vault.

use std::path::PathBuf;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::stage::{Stage, eventually};

fn message(id: &str, minute: u32, role: &str, content: &str) -> Value {
    let timestamp = format!("2026-02-05T10:{minute:02}:00.000Z");
    json!({ "id": id, "timestamp": timestamp, "role": role, "content": content })
}

/// One ended, with all there can be, and one without an end.
fn plugin_data() -> Value {
    let mut answer = message("1-assistant", 0, "assistant", "I wrote it to the journal.");
    answer["toolsUsed"] = json!(["write_file"]);
    json!({
        "llmApiKey": "secret", "conversationStates": {},
        "conversationData": { "conversations": [
            {
                "id": "conv-1", "startedAt": "2026-02-05T10:00:00.000Z",
                "endedAt": "2026-02-05T10:50:00.000Z",
                "title": "Meeting notes for the journal", "summary": "Notes were asked for and written.",
                "messages": [message("1-user", 0, "user", "Write up the meeting."), answer],
                "archivedBranches": [{
                    "archivedAt": "2026-02-05T10:10:00.000Z",
                    "messages": [message("0-user", 5, "user", "Write up the dinner.")],
                }],
            },
            {
                "id": "conv-2", "startedAt": "2026-02-05T10:55:00.000Z", "endedAt": null,
                "title": null, "summary": null,
                "messages": [message("2-user", 55, "user", "And the dinner party, please.")],
            },
        ] },
    })
}

fn save(stage: &Stage, document: &Value) -> PathBuf {
    stage.file("data.json", &document.to_string())
}

fn import(stage: &Stage, document: &Value, args: &[&str]) -> String {
    let file = save(stage, document);
    stage.ok(&[&["import", "smarthole", file.to_str().unwrap()], args].concat())
}

#[test]
fn conversations_come_in_as_the_plugin_kept_them() {
    let stage = Stage::new();
    let output = import(&stage, &plugin_data(), &["--dry-run"]);
    assert_eq!(output, "Would import 2 conversations with 4 entries, 1 branch put aside\n");
    assert_eq!(stage.ok(&["vaults"]), "", "a rehearsal stores nothing");

    let output = import(&stage, &plugin_data(), &[]);
    assert_eq!(output, "Imported 2 conversations with 4 entries, 1 branch put aside\n");
    let whole = stage.json(&["conversation", "conv-1"]);
    assert_eq!(whole["title"], "Meeting notes for the journal");
    assert_eq!(whole["summary"], "Notes were asked for and written.");
    assert_eq!(whole["summary_by"], "source");
    assert_eq!(
        (&whole["ended_at"], &whole["ended_by"]),
        (&json!("2026-02-05T10:50:00Z"), &json!("caller"))
    );
    assert_eq!(whole["branches"][0]["archived_at"], "2026-02-05T10:10:00Z");
    let [user, assistant] = whole["entries"].as_array().unwrap().as_slice() else {
        panic!("{whole}")
    };
    assert_eq!(user["content"], "Write up the meeting.");
    assert_eq!(user["conversation_time"], "2026-02-05T10:00:00Z");
    assert_eq!(assistant["tools_used"], json!(["write_file"]));
    assert_eq!(assistant["metadata"], json!({ "source": "smarthole", "source_id": "1-assistant" }));
    let silent = stage.json(&["conversation", "conv-2"]);
    assert_eq!(
        (&silent["ended_at"], &silent["ended_by"]),
        (&json!("2026-02-05T11:25:00Z"), &json!("idle")),
        "nobody ended it, but it fell silent"
    );
}

#[test]
fn a_file_imported_again_brings_only_what_is_new() {
    let stage = Stage::new();
    let mut data = plugin_data();
    import(&stage, &data, &[]);
    let output = import(&stage, &data, &[]);
    assert_eq!(output, "Imported 0 conversations with 0 entries; 2 here already\n");

    let more = message("3-user", 57, "user", "Thank you.");
    let conversations = &mut data["conversationData"]["conversations"];
    conversations[1]["messages"].as_array_mut().unwrap().push(more);
    conversations[1]["endedAt"] = json!("2026-02-05T11:00:00.000Z");
    let output = import(&stage, &data, &[]);
    assert_eq!(output, "Imported 1 conversation with 1 entry; 1 here already\n");
    let grown = stage.json(&["conversation", "conv-2"]);
    assert_eq!(grown["entries"].as_array().unwrap().len(), 2);
    assert_eq!(grown["ended_at"], "2026-02-05T11:00:00Z");
    assert_eq!(stage.json(&["entries", "--all"])["data"].as_array().unwrap().len(), 4);

    let output = import(&stage, &data, &["--memory", "other"]);
    assert!(output.starts_with("Imported 2 conversations"), "another memory is another: {output}");
}

#[test]
fn a_wrong_conversation_refuses_the_file_unless_it_may_be_left_out() {
    let stage = Stage::new();
    let mut data = plugin_data();
    let conversations = data["conversationData"]["conversations"].as_array_mut().unwrap();
    let hello = message("9", 0, "user", "Hello.");
    let mut future = hello.clone();
    future["timestamp"] = json!("2999-01-01T00:00:00.000Z");
    conversations.push(json!({ "id": "conv-3", "messages": 3 }));
    conversations.push(
        json!({ "id": "conv-4", "messages": [message("8", 0, "assistant", " "), hello, future] }),
    );
    let file = save(&stage, &data);
    let args = ["import", "smarthole", file.to_str().unwrap()];
    let ran = stage.run(&args);
    assert_eq!(ran.code, 2, "{ran:?}");
    for part in [
        "could not import: 2 parts of the file cannot be imported:\n",
        "  conversationData.conversations[2] (conv-3): messages is missing or not a list\n",
        "  conversationData.conversations[3] (conv-4): messages[2]: conversation_time 2999-",
        "nothing is stored; --skip-invalid leaves them out",
    ] {
        assert!(ran.stderr.contains(part), "{}", ran.stderr);
    }
    assert_eq!(stage.ok(&["vaults"]), "");

    let report = stage.json(&[&args[..], &["--skip-invalid"]].concat());
    assert_eq!(report["imported"].as_array().unwrap().len(), 2);
    assert_eq!(report["imported"][0]["message_count"], 3);
    let places: Vec<&Value> =
        report["left_out"].as_array().unwrap().iter().map(|one| &one["place"]).collect();
    assert_eq!(places[0], "conversationData.conversations[2] (conv-3)");
    assert_eq!(places.len(), 2);
    assert_eq!(stage.run(&["conversation", "conv-4"]).code, 3);
}

#[test]
fn the_older_history_becomes_one_conversation_through_a_server_too() {
    let stage = Stage::new();
    let _server = stage.serve();
    let exchange = |id: &str, day: u32| {
        json!({ "id": id, "timestamp": format!("2025-12-{day:02}T10:00:00.000Z"),
            "userMessage": "Where are my notes?", "assistantResponse": "In the journal.",
            "toolsUsed": ["search_files"], "source": "websocket" })
    };
    let history = json!({ "conversationHistory": {
        "recentConversations": [exchange("a", 1), exchange("b", 9)],
        "summaries": [{ "startDate": "2025-11-01T00:00:00.000Z", "conversationCount": 10,
            "endDate": "2025-11-30T00:00:00.000Z", "summary": "The journal was set up." }],
        "lastSummarized": "2025-11-30T00:00:00.000Z",
    } });
    assert_eq!(import(&stage, &history, &[]), "Imported 1 conversation with 4 entries\n");
    let whole = stage.json(&["conversation", "conv-migrated"]);
    assert_eq!(whole["title"], "Migrated Conversation History");
    let summary = whole["summary"].as_str().unwrap();
    assert!(summary.starts_with("2025-11-01 to 2025-11-30: The journal was set up.\n"));
    assert_eq!(whole["ended_at"], "2025-12-09T10:00:00Z");
    assert_eq!(whole["message_count"], 4, "one conversation in spite of the pauses");
    let roles: Vec<&Value> =
        whole["entries"].as_array().unwrap().iter().map(|one| &one["role"]).collect();
    assert_eq!(roles, ["user", "assistant", "user", "assistant"]);
}

#[test]
fn another_file_is_refused_with_a_word_on_which_one_would_be_right() {
    let stage = Stage::new();
    for (text, problem) in [
        ("{\"theme\": \"dark\"}", "neither conversationData nor conversationHistory"),
        ("not json", "the file is not JSON"),
        ("{\"conversationData\": {}}", "conversationData: conversations is missing"),
    ] {
        let file = stage.file("other.json", text);
        let ran = stage.run(&["import", "smarthole", file.to_str().unwrap()]);
        assert_eq!(ran.code, 2, "{ran:?}");
        assert!(ran.stderr.contains(problem), "{}", ran.stderr);
    }
    assert_eq!(stage.run(&["import", "smarthole", "no-such.json"]).code, 2);
}

/// A file large enough for several batches, into a memory that another client forgets after the first of them.
#[test]
fn an_import_ends_when_its_memory_is_forgotten_meanwhile() {
    let stage = Stage::new();
    let server = stage.serve();
    let line = |number: u32| {
        let (hour, minute, second) = (number / 3600, number / 60 % 60, number % 60);
        let time = format!("2025-03-01T{hour:02}:{minute:02}:{second:02}Z");
        let conversation = format!("c{}", number / 100);
        json!({ "role": "user", "content": format!("line {number}"), "time": time, "conversation": conversation })
    };
    let lines: Vec<String> = (0..40_000).map(|number| line(number).to_string()).collect();
    let file = stage.file("many.jsonl", &lines.join("\n"));
    let mut command = stage.command(&["import", file.to_str().unwrap(), "--yes", "--memory", "m"]);
    let import = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("a part is stored", || stage.run(&["memories"]).stdout.contains('m').then_some(()));
    stage.ok(&["forget", "--whole-memory", "--memory", "m", "--yes"]);
    let ended = import.wait_with_output().unwrap();
    let said = String::from_utf8(ended.stderr).unwrap();
    assert_eq!(ended.status.code(), Some(4), "{said}");
    assert!(said.contains("was forgotten while files were imported into it"), "{said}");
    assert!(!said.contains("run it again to go on"), "{said}");
    assert_eq!(stage.ok(&["memories"]), "", "nothing was brought back");
    drop(server);
}
