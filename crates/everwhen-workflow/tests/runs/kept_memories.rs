//! What becomes of memories once they are written: condensed, merged into a state document, or brought
//! over from WilmerAI.

use everwhen::chapters::{ChapterKind, ImportedChapter, ImportedChapters, ImportedSummary};
use everwhen::memory::{Name, Provenance, TextHash, TimeFrom, TimePrecision};
use everwhen::ports::ContextVersion;

use crate::stage::{Stage, memory};

const SETTINGS: &str = "_DiscussionId-MemoryFile-Workflow-Settings.json";
const QUALITY: &str = r#"[{"type": "QualityMemory"}]"#;
const ALL: &str = r#"[{"type": "GetCurrentMemoryFromFile"}]"#;

#[tokio::test]
async fn memories_are_condensed_as_the_settings_file_says() {
    let settings = r#"{"endpointName": "e", "condenseMemories": true, "memoriesBeforeCondensation": 2,
        "memoryCondensationBuffer": 1, "condenseMemoriesSystemPrompt": "Condense for {Discussion_Id}.",
        "condenseMemoriesPrompt": "These: [MemoriesToCondense] After: [Memories_Before_Memories_to_Condense]"}"#;
    let search = r#"[{"type": "VectorMemorySearch", "input": "rosemary"}]"#;
    let files = [("q.json", QUALITY), ("a.json", ALL), ("s.json", search), (SETTINGS, settings)];
    let stage = Stage::new(&files).await;
    stage.remember_garden().await;
    for text in ["One, with rosemary.", "Two.", "Three.", "Four.", "One and two in short."] {
        stage.model.says(text);
    }
    stage.output("q").await;
    let asked = stage.model.asked();
    let condensing =
        asked.iter().find(|one| one["messages"][0]["content"] == "Condense for garden.");
    let prompt = condensing.unwrap()["messages"][1]["content"].as_str().unwrap().to_owned();
    let wanted =
        "These: One, with rosemary.\n--------------\nTwo. After: No preceding memories to show";
    assert_eq!(prompt, wanted);
    assert_eq!(condensing.unwrap()["max_tokens"], 500);
    let shown = stage.output("a").await;
    let texts: Vec<&str> =
        shown.split("--ChunkBreak--").map(|one| one.split_once(": ").unwrap().1).collect();
    assert_eq!(texts, ["One and two in short.", "Three.", "Four."], "{shown}");
    let found = stage.output("s").await;
    assert!(found.contains("One, with rosemary."), "what was condensed is still found: {found}");
}

#[tokio::test]
async fn a_condensation_that_fails_leaves_the_memories_as_they_are() {
    let settings = r#"{"endpointName": "e", "condenseMemories": true, "memoriesBeforeCondensation": 2,
        "condenseMemoriesEndpointName": "down"}"#;
    let stage = Stage::new(&[("q.json", QUALITY), ("a.json", ALL), (SETTINGS, settings)]).await;
    stage.remember_garden().await;
    stage.output("q").await;
    assert_eq!(stage.output("a").await.split("--ChunkBreak--").count(), 4);
}

#[tokio::test]
async fn new_memories_are_merged_into_the_state_document() {
    let settings = r#"{"useVectorForQualityMemory": true, "vectorMemoryEndpointName": "e",
        "vectorMemoryMaxMessagesBetweenChunks": 20, "useStateDocument": true,
        "stateDocumentWorkflowName": "merge"}"#;
    let merge = r#"[{"type": "StaticResponse", "content": "STATE\n{agent2Input}\n{agent1Input}"}]"#;
    let state = r#"[{"type": "GetCurrentStateDocument"}]"#;
    let files =
        [("q.json", QUALITY), ("d.json", state), ("merge.json", merge), (SETTINGS, settings)];
    let stage = Stage::new(&files).await;
    assert_eq!(stage.output("d").await, "No state document has been created yet");
    stage.remember_garden().await;
    stage.model.says(
        r#"[{"title": "a", "summary": "Ana planted beans.", "entities": [], "key_phrases": []},
            {"title": "b", "summary": "Ana lives in Oslo.", "entities": [], "key_phrases": []}]"#,
    );
    stage.output("q").await;
    let document = stage.output("d").await;
    assert_eq!(document, "STATE\n\n- Ana planted beans.\n- Ana lives in Oslo.");
    let newest = stage.vault.context(memory(), ContextVersion::Current).await.unwrap();
    assert_eq!(newest.version, 1, "no other document is written beside it");
}

