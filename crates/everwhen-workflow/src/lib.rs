//! Workflows: files of nodes that run one after the other to answer a chat.
//!
//! A [`WorkflowSet`] is what a directory holds: a plain directory of workflow files, or WilmerAI's
//! tree with users, endpoints, presets and routing. A file is JSON with comments: a list of
//! nodes, or an object with `nodes` and constants, which nodes use as `{variables}`. Whatever is
//! wrong with a file is a [`Diagnostic`] with its line, and leaves the other files usable.
//!
//! [`Workflows`] holds the set, reads it again when files change, and answers chats: a run goes up
//! to the node that answers the user and leaves the nodes after it as a durable job, which
//! [`run_in_background`] runs. [`reference()`] describes every node type, variable and placeholder.

mod background;
mod chat;
mod chat_memory;
mod cleaning;
mod condition;
mod diagnostic;
mod endpoint_file;
mod endpoints;
mod extract;
mod files;
mod jinja;
mod library;
mod metered;
mod node;
mod port;
mod presets;
mod profile;
mod properties;
mod reference;
mod run;
mod search;
mod set;
mod source;
mod summarizer;
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
pub use node::Stamps;
pub use reference::reference;
pub use run::{RunObserver, RunOutcome, Trace};
pub use set::WorkflowSet;
pub use workflows::{Workflows, files_directory, forget_files};
pub use writer::with_writer;
