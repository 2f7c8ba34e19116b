//! The log, on standard error: standard output is for results.

use std::io;

use everwhen::{Config, LogFormat};
use tracing_subscriber::filter::{LevelFilter, Targets};
use tracing_subscriber::layer::SubscriberExt;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{Layer, fmt};

use crate::output;

/// Our own crates. Only they may log below warnings: libraries log statements with their parameters
/// and whole messages, which contain what people said.
const OWN: [&str; 8] = [
    "everwhen",
    "everwhen_bench",
    "everwhen_cli",
    "everwhen_engine",
    "everwhen_models",
    "everwhen_server",
    "everwhen_store",
    "everwhen_workflow",
];
/// The MCP library logs whole messages in its warnings, too.
const TALKATIVE: &str = "rmcp";

/// Starts logging at this level, in the configured format.
pub(crate) fn start(config: &Config, level: &str) {
    let level: LevelFilter = level.parse().unwrap_or(LevelFilter::INFO);
    let some = targets(level);
    let lines = fmt::layer().with_writer(io::stderr);
    let lines = match config.log_format.value {
        LogFormat::Text => {
            lines.with_target(false).with_ansi(output::logs_in_color()).with_filter(some).boxed()
        }
        LogFormat::Json => lines.json().with_filter(some).boxed(),
    };
    tracing_subscriber::registry().with(lines).init();
}

/// Our own crates up to `level`, libraries up to warnings.
fn targets(level: LevelFilter) -> Targets {
    Targets::new()
        .with_default(level.min(LevelFilter::WARN))
        .with_target(TALKATIVE, level.min(LevelFilter::ERROR))
        .with_targets(OWN.map(|name| (name, level)))
}

#[cfg(test)]
mod tests {
    use tracing::Level;

    use super::*;

    #[test]
    fn libraries_never_log_below_warnings() {
        let some = targets(LevelFilter::TRACE);
        for library in ["tokio_postgres::query", "hyper", "reqwest", "rusqlite", "some_new_crate"] {
            assert!(some.would_enable(library, &Level::WARN), "{library}");
            assert!(!some.would_enable(library, &Level::INFO), "{library}");
        }
        assert!(!some.would_enable("rmcp::service", &Level::WARN));
        assert!(some.would_enable("everwhen_server::proxy", &Level::TRACE));
        assert!(some.would_enable("everwhen", &Level::TRACE));
        assert!(!targets(LevelFilter::ERROR).would_enable("everwhen", &Level::WARN));
    }
}
