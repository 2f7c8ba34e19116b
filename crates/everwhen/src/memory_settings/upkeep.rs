//! Keys about what becomes of memories once they are written: condensing them, and the state document.

use super::{Condensing, Read, StateDocument};
use crate::ports::CondenseRule;

/// Maximum length of a condensed memory, in tokens.
const CONDENSED_TOKENS: u32 = 500;
/// The share of a state document that a new version must have, in thousandths.
const RETENTION: u32 = 500;

impl Read<'_> {
    /// How memories are condensed. Only memories in plain words are, as in WilmerAI.
    pub(super) fn condensing(&self) -> Option<Condensing> {
        let count = self.first_number(&["memoriesBeforeCondensation"])?;
        if self.searchable || !self.is_on("condenseMemories") {
            return None;
        }
        let buffer = self.first_number(&["memoryCondensationBuffer"]).unwrap_or_default();
        let tokens = ["condenseMemoriesMaxResponseSizeInTokens", "maxResponseSizeInTokens"];
        Some(Condensing {
            rule: CondenseRule { count: count as usize, buffer: buffer as usize },
            endpoint: self.first_text(&["condenseMemoriesEndpointName", "endpointName"]),
            preset: self.first_text(&["condenseMemoriesPreset", "preset"]),
            system_prompt: self.first_text(&["condenseMemoriesSystemPrompt"]),
            prompt: self.first_text(&["condenseMemoriesPrompt"]),
            max_tokens: self.first_number(&tokens).unwrap_or(CONDENSED_TOKENS),
        })
    }

    /// How the state document is kept. Only searchable memories are merged into one, as in WilmerAI.
    pub(super) fn state_document(&self) -> Option<StateDocument> {
        if !self.searchable || !self.is_on("useStateDocument") {
            return None;
        }
        let workflow = self.first_text(&["stateDocumentWorkflowName"])?;
        Some(StateDocument { workflow, min_retention: self.retention.unwrap_or(RETENTION) })
    }

    /// Keys that are set and have no effect, because others are missing.
    pub(super) fn without_effect(&self) -> Vec<(String, usize)> {
        let mut found = self.idle.clone();
        let mut note = |key: &'static str, has_effect: bool| {
            if let Some((_, _, line)) =
                self.switches.iter().find(|(name, on, _)| *name == key && *on)
                && !has_effect
            {
                found.push((key.to_owned(), *line));
            }
        };
        note("condenseMemories", self.condensing().is_some());
        note("useStateDocument", self.state_document().is_some());
        note("vectorMemoryIndexTopics", self.searchable);
        found
    }
}
