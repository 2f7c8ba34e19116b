//! Runs with a scripted endpoint and a memory in this process: what each node asks and returns.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use everwhen::chapters::Folding;
use everwhen::memory::Role;
use everwhen::ports::{ChapterWriter, PromptMessage, Wait};

use super::*;
use crate::files::VaultFiles;
use crate::node::Stamps;
use crate::port::{ModelReply, Question, SearchHit, SearchQuery};

/// An endpoint that answers with its name and the last message, in pieces of three letters.
#[derive(Default)]
struct EchoEndpoint {
    asked: Mutex<Vec<String>>,
}

impl Endpoints for EchoEndpoint {
    fn ask<'a>(&'a self, question: &'a Question<'a>, on_text: OnText<'a>) -> Wait<'a, ModelReply> {
        Box::pin(async move {
            if question.endpoint == "down" {
                return Err(Error::unavailable("the endpoint is down"));
            }
            let line =
                |message: &PromptMessage| format!("{}: {}", message.role.as_str(), message.content);
            let lines: Vec<String> = question.messages.iter().map(line).collect();
            self.asked.lock().unwrap().push(lines.join(" | "));
            let last = &question.messages.last().unwrap().content;
            let answer = format!("{} heard {last}", question.endpoint);
            for piece in answer.as_bytes().chunks(3) {
                on_text(std::str::from_utf8(piece).unwrap());
            }
            let spent = Spent { input_tokens: 10, output_tokens: 5, cost_nanos: 100 };
            let model = question.endpoint.to_owned();
            Ok(ModelReply { text: answer, model, spent, calls: Vec::new() })
        })
    }
}

#[derive(Default)]
struct ScriptedMemory {
    chapters: Vec<String>,
    folded: Mutex<Option<Folding>>,
    written: Mutex<String>,
    held: AtomicBool,
}

impl ChatMemory for ScriptedMemory {
    fn distill(&self) -> Wait<'_, ()> {
        Box::pin(async { Ok(()) })
    }

    fn fold(&self, folding: Folding, _: Option<Arc<dyn ChapterWriter>>) -> Wait<'_, ()> {
        *self.folded.lock().unwrap() = Some(folding);
        Box::pin(async { Ok(()) })
    }

    fn chapters(&self) -> Wait<'_, Vec<String>> {
        Box::pin(async { Ok(self.chapters.clone()) })
    }

    fn summary(&self) -> Wait<'_, Option<String>> {
        Box::pin(async { Ok(self.folded.lock().unwrap().map(|_| "all so far".to_owned())) })
    }

    fn unfolded(&self) -> Wait<'_, Vec<String>> {
        Box::pin(async { Ok(self.chapters.iter().skip(1).cloned().collect()) })
    }

    fn write_summary(&self, text: String) -> Wait<'_, ()> {
        *self.written.lock().unwrap() = text;
        Box::pin(async { Ok(()) })
    }

    fn state(&self) -> Wait<'_, Option<String>> {
        Box::pin(async { Ok(Some("what holds".to_owned())) })
    }

    fn search<'a>(&'a self, wanted: &'a SearchQuery) -> Wait<'a, Vec<SearchHit>> {
        let found =
            |word: &String| SearchHit { day: "2025-08-01".into(), text: format!("of {word}") };
        Box::pin(async move { Ok(wanted.keywords.iter().take(wanted.limit).map(found).collect()) })
    }

    fn lock<'a>(&'a self, _: &'a str, _: &'a str) -> Wait<'a, bool> {
        Box::pin(async { Ok(!self.held.swap(true, Ordering::SeqCst)) })
    }

    fn unlock<'a>(&'a self, _: &'a str, _: &'a str) -> Wait<'a, ()> {
        self.held.store(false, Ordering::SeqCst);
        Box::pin(async { Ok(()) })
    }

    fn stamp<'a>(
        &'a self,
        messages: &'a [PromptMessage],
        stamps: Stamps,
    ) -> Wait<'a, Vec<PromptMessage>> {
        let mark = if stamps.relative { "[Sent 1 minute ago] " } else { "(Sunday) " };
        let stamped = move |message: &PromptMessage| match message.role {
            Role::System => message.clone(),
            role => PromptMessage { role, content: format!("{mark}{}", message.content) },
        };
        Box::pin(async move { Ok(messages.iter().map(stamped).collect()) })
    }
}

