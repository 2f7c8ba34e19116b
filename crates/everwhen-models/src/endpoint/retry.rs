//! How failures of an endpoint are distinguished, and which of them are waited out.
//!
//! Refusals for now (429), failures of the server (5xx) and lost connections pass; the rest does
//! not. Pauses double, and chance moves each of them, so that many clients do not come back at
//! the same moment.

use std::time::Duration;

use everwhen_engine::memory::Chance;
use reqwest::StatusCode;
use reqwest::header::{HeaderMap, RETRY_AFTER};
use serde_json::Value;

use super::secret::Secret;
use super::tries::noted;
use crate::tls;

/// Longest part of an endpoint's own explanation that is passed on.
const EXPLANATION_CHARS: usize = 200;

/// How long and how often to try.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    /// One try may take this long.
    pub timeout: Duration,
    /// Tries in all.
    pub tries: u32,
    /// The pause after the first failure; each later one is twice as long.
    pub first_pause: Duration,
    /// No pause is longer, even if the endpoint asks for it.
    pub longest_pause: Duration,
}

impl Default for RetryPolicy {
    fn default() -> Self {
        Self {
            timeout: Duration::from_secs(60),
            tries: 6,
            first_pause: Duration::from_millis(500),
            longest_pause: Duration::from_secs(30),
        }
    }
}

/// Why a try failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// No whole answer came.
    Connection { timed_out: bool, cause: String },
    /// The answer was a refusal.
    Refused {
        status: StatusCode,
        wait: Option<Duration>,
        explanation: Option<String>,
        /// Which part of the request it refuses, where it says so.
        part: Option<String>,
    },
    /// The answer was longer than any right one.
    Endless { most_bytes: usize },
}

impl RetryPolicy {
    /// A caller is waiting for the answer: one more try, soon, and no long ones.
    pub(crate) fn for_a_question(&self) -> Self {
        Self {
            timeout: self.timeout.min(Duration::from_secs(10)),
            tries: self.tries.min(2),
            longest_pause: self.longest_pause.min(Duration::from_secs(1)),
            ..*self
        }
    }

    /// Tries until it works, until it fails in a way that does not pass, or until it was enough.
    pub(crate) async fn keep_trying<T, F>(
        &self,
        chance: &dyn Chance,
        mut attempt: impl FnMut() -> F,
    ) -> Result<T, Failure>
    where
        F: Future<Output = Result<T, Failure>>,
    {
        let mut tried = 0;
        loop {
            tried += 1;
            match noted(attempt()).await {
                Err(failure) if failure.is_retryable() && tried < self.tries => {
                    let pause = self.pause(tried, failure.wait(), chance);
                    tracing::debug!(tried, ?pause, "an endpoint failed, trying again");
                    tokio::time::sleep(pause).await;
                }
                result => return result,
            }
        }
    }

    /// The pause after this many tries: between half and all of what is due, but not shorter than
    /// the endpoint asked for.
    fn pause(&self, tried: u32, asked: Option<Duration>, chance: &dyn Chance) -> Duration {
        let mut byte = [0];
        chance.fill(&mut byte);
        let doubled = self.first_pause.saturating_mul(1 << (tried - 1).min(16));
        let due = doubled.min(self.longest_pause);
        let moved = due.mul_f64(0.5 + f64::from(byte[0]) / 512.0);
        moved.max(asked.unwrap_or_default()).min(self.longest_pause)
    }
}

impl Failure {
    pub(crate) fn from_connection(error: reqwest::Error) -> Self {
        Self::Connection { timed_out: error.is_timeout(), cause: tls::cause(error) }
    }

    pub(crate) fn refused(status: StatusCode, wait: Option<Duration>, content: &[u8]) -> Self {
        let answer = serde_json::from_slice(content).unwrap_or_default();
        let part = refused_part(&answer);
        Self::Refused { status, wait, explanation: explanation(status, &answer), part }
    }

    /// Whether the same request may succeed later.
    pub(crate) fn is_retryable(&self) -> bool {
        match self {
            Self::Connection { .. } => true,
            Self::Refused { explanation: Some(code), .. } if code == "insufficient_quota" => false,
            Self::Refused { status, .. } => {
                status.is_server_error() || matches!(status.as_u16(), 408 | 429)
            }
            Self::Endless { .. } => false,
        }
    }

    /// Whether it was asked too much, and nothing else is wrong.
    pub(crate) fn is_busy(&self) -> bool {
        matches!(self, Self::Refused { status: StatusCode::TOO_MANY_REQUESTS, .. })
    }

    fn wait(&self) -> Option<Duration> {
        match self {
            Self::Refused { wait, .. } => *wait,
            _ => None,
        }
    }

    /// What happened, as the rest of a sentence about the endpoint.
    pub(crate) fn sentence(&self, retry: &RetryPolicy, key: Option<&Secret>) -> String {
        let times = if self.is_retryable() && retry.tries > 1 {
            format!(", {} times", retry.tries)
        } else {
            String::new()
        };
        match self {
            Self::Connection { timed_out: true, .. } => {
                format!("did not answer within {:?}{times}", retry.timeout)
            }
            Self::Connection { cause, .. } => format!("could not be reached{times}: {cause}"),
            Self::Endless { most_bytes } => {
                format!("gave an answer of more than {} MB, which was not read", most_bytes >> 20)
            }
            Self::Refused { status, explanation, .. } => {
                let said = explanation.as_ref().map_or(String::new(), |text| format!(": {text}"));
                let said = key.map_or(said.clone(), |key| key.hidden_in(&said));
                format!("answered {}{times}{said}{}", status.as_u16(), advice(*status))
            }
        }
    }
}

