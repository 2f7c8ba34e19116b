//! What reaches an upstream: which paths, which headers, whose key, and for whom.

use serde_json::{Value, json};

use crate::stage::{Stage, TOKEN, chat};

const CHAT: &str = "/v1/chat/completions";
/// One upstream below a path, with the operator's key.
const OWN_KEY: &str = r#"
[[upstream]]
base_url = "UPSTREAM/openai/v1"
key = "sk-operator"
[[upstream]]
kind = "ollama"
base_url = "UPSTREAM"
[[upstream]]
kind = "anthropic"
base_url = "UPSTREAM"
"#;

#[tokio::test]
async fn a_path_that_could_leave_the_base_url_is_refused_before_anything_is_sent() {
    let stage = Stage::with(OWN_KEY).await;
    let key = stage.key("ana", &json!({ "scope": "admin" })).await;
    for path in [
        "/v1/models/../files",
        "/v1/models/%2e%2e/files",
        "/v1/models/.%2E/files",
        "/v1/models/%252e%252e/files",
        "/v1/models/..%2ffiles",
        "/v1/models/..;/files",
        "/v1/models/a%5c..%5cfiles",
        "/v1/models//files",
        "/v1//files",
        "/v1/audio/../../../admin/keys",
        "/v1/images/../fine_tuning/jobs",
        "/v1/responses/../../admin/keys",
        "/v1/chat/completions/../../../admin",
        "/v1/../admin/keys",
        "/m/diary/v1/models/../files",
        "/models/../files",
        "/api/../admin",
        "/api/blobs/..",
        "/api/ps/%2e%2e/%2e%2e/admin",
    ] {
        for key in [key.as_str(), TOKEN] {
            for method in ["GET", "DELETE", "POST"] {
                let response = stage.ask(method, path, "").key(key).response().await;
                assert!(
                    [400, 405].contains(&response.status),
                    "{method} {path}: {}",
                    response.text
                );
                assert!(
                    response.json().get("error").is_some(),
                    "{method} {path}: {}",
                    response.text
                );
            }
        }
        let response = stage.get(path).key(TOKEN).response().await;
        let is_post_only = path == "/api/blobs/..";
        assert!(response.status == 400 || is_post_only, "{path}: {}", response.text);
    }
    assert!(stage.upstream.sent().is_empty(), "{:?}", stage.upstream.sent());
}

/// What manages an account: method and path.
const MANAGED: [(&str, &str); 22] = [
    ("DELETE", "/v1/models/ft:x"),
    ("GET", "/v1/chat/completions"),
    ("DELETE", "/v1/chat/completions/c1"),
    ("DELETE", "/v1/responses/r1"),
    ("GET", "/v1/files"),
    ("POST", "/v1/files"),
    ("GET", "/v1/files/f1/content"),
    ("POST", "/v1/uploads"),
    ("POST", "/v1/batches/b1/cancel"),
    ("GET", "/v1/vector_stores"),
    ("POST", "/v1/conversations"),
    ("POST", "/v1/fine_tuning/jobs"),
    ("GET", "/v1/assistants"),
    ("POST", "/v1/threads/t1/runs"),
    ("GET", "/v1/organization/usage/completions"),
    ("GET", "/v1/messages/batches"),
    ("POST", "/api/pull"),
    ("POST", "/api/push"),
    ("POST", "/api/create"),
    ("POST", "/api/copy"),
    ("DELETE", "/api/delete"),
    ("POST", "/api/blobs/sha256:1"),
];

