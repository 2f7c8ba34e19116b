//! What a provider turned out not to take, learnt from its refusals.
//!
//! Newer models want `max_completion_tokens` and no temperature; some servers know no schemas.
//! They say so with 400; the request is sent again without it, and the next ones from the start.

use std::sync::atomic::{AtomicBool, Ordering};

use crate::endpoint::Failure;

/// What is known to be refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Taken {
    /// `max_completion_tokens` is the name, not `max_tokens`.
    pub(super) completion_tokens: bool,
    /// No temperature is to be set.
    pub(super) no_temperature: bool,
    /// No schema can be given.
    pub(super) no_schema: bool,
    /// Tokens of answers in pieces are not counted.
    pub(super) no_counting: bool,
}

/// What a provider does not take, shared by all requests.
#[derive(Debug, Default)]
pub(super) struct Quirks {
    completion_tokens: AtomicBool,
    no_temperature: AtomicBool,
    no_schema: AtomicBool,
    no_counting: AtomicBool,
}

impl Quirks {
    pub(super) fn now(&self) -> Taken {
        Taken {
            completion_tokens: self.completion_tokens.load(Ordering::Relaxed),
            no_temperature: self.no_temperature.load(Ordering::Relaxed),
            no_schema: self.no_schema.load(Ordering::Relaxed),
            no_counting: self.no_counting.load(Ordering::Relaxed),
        }
    }

    /// Whether a refusal of a request made as `taken` says something new, so that asking again helps.
    pub(super) fn learn(&self, taken: Taken, failure: &Failure, with_schema: bool) -> bool {
        let Failure::Refused { status, part, .. } = failure else { return false };
        if !matches!(status.as_u16(), 400 | 422) {
            return false;
        }
        let (quirk, known) = match part.as_deref() {
            Some("max_tokens") => (&self.completion_tokens, taken.completion_tokens),
            Some("temperature") => (&self.no_temperature, taken.no_temperature),
            Some("stream_options") => (&self.no_counting, taken.no_counting),
            _ if with_schema => (&self.no_schema, taken.no_schema),
            _ => return false,
        };
        quirk.store(true, Ordering::Relaxed);
        !known
    }
}

#[cfg(test)]
mod tests {
    use reqwest::StatusCode;

    use super::*;

    fn refused(status: u16, part: Option<&str>) -> Failure {
        let content = serde_json::json!({"error": {"param": part}}).to_string();
        Failure::refused(StatusCode::from_u16(status).unwrap(), None, content.as_bytes())
    }

    #[test]
    fn each_refusal_teaches_once() {
        let quirks = Quirks::default();
        assert!(quirks.learn(quirks.now(), &refused(400, Some("max_tokens")), true));
        assert!(!quirks.learn(quirks.now(), &refused(400, Some("max_tokens")), true));
        assert!(quirks.learn(quirks.now(), &refused(400, Some("temperature")), true));
        assert!(quirks.learn(quirks.now(), &refused(422, None), true));
        assert!(!quirks.learn(quirks.now(), &refused(422, None), false));
        assert!(quirks.learn(quirks.now(), &refused(400, Some("stream_options")), false));
        let all = Taken {
            completion_tokens: true,
            no_temperature: true,
            no_schema: true,
            no_counting: true,
        };
        assert_eq!(quirks.now(), all);
    }

    #[test]
    fn other_failures_teach_nothing() {
        let quirks = Quirks::default();
        assert!(!quirks.learn(quirks.now(), &refused(500, Some("max_tokens")), true));
        assert!(!quirks.learn(quirks.now(), &refused(400, None), false));
        assert_eq!(quirks.now(), Taken::default());
    }
}
