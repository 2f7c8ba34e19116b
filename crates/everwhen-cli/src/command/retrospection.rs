//! `everwhen retrospection`: what the language model wrote when it looked back at conversations.

use serde_json::json;

use crate::args::RetrospectionArgs;
use crate::client::Request;
use crate::console::{Console, rows_of, text};
use crate::failure::Result;
use crate::{output, show};

/// Shows retrospections, after those that are missing were written if that is asked for.
pub(crate) async fn run(console: &Console, args: &RetrospectionArgs) -> Result<()> {
    if args.run {
        let body = json!({ "again": args.again });
        console.send(Request::post(console.in_memory("/retrospection"), &body)).await?;
        console.send(Request::post("/v1/settle", &json!({}))).await?;
    }
    let request = Request::get(console.in_memory("/retrospection"))
        .with("limit", Some(args.limit.to_string()));
    let Some(response) = console.ask(request).await? else { return Ok(()) };
    let count = rows_of(&response["conversations"]).len() as u64;
    if count > 0 {
        output::line(&output::plain(text(&response["text"]).trim_end()))?;
    }
    output::note(&show::count(count, "retrospection", "retrospections"));
    Ok(())
}
