//! What is added to a request, where, and how it can be otherwise.

use everwhen::memory::{Address, Name, NewEntry, Role, Said};
use serde_json::json;

use crate::stage::{Stage, chat, contents};

async fn remember(stage: &Stage, memory: &str, time: &str, text: &str) {
    let vault = Address::Name(Name::new("vault", "default").unwrap());
    let vault = stage.engine.vault_to_write(vault).await.unwrap();
    let entry = NewEntry::new(Role::User, Said::new(text).unwrap()).said_at(time.parse().unwrap());
    vault.remember(Address::read("memory", memory).unwrap(), vec![entry], None).await.unwrap();
}

#[tokio::test]
async fn the_model_is_told_the_time_and_how_long_the_pause_was() {
    let stage = Stage::with("").await;
    let sent = stage.messages(&["s:Be kind.", "u:hello"]).await;
    assert_eq!(sent[0], "Be kind.");
    assert_eq!(
        sent[1],
        "(Sunday, 2025-06-01 12:00:00) hello\n\n[It is Sunday, 2025-06-01 12:00 +00:00 (UTC).]"
    );
    stage.wait(60 * 24 * 3 + 61);
    let sent = stage.messages(&["s:Be kind.", "u:hello", "a:Noted.", "u:back"]).await;
    assert_eq!(
        sent[1],
        "(Sunday, 2025-06-01 12:00:00) hello\n\n[It is Sunday, 2025-06-01 12:00 +00:00 (UTC).]",
        "what was added once is added again"
    );
    assert!(
        sent[3].ends_with("back\n\n[It is Wednesday, 2025-06-04 13:01 +00:00 (UTC). The message before this one was sent 3 days, 1 hour ago.]"),
        "{}",
        sent[3]
    );
}

#[tokio::test]
async fn what_is_remembered_is_told_with_its_date_and_not_what_is_shown_anyway() {
    let stage = Stage::with("").await;
    remember(&stage, "m", "2025-03-02T09:00:00Z", "My sister Ana moved to Lisbon.").await;
    let sent = stage.messages(&["u:Where does my sister live now?"]).await;
    assert!(sent[0].contains("<memory>"), "{}", sent[0]);
    assert!(
        sent[0].contains("## 2025-03-02\n- 09:00 User: My sister Ana moved to Lisbon."),
        "{}",
        sent[0]
    );
    assert_eq!(sent[0].matches("Where does my sister live now?").count(), 1, "{}", sent[0]);
    assert_eq!(stage.said("m").await.last().unwrap(), "12:00 assistant Noted.");
    assert!(
        stage.said("m").await.iter().all(|line| !line.contains("<memory>")),
        "nothing added is stored"
    );
}

#[tokio::test]
async fn a_client_that_sends_only_the_last_message_has_the_rest_told() {
    let stage = Stage::with("[proxy]\nbriefing = 'off'\n").await;
    stage.chat(&["u:I am going to bake bread."]).await;
    stage.wait(5);
    let sent = stage.messages(&["u:The oven is hot, what now?"]).await;
    assert!(sent[0].contains("## Said Last\n"), "{}", sent[0]);
    assert!(sent[0].contains("User: I am going to bake bread."), "{}", sent[0]);
    assert_eq!(sent[0].matches("The oven is hot").count(), 1);
    stage.wait(5);
    let sent = stage
        .messages(&[
            "u:I am going to bake bread.",
            "a:Noted.",
            "u:The oven is hot, what now?",
            "a:Noted.",
            "u:Done.",
        ])
        .await;
    assert!(!sent[4].contains("bake bread"), "{}", sent[4]);
}