#[derive(Default)]
struct Notes {
    heard: String,
    traces: Vec<Trace>,
}

impl RunObserver for Notes {
    fn on_text(&mut self, piece: &str) {
        self.heard.push_str(piece);
    }

    fn ran(&mut self, trace: Trace) {
        self.traces.push(trace);
    }
}

struct TestRun {
    library: Library,
    profile: Profile,
    extra: BTreeMap<String, String>,
    endpoint: Arc<EchoEndpoint>,
    endpoints: Arc<dyn Endpoints>,
    memory: ScriptedMemory,
    files: VaultFiles,
    variables: ChatVariables,
    _directory: tempfile::TempDir,
}

impl TestRun {
    fn new(files: &[(&str, &str)]) -> Self {
        let directory = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(directory.path().join(format!("{name}.json")), text).unwrap();
        }
        let (library, diagnostics) = Library::read(directory.path());
        assert!(diagnostics.is_empty(), "{diagnostics:?}");
        let say = |role, content: &str| PromptMessage { role, content: content.into() };
        let endpoint = Arc::<EchoEndpoint>::default();
        Self {
            library,
            profile: Profile::default(),
            extra: BTreeMap::new(),
            endpoints: Arc::clone(&endpoint) as Arc<dyn Endpoints>,
            endpoint,
            memory: ScriptedMemory::default(),
            files: VaultFiles::new(
                directory.path().join("files"),
                "vlt_00000000000000000000000007".parse().ok(),
            ),
            variables: ChatVariables {
                messages: vec![
                    say(Role::System, "Be brief."),
                    say(Role::User, "Hi"),
                    say(Role::Assistant, "Hello"),
                    say(Role::User, "What {agent9Output}?"),
                ],
                now: "2025-08-17T19:09:00[Europe/Berlin]".parse().unwrap(),
                discussion_id: "ana".into(),
                time_context_summary: "[Time Context]".into(),
                raw: vec![None; 4],
                tools: None,
                separator: "\n".into(),
            },
            _directory: directory,
        }
    }

    fn one(text: &str) -> Self {
        Self::new(&[("main", text)])
    }

    fn context(&self) -> RunContext<'_> {
        RunContext {
            library: &self.library,
            profile: &self.profile,
            home: "",
            endpoints: &self.endpoints,
            extra: &self.extra,
            memory: &self.memory,
            files: &self.files,
            variables: &self.variables,
        }
    }

    async fn go(&self, progress: &mut Progress, until: RunUntil) -> (Result<RunOutcome>, Notes) {
        let mut notes = Notes::default();
        let workflow = self.library.get("main").unwrap();
        (run(self.context(), workflow, progress, until, &mut notes).await, notes)
    }

    /// Runs `main` to its end.
    async fn play(&self) -> (Progress, Notes) {
        let mut progress = Progress::default();
        let (ended, notes) = self.go(&mut progress, RunUntil::End).await;
        assert_eq!(ended.unwrap(), RunOutcome::Done);
        (progress, notes)
    }
}

#[tokio::test]
async fn nodes_see_what_those_above_them_left_and_the_responder_is_heard() {
    let test = TestRun::one(
        r#"{"persona": "You serve {Discussion_Id}.", "nodes": [
            {"type": "StaticResponse", "content": "first"},
            {"title": "Answer", "type": "Standard", "endpointName": "e", "systemPrompt": "{persona}",
             "prompt": "{agent1Output} then {chat_user_prompt_last_one}", "returnToUser": true},
            {"type": "StringConcatenator", "strings": ["{agent2Output}", "end"], "delimiter": "/"}
        ]}"#,
    );
    let (progress, notes) = test.play().await;
    let answer = "e heard first then What {agent9Output}?";
    assert_eq!(progress.outputs, ["first", answer, &format!("{answer}/end")]);
    assert_eq!(notes.heard, answer);
    let asked = test.endpoint.asked.lock().unwrap();
    assert_eq!(*asked, ["system: You serve ana. | user: first then What {agent9Output}?"]);
    assert_eq!(notes.traces.len(), 3);
    assert_eq!((notes.traces[1].place, notes.traces[1].title.as_str()), (2, "Answer"));
}

