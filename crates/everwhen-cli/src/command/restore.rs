//! `everwhen restore`: restores an archived conversation.

use axum::http::Method;

use crate::args::RestoreArgs;
use crate::client::{Request, escape};
use crate::console::Console;
use crate::failure::Result;
use crate::output;

/// Restores a conversation.
pub(crate) async fn run(console: &Console, args: &RestoreArgs) -> Result<()> {
    let path = console.in_memory(&format!("/conversations/{}/restore", escape(&args.id)));
    match console.ask(Request::new(Method::POST, path)).await? {
        Some(_) => output::line(&format!("Restored {}", output::plain(&args.id))),
        None => Ok(()),
    }
}
