//! Metrics and the request log.
//!
//! The recorder belongs to one server and is not installed for the whole process, so that several
//! servers in one program do not share counters. Of a request, only its method, route and status
//! are recorded.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use axum::extract::{MatchedPath, Request, State};
use axum::http::{Method, StatusCode};
use axum::middleware::Next;
use axum::response::Response;
use everwhen::activity::ConversationTime;
use everwhen::job::{JobCount, JobKind, JobWait};
use everwhen::outbox::OutboxStats;
use everwhen::{Unreached, WorkerStatus};
use jiff::Timestamp;
use metrics_exporter_prometheus::{Matcher, PrometheusBuilder, PrometheusRecorder};

const REQUESTS: &str = "everwhen_http_requests_total";
const SECONDS: &str = "everwhen_http_request_duration_seconds";
const REMEMBERED: &str = "everwhen_entries_remembered_total";
const ELAPSED: &str = "everwhen_conversation_elapsed_seconds";
const ACTIVE: &str = "everwhen_conversation_active_seconds";
const IDLE: &str = "everwhen_conversation_idle_seconds";
const OUTBOX_ROWS: &str = "everwhen_outbox_rows";
const OUTBOX_BYTES: &str = "everwhen_outbox_bytes";
const OUTBOX_OLDEST: &str = "everwhen_outbox_oldest_seconds";
const OUTBOX_SET_ASIDE: &str = "everwhen_outbox_set_aside";
const WORKER_UP: &str = "everwhen_worker_up";
const WORKER_RESTARTS: &str = "everwhen_worker_restarts_total";
const JOBS: &str = "everwhen_jobs";
const DUE: &str = "everwhen_jobs_due";
const SET_ASIDE: &str = "everwhen_jobs_set_aside";
const COUNTED: &str = "everwhen_jobs_counted";
const UNREACHED: &str = "everwhen_vaults_unreached";

/// Upper bounds of the latency histogram, in seconds.
const BUCKETS: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0];

/// Upper bounds of the histograms of conversations, in seconds: from one second to a day.
const CONVERSATION_BUCKETS: [f64; 11] =
    [1.0, 5.0, 15.0, 60.0, 300.0, 900.0, 1800.0, 3600.0, 10_800.0, 43_200.0, 86_400.0];

/// Samples are buffered until they are sorted into buckets; that happens after this many requests,
/// even if the metrics are never read.
const UPKEEP_EVERY: u64 = 4096;

/// The metrics of one server.
pub(crate) struct Metrics {
    /// Made when it is first needed: it measures its clock for milliseconds, which an agent whose hook
    /// stores a prompt need not wait for.
    recorder: LazyLock<PrometheusRecorder>,
    remembered: AtomicU64,
    labels: AtomicU64,
}

impl Metrics {
    /// All counters at zero.
    pub(crate) fn new() -> Self {
        let (remembered, labels) = (AtomicU64::new(0), AtomicU64::new(0));
        Self { recorder: LazyLock::new(recorder), remembered, labels }
    }

    /// Counts stored entries.
    pub(crate) fn remembered(&self, entries: usize) {
        self.remembered.fetch_add(entries as u64, Ordering::Relaxed);
    }

    /// Records how long conversations lasted, and how much of that was active and idle.
    pub(crate) fn conversed(&self, finished: &[ConversationTime]) {
        metrics::with_local_recorder(&*self.recorder, || {
            for time in finished {
                metrics::histogram!(ELAPSED).record(time.elapsed.as_secs_f64());
                metrics::histogram!(ACTIVE).record(time.active.as_secs_f64());
                metrics::histogram!(IDLE).record(time.idle.as_secs_f64());
            }
        });
    }

    /// Records the size of the outbox.
    pub(crate) fn outbox(&self, stats: &OutboxStats, now: Timestamp) {
        let oldest = stats.oldest.map_or(0.0, |oldest| now.duration_since(oldest).as_secs_f64());
        metrics::with_local_recorder(&*self.recorder, || {
            metrics::gauge!(OUTBOX_ROWS).set(stats.rows as f64);
            metrics::gauge!(OUTBOX_BYTES).set(stats.bytes as f64);
            metrics::gauge!(OUTBOX_OLDEST).set(oldest.max(0.0));
            metrics::gauge!(OUTBOX_SET_ASIDE).set(stats.set_aside as f64);
        });
    }

    /// Records what the tasks of the worker are doing.
    pub(crate) fn worker(&self, worker: &WorkerStatus) {
        metrics::with_local_recorder(&*self.recorder, || {
            for (task, status) in worker.tasks() {
                let works = status.is_running && status.failure.is_none();
                let task = task.as_str();
                metrics::gauge!(WORKER_UP, "task" => task).set(f64::from(u8::from(works)));
                metrics::counter!(WORKER_RESTARTS, "task" => task).absolute(status.restarts);
            }
        });
    }

    /// Records the numbers of jobs, unless not all could be counted, and how many vaults cannot be reached.
    pub(crate) fn jobs(&self, counts: Option<&[JobCount]>, unreached: Option<&Unreached>) {
        let unreached = unreached.map_or(0, |unreached| unreached.vaults);
        metrics::with_local_recorder(&*self.recorder, || {
            metrics::gauge!(UNREACHED).set(unreached as f64);
            metrics::gauge!(COUNTED).set(f64::from(u8::from(counts.is_some())));
            if let Some(counts) = counts {
                record_jobs(counts);
            }
        });
    }

