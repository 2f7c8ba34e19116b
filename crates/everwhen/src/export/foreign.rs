//! A memory in the formats of other programs, which those programs and `everwhen import` read.
//!
//! Each format is a file in `foreign`. What a format has no field for (the exact time, its precision, tags,
//! the speaker) is in an object `everwhen` beside the message: other programs ignore it, and an import
//! gives back the same entries. A new format is a file and a variant of [`ForeignFormat`].

mod chatgpt;
mod claude;
mod open_webui;
mod read;
mod sillytavern;
mod tree;

use std::fs::File;
use std::io::{BufWriter, Write};

use everwhen_engine::Vault;
use everwhen_engine::memory::{Address, Entry, MemoryId, Role, TimeFrom, TimePrecision, ZoneFrom};
use serde_json::{Map, Value, json};
use zip::write::SimpleFileOptions;

use self::read::{ExportedChat, ExportedChats};
use crate::{Error, Result};

/// The format of another program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignFormat {
    /// `conversations.json` of ChatGPT's data export.
    ChatGpt,
    /// `conversations.json` of Claude.ai's data export.
    Claude,
    /// The JSON export of Open WebUI.
    OpenWebUi,
    /// Chats of SillyTavern, a `.jsonl` each, in a zip archive.
    SillyTavern,
}

impl ForeignFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::ChatGpt, Self::Claude, Self::OpenWebUi, Self::SillyTavern];

    /// The name, which is also that of the source that imports it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ChatGpt => "chatgpt",
            Self::Claude => "claude",
            Self::OpenWebUi => "open-webui",
            Self::SillyTavern => "sillytavern",
        }
    }

    /// The format with this name.
    pub fn named(name: &str) -> Result<Self> {
        Self::ALL.into_iter().find(|one| one.as_str() == name).ok_or_else(|| {
            let known = Self::ALL.map(Self::as_str).join(", ");
            Error::invalid(format!("unknown format {name:?}; use one of everwhen, {known}"))
        })
    }

    /// The media type of the file.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::SillyTavern => "application/zip",
            Self::ChatGpt | Self::Claude | Self::OpenWebUi => "application/json",
        }
    }
}

/// Writes the conversations of a memory into an empty file, archived ones included. Returns how many there
/// are.
pub async fn write_foreign(
    vault: &Vault,
    memory: Address<MemoryId>,
    format: ForeignFormat,
    file: File,
) -> Result<u64> {
    let mut chats = ExportedChats::new(vault, memory, format.as_str());
    let mut writer = ForeignWriter::new(format, file)?;
    let mut count = 0;
    while let Some(chat) = chats.next().await? {
        writer.chat(&chat)?;
        count += 1;
    }
    writer.end()?;
    Ok(count)
}

/// Writes a list of JSON, or an archive of files.
enum ForeignWriter {
    List { file: BufWriter<File>, one: fn(&ExportedChat) -> Value, is_first: bool },
    Archive { zip: Box<zip::ZipWriter<File>>, names: sillytavern::FileNames },
}

impl ForeignWriter {
    fn new(format: ForeignFormat, file: File) -> Result<Self> {
        let one = match format {
            ForeignFormat::ChatGpt => chatgpt::conversation,
            ForeignFormat::Claude => claude::conversation,
            ForeignFormat::OpenWebUi => open_webui::chat,
            ForeignFormat::SillyTavern => {
                let zip = Box::new(zip::ZipWriter::new(file));
                return Ok(Self::Archive { zip, names: sillytavern::FileNames::default() });
            }
        };
        let mut file = BufWriter::with_capacity(256 * 1024, file);
        file.write_all(b"[").map_err(|error| failed(&error))?;
        Ok(Self::List { file, one, is_first: true })
    }

    fn chat(&mut self, chat: &ExportedChat) -> Result<()> {
        match self {
            Self::List { file, one, is_first } => {
                let lead = if std::mem::take(is_first) { "\n" } else { ",\n" };
                write!(file, "{lead}{}", one(chat)).map_err(|error| failed(&error))
            }
            Self::Archive { zip, names } => {
                for (name, text) in sillytavern::files(chat, names) {
                    let begun = zip.start_file(name, SimpleFileOptions::default());
                    begun.map_err(|error| failed(&error.into()))?;
                    zip.write_all(text.as_bytes()).map_err(|error| failed(&error))?;
                }
                Ok(())
            }
        }
    }

    fn end(self) -> Result<()> {
        match self {
            Self::List { mut file, .. } => {
                file.write_all(b"\n]\n").and_then(|()| file.flush()).map_err(|error| failed(&error))
            }
            Self::Archive { zip, .. } => {
                zip.finish().map(drop).map_err(|error| failed(&error.into()))
            }
        }
    }
}

/// What the formats of other programs have no field for.
fn beside(entry: &Entry, source: &str) -> Value {
    let from = entry.provenance.as_deref();
    let own = from.filter(|from| from.source.as_str() == source);
    let id = own.and_then(|from| from.source_id.as_ref()).map(ToString::to_string);
    let mut fields = Map::new();
    fields.insert("id".into(), id.unwrap_or_else(|| entry.id.to_string()).into());
    fields.insert("time".into(), entry.conversation_time.to_string().into());
    let known = from
        .map_or((TimePrecision::Microsecond, TimeFrom::Stated, ZoneFrom::Stated), |from| {
            (from.precision, from.time_from, from.zone_from)
        });
    fields.insert("precision".into(), known.0.as_str().into());
    fields.insert("time_from".into(), known.1.as_str().into());
    fields.insert("zone_from".into(), known.2.as_str().into());
    let text = from.and_then(|from| from.time_text.as_ref());
    fields.extend(text.map(|text| ("time_text".to_owned(), text.as_str().into())));
    let speaker = entry.speaker.as_ref();
    fields.extend(speaker.map(|name| ("speaker".to_owned(), name.as_str().into())));
    if matches!(entry.role, Role::System | Role::Tool) {
        fields.insert("role".into(), entry.role.as_str().into());
    }
    for (field, names) in [("tags", &entry.tags), ("tools_used", &entry.tools_used)] {
        let names: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
        if !names.is_empty() {
            fields.insert(field.into(), json!(names));
        }
    }
    fields.extend(metadata(entry).map(|all| ("metadata".to_owned(), all)));
    Value::Object(fields)
}

fn metadata(entry: &Entry) -> Option<Value> {
    serde_json::from_str(entry.metadata.as_ref()?.as_str()).ok()
}

/// The model that wrote an entry, if it was imported with it.
fn model(entry: &Entry) -> Value {
    metadata(entry).map_or(Value::Null, |all| all["model"].clone())
}

fn failed(error: &std::io::Error) -> Error {
    Error::unavailable(format!("the export cannot be written: {error}"))
}
