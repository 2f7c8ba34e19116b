//! `everwhen forget`: removes permanently, after confirmation.

use axum::http::Method;
use serde_json::{Value, json};

use crate::args::ForgetArgs;
use crate::client::{Request, escape};
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::{output, show};

/// Forgets what was named, if the user confirms.
pub(crate) async fn run(console: &Console, args: &ForgetArgs) -> Result<()> {
    let (what, request) = choose(console, args).await?;
    affirm(&format!("Permanently forget {what}?"), args.yes)?;
    forget(console, request).await
}

/// Sends the request and prints what was removed.
pub(super) async fn forget(console: &Console, request: Request) -> Result<()> {
    match console.ask(request).await? {
        Some(receipt) => output::line(&format!("Forgot {}", what_went(&receipt))),
        None => Ok(()),
    }
}

/// Asks for confirmation on a terminal; elsewhere `--yes` is required.
pub(super) fn affirm(question: &str, yes: bool) -> Result<()> {
    if yes {
        return Ok(());
    }
    if !output::can_ask() {
        return Err(Failure::usage(
            "this needs confirmation and there is no terminal to ask on; add --yes",
        ));
    }
    if output::ask(question)? { Ok(()) } else { Err(Failure::new("not confirmed")) }
}

/// What was named, as text and as a request.
async fn choose(console: &Console, args: &ForgetArgs) -> Result<(String, Request)> {
    let memory = format!("in memory {:?} of vault {:?}", console.memory(), console.vault());
    let delete = |path| Request::new(Method::DELETE, path);
    if let Some(id) = &args.entry {
        let path = console.in_memory(&format!("/entries/{}", escape(id)));
        return Ok((format!("entry {id} {memory}"), delete(path)));
    }
    if let Some(id) = &args.conversation {
        let path = console.in_memory(&format!("/conversations/{}", escape(id)));
        return Ok((format!("conversation {id} {memory}"), delete(path)));
    }
    if args.whole_vault {
        return Ok((whole_vault(console.vault()), delete(console.in_vault(""))));
    }
    if args.whole_memory {
        let what =
            format!("the whole memory {:?} of vault {:?}", console.memory(), console.vault());
        return Ok((what, delete(console.in_memory(""))));
    }
    let (after, before) = (args.after.as_deref(), args.before.as_deref());
    let body = json!({
        "memory": console.memory(),
        "after": console.time(after).await?,
        "before": console.time(before).await?,
    });
    let request = Request::post(console.in_vault("/forget"), &body);
    Ok((format!("everything said {}{memory}", period(after, before)), request))
}

pub(super) fn whole_vault(name: &str) -> String {
    format!("the whole vault {name:?} with everything in it")
}

fn period(after: Option<&str>, before: Option<&str>) -> String {
    let since = after.map(|after| format!("from {after} on "));
    let until = before.map(|before| format!("before {before} "));
    [since, until].into_iter().flatten().collect()
}

/// The counts that are not zero.
fn what_went(receipt: &Value) -> String {
    let kinds = [
        ("vaults", "vault", "vaults"),
        ("memories", "memory", "memories"),
        ("conversations", "conversation", "conversations"),
        ("entries", "entry", "entries"),
        ("contexts", "version of the context document", "versions of the context document"),
        ("jobs", "job", "jobs"),
        ("keys", "key", "keys"),
    ];
    let gone = kinds.iter().filter_map(|(name, one, many)| {
        let number = receipt[name].as_u64().filter(|number| *number > 0)?;
        Some(show::count(number, one, many))
    });
    let gone: Vec<String> = gone.collect();
    if gone.is_empty() { "nothing: there was nothing".into() } else { gone.join(", ") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn says_what_went_and_nothing_else() {
        let receipt = json!({"entries": 2, "conversations": 1, "jobs": 0});
        assert_eq!(what_went(&receipt), "1 conversation, 2 entries");
        assert_eq!(what_went(&json!({})), "nothing: there was nothing");
    }
}
