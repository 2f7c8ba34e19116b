//! `everwhen fork`: continues from an earlier entry and moves later ones to a branch.

use serde_json::json;

use crate::args::ForkArgs;
use crate::client::{Request, escape};
use crate::console::{Console, text};
use crate::failure::Result;
use crate::{output, show};

/// Forks a conversation.
pub(crate) async fn run(console: &Console, args: &ForkArgs) -> Result<()> {
    let path = console.in_memory(&format!("/conversations/{}/fork", escape(&args.id)));
    let request = Request::post(path, &json!({ "after": args.after }));
    let Some(fork) = console.ask(request).await? else { return Ok(()) };
    let entries = fork["message_count"].as_u64().unwrap_or_default();
    let count = show::count(entries, "entry", "entries");
    output::line(&format!("Moved {count} to branch {}", text(&fork["branch_id"])))
}
