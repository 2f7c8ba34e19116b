//! What every store has to do, once for all of them: each case runs on each backend, under the name
//! `backend::family::case`.
//!
//! The first families ask for rows directly, the others through the verbs of the engine. Whatever
//! is not pinned by hand is compared with the oracle store of the testkit.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod arrival;
mod bed;
mod contexts;
mod differential;
mod dump;
mod endings;
mod entries;
mod faults;
mod forgetting;
mod isolation;
mod jobs;
mod keys;
mod neighbours;
mod paging;
mod receipts;
mod removal;
mod rows;
mod rules;
mod script;
mod shelves;
mod talk;
mod vaults;

/// One test for each case on each backend.
macro_rules! suite {
    ($($family:ident { $($case:ident),* $(,)? })*) => {
        mod plain {
            $(mod $family { $(#[test] fn $case() { crate::$family::$case(crate::bed::plain) })* })*
        }

        mod sqlite {
            $(mod $family { $(#[test] fn $case() { crate::$family::$case(crate::bed::sqlite) })* })*
        }
    };
}

suite! {
    vaults {
        a_vault_is_found_by_id_and_by_name,
        a_vault_is_replaced_whole,
        vaults_are_listed_by_name,
        a_memory_is_found_by_id_and_by_name,
        a_memory_is_replaced_whole,
        memories_are_listed_by_name,
    }
    entries {
        an_entry_comes_back_as_it_was_added,
        times_are_half_open,
        stored_times_are_half_open,
        which_tells_what_is_in_force,
        roles_tags_and_conversations_narrow_the_list,
        equal_times_stand_in_order_of_arrival,
        every_query_answers_as_the_oracle_does,
        pages_stay_stable_while_entries_come_in,
        moved_entries_carry_the_name_of_their_new_home,
        marks_on_what_is_not_there_are_refused,
    }
}
