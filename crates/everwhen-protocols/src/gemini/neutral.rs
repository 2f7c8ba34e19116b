//! Contents to and from the neutral chat.

use serde_json::{Value, json};

use super::{Gemini, either, listed};
use crate::chat::{set, text_of, without_nulls, write_set};
use crate::format::role;
use crate::reply::CallsSoFar;
use crate::{
    Adapter, ChatMessage, ChatRequest, Event, EventWriter, Part, ReplyEvent, ReplyFormat, ReplyId,
    Role, Sampling, StopReason, Tool, ToolCall, ToolChoice, Unsupported, Usage, tool_calls,
};

/// What Google documents for calls that another model made: newer models refuse calls without a
/// signature.
const NO_SIGNATURE: &str = "skip_thought_signature_validator";
/// How many tokens a model may think, for models that take a number.
const BUDGETS: [(&str, u64); 4] =
    [("minimal", 1024), ("low", 1024), ("medium", 8192), ("high", 24576)];

pub(super) fn read_content(content: &Value) -> ChatMessage {
    let role = content["role"].as_str().and_then(role).unwrap_or(Role::User);
    let parts = read_parts(&content["parts"]);
    let has_results = parts.iter().any(|part| matches!(part, Part::Result { .. }));
    ChatMessage { role: if has_results { Role::Tool } else { role }, parts }
}

pub(super) fn read_parts(parts: &Value) -> Vec<Part> {
    listed(parts).map(read_part).collect()
}

fn read_part(part: &Value) -> Part {
    if let Some(text) = part["text"].as_str() {
        let is_thought = part["thought"] == true;
        return if is_thought { Part::Thinking(text.into()) } else { Part::Text(text.into()) };
    }
    if let Some(call) = either(part, "functionCall", "function_call") {
        let signature = either(part, "thoughtSignature", "thought_signature");
        let args = call.get("args").filter(|args| args.is_object());
        return Part::Call(ToolCall {
            id: text_of(&call["id"]),
            name: text_of(&call["name"]),
            arguments: args.map_or_else(|| "{}".to_owned(), Value::to_string),
            signature: signature.and_then(Value::as_str).map(str::to_owned),
        });
    }
    if let Some(result) = either(part, "functionResponse", "function_response") {
        let (id, name) = (text_of(&result["id"]), text_of(&result["name"]));
        return Part::Result { id, name, content: read_response(&result["response"]) };
    }
    if let Some(data) = either(part, "inlineData", "inline_data") {
        let media_type = either(data, "mimeType", "mime_type").map(text_of).unwrap_or_default();
        if media_type.starts_with("image/") {
            return Part::Image { media_type, data: text_of(&data["data"]) };
        }
        return Part::Other(media_type);
    }
    let kind = part.as_object().and_then(|fields| fields.keys().next());
    Part::Other(kind.map_or("empty", String::as_str).to_owned())
}

/// What a tool said: the only text of the object, or the object as JSON.
fn read_response(response: &Value) -> String {
    let only = response.as_object().filter(|fields| fields.len() == 1);
    let text = only.and_then(|fields| fields.values().next()).and_then(Value::as_str);
    text.map_or_else(|| response.to_string(), str::to_owned)
}

fn write_response(content: &str) -> Value {
    match serde_json::from_str::<Value>(content) {
        Ok(object) if object.is_object() => object,
        _ => json!({ "result": content }),
    }
}

/// Results of one turn belong into one content; instructions have a place of their own.
pub(super) fn write_contents(request: &ChatRequest) -> Result<Vec<Value>, Unsupported> {
    let said = request.messages.iter().filter(|message| message.role != Role::System);
    let messages = tool_calls::with_joined_results(said.cloned().collect());
    let signs = request.model.contains("gemini-3");
    let content = |(place, message): (usize, &ChatMessage)| {
        let parts = message.parts.iter().map(|part| write_part(place, part, signs));
        let parts = parts.collect::<Result<Vec<_>, _>>()?;
        let parts: Vec<Value> = parts.into_iter().flatten().collect();
        let role = if message.role == Role::Assistant { "model" } else { "user" };
        Ok((!parts.is_empty()).then(|| json!({ "role": role, "parts": parts })))
    };
    let contents = messages.iter().enumerate().map(content).collect::<Result<Vec<_>, _>>()?;
    Ok(contents.into_iter().flatten().collect())
}

