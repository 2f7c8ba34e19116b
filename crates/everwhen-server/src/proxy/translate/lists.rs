//! What clients look up before they chat: models, versions.
//!
//! One upstream that speaks the client's language answers as it is. Of several, all are asked at
//! once and listed together: the usual one's models under their own names, those of the others as
//! `UPSTREAM/MODEL`, which is how a request chooses them. Lists in another language are translated.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::{Request, State};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method};
use axum::response::{IntoResponse, Response};
use everwhen::UpstreamKind;
use futures_util::future::join_all;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::super::refusal::Refusal;
use super::super::relay::read_reply;
use super::super::upstream::{Responder, UpstreamCall, UpstreamResponse};
use super::super::wire::json::Object;
use super::super::workflow as workflows;
use super::super::{DEGRADED, UPSTREAM, headers, passthrough, read, response, with_query};
use crate::ServerState;
use crate::access::ProxyCaller;

/// An upstream that takes longer is left out where there are others.
const PATIENCE: Duration = Duration::from_secs(5);

/// The models there are, in the language of a client.
pub(crate) async fn told(state: &ServerState, client: UpstreamKind, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    list(state, client, &parts).await.unwrap_or_else(|refusal| refusal.told(client))
}

async fn list(
    state: &ServerState,
    client: UpstreamKind,
    parts: &Parts,
) -> Result<Response, Refusal> {
    let caller = state.proxy_caller(&parts.headers).await?;
    let named = headers::text(&parts.headers, UPSTREAM);
    let (responders, kinds) = (&state.proxy.responders, chat_with(client));
    let able = responders.able(named.as_deref(), kinds)?;
    if let [only] = able.as_slice() {
        let answer = only.ask(call(only, &caller, parts, responders.is_usual(only, kinds))).await?;
        return alone(answer, &**only, client).await;
    }
    let asked = able.iter().map(|one| {
        let answering = one.ask(call(one, &caller, parts, responders.is_usual(one, kinds)));
        async move { items(one, answering, client).await }
    });
    let listed = join_all(asked).await;
    Ok(together(client, &able, listed))
}

/// Languages of upstreams that can answer a chat in this one, the best first.
fn chat_with(client: UpstreamKind) -> &'static [UpstreamKind] {
    match client {
        UpstreamKind::OpenAi => &[UpstreamKind::OpenAi, UpstreamKind::Ollama],
        UpstreamKind::Ollama => &[UpstreamKind::Ollama, UpstreamKind::OpenAi],
        UpstreamKind::Anthropic => &[UpstreamKind::Anthropic],
    }
}

fn call(
    one: &Arc<dyn Responder>,
    caller: &ProxyCaller,
    parts: &Parts,
    is_usual: bool,
) -> UpstreamCall {
    let path = match one.kind() {
        UpstreamKind::OpenAi => "/models",
        UpstreamKind::Ollama => "/api/tags",
        UpstreamKind::Anthropic => "/v1/models",
    };
    UpstreamCall {
        method: Method::GET,
        target: with_query(path, &parts.uri),
        headers: parts.headers.clone(),
        with_credentials: caller.credential_travels,
        is_usual,
        body: axum::body::Bytes::new(),
        talk: None,
    }
}

/// The list of the only upstream: as it came, unless it has to be translated.
async fn alone(
    answer: UpstreamResponse,
    only: &dyn Responder,
    client: UpstreamKind,
) -> Result<Response, Refusal> {
    if only.kind() == client || !answer.status.is_success() {
        let headers = headers::for_client(&answer.headers);
        return Ok(response(answer.status, headers, answer.body));
    }
    let listed = read_reply(answer.body, only.name()).await?;
    let listed = serde_json::from_slice(&listed).unwrap_or_default();
    Ok(Json(envelope(client, translated(&listed, only, client))).into_response())
}

