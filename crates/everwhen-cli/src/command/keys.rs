//! `everwhen keys`: API keys for vaults.

use axum::http::Method;
use everwhen::SystemClock;
use everwhen::time::{Clock, read_time_in};
use jiff::SignedDuration;
use serde_json::{Value, json};

use super::{Setup, key_file};
use crate::args::{KeysAction, KeysArgs, NewKeyArgs};
use crate::client::{Request, escape};
use crate::console::{Console, rows, show_minute, text};
use crate::failure::{Failure, Result};
use crate::output;

/// Runs the action.
pub(super) async fn run(setup: &Setup, args: KeysArgs) -> Result<()> {
    match args.action {
        None | Some(KeysAction::List) => setup.with_console(list).await,
        Some(KeysAction::Add { new }) => {
            setup.with_console(async |console| add(console, new).await).await
        }
        Some(KeysAction::Remove { id }) => {
            setup.with_console(async |console| remove(console, &id).await).await
        }
        // It may run before there is a server.
        Some(KeysAction::Ensure(args)) => {
            key_file::ensure(&setup.config, &args, setup.common.json).await
        }
    }
}

async fn list(console: &Console) -> Result<()> {
    let Some(page) = console.ask(Request::get("/v1/keys")).await? else { return Ok(()) };
    if rows(&page).is_empty() {
        output::note(
            "No keys: a server on this machine answers every program on this machine. Make one \
             with: everwhen keys add",
        );
        return Ok(());
    }
    let zone = console.zone().await?;
    let minute = |time: &Value| show_minute(time, zone);
    let at = |word: &str, time: &Value, absent: &str| match time {
        Value::Null => absent.to_owned(),
        time => format!("{word} {}", minute(time)),
    };
    let row = |key: &Value| {
        vec![
            text(&key["id"]).to_owned(),
            text(&key["scope"]).to_owned(),
            format!("vault {}", output::plain(text(&key["vault"]))),
            format!("since {}", minute(&key["creation_time"])),
            at("expires", &key["expires_at"], "does not expire"),
            at("last used", &key["last_used_at"], "never used"),
            if key["trusted"] == true { "trusted".into() } else { String::new() },
            output::plain(text(&key["label"])),
        ]
    };
    let table: Vec<Vec<String>> = rows(&page).iter().map(row).collect();
    output::columns(&table).iter().try_for_each(|line| output::line(line))
}

async fn add(console: &Console, new: NewKeyArgs) -> Result<()> {
    let expires = expiry(console, new.expires.as_deref()).await?;
    make_vault_if_absent(console).await?;
    let mut body = json!({ "vault": console.vault(), "trusted": new.trusted, "scope": new.scope });
    for (field, value) in [("label", new.label), ("expires_at", expires)] {
        if let Some(value) = value {
            body[field] = value.into();
        }
    }
    let Some(key) = console.ask(Request::post("/v1/keys", &body)).await? else { return Ok(()) };
    output::line(text(&key["key"]))?;
    let (id, vault) = (text(&key["id"]), console.vault());
    output::note(&format!("Key {id} for vault {vault}. This is the only time it is shown."));
    Ok(())
}

/// The expiry of a key, in the format of the API.
async fn expiry(console: &Console, typed: Option<&str>) -> Result<Option<String>> {
    let Some(typed) = typed else { return Ok(None) };
    if let Some(hours) = hours(typed) {
        let at = SystemClock.now().checked_add(SignedDuration::from_hours(hours));
        let at = at.map_err(|_| Failure::usage(format!("--expires {typed}: too far away")))?;
        return Ok(Some(at.to_string()));
    }
    let at = read_time_in(typed, console.zone().await?).map_err(|_| {
        Failure::usage(format!(
            "--expires is {typed:?}; write a time such as 12h, 90d or 8w, or a date such as \
             2027-01-31"
        ))
    })?;
    Ok(Some(at.to_string()))
}

/// A number of hours, days or weeks, such as `90d`, in hours.
fn hours(typed: &str) -> Option<i64> {
    let (unit, number) = (typed.chars().last()?, typed.get(..typed.len().checked_sub(1)?)?);
    let hours = match unit {
        'h' => 1,
        'd' => 24,
        'w' => 24 * 7,
        _ => return None,
    };
    let number: i64 = number.parse().ok().filter(|number| (1..=100_000).contains(number))?;
    Some(number * hours)
}

/// Creates the vault of a key: a server for other machines needs a key before anything is stored.
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
    if console.ask(request).await?.is_none() {
        return Ok(());
    }
    output::line(&format!("Removed {id}"))?;
    let left = console.send(Request::get("/v1/keys")).await?.value()?;
    if rows(&left).is_empty() {
        output::note(
            "That was the last key. A running server goes on rejecting requests without one; after \
             a restart, a server on this machine answers every program on this machine.",
        );
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hours_days_and_weeks_are_read_and_nothing_else() {
        assert_eq!([hours("12h"), hours("90d"), hours("2w")], [Some(12), Some(2160), Some(336)]);
        for wrong in ["", "d", "0d", "-1d", "90", "90m", "1.5d", "2027-01-31", "999999d", "é"] {
            assert_eq!(hours(wrong), None, "{wrong:?}");
        }
    }
}