#[tokio::test]
async fn what_an_account_holds_is_managed_by_the_operator() {
    let stage = Stage::with(OWN_KEY).await;
    let refused = async |key: Option<&str>| {
        for (method, path) in MANAGED {
            let ask = stage.ask(method, path, "{}");
            let ask = if let Some(key) = key { ask.key(key) } else { ask };
            let response = ask.response().await;
            // Without any key of ours, an upstream without one is as open as it was.
            let is_open = key.is_none() && (path.starts_with("/api/") || path.contains("messages"));
            let expected = if is_open { 200 } else { 403 };
            assert_eq!(response.status, expected, "{method} {path}: {}", response.text);
        }
    };
    refused(None).await;
    let asked = stage.upstream.sent();
    assert!(asked.iter().all(|sent| !sent.headers.contains_key("authorization")), "{asked:?}");
    let key = stage.key("ana", &json!({ "scope": "admin" })).await;
    refused(Some(&key)).await;
    assert_eq!(stage.upstream.sent().len(), asked.len(), "nothing was sent for the key");
    for (method, path) in MANAGED {
        let response = stage.ask(method, path, "{}").key(TOKEN).response().await;
        assert_eq!(response.status, 200, "{method} {path}: {}", response.text);
        let sent = stage.upstream.last();
        assert_eq!(
            (sent.method.as_str(), sent.path.ends_with(path)),
            (method, true),
            "{}",
            sent.path
        );
    }
}

#[tokio::test]
async fn without_keys_a_client_manages_its_own_account() {
    let stage = Stage::new().await;
    let response = stage.ask("DELETE", "/v1/files/f1?x=1", "").key("sk-mine").response().await;
    assert_eq!(response.status, 200, "{}", response.text);
    let sent = stage.upstream.last();
    assert_eq!((sent.method.as_str(), sent.path.as_str()), ("DELETE", "/v1/files/f1?x=1"));
    assert_eq!(sent.headers["authorization"], "Bearer sk-mine");
}

#[tokio::test]
async fn what_a_key_allows_holds_at_the_proxy() {
    let stage = Stage::with(OWN_KEY).await;
    let read = stage.key("ana", &json!({ "scope": "read" })).await;
    let write = stage.key("bo", &json!({})).await;
    for path in ["/v1/models", "/v1/models/m", "/api/tags", "/api/ps", "/api/version"] {
        assert_eq!(stage.get(path).key(&read).response().await.status, 200, "{path}");
    }
    let uses = [CHAT, "/v1/responses", "/v1/embeddings", "/v1/messages/count_tokens", "/api/embed"];
    let said = json!([{ "role": "user", "content": "hi" }]);
    let body = json!({ "model": "m", "input": "hi", "messages": said }).to_string();
    let before = stage.upstream.sent().len();
    for path in uses {
        let response = stage.post(path, &body).key(&read).response().await;
        assert_eq!(response.status, 403, "{path}: {}", response.text);
        assert!(response.text.contains("this needs a key with scope"), "{path}: {}", response.text);
        assert!(response.json().get("error").is_some(), "{}", response.text);
    }
    assert_eq!(stage.upstream.sent().len(), before, "nothing was sent");
    for path in uses {
        let response = stage.post(path, &body).key(&write).response().await;
        assert_eq!(response.status, 200, "{path}: {}", response.text);
    }
}

#[tokio::test]
async fn headers_that_no_provider_needs_stay_here() {
    let stage = Stage::with(OWN_KEY).await;
    let private = [
        ("cookie", "session=1"),
        ("referer", "http://localhost:8080/c/1"),
        ("origin", "http://localhost:8080"),
        ("forwarded", "for=10.0.0.1"),
        ("x-forwarded-for", "10.0.0.1"),
        ("x-real-ip", "10.0.0.1"),
        ("x-openwebui-user-jwt", "a.b.c"),
        ("x-openwebui-user-email", "ana@example.org"),
        ("x-librechat-user-id", "ana"),
        ("x-claude-code-session-id", "s1"),
        ("authorization", "Bearer sk-mine"),
        ("x-api-key", "sk-mine"),
        ("api-key", "sk-mine"),
        ("x-goog-api-key", "sk-mine"),
        ("openai-organization", "org-mine"),
    ];
    let needed = [
        ("user-agent", "OpenAI/Python 3"),
        ("accept", "application/json"),
        ("openai-beta", "responses=v1"),
        ("anthropic-beta", "x"),
        ("x-stainless-lang", "python"),
        ("idempotency-key", "i1"),
        ("x-request-id", "r1"),
        ("http-referer", "https://app.example"),
        ("x-title", "App"),
    ];
    for (path, body) in [(CHAT, chat(&["u:hi"])), ("/v1/embeddings", "{}".into())] {
        let ask = stage.post(path, &body).memory("m");
        let all = private.iter().chain(&needed);
        let ask = all.fold(ask, |ask, (name, value)| ask.header(name, value));
        assert_eq!(ask.response().await.status, 200);
        let sent = stage.upstream.last().headers;
        for (name, value) in needed {
            assert_eq!(sent[name], value, "{path}");
        }
        for (name, value) in private {
            assert!(sent.get(name).is_none_or(|sent| sent != value), "{path}: {name}");
        }
        assert_eq!(sent["authorization"], "Bearer sk-operator", "{path}");
    }
}

