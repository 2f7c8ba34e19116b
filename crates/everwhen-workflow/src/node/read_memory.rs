//! Parses nodes that read or update the memory.

use super::read::preset;
use super::{
    KeywordSearch, NodeKind, RecentChapters, Search, SearchMode, Summarizer, SummaryPrompts,
};
use crate::properties::Properties;
use crate::template::Template;

pub(super) fn summarizer(read: &mut Properties<'_>) -> Option<NodeKind> {
    let endpoint = read.template("endpointName").filter(|name| !name.is_empty());
    let prompt = read.template("prompt").filter(|text| !text.is_empty());
    if let (Some(_), None) = (&prompt, &endpoint) {
        let line = read.line();
        read.hint(
            line,
            "its prompts are not used without \"endpointName\"; the [llm] of the \
                         configuration writes the summary with prompts of its own",
        );
    }
    let own = endpoint.map(|endpoint| SummaryPrompts {
        endpoint,
        preset: preset(read),
        system_prompt: read.template("systemPrompt").unwrap_or_else(|| Template::read("")),
        prompt: prompt.unwrap_or_else(|| Template::read("")),
        max_tokens: read.amount("maxResponseSizeInTokens", 400),
    });
    Some(NodeKind::ChatSummarySummarizer(Box::new(Summarizer {
        min_memories: read.amount("minMemoriesPerSummary", 3),
        loop_if_exceed: read.amount("loopIfMemoriesExceed", 3),
        own,
    })))
}

pub(super) fn recent_tool(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::RecentMemorySummarizerTool(recent(read)))
}

pub(super) fn recent_memory(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::RecentMemory(recent(read)))
}

pub(super) fn conversation_memory(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::ConversationMemory(recent(read)))
}

fn recent(read: &mut Properties<'_>) -> RecentChapters {
    RecentChapters {
        turns: read.amount("maxTurnsToPull", 0),
        chapters: read.amount("maxSummaryChunksFromFile", 0),
        skip: read.amount("lookbackStart", 0),
        delimiter: read.text("customDelimiter").unwrap_or("--ChunkBreak--").to_owned(),
    }
}

pub(super) fn full_summary(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::FullChatSummary { by_hand: read.flag("isManualConfig") })
}

pub(super) fn write_summary(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::WriteCurrentSummaryToFileAndReturnIt { input: read.required_template("input") })
}

pub(super) fn search(read: &mut Properties<'_>) -> Option<NodeKind> {
    let mode = match read.text("searchMode") {
        None | Some("keyword") => SearchMode::Keyword,
        Some("semantic") => SearchMode::Semantic,
        Some("hybrid") => SearchMode::Hybrid,
        Some(other) => {
            let sentence =
                format!("searchMode is {other:?}; use \"keyword\", \"semantic\" or \"hybrid\"");
            read.refuse(read.line(), sentence);
            SearchMode::Keyword
        }
    };
    Some(NodeKind::VectorMemorySearch(Search {
        input: read.required_template("input"),
        limit: read.amount("limit", 5),
        mode,
        semantic: read.template("semanticQuery").filter(|text| !text.is_empty()),
        dates: read.flag("includeDates"),
    }))
}

pub(super) fn keywords(read: &mut Properties<'_>, type_name: &'static str) -> Option<NodeKind> {
    let in_memories = match read.text("searchTarget") {
        None | Some("CurrentConversation") => false,
        Some("RecentMemories") => true,
        Some(other) => {
            let sentence = format!(
                "searchTarget is {other:?}; use \"CurrentConversation\" or \"RecentMemories\""
            );
            read.refuse(read.line(), sentence);
            false
        }
    };
    Some(NodeKind::KeywordSearch(KeywordSearch {
        type_name,
        keywords: read.required_template("keywords"),
        in_memories,
        lookback: read.amount("lookbackStartTurn", 0),
    }))
}
