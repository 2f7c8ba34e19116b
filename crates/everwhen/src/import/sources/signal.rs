//! Signal Desktop: its database, once decrypted into a plain SQLite file.

use everwhen_engine::memory::Role;
use everwhen_store::foreign::{self, ForeignValue};
use serde_json::Value;

use super::Source;
use crate::import::gaps::GapSplitter;
use crate::import::moment;
use crate::import::reading::Reading;
use crate::import::sample::{Claim, Sample};
use crate::import::thread::Message;

/// Signal.
pub(super) static SOURCE: Source = Source {
    name: "signal",
    title: "Signal Desktop",
    takes: "db.sqlite of Signal Desktop, decrypted",
    folders: &[],
    claims,
    read,
};

const SQL: &str =
    "SELECT m.id, m.sent_at, m.type, m.body, c.id, coalesce(c.name, c.profileFullName, c.id)
    FROM messages m LEFT JOIN conversations c ON c.id = m.conversationId ORDER BY c.id, m.sent_at, m.id";

fn claims(sample: &Sample<'_>) -> Claim {
    Claim::when(sample.has_tables(&["messages", "conversations", "items", "sessions"]))
}

fn read(reading: &mut Reading<'_>) {
    for document in reading.documents() {
        let Some(path) = document.path() else {
            reading.problem(document, "a database inside of an archive; unpack the archive first");
            continue;
        };
        let mut open: Option<(String, GapSplitter)> = None;
        let outcome = foreign::rows(path, SQL, &mut |row| {
            let text = |place: usize| match &row[place] {
                ForeignValue::Text(text) => text.as_str(),
                _ => "",
            };
            let sent = match row[1] {
                ForeignValue::Integer(sent) => Value::from(sent),
                _ => Value::Null,
            };
            let speaker = match text(2) {
                "outgoing" => reading.options.me.as_deref().or(Some("me")),
                "incoming" => Some(text(5)),
                _ => {
                    reading.leave_out("notices of the program");
                    return Ok(true);
                }
            };
            let message =
                Message::new(Role::User, text(3), moment::of_value(&sent)).by(speaker).id(text(0));
            let name = format!("{} {}", text(5), text(4));
            if open.as_ref().is_none_or(|(chat, _)| *chat != name) {
                if let Some((_, before)) = open.take() {
                    before.finish(reading);
                }
                open = Some((name.clone(), GapSplitter::new(name, document.place.as_str())));
            }
            if let Some((_, messages)) = &mut open {
                messages.push(reading, message);
            }
            Ok(!reading.is_stopped())
        });
        if let Err(error) = outcome {
            reading.report.problem(error.message().to_owned());
        }
        if let Some((_, last)) = open {
            last.finish(reading);
        }
        if reading.is_stopped() {
            return;
        }
    }
}
