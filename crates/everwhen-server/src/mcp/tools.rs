//! The tools: a few by default, because every one costs tokens in every request of an agent; all
//! of them for those who ask.

mod context;
mod conversations;
mod entries;
mod facts;
mod graph;
mod search;
mod timeline;
mod upkeep;
mod vaults;

use std::sync::LazyLock;

use super::tool::{Listed, Tool};
use super::wire::{Choice, Profile, ToolSet};

/// All tools, those shown by default first. The order is always the same.
static ALL: LazyLock<Vec<Listed>> = LazyLock::new(|| {
    vec![
        Listed::of::<entries::AddEntry>(),
        Listed::of::<search::SearchMemories>(),
        Listed::of::<timeline::GetTimeline>(),
        Listed::of::<conversations::GetConversation>(),
        Listed::of::<conversations::EndConversation>(),
        Listed::of::<context::GetContext>(),
        Listed::of::<context::PutContext>(),
        Listed::of::<vaults::CreateVault>(),
        Listed::of::<vaults::ListVaults>(),
        Listed::of::<vaults::CreateMemoryInVault>(),
        Listed::of::<vaults::ListMemories>(),
        Listed::of::<entries::ListEntries>(),
        Listed::of::<entries::GetEntry>(),
        Listed::of::<entries::CorrectEntry>(),
        Listed::of::<facts::ListFacts>(),
        Listed::of::<timeline::TimeBetween>(),
        Listed::of::<upkeep::Forget>(),
        Listed::of::<upkeep::AwaitConsistency>(),
        Listed::of::<upkeep::GetDefaultPrompts>(),
    ]
});

/// Those of the other profile.
static GRAPH: LazyLock<Vec<Listed>> = LazyLock::new(graph::all);

/// The last tool that is shown by default.
const LAST_BY_DEFAULT: &str = context::PutContext::NAME;

/// The tools this client sees.
pub(crate) fn shown(choice: &Choice) -> &'static [Listed] {
    let few = ALL.iter().position(|tool| tool.shown.name == LAST_BY_DEFAULT);
    match (choice.profile, choice.tools) {
        (Profile::Graph, _) => &GRAPH,
        (Profile::Conversations, ToolSet::Default) => {
            &ALL[..few.map_or(ALL.len(), |last| last + 1)]
        }
        (Profile::Conversations, ToolSet::Full) => &ALL,
    }
}

/// The tool of this name, if this client sees it.
pub(crate) fn named(choice: &Choice, name: &str) -> Option<&'static Listed> {
    shown(choice).iter().find(|tool| tool.shown.name == name)
}

/// Whether there is such a tool, but not for this client.
pub(crate) fn is_hidden(name: &str) -> bool {
    ALL.iter().any(|tool| tool.shown.name == name)
}