#[tokio::test]
async fn an_empty_prompt_sends_the_last_messages_dated_if_asked() {
    let test = TestRun::one(
        r#"[{"type": "Standard", "endpointName": "e", "lastMessagesToSendInsteadOfPrompt": 2,
             "addDiscussionIdTimestampsForLLM": true, "useRelativeTimestamps": true},
            {"type": "Standard", "endpointName": "e", "prompt": "{chat_user_prompt_last_one}",
             "addDiscussionIdTimestampsForLLM": true},
            {"type": "Standard", "endpointName": "e", "prompt": "{chat_user_prompt_last_one}"}]"#,
    );
    test.play().await;
    let asked = test.endpoint.asked.lock().unwrap();
    assert_eq!(
        asked[0],
        "assistant: [Sent 1 minute ago] Hello | user: [Sent 1 minute ago] What {agent9Output}?"
    );
    assert_eq!(asked[1], "user: (Sunday) What {agent9Output}?");
    assert_eq!(asked[2], "user: What {agent9Output}?");
}

#[tokio::test]
async fn whoever_stops_at_the_answer_goes_on_later_where_it_stopped() {
    let test = TestRun::one(
        r#"[{"type": "Standard", "endpointName": "e", "prompt": "a", "returnToUser": true},
            {"type": "Standard", "endpointName": "f", "prompt": "{agent1Output}"}]"#,
    );
    let mut progress = Progress::default();
    let (_, notes) = test.go(&mut progress, RunUntil::Answered).await;
    assert_eq!(notes.heard, "e heard a");
    assert_eq!(answer(test.library.get("main").unwrap(), &progress), Some("e heard a"));
    assert_eq!(test.endpoint.asked.lock().unwrap().len(), 1);
    let (_, notes) = test.go(&mut progress, RunUntil::End).await;
    assert_eq!(notes.heard, "", "the rest is not heard");
    assert_eq!(progress.outputs, ["e heard a", "f heard e heard a"]);
    assert_eq!(test.endpoint.asked.lock().unwrap().len(), 2);
}

#[tokio::test]
async fn a_held_lock_stops_the_rest_and_is_let_go_at_the_end() {
    let test = TestRun::one(
        r#"[{"type": "StaticResponse", "content": "a", "returnToUser": true},
            {"type": "WorkflowLock", "workflowLockId": "writing"},
            {"type": "StaticResponse", "content": "b"}]"#,
    );
    test.play().await;
    assert!(!test.memory.held.load(Ordering::SeqCst), "let go at the end");
    test.memory.held.store(true, Ordering::SeqCst);
    let mut progress = Progress::default();
    let (ended, notes) = test.go(&mut progress, RunUntil::End).await;
    assert_eq!(ended.unwrap(), RunOutcome::Locked { lock: "writing".into() });
    assert_eq!((notes.heard.as_str(), progress.outputs.len()), ("a", 1));
}

#[tokio::test]
async fn a_workflow_runs_another_and_passes_things_in() {
    let test = TestRun::new(&[
        (
            "main",
            r#"[{"type": "StaticResponse", "content": "Python"},
                {"type": "ConditionalCustomWorkflow", "conditionalKey": "{agent1Output}",
                 "conditionalWorkflows": {"python": "child", "Default": "other"},
                 "scoped_variables": ["{chat_user_prompt_last_two}", "{agent1Output}"],
                 "routeOverrides": {"PYTHON": {"systemPromptOverride": "Expert in {agent1Output}"}}}]"#,
        ),
        (
            "child",
            r#"[{"type": "Standard", "endpointName": "{agent2Input}", "systemPrompt": "x",
                 "prompt": "about {agent1Input}"},
                {"type": "TagTextExtractor", "tagToExtractFrom": "<a>{agent1Output}</a>",
                 "fieldToExtract": "a"}]"#,
        ),
        ("other", r#"[{"type": "StaticResponse", "content": "other"}]"#),
    ]);
    let (progress, notes) = test.play().await;
    let expected = "Python heard about Hello\nWhat {agent9Output}?";
    assert_eq!(progress.outputs[1], expected);
    assert_eq!(notes.heard, expected, "the child of a responder is heard");
    assert!(test.endpoint.asked.lock().unwrap()[0].starts_with("system: Expert in Python | "));
    assert_eq!(notes.traces.iter().map(|trace| trace.depth).collect::<Vec<_>>(), [0, 1, 1, 0]);
}