    /// All metrics as Prometheus text.
    pub(crate) fn render(&self) -> String {
        let remembered = self.remembered.load(Ordering::Relaxed);
        metrics::with_local_recorder(&*self.recorder, || {
            metrics::counter!(REMEMBERED).absolute(remembered);
        });
        self.recorder.handle().render()
    }

    fn answered(&self, request: &RequestLabels, status: StatusCode, took: Duration) {
        let labels = [
            ("method", request.method.to_owned()),
            ("route", request.route.clone()),
            ("status", status.as_str().to_owned()),
        ];
        metrics::with_local_recorder(&*self.recorder, || {
            metrics::counter!(REQUESTS, &labels).increment(1);
            metrics::histogram!(SECONDS, &labels).record(took.as_secs_f64());
        });
        if self.labels.fetch_add(1, Ordering::Relaxed) % UPKEEP_EVERY == UPKEEP_EVERY - 1 {
            self.recorder.handle().run_upkeep();
        }
    }
}

fn record_jobs(counts: &[JobCount]) {
    let due: u64 = counts.iter().map(|one| one.due).sum();
    let aside = counts.iter().filter(|one| one.wait == JobWait::SetAside);
    let set_aside: u64 = aside.map(|one| one.count).sum();
    metrics::gauge!(DUE).set(due as f64);
    metrics::gauge!(SET_ASIDE).set(set_aside as f64);
    for kind in JobKind::ALL.into_iter().filter(|kind| *kind != JobKind::Lock) {
        for wait in JobWait::ALL {
            let group = counts.iter().find(|one| (one.kind, one.wait) == (kind, wait));
            let labels = [("kind", kind.as_str()), ("reason", wait.as_str())];
            metrics::gauge!(JOBS, &labels).set(group.map_or(0, |group| group.count) as f64);
        }
    }
}

/// A recorder with all counters at zero.
fn recorder() -> PrometheusRecorder {
    let builder = PrometheusBuilder::new();
    let builder = builder.set_buckets(&BUCKETS).expect("the list of buckets is not empty");
    let conversations = Matcher::Prefix("everwhen_conversation_".into());
    let builder = builder
        .set_buckets_for_metric(conversations, &CONVERSATION_BUCKETS)
        .expect("the list of buckets is not empty");
    let recorder = builder.build_recorder();
    metrics::with_local_recorder(&recorder, describe);
    recorder
}

fn describe() {
    metrics::describe_counter!(REQUESTS, "Requests answered");
    metrics::describe_histogram!(SECONDS, "Time from request to answer");
    metrics::describe_counter!(REMEMBERED, "Entries stored since the start");
    metrics::describe_histogram!(ELAPSED, "Length of conversations that ended since the start");
    metrics::describe_histogram!(ACTIVE, "The part of them in which a model or tool was at work");
    metrics::describe_histogram!(IDLE, "The rest of them");
    metrics::describe_gauge!(OUTBOX_ROWS, "Exchanges of the proxy that wait to be stored");
    metrics::describe_gauge!(OUTBOX_BYTES, "Bytes in use in the outbox");
    metrics::describe_gauge!(OUTBOX_OLDEST, "Age of the oldest exchange that waits to be stored");
    metrics::describe_gauge!(OUTBOX_SET_ASIDE, "Exchanges that can never be stored");
    metrics::describe_gauge!(WORKER_UP, "Whether a task of the worker runs and gets its work done");
    metrics::describe_counter!(WORKER_RESTARTS, "How often a task of the worker died");
    metrics::describe_gauge!(JOBS, "Jobs by what they do and why they wait");
    metrics::describe_gauge!(DUE, "Jobs whose time has come");
    metrics::describe_gauge!(SET_ASIDE, "Jobs given up after too many tries");
    metrics::describe_gauge!(
        COUNTED,
        "Whether all jobs could be counted now; else the numbers are those of the last time"
    );
    metrics::describe_gauge!(UNREACHED, "Vaults that background work cannot reach now");
}

/// The labels of a request.
struct RequestLabels {
    method: &'static str,
    route: String,
}

impl RequestLabels {
    fn of(request: &Request) -> Self {
        let route = request.extensions().get::<MatchedPath>();
        Self {
            method: known_method(request.method()),
            route: route.map_or_else(|| "unknown".into(), |route| route.as_str().into()),
        }
    }
}

/// Clients can invent methods; the number of label values must not grow with them.
fn known_method(method: &Method) -> &'static str {
    const KNOWN: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    KNOWN.into_iter().find(|known| *known == method.as_str()).unwrap_or("other")
}

/// Counts and logs every request.
pub(crate) async fn watch(
    State(metrics): State<Arc<Metrics>>,
    request: Request,
    next: Next,
) -> Response {
    let labels = RequestLabels::of(&request);
    let begun = Instant::now();
    let response = next.run(request).await;
    let (status, took) = (response.status(), begun.elapsed());
    metrics.answered(&labels, status, took);
    let milliseconds = took.as_secs_f64() * 1000.0;
    tracing::info!(
        method = labels.method,
        route = labels.route,
        status = status.as_u16(),
        milliseconds,
        "answered"
    );
    response
}
