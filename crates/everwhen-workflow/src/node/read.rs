//! Parses a node. Each type has one line in [`TYPES`]; an unknown type is an error that lists the
//! known ones.

use std::path::Path;

use crate::condition::Condition;
use crate::diagnostic::{Diagnostic, nearest};
use crate::jinja;
use crate::node::{
    FilePart, FileToRead, Node, NodeKind, Prompt, RecentChapters, Search, SearchMode, Stamps,
    Standard, SubWorkflow, Windows, WorkflowChoice,
};
use crate::properties::{Amount, Properties};
use crate::source::{Located, Value};
use crate::template::Template;

type Reader = fn(&mut Properties<'_>) -> Option<NodeKind>;

/// Every type: its name, its parser, and the properties it has beside those of all nodes.
const TYPES: [(&str, Reader, &[&str]); 20] = [
    ("Standard", standard, STANDARD),
    ("QualityMemory", |_| Some(NodeKind::QualityMemory), &[]),
    ("chatSummarySummarizer", summarizer, &["minMemoriesPerSummary", "loopIfMemoriesExceed"]),
    ("RecentMemorySummarizerTool", recent_tool, RECENT),
    ("RecentMemory", |read| Some(NodeKind::RecentMemory(recent(read))), RECENT),
    ("GetCurrentSummaryFromFile", |_| Some(NodeKind::GetCurrentSummaryFromFile), &[]),
    ("FullChatSummary", full_summary, &["isManualConfig"]),
    ("VectorMemorySearch", search, &["input", "limit", "searchMode", "includeDates"]),
    ("GetCurrentMemoryFromFile", |_| Some(NodeKind::GetCurrentMemoryFromFile), &[]),
    ("WorkflowLock", lock, &["workflowLockId"]),
    ("CustomWorkflow", custom, CUSTOM),
    ("ConditionalCustomWorkflow", fork, FORK),
    ("Conditional", conditional, &["condition"]),
    ("StringConcatenator", concatenator, &["strings", "delimiter"]),
    ("StaticResponse", static_response, &["content"]),
    ("GetCustomFile", file_to_read, READ_FILE),
    ("SaveCustomFile", file_to_write, &["filepath", "content", "mode"]),
    ("TagTextExtractor", tag, &["tagToExtractFrom", "fieldToExtract", "defaultText"]),
    ("JsonExtractor", field, &["jsonToExtractFrom", "fieldToExtract"]),
    ("ArithmeticProcessor", arithmetic, &["expression"]),
];

/// Types of WilmerAI that need a service Everwhen does not run.
const OUTSIDE: [(&str, &str); 14] = [
    ("OfflineWikiApiFullArticle", "an offline Wikipedia service"),
    ("OfflineWikiApiBestFullArticle", "an offline Wikipedia service"),
    ("OfflineWikiApiTopNFullArticles", "an offline Wikipedia service"),
    ("OfflineWikiApiPartialArticle", "an offline Wikipedia service"),
    ("OfflineResearcherApiQuickSearch", "an offline research service"),
    ("OfflineResearcherApiDeepResearch", "an offline research service"),
    ("PythonModule", "a Python interpreter"),
    ("ImageProcessor", "a vision model"),
    ("WebFetch", "the web"),
    ("CurlCommand", "the web"),
    ("MCPToolCall", "an MCP server"),
    ("SlowButQualityRAG", "the original's own retrieval; use VectorMemorySearch"),
    ("ContextCompactor", "the original's own summaries; use FullChatSummary"),
    ("GetCurrentStateDocument", "the original's state document; the context document holds it"),
];

const COMMON: &[&str] = &["id", "name", "title", "type", "returnToUser", "is_responder"];
const STANDARD: &[&str] = &[
    "endpointName",
    "preset",
    "systemPrompt",
    "prompt",
    "lastMessagesToSendInsteadOfPrompt",
    "maxResponseSizeInTokens",
    "jinja2",
    "addDiscussionIdTimestampsForLLM",
    "useRelativeTimestamps",
    "useGroupChatTimestampLogic",
    "nMessagesToIncludeInVariable",
    "estimatedTokensToIncludeInVariable",
    "minMessagesInVariable",
    "maxEstimatedTokensInVariable",
    "addUserAssistantTags",
];
const RECENT: &[&str] =
    &["maxTurnsToPull", "maxSummaryChunksFromFile", "lookbackStart", "customDelimiter"];
const CUSTOM: &[&str] = &[
    "workflowName",
    "scoped_variables",
    "workflowUserFolderOverride",
    "firstNodeSystemPromptOverride",
    "firstNodePromptOverride",
];
const FORK: &[&str] = &[
    "conditionalKey",
    "conditionalWorkflows",
    "UseDefaultContentInsteadOfWorkflow",
    "scoped_variables",
    "routeOverrides",
    "workflowUserFolderOverride",
];
const READ_FILE: &[&str] =
    &["filepath", "delimiter", "customReturnDelimiter", "headCount", "tailCount", "chunkDelimiter"];

/// Parses one node and reports what is wrong with it.
pub(crate) fn node(
    file: &Path,
    value: &Located,
    diagnostics: &mut Vec<Diagnostic>,
) -> Option<Node> {
    let Value::Object(_) = value.value else {
        let sentence = format!("a node is {}; it must be an object", value.value.kind());
        diagnostics.push(Diagnostic::new(file, value.line, sentence));
        return None;
    };
    let named = value.get("type").and_then(Located::shown).unwrap_or_else(|| "Standard".into());
    let Some((kind, read, known)) = TYPES.into_iter().find(|(kind, ..)| *kind == named) else {
        let line = value.get("type").map_or(value.line, |found| found.line);
        diagnostics.push(Diagnostic::new(file, line, unknown(&named)));
        return None;
    };
    let mut properties = Properties::of(file, value, kind);
    let title = properties.text("title").or_else(|| properties.text("name")).unwrap_or_default();
    let answers = match properties.value("is_responder") {
        Some(_) => properties.flag("is_responder"),
        None => properties.flag("returnToUser"),
    };
    let kind = read(&mut properties);
    properties.hint_at_slips(&[COMMON, known].concat());
    diagnostics.extend(properties.diagnostics());
    Some(Node { line: value.line, title: title.to_owned(), answers, kind: kind? })
}

fn unknown(named: &str) -> String {
    if let Some((_, need)) = OUTSIDE.iter().find(|(outside, _)| *outside == named) {
        return format!("nodes of type {named:?} are not run here: they need {need}");
    }
    let names = TYPES.map(|(kind, ..)| kind);
    let meant = nearest(named, names).map(|meant| format!("is {meant:?} meant? "));
    let meant = meant.unwrap_or_default();
    format!("there is no node type {named:?}; {meant}Known types: {}", names.join(", "))
}

fn standard(read: &mut Properties<'_>) -> Option<NodeKind> {
    let jinja = read.flag("jinja2");
    let windows = Windows {
        messages: read.amount("nMessagesToIncludeInVariable", 5),
        tokens: read.amount("estimatedTokensToIncludeInVariable", 2048),
        min_messages: read.amount("minMessagesInVariable", 5),
        max_tokens: read.amount("maxEstimatedTokensInVariable", 2048),
        tags: read.flag("addUserAssistantTags"),
    };
    Some(NodeKind::Standard(Box::new(Standard {
        endpoint: read.required_template("endpointName"),
        preset: read.template("preset"),
        system_prompt: prompt(read, "systemPrompt", jinja),
        prompt: prompt(read, "prompt", jinja),
        last_messages: read.amount("lastMessagesToSendInsteadOfPrompt", 5),
        max_tokens: read.amount("maxResponseSizeInTokens", 400),
        windows,
        stamps: Stamps {
            on: read.flag("addDiscussionIdTimestampsForLLM"),
            relative: read.flag("useRelativeTimestamps"),
            group_chat: read.flag("useGroupChatTimestampLogic"),
        },
    })))
}

fn prompt(read: &mut Properties<'_>, name: &str, jinja: bool) -> Prompt {
    let text = read.text(name).unwrap_or_default();
    if !jinja {
        return Prompt::Plain(Template::read(text));
    }
    if let Err(error) = jinja::check(text) {
        let line = read.value(name).map_or(read.line(), |found| found.line);
        read.refuse(line, format!("{name:?} is no Jinja template: {error}"));
    }
    Prompt::Jinja(text.to_owned())
}

fn summarizer(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::ChatSummarySummarizer {
        min_memories: read.amount("minMemoriesPerSummary", 3),
        loop_if_exceed: read.amount("loopIfMemoriesExceed", 3),
    })
}

