//! Batches of 100 through the library, compared with a plain SQLite loop that inserts the same rows.

use std::time::Instant;

use anyhow::Result;
use everwhen::memory::{Address, MemoryId, Name, NewEntry, Role, Said, VaultId};
use everwhen::{Config, Environment, Everwhen, Flags, Vault};

use super::bare::BareLoop;
use super::report::Batches;
use crate::harness::dialogue;

const BATCH: usize = 100;
const ROUNDS: usize = 5;
const PER_ROUND: usize = 10_000;

/// Alternates between the two, so that both run under the same load.
pub(super) async fn measure() -> Result<Batches> {
    let directory = tempfile::tempdir()?;
    let data = directory.path().join("data");
    let flags = Flags { data: Some(data.display().to_string()), ..Flags::default() };
    let everwhen = Everwhen::open(&Config::load(&Environment::default(), &flags)?)?;
    let vault =
        everwhen.engine().vault_to_write(Address::<VaultId>::read("vault", "bench")?).await?;
    let mut bare: Option<BareLoop> = None;
    let (mut ours, mut loops) = (Vec::new(), Vec::new());
    for round in 0..ROUNDS {
        ours.push(remember_round(&vault, round).await?);
        let bare = match &mut bare {
            Some(bare) => bare,
            None => bare.insert(BareLoop::like(&data, directory.path())?),
        };
        loops.push(bare.insert_round(round * PER_ROUND, PER_ROUND, BATCH)?);
    }
    Ok(Batches::new(PER_ROUND, &ours, &loops))
}

/// Seconds to remember one round.
async fn remember_round(vault: &Vault, round: usize) -> Result<f64> {
    let memory = Address::<MemoryId>::Name(Name::new("memory", "bench")?);
    let first = round * PER_ROUND;
    let mut batches = Vec::new();
    for start in (first..first + PER_ROUND).step_by(BATCH) {
        batches.push((start..start + BATCH).map(new_entry).collect::<Result<Vec<_>>>()?);
    }
    let began = Instant::now();
    for batch in batches {
        vault.remember(memory.clone(), batch, None).await?;
    }
    Ok(began.elapsed().as_secs_f64())
}

fn new_entry(index: usize) -> Result<NewEntry> {
    let message = dialogue::message(index);
    let entry = NewEntry::new(Role::named(message.role)?, Said::new(message.content)?);
    Ok(entry.said_at(message.time))
}
