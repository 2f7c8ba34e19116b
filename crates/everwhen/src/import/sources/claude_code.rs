//! Claude Code: `projects/<folder>/<session>.jsonl`.
//!
//! One reply is several lines, a line of the user is often none of a person, and a forked session
//! repeats the lines of its parent with the same ids.

use std::collections::HashMap;

use everwhen_engine::memory::Role;
use serde_json::Value;

use super::Source;
use crate::import::input::Document;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Message, Thread, TreeMessage};

/// Claude Code.
pub(super) static SOURCE: Source = Source {
    name: "claude-code",
    title: "Claude Code",
    takes: "sessions (.jsonl) from ~/.claude/projects",
    folders: &[".claude/projects"],
    claims,
    read,
};

/// What programs put around or instead of what a person typed.
const WRAPPERS: [&str; 9] = [
    "system-reminder",
    "ide_opened_file",
    "ide_selection",
    "command-name",
    "command-message",
    "command-args",
    "local-command-stdout",
    "local-command-stderr",
    "task-notification",
];

fn claims(sample: &Sample<'_>) -> Claim {
    let is_line = |one: &Value| {
        has(one, &["sessionId"])
            && !has(one, &["projectHash"])
            && (has(one, &["uuid"]) || has(one, &["type"]))
            || has(one, &["leafUuid"])
    };
    Claim::when(sample.any_line(is_line) && !sample.any_line(|one| has(one, &["projectHash"])))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        session(reading, document);
        if reading.is_stopped() {
            return;
        }
    }
}

/// The lines of a session as a tree.
#[derive(Default)]
struct ClaudeCodeSession {
    nodes: Vec<TreeMessage>,
    /// Where the reply with an id of the model stands.
    replies: HashMap<String, usize>,
    last: Option<String>,
    title: Option<(u8, String)>,
}

fn session<'r>(reading: &mut Reading<'r>, document: &'r Document) {
    let mut session = ClaudeCodeSession::default();
    reading.lines(document, &mut |reading, number, line| session.line(reading, number, line));
    let id = document.file_name().trim_end_matches(".zst").trim_end_matches(".jsonl");
    let mut thread = Thread::new(id, document.place.as_str());
    thread.title = session.title.map(|(_, title)| title);
    thread.take_tree(session.nodes, session.last.as_deref());
    reading.take(thread);
}

impl ClaudeCodeSession {
    fn line(&mut self, reading: &mut Reading<'_>, number: u64, line: Value) {
        self.note_title(&line);
        let uuid = line["uuid"].as_str().map_or_else(|| format!("line {number}"), str::to_owned);
        let parent = line["parentUuid"].as_str().or_else(|| line["logicalParentUuid"].as_str());
        let parent = parent.map(str::to_owned);
        if line["isSidechain"].as_bool() == Some(true) && !reading.options.hidden {
            reading.leave_out("messages of sub-agents");
            return;
        }
        let message = match line["type"].as_str().unwrap_or_default() {
            "assistant" if self.continues(reading, &line) => None,
            kind @ ("user" | "assistant") => message(reading, &line, kind == "user"),
            "attachment" if line["attachment"]["type"].as_str() == Some("queued_command") => {
                let said = text::of_content(&line["attachment"]["prompt"], &mut |_| {});
                Some(Message::new(Role::User, said, moment::of_value(&line["timestamp"])))
            }
            "summary" | "ai-title" | "custom-title" | "agent-name" => return,
            other => {
                reading.leave_out(&format!("lines of type {other}"));
                None
            }
        };
        if let Some(id) = line["message"]["id"].as_str().filter(|_| message.is_some()) {
            self.replies.insert(id.to_owned(), self.nodes.len());
        }
        let has_uuid = line["uuid"].is_string();
        let message =
            message.map(|message| if has_uuid { message.id(uuid.clone()) } else { message });
        if has_uuid
            && line["type"].as_str().is_some_and(|kind| matches!(kind, "user" | "assistant"))
        {
            self.last = Some(uuid.clone());
        }
        self.nodes.push(TreeMessage { id: uuid, parent, message });
    }

