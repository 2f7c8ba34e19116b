//! One vault's key never reaches another vault through the proxy: every chat route with every way to
//! name a memory or a vault, traces, and every node of workflows.

use serde_json::json;

use crate::recorder::{Script, completion};
use crate::stage::{Ask, Stage, TOKEN, chat};

/// What only Ana's vault holds.
const SECRET: &str = "bluebird";

/// A server with two vaults, and how Ana's is called.
struct Vaults {
    stage: Stage,
    bo: String,
    vault: String,
    memory: String,
}

impl Vaults {
    async fn new(settings: &str) -> Self {
        let stage = Stage::with(settings).await;
        let ana = stage.key("ana", &json!({})).await;
        let bo = stage.key("bo", &json!({})).await;
        let said = chat(&[&format!("u:The codename is {SECRET}.")]);
        let response =
            stage.post("/v1/chat/completions", &said).memory("diary").key(&ana).response().await;
        assert_eq!(response.status, 200, "{}", response.text);
        stage.state.settle().await;
        let id = |path: &str| stage.get(path).key(TOKEN).response();
        let vault = id("/v1/vaults/ana").await.json()["id"].as_str().unwrap().to_owned();
        let memory = id("/v1/vaults/ana/memories/diary").await.json();
        let memory = memory["id"].as_str().unwrap().to_owned();
        Self { stage, bo, vault, memory }
    }

    /// Everything in Ana's vault.
    async fn everything(&self) -> Vec<String> {
        self.stage.state.settle().await;
        let mut texts = Vec::new();
        for path in ["", "/memories", "/memories/diary/entries?include=all"] {
            let response =
                self.stage.get(&format!("/v1/vaults/ana{path}")).key(TOKEN).response().await;
            assert_eq!(response.status, 200, "{path}");
            texts.push(response.text);
        }
        texts
    }

    /// Bo's requests to a route, each naming Ana's memory or vault in another way.
    fn attempts(&self, path: &str, body: &str) -> Vec<Ask> {
        let ask = |path: &str| self.stage.post(path, body).key(&self.bo);
        let mut asks = Vec::new();
        for memory in ["diary", &self.memory] {
            asks.push(ask(&format!("/m/{memory}{path}")));
            for header in ["x-everwhen-memory", "x-openwebui-chat-id", "x-discussion-id"] {
                asks.push(ask(path).header(header, memory));
            }
            for vault in ["ana", &self.vault] {
                let ask = ask(path).header("x-everwhen-vault", vault);
                asks.push(ask.header("x-everwhen-memory", memory));
            }
        }
        asks.push(ask(path).header("x-everwhen-user", "ana"));
        asks
    }
}

/// Every route on which something is said, with a body for it.
fn routes() -> Vec<(&'static str, String)> {
    let question = "What is the codename?";
    let messages = json!([{ "role": "user", "content": question }]);
    vec![
        ("/v1/chat/completions", json!({ "model": "m", "messages": messages }).to_string()),
        ("/v1/completions", json!({ "model": "m", "prompt": question }).to_string()),
        ("/v1/responses", json!({ "model": "m", "input": question }).to_string()),
        (
            "/v1/messages",
            json!({ "model": "m", "max_tokens": 9, "messages": messages }).to_string(),
        ),
        ("/api/chat", json!({ "model": "m", "messages": messages }).to_string()),
        ("/api/generate", json!({ "model": "m", "prompt": question }).to_string()),
    ]
}

const THREE_KINDS: &str = "[[upstream]]\nbase_url = 'UPSTREAM/v1'\n\
    [[upstream]]\nname = 'a'\nkind = 'anthropic'\nbase_url = 'UPSTREAM'\n\
    [[upstream]]\nname = 'o'\nkind = 'ollama'\nbase_url = 'UPSTREAM'\n\
    [proxy]\ndeadline_ms = 20000\n";

#[tokio::test]
async fn no_route_and_no_name_leads_into_another_vault() {
    let vaults = Vaults::new(THREE_KINDS).await;
    let before = vaults.everything().await;
    let sent_before = vaults.stage.upstream.sent().len();
    for (path, body) in routes() {
        for ask in vaults.attempts(path, &body) {
            vaults.stage.upstream.answers(Script::json(200, &completion("No idea.")));
            let response = ask.response().await;
            assert!(!response.text.contains(SECRET), "{path}: {}", response.text);
        }
    }
    let tagged = chat(&[&format!("u:[DiscussionId]{}[/DiscussionId] What?", vaults.memory)]);
    vaults.stage.post("/v1/chat/completions", &tagged).key(&vaults.bo).response().await;
    let resent = chat(&[&format!("u:The codename is {SECRET}."), "a:Noted.", "u:And?"]);
    let response =
        vaults.stage.post("/v1/chat/completions", &resent).key(&vaults.bo).response().await;
    assert_ne!(response.header("x-everwhen-memory"), Some("diary"));
    let sent = vaults.stage.upstream.sent();
    assert!(sent.len() > sent_before + 60, "{} requests reached the upstream", sent.len());
    let asked = sent[sent_before..].iter().filter(|one| !one.body.contains("\"And?"));
    for one in asked.filter(|one| !one.body.contains("And?")) {
        assert!(!one.body.contains(SECRET), "{}", one.body);
    }
    assert_eq!(vaults.everything().await, before, "nothing was changed");
}