/// The models of one upstream, or why there are none.
async fn items(
    one: &Arc<dyn Responder>,
    answering: impl Future<Output = Result<UpstreamResponse, Refusal>>,
    client: UpstreamKind,
) -> Result<Vec<Value>, Refusal> {
    let read_all = async {
        let answer = answering.await?;
        let (status, body) = (answer.status, read_reply(answer.body, one.name()).await?);
        if status.is_success() {
            return Ok(serde_json::from_slice::<Value>(&body).unwrap_or_default());
        }
        let message = format!("the upstream {:?} answers {status} when asked", one.name());
        Err(Refusal::unreachable(message))
    };
    let too_slow =
        |_| Refusal::unreachable(format!("the upstream {:?} takes too long", one.name()));
    let listed = tokio::time::timeout(PATIENCE, read_all).await.map_err(too_slow)??;
    Ok(translated(&listed, &**one, client))
}

/// All lists as one. Whoever did not answer is left out and named in a header.
fn together(
    client: UpstreamKind,
    able: &[Arc<dyn Responder>],
    listed: Vec<Result<Vec<Value>, Refusal>>,
) -> Response {
    let (mut all, mut absent) = (Vec::new(), Vec::new());
    for (place, (one, listed)) in able.iter().zip(listed).enumerate() {
        match listed {
            Ok(items) if place == 0 => all.extend(items),
            Ok(items) => all.extend(items.into_iter().map(|item| behind(one.name(), item))),
            Err(refusal) => absent.push(refusal.message),
        }
    }
    if absent.len() == able.len() {
        return Refusal::unreachable(absent.join("; ")).told(client);
    }
    let mut headers = HeaderMap::new();
    if !absent.is_empty() {
        headers.insert(DEGRADED, headers::value(&absent.join("; ")));
    }
    (headers, Json(envelope(client, all))).into_response()
}

/// A model under the name by which a request reaches it: behind its upstream's.
fn behind(upstream: &str, mut item: Value) -> Value {
    for field in ["id", "name", "model"] {
        if let Some(Value::String(name)) = item.get_mut(field) {
            name.insert_str(0, &format!("{upstream}/"));
        }
    }
    item
}

fn envelope(client: UpstreamKind, items: Vec<Value>) -> Value {
    match client {
        UpstreamKind::OpenAi => json!({ "object": "list", "data": items }),
        UpstreamKind::Ollama => json!({ "models": items }),
        UpstreamKind::Anthropic => {
            let id = |item: Option<&Value>| item.map(|item| item["id"].clone());
            let (first, last) = (id(items.first()), id(items.last()));
            json!({ "data": items, "has_more": false, "first_id": first, "last_id": last })
        }
    }
}

/// The items of a list, as a client of another language knows them.
fn translated(list: &Value, upstream: &dyn Responder, client: UpstreamKind) -> Vec<Value> {
    let kind = upstream.kind();
    let field = if kind == UpstreamKind::Ollama { "models" } else { "data" };
    let items = list[field].as_array().into_iter().flatten();
    match (kind, client) {
        (UpstreamKind::Ollama, UpstreamKind::OpenAi) => items.map(model).collect(),
        (UpstreamKind::OpenAi, UpstreamKind::Ollama) => {
            items.map(|model| tag(upstream.name(), model)).collect()
        }
        _ => items.cloned().collect(),
    }
}

fn model(tag: &Value) -> Value {
    let made = tag["modified_at"].as_str().and_then(|at| at.parse::<jiff::Timestamp>().ok());
    let created = made.map_or(0, jiff::Timestamp::as_second);
    json!({ "id": tag["name"], "object": "model", "created": created, "owned_by": "ollama" })
}

fn tag(upstream: &str, model: &Value) -> Value {
    let made = jiff::Timestamp::from_second(model["created"].as_i64().unwrap_or(0));
    let made = made.unwrap_or(jiff::Timestamp::UNIX_EPOCH).to_string();
    let digest = digest(upstream, model["id"].as_str().unwrap_or_default());
    json!({
        "name": model["id"], "model": model["id"], "modified_at": made, "size": 0,
        "digest": digest, "details": details(model["owned_by"].as_str()),
    })
}

