//! What clients look up before they chat: models, versions, counts of tokens.
//!
//! One upstream that speaks the client's protocol answers as it is. Of several, all are asked at
//! once and listed together: the usual one's models under their own names, those of the others as
//! `UPSTREAM/MODEL`, which is how a request chooses them. Lists in another protocol are translated.

use std::sync::Arc;
use std::time::Duration;

use axum::Json;
use axum::extract::Request;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, Method};
use axum::response::{IntoResponse, Response};
use everwhen_protocols::json::Object;
use everwhen_protocols::{ModelInfo, Protocol};
use futures_util::future::join_all;
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::egress::Target;
use super::refusal::Refusal;
use super::relay::read_reply;
use super::upstream::{Responder, UpstreamCall, UpstreamResponse};
use super::workflow as workflows;
use super::{DEGRADED, UPSTREAM, headers, passthrough, read, response, with_query};
use crate::access::ProxyCaller;
use crate::proxy::ProxyState;

/// An upstream that takes longer is left out where there are others.
const PATIENCE: Duration = Duration::from_secs(5);

/// The models there are, in a client's protocol, with the workflows where it lists them.
pub(crate) async fn models(state: &ProxyState, request: Request) -> Response {
    let (parts, _) = request.into_parts();
    let has_header = |name: &str| parts.headers.contains_key(name);
    let client = Protocol::of_request(parts.uri.path(), has_header);
    let others = list(state, client, &parts).await;
    let others = others.unwrap_or_else(|refusal| refusal.response_for(client));
    workflows::listed(state, client, others).await
}

async fn list(state: &ProxyState, client: Protocol, parts: &Parts) -> Result<Response, Refusal> {
    let caller = state.proxy_caller(&parts.headers).await?;
    let named = headers::text(&parts.headers, UPSTREAM);
    let (responders, kinds) = (&state.proxy.responders, client.answered_by());
    let able = responders.able(named.as_deref(), &kinds)?;
    let call = |one: &Arc<dyn Responder>| {
        one.ask(call(client, one, &caller, parts, responders.is_usual(one, &kinds)))
    };
    if let [only] = able.as_slice() {
        return alone(call(only).await?, &**only, client).await;
    }
    let asked = able.iter().map(|one| {
        let answering = call(one);
        async move { items(one, answering, client).await }
    });
    let listed = join_all(asked).await;
    Ok(together(client, &able, listed))
}

