//! The HTTP server: the REST API under `/v1`, MCP for agents at `/mcp`, the interface of mem0
//! under `/mem0`, and the proxy, which speaks the protocols of model providers.
//!
//! A request passes the `gate`, which rejects cross-site requests and enforces limits. `access`
//! authenticates the caller, the extractors of `api` parse path, query and body, one verb of the
//! engine runs, and its result is written as JSON. An interface makes no decision about memory: it
//! parses, calls and writes.
//!
//! Every error is written by `error`, as `application/problem+json`.
//!
//! Create a [`ServerState`] for an engine, a [`router()`] for it, and [`serve`] that on a socket;
//! or send requests to the router directly.

mod access;
mod api;
mod body_with;
mod error;
mod following;
mod gate;
mod imports;
mod mcp;
mod mcp_settings;
mod mem0;
mod metrics;
mod proxy;
mod query_params;
mod router;
mod serving;
mod state;
mod wire;

pub use api::openapi;
pub use following::{FollowedFolders, follow};
pub use mcp::{McpSessions, mount_mcp};
pub use mcp_settings::McpSettings;
pub use proxy::Proxy;
pub use router::{brief_router, router, router_with_mcp};
pub use serving::{listen, serve};
pub use state::ServerState;
