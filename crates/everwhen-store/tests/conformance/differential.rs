//! The same random script on the oracle and on another store: every answer and, after every step,
//! every row must be the same, and must not contradict itself.

use everwhen_testkit::block_on;

use crate::bed::{Open, for_all, plain};
use crate::dump::{Dump, dump};
use crate::script::{Known, Run, Script, any_script, memory};

pub(crate) fn look(run: &Run, known: &Known) -> Dump {
    let known = known.conversations.clone();
    run.bed.look(move |rows| dump(rows, &known))
}

pub(crate) fn learn(known: &mut Known, dump: &Dump) {
    for memory in &dump.memories {
        let new = memory.entries.iter().map(|entry| entry.id);
        let new: Vec<_> = new.filter(|id| !known.entries.contains(id)).collect();
        known.entries.extend(new);
        let new = memory.conversations.iter().map(|one| one.id);
        let new: Vec<_> = new.filter(|id| !known.conversations.contains(id)).collect();
        known.conversations.extend(new);
    }
}

fn both_do_the_same(open: Open, script: &Script) {
    let (oracle, other) = (Run::new(plain(), script), Run::new(open(), script));
    let mut known = Known::default();
    for one in &script.moves {
        let (expected, found) = (oracle.apply(one, &known), other.apply(one, &known));
        assert_eq!(found, expected, "the answer to {one:?}");
        let (expected, found) = (look(&oracle, &known), look(&other, &known));
        expected.check();
        assert!(found == expected, "after {one:?}:\n{found:#?}\nexpected:\n{expected:#?}");
        learn(&mut known, &expected);
    }
    for number in [0, 1] {
        let prompt = |run: &Run| block_on(run.vault.prompt(memory(number)));
        assert_eq!(prompt(&other), prompt(&oracle));
    }
}

pub(crate) fn every_script_ends_alike(open: Open) {
    for_all(80, any_script(), |script| both_do_the_same(open, &script));
}
