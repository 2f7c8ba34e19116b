//! Nodes that read the memory of the chat, or bring what is distilled from it up to date.
//!
//! What they say when there is nothing is what the original says, because prompts are written around
//! it.

use everwhen::chapters::Folding;
use everwhen::{Error, Result};

use super::{Left, Run};
use crate::node::{Kind, RecentChapters, Search};
use crate::port::{Found, Wanted};

/// Most keywords of one search.
const KEYWORDS: usize = 60;
/// Chapters shown when nobody says how many.
const CHAPTERS: usize = 3;
const NO_CHAPTERS_YET: &str = "No memories have been generated yet";
const NO_CHAPTERS: &str = "There are not yet any memories";
const NO_SUMMARY: &str = "There is not yet a summary file";
const NOTHING_FOUND: &str =
    "No relevant memories found in the vector database for the given keywords.";

impl Run<'_> {
    /// What a node that deals with the memory leaves.
    pub(super) async fn remembered(&self, kind: &Kind) -> Result<Left> {
        let desk = self.stage.desk;
        match kind {
            Kind::QualityMemory => {
                desk.distill().await?;
                Ok(Left::output(""))
            }
            Kind::ChatSummarySummarizer { min_memories, loop_if_exceed } => {
                let (min, most) = (self.count(min_memories)?, self.count(loop_if_exceed)?);
                desk.fold(Folding { min, most }).await?;
                self.summary().await
            }
            Kind::RecentMemorySummarizerTool(recent) => self.recent(recent).await,
            Kind::RecentMemory(recent) => {
                desk.distill().await?;
                self.recent(recent).await
            }
            Kind::GetCurrentSummaryFromFile | Kind::FullChatSummary { by_hand: true } => {
                self.summary().await
            }
            Kind::FullChatSummary { by_hand: false } => {
                desk.distill().await?;
                desk.fold(Folding { min: 1, most: CHAPTERS }).await?;
                self.summary().await
            }
            Kind::VectorMemorySearch(search) => self.search(search).await,
            Kind::GetCurrentMemoryFromFile => {
                let chapters = desk.chapters().await?;
                Ok(Left::output(shown(&chapters, "--ChunkBreak--", NO_CHAPTERS)))
            }
            _ => unreachable!("a node of another kind is run elsewhere"),
        }
    }

    async fn summary(&self) -> Result<Left> {
        let summary = self.stage.desk.summary().await?;
        Ok(Left::output(summary.unwrap_or_else(|| NO_SUMMARY.into())))
    }

    async fn recent(&self, recent: &RecentChapters) -> Result<Left> {
        let mut chapters = self.stage.desk.chapters().await?;
        chapters.truncate(chapters.len().saturating_sub(self.count(&recent.skip)?));
        let count = match self.amount(&recent.chapters)? {
            0 => CHAPTERS,
            count => usize::try_from(count).unwrap_or(usize::MAX),
        };
        let newest = &chapters[chapters.len().saturating_sub(count)..];
        Ok(Left::output(shown(newest, &recent.delimiter, NO_CHAPTERS_YET)))
    }

    async fn search(&self, search: &Search) -> Result<Left> {
        let input = self.fill(&search.input)?;
        let keywords = keywords(&input)?;
        let wanted =
            Wanted { keywords, limit: self.count(&search.limit)?.max(1), mode: search.mode };
        let found = match wanted.keywords.is_empty() {
            true => Vec::new(),
            false => self.stage.desk.search(&wanted).await?,
        };
        let line = |found: &Found| match search.dates {
            true => format!("[{}] {}", found.day, found.text),
            false => found.text.clone(),
        };
        let lines: Vec<String> = found.iter().map(line).collect();
        Ok(Left { input, ..Left::output(shown(&lines, "\n\n---\n\n", NOTHING_FOUND)) })
    }
}

/// Keywords between semicolons. Too many are refused: dropping some would change the question.
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

/// Texts with something between them, or what is said if there are none. A text that contains what
/// stands between keeps it, but broken by a space, so that the number of texts stays what it is.
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