/// Ollama's clients take models with the same digest for names of one. There are no weights to
/// hash here, so it is made of what a request chooses the model by.
fn digest(upstream: &str, model: &str) -> String {
    let hash = Sha256::new().chain_update(upstream).chain_update([0]).chain_update(model);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
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
    let added = names.iter().map(|name| workflow(name)).map(|model| match kind {
        UpstreamKind::Ollama => tag(workflows::NAME, &model),
        _ => model,
    });
    if let Some(models) = list[place].as_array_mut() {
        models.extend(added);
    }
    list
}

/// A workflow as a model.
pub(crate) fn workflow(name: &str) -> Value {
    json!({ "id": name, "object": "model", "created": 0, "owned_by": "everwhen" })
}

fn details(owner: Option<&str>) -> Value {
    let family = owner.unwrap_or_default();
    let families = owner.map(|owner| vec![owner]).unwrap_or_default();
    json!({
        "parent_model": "", "format": "", "family": family, "families": families,
        "parameter_size": "", "quantization_level": "",
    })
}

/// `POST /api/show`
pub(crate) async fn show(State(state): State<ServerState>, request: Request) -> Response {
    shown(state, request).await.unwrap_or_else(|refusal| refusal.told(UpstreamKind::Ollama))
}

async fn shown(state: ServerState, request: Request) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let caller = state.proxy_caller(&parts.headers).await?;
    let body = read(body).await?;
    let asked = std::str::from_utf8(&body).ok().and_then(Object::read).unwrap_or_default();
    let model = asked.text("model").or_else(|| asked.text("name"));
    if model.as_ref().is_some_and(|model| workflows::is_known(&state, model)) {
        return Ok(Json(shown_as("everwhen", &["completion"])).into_response());
    }
    let named = headers::text(&parts.headers, UPSTREAM);
    let kinds = chat_with(UpstreamKind::Ollama);
    let chosen = state.proxy.responders.choose(named.as_deref(), model.as_deref(), kinds)?;
    if chosen.responder.kind() == UpstreamKind::Ollama {
        let target = with_query("/api/show", &parts.uri);
        return passthrough::on(&state, &caller, (UpstreamKind::Ollama, target), &parts, body)
            .await;
    }
    // An upstream of OpenAI's kind does not tell what its models can do, so nothing a client may
    // want to try is ruled out here; what a model cannot do, the upstream refuses.
    Ok(Json(shown_as("openai", &["completion", "tools", "vision"])).into_response())
}

/// A model that is no Ollama's, as Ollama's clients expect models to be shown.
fn shown_as(family: &str, capabilities: &[&str]) -> Value {
    json!({
        "modelfile": "", "parameters": "", "template": "", "license": "",
        "modified_at": jiff::Timestamp::UNIX_EPOCH.to_string(),
        "details": details(Some(family)),
        "model_info": { "general.architecture": family },
        "capabilities": capabilities,
    })
}

/// Says of a count of tokens what it leaves out.
const NOT_COUNTED: HeaderName = HeaderName::from_static("x-everwhen-not-counted");

/// An answer of `POST /v1/messages/count_tokens`: the upstream counts the request as the client wrote
/// it. What is added when it is sent is not known before: it depends on when that is.
pub(crate) fn counted(state: &ServerState, mut response: Response) -> Response {
    let budget = state.proxy.config.budget_tokens.value;
    if response.status().is_success() {
        let text = format!("stamps, and up to {budget} tokens of memory");
        response.headers_mut().insert(NOT_COUNTED, headers::value(&text));
    }
    response
}

/// `GET /api/version`
pub(crate) async fn version(State(state): State<ServerState>, request: Request) -> Response {
    if passthrough::has(&state, UpstreamKind::Ollama) {
        let (parts, _) = request.into_parts();
        let target = with_query("/api/version", &parts.uri);
        let answered = async {
            let caller = state.proxy_caller(&parts.headers).await?;
            let body = axum::body::Bytes::new();
            passthrough::on(&state, &caller, (UpstreamKind::Ollama, target), &parts, body).await
        };
        return answered.await.unwrap_or_else(|refusal| refusal.told(UpstreamKind::Ollama));
    }
    Json(json!({ "version": env!("CARGO_PKG_VERSION") })).into_response()
}
