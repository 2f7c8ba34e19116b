//! Every route in its own language.

use serde_json::{Value, json};

use crate::recorder::Script;
use crate::stage::{Stage, chat};

pub(crate) const ALL: &str = r#"
[[upstream]]
base_url = "UPSTREAM/v1"
[[upstream]]
kind = "ollama"
base_url = "UPSTREAM"
[[upstream]]
kind = "anthropic"
base_url = "UPSTREAM"
[[upstream]]
kind = "gemini"
base_url = "UPSTREAM"
[proxy]
now = "off"
context = "off"
briefing = "off"
"#;
const STAMP: &str = "(Sunday, 2025-06-01 12:00:00) ";

async fn said_through(path: &str, body: &Value) -> (Stage, Value, Value) {
    let stage = Stage::with(ALL).await;
    let response = stage.post(path, &body.to_string()).memory("m").response().await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant Noted."], "{path}");
    let sent = stage.upstream.last();
    assert_eq!(sent.path, path);
    let (sent, response) = (sent.json(), response.json());
    (stage, sent, response)
}

#[tokio::test]
async fn everything_said_is_stamped_and_kept_in_every_language() {
    let message = json!([{ "role": "user", "content": "hi" }]);
    for path in ["/v1/chat/completions", "/v1/messages", "/api/chat"] {
        let body = json!({ "model": "m", "stream": false, "system": "s", "messages": message });
        let (_, sent, _) = said_through(path, &body).await;
        assert_eq!(sent["messages"][0]["content"], format!("{STAMP}hi"));
    }
    let body = json!({ "model": "m", "stream": false, "prompt": "hi" });
    let (_, sent, _) = said_through("/api/generate", &body).await;
    assert_eq!(sent["prompt"], format!("{STAMP}hi"));
    let (_, sent, _) = said_through("/v1/completions", &body).await;
    assert_eq!(sent["prompt"], "hi", "a text to go on with is left alone");
    for input in [
        json!("hi"),
        json!([{ "role": "user", "content": [{ "type": "input_text", "text": "hi" }] }]),
    ] {
        let (_, sent, _) =
            said_through("/v1/responses", &json!({ "model": "m", "input": input })).await;
        assert!(sent["input"].to_string().contains(&format!("{STAMP}hi")), "{sent}");
    }
}

#[tokio::test]
async fn lists_and_embeddings_pass_as_they_are() {
    let stage = Stage::with(ALL).await;
    for (path, there) in [
        ("/v1/models/gpt/x", "/v1/models/gpt/x"),
        ("/api/version", "/api/version"),
        ("/api/ps", "/api/ps"),
        ("/m/diary/v1/models/gpt", "/v1/models/gpt"),
        ("/m/diary/api/ps", "/api/ps"),
    ] {
        let response = stage.get(path).response().await;
        assert_eq!((response.status, response.json()["path"].as_str()), (200, Some(there)));
    }
    for path in [
        "/v1/embeddings",
        "/api/embed",
        "/api/show",
        "/v1/messages/count_tokens",
        "/v1/moderations",
    ] {
        let body = "{ \"input\" : [\"a\"] }";
        let response = stage.post(path, body).response().await;
        assert_eq!((response.status, response.json()["path"].as_str()), (200, Some(path)));
        assert_eq!(
            (stage.upstream.last().body.as_str(), stage.upstream.last().method.as_str()),
            (body, "POST")
        );
    }
    assert_eq!(stage.get("/").response().await.text, "Ollama is running");
}

const SEVERAL: &str = r#"
[[upstream]]
name = "near"
base_url = "UPSTREAM/v1"
[[upstream]]
name = "far"
base_url = "UPSTREAM/far/v1"
key = "k"
[[upstream]]
name = "home"
kind = "ollama"
base_url = "UPSTREAM"
[[upstream]]
name = "gone"
base_url = "http://127.0.0.1:9/v1"
"#;

