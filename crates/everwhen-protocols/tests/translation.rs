//! Every protocol before every other: one chat with instructions, an image, thoughts, two calls of
//! tools at once and their results, as each provider's API has it.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::time::Instant;

use everwhen_protocols::{
    ChatReply, ChatRequest, Event, Framing, Part, Protocol, ReplyFormat, ReplyId, ReplyStream,
    Role, StopReason, ToolChoice, Translation, Usage,
};
use jiff::Timestamp;
use serde_json::{Value, json};

const IMAGE: &str = "iVBORw0KGgo";

fn id() -> ReplyId {
    ReplyId {
        number: "7-1".into(),
        model: "m".into(),
        asked_at: Timestamp::from_second(1_748_779_200).unwrap(),
        since: Instant::now(),
    }
}

/// The same request in each protocol.
fn request(protocol: Protocol) -> Value {
    let schema = json!({ "type": "object", "properties": { "city": { "type": "string" } } });
    match protocol {
        Protocol::OpenAi => openai_request(&schema),
        Protocol::Ollama => ollama_request(&schema),
        Protocol::Anthropic => anthropic_request(&schema),
        Protocol::Gemini => gemini_request(&schema),
    }
}

fn openai_request(schema: &Value) -> Value {
    json!({
        "model": "m", "temperature": 0.5, "max_tokens": 90, "stop": ["END"],
        "tool_choice": "required",
        "tools": [{ "type": "function", "function": {
            "name": "weather", "description": "The weather", "parameters": schema } }],
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": [
                { "type": "text", "text": "Where is this, and how is the weather there?" },
                { "type": "image_url",
                  "image_url": { "url": format!("data:image/png;base64,{IMAGE}") } } ] },
            { "role": "assistant", "content": "Let me see.", "tool_calls": [
                { "id": "a", "type": "function",
                  "function": { "name": "weather", "arguments": "{\"city\":\"Porto\"}" } },
                { "id": "b", "type": "function",
                  "function": { "name": "weather", "arguments": "{\"city\":\"Rome\"}" } } ] },
            { "role": "tool", "tool_call_id": "a", "content": "sunny" },
            { "role": "tool", "tool_call_id": "b", "content": "rain" },
        ],
    })
}

fn ollama_request(schema: &Value) -> Value {
    json!({
        "model": "m", "stream": false,
        "options": { "temperature": 0.5, "num_predict": 90, "stop": ["END"] },
        "tools": [{ "type": "function", "function": {
            "name": "weather", "description": "The weather", "parameters": schema } }],
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "Where is this, and how is the weather there?",
              "images": [IMAGE] },
            { "role": "assistant", "content": "Let me see.", "tool_calls": [
                { "id": "a", "function": { "name": "weather", "arguments": { "city": "Porto" } } },
                { "id": "b", "function": { "name": "weather", "arguments": { "city": "Rome" } } } ] },
            { "role": "tool", "tool_name": "weather", "tool_call_id": "a", "content": "sunny" },
            { "role": "tool", "tool_name": "weather", "tool_call_id": "b", "content": "rain" },
        ],
    })
}

fn anthropic_request(schema: &Value) -> Value {
    json!({
        "model": "m", "temperature": 0.5, "max_tokens": 90, "stop_sequences": ["END"],
        "tool_choice": { "type": "any" }, "system": "Be brief.",
        "tools": [{ "name": "weather", "description": "The weather", "input_schema": schema }],
        "messages": [
            { "role": "user", "content": [
                { "type": "text", "text": "Where is this, and how is the weather there?" },
                { "type": "image", "source": {
                    "type": "base64", "media_type": "image/png", "data": IMAGE } } ] },
            { "role": "assistant", "content": [
                { "type": "text", "text": "Let me see." },
                { "type": "tool_use", "id": "a", "name": "weather", "input": { "city": "Porto" } },
                { "type": "tool_use", "id": "b", "name": "weather", "input": { "city": "Rome" } } ] },
            { "role": "user", "content": [
                { "type": "tool_result", "tool_use_id": "a", "content": "sunny" },
                { "type": "tool_result", "tool_use_id": "b", "content": "rain" } ] },
        ],
    })
}

