//! `everwhen export messages` and `everwhen export markdown`: a memory for other programs, one
//! conversation at a time.

use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::Path;

use everwhen::import::message_in_note;
use everwhen::memory::TimePrecision;
use everwhen::time::{Zone, read_time};
use serde_json::{Value, json};

use crate::args::{ExportChatsArgs, ExportFolderArgs};
use crate::client::{Request, escape};
use crate::console::{Console, rows, rows_of, text};
use crate::failure::{Failure, Result};
use crate::{output, show};

/// Writes a line of OpenAI messages for each conversation.
pub(crate) async fn messages(console: &Console, args: &ExportChatsArgs) -> Result<()> {
    let ids = conversations(console).await?;
    if args.file == "-" {
        return write_messages(console, &ids, &mut output::stream()).await.map(drop);
    }
    let path = Path::new(&args.file);
    let mut file = BufWriter::new(create(path)?);
    let written = write_messages(console, &ids, &mut file).await;
    if written.is_err() {
        // A part of an export is no use.
        let _ = std::fs::remove_file(path);
    }
    print_summary(written?, path)
}

/// Writes the lines; returns their number.
async fn write_messages(console: &Console, ids: &[String], out: &mut dyn Write) -> Result<u64> {
    let mut count = 0;
    for id in ids {
        let conversation = conversation(console, id).await?;
        // An import of such a file names a conversation without a name after the source and the id it had.
        let former = id.strip_prefix("messages:").filter(|id| id.starts_with("cnv_"));
        let id = former.unwrap_or(id);
        let entries = rows_of(&conversation["entries"]);
        let list: Vec<Value> = entries.iter().map(|entry| message(entry, id)).collect();
        if list.is_empty() {
            continue;
        }
        let line =
            json!({ "conversation_id": id, "title": conversation["title"], "messages": list });
        writeln!(out, "{line}")?;
        count += 1;
    }
    out.flush()?;
    Ok(count)
}

/// A message, with its time and the id it has here; one that came from such a file has the id it had there, without
/// the conversation.
fn message(entry: &Value, conversation: &str) -> Value {
    let from = &entry["provenance"];
    let own = from["source_id"].as_str().filter(|_| from["source"] == "messages");
    let own = own.and_then(|id| id.strip_prefix(conversation)?.strip_prefix('/'));
    let id = own.unwrap_or_else(|| text(&entry["id"]));
    let mut message = json!({
        "role": entry["role"], "content": entry["content"], "timestamp": entry["conversation_time"], "id": id,
    });
    if let Some(speaker) = entry["speaker"].as_str() {
        message["name"] = speaker.into();
    }
    message
}

/// Writes a note for each conversation.
pub(crate) async fn markdown(console: &Console, args: &ExportFolderArgs) -> Result<()> {
    std::fs::create_dir_all(&args.folder).map_err(|error| unwritable(&args.folder, &error))?;
    let zone = console.zone().await?.clone();
    let mut count = 0;
    for id in conversations(console).await? {
        let conversation = conversation(console, &id).await?;
        if rows_of(&conversation["entries"]).is_empty() {
            continue;
        }
        let path = args.folder.join(file_name(&conversation, &id, &zone));
        std::fs::write(&path, note(&conversation, &id, &zone))
            .map_err(|error| unwritable(&path, &error))?;
        count += 1;
    }
    print_summary(count, &args.folder)
}

/// A note with front matter, as Obsidian reads it.
fn note(conversation: &Value, id: &str, zone: &Zone) -> String {
    let title = conversation["title"].as_str().unwrap_or(id);
    let entries = rows_of(&conversation["entries"]);
    let started = text(&conversation["started_at"]);
    // A note about a day, or more, has a day in its front matter.
    let is_day = entries.first().is_some_and(|first| precision(first) >= TimePrecision::Day);
    let date = match read_time(started) {
        Ok(time) if is_day => zone.day(time).to_string(),
        _ => started.to_owned(),
    };
    let (id, title) = (json!(id), json!(title));
    let mut note = format!("---\nconversation_id: {id}\ntitle: {title}\ndate: {date}\n---\n");
    for entry in entries {
        let speaker = entry["speaker"].as_str().unwrap_or_else(|| text(&entry["role"]));
        let (stamp, content) = (stamp(entry, zone), message_in_note(text(&entry["content"])));
        note.push_str(&format!("\n[{stamp}] **{speaker}**:{content}\n"));
    }
    note
}

