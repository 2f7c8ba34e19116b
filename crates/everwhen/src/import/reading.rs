//! What a source reads with: its documents, the options, the report, and where conversations go.

use std::collections::HashSet;
use std::io::{BufRead, Read};

use everwhen_engine::ImportedConversation;
use everwhen_engine::memory::{Role, TimeFrom};
use serde_json::{Map, Value};

use super::finish;
use super::input::{Document, Documents};
use super::json::{self, Line};
use super::moment::{Local, Moment};
use super::options::Options;
use super::repair;
use super::report::Report;
use super::thread::{Message, Thread};

/// Takes an element of a list, with what came before the list and the place in it.
pub(super) type OnReadElement<'e, 'r> =
    &'e mut dyn FnMut(&mut Reading<'r>, &Map<String, Value>, usize, Value);

/// Takes a message of a chat, with what is known of the chat.
pub(super) type OnChatMessage<'e, 'r> =
    &'e mut dyn FnMut(&mut Reading<'r>, &Map<String, Value>, Value);

/// Takes conversations; answers whether to go on.
pub(super) type Sink<'s> = &'s mut dyn FnMut(ImportedConversation) -> bool;

/// Messages within one second that make a conversation look imported by a program that lost the times.
const SUSPECT: usize = 20;

/// A line of text longer than this is cut.
const LINE_BYTES: u64 = 64 * 1024 * 1024;

/// The reading of one source.
pub(crate) struct Reading<'r> {
    pub(super) source: &'static str,
    documents: &'r Documents,
    own: &'r [usize],
    pub(crate) options: &'r Options,
    pub(crate) report: Report,
    sink: Sink<'r>,
    seen: HashSet<u128>,
    stopped: bool,
}

impl<'r> Reading<'r> {
    pub(super) fn new(
        source: &'static str,
        (documents, own): (&'r Documents, &'r [usize]),
        options: &'r Options,
        sink: Sink<'r>,
    ) -> Self {
        let (report, seen) = (Report::default(), HashSet::new());
        Self { source, documents, own, options, report, sink, seen, stopped: false }
    }

