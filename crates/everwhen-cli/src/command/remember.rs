//! `everwhen remember`: stores an entry, or a file of entries.

mod file;

use serde_json::{Map, Value, json};

use crate::args::RememberArgs;
use crate::client::Request;
use crate::console::{Console, text};
use crate::failure::{Failure, Result};
use crate::input::text_or_stdin;
use crate::output;

/// Stores the entry or the file.
pub(crate) async fn run(console: &Console, args: RememberArgs) -> Result<()> {
    if let Some(path) = &args.file {
        return file::run(console, path, args.idempotency_key.as_deref()).await;
    }
    let entry = entry(console, &args).await?;
    let request = Request::post(console.in_memory("/entries"), &entry).once(args.idempotency_key);
    match console.ask(request).await? {
        Some(receipt) => print(console, &receipt).await,
        None => Ok(()),
    }
}

/// The entry in the format of the API. Options that were not given are left out.
async fn entry(console: &Console, args: &RememberArgs) -> Result<Value> {
    let content = text_or_stdin(args.text.as_deref().unwrap_or_default())?;
    let mut entry = Map::new();
    entry.insert("role".into(), args.role.as_str().into());
    entry.insert("content".into(), content.into());
    let optional = [
        ("conversation_time", console.time(args.at.as_deref()).await?),
        ("speaker", args.speaker.clone()),
        ("summary", args.summary.clone()),
        ("conversation_id", args.conversation_id.clone()),
    ];
    let known = optional.into_iter().filter_map(|(name, value)| Some((name, value?)));
    entry.extend(known.map(|(name, value)| (name.to_owned(), value.into())));
    if let Some(metadata) = &args.metadata {
        entry.insert("metadata".into(), read_metadata(metadata)?);
    }
    let lists = [("tags", &args.tags), ("tools_used", &args.tools)];
    let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
    entry.extend(lists.map(|(name, list)| (name.to_owned(), json!(list))));
    let marks = [("is_question", args.question), ("allow_future", args.allow_future)];
    let marks = marks.into_iter().filter(|(_, mark)| *mark);
    entry.extend(marks.map(|(name, mark)| (name.to_owned(), mark.into())));
    Ok(Value::Object(entry))
}

fn read_metadata(typed: &str) -> Result<Value> {
    match serde_json::from_str(typed) {
        Ok(object @ Value::Object(_)) => Ok(object),
        Ok(_) => {
            Err(Failure::usage("--metadata is not a JSON object; write {\"name\": \"value\"}"))
        }
        Err(error) => Err(Failure::usage(format!("--metadata is not JSON: {error}"))),
    }
}

async fn print(console: &Console, receipt: &Value) -> Result<()> {
    output::line(&format!(
        "Remembered {}, said {}, stored {}, in conversation {}",
        text(&receipt["id"]),
        console.minute(&receipt["conversation_time"]).await?,
        console.minute(&receipt["creation_time"]).await?,
        output::plain(text(&receipt["conversation_id"])),
    ))?;
    if let Some(question) = receipt["pending"]["entry_id"].as_str() {
        let asked = console.minute(&receipt["pending"]["asked_at"]).await?;
        output::line(&format!("It answers {question}, asked {asked}"))?;
    }
    Ok(())
}
