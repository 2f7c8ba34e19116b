//! What clients look up before they chat: models, versions. Where the upstream speaks the other
//! language, its list is translated.

use axum::Json;
use axum::body::Bytes;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use everwhen::UpstreamKind;
use serde_json::{Value, json};

use super::super::refusal::Refusal;
use super::super::{pass, read};
use crate::Door;

/// `GET /v1/models` before an Ollama.
pub(crate) async fn models(door: Door, request: Request) -> Response {
    let listed = fetch(&door, request, UpstreamKind::Ollama, "/api/tags").await;
    told(UpstreamKind::OpenAi, listed, |tags| {
        let models = tags["models"].as_array().into_iter().flatten();
        let model = |tag: &Value| {
            let made = tag["modified_at"].as_str().and_then(|at| at.parse::<jiff::Timestamp>().ok());
            let created = made.map_or(0, jiff::Timestamp::as_second);
            json!({ "id": tag["name"], "object": "model", "created": created, "owned_by": "ollama" })
        };
        json!({ "object": "list", "data": models.map(model).collect::<Vec<_>>() })
    })
    .await
}

/// `GET /api/tags`
pub(crate) async fn tags(door: Door, request: Request) -> Response {
    if pass::has(&door, UpstreamKind::Ollama) {
        return pass::pass(door, UpstreamKind::Ollama, "/api/tags".into(), request).await;
    }
    let listed = fetch(&door, request, UpstreamKind::OpenAi, "/models").await;
    told(UpstreamKind::Ollama, listed, |models| {
        let models = models["data"].as_array().into_iter().flatten();
        json!({ "models": models.map(tag).collect::<Vec<_>>() })
    })
    .await
}

fn tag(model: &Value) -> Value {
    let made = jiff::Timestamp::from_second(model["created"].as_i64().unwrap_or(0));
    let made = made.unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string();
    json!({
        "name": model["id"], "model": model["id"], "modified_at": made, "size": 0, "digest": "",
        "details": details(),
    })
}

/// A list in this language with more models behind those it has.
pub(crate) fn with(known: &[u8], kind: UpstreamKind, names: &[String]) -> Value {
    let mut list: Value = serde_json::from_slice(known).unwrap_or_default();
    let (place, empty) = match kind {
        UpstreamKind::Ollama => ("models", json!({ "models": [] })),
        _ => ("data", json!({ "object": "list", "data": [] })),
    };
    if !list[place].is_array() {
        list = empty;
    }
    let model = |name: &String| json!({ "id": name, "object": "model", "created": 0, "owned_by": "everwhen" });
    let added = names.iter().map(model).map(|model| match kind {
        UpstreamKind::Ollama => tag(&model),
        _ => model,
    });
    if let Some(models) = list[place].as_array_mut() {
        models.extend(added);
    }
    list
}

fn details() -> Value {
    json!({
        "parent_model": "", "format": "", "family": "", "families": [], "parameter_size": "",
        "quantization_level": "",
    })
}

/// `POST /api/show`
pub(crate) async fn show(State(door): State<Door>, request: Request) -> Response {
    if pass::has(&door, UpstreamKind::Ollama) {
        return pass::pass(door, UpstreamKind::Ollama, "/api/show".into(), request).await;
    }
    Json(json!({
        "modelfile": "", "parameters": "", "template": "", "details": details(),
        "model_info": {}, "capabilities": ["completion", "tools"],
    }))
    .into_response()
}

/// `GET /api/version`
pub(crate) async fn version(State(door): State<Door>, request: Request) -> Response {
    if pass::has(&door, UpstreamKind::Ollama) {
        return pass::pass(door, UpstreamKind::Ollama, "/api/version".into(), request).await;
    }
    Json(json!({ "version": env!("CARGO_PKG_VERSION") })).into_response()
}

/// What an upstream of this kind has at this path.
async fn fetch(
    door: &Door,
    request: Request,
    kind: UpstreamKind,
    path: &str,
) -> Result<Response, Refusal> {
    let (parts, _): (Parts, _) = request.into_parts();
    let guest = door.access.guest(&door.engine, &parts.headers).await?;
    pass::on(door, &guest, (kind, path), &parts, Bytes::new()).await
}

/// A list, translated; what is no list passes as it is.
async fn told(
    client: UpstreamKind,
    listed: Result<Response, Refusal>,
    translate: impl Fn(&Value) -> Value,
) -> Response {
    let response = match listed {
        Ok(response) if response.status().is_success() => response,
        Ok(response) => return response,
        Err(refusal) => return refusal.told(client),
    };
    match read(response.into_body()).await {
        Ok(bytes) => {
            let list: Value = serde_json::from_slice(&bytes).unwrap_or_default();
            Json(translate(&list)).into_response()
        }
        Err(refusal) => refusal.told(client),
    }
}
