//! Every interface on one router, each behind the gate.

use axum::Router;
use axum::middleware::from_fn_with_state;
use tower_http::catch_panic::CatchPanicLayer;

use crate::gate::{self, Interface};
use crate::{Door, api, mcp, problem, proxy, tally};

/// All routes, in front of this door.
pub fn router(door: Door) -> Router {
    let mounted = mcp::routes(&door);
    router_with_mcp(door, mounted)
}

/// All routes, with another MCP interface than ours; see [`crate::mount_mcp`].
pub fn router_with_mcp(door: Door, mounted: Router<Door>) -> Router {
    let rest = api::routes().fallback(problem::no_route);
    gate::before(rest, &door, Interface::Rest)
        .merge(gate::before(api::docs(), &door, Interface::Docs))
        .merge(gate::before(mounted, &door, Interface::Mcp))
        .merge(gate::before(proxy::routes(), &door, Interface::Proxy))
        .layer(CatchPanicLayer::custom(problem::panicked))
        .layer(from_fn_with_state(door.clone(), tally::watch))
        .with_state(door)
}
