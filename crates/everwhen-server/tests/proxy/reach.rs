//! What a chat gets to see of other chats: everything of the same person, nothing of others.

use std::sync::atomic::Ordering;

use serde_json::json;

use crate::stage::{Stage, chat};
use crate::whose::token;

const CHATS: &str = "/v1/chat/completions";
const TIM: &str = "My cat is called Tim.";
const ASKED: &str = "What is my cat called?";
const A_DAY: i64 = 24 * 60;

/// Says something in a chat; answers what the upstream was sent.
async fn say(stage: &Stage, text: &str, headers: &[(&str, &str)]) -> String {
    let body = chat(&[&format!("u:{text}")]);
    send(stage, CHATS, &body, headers).await
}

async fn send(stage: &Stage, path: &str, body: &str, headers: &[(&str, &str)]) -> String {
    let mut ask = stage.post(path, body);
    for (name, value) in headers {
        ask = ask.header(name, value);
    }
    let response = ask.response().await;
    assert_eq!(response.status, 200, "{}", response.text);
    assert_eq!(response.header("x-everwhen-degraded"), None);
    stage.state.settle().await;
    stage.upstream.last().body
}

/// Tim is mentioned with the day of the entry, and that it was elsewhere.
fn knows_tim(sent: &str) {
    assert!(sent.contains("### 2025-06-01\\n- 12:00 User (in another chat): My cat"), "{sent}");
    assert_eq!(sent.matches("called Tim").count(), 1, "{sent}");
}

fn knows_nothing(sent: &str) {
    assert!(!sent.contains("Tim"), "{sent}");
}

#[tokio::test]
async fn a_new_chat_knows_what_was_said_in_the_last_one() {
    let stage = Stage::with("").await;
    say(&stage, TIM, &[("x-openwebui-chat-id", "chat-1")]).await;
    stage.wait(A_DAY);
    knows_tim(&say(&stage, ASKED, &[("x-openwebui-chat-id", "chat-2")]).await);
    assert_eq!(stage.memories().await, ["chat-1", "chat-2"]);
}

#[tokio::test]
async fn chats_that_nobody_names_know_of_each_other() {
    let stage = Stage::with("").await;
    say(&stage, TIM, &[]).await;
    stage.wait(A_DAY);
    knows_tim(&say(&stage, ASKED, &[]).await);
    stage.wait(5);
    let going_on = chat(&[&format!("u:{ASKED}"), "a:Noted.", "u:And how is my cat called again?"]);
    knows_tim(&send(&stage, CHATS, &going_on, &[]).await);
    stage.wait(A_DAY);
    let other_key = [("authorization", "Bearer somebody-else")];
    knows_nothing(&say(&stage, "What is the name of my cat?", &other_key).await);
    stage.wait(A_DAY);
    let claims = [("authorization", "Bearer somebody-else"), ("x-everwhen-user", "ana")];
    knows_nothing(&say(&stage, "What was my cat's name?", &claims).await);
    assert_eq!(stage.memories().await.len(), 4);
}

fn message(text: &str) -> serde_json::Value {
    json!([{ "role": "user", "content": text }])
}

#[tokio::test]
async fn every_kind_of_client_is_told() {
    type Body = fn(&str) -> serde_json::Value;
    let openai: Body = |text| json!({ "model": "m", "messages": message(text) });
    let anthropic: Body =
        |text| json!({ "model": "m", "max_tokens": 9, "messages": message(text) });
    let ollama: Body = |text| json!({ "model": "m", "stream": false, "messages": message(text) });
    let responses: Body = |text| json!({ "model": "m", "input": message(text) });
    let kinds = [
        ("upstream = 'UPSTREAM/v1'", "/v1/chat/completions", openai),
        ("upstream = 'UPSTREAM/v1'", "/v1/responses", responses),
        ("upstream = 'anthropic+UPSTREAM'", "/v1/messages", anthropic),
        ("upstream = 'ollama+UPSTREAM'", "/api/chat", ollama),
    ];
    for (settings, path, body) in kinds {
        let stage = Stage::with(settings).await;
        send(&stage, path, &body(TIM).to_string(), &[]).await;
        stage.wait(A_DAY);
        knows_tim(&send(&stage, path, &body(ASKED).to_string(), &[]).await);
    }
}

