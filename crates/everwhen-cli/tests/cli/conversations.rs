//! Conversations from the command line: pauses, ends, summaries, forks, the prompt.

use serde_json::Value;

use crate::stage::{Stage, eventually};

fn list(stage: &Stage, args: &[&str]) -> Vec<Value> {
    let page = stage.json(&[&["conversations"], args].concat());
    page["data"].as_array().unwrap().clone()
}

/// A summary waits a moment for more entries, then it is there without further ado.
fn wait_for_a_title(stage: &Stage) {
    eventually("a title", || list(stage, &["--state", "ended"])[0]["title"].as_str().map(drop));
}

#[test]
fn a_long_pause_parts_conversations_and_the_ended_one_has_a_summary() {
    let stage = Stage::new();
    stage.ok(&["remember", "I went to the museum of natural history", "--at", "2023-01-08 12:00"]);
    stage.ok(&["remember", "How was it?", "--role", "assistant", "--at", "2023-01-08 12:01"]);
    stage.ok(&["remember", "Good morning"]);
    wait_for_a_title(&stage);
    let shown = stage.ok(&["conversations"]);
    let lines: Vec<&str> = shown.lines().collect();
    assert!(lines[0].starts_with("2023-01-08 12:00 – 12:01  cnv_"), "{shown}");
    assert!(lines[0].contains("  ended  2 entries  "), "{shown}");
    assert!(lines[1].starts_with("    "), "the summary follows: {shown}");
    assert!(lines.last().unwrap().contains("  open   1 entry"), "{shown}");
    assert_eq!(list(&stage, &["--state", "open"]).len(), 1);
    let ended = list(&stage, &["--state", "ended"]);
    assert_eq!(ended[0]["summary_by"], "extractive");
    assert_eq!(ended[0]["ended_at"], "2023-01-08T11:31:00Z");
}

#[test]
fn a_conversation_can_be_ended_shown_and_forked() {
    let stage = Stage::new();
    for text in ["one", "two", "three"] {
        stage.ok(&["remember", text, "--conversation-id", "my chat"]);
    }
    let whole = stage.json(&["conversation", "my chat"]);
    let first = whole["entries"][0]["id"].as_str().unwrap().to_owned();
    let forked = stage.ok(&["fork", "my chat", "--after", &first]);
    assert!(forked.starts_with("Moved 2 entries to branch brn_"), "{forked}");
    let shown = stage.ok(&["conversation", "my chat"]);
    assert!(shown.contains("one") && !shown.contains("three"), "{shown}");
    assert!(shown.contains("(2 entries)"), "{shown}");

    let ended = stage.ok(&["end", "--conversation-id", "my chat", "--reason", "done"]);
    assert!(ended.starts_with("Ended my chat at "), "{ended}");
    let whole = stage.json(&["conversation", "my chat"]);
    assert_eq!(whole["end_reason"], "done");
    assert!(whole["title"].is_string(), "summarized at once: {whole}");
    assert_eq!(stage.run(&["end", "--conversation-id", "my chat"]).code, 4);
    assert_eq!(stage.run(&["conversation", "no such"]).code, 3);
}

#[test]
fn archived_conversations_can_be_restored() {
    let stage = Stage::new();
    stage.ok(&["vaults", "add", "small", "--retained", "1"]);
    for day in ["2023-01-01", "2023-01-02", "2023-01-03"] {
        stage.ok(&["remember", day, "--at", day, "--vault", "small"]);
    }
    let archived = list(&stage, &["--archived", "--vault", "small"]);
    assert!(!archived.is_empty());
    let id = archived[0]["id"].as_str().unwrap();
    assert!(stage.ok(&["restore", id, "--vault", "small"]).contains("Restored "));
    assert!(list(&stage, &["--vault", "small"]).iter().any(|one| one["id"] == id));
    assert_eq!(stage.run(&["restore", id, "--vault", "small"]).code, 4);
}

#[test]
fn the_prompt_tells_the_current_conversation() {
    let stage = Stage::new();
    stage.ok(&["remember", "What is the time?"]);
    stage.ok(&["remember", "Noon.", "--role", "assistant", "--tool", "clock"]);
    let prompt = stage.ok(&["prompt"]);
    assert!(prompt.starts_with("## Current Conversation\n["), "{prompt}");
    assert!(prompt.contains("\nUser: What is the time?\n"), "{prompt}");
    assert!(prompt.ends_with("\nAssistant: Noon. [used: clock]\n"), "{prompt}");
}

#[test]
fn what_waited_for_an_answer_is_said_with_it() {
    let stage = Stage::new();
    stage.ok(&["remember", "Which museum?", "--role", "assistant", "--question"]);
    let output = stage.ok(&["remember", "The big one"]);
    assert!(output.contains("\nIt answers ent_"), "{output}");
}

#[test]
fn a_running_server_ends_conversations_and_summarizes_them() {
    let stage = Stage::new();
    let _server = stage.serve();
    stage.ok(&["remember", "Long ago in a museum", "--at", "2023-01-08 12:00"]);
    wait_for_a_title(&stage);
}
