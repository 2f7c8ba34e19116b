//! A memory's context document: what is known about it in short, every version kept.

use jiff::Timestamp;

use super::{ContextId, MemoryId};
use crate::{Error, Result, limits};

/// One version of the context document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContextDocument {
    /// Its id.
    pub id: ContextId,
    /// The memory it describes.
    pub memory: MemoryId,
    /// From 1; the highest is current.
    pub version: u64,
    /// The text.
    pub content: String,
    /// The time up to which it is complete.
    pub conversation_time: Timestamp,
    /// When it was stored.
    pub creation_time: Timestamp,
    /// Who wrote it.
    pub by: ContextBy,
}

/// Who wrote a version of the context document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContextBy {
    /// An agent, or another caller. While it is the newest, nothing else is written.
    Agent,
    /// Rules, from facts, chapters and conversations.
    Extractive,
    /// Facts, chapters and conversations, with a language model's help.
    Llm,
}

impl ContextBy {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Agent, Self::Extractive, Self::Llm];

    /// As written on every wire.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Agent => "agent",
            Self::Extractive => "extractive",
            Self::Llm => "llm",
        }
    }
}

/// A context document to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewContext {
    content: String,
    conversation_time: Option<Timestamp>,
}

impl NewContext {
    /// Checks and takes a document: not blank, at most [`limits::CONTEXT_CHARS`] characters, no
    /// control characters but tab and line ends.
    pub fn new(content: impl Into<String>, conversation_time: Option<Timestamp>) -> Result<Self> {
        let content = content.into();
        if content.trim().is_empty() {
            return Err(Error::invalid("the context document is empty; write at least a word"));
        }
        let length = content.chars().count();
        if length > limits::CONTEXT_CHARS {
            return Err(Error::too_large(format!(
                "the context document has {length} characters; at most {} fit",
                limits::CONTEXT_CHARS
            )));
        }
        let odd = |letter: char| letter.is_control() && !matches!(letter, '\t' | '\n' | '\r');
        if content.contains(odd) {
            return Err(Error::invalid(
                "the context document contains a control character; only tab and line ends may occur",
            ));
        }
        Ok(Self { content, conversation_time })
    }

    /// The text.
    pub fn content(&self) -> &str {
        &self.content
    }

    /// The time the caller gave.
    pub fn conversation_time(&self) -> Option<Timestamp> {
        self.conversation_time
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_document_counts_characters_not_bytes() {
        assert!(NewContext::new("é".repeat(limits::CONTEXT_CHARS), None).is_ok());
        assert!(NewContext::new("é".repeat(limits::CONTEXT_CHARS + 1), None).is_err());
        assert!(NewContext::new("a\u{7}b", None).is_err());
        assert!(NewContext::new("a\tb\r\n", None).is_ok());
    }
}
