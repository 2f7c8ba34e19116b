//! Many slow streams at once: are they all held, and what do they cost?

use std::time::Duration;

use anyhow::Result;

use super::chat::Chat;
use super::report::Slow;
use crate::harness::server::Server;
use crate::harness::stream::Stream;
use crate::harness::upstream::Pace;
use crate::report::OnProgress;

/// How often memory in use is looked at.
const LOOK: Duration = Duration::from_millis(250);

/// Opens this number of streams through the proxy, each in its own memory.
pub(super) async fn hold(
    server: &Server,
    streams: usize,
    on_progress: OnProgress<'_>,
) -> Result<Slow> {
    let resident_after_start_mib = server.resident_mib()?;
    on_progress(&format!("{streams} slow streams at once, {:?} each", Pace::SLOW.length()));
    let mut running = tokio::task::JoinSet::new();
    for number in 0..streams {
        let mut stream = Stream::to(server.host());
        let body = Chat::new(&format!("slow {number}"), 2).ask(Pace::SLOW.name());
        let path = format!("/m/slow-{number}/v1/chat/completions");
        running.spawn(async move { stream.first_byte(&path, "", &body).await });
        // People do not all press the button at once.
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let mut most: f64 = 0.0;
    let mut whole = 0;
    let mut look = tokio::time::interval(LOOK);
    while !running.is_empty() {
        tokio::select! {
            _ = look.tick() => most = most.max(server.resident_mib()?),
            Some(done) = running.join_next() => whole += usize::from(done?.is_ok()),
        }
    }
    Ok(Slow { streams, whole, resident_after_start_mib, resident_most_mib: most })
}
