//! What the proxy itself writes and keeps as JSON: replies of workflows, rows of the outbox, traces.
//! Requests and replies of providers are read by `everwhen-protocols`.

pub(crate) mod completion;
pub(crate) mod kept;
pub(crate) mod seen;
