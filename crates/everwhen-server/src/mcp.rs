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

mod completions;
mod guest;
mod host;
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

use crate::Door;
use host::Host;

/// The route of this door.
pub(crate) fn routes(door: &Door) -> Router<Door> {
    mount_mcp(door, McpSessions::None, || Host)
}

#[cfg(test)]
mod tests;
