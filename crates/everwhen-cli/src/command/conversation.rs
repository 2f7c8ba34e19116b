//! `everwhen conversation`: one conversation with its entries.

use serde_json::Value;

use super::conversations::period;
use crate::args::ConversationArgs;
use crate::client::{Request, escape};
use crate::console::{Console, text};
use crate::failure::Result;
use crate::{output, show};

/// Shows one conversation.
pub(crate) async fn run(console: &Console, args: &ConversationArgs) -> Result<()> {
    let path = console.in_memory(&format!("/conversations/{}", escape(&args.id)));
    match console.ask(Request::get(path)).await? {
        Some(conversation) => print(console, &conversation).await,
        None => Ok(()),
    }
}

async fn print(console: &Console, one: &Value) -> Result<()> {
    let zone = console.zone().await?;
    let ended = if one["ended_at"].is_null() {
        String::new()
    } else {
        console.minute(&one["ended_at"]).await?
    };
    let lines = show::fields(&[
        ("id", text(&one["id"]).into()),
        ("name", text(&one["source_id"]).into()),
        ("when", period(one, zone)),
        ("ended", ended),
        ("reason", text(&one["end_reason"]).into()),
        ("took", took(&one["conversation_time"])),
        ("title", text(&one["title"]).into()),
        ("summary", text(&one["summary"]).into()),
        ("looking back", text(&one["retrospection"]["text"]).into()),
        ("branches", branches(&one["branches"])),
    ]);
    lines.iter().try_for_each(|line| output::line(line))?;
    output::line("")?;
    let entries: Vec<&Value> = one["entries"].as_array().into_iter().flatten().collect();
    show::entries(&entries, zone).iter().try_for_each(|block| output::line(block))
}

/// Its duration, and how much of that was active and idle.
fn took(time: &Value) -> String {
    let seconds = |name: &str| time[name].as_f64().map(|ms| format!("{:.1} s", ms / 1000.0));
    let whole = seconds("conversation_elapsed_ms").unwrap_or_default();
    match (seconds("conversation_active_ms"), seconds("conversation_idle_ms")) {
        (Some(active), Some(idle)) if time["active_unknown"] == false => {
            format!("{whole}: {active} working, {idle} waiting")
        }
        _ => whole,
    }
}

fn branches(list: &Value) -> String {
    let branches = list.as_array().into_iter().flatten().map(|branch| {
        let entries = branch["message_count"].as_u64().unwrap_or_default();
        format!("{} ({})", text(&branch["id"]), show::count(entries, "entry", "entries"))
    });
    branches.collect::<Vec<String>>().join(", ")
}
