//! Workflows as models: they answer in both protocols, streaming and not, and continue after the answer.

use std::time::Duration;

use everwhen::job::{Job, JobKind};
use everwhen::memory::{Address, Name, NewEntry, Role, Said};
use everwhen::{Engine, Forget, Vault};
use everwhen_testkit::engine_over;
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::recorder::{Script, completion};
use crate::stage::{Ask, Stage, contents};

/// A proxy with workflow files.
struct WorkflowServer {
    stage: Stage,
    flows: TempDir,
}

impl WorkflowServer {
    async fn new(files: &[(&str, &str)]) -> Self {
        Self::with(files, "").await
    }

    /// With more settings.
    async fn with(files: &[(&str, &str)], more: &str) -> Self {
        let flows = tempfile::tempdir().unwrap();
        for (name, text) in files {
            std::fs::write(flows.path().join(format!("{name}.json")), text).unwrap();
        }
        let settings = format!(
            "[[upstream]]\nname = 'home'\nbase_url = 'UPSTREAM/v1'\n\
             [[upstream]]\nname = 'dead'\nbase_url = 'http://127.0.0.1:9/v1'\n\
             [[endpoint]]\nname = 'e'\nmodel = 'm'\ninput_price = 1.0\n\
             [[endpoint]]\nname = 'down'\nupstream = 'dead'\nmodel = 'm'\n\
             [[endpoint]]\nname = 'guarded'\nupstream = 'dead'\nmodel = 'm'\n\
             backupEndpointName = 'e'\n[workflow]\ndir = '{}'\n{more}",
            flows.path().display()
        );
        Self { stage: Stage::with(&settings).await, flows }
    }

    /// One workflow, `w`.
    async fn one(text: &str) -> Self {
        Self::new(&[("w", text)]).await
    }

    /// A chat with the model `everwhen/w` in the memory `m`.
    fn chat(&self, lines: &[&str], streams: bool) -> Ask {
        let body = crate::stage::chat(lines);
        let body = body.replace("\"model\":\"m\"", "\"model\":\"everwhen/w\"");
        let body = body.replacen('{', &format!("{{\"stream\":{streams},"), 1);
        self.stage.post("/v1/chat/completions", &body).memory("m")
    }

    /// What it answers.
    async fn says(&self, lines: &[&str]) -> String {
        let response = self.chat(lines, false).response().await;
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
    }

    /// Goes on with what is left of workflows until nothing is.
    async fn run_workflows(&self) {
        self.stage.state.settle().await;
        self.run_until(|jobs| !jobs.iter().any(|job| job.kind == JobKind::Workflow)).await;
    }

    /// Runs what is left of workflows until the jobs are like this.
    async fn run_until(&self, is_done: impl Fn(&[Job]) -> bool) {
        self.stage.wait(1);
        let engine = self.stage.engine.clone();
        let done = async move {
            while !is_done(&engine.jobs(100).await.unwrap()) {
                tokio::time::sleep(Duration::from_millis(10)).await;
            }
        };
        self.stage.state.clone().run_workflows(done).await;
    }

    async fn jobs(&self, kind: JobKind) -> Vec<Job> {
        let jobs = self.stage.engine.jobs(100).await.unwrap();
        jobs.into_iter().filter(|job| job.kind == kind).collect()
    }

    fn file(&self, name: &str) -> Option<String> {
        let vaults = std::fs::read_dir(self.flows.path().join("files/vaults")).ok()?;
        let mut files = vaults.map(|vault| vault.unwrap().path().join(name));
        files.find_map(|file| std::fs::read_to_string(file).ok())
    }
}

/// The text of a stream of events.
fn heard(events: &str) -> String {
    let data = events.lines().filter_map(|line| line.strip_prefix("data: "));
    let event = data.filter(|data| *data != "[DONE]");
    let piece = |data: &str| {
        let event: Value = serde_json::from_str(data).unwrap();
        event["choices"][0]["delta"]["content"].as_str().unwrap_or_default().to_owned()
    };
    event.map(piece).collect()
}

const DATED: &str = r#"{"persona": "Be kind.", "nodes": [
    {"title": "Answer", "type": "Standard", "endpointName": "e",
     "systemPrompt": "{persona} {time_context_summary}", "lastMessagesToSendInsteadOfPrompt": 5,
     "returnToUser": true, "addDiscussionIdTimestampsForLLM": true}]}"#;

