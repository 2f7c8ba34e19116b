//! All node types with their properties and meanings. The reader, the reference that
//! `everwhen workflow nodes` prints and `docs/wilmer.md` come from these tables.

use std::path::Path;

use super::{ForeignType, Node, NodeKind, read, read_memory, read_text};
use crate::diagnostic::{Diagnostic, nearest};
use crate::properties::Properties;
use crate::source::{Located, Value};

/// Turns the properties of a node into what it does.
pub(super) type Reader = fn(&mut Properties<'_>) -> Option<NodeKind>;

/// A property: its name and what it means here.
pub(crate) type Property = (&'static str, &'static str);

/// One node type.
pub(crate) struct NodeType {
    /// Its name in files.
    pub(crate) name: &'static str,
    /// What a node of this type does and returns.
    pub(crate) about: &'static str,
    /// The properties it has beside those of all nodes.
    pub(crate) properties: &'static [&'static [Property]],
    read: Reader,
}

/// Properties of all nodes.
pub(crate) const COMMON: &[Property] = &[
    ("type", "the node type; `Standard` if absent"),
    ("title", "a name for logs, traces and errors"),
    ("name", "the same as `title`"),
    ("id", "a remark; for ConversationChunkProcessor the name of its progress file"),
    ("agentName", "a remark"),
    ("returnToUser", "whether this node answers the user; else the last node does"),
    ("is_responder", "the same as `returnToUser`, and wins over it"),
];
const MODEL: &[Property] = &[
    ("endpointName", "the endpoint to call; may use constants, user variables and inputs"),
    (
        "preset",
        "sampler values: a preset file, or an endpoint with `presetSamplers`; empty for the \
                endpoint's own",
    ),
    ("systemPrompt", "the system prompt"),
    ("prompt", "the user prompt; if it is empty, the latest messages are sent"),
    ("maxResponseSizeInTokens", "maximum length of the reply (400)"),
    ("jinja2", "whether the prompts are Jinja templates"),
    ("nMessagesToIncludeInVariable", "messages in `…_n_messages` (5)"),
    ("estimatedTokensToIncludeInVariable", "tokens in `…_estimated_token_limit` (2048)"),
    ("minMessagesInVariable", "minimum of messages in `…_min_n_max_tokens` (5)"),
    ("maxEstimatedTokensInVariable", "tokens in `…_min_n_max_tokens` beyond that minimum (2048)"),
    ("addUserAssistantTags", "whether messages in variables begin with `User: ` or `Assistant: `"),
    ("addDiscussionIdTimestampsForLLM", "whether every message is dated"),
    ("useRelativeTimestamps", "whether dates are relative (`[Sent 2 hours ago]`)"),
    ("useGroupChatTimestampLogic", "whether a reply gets its time as soon as it is complete"),
    ("maxContextTokenSize", "no effect: the upstream knows its own context size"),
    ("addUserTurnTemplate", "no effect: the upstream applies its chat template"),
    ("addOpenEndedAssistantTurnTemplate", "no effect: the upstream applies its chat template"),
    ("forceGenerationPromptIfEndpointAllows", "no effect: the upstream adds its own"),
    ("blockGenerationPrompt", "no effect: the upstream adds its own"),
];
const STANDARD: &[Property] = &[
    ("lastMessagesToSendInsteadOfPrompt", "how many messages an empty prompt sends (5)"),
    ("lastMessagesToSendInsteadOfPromptMaxTokenSize", "maximum tokens of those messages"),
    ("acceptImages", "whether images of the chat are sent"),
    ("maxImagesToSend", "how many, the latest first; 0 for all"),
    ("allowTools", "whether the client's tools are offered; calls go back to the client"),
    ("appendNativeToolExchange", "whether the latest tool calls and results follow an own prompt"),
    ("lowercaseToolCallFunctionNames", "whether names of called tools become lower case"),
    ("includeToolCallsInConversation", "whether messages without text show `[Tool Call: name]`"),
    ("mergeConsecutiveAssistantMessages", "whether assistant messages in a row become one"),
    ("mergeConsecutiveAssistantMessagesDelimiter", "what joins them (a line break)"),
    ("insertUserTurnBetweenAssistantMessages", "whether a user message separates them instead"),
    ("insertedUserTurnText", "that message (`Continue.`)"),
    ("removeCustomTextFromResponseStart", "whether a text is removed from the start of the reply"),
    ("responseStartTextToRemove", "that text"),
    ("structuredOutputFile", "no effect: describe the form in the prompt"),
    ("injectLivenessToolCall", "no effect: the stream is kept alive by comments"),
];
const IMAGE: &[Property] = &[
    ("addAsUserMessage", "whether the description becomes a message for the nodes after this one"),
    ("message", "that message; `[IMAGE_BLOCK]` is replaced by the description"),
    ("saveVisionResponsesToDiscussionId", "whether an image is described once in a memory"),
];
const RECENT: &[Property] = &[
    ("maxSummaryChunksFromFile", "how many chapters: 0 for three, -1 for all"),
    ("maxTurnsToPull", "how many messages are returned while there are no chapters"),
    ("lookbackStart", "how many of the latest messages are skipped then"),
    ("customDelimiter", "what stands between chapters (`--ChunkBreak--`)"),
];
const SUMMARIZER: &[Property] = &[
    ("minMemoriesPerSummary", "does nothing while there are fewer new chapters (3)"),
    ("loopIfMemoriesExceed", "more new chapters than this are folded in several rounds (3)"),
    ("endpointName", "the endpoint that writes the summary; without it the `[llm]` does"),
    ("preset", "the preset of that call"),
    ("systemPrompt", "the system prompt; `[CHAT_SUMMARY]` and `[LATEST_MEMORIES]` are filled in"),
    ("prompt", "the user prompt, with the same placeholders"),
    ("maxResponseSizeInTokens", "maximum length of the summary (400)"),
    ("addUserTurnTemplate", "no effect: the upstream applies its chat template"),
];
const SEARCH: &[Property] = &[
    ("input", "keywords separated by `;`, the first 60 count; any of them may match"),
    ("limit", "maximum number of results (5)"),
    (
        "searchMode",
        "`keyword` (in title, summary, entities, key phrases, entries and facts), \
                    `semantic` or `hybrid`",
    ),
    ("semanticQuery", "what is looked for by meaning, instead of the keywords"),
    ("includeDates", "whether results begin with the day on which it was said"),
    ("bm25Weights", "no effect: all fields count"),
    ("useRecencyScoring", "no effect: recall weighs recency itself"),
    ("embeddingEndpointName", "no effect: see `[embedder]` in the configuration"),
    ("useEntityExpansion", "no effect: recall follows entities itself"),
];
const KEYWORDS: &[Property] = &[
    ("keywords", "keywords separated by `;`"),
    (
        "searchTarget",
        "`CurrentConversation` (messages) or `RecentMemories` (all chapters but the \
                      latest three)",
    ),
    ("lookbackStartTurn", "how many of the latest messages are skipped (0)"),
];
const FOLDER: &[Property] =
    &[("workflowUserFolderOverride", "the folder of the workflow, such as `_common`")];