/// What to do about a refusal, where that is known.
fn advice(status: StatusCode) -> &'static str {
    match status.as_u16() {
        401 | 403 => "; check the key",
        404 => "; check the address and the name of the model",
        413 => "; send less at once",
        _ => "",
    }
}

/// What an endpoint says about its refusal. Explanations of wrong requests may quote a text, so
/// of those only the code is passed on.
fn explanation(status: StatusCode, answer: &Value) -> Option<String> {
    let error = &answer["error"];
    if status == StatusCode::NOT_FOUND {
        let message = error["message"].as_str().or(error.as_str())?;
        return Some(message.chars().take(EXPLANATION_CHARS).collect());
    }
    let code = error["code"].as_str().or(error["type"].as_str())?;
    let is_code = |c: char| c.is_ascii_alphanumeric() || c == '_';
    (code.len() <= 64 && code.chars().all(is_code)).then(|| code.to_owned())
}

/// The name of the parameter that was refused, if it is a name at all.
fn refused_part(answer: &Value) -> Option<String> {
    answer["error"]["param"].as_str().map(str::to_owned)
}

/// How long the endpoint wants to be left alone.
pub(crate) fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let seconds = headers.get(RETRY_AFTER)?.to_str().ok()?.trim().parse().ok()?;
    Some(Duration::from_secs(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Always(u8);

    impl Chance for Always {
        fn fill(&self, buffer: &mut [u8]) {
            buffer.fill(self.0);
        }
    }

    const SECOND: Duration = Duration::from_secs(1);

    fn refused(status: u16, content: &str) -> Failure {
        Failure::refused(StatusCode::from_u16(status).unwrap(), None, content.as_bytes())
    }

    #[test]
    fn pauses_double_are_moved_by_chance_and_bounded() {
        let retry = RetryPolicy { first_pause: SECOND, ..RetryPolicy::default() };
        assert_eq!(retry.pause(1, None, &Always(0)), SECOND / 2);
        assert!(retry.pause(1, None, &Always(255)) > SECOND.mul_f64(0.99));
        assert_eq!(retry.pause(3, None, &Always(0)), SECOND * 2);
        assert_eq!(retry.pause(40, None, &Always(0)), SECOND * 15);
        assert_eq!(retry.pause(1, Some(SECOND * 7), &Always(0)), SECOND * 7);
        assert_eq!(retry.pause(1, Some(SECOND * 999), &Always(0)), SECOND * 30);
    }

    #[test]
    fn only_what_passes_is_waited_out() {
        assert!(
            [408, 429, 500, 502, 503, 504].into_iter().all(|code| refused(code, "").is_retryable())
        );
        assert!(
            ![301, 400, 401, 404, 413].into_iter().any(|code| refused(code, "").is_retryable())
        );
        let spent = refused(429, r#"{"error": {"code": "insufficient_quota"}}"#);
        assert!(!spent.is_retryable() && spent.is_busy());
    }

    #[test]
    fn refusals_say_what_to_do_and_quote_neither_texts_nor_keys() {
        let key = Secret::new("sk-1");
        let say = |failure: Failure| failure.sentence(&RetryPolicy::default(), Some(&key));
        let wrong = say(refused(400, r#"{"error": {"message": "my diary", "code": "too_long"}}"#));
        assert_eq!(wrong, "answered 400: too_long");
        assert_eq!(say(refused(401, r#"{"error": "sk-1"}"#)), "answered 401; check the key");
        let missing = say(refused(404, r#"{"error": "no model \"sk-1\""}"#));
        assert!(missing.starts_with("answered 404: no model \"(key)\"; check"), "{missing}");
        assert_eq!(say(refused(503, "oops")), "answered 503, 6 times");
    }

    #[tokio::test]
    async fn trying_ends_after_so_many_times() {
        let retry = RetryPolicy { first_pause: Duration::ZERO, tries: 3, ..RetryPolicy::default() };
        let mut tried = 0;
        let attempt = || {
            tried += 1;
            async { Err::<(), _>(refused(500, "")) }
        };
        assert!(retry.keep_trying(&Always(0), attempt).await.is_err());
        assert_eq!(tried, 3);
    }

    #[tokio::test(start_paused = true)]
    async fn bug_1_each_try_is_observed_without_the_pause_behind_it() {
        let retry = RetryPolicy { first_pause: SECOND, tries: 3, ..RetryPolicy::default() };
        let work = retry.keep_trying(&Always(0), || async { Err::<(), _>(refused(500, "")) });
        let (done, tries) = super::super::observe_tries(work).await;
        assert!(done.is_err());
        assert_eq!(tries.len(), 3);
        let waited = SECOND.mul_f64(1.5);
        let in_flight: Duration = tries.iter().map(|one| one.lasted).sum();
        assert!(in_flight < waited, "{in_flight:?}");
    }
}