    fn note_title(&mut self, line: &Value) {
        let rank = match line["type"].as_str() {
            Some("custom-title") => 3,
            Some("ai-title") => 2,
            Some("summary") => 1,
            _ => return,
        };
        let fields = ["customTitle", "aiTitle", "title", "summary", "name"].iter();
        let title = fields.filter_map(|field| line[*field].as_str()).next();
        if let Some(title) =
            title.filter(|_| self.title.as_ref().is_none_or(|(old, _)| *old <= rank))
        {
            self.title = Some((rank, title.to_owned()));
        }
    }

    /// Adds a further line of a reply to its first.
    fn continues(&mut self, reading: &mut Reading<'_>, line: &Value) -> bool {
        let Some(first) = line["message"]["id"].as_str().and_then(|id| self.replies.get(id)) else {
            return false;
        };
        let (said, tools) = spoken(reading, &line["message"]["content"]);
        if let Some(message) = &mut self.nodes[*first].message {
            // A snapshot of a reply that grows repeats its beginning.
            if said.starts_with(&message.text) {
                message.text = said;
            } else if !message.text.ends_with(&said) {
                message.text = text::join([message.text.as_str(), said.as_str()]);
            }
            message.tools.extend(tools);
            message.more.insert("finished_at".to_owned(), line["timestamp"].clone());
        }
        true
    }
}

fn message(reading: &mut Reading<'_>, line: &Value, is_user: bool) -> Option<Message> {
    let content = &line["message"]["content"];
    let time = moment::of_value(&line["timestamp"]);
    if !is_user {
        let (said, tools) = spoken(reading, content);
        let model = line["message"]["model"].as_str();
        let mut message = Message::new(Role::Assistant, said, time).model(model);
        message.tools = tools;
        return Some(message);
    }
    if line["isCompactSummary"].as_bool() == Some(true) {
        reading.leave_out("summaries by the model");
        return None;
    }
    if line["isMeta"].as_bool() == Some(true) && !reading.options.hidden {
        reading.leave_out("hidden messages");
        return None;
    }
    let mut is_tool = false;
    let said = text::of_content(content, &mut |kind| is_tool |= kind == "tool_result");
    if is_tool && said.trim().is_empty() {
        let result = content.as_array().into_iter().flatten();
        let result: Vec<String> =
            result.map(|block| text::of_content(&block["content"], &mut |_| {})).collect();
        return Some(Message::new(Role::Tool, text::join(result.iter().map(String::as_str)), time));
    }
    let said = without_wrappers(&said);
    if said.is_empty()
        || said.starts_with("[Request interrupted by user")
        || said.starts_with("Caveat: The messages below")
    {
        reading.leave_out("lines that the program wrote");
        return None;
    }
    let mut message = Message::new(Role::User, said, time);
    for field in ["cwd", "gitBranch"] {
        if let Some(value) = line[field].as_str() {
            message.more.insert(field.to_owned(), value.into());
        }
    }
    Some(message)
}

/// The text of a reply, and the tools it used.
fn spoken(reading: &mut Reading<'_>, content: &Value) -> (String, Vec<String>) {
    let blocks = content.as_array().map_or(&[][..], Vec::as_slice);
    let tools = blocks.iter().filter(|block| block["type"].as_str() == Some("tool_use"));
    let tools = tools.filter_map(|block| block["name"].as_str().map(str::to_owned)).collect();
    let said = text::of_content(content, &mut |kind| match kind {
        "thinking" | "redacted_thinking" => reading.leave_out("thoughts"),
        "tool_use" => reading.leave_out("tool messages"),
        other => reading.leave_out(&format!("block of type {other}")),
    });
    (said, tools)
}

/// What a person typed, without what programs put around it.
fn without_wrappers(said: &str) -> String {
    let mut rest = said.to_owned();
    for tag in WRAPPERS {
        let (open, close) = (format!("<{tag}"), format!("</{tag}>"));
        while let Some(start) = rest.find(&open) {
            let end =
                rest[start..].find(&close).map_or(rest.len(), |end| start + end + close.len());
            rest.replace_range(start..end, "");
        }
    }
    rest.trim().to_owned()
}