const CUSTOM: &[Property] = &[
    ("workflowName", "the workflow to run"),
    ("scoped_variables", "the values of `{agent1Input}`, `{agent2Input}` and so on"),
    ("firstNodeSystemPromptOverride", "replaces the system prompt of its first node"),
    ("firstNodePromptOverride", "replaces the prompt of its first node"),
];
const FORK: &[Property] = &[
    ("conditionalKey", "the value that chooses"),
    ("conditionalWorkflows", "workflows by value, in any case; `Default` for other values"),
    ("UseDefaultContentInsteadOfWorkflow", "the output for other values, instead of `Default`"),
    ("scoped_variables", "the values of `{agent1Input}` and so on"),
    ("routeOverrides", "`systemPromptOverride` and `promptOverride` by value"),
];
const CHUNKS: &[Property] = &[
    ("workflowName", "the workflow that runs once for every complete group of new messages"),
    ("scoped_variables", "the values of `{agent2Input}` and so on; `{agent1Input}` is the group"),
    ("chunkSize", "messages in a group (10)"),
    ("lookbackMessages", "how many of the latest messages wait for a later run (4)"),
    ("cursorDirectory", "where the progress is kept, below the directory of workflow files"),
    ("returnFile", "a file whose content is the output; else a short report"),
];
const READ_FILE: &[Property] = &[
    ("filepath", "the file, below the directory of workflow files"),
    ("delimiter", "a text in it that is replaced"),
    ("customReturnDelimiter", "what replaces it"),
    ("headCount", "how many of the first pieces are returned"),
    ("tailCount", "how many of the last pieces are returned"),
    ("chunkDelimiter", "what separates pieces (a line break)"),
];
const SAVE_FILE: &[Property] = &[
    ("filepath", "the file, below the directory of workflow files"),
    ("content", "its new content"),
    ("mode", "`overwrite` or `append`"),
];

const fn kind(
    name: &'static str,
    read: Reader,
    properties: &'static [&'static [Property]],
    about: &'static str,
) -> NodeType {
    NodeType { name, about, properties, read }
}

