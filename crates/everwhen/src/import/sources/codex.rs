//! Codex: `sessions/YYYY/MM/DD/rollout-*.jsonl`.
//!
//! A forked session repeats the whole history of its parent, and stamps each line with the time of
//! the fork. What the parent has is left out; what only the fork has gets its time from its turn's id.
//!
//! Few messages have ids. The others are known by time, role and text, which stay the same when a file
//! loses its beginning.

use std::collections::{HashMap, HashSet};

use everwhen_engine::memory::{Provenance, Role, TimeFrom, TimePrecision};
use serde_json::Value;

use super::Source;
use crate::import::content_id::ContentIds;
use crate::import::input::Document;
use crate::import::moment::{self, Moment};
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Branch, Message, Thread};

/// Codex.
pub(super) static SOURCE: Source = Source {
    name: "codex",
    title: "Codex",
    takes: "sessions (rollout-*.jsonl) from ~/.codex/sessions",
    folders: &[".codex/sessions", ".codex/archived_sessions"],
    claims,
    read,
};

/// Beginnings of what the program says in the role of the user.
const SCAFFOLDING: [&str; 6] = [
    "<environment_context",
    "<user_instructions",
    "<permissions",
    "# AGENTS.md",
    "<INSTRUCTIONS>",
    "<turn_aborted",
];

fn claims(sample: &Sample<'_>) -> Claim {
    let is_new = |one: &Value| has(one, &["timestamp", "type", "payload"]);
    let is_old = |one: &Value| has(one, &["id", "timestamp", "instructions"]);
    Claim::when(sample.any_line(is_new) || sample.any_line(is_old))
}

/// Which session each turn belongs to, where it was first said.
type Turns = HashMap<String, HashSet<String>>;

fn read(reading: &mut Reading<'_>) {
    let documents: Vec<&Document> = reading
        .documents()
        .into_iter()
        .filter(|one| {
            !(one.name.ends_with(".zst")
                && reading.beside(one, one.file_name().trim_end_matches(".zst")).is_some())
        })
        .collect();
    let mut turns = Turns::new();
    for document in &documents {
        own_turns(reading, document, &mut turns);
    }
    for document in documents {
        session(reading, document, &turns);
        if reading.is_stopped() {
            return;
        }
    }
}

/// Notes the turns of a session that is no fork, or of a fork after what it repeats.
fn own_turns<'r>(reading: &mut Reading<'r>, document: &'r Document, turns: &mut Turns) {
    let mut own: Option<String> = None;
    let before = reading.report.clone();
    reading.lines(document, &mut |_, _, line| {
        let payload = &line["payload"];
        match line["type"].as_str() {
            Some("session_meta") if own.is_none() => {
                own = payload["id"].as_str().map(str::to_owned)
            }
            Some("turn_context") => {
                if let (Some(own), Some(turn)) = (&own, payload["turn_id"].as_str()) {
                    turns.entry(turn.to_owned()).or_default().insert(own.clone());
                }
            }
            _ => {}
        }
    });
    // This was only a first look; the second one reports.
    reading.report = before;
}

/// A turn: what was said between two marks of the program.
#[derive(Default)]
struct Turn {
    id: Option<String>,
    started: Option<Moment>,
    zone: Option<String>,
    messages: Vec<(Message, Option<Moment>)>,
}

#[derive(Default)]
struct CodexSession {
    /// What the name of the file says, where the file does not say it itself.
    name: String,
    id: Option<String>,
    began: Option<Moment>,
    parent: Option<String>,
    turns: Vec<Turn>,
    rolled_back: Vec<(Option<Moment>, Vec<Turn>)>,
    events: Vec<(Message, Option<Moment>)>,
    ids: ContentIds,
}

