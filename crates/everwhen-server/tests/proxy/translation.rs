//! A client of one language before an upstream of the other.

use serde_json::{Value, json};

use crate::recorder::{Script, completion, delta};
use crate::stage::Stage;

const OLLAMA: &str =
    "upstream = 'ollama+UPSTREAM'\n[proxy]\nstamps = 'off'\nnow = 'off'\nbriefing = 'off'\n";
const OPENAI: &str =
    "upstream = 'UPSTREAM/v1'\n[proxy]\nstamps = 'off'\nnow = 'off'\nbriefing = 'off'\n";

#[tokio::test]
async fn openai_before_ollama() {
    let stage = Stage::with(OLLAMA).await;
    let body = json!({
        "model": "m", "temperature": 0.5, "max_tokens": 7, "response_format": { "type": "json_object" },
        "messages": [
            { "role": "developer", "content": "s" },
            { "role": "user", "content": [
                { "type": "text", "text": "hi" },
                { "type": "image_url", "image_url": { "url": "data:image/png;base64,QUJD" } },
            ] },
            { "role": "assistant", "content": null, "tool_calls": [
                { "id": "c", "type": "function", "function": { "name": "f", "arguments": "{\"a\":1}" } },
            ] },
            { "role": "tool", "tool_call_id": "c", "content": "2" },
        ],
    });
    let response =
        stage.post("/v1/chat/completions", &body.to_string()).memory("m").response().await;
    let sent = stage.upstream.last();
    assert_eq!(sent.path, "/api/chat");
    assert_eq!(
        sent.json(),
        json!({
            "model": "m", "stream": false, "format": "json",
            "options": { "temperature": 0.5, "num_predict": 7 },
            "messages": [
                { "role": "system", "content": "s" },
                { "role": "user", "content": "hi", "images": ["QUJD"] },
                { "role": "assistant", "content": "", "tool_calls": [
                    { "id": "c", "function": { "name": "f", "arguments": { "a": 1 } } },
                ] },
                { "role": "tool", "content": "2", "tool_call_id": "c", "tool_name": "f" },
            ],
        })
    );
    let reply = response.json();
    assert_eq!(reply["object"], "chat.completion");
    assert_eq!(reply["choices"][0]["message"], json!({ "role": "assistant", "content": "Noted." }));
    assert_eq!(reply["choices"][0]["finish_reason"], "stop");
    assert!(stage.said("m").await.contains(&"12:00 assistant Noted.".to_owned()));
}

#[tokio::test]
async fn openai_events_before_ollama_lines() {
    let stage = Stage::with(OLLAMA).await;
    let lines = [
        json!({ "model": "m", "created_at": "2025-06-01T12:00:00Z", "message": { "role": "assistant", "content": "Hel" }, "done": false }),
        json!({ "model": "m", "created_at": "2025-06-01T12:00:00Z", "message": { "role": "assistant", "content": "lo" }, "done": false }),
        json!({ "model": "m", "created_at": "2025-06-01T12:00:00Z", "message": { "role": "assistant", "content": "" },
                "done": true, "done_reason": "length", "prompt_eval_count": 3, "eval_count": 2 }),
    ];
    let lines = lines.map(|line| line.to_string() + "\n");
    stage
        .upstream
        .answers(Script::stream("application/x-ndjson", &lines.each_ref().map(String::as_str)));
    let body = json!({
        "model": "m", "stream": true, "stream_options": { "include_usage": true },
        "messages": [{ "role": "user", "content": "hi" }],
    });
    let response =
        stage.post("/v1/chat/completions", &body.to_string()).memory("m").response().await;
    assert_eq!(response.header("content-type"), Some("text/event-stream"));
    let events: Vec<&str> =
        response.text.split("\n\n").filter_map(|event| event.strip_prefix("data: ")).collect();
    assert_eq!(events.len(), 5, "{}", response.text);
    assert_eq!(events[4], "[DONE]");
    let json = |place: usize| serde_json::from_str::<Value>(events[place]).unwrap();
    assert_eq!(json(0)["choices"][0]["delta"], json!({ "role": "assistant", "content": "Hel" }));
    assert_eq!(json(2)["choices"][0]["finish_reason"], "length");
    assert_eq!(json(3)["usage"]["total_tokens"], 5);
    assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant Hello"]);
}

#[tokio::test]
async fn ollama_before_openai() {
    let stage = Stage::with(OPENAI).await;
    let body = json!({
        "model": "m", "stream": false, "options": { "temperature": 0.5, "num_predict": 7 }, "format": { "type": "object" },
        "messages": [{ "role": "user", "content": "hi", "images": ["QUJD"] }],
    });
    let response = stage.post("/api/chat", &body.to_string()).memory("m").response().await;
    let sent = stage.upstream.last();
    assert_eq!(sent.path, "/v1/chat/completions");
    let sent = sent.json();
    assert_eq!((&sent["temperature"], &sent["max_tokens"]), (&json!(0.5), &json!(7)));
    assert_eq!(sent["response_format"]["json_schema"]["schema"], json!({ "type": "object" }));
    assert_eq!(sent["messages"][0]["content"][1]["image_url"]["url"], "data:image/png;base64,QUJD");
    let reply = response.json();
    assert_eq!((&reply["message"]["content"], &reply["done"]), (&json!("Noted."), &json!(true)));
}

