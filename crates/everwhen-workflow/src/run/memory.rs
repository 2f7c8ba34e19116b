//! Nodes that read the memory of the chat, or update what is distilled from it.
//!
//! Their texts for an empty result are those of WilmerAI, because prompts are written around them.
//! A model that fails while memory is brought up to date does not fail the chat: what is there is
//! read.

use std::sync::Arc;

use everwhen::Result;
use everwhen::chapters::Folding;
use everwhen::memory::Role;
use everwhen::ports::ChapterWriter;

use super::{NodeOutput, Run, RunObserver};
use crate::node::{KeywordSearch, NodeKind, RecentChapters, Search, SubWorkflow, Summarizer};
use crate::port::{SearchHit, SearchQuery};
use crate::search;
use crate::summarizer::NodeSummarizer;

/// Maximum number of keywords in one search.
const KEYWORDS: usize = 60;
/// Number of chapters if the node does not set one.
const CHAPTERS: usize = 3;
/// Maximum number of results of a keyword tool.
const MATCHES: usize = 10;
const NO_CHAPTERS_YET: &str = "No memories have been generated yet";
const NO_CHAPTERS: &str = "There are not yet any memories";
const NO_SUMMARY: &str = "There is not yet a summary file";
const NO_STATE: &str = "No state document has been created yet";
const NOTHING_FOUND: &str =
    "No relevant memories found in the vector database for the given keywords.";
const NO_MATCH: &str = "No messages or memories hold the keywords.";
const BREAK: &str = "--ChunkBreak--";

