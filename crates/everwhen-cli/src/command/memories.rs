//! `everwhen memories`: the memories of a vault.

use axum::http::Method;
use serde_json::{Map, Value};

use crate::args::{MemoriesAction, MemoriesArgs, MemoryArgs};
use crate::client::{Request, escape};
use crate::console::{Console, rows, show_minute, text};
use crate::failure::{Failure, Result};
use crate::output;

/// Lists, creates or changes memories.
pub(crate) async fn run(console: &Console, args: MemoriesArgs) -> Result<()> {
    match args.action {
        None | Some(MemoriesAction::List) => list(console).await,
        Some(MemoriesAction::Add { name, about }) => add(console, &name, about).await,
        Some(MemoriesAction::Set { name, rename, about }) => {
            set(console, &name, rename, about).await
        }
    }
}

async fn list(console: &Console) -> Result<()> {
    let request = Request::get(console.in_vault("/memories"));
    let Some(page) = console.ask_all(request).await? else { return Ok(()) };
    let zone = console.zone().await?;
    let row = |memory: &Value| {
        vec![
            output::bold(&output::plain(text(&memory["name"]))),
            output::dim(text(&memory["id"])),
            format!("since {}", show_minute(&memory["creation_time"], zone)),
            output::plain(text(&memory["description"])),
        ]
    };
    let table: Vec<Vec<String>> = rows(&page).iter().map(row).collect();
    output::columns(&table).iter().try_for_each(|line| output::line(line))
}

async fn add(console: &Console, name: &str, about: MemoryArgs) -> Result<()> {
    let mut body = described(MemoryArgs {
        lifecycle: about.lifecycle.filter(|lifecycle| lifecycle != "vault"),
        ..about
    });
    body.insert("name".into(), name.into());
    let request = Request::post(console.in_vault("/memories"), &Value::Object(body));
    ask_and_report(console, "Made", request).await
}

async fn set(
    console: &Console,
    name: &str,
    rename: Option<String>,
    about: MemoryArgs,
) -> Result<()> {
    let mut body = described(about);
    body.extend(rename.map(|name| ("name".to_owned(), name.into())));
    if body.is_empty() {
        return Err(Failure::usage("nothing to change; name what, such as --description TEXT"));
    }
    let path = console.in_vault(&format!("/memories/{}", escape(name)));
    let request = Request::new(Method::PATCH, path).body(Value::Object(body).to_string());
    ask_and_report(console, "Changed", request).await
}

async fn ask_and_report(console: &Console, what: &str, request: Request) -> Result<()> {
    let Some(memory) = console.ask(request).await? else { return Ok(()) };
    let (name, id) = (output::plain(text(&memory["name"])), text(&memory["id"]));
    output::line(&format!("{what} memory {name} ({id})"))
}

fn described(about: MemoryArgs) -> Map<String, Value> {
    let pairs = [("description", about.description), ("lifecycle", about.lifecycle)];
    let given =
        pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?.into())));
    given.collect()
}
