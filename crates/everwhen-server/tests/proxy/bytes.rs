//! Exact bytes: what is not injected is passed as it came, and what was sent once is sent again.

use serde_json::json;

use crate::recorder::Script;
use crate::stage::{Stage, chat};

#[tokio::test]
async fn with_everything_off_a_request_passes_byte_for_byte() {
    let stage = Stage::new().await;
    let odd = "{ \"model\" : \"m\",\n \"messages\":[ {\"content\":\"caf\\u00e9 \\/ \",\"role\":\"user\", \"x\":1e3} ] \
               , \"temperature\":1.0, \"n\":2,\"logprobs\":true ,\"vendor_field\":{\"b\":1,\"a\":[]} }";
    let response = stage
        .post("/v1/chat/completions?beta=true", odd)
        .memory("m")
        .header("x-everwhen-stamps", "off")
        .header("openai-beta", "1")
        .response()
        .await;
    assert_eq!(response.status, 200);
    let sent = stage.upstream.last();
    assert_eq!((sent.body.as_str(), sent.path.as_str()), (odd, "/v1/chat/completions?beta=true"));
    assert_eq!(sent.headers["openai-beta"], "1");
    assert!(sent.headers.keys().all(|name| !name.as_str().starts_with("x-everwhen")));
    assert_eq!(stage.said("m").await, ["12:00 user café / ", "12:00 assistant Noted."]);
}

#[tokio::test]
async fn a_stamp_is_the_only_difference() {
    let stage = Stage::new().await;
    let body = r#"{"messages": [{"role":"system","content":"Be kind."}, {"role": "user", "content": "\"hi\" \ud83d\ude00" }],"tools":[{"type":"function","function":{"name":"f","parameters":{"z":1,"a":2}}}], "model":"m"}"#;
    stage.post("/v1/chat/completions", body).memory("m").response().await;
    let expected = body.replace(r#""\"hi\""#, r#""(Sunday, 2025-06-01 12:00:00) \"hi\""#);
    assert_eq!(stage.upstream.last().body, expected);
}

#[tokio::test]
async fn old_messages_keep_their_bytes_from_turn_to_turn() {
    for style in ["absolute", "gap"] {
        let stage = Stage::with(&format!("[proxy]\nstamps = '{style}'\n")).await;
        let mut lines = vec!["s:Be kind.".to_owned(), "u:hello".to_owned()];
        let mut before: Option<String> = None;
        for turn in 0..6 {
            let history: Vec<&str> = lines.iter().map(String::as_str).collect();
            let sent = stage.chat(&history).await;
            if let Some(before) = before {
                // Everything up to the words of the message that was last then is the same.
                let last = before.rfind("\"content\":\"").unwrap();
                let words = before[last..].find("hello").or(before[last..].find("turn")).unwrap();
                assert_eq!(sent[..last + words + 5], before[..last + words + 5], "{style}");
            }
            before = Some(sent);
            stage.wait(if turn % 2 == 0 { 3 } else { 60 * 24 * 3 });
            lines.push("a:Noted.".into());
            lines.push(format!("u:turn {turn}, what about the weather?"));
        }
    }
}

#[tokio::test]
async fn a_turn_with_tools_keeps_its_bytes_too() {
    let stage = Stage::with("").await;
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"weather","arguments":"{\"at\": \"Rome\"}"}}]}"#;
    let first = r#"{"model":"m","messages":[{"role":"user","content":"Weather in Rome?"}"#;
    let result = r#"{"role":"tool","tool_call_id":"c1","content":"sunny"}"#;
    let reply = json!({ "choices": [{ "index": 0, "message": serde_json::from_str::<serde_json::Value>(call).unwrap() }] });
    stage.upstream.answers(Script::json(200, &reply));
    stage.post("/v1/chat/completions", &format!("{first}]}}")).memory("m").response().await;
    stage.state.settle().await;
    stage.wait(1);
    let second = format!("{first},{call},{result}]}}");
    stage.post("/v1/chat/completions", &second).memory("m").response().await;
    let sent = stage.upstream.sent();
    let shared = sent[0].body.strip_suffix("]}").unwrap();
    assert_eq!(sent[1].body, format!("{shared},{call},{result}]}}"));
    assert!(shared.contains("[It is Sunday, 2025-06-01 12:00 +00:00 (UTC).]"), "{shared}");
}

#[tokio::test]
async fn images_pass_and_the_words_beside_them_are_stamped() {
    let stage = Stage::new().await;
    let image =
        r#"{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA","detail":"low"}}"#;
    let body = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":[{image}]}},{{"role":"assistant","content":"A cat."}},{{"role":"user","content":[{{"type":"text","text":"and this?"}},{image}]}}]}}"#
    );
    let response = stage.post("/v1/chat/completions", &body).memory("m").response().await;
    assert_eq!(response.status, 200);
    let expected = body
        .replace("A cat.", "(Sunday, 2025-06-01 11:59:59) A cat.")
        .replace("and this?", "(Sunday, 2025-06-01 12:00:00) and this?");
    assert_eq!(stage.upstream.last().body, expected);
}

#[tokio::test]
async fn replies_pass_byte_for_byte_with_all_their_fields() {
    let stage = Stage::new().await;
    let reply = r#"{ "id":"x","choices":[ {"index":0,"message":{"role":"assistant","content":"{}","reasoning_content":"hm","tool_calls":[]},"logprobs":{"content":[]}},{"index":1,"message":{"content":"other"}}], "usage":{"total_tokens":3},"timings":{}}"#;
    let script = Script {
        status: 200,
        headers: vec![("content-type", "application/json"), ("x-request-id", "r1")],
        pieces: vec![reply.to_owned()],
        hangs: false,
        breaks: false,
    };
    stage.upstream.answers(script);
    let response =
        stage.post("/v1/chat/completions", &chat(&["u:hi"])).memory("m").response().await;
    assert_eq!((response.text.as_str(), response.header("x-request-id")), (reply, Some("r1")));
    assert_eq!(stage.said("m").await, ["12:00 user hi", "12:00 assistant {}"]);
}

#[tokio::test]
async fn errors_keep_status_body_and_headers() {
    let stage = Stage::new().await;
    let error =
        r#"{"error":{"message":"slow down","type":"rate","param":null,"code":"rate_limit"}}"#;
    let script = Script {
        status: 429,
        headers: vec![
            ("content-type", "application/json"),
            ("retry-after", "7"),
            ("x-request-id", "r2"),
            ("x-ratelimit-remaining-requests", "0"),
        ],
        pieces: vec![error.to_owned()],
        hangs: false,
        breaks: false,
    };
    stage.upstream.answers(script);
    let response =
        stage.post("/v1/chat/completions", &chat(&["u:hi"])).memory("m").response().await;
    assert_eq!((response.status, response.text.as_str()), (429, error));
    assert_eq!(response.header("retry-after"), Some("7"));
    assert_eq!(response.header("x-ratelimit-remaining-requests"), Some("0"));
    assert_eq!(stage.said("m").await, ["12:00 user hi"]);
}