impl Run<'_> {
    /// Runs a node that reads or updates the memory; `None` if it is of another kind.
    pub(super) async fn remembered(
        &self,
        kind: &NodeKind,
        follow: &mut dyn RunObserver,
    ) -> Result<Option<NodeOutput>> {
        let memory = self.context.memory;
        let tools = &self.context.profile.tools;
        let left = match kind {
            NodeKind::QualityMemory => {
                self.distill().await;
                NodeOutput::output("")
            }
            NodeKind::ChatSummarySummarizer(summarizer) => self.summarize(summarizer).await?,
            NodeKind::RecentMemorySummarizerTool(recent) => self.recent(recent).await?,
            NodeKind::RecentMemory(recent) => {
                self.distill().await;
                self.tool_or_recent(tools.recent_memory.as_deref(), recent, follow).await?
            }
            NodeKind::ConversationMemory(recent) => {
                self.distill().await;
                self.tool_or_recent(tools.conversation_memory.as_deref(), recent, follow).await?
            }
            NodeKind::GetCurrentSummaryFromFile | NodeKind::FullChatSummary { by_hand: true } => {
                self.summary().await?
            }
            NodeKind::FullChatSummary { by_hand: false } => self.full_summary(follow).await?,
            NodeKind::VectorMemorySearch(search) => self.search(search).await?,
            NodeKind::KeywordSearch(search) => self.keyword_search(search).await?,
            NodeKind::GetCurrentMemoryFromFile => {
                NodeOutput::output(shown(&memory.chapters().await?, BREAK, NO_CHAPTERS))
            }
            NodeKind::ChatSummaryMemoryGatheringTool => {
                NodeOutput::output(shown(&memory.unfolded().await?, BREAK, NO_CHAPTERS))
            }
            NodeKind::WriteCurrentSummaryToFileAndReturnIt { input } => {
                let text = self.fill(input)?;
                memory.write_summary(text.clone()).await?;
                NodeOutput::output(text)
            }
            NodeKind::GetCurrentStateDocument => {
                let state = memory.state().await?;
                NodeOutput::output(state.unwrap_or_else(|| NO_STATE.into()))
            }
            NodeKind::ContextCompactor => self.compacted().await?,
            _ => return Ok(None),
        };
        Ok(Some(left))
    }

    /// Brings chapters and facts up to date.
    async fn distill(&self) {
        if let Err(error) = self.context.memory.distill().await {
            tracing::warn!(%error, "memory is not up to date; what is there is read");
        }
    }

    async fn fold(&self, folding: Folding, writer: Option<Arc<dyn ChapterWriter>>) {
        if let Err(error) = self.context.memory.fold(folding, writer).await {
            tracing::warn!(%error, "the summary is not up to date; what is there is read");
        }
    }

    async fn summarize(&self, node: &Summarizer) -> Result<NodeOutput> {
        let (min, most) = (self.count(&node.min_memories)?, self.count(&node.loop_if_exceed)?);
        let writer = match &node.own {
            None => None,
            Some(own) => Some(Arc::new(NodeSummarizer {
                endpoints: Arc::clone(self.context.endpoints),
                endpoint: self.fill(&own.endpoint)?,
                preset: own.preset.as_ref().map(|preset| self.fill(preset)).transpose()?,
                system: self.fill(&own.system_prompt)?,
                prompt: self.fill(&own.prompt)?,
                max_tokens: u32::try_from(self.amount(&own.max_tokens)?).unwrap_or(u32::MAX),
            }) as Arc<dyn ChapterWriter>),
        };
        self.fold(Folding { min, most }, writer).await;
        self.summary().await
    }

    /// Brings the summary up to date: with the user's workflow for it if more than one chapter is
    /// new, else by itself.
    async fn full_summary(&self, follow: &mut dyn RunObserver) -> Result<NodeOutput> {
        self.distill().await;
        let Some(tool) = &self.context.profile.tools.chat_summary else {
            self.fold(Folding { min: 1, most: CHAPTERS }, None).await;
            return self.summary().await;
        };
        let memory = self.context.memory;
        let is_new = memory.summary().await?.is_none();
        let new = memory.unfolded().await?.len();
        if new > 1 || (is_new && new > 0) {
            return self.descend(&tool_workflow(tool), false, follow).await;
        }
        self.summary().await
    }

    async fn tool_or_recent(
        &self,
        tool: Option<&str>,
        recent: &RecentChapters,
        follow: &mut dyn RunObserver,
    ) -> Result<NodeOutput> {
        match tool {
            Some(tool) => self.descend(&tool_workflow(tool), false, follow).await,
            None => self.recent(recent).await,
        }
    }

    async fn summary(&self) -> Result<NodeOutput> {
        let summary = self.context.memory.summary().await?;
        Ok(NodeOutput::output(summary.unwrap_or_else(|| NO_SUMMARY.into())))
    }

    async fn compacted(&self) -> Result<NodeOutput> {
        let memory = self.context.memory;
        let oldest = memory.summary().await?.unwrap_or_default();
        let old = memory.unfolded().await?.join("\n");
        Ok(NodeOutput::output(format!(
            "<context_compactor_old>\n{old}\n</context_compactor_old>\n\
             <context_compactor_oldest>\n{oldest}\n</context_compactor_oldest>"
        )))
    }

    /// The latest chapters; while there are none, messages of the chat.
    async fn recent(&self, recent: &RecentChapters) -> Result<NodeOutput> {
        let chapters = self.context.memory.chapters().await?;
        if chapters.is_empty() {
            let turns = self.turns(recent)?;
            return Ok(NodeOutput::output(shown(&turns, &recent.delimiter, NO_CHAPTERS_YET)));
        }
        let count = match self.amount(&recent.chapters)? {
            0 => CHAPTERS,
            count => usize::try_from(count).unwrap_or(usize::MAX),
        };
        let newest = &chapters[chapters.len().saturating_sub(count)..];
        Ok(NodeOutput::output(shown(newest, &recent.delimiter, NO_CHAPTERS_YET)))
    }

    /// Messages of the chat before the latest ones, as many as a node wants.
    fn turns(&self, recent: &RecentChapters) -> Result<Vec<String>> {
        let said = self.said_texts();
        let end = said.len().saturating_sub(self.count(&recent.skip)?);
        let begin = end.saturating_sub(self.count(&recent.turns)?);
        Ok(said[begin..end].to_vec())
    }

    fn said_texts(&self) -> Vec<String> {
        let said = self.variables().messages.iter();
        said.filter(|message| message.role != Role::System)
            .map(|message| message.content.clone())
            .collect()
    }

    async fn keyword_search(&self, node: &KeywordSearch) -> Result<NodeOutput> {
        let input = self.fill(&node.keywords)?;
        let words = keywords(&input.replace(" OR ", ";"));
        let mut texts = match node.in_memories {
            true => self.context.memory.chapters().await?,
            false => self.said_texts(),
        };
        let skipped = if node.in_memories { CHAPTERS } else { self.count(&node.lookback)? };
        texts.truncate(texts.len().saturating_sub(skipped));
        texts.retain(|text| search::says_any(text, &words));
        let newest = &texts[texts.len().saturating_sub(MATCHES)..];
        Ok(NodeOutput { input, ..NodeOutput::output(shown(newest, BREAK, NO_MATCH)) })
    }

    async fn search(&self, search: &Search) -> Result<NodeOutput> {
        let input = self.fill(&search.input)?;
        let semantic = search.semantic.as_ref().map(|text| self.fill(text)).transpose()?;
        let wanted = SearchQuery {
            keywords: keywords(&input),
            limit: self.count(&search.limit)?.max(1),
            mode: search.mode,
            semantic,
        };
        let found = match wanted.keywords.is_empty() {
            true => Vec::new(),
            false => self.context.memory.search(&wanted).await?,
        };
        let line = |found: &SearchHit| match search.dates {
            true => format!("[{}] {}", found.day, found.text),
            false => found.text.clone(),
        };
        let lines: Vec<String> = found.iter().map(line).collect();
        Ok(NodeOutput { input, ..NodeOutput::output(shown(&lines, "\n\n---\n\n", NOTHING_FOUND)) })
    }
}

