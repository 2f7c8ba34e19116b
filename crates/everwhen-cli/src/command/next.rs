//! `everwhen` without a command: what there is here, and what to do next.

use everwhen::{Config, Environment};
use serde_json::{Value, json};

use super::place::is_new;
use crate::args::CommonArgs;
use crate::client::Request;
use crate::console::{Console, rows, show_minute, text};
use crate::failure::Result;
use crate::output;

/// Ways to begin, each with what it does.
const BEGIN: [(&str, &str); 5] = [
    ("everwhen remember \"I moved to Lisbon.\"", "store something"),
    ("everwhen import ~/Downloads/export.zip", "bring what was said elsewhere"),
    ("everwhen serve --upstream http://localhost:11434", "put it before the models of a chat app"),
    ("everwhen connect claude-code", "give it to an agent (codex, cursor, …)"),
    ("everwhen demo", "show a fictional year in a browser"),
];
/// What to do where there are memories.
const GO_ON: [(&str, &str); 4] = [
    ("everwhen timeline --memory MEMORY", "what was said, with the days between"),
    ("everwhen recall QUESTION --all", "ask every memory"),
    ("everwhen ui", "look at it in a browser, while a server runs"),
    ("everwhen doctor", "check that all is well"),
];
/// Where to read on.
const MORE: &str = "everwhen --help lists all commands; everwhen help TOPIC explains: concepts, proxy, frontends, mcp, …";

/// Prints it.
pub(crate) async fn run(
    config: &Config,
    environment: &Environment,
    common: &CommonArgs,
) -> Result<()> {
    if is_new(config, environment, common) {
        return begin(config, common.json);
    }
    let console = Console::open(config, environment, common).await?;
    let shown = show(&console, config).await;
    console.close().await?;
    shown
}

fn begin(config: &Config, is_json: bool) -> Result<()> {
    let data = config.data.value.display().to_string();
    if is_json {
        return output::json(&json!({ "data": data, "memories": 0 }).to_string());
    }
    output::line(
        "Memory that knows when: Everwhen stores what is said together with when it was said.",
    )?;
    output::line(&format!(
        "Nothing has been remembered here yet ({data}). Begin with one of these:\n"
    ))?;
    list(&BEGIN)
}

async fn show(console: &Console, config: &Config) -> Result<()> {
    let request = Request::get(console.in_vault("/memories")).with("limit", Some("1000"));
    let page = console.attempt(request).await?.value()?;
    let memories = rows(&page);
    let last = memories.iter().max_by_key(|memory| text(&memory["last_activity"]).to_owned());
    let Some(last) = last else { return begin(config, console.json) };
    if console.json {
        let shown = json!({
            "data": config.data.value.display().to_string(),
            "memories": memories.len(),
            "last_active": last["name"],
            "last_activity": last["last_activity"],
        });
        return output::json(&shown.to_string());
    }
    output::line(&summary(console, &page, last).await?)?;
    list(&GO_ON)
}

/// How much there is, which memory was active last, and who answers.
async fn summary(console: &Console, page: &Value, last: &Value) -> Result<String> {
    let zone = console.zone().await?;
    let more = if page["next_cursor"].is_null() { "" } else { " or more" };
    let count = match rows(page).len() {
        1 => "1 memory".to_owned(),
        count => format!("{count}{more} memories"),
    };
    Ok(format!(
        "{count} in the vault {:?}; last active: {}, {}. Answered by {}.\n",
        console.vault(),
        output::plain(text(&last["name"])),
        show_minute(&last["last_activity"], zone),
        console.whereabouts()
    ))
}

fn list(lines: &[(&str, &str)]) -> Result<()> {
    let width = lines.iter().map(|(command, _)| command.len()).max().unwrap_or_default();
    for (command, purpose) in lines {
        output::line(&format!("  {command:width$}   {}", output::dim(purpose)))?;
    }
    output::line(&format!("\n{MORE}"))
}