#[tokio::test]
async fn workflows_are_listed_as_models_in_both_protocols() {
    let server = WorkflowServer::new(&[("chat", DATED), ("other", DATED)]).await;
    let models = json!({ "object": "list", "data": [{ "id": "m", "object": "model" }] });
    server.stage.upstream.answers(Script::json(200, &models));
    let listed = server.stage.get("/v1/models").response().await.json();
    let ids: Vec<&str> =
        listed["data"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["m", "everwhen/chat", "everwhen/other"]);
    server.stage.upstream.answers(Script::json(500, &json!({})));
    let listed = server.stage.get("/api/tags").response().await.json();
    assert_eq!(listed["models"][0]["name"], "everwhen/chat");
    assert_eq!(listed["models"][1]["model"], "everwhen/other");
}

#[tokio::test]
async fn a_workflow_can_be_looked_up_as_one_model() {
    let server = WorkflowServer::new(&[("chat", DATED)]).await;
    let model = server.stage.get("/v1/models/everwhen/chat").response().await;
    assert_eq!((model.status, &model.json()["id"]), (200, &json!("everwhen/chat")));
    let absent = server.stage.get("/v1/models/everwhen/none").response().await;
    assert_eq!(absent.status, 404);
    assert!(absent.text.contains("there are: everwhen/chat"), "{}", absent.text);
    let asked = json!({ "model": "everwhen/chat:latest" }).to_string();
    let shown = server.stage.post("/api/show", &asked).response().await;
    assert_eq!((shown.status, &shown.json()["capabilities"][0]), (200, &json!("completion")));
    assert!(server.stage.upstream.sent().is_empty(), "nobody else was asked");
}

#[tokio::test]
async fn streaming_and_not_give_the_same_text_times_and_entries() {
    let mut kept = Vec::new();
    for streams in [false, true] {
        let server = WorkflowServer::one(DATED).await;
        let pieces = ["(Sunday, 2025-06-01 ", "12:00:00) Hel", "lo <b>"];
        server.stage.upstream.answers(Script::says(&pieces));
        let response = server
            .chat(&["s:Terse.", "u:Hi [DiscussionId]m[/DiscussionId]"], streams)
            .response()
            .await;
        assert_eq!(response.status, 200, "{}", response.text);
        let text = match streams {
            true => heard(&response.text),
            false => {
                response.json()["choices"][0]["message"]["content"].as_str().unwrap().to_owned()
            }
        };
        assert_eq!(text, "Hello <b>", "an echoed stamp is not said");
        let sent = server.stage.upstream.last();
        assert_eq!(sent.json()["model"], "m");
        assert_eq!(
            contents(&sent.body),
            [
                "Be kind. [Time Context: The conversation started less than a minute ago.]",
                "(Sunday, 2025-06-01 12:00:00) Hi "
            ]
        );
        server.stage.wait(60);
        server.stage.upstream.answers(Script::json(200, &completion("Again.")));
        server.chat(&["u:Hi ", "a:Hello <b>", "u:And?"], streams).response().await;
        assert_eq!(
            contents(&server.stage.upstream.last().body)[1..],
            [
                "(Sunday, 2025-06-01 12:00:00) Hi ",
                "(Sunday, 2025-06-01 12:00:00) Hello <b>",
                "(Sunday, 2025-06-01 13:00:00) And?"
            ]
        );
        let entries = server.stage.entries("m").await;
        let line = |entry: &everwhen::memory::Entry| {
            format!(
                "{} {} {}",
                entry.conversation_time,
                entry.role.as_str(),
                entry.content.as_str()
            )
        };
        kept.push(entries.iter().map(line).collect::<Vec<_>>());
    }
    assert_eq!(kept[0], kept[1]);
    assert_eq!(kept[0].len(), 4, "{kept:?}");
}

#[tokio::test]
async fn it_answers_in_ollamas_language_too() {
    let server = WorkflowServer::one(DATED).await;
    for streams in [false, true] {
        server.stage.upstream.answers(Script::says(&["Hel", "lo"]));
        let body = json!({ "model": "everwhen/w:latest", "stream": streams,
            "messages": [{ "role": "user", "content": "Hi" }] });
        let response =
            server.stage.post("/api/chat", &body.to_string()).memory("m").response().await;
        assert_eq!(response.status, 200, "{}", response.text);
        let lines = response.text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
        let said: String = lines
            .filter_map(|line| line["message"]["content"].as_str().map(str::to_owned))
            .collect();
        assert_eq!(said, "Hello", "{}", response.text);
    }
    assert_eq!(server.stage.said("m").await, ["12:00 user Hi", "12:00 assistant Hello"]);
}

