//! Gemini's protocol: clients that speak it, and upstreams.

use serde_json::{Value, json};

use crate::recorder::{Script, completion, gemini};
use crate::stage::{HttpResponse, Stage, TOKEN, chat};

const BEFORE_GEMINI: &str =
    "upstream = 'gemini+UPSTREAM'\n[proxy]\nnow = 'off'\ncontext = 'off'\nbriefing = 'off'\n";
const BARE: &str =
    "upstream = 'gemini+UPSTREAM'\n[proxy]\nstamps = 'off'\nnow = 'off'\nbriefing = 'off'\n";
const WHOLE: &str = "/v1beta/models/gemini-2.5-flash:generateContent";
const STREAM: &str = "/v1beta/models/gemini-2.5-flash:streamGenerateContent";
const STAMP: &str = "(Sunday, 2025-06-01 12:00:00) ";

/// A request as Google's own client sends it.
fn request(lines: &[&str]) -> String {
    let content = |line: &&str| {
        let role = if line.starts_with("u:") { "user" } else { "model" };
        json!({ "role": role, "parts": [{ "text": &line[2..] }] })
    };
    let contents: Vec<Value> = lines.iter().map(content).collect();
    json!({
        "contents": contents,
        "systemInstruction": { "parts": [{ "text": "Be brief." }], "role": "user" },
        "generationConfig": { "temperature": 0.0 },
    })
    .to_string()
}

fn chunk(text: &str, finish: Option<&str>) -> Value {
    let mut candidate =
        json!({ "content": { "role": "model", "parts": [{ "text": text }] }, "index": 0 });
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
    }
    json!({ "candidates": [candidate], "modelVersion": "gemini-2.5-flash",
        "usageMetadata": { "promptTokenCount": 3, "candidatesTokenCount": 2, "totalTokenCount": 5 } })
}

/// What a streamed reply says.
fn said(response: &HttpResponse) -> String {
    let events: Vec<Value> = match response.header("content-type") {
        Some("text/event-stream") => {
            let data = response.text.split("\n\n").filter_map(|event| event.strip_prefix("data: "));
            data.map(|data| serde_json::from_str(data).unwrap()).collect()
        }
        _ => serde_json::from_str(&response.text).unwrap(),
    };
    let text = |event: &Value| {
        event["candidates"][0]["content"]["parts"][0]["text"]
            .as_str()
            .unwrap_or_default()
            .to_owned()
    };
    events.iter().map(text).collect()
}

#[tokio::test]
async fn what_is_said_is_stamped_and_kept_and_all_else_stays() {
    let stage = Stage::with(BEFORE_GEMINI).await;
    let body = request(&["u:hi"]);
    let response = stage.post(WHOLE, &body).memory("m").response().await;
    assert_eq!((response.status, response.json()), (200, gemini("Noted.")));
    let sent = stage.upstream.last();
    assert_eq!((sent.path.as_str(), sent.method.as_str()), (WHOLE, "POST"));
    assert_eq!(sent.body, body.replace("\"hi\"", &format!("\"{STAMP}hi\"")));
    assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant Noted."]);
}

#[tokio::test]
async fn streams_pass_in_both_framings_and_echoed_stamps_are_taken_off() {
    for query in ["?alt=sse", ""] {
        let stage = Stage::with(BEFORE_GEMINI).await;
        let (first, second) = STAMP.split_at(9);
        let chunks =
            [chunk(first, None), chunk(&format!("{second}Hel"), None), chunk("lo", Some("STOP"))];
        let pieces: Vec<String> = match query {
            "" => {
                let mut before = "[";
                let item =
                    |chunk: &Value| format!("{}{chunk}", std::mem::replace(&mut before, "\n,\r\n"));
                chunks.iter().map(item).chain(["\n]\n".to_owned()]).collect()
            }
            _ => chunks.iter().map(|chunk| format!("data: {chunk}\r\n\r\n")).collect(),
        };
        let kind =
            if query.is_empty() { "application/json; charset=UTF-8" } else { "text/event-stream" };
        let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
        stage.upstream.answers(Script::stream(kind, &pieces));
        let response = stage
            .post(&format!("{STREAM}{query}"), &request(&["u:hi"]))
            .memory("m")
            .response()
            .await;
        assert_eq!(stage.upstream.last().path, format!("{STREAM}{query}"));
        let expected = pieces.concat().replace(first, "").replace(second, "");
        assert_eq!(response.text, expected, "{query}");
        assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant Hello"]);
    }
}