#[tokio::test]
async fn people_who_are_named_differently_are_kept_apart() {
    let stage = Stage::with("").await;
    let user = |name: &'static str| [("x-openwebui-user-id", name)];
    say(&stage, TIM, &user("ana")).await;
    stage.wait(A_DAY);
    knows_nothing(&say(&stage, "What is my cat called, then?", &user("bob")).await);
    stage.wait(A_DAY);
    knows_nothing(&say(&stage, "Say, what is my cat called?", &[]).await);
    stage.wait(A_DAY);
    let field =
        chat(&["u:What is the name of my cat?"]).replace("\"model\"", "\"user\":\"eve\",\"model\"");
    knows_nothing(&send(&stage, CHATS, &field, &[]).await);
    stage.wait(A_DAY);
    knows_tim(&say(&stage, ASKED, &user("ana")).await);
    stage.wait(A_DAY);
    let named = [("x-openwebui-user-id", "bob"), ("x-openwebui-chat-id", "bobs-chat")];
    knows_nothing(&say(&stage, "How is my cat called?", &named).await);
}

/// Says something under a header of these bytes; answers what the upstream was sent.
async fn say_as(stage: &Stage, text: &str, (name, value): (&str, &[u8])) -> String {
    let ask = stage.post(CHATS, &chat(&[&format!("u:{text}")])).header_of(name, value);
    let response = ask.response().await;
    assert_eq!((response.status, response.header("x-everwhen-degraded")), (200, None));
    stage.state.settle().await;
    stage.upstream.last().body
}

#[tokio::test]
async fn people_whose_names_are_not_ascii_are_kept_apart_in_every_encoding() {
    let stage = Stage::with("").await;
    let user = "x-everwhen-user";
    say_as(&stage, TIM, (user, "Jürgen".as_bytes())).await;
    stage.wait(A_DAY);
    for (name, asked) in [
        ("Käthe".as_bytes(), "What is my cat called, then?"),
        (b"K\xe4the", "Say, what is my cat called?"),
        (b"J\xfcrgens", "What is the name of my cat?"),
        (b"", "How is my cat called?"),
        (b"%20", "Do you know what my cat is called?"),
    ] {
        knows_nothing(&say_as(&stage, asked, (user, name)).await);
        stage.wait(A_DAY);
    }
    knows_nothing(&say(&stage, "And what is my cat called?", &[]).await);
    stage.wait(A_DAY);
    knows_tim(&say_as(&stage, ASKED, (user, b"J\xfcrgen")).await);
}

#[tokio::test]
async fn a_header_that_names_nobody_does_not_make_one_person_of_several() {
    let stage = Stage::with("").await;
    for header in ["x-everwhen-user", "x-openwebui-user-id", "x-openwebui-user-jwt"] {
        say_as(&stage, TIM, (header, b"")).await;
        stage.wait(A_DAY);
        knows_nothing(&say_as(&stage, ASKED, (header, b"")).await);
        stage.wait(A_DAY);
    }
    knows_nothing(&say(&stage, "And how is my cat called?", &[]).await);
    stage.wait(A_DAY);
    knows_nothing(&say_as(&stage, "My cat's name?", ("x-openwebui-user-jwt", b"J\xfcrgen")).await);
}

#[tokio::test]
async fn who_only_claims_to_be_somebody_is_not_told_what_the_signed_one_said() {
    let stage = Stage::with("[proxy]\nopenwebui_secret = 'our secret'\n").await;
    let signed = token("ana", "our secret");
    let first = [("x-openwebui-user-jwt", &*signed), ("x-openwebui-chat-id", "chat-1")];
    say(&stage, TIM, &first).await;
    let forged = token("ana", "a guess");
    for headers in [
        vec![("x-openwebui-user-id", "ana"), ("x-openwebui-chat-id", "chat-2")],
        vec![("x-openwebui-user-jwt", &*forged), ("x-openwebui-chat-id", "chat-3")],
        vec![("x-openwebui-chat-id", "chat-4")],
    ] {
        knows_nothing(&say(&stage, ASKED, &headers).await);
    }
    let again = [("x-openwebui-user-jwt", &*signed), ("x-openwebui-chat-id", "chat-5")];
    let sent = say(&stage, ASKED, &again).await;
    assert!(sent.contains("User (in another chat): My cat is called Tim."), "{sent}");
}

