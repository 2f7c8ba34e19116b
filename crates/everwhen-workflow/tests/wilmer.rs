//! A tree as WilmerAI's users have it: every workflow loads in place, and those that need no foreign
//! service run against a recorded upstream.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use everwhen::ledger::{Commit, History, Message};
use everwhen::memory::{Address, MemoryId, Name, Role};
use everwhen::ports::PromptMessage;
use everwhen::{Engine, Result, Vault};
use everwhen_store::{SqliteOptions, SqliteStore};
use everwhen_testkit::engine_over;
use everwhen_workflow::{Chat, MemoryPlace, RunObserver, Trace, WorkflowSet, Workflows};
use serde_json::{Value, json};
use tempfile::TempDir;

const TREE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wilmer/Public");
const PICTURE: &str = "data:image/png;base64,iVBORw0KGgo=";

/// A tree in a directory of its own, whose endpoints are at a recorded upstream.
struct Stage {
    directory: TempDir,
    asked: Arc<Mutex<Vec<Value>>>,
    says: Arc<Mutex<Vec<String>>>,
    engine: Engine,
    vault: Vault,
    workflows: Workflows,
}

type Recorded = (Arc<Mutex<Vec<Value>>>, Arc<Mutex<Vec<String>>>);

async fn answer(State((asked, says)): State<Recorded>, body: String) -> Response {
    let body: Value = serde_json::from_str(&body).unwrap();
    let tools = body["tools"].is_array();
    asked.lock().unwrap().push(body);
    let text = says.lock().unwrap().pop().unwrap_or_else(|| "<reason>hm</reason>\nSaid so".into());
    let delta = match text == "(call)" && tools {
        true => json!({ "tool_calls": [{ "index": 0, "id": "c1", "type": "function",
            "function": { "name": "Glob", "arguments": "{}" } }] }),
        false => json!({ "content": text }),
    };
    let events =
        [json!({ "choices": [{ "index": 0, "delta": delta }] }).to_string(), "[DONE]".into()];
    let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    ([(CONTENT_TYPE, "text/event-stream")], events).into_response()
}

fn copy(from: &Path, to: &Path, upstream: &str) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target, upstream);
        } else {
            let text = std::fs::read_to_string(entry.path()).unwrap();
            std::fs::write(target, text.replace("http://127.0.0.1:5001", upstream)).unwrap();
        }
    }
}

fn memory() -> Address<MemoryId> {
    Address::Name(Name::new("memory", "garden").unwrap())
}

#[derive(Default)]
struct Notes {
    heard: String,
    traces: Vec<Trace>,
    calls: Vec<Value>,
}

impl RunObserver for Notes {
    fn on_text(&mut self, piece: &str) {
        self.heard.push_str(piece);
    }

    fn ran(&mut self, trace: Trace) {
        self.traces.push(trace);
    }

    fn called(&mut self, calls: &[Value]) {
        self.calls.extend_from_slice(calls);
    }
}

impl Stage {
    async fn new() -> Self {
        let recorded = Recorded::default();
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let router =
            Router::new().route("/v1/chat/completions", post(answer)).with_state(recorded.clone());
        tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        let directory = tempfile::tempdir().unwrap();
        copy(Path::new(TREE), &directory.path().join("Public"), &url);
        let store = SqliteStore::open(&directory.path().join("e.db"), SqliteOptions::default());
        let (engine, _) = engine_over(Arc::new(store.unwrap()));
        let vault = Address::Name(Name::new("vault", "ana").unwrap());
        let vault = engine.vault_to_write(vault).await.unwrap();
        let (public, files) = (directory.path().join("Public"), directory.path().join("files"));
        let workflows = Workflows::read(&public, &files, &[]);
        let (asked, says) = recorded;
        Self { directory, asked, says, engine, vault, workflows }
    }

    fn says(&self, texts: &[&str]) {
        *self.says.lock().unwrap() = texts.iter().rev().map(|&text| text.to_owned()).collect();
    }

    fn configs(&self) -> PathBuf {
        self.directory.path().join("Public/Configs")
    }

