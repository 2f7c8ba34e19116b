//! The log: to standard error, because standard output belongs to answers.

use std::io;

use everwhen::{Config, LogFormat};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::output;

/// The protocol library writes whole messages into its log below errors, and messages hold what
/// people said.
const TALKATIVE: &str = "rmcp";

/// Logs from now on: so much, in the form the configuration names.
pub(crate) fn start(config: &Config, level: &str) {
    let level: LevelFilter = level.parse().unwrap_or(LevelFilter::INFO);
    let some =
        Targets::new().with_default(level).with_target(TALKATIVE, level.min(LevelFilter::ERROR));
    let lines = fmt::layer().with_writer(io::stderr);
    let lines = match config.log_format.value {
        LogFormat::Text => {
            lines.with_target(false).with_ansi(output::logs_in_color()).with_filter(some).boxed()
        }
        LogFormat::Json => lines.json().with_filter(some).boxed(),
    };
    tracing_subscriber::registry().with(lines).init();
}
