//! `everwhen chapters`, `summary`, `regenerate` and `distill`: data derived from conversations.

use serde_json::{Value, json};

use crate::args::{ChaptersArgs, DistillArgs, SummaryArgs};
use crate::client::{Request, escape};
use crate::console::{Console, rows, text};
use crate::failure::Result;
use crate::output::{self, bold, dim, plain};
use crate::show;

/// Jobs between two updates of the progress bar.
const STEP: u64 = 10;

/// Lists chapters.
pub(crate) async fn run(console: &Console, args: &ChaptersArgs) -> Result<()> {
    let request = Request::get(console.in_memory("/chapters"))
        .with("after", console.time(args.after.as_deref()).await?)
        .with("before", console.time(args.before.as_deref()).await?)
        .with("limit", Some("1000"));
    let Some(page) = console.ask_all(request).await? else { return Ok(()) };
    for chapter in rows(&page) {
        let began = console.minute(&chapter["started_at"]).await?;
        let ended = console.minute(&chapter["last_at"]).await?;
        let time = match chapter["provenance"]["precision"] == "unknown" {
            true => "date unknown".to_owned(),
            false => format!("{began} – {ended}"),
        };
        let by = match text(&chapter["kind"]) {
            "" | "written" => dim(text(&chapter["written_by"])),
            kind => dim(kind),
        };
        let title = bold(&plain(text(&chapter["title"])));
        output::line(&format!("{time}  {title}  {by}"))?;
        output::line(&output::hang("    ", 4, text(&chapter["text"])))?;
    }
    output::note(&show::count(rows(&page).len() as u64, "chapter", "chapters"));
    Ok(())
}

/// Shows the rolling summary or its versions.
pub(crate) async fn summary(console: &Console, args: &SummaryArgs) -> Result<()> {
    if args.versions {
        let request = Request::get(console.in_memory("/summary/versions"));
        let Some(page) = console.ask_all(request).await? else { return Ok(()) };
        for one in rows(&page) {
            output::line(&describe(console, one).await?)?;
        }
        return Ok(());
    }
    let request = Request::get(console.in_memory("/summary"));
    let Some(one) = console.ask(request).await? else { return Ok(()) };
    output::line(&plain(text(&one["text"])))?;
    output::note(&describe(console, &one).await?);
    Ok(())
}

async fn describe(console: &Console, one: &Value) -> Result<String> {
    let through = console.minute(&one["through"]).await?;
    let chapters = show::count(one["chapters"].as_u64().unwrap_or_default(), "chapter", "chapters");
    let by = text(&one["written_by"]);
    Ok(format!("version {}, {chapters}, through {through}, {by}", one["version"]))
}

/// Regenerates everything derived.
pub(crate) async fn regenerate(console: &Console) -> Result<()> {
    let request = Request::post(console.in_memory("/regenerate"), &json!({}));
    let Some(response) = console.ask(request).await? else { return Ok(()) };
    let count = response["conversations"].as_u64().unwrap_or_default();
    let what = show::count(count, "conversation", "conversations");
    output::line(&format!(
        "Regenerating chapters and summaries, and titles and facts of {what} that ended; models are \
         asked again. Run everwhen distill to wait for it"
    ))
}

/// Runs waiting jobs, with a progress bar.
pub(crate) async fn distill(console: &Console, args: &DistillArgs) -> Result<()> {
    for memory in memories(console, args.all).await? {
        let path = console.in_vault(&format!("/memories/{}/distill", escape(&memory)));
        console.send(Request::post(path, &json!({}))).await?;
    }
    let bar = output::progress(0, "jobs");
    let mut done = 0;
    loop {
        let path = format!("/v1/settle?limit={STEP}");
        let response = console.send(Request::post(path, &json!({}))).await?.value()?;
        let step = response["done"].as_u64().unwrap_or_default();
        done += step;
        bar.set_length(done + response["due"].as_u64().unwrap_or_default());
        bar.set_position(done);
        if step == 0 {
            break;
        }
    }
    bar.finish_and_clear();
    if console.json {
        return output::json(&json!({ "done": done }).to_string());
    }
    output::line(&format!("Ran {}", show::count(done, "job", "jobs")))
}

async fn memories(console: &Console, all: bool) -> Result<Vec<String>> {
    if !all {
        return Ok(vec![console.memory().to_owned()]);
    }
    let request = Request::get(console.in_vault("/memories")).with("limit", Some("1000"));
    let page = console.send(request).await?.value()?;
    Ok(rows(&page).iter().map(|memory| text(&memory["id"]).to_owned()).collect())
}