fn write_part(place: usize, part: &Part, signs: bool) -> Result<Option<Value>, Unsupported> {
    Ok(match part {
        Part::Text(text) if text.is_empty() => None,
        Part::Text(text) => Some(json!({ "text": text })),
        Part::Image { media_type, data } => {
            Some(json!({ "inlineData": { "mimeType": media_type, "data": data } }))
        }
        Part::ImageUrl(_) => return Err(Unsupported::image_url(place, Gemini.article())),
        Part::Thinking(_) => None,
        Part::Call(call) => {
            let mut part = write_call(call, &call.id);
            if signs && call.signature.is_none() {
                part["thoughtSignature"] = json!(NO_SIGNATURE);
            }
            Some(part)
        }
        Part::Result { id, name, content } => {
            let response = write_response(content);
            let result = json!({ "id": id, "name": name, "response": response });
            Some(json!({ "functionResponse": result }))
        }
        Part::Other(kind) => return Err(Unsupported::part(place, kind, Gemini.article())),
    })
}

fn write_call(call: &ToolCall, id: &str) -> Value {
    let args = call.arguments_object();
    let mut part = json!({ "functionCall": { "id": id, "name": call.name, "args": args } });
    if let Some(signature) = &call.signature {
        part["thoughtSignature"] = json!(signature);
    }
    part
}

/// Calls of a reply as parts.
pub(super) fn write_calls<'c>(
    calls: impl Iterator<Item = &'c ToolCall>,
    id: &ReplyId,
) -> Vec<Value> {
    calls.enumerate().map(|(index, call)| write_call(call, &id.call_id(index, call))).collect()
}

pub(super) fn read_tools(tools: &Value) -> Vec<Tool> {
    let declared = listed(tools).flat_map(|tool| {
        let declared = either(tool, "functionDeclarations", "function_declarations");
        listed(declared.unwrap_or(&Value::Null))
    });
    let read = |tool: &Value| {
        let exact = either(tool, "parametersJsonSchema", "parameters_json_schema").cloned();
        Some(Tool {
            name: tool["name"].as_str()?.to_owned(),
            description: set(&tool["description"]),
            parameters: exact.or_else(|| set(&tool["parameters"]).map(json_schema)),
            strict: None,
        })
    };
    declared.filter_map(read).collect()
}

/// A schema as JSON Schema has it: Google writes types in capitals.
fn json_schema(schema: Value) -> Value {
    match schema {
        Value::Object(fields) => {
            let field = |(name, value): (String, Value)| match (name.as_str(), &value) {
                ("type", Value::String(kind)) => (name, json!(kind.to_lowercase())),
                _ => (name, json_schema(value)),
            };
            Value::Object(fields.into_iter().map(field).collect())
        }
        Value::Array(items) => Value::Array(items.into_iter().map(json_schema).collect()),
        other => other,
    }
}

pub(super) fn read_choice(config: &Value) -> Option<ToolChoice> {
    let calling = either(config, "functionCallingConfig", "function_calling_config")?;
    let names = either(calling, "allowedFunctionNames", "allowed_function_names");
    let only = names.and_then(Value::as_array).filter(|names| names.len() == 1);
    match calling["mode"].as_str()?.to_uppercase().as_str() {
        "AUTO" | "VALIDATED" => Some(ToolChoice::Auto),
        "NONE" => Some(ToolChoice::None),
        "ANY" => Some(match only {
            Some(names) => ToolChoice::Named(text_of(&names[0])),
            None => ToolChoice::Required,
        }),
        _ => None,
    }
}

