//! Keys for backups and for folders that are followed.

use super::{Key, key};

/// How often a backup is made.
pub(in crate::config) const BACKUP_EVERY: Key = key(
    "backup.every",
    "EVERWHEN_BACKUP_EVERY",
    "time between two backups that the server makes; none unless set",
    "a number of minutes, hours or days, such as \"24h\" or \"7d\"",
);
/// How many backups are kept.
pub(in crate::config) const BACKUP_KEEP: Key = key(
    "backup.keep",
    "EVERWHEN_BACKUP_KEEP",
    "backups to keep; older ones that the server made are removed",
    "a whole number from 1 on, such as 7",
);
/// Where backups are.
pub(in crate::config) const BACKUP_DIR: Key = key(
    "backup.dir",
    "EVERWHEN_BACKUP_DIR",
    "directory of backups; backups in the data directory unless set",
    "the path of a directory",
);
/// What is followed.
pub(in crate::config) const WATCH_SOURCES: Key = key(
    "watch.sources",
    "EVERWHEN_WATCH_SOURCES",
    "programs whose folders the server follows, and other folders",
    "names and paths with commas, such as \"claude-code, codex, ~/SillyTavern/data/default-user\"",
);
/// Where what is new is stored.
pub(in crate::config) const WATCH_MEMORY: Key = key(
    "watch.memory",
    "EVERWHEN_WATCH_MEMORY",
    "memory for what the followed folders contain; one for each program unless set",
    "the name of a memory",
);
/// How often folders are looked at.
pub(in crate::config) const WATCH_EVERY: Key = key(
    "watch.every_seconds",
    "EVERWHEN_WATCH_EVERY_SECONDS",
    "seconds between two looks at the followed folders",
    "a whole number of seconds from 1 on, such as 2",
);
