//! Removes what other servers of the same store have forgotten from the places of this one.
//!
//! The server that forgets goes through its own places at once. The others are not notified: each compares epochs of
//! forgetting with the store when it uses such a text, and in any case once an hour.

use std::time::Duration;

use super::ServerState;
use super::text_places::TextPlace;

/// How often texts that are not used are compared with the store.
const SWEEP: Duration = Duration::from_secs(3600);

impl ServerState {
    /// Sweeps at the start and then once an hour, until `stop` is ready.
    pub async fn sweep_regularly(self, stop: impl Future<Output = ()>) {
        let sweeping = async {
            loop {
                self.sweep().await;
                tokio::time::sleep(SWEEP).await;
            }
        };
        tokio::select! {
            () = stop => {}
            () = sweeping => {}
        }
    }

    /// Removes what other servers have forgotten from every place of this one.
    pub async fn sweep(&self) {
        for place in TextPlace::ALL {
            self.sweep_in(place).await;
        }
    }

    async fn sweep_in(&self, place: TextPlace) {
        match place {
            // What waits there is refused by the store if it was said before a forget; an import goes on,
            // and finds its vault gone.
            TextPlace::Outbox | TextPlace::Uploads => {}
            TextPlace::LiveView => self.proxy.sweep_traces(&self.proxy_state()).await,
            TextPlace::PostponedResults => self.proxy.sweep_postponed(&self.engine).await,
            TextPlace::WorkflowFiles => {
                let Some(workflows) = self.proxy.workflows() else { return };
                if let Err(error) = workflows.forget_outdated(&self.engine).await {
                    tracing::warn!(%error, "files of workflows cannot be compared with the store");
                }
            }
        }
    }
}
