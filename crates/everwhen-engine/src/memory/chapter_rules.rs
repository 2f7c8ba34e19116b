//! The rules by which chapters and summaries are made, with the names the settings file gives them.

use crate::{Error, Result};

/// Rules for chapters and the rolling summary.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChapterRules {
    /// `chunkEstimatedTokenSize`: the approximate number of tokens of a chapter.
    pub chunk_tokens: usize,
    /// `maxMessagesBetweenChunks`: the number of messages of a chapter, if that is reached first.
    pub max_messages: usize,
    /// `lookbackStartTurn`: the number of newest messages that are left out.
    pub lookback: usize,
    /// `minMemoriesPerSummary`: the minimum number of new chapters that are folded into the summary.
    pub min_per_summary: usize,
    /// `loopIfMemoriesExceed`: the maximum number of them at a time.
    pub most_per_summary: usize,
    /// `systemPrompt`: instructions of the owner's own.
    pub system_prompt: Option<String>,
    /// `prompt`: the question of the owner's own, with `[TextChunk]` where the entries go.
    pub prompt: Option<String>,
    /// `maxResponseSizeInTokens`: the maximum number of tokens of a chapter.
    pub max_response_tokens: u32,
    /// `fileMemoryWorkflowName` or `vectorMemoryWorkflowName`: a workflow that writes chapters
    /// instead of the prompts.
    pub workflow: Option<String>,
}

/// How far the rolling summary is brought, where that is not as usual.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Folding {
    /// Not with fewer new chapters than this.
    pub min: usize,
    /// The maximum number at a time.
    pub most: usize,
}

impl Default for ChapterRules {
    fn default() -> Self {
        Self {
            chunk_tokens: 1000,
            max_messages: 5,
            lookback: 3,
            min_per_summary: 3,
            most_per_summary: 3,
            system_prompt: None,
            prompt: None,
            max_response_tokens: 400,
            workflow: None,
        }
    }
}

impl Folding {
    /// As a job carries it.
    pub(crate) fn written(self) -> String {
        format!("{} {}", self.min, self.most)
    }

    /// What a job carries; nothing if it carries nothing.
    pub(crate) fn read(payload: Option<&str>) -> Result<Option<Self>> {
        let Some(payload) = payload else { return Ok(None) };
        let read = || {
            let (min, most) = payload.split_once(' ')?;
            Some(Self { min: min.parse().ok()?, most: most.parse().ok()? })
        };
        read().map(Some).ok_or_else(|| Error::damaged("a job to fold holds no two numbers"))
    }
}