pub(super) fn write_tools(request: &ChatRequest, body: &mut Value) {
    if request.tools.is_empty() {
        return;
    }
    let declaration = |tool: &Tool| {
        without_nulls(json!({
            "name": tool.name, "description": tool.description,
            "parametersJsonSchema": tool.parameters,
        }))
    };
    let declarations: Vec<Value> = request.tools.iter().map(declaration).collect();
    body["tools"] = json!([{ "functionDeclarations": declarations }]);
    let calling = match &request.tool_choice {
        None => return,
        Some(ToolChoice::Auto) => json!({ "mode": "AUTO" }),
        Some(ToolChoice::None) => json!({ "mode": "NONE" }),
        Some(ToolChoice::Required) => json!({ "mode": "ANY" }),
        Some(ToolChoice::Named(name)) => json!({ "mode": "ANY", "allowedFunctionNames": [name] }),
    };
    body["toolConfig"] = json!({ "functionCallingConfig": calling });
}

pub(super) fn read_format(config: &Value) -> Option<ReplyFormat> {
    let exact = either(config, "responseJsonSchema", "response_json_schema").cloned();
    let schema = either(config, "responseSchema", "response_schema").cloned().map(json_schema);
    if let Some(schema) = exact.or(schema) {
        return Some(ReplyFormat::Schema { name: "reply".into(), schema, strict: false });
    }
    let kind = either(config, "responseMimeType", "response_mime_type")?;
    (kind == "application/json").then_some(ReplyFormat::Json)
}

pub(super) fn read_sampling(config: &Value) -> Sampling {
    let value = |camel: &str, snake: &str| either(config, camel, snake).cloned();
    let stop = either(config, "stopSequences", "stop_sequences").and_then(Value::as_array);
    Sampling {
        temperature: set(&config["temperature"]),
        top_p: value("topP", "top_p"),
        top_k: value("topK", "top_k"),
        seed: set(&config["seed"]),
        frequency_penalty: value("frequencyPenalty", "frequency_penalty"),
        presence_penalty: value("presencePenalty", "presence_penalty"),
        stop: stop.cloned().unwrap_or_default(),
        max_tokens: value("maxOutputTokens", "max_output_tokens"),
        uses_completion_limit: false,
    }
}

pub(super) fn read_effort(config: &Value) -> Option<String> {
    let thinking = either(config, "thinkingConfig", "thinking_config")?;
    let level = either(thinking, "thinkingLevel", "thinking_level").and_then(Value::as_str);
    let budget = either(thinking, "thinkingBudget", "thinking_budget").and_then(Value::as_u64);
    let of_budget = |budget: u64| {
        let known = BUDGETS.iter().skip(1).find(|(_, tokens)| budget <= *tokens);
        if budget == 0 { "none" } else { known.map_or("high", |(name, _)| name) }
    };
    level.map(str::to_lowercase).or_else(|| budget.map(|budget| of_budget(budget).to_owned()))
}

pub(super) fn write_config(request: &ChatRequest) -> Value {
    let mut config = json!({});
    let sampling = &request.sampling;
    let values = [
        ("temperature", &sampling.temperature),
        ("topP", &sampling.top_p),
        ("topK", &sampling.top_k),
        ("seed", &sampling.seed),
        ("frequencyPenalty", &sampling.frequency_penalty),
        ("presencePenalty", &sampling.presence_penalty),
        ("maxOutputTokens", &sampling.max_tokens),
    ];
    write_set(&mut config, &values);
    if !sampling.stop.is_empty() {
        config["stopSequences"] = json!(sampling.stop);
    }
    if let Some(format) = &request.format {
        config["responseMimeType"] = json!("application/json");
        if let ReplyFormat::Schema { schema, .. } = format {
            config["responseJsonSchema"] = schema.clone();
        }
    }
    if let Some(effort) = &request.effort {
        config["thinkingConfig"] = write_effort(effort, request.model.contains("gemini-3"));
    }
    config
}

/// Newer models take a level, those before them a number of tokens.
fn write_effort(effort: &str, takes_level: bool) -> Value {
    if effort == "none" && !takes_level {
        return json!({ "thinkingBudget": 0 });
    }
    if takes_level {
        let level = if effort == "none" { "minimal" } else { effort };
        return json!({ "thinkingLevel": level, "includeThoughts": effort != "none" });
    }
    let known = BUDGETS.iter().find(|(name, _)| *name == effort);
    let budget = known.map_or(BUDGETS[3].1, |(_, tokens)| *tokens);
    json!({ "thinkingBudget": budget, "includeThoughts": true })
}

