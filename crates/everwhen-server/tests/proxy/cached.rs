//! What a provider has cached stays what it was: how much of one request is still there at the
//! beginning of the next, over ten turns with tools.

use serde_json::{Value, json};

use crate::phrased::{Line, Wire};
use crate::prefix;
use crate::stage::Stage;

const TURNS: usize = 10;
/// All that is added to messages is on.
const FULL: &str = r#"
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
deadline_ms = 60000
"#;

/// Talks over ten turns, each with two calls of a tool; answers what the upstream was sent.
async fn talk(stage: &Stage, wire: Wire, written: impl Fn(Wire, &[Line]) -> String) -> Vec<String> {
    let mut lines: Vec<Line> = Vec::new();
    let mut memory = None;
    for turn in 0..TURNS {
        lines.push(Line::User(format!("Question {turn} about the garden, which is long enough.")));
        let call = |part| Line::Call(format!("call_qK{turn}zXbW{part}vRtYpL3NcDfGhJ"));
        for answer in [call(1), call(2), Line::Assistant(format!("Answer {turn}: water it."))] {
            stage.upstream.answers(wire.answer(&answer));
            let response = stage.post(wire.path(), &written(wire, &lines)).response().await;
            assert_eq!(response.status, 200, "{}", response.text);
            assert_eq!(response.header("x-everwhen-degraded"), None);
            let name = response.header("x-everwhen-memory").map(str::to_owned);
            assert_eq!(*memory.get_or_insert(name.clone()), name, "{wire:?}, turn {turn}");
            stage.state.settle().await;
            lines.push(answer.clone());
            if matches!(answer, Line::Call(_)) {
                lines.push(Line::Result(format!("result of turn {turn}, {}", "x".repeat(300))));
            }
            stage.clock.advance(jiff::SignedDuration::from_secs(40));
        }
        stage.wait(7);
    }
    stage.upstream.sent().into_iter().map(|sent| sent.body).collect()
}

/// The smallest share of a request that is still there in the next one.
fn least_share(wire: Wire, sent: &[String]) -> f64 {
    let beginnings: Vec<Vec<u8>> = sent.iter().map(|body| prefix::of(wire.list(), body)).collect();
    beginnings.windows(2).map(|pair| prefix::share(&pair[0], &pair[1])).fold(1.0, f64::min)
}

#[tokio::test]
async fn at_least_99_percent_of_a_request_is_still_there_in_the_next() {
    for wire in Wire::ALL {
        let stage = Stage::with(FULL).await;
        let sent = talk(&stage, wire, |wire, lines| wire.request(lines)).await;
        assert_eq!(sent.len(), 3 * TURNS);
        assert!(sent[0].contains("[It is Sunday"), "{}", sent[0]);
        let share = least_share(wire, &sent);
        println!(
            "{wire:?}: {:.2} % of the prefix kept over {TURNS} turns with tools",
            share * 100.0
        );
        assert!(share >= 0.99, "{wire:?}: {share}");
    }
}

/// As Claude Code writes: the last message of the user's in parts with a mark while it is the last,
/// as a text afterwards.
fn marked(wire: Wire, lines: &[Line]) -> String {
    let mut body: Value = serde_json::from_str(&wire.request(lines)).unwrap();
    let messages = body["messages"].as_array_mut().unwrap();
    if let Some(last) = messages.last_mut().filter(|last| last["content"].is_string()) {
        let mark = json!({ "type": "ephemeral" });
        let text = last["content"].clone();
        last["content"] = json!([{ "type": "text", "text": text, "cache_control": mark }]);
    }
    body.to_string()
}

#[tokio::test]
async fn a_client_that_changes_between_text_and_parts_keeps_its_cache() {
    for wire in [Wire::Messages, Wire::Chat] {
        let stage = Stage::with(FULL).await;
        let sent = talk(&stage, wire, marked).await;
        let share = least_share(wire, &sent);
        println!("{wire:?}, marked: {:.2} % of the prefix kept", share * 100.0);
        assert!(share >= 0.99, "{wire:?}: {share}");
    }
}

/// The other way round: a text first, parts from then on.
fn parted(wire: Wire, lines: &[Line]) -> String {
    let mut body: Value = serde_json::from_str(&wire.request(lines)).unwrap();
    let messages = body["messages"].as_array_mut().unwrap();
    let count = messages.len();
    for message in messages.iter_mut().take(count - 1) {
        if message["role"] == "user" && message["content"].is_string() {
            message["content"] = json!([{ "type": "text", "text": message["content"] }]);
        }
    }
    body.to_string()
}

#[tokio::test]
async fn what_was_added_within_a_text_stays_within_it() {
    let stage = Stage::with(FULL).await;
    let sent = talk(&stage, Wire::Messages, parted).await;
    assert!(least_share(Wire::Messages, &sent) >= 0.99);
    let last = sent.last().unwrap();
    assert_eq!(last.matches("[It is ").count(), TURNS, "each message once: {last}");
}

#[tokio::test]
async fn what_is_forgotten_is_not_added_again() {
    let stage = Stage::with("").await;
    let chats = "/v1/chat/completions";
    let line = |text: &str| Line::User(text.to_owned());
    let first = stage.post(chats, &Wire::Chat.request(&[line("My PIN is 1234.")])).memory("m");
    first.response().await;
    stage.state.settle().await;
    stage.wait(60);
    let alone = Wire::Chat.request(&[line("What is my PIN?")]);
    stage.post(chats, &alone).memory("m").response().await;
    stage.state.settle().await;
    assert!(stage.upstream.last().body.contains("1234"), "it is remembered");
    let next = [line("What is my PIN?"), Line::Assistant("Noted.".into()), line("Thanks.")];
    stage.post(chats, &Wire::Chat.request(&next)).memory("m").response().await;
    stage.state.settle().await;
    assert!(stage.upstream.last().body.contains("1234"), "and added again");
    let entry = stage.entries("m").await[0].id;
    let forgotten = format!("/v1/vaults/default/memories/m/entries/{entry}");
    let response = stage.delete(&forgotten).response().await;
    assert_eq!(response.status, 200, "{}", response.text);
    let later = [&next[..], &[Line::Assistant("Noted.".into()), line("Bye.")]].concat();
    stage.post(chats, &Wire::Chat.request(&later)).memory("m").response().await;
    let sent = stage.upstream.last().body;
    assert!(!sent.contains("1234"), "{sent}");
}

#[tokio::test]
async fn what_is_switched_off_is_not_added_again() {
    let stage = Stage::with("").await;
    let chats = "/v1/chat/completions";
    let first = [Line::User("hello there".into())];
    stage.post(chats, &Wire::Chat.request(&first)).memory("m").response().await;
    stage.state.settle().await;
    let next = [&first[..], &[Line::Assistant("Noted.".into()), Line::User("ok".into())]].concat();
    let off = stage.post(chats, &Wire::Chat.request(&next)).memory("m");
    off.header("x-everwhen-now", "off").response().await;
    assert!(!stage.upstream.last().body.contains("[It is"), "{}", stage.upstream.last().body);
}
