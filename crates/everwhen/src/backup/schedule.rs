//! Backups that a server makes by itself: one at regular intervals, and only the newest are kept.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::back_up_store;
use crate::{BackupConfig, Error, Result, StoreLocation};

/// What the names of scheduled backups begin and end with; others are never removed.
const PREFIX: &str = "everwhen-";
const SUFFIX: &str = ".zip";
/// The time in their names, in UTC.
const STAMP: &str = "%Y-%m-%dT%H%M%SZ";
/// The longest sleep, so that a clock that was set is noticed.
const LONGEST_SLEEP: Duration = Duration::from_secs(60);

/// Makes backups as configured until `stop` is ready. A failed one is logged and tried again after a while.
/// The time of the last one is in its name, so a restart goes on with the schedule.
pub async fn run_schedule(
    config: BackupConfig,
    store: StoreLocation,
    data: PathBuf,
    now: impl Fn() -> Timestamp,
    stop: impl Future<Output = ()>,
) {
    let Some(every) = config.every.value else { return stop.await };
    let directory = directory(&config, &data);
    let every = SignedDuration::try_from(every).unwrap_or(SignedDuration::MAX);
    let keep = config.keep.value.max(1) as usize;
    let making = async {
        loop {
            let due = newest(&directory).and_then(|last| last.checked_add(every).ok());
            let wait = due.map_or(SignedDuration::ZERO, |due| due.duration_since(now()));
            if wait.is_positive() {
                let wait = Duration::try_from(wait).unwrap_or_default();
                tokio::time::sleep(wait.min(LONGEST_SLEEP)).await;
                continue;
            }
            let (store, data, directory, at) =
                (store.clone(), data.clone(), directory.clone(), now());
            let made =
                tokio::task::spawn_blocking(move || make(&store, &data, &directory, at, keep));
            match made.await {
                Ok(Ok(file)) => tracing::info!(file = %file.display(), "made a backup"),
                Ok(Err(error)) => {
                    tracing::error!(%error, "a backup failed; it is tried again");
                    tokio::time::sleep(LONGEST_SLEEP).await;
                }
                Err(_) => tokio::time::sleep(LONGEST_SLEEP).await,
            }
        }
    };
    tokio::select! {
        () = making => {}
        () = stop => {}
    }
}

/// Where scheduled backups are.
pub(super) fn directory(config: &BackupConfig, data: &Path) -> PathBuf {
    config.directory.value.clone().unwrap_or_else(|| data.join("backups"))
}

/// Makes one backup and removes those that are too many.
fn make(
    store: &StoreLocation,
    data: &Path,
    directory: &Path,
    now: Timestamp,
    keep: usize,
) -> Result<PathBuf> {
    std::fs::create_dir_all(directory).map_err(|error| unwritable(directory, &error))?;
    let stamp = now.strftime(STAMP).to_string();
    let file = directory.join(format!("{PREFIX}{stamp}{SUFFIX}"));
    back_up_store(store, data, &file, now)?;
    let mut all = scheduled(directory);
    all.sort_unstable_by(|one, other| other.cmp(one));
    for (_, old) in all.iter().skip(keep) {
        std::fs::remove_file(old).map_err(|error| unwritable(old, &error))?;
    }
    Ok(file)
}

/// When the newest scheduled backup was made.
fn newest(directory: &Path) -> Option<Timestamp> {
    scheduled(directory).into_iter().map(|(at, _)| at).max()
}

/// The backups in a directory that the schedule has made.
pub(super) fn scheduled(directory: &Path) -> Vec<(Timestamp, PathBuf)> {
    let Ok(files) = std::fs::read_dir(directory) else { return Vec::new() };
    let made = |path: PathBuf| {
        let name = path.file_name()?.to_str()?;
        let stamp = name.strip_prefix(PREFIX)?.strip_suffix(SUFFIX)?;
        let at = jiff::civil::DateTime::strptime(STAMP, stamp).ok()?;
        Some((at.to_zoned(jiff::tz::TimeZone::UTC).ok()?.timestamp(), path))
    };
    files.flatten().filter_map(|file| made(file.path())).collect()
}

fn unwritable(path: &Path, error: &std::io::Error) -> Error {
    Error::unavailable(format!("{}: {error}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Environment, Everwhen, Flags};

    #[test]
    fn only_the_newest_scheduled_backups_are_kept() {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        let flags = Flags { data: Some(data.display().to_string()), ..Flags::default() };
        let config = Config::load(&Environment::default(), &flags).unwrap();
        drop(Everwhen::open(&config).unwrap());
        let directory = place.path().join("backups");
        let at = |hour: i64| {
            "2026-11-16T00:00:00Z".parse::<Timestamp>().unwrap() + SignedDuration::from_hours(hour)
        };
        std::fs::create_dir_all(&directory).unwrap();
        std::fs::write(directory.join("mine.zip"), "not made here").unwrap();
        assert_eq!(newest(&directory), None);
        for hour in 0..4 {
            let file = make(&config.store.value, &data, &directory, at(hour), 2).unwrap();
            super::super::verify(&file).unwrap();
        }
        assert_eq!(newest(&directory), Some(at(3)));
        let mut left: Vec<Timestamp> =
            scheduled(&directory).into_iter().map(|(at, _)| at).collect();
        left.sort_unstable();
        assert_eq!(left, [at(2), at(3)]);
        assert!(directory.join("mine.zip").exists(), "what others put there stays");
    }

    #[tokio::test]
    async fn a_schedule_makes_a_backup_at_once_and_then_waits() {
        let place = tempfile::tempdir().unwrap();
        let data = place.path().join("data");
        let flags = Flags { data: Some(data.display().to_string()), ..Flags::default() };
        let environment = Environment::from([("EVERWHEN_BACKUP_EVERY", "24h")]);
        let config = Config::load(&environment, &flags).unwrap();
        drop(Everwhen::open(&config).unwrap());
        let directory = data.join("backups");
        let now: Timestamp = "2026-11-16T00:00:00Z".parse().unwrap();
        let stop = async {
            while newest(&directory).is_none() {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            // Time for a second one, which must not come.
            tokio::time::sleep(Duration::from_millis(50)).await;
        };
        run_schedule(config.backup.clone(), config.store.value.clone(), data.clone(), || now, stop)
            .await;
        assert_eq!(scheduled(&directory).len(), 1);
    }
}
