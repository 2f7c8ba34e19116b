//! The settings file: every key, both sets, and what is wrong said by line.

use super::*;

/// A file with comments and both sets of keys, as people write it.
const BOTH: &str = r#"{
  // Which of the two is made.
  "useVectorForQualityMemory": true,
  /* For searching. */
  "vectorMemoryWorkflowName": "my-vector-memory-workflow",
  "vectorMemoryEndpointName": "large",
  "vectorMemoryPreset": "json",
  "vectorMemoryMaxResponseSizeInTokens": 900,
  "vectorMemoryChunkEstimatedTokenSize": 1200,
  "vectorMemoryMaxMessagesBetweenChunks": 8,
  "vectorMemoryLookBackTurns": 5,
  // In plain words.
  "fileMemoryWorkflowName": "my-file-memory-workflow",
  "systemPrompt": "You keep minutes.",
  "prompt": "Tell what this is about: [TextChunk]",
  "chunkEstimatedTokenSize": 12000,
  "maxMessagesBetweenChunks": 20,
  "lookbackStartTurn": 7,
  "endpointName": "small",
  "preset": "plain",
  "maxResponseSizeInTokens": 300,
  "minMemoriesPerSummary": 2,
  "loopIfMemoriesExceed": 4,
  "condenseMemories": true,
}"#;

fn read(text: &str) -> Result<MemorySettings> {
    MemorySettings::read(Path::new("s.json"), text)
}

fn problem(text: &str) -> String {
    read(text).unwrap_err().message().to_owned()
}

#[test]
fn the_set_for_searching_is_chosen_by_the_switch() {
    let read = read(BOTH).unwrap();
    assert!(read.searchable);
    assert_eq!((read.endpoint.as_deref(), read.preset.as_deref()), (Some("large"), Some("json")));
    let rules = read.rules;
    assert_eq!((rules.chunk_tokens, rules.max_messages, rules.lookback), (1200, 8, 5));
    assert_eq!(rules.max_response_tokens, 900);
    assert_eq!(rules.workflow.as_deref(), Some("my-vector-memory-workflow"));
    assert_eq!((rules.min_per_summary, rules.most_per_summary), (2, 4));
    assert_eq!((rules.system_prompt, rules.prompt), (None, None));
    assert_eq!(read.idle, [("condenseMemories".to_owned(), 24)]);
}

#[test]
fn a_workflow_overrides_the_prompts_beside_it() {
    let plain =
        BOTH.replace("\"useVectorForQualityMemory\": true", "\"useVectorForQualityMemory\": false");
    let read = read(&plain).unwrap();
    assert_eq!((read.endpoint.as_deref(), read.preset.as_deref()), (Some("small"), Some("plain")));
    let rules = read.rules;
    assert_eq!((rules.chunk_tokens, rules.max_messages, rules.lookback), (12000, 20, 7));
    assert_eq!(rules.max_response_tokens, 300);
    assert_eq!(rules.workflow.as_deref(), Some("my-file-memory-workflow"));
    assert_eq!((rules.system_prompt, rules.prompt), (None, None));
}

#[test]
fn prompts_hold_where_no_workflow_is_named() {
    let text =
        r#"{"fileMemoryWorkflowName": "", "systemPrompt": "Be brief.", "prompt": "[TextChunk]"}"#;
    let rules = read(text).unwrap().rules;
    assert_eq!(rules.system_prompt.as_deref(), Some("Be brief."));
    assert_eq!(rules.prompt.as_deref(), Some("[TextChunk]"));
    assert_eq!(rules.workflow, None);
}

#[test]
fn what_is_not_said_is_as_usual() {
    assert_eq!(read("{}").unwrap(), MemorySettings::default());
    let searchable =
        read(r#"{"useVectorForQualityMemory": true, "lookbackStartTurn": 0}"#).unwrap();
    assert_eq!(searchable.rules.max_response_tokens, 1024);
    assert_eq!(searchable.rules.lookback, 0, "one key for both where the other is not given");
    let wide = read(r#"{"wilmerContextEstimationLevel": "balanced"}"#).unwrap();
    assert_eq!(wide.rules.chunk_tokens, 1250);
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_what_would_be_right() {
    for (text, said) in [
        (
            "{\n\"chunkEstimatedTokenSize\": 0}",
            "s.json:2: `chunkEstimatedTokenSize` takes a whole number from 1 on",
        ),
        (
            "{\"maxMessagesBetweenChunks\": \"5\"}",
            "s.json:1: `maxMessagesBetweenChunks` takes a whole number",
        ),
        ("{\"maxMessagesBetweenChunks\": 2.5}", "takes a whole number"),
        ("{\"lookbackStartTurn\": -1}", "from 0 on"),
        ("{\n\n\"prompt\": 3}", "s.json:3: `prompt` takes text"),
        ("{\"useVectorForQualityMemory\": 1}", "takes true or false"),
        ("{\"chunkEstimatedTokenSise\": 1}", "did you mean `chunkEstimatedTokenSize`?"),
        ("{\"wilmerContextEstimationLevel\": \"bold\"}", "takes conservative, balanced"),
        ("[]", "write an object"),
        ("", "write an object"),
        ("{\n\"prompt\": ", "s.json:2: this is not JSON"),
    ] {
        let problem = problem(text);
        assert!(problem.contains(said), "{text}: {problem}");
    }
}

#[test]
fn a_file_that_is_not_there_is_named() {
    let error = MemorySettings::load(Path::new("/nowhere/s.json")).unwrap_err();
    assert!(error.message().contains("/nowhere/s.json"), "{error}");
}

#[test]
fn condensing_needs_a_number_and_memories_in_plain_words() {
    let text = r#"{"condenseMemories": true, "memoriesBeforeCondensation": 5, "endpointName": "e",
        "memoryCondensationBuffer": 2, "condenseMemoriesPrompt": "Condense [MemoriesToCondense]"}"#;
    let condensing = read(text).unwrap().condensing.unwrap();
    assert_eq!((condensing.rule.count, condensing.rule.buffer), (5, 2));
    assert_eq!((condensing.endpoint.as_deref(), condensing.max_tokens), (Some("e"), 500));
    assert!(read(text).unwrap().idle.is_empty());
    let searchable = read(&text.replace('{', r#"{"useVectorForQualityMemory": true,"#)).unwrap();
    assert_eq!(searchable.condensing, None);
    assert_eq!(searchable.idle, [("condenseMemories".to_owned(), 1)]);
}

#[test]
fn a_state_document_needs_a_workflow_and_searchable_memories() {
    let text = r#"{"useVectorForQualityMemory": true, "useStateDocument": true,
        "stateDocumentWorkflowName": "merge", "stateDocumentMinRetentionRatio": 0.25}"#;
    let document = read(text).unwrap().state_document.unwrap();
    assert_eq!((document.workflow.as_str(), document.min_retention), ("merge", 250));
    let plain = read(&text.replace("Memory\": true", "Memory\": false")).unwrap();
    assert_eq!((plain.state_document, plain.idle.len()), (None, 1));
    assert!(problem(r#"{"stateDocumentMinRetentionRatio": 2}"#).contains("from 0 to 1"));
}
