//! Mounts an MCP handler: one route with the authentication of the other interfaces. The gate
//! decides which hosts and origins are accepted.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::call;
use crate::ServerState;

/// Maximum length of a request: an entry of 1 MiB, written as JSON escapes.
const LONGEST: usize = 8 * 1024 * 1024;

/// Whether clients of older protocol versions get a session with its own streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum McpSessions {
    /// Requests are stateless and answered with JSON.
    None,
    /// A session is kept for each client of an older version that asks for one.
    Kept,
}

/// Routes `/mcp` to handlers that `make` creates, one per request or session.
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
