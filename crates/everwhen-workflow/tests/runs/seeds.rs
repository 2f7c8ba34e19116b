//! Every example of the guides that people follow: it loads as it stands and does what they say.

use everwhen::ledger::{Commit, ExchangeReply};
use everwhen::memory::Role;
use everwhen::ports::EntryQuery;

use crate::stage::{Notes, Stage, memory};

/// "This example shows a node configured to inject relative timestamps and use the immediate commit logic
/// for group chats."
const TEMPORAL: &str = r#"[{
  "title": "Respond with Temporal Awareness",
  "type": "Standard",
  "endpointName": "Creative-Endpoint",
  "prompt": "{chat_user_prompt_last_one}",
  "returnToUser": true,
  "addDiscussionIdTimestampsForLLM": true,
  "useRelativeTimestamps": true,
  "useGroupChatTimestampLogic": true
}]"#;

/// "This node uses the summary variable to give the LLM temporal context at the start of its processing."
const CONTEXT_AWARE: &str = r#"{
  "persona": "You are a helpful AI assistant.",
  "nodes": [
    {
      "title": "Context-Aware Responder",
      "type": "Standard",
      "endpointName": "Analytical-Endpoint",
      "systemPrompt": "{persona}\n\n{time_context_summary}",
      "prompt": "Considering our conversation history, please answer the user's latest question: {chat_user_prompt_last_one}",
      "returnToUser": true,
      "addDiscussionIdTimestampsForLLM": true,
      "useRelativeTimestamps": false
    }
  ]
}"#;

#[tokio::test]
async fn relative_times_are_sent_and_a_group_chats_reply_is_committed_at_once() {
    let stage = Stage::new(&[("chat.json", TEMPORAL)]).await;
    stage.chat(&["u:I need help with my workflow."], Commit::AtOnce).await;
    stage.clock.advance(jiff::SignedDuration::from_mins(135));
    assert!(stage.workflows.current().dating("chat").group_chat);
    let lines = ["u:I need help with my workflow.", "a:CharacterName:"];
    let (chat, begun) = stage.chat(&lines, Commit::AtOnce).await;
    stage.model.says("Of course.");
    let mut notes = Notes::default();
    let only = ["u:I need help with my workflow."];
    let (alone, _) = stage.chat(&only, Commit::AtOnce).await;
    stage.workflows.play("chat", &alone, &stage.place(), &mut notes).await.unwrap();
    let sent = "user: [Sent 2 hours, 15 minutes ago] I need help with my workflow.";
    assert_eq!(stage.model.heard(), [sent]);
    assert_eq!(stage.model.asked()[0]["model"], "Creative-Endpoint");
    // A generation prompt is not stamped, and its name stands before the reply that is kept.
    assert_eq!(chat.times[1], None);
    let reply = ExchangeReply { content: "Of course.".into(), ..ExchangeReply::default() };
    stage.vault.finish_exchange(begun.exchange, reply).await.unwrap();
    let entries = stage.vault.entries(memory(), None, EntryQuery::default()).await.unwrap().data;
    assert_eq!(entries.last().unwrap().content.as_str(), "CharacterName: Of course.");
}

#[tokio::test]
async fn the_time_context_and_absolute_times_are_sent() {
    let stage = Stage::new(&[("chat.json", CONTEXT_AWARE)]).await;
    stage.chat(&["u:Hello"], Commit::NextTurn).await;
    stage.clock.advance(jiff::SignedDuration::from_mins(53 * 60 - 15));
    let (_, begun) = stage.chat(&["u:Hello", "u:Anybody?"], Commit::NextTurn).await;
    let reply = ExchangeReply { content: "Hi!".into(), ..ExchangeReply::default() };
    stage.vault.finish_exchange(begun.exchange, reply).await.unwrap();
    stage.clock.advance(jiff::SignedDuration::from_mins(15));
    let lines = ["u:Hello", "u:Anybody?", "a:Hi!", "u:What now?"];
    stage.play("chat", &lines).await.0.unwrap();
    assert_eq!(
        stage.model.heard(),
        [
            "system: You are a helpful AI assistant.\n\n[Time Context: This conversation started 2 days, \
             5 hours ago. The most recent message was sent 15 minutes ago.]",
            "user: Considering our conversation history, please answer the user's latest question: \
             (Tuesday, 2025-06-03 17:00:00) What now?",
        ]
    );
}

const QUALITY: &str = r#"[{"id": "create_memories_node", "type": "QualityMemory", "name": "Create/Update All Memories"}]"#;
const SUMMARIZER: &str = r#"[{
    "id": "update_rolling_summary_node",
    "type": "chatSummarySummarizer",
    "name": "Update Rolling Chat Summary",
    "minMemoriesPerSummary": 3,
    "loopIfMemoriesExceed": 3
  }]"#;
