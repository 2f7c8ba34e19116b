//! Corrects an entry and edits a file, then reads both as they were before:
//! `cargo run -p everwhen --example earlier_versions`

use everwhen::memory::{Address, EntryId, MemoryId, Name, NewEntry, Role, Said};
use everwhen::ports::{EntryQuery, Which};
use everwhen::receipt::Receipt;
use everwhen::{
    Config, Environment, Error, Everwhen, FileCommand, Flags, NewCorrection, Result, Vault,
};

/// Runs the example in a temporary directory and prints both versions of each.
#[expect(clippy::print_stdout, reason = "the example shows its result")]
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<()> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    println!("{:#?}", versions(&directory.path().display().to_string()).await?);
    Ok(())
}

/// The entry before and after its correction, and the file before and after its edit.
pub(crate) async fn versions(data: &str) -> Result<Vec<String>> {
    let flags = Flags { data: Some(data.into()), ..Flags::default() };
    let everwhen = Everwhen::open(&Config::load(&Environment::default(), &flags)?)?;
    let ana = Address::Name(Name::new("vault", "ana")?);
    let notes = Address::Name(Name::new("memory", "notes")?);
    let vault = everwhen.engine().vault_to_write(ana.clone()).await?;
    let entry = remember(&vault, &notes, "I live in Porto").await?;
    let vault = everwhen.engine().vault(ana).await?;
    let path = "/memories/ana.md".to_owned();
    let create = FileCommand::Create { path: path.clone(), text: "Ana\n".into() };
    vault.run_file_command(notes.clone(), create, None, None).await?;

    let before = everwhen.engine().now();
    let content = Said::new("I live in Bern")?;
    let reason = "moved".to_owned();
    let correction = NewCorrection { content, reason, tags: None, metadata: None };
    vault.correct(notes.clone(), entry, correction, None).await?;
    let edit = FileCommand::Replace { path: path.clone(), old: "Ana".into(), new: "Bea".into() };
    vault.run_file_command(notes.clone(), edit, None, None).await?;

    let mut versions = Vec::new();
    for as_of in [Some(before), None] {
        let which = as_of.map_or(Which::Current, Which::AsOf);
        let query = EntryQuery { which, role: Some(Role::User), ..EntryQuery::default() };
        let entries = vault.entries(notes.clone(), None, query).await?;
        versions.extend(entries.data.iter().map(|entry| entry.content.as_str().to_owned()));
        let view = FileCommand::View { path: path.clone(), lines: Some((1, 1)) };
        versions.push(vault.run_file_command(notes.clone(), view, as_of, None).await?.text);
    }
    Ok(versions)
}

/// Stores something the user said and returns its id.
async fn remember(vault: &Vault, memory: &Address<MemoryId>, text: &str) -> Result<EntryId> {
    let entry = NewEntry::new(Role::User, Said::new(text)?);
    let done = vault.remember(memory.clone(), vec![entry], None).await?;
    match done.receipt {
        Receipt::Entries(stored) if !stored.entries.is_empty() => Ok(stored.entries[0].id),
        _ => Err(Error::damaged("no entry was stored")),
    }
}
