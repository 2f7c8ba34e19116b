//! `everwhen entry`: one entry with all its fields.

use serde_json::Value;

use crate::args::EntryArgs;
use crate::client::{Request, escape};
use crate::console::{Console, text};
use crate::failure::Result;
use crate::{output, show};

/// Shows one entry.
pub(crate) async fn run(console: &Console, args: &EntryArgs) -> Result<()> {
    let path = console.in_memory(&format!("/entries/{}", escape(&args.id)));
    match console.ask(Request::get(path)).await? {
        Some(entry) => print(console, &entry).await,
        None => Ok(()),
    }
}

async fn print(console: &Console, entry: &Value) -> Result<()> {
    let metadata = &entry["metadata"];
    let lines = show::fields(&[
        ("id", text(&entry["id"]).into()),
        ("said", show::entry_time(entry, console.zone().await?)),
        ("stored", console.minute(&entry["creation_time"]).await?),
        ("role", text(&entry["role"]).into()),
        ("speaker", text(&entry["speaker"]).into()),
        ("conversation", text(&entry["conversation_id"]).into()),
        ("tags", show::joined(&entry["tags"])),
        ("tools used", show::joined(&entry["tools_used"])),
        ("summary", text(&entry["summary"]).into()),
        ("metadata", if metadata.is_null() { String::new() } else { metadata.to_string() }),
        ("corrects", text(&entry["corrects"]["entry_id"]).into()),
        ("reason", text(&entry["corrects"]["reason"]).into()),
        ("corrected by", text(&entry["corrected_by"]["entry_id"]).into()),
        ("branch", text(&entry["branch_id"]).into()),
        ("content", text(&entry["content"]).into()),
    ]);
    lines.iter().try_for_each(|line| output::line(line))
}
