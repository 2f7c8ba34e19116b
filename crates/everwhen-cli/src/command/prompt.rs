//! `everwhen prompt`: the current and the latest conversations as text for a model.

use crate::client::Request;
use crate::console::{Console, text};
use crate::failure::Result;
use crate::output;

/// Prints the prompt.
pub(crate) async fn run(console: &Console) -> Result<()> {
    let request = Request::get(console.in_memory("/conversations/prompt"));
    match console.ask(request).await? {
        Some(prompt) => output::line(&output::plain(text(&prompt["prompt"]))),
        None => Ok(()),
    }
}