fn call(
    client: Protocol,
    one: &Arc<dyn Responder>,
    caller: &ProxyCaller,
    parts: &Parts,
    is_usual: bool,
) -> UpstreamCall {
    let path = one.kind().adapter().models_path();
    let target = match one.kind() == client && parts.uri.query().is_some() {
        true => with_query(path.split('?').next().unwrap_or(path), &parts.uri),
        false => Target::own(path),
    };
    UpstreamCall {
        protocol: client,
        method: Method::GET,
        target,
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
    client: Protocol,
) -> Result<Response, Refusal> {
    if only.kind() == client || !answer.status.is_success() {
        let headers = headers::for_client(&answer.headers);
        return Ok(response(answer.status, headers, answer.body));
    }
    let listed = read_reply(answer.body, only.name()).await?;
    let listed = serde_json::from_slice(&listed).unwrap_or_default();
    let items = translated(&listed, only, client);
    Ok(Json(client.adapter().write_list(items)).into_response())
}

/// The models of one upstream, or why there are none.
async fn items(
    one: &Arc<dyn Responder>,
    answering: impl Future<Output = Result<UpstreamResponse, Refusal>>,
    client: Protocol,
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

/// All lists as one. An upstream that did not answer is left out and named in a header.
fn together(
    client: Protocol,
    able: &[Arc<dyn Responder>],
    listed: Vec<Result<Vec<Value>, Refusal>>,
) -> Response {
    let (mut all, mut absent) = (Vec::new(), Vec::new());
    for (place, (one, listed)) in able.iter().zip(listed).enumerate() {
        match listed {
            Ok(items) if place == 0 => all.extend(items),
            Ok(items) => all.extend(items.into_iter().map(|mut item| {
                client.adapter().prefix_model(&mut item, one.name());
                item
            })),
            Err(refusal) => absent.push(refusal.message),
        }
    }
    if absent.len() == able.len() {
        return Refusal::unreachable(absent.join("; ")).response_for(client);
    }
    let mut headers = HeaderMap::new();
    if !absent.is_empty() {
        headers.insert(DEGRADED, headers::value(&absent.join("; ")));
    }
    (headers, Json(client.adapter().write_list(all))).into_response()
}

/// The items of an upstream's list in the client's protocol.
fn translated(list: &Value, upstream: &dyn Responder, client: Protocol) -> Vec<Value> {
    let kind = upstream.kind().adapter();
    let items = list[kind.list_field()].as_array().into_iter().flatten();
    if upstream.kind() == client {
        return items.cloned().collect();
    }
    let translate = |item| {
        let model = kind.read_model(item);
        let digest = digest(upstream.name(), &model.id);
        client.adapter().write_model(&ModelInfo { digest, ..model })
    };
    items.map(translate).collect()
}

/// Ollama's clients take models with the same digest for names of one. There are no weights to
/// hash here, so it is made of what a request chooses the model by.
fn digest(upstream: &str, model: &str) -> String {
    let hash = Sha256::new().chain_update(upstream).chain_update([0]).chain_update(model);
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A list in a protocol with more models behind those it has.
pub(crate) fn with(known: &[u8], protocol: Protocol, names: &[String]) -> Value {
    let adapter = protocol.adapter();
    let mut list: Value = serde_json::from_slice(known).unwrap_or_default();
    if !list[adapter.list_field()].is_array() {
        list = adapter.write_list(Vec::new());
    }
    if let Some(models) = list[adapter.list_field()].as_array_mut() {
        models.extend(names.iter().map(|name| adapter.write_model(&workflow_info(name))));
    }
    list
}

/// A workflow as a model of OpenAI's kind.
pub(crate) fn workflow(name: &str) -> Value {
    Protocol::OpenAi.adapter().write_model(&workflow_info(name))
}

fn workflow_info(name: &str) -> ModelInfo {
    ModelInfo {
        id: name.to_owned(),
        owner: Some("everwhen".to_owned()),
        digest: digest(workflows::NAME, name),
        ..ModelInfo::default()
    }
}

/// `POST /api/show`
pub(crate) async fn show(state: ProxyState, request: Request) -> Response {
    shown(state, request).await.unwrap_or_else(|refusal| refusal.response_for(Protocol::Ollama))
}

async fn shown(state: ProxyState, request: Request) -> Result<Response, Refusal> {
    let (parts, body) = request.into_parts();
    let caller = state.proxy_caller(&parts.headers).await?;
    let body = read(body).await?;
    let asked = std::str::from_utf8(&body).ok().and_then(Object::read).unwrap_or_default();
    let model = asked.text("model").or_else(|| asked.text("name"));
    if model.as_ref().is_some_and(|model| workflows::is_known(&state, model)) {
        return Ok(Json(shown_as("everwhen", &["completion"])).into_response());
    }
    let named = headers::text(&parts.headers, UPSTREAM);
    let kinds = Protocol::Ollama.answered_by();
    let chosen = state.proxy.responders.choose(named.as_deref(), model.as_deref(), &kinds)?;
    let kind = chosen.responder.kind();
    if kind == Protocol::Ollama {
        let target = with_query("/api/show", &parts.uri);
        return passthrough::on(&state, &caller, (Protocol::Ollama, target), &parts, body).await;
    }
    // Other upstreams do not tell what their models can do, so nothing a client may want to try is
    // ruled out here; what a model cannot do, the upstream refuses.
    Ok(Json(shown_as(kind.as_str(), &["completion", "tools", "vision"])).into_response())
}

/// A model that is no Ollama's, as Ollama's clients expect models to be shown.
fn shown_as(family: &str, capabilities: &[&str]) -> Value {
    let model = ModelInfo { owner: Some(family.to_owned()), ..ModelInfo::default() };
    let listed = Protocol::Ollama.adapter().write_model(&model);
    json!({
        "modelfile": "", "parameters": "", "template": "", "license": "",
        "modified_at": listed["modified_at"],
        "details": listed["details"],
        "model_info": { "general.architecture": family },
        "capabilities": capabilities,
    })
}

/// Says of a count of tokens what it leaves out.
const NOT_COUNTED: HeaderName = HeaderName::from_static("x-everwhen-not-counted");

/// An answer to a call that counts tokens: the upstream counts the request as the client wrote it.
/// What is added when it is sent is not known before: it depends on when that is.
pub(crate) fn counted(state: &ProxyState, mut response: Response) -> Response {
    let budget = state.proxy.config.budget_tokens.value;
    if response.status().is_success() {
        let text = format!("stamps, and up to {budget} tokens of memory");
        response.headers_mut().insert(NOT_COUNTED, headers::value(&text));
    }
    response
}

/// `GET /api/version`
pub(crate) async fn version(state: ProxyState, request: Request) -> Response {
    if passthrough::has(&state, Protocol::Ollama) {
        let (parts, _) = request.into_parts();
        let target = with_query("/api/version", &parts.uri);
        let answered = async {
            let caller = state.proxy_caller(&parts.headers).await?;
            let body = axum::body::Bytes::new();
            passthrough::on(&state, &caller, (Protocol::Ollama, target), &parts, body).await
        };
        return answered.await.unwrap_or_else(|refusal| refusal.response_for(Protocol::Ollama));
    }
    Json(json!({ "version": env!("CARGO_PKG_VERSION") })).into_response()
}
