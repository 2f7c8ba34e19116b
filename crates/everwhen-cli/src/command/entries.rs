//! `everwhen entries`: entries by when they were said.

use serde_json::Value;

use crate::args::EntriesArgs;
use crate::client::Request;
use crate::console::{Console, rows};
use crate::failure::Result;
use crate::{output, show};

/// Lists entries.
pub(crate) async fn run(console: &Console, args: &EntriesArgs) -> Result<()> {
    let request = Request::get(console.in_memory("/entries"))
        .with("after", console.time(args.after.as_deref()).await?)
        .with("before", console.time(args.before.as_deref()).await?)
        .with("as_of", console.time(args.as_of.as_deref()).await?)
        .with("role", args.role.map(|role| role.as_str()))
        .with("tag", args.tag.as_deref())
        .with("conversation_id", args.conversation_id.as_deref());
    let page = if args.all {
        console.ask_all(request.with("limit", Some("1000"))).await?
    } else {
        let last = request.with("order", Some("desc")).with("limit", Some(args.limit.to_string()));
        console.ask(last).await?
    };
    match page {
        Some(page) => print(console, args, &page).await,
        None => Ok(()),
    }
}

async fn print(console: &Console, args: &EntriesArgs, page: &Value) -> Result<()> {
    let mut entries: Vec<&Value> = rows(page).iter().collect();
    if !args.all && !args.newest {
        entries.reverse();
    }
    let zone = console.zone().await?;
    show::entries(&entries, zone).iter().try_for_each(|block| output::line(block))?;
    let count = show::count(entries.len() as u64, "entry", "entries");
    let more = if page["has_more"] == true { ", and more before them (--all)" } else { "" };
    output::note(&format!("{count}{more}; times in {}", zone.name()));
    Ok(())
}