const RECENT_TOOL: &str = r#"[{
    "id": "get_recent_memories_node",
    "type": "RecentMemorySummarizerTool",
    "name": "Get Recent Memories",
    "maxTurnsToPull": 0,
    "maxSummaryChunksFromFile": 3,
    "lookbackStart": 0,
    "customDelimiter": "--ChunkBreak--"
  }]"#;
const RECENT: &str = r#"[{
    "id": "update_and_get_recent_memories",
    "type": "RecentMemory",
    "name": "Update and Get Recent Memories"
  }]"#;
const SUMMARY: &str = r#"[{
    "id": "get_full_summary_fast_node",
    "type": "GetCurrentSummaryFromFile",
    "name": "Get Full Chat Summary (Fast)"
  }]"#;
const FULL_SUMMARY: &str = r#"[{
    "id": "update_and_get_summary_node",
    "type": "FullChatSummary",
    "name": "Update and Get Full Chat Summary",
    "isManualConfig": false
  }]"#;
const SEARCH: &str = r#"[{
    "id": "smart_search_node",
    "type": "VectorMemorySearch",
    "name": "Search for Specific Details",
    "input": "Project Stardust;mission parameters;Dr. Evelyn Reed",
    "limit": 5
  }]"#;

const NODES: [(&str, &str); 7] = [
    ("quality.json", QUALITY),
    ("summarizer.json", SUMMARIZER),
    ("recent-tool.json", RECENT_TOOL),
    ("recent.json", RECENT),
    ("summary.json", SUMMARY),
    ("full-summary.json", FULL_SUMMARY),
    ("search.json", SEARCH),
];

#[tokio::test]
async fn creators_write_and_readers_only_read() {
    let stage = Stage::new(&NODES).await;
    stage.remember_garden().await;
    // "Pure/fast readers perform a direct read": there is nothing yet, and reading makes nothing.
    assert_eq!(stage.output("recent-tool").await, "No memories have been generated yet");
    assert_eq!(stage.output("summary").await, "There is not yet a summary file");
    assert_eq!(stage.output("recent-tool").await, "No memories have been generated yet");
    // "The primary node for creating and updating memories."
    stage.output("quality").await;
    let recent = stage.output("recent-tool").await;
    assert_eq!(recent.split("--ChunkBreak--").count(), 3, "{recent}");
    assert!(recent.contains("2025-05-16"), "each says of which days it tells: {recent}");
    assert_eq!(stage.output("summary").await, "There is not yet a summary file");
    // "It processes new chunks and integrates them into the existing summary."
    let summary = stage.output("summarizer").await;
    assert!(summary.contains("2025-05-02"), "{summary}");
    assert_eq!(stage.output("summary").await, summary);
    assert!(stage.model.asked().is_empty(), "no model is needed");
}

#[tokio::test]
async fn read_and_update_nodes_write_first() {
    let stage = Stage::new(&NODES).await;
    stage.remember_garden().await;
    let recent = stage.output("recent").await;
    assert_eq!(recent.split("--ChunkBreak--").count(), 3, "{recent}");
    let stage = Stage::new(&NODES).await;
    stage.remember_garden().await;
    let summary = stage.output("full-summary").await;
    assert!(summary.contains("2025-05-02") && summary.contains("2025-05-16"), "{summary}");
}

#[tokio::test]
async fn keywords_between_semicolons_find_what_says_any_of_them() {
    let stage = Stage::new(&NODES).await;
    stage
        .remember(&[
            (Role::User, "2025-05-02T10:00:00Z", "Project Stardust starts in autumn"),
            (Role::User, "2025-05-02T10:01:00Z", "My cat sleeps all day"),
            (Role::User, "2025-05-02T10:02:00Z", "Dr. Evelyn Reed called about the budget"),
        ])
        .await;
    let found = stage.output("search").await;
    assert_eq!(found.split("\n\n---\n\n").count(), 2, "{found}");
    assert!(found.contains("Stardust") && found.contains("Evelyn") && !found.contains("cat"));
}

