//! Where a command finds what it is about. One that is about what is there already does not make a data
//! directory: a mistyped one would be answered as if it were empty.

use std::io::ErrorKind;
use std::path::Path;

use everwhen::{Config, Environment, Error, StoreLocation};

use crate::args::CommonArgs;
use crate::failure::Result;

/// What the names of the files begin with that are made when a data directory is opened.
const OURS: &str = "everwhen.";

/// Fails if there is nothing yet that a command could be about.
pub(super) fn require(
    config: &Config,
    environment: &Environment,
    common: &CommonArgs,
) -> Result<()> {
    if !is_new(config, environment, common) {
        return Ok(());
    }
    let data = &config.data.value;
    let place = data.display();
    let absent = match data.exists() {
        true => format!("no memory is in {place}"),
        false => format!("there is no data directory {place}"),
    };
    Err(Error::not_found(format!(
        "nothing has been remembered here yet: {absent}; say something with `everwhen remember TEXT`, \
         chat through `everwhen serve --upstream URL`, or name another directory with --data"
    ))
    .into())
}

/// Whether the data directory of the command was never used. Looking does not make it.
pub(super) fn is_new(config: &Config, environment: &Environment, common: &CommonArgs) -> bool {
    // A location given on the command line overrides the environment.
    let is_named = common.data.is_some() || common.store.is_some();
    let is_elsewhere =
        common.server.is_some() || !is_named && environment.get("EVERWHEN_SERVER").is_some();
    let is_directory = matches!(config.store.value, StoreLocation::Directory);
    !is_elsewhere && is_directory && was_never_used(&config.data.value)
}

/// Whether a directory does not exist, or holds nothing of ours. What cannot be read may hold something.
fn was_never_used(directory: &Path) -> bool {
    match std::fs::read_dir(directory) {
        Ok(files) => files.into_iter().all(|file| {
            file.is_ok_and(|file| !file.file_name().to_string_lossy().starts_with(OURS))
        }),
        Err(error) => error.kind() == ErrorKind::NotFound,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_new_until_something_of_ours_is_in_it() {
        let home = tempfile::tempdir().unwrap();
        let data = home.path().join("data");
        assert!(was_never_used(&data));
        std::fs::create_dir(&data).unwrap();
        std::fs::write(data.join("notes.txt"), "x").unwrap();
        assert!(was_never_used(&data));
        assert!(
            !was_never_used(&data.join("notes.txt")),
            "a file is for those who open it to refuse"
        );
        std::fs::write(data.join("everwhen.made"), "x").unwrap();
        assert!(!was_never_used(&data));
    }
}