#[tokio::test]
async fn a_stream_without_its_end_is_kept_as_truncated() {
    let stage = Stage::with(BEFORE_GEMINI).await;
    let event = format!("data: {}\n\n", chunk("Once upon", None));
    stage.upstream.answers(Script::stream("text/event-stream", &[&event]));
    stage.post(&format!("{STREAM}?alt=sse"), &request(&["u:hi"])).memory("m").response().await;
    let entries = stage.entries("m").await;
    let metadata = entries[1].metadata.as_ref().map_or("", |metadata| metadata.as_str());
    assert_eq!((entries[1].content.as_str(), metadata.contains("truncated")), ("Once upon", true));
}

#[tokio::test]
async fn the_model_is_told_what_is_remembered_and_the_same_again() {
    let stage = Stage::with("upstream = 'gemini+UPSTREAM'\n").await;
    stage.post(WHOLE, &request(&["u:My sister Ana keeps a goat."])).memory("m").response().await;
    stage.state.settle().await;
    stage.wait(60 * 24 * 2);
    let lines = ["u:What does my sister keep?"];
    stage.post(WHOLE, &request(&lines)).memory("m").response().await;
    stage.state.settle().await;
    let first = stage.upstream.last().json()["contents"][0].clone();
    let parts = first["parts"].as_array().unwrap();
    assert_eq!(parts.len(), 2, "what is added is a part of its own: {first}");
    let added = parts[1]["text"].as_str().unwrap();
    assert!(added.contains("goat") && added.contains("[It is Tuesday"), "{added}");
    assert_eq!(parts[1].as_object().unwrap().len(), 1, "{first}");
    let lines = [lines[0], "a:Noted.", "u:Sure?"];
    stage.post(WHOLE, &request(&lines)).memory("m").response().await;
    assert_eq!(stage.upstream.last().json()["contents"][0], first, "caches hold");
}

#[tokio::test]
async fn thoughts_and_results_of_tools_are_nobodys_words() {
    let stage = Stage::with(BEFORE_GEMINI).await;
    let mut reply = gemini("It is sunny.");
    let parts = reply["candidates"][0]["content"]["parts"].as_array_mut().unwrap();
    parts.insert(0, json!({ "text": "Let me think.", "thought": true }));
    stage.upstream.answers(Script::json(200, &reply));
    let body = json!({ "contents": [
        { "role": "user", "parts": [{ "text": "Weather?" }] },
        { "role": "model", "parts": [
            { "functionCall": { "name": "weather", "args": {} }, "thoughtSignature": "c2ln" }] },
        { "role": "user", "parts": [
            { "functionResponse": { "name": "weather", "response": { "result": "sunny" } } }] },
    ] });
    let response = stage.post(WHOLE, &body.to_string()).memory("m").response().await;
    assert_eq!(response.json(), reply);
    assert_eq!(stage.said("m").await, ["11:59 user Weather?", "12:00 assistant It is sunny."]);
    let sent = stage.upstream.last().json();
    assert_eq!(
        (&sent["contents"][1], &sent["contents"][2]),
        (&body["contents"][1], &body["contents"][2])
    );
}

const TWO: &str = r#"
[[upstream]]
name = "near"
kind = "gemini"
base_url = "UPSTREAM"
[[upstream]]
name = "far"
kind = "gemini"
base_url = "UPSTREAM/far/v1beta"
key = "operators"
[[upstream]]
name = "oai"
base_url = "UPSTREAM/v1"
[proxy]
stamps = "off"
now = "off"
briefing = "off"
"#;

