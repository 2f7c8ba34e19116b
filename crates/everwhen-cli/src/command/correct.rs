//! `everwhen correct`: replaces an entry by a corrected one.

use serde_json::json;

use crate::args::CorrectArgs;
use crate::client::{Request, escape};
use crate::console::{Console, text};
use crate::failure::Result;
use crate::input::text_or_stdin;
use crate::output;

/// Corrects an entry.
pub(crate) async fn run(console: &Console, args: CorrectArgs) -> Result<()> {
    let tags = (!args.tag.is_empty()).then_some(&args.tag);
    let content = text_or_stdin(&args.text)?;
    let body = json!({ "content": content, "reason": args.reason, "tags": tags });
    let path = console.in_memory(&format!("/entries/{}/correction", escape(&args.id)));
    let request = Request::post(path, &body).once(args.idempotency_key);
    let Some(receipt) = console.ask(request).await? else { return Ok(()) };
    output::line(&format!("{} replaces {}", text(&receipt["id"]), args.id))
}
