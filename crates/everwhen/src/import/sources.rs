//! Programs whose files can be imported, one file each. [`SOURCES`] is the table.

mod chatgpt;
mod claude;
mod claude_code;
mod codex;
mod copilot_cli;
mod discord;
mod gemini;
mod gemini_cli;
mod graphiti;
mod jan;
mod letta;
mod librechat;
mod lmstudio;
mod markdown;
mod mcp_memory;
mod mcp_memory_service;
mod mem0;
mod mempalace;
mod messages;
mod mycelian;
mod open_webui;
mod opencode;
mod rows;
mod signal;
mod sillytavern;
mod slack;
mod smarthole;
mod telegram;
mod vitamem;
mod whatsapp;

pub use markdown::message_in_note;

use super::reading::Reading;
use super::sample::{Claim, Sample};
use crate::{Error, Result};

/// A program whose files can be imported.
pub struct Source {
    /// Its name: what `--from` and the entries' `source` say.
    pub name: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Which files it takes.
    pub takes: &'static str,
    /// Folders below the home directory in which the program keeps its files, to be watched.
    pub folders: &'static [&'static str],
    /// Says whether a document is one of the program's.
    pub(crate) claims: fn(&Sample<'_>) -> Claim,
    /// Reads all documents of the program.
    pub(crate) read: fn(&mut Reading<'_>),
}

/// All sources. A new one is a file and a line here.
pub static SOURCES: &[&Source] = &[
    &chatgpt::SOURCE,
    &claude::SOURCE,
    &claude_code::SOURCE,
    &codex::SOURCE,
    &gemini::SOURCE,
    &gemini_cli::SOURCE,
    &opencode::SOURCE,
    &copilot_cli::SOURCE,
    &sillytavern::SOURCE,
    &open_webui::SOURCE,
    &librechat::SOURCE,
    &lmstudio::SOURCE,
    &jan::SOURCE,
    &whatsapp::SOURCE,
    &telegram::SOURCE,
    &discord::SOURCE,
    &slack::SOURCE,
    &signal::SOURCE,
    &smarthole::SOURCE,
    &mycelian::SOURCE,
    &vitamem::SOURCE,
    &mem0::SOURCE,
    &graphiti::SOURCE,
    &mcp_memory::SOURCE,
    &mcp_memory_service::SOURCE,
    &letta::SOURCE,
    &mempalace::SOURCE,
    &messages::SOURCE,
    &rows::SOURCE,
    &markdown::SOURCE,
];

impl Source {
    /// The source with this name.
    pub fn named(name: &str) -> Result<&'static Self> {
        SOURCES.iter().copied().find(|source| source.name == name).ok_or_else(|| {
            let known: Vec<&str> = SOURCES.iter().map(|source| source.name).collect();
            Error::invalid(format!("unknown source {name:?}; use one of {}", known.join(", ")))
        })
    }
}

impl std::fmt::Debug for Source {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}