fn gemini_request(schema: &Value) -> Value {
    json!({
        "systemInstruction": { "parts": [{ "text": "Be brief." }] },
        "generationConfig": { "temperature": 0.5, "maxOutputTokens": 90, "stopSequences": ["END"] },
        "toolConfig": { "functionCallingConfig": { "mode": "ANY" } },
        "tools": [{ "functionDeclarations": [
            { "name": "weather", "description": "The weather", "parametersJsonSchema": schema } ] }],
        "contents": [
            { "role": "user", "parts": [
                { "text": "Where is this, and how is the weather there?" },
                { "inlineData": { "mimeType": "image/png", "data": IMAGE } } ] },
            { "role": "model", "parts": [
                { "text": "Let me see." },
                { "functionCall": { "id": "a", "name": "weather", "args": { "city": "Porto" } } },
                { "functionCall": { "id": "b", "name": "weather", "args": { "city": "Rome" } } } ] },
            { "role": "user", "parts": [
                { "functionResponse": { "id": "a", "name": "weather", "response": { "result": "sunny" } } },
                { "functionResponse": { "id": "b", "name": "weather", "response": { "result": "rain" } } } ] },
        ],
    })
}

fn translation(
    (client, upstream): (Protocol, Protocol),
    body: &Value,
    streams: bool,
) -> Translation {
    Translation::new((client, upstream), body, ("m", streams, Some("alt=sse")), id())
}

fn pairs() -> impl Iterator<Item = (Protocol, Protocol)> {
    let all = Protocol::ALL.into_iter();
    all.flat_map(|a| Protocol::ALL.into_iter().map(move |b| (a, b))).filter(|(a, b)| a != b)
}

#[test]
fn a_request_of_each_protocol_is_the_same_request_in_every_other() {
    for (client, upstream) in pairs() {
        let sent = translation((client, upstream), &request(client), false).request().unwrap();
        let sent: Value = serde_json::from_str(&sent).unwrap();
        let mut expected = request(upstream);
        if client == Protocol::Ollama {
            // Ollama's requests do not say which tools have to be called.
            for field in ["tool_choice", "toolConfig"] {
                expected.as_object_mut().unwrap().remove(field);
            }
        }
        assert_eq!(sent, expected, "{client:?} before {upstream:?}");
    }
}

#[test]
fn results_without_ids_find_their_calls() {
    let mut body = request(Protocol::Gemini);
    for (content, field) in [(1, "functionCall"), (2, "functionResponse")] {
        for part in body["contents"][content]["parts"].as_array_mut().unwrap() {
            if let Some(call) = part.get_mut(field).and_then(Value::as_object_mut) {
                call.remove("id");
            }
        }
    }
    let sent = translation((Protocol::Gemini, Protocol::OpenAi), &body, false).request().unwrap();
    let sent: Value = serde_json::from_str(&sent).unwrap();
    let made = |at: usize| sent["messages"][2]["tool_calls"][at]["id"].clone();
    assert_ne!(made(0), made(1));
    assert_eq!(
        (&sent["messages"][3]["tool_call_id"], &sent["messages"][4]["tool_call_id"]),
        (&made(0), &made(1))
    );
}

#[test]
fn what_an_upstream_cannot_be_asked_is_refused() {
    let by_address = json!({ "model": "m", "messages": [{ "role": "user", "content": [
        { "type": "text", "text": "Look." },
        { "type": "image_url", "image_url": { "url": "https://example.org/a.png" } } ] }] });
    for (upstream, works) in
        [(Protocol::Ollama, false), (Protocol::Gemini, false), (Protocol::Anthropic, true)]
    {
        let asked = translation((Protocol::OpenAi, upstream), &by_address, false).request();
        assert_eq!(asked.is_ok(), works, "{upstream:?}: {asked:?}");
    }
    let audio = json!({ "model": "m", "messages": [{ "role": "user", "content": [
        { "type": "input_audio", "input_audio": { "data": "x", "format": "wav" } } ] }] });
    for upstream in [Protocol::Ollama, Protocol::Gemini, Protocol::Anthropic] {
        let refused = translation((Protocol::OpenAi, upstream), &audio, false).request();
        assert!(refused.unwrap_err().0.contains("messages[0]"), "{upstream:?}");
    }
}

