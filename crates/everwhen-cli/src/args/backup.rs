//! Arguments of `everwhen backup`.

use std::path::PathBuf;

use clap::Args;

/// Back up the data directory, check a backup, or restore one
#[derive(Debug, Args)]
#[command(after_help = "\
A backup is one compressed file with a manifest and a checksum. It can be made while a server runs, \
and contains everything that was stored before it began. An existing file is never replaced. A backup \
of PostgreSQL restores into SQLite and the other way round. `[backup] every` makes a server back up \
by itself.

EXAMPLES
  everwhen backup ~/backups/everwhen-2026-11-16.zip
  everwhen backup ~/backups/everwhen-2026-11-16.zip --verify
  everwhen backup ~/backups/everwhen-2026-11-16.zip --restore --data ~/restored")]
pub(crate) struct BackupArgs {
    /// The backup
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Check that the backup is complete and undamaged
    #[arg(long)]
    pub(crate) verify: bool,
    /// Unpack the backup into the data directory, which must not have a database
    #[arg(long, conflicts_with = "verify")]
    pub(crate) restore: bool,
}

impl BackupArgs {
    /// The action, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match (self.verify, self.restore) {
            (true, _) => "check the backup",
            (_, true) => "restore the backup",
            _ => "back up",
        }
    }
}