/// Every node type that is run.
pub(crate) const NODE_TYPES: [NodeType; 30] = [
    kind("Standard", read::standard, &[MODEL, STANDARD], "Calls a model and returns its reply."),
    kind(
        "QualityMemory",
        |_| Some(NodeKind::QualityMemory),
        &[],
        "Brings chapters and facts up to date; returns nothing.",
    ),
    kind(
        "chatSummarySummarizer",
        read_memory::summarizer,
        &[SUMMARIZER],
        "Folds new chapters into the rolling summary and returns it.",
    ),
    kind(
        "RecentMemorySummarizerTool",
        read_memory::recent_tool,
        &[RECENT],
        "Returns the latest chapters, each with its days.",
    ),
    kind(
        "RecentMemory",
        read_memory::recent_memory,
        &[RECENT],
        "Brings the chapters up to date, then runs the user's `recentMemoryToolWorkflow`, or \
         returns the latest chapters.",
    ),
    kind(
        "ConversationMemory",
        read_memory::conversation_memory,
        &[RECENT],
        "Brings the chapters up to date, then runs the user's `conversationMemoryToolWorkflow`, \
         or returns the latest chapters.",
    ),
    kind(
        "GetCurrentSummaryFromFile",
        |_| Some(NodeKind::GetCurrentSummaryFromFile),
        &[],
        "Returns the rolling summary.",
    ),
    kind(
        "FullChatSummary",
        read_memory::full_summary,
        &[&[("isManualConfig", "whether the summary is only read")]],
        "Brings chapters and the rolling summary up to date, with the user's \
         `chatSummaryToolWorkflow` if there is one, and returns the summary.",
    ),
    kind(
        "ChatSummaryMemoryGatheringTool",
        |_| Some(NodeKind::ChatSummaryMemoryGatheringTool),
        &[],
        "Returns the chapters that are not in the rolling summary yet.",
    ),
    kind(
        "WriteCurrentSummaryToFileAndReturnIt",
        read_memory::write_summary,
        &[&[("input", "the new text of the rolling summary")]],
        "Writes a version of the rolling summary and returns it.",
    ),
    kind(
        "GetCurrentMemoryFromFile",
        |_| Some(NodeKind::GetCurrentMemoryFromFile),
        &[],
        "Returns all chapters.",
    ),
    kind(
        "GetCurrentStateDocument",
        |_| Some(NodeKind::GetCurrentStateDocument),
        &[],
        "Returns the context document: what holds now, kept up to date by the engine.",
    ),
    kind(
        "VectorMemorySearch",
        read_memory::search,
        &[SEARCH],
        "Searches chapters, entries and facts of the memory.",
    ),
    kind(
        "ConversationalKeywordSearchPerformerTool",
        |read| read_memory::keywords(read, "ConversationalKeywordSearchPerformerTool"),
        &[KEYWORDS],
        "Returns up to ten messages, or chapters, that hold a keyword.",
    ),
    kind(
        "MemoryKeywordSearchPerformerTool",
        |read| read_memory::keywords(read, "MemoryKeywordSearchPerformerTool"),
        &[KEYWORDS],
        "The same as ConversationalKeywordSearchPerformerTool; `searchTarget` decides.",
    ),
    kind(
        "ImageProcessor",
        read::image_processor,
        &[MODEL, IMAGE],
        "Has a model describe the images of the chat and returns the descriptions.",
    ),
    kind(
        "WorkflowLock",
        read_text::lock,
        &[&[("workflowLockId", "the name of the lock, which holds in one memory")]],
        "Ends the run if another run of the workflow in this memory holds the lock.",
    ),
    kind(
        "CustomWorkflow",
        read::custom,
        &[CUSTOM, FOLDER],
        "Runs another workflow and returns its answer.",
    ),
    kind(
        "ConditionalCustomWorkflow",
        read::fork,
        &[FORK, FOLDER],
        "Runs one of several workflows.",
    ),
    kind(
        "ConversationChunkProcessor",
        read::chunk_processor,
        &[CHUNKS, FOLDER],
        "Runs a workflow once for every group of messages that is complete.",
    ),
    kind(
        "Conditional",
        read_text::conditional,
        &[&[("condition", "`==`, `!=`, `<`, `>`, `<=`, `>=`, `AND`, `OR` and parentheses")]],
        "Returns `TRUE` or `FALSE`.",
    ),
    kind(
        "StringConcatenator",
        read_text::concatenator,
        &[&[("strings", "the texts"), ("delimiter", "what stands between them")]],
        "Joins texts.",
    ),
    kind(
        "StaticResponse",
        read_text::static_response,
        &[&[("content", "the text")]],
        "Returns a fixed text.",
    ),
    kind("GetCustomFile", read_text::file_to_read, &[READ_FILE], "Returns the content of a file."),
    kind("SaveCustomFile", read_text::file_to_write, &[SAVE_FILE], "Writes a file."),
    kind(
        "TagTextExtractor",
        read_text::tag,
        &[&[
            ("tagToExtractFrom", "the text"),
            ("fieldToExtract", "the name of the tag"),
            ("defaultText", "the output if there is no such tag"),
        ]],
        "Returns the text inside a tag.",
    ),
    kind(
        "JsonExtractor",
        read_text::field,
        &[&[("jsonToExtractFrom", "the JSON"), ("fieldToExtract", "the name of the field")]],
        "Returns a field of a JSON object.",
    ),
    kind(
        "DelimitedChunker",
        read_text::chunker,
        &[&[
            ("content", "the text"),
            ("delimiter", "what separates pieces"),
            ("mode", "`head` or `tail`"),
            ("count", "how many pieces are kept"),
        ]],
        "Returns the first or last pieces of a text.",
    ),
    kind(
        "ArithmeticProcessor",
        read_text::arithmetic,
        &[&[("expression", "two numbers and `+`, `-`, `*` or `/`")]],
        "Returns the result, or `-1`.",
    ),
    kind(
        "ContextCompactor",
        |_| Some(NodeKind::ContextCompactor),
        &[],
        "Returns the rolling summary in `<context_compactor_oldest>` and the chapters that are not \
         in it yet in `<context_compactor_old>`.",
    ),
];