/// The same reply in each protocol, with thoughts, a text and two calls.
fn reply(protocol: Protocol) -> Value {
    match protocol {
        Protocol::OpenAi => json!({
            "id": "chatcmpl-1", "object": "chat.completion", "created": 1_748_779_200, "model": "m",
            "choices": [{ "index": 0, "finish_reason": "tool_calls", "message": {
                "role": "assistant", "content": "I look.", "reasoning_content": "Hm.",
                "tool_calls": [
                    { "id": "a", "type": "function",
                      "function": { "name": "weather", "arguments": "{\"city\":\"Porto\"}" } },
                    { "id": "b", "type": "function",
                      "function": { "name": "weather", "arguments": "{\"city\":\"Rome\"}" } } ] } }],
            "usage": { "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 },
        }),
        Protocol::Ollama => json!({
            "model": "m", "created_at": "2025-06-01T12:00:00Z", "done": true, "done_reason": "stop",
            "prompt_eval_count": 11, "eval_count": 7,
            "message": { "role": "assistant", "content": "I look.", "thinking": "Hm.", "tool_calls": [
                { "id": "a", "function": { "name": "weather", "arguments": { "city": "Porto" } } },
                { "id": "b", "function": { "name": "weather", "arguments": { "city": "Rome" } } } ] },
        }),
        Protocol::Anthropic => json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "stop_reason": "tool_use", "stop_sequence": null,
            "content": [
                { "type": "thinking", "thinking": "Hm.", "signature": "s" },
                { "type": "text", "text": "I look." },
                { "type": "tool_use", "id": "a", "name": "weather", "input": { "city": "Porto" } },
                { "type": "tool_use", "id": "b", "name": "weather", "input": { "city": "Rome" } } ],
            "usage": { "input_tokens": 11, "output_tokens": 7 },
        }),
        Protocol::Gemini => json!({
            "candidates": [{ "index": 0, "finishReason": "STOP", "content": { "role": "model", "parts": [
                { "text": "Hm.", "thought": true },
                { "text": "I look." },
                { "functionCall": { "id": "a", "name": "weather", "args": { "city": "Porto" } } },
                { "functionCall": { "id": "b", "name": "weather", "args": { "city": "Rome" } } } ] } }],
            "usageMetadata": { "promptTokenCount": 11, "candidatesTokenCount": 5,
                "thoughtsTokenCount": 2, "totalTokenCount": 18 },
            "modelVersion": "m", "responseId": "r",
        }),
    }
}

/// The same reply in pieces, as each provider sends it.
fn stream(protocol: Protocol) -> (Framing, String) {
    match protocol {
        Protocol::OpenAi => openai_stream(),
        Protocol::Ollama => ollama_stream(),
        Protocol::Anthropic => anthropic_stream(),
        Protocol::Gemini => gemini_stream(),
    }
}

fn sse(events: &[Value]) -> String {
    events.iter().map(|event| format!("data: {event}\n\n")).collect()
}

