//! People who chat, each over a connection of their own, and how long they wait for the first byte.

use std::time::Duration;

use anyhow::Result;

use super::chat::Chat;
use crate::harness::stream::Stream;
use crate::harness::upstream::Pace;

/// A route to the upstream: direct, or through the proxy.
#[derive(Debug, Clone)]
pub(super) struct ChatRoute {
    pub(super) host: String,
    pub(super) path: String,
    /// More headers, each with its line break.
    pub(super) headers: String,
}

/// The pace and size of chats.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChatPace {
    pub(super) pace: Pace,
    /// Messages of a request.
    pub(super) messages: usize,
    /// The longest pause between a reply and the next message. Pauses are of any length up to it,
    /// so that chats that begin together do not stay in step.
    pub(super) pause: Duration,
}

/// Times to the first byte, in the order of requests.
#[derive(Debug, Default)]
pub(super) struct FirstByteTimes {
    pub(super) lengths: Vec<Duration>,
    /// Requests that went through without memory, which was not ready in time.
    pub(super) degraded: usize,
}

impl FirstByteTimes {
    pub(super) fn join(&mut self, other: Self) {
        self.lengths.extend(other.lengths);
        self.degraded += other.degraded;
    }
}

/// A client that chats.
pub(super) struct ChatClient {
    chat: Chat,
    stream: Stream,
    way: ChatRoute,
    manner: ChatPace,
    chance: u64,
}

impl ChatClient {
    /// A client with a chat of this name.
    pub(super) fn new(called: &str, way: ChatRoute, manner: ChatPace) -> Self {
        let chance = called.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let (chat, stream) = (Chat::new(called, manner.messages), Stream::to(&way.host));
        Self { chat, stream, way, manner, chance }
    }

    /// Runs this number of exchanges. Returns the time to each first byte.
    pub(super) async fn talk(&mut self, exchanges: usize) -> Result<FirstByteTimes> {
        let mut taken = FirstByteTimes::default();
        for _ in 0..exchanges {
            tokio::time::sleep(self.manner.pause.mul_f64(self.share())).await;
            let body = self.chat.ask(self.manner.pace.name());
            let ChatRoute { path, headers, .. } = &self.way;
            let reply = self.stream.first_byte(path, headers, &body).await?;
            self.chat.add_reply(reply.text);
            taken.lengths.push(reply.waited);
            taken.degraded += usize::from(reply.degraded.is_some());
        }
        Ok(taken)
    }

    /// A pseudorandom number from 0 to 1; the sequence is the same in every run.
    fn share(&mut self) -> f64 {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        (self.chance >> 11) as f64 / (1_u64 << 53) as f64
    }
}

/// Runs all clients concurrently, with this number of exchanges each.
pub(super) async fn together(
    talkers: &mut Vec<ChatClient>,
    exchanges: usize,
) -> Result<FirstByteTimes> {
    let mut running = tokio::task::JoinSet::new();
    for mut talker in talkers.drain(..) {
        running.spawn(async move {
            let taken = talker.talk(exchanges).await;
            taken.map(|taken| (talker, taken))
        });
    }
    let mut all = FirstByteTimes::default();
    while let Some(done) = running.join_next().await {
        let (talker, taken) = done??;
        talkers.push(talker);
        all.join(taken);
    }
    Ok(all)
}
