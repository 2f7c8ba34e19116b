//! Whose memory is this? Each sign by itself, the stronger before the weaker.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use hmac::{Hmac, KeyInit, Mac};
use serde_json::{Value, json};
use sha2::Sha256;

use crate::dialects::ALL;
use crate::stage::{Stage, chat};

/// The memory and its source, as the answer tells them.
async fn named(
    stage: &Stage,
    path: &str,
    body: &str,
    headers: &[(&str, &str)],
) -> (String, String) {
    let mut ask = stage.post(path, body);
    for (name, value) in headers {
        ask = ask.header(name, value);
    }
    let response = ask.response().await;
    assert_eq!(response.status, 200, "{}", response.text);
    stage.state.settle().await;
    let header = |name| response.header(name).unwrap_or_default().to_owned();
    assert_eq!(response.header("x-everwhen-degraded"), None);
    (header("x-everwhen-memory"), header("x-everwhen-memory-source"))
}

#[tokio::test]
async fn each_sign_names_a_memory() {
    let stage = Stage::new().await;
    let chats = "/v1/chat/completions";
    let plain = chat(&["u:hi"]);
    let with = |fields: serde_json::Value| {
        let mut body: serde_json::Value = serde_json::from_str(&plain).unwrap();
        body.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        body.to_string()
    };
    let id = "3f2a9c1e-0000";
    for (path, body, headers, source) in [
        (chats, plain.clone(), vec![("x-everwhen-memory", id)], "x-everwhen-memory"),
        ("/m/3f2a9c1e-0000/v1/chat/completions", plain.clone(), vec![], "path"),
        (
            chats,
            with(json!({ "metadata": { "conversation_id": id } })),
            vec![],
            "metadata.conversation_id",
        ),
        (chats, with(json!({ "metadata": { "session_id": id } })), vec![], "metadata.session_id"),
        (chats, with(json!({ "session_id": id })), vec![], "session_id"),
        (chats, with(json!({ "conversation": { "id": id } })), vec![], "conversation"),
        (chats, plain.clone(), vec![("x-openwebui-chat-id", id)], "Open WebUI"),
        (chats, plain.clone(), vec![("x-conversation-id", id)], "x-conversation-id"),
        (chats, plain.clone(), vec![("x-claude-code-session-id", id)], "Claude Code"),
        (chats, plain.clone(), vec![("x-opencode-session", id)], "opencode"),
        (chats, plain.clone(), vec![("x-litellm-session-id", id)], "LiteLLM"),
        (chats, plain.clone(), vec![("session-id", id), ("user-agent", "codex_cli_rs/1")], "Codex"),
        (chats, plain.clone(), vec![("x-session-id", id)], "x-session-id"),
        (chats, plain.clone(), vec![("x-acme-session-id", id)], "x-session-id"),
        (
            chats,
            chat(&[&format!("s:Be kind. [DiscussionId]{id}[/DiscussionId]"), "u:hi"]),
            vec![],
            "DiscussionId",
        ),
        (
            chats,
            with(json!({ "metadata": { "user_id": format!("user_ab_account__session_{id}") } })),
            vec![],
            "metadata.user_id",
        ),
    ] {
        let found = named(&stage, path, &body, &headers).await;
        assert_eq!(found, (id.to_owned(), source.to_owned()));
    }
}

#[tokio::test]
async fn the_stronger_sign_wins() {
    let stage = Stage::new().await;
    let body = chat(&["u:hi [DiscussionId]tag[/DiscussionId]"]);
    let mut headers = vec![("x-openwebui-chat-id", "owui"), ("x-everwhen-memory", "own")];
    assert_eq!(named(&stage, "/m/path/v1/chat/completions", &body, &headers).await.0, "own");
    headers.pop();
    assert_eq!(named(&stage, "/m/path/v1/chat/completions", &body, &headers).await.0, "path");
    assert_eq!(named(&stage, "/v1/chat/completions", &body, &headers).await.0, "owui");
    assert_eq!(named(&stage, "/v1/chat/completions", &body, &[]).await.0, "tag");
}

