//! The REST door: everything a vault can do, as JSON over HTTP.
//!
//! [`routes`] is the table of contents. A request passes the extractors of [`ask`], becomes one
//! verb of the engine in one of the handler files, and leaves as an [`answer`]. What goes over the
//! wire is written down in [`wire`]; [`spec`] tells the world.

mod answer;
mod ask;
mod chapters;
mod context;
mod conversations;
mod cursor;
mod docs;
mod entries;
mod facts;
mod house;
mod keys;
mod memories;
mod recall;
mod routes;
mod spec;
mod timeline;
mod times;
mod upkeep;
mod usage;
mod vaults;
mod wire;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tower_http::catch_panic::CatchPanicLayer;

use crate::{Door, mcp, problem, proxy, tally};

/// All routes, in front of this door.
pub fn router(door: Door) -> Router {
    let mounted = mcp::routes(&door);
    router_with_mcp(door, mounted)
}

/// All routes, with another MCP door than ours; see [`crate::mount_mcp`].
pub fn router_with_mcp(door: Door, mounted: Router<Door>) -> Router {
    let (routes, _) = routes::table().split_for_parts();
    routes
        .merge(docs::routes())
        .merge(mounted)
        .merge(proxy::routes())
        .fallback(problem::no_route)
        .method_not_allowed_fallback(problem::wrong_method)
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(from_fn_with_state(door.clone(), tally::watch))
        .with_state(door)
}

/// The OpenAPI 3.1 document of all routes, as pretty JSON that ends in a line break.
pub fn openapi() -> String {
    let (_, document) = routes::table().split_for_parts();
    spec::write(&document)
}
