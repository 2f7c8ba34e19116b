//! Every story on the oracle store: one test each, named after it.
//!
//! `cargo test -p everwhen-testkit --test stories -- --bless` writes the snapshots again.

use std::process::ExitCode;

use everwhen_testkit::PlainStore;
use everwhen_testkit::story::run_all;

fn main() -> ExitCode {
    run_all(|| Box::new(PlainStore::new()))
}
