//! How fast it is, beside the libraries it uses: storing, recall, the proxy, MCP, workflows, distilling and importing.

pub mod distill;
pub mod import;
pub mod mcp;
pub mod proxy;
pub mod recall;
pub mod store;
pub mod workflow;
