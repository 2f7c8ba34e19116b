//! The OpenAPI document. Handlers declare path, query, body and success; everything that follows
//! from path and method alone (path parameters, idempotency key, errors, security) is added here,
//! so that no handler can forget it.

mod refusals;
mod rules;

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use utoipa::PartialSchema;
use utoipa::openapi::schema::Object;

use super::wire::{self, shape};

/// The methods of a path.
const METHODS: [&str; 5] = ["get", "post", "put", "patch", "delete"];

/// JSON pointer to the schema of a body.
const BODY: &str = "/requestBody/content/application~1json/schema";

/// The document as indented JSON.
pub(super) fn write(document: &utoipa::openapi::OpenApi) -> String {
    let mut document = serde_json::to_value(document).expect("the document is JSON");
    document["info"] = info();
    document["tags"] = tags();
    document["components"]["securitySchemes"] = json!({
        "bearer": {
            "type": "http", "scheme": "bearer",
            "description": "An API key with the scope that the operation needs (`read`, `write` or \
                `admin`), or the operator's token. `x-api-key` works too.",
        },
    });
    document["components"]["schemas"]["Problem"] = to_value(&wire::Problem::schema());
    document["components"]["schemas"]["ProblemKind"] = to_value(&wire::ProblemKind::schema());
    document["components"]["schemas"]["ProblemReason"] = to_value(&wire::ProblemReason::schema());
    rules::add(&mut document["components"]["schemas"]);
    each_operation(&mut document, complete);
    format!("{:#}\n", sorted(document))
}

/// Sorts the fields of every object, so that the document is deterministic.
fn sorted(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let fields: BTreeMap<String, Value> = fields.into_iter().collect();
            Value::Object(fields.into_iter().map(|(name, value)| (name, sorted(value))).collect())
        }
        Value::Array(items) => items.into_iter().map(sorted).collect(),
        plain => plain,
    }
}

fn to_value(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).expect("a schema is JSON")
}

fn info() -> Value {
    json!({
        "title": "Everwhen",
        "version": env!("CARGO_PKG_VERSION"),
        "description": "Memory that knows when. Everything said carries the time it was said \
            (`conversation_time`) next to the time it was stored (`creation_time`).\n\n\
            Times are RFC 3339: with an offset when sent, in UTC in responses. Lists come in pages: \
            send `next_cursor` back as `cursor`. Any write may carry an `Idempotency-Key`: the \
            same request with the same key is done once and answered the same. Errors are \
            `application/problem+json`.",
        "license": { "name": "Apache-2.0 OR MIT", "identifier": "Apache-2.0 OR MIT" },
    })
}

fn tags() -> Value {
    json!([
        { "name": "vaults", "description": "One owner's memories, kept apart from all others" },
        { "name": "memories", "description": "A chat, a project, a person" },
        { "name": "entries", "description": "What was said, and when" },
        { "name": "context", "description": "What an agent wrote down about a memory" },
        { "name": "conversations", "description": "Entries between two pauses" },
        { "name": "facts", "description": "Dated statements, distilled from conversations" },
        { "name": "chapters", "description": "What a memory was about, in order" },
        { "name": "timeline", "description": "One dated line for everything said" },
        { "name": "recall", "description": "A question in, what was said about it out" },
        { "name": "imports", "description": "Files of other programs, and exports" },
        { "name": "operator", "description": "Keys, jobs and maintenance, for the operator" },
        { "name": "health", "description": "Health checks, metrics, this document" },
    ])
}

/// One operation, with its path and method.
pub(super) struct Operation<'a> {
    path: &'a str,
    method: &'a str,
    body: &'a mut Value,
}

