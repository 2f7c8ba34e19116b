//! The router of all interfaces, each behind the gate.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use tower_http::catch_panic::CatchPanicLayer;

use crate::gate::{self, Interface};
use crate::{ServerState, api, error, mcp, mem0, metrics, proxy};

/// All routes of the server.
pub fn router(state: ServerState) -> Router {
    let mounted = mcp::routes(&state);
    router_with_mcp(state, mounted)
}

/// The routes that an agent's hook needs, and nothing else: putting all of them together takes longer than
/// answering it. Requests are not counted.
pub fn brief_router(state: ServerState) -> Router {
    let routes = api::brief_routes().fallback(error::no_route).with_state(state.clone());
    gate::before(routes, &state.gate_checks(), Interface::Rest)
        .layer(CatchPanicLayer::custom(error::panicked))
}

/// All routes, with another MCP handler than ours; see [`crate::mount_mcp`].
pub fn router_with_mcp(state: ServerState, mounted: Router<ServerState>) -> Router {
    let (checks, metrics) = (state.gate_checks(), Arc::clone(&state.metrics));
    let behind_gate = |routes: Router, interface| gate::before(routes, &checks, interface);
    let rest = api::routes().fallback(error::no_route).with_state(state.clone());
    behind_gate(rest, Interface::Rest)
        .merge(behind_gate(api::docs().with_state(state.clone()), Interface::Docs))
        .merge(behind_gate(everwhen_ui::routes(), Interface::Ui))
        .merge(behind_gate(mounted.with_state(state.clone()), Interface::Mcp))
        .merge(behind_gate(mem0::routes().with_state(state.clone()), Interface::Rest))
        .merge(behind_gate(proxy::routes().with_state(state.proxy_state()), Interface::Proxy))
        .layer(CatchPanicLayer::custom(error::panicked))
        .layer(from_fn_with_state(metrics, metrics::watch))
}
