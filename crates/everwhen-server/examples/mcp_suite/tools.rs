//! Tools that answer at once, and those that ask the client while they work.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::*;
use serde_json::{Value, json};

use crate::{Answer, CHANGES, Change, Context, said};

/// One red dot.
pub(crate) const DOT: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";
/// A wave without a sample.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=";
/// Between two steps of a slow tool.
const STEP: Duration = Duration::from_millis(50);

/// All tools; most take no arguments.
const NAMES: [&str; 28] = [
    "test_simple_text",
    "test_image_content",
    "test_audio_content",
    "test_embedded_resource",
    "test_multiple_content_types",
    "test_tool_with_logging",
    "test_tool_with_progress",
    "test_error_handling",
    "test_elicitation_sep1034_defaults",
    "test_elicitation_sep1330_enums",
    "test_reconnection",
    "test_missing_capability",
    "test_streaming_elicitation",
    "test_logging_tool",
    "test_trigger_tool_change",
    "test_trigger_prompt_change",
    "test_input_required_result_elicitation",
    "test_input_required_result_sampling",
    "test_input_required_result_list_roots",
    "test_input_required_result_request_state",
    "test_input_required_result_multiple_inputs",
    "test_input_required_result_multi_round",
    "test_input_required_result_tampered_state",
    "test_input_required_result_capabilities",
    "test_sampling",
    "test_elicitation",
    "test_custom_header",
    "json_schema_2020_12_tool",
];

/// All tools.
pub(crate) fn list() -> Vec<Tool> {
    let shape = |name: &str| match name {
        "test_sampling" => text_argument("prompt"),
        "test_elicitation" => text_argument("message"),
        "test_custom_header" => {
            let region = json!({ "type": "string", "x-mcp-header": "Region" });
            json!({ "type": "object", "properties": { "region": region }, "required": ["region"] })
        }
        "json_schema_2020_12_tool" => rich_shape(),
        _ => json!({ "type": "object" }),
    };
    let tool = |name: &str| {
        said(json!({ "name": name, "description": "For the suite", "inputSchema": shape(name) }))
    };
    NAMES.into_iter().map(tool).collect()
}

/// A shape with every word of the newer JSON Schema that a server must not lose.
fn rich_shape() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": {
            "address": {
                "$anchor": "addressDef",
                "type": "object",
                "properties": { "street": { "type": "string" }, "city": { "type": "string" } },
            },
        },
        "properties": {
            "name": { "type": "string" },
            "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" },
            "email": { "type": "string" },
        },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": {
            "properties": { "contactMethod": { "const": "phone" } },
            "required": ["contactMethod"],
        },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false,
    })
}

fn text_argument(name: &str) -> Value {
    json!({ "type": "object", "properties": { name: { "type": "string" } }, "required": [name] })
}

/// Calls a tool.
pub(crate) async fn call(
    asked: &CallToolRequestParams,
    context: &Context,
) -> Answer<CallToolResult> {
    let argument = |name: &str| {
        let given = asked.arguments.as_ref().and_then(|all| all.get(name)?.as_str());
        given.unwrap_or_default().to_owned()
    };
    match asked.name.as_ref() {
        "test_tool_with_logging" => with_logging(context).await,
        "test_tool_with_progress" => with_progress(context).await,
        "test_sampling" => sample(context, &argument("prompt")).await,
        "test_elicitation" => {
            let shape = json!({
                "type": "object",
                "properties": {
                    "username": { "type": "string", "description": "User's response" },
                    "email": { "type": "string", "description": "User's email address" },
                },
                "required": ["username", "email"],
            });
            elicit(context, "User response", &argument("message"), shape).await
        }
        "test_elicitation_sep1034_defaults" => {
            elicit(context, "Elicitation completed", "Please check", defaults()).await
        }
        "test_elicitation_sep1330_enums" => {
            elicit(context, "Elicitation completed", "Please choose", choices()).await
        }
        "test_missing_capability" => {
            Err(ErrorData::missing_required_client_capability(said(json!({ "sampling": {} }))))
        }
        "test_trigger_tool_change" => Ok(changed(Change::Tools)),
        "test_trigger_prompt_change" => Ok(changed(Change::Prompts)),
        "test_streaming_elicitation"
        | "test_logging_tool"
        | "test_reconnection"
        | "test_custom_header"
        | "json_schema_2020_12_tool" => Ok(text("done")),
        name => content(name),
    }
}