#[tokio::test]
async fn the_model_in_the_path_chooses_the_upstream() {
    let stage = Stage::with(TWO).await;
    let ask = |path: &str| stage.post(path, &request(&["u:hi"])).memory("m");
    ask("/v1beta/models/far/gemini-x:generateContent").response().await;
    assert_eq!(stage.upstream.last().path, "/far/v1beta/models/gemini-x:generateContent");
    ask("/v1beta/models/gemini-x:generateContent").response().await;
    assert_eq!(stage.upstream.last().path, "/v1beta/models/gemini-x:generateContent");
    let response = ask("/v1beta/models/oai/gpt:generateContent").response().await;
    let sent = stage.upstream.last();
    assert_eq!(
        (sent.path.as_str(), &sent.json()["model"]),
        ("/v1/chat/completions", &json!("gpt"))
    );
    assert_eq!(response.json()["candidates"][0]["content"]["parts"][0]["text"], "Noted.");
    let counted =
        stage.post("/v1beta/models/far/gemini-x:countTokens", &request(&["u:hi"])).response().await;
    assert_eq!(counted.json(), json!({ "totalTokens": 7 }));
    assert!(counted.header("x-everwhen-not-counted").is_some());
    assert_eq!(stage.upstream.last().path, "/far/v1beta/models/gemini-x:countTokens");
    ask("/v1/models/far/gemini-x:generateContent").response().await;
    assert_eq!(stage.upstream.last().path, "/far/v1beta/models/gemini-x:generateContent");
    let read = stage.get("/v1beta/models/far/gemini-x").response().await;
    assert_eq!(read.json()["path"], "/far/v1beta/models/gemini-x");
}

#[tokio::test]
async fn models_are_listed_in_geminis_way_and_geminis_in_others() {
    let stage = Stage::with(TWO).await;
    let names = |list: &Value, field: &str, name: &str| -> Vec<String> {
        let items = list[field].as_array().unwrap();
        items.iter().map(|item| item[name].as_str().unwrap().to_owned()).collect()
    };
    stage.upstream.answers(Script::json(200, &json!({ "models": [{ "name": "models/m-4" }] })));
    let response =
        stage.get("/v1beta/models").header("x-everwhen-upstream", "near").response().await;
    assert_eq!(
        response.json(),
        json!({ "models": [{ "name": "models/m-4" }] }),
        "one alone, as it came"
    );
    let google = stage.get("/v1/models").header("x-goog-api-key", "theirs");
    let response = google.header("x-everwhen-upstream", "near").response().await;
    assert_eq!(response.json()["models"][0]["name"], "models/m-4", "{}", response.text);
    let response = stage.get("/v1beta/models").response().await.json();
    let listed = names(&response, "models", "name");
    assert!(
        listed.contains(&"models/m-4".to_owned()) && listed.contains(&"models/oai/m-1".to_owned()),
        "{response}"
    );
    let response = stage.get("/v1/models").response().await.json();
    let listed = names(&response, "data", "id");
    assert_eq!(listed[..2], ["m-1".to_owned(), "near/m-4".to_owned()]);
}

