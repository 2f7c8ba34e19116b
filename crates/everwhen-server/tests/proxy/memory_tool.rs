//! The proxy answers Anthropic's memory tool itself: whole and streamed, with other tools, bounded.

use everwhen::Forget;
use everwhen::memory::Address;
use everwhen_testkit::engine_over;
use serde_json::{Value, json};

use crate::recorder::Script;
use crate::stage::Stage;

const SETTINGS: &str = "upstream = 'anthropic+UPSTREAM'\n[proxy]\nstamps = 'off'\nnow = 'off'\n\
                        context = 'off'\nbriefing = 'off'\nmemory_tool = 'on'\n";
const NOTES: &str = "/memories/notes.md";

fn request(stream: bool, more: &[Value]) -> String {
    let mut messages = vec![json!({ "role": "user", "content": "I am Ana." })];
    messages.extend_from_slice(more);
    let weather = json!({ "name": "weather", "input_schema": { "type": "object" } });
    json!({
        "model": "claude", "max_tokens": 100, "stream": stream, "messages": messages,
        "tools": [{ "type": "memory_20250818", "name": "memory" }, weather],
    })
    .to_string()
}

fn text(text: &str) -> Value {
    json!({ "type": "text", "text": text })
}

fn call(id: &str, name: &str, input: Value) -> Value {
    json!({ "type": "tool_use", "id": id, "name": name, "input": input })
}

fn create(id: &str) -> Value {
    call(id, "memory", json!({ "command": "create", "path": NOTES, "file_text": "Ana\n" }))
}

fn view(id: &str) -> Value {
    call(id, "memory", json!({ "command": "view", "path": NOTES }))
}

fn message(content: &[Value], stop: &str) -> Value {
    json!({
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": content,
        "stop_reason": stop, "stop_sequence": null,
        "usage": { "input_tokens": 10, "output_tokens": 5 },
    })
}

/// The events of a message, with inputs and texts in two pieces.
fn events(content: &[Value], stop: &str) -> Vec<String> {
    let event =
        |data: Value| format!("event: {}\ndata: {data}\n\n", data["type"].as_str().unwrap());
    let mut start = message(&[], stop);
    start["stop_reason"] = Value::Null;
    let mut all = vec![event(json!({ "type": "message_start", "message": start }))];
    for (index, block) in content.iter().enumerate() {
        let (mut begin, whole, kind, field) = match block["type"].as_str().unwrap() {
            "text" => {
                (block.clone(), block["text"].as_str().unwrap().to_owned(), "text_delta", "text")
            }
            _ => (block.clone(), block["input"].to_string(), "input_json_delta", "partial_json"),
        };
        match kind {
            "text_delta" => begin["text"] = json!(""),
            _ => begin["input"] = json!({}),
        }
        all.push(event(
            json!({ "type": "content_block_start", "index": index, "content_block": begin }),
        ));
        let (first, second) = whole.split_at(whole.len() / 2);
        for piece in [first, second] {
            let mut delta = json!({ "type": kind });
            delta[field] = json!(piece);
            all.push(event(
                json!({ "type": "content_block_delta", "index": index, "delta": delta }),
            ));
        }
        all.push(event(json!({ "type": "content_block_stop", "index": index })));
    }
    let delta = json!({ "stop_reason": stop, "stop_sequence": null });
    all.push(event(
        json!({ "type": "message_delta", "delta": delta, "usage": { "output_tokens": 5 } }),
    ));
    all.push(event(json!({ "type": "message_stop" })));
    all
}

fn streamed(content: &[Value], stop: &str) -> Script {
    let events = events(content, stop);
    let pieces: Vec<&str> = events.iter().map(String::as_str).collect();
    Script::stream("text/event-stream", &pieces)
}

/// The message that a client reads from a stream.
fn read(body: &str) -> Value {
    let mut message = Value::Null;
    for data in body.lines().filter_map(|line| line.strip_prefix("data: ")) {
        let event: Value = serde_json::from_str(data).unwrap();
        let index = event["index"].as_u64().map(|index| index as usize);
        match event["type"].as_str().unwrap() {
            "message_start" => message = event["message"].clone(),
            "content_block_start" => {
                let blocks = message["content"].as_array_mut().unwrap();
                assert_eq!(index, Some(blocks.len()), "blocks are numbered in order");
                blocks.push(event["content_block"].clone());
            }
            "content_block_delta" => {
                let block = &mut message["content"][index.unwrap()];
                let (field, piece) = match event["delta"]["text"].as_str() {
                    Some(text) => ("text", text),
                    None => ("partial", event["delta"]["partial_json"].as_str().unwrap()),
                };
                let before = block[field].as_str().unwrap_or_default().to_owned();
                block[field] = json!(before + piece);
            }
            "message_delta" => {
                message["stop_reason"] = event["delta"]["stop_reason"].clone();
                message["usage"] = event["usage"].clone();
            }
            _ => {}
        }
    }
    message
}