#[tokio::test]
async fn a_state_document_that_would_lose_most_of_its_text_is_kept() {
    let settings = r#"{"useVectorForQualityMemory": true, "vectorMemoryEndpointName": "e",
        "vectorMemoryMaxMessagesBetweenChunks": 20, "useStateDocument": true,
        "stateDocumentWorkflowName": "merge"}"#;
    let merge = r#"[{"type": "StaticResponse", "content": "short"}]"#;
    let state = r#"[{"type": "GetCurrentStateDocument"}]"#;
    let files =
        [("q.json", QUALITY), ("d.json", state), ("merge.json", merge), (SETTINGS, settings)];
    let stage = Stage::new(&files).await;
    stage.remember_garden().await;
    let long = "x".repeat(600);
    let document = everwhen::memory::NewContext::new(long.clone(), None).unwrap();
    stage.vault.put_context(memory(), document, None).await.unwrap();
    stage.model.says(
        r#"{"title": "a", "summary": "Ana planted beans.", "entities": [], "key_phrases": []}"#,
    );
    stage.output("q").await;
    assert_eq!(stage.output("d").await, long);
}

fn imported(kind: ChapterKind, id: &str, text: &str, dated: bool) -> ImportedChapter {
    let name = |text: &str| Name::new("name", text).unwrap();
    let mut provenance =
        Provenance { source_id: Some(name(id)), ..Provenance::stated(name("wilmer")) };
    if !dated {
        (provenance.precision, provenance.time_from) = (TimePrecision::Unknown, TimeFrom::File);
    }
    ImportedChapter {
        kind,
        title: (kind == ChapterKind::Searchable).then(|| "Stardust".to_owned()),
        text: text.to_owned(),
        entities: vec!["Dr. Evelyn Reed".to_owned()],
        key_phrases: vec!["mission parameters".to_owned()],
        until: "2025-05-01T10:00:00Z".parse().unwrap(),
        last_message: Some(TextHash::of("the last one")),
        provenance,
        metadata: None,
    }
}

#[tokio::test]
async fn memories_of_wilmer_are_read_by_its_nodes() {
    let search =
        r#"[{"type": "VectorMemorySearch", "input": "mission parameters", "includeDates": true}]"#;
    let recent = r#"[{"type": "RecentMemorySummarizerTool", "maxTurnsToPull": 0,
        "maxSummaryChunksFromFile": -1, "customDelimiter": "|"}]"#;
    let stage = Stage::new(&[
        ("a.json", recent),
        ("s.json", search),
        ("f.json", r#"[{"type": "GetCurrentSummaryFromFile"}]"#),
        ("g.json", r#"[{"type": "ChatSummaryMemoryGatheringTool"}]"#),
    ])
    .await;
    let chapters = vec![
        imported(ChapterKind::Imported, "m1", "Ana moved to Rome.", true),
        imported(ChapterKind::Imported, "m2", "Ana found work.", false),
        imported(ChapterKind::Searchable, "v1", "The launch is in May.", true),
    ];
    let through = Some(Name::new("name", "m1").unwrap());
    let summary = Some(ImportedSummary { text: "Ana is in Rome.".into(), through });
    let all = ImportedChapters { chapters, summary, is_complete: true };
    stage.vault.import_chapters(memory(), all, false).await.unwrap();
    assert_eq!(stage.output("a").await, "2025-05-01: Ana moved to Rome.|Ana found work.");
    assert_eq!(stage.output("f").await, "Ana is in Rome.");
    assert_eq!(stage.output("g").await, "Ana found work.", "what is not in the summary");
    let found = stage.output("s").await;
    assert!(found.contains("[2025-05-01] The launch is in May."), "{found}");
    assert!(found.contains("[date unknown] Ana found work."), "{found}");
}
