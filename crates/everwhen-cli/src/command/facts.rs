//! `everwhen facts`, `everwhen profile` and `everwhen pin`.

use axum::http::Method;
use serde_json::{Value, json};

use crate::args::{FactsArgs, PinArgs, ProfileArgs};
use crate::client::{Request, escape};
use crate::console::{Console, rows, text};
use crate::failure::Result;
use crate::output::{self, dim, plain};
use crate::show;

/// Lists facts.
pub(crate) async fn run(console: &Console, args: &FactsArgs) -> Result<()> {
    if let Some([fact, statement]) = args.correct.as_deref() {
        let path = console.in_memory(&format!("/facts/{}", escape(fact)));
        let request = Request::put(path, &json!({ "statement": statement }));
        let Some(fact) = console.ask(request).await? else { return Ok(()) };
        return output::line(&line(&fact));
    }
    if let Some(fact) = &args.remove {
        let path = console.in_memory(&format!("/facts/{}", escape(fact)));
        let Some(gone) = console.ask(Request::new(Method::DELETE, path)).await? else {
            return Ok(());
        };
        return output::line(&format!("Removed fact {}", text(&gone["id"])));
    }
    if args.text {
        let request = Request::get(console.in_memory("/facts/text"))
            .with("all", args.all.then_some("true"))
            .with("marks", args.marks.then_some("true"));
        let Some(response) = console.ask(request).await? else { return Ok(()) };
        return output::line(&plain(text(&response["text"])));
    }
    let page = match &args.history {
        Some(id) => {
            let path = console.in_memory(&format!("/facts/{}/history", escape(id)));
            console.ask(Request::get(path)).await?
        }
        None => list(console, args).await?,
    };
    let Some(page) = page else { return Ok(()) };
    rows(&page).iter().try_for_each(|fact| output::line(&line(fact)))?;
    output::note(&show::count(rows(&page).len() as u64, "fact", "facts"));
    Ok(())
}

async fn list(console: &Console, args: &FactsArgs) -> Result<Option<Value>> {
    let request = Request::get(console.in_memory("/facts"))
        .with("as_of", console.time(args.as_of.as_deref()).await?)
        .with("about", args.about.clone())
        .with("all", args.all.then_some("true"))
        .with("tag", args.tag.clone())
        .with("pinned", args.pinned.then_some("true"))
        .with("limit", Some("1000"));
    console.ask_all(request).await
}

/// The statement with its date, its source and its state.
fn line(fact: &Value) -> String {
    let mut notes = vec![text(&fact["source"])];
    notes.extend((fact["pinned"] == true).then_some("pinned"));
    notes.extend((fact["current"] == false).then_some("replaced"));
    let id = dim(text(&fact["id"]));
    format!("{} ({})  {id}", plain(text(&fact["text"])), notes.join(", "))
}

/// Shows the profile.
pub(crate) async fn profile(console: &Console, args: &ProfileArgs) -> Result<()> {
    let request = Request::get(console.in_memory("/profile"))
        .with("as_of", console.time(args.as_of.as_deref()).await?);
    let Some(page) = console.ask(request).await? else { return Ok(()) };
    for row in rows(&page) {
        let (key, value) = (plain(text(&row["key"])), plain(text(&row["value"])));
        let mentioned = dim(text(&row["mentioned_at"]));
        output::line(&format!("{key:<24} {value}  {mentioned}"))?;
    }
    output::note(&show::count(rows(&page).len() as u64, "value", "values"));
    Ok(())
}

/// Pins a fact, or removes the pin.
pub(crate) async fn pin(console: &Console, args: &PinArgs) -> Result<()> {
    let path = console.in_memory(&format!("/facts/{}/pin", escape(&args.fact)));
    let request = Request::post(path, &json!({ "pinned": !args.off }));
    let Some(fact) = console.ask(request).await? else { return Ok(()) };
    output::line(&line(&fact))
}
