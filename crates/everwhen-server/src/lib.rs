//! One port, several doors: the REST API under `/v1`, MCP for agents at `/mcp`, and the proxy, which
//! answers as model providers do.
//!
//! A request comes in and passes the `gate`, which turns away what a foreign web page made a browser
//! send and what is too much; `access` says who is calling, the extractors of `api` turn path, query and
//! body into words of the engine, one verb of the engine runs, and its result is written as JSON. A
//! door decides nothing about memory: it reads, calls and writes.
//!
//! Whatever goes wrong leaves as `application/problem+json`, written by `problem`.
//!
//! Make a [`ServerState`] to an engine, a [`router()`] in front of it, and [`serve`] that on a socket; or
//! send requests into the router without one.

mod access;
mod api;
mod error;
mod gate;
mod mcp;
mod metrics;
mod proxy;
mod router;
mod serving;
mod state;

pub use api::openapi;
pub use mcp::{McpSessions, McpSettings, mount_mcp};
pub use proxy::Proxy;
pub use router::{router, router_with_mcp};
pub use serving::{listen, raise_file_limit, serve};
pub use state::ServerState;