    /// Runs a model for a chat whose last message holds a picture and offers a tool.
    async fn play(&self, model: &str, said: &str) -> (Result<Option<String>>, Notes) {
        self.asked.lock().unwrap().clear();
        let history = History::from(vec![
            Message::new(Role::System, "Be brief."),
            Message::new(Role::User, said),
        ]);
        let messages = history.messages.iter();
        let messages = messages
            .map(|one| PromptMessage { role: one.role, content: one.content.clone() })
            .collect();
        let begun = self.vault.begin_exchange(memory(), history, Commit::NextTurn).await.unwrap();
        let parts = json!([{ "type": "text", "text": said },
            { "type": "image_url", "image_url": { "url": PICTURE } }]);
        let raw = vec![
            json!({ "role": "system", "content": "Be brief." }),
            json!({ "role": "user", "content": parts }),
        ];
        let tools = json!({ "tools": [{ "type": "function", "function": { "name": "glob" } }] });
        let chat = Chat::of(&begun, messages, "garden".into()).with_request(raw, Some(tools));
        let place = MemoryPlace {
            engine: self.engine.clone(),
            vault: self.vault.clone(),
            memory: memory(),
        };
        let mut notes = Notes::default();
        let played = self.workflows.play(model, &chat, &place, &mut notes).await;
        (played.map(|(_, text)| text), notes)
    }

    fn asked(&self) -> Vec<Value> {
        self.asked.lock().unwrap().clone()
    }
}

#[test]
fn every_workflow_of_the_tree_loads_in_place() {
    for place in ["", "Configs", "Configs/Workflows"] {
        let set = WorkflowSet::read(&Path::new(TREE).join(place), &[]);
        let wrong: Vec<String> = set
            .diagnostics()
            .iter()
            .filter(|flaw| !flaw.harmless)
            .map(ToString::to_string)
            .collect();
        assert_eq!(wrong, [""; 0], "{place}");
        let names: Vec<&str> = set.names().collect();
        for name in ["chat-ui:general", "chat-ui-cot:general-v2", "_simple_router_no_memory"] {
            assert!(names.contains(&name), "{name} in {names:?}");
            assert!(set.is_user(name));
        }
        assert_eq!(set.current_user(), Some("_example_game_bot_with_file_memory"));
    }
    let mut files = 0;
    let workflows = Path::new(TREE).join("Configs/Workflows");
    for folder in everwhen::WorkflowTree::find(&workflows).folders() {
        let set = WorkflowSet::read(&folder, &[]);
        assert!(set.names().count() > 0, "{}", folder.display());
        files += set.names().count();
        let sound = set.diagnostics().iter().all(|flaw| flaw.harmless);
        assert!(sound, "{}: {:?}", folder.display(), set.diagnostics());
    }
    assert!(files >= 60, "{files} workflows");
}

#[tokio::test]
async fn every_model_of_the_tree_answers_or_says_which_service_it_needs() {
    let stage = Stage::new().await;
    let set = stage.workflows.current();
    let (mut answered, mut refused) = (0, 0);
    for model in set.names() {
        let (played, notes) = stage.play(model, "What grows in the garden?").await;
        match played {
            Ok(text) => {
                answered += 1;
                assert!(!text.unwrap().is_empty(), "{model}");
                assert!(!notes.heard.is_empty(), "{model}");
            }
            Err(error) => {
                refused += 1;
                let message = error.message();
                assert!(message.contains("are not run here: they need"), "{model}: {message}");
                assert!(message.contains("; "), "{model} says what to use instead: {message}");
            }
        }
    }
    assert_eq!((answered, refused), (24, 5));
}