#[tokio::test]
async fn keys_are_read_from_the_header_and_the_query_and_go_only_where_they_are_meant() {
    let stage = Stage::with(TWO).await;
    let shown = |stage: &Stage| {
        let sent = stage.upstream.last();
        let header =
            |name: &str| sent.headers.get(name).map(|key| key.to_str().unwrap().to_owned());
        assert!(!sent.path.contains("theirs"), "{}", sent.path);
        (header("x-goog-api-key"), header("authorization"))
    };
    let body = request(&["u:hi"]);
    stage.post(&format!("{WHOLE}?key=theirs"), &body).memory("m").response().await;
    assert_eq!(shown(&stage), (Some("theirs".into()), None));
    stage.post(WHOLE, &body).memory("m").header("x-goog-api-key", "theirs").response().await;
    assert_eq!(shown(&stage), (Some("theirs".into()), None));
    // Another upstream gets its own key, or none.
    let far = "/v1beta/models/far/gemini-x:generateContent?key=theirs";
    stage.post(far, &body).memory("m").response().await;
    assert_eq!(shown(&stage), (Some("operators".into()), None));
    let other = "/v1beta/models/oai/gpt:generateContent?key=theirs";
    stage.post(other, &body).memory("m").response().await;
    assert_eq!(shown(&stage), (None, None));
    let plain = stage.get("/v1/models/m?key=theirs").header("x-everwhen-upstream", "oai");
    plain.response().await;
    assert_eq!(stage.upstream.last().path, "/v1/models/m", "a key in an address goes nowhere");
    stage
        .get("/v1beta/models?key=theirs&pageSize=3")
        .header("x-everwhen-upstream", "near")
        .response()
        .await;
    assert_eq!(stage.upstream.last().path, "/v1beta/models?pageSize=3");
    assert_eq!(shown(&stage), (Some("theirs".into()), None));
}

#[tokio::test]
async fn a_key_of_ours_opens_the_vault_and_stays_here() {
    let stage = Stage::with(BEFORE_GEMINI).await;
    let key = stage.key("ana", &json!({ "label": "app" })).await;
    let body = request(&["u:hi"]);
    let response = stage.post(WHOLE, &body).memory("m").response().await;
    assert_eq!(
        (response.status, &response.json()["error"]["status"]),
        (401, &json!("UNAUTHENTICATED"))
    );
    let response = stage.post(&format!("{WHOLE}?key={key}"), &body).memory("m").response().await;
    assert_eq!(response.status, 200, "{}", response.text);
    let response =
        stage.post(WHOLE, &body).memory("m").header("x-goog-api-key", &key).response().await;
    assert_eq!(response.status, 200, "{}", response.text);
    for sent in stage.upstream.sent() {
        assert!(!format!("{sent:?}").contains(&key), "{sent:?}");
    }
    let entries = stage.get("/v1/vaults/ana/memories/m/entries").key(TOKEN).response().await;
    assert!(entries.text.contains("Noted."), "{}", entries.text);
}

#[tokio::test]
async fn what_an_account_holds_is_for_the_operator() {
    let stage = Stage::with(TWO).await;
    let far = |ask: crate::stage::Ask| ask.header("x-everwhen-upstream", "far");
    let response = far(stage.get("/v1beta/files")).response().await;
    assert_eq!(
        (response.status, &response.json()["error"]["status"]),
        (403, &json!("PERMISSION_DENIED"))
    );
    let response = far(stage.get("/v1beta/files")).header("x-everwhen-key", TOKEN).response().await;
    assert_eq!(response.json()["path"], "/far/v1beta/files");
    for (path, status, name) in [
        ("/v1beta/unheard_of", 404, "NOT_FOUND"),
        ("/v1beta/models/m:deleteEverything", 405, "UNIMPLEMENTED"),
    ] {
        let response = stage.post(path, "{}").response().await;
        assert_eq!(
            (response.status, &response.json()["error"]["status"]),
            (status, &json!(name)),
            "{path}"
        );
    }
    let response = stage.post("/v1beta/models/..%2Ffiles:generateContent", "{}").response().await;
    assert_eq!(response.status, 400, "{}", response.text);
    assert!(stage.upstream.sent().iter().all(|sent| sent.path == "/far/v1beta/files"));
}

