//! Request sequences as real programs send them, one test for each file in this directory.
//!
//! A file says what a program sends, what the upstream replies, and what must become of it: the
//! memory, the stamps, what is stored. The runner itself checks in every step that nothing else
//! reaches the upstream than what the client sent and what was added. `README.md` describes the files.

#![expect(clippy::unwrap_used, reason = "a test may panic")]
#![expect(clippy::print_stdout, reason = "a test may say what it measured")]

mod cached;
mod play;
#[path = "../proxy/prefix.rs"]
mod prefix;
#[expect(dead_code, reason = "shared with the tests of the proxy, which use all of it")]
#[path = "../proxy/recorder.rs"]
mod recorder;
mod shape;
#[expect(dead_code, reason = "shared with the tests of the proxy, which use all of it")]
#[path = "../proxy/stage.rs"]
mod stage;
mod stamps;
mod wire;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use libtest_mimic::{Arguments, Trial};

use crate::stage::Fault;

fn main() -> ExitCode {
    let trials = files().into_iter().flat_map(|file| {
        let faults = Fault::ALL.into_iter().map(Some);
        let file = Arc::new(file);
        let cached = cached_trial(Arc::clone(&file));
        let faults = std::iter::once(None).chain(faults);
        faults.map(move |fault| trial(Arc::clone(&file), fault)).chain(cached)
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// One sequence, with a store that works or fails in a certain way until the end.
fn trial(file: Arc<PathBuf>, fault: Option<Fault>) -> Trial {
    let name = name_of(&file);
    let name = fault.map_or(name.clone(), |fault| format!("{name}, store {fault:?}"));
    Trial::test(name, move || {
        let text = std::fs::read_to_string(&*file)?;
        let sequence = wire::Sequence::read(&text)?;
        let runtime = tokio::runtime::Runtime::new()?;
        runtime.block_on(play::play(sequence, fault)).map_err(Into::into)
    })
}

/// One sequence with everything added to its requests, going on for ten turns with tools. A sequence
/// whose requests name earlier ones instead of repeating them has no prefix to keep.
fn cached_trial(file: Arc<PathBuf>) -> Option<Trial> {
    let sequence = wire::Sequence::read(&std::fs::read_to_string(&*file).ok()?).ok()?;
    let last = sequence.last_resent()?;
    let name = name_of(&file);
    Some(Trial::test(format!("{name}, cached prefix"), move || {
        let runtime = tokio::runtime::Runtime::new()?;
        let share = runtime.block_on(cached::share(&sequence, last))?;
        println!("{name}: {:.2} % of the prefix kept", share * 100.0);
        if share < 0.99 { Err("less than 99 % of the prefix is kept".into()) } else { Ok(()) }
    }))
}

fn name_of(file: &Path) -> String {
    file.file_stem().unwrap().to_string_lossy().into_owned()
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sequences");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|kind| kind == "toml")).collect();
    files.sort();
    files
}
