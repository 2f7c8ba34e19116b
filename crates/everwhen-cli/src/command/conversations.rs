//! `everwhen conversations`: conversations with their times, lengths and titles.

use everwhen::time::Zone;
use serde_json::Value;

use crate::args::ConversationsArgs;
use crate::client::Request;
use crate::console::{Console, rows, show_minute, text};
use crate::failure::Result;
use crate::{output, show};

/// Lists conversations.
pub(crate) async fn run(console: &Console, args: &ConversationsArgs) -> Result<()> {
    let request = Request::get(console.in_memory("/conversations"))
        .with("state", args.state.map(|state| state.as_str()))
        .with("archived", args.archived.then_some("true"))
        .with("order", Some("desc"))
        .with("limit", Some(args.limit.to_string()));
    match console.ask(request).await? {
        Some(page) => print(console, &page).await,
        None => Ok(()),
    }
}

async fn print(console: &Console, page: &Value) -> Result<()> {
    let zone = console.zone().await?;
    let listed: Vec<&Value> = rows(page).iter().rev().collect();
    let table: Vec<Vec<String>> = listed.iter().map(|one| row(one, zone)).collect();
    for (line, one) in output::columns(&table).iter().zip(&listed) {
        output::line(line)?;
        if let Some(summary) = one["summary"].as_str() {
            output::line(&output::hang("    ", 4, summary))?;
        }
    }
    let count = show::count(listed.len() as u64, "conversation", "conversations");
    let more = if page["has_more"] == true { ", and more before them (--limit)" } else { "" };
    output::note(&format!("{count}{more}; times in {}", zone.name()));
    Ok(())
}

fn row(one: &Value, zone: &Zone) -> Vec<String> {
    let messages = one["message_count"].as_u64().unwrap_or_default();
    let state = if one["ended_at"].is_null() { "open" } else { "ended" };
    vec![
        period(one, zone),
        output::dim(&name(one)),
        state.to_owned(),
        show::count(messages, "entry", "entries"),
        output::bold(&output::plain(text(&one["title"]))),
    ]
}

/// Its name in the system it was imported from, else its id.
pub(super) fn name(one: &Value) -> String {
    output::plain(one["source_id"].as_str().unwrap_or_else(|| text(&one["id"])))
}

/// From the first to the last entry; one date if both are on the same day.
pub(super) fn period(one: &Value, zone: &Zone) -> String {
    let first = show_minute(&one["started_at"], zone);
    let last = show_minute(&one["last_at"], zone);
    if first == last {
        return first;
    }
    let same_day = first.get(..10) == last.get(..10);
    let until = if same_day { last.get(11..).unwrap_or(&last) } else { &last };
    format!("{first} – {until}")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_period_says_the_day_once() {
        let zone = Zone::utc();
        let at = |first, last| period(&json!({"started_at": first, "last_at": last}), &zone);
        assert_eq!(at("2023-01-08T12:49:00Z", "2023-01-08T13:00:00Z"), "2023-01-08 12:49 – 13:00");
        assert_eq!(at("2023-01-08T12:49:00Z", "2023-01-08T12:49:30Z"), "2023-01-08 12:49");
        assert_eq!(
            at("2023-01-08T23:49:00Z", "2023-01-09T00:10:00Z"),
            "2023-01-08 23:49 – 2023-01-09 00:10"
        );
    }
}
