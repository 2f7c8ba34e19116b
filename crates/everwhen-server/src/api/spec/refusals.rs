//! The error responses of each operation.

use serde_json::{Value, json};

use super::Operation;

/// Adds the errors that an operation can answer with.
pub(super) fn add(operation: &mut Operation<'_>) {
    for (status, description) in refusals(operation) {
        let mut response = json!({
            "description": description,
            "content": {
                "application/problem+json": { "schema": { "$ref": "#/components/schemas/Problem" } },
            },
        });
        if let Some((header, meaning)) = header(status) {
            response["headers"] = json!({
                header: { "description": meaning, "schema": { "type": "string" } },
            });
        }
        operation.body["responses"][status] = response;
    }
}

fn refusals(operation: &Operation<'_>) -> Vec<(&'static str, &'static str)> {
    let mut refusals = Vec::new();
    if operation.is_guarded() {
        refusals.push(("400", "Invalid request; the detail says what would be right"));
        refusals.push(("401", "An API key is required, or the one sent is unknown or has expired"));
        refusals.push((
            "403",
            "The key's scope does not allow this, it takes the operator, or the Host or Origin of \
             the request is not allowed",
        ));
        refusals.push(("404", "Not found, or not visible to this caller"));
        refusals.push(("500", "Internal error"));
    }
    if operation.is_metrics() {
        refusals.push(("401", "There are API keys, and this needs one or the operator's token"));
        refusals.push(("403", "The key's scope is not `admin`"));
    }
    if operation.is_guarded() && operation.is_write() {
        refusals.push(("413", "Too large"));
    }
    if operation.is_guarded() && (operation.is_write() || operation.has_dependent_parameters()) {
        refusals.push(("409", "Conflict with the current state, or between parts of the request"));
    }
    if operation.takes_body() {
        refusals.push(("408", "The body did not arrive in time"));
        refusals.push(("415", "The body is not sent as application/json, or is packed"));
    }
    if operation.is_guarded() || matches!(operation.path, "/readyz" | "/metrics") {
        refusals.push(("503", "The server or the store is busy, or the store cannot be used"));
    }
    refusals
}

fn header(status: &str) -> Option<(&'static str, &'static str)> {
    match status {
        "401" => Some(("WWW-Authenticate", "How to say who is calling")),
        "503" => Some(("Retry-After", "Seconds to wait, where waiting helps")),
        _ => None,
    }
}

/// Adds the header that marks a replayed write to its success.
pub(super) fn add_replay_header(operation: &mut Operation<'_>) {
    let responses = operation.body["responses"].as_object_mut();
    let successes = responses.into_iter().flatten().filter(|(status, _)| status.starts_with('2'));
    for (_, response) in successes {
        response["headers"] = replayed();
    }
}

fn replayed() -> Value {
    json!({
        "Idempotency-Replayed": {
            "description": "`true` if an earlier request with this idempotency key did it",
            "schema": { "type": "string", "enum": ["true"] },
        },
    })
}
