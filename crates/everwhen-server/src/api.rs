//! The REST door: everything a vault can do, as JSON over HTTP.
//!
//! [`mod@routes`] is the table of contents. A request passes the extractors of [`ask`], becomes one
//! verb of the engine in one of the handler files, and leaves as an [`answer`]. What goes over the
//! wire is written down in [`wire`]; [`spec`] tells the world.

mod chapters;
mod context;
mod conversations;
mod cursor;
mod docs;
mod entries;
mod extract;
mod facts;
mod health;
mod keys;
mod memories;
mod recall;
mod response;
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

/// The routes of this interface.
pub(crate) fn routes() -> Router<ServerState> {
    routes::table().split_for_parts().0
}

/// The page that shows it.
pub(crate) fn docs() -> Router<ServerState> {
    docs::routes()
}

/// The OpenAPI 3.1 document of all routes, as pretty JSON that ends in a line break.
pub fn openapi() -> String {
    let (_, document) = routes::table().split_for_parts();
    spec::write(&document)
}
