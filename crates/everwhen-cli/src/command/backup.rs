//! `everwhen backup`: makes a backup of the data directory, checks one, or restores one.

use everwhen::backup::{self, Manifest};
use everwhen::time::Clock;
use everwhen::{Config, StoreLocation, SystemClock};
use serde_json::json;

use crate::args::BackupArgs;
use crate::failure::{Failure, Result};
use crate::{output, show};

/// Runs the command; no server is needed, and one may be running.
pub(crate) fn run(config: &Config, args: &BackupArgs, as_json: bool) -> Result<()> {
    let data = &config.data.value;
    let (verb, manifest) = if args.verify {
        ("Complete and undamaged", backup::verify(&args.file)?)
    } else if args.restore {
        ("Restored", backup::restore(&args.file, data)?)
    } else {
        if matches!(config.store.value, StoreLocation::Postgres(_)) {
            return Err(Failure::new(
                "the store is PostgreSQL; back it up with pg_dump or pg_basebackup, as docs/backup.md shows",
            ));
        }
        ("Backed up", backup::back_up(data, &args.file, SystemClock.now())?)
    };
    if as_json {
        return output::json(&told(&manifest).to_string());
    }
    let entries = show::count(manifest.entries(), "entry", "entries");
    output::line(&format!(
        "{verb}: {entries}, {} bytes, of {} ({})",
        manifest.bytes,
        manifest.created_at,
        args.file.display()
    ))
}

fn told(manifest: &Manifest) -> serde_json::Value {
    json!({
        "created_at": manifest.created_at.to_string(),
        "bytes": manifest.bytes,
        "blake3": manifest.checksum,
        "entries": manifest.entries(),
    })
}
