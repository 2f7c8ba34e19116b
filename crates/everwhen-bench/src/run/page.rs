//! `report.html`: the run as one page that opens without a network.

use std::path::Path;

use anyhow::Result;

use super::bench::replace;
use super::chart::{bars, escape, intervals};
use super::question::Line;
use super::summary::{self, RunSummary};

/// Writes the page.
pub(super) fn write(directory: &Path, summary: &RunSummary) -> Result<()> {
    let lines = summary::read_lines(directory)?;
    let sections = [
        accuracy(summary),
        recall(summary),
        time(summary, &lines),
        run(&lines),
        format!("<h2>Numbers</h2><pre>{}</pre>", escape(&summary.to_string())),
    ];
    let page = include_str!("page.html")
        .replace("{title}", &escape(&format!("Everwhen bench: run {}", summary.run_id)))
        .replace("{body}", &sections.concat());
    replace(&directory.join("report.html"), &page)
}

fn accuracy(summary: &RunSummary) -> String {
    let Some(accuracy) = &summary.accuracy else { return String::new() };
    let row = |(name, one): (&String, &summary::Accuracy)| {
        let note = format!("{:.1} % of {}", one.percent, one.n);
        (name.clone(), vec![one.percent], note)
    };
    let rows: Vec<_> = accuracy.iter().map(row).collect();
    format!("<h2>Right answers by type</h2>{}", bars(&rows, 100.0))
}

fn recall(summary: &RunSummary) -> String {
    let Some(all) = summary.retrieval.get("all") else { return String::new() };
    let points = [
        ("some gold in 1", all.any_1),
        ("some gold in 5", all.any_5),
        ("some gold in 10", all.any_10),
        ("all gold in 5", all.all_5),
        ("all gold in 10", all.all_10),
    ];
    let rows: Vec<_> = points
        .into_iter()
        .map(|(name, value)| (name.to_owned(), vec![value], format!("{value:.1} %")))
        .collect();
    format!("<h2>Sessions found, of {} questions</h2>{}", all.n, bars(&rows, 100.0))
}

/// Working and waiting, for the longest questions.
fn time(summary: &RunSummary, lines: &[Line]) -> String {
    let mut measured: Vec<_> =
        lines.iter().filter_map(|line| Some((line, line.metrics.as_ref()?))).collect();
    if measured.is_empty() {
        return String::new();
    }
    measured.sort_by_key(|(_, metrics)| std::cmp::Reverse(metrics.conversation_elapsed_ms));
    let whole = measured[0].1.conversation_elapsed_ms as f64;
    let row = |(line, metrics): &(&Line, &super::events::Metrics)| {
        let (active, idle) = (metrics.conversation_active_ms, metrics.conversation_idle_ms);
        let note = format!("{active} + {idle} ms");
        (line.question_id.clone(), vec![active as f64, idle as f64], note)
    };
    let rows: Vec<_> = measured.iter().take(20).map(row).collect();
    let median = summary.conversation_elapsed_ms.median;
    format!(
        "<h2>Working and waiting</h2><p>The longest questions; half of all sessions take up to \
         {median:.0} ms.</p>{}",
        bars(&rows, whole)
    )
}

/// When each question was worked on.
fn run(lines: &[Line]) -> String {
    let instants = |line: &Line| {
        let metrics = line.metrics.as_ref()?;
        let read =
            |text: &str| text.parse::<jiff::Timestamp>().ok().map(|time| time.as_millisecond());
        let from = read(&metrics.conversation_start_at)?;
        Some((line.question_id.clone(), from, from + metrics.conversation_elapsed_ms))
    };
    let rows: Vec<_> = lines.iter().filter_map(instants).collect();
    let Some(begin) = rows.iter().map(|row| row.1).min() else { return String::new() };
    let end = rows.iter().map(|row| row.2).max().unwrap_or(begin);
    let share = |time: i64| (time - begin) as f64 / (end - begin).max(1) as f64;
    let rows: Vec<_> =
        rows.into_iter().map(|(name, from, to)| (name, share(from), share(to))).collect();
    format!("<h2>The run in time</h2>{}", intervals(&rows))
}
