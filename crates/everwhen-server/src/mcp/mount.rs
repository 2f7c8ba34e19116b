//! Where a handler of the protocol is mounted: one route, the keys of the other doors, and only
//! hosts and origins that are allowed.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};

use super::guest;
use crate::Door;

/// The longest request that is read: an entry of a mebibyte, written as JSON escapes.
const LONGEST: usize = 8 * 1024 * 1024;
/// All are answered.
const ANY: &str = "*";

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
    door: &Door,
    sessions: McpSessions,
    make: impl Fn() -> H + Send + Sync + 'static,
) -> Router<Door> {
    let service = StreamableHttpService::new(
        move || Ok(make()),
        Arc::new(LocalSessionManager::default()),
        transport(door, sessions),
    );
    Router::new()
        .route_service("/mcp", service)
        .layer(from_fn_with_state(door.clone(), guest::admit))
}

fn transport(door: &Door, sessions: McpSessions) -> StreamableHttpServerConfig {
    let kept = sessions == McpSessions::Kept;
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(kept)
        .with_json_response(!kept)
        .with_max_request_body_bytes(LONGEST);
    let (hosts, origins) = (&door.mcp.allowed_hosts, &door.mcp.allowed_origins);
    let config = match hosts.iter().any(|host| host == ANY) {
        true => config.disable_allowed_hosts(),
        false => config.with_allowed_hosts(hosts),
    };
    match origins.iter().any(|origin| origin == ANY) {
        true => config.disable_allowed_origins(),
        false => config.with_allowed_origins(origins).enforce_origin_validation(),
    }
}
