//! Context documents, as tools take and give them.

use everwhen::Result;
use everwhen::memory::{ContextDocument, NewContext};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::read_time;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct GetContext {
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct PutContext {
    /// The whole document
    content: String,
    /// Up to when it tells; default now
    conversation_time: Option<String>,
    /// Name or id
    #[serde(alias = "memory_id")]
    pub(crate) memory: Option<String>,
    #[serde(alias = "vault_id")]
    pub(crate) vault: Option<String>,
}

impl PutContext {
    /// Reads the document.
    pub(crate) fn read(self) -> Result<NewContext> {
        let time = read_time("conversation_time", self.conversation_time.as_deref())?;
        NewContext::new(self.content, time)
    }
}

#[derive(Default, Serialize, JsonSchema)]
pub(crate) struct ContextOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    content: Option<String>,
    /// 0: nothing has been written yet
    version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    conversation_time: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    creation_time: Option<String>,
    /// agent, extractive or llm
    #[serde(skip_serializing_if = "Option::is_none")]
    written_by: Option<String>,
}

impl ContextOutput {
    /// An empty document.
    pub(crate) fn nothing_yet() -> Self {
        Self { content: Some(String::new()), ..Self::default() }
    }

    /// The document, with or without its text.
    pub(crate) fn write(document: ContextDocument, with_text: bool) -> Self {
        Self {
            content: with_text.then_some(document.content),
            version: document.version,
            conversation_time: Some(document.conversation_time.to_string()),
            creation_time: Some(document.creation_time.to_string()),
            written_by: Some(document.by.as_str().to_owned()),
        }
    }
}
