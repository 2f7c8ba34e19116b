//! Workflows: files of nodes that run one after the other behind the proxy.
//!
//! A [`Folder`] reads every workflow of a directory and says what is wrong, with file, line and what
//! would be right. A file is JSON with comments: a list of [`Node`]s, or an object with `nodes` and
//! values of the author's own, which nodes use as `{variables}`.
//!
//! [`run()`] runs one for a chat: up to the node that answers the user, or to the end. What it needs
//! from the world is in three traits: [`Endpoints`] to ask models, a [`Desk`] for the memory of the
//! chat, and [`Files`].

mod condition;
mod extract;
mod files;
mod flaw;
mod folder;
mod jinja;
mod node;
mod port;
mod properties;
mod run;
mod source;
mod template;
mod variables;
mod workflow;

pub use files::FilesBelow;
pub use flaw::Flaw;
pub use folder::Folder;
pub use node::{Node, SearchMode, Stamps};
pub use port::{Desk, Endpoints, Files, Folding, Found, Hear, Held, Question, Wanted};
pub use run::{Ended, Follow, Progress, Stage, Trace, Until, answer, run};
pub use variables::Scene;
pub use workflow::Workflow;