#[tokio::test]
async fn an_upstream_may_be_sent_more_headers_by_name() {
    let settings = r#"
[[upstream]]
base_url = "UPSTREAM/v1"
pass_headers = ["X-Session-Affinity"]
"#;
    let stage = Stage::with(settings).await;
    let ask = stage.post(CHAT, &chat(&["u:hi"])).memory("m").header("x-session-affinity", "s1");
    ask.header("x-other", "1").response().await;
    let sent = stage.upstream.last().headers;
    assert_eq!(sent["x-session-affinity"], "s1");
    assert!(!sent.contains_key("x-other"));
}

const SEVERAL: &str = r#"
[[upstream]]
name = "first"
base_url = "UPSTREAM/first/v1"
[[upstream]]
name = "box"
base_url = "UPSTREAM/box/v1"
[[upstream]]
name = "trusted"
base_url = "UPSTREAM/trusted/v1"
pass_client_key = true
[[upstream]]
name = "home"
kind = "ollama"
base_url = "UPSTREAM/home"
[[upstream]]
name = "claude"
kind = "anthropic"
base_url = "UPSTREAM/claude"
[[upstream]]
name = "claude2"
kind = "anthropic"
base_url = "UPSTREAM/claude2"
"#;

#[tokio::test]
async fn a_clients_key_goes_only_to_the_upstream_it_was_meant_for() {
    let stage = Stage::with(SEVERAL).await;
    let messages = "/v1/messages";
    for (path, model, passes) in [
        (CHAT, "m", true),
        (CHAT, "first/m", true),
        (CHAT, "box/m", false),
        (CHAT, "trusted/m", true),
        (CHAT, "home/m", false),
        ("/v1/embeddings", "m", true),
        ("/v1/embeddings", "box/m", false),
        (messages, "m", true),
        (messages, "claude2/m", false),
    ] {
        let body = chat(&["u:hi"]).replace("\"m\"", &json!(model).to_string());
        stage.post(path, &body).memory("m").key("sk-mine").response().await;
        let sent = stage.upstream.last();
        assert_eq!(
            sent.headers.contains_key("authorization"),
            passes,
            "{path} {model}: {}",
            sent.path
        );
    }
    let ask = stage.post(CHAT, &chat(&["u:hi"])).memory("m").header("x-everwhen-upstream", "box");
    ask.key("sk-mine").response().await;
    assert!(!stage.upstream.last().headers.contains_key("authorization"));
}

#[tokio::test]
async fn a_key_of_ours_never_reaches_an_upstream() {
    let stage = Stage::new().await;
    stage.post(CHAT, &chat(&["u:hi"])).memory("m").key("ew_0123").response().await;
    assert!(!stage.upstream.last().headers.contains_key("authorization"));
    stage.post("/v1/embeddings", "{}").header("x-api-key", "ew_0123").response().await;
    assert!(!stage.upstream.last().headers.contains_key("x-api-key"));
}