fn session<'r>(reading: &mut Reading<'r>, document: &'r Document, turns: &Turns) {
    let stem = document.file_name().trim_end_matches(".zst").trim_end_matches(".jsonl");
    let mut session = CodexSession { name: id_in(stem).to_owned(), ..CodexSession::default() };
    session.turns.push(Turn::default());
    reading.lines(document, &mut |reading, _, line| session.line(reading, &line));
    let id = session.id.clone().unwrap_or_else(|| session.name.clone());
    if session.turns.iter().all(|turn| turn.messages.is_empty()) {
        let events = std::mem::take(&mut session.events);
        session.turns.push(Turn { messages: events, ..Turn::default() });
    }
    let mut thread = Thread::new(id.clone(), document.place.as_str());
    thread.created = session.began.clone();
    let fork = Fork {
        session: &id,
        parent: session.parent.as_deref(),
        began: session.began.as_ref(),
        turns,
    };
    let mut in_copy = session.parent.is_some();
    let (all, rolled_back) =
        (std::mem::take(&mut session.turns), std::mem::take(&mut session.rolled_back));
    for turn in all {
        thread.messages.extend(fork.take(reading, turn, &mut in_copy));
    }
    for (at, turns) in rolled_back {
        let messages: Vec<Message> =
            turns.into_iter().flat_map(|turn| fork.take(reading, turn, &mut false)).collect();
        if !messages.is_empty() {
            thread.branches.push(Branch { at: at.map(|at| at.at), after: None, messages });
        }
    }
    reading.take(thread);
}

/// The id of the session at the end of a file's name, else the whole name.
fn id_in(stem: &str) -> &str {
    let end = stem.len().checked_sub(36).and_then(|start| stem.get(start..));
    let is_id = |end: &&str| {
        end.bytes().enumerate().all(|(place, byte)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
    };
    end.filter(is_id).unwrap_or(stem)
}

impl CodexSession {
    fn line(&mut self, reading: &mut Reading<'_>, line: &Value) {
        let payload = &line["payload"];
        let stamp = &line["timestamp"];
        let time = moment::of_value(stamp);
        match line["type"].as_str().unwrap_or_default() {
            "session_meta" => self.meta(payload, time),
            "turn_context" => self.turn(payload),
            // The answer to the program's own request to sum up the session.
            "response_item" if line["metadata"]["compaction_output"] == true => {
                reading.leave_out("summaries by the model");
            }
            "response_item" => self.item(reading, payload, (stamp, time)),
            "event_msg" => self.event(payload, (stamp, time)),
            "message" => self.item(reading, line, (stamp, time)),
            "" if self.id.is_none() && has(line, &["id", "timestamp"]) => self.meta(line, time),
            "" => {}
            "compacted" => reading.leave_out("summaries by the model"),
            other => reading.leave_out(&format!("lines of type {other}")),
        }
    }

    /// The id of a message that has none: by its time, else by its session.
    fn id_of(&mut self, stamp: &Value, role: Role, said: &str) -> String {
        let session = self.id.as_deref().unwrap_or(&self.name);
        let whose = if stamp.is_null() { session } else { "" };
        self.ids.next(&format!("{}{whose}", Provenance::CONTENT_ID), stamp, role, said)
    }

    /// The first is the session's own; others are those of the sessions it copies.
    fn meta(&mut self, payload: &Value, time: Option<Moment>) {
        if self.id.is_some() {
            return;
        }
        self.id = payload["id"].as_str().map(str::to_owned);
        self.began = moment::of_value(&payload["timestamp"]).or(time);
        let spawned = &payload["source"]["subagent"]["thread_spawn"]["parent_thread_id"];
        let parent = payload["forked_from_id"].as_str().or_else(|| spawned.as_str());
        self.parent = parent.or_else(|| payload["parent_thread_id"].as_str()).map(str::to_owned);
    }

    fn turn(&mut self, payload: &Value) {
        let id = payload["turn_id"].as_str().map(str::to_owned);
        let zone = payload["timezone"].as_str().map(str::to_owned);
        // What the program says at the start of a turn may stand before its mark.
        if let Some(last) =
            self.turns.last_mut().filter(|last| last.id == id || last.messages.is_empty())
        {
            (last.id, last.zone) = (id, zone);
            return;
        }
        self.turns.push(Turn { id, zone, ..Turn::default() });
    }

    fn item(
        &mut self,
        reading: &mut Reading<'_>,
        payload: &Value,
        (stamp, time): (&Value, Option<Moment>),
    ) {
        match payload["type"].as_str().unwrap_or_default() {
            "message" => {}
            "reasoning" => return reading.leave_out("thoughts"),
            _ => return reading.leave_out("tool messages"),
        }
        let role = match payload["role"].as_str() {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            _ => return reading.leave_out("instructions"),
        };
        let said = text::of_content(&payload["content"], &mut |_| {});
        if role == Role::User
            && SCAFFOLDING.iter().any(|start| said.trim_start().starts_with(start))
        {
            return reading.leave_out("lines that the program wrote");
        }
        let original = &payload["internal_chat_message_metadata_passthrough"]["create_time"];
        let original = moment::of_value(original).map(|time| time.found(TimeFrom::Generation));
        let id = payload["id"].as_str().map(str::to_owned);
        let id = id.unwrap_or_else(|| self.id_of(stamp, role, &said));
        let mut message = Message::new(role, said, time).id(id);
        if let Some(turn) = self.turns.last_mut() {
            if let Some(zone) = &turn.zone {
                message.more.insert("timezone".to_owned(), zone.as_str().into());
            }
            turn.messages.push((message, original));
        }
    }

    fn event(&mut self, payload: &Value, (stamp, time): (&Value, Option<Moment>)) {
        match payload["type"].as_str().unwrap_or_default() {
            "task_started" | "turn_started" => {
                let started = moment::of_value(&payload["started_at"]);
                let id = payload["turn_id"].as_str().map(str::to_owned);
                let started = started.map(|time| time.found(TimeFrom::Generation));
                self.turns.push(Turn { id, started, ..Turn::default() });
            }
            "thread_rolled_back" => {
                let count = payload["num_turns"].as_u64().unwrap_or(1);
                let count = usize::try_from(count).unwrap_or(1);
                let spoken = self.turns.iter().rposition(|turn| !turn.messages.is_empty());
                let end = spoken.map_or(0, |last| last + 1);
                let mut start = end;
                let mut left = count;
                while left > 0 && start > 0 {
                    start -= 1;
                    left -= usize::from(!self.turns[start].messages.is_empty());
                }
                let gone = self.turns.split_off(start);
                self.rolled_back.push((time, gone));
                self.turns.push(Turn::default());
            }
            kind @ ("user_message" | "agent_message") => {
                let role = if kind == "user_message" { Role::User } else { Role::Assistant };
                let said = payload["message"].as_str().unwrap_or_default();
                let id = self.id_of(stamp, role, said);
                self.events.push((Message::new(role, said, time).id(id), None));
            }
            _ => {}
        }
    }
}

/// What is needed to tell what a fork repeats.
struct Fork<'f> {
    session: &'f str,
    parent: Option<&'f str>,
    began: Option<&'f Moment>,
    turns: &'f Turns,
}

