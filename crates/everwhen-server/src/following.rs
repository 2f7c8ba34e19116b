//! Folders of other programs that the server follows: what is new in them is imported.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use everwhen::import::{self, ImportProgress, ImportTarget, Options};
use everwhen::memory::{Address, MemoryId, VaultId};
use everwhen::watch::{ChangedFiles, Watcher};
use everwhen::{Engine, Error, ErrorKind, ImportMode, Result};

/// What is followed, and where it goes.
#[derive(Clone)]
pub struct FollowedFolders {
    /// The folders.
    pub folders: Vec<PathBuf>,
    /// The file that remembers what was imported.
    pub file: PathBuf,
    /// The vault.
    pub vault: Address<VaultId>,
    /// The memory; without one, each program has a memory of its own name.
    pub memory: Option<Address<MemoryId>>,
    /// The time between two looks.
    pub every: Duration,
}

/// Follows folders until `stop` is ready.
pub async fn follow(engine: Engine, followed: FollowedFolders, stop: impl Future<Output = ()>) {
    if followed.folders.is_empty() {
        return stop.await;
    }
    let following = async {
        let watcher = Watcher::new(followed.folders.clone(), Some(followed.file.clone()));
        let mut watcher = Some(watcher);
        loop {
            let Some(mut looking) = watcher.take() else { return };
            let looked = tokio::task::spawn_blocking(move || {
                let changed = looking.look();
                (looking, changed)
            });
            let (mut looking, changed) = match looked.await {
                Ok(looked) => looked,
                // The caller restarts it.
                Err(error) => match error.try_into_panic() {
                    Ok(panic) => std::panic::resume_unwind(panic),
                    Err(_) => return,
                },
            };
            for files in changed {
                match import_changed(&engine, &followed, &files).await {
                    Ok(stored) => {
                        if stored > 0 {
                            tracing::info!(stored, folder = %files.folder().display(), "imported");
                        }
                        if let Err(error) = looking.done(&files) {
                            tracing::warn!(%error, "followed folders are read again after a restart");
                        }
                    }
                    Err(error) => {
                        tracing::warn!(%error, folder = %files.folder().display(), "not imported; tried again");
                    }
                }
            }
            watcher = Some(looking);
            tokio::time::sleep(followed.every).await;
        }
    };
    tokio::select! {
        () = following => {}
        () = stop => {}
    }
}

/// Imports what is new in changed files. Returns the number of new entries.
async fn import_changed(
    engine: &Engine,
    followed: &FollowedFolders,
    files: &ChangedFiles,
) -> Result<u64> {
    let vault = engine.vault_to_write(followed.vault.clone()).await?;
    let zone = match vault.info().await {
        Ok(info) => info.zone,
        Err(error) if error.kind() == ErrorKind::NotFound => engine.default_zone().clone(),
        Err(error) => return Err(error),
    };
    let options = Options::new(zone, engine.now());
    let (reading, plan_of) = (options.clone(), files.clone());
    let plan = tokio::task::spawn_blocking(move || plan_of.plan(&reading)).await;
    let plan = plan.map_err(|_| Error::damaged("a bug: reading a followed folder panicked"))?;
    let Some(plan) = plan else { return Ok(0) };
    let progress = Arc::new(ImportProgress::default());
    let mode = ImportMode { skips_forgotten: true, ..ImportMode::default() };
    let target = ImportTarget { vault, memory: followed.memory.clone(), mode };
    import::run(Arc::new(plan), options, &target, &progress).await?;
    Ok(progress.counts().stored)
}
