//! Several calls of tools at once, through translation: each keeps its own id and place, and each
//! result goes back to its own call.

use serde_json::{Value, json};

use crate::recorder::Script;
use crate::stage::Stage;

const OLLAMA: &str =
    "upstream = 'ollama+UPSTREAM'\n[proxy]\nstamps = 'off'\nnow = 'off'\nbriefing = 'off'\n";
const OPENAI: &str =
    "upstream = 'UPSTREAM/v1'\n[proxy]\nstamps = 'off'\nnow = 'off'\nbriefing = 'off'\n";

/// A line as Ollama 0.12 writes it.
fn line(message: &Value, done: bool) -> String {
    let mut line = json!({
        "model": "qwen3", "created_at": "2025-06-01T12:00:00.123456789Z", "message": message,
        "done": done,
    });
    if done {
        line["done_reason"] = json!("stop");
        line["prompt_eval_count"] = json!(11);
        line["eval_count"] = json!(7);
    }
    format!("{line}\n")
}

/// A call as an Ollama writes it that gives calls no id.
fn ollama_call(name: &str, city: &str) -> Value {
    json!({ "function": { "index": 0, "name": name, "arguments": { "city": city } } })
}

fn assistant(content: &str, calls: &Value) -> Value {
    json!({ "role": "assistant", "content": content, "tool_calls": calls })
}

fn ask(stream: bool) -> String {
    let function = json!({ "name": "weather", "parameters": { "type": "object" } });
    let user = json!({ "role": "user", "content": "Weather in Porto and Rome?" });
    json!({
        "model": "qwen3", "stream": stream, "messages": [user],
        "tools": [{ "type": "function", "function": function }],
    })
    .to_string()
}

fn events(text: &str) -> Vec<Value> {
    let data = text.split("\n\n").filter_map(|event| event.strip_prefix("data: "));
    data.filter(|data| *data != "[DONE]").map(|data| serde_json::from_str(data).unwrap()).collect()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[tokio::test]
async fn streamed_calls_of_an_ollama_have_their_own_index_and_id() {
    let stage = Stage::with(OLLAMA).await;
    let porto = line(&assistant("", &json!([ollama_call("weather", "Porto")])), false);
    let rome = line(&assistant("", &json!([ollama_call("weather", "Rome")])), false);
    let end = line(&json!({ "role": "assistant", "content": "" }), true);
    let mut seen = Vec::new();
    for _ in 0..2 {
        stage.upstream.answers(Script::stream("application/x-ndjson", &[&porto, &rome, &end]));
        let response = stage.post("/v1/chat/completions", &ask(true)).memory("m").response().await;
        let events = events(&response.text);
        let calls: Vec<&Value> = events
            .iter()
            .flat_map(|event| event["choices"][0]["delta"]["tool_calls"].as_array())
            .flatten()
            .collect();
        assert_eq!(calls.iter().map(|call| &call["index"]).collect::<Vec<_>>(), [0, 1]);
        assert_eq!(calls[1]["function"]["arguments"], "{\"city\":\"Rome\"}");
        seen.extend(calls.iter().map(|call| call["id"].as_str().unwrap().to_owned()));
        assert_eq!(events.last().unwrap()["choices"][0]["finish_reason"], "tool_calls");
        let ids: Vec<&Value> = events.iter().map(|event| &event["id"]).collect();
        assert!(ids.iter().all(|id| *id == ids[0]), "one reply has one id: {ids:?}");
    }
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), 4, "no two calls of two replies have the same id: {seen:?}");
}

