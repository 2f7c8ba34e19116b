//! What a reading found, as text and as JSON.

use std::collections::BTreeMap;

use everwhen::import::{Plan, Report};
use everwhen::memory::{TimeFrom, TimePrecision, ZoneFrom};
use everwhen::time::Zone;
use serde_json::{Value, json};

use crate::show;

/// Lines that are listed without `--list`.
const FEW: usize = 5;

/// The report as lines of text.
pub(super) fn lines(plan: &Plan, report: &Report, zone: &Zone, all: bool) -> Vec<String> {
    let mut lines = vec![sources(plan), counts(report, zone)];
    lines.extend(date_lines(report));
    if let Some(zones) = zones(report) {
        lines.push(format!("  zones     {zones}"));
    }
    if !report.left_out.is_empty() {
        lines.push(format!("  left out  {}", kinds(&report.left_out)));
    }
    if report.split > 0 {
        lines.push(format!(
            "  split     {} longer than one may be; the longest has {} entries",
            show::count(report.split, "conversation", "conversations"),
            report.longest
        ));
    }
    list(&mut lines, "warning", &report.warnings, all);
    list(&mut lines, "problem", &report.problems, all);
    list(&mut lines, "unknown", &plan.unknown, all);
    if all {
        list(&mut lines, "undated", &report.undated_places, true);
    }
    lines
}

/// The programs whose files were found.
fn sources(plan: &Plan) -> String {
    let sources = plan.sources();
    let titles = sources.iter().map(|(source, files)| {
        format!("{} ({})", source.title, show::count(*files as u64, "file", "files"))
    });
    titles.collect::<Vec<_>>().join(", ")
}

/// The number of conversations, messages and branches, and the days they cover.
fn counts(report: &Report, zone: &Zone) -> String {
    let mut counts = format!(
        "  {}  {}",
        show::count(report.conversations, "conversation", "conversations"),
        show::count(report.messages, "message", "messages")
    );
    if let Some((first, last)) = report.span {
        counts.push_str(&format!("  from {} to {}", zone.day(first), zone.day(last)));
    }
    if report.branches > 0 {
        counts.push_str(&format!("  {}", show::count(report.branches, "branch", "branches")));
    }
    counts
}

/// Where dates come from, and which are missing.
fn date_lines(report: &Report) -> Vec<String> {
    let mut lines = vec![format!("  dates     {}", dates(report))];
    if report.undated > 0 {
        let undated = show::count(report.undated, "message", "messages");
        lines.push(format!(
            "            {undated} without any date, left out (--list shows them, --at dates them)"
        ));
    }
    if report.unread_dates > 0 {
        let unread = show::count(report.unread_dates, "date", "dates");
        lines.push(format!("            {unread} that cannot be read (--list shows them)"));
    }
    lines
}

fn dates(report: &Report) -> String {
    let stated = report.time_from.get(&TimeFrom::Stated).copied().unwrap_or_default();
    let mut parts = vec![format!("{stated} stated")];
    let label = |from: &TimeFrom| match from {
        TimeFrom::Stated => None,
        TimeFrom::Generation => Some("from when the reply was generated"),
        TimeFrom::Id => Some("from ids"),
        TimeFrom::Neighbour => Some("placed after their neighbour"),
        TimeFrom::Conversation => Some("from their conversation"),
        TimeFrom::File => Some("from the file"),
        TimeFrom::Export => Some("from the export"),
        TimeFrom::Asked => Some("as you stated"),
        TimeFrom::Moved => Some("moved, because clocks skipped the time that is stated"),
    };
    for (from, count) in &report.time_from {
        if let Some(label) = label(from) {
            parts.push(format!("{count} {label}"));
        }
    }
    let rough: u64 = report
        .precision
        .iter()
        .filter(|(precision, _)| **precision > TimePrecision::Minute)
        .map(|(_, count)| count)
        .sum();
    if rough > 0 {
        parts.push(format!("{rough} only approximate"));
    }
    parts.join(" · ")
}

fn zones(report: &Report) -> Option<String> {
    let label = |zone: &ZoneFrom| match zone {
        ZoneFrom::Stated | ZoneFrom::UtcByFormat => None,
        ZoneFrom::Inferred => Some("inferred from the file"),
        ZoneFrom::Asked => Some("as you stated"),
        ZoneFrom::Assumed => Some("assumed to be the vault's (--timezone states it)"),
    };
    let parts: Vec<String> = report
        .zone_from
        .iter()
        .filter_map(|(zone, count)| Some(format!("{count} {}", label(zone)?)))
        .collect();
    (!parts.is_empty()).then(|| parts.join(" · "))
}

fn kinds(left_out: &BTreeMap<String, u64>) -> String {
    let parts: Vec<String> =
        left_out.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
    parts.join(" · ")
}

fn list(lines: &mut Vec<String>, label: &str, texts: &[String], all: bool) {
    let most = if all { texts.len() } else { FEW };
    lines.extend(texts.iter().take(most).map(|text| format!("  {label}   {text}")));
    if texts.len() > most {
        lines.push(format!("  {label}   … and {} more (--list shows them)", texts.len() - most));
    }
}

/// The report as JSON.
pub(super) fn json(plan: &Plan, report: &Report) -> Value {
    let sources: Vec<Value> = plan
        .sources()
        .iter()
        .map(|(source, files)| json!({ "source": source.name, "files": files }))
        .collect();
    json!({
        "sources": sources,
        "conversations": report.conversations,
        "messages": report.messages,
        "branches": report.branches,
        "first": report.span.map(|(first, _)| first.to_string()),
        "last": report.span.map(|(_, last)| last.to_string()),
        "time_from": named(&report.time_from, |one| one.as_str()),
        "precision": named(&report.precision, |one| one.as_str()),
        "zone_from": named(&report.zone_from, |one| one.as_str()),
        "months": report.months,
        "undated": report.undated,
        "undated_places": report.undated_places,
        "unread_dates": report.unread_dates,
        "left_out": report.left_out,
        "warnings": report.warnings,
        "problems": report.problems,
        "unknown": plan.unknown,
        "split": report.split,
        "longest": report.longest,
    })
}

fn named<K>(counts: &BTreeMap<K, u64>, name: impl Fn(&K) -> &'static str) -> Value {
    counts
        .iter()
        .map(|(key, count)| (name(key).to_owned(), Value::from(*count)))
        .collect::<serde_json::Map<_, _>>()
        .into()
}