fn recent_tool(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::RecentMemorySummarizerTool(recent(read)))
}

fn recent(read: &mut Properties<'_>) -> RecentChapters {
    RecentChapters {
        turns: read.amount("maxTurnsToPull", 0),
        chapters: read.amount("maxSummaryChunksFromFile", 0),
        skip: read.amount("lookbackStart", 0),
        delimiter: read.text("customDelimiter").unwrap_or("--ChunkBreak--").to_owned(),
    }
}

fn full_summary(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::FullChatSummary { by_hand: read.flag("isManualConfig") })
}

fn search(read: &mut Properties<'_>) -> Option<NodeKind> {
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
        dates: read.flag("includeDates"),
    }))
}

fn lock(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::WorkflowLock { lock: read.required("workflowLockId").to_owned() })
}

fn custom(read: &mut Properties<'_>) -> Option<NodeKind> {
    let line = read.value("workflowName").map_or(read.line(), |found| found.line);
    Some(NodeKind::CustomWorkflow(SubWorkflow {
        name: read.required("workflowName").to_owned(),
        line,
        inputs: read.templates("scoped_variables"),
        system_prompt: read.template("firstNodeSystemPromptOverride"),
        prompt: read.template("firstNodePromptOverride"),
    }))
}

fn fork(read: &mut Properties<'_>) -> Option<NodeKind> {
    let key = read.required_template("conditionalKey");
    let inputs = read.templates("scoped_variables");
    let overrides = read.object("routeOverrides");
    let mut routes = Vec::new();
    for (value, name) in read.object("conditionalWorkflows") {
        let Value::Text(workflow) = &name.value else {
            read.refuse(name.line, format!("the route {value:?} must name a workflow"));
            continue;
        };
        let own = overrides.iter().find(|(route, _)| route.eq_ignore_ascii_case(value));
        let prompt = |name: &str| match &own?.1.get(name)?.value {
            Value::Text(text) => Some(Template::read(text)),
            _ => None,
        };
        routes.push((
            value.to_lowercase(),
            SubWorkflow {
                name: workflow.clone(),
                line: name.line,
                inputs: inputs.clone(),
                system_prompt: prompt("systemPromptOverride"),
                prompt: prompt("promptOverride"),
            },
        ));
    }
    let otherwise_text = read.template("UseDefaultContentInsteadOfWorkflow");
    let otherwise = routes.iter().position(|(value, _)| value == "default");
    let otherwise = otherwise.map(|place| routes.remove(place).1);
    if otherwise_text.is_none() && otherwise.is_none() {
        read.refuse(
            read.line(),
            "no route is left if no value fits; add a \"Default\" to \"conditionalWorkflows\", or \
             \"UseDefaultContentInsteadOfWorkflow\"",
        );
    }
    Some(NodeKind::ConditionalCustomWorkflow(Box::new(WorkflowChoice {
        key,
        routes,
        otherwise_text,
        otherwise,
    })))
}

