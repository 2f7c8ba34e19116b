//! `everwhen vaults`: list, make, change, remove.

use axum::http::Method;
use serde_json::{Map, Value, json};

use super::forget::{affirm, forget, whole_vault};
use crate::args::{NewVaultArgs, RulesArgs, VaultChangeArgs, VaultsAction, VaultsArgs};
use crate::client::{Request, escape};
use crate::console::{Console, rows, text};
use crate::failure::{Failure, Result};
use crate::output;

/// Does with vaults what was typed.
pub(crate) async fn run(console: &Console, args: VaultsArgs) -> Result<()> {
    match args.action {
        None | Some(VaultsAction::List) => list(console).await,
        Some(VaultsAction::Add(args)) => add(console, args).await,
        Some(VaultsAction::Set(args)) => set(console, args).await,
        Some(VaultsAction::Remove { name, yes }) => remove(console, &name, yes).await,
    }
}

async fn list(console: &Console) -> Result<()> {
    let Some(page) = console.ask_all(Request::get("/v1/vaults")).await? else { return Ok(()) };
    let table: Vec<Vec<String>> = rows(&page).iter().map(row).collect();
    output::columns(&table).iter().try_for_each(|line| output::line(line))
}

fn row(vault: &Value) -> Vec<String> {
    vec![
        output::bold(&output::plain(text(&vault["name"]))),
        output::dim(text(&vault["id"])),
        text(&vault["zone"]).to_owned(),
        output::plain(text(&vault["description"])),
    ]
}

async fn add(console: &Console, args: NewVaultArgs) -> Result<()> {
    let mut body = described(args.rules);
    body.insert("name".into(), args.name.into());
    let request = Request::post("/v1/vaults", &Value::Object(body));
    ask_and_report(console, "Made", request).await
}

async fn set(console: &Console, args: VaultChangeArgs) -> Result<()> {
    let mut body = described(args.rules);
    body.extend(args.rename.map(|name| ("name".to_owned(), name.into())));
    if body.is_empty() {
        return Err(Failure::usage("nothing to change; name what, such as --zone UTC"));
    }
    let path = format!("/v1/vaults/{}", escape(&args.name));
    let request = Request::new(Method::PATCH, path).body(Value::Object(body).to_string());
    ask_and_report(console, "Changed", request).await
}

async fn ask_and_report(console: &Console, what: &str, request: Request) -> Result<()> {
    let Some(vault) = console.ask(request).await? else { return Ok(()) };
    let (name, id) = (output::plain(text(&vault["name"])), text(&vault["id"]));
    output::line(&format!("{what} vault {name} ({id}), days in {}", text(&vault["zone"])))
}

async fn remove(console: &Console, name: &str, yes: bool) -> Result<()> {
    affirm(&format!("Permanently forget {}?", whole_vault(name)), yes)?;
    let path = format!("/v1/vaults/{}", escape(name));
    forget(console, Request::new(Method::DELETE, path)).await
}

/// What was said about a vault, as the API reads it.
fn described(args: RulesArgs) -> Map<String, Value> {
    let rules = [
        ("conversationIdleTimeoutMinutes", args.idle_timeout.map(Value::from)),
        ("maxConversationsRetained", args.retained.map(Value::from)),
        ("conversationStateTimeoutMinutes", args.state_timeout.map(Value::from)),
        ("retention", args.retention.map(Value::from)),
        ("lifecycle", args.lifecycle.map(Value::from)),
        ("coolingTimeoutMinutes", args.cooling.map(Value::from)),
        ("closedTimeoutMinutes", args.closed.map(Value::from)),
    ];
    let settings = given(rules);
    given([
        ("zone", args.zone.map(Value::from)),
        ("description", args.description.map(Value::from)),
        ("settings", (!settings.is_empty()).then(|| json!(settings))),
    ])
}

fn given<const N: usize>(pairs: [(&str, Option<Value>); N]) -> Map<String, Value> {
    pairs.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?))).collect()
}
