//! One port, several doors: the REST API under `/v1`, MCP for agents at `/mcp`, and the proxy, which
//! answers as model providers do.
//!
//! A request comes in, `access` says who is calling, the extractors of `api` turn path, query and
//! body into words of the engine, one verb of the engine runs, and its result is written as JSON. A
//! door decides nothing about memory: it reads, calls and writes.
//!
//! Whatever goes wrong leaves as `application/problem+json`, written by `problem`.
//!
//! Make a [`Door`] to an engine, a [`router`] in front of it, and [`serve`] that on a socket; or
//! send requests into the router without one.

mod access;
mod api;
mod door;
mod mcp;
mod problem;
mod proxy;
mod serving;
mod tally;

pub use api::{openapi, router, router_with_mcp};
pub use door::Door;
pub use mcp::{McpSessions, McpSettings, mount_mcp};
pub use proxy::Proxy;
pub use serving::serve;
