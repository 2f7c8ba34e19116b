//! Backups are made while entries are stored, and restore to what was acknowledged before.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::Path;

use everwhen::memory::{Address, Name, NewEntry, Role, Said};
use everwhen::ports::EntryQuery;
use everwhen::{Config, Environment, Everwhen, Flags, backup};

fn config(data: &Path) -> Config {
    let data = Some(data.display().to_string());
    Config::load(&Environment::default(), &Flags { data, ..Flags::default() }).unwrap()
}

fn named<I>(text: &str) -> Address<I> {
    Address::Name(Name::new("name", text).unwrap())
}

async fn remember(everwhen: &Everwhen, number: u32) {
    let vault = everwhen.engine().vault_to_write(named("v")).await.unwrap();
    let entry = NewEntry::new(Role::User, Said::new(format!("said {number}")).unwrap());
    vault.remember(named("m"), vec![entry], None).await.unwrap();
}

async fn texts(everwhen: &Everwhen) -> Vec<String> {
    let vault = everwhen.engine().vault(named("v")).await.unwrap();
    let query = EntryQuery { limit: Some(1_000), ..EntryQuery::default() };
    let page = vault.entries(named("m"), None, query).await.unwrap();
    page.data.iter().map(|entry| entry.content.as_str().to_owned()).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_backup_amid_writes_has_all_that_was_acknowledged_before() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let everwhen = std::sync::Arc::new(Everwhen::open(&config(&data)).unwrap());
    for number in 0..50 {
        remember(&everwhen, number).await;
    }
    let writer = std::sync::Arc::clone(&everwhen);
    let storm = tokio::spawn(async move {
        for number in 50..200 {
            remember(&writer, number).await;
        }
    });
    let file = directory.path().join("one.zip");
    let (from, to) = (data.clone(), file.clone());
    let now = "2026-11-16T00:00:00Z".parse().unwrap();
    let made = tokio::task::spawn_blocking(move || backup::back_up(&from, &to, now))
        .await
        .unwrap()
        .unwrap();
    storm.await.unwrap();
    assert!(made.entries() >= 50);
    assert_eq!(backup::verify(&file).unwrap(), made);
    assert!(backup::back_up(&data, &file, now).is_err(), "a backup replaces nothing");

    let other = directory.path().join("restored");
    assert_eq!(backup::restore(&file, &other).unwrap(), made);
    assert!(backup::restore(&file, &other).is_err(), "nor does restoring");
    let restored = texts(&Everwhen::open(&config(&other)).unwrap()).await;
    assert_eq!(restored.len() as u64, made.entries());
    for number in 0..50 {
        assert!(restored.contains(&format!("said {number}")), "{number}");
    }
    assert_eq!(texts(&everwhen).await.len(), 200);
}

#[tokio::test]
async fn a_damaged_backup_is_seen() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().join("data");
    let everwhen = Everwhen::open(&config(&data)).unwrap();
    remember(&everwhen, 1).await;
    let file = directory.path().join("one.zip");
    backup::back_up(&data, &file, "2026-11-16T00:00:00Z".parse().unwrap()).unwrap();
    let whole = std::fs::read(&file).unwrap();
    for cut in [whole.len() / 3, whole.len() - 10] {
        std::fs::write(&file, &whole[..cut]).unwrap();
        assert!(backup::verify(&file).is_err(), "cut at {cut}");
    }
    let mut flipped = whole;
    let middle = flipped.len() / 2;
    flipped[middle] ^= 0x10;
    std::fs::write(&file, flipped).unwrap();
    assert!(backup::verify(&file).is_err());
}
