//! An event of an agent, in the same words for all of them.

use std::path::PathBuf;

use serde_json::Value;

use crate::failure::{Failure, Result};

/// What happens in a session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Moment {
    /// A session begins, is resumed, or goes on after a compaction.
    SessionStart,
    /// The user has sent a prompt.
    Prompt,
    /// The agent has replied.
    Reply,
    /// The agent is about to replace its context by a summary.
    BeforeCompaction,
    /// The session ends.
    SessionEnd,
    /// Anything else.
    Other,
}

/// The names of events. No two agents use one name for different moments.
const NAMES: [(&str, Moment); 17] = [
    // Claude Code and Codex; Gemini CLI has the first and the last as well.
    ("SessionStart", Moment::SessionStart),
    ("UserPromptSubmit", Moment::Prompt),
    ("Stop", Moment::Reply),
    ("PreCompact", Moment::BeforeCompaction),
    ("SessionEnd", Moment::SessionEnd),
    // Gemini CLI.
    ("BeforeAgent", Moment::Prompt),
    ("AfterAgent", Moment::Reply),
    ("PreCompress", Moment::BeforeCompaction),
    // Cursor.
    ("sessionStart", Moment::SessionStart),
    ("beforeSubmitPrompt", Moment::Prompt),
    ("afterAgentResponse", Moment::Reply),
    ("preCompact", Moment::BeforeCompaction),
    ("sessionEnd", Moment::SessionEnd),
    // opencode, as its plugin names them.
    ("session.start", Moment::SessionStart),
    ("prompt", Moment::Prompt),
    ("reply", Moment::Reply),
    ("compacting", Moment::BeforeCompaction),
];

/// An event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct AgentEvent {
    pub(super) moment: Moment,
    /// The agent's name for it.
    pub(super) name: String,
    /// The id of the session.
    pub(super) session: Option<String>,
    /// The folder in which the agent works.
    pub(super) folder: Option<PathBuf>,
    /// The words of the user or of the agent.
    pub(super) said: Option<String>,
    /// What tells this turn from others of the session.
    pub(super) turn: Option<String>,
    /// The file in which the agent records the session.
    pub(super) transcript: Option<PathBuf>,
}

impl AgentEvent {
    /// Reads an event.
    pub(super) fn read(text: &str) -> Result<Self> {
        // Programs for Windows write such a mark.
        let text = text.trim_start_matches('\u{feff}');
        let event: Value = serde_json::from_str(text).or_else(|error| {
            // Text that was cut in the middle of a character is no valid JSON, but all of the rest is there.
            let repaired = everwhen::import::json_of(text);
            let is_json = !repaired.is_null();
            is_json
                .then_some(repaired)
                .ok_or_else(|| Failure::new(format!("the event is not JSON: {error}")))
        })?;
        let name = field(&event, &["hook_event_name"])
            .ok_or_else(|| Failure::new("the event has no hook_event_name"))?;
        let known = NAMES.iter().find(|(known, _)| *known == name);
        let moment = known.map_or(Moment::Other, |(_, moment)| *moment);
        let words: &[&str] = match moment {
            Moment::Prompt => &["prompt"],
            Moment::Reply => &["last_assistant_message", "prompt_response", "text"],
            _ => &[],
        };
        let root = || event["workspace_roots"][0].as_str().map(ToOwned::to_owned);
        Ok(Self {
            moment,
            session: field(&event, &["session_id", "conversation_id"]),
            folder: field(&event, &["cwd"]).or_else(root).map(PathBuf::from),
            said: field(&event, words).as_deref().and_then(own_words),
            turn: field(&event, &["turn_id", "generation_id", "message_id", "timestamp"]),
            transcript: field(&event, &["transcript_path"]).map(PathBuf::from),
            name,
        })
    }
}

/// A prompt without what hooks have put before it: Gemini CLI hands on what it was told when the session
/// began as a part of the first prompt.
fn own_words(text: &str) -> Option<String> {
    let mut words = text.trim();
    while let Some(rest) = words.strip_prefix("<hook_context>") {
        let Some((_, behind)) = rest.split_once("</hook_context>") else { break };
        words = behind.trim_start();
    }
    (!words.is_empty()).then(|| words.to_owned())
}

/// The first of these fields that holds a text.
fn field(event: &Value, names: &[&str]) -> Option<String> {
    let found = names.iter().filter_map(|name| event[*name].as_str());
    found.map(str::trim).find(|text| !text.is_empty()).map(ToOwned::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_all_agents_are_read_into_the_same_words() {
        let claude = AgentEvent::read(
            r#"{"session_id": "s1", "transcript_path": "/t.jsonl", "cwd": "/w",
                "hook_event_name": "Stop", "last_assistant_message": "Done."}"#,
        );
        let claude = claude.unwrap();
        assert_eq!((claude.moment, claude.said.as_deref()), (Moment::Reply, Some("Done.")));
        assert_eq!(claude.transcript, Some(PathBuf::from("/t.jsonl")));
        let cursor = AgentEvent::read(
            r#"{"conversation_id": "c1", "generation_id": "g1", "workspace_roots": ["/w"],
                "hook_event_name": "beforeSubmitPrompt", "prompt": "Hi"}"#,
        );
        let cursor = cursor.unwrap();
        assert_eq!((cursor.moment, cursor.said.as_deref()), (Moment::Prompt, Some("Hi")));
        assert_eq!((cursor.session.as_deref(), cursor.turn.as_deref()), (Some("c1"), Some("g1")));
        assert_eq!(cursor.folder, Some(PathBuf::from("/w")));
        let gemini = AgentEvent::read(
            r#"{"session_id": "s", "hook_event_name": "AfterAgent", "prompt": "Hi",
                "prompt_response": "Hello.", "timestamp": "2026-01-01T00:00:00Z"}"#,
        );
        assert_eq!(gemini.unwrap().said.as_deref(), Some("Hello."));
    }

    #[test]
    fn what_a_hook_has_said_is_not_taken_for_the_words_of_the_user() {
        let said = |prompt: &str| {
            let event = serde_json::json!({ "hook_event_name": "BeforeAgent", "prompt": prompt });
            AgentEvent::read(&event.to_string()).unwrap().said
        };
        let told = "<hook_context>Memory of this project.\n- User: Hi</hook_context>\n\n";
        assert_eq!(said(&format!("{told}Which port?")).as_deref(), Some("Which port?"));
        assert_eq!(
            said(&format!("{told}{told}a <hook_context>")).as_deref(),
            Some("a <hook_context>")
        );
        assert_eq!(said(told), None);
        assert_eq!(said("<hook_context> is what?").as_deref(), Some("<hook_context> is what?"));
    }

    #[test]
    fn a_mark_before_an_event_and_a_character_cut_in_half_do_no_harm() {
        let event = AgentEvent::read(
            "\u{feff}{\"hook_event_name\": \"Stop\", \"last_assistant_message\": \"Done \\ud83d\"}\r\n",
        );
        assert_eq!(event.unwrap().said.as_deref(), Some("Done \u{fffd}"));
    }

    #[test]
    fn what_is_no_event_is_refused_and_unknown_ones_mean_nothing() {
        for text in ["", "{", "[]", "{}", r#"{"hook_event_name": 3}"#] {
            assert!(AgentEvent::read(text).is_err(), "{text}");
        }
        let other = AgentEvent::read(r#"{"hook_event_name": "PreToolUse", "prompt": "x"}"#);
        let other = other.unwrap();
        assert_eq!((other.moment, other.said), (Moment::Other, None));
    }
}