fn openai_stream() -> (Framing, String) {
    let chunk = |delta: Value, finish: Value| {
        json!({ "model": "m", "created": 1_748_779_200, "choices": [
                    { "index": 0, "delta": delta, "finish_reason": finish }] })
    };
    let call = |index: u64, id: &str| {
        chunk(
            json!({ "tool_calls": [{ "index": index, "id": id, "type": "function",
                    "function": { "name": "weather", "arguments": "" } }] }),
            Value::Null,
        )
    };
    let rest = |index: u64, text: &str| {
        chunk(
            json!({ "tool_calls": [{ "index": index, "function": { "arguments": text } }] }),
            Value::Null,
        )
    };
    let events = [
        chunk(json!({ "role": "assistant", "content": "" }), Value::Null),
        chunk(json!({ "reasoning_content": "Hm." }), Value::Null),
        chunk(json!({ "content": "I " }), Value::Null),
        chunk(json!({ "content": "look." }), Value::Null),
        call(0, "a"),
        call(1, "b"),
        rest(1, "{\"city\""),
        rest(0, "{\"city\":\"Porto\"}"),
        rest(1, ":\"Rome\"}"),
        chunk(json!({}), json!("tool_calls")),
        json!({ "model": "m", "choices": [], "usage": {
                    "prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18 } }),
    ];
    (Framing::Sse, sse(&events) + "data: [DONE]\n\n")
}

fn ollama_stream() -> (Framing, String) {
    let line = |message: Value| json!({ "model": "m", "created_at": "2025-06-01T12:00:00Z", "message": message, "done": false });
    let call = |id: &str, city: &str| {
        line(json!({ "role": "assistant", "content": "", "tool_calls": [
                { "id": id, "function": { "name": "weather", "arguments": { "city": city } } }] }))
    };
    let mut last = line(json!({ "role": "assistant", "content": "" }));
    last["done"] = json!(true);
    last["done_reason"] = json!("stop");
    (last["prompt_eval_count"], last["eval_count"]) = (json!(11), json!(7));
    let lines = [
        line(json!({ "role": "assistant", "content": "", "thinking": "Hm." })),
        line(json!({ "role": "assistant", "content": "I " })),
        line(json!({ "role": "assistant", "content": "look." })),
        call("a", "Porto"),
        call("b", "Rome"),
        last,
    ];
    (Framing::Lines, lines.iter().map(|line| format!("{line}\n")).collect())
}

fn anthropic_stream() -> (Framing, String) {
    let block = |index: u64, block: Value| json!({ "type": "content_block_start", "index": index, "content_block": block });
    let delta = |index: u64, delta: Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    let stop = |index: u64| json!({ "type": "content_block_stop", "index": index });
    let tool = |index: u64, id: &str, city: &str| {
        [
            block(index, json!({ "type": "tool_use", "id": id, "name": "weather", "input": {} })),
            delta(index, json!({ "type": "input_json_delta", "partial_json": "{\"city\":" })),
            delta(
                index,
                json!({ "type": "input_json_delta", "partial_json": format!("\"{city}\"}}") }),
            ),
            stop(index),
        ]
    };
    let mut events = vec![
        json!({ "type": "message_start", "message": { "model": "m", "content": [],
                    "usage": { "input_tokens": 11, "output_tokens": 1 } } }),
        block(0, json!({ "type": "thinking", "thinking": "", "signature": "" })),
        json!({ "type": "ping" }),
        delta(0, json!({ "type": "thinking_delta", "thinking": "Hm." })),
        delta(0, json!({ "type": "signature_delta", "signature": "s" })),
        stop(0),
        block(1, json!({ "type": "text", "text": "" })),
        delta(1, json!({ "type": "text_delta", "text": "I " })),
        delta(1, json!({ "type": "text_delta", "text": "look." })),
        stop(1),
    ];
    events.extend(tool(2, "a", "Porto"));
    events.extend(tool(3, "b", "Rome"));
    events.push(json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" },
                "usage": { "output_tokens": 7 } }));
    events.push(json!({ "type": "message_stop" }));
    let named =
        |event: &Value| format!("event: {}\ndata: {event}\n\n", event["type"].as_str().unwrap());
    (Framing::Sse, events.iter().map(named).collect())
}

fn gemini_stream() -> (Framing, String) {
    let chunk = |parts: Value| {
        json!({ "candidates": [{ "content": { "role": "model", "parts": parts }, "index": 0 }],
                "usageMetadata": { "promptTokenCount": 11 }, "modelVersion": "m" })
    };
    let mut last = chunk(json!([
                { "functionCall": { "id": "a", "name": "weather", "args": { "city": "Porto" } } },
                { "functionCall": { "id": "b", "name": "weather", "args": { "city": "Rome" } } } ]));
    last["candidates"][0]["finishReason"] = json!("STOP");
    last["usageMetadata"] = json!({ "promptTokenCount": 11, "candidatesTokenCount": 5,
                "thoughtsTokenCount": 2, "totalTokenCount": 18 });
    let events = [
        chunk(json!([{ "text": "Hm.", "thought": true }])),
        chunk(json!([{ "text": "I " }])),
        chunk(json!([{ "text": "look." }])),
        last,
    ];
    (Framing::Sse, sse(&events).replace('\n', "\r\n"))
}

/// What a reply says, whatever its protocol tells besides.
fn essence(mut reply: ChatReply) -> ChatReply {
    let usage = reply.usage.unwrap();
    reply.usage = Some(Usage { reasoning: 0, ..usage });
    // Ollama's and Gemini's replies with calls end as others do.
    reply.stop = Some(StopReason::ToolCalls);
    reply.created = None;
    reply
}

fn expected() -> ChatReply {
    essence(Protocol::OpenAi.adapter().read_reply(&reply(Protocol::OpenAi)).unwrap())
}

#[test]
fn a_whole_reply_of_each_protocol_is_the_same_reply_in_every_other() {
    for (client, upstream) in pairs() {
        let translation = translation((client, upstream), &request(client), false);
        let translated: Value =
            serde_json::from_str(&translation.whole(&reply(upstream).to_string())).unwrap();
        let read = client.adapter().read_reply(&translated).unwrap();
        assert_eq!(essence(read), expected(), "{client:?} before {upstream:?}: {translated}");
    }
}

/// A streamed reply as a client of this protocol reads it.
fn read_stream(protocol: Protocol, framing: Framing, text: &str) -> ChatReply {
    let mut stream = ReplyStream::new(protocol, framing);
    stream.push(text.as_bytes());
    stream.finish();
    let mut read = ChatReply::default();
    let mut indexes: Vec<Option<u64>> = Vec::new();
    while let Some(event) = stream.next_event() {
        read.model = read.model.or(event.model);
        read.text.push_str(&event.text);
        read.thinking.push_str(&event.thinking);
        read.stop = event.stop.or(read.stop);
        read.usage =
            event.usage.map(|usage| usage.max(read.usage.unwrap_or_default())).or(read.usage);
        for piece in event.calls {
            match indexes.iter().position(|index| index.is_some() && *index == piece.index) {
                Some(place) => read.calls[place].arguments.push_str(&piece.call.arguments),
                None => {
                    indexes.push(piece.index);
                    read.calls.push(piece.call);
                }
            }
        }
    }
    read
}

#[test]
fn a_streamed_reply_of_each_protocol_is_the_same_reply_in_every_other() {
    for (client, upstream) in pairs() {
        let mut body = request(client);
        if client == Protocol::OpenAi {
            body["stream_options"] = json!({ "include_usage": true });
        }
        let translation = translation((client, upstream), &body, true);
        let (framing, text) = stream(upstream);
        assert_eq!(translation.framing(Some(framing.content_type())), Some(framing));
        for size in [1, 50, 100_000] {
            let mut translator = translation.events(framing);
            let mut translated: String =
                text.as_bytes().chunks(size).map(|piece| translator.push(piece)).collect();
            let (rest, is_whole) = translator.end();
            translated.push_str(&rest);
            assert!(is_whole);
            let read = read_stream(client, translation.client_framing(), &translated);
            assert_eq!(essence(read), expected(), "{client:?} before {upstream:?}: {translated}");
        }
    }
}

#[test]
fn texts_in_parts_are_read_from_upstreams_like_openai() {
    let parts = json!([
        { "type": "thinking", "thinking": [{ "type": "text", "text": "Hm." }] },
        { "type": "text", "text": "I" }, { "type": "text", "text": " look." },
    ]);
    let adapter = Protocol::OpenAi.adapter();
    let whole = json!({ "choices": [{ "message": { "content": parts } }] });
    assert_eq!(adapter.read_reply(&whole).unwrap().text, "I\n look.");
    let piece = json!({ "choices": [{ "index": 0, "delta": { "content": parts } }] });
    assert_eq!(adapter.read_event(&piece).text, "I look.");
    let refusal = json!({ "choices": [{ "index": 0, "delta": { "refusal": "No." } }] });
    assert_eq!(adapter.read_event(&refusal).text, "No.");
}

#[test]
fn a_stream_that_is_cut_off_is_not_whole() {
    for (client, upstream) in pairs() {
        let (framing, text) = stream(upstream);
        let mut translator =
            translation((client, upstream), &request(client), true).events(framing);
        translator.push(&text.as_bytes()[..text.len() / 3]);
        assert!(!translator.end().1, "{client:?} before {upstream:?}");
    }
}

#[test]
fn an_upstream_that_answers_whole_is_told_in_pieces_to_those_who_want_pieces() {
    for (client, upstream) in pairs() {
        let mut body = request(client);
        body["stream_options"] = json!({ "include_usage": true });
        let translation = translation((client, upstream), &body, true);
        let translated = translation.whole_as_events(&reply(upstream).to_string());
        let read = read_stream(client, translation.client_framing(), &translated);
        assert_eq!(essence(read), expected(), "{client:?} before {upstream:?}: {translated}");
    }
}

#[test]
fn reasons_to_stop_keep_their_meaning() {
    let mut whole = reply(Protocol::Gemini);
    whole["candidates"][0]["content"]["parts"] = json!([{ "text": "Once" }]);
    for (said, openai, anthropic, ollama) in [
        ("STOP", "stop", "end_turn", "stop"),
        ("MAX_TOKENS", "length", "max_tokens", "length"),
        ("SAFETY", "content_filter", "refusal", "stop"),
        ("PROHIBITED_CONTENT", "content_filter", "refusal", "stop"),
    ] {
        whole["candidates"][0]["finishReason"] = json!(said);
        let translated = |client| -> Value {
            let translation = translation((client, Protocol::Gemini), &request(client), false);
            serde_json::from_str(&translation.whole(&whole.to_string())).unwrap()
        };
        assert_eq!(translated(Protocol::OpenAi)["choices"][0]["finish_reason"], openai);
        assert_eq!(translated(Protocol::Anthropic)["stop_reason"], anthropic);
        assert_eq!(translated(Protocol::Ollama)["done_reason"], ollama);
    }
    for (said, gemini) in [("stop", "STOP"), ("length", "MAX_TOKENS"), ("content_filter", "SAFETY")]
    {
        let mut whole = reply(Protocol::OpenAi);
        whole["choices"][0]["message"] = json!({ "role": "assistant", "content": "Once" });
        whole["choices"][0]["finish_reason"] = json!(said);
        let translation = translation((Protocol::Gemini, Protocol::OpenAi), &json!({}), false);
        let translated: Value =
            serde_json::from_str(&translation.whole(&whole.to_string())).unwrap();
        assert_eq!(translated["candidates"][0]["finishReason"], gemini);
    }
    let blocked = json!({ "promptFeedback": { "blockReason": "SAFETY" }, "modelVersion": "m" });
    let read = Protocol::Gemini.adapter().read_reply(&blocked).unwrap();
    assert_eq!((read.stop, read.text.as_str()), (Some(StopReason::Filtered), ""));
}

#[test]
fn errors_have_the_shape_of_the_client() {
    let gemini =
        json!({ "error": { "code": 429, "message": "slow down", "status": "RESOURCE_EXHAUSTED" } });
    for (client, upstream) in pairs() {
        let translation = translation((client, upstream), &request(client), false);
        let said = if upstream == Protocol::Ollama {
            json!({ "error": "slow down" })
        } else {
            gemini.clone()
        };
        let translated: Value =
            serde_json::from_str(&translation.error(429, &said.to_string())).unwrap();
        assert!(translated.to_string().contains("slow down"), "{translated}");
        if client == Protocol::Gemini {
            assert_eq!(
                (&translated["error"]["code"], &translated["error"]["status"]),
                (&json!(429), &json!("RESOURCE_EXHAUSTED"))
            );
        }
    }
    // Without `alt=sse` an error of Gemini's stands in an array.
    let translation =
        translation((Protocol::OpenAi, Protocol::Gemini), &request(Protocol::OpenAi), true);
    assert!(translation.error(429, &json!([gemini]).to_string()).contains("slow down"));
}

#[test]
fn a_schema_for_the_reply_reaches_every_protocol() {
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let format =
        json!({ "type": "json_schema", "json_schema": { "name": "number", "schema": schema } });
    let body = json!({ "model": "m", "messages": [{ "role": "user", "content": "hi" }], "response_format": format });
    let sent = |upstream| -> Value {
        let sent = translation((Protocol::OpenAi, upstream), &body, false).request().unwrap();
        serde_json::from_str(&sent).unwrap()
    };
    assert_eq!(sent(Protocol::Ollama)["format"], schema);
    let gemini = sent(Protocol::Gemini);
    assert_eq!(
        gemini["generationConfig"],
        json!({ "responseMimeType": "application/json", "responseJsonSchema": schema })
    );
    let anthropic = sent(Protocol::Anthropic);
    assert_eq!(anthropic["tool_choice"], json!({ "type": "tool", "name": "number" }));
    // There the reply is the input of a tool; the client reads a text.
    let whole = json!({ "type": "message", "model": "m", "stop_reason": "tool_use", "content": [
        { "type": "tool_use", "id": "t", "name": "number", "input": { "n": 1 } }] });
    let translation = translation((Protocol::OpenAi, Protocol::Anthropic), &body, false);
    let translated: Value = serde_json::from_str(&translation.whole(&whole.to_string())).unwrap();
    let choice = &translated["choices"][0];
    assert_eq!(
        (&choice["message"]["content"], &choice["finish_reason"]),
        (&json!("{\"n\":1}"), &json!("stop"))
    );
    // Google writes types in capitals.
    let google = json!({ "contents": [], "generationConfig": { "responseMimeType": "application/json",
        "responseSchema": { "type": "OBJECT", "properties": { "n": { "type": "INTEGER" } } } } });
    let read = Protocol::Gemini.adapter().read_request(&google);
    assert!(
        matches!(read.format, Some(ReplyFormat::Schema { schema: read, .. }) if read == schema)
    );
}

#[test]
fn gemini_is_read_in_both_spellings_and_without_lists() {
    let body = json!({
        "system_instruction": { "parts": { "text": "Be brief." } },
        "contents": { "parts": [{ "inline_data": { "mime_type": "image/png", "data": IMAGE } }, { "text": "hi" }] },
        "tool_config": { "function_calling_config": { "mode": "any", "allowed_function_names": ["f"] } },
        "generation_config": { "top_p": 0.5, "thinking_config": { "thinking_budget": 0 } },
    });
    let read: ChatRequest = Protocol::Gemini.adapter().read_request(&body);
    assert_eq!((read.messages[0].role, read.messages[1].role), (Role::System, Role::User));
    assert!(
        matches!(&read.messages[1].parts[0], Part::Image { media_type, .. } if media_type == "image/png")
    );
    assert_eq!(read.tool_choice, Some(ToolChoice::Named("f".into())));
    assert_eq!((read.sampling.top_p, read.effort.as_deref()), (Some(json!(0.5)), Some("none")));
}

#[test]
fn signatures_of_calls_travel_back_to_gemini() {
    let whole = json!({ "candidates": [{ "content": { "parts": [
        { "functionCall": { "name": "f", "args": {} }, "thoughtSignature": "sig" }] }, "finishReason": "STOP" }] });
    let to_gemini = |body: &Value, model: &str| -> Value {
        let translation = Translation::new(
            (Protocol::OpenAi, Protocol::Gemini),
            body,
            (model, false, None),
            id(),
        );
        serde_json::from_str(&translation.request().unwrap()).unwrap()
    };
    let translation = translation((Protocol::OpenAi, Protocol::Gemini), &json!({}), false);
    let translated: Value = serde_json::from_str(&translation.whole(&whole.to_string())).unwrap();
    let mut message = translated["choices"][0]["message"].clone();
    let body = json!({ "messages": [message] });
    assert_eq!(
        to_gemini(&body, "gemini-3-pro")["contents"][0]["parts"][0]["thoughtSignature"],
        "sig"
    );
    // Clients that drop what they do not know still work: newer models get an explicit note that there is none.
    message["tool_calls"][0].as_object_mut().unwrap().remove("extra_content");
    let body = json!({ "messages": [message] });
    let part = |model| to_gemini(&body, model)["contents"][0]["parts"][0].clone();
    assert_eq!(part("gemini-3-pro")["thoughtSignature"], "skip_thought_signature_validator");
    assert_eq!(part("gemini-2.5-flash").get("thoughtSignature"), None);
}

#[test]
fn effort_has_the_form_each_model_takes() {
    let sent = |upstream: Protocol, model: &str, effort: &str| -> Value {
        let body = json!({ "messages": [], "reasoning_effort": effort });
        let translation =
            Translation::new((Protocol::OpenAi, upstream), &body, (model, false, None), id());
        serde_json::from_str(&translation.request().unwrap()).unwrap()
    };
    let thinking = |model: &str, effort: &str| {
        sent(Protocol::Gemini, model, effort)["generationConfig"]["thinkingConfig"].clone()
    };
    assert_eq!(thinking("gemini-2.5-flash", "none"), json!({ "thinkingBudget": 0 }));
    assert_eq!(
        thinking("gemini-2.5-flash", "low"),
        json!({ "thinkingBudget": 1024, "includeThoughts": true })
    );
    assert_eq!(
        thinking("gemini-3-pro", "low"),
        json!({ "thinkingLevel": "low", "includeThoughts": true })
    );
    assert_eq!(sent(Protocol::Ollama, "m", "none")["think"], json!(false));
}

#[test]
fn a_client_of_gemini_without_sse_gets_one_array() {
    let translation =
        Translation::new((Protocol::Gemini, Protocol::OpenAi), &json!({}), ("m", true, None), id());
    let (framing, text) = stream(Protocol::OpenAi);
    let mut translator = translation.events(framing);
    let translated = translator.push(text.as_bytes()) + &translator.end().0;
    assert_eq!(translation.content_type(true), "application/json");
    let all: Vec<Value> = serde_json::from_str(&translated).unwrap();
    assert_eq!(all.len(), 4, "{translated}");
    assert_eq!(all[3]["usageMetadata"]["totalTokenCount"], 18);
    assert_eq!(Event::new("x").name, None);
}
