//! The spool: a file with the exchanges that memory could not take when they happened. They are
//! kept later, at the time they had.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use everwhen::{Error, ErrorKind, Result};
use tokio::sync::Mutex;

use super::keep;
use super::route::Route;
pub(crate) use super::wire::kept::Kept;
use crate::Door;

/// The file's name, in the data directory.
const FILE: &str = "proxy-spool.jsonl";
/// Beside it: what can never be kept, for a person to look at.
const REFUSED: &str = "refused.jsonl";
/// How often the spool is looked at.
const LOOK: Duration = Duration::from_secs(2);

/// The spool, if there is a directory for it.
#[derive(Default)]
pub(crate) struct Spool {
    file: Option<PathBuf>,
    /// Held by whoever changes the file.
    changing: Mutex<()>,
}

impl Spool {
    /// A spool in this directory.
    pub(crate) fn in_directory(directory: &Path) -> Self {
        Self { file: Some(directory.join(FILE)), changing: Mutex::default() }
    }

    /// Puts an exchange there. If that fails too, it is lost, and the log says so.
    pub(crate) async fn put(&self, kept: &Kept) {
        let Some(file) = self.file.clone() else {
            tracing::error!(at = %kept.at, "an exchange is lost: there is no spool to keep it on");
            return;
        };
        let _changing = self.changing.lock().await;
        let line = serde_json::to_string(kept).expect("strings are always JSON");
        let written = tokio::task::spawn_blocking(move || append(&file, &lines(&[line]))).await;
        let written = written.unwrap_or_else(|error| Err(std::io::Error::other(error)));
        if let Err(error) = written {
            tracing::error!(%error, at = %kept.at, "an exchange is lost: the spool fails");
        }
    }

    /// Everything on the spool, oldest first.
    fn lines(&self) -> Vec<String> {
        let text = self.file.as_ref().and_then(|file| std::fs::read_to_string(file).ok());
        let text = text.unwrap_or_default();
        text.lines().filter(|line| !line.is_empty()).map(ToOwned::to_owned).collect()
    }

    /// Leaves these lines on the spool, and puts those aside.
    fn replace(&self, left: &[String], refused: &[String]) -> std::io::Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        if !refused.is_empty() {
            append(&file.with_extension(REFUSED), &lines(refused))?;
        }
        if left.is_empty() {
            return std::fs::remove_file(file);
        }
        let new = file.with_extension("new");
        let _ = std::fs::remove_file(&new);
        append(&new, &lines(left))?;
        std::fs::rename(&new, file)
    }

    fn is_empty(&self) -> bool {
        self.file.as_ref().is_none_or(|file| !file.exists())
    }
}

fn lines(lines: &[String]) -> String {
    lines.iter().map(|line| format!("{line}\n")).collect()
}

fn append(file: &Path, text: &str) -> std::io::Result<()> {
    let mut options = std::fs::OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let mut file = options.open(file)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

/// Keeps what is on the spool as soon as memory takes it, for ever.
pub(crate) async fn drain_for_ever(door: Door) {
    loop {
        drain(&door).await;
        tokio::time::sleep(LOOK).await;
    }
}

/// Keeps what can be kept; the rest stays. What will never fit is told and stays out of the way.
pub(crate) async fn drain(door: &Door) {
    let spool = &door.proxy.spool;
    if spool.is_empty() {
        return;
    }
    let _changing = spool.changing.lock().await;
    let (mut left, mut refused) = (Vec::new(), Vec::new());
    for line in spool.lines() {
        match keep(door, &line).await {
            Ok(()) => tracing::info!("an exchange was kept from the spool"),
            Err(error) if error.kind() == ErrorKind::Invalid => {
                tracing::error!(%error, "an exchange on the spool can never be kept");
                refused.push(line);
            }
            Err(_) => left.push(line),
        }
    }
    if let Err(error) = spool.replace(&left, &refused) {
        tracing::error!(%error, "the spool cannot be written");
    }
}

async fn keep(door: &Door, line: &str) -> Result<()> {
    let kept: Kept = serde_json::from_str(line)
        .map_err(|error| Error::invalid(format!("cannot read a line of the spool: {error}")))?;
    let route = Route::named(&kept.route)
        .ok_or_else(|| Error::invalid(format!("no route is called {:?}", kept.route)))?;
    keep::replay(door, route, &kept).await
}
