//! The MCP door: what a vault can do, as tools for an agent, at `/mcp`.
//!
//! A request passes [`guest`], which says who is calling and what they mean by default. [`host`]
//! answers the protocol: it shows [`tools`], [`resources`], [`prompts`] and [`completions`]. A tool
//! reads its arguments into words of the engine, calls one verb and writes what came of it; what
//! goes over the wire is in [`wire`], and texts for models are files in `texts/`.
//!
//! Requests stand for themselves: there is no session to lose when the server restarts. Programs
//! that speak the protocol over standard input are served by the command line, which sends each
//! message here.

mod call;
mod completions;
mod handler;
mod mount;
mod prompts;
mod resources;
mod settings;
mod tool;
mod tools;
mod wire;

pub use mount::{McpSessions, mount_mcp};
pub use settings::McpSettings;

use axum::Router;

use crate::ServerState;
use handler::McpHandler;

/// The route of this door.
pub(crate) fn routes(state: &ServerState) -> Router<ServerState> {
    mount_mcp(state, McpSessions::None, || McpHandler)
}

#[cfg(test)]
mod tests;