const fn foreign(name: &'static str, needs: &'static str, instead: &'static str) -> ForeignType {
    ForeignType { name, needs, instead }
}

const WIKI: &str = "an offline Wikipedia service";
const RESEARCH: &str = "an offline research service";
const VIA_TOOLS: &str = "offer it to the model as a tool of the client (allowTools)";
const VIA_FILE: &str = "write its output to a file and read that with GetCustomFile";

/// Types of WilmerAI that need a service which is not run here. A workflow with such a node loads;
/// the node itself is refused when it is reached.
pub(crate) static FOREIGN: [ForeignType; 12] = [
    foreign("OfflineWikiApiFullArticle", WIKI, VIA_TOOLS),
    foreign("OfflineWikiApiBestFullArticle", WIKI, VIA_TOOLS),
    foreign("OfflineWikiApiTopNFullArticles", WIKI, VIA_TOOLS),
    foreign("OfflineWikiApiPartialArticle", WIKI, VIA_TOOLS),
    foreign("OfflineResearcherApiQuickSearch", RESEARCH, VIA_TOOLS),
    foreign("OfflineResearcherApiDeepResearch", RESEARCH, VIA_TOOLS),
    foreign("PythonModule", "a Python interpreter", VIA_FILE),
    foreign("WebFetch", "the web", VIA_TOOLS),
    foreign("WebPageFetch", "the web", VIA_TOOLS),
    foreign("CurlCommand", "the program curl", VIA_TOOLS),
    foreign("MCPToolCall", "an MCP server", VIA_TOOLS),
    foreign(
        "SlowButQualityRAG",
        "a model call for every piece of a text",
        "use VectorMemorySearch",
    ),
];

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
    let line = value.get("type").map_or(value.line, |found| found.line);
    let foreign = FOREIGN.iter().find(|foreign| foreign.name == named);
    let kind = NODE_TYPES.iter().find(|kind| kind.name == named);
    let name = kind.map(|kind| kind.name).or(foreign.map(|foreign| foreign.name));
    let Some(name) = name else {
        diagnostics.push(Diagnostic::new(file, line, unknown(&named)));
        return None;
    };
    let mut properties = Properties::of(file, value, name);
    let title = properties.text("title").or_else(|| properties.text("name")).unwrap_or_default();
    let answers = match properties.value("is_responder") {
        Some(_) => properties.flag("is_responder"),
        None => properties.flag("returnToUser"),
    };
    let read = match (kind, foreign) {
        (Some(kind), _) => {
            let read = (kind.read)(&mut properties);
            properties.hint_at_slips(&known(kind));
            read
        }
        (None, foreign) => foreign.map(|foreign| {
            properties.hint(line, refusal(foreign));
            NodeKind::Foreign(foreign)
        }),
    };
    diagnostics.extend(properties.diagnostics());
    Some(Node { line: value.line, title: title.to_owned(), answers, kind: read? })
}

fn known(kind: &NodeType) -> Vec<&'static str> {
    let own = kind.properties.iter().copied().flatten();
    COMMON.iter().chain(own).map(|(name, _)| *name).collect()
}

/// Why a node of a foreign type is not run, and what can be used instead.
pub(crate) fn refusal(foreign: &ForeignType) -> String {
    format!(
        "nodes of type {:?} are not run here: they need {}; {}",
        foreign.name, foreign.needs, foreign.instead
    )
}

fn unknown(named: &str) -> String {
    let names: Vec<&str> = NODE_TYPES.iter().map(|kind| kind.name).collect();
    let meant = nearest(named, names.iter().copied());
    let meant = meant.map(|meant| format!("is {meant:?} meant? ")).unwrap_or_default();
    format!("there is no node type {named:?}; {meant}Known types: {}", names.join(", "))
}
