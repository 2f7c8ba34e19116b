//! `everwhen timeline`: what happened, one dated line each, with the days in between.

use crate::args::TimelineArgs;
use crate::client::Request;
use crate::console::{Console, rows, text};
use crate::failure::Result;
use crate::output;

/// Shows the timeline.
pub(crate) async fn run(console: &Console, args: &TimelineArgs) -> Result<()> {
    if args.events {
        return events(console).await;
    }
    let request = Request::get(console.in_memory("/timeline"))
        .with("after", console.time(args.after.as_deref()).await?)
        .with("before", console.time(args.before.as_deref()).await?)
        .with("limit", Some("1000"));
    let Some(page) = console.ask_all(request).await? else { return Ok(()) };
    if rows(&page).is_empty() {
        output::note("nothing was said then");
    }
    rows(&page).iter().try_for_each(|line| output::line(&output::plain(text(&line["text"]))))
}

/// Shows what happened by when it happened.
async fn events(console: &Console) -> Result<()> {
    let request = Request::get(console.in_memory("/timeline/events"));
    let Some(page) = console.ask(request).await? else { return Ok(()) };
    let zone = console.zone().await?;
    if rows(&page).is_empty() {
        output::note("no fact names a time yet");
    }
    for fact in rows(&page) {
        let since = text(&fact["event"]["since"]).parse().map_or_else(
            |_| text(&fact["event"]["since"]).to_owned(),
            |time| zone.day(time).to_string(),
        );
        output::line(&output::plain(&format!("{since} – {}", text(&fact["text"]))))?;
    }
    Ok(())
}
