//! The last step of reading: a conversation of a source becomes one that the engine imports.

use everwhen_engine::memory::{Metadata, Name, NewEntry, Provenance, Said};
use everwhen_engine::{ImportedBranch, ImportedConversation, limits};

use super::moment::Moment;
use super::options::Options;
use super::report::Report;
use super::thread::{Message, Thread};

/// Words that mean something else in the URL of a conversation.
const RESERVED: [&str; 3] = ["end", "import", "prompt"];

/// What a conversation of a source becomes: nothing if nothing was said in it, several if it is
/// longer than one may be.
pub(super) fn conversations(
    source: &'static str,
    thread: Thread,
    report: &mut Report,
    options: &Options,
) -> Vec<ImportedConversation> {
    let Thread { id, title, summary, messages, branches, place, ended, .. } = thread;
    let entries = entries(source, messages, (&place, report, options));
    let mut asides = Vec::new();
    for branch in branches {
        let list = self::entries(source, branch.messages, (&place, report, options));
        let last = list.iter().filter_map(|entry| entry.conversation_time).max();
        if let Some(last) = last {
            report.branches += 1;
            asides.push(ImportedBranch { archived_at: branch.at.unwrap_or(last), entries: list });
        }
    }
    let all = entries.len() + asides.iter().map(|aside| aside.entries.len()).sum::<usize>();
    if all == 0 {
        return Vec::new();
    }
    report.conversations += 1;
    report.longest = report.longest.max(all as u64);
    let name = conversation_name(source, &id);
    let title = line(title, limits::NAME_CHARS);
    let summary = summary.map(|text| super::text::clean(&text)).filter(|text| !text.is_empty());
    let summary = summary.map(|text| cut(&text, limits::SUMMARY_BYTES));
    if all <= limits::IMPORT_ENTRIES {
        let ended_at = ended;
        return name
            .map(|name| ImportedConversation {
                name,
                entries,
                branches: asides,
                ended_at,
                title,
                summary,
                extract: None,
            })
            .into_iter()
            .collect();
    }
    report.split += 1;
    split(source, &id, (entries, asides), title)
}

/// Parts of at most as many entries as fit, named `id`, `id#2` and so on. Appending to the
/// conversation leaves all full parts as they are.
fn split(
    source: &'static str,
    id: &str,
    (entries, branches): (Vec<NewEntry>, Vec<ImportedBranch>),
    title: Option<String>,
) -> Vec<ImportedConversation> {
    let mut parts = Vec::new();
    let mut push = |entries: Vec<NewEntry>, branches: Vec<ImportedBranch>| {
        let number = parts.len() + 1;
        let id = if number == 1 { id.to_owned() } else { format!("{id}#{number}") };
        let title = title.clone();
        if let Some(name) = conversation_name(source, &id) {
            parts.push(ImportedConversation {
                name,
                entries,
                branches,
                ended_at: None,
                title,
                summary: None,
                extract: None,
            });
        }
    };
    let mut rest = entries.into_iter().peekable();
    while rest.peek().is_some() {
        push(rest.by_ref().take(limits::IMPORT_ENTRIES).collect(), Vec::new());
    }
    let (mut together, mut count) = (Vec::new(), 0);
    for branch in branches {
        for chunk in branch.entries.chunks(limits::IMPORT_ENTRIES) {
            if count + chunk.len() > limits::IMPORT_ENTRIES {
                push(Vec::new(), std::mem::take(&mut together));
                count = 0;
            }
            count += chunk.len();
            together
                .push(ImportedBranch { archived_at: branch.archived_at, entries: chunk.to_vec() });
        }
    }
    if !together.is_empty() {
        push(Vec::new(), together);
    }
    parts
}

fn entries(
    source: &'static str,
    messages: Vec<Message>,
    (place, report, options): (&str, &mut Report, &Options),
) -> Vec<NewEntry> {
    let mut list = Vec::new();
    for message in messages {
        if let Some(unread) = &message.unread {
            report.unread_date(&unread.place, &unread.text, message.time.as_ref());
        }
        let Some(time) = message.time.clone() else {
            report.undated(place);
            continue;
        };
        let is_asked = options.since.is_none_or(|since| time.at >= since)
            && options.until.is_none_or(|until| time.at < until);
        if !is_asked {
            report.leave_out("outside of the period", 1);
            continue;
        }
        report.count_time(&time);
        let parts = pieces(&message.text);
        if parts.len() > 1 {
            report.warn(format!("{place}: a message longer than 1 MiB was split"));
        }
        for (number, part) in parts.into_iter().enumerate() {
            list.extend(entry(source, &message, &time, (number, part)));
        }
    }
    list
}

fn entry(
    source: &'static str,
    message: &Message,
    time: &Moment,
    (number, text): (usize, &str),
) -> Option<NewEntry> {
    let mut more = message.more.clone();
    if let Some(model) = &message.model {
        more.insert("model".to_owned(), model.as_str().into());
    }
    let metadata = (!more.is_empty()).then(|| serde_json::Value::Object(more).to_string());
    let id = message.id.as_ref().map(|id| match number {
        0 => id.clone(),
        more => format!("{id}#{}", more + 1),
    });
    let names = |texts: &[String]| -> Vec<Name> {
        texts.iter().filter_map(|text| name(text)).take(limits::LABELS).collect()
    };
    Some(NewEntry {
        conversation_time: Some(time.at),
        speaker: message.speaker.as_deref().and_then(name),
        tags: names(&message.tags),
        tools_used: names(&message.tools),
        metadata: metadata.and_then(|json| Metadata::new(json).ok()),
        provenance: Some(Box::new(Provenance {
            source: name(source)?,
            source_id: id.as_deref().and_then(short_id),
            time_text: time.text.as_deref().and_then(name),
            precision: time.precision,
            time_from: time.from,
            zone_from: time.zone,
        })),
        ..NewEntry::new(message.role, Said::new(text).ok()?)
    })
}

/// Pieces of a text that fit into one entry.
fn pieces(text: &str) -> Vec<&str> {
    let (mut parts, mut rest) = (Vec::new(), text);
    while rest.len() > limits::CONTENT_BYTES {
        let (part, more) = rest.split_at(rest.floor_char_boundary(limits::CONTENT_BYTES));
        parts.push(part);
        rest = more;
    }
    if parts.is_empty() || !rest.trim().is_empty() {
        parts.push(rest);
    }
    parts
}

/// A text as a name: one line without control characters, cut where it is too long.
pub(super) fn name(text: &str) -> Option<Name> {
    let text = line(Some(text.to_owned()), limits::NAME_CHARS)?;
    Name::new("name", text).ok()
}

/// An id as a name; one that is too long is replaced by its hash.
fn short_id(id: &str) -> Option<Name> {
    let is_short = id.chars().count() <= limits::NAME_CHARS;
    match is_short.then(|| Name::new("id", id).ok()).flatten() {
        Some(name) => Some(name),
        None => Name::new("id", blake3::hash(id.as_bytes()).to_hex().to_string()).ok(),
    }
}

fn conversation_name(source: &str, id: &str) -> Option<Name> {
    let id = id.trim();
    let is_usual = !id.is_empty() && !RESERVED.contains(&id) && !id.starts_with("cnv_");
    short_id(&if is_usual { id.to_owned() } else { format!("{source}:{id}") })
}

fn line(text: Option<String>, most: usize) -> Option<String> {
    let text: String =
        text?.chars().map(|c| if c.is_control() { ' ' } else { c }).take(most).collect();
    let text = text.trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn cut(text: &str, most: usize) -> String {
    text[..text.floor_char_boundary(most)].to_owned()
}
