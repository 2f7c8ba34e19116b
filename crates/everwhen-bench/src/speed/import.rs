//! Importing one large archive: how fast, with how much memory, and whether it goes on after it was killed.
//!
//! The import runs in a process of its own, so that its memory can be measured and so that it can be killed.
//! A third process opens the result and answers a question: what it takes is the memory of the index.

mod archive;
mod report;

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use everwhen::import::{self, ImportProgress, ImportTarget, Options, Plan};
use everwhen::memory::{Address, Name};
use everwhen::recall::Query;
use everwhen::time::Zone;
use everwhen::{Config, Environment, Everwhen, Flags, ImportMode};
use serde::{Deserialize, Serialize};

use crate::report::OnProgress;

pub use report::ImportReport;

/// The memory that the archive is imported into.
const MEMORY: &str = "chatgpt";
/// How often the process that imports says how far it is.
const PROGRESS_EVERY: Duration = Duration::from_millis(50);

/// What is measured.
pub struct ImportBench {
    /// The program itself.
    pub binary: PathBuf,
    /// Messages in the archive.
    pub messages: u64,
}

/// A line of the process that imports.
#[derive(Debug, Serialize, Deserialize)]
struct ImporterState {
    stored: u64,
    known: u64,
    /// Seconds until everything was stored and a question was answered; absent before.
    seconds: Option<f64>,
    /// The most memory it had, in MiB.
    peak_mib: f64,
    /// Entries that the question found.
    found: u64,
}

/// Makes an archive, imports it, imports it again with a kill half-way, and measures the index.
pub fn run(setup: &ImportBench, on_progress: &dyn Fn(&str)) -> Result<ImportReport> {
    let place = tempfile::tempdir()?;
    let file = place.path().join("chatgpt.zip");
    on_progress(&format!("writing an archive of {} messages", setup.messages));
    let bytes = archive::write(&file, setup.messages)?;
    on_progress("importing it");
    let whole = finish(start(setup, &file, &place.path().join("whole"))?)?;
    let data = place.path().join("killed");
    on_progress("importing it again; the process is killed half-way");
    let killed_at = kill_half_way(start(setup, &file, &data)?, setup.messages / 2)?;
    on_progress("continuing");
    let rest = finish(start(setup, &file, &data)?)?;
    on_progress("opening the result");
    let index = finish(start(setup, Path::new(""), &place.path().join("whole"))?)?;
    if whole.stored != setup.messages || rest.stored + rest.known != setup.messages {
        bail!("messages are missing or doubled: {whole:?}, then {rest:?}");
    }
    Ok(ImportReport {
        messages: setup.messages,
        archive_mib: bytes as f64 / 1024.0 / 1024.0,
        seconds: whole.seconds.unwrap_or_default(),
        peak_mib: whole.peak_mib,
        index_mib: index.peak_mib,
        killed_at,
        known_afterwards: rest.known,
        stored_afterwards: rest.stored,
    })
}

/// A process that imports, or, without an archive, only opens what is there.
fn start(setup: &ImportBench, archive: &Path, data: &Path) -> Result<Child> {
    let mut command = Command::new(&setup.binary);
    command.args(["bench", "import", "--into"]).arg(data);
    if !archive.as_os_str().is_empty() {
        command.arg("--archive").arg(archive);
    }
    command.stdout(Stdio::piped()).spawn().context("the program cannot be started")
}

fn lines(child: &mut Child) -> Result<impl Iterator<Item = Result<ImporterState>> + use<>> {
    let output = child.stdout.take().context("the process has no output")?;
    Ok(BufReader::new(output).lines().map(|line| Ok(serde_json::from_str(&line?)?)))
}

fn finish(mut child: Child) -> Result<ImporterState> {
    let last = lines(&mut child)?.last().context("the process said nothing")??;
    if !child.wait()?.success() || last.seconds.is_none() {
        bail!("the import failed");
    }
    Ok(last)
}

/// Kills the process once half of the messages are stored. Says how many there were.
fn kill_half_way(mut child: Child, half: u64) -> Result<u64> {
    for state in lines(&mut child)? {
        let stored = state?.stored;
        if stored >= half {
            child.kill()?;
            child.wait()?;
            return Ok(stored);
        }
    }
    bail!("the import ended before it could be killed")
}

/// The process that imports: prints a line now and then, and one at the end.
pub async fn import_here(archive: &Path, data: &Path, print: OnProgress<'_>) -> Result<()> {
    let flags = Flags {
        data: Some(data.display().to_string()),
        zone: Some("UTC".into()),
        ..Flags::default()
    };
    let everwhen = Everwhen::open(&Config::load(&Environment::default(), &flags)?)?;
    let engine = everwhen.engine().clone();
    let vault = engine.vault_to_write(Address::Name(Name::new("vault", "bench")?)).await?;
    let memory = Address::Name(Name::new("memory", MEMORY)?);
    let (began, progress) = (Instant::now(), Arc::new(ImportProgress::default()));
    if !archive.as_os_str().is_empty() {
        let options = Options::new(Zone::named("UTC")?, engine.now());
        let plan = Arc::new(Plan::of_paths(&[archive.to_owned()], &options)?);
        let target =
            ImportTarget { vault: vault.clone(), memory: None, mode: ImportMode::default() };
        let storing = import::run(plan, options, &target, &progress);
        let following = async {
            loop {
                tokio::time::sleep(PROGRESS_EVERY).await;
                print(&state_line(&progress, None, 0)?);
                engine.index_grown().await?;
            }
        };
        tokio::select! {
            stored = storing => stored?,
            failed = following => return failed,
        }
    }
    let found = vault.recall(memory, Query::new("what did I ask about Lisbon?")).await?;
    let found = found.items.len() as u64;
    engine.keep_indexes(1).await?;
    print(&state_line(&progress, Some(began.elapsed().as_secs_f64()), found)?);
    Ok(())
}

fn state_line(progress: &ImportProgress, seconds: Option<f64>, found: u64) -> Result<String> {
    let counts = progress.counts();
    let peak_mib = peak_mib().context("the memory of this process cannot be read")?;
    let state =
        ImporterState { stored: counts.stored, known: counts.known, seconds, peak_mib, found };
    Ok(serde_json::to_string(&state)?)
}

/// The most resident memory this process had, in MiB; nothing where it cannot be known.
fn peak_mib() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}
