//! Models with a meter: what a workflow asks for a vault is in that vault's usage, and is refused once the month's
//! money is spent.

use std::sync::Arc;

use everwhen::models::OnText;
use everwhen::ports::Wait;
use everwhen::{ErrorKind, Result, Vault};

use crate::port::{Endpoints, ModelReply, Question};

/// What the calls of workflows are kept under in the usage of a vault.
pub(crate) const PURPOSE: &str = "workflow";

/// The models, with usage counted for one vault.
pub(crate) struct MeteredEndpoints {
    endpoints: Arc<dyn Endpoints>,
    vault: Vault,
}

impl MeteredEndpoints {
    /// Puts a meter before models; without a vault there is no account to charge.
    pub(crate) fn over(
        endpoints: &Arc<dyn Endpoints>,
        vault: Option<&Vault>,
    ) -> Arc<dyn Endpoints> {
        let endpoints = Arc::clone(endpoints);
        match vault.cloned() {
            Some(vault) => Arc::new(Self { endpoints, vault }),
            None => endpoints,
        }
    }

    async fn counted(&self, question: &Question<'_>, on_text: OnText<'_>) -> Result<ModelReply> {
        match self.vault.check_money().await {
            Err(error) if error.kind() == ErrorKind::Busy => return Err(error),
            // A chat is answered though its memory cannot be reached.
            Err(error) => tracing::warn!(%error, "what models have cost cannot be read"),
            Ok(()) => {}
        }
        let reply = self.endpoints.ask(question, on_text).await?;
        if let Err(error) = self.vault.note_spent(PURPOSE, &reply.model, reply.spent).await {
            tracing::warn!(%error, "what a model took could not be noted");
        }
        Ok(reply)
    }
}

impl Endpoints for MeteredEndpoints {
    fn ask<'a>(&'a self, question: &'a Question<'a>, on_text: OnText<'a>) -> Wait<'a, ModelReply> {
        Box::pin(self.counted(question, on_text))
    }
}