fn names(list: &Value, field: &str, name: &str) -> Vec<String> {
    let items = list[field].as_array().unwrap();
    items.iter().map(|item| item[name].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn models_of_all_upstreams_are_listed_together() {
    let stage = Stage::with(SEVERAL).await;
    let response = stage.get("/v1/models").key("theirs").response().await;
    assert_eq!(names(&response.json(), "data", "id"), ["m-1", "far/m-2", "home/m-3"]);
    assert!(response.header("x-everwhen-degraded").unwrap().contains("\"gone\""));
    let shown = stage.upstream.sent().into_iter().map(|sent| {
        let shown = sent.headers.get("authorization").map(|key| key.to_str().unwrap().to_owned());
        (sent.path, shown.unwrap_or_default())
    });
    let mut shown: Vec<_> = shown.collect();
    shown.sort();
    let all = [("/api/tags", ""), ("/far/v1/models", "Bearer k"), ("/v1/models", "Bearer theirs")];
    assert_eq!(shown, all.map(|(path, key)| (path.to_owned(), key.to_owned())));

    let response = stage.get("/api/tags").response().await;
    assert_eq!(names(&response.json(), "models", "model"), ["m-3", "near/m-1", "far/m-2"]);
    let response = stage.get("/v1/models").header("x-everwhen-upstream", "far").response().await;
    assert_eq!(response.json(), json!({ "data": [{ "id": "m-2" }] }), "one alone, as it came");
    let response = stage.get("/v1/models").header("x-everwhen-upstream", "gone").response().await;
    assert_eq!(response.status, 502, "{}", response.text);
}

#[tokio::test]
async fn a_model_is_reached_by_the_name_it_is_listed_under() {
    let stage = Stage::with(SEVERAL).await;
    let response = stage.get("/v1/models/far/m-2").response().await;
    assert_eq!(response.json()["path"], "/far/v1/models/m-2");
    let body = r#"{ "model": "far/m-2", "input": "a" }"#;
    stage.post("/v1/embeddings", body).response().await;
    let sent = stage.upstream.last();
    assert_eq!(sent.path, "/far/v1/embeddings");
    assert_eq!(sent.body, r#"{ "model": "m-2", "input": "a" }"#);
    stage
        .post("/v1/chat/completions", &chat(&["u:hi"]).replace("\"m\"", "\"far/m-2\""))
        .response()
        .await;
    let sent = stage.upstream.last();
    assert_eq!(
        (sent.path.as_str(), &sent.json()["model"]),
        ("/far/v1/chat/completions", &json!("m-2"))
    );
}

#[tokio::test]
async fn anthropic_events_are_stripped_and_kept() {
    let stage = Stage::with(ALL).await;
    let event = |name: &str, data: &str| format!("event: {name}\ndata: {data}\n\n");
    let text = |text: &str| {
        let delta = json!({ "type": "text_delta", "text": text });
        event(
            "content_block_delta",
            &json!({ "type": "content_block_delta", "index": 0, "delta": delta }).to_string(),
        )
    };
    let before = event("message_start", r#"{"type":"message_start","message":{"content":[]}}"#)
        + &event(
            "content_block_start",
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
        )
        + &event("ping", r#"{"type":"ping"}"#);
    let after = event("content_block_stop", r#"{"type":"content_block_stop","index":0}"#)
        + &event("message_stop", r#"{"type":"message_stop"}"#);
    let pieces =
        [before.clone(), text("(Sunday, 2025-06-01 "), text("12:00:00) Hello"), after.clone()];
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    stage.upstream.answers(Script::stream("text/event-stream", &pieces));
    let body = r#"{"model":"m","stream":true,"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}]}"#;
    let ask =
        stage.post("/v1/messages", body).memory("m").header("anthropic-version", "2023-06-01");
    let response = ask.header("anthropic-beta", "x").response().await;
    assert_eq!(response.text, before + &text("") + &text("Hello") + &after);
    assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant Hello"]);
    let sent = stage.upstream.last();
    assert_eq!(
        (&sent.headers["anthropic-version"], &sent.headers["anthropic-beta"]),
        (&"2023-06-01".parse().unwrap(), &"x".parse().unwrap())
    );
}

#[tokio::test]
async fn ollama_streams_lines_unless_told_otherwise() {
    let stage = Stage::with(ALL).await;
    let line = |text: &str, done: bool| {
        json!({ "message": { "role": "assistant", "content": text }, "done": done }).to_string()
            + "\n"
    };
    let lines = [line("Hel", false), line("lo", false), line("", true)];
    let pieces: Vec<&str> = lines.iter().map(String::as_str).collect();
    stage.upstream.answers(Script::stream("application/x-ndjson", &pieces));
    let body =
        r#"{"model":"m","messages":[{"role":"user","content":"hi","images":["AAAA"]}],"tools":[]}"#;
    let response = stage.post("/api/chat", body).memory("m").response().await;
    assert_eq!(response.text, lines.concat());
    assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant Hello"]);
    assert_eq!(stage.upstream.last().body, body.replace("\"hi\"", &format!("\"{STAMP}hi\"")));
}

#[tokio::test]
async fn a_model_can_name_its_upstream() {
    let settings = r#"
[[upstream]]
name = "first"
base_url = "UPSTREAM/first"
[[upstream]]
name = "second"
base_url = "UPSTREAM/second"
"#;
    let stage = Stage::with(settings).await;
    for (model, header, path, sent) in [
        ("m", None, "/first/chat/completions", "m"),
        ("second/org/m", None, "/second/chat/completions", "org/m"),
        ("org/m", None, "/first/chat/completions", "org/m"),
        ("m", Some("second"), "/second/chat/completions", "m"),
    ] {
        let body = chat(&["u:hi"]).replace("\"m\"", &json!(model).to_string());
        let ask = stage.post("/v1/chat/completions", &body).memory("m");
        let ask = match header {
            Some(name) => ask.header("x-everwhen-upstream", name),
            None => ask,
        };
        ask.response().await;
        let last = stage.upstream.last();
        assert_eq!((last.path.as_str(), last.json()["model"].as_str()), (path, Some(sent)));
    }
    let ask = stage.post("/v1/chat/completions", &chat(&["u:hi"]));
    let response = ask.header("x-everwhen-upstream", "third").response().await;
    assert_eq!(response.status, 404);
    assert!(response.json()["error"]["message"].as_str().unwrap().contains("first, second"));
}

#[tokio::test]
async fn errors_of_our_own_have_the_shape_of_the_language() {
    let stage = Stage::with("upstream = 'http://127.0.0.1:9/v1' # UPSTREAM\n").await;
    let response =
        stage.post("/v1/chat/completions", &chat(&["u:hi"])).memory("m").response().await;
    assert_eq!(response.status, 502);
    assert!(response.json()["error"]["message"].as_str().unwrap().contains("does not answer"));
    let response = stage.post("/v1/messages", &chat(&["u:hi"])).response().await;
    assert_eq!((response.status, &response.json()["type"]), (502, &json!("error")));
    let body = json!({ "contents": [{ "parts": [{ "text": "hi" }] }] }).to_string();
    let response = stage.post("/v1beta/models/m:generateContent", &body).response().await;
    assert_eq!(
        (response.status, &response.json()["error"]["status"]),
        (502, &json!("UNAVAILABLE"))
    );
    let response = stage.post("/api/generate", "{\"prompt\":\"hi\"}").response().await;
    assert!(response.json()["error"].as_str().unwrap().contains("ollama"));
    assert_eq!(stage.said("m").await, ["12:00 user hi"], "what was said is kept anyway");
}

#[tokio::test]
async fn what_cannot_be_read_is_the_upstreams_to_refuse() {
    let stage = Stage::new().await;
    let response = stage.post("/v1/chat/completions", "{not json").response().await;
    assert_eq!((response.status, stage.upstream.last().body.as_str()), (200, "{not json"));
}
