//! Nodes that compute a text from other texts, and need nothing but files.

use everwhen::{Error, Result};

use super::{Run, unknown};
use crate::condition::Condition;
use crate::extract;
use crate::node::{FileToRead, NodeKind, SubWorkflow, TextPart, WorkflowChoice};
use crate::template::Template;

/// WilmerAI's text for a file that does not exist.
const NO_FILE: &str = "Custom instruction file did not exist";
/// WilmerAI's text for an empty file.
const EMPTY_FILE: &str = "No additional information added";

impl Run<'_> {
    /// The output of a node. Kinds that are run elsewhere are listed, so that a new kind does not compile
    /// until it is run somewhere.
    pub(super) fn text(&self, kind: &NodeKind) -> Result<String> {
        match kind {
            NodeKind::Conditional(condition) => self.condition(condition),
            NodeKind::StringConcatenator { strings, delimiter } => self.joined(strings, delimiter),
            NodeKind::StaticResponse { content } => self.fill(content),
            NodeKind::GetCustomFile(file) => self.read_file(file),
            NodeKind::SaveCustomFile { path, content, append } => {
                self.save_file(path, content, *append)
            }
            NodeKind::TagTextExtractor { from, tag, otherwise } => {
                self.tagged(from, tag, otherwise.as_ref())
            }
            NodeKind::JsonExtractor { from, field } => {
                Ok(extract::field(&self.fill(from)?, &self.fill(field)?))
            }
            NodeKind::DelimitedChunker { content, delimiter, part } => {
                let (content, delimiter) = (self.fill(content)?, self.fill(delimiter)?);
                Ok(pieces_of(&content, &delimiter, *part))
            }
            NodeKind::ArithmeticProcessor { expression } => {
                Ok(extract::arithmetic(&self.fill(expression)?))
            }
            NodeKind::Standard(_)
            | NodeKind::CustomWorkflow(_)
            | NodeKind::ConditionalCustomWorkflow(_)
            | NodeKind::WorkflowLock { .. }
            | NodeKind::ImageProcessor(_)
            | NodeKind::ConversationChunkProcessor(_)
            | NodeKind::Foreign(_)
            | NodeKind::QualityMemory
            | NodeKind::ChatSummarySummarizer(_)
            | NodeKind::RecentMemorySummarizerTool(_)
            | NodeKind::RecentMemory(_)
            | NodeKind::ConversationMemory(_)
            | NodeKind::GetCurrentSummaryFromFile
            | NodeKind::FullChatSummary { .. }
            | NodeKind::VectorMemorySearch(_)
            | NodeKind::GetCurrentMemoryFromFile
            | NodeKind::ChatSummaryMemoryGatheringTool
            | NodeKind::WriteCurrentSummaryToFileAndReturnIt { .. }
            | NodeKind::GetCurrentStateDocument
            | NodeKind::ContextCompactor
            | NodeKind::KeywordSearch(_) => Err(Error::invalid("this node computes no text")),
        }
    }

    fn condition(&self, condition: &Condition) -> Result<String> {
        let value = |name: &str| self.value(name, self.view());
        let holds = condition.holds(&value).map_err(|name| unknown(&name))?;
        Ok(if holds { "TRUE".into() } else { "FALSE".into() })
    }

    fn joined(&self, strings: &[Template], delimiter: &str) -> Result<String> {
        let filled = strings.iter().map(|text| self.fill(text));
        Ok(filled.collect::<Result<Vec<_>>>()?.join(delimiter))
    }

    fn save_file(&self, path: &Template, content: &Template, append: bool) -> Result<String> {
        let (path, content) = (self.fill(path)?, self.fill(content)?);
        self.context.files.write(&path, &content, append)?;
        Ok(format!("File successfully saved to {path}"))
    }

    /// The text inside a tag, else the text for when the tag is absent.
    fn tagged(
        &self,
        from: &Template,
        tag: &Template,
        otherwise: Option<&Template>,
    ) -> Result<String> {
        let (from, tag) = (self.fill(from)?, self.fill(tag)?);
        match (extract::tag(&from, &tag), otherwise) {
            (Some(found), _) => Ok(found.to_owned()),
            (None, Some(otherwise)) => self.fill(otherwise),
            (None, None) => Ok(String::new()),
        }
    }

    fn read_file(&self, file: &FileToRead) -> Result<String> {
        let Some(text) = self.context.files.read(&self.fill(&file.path)?)? else {
            return Ok(NO_FILE.into());
        };
        if text.is_empty() {
            return Ok(EMPTY_FILE.into());
        }
        let text = part_of(&text, file);
        Ok(match (&file.delimiter, &file.replacement) {
            (Some(from), Some(to)) => text.replace(from, to),
            _ => text,
        })
    }

    /// The workflow that a value selects, else the text that is returned instead.
    pub(super) fn route<'f>(
        &self,
        fork: &'f WorkflowChoice,
    ) -> Result<std::result::Result<&'f SubWorkflow, String>> {
        let key = self.fill(&fork.key)?.trim().to_lowercase();
        let found = fork.routes.iter().find(|(value, _)| *value == key);
        if let Some((_, one)) = found {
            return Ok(Ok(one));
        }
        match (&fork.otherwise_text, &fork.otherwise) {
            (Some(text), _) => self.fill(text).map(Err),
            (None, Some(one)) => Ok(Ok(one)),
            (None, None) => unreachable!("a fork without a way out is refused when it is read"),
        }
    }
}

fn part_of(text: &str, file: &FileToRead) -> String {
    match file.part {
        Some(part) => pieces_of(text, &file.piece_delimiter, part),
        None => text.to_owned(),
    }
}

/// The first or last pieces of a text; all of it if nothing separates pieces.
fn pieces_of(text: &str, delimiter: &str, part: TextPart) -> String {
    if delimiter.is_empty() {
        return text.to_owned();
    }
    let pieces: Vec<&str> = text.split(delimiter).collect();
    let kept = match part {
        TextPart::Head(count) => &pieces[..count.min(pieces.len())],
        TextPart::Tail(count) => &pieces[pieces.len().saturating_sub(count)..],
    };
    kept.join(delimiter)
}
