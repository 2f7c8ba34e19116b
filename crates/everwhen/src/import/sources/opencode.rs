//! opencode: its database `opencode.db`, or the older files under `storage/{session,message,part}`.

use std::collections::{BTreeMap, HashMap};

use everwhen_store::foreign::{self, ForeignValue};
use serde_json::Value;

use super::Source;
use crate::import::decode::json_of;
use crate::import::input::Document;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample, has};
use crate::import::text;
use crate::import::thread::{Message, Thread};

/// opencode.
pub(super) static SOURCE: Source = Source {
    name: "opencode",
    title: "opencode",
    takes: "opencode.db, or the folder storage, from ~/.local/share/opencode",
    folders: &[".local/share/opencode"],
    claims,
    read,
};

fn claims(sample: &Sample<'_>) -> Claim {
    let is_file = |folder: &str, fields: &[&str]| {
        sample.in_folder(folder) && sample.any(|one| has(one, fields))
    };
    Claim::when(
        sample.has_tables(&["session", "message", "part"])
            || is_file("message", &["id", "sessionID", "role"])
            || is_file("part", &["id", "messageID", "type"])
            || is_file("session", &["id", "title", "time"]),
    )
}

/// Everything of all sessions, by id, so that the order of rows and files does not matter.
#[derive(Default)]
struct Storage {
    sessions: BTreeMap<String, Value>,
    /// By session, then by id, which sorts by time.
    messages: BTreeMap<String, BTreeMap<String, Value>>,
    parts: HashMap<String, BTreeMap<String, Value>>,
}

fn read(reading: &mut Reading<'_>) {
    let mut storage = Storage::default();
    let mut place = String::new();
    for document in reading.documents() {
        place.clone_from(&document.place);
        match document.path().filter(|_| document.file_name().ends_with(".db")) {
            Some(path) => {
                if let Err(error) = storage.database(path) {
                    reading.report.problem(error.message().to_owned());
                }
            }
            None => storage.file(reading, document),
        }
    }
    let sessions: Vec<String> = storage.messages.keys().cloned().collect();
    for id in sessions {
        let thread = storage.thread(reading, &id, &place);
        reading.take(thread);
        if reading.is_stopped() {
            return;
        }
    }
}

impl Storage {
    fn database(&mut self, path: &std::path::Path) -> crate::Result<()> {
        let text = |value: &ForeignValue| match value {
            ForeignValue::Text(text) => text.clone(),
            _ => String::new(),
        };
        let json = |value: &ForeignValue| json_of(&text(value));
        foreign::rows(path, "SELECT id, title, time_created FROM session", &mut |row| {
            let time = match row[2] {
                ForeignValue::Integer(time) => Value::from(time),
                _ => Value::Null,
            };
            let session =
                serde_json::json!({ "title": text(&row[1]), "time": { "created": time } });
            self.sessions.insert(text(&row[0]), session);
            Ok(true)
        })?;
        foreign::rows(path, "SELECT id, session_id, data FROM message", &mut |row| {
            self.messages.entry(text(&row[1])).or_default().insert(text(&row[0]), json(&row[2]));
            Ok(true)
        })?;
        foreign::rows(path, "SELECT id, message_id, data FROM part", &mut |row| {
            self.parts.entry(text(&row[1])).or_default().insert(text(&row[0]), json(&row[2]));
            Ok(true)
        })
    }

    fn file<'r>(&mut self, reading: &mut Reading<'r>, document: &'r Document) {
        let Some(value) = reading.value(document) else { return };
        let field = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
        let id = field("id");
        if has(&value, &["messageID"]) {
            self.parts.entry(field("messageID")).or_default().insert(id, value);
        } else if has(&value, &["sessionID", "role"]) {
            self.messages.entry(field("sessionID")).or_default().insert(id, value);
        } else {
            self.sessions.insert(id, value);
        }
    }

    fn thread(&self, reading: &mut Reading<'_>, id: &str, place: &str) -> Thread {
        let mut thread = Thread::new(id, format!("{place}: session {id}"));
        let session = self.sessions.get(id).unwrap_or(&Value::Null);
        thread.title = session["title"].as_str().map(str::to_owned);
        thread.created = moment::of_value(&session["time"]["created"]);
        for (message_id, message) in self.messages.get(id).into_iter().flatten() {
            let Some(role) = message["role"].as_str().and_then(text::role) else { continue };
            let (mut texts, mut tools) = (Vec::new(), Vec::new());
            for part in self.parts.get(message_id).into_iter().flat_map(BTreeMap::values) {
                match part["type"].as_str().unwrap_or_default() {
                    "text" if part["synthetic"].as_bool() == Some(true) => {
                        reading.leave_out("lines that the program wrote");
                    }
                    "text" => texts.extend(part["text"].as_str()),
                    "tool" => tools.extend(part["tool"].as_str().map(str::to_owned)),
                    "reasoning" => reading.leave_out("thoughts"),
                    _ => {}
                }
            }
            let time = moment::of_value(&message["time"]["created"]);
            let model = message["modelID"].as_str();
            let mut taken =
                Message::new(role, text::join(texts), time).id(message_id.clone()).model(model);
            taken.tools = tools;
            thread.messages.push(taken);
        }
        thread
    }
}
