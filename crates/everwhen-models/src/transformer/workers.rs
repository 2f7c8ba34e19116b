//! Threads that embed, and the queue before them. Questions do not wait behind texts.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use everwhen_engine::{Error, Result};
use tokio::sync::oneshot;

type Vectors = Result<Vec<Vec<f32>>>;

/// Texts to embed together, and where the vectors go.
pub(super) struct Task {
    texts: Vec<String>,
    reply: oneshot::Sender<Vectors>,
}

/// The threads. They end when this is dropped.
pub(super) struct Workers {
    queue: Arc<Queue>,
}

#[derive(Default)]
struct Queue {
    waiting: Mutex<Waiting>,
    arrived: Condvar,
}

#[derive(Default)]
struct Waiting {
    tasks: VecDeque<Task>,
    closed: bool,
}

impl Task {
    pub(super) fn new(texts: Vec<String>) -> (Self, oneshot::Receiver<Vectors>) {
        let (reply, result) = oneshot::channel();
        (Self { texts, reply }, result)
    }
}

impl Workers {
    pub(super) fn start<F>(count: usize, embed: F) -> Result<Self>
    where
        F: Fn(&[String]) -> Vectors + Send + Sync + 'static,
    {
        let workers = Self { queue: Arc::default() };
        let embed = Arc::new(embed);
        for number in 0..count {
            let (queue, embed) = (workers.queue.clone(), embed.clone());
            thread::Builder::new()
                .name(format!("embed-{number}"))
                .spawn(move || work(&queue, &*embed))
                .map_err(|error| Error::unavailable(format!("no thread to embed on: {error}")))?;
        }
        Ok(workers)
    }

    /// Behind everything that waits.
    pub(super) fn queue(&self, task: Task) {
        self.queue.lock().tasks.push_back(task);
        self.queue.arrived.notify_one();
    }

    /// Before everything that waits.
    pub(super) fn queue_first(&self, task: Task) {
        self.queue.lock().tasks.push_front(task);
        self.queue.arrived.notify_one();
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        let mut waiting = self.queue.lock();
        waiting.closed = true;
        waiting.tasks.clear();
        self.queue.arrived.notify_all();
    }
}

impl Queue {
    /// Nothing that holds the lock can leave the queue half changed.
    fn lock(&self) -> MutexGuard<'_, Waiting> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next task, as soon as there is one; nothing once the queue is closed.
    fn take(&self) -> Option<Task> {
        let mut waiting = self.lock();
        loop {
            match waiting.tasks.pop_front() {
                Some(task) => return Some(task),
                None if waiting.closed => return None,
                None => {
                    waiting = self.arrived.wait(waiting).unwrap_or_else(PoisonError::into_inner);
                }
            }
        }
    }
}

/// Until the queue is closed: take, embed, reply. Tasks whose caller has stopped waiting are skipped.
fn work(queue: &Queue, embed: &dyn Fn(&[String]) -> Vectors) {
    while let Some(task) = queue.take() {
        if task.reply.is_closed() {
            continue;
        }
        let result = catch_unwind(AssertUnwindSafe(|| embed(&task.texts)))
            .unwrap_or_else(|_| Err(Error::damaged("the model panicked on a text")));
        // The caller may have stopped waiting.
        let _ = task.reply.send(result);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[test]
    fn questions_go_first_and_abandoned_tasks_are_left() {
        let (seen, order) = mpsc::channel();
        let (open, gate) = mpsc::channel::<()>();
        let gate = Mutex::new(gate);
        let workers = Workers::start(1, move |texts| {
            gate.lock().unwrap().recv().unwrap();
            seen.send(texts[0].clone()).unwrap();
            Ok(vec![vec![1.0]])
        })
        .unwrap();
        let task = |text: &str| Task::new(vec![text.to_owned()]);
        let (running, first) = task("running");
        workers.queue(running);
        while !workers.queue.lock().tasks.is_empty() {
            thread::yield_now();
        }
        let (text, second) = task("text");
        let (abandoned, gone) = task("abandoned");
        let (question, third) = task("question");
        workers.queue(abandoned);
        workers.queue(text);
        workers.queue_first(question);
        drop(gone);
        (0..3).for_each(|_| open.send(()).unwrap());
        for result in [first, second, third] {
            assert_eq!(result.blocking_recv().unwrap().unwrap(), [[1.0]]);
        }
        assert_eq!(order.try_iter().collect::<Vec<_>>(), ["running", "question", "text"]);
    }

    #[test]
    fn a_panic_is_an_error_and_the_thread_goes_on() {
        let workers = Workers::start(1, |texts| {
            assert_ne!(texts[0], "bad");
            Ok(vec![vec![1.0]])
        })
        .unwrap();
        let ask = |text: &str| {
            let (task, result) = Task::new(vec![text.to_owned()]);
            workers.queue(task);
            result.blocking_recv().unwrap()
        };
        assert!(ask("bad").unwrap_err().message().contains("panicked"));
        assert!(ask("good").is_ok());
    }

    #[test]
    fn dropping_the_workers_ends_the_threads() {
        let held = Arc::new(());
        let shared = held.clone();
        let workers = Workers::start(3, move |_| {
            let _ = &shared;
            Ok(Vec::new())
        })
        .unwrap();
        drop(workers);
        while Arc::strong_count(&held) > 1 {
            thread::yield_now();
        }
    }
}