#[tokio::test]
async fn tags_are_stripped_before_forwarding_and_storing() {
    let stage = Stage::new().await;
    let body = r#"{"model":"m","messages":[{"role":"system","content":"[DiscussionId]d[\/DiscussionId]Be kind."},{"role":"user","content":"hi [DiscussionId]d[/DiscussionId]"}]}"#;
    assert_eq!(named(&stage, "/v1/chat/completions", body, &[]).await.0, "d");
    let expected = r#"{"model":"m","messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"(Sunday, 2025-06-01 12:00:00) hi "}]}"#;
    assert_eq!(stage.upstream.last().body, expected);
    assert!(stage.said("d").await[0].starts_with("12:00 user hi"));
}

#[tokio::test]
async fn a_tag_counts_only_where_somebody_puts_it_and_stays_elsewhere() {
    let stage = Stage::new().await;
    let pasted = "Look: [DiscussionId]ana[/DiscussionId] is what the log says.";
    let said_by_model = "[DiscussionId]ana[/DiscussionId]";
    for lines in [
        vec![format!("u:{pasted}")],
        vec!["u:hi".into(), format!("a:{said_by_model}"), "u:go on".into()],
    ] {
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        let found = named(&stage, "/v1/chat/completions", &chat(&lines), &[]).await;
        assert_eq!(found.1, "new", "{lines:?}");
        assert!(stage.upstream.last().body.contains("[DiscussionId]ana[/DiscussionId]"));
        stage.wait(600);
    }
    let tool = r#"{"model":"m","messages":[{"role":"user","content":"fetch"},{"role":"tool","tool_call_id":"c","content":"[DiscussionId]ana[/DiscussionId]"}]}"#;
    assert_eq!(named(&stage, "/v1/chat/completions", tool, &[]).await.1, "new");
    for text in ["[DiscussionId]ana[/DiscussionId]\n hi", "hi [DiscussionId]ana[/DiscussionId] \n"]
    {
        let body = chat(&[&format!("u:{text}")]);
        let found = named(&stage, "/v1/chat/completions", &body, &[]).await;
        assert_eq!(found, ("ana".to_owned(), "DiscussionId".to_owned()));
        assert!(!stage.upstream.last().body.contains("DiscussionId"));
        stage.wait(600);
    }
}

#[tokio::test]
async fn weak_signs_do_not_count_where_they_would_merge_strangers() {
    let stage = Stage::new().await;
    for headers in [
        vec![("session-id", "shared-session")],
        vec![("x-acme-session-id", "short")],
        vec![("x-openwebui-user-id", "somebody")],
    ] {
        let (_, source) = named(&stage, "/v1/chat/completions", &chat(&["u:hi"]), &headers).await;
        assert_eq!(source, "new", "{headers:?}");
        stage.wait(600);
    }
    let keyed =
        chat(&["u:hi"]).replace("\"model\"", "\"prompt_cache_key\":\"k\",\"user\":\"u\",\"model\"");
    assert_eq!(named(&stage, "/v1/chat/completions", &keyed, &[]).await.1, "new");
}

#[tokio::test]
async fn a_trusted_key_may_say_who_speaks() {
    let stage = Stage::new().await;
    let trusted = stage.key("ana", &json!({ "trusted": true, "label": "web" })).await;
    let other = stage.key("ben", &json!({ "label": "laptop" })).await;
    let user = ("x-openwebui-user-id", "u-1");
    let bearer = |key: &str| format!("Bearer {key}");
    let body = chat(&["u:hi"]);
    let headers = [user, ("authorization", &*bearer(&trusted))];
    let found = named(&stage, "/v1/chat/completions", &body, &headers).await;
    assert_eq!(found, ("u-1".to_owned(), "user".to_owned()));
    let headers = [user, ("authorization", &*bearer(&other))];
    assert_eq!(named(&stage, "/v1/chat/completions", &body, &headers).await.1, "new");
}

