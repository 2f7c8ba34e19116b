//! `everwhen keys`: who may open which vault.

use axum::http::Method;
use serde_json::{Value, json};

use crate::args::{KeysAction, KeysArgs};
use crate::client::{Request, escape};
use crate::console::{Console, rows, show_minute, text};
use crate::failure::Result;
use crate::output;

/// Does with keys what was typed.
pub(crate) async fn run(console: &Console, args: KeysArgs) -> Result<()> {
    match args.action {
        None | Some(KeysAction::List) => list(console).await,
        Some(KeysAction::Add { trusted, label }) => add(console, trusted, label).await,
        Some(KeysAction::Remove { id }) => remove(console, &id).await,
    }
}

async fn list(console: &Console) -> Result<()> {
    let Some(page) = console.ask(Request::get("/v1/keys")).await? else { return Ok(()) };
    let zone = console.zone().await?;
    let row = |key: &Value| {
        vec![
            text(&key["id"]).to_owned(),
            format!("since {}", show_minute(&key["creation_time"], zone)),
            format!("vault {}", output::plain(text(&key["vault"]))),
            if key["trusted"] == true { "trusted".into() } else { String::new() },
            output::plain(text(&key["label"])),
        ]
    };
    let table: Vec<Vec<String>> = rows(&page).iter().map(row).collect();
    output::columns(&table).iter().try_for_each(|line| output::line(line))
}

async fn add(console: &Console, trusted: bool, label: Option<String>) -> Result<()> {
    make_vault_if_absent(console).await?;
    let mut body = json!({ "vault": console.vault(), "trusted": trusted });
    if let Some(label) = label {
        body["label"] = label.into();
    }
    let Some(key) = console.ask(Request::post("/v1/keys", &body)).await? else { return Ok(()) };
    output::line(text(&key["key"]))?;
    let (id, vault) = (text(&key["id"]), console.vault());
    output::note(&format!("Key {id} for vault {vault}. This is the only time it is shown."));
    Ok(())
}

/// A server for other machines needs a key before anything has been said.
async fn make_vault_if_absent(console: &Console) -> Result<()> {
    match console.send(Request::get(console.in_vault(""))).await {
        Err(failure) if failure.is_not_found() => {}
        other => return other.map(|_| ()),
    }
    console.send(Request::post("/v1/vaults", &json!({ "name": console.vault() }))).await?;
    output::note(&format!("Made vault {}.", console.vault()));
    Ok(())
}

async fn remove(console: &Console, id: &str) -> Result<()> {
    let request = Request::new(Method::DELETE, format!("/v1/keys/{}", escape(id)));
    match console.ask(request).await? {
        Some(_) => output::line(&format!("Removed {id}")),
        None => Ok(()),
    }
}