#[tokio::test]
async fn variables_samplers_and_cleaning_reach_and_leave_the_upstream() {
    let stage = Stage::new().await;
    let (played, _) = stage.play("chat-ui:general", "Hello").await;
    assert_eq!(played.unwrap().as_deref(), Some("<reason>hm</reason>\nSaid so"));
    let asked = stage.asked().pop().unwrap();
    assert_eq!((&asked["temperature"], &asked["max_tokens"]), (&json!(0.4), &json!(2000)));
    assert_eq!((&asked["model"], &asked["json_schema"]), (&Value::Null, &Value::Null));
    assert_eq!(asked["tools"][0]["function"]["name"], "glob");
    assert!(asked["messages"][0]["content"].as_str().unwrap().contains("Be brief."));

    let (played, _) = stage.play("group-chat-example", "Tom: hello").await;
    assert_eq!(played.unwrap().as_deref(), Some("Said so"), "what it thinks is removed");
    let asked = stage.asked().pop().unwrap();
    assert_eq!((&asked["model"], &asked["min_p"]), (&json!("talker"), &json!(0.05)));
    assert_eq!(asked["messages"][0]["content"], "/short You are Bo.");
}

#[tokio::test]
async fn images_are_sent_or_described_once() {
    let stage = Stage::new().await;
    stage.play("chat-ui:direct", "What is this?").await.0.unwrap();
    let asked = stage.asked().pop().unwrap();
    assert_eq!(asked["messages"][1]["content"][1]["image_url"]["url"], PICTURE);
    stage.says(&["A tomato plant", "It is a tomato"]);
    stage.play("chat-ui-discussionid:general", "What is this?").await.0.unwrap();
    let asked = stage.asked();
    assert_eq!(asked.len(), 2);
    assert_eq!(asked[0]["messages"][1]["content"][1]["image_url"]["url"], PICTURE);
    let prompt = asked[1]["messages"][1]["content"].as_str().unwrap();
    assert!(prompt.contains("A tomato plant"), "{prompt}");
    stage.play("chat-ui-discussionid:general", "What is this?").await.0.unwrap();
    assert_eq!(stage.asked().len(), 1, "the description was kept");
}

#[tokio::test]
async fn tools_are_called_through_a_workflow() {
    let stage = Stage::new().await;
    stage.says(&["(call)"]);
    let (played, notes) = stage.play("chat-ui:general", "List the files").await;
    assert_eq!(played.unwrap().as_deref(), Some(""));
    assert_eq!(notes.calls[0]["function"]["name"], "glob", "in lower case");
}

#[tokio::test]
async fn a_category_chooses_the_workflow() {
    let stage = Stage::new().await;
    for (category, endpoint) in [("CODING", "Write code"), ("nothing known", "Responding")] {
        stage.says(&["a wish", category, "done"]);
        let (played, notes) = stage.play("_simple_router_no_memory", "Write a loop").await;
        assert_eq!(played.unwrap().as_deref(), Some("done"));
        assert_eq!(notes.traces[0].title, endpoint);
        let asked = stage.asked();
        let prompt = asked[1]["messages"][1]["content"].as_str().unwrap();
        assert!(prompt.contains("Answer with CODING or GENERAL or WIKI."), "{prompt}");
    }
}

#[tokio::test]
async fn files_are_read_again_when_they_change_and_a_flawed_one_is_refused_alone() {
    let stage = Stage::new().await;
    let flows = stage.configs().join("Workflows");
    let file = flows.join("_shared/general/_DefaultWorkflow.json");
    std::fs::write(&file, r#"[{"type": "StaticResponse", "content": "changed"}]"#).unwrap();
    let broken = flows.join("_shared/task/_DefaultWorkflow.json");
    std::fs::write(&broken, "[{").unwrap();
    while stage.workflows.current().has("chat-ui:task") {
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    }
    let (played, _) = stage.play("chat-ui:general", "Hello").await;
    assert_eq!(played.unwrap().as_deref(), Some("changed"));
    let set = stage.workflows.current();
    let error = set.unknown("_shared/task");
    assert!(error.message().contains("not JSON"), "{error}");
    assert!(set.has("chat-ui:coding"));
    let error = set.unknown("chat-ui:task");
    assert!(
        error.message().contains("not JSON"),
        "as the model that a front end asks for: {error}"
    );
    assert!(set.is_user("chat-ui:task"), "nobody else answers for it");
    assert!(!set.is_user("chat-ui:nothing"));
}