#[tokio::test]
async fn memory_nodes_read_search_and_fold() {
    let mut test = TestRun::one(
        r#"[{"type": "RecentMemorySummarizerTool", "maxTurnsToPull": 0,
             "maxSummaryChunksFromFile": 2, "lookbackStart": 1, "customDelimiter": "++"},
            {"type": "GetCurrentSummaryFromFile"},
            {"type": "chatSummarySummarizer", "minMemoriesPerSummary": 2},
            {"type": "VectorMemorySearch", "input": "a; b;c", "limit": 2, "includeDates": true},
            {"type": "GetCurrentMemoryFromFile"},
            {"type": "QualityMemory"},
            {"type": "FullChatSummary", "isManualConfig": true}]"#,
    );
    test.memory.chapters = ["one", "two", "three", "four"].map(str::to_owned).into();
    let (progress, _) = test.play().await;
    assert_eq!(
        progress.outputs,
        [
            "three++four",
            "There is not yet a summary file",
            "all so far",
            "[2025-08-01] of a\n\n---\n\n[2025-08-01] of b",
            "one--ChunkBreak--two--ChunkBreak--three--ChunkBreak--four",
            "",
            "all so far",
        ]
    );
    let folded = test.memory.folded.lock().unwrap();
    assert_eq!(*folded, Some(Folding { min: 2, most: 3 }));
}

#[tokio::test]
async fn texts_files_and_sums() {
    let test = TestRun::one(
        r#"[{"type": "GetCustomFile", "filepath": "{Discussion_Id}/{YYYY_MM_DD}.txt"},
            {"type": "SaveCustomFile", "filepath": "{Discussion_Id}/n.txt", "content": "a\nb\nc"},
            {"type": "GetCustomFile", "filepath": "ana/n.txt", "tailCount": 2, "delimiter": "\n",
             "customReturnDelimiter": ", "},
            {"type": "JsonExtractor", "jsonToExtractFrom": "{\"x\": {\"y\": 1}}",
             "fieldToExtract": "x"},
            {"type": "ArithmeticProcessor", "expression": "{current_day_of_month} * 2"},
            {"type": "Conditional", "condition": "{agent5Output} > 30 AND '{agent3Output}' == 'b, c'"}]"#,
    );
    let (progress, _) = test.play().await;
    assert_eq!(
        progress.outputs,
        [
            "Custom instruction file did not exist",
            "File successfully saved to ana/n.txt",
            "b, c",
            r#"{"y":1}"#,
            "34",
            "TRUE",
        ]
    );
}

#[tokio::test]
async fn an_error_says_which_node_and_keeps_what_was_done() {
    let test = TestRun::one(
        r#"[{"type": "StaticResponse", "content": "a"},
            {"title": "Ask", "type": "Standard", "endpointName": "down", "prompt": "x"}]"#,
    );
    let mut progress = Progress::default();
    let (ended, _) = test.go(&mut progress, RunUntil::End).await;
    let error = ended.unwrap_err().to_string();
    assert!(error.contains("main: the node \"Ask\" on line 2"), "{error}");
    assert_eq!(progress.outputs, ["a"]);
}

/// Streaming does not change the result.
#[tokio::test]
async fn listening_changes_nothing() {
    let text = r#"[{"type": "Standard", "endpointName": "e", "prompt": "{chat_user_prompt_last_ten}"},
        {"type": "Standard", "endpointName": "f", "prompt": "{agent1Output}"}]"#;
    let whole = TestRun::one(text).play().await.0;
    let test = TestRun::one(text);
    let mut progress = Progress::default();
    test.go(&mut progress, RunUntil::Answered).await.0.unwrap();
    assert_eq!(progress, whole);
}
