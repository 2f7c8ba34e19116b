//! `everwhen backup`: makes a backup of the data directory, checks one, or restores one.

use everwhen::backup::{self, Manifest};
use everwhen::time::Clock;
use everwhen::{Config, SystemClock};
use serde_json::json;

use crate::args::BackupArgs;
use crate::failure::Result;
use crate::{output, show};

/// Runs the command; no server is needed, and one may be running.
pub(crate) fn run(config: &Config, args: &BackupArgs, as_json: bool) -> Result<()> {
    let (store, data) = (&config.store.value, &config.data.value);
    let (verb, manifest) = if args.verify {
        ("Complete and undamaged", backup::verify(&args.file)?)
    } else if args.restore {
        ("Restored", backup::restore_store(&args.file, store, data)?)
    } else {
        ("Backed up", backup::back_up_store(store, data, &args.file, SystemClock.now())?)
    };
    if as_json {
        return output::json(&manifest_json(&manifest).to_string());
    }
    let entries = show::count(manifest.entries(), "entry", "entries");
    output::line(&format!(
        "{verb}: {entries}, {} bytes, of {} ({})",
        manifest.bytes,
        manifest.created_at,
        args.file.display()
    ))
}

fn manifest_json(manifest: &Manifest) -> serde_json::Value {
    json!({
        "created_at": manifest.created_at.to_string(),
        "bytes": manifest.bytes,
        "blake3": manifest.checksum,
        "entries": manifest.entries(),
    })
}
