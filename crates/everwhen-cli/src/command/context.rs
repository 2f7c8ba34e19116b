//! `everwhen context`: the memory's context document and its versions.

use axum::http::Method;
use serde_json::{Value, json};

use crate::args::{ContextAction, ContextArgs};
use crate::client::Request;
use crate::console::{Console, rows, text};
use crate::failure::Result;
use crate::input::file_or_stdin;
use crate::{output, show};

/// Shows, writes or lists the context document.
pub(crate) async fn run(console: &Console, args: ContextArgs) -> Result<()> {
    match args.action {
        None => get(console, None, None).await,
        Some(ContextAction::Get { version, as_of }) => get(console, version, as_of).await,
        Some(ContextAction::Put { file, at }) => put(console, &file, at.as_deref()).await,
        Some(ContextAction::Rebuild) => rebuild(console).await,
        Some(ContextAction::Versions { limit }) => versions(console, limit).await,
        Some(ContextAction::Delete { version }) => delete(console, version).await,
    }
}

async fn get(console: &Console, version: Option<u64>, as_of: Option<String>) -> Result<()> {
    let request = Request::get(console.in_memory("/context"))
        .with("version", version.map(|version| version.to_string()))
        .with("as_of", console.time(as_of.as_deref()).await?);
    let Some(context) = console.ask(request).await? else { return Ok(()) };
    output::line(&output::plain(text(&context["content"]).trim_end()))?;
    output::note(&describe(console, &context).await?);
    Ok(())
}

async fn put(console: &Console, file: &str, at: Option<&str>) -> Result<()> {
    let mut body = json!({ "content": file_or_stdin(file)? });
    if let Some(time) = console.time(at).await? {
        body["conversation_time"] = time.into();
    }
    let path = console.in_memory("/context");
    let request = Request::new(Method::PUT, path).body(body.to_string());
    let Some(context) = console.ask(request).await? else { return Ok(()) };
    output::line(&format!("Wrote {}", describe(console, &context).await?))
}

async fn rebuild(console: &Console) -> Result<()> {
    let request = Request::new(Method::POST, console.in_memory("/context/rebuild"));
    let Some(context) = console.ask(request).await? else { return Ok(()) };
    output::line(&output::plain(text(&context["content"]).trim_end()))?;
    output::note(&describe(console, &context).await?);
    Ok(())
}

async fn delete(console: &Console, version: u64) -> Result<()> {
    let path = console.in_memory(&format!("/context/versions/{version}"));
    let request = Request::new(Method::DELETE, path);
    if console.ask(request).await?.is_none() {
        return Ok(());
    }
    output::line(&format!("Deleted version {version}"))
}

async fn versions(console: &Console, limit: u16) -> Result<()> {
    let request =
        Request::get(console.in_memory("/context/versions")).with("limit", Some(limit.to_string()));
    let Some(page) = console.ask(request).await? else { return Ok(()) };
    for context in rows(&page) {
        let length = text(&context["content"]).chars().count() as u64;
        let length = show::count(length, "character", "characters");
        output::line(&format!("{}, {length}", describe(console, context).await?))?;
    }
    Ok(())
}

async fn describe(console: &Console, context: &Value) -> Result<String> {
    let stored = console.minute(&context["creation_time"]).await?;
    let until = console.minute(&context["conversation_time"]).await?;
    let by = text(&context["written_by"]);
    Ok(format!("version {}, by {by}, stored {stored}, up to {until}", context["version"]))
}
