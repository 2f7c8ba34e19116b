//! The hint for a memory that does not exist: which memories there are.

use serde_json::Value;

use crate::client::Request;
use crate::console::{Console, rows, show_minute, text};
use crate::failure::{Failure, Result};
use crate::output::plain;

/// Maximum number of memories in the hint.
const NAMED: usize = 5;
/// Pages of memories that are searched for the most recently active ones.
const PAGES: usize = 10;

const NOTHING_YET: &str = "nothing has been remembered here yet; say something with \
    `everwhen remember TEXT`, or chat through `everwhen serve --upstream URL`";

/// Adds the hint to the failure of a command that reads one memory.
pub(super) async fn explained(console: &Console, done: Result<()>) -> Result<()> {
    match done {
        Err(failure) if failure.is_not_found() => Err(explain(console, failure).await),
        done => done,
    }
}

async fn explain(console: &Console, failure: Failure) -> Failure {
    let said = failure.message.clone().unwrap_or_default();
    let found = if said.starts_with("vault not found") {
        has_no_vaults(console).await.map(|none| none.then(|| NOTHING_YET.to_owned()))
    } else if said.starts_with("memory not found") {
        others(console, &said).await
    } else {
        Ok(None)
    };
    // If the hint fails, the first failure is reported.
    match found {
        Ok(Some(better)) => failure.reword(|_| better),
        _ => failure,
    }
}

async fn has_no_vaults(console: &Console) -> Result<bool> {
    let page = console.send(Request::get("/v1/vaults".to_owned())).await?.value()?;
    Ok(rows(&page).is_empty())
}

/// The most recently active memories of the vault.
async fn others(console: &Console, said: &str) -> Result<Option<String>> {
    let mut all: Vec<Value> = Vec::new();
    let mut cursor: Option<String> = None;
    for _ in 0..PAGES {
        let request = Request::get(console.in_vault("/memories")).with("limit", Some("1000"));
        let page = console.send(request.with("cursor", cursor)).await?.value()?;
        all.extend(rows(&page).iter().cloned());
        cursor = page["next_cursor"].as_str().map(ToOwned::to_owned);
        if cursor.is_none() {
            break;
        }
    }
    if all.is_empty() {
        return Ok(Some(NOTHING_YET.to_owned()));
    }
    let count = all.len();
    all.sort_by(|a, b| text(&b["last_activity"]).cmp(text(&a["last_activity"])));
    let zone = console.zone().await?;
    let line = |memory: &Value| {
        let (name, time) = (plain(text(&memory["name"])), &memory["last_activity"]);
        format!("\n  {name}  (last active {})", show_minute(time, zone))
    };
    let lines: String = all.iter().take(NAMED).map(line).collect();
    let more = if count > NAMED { ", the last active of them" } else { "" };
    let there = match count {
        1 => "there is one other memory here".to_owned(),
        count => format!("there are {count} other memories here"),
    };
    Ok(Some(format!(
        "{said}; {there}{more}:{lines}\n\
         name one with --memory NAME, or ask all of them: everwhen recall QUESTION --all"
    )))
}
