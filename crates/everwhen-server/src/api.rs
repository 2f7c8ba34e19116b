//! The REST API: everything a vault can do, as JSON over HTTP.
//!
//! [`mod@routes`] is the table of contents. A request passes the extractors of [`extract`], calls
//! one verb of the engine in a handler, and is answered by a [`response`]. The JSON types are in
//! [`wire`]; [`spec`] writes the OpenAPI document.

mod chapters;
mod context;
mod conversations;
pub(crate) mod cursor;
mod docs;
mod entries;
mod export;
mod extract;
mod facts;
mod files;
mod health;
mod imports;
mod keys;
mod memories;
mod period;
mod query;
mod recall;
mod response;
mod retrospection;
mod routes;
mod spec;
mod timeline;
mod times;
mod upkeep;
mod usage;
mod vaults;
mod wire;

use axum::Router;

use crate::ServerState;

/// The routes of the REST API.
pub(crate) fn routes() -> Router<ServerState> {
    let (routes, document) = routes::table().split_for_parts();
    query::refuse_unread(routes, &document)
}

/// The few that an agent's hook needs.
pub(crate) fn brief_routes() -> Router<ServerState> {
    routes::brief()
}

/// The routes of the page that documents it.
pub(crate) fn docs() -> Router<ServerState> {
    docs::routes()
}

/// The OpenAPI 3.1 document of all routes, as indented JSON with a final line break.
pub fn openapi() -> String {
    let (_, document) = routes::table().split_for_parts();
    spec::write(&document)
}