/// How precisely the time of an entry is known; to the second or better unless its source says otherwise.
fn precision(entry: &Value) -> TimePrecision {
    let named = entry["provenance"]["precision"].as_str();
    named.and_then(|name| TimePrecision::named(name).ok()).unwrap_or(TimePrecision::Second)
}

/// The time of an entry as precisely as it is known: `2026-11-14 10:42:05 +01:00`, `2026-11-14`,
/// `2026-01-01 (year)`. Markdown that is imported is read like this, too.
fn stamp(entry: &Value, zone: &Zone) -> String {
    let time = text(&entry["conversation_time"]);
    let Ok(at) = read_time(time) else { return time.to_owned() };
    let precision = precision(entry);
    let (format, is_named) = match precision {
        TimePrecision::Microsecond | TimePrecision::Millisecond | TimePrecision::Second => {
            ("%Y-%m-%d %H:%M:%S %:z", false)
        }
        TimePrecision::Minute => ("%Y-%m-%d %H:%M %:z", false),
        TimePrecision::Hour => ("%Y-%m-%d %H:%M %:z", true),
        TimePrecision::Day => ("%Y-%m-%d", false),
        TimePrecision::Month => ("%Y-%m", false),
        TimePrecision::Week | TimePrecision::Year => ("%Y-%m-%d", true),
        TimePrecision::Unknown => ("%Y-%m-%d %H:%M:%S %:z", true),
    };
    let shown = zone.show(at).strftime(format).to_string();
    if is_named { format!("{shown} ({})", precision.as_str()) } else { shown }
}

/// The day, then the title in letters that every file system takes; the end of the id keeps names apart.
fn file_name(conversation: &Value, id: &str, zone: &Zone) -> String {
    let day = read_time(text(&conversation["started_at"])).map(|at| zone.day(at).to_string());
    let title = conversation["title"].as_str().unwrap_or("conversation");
    let letters = |text: &str, most: usize| -> String {
        let plain = text.chars().map(|c| if c.is_alphanumeric() { c } else { '-' });
        let joined: String = plain.collect();
        let parts: Vec<&str> = joined.split('-').filter(|part| !part.is_empty()).collect();
        parts.join("-").chars().take(most).collect()
    };
    let hash = blake3::hash(id.as_bytes()).to_hex();
    format!("{} {} {}.md", day.unwrap_or_default(), letters(title, 60), &hash.as_str()[..8])
}

/// The conversations of the memory, archived ones included: by their names, else by their ids.
async fn conversations(console: &Console) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let request = Request::get(console.in_memory("/conversations"));
        let request = request.with("archived", Some("all")).with("limit", Some("1000"));
        let page = console.send(request.with("cursor", cursor)).await?.value()?;
        found.extend(
            rows(&page).iter().map(|one| {
                one["source_id"].as_str().unwrap_or_else(|| text(&one["id"])).to_owned()
            }),
        );
        cursor = page["next_cursor"].as_str().map(ToOwned::to_owned);
        if cursor.is_none() {
            return Ok(found);
        }
    }
}

async fn conversation(console: &Console, id: &str) -> Result<Value> {
    let path = console.in_memory(&format!("/conversations/{}", escape(id)));
    console.send(Request::get(path)).await?.value()
}

/// A new file; one that exists is not replaced.
pub(super) fn create(path: &Path) -> Result<File> {
    let made = File::options().write(true).create_new(true).open(path);
    made.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => everwhen::Error::conflict(format!(
            "{} exists; name another file, an export replaces nothing",
            path.display()
        ))
        .into(),
        _ => unwritable(path, &error),
    })
}

fn unwritable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::new(format!("{}: {error}", path.display()))
}

fn print_summary(count: u64, path: &Path) -> Result<()> {
    let count = show::count(count, "conversation", "conversations");
    output::line(&format!("Exported {count} to {}", path.display()))
}
