//! Facts as text for a model: by month, oldest first, one date on each line.

use super::{FactView, Source};
use crate::time::Zone;

/// How facts are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct FactLines {
    /// With what was replaced, so that a series of values is whole.
    pub all: bool,
    /// With a mark of priority before each fact: `[CRITICAL]`, `[IMPORTANT]` or `[INFO]`.
    pub marks: bool,
}

/// The facts under the months they were mentioned in, in the vault's zone; pinned ones first.
pub fn by_month(facts: &[FactView], zone: &Zone, shape: FactLines) -> String {
    let (pinned, mut rest): (Vec<&FactView>, Vec<&FactView>) =
        facts.iter().partition(|view| view.fact.pinned_at.is_some());
    let mut lines: Vec<String> = pinned.iter().map(|view| line(view, shape)).collect();
    rest.sort_by_key(|view| view.fact.mentioned_at);
    let mut month = String::new();
    for view in rest {
        let this = zone.show(view.fact.mentioned_at).strftime("%B %Y").to_string();
        if this != month {
            lines.push(format!("--- {this} ---"));
            month = this;
        }
        lines.push(line(view, shape));
    }
    lines.join("\n")
}

fn line(view: &FactView, shape: FactLines) -> String {
    let pinned = if view.fact.pinned_at.is_some() { ", pinned" } else { "" };
    let source = match view.fact.source {
        Source::Confirmed => "confirmed",
        Source::Inferred => "inferred",
    };
    let replaced = if view.is_current() { "" } else { ", replaced" };
    let mark = match shape.marks {
        true => format!("[{}] ", view.fact.priority().as_str().to_uppercase()),
        false => String::new(),
    };
    format!("- {mark}{} ({source}{pinned}{replaced})", view.text)
}
