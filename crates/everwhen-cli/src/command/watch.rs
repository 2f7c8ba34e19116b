//! `everwhen watch`: follows folders of other programs and imports what is new.

use std::path::PathBuf;

use everwhen::Config;
use everwhen::watch::{WATCH_FILE, Watcher};

use super::import;
use crate::args::WatchArgs;
use crate::console::Console;
use crate::failure::{Failure, Result};
use crate::{output, show};

/// Programs that are followed unless others are named.
const USUAL: [&str; 4] = ["claude-code", "codex", "gemini-cli", "opencode"];

/// The folders of the programs that are named, else of those that are configured, else of the usual ones.
fn folders(config: &Config, args: &WatchArgs) -> Result<Vec<PathBuf>> {
    let folders_of = |name: &str| config.watch.folders_of(name);
    let is_absent = |name: &&String| folders_of(name).iter().all(|folder| !folder.is_dir());
    if let Some(absent) = args.sources.iter().find(is_absent) {
        return Err(Failure::usage(format!(
            "{absent}: no such folder, and no program of this name"
        )));
    }
    let configured = &config.watch.sources.value;
    let names: Vec<&str> = match (args.sources.as_slice(), configured.as_slice()) {
        ([], []) => USUAL.to_vec(),
        ([], configured) => configured.iter().map(String::as_str).collect(),
        (named, _) => named.iter().map(String::as_str).collect(),
    };
    Ok(names.into_iter().flat_map(folders_of).collect())
}

/// Follows folders until the command is stopped.
pub(crate) async fn run(console: &Console, config: &Config, args: &WatchArgs) -> Result<()> {
    let folders = folders(config, args)?;
    if !args.once {
        for folder in folders.iter().filter(|folder| folder.is_dir()) {
            output::note(&format!("following {}", folder.display()));
        }
    }
    // Where the data is elsewhere, nothing here says what was imported there.
    let file = (!console.is_elsewhere()).then(|| config.data.value.join(WATCH_FILE));
    let mut watcher = Watcher::new(folders, file);
    // The first look notes files, the second finds that they have stopped changing.
    let mut looks = 0;
    loop {
        for files in watcher.look() {
            let options = import::files::usual_options(console).await?;
            let Some(plan) = files.plan(&options) else {
                watcher.done(&files)?;
                continue;
            };
            let (stored, memories) = import::files::store_plan(console, plan, &options).await?;
            watcher.done(&files)?;
            if stored > 0 {
                let stored = show::count(stored, "entry", "entries");
                output::line(&output::plain(&format!("Stored {stored} in {memories}")))?;
            }
        }
        looks += 1;
        if args.once && looks > 1 {
            return Ok(());
        }
        let pause = if looks == 1 { std::time::Duration::ZERO } else { config.watch.every() };
        tokio::select! {
            () = tokio::time::sleep(pause) => {}
            _ = tokio::signal::ctrl_c() => return Ok(()),
        }
    }
}