fn answers(stage: &Stage, stream: bool, content: &[Value], stop: &str) {
    stage.upstream.answers(match stream {
        true => streamed(content, stop),
        false => Script::json(200, &message(content, stop)),
    });
}

/// Sends a request and reads the reply, however it comes.
async fn ask(stage: &Stage, stream: bool, more: &[Value]) -> Value {
    let response =
        stage.post("/v1/messages", &request(stream, more)).memory("ana").response().await;
    assert_eq!(response.status, 200, "{}", response.text);
    if stream { read(&response.text) } else { response.json() }
}

/// The results of tools in the last request upstream.
fn results(stage: &Stage) -> Vec<Value> {
    let sent = stage.upstream.last().json();
    let last = sent["messages"].as_array().unwrap().last().unwrap().clone();
    last["content"].as_array().unwrap().clone()
}

#[tokio::test]
async fn commands_are_carried_out_and_the_client_gets_one_message() {
    for stream in [false, true] {
        let stage = Stage::with(SETTINGS).await;
        answers(&stage, stream, &[text("One moment."), create("toolu_1")], "tool_use");
        answers(&stage, stream, &[view("toolu_2"), view("toolu_3")], "tool_use");
        answers(&stage, stream, &[text("Hello Ana.")], "end_turn");
        let response = ask(&stage, stream, &[]).await;
        assert_eq!(
            response["content"],
            json!([text("One moment."), text("Hello Ana.")]),
            "{response}"
        );
        assert_eq!(response["stop_reason"], "end_turn");
        assert_eq!(response["usage"]["output_tokens"], 15);

        let sent = stage.upstream.sent();
        assert_eq!(sent.len(), 3);
        let second = sent[1].json();
        assert_eq!(
            second["messages"][1]["content"],
            json!([text("One moment."), create("toolu_1")])
        );
        let created = format!("File created successfully at: {NOTES}");
        assert_eq!(
            second["messages"][2]["content"],
            json!([{ "type": "tool_result", "tool_use_id": "toolu_1", "content": created, "is_error": false }])
        );
        let viewed = results(&stage);
        assert_eq!(viewed.len(), 2);
        assert_eq!(viewed[1]["tool_use_id"], "toolu_3");
        assert!(viewed[1]["content"].as_str().unwrap().ends_with("     1\tAna\n     2\t"));
        // Everything before the new messages stays as it was sent first, byte for byte.
        let end = sent[0].body.find("],\"model\"").unwrap();
        assert!(sent[2].body.starts_with(&sent[0].body[..end]));

        let said = stage.said("ana").await;
        assert_eq!(said[0], "12:00 user I am Ana.");
        assert!(
            said.iter().any(|line| line.contains("One moment.") && line.contains("Hello Ana.")),
            "{said:?}"
        );
        assert!(said.iter().any(|line| line == "12:00 assistant Ana\n"), "the file: {said:?}");
    }
}

#[tokio::test]
async fn calls_of_other_tools_go_to_the_client_and_all_results_to_the_model() {
    for stream in [false, true] {
        let stage = Stage::with(SETTINGS).await;
        let weather = call("toolu_w", "weather", json!({ "city": "Porto" }));
        answers(&stage, stream, &[create("toolu_m"), weather.clone()], "tool_use");
        let response = ask(&stage, stream, &[]).await;
        assert_eq!(response["stop_reason"], "tool_use");
        let blocks = response["content"].as_array().unwrap();
        assert_eq!((blocks.len(), &blocks[0]["id"]), (1, &json!("toolu_w")), "{response}");
        assert_eq!(stage.upstream.sent().len(), 1);

        let result = json!({ "type": "tool_result", "tool_use_id": "toolu_w", "content": "sunny" });
        let history = [
            json!({ "role": "assistant", "content": [weather] }),
            json!({ "role": "user", "content": [result] }),
        ];
        answers(&stage, stream, &[text("Sunny, Ana.")], "end_turn");
        let response = ask(&stage, stream, &history).await;
        assert_eq!(response["content"], json!([text("Sunny, Ana.")]));
        let sent = stage.upstream.last().json();
        assert_eq!(sent["messages"][1]["content"][0], create("toolu_m"));
        assert_eq!(sent["messages"][1]["content"][1]["id"], "toolu_w");
        let got: Vec<Value> =
            results(&stage).iter().map(|one| one["tool_use_id"].clone()).collect();
        assert_eq!(got, ["toolu_m", "toolu_w"]);

        // Another memory gets nothing of it, though it names the same call.
        let body = request(stream, &history);
        stage.post("/v1/messages", &body).memory("bob").response().await;
        assert!(!stage.upstream.last().body.contains("toolu_m"));
    }
}

