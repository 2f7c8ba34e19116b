//! Workflow files of the kind people already have: each loads as it stands.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

use everwhen_workflow::{Flaw, Folder};

fn read(text: &str) -> (Folder, Vec<Flaw>) {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("w.json"), text).unwrap();
    Folder::read(directory.path()).unwrap()
}

fn loads(text: &str) {
    let (folder, flaws) = read(text);
    assert!(flaws.is_empty(), "{text}\n{flaws:#?}");
    assert!(folder.get("w").is_some());
}

/// A node alone is not a workflow, but in a list it is.
fn node_loads(text: &str) {
    loads(&format!("[{text}]"));
    let (_, flaws) = read(text);
    assert!(flaws[0].sentence.contains("a single node"), "{flaws:?}");
}

#[test]
fn a_responder_that_knows_the_time() {
    node_loads(
        r#"{
  "title": "Respond with Temporal Awareness",
  "type": "Standard",
  "endpointName": "Creative-Endpoint",
  "prompt": "{chat_user_prompt_last_one}",
  "returnToUser": true,
  "addDiscussionIdTimestampsForLLM": true,
  "useRelativeTimestamps": true,
  "useGroupChatTimestampLogic": true
}"#,
    );
}

#[test]
fn a_file_with_a_persona_and_the_time_context() {
    loads(
        r#"{
  "persona": "You are a helpful AI assistant.",
  "nodes": [
    {
      "title": "Context-Aware Responder",
      "type": "Standard",
      "endpointName": "Analytical-Endpoint",
      "systemPrompt": "{persona}\n\n{time_context_summary}",
      "prompt": "Considering our conversation history, please answer: {chat_user_prompt_last_one}",
      "returnToUser": true,
      "addDiscussionIdTimestampsForLLM": true,
      "useRelativeTimestamps": false
    }
  ]
}"#,
    );
}

#[test]
fn every_memory_node() {
    for node in [
        r#"{"id": "create_memories_node", "type": "QualityMemory", "name": "Create/Update All Memories"}"#,
        r#"{"id": "update_rolling_summary_node", "type": "chatSummarySummarizer",
            "name": "Update Rolling Chat Summary", "minMemoriesPerSummary": 3, "loopIfMemoriesExceed": 3}"#,
        r#"{"id": "get_recent_memories_node", "type": "RecentMemorySummarizerTool",
            "name": "Get Recent Memories", "maxTurnsToPull": 0, "maxSummaryChunksFromFile": 3,
            "lookbackStart": 0, "customDelimiter": "--ChunkBreak--"}"#,
        r#"{"id": "update_and_get_recent_memories", "type": "RecentMemory",
            "name": "Update and Get Recent Memories"}"#,
        r#"{"id": "get_full_summary_fast_node", "type": "GetCurrentSummaryFromFile",
            "name": "Get Full Chat Summary (Fast)"}"#,
        r#"{"id": "update_and_get_summary_node", "type": "FullChatSummary",
            "name": "Update and Get Full Chat Summary", "isManualConfig": false}"#,
        r#"{"id": "smart_search_node", "type": "VectorMemorySearch", "name": "Search for Specific Details",
            "input": "Project Stardust;mission parameters;Dr. Evelyn Reed", "limit": 5}"#,
    ] {
        node_loads(node);
    }
}
