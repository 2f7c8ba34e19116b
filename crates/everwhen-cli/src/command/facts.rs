//! `everwhen facts` and `everwhen pin`.

use serde_json::{Value, json};

use crate::args::{FactsArgs, PinArgs};
use crate::client::{Request, escape};
use crate::console::{Console, rows, text};
use crate::failure::Result;
use crate::output::{self, dim, plain};
use crate::show;

/// Lists facts.
pub(crate) async fn run(console: &Console, args: &FactsArgs) -> Result<()> {
    if args.text {
        let request = Request::get(console.in_memory("/facts/text"));
        let Some(told) = console.ask(request).await? else { return Ok(()) };
        return output::line(&plain(text(&told["text"])));
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

/// Pins a fact, or removes the pin.
pub(crate) async fn pin(console: &Console, args: &PinArgs) -> Result<()> {
    let path = console.in_memory(&format!("/facts/{}/pin", escape(&args.fact)));
    let request = Request::post(path, &json!({ "pinned": !args.off }));
    let Some(fact) = console.ask(request).await? else { return Ok(()) };
    output::line(&line(&fact))
}
