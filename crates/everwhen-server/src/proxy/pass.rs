//! Requests in which nobody says anything: models, embeddings and the like. They pass as they are.

use axum::body::Bytes;
use axum::extract::Request;
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::Response;
use everwhen::UpstreamKind;

use super::refusal::Refusal;
use super::upstream::Call;
use super::{UPSTREAM, headers, read, response, with_query};
use crate::Door;
use crate::access::Guest;

/// Answers a request that passes as it is.
pub(crate) async fn pass(
    door: Door,
    kind: UpstreamKind,
    path: String,
    request: Request,
) -> Response {
    let (parts, body) = request.into_parts();
    let answered = async {
        let guest = door.access.guest(&door.engine, &parts.headers).await?;
        on(&door, &guest, (kind, &path), &parts, read(body).await?).await
    };
    answered.await.unwrap_or_else(|refusal| refusal.told(kind))
}

/// Passes a request on to an upstream of this kind, below whose root it has this path.
pub(crate) async fn on(
    door: &Door,
    guest: &Guest,
    (kind, path): (UpstreamKind, &str),
    parts: &Parts,
    body: Bytes,
) -> Result<Response, Refusal> {
    let named = headers::text(&parts.headers, UPSTREAM);
    let chosen = door.proxy.answerers.choose(named.as_deref(), None, &[kind])?;
    let call = Call {
        method: parts.method.clone(),
        path: with_query(path, &parts.uri),
        headers: parts.headers.clone(),
        with_credentials: guest.credential_travels,
        body,
        talk: None,
    };
    let answer = chosen.answerer.ask(call).await?;
    let headers = headers::for_client(&answer.headers);
    Ok(response(answer.status, headers, answer.body))
}

/// Whether an upstream of this kind is there.
pub(crate) fn has(door: &Door, kind: UpstreamKind) -> bool {
    let found = door.proxy.answerers.choose(None, None, &[kind]);
    !matches!(found, Err(Refusal { status: StatusCode::NOT_FOUND, .. }))
}
