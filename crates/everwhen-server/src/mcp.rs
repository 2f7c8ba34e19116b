//! The MCP interface: what a vault can do, as tools for an agent, at `/mcp`.
//!
//! [`call`] authenticates a request and resolves its default vault and memory. [`handler`]
//! implements the protocol: it lists [`tools`], [`resources`], [`prompts`] and [`completions`]. A
//! tool parses its arguments, calls one verb of the engine and returns the result; the JSON types
//! are in [`wire`], and texts for models are files in `texts/`.
//!
//! Requests are stateless: there is no session to lose when the server restarts. Programs that
//! speak MCP over standard input are served by the command line, which forwards each message to
//! this route.

mod call;
mod completions;
mod handler;
mod mount;
mod prompts;
mod resources;
mod tool;
mod tools;
mod wire;

pub use mount::{McpSessions, mount_mcp};

use axum::Router;

use crate::ServerState;
use handler::McpHandler;

/// The route of this interface.
pub(crate) fn routes(state: &ServerState) -> Router<ServerState> {
    mount_mcp(state, McpSessions::None, || McpHandler)
}

#[cfg(test)]
mod tests;
