//! What the schedule of backups has done so far, read from the directory they are in.

use std::path::{Path, PathBuf};
use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::schedule::{directory, scheduled};
use crate::BackupConfig;

/// A schedule of backups, and the backups it has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduleStatus {
    /// The time between two backups.
    pub every: Duration,
    /// How many are kept.
    pub keep: u32,
    /// Their directory.
    pub directory: PathBuf,
    /// How many there are.
    pub count: usize,
    /// The newest one.
    pub last: Option<ScheduledBackup>,
}

/// A backup that the schedule has made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ScheduledBackup {
    /// When it was begun.
    pub at: Timestamp,
    /// The size of its file in bytes.
    pub bytes: u64,
}

impl ScheduleStatus {
    /// Reads the state of the configured schedule; nothing if no backups are scheduled.
    pub fn read(config: &BackupConfig, data: &Path) -> Option<Self> {
        let every = config.every.value?;
        let directory = directory(config, data);
        let all = scheduled(&directory);
        let newest = all.iter().max_by_key(|(at, _)| *at);
        let size = |path: &Path| std::fs::metadata(path).map_or(0, |file| file.len());
        let last = newest.map(|(at, path)| ScheduledBackup { at: *at, bytes: size(path) });
        Some(Self { every, keep: config.keep.value.max(1), count: all.len(), last, directory })
    }

    /// When the next backup is due; nothing if the first one is due now.
    pub fn next(&self) -> Option<Timestamp> {
        let every = SignedDuration::try_from(self.every).ok()?;
        self.last.as_ref()?.at.checked_add(every).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Config, Environment, Flags};

    #[test]
    fn the_newest_backup_says_when_the_next_is_due() {
        let place = tempfile::tempdir().unwrap();
        let flags = Flags { data: Some(place.path().display().to_string()), ..Flags::default() };
        let none = Config::load(&Environment::default(), &flags).unwrap();
        assert_eq!(ScheduleStatus::read(&none.backup, place.path()), None);

        let environment = Environment::from([("EVERWHEN_BACKUP_EVERY", "24h")]);
        let config = Config::load(&environment, &flags).unwrap();
        let status = ScheduleStatus::read(&config.backup, place.path()).unwrap();
        assert_eq!((status.count, status.last.clone(), status.next()), (0, None, None));

        let directory = place.path().join("backups");
        std::fs::create_dir(&directory).unwrap();
        std::fs::write(directory.join("everwhen-2026-11-15T031500Z.zip"), "old").unwrap();
        std::fs::write(directory.join("everwhen-2026-11-16T031500Z.zip"), "newer").unwrap();
        std::fs::write(directory.join("mine.zip"), "of somebody else").unwrap();
        let status = ScheduleStatus::read(&config.backup, place.path()).unwrap();
        let at: Timestamp = "2026-11-16T03:15:00Z".parse().unwrap();
        assert_eq!(
            (status.count, status.last.clone().unwrap()),
            (2, ScheduledBackup { at, bytes: 5 })
        );
        assert_eq!(status.next().unwrap().to_string(), "2026-11-17T03:15:00Z");
    }
}