/// What tools answer at once.
fn content(name: &str) -> Answer<CallToolResult> {
    let image = json!({ "type": "image", "data": DOT, "mimeType": "image/png" });
    let resource = |uri: &str, kind: &str, text: &str| json!({ "type": "resource", "resource": { "uri": uri, "mimeType": kind, "text": text } });
    let content = match name {
        "test_simple_text" => {
            json!([{ "type": "text", "text": "This is a simple text response for testing." }])
        }
        "test_image_content" => json!([image]),
        "test_audio_content" => {
            json!([{ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }])
        }
        "test_embedded_resource" => json!([resource(
            "test://embedded-resource",
            "text/plain",
            "This is an embedded resource content."
        )]),
        "test_multiple_content_types" => json!([
            { "type": "text", "text": "Multiple content types test:" },
            image,
            resource(
                "test://mixed-content-resource",
                "application/json",
                r#"{"test":"data","value":123}"#
            ),
        ]),
        "test_error_handling" => {
            let why = "This tool intentionally returns an error for testing";
            return Ok(CallToolResult::error(vec![ContentBlock::text(why)]));
        }
        _ => return Err(ErrorData::invalid_params(format!("Unknown tool: {name}"), None)),
    };
    Ok(CallToolResult::success(said(content)))
}

/// A result of one text.
pub(crate) fn text(text: &str) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(text)])
}

fn changed(change: Change) -> CallToolResult {
    // The client may have gone.
    let _ = CHANGES.send(change);
    text("changed")
}

async fn with_logging(context: &Context) -> Answer<CallToolResult> {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, json!(line));
        context.peer.notify_logging_message(message).await.map_err(failed)?;
        tokio::time::sleep(STEP).await;
    }
    Ok(text("logged"))
}

async fn with_progress(context: &Context) -> Answer<CallToolResult> {
    for progress in [0.0, 50.0, 100.0] {
        if let Some(token) = context.meta.get_progress_token() {
            let notification = ProgressNotificationParam::new(token, progress).with_total(100.0);
            context.peer.notify_progress(notification).await.map_err(failed)?;
        }
        tokio::time::sleep(STEP).await;
    }
    Ok(text("progressed"))
}

async fn sample(context: &Context, prompt: &str) -> Answer<CallToolResult> {
    let messages = vec![SamplingMessage::user_text(prompt)];
    let asked = CreateMessageRequestParams::new(messages, 100);
    let answer = context.peer.create_message(asked).await.map_err(failed)?;
    let first = answer.message.content.first().and_then(|content| content.as_text());
    let words = first.map_or("", |content| &content.text);
    Ok(text(&format!("LLM response: {words}")))
}

async fn elicit(
    context: &Context,
    lead: &str,
    message: &str,
    shape: Value,
) -> Answer<CallToolResult> {
    let asked = said(json!({ "mode": "form", "message": message, "requestedSchema": shape }));
    let answer = context.peer.create_elicitation(asked).await.map_err(failed)?;
    let content = answer.content.unwrap_or_default();
    let action = json!(answer.action);
    let action = action.as_str().unwrap_or_default();
    Ok(text(&format!("{lead}: action={action}, content={content}")))
}

fn defaults() -> Value {
    json!({
        "type": "object",
        "properties": {
            "name": { "type": "string", "default": "John Doe" },
            "age": { "type": "integer", "default": 30 },
            "score": { "type": "number", "default": 95.5 },
            "status": {
                "type": "string", "enum": ["active", "inactive", "pending"], "default": "active",
            },
            "verified": { "type": "boolean", "default": true },
        },
        "required": [],
    })
}

fn choices() -> Value {
    let plain = json!(["option1", "option2", "option3"]);
    let titled = json!([
        { "const": "value1", "title": "First" },
        { "const": "value2", "title": "Second" },
        { "const": "value3", "title": "Third" },
    ]);
    json!({
        "type": "object",
        "properties": {
            "untitledSingle": { "type": "string", "enum": plain },
            "titledSingle": { "type": "string", "oneOf": titled },
            "legacyEnum": {
                "type": "string",
                "enum": ["opt1", "opt2", "opt3"],
                "enumNames": ["Option One", "Option Two", "Option Three"],
            },
            "untitledMulti": { "type": "array", "items": { "type": "string", "enum": plain } },
            "titledMulti": { "type": "array", "items": { "anyOf": titled } },
        },
        "required": [],
    })
}

fn failed(error: rmcp::ServiceError) -> ErrorData {
    ErrorData::internal_error(error.to_string(), None)
}