#[tokio::test]
async fn every_part_can_be_off_for_everybody_a_key_a_memory_or_a_request() {
    let settings = r#"
[proxy]
context = "off"
briefing = "off"
[[proxy.for]]
memory = "quiet"
stamps = "off"
now = "off"
[[proxy.for]]
key = "tavern"
stamps = "gap"
"#;
    let stage = Stage::with(settings).await;
    let body = chat(&["u:hi"]);
    let sent = async |ask: crate::stage::Ask| {
        assert_eq!(ask.response().await.status, 200);
        contents(&stage.upstream.last().body)[0].clone()
    };
    let path = "/v1/chat/completions";
    let now = "[It is Sunday, 2025-06-01 12:00 +00:00 (UTC).]";
    let stamp = "(Sunday, 2025-06-01 12:00:00)";
    assert_eq!(sent(stage.post(path, &body).memory("a")).await, format!("{stamp} hi\n\n{now}"));
    assert_eq!(sent(stage.post(path, &body).memory("quiet")).await, "hi");
    let ask = stage.post(path, &body).memory("b").header("x-everwhen-now", "off");
    assert_eq!(sent(ask).await, format!("{stamp} hi"));
    let ask = stage.post(path, &body).memory("c").header("x-everwhen-stamps", "relative");
    assert_eq!(sent(ask).await, format!("[Sent less than a minute ago] hi\n\n{now}"));
    let key = stage.key("ana", &json!({ "label": "tavern" })).await;
    assert_eq!(sent(stage.post(path, &body).memory("d").key(&key)).await, format!("hi\n\n{now}"));
}

#[tokio::test]
async fn a_wrong_wish_is_told_and_the_request_is_kept_as_without_it() {
    let stage = Stage::with("").await;
    let path = "/v1/chat/completions";
    stage.post(path, &chat(&["u:hi"])).memory("plain").response().await;
    let plain = stage.upstream.last().body;
    for header in ["stamps", "now", "context", "briefing", "budget-tokens", "reach", "group-chat"] {
        for wrong in ["frog", "", "Fr\u{f6}sche"] {
            let name = format!("x-everwhen-{header}");
            let memory = format!("{header}-{wrong}");
            let path = format!("/m/m-{}/v1/chat/completions", memory.replace('\u{f6}', "o"));
            let ask = stage.post(&path, &chat(&["u:hi"])).header_of(&name, wrong.as_bytes());
            let response = ask.response().await;
            let why = response.header("x-everwhen-degraded").unwrap();
            assert!(why.starts_with(&name), "{why}");
            assert_eq!((response.status, stage.upstream.last().body), (200, plain.clone()));
            let kept = response.header("x-everwhen-memory").unwrap();
            let said = ["12:00 user hi", "12:00 assistant Noted."];
            assert_eq!(stage.said(kept).await, said, "{name}: {wrong}");
        }
    }
    stage.drained().await;
}

#[tokio::test]
async fn a_generation_prompt_is_left_alone() {
    let stage =
        Stage::with("[proxy]\nbriefing = 'off'\ncontext = 'off'\ngroup_chat = 'on'\n").await;
    let sent = stage.messages(&["u:Tom: hello all", "a:Mira:"]).await;
    assert_eq!(sent[1], "Mira:");
    assert!(
        sent[0].starts_with("(Sunday, 2025-06-01 12:00:00) Tom: hello all\n\n[It is"),
        "{}",
        sent[0]
    );
    assert_eq!(
        stage.said("m").await,
        ["12:00 user Tom: hello all", "12:00 assistant Mira: Noted."]
    );
}

#[tokio::test]
async fn parts_that_are_marked_to_be_cached_stay_as_they_are() {
    let settings = "upstream = 'anthropic+UPSTREAM'\n[proxy]\nbriefing = 'off'\ncontext = 'off'\n";
    let stage = Stage::with(settings).await;
    let marked = r#"{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}"#;
    let body = format!(r#"{{"model":"m","messages":[{{"role":"user","content":[{marked}]}}]}}"#);
    stage.post("/v1/messages", &body).memory("m").response().await;
    let stamped = marked.replace("hi", "(Sunday, 2025-06-01 12:00:00) hi");
    let now = r#"{"type":"text","text":"[It is Sunday, 2025-06-01 12:00 +00:00 (UTC).]"}"#;
    let expected = body.replace(marked, &format!("{stamped},{now}"));
    assert_eq!(stage.upstream.last().body, expected);
}
