//! Workflows: files of nodes that run one after the other to answer a chat.
//!
//! A [`Folder`] reads every workflow of a directory and reports what is wrong, with file, line and
//! what would be right. A file is JSON with comments: a list of [`Node`]s, or an object with
//! `nodes` and constants, which nodes use as `{variables}`.
//!
//! [`run()`] runs one workflow for a chat: up to the node that answers the user, or to the end. It
//! reaches the outside through three traits: [`Endpoints`] for models, [`ChatMemory`] for the
//! memory of the chat, and [`Files`].
//!
//! [`Workflows`] holds the workflows of a configuration with their endpoints and files. It answers
//! chats and leaves the nodes after the answer as durable jobs, which [`run_in_background`] runs.

mod background;
mod chat;
mod chat_memory;
mod condition;
mod diagnostic;
mod endpoints;
mod extract;
mod files;
mod folder;
mod jinja;
mod node;
mod port;
mod properties;
mod run;
mod search;
mod source;
mod template;
mod variables;
mod wire;
mod workflow;
mod workflows;
mod writer;

pub use background::run_in_background;
pub use chat::{Chat, SaidAt};
pub use chat_memory::MemoryPlace;
pub use diagnostic::Diagnostic;
pub use files::VaultFiles;
pub use folder::Folder;
pub use node::{Node, SearchMode, Stamps};
pub use port::{ChatMemory, Endpoints, Files, ModelReply, Question, SearchHit, SearchQuery};
pub use run::{Progress, RunContext, RunObserver, RunOutcome, RunUntil, Trace, answer, run};
pub use variables::ChatVariables;
pub use workflow::Workflow;
pub use workflows::Workflows;
pub use writer::with_writer;
