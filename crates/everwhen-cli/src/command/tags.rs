//! `everwhen tags`: the tags of a memory, and other tags for an entry.

use axum::http::Method;
use serde_json::json;

use crate::args::TagsArgs;
use crate::client::{Request, escape};
use crate::console::{Console, rows, text};
use crate::failure::{Failure, Result};
use crate::{output, show};

/// Lists the tags, or changes those of an entry.
pub(crate) async fn run(console: &Console, args: &TagsArgs) -> Result<()> {
    match &args.id {
        None => list(console).await,
        Some(_) if args.tags.is_empty() && !args.none => {
            Err(Failure::usage("name the tags of the entry, or remove all with --none"))
        }
        Some(id) => change(console, id, &args.tags).await,
    }
}

async fn list(console: &Console) -> Result<()> {
    let request = Request::get(console.in_memory("/tags"));
    let Some(page) = console.ask(request).await? else { return Ok(()) };
    for row in rows(&page) {
        let entries = row["entries"].as_u64().unwrap_or_default();
        let count = show::count(entries, "entry", "entries");
        output::line(&format!("{:<24} {count}", output::plain(text(&row["tag"]))))?;
    }
    output::note(&show::count(rows(&page).len() as u64, "tag", "tags"));
    Ok(())
}

async fn change(console: &Console, id: &str, tags: &[String]) -> Result<()> {
    let path = console.in_memory(&format!("/entries/{}", escape(id)));
    let request = Request::new(Method::PATCH, path).body(json!({ "tags": tags }).to_string());
    let Some(entry) = console.ask(request).await? else { return Ok(()) };
    let tags = show::joined(&entry["tags"]);
    let now = if tags.is_empty() { "no tags".to_owned() } else { output::plain(&tags) };
    output::line(&format!("{}: {now}", text(&entry["id"])))
}