/// Another server over the same store forgets; this one is not notified.
#[tokio::test]
async fn results_that_wait_are_dropped_when_another_server_forgets() {
    let stage = Stage::with(SETTINGS).await;
    let weather = call("toolu_w", "weather", json!({ "city": "Porto" }));
    answers(&stage, false, &[create("toolu_m"), weather.clone()], "tool_use");
    ask(&stage, false, &[]).await;
    stage.state.settle().await;
    let (other, _) = engine_over(stage.store.clone());
    let vaults = other.vaults(None, 1).await.unwrap();
    let vault = other.vault(vaults[0].id.into()).await.unwrap();
    for memory in vault.memories(None, None).await.unwrap().data {
        vault.forget(Address::Id(memory.id), Forget::Memory, None).await.unwrap();
    }
    let result = json!({ "type": "tool_result", "tool_use_id": "toolu_w", "content": "sunny" });
    let history = [
        json!({ "role": "assistant", "content": [weather] }),
        json!({ "role": "user", "content": [result] }),
    ];
    answers(&stage, false, &[text("Sunny.")], "end_turn");
    ask(&stage, false, &history).await;
    assert!(stage.upstream.last().body.contains("toolu_w"));
    assert!(!stage.upstream.last().body.contains("toolu_m"));
}

#[tokio::test]
async fn a_model_that_never_stops_is_stopped() {
    for stream in [false, true] {
        let stage = Stage::with(SETTINGS).await;
        for _ in 0..40 {
            answers(&stage, stream, &[text("x"), view("toolu_1")], "tool_use");
        }
        let response = ask(&stage, stream, &[]).await;
        assert_eq!(response["stop_reason"], "end_turn");
        assert_eq!(stage.upstream.sent().len(), 24);
        assert_eq!(response["content"].as_array().unwrap().len(), 24);
    }
}

#[tokio::test]
async fn a_wrong_command_is_an_error_for_the_model() {
    let stage = Stage::with(SETTINGS).await;
    let wrong = [
        call("toolu_1", "memory", json!({ "command": "view", "path": "/memories/../etc/passwd" })),
        call("toolu_2", "memory", json!({ "command": "chmod" })),
        call("toolu_3", "memory", json!({ "command": "create", "path": NOTES })),
    ];
    answers(&stage, false, &wrong, "tool_use");
    ask(&stage, false, &[]).await;
    let results = results(&stage);
    assert!(results.iter().all(|one| one["is_error"] == true), "{results:?}");
    assert!(results[0]["content"].as_str().unwrap().contains("would escape"));
    assert!(results[1]["content"].as_str().unwrap().contains("chmod"));
    assert_eq!(results[2]["content"], "Missing required parameter: `file_text`");
}

#[tokio::test]
async fn an_upstream_that_fails_later_is_told_to_the_client() {
    let stage = Stage::with(SETTINGS).await;
    let error =
        json!({ "type": "error", "error": { "type": "overloaded_error", "message": "busy" } });
    answers(&stage, false, &[view("toolu_1")], "tool_use");
    stage.upstream.answers(Script::json(529, &error));
    let response = stage.post("/v1/messages", &request(false, &[])).memory("ana").response().await;
    assert_eq!(
        (response.status, &response.json()["error"]["type"]),
        (529, &json!("overloaded_error"))
    );
    answers(&stage, true, &[text("Wait."), view("toolu_1")], "tool_use");
    stage.upstream.answers(Script::json(529, &error));
    let response = stage.post("/v1/messages", &request(true, &[])).memory("ana").response().await;
    assert_eq!(response.status, 200);
    assert!(
        response.text.contains("event: error\ndata: ") && response.text.contains("busy"),
        "{}",
        response.text
    );
    assert!(!response.text.contains("message_stop"));
}

#[tokio::test]
async fn files_belong_to_the_person_and_nothing_changes_where_it_is_off() {
    let stage = Stage::with(SETTINGS).await;
    let send = async |key: &str| {
        answers(&stage, false, &[create("toolu_1")], "tool_use");
        let ask = stage.post("/v1/messages", &request(false, &[]));
        assert_eq!(ask.header("x-api-key", key).response().await.status, 200);
        results(&stage)[0]["content"].as_str().unwrap().to_owned()
    };
    assert!(send("sk-ana").await.starts_with("File created"));
    assert!(send("sk-bob").await.starts_with("File created"), "bob does not see ana's files");
    assert!(send("sk-ana").await.contains("already exists"));
    let of_files = stage.memories().await.into_iter().filter(|name| name.starts_with("files"));
    assert_eq!(of_files.count(), 2);

    let stage = Stage::with(&SETTINGS.replace("memory_tool = 'on'\n", "")).await;
    answers(&stage, false, &[create("toolu_1")], "tool_use");
    let response = ask(&stage, false, &[]).await;
    assert_eq!(
        (response["content"][0].clone(), &response["stop_reason"]),
        (create("toolu_1"), &json!("tool_use"))
    );
}