#[tokio::test]
async fn a_tag_may_begin_a_message_in_every_language() {
    let tagged = "[DiscussionId]d[/DiscussionId]hello";
    let user = json!([{ "role": "user", "content": tagged }]);
    let parts = json!([{ "role": "user", "content": [{ "type": "text", "text": tagged }] }]);
    let items = json!([{ "role": "user", "content": [{ "type": "input_text", "text": tagged }] }]);
    for (path, body) in [
        ("/v1/chat/completions", json!({ "model": "m", "messages": user })),
        ("/v1/chat/completions", json!({ "model": "m", "messages": parts })),
        ("/v1/messages", json!({ "model": "m", "messages": user })),
        ("/v1/responses", json!({ "model": "m", "input": tagged })),
        ("/v1/responses", json!({ "model": "m", "input": items })),
        ("/api/chat", json!({ "model": "m", "messages": user, "stream": false })),
    ] {
        let stage = Stage::with(ALL).await;
        let response = stage.post(path, &body.to_string()).response().await;
        assert_eq!(response.status, 200, "{path}: {}", response.text);
        assert_eq!(response.header("x-everwhen-memory"), Some("d"), "{path}");
        let sent = stage.upstream.last().body;
        assert!(sent.contains("\"(Sunday, 2025-06-01 12:00:00) hello\""), "{path}: {sent}");
        assert_eq!(stage.said("d").await[0], "12:00 user hello", "{path}");
    }
}

/// A token as Open WebUI signs it, good for five minutes from the stage's first moment.
pub(crate) fn token(user: &str, secret: &str) -> String {
    let part = |value: Value| URL_SAFE_NO_PAD.encode(value.to_string());
    let claims = json!({ "sub": user, "iss": "open-webui", "exp": 1_748_779_500 });
    let signed = format!("{}.{}", part(json!({ "alg": "HS256", "typ": "JWT" })), part(claims));
    let mut mac = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).unwrap();
    mac.update(signed.as_bytes());
    format!("{signed}.{}", URL_SAFE_NO_PAD.encode(mac.finalize().into_bytes()))
}

#[tokio::test]
async fn a_user_counts_if_open_webui_has_signed_for_it() {
    let (right, wrong) = (token("u-7", "our secret"), token("u-7", "a guess"));
    let stage = Stage::with("[proxy]\nopenwebui_secret = 'our secret'\n").await;
    let path = "/v1/chat/completions";
    for (token, is_believed) in [(&right, true), (&wrong, false)] {
        let headers = [("x-openwebui-user-jwt", token.as_str()), ("x-openwebui-user-id", "u-7")];
        let found = named(&stage, path, &chat(&["u:hi"]), &headers).await;
        assert_eq!(found == ("u-7".to_owned(), "signed user".to_owned()), is_believed, "{found:?}");
    }
    stage.wait(10);
    let late = [("x-openwebui-user-jwt", right.as_str())];
    assert_eq!(named(&stage, path, &chat(&["u:later"]), &late).await.1, "new");

    let stage = Stage::new().await;
    let response = named(&stage, path, &chat(&["u:hi"]), &late).await;
    assert_eq!(response.1, "new", "without a secret nobody is believed");
}

#[tokio::test]
async fn a_chat_nobody_names_is_known_by_its_history() {
    let stage = Stage::new().await;
    let chats = "/v1/chat/completions";
    let first = named(&stage, chats, &chat(&["u:I have a dog."]), &[]).await;
    assert_eq!(first.1, "new");
    stage.wait(60 * 24);
    let turn = ["u:I have a dog.", "a:Noted.", "u:He is called Bo."];
    let second = named(&stage, chats, &chat(&turn), &[]).await;
    assert_eq!(second, (first.0, "history".to_owned()), "the name stays the same");
    assert_eq!(stage.memories().await.len(), 1);
    assert_eq!(stage.said(&second.0).await.len(), 4);
}

#[tokio::test]
async fn a_chat_nobody_names_may_go_into_the_usual_memory() {
    let stage = Stage::with("[proxy]\nunnamed = 'default'\n").await;
    let found = named(&stage, "/v1/chat/completions", &chat(&["u:hi"]), &[]).await;
    assert_eq!(found, ("default".to_owned(), "default".to_owned()));
}
