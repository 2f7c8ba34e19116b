//! `everwhen end`: ends a conversation now.

use serde_json::json;

use super::conversations::name;
use crate::args::EndArgs;
use crate::client::Request;
use crate::console::Console;
use crate::failure::Result;
use crate::output;

/// Ends the named conversation, else the active one.
pub(crate) async fn run(console: &Console, args: &EndArgs) -> Result<()> {
    let body = json!({
        "reason": args.reason,
        "conversation_id": args.conversation_id,
        "in_exchange": args.in_exchange,
    });
    let request = Request::post(console.in_memory("/conversations/end"), &body);
    let Some(ended) = console.ask(request).await? else { return Ok(()) };
    let at = console.minute(&ended["ended_at"]).await?;
    output::line(&format!("Ended {} at {at}", name(&ended)))
}
