//! `everwhen import` of a file that `everwhen export vault` wrote: its memories, as they were.

use std::path::Path;
use std::time::Duration;

use everwhen::export::ExportFile;
use serde_json::Value;

use crate::args::ImportPathsArgs;
use crate::client::{Request, escape};
use crate::console::{Console, rows_of, text};
use crate::failure::{Failure, Result};
use crate::{output, show};

/// How often the state of the import is looked at.
const LOOK: Duration = Duration::from_millis(100);

/// Shows what is in the export, asks, and restores it.
pub(super) async fn run(console: &Console, file: &Path, args: &ImportPathsArgs) -> Result<()> {
    if let Some(option) = args.of_no_use_to_an_export() {
        return Err(Failure::usage(format!(
            "{}: an export of Everwhen is restored as it is, so {option} cannot be used with it",
            file.display()
        )));
    }
    let archive = ExportFile::open(file)?;
    if !console.json {
        output::announce(about(&archive).iter().map(|line| output::plain(line)))?;
    }
    if archive.memories.is_empty() {
        let why = archive.problem.unwrap_or_else(|| "the export has no memories".into());
        return Err(Failure::usage(format!("nothing to import: {why}")));
    }
    if !args.dry_run && !args.yes && !console.json && output::can_ask() {
        let question = format!("Import these memories into vault {:?}?", console.vault());
        if !output::ask(&question)? {
            return Err(Failure::new("you did not say yes; nothing is stored"));
        }
    }
    let entries = archive.memories.iter().map(|memory| memory.entries).sum();
    let run = restore(console, file, args.dry_run, entries).await?;
    let refused = rows_of(&run["refused"]);
    if console.json {
        output::json(&run.to_string())?;
    } else {
        for one in refused {
            output::note(&output::plain(&format!("left out {}", text(one))));
        }
        output::line(&summary(console, &run, args.dry_run))?;
    }
    match ["stored", "known"].iter().all(|field| run[field] == 0) && !refused.is_empty() {
        true => Err(Failure::usage("nothing of the file can be imported")),
        false => Ok(()),
    }
}

fn about(archive: &ExportFile) -> Vec<String> {
    let mut lines = vec![format!("Export of vault {:?}", archive.vault())];
    lines.extend(archive.memories.iter().map(|memory| {
        format!("  memory {:?}  {}", memory.name, show::count(memory.entries, "entry", "entries"))
    }));
    lines.extend(archive.problem.iter().map(|problem| format!("  problem   {problem}")));
    lines
}

async fn restore(console: &Console, file: &Path, dry_run: bool, entries: u64) -> Result<Value> {
    let name = file.file_name().map(|name| name.to_string_lossy().into_owned());
    let request = Request::post_file(console.in_vault("/imports"))
        .with("name", name)
        .with("dry_run", dry_run.then_some("true"));
    let mut run = console.upload(request, file).await?.value()?;
    let path = console.in_vault(&format!("/imports/{}", escape(text(&run["id"]))));
    let bar = output::progress(entries, "entries");
    while run["state"] == "running" {
        tokio::time::sleep(LOOK).await;
        run = console.send(Request::get(path.clone())).await?.value()?;
        bar.set_position(run["messages"].as_u64().unwrap_or_default());
    }
    bar.finish_and_clear();
    match run["problem"].as_str() {
        Some(problem) => Err(Failure::new(problem)),
        None => Ok(run),
    }
}

fn summary(console: &Console, run: &Value, dry_run: bool) -> String {
    let number = |field: &str| run[field].as_u64().unwrap_or_default();
    let verb = if dry_run { "Would restore" } else { "Restored" };
    let stored = show::count(number("stored"), "entry", "entries");
    let mut summary = format!("{verb} {stored} in vault {:?}", console.vault());
    if number("known") > 0 {
        summary.push_str(&format!("; {} already here", number("known")));
    }
    summary
}
