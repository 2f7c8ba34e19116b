//! Chats without a name are recognised by proof, and never by chance.

use serde_json::{Value, json};

use crate::dialects::ALL;
use crate::phrased::{Line, Wire};
use crate::recorder::{Script, completion, delta};
use crate::stage::{HttpResponse, Stage, chat};

const CHATS: &str = "/v1/chat/completions";

async fn ask(stage: &Stage, path: &str, body: &str, headers: &[(&str, &str)]) -> HttpResponse {
    let mut ask = stage.post(path, body);
    for (name, value) in headers {
        ask = ask.header(name, value);
    }
    let response = ask.response().await;
    stage.state.settle().await;
    assert_eq!(response.header("x-everwhen-degraded"), None, "{path}");
    response
}

/// The memory in which a chat of `u:` and `a:` lines is kept.
async fn memory(stage: &Stage, lines: &[&str], headers: &[(&str, &str)]) -> String {
    let response = ask(stage, CHATS, &chat(lines), headers).await;
    response.header("x-everwhen-memory").unwrap().to_owned()
}

#[tokio::test]
async fn a_tool_call_does_not_split_a_chat_in_any_language() {
    for wire in Wire::ALL {
        for id in ["call_qKzXbWvRtYpL3NcDfGhJsTuE", "call_0"] {
            if wire == Wire::Responses && id == "call_0" {
                continue;
            }
            let stage = Stage::with(ALL).await;
            let mut lines = vec![Line::User("Weather in Porto?".into())];
            let mut memories = Vec::new();
            for answer in [Line::Call(id.into()), Line::Assistant("Sunny.".into())] {
                stage.upstream.answers(wire.answer(&answer));
                let seen = ask(&stage, wire.path(), &wire.request(&lines), &[]).await;
                memories.push(seen.header("x-everwhen-memory").unwrap().to_owned());
                let sent = stage.upstream.last().body;
                let stamped = "(Sunday, 2025-06-01 12:00:00) Weather in Porto?";
                assert!(sent.contains(stamped), "{wire:?} {id}: {sent}");
                lines.push(answer.clone());
                if answer.text() == id {
                    lines.push(Line::Result("sunny".into()));
                }
                stage.wait(3);
            }
            lines.push(Line::User("Thanks.".into()));
            let seen = ask(&stage, wire.path(), &wire.request(&lines), &[]).await;
            memories.push(seen.header("x-everwhen-memory").unwrap().to_owned());
            memories.dedup();
            assert_eq!(memories.len(), 1, "{wire:?} {id}: one name for the whole chat");
            assert_eq!(stage.memories().await.len(), 1, "{wire:?} {id}");
            let said = stage.said(&memories[0]).await;
            assert_eq!(said.iter().filter(|line| line.contains("Porto")).count(), 1, "{said:?}");
        }
    }
}

#[tokio::test]
async fn few_shot_examples_join_no_chats() {
    let stage = Stage::new().await;
    let few = ["u:I love it", "a:positive", "u:I hate it", "a:negative"];
    let mut memories = Vec::new();
    let texts =
        ["Alice is pregnant, due in May.", "Bob was fired on Monday.", "Carol moved to Rome."];
    for text in texts {
        let last = format!("u:{text}");
        memories.push(memory(&stage, &[&few[..], &[&last]].concat(), &[]).await);
    }
    for (memory, text) in memories.iter().zip(texts) {
        let said = stage.said(memory).await;
        assert!(said.iter().any(|line| line.ends_with(text)), "{text} is out of sight: {said:?}");
        assert_eq!(said.len(), 6, "{said:?}");
    }
}

#[tokio::test]
async fn an_equal_greeting_is_another_chat_once_the_first_was_answered() {
    let stage = Stage::with("[proxy]\nreach = 'memory'\n").await;
    let first = memory(&stage, &["u:hi"], &[]).await;
    let secret = ["u:hi", "a:Noted.", "u:My PIN is 1234."];
    assert_eq!(memory(&stage, &secret, &[]).await, first);
    let second = memory(&stage, &["u:hi"], &[]).await;
    assert_ne!(second, first);
    assert!(!stage.upstream.last().body.contains("1234"), "{}", stage.upstream.last().body);
    assert_eq!(memory(&stage, &["u:hi", "a:Noted.", "u:I like cats."], &[]).await, second);
    assert!(!stage.upstream.last().body.contains("1234"));
    let next = [&secret[..], &["a:Noted.", "u:And my name is Ana."]].concat();
    assert_eq!(memory(&stage, &next, &[]).await, first, "the first chat goes on");
    assert!(!stage.upstream.last().body.contains("cats"));
}