/// "Example _DiscussionId-MemoryFile-Workflow-Settings.json", with its comments.
const SETTINGS: &str = r#"{
  // Sets the memory system used by the QualityMemory node.
  "useVectorForQualityMemory": true,
  // ====================================================================
  // == Vector Memory Configuration (Only used if the above is true) ==
  // ====================================================================

  // Specify a workflow to generate the structured JSON for a vector memory.
  "vectorMemoryWorkflowName": "my-vector-memory-workflow",
  // The settings below are IGNORED if "vectorMemoryWorkflowName" is set.
  "vectorMemoryEndpointName": "gpt-4-turbo",
  "vectorMemoryPreset": "default_preset_for_json_output",
  "vectorMemoryMaxResponseSizeInTokens": 1024,
  "vectorMemoryChunkEstimatedTokenSize": 1000,
  "vectorMemoryMaxMessagesBetweenChunks": 5,
  "vectorMemoryLookBackTurns": 3,
  // ====================================================================
  // == File-based Memory Configuration (Only used if the switch is false) ==
  // ====================================================================

  // Specify a workflow to generate the summary text for a file-based memory.
  "fileMemoryWorkflowName": "my-file-memory-workflow",
  // The prompts below are IGNORED if "fileMemoryWorkflowName" is set.
  "systemPrompt": "You are an expert summarizer...",
  "prompt": "Please summarize the following: [TextChunk]",
  "chunkEstimatedTokenSize": 1000,
  "maxMessagesBetweenChunks": 5,
  "lookbackStartTurn": 3,
  // ====================================================================
  // == General / Fallback LLM Settings                              ==
  // ====================================================================

  // The default LLM endpoint to use if a specific one isn't set for a direct LLM call.
  "endpointName": "default_endpoint",
  "preset": "default_preset",
  "maxResponseSizeInTokens": 400
}"#;
const SETTINGS_FILE: &str = "_DiscussionId-MemoryFile-Workflow-Settings.json";
const VECTOR_WORKFLOW: &str = r#"[{"type": "Standard", "endpointName": "e",
    "systemPrompt": "Write JSON. Before: {agent2Input}", "prompt": "{agent1Input}"}]"#;
const FILE_WORKFLOW: &str =
    r#"[{"type": "Standard", "endpointName": "e", "prompt": "File: {agent1Input}"}]"#;
const PRESETS: [(&str, &str); 2] = [
    ("presets/default_preset.json", "{\"temperature\": 0.5, /* few */ \"top_k\": 3}"),
    ("presets/default_preset_for_json_output.json", "{\"temperature\": 0}"),
];

async fn with_settings(settings: &str) -> Stage {
    let workflows = [
        (SETTINGS_FILE, settings),
        ("my-vector-memory-workflow.json", VECTOR_WORKFLOW),
        ("my-file-memory-workflow.json", FILE_WORKFLOW),
    ];
    let stage = Stage::new(&[&NODES[..], &workflows, &PRESETS].concat()).await;
    stage.remember_garden().await;
    stage
}

#[tokio::test]
async fn a_vector_memory_is_written_by_its_workflow_and_found_again() {
    let stage = with_settings(SETTINGS).await;
    for number in 0..9 {
        stage.model.says(&format!(
            "Here it is: {{\"title\": \"Bed {number}\", \"summary\": \"Project Stardust in bed {number}.\", \
             \"entities\": [\"Stardust\"], \"key_phrases\": [\"beds\"], \"mood\": \"calm\"}}"
        ));
    }
    stage.output("quality").await;
    let asked = stage.model.asked();
    assert!(asked.iter().all(|asked| asked["model"] == "e"), "the direct settings are ignored");
    let prompt = asked[0]["messages"][1]["content"].as_str().unwrap();
    assert!(
        prompt.contains("I planted tomatoes in bed 0") && prompt.contains("2025-05-02"),
        "{prompt}"
    );
    let before = asked[1]["messages"][0]["content"].as_str().unwrap();
    assert_eq!(before, "Write JSON. Before: Project Stardust in bed 0.");
    let found = stage.output("search").await;
    assert!(found.contains("Project Stardust in bed"), "{found}");
}

#[tokio::test]
async fn a_file_memory_is_written_by_its_workflow_else_by_its_prompts() {
    let settings = SETTINGS
        .replace("\"useVectorForQualityMemory\": true", "\"useVectorForQualityMemory\": false");
    let stage = with_settings(&settings).await;
    stage.output("quality").await;
    assert!(stage.model.heard()[0].starts_with("user: File: "), "{:?}", stage.model.heard());
    let settings = settings.replace("\"fileMemoryWorkflowName\": \"my-file-memory-workflow\",", "");
    let stage = with_settings(&settings).await;
    stage.output("quality").await;
    let heard = stage.model.heard();
    assert_eq!(heard[0], "system: You are an expert summarizer...");
    assert!(heard[1].starts_with("user: Please summarize the following: "), "{heard:?}");
    let asked = stage.model.asked().remove(0);
    assert_eq!(
        (asked["model"].as_str(), asked["top_k"].as_i64()),
        (Some("default_endpoint"), Some(3))
    );
    assert_eq!(asked["max_tokens"], 400);
    let recent = stage.output("recent-tool").await;
    assert!(recent.contains(": heard "), "{recent}");
}

#[tokio::test]
async fn regenerating_gives_the_same_dates() {
    let stage = Stage::new(&NODES).await;
    stage.remember_garden().await;
    stage.output("quality").await;
    let before = stage.output("recent-tool").await;
    stage.clock.advance(jiff::SignedDuration::from_hours(24 * 90));
    stage.vault.regenerate(memory(), None).await.unwrap();
    stage.output("quality").await;
    assert_eq!(stage.output("recent-tool").await, before);
}
