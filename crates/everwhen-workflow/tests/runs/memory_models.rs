//! Which model writes memories, with which prompts, and what happens when it fails.

use everwhen::memory::Role;
use serde_json::Value;

use crate::stage::{Stage, memory};

const SETTINGS: &str = "_DiscussionId-MemoryFile-Workflow-Settings.json";
const QUALITY: &str = r#"[{"type": "QualityMemory"}]"#;

/// The texts of a request.
fn texts(asked: &Value) -> Vec<String> {
    let messages = asked["messages"].as_array().unwrap();
    messages.iter().map(|one| one["content"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn vector_settings_without_a_workflow_ask_for_json() {
    let settings = r#"{"Display_Only_Description": "x", "useVectorForQualityMemory": true,
        "vectorMemoryEndpointName": "e"}"#;
    let search = r#"[{"type": "VectorMemorySearch", "input": "Oslo"}]"#;
    let stage = Stage::new(&[("q.json", QUALITY), ("s.json", search), (SETTINGS, settings)]).await;
    stage.remember_garden().await;
    for _ in 0..4 {
        stage.model.says(
            r#"[{"title": "Beds", "summary": "Ana planted tomatoes.", "entities": ["Ana"],
                 "key_phrases": ["tomato bed"]},
                {"title": "Home", "summary": "Ana lives in Oslo.", "entities": ["Oslo"],
                 "key_phrases": ["home town"]}]"#,
        );
    }
    stage.output("q").await;
    let asked = stage.model.asked();
    assert!(texts(&asked[0])[0].contains("Answer with JSON only"), "{asked:?}");
    let found = stage.output("s").await;
    assert!(found.starts_with("Ana lives in Oslo."), "{found}");
    assert!(!found.contains("tomatoes."), "memories of one reply are found alone: {found}");
}

#[tokio::test]
async fn variables_work_in_prompts_of_the_settings_file() {
    let settings = r#"{"endpointName": "e", "systemPrompt": "Notes for {Discussion_Id}.",
        "prompt": "{unknown_name} [TextChunk]"}"#;
    let stage = Stage::new(&[("q.json", QUALITY), (SETTINGS, settings)]).await;
    stage.remember(&[(Role::User, "2025-05-02T09:00:00Z", "braces {Discussion_Id} stay")]).await;
    stage.remember_garden().await;
    stage.output("q").await;
    let asked = texts(&stage.model.asked()[0]);
    assert_eq!(asked[0], "Notes for garden.");
    assert!(asked[1].starts_with("{unknown_name} "), "{asked:?}");
    assert!(asked[1].contains("braces {Discussion_Id} stay"), "{asked:?}");
}

#[tokio::test]
async fn the_summary_is_written_with_the_prompts_of_the_node() {
    let fold = r#"[{"type": "chatSummarySummarizer", "endpointName": "e", "preset": "",
        "systemPrompt": "You fold for {Discussion_Id}.", "minMemoriesPerSummary": 1, "loopIfMemoriesExceed": 99,
        "prompt": "So far: [CHAT_SUMMARY] New: [LATEST_MEMORIES]", "maxResponseSizeInTokens": 77}]"#;
    let stage = Stage::new(&[("q.json", QUALITY), ("f.json", fold)]).await;
    stage.remember_garden().await;
    stage.output("q").await;
    stage.model.says("All of May in the garden.");
    assert_eq!(stage.output("f").await, "All of May in the garden.");
    let asked = stage.model.asked().remove(0);
    assert_eq!(asked["max_tokens"], 77);
    let prompts = texts(&asked);
    assert_eq!(prompts[0], "You fold for garden.");
    assert!(prompts[1].starts_with("So far:  New: 2025-05-02"), "{prompts:?}");
}

#[tokio::test]
async fn the_endpoint_of_the_settings_file_writes_the_summary_too() {
    let settings = r#"{"endpointName": "e", "maxMessagesBetweenChunks": 5}"#;
    let full = r#"[{"type": "FullChatSummary", "isManualConfig": false}]"#;
    let stage = Stage::new(&[("f.json", full), (SETTINGS, settings)]).await;
    stage.remember_garden().await;
    let summary = stage.output("f").await;
    assert!(summary.starts_with("heard "), "a model wrote it, not a list of titles: {summary}");
    let folds = stage.model.asked();
    let folds = folds.iter().filter(|asked| texts(asked)[1].starts_with("Summary so far:"));
    assert!(folds.count() > 0);
}