#[tokio::test]
async fn whole_calls_of_an_ollama_keep_the_ids_it_gave() {
    let stage = Stage::with(OLLAMA).await;
    let with_id = |id: &str, city: &str| {
        let mut call = ollama_call("weather", city);
        call["id"] = json!(id);
        call
    };
    let calls = json!([with_id("call_a", "Porto"), with_id("call_b", "Rome")]);
    let reply = serde_json::from_str(&line(&assistant("", &calls), true)).unwrap();
    stage.upstream.answers(Script::json(200, &reply));
    let response =
        stage.post("/v1/chat/completions", &ask(false)).memory("m").response().await.json();
    let choice = &response["choices"][0];
    let calls = choice["message"]["tool_calls"].as_array().unwrap();
    assert_eq!((&calls[0]["id"], &calls[1]["id"]), (&json!("call_a"), &json!("call_b")));
    assert_eq!(calls[0]["type"], "function");
    assert_eq!(choice["finish_reason"], "tool_calls");
    let usage = json!({ "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 });
    assert_eq!(response["usage"], usage);
}

#[tokio::test]
async fn results_of_openai_clients_name_their_tool_before_an_ollama() {
    let stage = Stage::with(OLLAMA).await;
    let call = |id: &str, name: &str| json!({ "id": id, "type": "function", "function": { "name": name, "arguments": "{}" } });
    let body = json!({ "model": "m", "messages": [
        { "role": "user", "content": "Both, please." },
        { "role": "assistant", "content": null, "reasoning_content": "hm",
          "tool_calls": [call("a", "weather"), call("b", "time")] },
        { "role": "tool", "tool_call_id": "b", "content": "noon" },
        { "role": "tool", "tool_call_id": "a", "content": "sunny" },
    ] });
    stage.post("/v1/chat/completions", &body.to_string()).memory("m").response().await;
    let sent = stage.upstream.last().json();
    let tools: Vec<&Value> = sent["messages"].as_array().unwrap()[2..].iter().collect();
    assert_eq!((&tools[0]["tool_name"], &tools[0]["tool_call_id"]), (&json!("time"), &json!("b")));
    assert_eq!(
        (&tools[1]["tool_name"], &tools[1]["tool_call_id"]),
        (&json!("weather"), &json!("a"))
    );
    assert_eq!(sent["messages"][1]["thinking"], "hm");
    assert_eq!(sent["messages"][1]["tool_calls"][1]["id"], "b");
}

#[tokio::test]
async fn results_of_ollama_clients_answer_the_call_they_belong_to() {
    let stage = Stage::with(OPENAI).await;
    let body = json!({ "model": "m", "stream": false, "messages": [
        { "role": "user", "content": "Both, please." },
        assistant("", &json!([ollama_call("weather", "Porto"), ollama_call("time", "Rome")])),
        { "role": "tool", "tool_name": "time", "content": "noon" },
        { "role": "tool", "tool_name": "weather", "content": "sunny" },
        { "role": "assistant", "content": "Sunny at noon." },
        { "role": "user", "content": "And again?" },
        assistant("", &json!([ollama_call("weather", "Porto"), ollama_call("weather", "Rome")])),
        { "role": "tool", "content": "rain" },
        { "role": "tool", "content": "fog" },
    ] });
    stage.post("/api/chat", &body.to_string()).memory("m").response().await;
    let sent = stage.upstream.last().json();
    let made =
        |message: usize, call: usize| sent["messages"][message]["tool_calls"][call]["id"].clone();
    let answered = |message: usize| sent["messages"][message]["tool_call_id"].clone();
    assert_eq!((answered(2), answered(3)), (made(1, 1), made(1, 0)));
    assert_eq!((answered(7), answered(8)), (made(6, 0), made(6, 1)));
    let ids = [made(1, 0), made(1, 1), made(6, 0), made(6, 1)];
    assert!(ids.iter().all(|id| ids.iter().filter(|other| *other == id).count() == 1), "{ids:?}");
}

#[tokio::test]
async fn streamed_calls_of_openai_reach_ollama_clients_whole_and_apart() {
    let stage = Stage::with(OPENAI).await;
    let piece = |index: u64, id: Option<&str>, name: Option<&str>, arguments: &str| {
        let function = json!({ "name": name, "arguments": arguments });
        let call = json!({ "index": index, "id": id, "type": "function", "function": function });
        json!({ "id": "c1", "created": 1_748_779_200, "model": "gpt", "choices": [
            { "index": 0, "delta": { "tool_calls": [call] }, "finish_reason": null }] })
    };
    let finish = json!({ "id": "c1", "created": 1_748_779_200, "model": "gpt", "choices": [
        { "index": 0, "delta": {}, "finish_reason": "tool_calls" }] });
    let usage = json!({ "id": "c1", "model": "gpt", "choices": [],
        "usage": { "prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5 } });
    let thought = json!({ "model": "gpt", "choices": [
        { "index": 0, "delta": { "reasoning": "hm" }, "finish_reason": null }] });
    let all = [
        thought,
        piece(0, Some("call_a"), Some("weather"), ""),
        piece(1, Some("call_b"), Some("weather"), "{\"city\""),
        piece(0, None, None, "{\"city\":\"Porto\"}"),
        piece(1, None, None, ":\"Rome\"}"),
        finish,
        usage,
    ];
    let mut events: Vec<String> = all.iter().map(|event| format!("data: {event}\n\n")).collect();
    events.push("data: [DONE]\n\n".into());
    let pieces: Vec<&str> = events.iter().map(String::as_str).collect();
    stage.upstream.answers(Script::stream("text/event-stream", &pieces));
    let response = stage.post("/api/chat", &ask(true)).memory("m").response().await;
    let lines = lines(&response.text);
    assert_eq!(lines[0]["message"]["thinking"], "hm");
    let call = |index: usize, id: &str, city: &str| {
        let arguments = json!({ "city": city });
        json!({ "id": id, "function": { "index": index, "name": "weather", "arguments": arguments } })
    };
    let expected = json!([call(0, "call_a", "Porto"), call(1, "call_b", "Rome")]);
    assert_eq!((&lines[1]["message"]["tool_calls"], &lines[1]["done"]), (&expected, &json!(false)));
    let last = &lines[2];
    assert_eq!((&last["done"], &last["done_reason"]), (&json!(true), &json!("stop")));
    assert_eq!((&last["prompt_eval_count"], &last["eval_count"]), (&json!(3), &json!(2)));
    assert!(last["eval_duration"].as_u64().unwrap() > 0, "clients divide by it");
    assert_eq!(lines.len(), 3);
}

#[tokio::test]
async fn an_upstream_that_does_not_count_its_calls_is_understood() {
    let stage = Stage::with(OPENAI).await;
    let call = |id: &str, city: &str| {
        let arguments = json!({ "city": city }).to_string();
        let function = json!({ "name": "weather", "arguments": arguments });
        let call = json!({ "index": 0, "id": id, "type": "function", "function": function });
        let choice = json!({ "index": 0, "delta": { "tool_calls": [call] } });
        format!("data: {}\n\n", json!({ "choices": [choice] }))
    };
    let events = [call("a", "Porto"), call("b", "Rome"), "data: [DONE]\n\n".into()];
    stage
        .upstream
        .answers(Script::stream("text/event-stream", &events.each_ref().map(String::as_str)));
    let response = stage.post("/api/chat", &ask(true)).memory("m").response().await;
    let calls = lines(&response.text)[0]["message"]["tool_calls"].clone();
    assert_eq!(calls[0]["function"]["arguments"]["city"], "Porto");
    assert_eq!(calls[1]["function"]["arguments"]["city"], "Rome");
}

#[tokio::test]
async fn images_keep_their_type_and_one_that_cannot_be_fetched_is_refused() {
    let stage = Stage::with(OPENAI).await;
    let images = json!(["/9j/4AAQ", "iVBORw0K", "R0lGODlh", "UklGRg", "data:image/bmp;base64,Qk0"]);
    let user = json!({ "role": "user", "content": "What is it?", "images": images });
    let body = json!({ "model": "m", "stream": false, "messages": [user] }).to_string();
    stage.post("/api/chat", &body).memory("m").response().await;
    let sent = stage.upstream.last().json();
    let url = |at: usize| sent["messages"][0]["content"][at]["image_url"]["url"].clone();
    assert_eq!(url(1), "data:image/jpeg;base64,/9j/4AAQ");
    assert_eq!(url(2), "data:image/png;base64,iVBORw0K");
    assert_eq!(url(3), "data:image/gif;base64,R0lGODlh");
    assert_eq!(url(4), "data:image/webp;base64,UklGRg");
    assert_eq!(url(5), "data:image/bmp;base64,Qk0");

    let stage = Stage::with(OLLAMA).await;
    let image = json!({ "type": "image_url", "image_url": { "url": "https://example.org/a.png" } });
    let user = json!({ "role": "user", "content": [{ "type": "text", "text": "Look." }, image] });
    let body = json!({ "model": "m", "messages": [user] }).to_string();
    let response = stage.post("/v1/chat/completions", &body).memory("m").response().await;
    assert_eq!((response.status, stage.upstream.sent().len()), (400, 0));
    let message = response.json()["error"]["message"].as_str().unwrap().to_owned();
    assert!(message.contains("messages[0]") && message.contains("base64"), "{message}");
}

#[tokio::test]
async fn settings_have_the_form_the_other_language_wants() {
    let stage = Stage::with(OLLAMA).await;
    let body = json!({
        "model": "m", "stop": "END", "max_completion_tokens": 5, "reasoning_effort": "low",
        "tools": [{ "type": "function", "function": { "name": "f" } }], "tool_choice": "none",
        "response_format": { "type": "json_schema", "json_schema": { "name": "x", "schema": { "type": "object" } } },
        "messages": [{ "role": "user", "content": "hi", "name": "ana" }],
    });
    stage.post("/v1/chat/completions", &body.to_string()).memory("m").response().await;
    let sent = stage.upstream.last().json();
    assert_eq!(sent["options"], json!({ "stop": ["END"], "num_predict": 5 }));
    assert_eq!((&sent["think"], &sent["format"]), (&json!("low"), &json!({ "type": "object" })));
    assert_eq!((&sent["tools"], &sent["messages"][0]["tool_name"]), (&Value::Null, &Value::Null));

    let stage = Stage::with(OPENAI).await;
    let body = json!({
        "model": "m", "stream": false, "think": "high", "options": { "num_predict": -1, "stop": ["END"] },
        "format": "json", "messages": [{ "role": "user", "content": "hi" }],
    });
    stage.post("/api/chat", &body.to_string()).memory("m").response().await;
    let sent = stage.upstream.last().json();
    assert_eq!((&sent["max_tokens"], &sent["stop"]), (&Value::Null, &json!(["END"])));
    assert_eq!(
        (&sent["reasoning_effort"], &sent["response_format"]),
        (&json!("high"), &json!({ "type": "json_object" }))
    );
}
