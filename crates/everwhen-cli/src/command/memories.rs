//! `everwhen memories`: the memories of a vault.

use serde_json::{Value, json};

use crate::args::{MemoriesAction, MemoriesArgs};
use crate::client::Request;
use crate::console::{Console, rows, show_minute, text};
use crate::failure::Result;
use crate::output;

/// Lists or makes memories.
pub(crate) async fn run(console: &Console, args: MemoriesArgs) -> Result<()> {
    match args.action {
        None | Some(MemoriesAction::List) => list(console).await,
        Some(MemoriesAction::Add { name, description }) => add(console, &name, description).await,
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

async fn add(console: &Console, name: &str, description: Option<String>) -> Result<()> {
    let mut body = json!({ "name": name });
    if let Some(description) = description {
        body["description"] = description.into();
    }
    let request = Request::post(console.in_vault("/memories"), &body);
    let Some(memory) = console.ask(request).await? else { return Ok(()) };
    output::line(&format!("Made memory {name} ({})", text(&memory["id"])))
}
