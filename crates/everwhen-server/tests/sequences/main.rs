//! Request sequences as real programs send them, one test for each file in this directory.
//!
//! A file says what a program sends, what the upstream replies, and what must become of it: the
//! memory, the stamps, what is stored. The runner itself checks in every step that nothing else
//! reaches the upstream than what the client sent and what was added. `README.md` describes the files.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod play;
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
        std::iter::once(None).chain(faults).map(move |fault| trial(Arc::clone(&file), fault))
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// One sequence, with a store that works or fails in a certain way until the end.
fn trial(file: Arc<PathBuf>, fault: Option<Fault>) -> Trial {
    let name = file.file_stem().unwrap().to_string_lossy().into_owned();
    let name = fault.map_or(name.clone(), |fault| format!("{name}, store {fault:?}"));
    Trial::test(name, move || {
        let text = std::fs::read_to_string(&*file)?;
        let sequence = wire::Sequence::read(&text)?;
        let runtime = tokio::runtime::Runtime::new()?;
        runtime.block_on(play::play(sequence, fault)).map_err(Into::into)
    })
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sequences");
    let paths = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|kind| kind == "toml")).collect();
    files.sort();
    files
}