#[tokio::test]
async fn behind_a_shared_key_nothing_crosses_unless_it_is_said_who_speaks() {
    let stage = Stage::with("[[proxy.for]]\nkey = 'family'\nshared = true\n").await;
    let key = stage.key("home", &json!({ "label": "family" })).await;
    let bearer = format!("Bearer {key}");
    let with = |more: &[(&'static str, &'static str)]| {
        let mut headers = vec![("authorization", bearer.as_str())];
        headers.extend(more);
        headers
    };
    say(&stage, TIM, &with(&[])).await;
    stage.wait(A_DAY);
    knows_nothing(&say(&stage, ASKED, &with(&[])).await);
    stage.wait(A_DAY);
    knows_nothing(&say(&stage, ASKED, &with(&[("x-everwhen-reach", "vault")])).await);
    stage.wait(A_DAY);
    say(&stage, "My dog is called Rex.", &with(&[("x-everwhen-user", "ana")])).await;
    stage.wait(A_DAY);
    let sent = say(&stage, "What is my dog called?", &with(&[("x-everwhen-user", "ana")])).await;
    assert!(sent.contains("My dog is called Rex.") && !sent.contains("Tim"), "{sent}");
}

#[tokio::test]
async fn a_memory_that_is_named_is_told_of_by_itself_and_to_itself() {
    let stage = Stage::with("").await;
    say(&stage, TIM, &[("x-openwebui-chat-id", "chat-1")]).await;
    say(&stage, "My budget is 900 euros.", &[("x-everwhen-memory", "work")]).await;
    stage.wait(A_DAY);
    knows_nothing(&say(&stage, ASKED, &[("x-everwhen-memory", "home")]).await);
    knows_nothing(
        &send(&stage, "/m/garden/v1/chat/completions", &chat(&["u:What is my cat called?"]), &[])
            .await,
    );
    knows_nothing(&say(&stage, "[DiscussionId]d[/DiscussionId]What is my cat called?", &[]).await);
    let sent = say(&stage, "What is my budget?", &[("x-openwebui-chat-id", "chat-2")]).await;
    assert!(!sent.contains("900"), "{sent}");
    let sent = say(&stage, "What is my budget?", &[("x-everwhen-memory", "work")]).await;
    assert!(sent.contains("- 12:00 User: My budget is 900 euros."), "{sent}");
}

#[tokio::test]
async fn a_memory_whose_name_is_not_ascii_is_one_memory_apart_from_all_others() {
    let stage = Stage::with("").await;
    for name in ["Müller".as_bytes(), b"M\xfcller", b"M%C3%BCller"] {
        say_as(&stage, TIM, ("x-everwhen-memory", name)).await;
        stage.wait(5);
    }
    assert_eq!(stage.memories().await, ["Müller"]);
    stage.wait(A_DAY);
    knows_nothing(&say(&stage, ASKED, &[]).await);
}

#[tokio::test]
async fn a_header_or_tag_that_names_no_memory_is_reported_and_makes_no_ordinary_chat() {
    let stage = Stage::with("").await;
    say(&stage, TIM, &[]).await;
    stage.wait(A_DAY);
    for header in ["x-everwhen-memory", "x-discussion-id", "x-everwhen-vault"] {
        let ask = stage.post(CHATS, &chat(&[&format!("u:{ASKED}")])).header_of(header, b"");
        let response = ask.response().await;
        assert!(response.header("x-everwhen-degraded").unwrap().contains("is empty"), "{header}");
        knows_nothing(&stage.upstream.last().body);
    }
    let tagged = chat(&[&format!("u:[DiscussionId] [/DiscussionId]{ASKED}")]);
    let response = stage.post(CHATS, &tagged).response().await;
    assert!(response.header("x-everwhen-degraded").unwrap().contains("is empty"));
    assert_eq!(stage.upstream.last().body, chat(&[&format!("u:{ASKED}")]));
    assert_eq!(stage.memories().await.len(), 1);
}

