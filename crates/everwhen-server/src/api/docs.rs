//! The page that documents the API, from files inside the binary: it works without a network.

use std::io::Read;
use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::RawPathParams;
use axum::http::HeaderMap;
use axum::http::header::{
    ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE, VARY,
};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use everwhen::Error;
use flate2::read::GzDecoder;
use utoipa_swagger_ui::{Config, SwaggerFile};

use crate::ServerState;
use crate::error::{RequestError, no_route};

/// No validator: it would send the document to a third party's server.
static CONFIG: LazyLock<Arc<Config<'static>>> =
    LazyLock::new(|| Arc::new(Config::from("/openapi.json").validator_url("none")));

/// The page and the files it loads.
pub(super) fn routes() -> Router<ServerState> {
    Router::new()
        .route("/docs", get(async || Redirect::to("/docs/")))
        .route("/docs/", get(async |headers: HeaderMap| file("index.html", &headers).await))
        .route("/docs/{file}", get(named))
}

async fn named(headers: HeaderMap, params: RawPathParams) -> Result<Response, RequestError> {
    let named = params.iter().next().map(|(_, name)| name.to_owned());
    file(&named.unwrap_or_default(), &headers).await
}

async fn file(name: &str, headers: &HeaderMap) -> Result<Response, RequestError> {
    let found = utoipa_swagger_ui::serve(name, Arc::clone(&CONFIG))
        .map_err(|error| Error::damaged(format!("cannot show the page: {error}")))?;
    match found {
        Some(file) => Ok(sent(file, accepts_gzip(headers))?),
        None => Err(no_route().await),
    }
}

fn accepts_gzip(headers: &HeaderMap) -> bool {
    let named = headers.get(ACCEPT_ENCODING).and_then(|value| value.to_str().ok());
    named.is_some_and(|named| named.contains("gzip"))
}

/// The files are compressed in the binary; a client that cannot read that gets the plain text.
fn sent(file: SwaggerFile<'_>, gzip: bool) -> Result<Response, Error> {
    let kind = [(CONTENT_TYPE, file.content_type)];
    // No other page may embed this one (clickjacking).
    let alone = [(CONTENT_SECURITY_POLICY, "frame-ancestors 'none'"), (VARY, "accept-encoding")];
    let packed = (file.gzpipped && gzip).then_some([(CONTENT_ENCODING, "gzip")]);
    let mut bytes = file.bytes.into_owned();
    if file.gzpipped && !gzip {
        let mut plain = Vec::new();
        GzDecoder::new(bytes.as_slice())
            .read_to_end(&mut plain)
            .map_err(|error| Error::damaged(format!("cannot unpack the page: {error}")))?;
        bytes = plain;
    }
    Ok((kind, alone, packed, bytes).into_response())
}
