//! The tools: a few by default, because each one costs tokens in every request of an agent; all of
//! them on request.

mod context;
mod conversations;
mod entries;
mod facts;
mod files;
mod graph;
mod search;
mod timeline;
mod upkeep;
mod vaults;

use std::sync::LazyLock;

use super::tool::{Tool, ToolEntry};
use super::wire::{Choice, Profile, ToolSet};

/// All tools, those listed by default first. The order never changes.
static ALL: LazyLock<Vec<ToolEntry>> = LazyLock::new(|| {
    vec![
        ToolEntry::of::<entries::AddEntryTool>(),
        ToolEntry::of::<search::SearchMemoriesTool>(),
        ToolEntry::of::<timeline::GetTimelineTool>(),
        ToolEntry::of::<conversations::GetConversationTool>(),
        ToolEntry::of::<conversations::EndConversationTool>(),
        ToolEntry::of::<context::GetContextTool>(),
        ToolEntry::of::<context::PutContextTool>(),
        ToolEntry::of::<vaults::CreateVaultTool>(),
        ToolEntry::of::<vaults::ListVaultsTool>(),
        ToolEntry::of::<vaults::CreateMemoryInVaultTool>(),
        ToolEntry::of::<vaults::ListMemoriesTool>(),
        ToolEntry::of::<vaults::GetMemoryTool>(),
        ToolEntry::of::<entries::ListEntriesTool>(),
        ToolEntry::of::<entries::GetEntryTool>(),
        ToolEntry::of::<entries::CorrectEntryTool>(),
        ToolEntry::of::<entries::SetTagsTool>(),
        ToolEntry::of::<facts::ListFactsTool>(),
        ToolEntry::of::<facts::GetProfileTool>(),
        ToolEntry::of::<facts::PinFactTool>(),
        ToolEntry::of::<facts::CorrectFactTool>(),
        ToolEntry::of::<facts::RemoveFactTool>(),
        ToolEntry::of::<timeline::TimeBetweenTool>(),
        ToolEntry::of::<upkeep::ForgetTool>(),
        ToolEntry::of::<upkeep::AwaitConsistencyTool>(),
        ToolEntry::of::<upkeep::GetDefaultPromptsTool>(),
    ]
});

/// The tools of the graph profile.
static GRAPH: LazyLock<Vec<ToolEntry>> = LazyLock::new(graph::all);

/// The tool of the files profile.
static FILES: LazyLock<Vec<ToolEntry>> = LazyLock::new(files::all);

/// The last tool that is listed by default.
const LAST_BY_DEFAULT: &str = context::PutContextTool::NAME;

/// What an agent's hooks do, so that its model need not: with both, everything would be stored twice.
const RECORDING: [&str; 2] =
    [entries::AddEntryTool::NAME, conversations::EndConversationTool::NAME];

/// The tools that this client sees.
pub(crate) fn shown(choice: &Choice) -> impl Iterator<Item = &'static ToolEntry> + use<> {
    let few = ALL.iter().position(|tool| tool.shown.name == LAST_BY_DEFAULT);
    let family: &'static [ToolEntry] = match (choice.profile, choice.tools) {
        (Profile::Graph, _) => &GRAPH,
        (Profile::Files, _) => &FILES,
        (_, ToolSet::Default) => &ALL[..few.map_or(ALL.len(), |last| last + 1)],
        (_, ToolSet::Full) => &ALL,
    };
    let is_recorded = choice.profile == Profile::Recall;
    family.iter().filter(move |tool| !(is_recorded && RECORDING.contains(&&*tool.shown.name)))
}

/// The tool with this name, if this client sees it.
pub(crate) fn named(choice: &Choice, name: &str) -> Option<&'static ToolEntry> {
    shown(choice).find(|tool| tool.shown.name == name)
}

/// Whether this client would see a tool if it asked for all of them.
pub(crate) fn is_hidden(choice: &Choice, name: &str) -> bool {
    named(&Choice { tools: ToolSet::Full, ..choice.clone() }, name).is_some()
}
