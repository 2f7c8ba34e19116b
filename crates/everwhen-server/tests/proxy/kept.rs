//! What is kept of a chat, and that nothing is kept twice.

use everwhen::memory::{Address, Name};
use serde_json::{Value, json};

use crate::recorder::{Script, completion};
use crate::stage::{Stage, chat};

#[tokio::test]
async fn a_chat_is_kept_once_with_its_times() {
    let stage = Stage::new().await;
    let first = stage.messages(&["s:Be kind.", "u:hello"]).await;
    assert_eq!(first, ["Be kind.", "(Sunday, 2025-06-01 12:00:00) hello"]);
    stage.wait(60 * 24 * 7);
    let second = stage.messages(&["s:Be kind.", "u:hello", "a:Noted.", "u:back again"]).await;
    assert_eq!(
        second,
        [
            "Be kind.",
            "(Sunday, 2025-06-01 12:00:00) hello",
            "(Sunday, 2025-06-01 12:00:00) Noted.",
            "(Sunday, 2025-06-08 12:00:00) back again"
        ]
    );
    let said = stage.said("m").await;
    assert_eq!(
        said,
        [
            "12:00 user hello",
            "12:00 assistant Noted.",
            "12:00 user back again",
            "12:00 assistant Noted."
        ]
    );
}

#[tokio::test]
async fn the_second_ok_a_week_later_has_its_own_time() {
    let stage = Stage::new().await;
    stage.chat(&["u:ok"]).await;
    stage.wait(60 * 24 * 7);
    let sent = stage.messages(&["u:ok", "a:Noted.", "u:ok"]).await;
    assert_eq!(sent[0], "(Sunday, 2025-06-01 12:00:00) ok");
    assert_eq!(sent[2], "(Sunday, 2025-06-08 12:00:00) ok");
}

#[tokio::test]
async fn translate_this_is_stamped_on_its_own_turn() {
    let stage = Stage::new().await;
    assert_eq!(
        stage.messages(&["u:Translate this:"]).await,
        ["(Sunday, 2025-06-01 12:00:00) Translate this:"]
    );
}

#[tokio::test]
async fn a_reply_with_braces_keeps_its_time() {
    let stage = Stage::with("[proxy]\ngroup_chat = 'on'\nnow = 'off'\nbriefing = 'off'").await;
    stage.upstream.answers(Script::json(200, &completion("fn main() {}")));
    stage.chat(&["u:code please"]).await;
    stage.wait(600);
    let sent = stage.messages(&["u:code please", "a:fn main() {}", "u:thanks"]).await;
    assert_eq!(sent[1], "(Sunday, 2025-06-01 12:00:00) fn main() {}");
}

#[tokio::test]
async fn a_retry_stores_nothing_twice() {
    let stage = Stage::new().await;
    let error = serde_json::json!({ "error": { "message": "try again" } });
    stage.upstream.answers(Script::json(503, &error));
    let body = chat(&["u:hello"]);
    for retry in ["0", "1", "2"] {
        let ask = stage.post("/v1/chat/completions", &body).memory("m");
        ask.header("x-stainless-retry-count", retry).response().await;
        stage.state.settle().await;
        stage.clock.advance(jiff::SignedDuration::from_secs(1));
    }
    assert_eq!(stage.said("m").await, ["12:00 user hello", "12:00 assistant Noted."]);
    assert_eq!(stage.upstream.sent().len(), 3);
}

#[tokio::test]
async fn tools_that_were_called_are_noted() {
    let stage = Stage::new().await;
    let mut reply = completion("Let me look.");
    let call = serde_json::json!({ "id": "c", "type": "function", "function": { "name": "look", "arguments": "{}" } });
    reply["choices"][0]["message"]["tool_calls"] = serde_json::json!([call]);
    stage.upstream.answers(Script::json(200, &reply));
    stage.chat(&["u:what is this?"]).await;
    let entries = stage.entries("m").await;
    let tools: Vec<&str> = entries[1].tools_used.iter().map(|tool| tool.as_str()).collect();
    assert_eq!(tools, ["look"]);
}

