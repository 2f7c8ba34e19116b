//! Workflows: files of nodes that run one after the other behind the proxy.
//!
//! A [`Folder`] reads every workflow of a directory and says what is wrong, with file, line and what
//! would be right. A file is JSON with comments: a list of [`Node`]s, or an object with `nodes` and
//! values of the author's own, which nodes use as `{variables}`.
//!
//! [`run()`] runs one for a chat: up to the node that answers the user, or to the end. What it needs
//! from the world is in three traits: [`Endpoints`] to ask models, a [`Desk`] for the memory of the
//! chat, and [`Files`].
//!
//! [`Workflows`] are those of a configuration, with the endpoints, the vaults and the files they need:
//! they answer a chat, and go on behind the answer as durable jobs, which [`go_on`] does.

mod background;
mod chat;
mod condition;
mod desk;
mod endpoints;
mod extract;
mod files;
mod flaw;
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

pub use background::go_on;
pub use chat::{Chat, SaidAt};
pub use desk::Place;
pub use files::VaultFiles;
pub use flaw::Flaw;
pub use folder::Folder;
pub use node::{Node, SearchMode, Stamps};
pub use port::{Desk, Endpoints, Files, Found, Question, Told, Wanted};
pub use run::{Ended, Follow, Progress, Stage, Trace, Until, answer, run};
pub use variables::Scene;
pub use workflow::Workflow;
pub use workflows::Workflows;
pub use writer::with_writer;