impl Fork<'_> {
    /// The messages of a turn with their true times; none if another session has them.
    fn take(&self, reading: &mut Reading<'_>, turn: Turn, in_copy: &mut bool) -> Vec<Message> {
        if self.parent.is_none() || turn.messages.is_empty() {
            return turn.messages.into_iter().map(|(message, _)| message).collect();
        }
        let elsewhere = turn.id.as_ref().and_then(|id| self.turns.get(id));
        if elsewhere.is_some_and(|sessions| sessions.iter().any(|one| one != self.session)) {
            turn.messages.iter().for_each(|_| reading.leave_out("repeated from another session"));
            return Vec::new();
        }
        let from_id = turn.id.as_deref().and_then(moment::of_id);
        let is_older = |time: &Moment| {
            self.began.is_none_or(|began| began.at.duration_since(time.at).as_secs() > 2)
        };
        let known = turn.started.or(from_id);
        let is_copy = match &known {
            Some(time) => is_older(time),
            None => *in_copy && turn.messages.iter().all(|(message, _)| self.is_in_burst(message)),
        };
        *in_copy = is_copy && *in_copy;
        let whole = turn.messages.into_iter();
        if !is_copy {
            return whole.map(|(message, _)| message).collect();
        }
        whole
            .map(|(message, original)| {
                self.repaired(reading, message, original.filter(is_older).or(known.clone()))
            })
            .collect()
    }

    /// Whether a line has the time of the fork.
    fn is_in_burst(&self, message: &Message) -> bool {
        match (&message.time, self.began) {
            (Some(time), Some(began)) => time.at.duration_since(began.at).as_secs().abs() <= 1,
            _ => false,
        }
    }

    fn repaired(
        &self,
        reading: &mut Reading<'_>,
        mut message: Message,
        known: Option<Moment>,
    ) -> Message {
        let written = message.time.as_ref().and_then(|time| time.text.clone());
        match known {
            Some(known) => message.time = Some(Moment { text: written, ..known }),
            None => {
                reading.warn(format!(
                    "{}: a fork repeats messages of session {} whose file is not here; their times are \
                     unknown",
                    self.session,
                    self.parent.unwrap_or_default()
                ));
                if let Some(time) = &mut message.time {
                    (time.precision, time.from) = (TimePrecision::Unknown, TimeFrom::Conversation);
                }
            }
        }
        message
    }
}
