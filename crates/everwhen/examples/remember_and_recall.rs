//! Stores dated messages in a directory and asks about them in words:
//! `cargo run -p everwhen --example remember_and_recall`

use everwhen::memory::{Address, Name, NewEntry, Role, Said};
use everwhen::recall::Query;
use everwhen::time::read_time;
use everwhen::{Config, Environment, Everwhen, Flags, Result};

/// Runs the example in a temporary directory and prints the answer.
#[expect(clippy::print_stdout, reason = "the example shows its result")]
#[tokio::main(flavor = "current_thread")]
pub(crate) async fn main() -> Result<()> {
    let directory = tempfile::tempdir().expect("a temporary directory");
    println!("{}", briefing(&directory.path().display().to_string()).await?);
    Ok(())
}

/// Remembers two visits and returns what a model would be told about them.
pub(crate) async fn briefing(data: &str) -> Result<String> {
    let flags = Flags { data: Some(data.into()), zone: Some("UTC".into()), ..Flags::default() };
    let everwhen = Everwhen::open(&Config::load(&Environment::default(), &flags)?)?;
    let ana = Address::Name(Name::new("vault", "ana")?);
    let diary = Address::Name(Name::new("memory", "diary")?);

    // The first write creates the vault and the memory.
    let vault = everwhen.engine().vault_to_write(ana.clone()).await?;
    let visits = [
        ("2023-01-08T12:49:00Z", "I visited MoMA today."),
        ("2023-01-15T10:00:00Z", "The Met has a fine armor hall."),
    ];
    for (time, text) in visits {
        let entry = NewEntry::new(Role::User, Said::new(text)?).said_at(read_time(time)?);
        vault.remember(diary.clone(), vec![entry], None).await?;
    }

    // Time words in a question count from now, unless `asked_at` says otherwise.
    let vault = everwhen.engine().vault(ana).await?;
    let question = Query::new("Which museums did I see in January 2023?");
    Ok(vault.recall(diary, question).await?.briefing)
}
