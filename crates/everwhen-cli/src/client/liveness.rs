//! Waiting for a server that may be slow, and not for one that is stopped.
//!
//! A request may take long: an index of a million entries is built, a file of gigabytes is read. A server that works
//! answers `/healthz` meanwhile, whatever else it does. One that is stopped, or whose machine is gone, does not.

use std::pin::pin;
use std::time::Duration;

use super::Remote;
use crate::failure::{Failure, Result};

/// How long a request may take before the server is asked whether it is there, and how often.
const PAUSE: Duration = Duration::from_secs(10);
/// How long it may take to say so.
const PATIENCE: Duration = Duration::from_secs(10);

impl Remote {
    /// Waits for an answer for as long as the server is there. That it cannot be reached is a failure, too.
    pub(super) async fn answered<T>(
        &self,
        answer: impl Future<Output = Result<T, reqwest::Error>>,
    ) -> Result<T> {
        self.while_alive(answer).await?.map_err(|error| self.unreachable(&error))
    }

    /// Waits for an answer for as long as the server is there.
    pub(crate) async fn while_alive<T>(&self, answer: impl Future<Output = T>) -> Result<T> {
        let mut answer = pin!(answer);
        loop {
            let silence = async {
                tokio::time::sleep(PAUSE).await;
                self.is_silent().await
            };
            tokio::select! {
                answer = &mut answer => return Ok(answer),
                is_silent = silence => if is_silent {
                    return Err(self.silence());
                },
            }
        }
    }

    /// Whether the server answers nothing in time. A refusal is an answer.
    async fn is_silent(&self) -> bool {
        let asked = self.http.get(format!("{}/healthz", self.url)).timeout(PATIENCE).send().await;
        asked.is_err_and(|error| error.is_timeout())
    }

    fn silence(&self) -> Failure {
        Failure::new(format!(
            "the server at {} accepts connections and answers nothing, not even /healthz within {} s: it is stopped \
             (kill -CONT goes on with it) or hangs. What was sent may still be carried out",
            self.url,
            PATIENCE.as_secs()
        ))
    }
}