#[tokio::test]
async fn another_credential_user_or_program_is_another_chat() {
    let stage = Stage::new().await;
    let hi = ["u:hi"];
    let next = ["u:hi", "a:Noted.", "u:My PIN is 1234."];
    let ana = [("authorization", "Bearer ana"), ("user-agent", "OpenAI/Python 2.1")];
    let first = memory(&stage, &hi, &ana).await;
    for other in [
        vec![("authorization", "Bearer ben"), ("user-agent", "OpenAI/Python 2.1")],
        vec![("user-agent", "OpenAI/Python 2.1")],
        vec![
            ("authorization", "Bearer ana"),
            ("user-agent", "OpenAI/Python 2.1"),
            ("x-openwebui-user-id", "ben"),
        ],
        vec![("authorization", "Bearer ana"), ("user-agent", "curl/8")],
    ] {
        assert_ne!(memory(&stage, &next, &other).await, first, "{other:?}");
    }
    let updated = [("authorization", "Bearer ana"), ("user-agent", "OpenAI/Python 2.2")];
    assert_eq!(memory(&stage, &next, &updated).await, first, "a program may be updated");
}

/// The memory of a chat that is sent over a socket from this address.
#[cfg(target_os = "linux")]
async fn memory_from(address: [u8; 4], url: &str, lines: &[&str]) -> String {
    let from = std::net::IpAddr::from(address);
    let client = reqwest::Client::builder().local_address(from).no_proxy().build().unwrap();
    let ask = client.post(format!("{url}{CHATS}")).header("content-type", "application/json");
    let response = ask.body(chat(lines)).send().await.unwrap();
    let name = response.headers()["x-everwhen-memory"].to_str().unwrap().to_owned();
    response.bytes().await.unwrap();
    name
}

