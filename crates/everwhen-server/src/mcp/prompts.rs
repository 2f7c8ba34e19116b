//! Prompts that an agent can request. Their texts are files.

use everwhen::{Error, Result};
use rmcp::model::{GetPromptResult, JsonObject, Prompt, PromptArgument, PromptMessage, Role};

use super::wire::Profile;

/// The instructions of a client that records what is said.
pub(crate) const INSTRUCTIONS: &str = include_str!("texts/instructions.md");
/// How to record a conversation.
pub(crate) const CAPTURE_ENTRIES: &str = include_str!("texts/capture_entries.md");
/// How to write the context document.
pub(crate) const BUILD_CONTEXT: &str = include_str!("texts/build_context.md");
/// How to answer from memory.
pub(crate) const RECALL: &str = include_str!("texts/recall.md");

/// How to learn from past conversations.
pub(crate) const RETROSPECT: &str = include_str!("texts/retrospect.md");

/// The instructions that a client gets when it connects: about the tools it sees.
pub(super) fn instructions(profile: Profile) -> &'static str {
    match profile {
        Profile::Conversations => INSTRUCTIONS,
        Profile::Recall => include_str!("texts/recorded.md"),
        Profile::Graph => include_str!("texts/graph.md"),
        Profile::Files => include_str!("texts/files.md"),
    }
}

/// One prompt: its name, title, description and text.
struct Text(&'static str, &'static str, &'static str, &'static str);

const ALL: [Text; 4] = [
    Text(
        "capture_entries",
        "Capture entries",
        "Record a conversation as it happens",
        CAPTURE_ENTRIES,
    ),
    Text("build_context", "Build context", "Rewrite the context document", BUILD_CONTEXT),
    Text("recall", "Recall", "Answer a question from memory", RECALL),
    Text("retrospect", "Retrospect", "Learn from past conversations", RETROSPECT),
];

/// The argument of `recall`.
const QUESTION: &str = "question";
/// The argument that all prompts take.
pub(super) const MEMORY: &str = "memory";

/// All prompts that the client's tools can follow.
pub(super) fn list(profile: Profile) -> Vec<Prompt> {
    let is_useful = |Text(_, _, _, text): &Text| match profile {
        Profile::Conversations => true,
        Profile::Recall => *text != CAPTURE_ENTRIES,
        Profile::Graph | Profile::Files => false,
    };
    let shown = |Text(name, title, about, text): Text| {
        let mut arguments = Vec::new();
        if takes_question(text) {
            let about = "The question, in the user's own words";
            arguments
                .push(PromptArgument::new(QUESTION).with_description(about).with_required(true));
        }
        let about_memory = "Memory to work in, by name or id; the usual one if absent";
        let memory =
            PromptArgument::new(MEMORY).with_description(about_memory).with_required(false);
        arguments.push(memory);
        Prompt::new(name, Some(about), Some(arguments)).with_title(title)
    };
    ALL.into_iter().filter(is_useful).map(shown).collect()
}

/// The prompt with this name, with its arguments filled in.
pub(crate) fn get(name: &str, arguments: Option<&JsonObject>) -> Result<GetPromptResult> {
    let found = ALL.into_iter().find(|Text(known, ..)| *known == name);
    let Some(Text(_, _, about, text)) = found else {
        let names = ALL.map(|Text(name, ..)| name).join(", ");
        return Err(Error::not_found(format!("prompt not found: {name}; there are {names}")));
    };
    let argument = |name: &str| arguments.and_then(|all| all.get(name)?.as_str());
    let text = match (takes_question(text), argument(QUESTION)) {
        (false, _) => text.to_owned(),
        (true, Some(question)) => text.replace("{question}", question),
        (true, None) => return Err(Error::invalid(format!("argument {QUESTION} is missing"))),
    };
    let message = PromptMessage::new_text(Role::User, text + &in_memory(argument(MEMORY)));
    Ok(GetPromptResult::new(vec![message]).with_description(about))
}

fn takes_question(text: &str) -> bool {
    text.contains("{question}")
}

fn in_memory(memory: Option<&str>) -> String {
    let named = memory.filter(|name| !name.is_empty());
    named.map_or_else(String::new, |name| {
        format!("\nWork in memory `{name}`: pass `memory` with every call.\n")
    })
}