#[tokio::test]
async fn how_far_it_reaches_can_be_said() {
    let settings = "[[proxy.for]]\nmemory = 'all'\nreach = 'vault'\n";
    let stage = Stage::with(settings).await;
    say(&stage, TIM, &[("x-openwebui-chat-id", "chat-1")]).await;
    stage.wait(A_DAY);
    let narrow = [("x-openwebui-chat-id", "chat-2"), ("x-everwhen-reach", "memory")];
    knows_nothing(&say(&stage, ASKED, &narrow).await);
    let ask = stage.post(CHATS, &chat(&["u:What is the name of my cat?"]));
    let response = ask.header("x-everwhen-reach", "frog").response().await;
    assert!(response.header("x-everwhen-degraded").unwrap().contains("x-everwhen-reach"));
    knows_nothing(&stage.upstream.last().body);
    knows_tim(&say(&stage, ASKED, &[("x-everwhen-memory", "all")]).await);
    let wide = [("x-everwhen-memory", "other"), ("x-everwhen-reach", "vault")];
    knows_tim(&say(&stage, ASKED, &wide).await);

    let stage = Stage::with("[proxy]\nreach = 'memory'\n").await;
    say(&stage, TIM, &[("x-openwebui-chat-id", "chat-1")]).await;
    stage.wait(A_DAY);
    knows_nothing(&say(&stage, ASKED, &[("x-openwebui-chat-id", "chat-2")]).await);
}

#[tokio::test]
async fn the_last_talks_of_other_chats_are_told_with_their_days() {
    let stage = Stage::with("").await;
    let first = "We decided to paint the kitchen yellow because of the morning light.";
    say(&stage, first, &[("x-openwebui-chat-id", "chat-1")]).await;
    stage.wait(A_DAY);
    while stage.engine.settle().await.unwrap() > 0 {}
    let sent = say(&stage, "Good morning!", &[("x-openwebui-chat-id", "chat-2")]).await;
    assert!(sent.contains("2025-06-01") && sent.contains("in another chat"), "{sent}");
    assert_eq!(sent.matches("paint the kitchen").count(), 1, "{sent}");
}

#[tokio::test]
async fn where_other_chats_cannot_be_read_in_time_the_rest_is_told() {
    let stage = Stage::with("[proxy]\ndeadline_ms = 4000\n").await;
    say(&stage, TIM, &[("x-everwhen-memory", "m")]).await;
    stage.wait(5);
    stage.store.reads_hang.store(true, Ordering::SeqCst);
    let body = chat(&["u:And now?"]);
    let ask = stage.post(CHATS, &body).memory("m").header("x-everwhen-reach", "vault");
    let response = ask.response().await;
    assert_eq!(response.status, 200);
    assert!(response.header("x-everwhen-degraded").unwrap().contains("proxy.deadline_ms"));
    let sent = stage.upstream.last().body;
    assert!(sent.contains("## Said Last"), "it was read while the exchange began: {sent}");
    assert!(sent.contains("- 12:00 User: My cat is called Tim."), "{sent}");
}

#[tokio::test]
async fn a_memory_says_whose_chat_it_is() {
    let stage = Stage::with("").await;
    say(&stage, "hi", &[("x-openwebui-chat-id", "c"), ("x-openwebui-user-id", "ana")]).await;
    say(&stage, "hi", &[("x-openwebui-chat-id", "d")]).await;
    say(&stage, "hi", &[("x-everwhen-memory", "e")]).await;
    let response = stage.get("/v1/vaults/default/memories").response().await.json();
    let chats: Vec<_> =
        response["data"].as_array().unwrap().iter().map(|one| &one["chat"]).collect();
    assert_eq!(
        chats,
        [&json!({ "user": "ana", "signed": false }), &json!({ "signed": false }), &json!(null)]
    );
}
