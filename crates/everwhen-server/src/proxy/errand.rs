//! Errands: what front ends ask a model for themselves, such as a title for a chat. Nobody said
//! it, so it is passed on untouched and not remembered.

use axum::http::HeaderMap;

use super::headers;
use super::wire::Asked;

/// Headers in which a front end says what a call is for.
const HEADERS: [&str; 2] = ["x-openwebui-task", "x-everwhen-task"];
/// How the whole of an errand's last message begins.
const BEGINNINGS: [&str; 7] = [
    "### Task:",
    "Here is the user's message:\n\n", // LibreChat
    "Provide a concise, 5-word-or-less title for the conversation",
    "Please generate a concise, 5-word-or-less title for the conversation",
    "Write a concise title for this conversation",
    "Based on the chat history, give this conversation a name",
    "Please write a 5-10 word title",
];
/// What stands in an errand's instructions.
const INSTRUCTIONS: [&str; 3] = [
    "You are a title generator. You output ONLY a thread title.",
    "Analyze if this message indicates a new conversation topic.",
    "Summarize this coding conversation in under 50 characters",
];

/// Whether this call is an errand.
pub(crate) fn is_errand(headers: &HeaderMap, asked: &Asked<'_>) -> bool {
    // A text to be filled in the middle is an editor's, not anybody's word.
    says_so(headers) || asked.fields.get("suffix").is_some() || reads_so(asked)
}

fn says_so(headers: &HeaderMap) -> bool {
    let tasks = HEADERS.into_iter().filter_map(|name| headers::text(headers, name));
    tasks.into_iter().any(|task| task != "default" && !task.starts_with("{{"))
}

fn reads_so(asked: &Asked<'_>) -> bool {
    let last = asked.messages.last().map(|message| message.text.trim_start());
    let begins = last.is_some_and(|text| BEGINNINGS.iter().any(|begun| text.starts_with(begun)));
    let mut system = asked.messages.iter().map(|message| &message.text).take(1);
    let system_field = asked.fields.get("system").unwrap_or_default();
    begins
        || system.any(|text| INSTRUCTIONS.iter().any(|known| text.contains(known)))
        || INSTRUCTIONS.iter().any(|known| system_field.contains(known))
}