#[tokio::test]
async fn a_trace_is_shown_to_its_own_vault_only() {
    let vaults = Vaults::new("[proxy]\ndeadline_ms = 20000\n").await;
    let ask = vaults.stage.post("/v1/chat/completions", &chat(&["u:hi"]));
    let ask = ask.memory("diary").key(TOKEN).header("x-everwhen-vault", "ana");
    let response = ask.header("x-everwhen-trace", "1").response().await;
    let trace = response.header("x-everwhen-trace").unwrap().to_owned();
    assert_eq!(vaults.stage.get(&trace).key(TOKEN).response().await.status, 200);
    assert_eq!(vaults.stage.get(&trace).key(&vaults.bo).response().await.status, 404);
}

/// Every node that reads memory, files or state, each as a workflow of its own.
const NODES: [(&str, &str); 12] = [
    ("quality", r#"{"type": "QualityMemory"}"#),
    ("recent", r#"{"type": "RecentMemory"}"#),
    ("tool", r#"{"type": "RecentMemorySummarizerTool", "maxTurnsToPull": 9}"#),
    ("full", r#"{"type": "FullChatSummary"}"#),
    ("current", r#"{"type": "GetCurrentSummaryFromFile"}"#),
    ("summary", r#"{"type": "chatSummarySummarizer"}"#),
    ("vector", r#"{"type": "VectorMemorySearch", "input": "codename;bluebird"}"#),
    ("static", r#"{"type": "StaticResponse", "content": "{Discussion_Id}"}"#),
    ("lock", r#"{"type": "WorkflowLock", "workflowLockId": "diary"}"#),
    ("file", r#"{"type": "GetCustomFile", "filepath": "{Discussion_Id}.txt"}"#),
    ("fixed", r#"{"type": "GetCustomFile", "filepath": "diary.txt"}"#),
    (
        "model",
        r#"{"type": "Standard", "endpointName": "e", "prompt": "{chat_user_prompt_last_ten}"}"#,
    ),
];

/// A note that is written first, for the vault it is written in.
const WRITES: &str = r#"[{"type": "StaticResponse", "content": "ok", "returnToUser": true},
    {"type": "SaveCustomFile", "filepath": "diary.txt", "content": "{chat_user_prompt_last_one}"}]"#;

#[tokio::test]
async fn what_one_vaults_workflow_writes_no_other_vault_reads() {
    let flows = tempfile::tempdir().unwrap();
    for (name, node) in NODES {
        std::fs::write(flows.path().join(format!("{name}.json")), format!("[{node}]")).unwrap();
    }
    std::fs::write(flows.path().join("writes.json"), WRITES).unwrap();
    let settings = format!(
        "[[upstream]]\nname = 'home'\nbase_url = 'UPSTREAM/v1'\n[[endpoint]]\nname = 'e'\n\
         model = 'm'\n[workflow]\ndir = '{}'\n[proxy]\ndeadline_ms = 20000\n",
        flows.path().display()
    );
    let vaults = Vaults::new(&settings).await;
    let ask = |flow: &str, memory: &str, key: &str, text: &str| {
        let body = json!({ "model": format!("everwhen/{flow}"),
            "messages": [{ "role": "user", "content": text }] });
        let ask = vaults.stage.post("/v1/chat/completions", &body.to_string()).memory(memory);
        ask.key(key).response()
    };
    let ana = vaults.stage.post("/v1/keys", &json!({ "vault": "ana" }).to_string());
    let ana = ana.key(TOKEN).response().await.json()["key"].as_str().unwrap().to_owned();
    let written = ask("writes", "diary", &ana, &format!("It is still {SECRET}.")).await;
    assert_eq!(written.status, 200, "{}", written.text);
    vaults.stage.wait(1);
    run_background(&vaults.stage).await;
    let own = ask("fixed", "diary", &ana, "What?").await;
    assert!(own.text.contains(SECRET), "the owner reads it: {}", own.text);
    for (flow, _) in NODES {
        for memory in ["diary", &vaults.memory] {
            let response = ask(flow, memory, &vaults.bo, "What is it?").await;
            assert!(!response.text.contains(SECRET), "{flow} in {memory}: {}", response.text);
        }
    }
    let about_bo = vaults.stage.upstream.sent();
    let about_bo = about_bo.iter().filter(|one| one.body.contains("What is it?"));
    assert!(about_bo.clone().count() > 0);
    for one in about_bo {
        assert!(!one.body.contains(SECRET), "{}", one.body);
    }
}

/// Runs what is left of workflows behind their answers.
async fn run_background(stage: &Stage) {
    let engine = stage.engine.clone();
    let done = async move {
        while !engine.jobs(100).await.unwrap().iter().all(|job| job.payload.is_none()) {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    };
    stage.state.clone().run_workflows(done).await;
}
