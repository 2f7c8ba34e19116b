//! The output of a run on its way to the client: a bounded queue.
//!
//! A run produces output in the middle of its work and cannot wait there. So the run is not polled
//! while too much output is waiting: a slow client slows down the run, and with it the model,
//! instead of filling memory.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;

use everwhen::ports::Spent;
use everwhen_workflow::{RunObserver, Trace};
use futures_util::task::AtomicWaker;
use serde_json::Value;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};

use super::RunEvent;

/// A run is paused while more bytes than this are waiting.
const MOST_BYTES: usize = 256 * 1024;

/// The two ends of the queue.
pub(super) fn channel() -> (RunOutput, Pieces) {
    let (say, heard) = unbounded_channel();
    let waiting = Arc::<Backlog>::default();
    let sender = Sender { say, waiting: Arc::clone(&waiting) };
    let output = RunOutput { sender, spent: Spent::default(), calls: Vec::new() };
    (output, Pieces { heard, waiting })
}

/// The number of waiting bytes, and the paused run.
#[derive(Default)]
struct Backlog {
    bytes: AtomicUsize,
    run: AtomicWaker,
}

/// The sending end.
#[derive(Clone)]
pub(super) struct Sender {
    say: UnboundedSender<RunEvent>,
    waiting: Arc<Backlog>,
}

impl Sender {
    pub(super) fn send(&self, heard: RunEvent) {
        self.waiting.bytes.fetch_add(length(&heard), Ordering::SeqCst);
        // The receiver is gone if the client has disconnected; then the run is cancelled.
        let _ = self.say.send(heard);
    }

    /// Completes when the receiver is gone.
    pub(super) async fn closed(&self) {
        self.say.closed().await;
    }

    fn is_full(&self) -> bool {
        self.waiting.bytes.load(Ordering::SeqCst) > MOST_BYTES
    }
}

fn length(heard: &RunEvent) -> usize {
    match heard {
        // An empty piece takes memory, too.
        RunEvent::Piece(piece) => piece.len() + size_of::<RunEvent>(),
        RunEvent::Over(_) => 0,
    }
}

/// Forwards the output of a run.
pub(super) struct RunOutput {
    sender: Sender,
    spent: Spent,
    calls: Vec<Value>,
}

impl RunOutput {
    pub(super) fn sender(&self) -> Sender {
        self.sender.clone()
    }

    /// The usage of the run's models.
    pub(super) fn spent(&self) -> Spent {
        self.spent
    }

    /// The tools that the answer calls.
    pub(super) fn calls(&self) -> Vec<Value> {
        self.calls.clone()
    }
}

impl RunObserver for RunOutput {
    fn on_text(&mut self, piece: &str) {
        self.sender.send(RunEvent::Piece(piece.to_owned()));
    }

    fn ran(&mut self, trace: Trace) {
        if trace.depth == 0 {
            self.spent = self.spent + trace.spent;
        }
    }

    fn called(&mut self, calls: &[Value]) {
        self.calls.extend_from_slice(calls);
    }
}

/// The receiving end.
pub(super) struct Pieces {
    heard: UnboundedReceiver<RunEvent>,
    waiting: Arc<Backlog>,
}

impl Pieces {
    /// The next piece; `None` if the run was cancelled.
    pub(super) async fn recv(&mut self) -> Option<RunEvent> {
        let heard = self.heard.recv().await?;
        self.waiting.bytes.fetch_sub(length(&heard), Ordering::SeqCst);
        self.waiting.run.wake();
        Some(heard)
    }
}

/// Polls a run only while there is room in the queue.
pub(super) async fn at_pace<T>(say: &Sender, run: impl Future<Output = T>) -> T {
    let mut run = pin!(run);
    std::future::poll_fn(|context| {
        if say.is_full() {
            say.waiting.run.register(context.waker());
            // There may be room by now.
            if say.is_full() {
                return Poll::Pending;
            }
        }
        run.as_mut().poll(context)
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_run_waits_while_nobody_takes_what_it_says() {
        let (mut output, mut pieces) = channel();
        let (say, said) = (output.sender(), Arc::new(AtomicUsize::new(0)));
        let (count, piece) = (Arc::clone(&said), "x".repeat(1024));
        let run = tokio::spawn(async move {
            let run = async {
                for _ in 0..2_000 {
                    output.on_text(&piece);
                    count.fetch_add(1, Ordering::SeqCst);
                    tokio::task::yield_now().await;
                }
            };
            at_pace(&say, run).await;
        });
        for _ in 0..10_000 {
            tokio::task::yield_now().await;
        }
        let waiting = said.load(Ordering::SeqCst);
        assert!((200..=256).contains(&waiting), "{waiting} KiB wait");
        let mut taken = 0;
        while pieces.recv().await.is_some() {
            taken += 1;
        }
        run.await.unwrap();
        assert_eq!(taken, 2_000);
    }
}
