//! The router of all interfaces, each behind the gate.

use axum::Router;
use axum::middleware::from_fn_with_state;
use tower_http::catch_panic::CatchPanicLayer;

use crate::gate::{self, Interface};
use crate::{ServerState, api, error, mcp, metrics, proxy};

/// All routes of the server.
pub fn router(state: ServerState) -> Router {
    let mounted = mcp::routes(&state);
    router_with_mcp(state, mounted)
}

/// All routes, with another MCP handler than ours; see [`crate::mount_mcp`].
pub fn router_with_mcp(state: ServerState, mounted: Router<ServerState>) -> Router {
    let rest = api::routes().fallback(error::no_route);
    gate::before(rest, &state, Interface::Rest)
        .merge(gate::before(api::docs(), &state, Interface::Docs))
        .merge(gate::before(everwhen_ui::routes(), &state, Interface::Ui))
        .merge(gate::before(mounted, &state, Interface::Mcp))
        .merge(gate::before(proxy::routes(), &state, Interface::Proxy))
        .layer(CatchPanicLayer::custom(error::panicked))
        .layer(from_fn_with_state(state.clone(), metrics::watch))
        .with_state(state)
}