    /// The documents of this source, in the order of their names.
    pub(crate) fn documents(&self) -> Vec<&'r Document> {
        self.own.iter().map(|place| &self.documents.list[*place]).collect()
    }

    /// Another document of the same folder or archive, by the end of its path.
    pub(crate) fn beside(&self, document: &Document, end: &str) -> Option<&'r Document> {
        let folder = document.name.strip_suffix(document.file_name()).unwrap_or_default();
        let wanted = format!("{folder}{end}");
        let same = |one: &&Document| one.container == document.container && one.name == wanted;
        self.documents.list.iter().find(same)
    }

    /// Whether to end.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped
    }

    /// Notes that something is left out on purpose.
    pub(crate) fn leave_out(&mut self, kind: &str) {
        self.report.leave_out(kind, 1);
    }

    /// Notes something that a person should know.
    pub(crate) fn warn(&mut self, text: impl Into<String>) {
        self.report.warn(text);
    }

    /// Notes that something cannot be read.
    pub(crate) fn problem(&mut self, document: &Document, what: impl std::fmt::Display) {
        self.report.problem(format!("{}: {what}", document.place));
    }

    /// A local time in the zone that was stated or is assumed.
    pub(crate) fn local(&self, local: Local) -> Option<Moment> {
        let (zone, how) = self.options.local_zone();
        local.in_zone(zone, how)
    }

    /// Tells each element of a list in a document; see [`json::elements`]. If the JSON breaks, what
    /// came before is taken and the place is noted.
    pub(crate) fn elements(
        &mut self,
        document: &'r Document,
        keys: &[&str],
        on_element: OnReadElement<'_, 'r>,
    ) {
        let mut count = 0;
        let outcome = document.with_json(|text| {
            json::elements(text, keys, &mut |head, element| {
                on_element(self, head, count, element);
                count += 1;
                !self.stopped
            })
        });
        let advice = match count {
            0 => "nothing of it was taken".to_owned(),
            some => {
                format!("the {some} before it were taken; fetch the file again and import it again")
            }
        };
        self.note(
            document,
            outcome.map(|(outcome, notes)| (outcome.map_err(|e| e.to_string()), notes)),
            &advice,
        );
    }

    /// Tells each message of the chats in a document, with `id`, `name` and `type` of its chat; see
    /// [`json::chat_messages`].
    pub(crate) fn chat_messages(
        &mut self,
        document: &'r Document,
        on_message: OnChatMessage<'_, 'r>,
    ) {
        let outcome = document.with_json(|text| {
            json::chat_messages(text, &mut |head, message| {
                on_message(self, head, message);
                !self.stopped
            })
        });
        let outcome = outcome.map(|(outcome, notes)| (outcome.map_err(|e| e.to_string()), notes));
        self.note(document, outcome, "what came before was taken; fetch the file again");
    }

    /// A whole document as JSON.
    pub(crate) fn value(&mut self, document: &'r Document) -> Option<Value> {
        let mut found = None;
        let outcome = document.with_json(|text| {
            let text = std::io::BufReader::new(text);
            serde_json::from_reader(text).map(|value| found = Some(value))
        });
        let outcome = outcome
            .map(|(outcome, notes)| (outcome.map_err(|e: serde_json::Error| e.to_string()), notes));
        self.note(document, outcome, "nothing of it was taken");
        found
    }

    /// Tells each line of JSON with its number. Lines that are no JSON are noted; a line that is
    /// still being written is left out.
    pub(crate) fn lines(
        &mut self,
        document: &'r Document,
        on_line: &mut dyn FnMut(&mut Self, u64, Value),
    ) {
        let outcome = document.with_json(|text| {
            json::lines(text, &mut |number, line| {
                match line {
                    Line::Value(value) => on_line(self, number, value),
                    Line::Torn => self.leave_out("unfinished last line"),
                    Line::Bad(problem) => {
                        self.problem(
                            document,
                            format!("line {number} is no JSON ({problem}); the line was left out"),
                        );
                    }
                }
                !self.stopped
            })
        });
        let outcome = outcome.map(|(outcome, notes)| (outcome.map_err(|e| e.to_string()), notes));
        self.note(document, outcome, "what came before was taken");
    }

    /// Hands the text of a document to `read`, as a stream; notes what had to be repaired if `is_first`.
    pub(crate) fn stream(
        &mut self,
        document: &'r Document,
        is_first: bool,
        read: &mut dyn FnMut(&mut Self, &mut dyn std::io::Read) -> std::io::Result<()>,
    ) {
        let outcome = document.with_text(|text| read(self, text));
        let outcome = outcome.map(|(outcome, notes)| {
            let notes = if is_first { notes } else { Vec::new() };
            (outcome.map_err(|e| e.to_string()), notes)
        });
        self.note(document, outcome, "what came before was taken");
    }

    /// Tells each line of a text, without its end. One that is longer than any message is cut.
    pub(crate) fn text_lines(
        &mut self,
        document: &'r Document,
        is_first: bool,
        on_line: &mut dyn FnMut(&mut Self, &str),
    ) {
        self.stream(document, is_first, &mut |reading, text| {
            let mut text = std::io::BufReader::with_capacity(64 * 1024, text);
            let mut bytes = Vec::new();
            loop {
                bytes.clear();
                let read =
                    Read::by_ref(&mut text).take(LINE_BYTES).read_until(b'\n', &mut bytes)?;
                if read == 0 || reading.stopped {
                    return Ok(());
                }
                if read as u64 == LINE_BYTES && !bytes.ends_with(b"\n") {
                    text.skip_until(b'\n')?;
                    reading.problem(document, "a line is longer than 64 MiB; it was cut");
                }
                let line = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
                let line = line.strip_suffix(b"\r").unwrap_or(line);
                on_line(reading, &String::from_utf8_lossy(line));
            }
        });
    }

    /// The text of a document.
    pub(crate) fn text(&mut self, document: &'r Document) -> Option<String> {
        let mut bytes = Vec::new();
        let outcome = document.with_text(|text| text.read_to_end(&mut bytes).map(drop));
        let outcome = outcome.map(|(outcome, notes)| (outcome.map_err(|e| e.to_string()), notes));
        self.note(document, outcome, "what came before was taken");
        Some(String::from_utf8_lossy(&bytes).into_owned()).filter(|text| !text.is_empty())
    }

    fn note(
        &mut self,
        document: &Document,
        outcome: std::io::Result<(Result<(), String>, Vec<String>)>,
        advice: &str,
    ) {
        match outcome {
            Ok((outcome, notes)) => {
                for note in notes {
                    self.warn(format!("{}: {note}", document.place));
                }
                if let Err(problem) = outcome {
                    self.problem(
                        document,
                        format!("the file breaks off or is damaged ({problem}); {advice}"),
                    );
                }
            }
            Err(error) => self.problem(document, format!("cannot be read ({error})")),
        }
    }

    /// Whether an id is met for the first time in this reading.
    pub(crate) fn is_first(&mut self, id: &str) -> bool {
        self.seen.insert(short_hash(id))
    }

    /// Takes a conversation: checks texts, repairs times, and hands it on.
    pub(crate) fn take(&mut self, mut thread: Thread) {
        if self.options.drop_branches {
            self.report.leave_out("branches", thread.branches.len() as u64);
            thread.branches.clear();
        }
        self.prepare(&mut thread.messages);
        for branch in &mut thread.branches {
            self.prepare(&mut branch.messages);
        }
        self.doubt(&thread);
        self.repair(&mut thread);
        for found in finish::conversations(self.source, thread, &mut self.report, self.options) {
            if !(self.sink)(found) {
                self.stopped = true;
                break;
            }
        }
    }

    /// Leaves out what is no speech or was met before, and times that cannot be.
    fn prepare(&mut self, messages: &mut Vec<Message>) {
        let list = std::mem::take(messages);
        let mut used: Vec<String> = Vec::new();
        for mut message in list {
            message.text = super::text::clean(&message.text);
            let kind = match message.role {
                _ if message.text.is_empty() => Some("without text"),
                Role::Tool if !self.options.tools => Some("tool messages"),
                Role::System if !self.options.system => Some("instructions"),
                _ => None,
            };
            if let Some(kind) = kind {
                // The reply after a call of a tool has used it.
                used.append(&mut message.tools);
                self.leave_out(kind);
                continue;
            }
            if message.role == Role::Assistant {
                message.tools.append(&mut used);
                message.tools.sort();
                message.tools.dedup();
            }
            if message.id.as_ref().is_some_and(|id| !self.is_first(&id.clone())) {
                self.leave_out("met before");
                continue;
            }
            if let Some(time) = &message.time
                && !repair::is_possible(time.at, self.options.now)
            {
                self.warn(format!("{} is in the future; such times are not used", time.at));
                let text = time.text.clone().unwrap_or_else(|| time.at.to_string());
                message.more.insert("source_time".to_owned(), text.into());
                message.time = None;
            }
            messages.push(message);
        }
    }

    fn repair(&mut self, thread: &mut Thread) {
        let asked = self.options.at.map(|at| {
            Moment::utc(at, everwhen_engine::memory::TimePrecision::Day).found(TimeFrom::Asked)
        });
        let began = thread.created.clone().filter(|t| repair::is_possible(t.at, self.options.now));
        let began = began.or(asked);
        repair::line(&mut thread.messages, None, began.as_ref());
        for branch in &mut thread.branches {
            repair::line(&mut branch.messages, branch.after.as_ref(), began.as_ref());
        }
    }

    /// A conversation whose messages were all said within a second was imported by a program that
    /// lost the times.
    fn doubt(&mut self, thread: &Thread) {
        let times: Vec<i64> = thread
            .messages
            .iter()
            .filter_map(|message| Some(message.time.as_ref()?.at.as_second()))
            .collect();
        let same =
            times.first().is_some_and(|first| times.iter().all(|time| (time - first).abs() <= 1));
        if same && times.len() > SUSPECT {
            self.warn(format!(
                "{}: {} messages within one second; these may be the times of an earlier import, not of \
                 the messages",
                thread.place,
                times.len()
            ));
        }
    }
}

/// Half of the hash of a text, to know it again.
pub(crate) fn short_hash(text: &str) -> u128 {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&blake3::hash(text.as_bytes()).as_bytes()[..16]);
    u128::from_le_bytes(bytes)
}
