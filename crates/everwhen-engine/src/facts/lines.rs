//! Facts as text for a model: by month, oldest first, one date on each line.

use super::{FactView, Source};
use crate::time::Zone;

/// The facts under the months they were mentioned in, in the vault's zone; pinned ones first.
pub fn by_month(facts: &[FactView], zone: &Zone) -> String {
    let (pinned, rest): (Vec<&FactView>, Vec<&FactView>) =
        facts.iter().partition(|view| view.fact.pinned_at.is_some());
    let mut lines: Vec<String> = pinned.iter().map(|view| line(view)).collect();
    let mut rest = rest;
    rest.sort_by_key(|view| view.fact.mentioned_at);
    let mut month = String::new();
    for view in rest {
        let this = zone.show(view.fact.mentioned_at).strftime("%B %Y").to_string();
        if this != month {
            lines.push(format!("--- {this} ---"));
            month = this;
        }
        lines.push(line(view));
    }
    lines.join("\n")
}

fn line(view: &FactView) -> String {
    let pinned = if view.fact.pinned_at.is_some() { ", pinned" } else { "" };
    let source = match view.fact.source {
        Source::Confirmed => "confirmed",
        Source::Inferred => "inferred",
    };
    format!("- {} ({source}{pinned})", view.text)
}