#[tokio::test]
async fn other_clients_before_gemini() {
    let stage = Stage::with(BARE).await;
    let response = stage
        .post("/v1/chat/completions", &chat(&["s:Be brief.", "u:hi"]))
        .memory("m")
        .key("theirs")
        .response()
        .await;
    assert_eq!(response.json()["choices"][0]["message"]["content"], "Noted.");
    assert_eq!(response.json()["usage"]["total_tokens"], 18);
    let sent = stage.upstream.last();
    assert_eq!(sent.path, "/v1beta/models/m:generateContent");
    assert_eq!(
        sent.json(),
        json!({
            "contents": [{ "role": "user", "parts": [{ "text": "hi" }] }],
            "systemInstruction": { "parts": [{ "text": "Be brief." }] },
        })
    );
    assert_eq!(
        sent.headers["x-goog-api-key"], "theirs",
        "the key is shown as this provider wants it"
    );
    assert!(!sent.headers.contains_key("authorization"));
    let events =
        [chunk("Hel", None), chunk("lo", Some("STOP"))].map(|chunk| format!("data: {chunk}\n\n"));
    stage
        .upstream
        .answers(Script::stream("text/event-stream", &events.each_ref().map(String::as_str)));
    let body =
        r#"{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"hi"}]}"#;
    let response = stage.post("/v1/messages", body).memory("n").response().await;
    assert_eq!(stage.upstream.last().path, "/v1beta/models/m:streamGenerateContent?alt=sse");
    for part in [
        "event: message_start\n",
        "\"text\":\"Hel\"",
        "\"stop_reason\":\"end_turn\"",
        "event: message_stop\n",
    ] {
        assert!(response.text.contains(part), "{part} in {}", response.text);
    }
    assert_eq!(stage.said("n").await, ["12:00 user hi", "12:00 assistant Hello"]);
    let ask = stage.post(
        "/api/chat",
        r#"{"model":"m","stream":false,"messages":[{"role":"user","content":"hi"}]}"#,
    );
    let response = ask.memory("o").response().await.json();
    assert_eq!(
        (&response["message"]["content"], &response["eval_count"]),
        (&json!("Noted."), &json!(7))
    );
}

#[tokio::test]
async fn gemini_before_other_upstreams() {
    let quiet = "[proxy]\nstamps = 'off'\nnow = 'off'\nbriefing = 'off'\n";
    for (upstream, path) in [
        ("UPSTREAM/v1", "/v1/chat/completions"),
        ("anthropic+UPSTREAM", "/v1/messages"),
        ("ollama+UPSTREAM", "/api/chat"),
    ] {
        let stage = Stage::with(&format!("upstream = '{upstream}'\n{quiet}")).await;
        let ask = stage.post(&format!("{WHOLE}?key=theirs"), &request(&["u:hi"]));
        let response = ask.memory("m").response().await;
        let sent = stage.upstream.last();
        assert_eq!(sent.path, path);
        let shown = if path == "/v1/messages" {
            ("x-api-key", "theirs")
        } else {
            ("authorization", "Bearer theirs")
        };
        assert_eq!(sent.headers[shown.0], shown.1);
        assert_eq!(sent.headers.contains_key("anthropic-version"), path == "/v1/messages");
        assert_eq!(response.json()["candidates"][0]["finishReason"], "STOP", "{}", response.text);
        assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant Noted."]);
    }
    let stage = Stage::with(&format!("upstream = 'UPSTREAM/v1'\n{quiet}")).await;
    for (query, kind) in [("?alt=sse", "text/event-stream"), ("", "application/json")] {
        stage.upstream.answers(Script::says(&["Hel", "lo"]));
        let response = stage
            .post(&format!("{STREAM}{query}"), &request(&["u:hi"]))
            .memory("m")
            .response()
            .await;
        assert_eq!(response.header("content-type"), Some(kind));
        assert_eq!(said(&response), "Hello");
    }
    stage.upstream.answers(Script::json(200, &completion("Whole.")));
    let response =
        stage.post(&format!("{STREAM}?alt=sse"), &request(&["u:hi"])).memory("m").response().await;
    assert_eq!(said(&response), "Whole.", "an upstream may answer whole");
    stage.upstream.answers(Script::json(429, &json!({ "error": { "message": "slow down" } })));
    let response = stage.post(WHOLE, &request(&["u:hi"])).memory("m").response().await;
    assert_eq!(
        (response.status, &response.json()["error"]["status"]),
        (429, &json!("RESOURCE_EXHAUSTED"))
    );
}