fn conditional(read: &mut Properties<'_>) -> Option<NodeKind> {
    let line = read.value("condition").map_or(read.line(), |found| found.line);
    let text = read.value("condition").is_some().then(|| read.text("condition"));
    let Some(text) = text else {
        read.required("condition");
        return None;
    };
    match Condition::read(text?) {
        Ok(condition) => Some(NodeKind::Conditional(condition)),
        Err(error) => {
            read.refuse(line, format!("the condition cannot be read: {error}"));
            None
        }
    }
}

fn concatenator(read: &mut Properties<'_>) -> Option<NodeKind> {
    if read.value("strings").is_none() {
        read.required("strings");
    }
    Some(NodeKind::StringConcatenator {
        strings: read.templates("strings"),
        delimiter: read.text("delimiter").unwrap_or_default().to_owned(),
    })
}

fn static_response(read: &mut Properties<'_>) -> Option<NodeKind> {
    let content = read.template("content").unwrap_or_else(|| Template::read(""));
    Some(NodeKind::StaticResponse { content })
}

fn file_to_read(read: &mut Properties<'_>) -> Option<NodeKind> {
    let head = pieces(read, "headCount");
    let tail = pieces(read, "tailCount");
    let part = match (head, tail) {
        (Some(_), Some(_)) => {
            read.refuse(read.line(), "give \"headCount\" or \"tailCount\", not both");
            None
        }
        (Some(count), None) => Some(FilePart::Head(count)),
        (None, Some(count)) => Some(FilePart::Tail(count)),
        (None, None) => None,
    };
    Some(NodeKind::GetCustomFile(FileToRead {
        path: read.required_template("filepath"),
        delimiter: read.text("delimiter").map(str::to_owned),
        replacement: read.text("customReturnDelimiter").map(str::to_owned),
        part,
        piece_delimiter: read.text("chunkDelimiter").unwrap_or("\n").to_owned(),
    }))
}

fn pieces(read: &mut Properties<'_>, name: &str) -> Option<usize> {
    let line = read.value(name)?.line;
    match read.amount(name, 1) {
        Amount::Fixed(count) if count >= 1 => usize::try_from(count).ok(),
        _ => {
            read.refuse(line, format!("{name:?} must be a whole number from 1 on"));
            None
        }
    }
}

fn file_to_write(read: &mut Properties<'_>) -> Option<NodeKind> {
    let append = match read.text("mode") {
        None | Some("overwrite") => false,
        Some("append") => true,
        Some(other) => {
            let sentence = format!("mode is {other:?}; use \"overwrite\" or \"append\"");
            read.refuse(read.line(), sentence);
            false
        }
    };
    let path = read.required_template("filepath");
    Some(NodeKind::SaveCustomFile { path, content: read.required_template("content"), append })
}

fn tag(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::TagTextExtractor {
        from: read.required_template("tagToExtractFrom"),
        tag: read.required_template("fieldToExtract"),
        otherwise: read.template("defaultText"),
    })
}

fn field(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::JsonExtractor {
        from: read.required_template("jsonToExtractFrom"),
        field: read.required_template("fieldToExtract"),
    })
}

fn arithmetic(read: &mut Properties<'_>) -> Option<NodeKind> {
    Some(NodeKind::ArithmeticProcessor { expression: read.required_template("expression") })
}