#[tokio::test]
#[cfg(target_os = "linux")]
async fn another_address_is_another_client() {
    let stage = Stage::new().await;
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let until = async move { stopped.await.unwrap_or_default() };
    let limits = everwhen::ServerLimits::default();
    let serving = everwhen_server::serve(stage.router.clone(), listener, limits, until);
    let serving = tokio::spawn(serving);
    let next = ["u:hi", "a:Noted.", "u:My PIN is 1234."];
    let first = memory_from([127, 0, 0, 1], &url, &["u:hi"]).await;
    assert_ne!(memory_from([127, 0, 0, 2], &url, &next).await, first);
    assert_eq!(memory_from([127, 0, 0, 1], &url, &next).await, first);
    stop.send(()).unwrap();
    serving.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_retry_is_the_same_chat_until_the_answer_was_delivered_whole() {
    let stage = Stage::new().await;
    let error = json!({ "error": { "message": "try again" } });
    let mut responses = Vec::new();
    for _ in 0..3 {
        stage.upstream.answers(Script::json(503, &error));
        responses.push(ask(&stage, CHATS, &chat(&["u:hello"]), &[]).await);
        stage.wait(1);
    }
    responses.push(ask(&stage, CHATS, &chat(&["u:hello"]), &[]).await);
    let names: Vec<&str> =
        responses.iter().map(|response| response.header("x-everwhen-memory").unwrap()).collect();
    assert!(names.iter().all(|name| *name == names[0]), "{names:?}");
    assert_eq!(stage.said(names[0]).await, ["12:00 user hello", "12:03 assistant Noted."]);
    let again = [("x-stainless-retry-count", "1")];
    assert_eq!(memory(&stage, &["u:hello"], &again).await, names[0], "the client says so");
    assert_ne!(memory(&stage, &["u:hello"], &[]).await, names[0], "it was answered");
}

#[tokio::test]
async fn the_same_request_while_it_is_being_answered_is_the_same_chat() {
    let stage = Stage::new().await;
    let mut script = Script::stream("text/event-stream", &[&delta("Hel")]);
    script.hangs = true;
    stage.upstream.answers(script);
    let body = chat(&["u:hello"]).replace("\"model\"", "\"stream\":true,\"model\"");
    let (_, headers, hanging) = stage.post(CHATS, &body).begun().await;
    let first = headers["x-everwhen-memory"].to_str().unwrap().to_owned();
    let second = stage.post(CHATS, &body).response().await;
    assert_eq!(second.header("x-everwhen-memory"), Some(first.as_str()));
    let other = stage.post(CHATS, &body).header("user-agent", "curl/8").response().await;
    assert_ne!(other.header("x-everwhen-memory"), Some(first.as_str()));
    drop(hanging);
    stage.state.settle().await;
    let said = stage.said(&first).await;
    assert_eq!(said.iter().filter(|line| line.ends_with("user hello")).count(), 1, "{said:?}");
}

#[tokio::test]
async fn ids_of_responses_and_their_items_prove_a_chat() {
    let stage = Stage::with(ALL).await;
    let response = |id: &str, item: &str| {
        let content = json!([{ "type": "output_text", "text": "Noted." }]);
        let message =
            json!({ "type": "message", "id": item, "role": "assistant", "content": content });
        Script::json(200, &json!({ "id": id, "object": "response", "output": [message] }))
    };
    let post = async |body: Value| {
        let reply = ask(&stage, "/v1/responses", &body.to_string(), &[]).await;
        reply.header("x-everwhen-memory").unwrap().to_owned()
    };
    stage.upstream.answers(response("resp_68a1b2c3d4e5f607", "msg_68a1b2c3d4e5f608"));
    let first = post(json!({ "model": "m", "input": "I have a dog." })).await;
    stage.upstream.answers(response("resp_79b2c3d4e5f60718", "msg_79b2c3d4e5f60719"));
    let previous = json!({
        "model": "m", "previous_response_id": "resp_68a1b2c3d4e5f607", "input": "He is called Bo.",
    });
    assert_eq!(post(previous).await, first);
    let items = json!([
        { "type": "item_reference", "id": "msg_79b2c3d4e5f60719" },
        { "role": "user", "content": "He is old." },
    ]);
    assert_eq!(post(json!({ "model": "m", "input": items })).await, first);
    let said = stage.said(&first).await;
    let users: Vec<&String> = said.iter().filter(|line| line.contains("user")).collect();
    let expected =
        ["12:00 user I have a dog.", "12:00 user He is called Bo.", "12:00 user He is old."];
    assert_eq!(users, expected, "nothing was put aside");
    let unknown = json!({ "model": "m", "previous_response_id": "resp_1", "input": "Hello." });
    assert_ne!(post(unknown).await, first);
}

#[tokio::test]
async fn streamed_ids_prove_a_chat_too() {
    let stage = Stage::with(ALL).await;
    let call = json!({ "choices": [{ "index": 0, "delta": { "tool_calls": [{
        "index": 0, "id": "call_qKzXbWvRtYpL3NcDfGhJsTuE", "type": "function",
        "function": { "name": "look", "arguments": "{}" },
    }] } }] });
    let events = [format!("data: {call}\n\n"), "data: [DONE]\n\n".to_owned()];
    let events: Vec<&str> = events.iter().map(String::as_str).collect();
    stage.upstream.answers(Script::stream("text/event-stream", &events));
    let body = chat(&["u:Weather?"]).replace("\"model\"", "\"stream\":true,\"model\"");
    let first = ask(&stage, CHATS, &body, &[("user-agent", "one/1")]).await;
    let lines = [
        Line::User("Weather?".into()),
        Line::Call("call_qKzXbWvRtYpL3NcDfGhJsTuE".into()),
        Line::Result("sunny".into()),
    ];
    let body = Wire::Chat.request(&lines);
    let second = ask(&stage, CHATS, &body, &[("user-agent", "two/1")]).await;
    let name = |response: &HttpResponse| response.header("x-everwhen-memory").map(str::to_owned);
    assert_eq!(name(&second), name(&first), "an id proves a chat in another program");
    let stranger = [("user-agent", "two/1"), ("authorization", "Bearer x")];
    assert_ne!(name(&ask(&stage, CHATS, &body, &stranger).await), name(&first));
}

#[tokio::test]
async fn the_65th_chat_with_the_same_beginning_is_found() {
    let stage = Stage::new().await;
    let mut names = Vec::new();
    for _ in 0..66 {
        names.push(memory(&stage, &["u:hi"], &[]).await);
        stage.wait(1);
    }
    let mut unique = names.clone();
    unique.sort();
    unique.dedup();
    assert_eq!(unique.len(), 66, "each is a chat of its own");
    let next = ["u:hi", "a:Noted.", "u:I am the last."];
    assert_eq!(Some(&memory(&stage, &next, &[]).await), names.last());
    let later = [&next[..], &["a:Noted.", "u:Still here."]].concat();
    assert_eq!(Some(&memory(&stage, &later, &[]).await), names.last());
    assert_eq!(stage.memories().await.len(), 66);
}

#[tokio::test]
async fn names_of_new_chats_have_128_random_bits() {
    let stage = Stage::new().await;
    let one = memory(&stage, &["u:hi"], &[]).await;
    let two = memory(&stage, &["u:hi"], &[]).await;
    let digits = |name: &str| name.rsplit('-').next().unwrap().to_owned();
    assert_eq!(digits(&one).len(), 32, "{one}");
    assert_ne!(digits(&one), digits(&two));
}

#[tokio::test]
async fn an_edited_first_message_of_a_chat_with_an_id_replaces_the_old_one() {
    let stage = Stage::with("").await;
    let id = [("x-openwebui-chat-id", "3f2a9c1e-0000")];
    memory(&stage, &["u:My cat is called Tom."], &id).await;
    stage.wait(5);
    let name = memory(&stage, &["u:My cat is called Tim."], &id).await;
    let sent = stage.upstream.last().body;
    assert!(!sent.contains("Tom"), "{sent}");
    assert_eq!(
        stage.said(&name).await,
        ["12:05 user My cat is called Tim.", "12:05 assistant Noted."]
    );
    stage.wait(5);
    memory(&stage, &["u:My cat is called Tim.", "a:Noted.", "u:How old?"], &id).await;
    assert!(!stage.upstream.last().body.contains("Tom"));
}

#[tokio::test]
async fn edits_swipes_and_truncation_stay_in_their_chat() {
    let stage = Stage::new().await;
    let reply = |text: &str| stage.upstream.answers(Script::json(200, &completion(text)));
    reply("Hello!");
    let first = memory(&stage, &["u:hi"], &[]).await;
    reply("Meow.");
    assert_eq!(memory(&stage, &["u:hi", "a:Hello!", "u:cats?"], &[]).await, first);
    stage.wait(1);
    reply("Purr.");
    assert_eq!(memory(&stage, &["u:hi", "a:Hello!", "u:cats?"], &[]).await, first, "again");
    stage.wait(1);
    reply("Woof.");
    assert_eq!(memory(&stage, &["u:hi", "a:Hello!", "u:dogs?"], &[]).await, first, "edited");
    reply("Yes.");
    let swiped = ["u:hi", "a:Hello!", "u:cats?", "a:Meow.", "u:more"];
    assert_eq!(memory(&stage, &swiped, &[]).await, first, "an earlier reply");
    reply("No.");
    assert_eq!(memory(&stage, &["u:more", "a:Yes.", "u:why?"], &[]).await, first, "cut");
    assert_eq!(stage.memories().await.len(), 1);
}

#[tokio::test]
async fn thoughts_that_a_front_end_cuts_off_do_not_hide_a_chat() {
    let stage = Stage::new().await;
    let said = "<think>They greet me.</think>\n\nHello!";
    stage.upstream.answers(Script::json(200, &completion(said)));
    let first = memory(&stage, &["u:hi"], &[]).await;
    assert_eq!(memory(&stage, &["u:hi", "a:Hello!", "u:x"], &[]).await, first);
}