const BEHIND: &str = r#"[
    {"type": "Standard", "endpointName": "e", "prompt": "{chat_user_prompt_last_one}", "returnToUser": true},
    {"type": "WorkflowLock", "workflowLockId": "writing"},
    {"type": "Standard", "endpointName": "e", "prompt": "Note: {agent1Output}"},
    {"type": "SaveCustomFile", "filepath": "{Discussion_Id}.txt", "content": "{agent3Output}|", "mode": "append"}]"#;

#[tokio::test]
async fn the_answer_ends_with_the_responder_and_the_rest_is_a_job() {
    let server = WorkflowServer::one(BEHIND).await;
    assert_eq!(server.says(&["u:Hi"]).await, "Noted.");
    assert_eq!(server.stage.upstream.sent().len(), 1, "only the responder was asked");
    assert_eq!(server.jobs(JobKind::Workflow).await.len(), 1);
    assert_eq!(server.file("m.txt"), None);
    server.stage.upstream.answers(Script::json(200, &completion("Kept.")));
    server.run_workflows().await;
    assert_eq!(server.file("m.txt").as_deref(), Some("Kept.|"));
    assert_eq!(contents(&server.stage.upstream.last().body), ["Note: Noted."]);
    assert!(server.jobs(JobKind::Workflow).await.is_empty());
    assert!(server.jobs(JobKind::Lock).await.is_empty(), "the lock is let go");
    assert_eq!(server.stage.said("m").await.len(), 2, "what stands behind the answer is not said");
}

#[tokio::test]
async fn what_workflows_ask_is_in_usage_and_under_the_cap() {
    let server = WorkflowServer::with(&[("w", BEHIND)], "[llm]\nspending_cap = 1.5\n").await;
    let paid = |text: &str| {
        let mut reply = completion(text);
        reply["usage"] = json!({ "prompt_tokens": 1_000_000, "completion_tokens": 5 });
        Script::json(200, &reply)
    };
    server.stage.upstream.answers(paid("Noted."));
    assert_eq!(server.says(&["u:Hi"]).await, "Noted.");
    server.stage.upstream.answers(paid("Kept."));
    server.run_workflows().await;
    let usage =
        server.stage.get("/v1/vaults/default/usage?since=2020-01-01").response().await.json();
    let rows = usage["data"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{usage}");
    assert_eq!((&rows[0]["purpose"], &rows[0]["calls"]), (&json!("workflow"), &json!(2)));
    assert_eq!(usage["total"]["cost"], json!(2.0), "{usage}");
    let month = &usage["month"];
    assert_eq!((&month["cost"], &month["server_cost"]), (&json!(2.0), &json!(2.0)), "{usage}");
    assert_eq!(month["cap"], json!(1.5), "{usage}");
    assert!(month["since"].as_str().unwrap().ends_with("-01"), "{usage}");
    // The month's money is spent.
    let refused = server.chat(&["u:Hi", "a:Noted.", "u:Again"], false).response().await;
    assert_ne!(refused.status, 200);
    assert!(refused.text.contains("was spent on the language model"), "{}", refused.text);
    assert_eq!(server.stage.upstream.sent().len(), 2, "nobody was asked");
}

#[tokio::test]
async fn what_is_forgotten_is_in_no_file_that_a_workflow_wrote() {
    let kept = |text: &str| Script::json(200, &completion(text));
    for path in ["m/entries", "m", ""] {
        let server = WorkflowServer::one(BEHIND).await;
        assert_eq!(server.says(&["u:a SECRET"]).await, "Noted.");
        server.stage.upstream.answers(kept("They said a SECRET."));
        server.run_workflows().await;
        assert_eq!(server.file("m.txt").as_deref(), Some("They said a SECRET.|"));
        // Another run has begun, and has not come to the node that writes.
        assert_eq!(server.says(&["u:a SECRET", "a:Noted.", "u:Still a SECRET"]).await, "Noted.");
        let path = match path {
            "" => "/v1/vaults/default".to_owned(),
            "m" => "/v1/vaults/default/memories/m".to_owned(),
            _ => {
                let first = server.stage.entries("m").await[0].id;
                format!("/v1/vaults/default/memories/m/entries/{first}")
            }
        };
        assert_eq!(server.stage.delete(&path).response().await.status, 200);
        server.run_workflows().await;
        assert_eq!(server.file("m.txt"), None, "{path}");
        let flows = server.flows.path().join("files");
        let places = [server.stage.directory.path().to_owned(), flows];
        if !path.contains("entries") {
            assert_eq!(files_with(&places, "SECRET"), Vec::<String>::new(), "{path}");
        }
        assert_eq!(files_with(&places, "They said"), Vec::<String>::new(), "{path}");
    }
}

const BEFORE: &str = r#"[
    {"type": "SaveCustomFile", "filepath": "{Discussion_Id}.txt", "content": "{chat_user_prompt_last_one}|", "mode": "append"},
    {"type": "Standard", "endpointName": "e", "prompt": "{chat_user_prompt_last_one}", "returnToUser": true}]"#;