#[tokio::test]
async fn ollama_lines_before_openai_events() {
    let stage = Stage::with(OPENAI).await;
    let call = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [
        { "index": 0, "id": "c", "function": { "name": "f", "arguments": "{\"a\"" } }] } }] });
    let rest = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [
        { "index": 0, "function": { "arguments": ":1}" } }] }, "finish_reason": "tool_calls" }] });
    let usage = json!({ "choices": [], "usage": { "prompt_tokens": 3, "completion_tokens": 2 } });
    let event = |event: &Value| format!("data: {event}\n\n");
    let events = [
        delta("Hel"),
        delta("lo"),
        event(&call),
        event(&rest),
        event(&usage),
        "data: [DONE]\n\n".into(),
    ];
    stage
        .upstream
        .answers(Script::stream("text/event-stream", &events.each_ref().map(String::as_str)));
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "hi" }] });
    let response = stage.post("/api/chat", &body.to_string()).memory("m").response().await;
    assert_eq!(response.header("content-type"), Some("application/x-ndjson"));
    let lines: Vec<Value> =
        response.text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 4, "{}", response.text);
    assert_eq!(lines[0]["message"]["content"], "Hel");
    assert_eq!(
        lines[2]["message"]["tool_calls"],
        json!([{ "id": "c", "function": { "index": 0, "name": "f", "arguments": { "a": 1 } } }])
    );
    let last = &lines[3];
    assert_eq!((&last["done"], &last["eval_count"]), (&json!(true), &json!(2)));
    assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant Hello"]);
    assert!(stage.upstream.last().json()["stream"].as_bool().unwrap());
}

#[tokio::test]
async fn lists_and_errors_are_translated() {
    let stage = Stage::with(OLLAMA).await;
    let tags =
        json!({ "models": [{ "name": "llama3:latest", "modified_at": "2025-06-01T00:00:00Z" }] });
    stage.upstream.answers(Script::json(200, &tags));
    let models = stage.get("/v1/models").response().await.json();
    assert_eq!(
        (&models["data"][0]["id"], &models["object"]),
        (&json!("llama3:latest"), &json!("list"))
    );
    stage.upstream.answers(Script::json(404, &json!({ "error": "model \"x\" not found" })));
    let body = json!({ "model": "x", "messages": [{ "role": "user", "content": "hi" }] });
    let response =
        stage.post("/v1/chat/completions", &body.to_string()).memory("m").response().await;
    assert_eq!(
        (response.status, &response.json()["error"]["message"]),
        (404, &json!("model \"x\" not found"))
    );

    let stage = Stage::with(OPENAI).await;
    stage.upstream.answers(Script::json(200, &json!({ "data": [{ "id": "gpt", "created": 1 }] })));
    assert_eq!(stage.get("/api/tags").response().await.json()["models"][0]["name"], "gpt");
    assert!(stage.get("/api/version").response().await.json()["version"].is_string());
    assert!(
        stage.post("/api/show", "{\"model\":\"gpt\"}").response().await.json()["capabilities"]
            .is_array()
    );
    stage.upstream.answers(Script::json(200, &completion("Noted.")));
}

/// An upstream of each kind, the Ollama first.
const BOTH: &str = r#"
[[upstream]]
name = "home"
kind = "ollama"
base_url = "UPSTREAM"
[[upstream]]
name = "oai"
kind = "openai"
base_url = "UPSTREAM/v1"
[[upstream]]
name = "far"
kind = "openai"
base_url = "UPSTREAM/far/v1"
"#;

#[tokio::test]
async fn every_translated_model_has_a_digest_of_its_own() {
    let stage = Stage::with(BOTH).await;
    let same = json!({ "data": [{ "id": "gpt-4o" }, { "id": "gpt-4o-mini" }] });
    let mut all = Vec::new();
    for _ in 0..2 {
        stage.upstream.answers(Script::json(200, &same));
        stage.upstream.answers(Script::json(200, &same));
        stage.upstream.answers(Script::json(200, &same));
        let models = stage.get("/api/tags").response().await.json()["models"].clone();
        let digest = |model: &Value| {
            let text = |name: &str| model[name].as_str().unwrap_or_default().to_owned();
            (text("name"), text("digest"))
        };
        all.push(models.as_array().unwrap().iter().map(digest).collect::<Vec<_>>());
    }
    assert_eq!(all[0], all[1], "a digest stays the same");
    let translated: Vec<&(String, String)> =
        all[0].iter().filter(|(name, _)| name.contains('/')).collect();
    assert_eq!(translated.len(), 4, "{all:?}");
    for (name, digest) in &translated {
        assert!(
            digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()),
            "{name}"
        );
        assert_eq!(translated.iter().filter(|(_, other)| other == digest).count(), 1, "{name}");
    }
}

#[tokio::test]
async fn a_model_of_another_upstream_is_shown_as_far_as_it_is_known() {
    let stage = Stage::with(BOTH).await;
    let shown = stage.post("/api/show", r#"{"model":"oai/gpt-4o"}"#).response().await.json();
    assert_eq!((&shown["details"]["family"], stage.upstream.sent().len()), (&json!("openai"), 0));
    assert!(shown["capabilities"].as_array().unwrap().contains(&json!("tools")));
    assert_eq!(shown["model_info"]["general.architecture"], "openai");
    let passed = stage.post("/api/show", r#"{"model":"llama3"}"#).response().await.json();
    assert_eq!(passed["path"], "/api/show", "the Ollama shows its own");
}

#[tokio::test]
async fn a_count_of_tokens_says_what_it_leaves_out() {
    let stage = Stage::with("upstream = 'anthropic+UPSTREAM'\n").await;
    stage.upstream.answers(Script::json(200, &json!({ "input_tokens": 7 })));
    let body = r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
    let response = stage.post("/v1/messages/count_tokens", body).response().await;
    assert_eq!(response.json()["input_tokens"], 7);
    assert_eq!(stage.upstream.last().body, body);
    let left_out = response.header("x-everwhen-not-counted").unwrap();
    assert_eq!(left_out, "stamps, and up to 1000 tokens of memory");
}