#[tokio::test]
async fn what_is_not_known_is_refused_in_the_providers_shape() {
    let stage = Stage::with(OWN_KEY).await;
    let openai = |body: &Value| body["error"]["type"] == "not_found_error";
    let anthropic = |body: &Value| body["type"] == "error" && openai(body);
    let ollama = |body: &Value| body["error"].is_string();
    for path in [
        "/v1/unheard_of",
        "/v1/unheard/of",
        "/m/x/v1/unheard_of",
        "/v1/realtime",
        "/v1/realtime/sessions",
    ] {
        let response = stage.post(path, "{}").key(TOKEN).response().await;
        assert!(response.status == 404 && openai(&response.json()), "{path}: {}", response.text);
    }
    let response = stage.post("/v1/messages/unheard_of", "{}").response().await;
    assert!(response.status == 404 && anthropic(&response.json()), "{}", response.text);
    let response = stage.get("/v1/unheard_of").header("anthropic-version", "x").response().await;
    assert!(response.status == 404 && anthropic(&response.json()), "{}", response.text);
    let response = stage.get("/api/unheard_of").response().await;
    assert!(response.status == 404 && ollama(&response.json()), "{}", response.text);
    let response = stage.ask("PUT", "/v1/embeddings", "{}").response().await;
    assert_eq!((response.status, response.header("allow")), (405, Some("POST")));
    assert_eq!(response.json()["error"]["type"], "invalid_request_error");
    let response = stage.ask("PUT", CHAT, "{}").response().await;
    assert_eq!((response.status, response.header("allow")), (405, Some("POST, GET")));
    assert!(stage.upstream.sent().is_empty());
    for path in ["/v1/vaults/x/unheard_of", "/v1/keys/a/b"] {
        let response = stage.get(path).key(TOKEN).response().await;
        assert_eq!(response.header("content-type"), Some("application/problem+json"), "{path}");
        assert_eq!(response.status, 404, "{path}");
    }
}

#[tokio::test]
async fn the_rest_api_answers_below_v1_in_its_own_shape() {
    let stage = Stage::with(OWN_KEY).await;
    let document: Value = serde_json::from_str(&everwhen_server::openapi()).unwrap();
    for path in document["paths"].as_object().unwrap().keys() {
        let Some(first) = path.strip_prefix("/v1/").and_then(|rest| rest.split('/').next()) else {
            continue;
        };
        let response = stage.get(&format!("/v1/{first}/a/b/c/d/e/f/g/h")).response().await;
        assert_eq!(response.header("content-type"), Some("application/problem+json"), "{path}");
    }
}

#[tokio::test]
async fn a_base_url_without_v1_works_too() {
    let stage = Stage::new().await;
    for prefix in ["", "/m/diary"] {
        for (path, there) in [
            ("/chat/completions", "/v1/chat/completions"),
            ("/responses", "/v1/responses"),
            ("/embeddings", "/v1/embeddings"),
        ] {
            let body = json!({ "model": "m", "input": "hi", "messages": [{ "role": "user", "content": "hi" }] });
            let response =
                stage.post(&format!("{prefix}{path}"), &body.to_string()).response().await;
            assert_eq!(response.status, 200, "{}", response.text);
            assert_eq!(stage.upstream.last().path, there);
        }
        let response = stage.get(&format!("{prefix}/models")).response().await;
        assert_eq!(response.json()["data"][0]["id"], "m-1");
        stage.get(&format!("{prefix}/models/m-1")).response().await;
        assert_eq!(stage.upstream.last().path, "/v1/models/m-1");
    }
    assert_eq!(stage.said("diary").await.len(), 2, "said twice, and remembered once");
    let stage = Stage::with("upstream = 'anthropic+UPSTREAM'\n").await;
    stage.post("/messages", &chat(&["u:hi"])).memory("m").response().await;
    assert_eq!(stage.upstream.last().path, "/v1/messages");
    assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant Noted."]);
}

#[tokio::test]
async fn what_an_upstream_says_for_its_own_host_stays_there() {
    let stage = Stage::new().await;
    let mut script = crate::recorder::Script::json(200, &json!({ "path": "x" }));
    script.headers.extend([
        ("set-cookie", "__cf_bm=1"),
        ("access-control-allow-origin", "*"),
        ("x-request-id", "r1"),
    ]);
    stage.upstream.answers(script);
    let response = stage.post("/v1/embeddings", "{}").response().await;
    assert_eq!(response.header("x-request-id"), Some("r1"));
    assert_eq!(
        (response.header("set-cookie"), response.header("access-control-allow-origin")),
        (None, None)
    );
}