/// The vault of a chat is known by its name only when the run begins.
#[tokio::test]
async fn files_written_before_the_answer_are_those_of_the_vault() {
    let server = WorkflowServer::one(BEFORE).await;
    server.says(&["u:one"]).await;
    server.says(&["u:one", "a:Noted.", "u:two"]).await;
    assert_eq!(server.file("m.txt").as_deref(), Some("one|two|"));
    let vaults = server.flows.path().join("files/vaults");
    assert_eq!(std::fs::read_dir(vaults).unwrap().count(), 1);
    server.stage.delete("/v1/vaults/default/memories/m").response().await;
    assert_eq!(server.file("m.txt"), None);
}

/// Another server over the same store forgets; this one is not notified.
#[tokio::test]
async fn files_of_workflows_go_when_another_server_forgets() {
    for (forget, by_use) in [(Forgetting::Entry, true), (Forgetting::Entry, false)]
        .into_iter()
        .chain([(Forgetting::Memory, false), (Forgetting::Vault, false)])
    {
        let server = WorkflowServer::one(BEHIND).await;
        assert_eq!(server.says(&["u:a SECRET"]).await, "Noted.");
        server.stage.upstream.answers(Script::json(200, &completion("They said a SECRET.")));
        server.run_workflows().await;
        server.stage.state.sweep().await;
        assert!(server.file("m.txt").is_some(), "nothing was forgotten");
        // Something else is forgotten first.
        let (other, vault) = another_engine(&server.stage).await;
        let elsewhere = Address::Name(Name::new("memory", "elsewhere").unwrap());
        let said = NewEntry::new(Role::User, Said::new("x").unwrap());
        vault.remember(elsewhere.clone(), vec![said], None).await.unwrap();
        vault.forget(elsewhere, Forget::Memory, None).await.unwrap();
        server.stage.state.sweep().await;
        assert!(server.file("m.txt").is_some(), "something else was forgotten");
        forget.run(&server.stage, &vault).await;
        if by_use {
            server.stage.upstream.answers(Script::json(200, &completion("Noted.")));
            server.says(&["u:Hello again"]).await;
        } else {
            server.stage.state.sweep().await;
        }
        assert_eq!(server.file("m.txt"), None, "{forget:?} {by_use}");
        let flows = [server.flows.path().join("files")];
        assert_eq!(files_with(&flows, "They said"), Vec::<String>::new(), "{forget:?}");
        drop(other);
    }
}

/// What another server forgets of the memory `m`.
#[derive(Debug, Clone, Copy)]
enum Forgetting {
    Entry,
    Memory,
    Vault,
}

impl Forgetting {
    async fn run(self, stage: &Stage, vault: &Vault) {
        let memory = Address::Name(Name::new("memory", "m").unwrap());
        let what = match self {
            Self::Entry => Forget::Entry(stage.entries("m").await[0].id),
            Self::Memory => Forget::Memory,
            Self::Vault => {
                vault.forget_vault(None).await.unwrap();
                return;
            }
        };
        vault.forget(memory, what, None).await.unwrap();
    }
}

/// Another engine over the store of a server, and its first vault.
async fn another_engine(stage: &Stage) -> (Engine, Vault) {
    let (other, _) = engine_over(stage.store.clone());
    let vaults = other.vaults(None, 1).await.unwrap();
    let vault = other.vault(vaults[0].id.into()).await.unwrap();
    (other, vault)
}

