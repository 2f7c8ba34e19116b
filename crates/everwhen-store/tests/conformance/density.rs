//! Density is counted in the index of a memory where it is cached, else in the store: after any history both
//! say the same, on either clock, as of any moment and in any part of time.

use std::sync::Arc;

use everwhen_engine::memory::{Address, MemoryId};
use everwhen_engine::ports::{TimeAxis, Which};
use everwhen_engine::recall::Query;
use everwhen_engine::{DensityQuery, Vault};
use everwhen_testkit::{block_on, engine_over};
use jiff::{SignedDuration, Timestamp};

use crate::bed::{Bed, Open, for_all};
use crate::differential::{learn, look};
use crate::rows::name;
use crate::script::{Known, Run, any_script, memory};

/// Asks the vault, whose indexes are cached, and one that has none.
pub(crate) fn compare(bed: &Bed, vault: &Vault, memory: &Address<MemoryId>, now: Timestamp) {
    let index = block_on(vault.recall(memory.clone(), Query::new("garden")));
    let (engine, clock) = engine_over(Arc::clone(&bed.store));
    clock.set(now);
    let fresh = block_on(engine.vault(Address::Name(name("v")))).unwrap();
    let ago = |minutes: i64| now - SignedDuration::from_mins(minutes);
    let moments = [0, 25, 4_000].map(|minutes| Which::AsOf(ago(minutes)));
    let parts = [(None, None), (Some(ago(200)), Some(ago(3)))];
    for axis in [TimeAxis::ConversationTime, TimeAxis::CreationTime] {
        for which in [Which::Current, Which::All].into_iter().chain(moments) {
            for (after, before) in parts {
                let query = DensityQuery { axis, which, after, before, buckets: Some(7) };
                let counted = |vault: &Vault| block_on(vault.density(memory.clone(), query));
                assert_eq!(counted(vault), counted(&fresh), "{query:?}, {:?}", index.is_ok());
            }
        }
    }
}

pub(crate) fn the_index_counts_as_the_store_does(open: Open) {
    for_all(8, any_script(), |script| {
        let run = Run::new(open(), &script);
        let mut known = Known::default();
        for one in &script.moves {
            run.apply(one, &known);
            let seen = look(&run, &known);
            learn(&mut known, &seen);
            compare(&run.bed, &run.vault, &memory(one.memory), run.engine.now());
        }
    });
}
