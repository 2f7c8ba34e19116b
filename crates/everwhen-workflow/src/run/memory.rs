//! Nodes that read the memory of the chat, or update what is distilled from it.
//!
//! Their texts for an empty result are those of WilmerAI, because prompts are written around them.

use everwhen::chapters::Folding;
use everwhen::{Error, Result};

use super::{NodeOutput, Run};
use crate::node::{NodeKind, RecentChapters, Search};
use crate::port::{SearchHit, SearchQuery};

/// Maximum number of keywords in one search.
const KEYWORDS: usize = 60;
/// Number of chapters if the node does not set one.
const CHAPTERS: usize = 3;
const NO_CHAPTERS_YET: &str = "No memories have been generated yet";
const NO_CHAPTERS: &str = "There are not yet any memories";
const NO_SUMMARY: &str = "There is not yet a summary file";
const NOTHING_FOUND: &str =
    "No relevant memories found in the vector database for the given keywords.";

impl Run<'_> {
    /// Runs a node that reads or updates the memory.
    pub(super) async fn remembered(&self, kind: &NodeKind) -> Result<NodeOutput> {
        let memory = self.context.memory;
        match kind {
            NodeKind::QualityMemory => {
                memory.distill().await?;
                Ok(NodeOutput::output(""))
            }
            NodeKind::ChatSummarySummarizer { min_memories, loop_if_exceed } => {
                let (min, most) = (self.count(min_memories)?, self.count(loop_if_exceed)?);
                memory.fold(Folding { min, most }).await?;
                self.summary().await
            }
            NodeKind::RecentMemorySummarizerTool(recent) => self.recent(recent).await,
            NodeKind::RecentMemory(recent) => {
                memory.distill().await?;
                self.recent(recent).await
            }
            NodeKind::GetCurrentSummaryFromFile | NodeKind::FullChatSummary { by_hand: true } => {
                self.summary().await
            }
            NodeKind::FullChatSummary { by_hand: false } => {
                memory.distill().await?;
                memory.fold(Folding { min: 1, most: CHAPTERS }).await?;
                self.summary().await
            }
            NodeKind::VectorMemorySearch(search) => self.search(search).await,
            NodeKind::GetCurrentMemoryFromFile => {
                let chapters = memory.chapters().await?;
                Ok(NodeOutput::output(shown(&chapters, "--ChunkBreak--", NO_CHAPTERS)))
            }
            _ => unreachable!("a node of another kind is run elsewhere"),
        }
    }

    async fn summary(&self) -> Result<NodeOutput> {
        let summary = self.context.memory.summary().await?;
        Ok(NodeOutput::output(summary.unwrap_or_else(|| NO_SUMMARY.into())))
    }

    async fn recent(&self, recent: &RecentChapters) -> Result<NodeOutput> {
        let mut chapters = self.context.memory.chapters().await?;
        chapters.truncate(chapters.len().saturating_sub(self.count(&recent.skip)?));
        let count = match self.amount(&recent.chapters)? {
            0 => CHAPTERS,
            count => usize::try_from(count).unwrap_or(usize::MAX),
        };
        let newest = &chapters[chapters.len().saturating_sub(count)..];
        Ok(NodeOutput::output(shown(newest, &recent.delimiter, NO_CHAPTERS_YET)))
    }

    async fn search(&self, search: &Search) -> Result<NodeOutput> {
        let input = self.fill(&search.input)?;
        let keywords = keywords(&input)?;
        let wanted =
            SearchQuery { keywords, limit: self.count(&search.limit)?.max(1), mode: search.mode };
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

/// Splits keywords at semicolons. Too many are rejected: dropping some would change the question.
fn keywords(input: &str) -> Result<Vec<String>> {
    let words: Vec<String> = input
        .split(';')
        .map(str::trim)
        .filter(|word| !word.is_empty())
        .map(str::to_owned)
        .collect();
    if words.len() > KEYWORDS {
        return Err(Error::invalid(format!(
            "{} keywords; a search takes at most {KEYWORDS}, between semicolons",
            words.len()
        )));
    }
    Ok(words)
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
        assert_eq!(keywords(" a b ;; c ;").unwrap(), ["a b", "c"]);
        assert!(keywords(&"x;".repeat(60)).is_ok());
        let error = keywords(&"x;".repeat(61)).unwrap_err();
        assert!(error.message().contains("at most 60"), "{error}");
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
