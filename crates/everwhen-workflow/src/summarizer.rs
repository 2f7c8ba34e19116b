//! Writes the rolling summary with the prompts of a node.

use std::sync::Arc;

use everwhen::memory::Role;
use everwhen::ports::{
    ChapterMaterial, ChapterWords, ChapterWriter, PromptMessage, SummaryMaterial, Wait,
};
use everwhen::{Error, Result};

use crate::port::{Endpoints, Question};

/// The separator between chapters in a prompt.
const BETWEEN: &str = "\n------------\n";
const SUMMARY: &str = "[CHAT_SUMMARY]";
const MEMORIES: &str = "[LATEST_MEMORIES]";

/// A writer of the rolling summary, whose prompts are filled in but for their placeholders.
pub(crate) struct NodeSummarizer {
    pub(crate) endpoints: Arc<dyn Endpoints>,
    pub(crate) endpoint: String,
    pub(crate) preset: Option<String>,
    pub(crate) system: String,
    pub(crate) prompt: String,
    pub(crate) max_tokens: u32,
}

impl NodeSummarizer {
    /// Asks for the next version of the summary.
    pub(crate) async fn ask(&self, material: &SummaryMaterial) -> Result<String> {
        let named = |place: &str| self.system.contains(place) || self.prompt.contains(place);
        let mut prompt = self.prompt.clone();
        for place in [SUMMARY, MEMORIES] {
            if !named(place) {
                prompt = format!("{prompt}\n\n{place}");
            }
        }
        let chapters = material.chapters.join(BETWEEN);
        let places = [(SUMMARY, material.summary.as_str()), (MEMORIES, chapters.as_str())];
        let message = |role, text: &str| PromptMessage { role, content: filled(text, &places) };
        let mut messages = Vec::new();
        if !self.system.trim().is_empty() {
            messages.push(message(Role::System, &self.system));
        }
        messages.push(message(Role::User, prompt.trim_start()));
        let question = Question {
            endpoint: &self.endpoint,
            preset: self.preset.as_deref(),
            messages,
            max_tokens: self.max_tokens,
            ..Question::default()
        };
        Ok(self.endpoints.ask(&question, &mut |_| {}).await?.text)
    }
}

impl ChapterWriter for NodeSummarizer {
    fn write<'a>(&'a self, _material: &'a ChapterMaterial) -> Wait<'a, ChapterWords> {
        Box::pin(async { Err(Error::invalid("this node writes summaries, not chapters")) })
    }

    fn writes_chapters(&self) -> bool {
        false
    }

    fn fold<'a>(&'a self, material: &'a SummaryMaterial) -> Wait<'a, Option<String>> {
        Box::pin(async move { self.ask(material).await.map(Some) })
    }
}

/// Fills in placeholders once: inserted text is not parsed again.
pub(crate) fn filled(text: &str, places: &[(&str, &str)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    loop {
        let found = places
            .iter()
            .filter_map(|(place, value)| rest.find(place).map(|at| (at, place.len(), value)));
        let Some((at, length, value)) = found.min_by_key(|(at, ..)| *at) else {
            return filled + rest;
        };
        filled.push_str(&rest[..at]);
        filled.push_str(value);
        rest = &rest[at + length..];
    }
}
