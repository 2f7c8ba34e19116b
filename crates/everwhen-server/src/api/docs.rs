//! The page that documents the API, from files inside the binary: it works without a network.

use std::sync::{Arc, LazyLock};

use axum::Router;
use axum::extract::RawPathParams;
use axum::http::header::{CONTENT_ENCODING, CONTENT_SECURITY_POLICY, CONTENT_TYPE};
use axum::response::{IntoResponse, Redirect, Response};
use axum::routing::get;
use everwhen::Error;
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
        .route("/docs/", get(async || file("index.html").await))
        .route("/docs/{file}", get(named))
}

async fn named(params: RawPathParams) -> Result<Response, RequestError> {
    let named = params.iter().next().map(|(_, name)| name.to_owned());
    file(&named.unwrap_or_default()).await
}

async fn file(name: &str) -> Result<Response, RequestError> {
    let found = utoipa_swagger_ui::serve(name, Arc::clone(&CONFIG))
        .map_err(|error| Error::damaged(format!("cannot show the page: {error}")))?;
    match found {
        Some(file) => Ok(sent(file)),
        None => Err(no_route().await),
    }
}

fn sent(file: SwaggerFile<'_>) -> Response {
    let kind = [(CONTENT_TYPE, file.content_type)];
    // No other page may embed this one (clickjacking).
    let alone = [(CONTENT_SECURITY_POLICY, "frame-ancestors 'none'")];
    let zipped = file.gzpipped.then_some([(CONTENT_ENCODING, "gzip")]);
    (kind, alone, zipped, file.bytes.into_owned()).into_response()
}
