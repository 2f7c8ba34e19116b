//! Where a handler of the protocol is mounted: one route, and the keys of the other interfaces. Which
//! hosts and origins are answered is the gate's business.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::call;
use crate::ServerState;

/// The longest request that is read: an entry of a mebibyte, written as JSON escapes.
const LONGEST: usize = 8 * 1024 * 1024;

/// Whether older clients get a session with streams of its own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpSessions {
    /// Every request stands for itself and is answered with JSON.
    None,
    /// A session is kept for each client of the older kind that asks for one.
    Kept,
}

/// `/mcp`, answered by handlers that `make` makes, one for each request or session.
pub fn mount_mcp<H: ServerHandler>(
    state: &ServerState,
    sessions: McpSessions,
    make: impl Fn() -> H + Send + Sync + 'static,
) -> Router<ServerState> {
    let service = StreamableHttpService::new(
        move || Ok(make()),
        Arc::new(LocalSessionManager::default()),
        transport(sessions),
    );
    Router::new()
        .route_service("/mcp", service)
        .layer(from_fn_with_state(state.clone(), call::admit))
}

fn transport(sessions: McpSessions) -> StreamableHttpServerConfig {
    let kept = sessions == McpSessions::Kept;
    StreamableHttpServerConfig::default()
        .with_legacy_session_mode(kept)
        .with_json_response(!kept)
        .with_max_request_body_bytes(LONGEST)
        .disable_allowed_hosts()
        .disable_allowed_origins()
}