/// Splits keywords at semicolons. Lists are written by models, so more than a search takes are cut
/// off instead of failing the chat.
fn keywords(input: &str) -> Vec<String> {
    let words = input.split(';').map(str::trim).filter(|word| !word.is_empty());
    words.take(KEYWORDS).map(str::to_owned).collect()
}

/// A workflow that a user names for a node.
fn tool_workflow(name: &str) -> SubWorkflow {
    SubWorkflow {
        name: name.to_owned(),
        folder: None,
        line: 0,
        inputs: Vec::new(),
        system_prompt: None,
        prompt: None,
    }
}

/// Joins texts with a separator, or returns `none` if there are none. A separator inside a text is
/// broken by a space, so that the number of texts stays the same.
fn shown(texts: &[String], between: &str, none: &str) -> String {
    if texts.is_empty() {
        return none.to_owned();
    }
    let broken = between.trim().len() > 1;
    let texts = texts.iter().map(|text| match broken && text.contains(between.trim()) {
        true => text.replace(between.trim(), &break_up(between.trim())),
        false => text.clone(),
    });
    texts.collect::<Vec<_>>().join(between)
}

fn break_up(text: &str) -> String {
    let first = text.chars().next().map_or(0, char::len_utf8);
    format!("{} {}", &text[..first], &text[first..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_are_trimmed_and_bounded() {
        assert_eq!(keywords(" a b ;; c ;"), ["a b", "c"]);
        assert_eq!(keywords(&"x;".repeat(61)).len(), 60);
    }

    #[test]
    fn a_delimiter_inside_a_text_does_not_divide_it() {
        let texts = ["a--ChunkBreak--b".to_owned(), "c".to_owned()];
        let joined = shown(&texts, "--ChunkBreak--", "none");
        assert_eq!(joined.split("--ChunkBreak--").count(), 2, "{joined}");
        assert_eq!(shown(&[], "x", "none"), "none");
        assert_eq!(shown(&["a\nb".into(), "c".into()], "\n", "none"), "a\nb\nc");
    }
}