#[tokio::test]
async fn a_memory_model_that_fails_does_not_fail_the_chat() {
    let settings = r#"{"endpointName": "down"}"#;
    let chat = r#"[{"type": "RecentMemory"}, {"type": "FullChatSummary", "isManualConfig": false},
        {"type": "QualityMemory"},
        {"type": "StaticResponse", "content": "{agent1Output} / {agent2Output}"}]"#;
    let stage = Stage::new(&[("c.json", chat), (SETTINGS, settings)]).await;
    stage.remember_garden().await;
    let said = stage.output("c").await;
    assert_eq!(said, "No memories have been generated yet / There is not yet a summary file");
}

#[tokio::test]
async fn messages_stand_in_while_there_are_no_chapters() {
    let node = r#"[{"type": "RecentMemorySummarizerTool", "maxTurnsToPull": 2, "lookbackStart": 1,
        "maxSummaryChunksFromFile": 30, "customDelimiter": "|"}]"#;
    let stage = Stage::new(&[("r.json", node)]).await;
    let (played, _) = stage.play("r", &["s:Be kind", "u:one", "a:two", "u:three", "a:four"]).await;
    assert_eq!(played.unwrap().1.as_deref(), Some("two|three"));
}

#[tokio::test]
async fn a_summary_is_written_by_a_node_and_what_is_new_is_gathered() {
    let stage = Stage::new(&[
        ("q.json", QUALITY),
        ("g.json", r#"[{"type": "ChatSummaryMemoryGatheringTool"}]"#),
        (
            "w.json",
            r#"[{"type": "WriteCurrentSummaryToFileAndReturnIt", "input": "My own words"}]"#,
        ),
        ("s.json", r#"[{"type": "GetCurrentSummaryFromFile"}]"#),
        (
            "k.json",
            r#"[{"type": "MemoryKeywordSearchPerformerTool", "keywords": "tomato",
            "searchTarget": "RecentMemories"}]"#,
        ),
        ("c.json", r#"[{"type": "ContextCompactor"}]"#),
    ])
    .await;
    stage.remember_garden().await;
    stage.output("q").await;
    assert!(stage.output("g").await.contains("2025-05-02"));
    assert_eq!(stage.output("w").await, "My own words");
    assert_eq!(stage.output("s").await, "My own words");
    assert_eq!(stage.output("g").await, "There are not yet any memories");
    assert!(stage.output("k").await.contains("tomato"));
    assert!(stage.output("c").await.contains("<context_compactor_oldest>\nMy own words"));
    let summaries = stage.vault.rolling_summaries(memory(), None, None).await.unwrap();
    assert_eq!(summaries.data[0].text, "My own words");
}

#[tokio::test]
async fn groups_of_messages_are_processed_once() {
    let parent = r#"[{"type": "ConversationChunkProcessor", "id": "events", "workflowName": "child",
        "chunkSize": 2, "lookbackMessages": 1, "cursorDirectory": "{Discussion_Directory}",
        "returnFile": "{Discussion_Directory}/events.md", "scoped_variables": ["x"]}]"#;
    let child = r#"[{"type": "SaveCustomFile", "filepath": "{Discussion_Directory}/events.md",
        "content": "({agent1Input}{agent2Input})", "mode": "append"}]"#;
    let stage = Stage::new(&[("p.json", parent), ("child.json", child)]).await;
    let lines = ["u:one", "a:two", "u:three", "a:four", "u:five"];
    let (played, _) = stage.play("p", &lines).await;
    assert_eq!(played.unwrap().1.as_deref(), Some("(one\ntwox)(three\nfourx)"));
    let more = [lines.as_slice(), &["a:six", "u:seven"]].concat();
    let (played, _) = stage.play("p", &more).await;
    assert_eq!(played.unwrap().1.as_deref(), Some("(one\ntwox)(three\nfourx)(five\nsixx)"));
}