#[tokio::test]
async fn titles_and_tags_are_not_remembered() {
    let stage = Stage::new().await;
    let auxiliary = [
        chat(&["u:### Task:\nGenerate a concise, 3-5 word title with an emoji."]),
        chat(&[
            "u:Provide a concise, 5-word-or-less title for the conversation, using title case.",
        ]),
    ];
    for body in &auxiliary {
        let response = stage.post("/v1/chat/completions", body).memory("m").response().await;
        assert_eq!(response.status, 200);
        assert_eq!(&stage.upstream.last().body, body);
    }
    let body = chat(&["u:hello"]);
    let ask = stage.post("/v1/chat/completions", &body).memory("m");
    ask.header("x-openwebui-task", "title_generation").response().await;
    assert_eq!(stage.upstream.last().body, body);
    stage.state.settle().await;
    assert!(stage.memories().await.is_empty());
}

#[tokio::test]
async fn the_models_work_counts_in_the_conversations_time() {
    let stage = Stage::new().await;
    stage.chat(&["u:hi"]).await;
    let conversation = stage.entries("m").await[1].conversation;
    let vault = Address::Name(Name::new("vault", "default").unwrap());
    let vault = stage.engine.vault(vault).await.unwrap();
    let memory = Address::read("memory", "m").unwrap();
    let time = vault.conversation_time(memory, conversation.into()).await.unwrap();
    let time = time.time.unwrap();
    assert!(!time.active_unknown);
    assert!(time.active.is_positive(), "{:?}", time.active);
}

#[tokio::test]
async fn what_no_store_can_hold_is_left_out_and_the_rest_is_kept() {
    let stage = Stage::new().await;
    let body = |said: &str| {
        format!(r#"{{"model":"m","messages":[{{"role":"user","content":"{said}"}}]}}"#)
    };
    for (memory, said, kept) in [
        ("nul", r"nul \u0000 byte words", "nul  byte words"),
        (
            "half",
            r"half a character \ud83d, and more \ude00",
            "half a character \u{fffd}, and more \u{fffd}",
        ),
    ] {
        let ask = stage.post("/v1/chat/completions", &body(said)).memory(memory);
        let response = ask.response().await;
        assert_eq!((response.status, response.header("x-everwhen-not-remembered")), (200, None));
        assert_eq!(
            stage.upstream.last().body,
            body(&format!("(Sunday, 2025-06-01 12:00:00) {said}"))
        );
        let expected = [format!("12:00 user {kept}"), "12:00 assistant Noted.".to_owned()];
        assert_eq!(stage.said(memory).await, expected);
    }
}

#[tokio::test]
async fn a_reply_in_parts_is_kept_and_loses_its_stamp() {
    let stage = Stage::new().await;
    let text = |text: &str| json!({ "type": "text", "text": text });
    let thought = json!({ "type": "thinking", "thinking": [text("Hm.")] });
    let mut reply = completion("");
    reply["choices"][0]["message"]["content"] =
        json!([thought, text("[3 days later] part one"), text("part two")]);
    stage.upstream.answers(Script::json(200, &reply));
    let ask = stage.post("/v1/chat/completions", &chat(&["u:hi"])).memory("m");
    let said = ask.response().await.json()["choices"][0]["message"]["content"].clone();
    assert_eq!(said, json!([thought, text("part one"), text("part two")]));

    let delta = |content: Value| {
        let choice = json!({ "index": 0, "delta": { "content": content } });
        format!("data: {}\n\n", json!({ "choices": [choice] }))
    };
    let piece = |said: &str| delta(json!([text(said)]));
    let end = "data: [DONE]\n\n".to_owned();
    let pieces =
        [delta(json!([thought])), piece("[3 days "), piece("later] one"), piece(" text"), end];
    let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
    stage.upstream.answers(Script::stream("text/event-stream", &pieces));
    let body = chat(&["u:hi", "a:part one\npart two", "u:more"]);
    let body = body.replace("\"model\"", "\"stream\":true,\"model\"");
    let got = stage.post("/v1/chat/completions", &body).memory("m").response().await.text;
    assert_eq!(got, pieces.concat().replace("[3 days ", "").replace("later] one", "one"));
    let said = stage.said("m").await;
    assert_eq!(
        said,
        [
            "12:00 user hi",
            "12:00 assistant part one\npart two",
            "12:00 user more",
            "12:00 assistant one text"
        ]
    );
}