fn each_operation(document: &mut Value, change: impl Fn(&mut Operation<'_>)) {
    let paths = document["paths"].as_object_mut().expect("the document has paths");
    for (path, item) in paths {
        for method in METHODS {
            if let Some(body) = item.get_mut(method) {
                change(&mut Operation { path, method, body });
            }
        }
    }
}

/// Adds what follows from path and method.
fn complete(operation: &mut Operation<'_>) {
    let mut parameters = path_parameters(operation);
    parameters.extend(own_parameters(operation));
    parameters.extend(operation.takes_idempotency_key().then(idempotency_key));
    operation.body["parameters"] = Value::Array(parameters);
    if let Some(schema) = operation.body.pointer_mut(BODY) {
        without_null(schema);
    }
    if operation.is_guarded() || operation.is_metrics() {
        operation.body["security"] = operation.security();
    }
    if operation.takes_idempotency_key() {
        refusals::add_replay_header(operation);
    }
    refusals::add(operation);
}

impl Operation<'_> {
    /// Whether the caller must authenticate once there are keys.
    fn is_guarded(&self) -> bool {
        self.path.starts_with("/v1/")
    }

    /// Whether it is `/metrics`, which needs no key only while there are none.
    fn is_metrics(&self) -> bool {
        self.path == "/metrics"
    }

    /// Whether only the operator may call it.
    fn is_operators(&self) -> bool {
        self.is_guarded() && !self.path.starts_with("/v1/vaults")
    }

    fn is_write(&self) -> bool {
        self.method != "get"
    }

    fn takes_idempotency_key(&self) -> bool {
        // Doing these again changes nothing.
        let repeatable = ["/import/batch", "/chapters/import", "/jobs/retry", "/recall"];
        let is_repeatable =
            repeatable.iter().any(|end| self.path.ends_with(end)) || self.path.contains("/imports");
        self.is_write() && !self.is_operators() && !is_repeatable
    }

    fn takes_body(&self) -> bool {
        self.body.get("requestBody").is_some()
    }

    /// Whether parameters can be wrong together though each is right: a period, a format that needs a memory.
    fn has_dependent_parameters(&self) -> bool {
        let is_dependent =
            |parameter: &Value| matches!(parameter["name"].as_str(), Some("before" | "format"));
        self.body["parameters"].as_array().is_some_and(|all| all.iter().any(is_dependent))
    }

    /// The operator always needs the token; others need a key only once there are keys.
    fn security(&self) -> Value {
        let known = json!({ "bearer": [] });
        if self.is_operators() { json!([known]) } else { json!([known, {}]) }
    }
}

/// The query parameters of a handler.
fn own_parameters(operation: &mut Operation<'_>) -> Vec<Value> {
    let own = operation.body["parameters"].take();
    let mut own = own.as_array().cloned().unwrap_or_default();
    own.iter_mut().for_each(|parameter| without_null(&mut parameter["schema"]));
    own
}

/// Removes `null` where a whole query or body is optional: absent means absent.
fn without_null(schema: &mut Value) {
    if let Some(choices) = schema.get("oneOf").and_then(Value::as_array) {
        let rest = choices.iter().find(|choice| choice["type"] != "null");
        *schema = rest.cloned().unwrap_or_default();
    }
    if let Some(types) = schema.get("type").and_then(Value::as_array) {
        let rest = types.iter().find(|kind| *kind != "null");
        schema["type"] = rest.cloned().unwrap_or_default();
    }
}

/// The path parameters.
fn path_parameters(operation: &Operation<'_>) -> Vec<Value> {
    let segments = operation.path.split('/');
    let names = segments.filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    names.map(|name| path_parameter(operation.path, name)).collect()
}

fn path_parameter(path: &str, name: &str) -> Value {
    let address = |of: &str| shape::new_name("", &format!("Id or name of the {of}."), "default");
    let schema: Object = match name {
        "vault" => address("vault"),
        "memory" => address("memory"),
        "version" => return version_parameter(),
        _ if path.contains("/entries/") => shape::id("ent_", "Id of the entry."),
        _ if path.contains("/facts/") => shape::id("fct_", "Id of the fact."),
        _ if path.contains("/keys/") => shape::id("key_", "Id of the key."),
        _ if path.contains("/imports/") => {
            shape::name("imp_", "Id of the import.", "imp_0f1e2d3c4b5a69788796a5b4")
        }
        _ if path.contains("/jobs/") => shape::id("job_", "Id of the job."),
        _ => shape::name(
            "(?!(end|import|prompt)$)",
            "Id of the conversation, or the name it has in the caller's own source.",
            "chat-2023-01-08",
        ),
    };
    parameter("path", name, true, to_value(&schema))
}

fn version_parameter() -> Value {
    let schema = json!({
        "type": "integer", "format": "int64", "minimum": 1, "maximum": i64::MAX,
        "description": "Number of the version.",
        "examples": [3],
    });
    parameter("path", "version", true, schema)
}

fn idempotency_key() -> Value {
    let schema = json!({
        "type": "string", "minLength": 1, "maxLength": 200,
        "pattern": r"^(?!\.{1,2}$)[!-~]([ -~]*[!-~])?$",
        "description": "The caller's own name for this write. The same request with the same name \
            is done once.",
        "examples": ["6d1f2c0e-import-17"],
    });
    parameter("header", "Idempotency-Key", false, schema)
}

/// A parameter; its description is that of its schema.
fn parameter(place: &str, name: &str, required: bool, mut schema: Value) -> Value {
    let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
    let mut parameter = Map::new();
    parameter.insert("name".into(), name.into());
    parameter.insert("in".into(), place.into());
    parameter.insert("description".into(), description.unwrap_or_default());
    parameter.insert("required".into(), required.into());
    parameter.insert("schema".into(), schema);
    Value::Object(parameter)
}
