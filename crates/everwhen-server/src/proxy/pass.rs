//! Requests in which nobody says anything: embeddings, one model and the like. They pass as they
//! are, to the upstream whose name stands before that of the model, if one does.

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use everwhen::UpstreamKind;

use super::refusal::Refusal;
use super::upstream::Call;
use super::wire::json::Object;
use super::{UPSTREAM, headers, read, response, with_query, write};
use crate::Door;
use crate::access::ProxyCaller;

/// Answers a request that passes as it is.
pub(crate) async fn pass(
    door: Door,
    kind: UpstreamKind,
    path: String,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let answered = async {
        let guest = door.proxy_caller(&parts.headers).await?;
        on(&door, &guest, (kind, &path), &parts, read(body).await?).await
    };
    answered.await.unwrap_or_else(|refusal| refusal.told(kind))
}

/// Passes a request on to an upstream of this kind, below whose root it has this path.
pub(crate) async fn on(
    door: &Door,
    guest: &ProxyCaller,
    (kind, path): (UpstreamKind, &str),
    parts: &Parts,
    body: Bytes,
) -> Result<Response, Refusal> {
    let named = headers::text(&parts.headers, UPSTREAM);
    let in_body = std::str::from_utf8(&body).ok().and_then(Object::read).unwrap_or_default();
    let in_path = path.split_once("/models/").map(|(_, model)| model.into());
    let model = in_path.or_else(|| in_body.text("model"));
    let chosen = door.proxy.answerers.choose(named.as_deref(), model.as_deref(), &[kind])?;
    let (path, body) = match &chosen.model {
        Some(model) => (only(path, model), write::renamed(&body, &in_body, model)),
        None => (path.to_owned(), body.clone()),
    };
    let call = Call {
        method: parts.method.clone(),
        path: with_query(&path, &parts.uri),
        headers: parts.headers.clone(),
        with_credentials: guest.credential_travels,
        body,
        talk: None,
    };
    let answer = chosen.answerer.ask(call).await?;
    let headers = headers::for_client(&answer.headers);
    Ok(response(answer.status, headers, answer.body))
}

/// The path of a model, by the name it has there.
fn only(path: &str, model: &str) -> String {
    match path.split_once("/models/") {
        Some((root, _)) => format!("{root}/models/{model}"),
        None => path.to_owned(),
    }
}

/// Whether an upstream of this kind is there.
pub(crate) fn has(door: &Door, kind: UpstreamKind) -> bool {
    let found = door.proxy.answerers.choose(None, None, &[kind]);
    !matches!(found, Err(Refusal { status: StatusCode::NOT_FOUND, .. }))
}
