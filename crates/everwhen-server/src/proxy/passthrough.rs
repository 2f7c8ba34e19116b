//! Calls in which nothing is said: embeddings, one model, files and the like. They pass as they are,
//! to the upstream whose name stands before that of the model, if one does.

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::header::ALLOW;
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use everwhen::key::Scope;
use everwhen_protocols::json::Object;
use everwhen_protocols::{Effect, Endpoint, Protocol};

use super::egress::Target;
use super::refusal::Refusal;
use super::upstream::{ChosenResponder, Responder, UpstreamCall};
use super::{UPSTREAM, headers, inject, read, response};
use crate::access::{Caller, ProxyCaller};
use crate::error::{self, RequestError};
use crate::proxy::ProxyState;

/// What the REST API has below `/v1`; the rest below it is a provider's.
pub(crate) const REST: [&str; 5] = ["vaults", "keys", "doctor", "jobs", "settle"];

/// Answers a call of the table that is not a chat.
pub(crate) async fn listed(
    state: ProxyState,
    listed: &'static Endpoint,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let (kind, path) = below_base(parts.uri.path(), &parts.headers);
    let Some(effect) = listed.effect(parts.method.as_str()) else {
        return wrong_method(listed, kind);
    };
    let answered = async {
        let target = Target::read(&path, &parts.uri)?;
        let caller = state.proxy_caller(&parts.headers).await?;
        let body = read(body).await?;
        let chosen = chosen(&state, kind, &target, &parts, &body)?;
        permit(effect, &caller, &*chosen.responder)?;
        send(kind, &chosen, &caller, target, (&parts, body)).await
    };
    answered.await.unwrap_or_else(|refusal| refusal.response_for(kind))
}

/// Refuses what no table lists: in the provider's shape below its paths, else in ours.
pub(crate) async fn unlisted(request: Request) -> Response {
    let path = request.uri().path();
    let is_rest = path.strip_prefix("/v1/").and_then(|rest| rest.split('/').next());
    if is_rest.is_some_and(|first| REST.contains(&first)) {
        return error::no_route().await.into_response();
    }
    let (kind, below) = below_base(path, request.headers());
    let read = Target::read(&below, request.uri());
    let refusal = read.err().unwrap_or_else(|| {
        Refusal::not_found(format!(
            "{} {path} is not passed on: it is no call that is known here; ask the provider itself",
            request.method()
        ))
    });
    refusal.response_for(kind)
}

fn wrong_method(listed: &Endpoint, kind: Protocol) -> Response {
    let allowed = listed.allowed();
    let message = format!("this path has other methods: {allowed}");
    let status = StatusCode::METHOD_NOT_ALLOWED;
    let mut response = Refusal::new(status, "invalid_request_error", message).response_for(kind);
    response.headers_mut().insert(ALLOW, headers::value(&allowed));
    response
}

/// Whether a caller may make such a call. What an account holds is managed by the operator; but
/// while there are no keys and the upstream is not asked with one of the operator's, it is the
/// client's own account, or none.
fn permit(effect: Effect, caller: &ProxyCaller, responder: &dyn Responder) -> Result<(), Refusal> {
    let needed = match effect {
        Effect::Read | Effect::ListModels => Scope::Read,
        Effect::Chat(_) | Effect::CountTokens | Effect::Use => Scope::Write,
        Effect::Refused(reason) => return Err(Refusal::not_found(reason)),
        Effect::Manage => {
            return match caller.caller {
                Caller::Operator => Ok(()),
                Caller::Anyone if !responder.has_own_key() => Ok(()),
                Caller::Anyone | Caller::Holder(..) => Err(managed(responder.name())),
            };
        }
    };
    Ok(caller.caller.require(needed).map_err(RequestError::from)?)
}

fn managed(upstream: &str) -> Refusal {
    Refusal::new(
        StatusCode::FORBIDDEN,
        "permission_error",
        format!(
            "this call manages what the account at the upstream {upstream:?} holds, which is for \
             the operator; send the operator's token as x-everwhen-key"
        ),
    )
}

/// Passes a request on to an upstream of this protocol; the caller may make it.
pub(crate) async fn on(
    state: &ProxyState,
    caller: &ProxyCaller,
    (kind, target): (Protocol, Target),
    parts: &Parts,
    body: Bytes,
) -> Result<Response, Refusal> {
    let chosen = chosen(state, kind, &target, parts, &body)?;
    send(kind, &chosen, caller, target, (parts, body)).await
}

fn chosen(
    state: &ProxyState,
    kind: Protocol,
    target: &Target,
    parts: &Parts,
    body: &Bytes,
) -> Result<ChosenResponder, Refusal> {
    let named = headers::text(&parts.headers, UPSTREAM);
    let model = target.model().or_else(|| in_body(body).text("model").map(Into::into));
    state.proxy.responders.choose(named.as_deref(), model.as_deref(), &[kind])
}

fn in_body(body: &Bytes) -> Object<'_> {
    std::str::from_utf8(body).ok().and_then(Object::read).unwrap_or_default()
}

async fn send(
    protocol: Protocol,
    chosen: &ChosenResponder,
    caller: &ProxyCaller,
    target: Target,
    (parts, body): (&Parts, Bytes),
) -> Result<Response, Refusal> {
    let (target, body) = match &chosen.model {
        Some(model) => (target.of_model(model), inject::renamed(&body, &in_body(&body), model)),
        None => (target, body),
    };
    let call = UpstreamCall {
        protocol,
        method: parts.method.clone(),
        target,
        headers: parts.headers.clone(),
        with_credentials: caller.credential_travels,
        is_usual: chosen.is_usual,
        body,
        talk: None,
    };
    let answer = chosen.responder.ask(call).await?;
    let headers = headers::for_client(&answer.headers);
    Ok(response(answer.status, headers, answer.body))
}

/// The protocol of a path, and the path below the base URL of an upstream that speaks it.
fn below_base(path: &str, headers: &HeaderMap) -> (Protocol, String) {
    let protocol = Protocol::of_request(path, |name| headers.contains_key(name));
    (protocol, protocol.adapter().below_root(path))
}

/// Whether an upstream of this protocol is there.
pub(crate) fn has(state: &ProxyState, kind: Protocol) -> bool {
    let found = state.proxy.responders.choose(None, None, &[kind]);
    !matches!(found, Err(Refusal { status: StatusCode::NOT_FOUND, .. }))
}
