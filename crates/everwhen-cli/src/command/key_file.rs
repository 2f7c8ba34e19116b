//! `everwhen keys ensure`: ensures that a file holds a registered key. Concurrent calls create one
//! key. Its text is never printed, because the output of jobs is kept in logs.

use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;

use everwhen::memory::{Address, Name};
use everwhen::{Config, Engine, ErrorKind as Kind, Everwhen, NewVault, SystemChance, Vault, key};
use everwhen_platform::private_file;
use serde_json::json;

use super::wait::StartupWait;
use crate::args::EnsureKeyArgs;
use crate::failure::{Failure, Result};
use crate::output;

/// Ensures that the file holds a key for the vault, and that the vault exists.
pub(super) async fn ensure(config: &Config, args: &EnsureKeyArgs, json: bool) -> Result<()> {
    StartupWait::new(args.wait, output::note).for_store(config).await?;
    let everwhen = Everwhen::open(config)?;
    let vault = vault(everwhen.engine(), &config.vault.value).await?;
    let text = read_or_make(&args.file)?;
    let (key, is_new) = everwhen.engine().adopt_key(vault.id(), &text).await?;
    let (id, file) = (key.id.to_string(), args.file.display().to_string());
    if json {
        return output::json(&json!({ "id": id, "file": file, "is_new": is_new }).to_string());
    }
    let state = if is_new { "new" } else { "known already" };
    output::note(&format!("Key {id} for vault {} is in {file} ({state}).", config.vault.value));
    Ok(())
}

async fn vault(engine: &Engine, name: &str) -> Result<Vault> {
    let address = || Address::read("vault", name);
    match engine.vault(address()?).await {
        Err(error) if error.kind() == Kind::NotFound => {}
        found => return Ok(found?),
    }
    let name = Name::new("vault", name.to_owned())?;
    let new = NewVault { name, description: None, zone: None, settings: None };
    match engine.create_vault(new, None).await {
        // Another process has just registered it.
        Err(error) if error.kind() == Kind::Conflict => {}
        made => drop(made?),
    }
    Ok(engine.vault(address()?).await?)
}

/// Reads the key in the file, or writes a new one, readable only by its owner. The file is complete
/// before the key is registered, so a crash in between loses nothing.
fn read_or_make(file: &Path) -> Result<String> {
    if let Some(text) = read(file)? {
        return Ok(text);
    }
    let text = key::new_text(&SystemChance);
    let name = file.file_name().unwrap_or_default().to_string_lossy();
    let draft = file.with_file_name(format!(".{name}.{}", std::process::id()));
    let made = write(&draft, &text).and_then(|()| fs::hard_link(&draft, file));
    // A temporary file that cannot be removed contains only a key that is never registered.
    let _ = fs::remove_file(&draft);
    match made {
        Ok(()) => Ok(text),
        // Another process was faster; its key is used.
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            read(file)?.ok_or_else(|| wrong(file, "is gone again"))
        }
        Err(error) => Err(wrong(file, &format!("cannot be written: {error}"))),
    }
}

fn write(file: &Path, text: &str) -> std::io::Result<()> {
    let mut made = private_file().create_new(true).open(file)?;
    made.write_all(format!("{text}\n").as_bytes())?;
    made.sync_all()
}

fn read(file: &Path) -> Result<Option<String>> {
    match fs::read_to_string(file) {
        Ok(text) if text.trim().is_empty() => {
            Err(wrong(file, "is empty; remove it, and a key is written there"))
        }
        Ok(text) => Ok(Some(text.trim().to_owned())),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(wrong(file, &format!("cannot be read: {error}"))),
    }
}

fn wrong(file: &Path, what: &str) -> Failure {
    Failure::usage(format!("the file for the key, {}, {what}", file.display()))
}