/// Every file below some directories that has this text in it.
fn files_with(directories: &[std::path::PathBuf], text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for directory in directories {
        for entry in std::fs::read_dir(directory).into_iter().flatten() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                found.extend(files_with(&[path], text));
                continue;
            }
            let bytes = std::fs::read(&path).unwrap_or_default();
            if bytes.windows(text.len()).any(|window| window == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[tokio::test]
async fn what_is_left_survives_a_restart_and_begins_where_it_failed() {
    let server = WorkflowServer::one(BEHIND).await;
    server.says(&["u:Hi"]).await;
    // The first try fails at the node behind the lock.
    for _ in 0..2 {
        server.stage.upstream.answers(Script::json(500, &json!({})));
    }
    server.run_until(|jobs| jobs.iter().any(|job| job.last_error.is_some())).await;
    let job = server.jobs(JobKind::Workflow).await.remove(0);
    assert!(job.last_error.as_ref().is_some_and(|error| error.contains("w: the node")), "{job:?}");
    assert!(server.jobs(JobKind::Lock).await.is_empty(), "a failure lets the lock go");
    let asked = server.stage.upstream.sent().len();
    // Another proxy over the same store, as after a restart.
    server.stage.upstream.answers(Script::json(200, &completion("Kept.")));
    server.run_workflows().await;
    assert_eq!(server.file("m.txt").as_deref(), Some("Kept.|"));
    assert_eq!(server.stage.upstream.sent().len(), asked + 1, "the responder is not asked again");
}

#[tokio::test]
async fn a_run_that_meets_a_held_lock_stops_quietly() {
    let server = WorkflowServer::one(BEHIND).await;
    server.says(&["u:Hi"]).await;
    let vault = server.stage.engine.vault("default".parse_address()).await.unwrap();
    let lock = everwhen::Lock { name: "w/writing".into(), holder: "somebody".into() };
    assert!(vault.take_lock("m".parse_address(), lock.clone()).await.unwrap());
    server.run_workflows_with_lock(&vault, &lock).await;
    assert_eq!(server.file("m.txt"), None);
    assert!(server.jobs(JobKind::Workflow).await.is_empty(), "it is over, not put off");
    // Another memory is not concerned, and neither is the next run once the lock is free.
    vault.let_go("m".parse_address(), lock).await.unwrap();
    server.says(&["u:Hi", "a:Noted.", "u:Once more"]).await;
    server.run_workflows().await;
    assert_eq!(server.file("m.txt").as_deref(), Some("Noted.|"));
}

impl WorkflowServer {
    /// The same as going on, while another run renews a lock.
    async fn run_workflows_with_lock(&self, vault: &everwhen::Vault, lock: &everwhen::Lock) {
        self.stage.wait(1);
        assert!(vault.take_lock("m".parse_address(), lock.clone()).await.unwrap());
        self.stage.clock.advance(jiff::SignedDuration::from_mins(-1));
        self.run_workflows().await;
    }
}

/// Names as addresses.
trait ParseAddress {
    fn parse_address<Id: std::str::FromStr>(&self) -> everwhen::memory::Address<Id>;
}

impl ParseAddress for str {
    fn parse_address<Id: std::str::FromStr>(&self) -> everwhen::memory::Address<Id> {
        everwhen::memory::Address::Name(everwhen::memory::Name::new("name", self).unwrap())
    }
}

#[tokio::test]
async fn a_backup_is_asked_when_an_endpoint_is_down() {
    let server =
        WorkflowServer::one(r#"[{"type": "Standard", "endpointName": "guarded", "prompt": "x"}]"#)
            .await;
    assert_eq!(server.says(&["u:Hi"]).await, "Noted.");
}

#[tokio::test]
async fn failures_are_told_in_the_clients_words_and_touch_nobody_else() {
    let server = WorkflowServer::new(&[
        ("w", r#"[{"title": "Ask", "type": "Standard", "endpointName": "down", "prompt": "x"}]"#),
        ("fine", r#"[{"type": "StaticResponse", "content": "fine"}]"#),
    ])
    .await;
    for streams in [false, true] {
        let response = server.chat(&["u:Hi"], streams).response().await;
        assert_eq!(response.status, 503, "{}", response.text);
        let message = response.json()["error"]["message"].as_str().unwrap().to_owned();
        assert!(message.contains("w: the node \"Ask\" on line 1"), "{message}");
    }
    let body =
        json!({ "model": "everwhen/nobody", "messages": [{ "role": "user", "content": "x" }] });
    let response = server.stage.post("/v1/chat/completions", &body.to_string()).response().await;
    assert_eq!(response.status, 404);
    assert!(response.text.contains("everwhen/fine"), "{}", response.text);
    let body =
        json!({ "model": "everwhen/fine", "messages": [{ "role": "user", "content": "x" }] });
    let response = server.stage.post("/v1/chat/completions", &body.to_string()).response().await;
    assert_eq!(response.json()["choices"][0]["message"]["content"], "fine");
}

#[tokio::test]
async fn a_workflow_answers_while_memory_is_down() {
    let server = WorkflowServer::one(
        r#"[{"type": "GetCurrentSummaryFromFile"}, {"type": "VectorMemorySearch", "input": "x"},
            {"type": "Standard", "endpointName": "e", "prompt": "{agent1Output} {chat_user_prompt_last_one}"}]"#,
    )
    .await;
    server.stage.store.down.store(true, std::sync::atomic::Ordering::SeqCst);
    let response = server.chat(&["u:Hi"], false).response().await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert!(response.header("x-everwhen-degraded").is_some());
    assert_eq!(
        contents(&server.stage.upstream.last().body),
        ["There is not yet a summary file Hi"]
    );
}

#[tokio::test]
async fn whoever_goes_away_ends_the_models_work_and_what_was_said_is_kept() {
    let server = WorkflowServer::one(BEHIND).await;
    let mut script = Script::says(&["Half an ans"]);
    script.pieces.pop();
    script.hangs = true;
    server.stage.upstream.answers(script);
    let (_, _, mut body) = server.chat(&["u:Hi"], true).begun().await;
    http_body_util::BodyExt::frame(&mut body).await.unwrap().unwrap();
    drop(body);
    server.stage.upstream.was_dropped().await;
    assert_eq!(server.stage.said("m").await, ["12:00 user Hi", "12:00 assistant Half an ans"]);
    assert!(server.jobs(JobKind::Workflow).await.is_empty(), "nothing was answered to go on from");
}

#[tokio::test]
async fn a_group_chat_puts_the_speakers_name_before_the_reply() {
    let server = WorkflowServer::one(
        r#"[{"type": "Standard", "endpointName": "e", "prompt": "{chat_user_prompt_last_one}",
            "addDiscussionIdTimestampsForLLM": true, "useRelativeTimestamps": true,
            "useGroupChatTimestampLogic": true}]"#,
    )
    .await;
    server.says(&["u:Ana: Hi all", "a:Mira:"]).await;
    assert_eq!(
        server.stage.said("m").await,
        ["12:00 user Ana: Hi all", "12:00 assistant Mira: Noted."]
    );
}

#[tokio::test]
async fn text_completions_reach_workflows() {
    let server = WorkflowServer::one(
        r#"[{"type": "StaticResponse",
             "content": "{chat_system_prompt}|{chat_user_prompt_last_two}"}]"#,
    )
    .await;
    let prompt = "[Beg_Sys]Be kind.[Beg_User]Hi[Beg_Assistant]Hello[Beg_User]And?[Beg_Assistant]";
    let body = json!({ "model": "everwhen/w", "prompt": prompt });
    let response =
        server.stage.post("/v1/completions", &body.to_string()).memory("m").response().await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(response.json()["object"], "text_completion");
    assert_eq!(response.json()["choices"][0]["text"], "Be kind.|Hello\nAnd?");
    let body =
        json!({ "model": "everwhen/w", "prompt": "Hi", "system": "Be brief.", "stream": false });
    let response =
        server.stage.post("/api/generate", &body.to_string()).memory("m2").response().await;
    assert_eq!(response.json()["response"], "Be brief.|Hi", "{}", response.text);
    let body = json!({ "model": "everwhen/w", "prompt": "Hi", "stream": true });
    let response =
        server.stage.post("/api/generate", &body.to_string()).memory("m3").response().await;
    let first: Value = serde_json::from_str(response.text.lines().next().unwrap()).unwrap();
    assert_eq!(
        (&first["response"], &first["done"]),
        (&json!("|Hi"), &json!(false)),
        "{}",
        response.text
    );
}

#[tokio::test]
async fn a_flawed_file_leaves_the_server_and_the_other_workflows_alone() {
    let server = WorkflowServer::new(&[
        ("w", "[{"),
        ("fine", r#"[{"type": "StaticResponse", "content": "fine"}]"#),
    ])
    .await;
    let response = server.chat(&["u:Hi"], false).response().await;
    assert_eq!(response.status, 404);
    assert!(response.text.contains("this is not JSON"), "{}", response.text);
    let models = server.stage.get("/v1/models").response().await;
    assert!(models.text.contains("everwhen/fine"), "{}", models.text);
    assert!(!models.text.contains("everwhen/w\""), "{}", models.text);
}
