//! `everwhen usage`: what asking the language model took.

use serde_json::Value;

use crate::args::UsageArgs;
use crate::client::Request;
use crate::console::{Console, rows, text};
use crate::failure::Result;
use crate::output;

/// Shows usage.
pub(crate) async fn run(console: &Console, args: &UsageArgs) -> Result<()> {
    let request = Request::get(console.in_vault("/usage")).with("since", args.since.as_deref());
    let Some(usage) = console.ask(request).await? else { return Ok(()) };
    let head = ["day", "model", "purpose", "calls", "known", "read", "written", "cost"];
    let mut table = vec![head.map(output::dim).to_vec()];
    table.extend(rows(&usage).iter().map(row));
    table.push(row(&usage["total"]));
    output::columns(&table).iter().try_for_each(|line| output::line(line))?;
    month(&usage["month"]).map_or(Ok(()), |text| output::line(&text))
}

/// What models cost this month beside the cap, if there is one.
fn month(month: &Value) -> Option<String> {
    let (cap, since) = (month["cap"].as_f64()?, month["since"].as_str()?);
    Some(match month["server_cost"].as_f64() {
        Some(all) => format!("since {since}: {all:.4} of {cap} for all vaults"),
        None => {
            let own = month["cost"].as_f64().unwrap_or_default();
            format!("since {since}: {own:.4} for this vault; {cap} is the cap for all vaults")
        }
    })
}

fn row(row: &Value) -> Vec<String> {
    let count = |name: &str| row[name].as_u64().unwrap_or_default().to_string();
    let day = if row["day"].is_null() { "all" } else { text(&row["day"]) };
    let cost = format!("{:.4}", row["cost"].as_f64().unwrap_or_default());
    let said = |name: &str| output::plain(text(&row[name]));
    let counts = ["calls", "cached", "input_tokens", "output_tokens"].map(count);
    let named = [day.to_owned(), said("model"), said("purpose")];
    named.into_iter().chain(counts).chain([cost]).collect()
}