pub(super) fn read_stop(reason: &str) -> StopReason {
    match reason {
        "STOP" => StopReason::End,
        "MAX_TOKENS" => StopReason::Length,
        "SAFETY" | "RECITATION" | "LANGUAGE" | "BLOCKLIST" | "PROHIBITED_CONTENT" | "SPII"
        | "IMAGE_SAFETY" => StopReason::Filtered,
        _ => StopReason::Other,
    }
}

fn write_stop(stop: StopReason) -> &'static str {
    match stop {
        StopReason::End | StopReason::ToolCalls => "STOP",
        StopReason::Length => "MAX_TOKENS",
        StopReason::Filtered => "SAFETY",
        StopReason::Other => "OTHER",
    }
}

/// Thoughts are counted apart from what is said.
pub(super) fn read_usage(usage: &Value) -> Option<Usage> {
    let count = |name: &str| usage[name].as_u64().unwrap_or(0);
    let reasoning = count("thoughtsTokenCount");
    usage.is_object().then(|| Usage {
        input: count("promptTokenCount"),
        output: count("candidatesTokenCount") + reasoning,
        cached: count("cachedContentTokenCount"),
        reasoning,
    })
}

fn write_usage(usage: Usage) -> Value {
    let mut written = json!({
        "promptTokenCount": usage.input,
        "candidatesTokenCount": usage.output.saturating_sub(usage.reasoning),
        "totalTokenCount": usage.total(),
    });
    if usage.reasoning > 0 {
        written["thoughtsTokenCount"] = json!(usage.reasoning);
    }
    if usage.cached > 0 {
        written["cachedContentTokenCount"] = json!(usage.cached);
    }
    written
}

/// Parts that say a thought and a text.
pub(super) fn write_text_parts(thinking: &str, text: &str) -> Vec<Value> {
    let thought = (!thinking.is_empty()).then(|| json!({ "text": thinking, "thought": true }));
    let text = (!text.is_empty()).then(|| json!({ "text": text }));
    thought.into_iter().chain(text).collect()
}

/// A reply, or a piece of one.
pub(super) fn reply_body(
    id: &ReplyId,
    model: Option<&str>,
    parts: Vec<Value>,
    (stop, usage): (Option<StopReason>, Option<Usage>),
) -> Value {
    let mut candidate = json!({ "content": { "role": "model", "parts": parts }, "index": 0 });
    if let Some(stop) = stop {
        candidate["finishReason"] = json!(write_stop(stop));
    }
    let mut body = json!({
        "candidates": [candidate], "modelVersion": id.model_of(model), "responseId": id.number,
    });
    if let Some(usage) = usage {
        body["usageMetadata"] = write_usage(usage);
    }
    body
}

/// Writes a reply in pieces. Calls of tools may come in pieces and are whole here, so they are
/// written at the end.
pub(super) struct GeminiEventWriter {
    id: ReplyId,
    model: Option<String>,
    calls: CallsSoFar,
    stop: Option<StopReason>,
    usage: Usage,
}

impl GeminiEventWriter {
    pub(super) fn new(id: ReplyId) -> Self {
        Self { id, model: None, calls: CallsSoFar::default(), stop: None, usage: Usage::default() }
    }
}

impl EventWriter for GeminiEventWriter {
    fn event(&mut self, event: &ReplyEvent) -> Vec<Event> {
        self.model = self.model.take().or_else(|| event.model.clone());
        self.stop = event.stop.or(self.stop);
        self.usage = self.usage.max(event.usage.unwrap_or_default());
        for piece in &event.calls {
            self.calls.add(piece);
        }
        let parts = write_text_parts(&event.thinking, &event.text);
        if parts.is_empty() {
            return Vec::new();
        }
        let body = reply_body(&self.id, self.model.as_deref(), parts, (None, None));
        vec![Event::new(body.to_string())]
    }

    fn end(&mut self) -> Vec<Event> {
        let parts = write_calls(self.calls.calls(), &self.id);
        let stop = Some(self.stop.unwrap_or(StopReason::End));
        let end = (stop, Some(self.usage));
        let body = reply_body(&self.id, self.model.as_deref(), parts, end);
        vec![Event::new(body.to_string())]
    }
}
