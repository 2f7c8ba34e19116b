//! Tools and a prompt that answer with a question: the client asks its user and calls again.

use std::sync::LazyLock;

use rmcp::ErrorData;
use rmcp::model::*;
use serde_json::{Value, json};

use crate::{Answer, Context, said, tools};

/// Seals what a client has to hand back unchanged.
static SEAL: LazyLock<RequestStateCodec> =
    LazyLock::new(|| RequestStateCodec::new(*b"a key for tests, and nothing else"));

/// The answer of a tool that asks; nothing if the tool does not.
pub(crate) fn tool(
    asked: &CallToolRequestParams,
    context: &Context,
) -> Answer<Option<CallToolResponse>> {
    let Some(kind) = asked.name.strip_prefix("test_input_required_result_") else {
        return Ok(None);
    };
    let state = opened(asked.request_state.as_deref())?;
    let answered = |name: &str| asked.input_responses.as_ref().and_then(|all| all.get(name));
    let greeting = form("What is your name?", "name", "string");
    let reply = match kind {
        "elicitation" => {
            match answered("user_name").and_then(|it| it["content"]["name"].as_str()) {
                Some(name) => done(&format!("Hello, {name}!")),
                None => ask(json!({ "user_name": greeting }), None),
            }
        }
        "sampling" => match answered("capital_question") {
            Some(answer) => done(&answer.to_string()),
            None => {
                ask(json!({ "capital_question": sampling("What is the capital of France?") }), None)
            }
        },
        "list_roots" => match answered("client_roots") {
            Some(roots) => done(&roots.to_string()),
            None => ask(json!({ "client_roots": { "method": "roots/list", "params": {} } }), None),
        },
        "request_state" | "tampered_state" => match (answered("confirm"), state) {
            (Some(_), Some(_)) => done("state-ok"),
            _ => ask(json!({ "confirm": form("Please confirm", "ok", "boolean") }), Some("asked")),
        },
        "multiple_inputs" => several(answered("user_name").is_some() && state.is_some()),
        "multi_round" => rounds(state.as_deref(), &answered),
        "capabilities" => by_capability(context),
        _ => return Ok(None),
    };
    Ok(Some(reply))
}

/// The answer of a prompt that asks; nothing if the prompt does not.
pub(crate) fn prompt(asked: &GetPromptRequestParams) -> Option<GetPromptResponse> {
    if asked.name != "test_input_required_result_prompt" {
        return None;
    }
    let responses = asked.input_responses.as_ref();
    let context = responses.and_then(|all| all.get("user_context")?["content"]["context"].as_str());
    Some(match context {
        Some(context) => {
            let message = PromptMessage::new_text(Role::User, format!("Use this: {context}"));
            GetPromptResult::new(vec![message]).into()
        }
        None => {
            let form = form("What context should the prompt use?", "context", "string");
            question(json!({ "user_context": form }), None).into()
        }
    })
}

fn several(answered: bool) -> CallToolResponse {
    if answered {
        return done("all answered");
    }
    let questions = json!({
        "user_name": form("What is your name?", "name", "string"),
        "greeting": sampling("Generate a greeting"),
        "client_roots": { "method": "roots/list", "params": {} },
    });
    ask(questions, Some("asked"))
}

fn rounds<'a>(
    state: Option<&str>,
    answered: &impl Fn(&str) -> Option<&'a Value>,
) -> CallToolResponse {
    let first = form("Step 1: What is your name?", "name", "string");
    let second = form("Step 2: What is your favorite color?", "color", "string");
    match (state, answered("step1"), answered("step2")) {
        (Some("two"), _, Some(_)) => done("both steps done"),
        (Some("one"), Some(_), _) => ask(json!({ "step2": second }), Some("two")),
        _ => ask(json!({ "step1": first }), Some("one")),
    }
}

fn by_capability(context: &Context) -> CallToolResponse {
    let can = context.client_capabilities().unwrap_or_default();
    let mut questions = json!({});
    if can.sampling.is_some() {
        questions["greeting"] = sampling("Generate a greeting");
    }
    if can.elicitation.is_some() {
        questions["user_name"] = form("What is your name?", "name", "string");
    }
    ask(questions, Some("asked"))
}

fn form(message: &str, field: &str, kind: &str) -> Value {
    let shape = json!({
        "type": "object", "properties": { field: { "type": kind } }, "required": [field],
    });
    let params = json!({ "mode": "form", "message": message, "requestedSchema": shape });
    json!({ "method": "elicitation/create", "params": params })
}

fn sampling(prompt: &str) -> Value {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    json!({
        "method": "sampling/createMessage",
        "params": { "messages": [message], "maxTokens": 100 },
    })
}

fn ask(questions: Value, state: Option<&str>) -> CallToolResponse {
    question(questions, state).into()
}

fn question(questions: Value, state: Option<&str>) -> InputRequiredResult {
    let state = state.map(|state| SEAL.seal(state.as_bytes()));
    said(json!({
        "resultType": "input_required", "inputRequests": questions, "requestState": state,
    }))
}

fn done(text: &str) -> CallToolResponse {
    tools::text(text).into()
}

/// What was sealed; an error if it was changed.
fn opened(state: Option<&str>) -> Answer<Option<String>> {
    let touched = |error: RequestStateError| ErrorData::invalid_params(error.to_string(), None);
    let bytes = state.map(|state| SEAL.open(state)).transpose().map_err(touched)?;
    Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
}
