//! The model providers: which one answers, and how it is asked.
//!
//! A request is answered by an upstream, or by something local that is called like a model. Both
//! implement [`Responder`]; callers need not know which.

use std::pin::Pin;
use std::sync::Arc;

use axum::body::Bytes;
use axum::http::{HeaderMap, Method, StatusCode};
use everwhen::ledger::Commit;
use everwhen::{Result, Upstream};
use everwhen_protocols::Protocol;

use super::egress::{Provider, Target};
use super::refusal::Refusal;
use super::workflow::WorkflowInput;

/// A call to an upstream.
pub(crate) struct UpstreamCall {
    /// The client's protocol.
    pub(crate) protocol: Protocol,
    pub(crate) method: Method,
    /// Where it goes below the upstream's base URL.
    pub(crate) target: Target,
    pub(crate) headers: HeaderMap,
    /// Whether the credential in the headers was not for us.
    pub(crate) with_credentials: bool,
    /// Whether it goes to the upstream that answers when no other is named.
    pub(crate) is_usual: bool,
    pub(crate) body: Bytes,
    /// The input of a local responder, such as a workflow.
    pub(crate) talk: Option<WorkflowInput>,
}

/// What comes back; the body may still be on its way.
pub(crate) struct UpstreamResponse {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: axum::body::Body,
}

/// The future of an answer.
pub(crate) type ResponseFuture =
    Pin<Box<dyn Future<Output = Result<UpstreamResponse, Refusal>> + Send>>;

/// Answers as a model provider does.
pub(crate) trait Responder: Send + Sync {
    /// Its name.
    fn name(&self) -> &str;

    /// The protocol it speaks.
    fn kind(&self) -> Protocol;

    /// How the time of its reply is settled, if it is local and answers under the name of this model. A local
    /// responder gets the times of messages as data instead of stamps and a memory block.
    fn local(&self, _model: &str) -> Option<Commit> {
        None
    }

    /// Whether it answers for a model that is named without a provider.
    fn serves(&self, _model: &str) -> bool {
        false
    }

    /// Whether it answers for any model where there is no upstream.
    fn serves_any(&self) -> bool {
        false
    }

    /// Whether it is asked with a key of the operator's.
    fn has_own_key(&self) -> bool {
        false
    }

    /// Sends it the call.
    fn ask(&self, call: UpstreamCall) -> ResponseFuture;
}

/// All responders, the default first.
#[derive(Default)]
pub(crate) struct Responders(Vec<Arc<dyn Responder>>);

/// Who answers a request, and what the model is called there.
pub(crate) struct ChosenResponder {
    pub(crate) responder: Arc<dyn Responder>,
    /// The model without the name of its provider, if that stood before it.
    pub(crate) model: Option<String>,
    /// Whether it is the one that answers when no other is named.
    pub(crate) is_usual: bool,
}

impl Responders {
    /// Providers for these upstreams.
    pub(crate) fn new(upstreams: &[Upstream]) -> Result<Self> {
        let provider = |one: &Upstream| Ok(Arc::new(Provider::new(one.clone())?) as Arc<_>);
        Ok(Self(upstreams.iter().map(provider).collect::<Result<_>>()?))
    }

    /// Returns these with another responder, which answers only when named.
    #[must_use]
    pub(crate) fn with(mut self, local: Option<Arc<dyn Responder>>) -> Self {
        self.0.extend(local);
        self
    }

    /// Whether there is no responder.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Who answers: the one that is named, by a header or before a model's name, else the first
    /// that speaks one of these protocols, the best first.
    pub(crate) fn choose(
        &self,
        header: Option<&str>,
        model: Option<&str>,
        kinds: &[Protocol],
    ) -> Result<ChosenResponder, Refusal> {
        if self.0.is_empty() {
            return Err(Refusal::new(StatusCode::SERVICE_UNAVAILABLE, "no_upstream", NO_UPSTREAM));
        }
        let named = |name: &str| {
            let able = self.0.iter().filter(|one| kinds.contains(&one.kind()));
            able.into_iter().find(|one| one.name() == name).cloned()
        };
        let (responder, model) = if let Some(name) = header {
            (named(name).ok_or_else(|| self.unknown(name, kinds))?, None)
        } else if let Some((responder, model)) = model.and_then(|model| {
            let (name, model) = model.split_once('/')?;
            Some((named(name)?, model.to_owned()))
        }) {
            (responder, Some(model))
        } else if let Some(local) = model.and_then(|model| self.serving(model, kinds)) {
            (local, None)
        } else {
            let usual = self.usual(kinds).cloned().or_else(|| self.standing_in(kinds));
            (usual.ok_or_else(|| self.speechless(kinds))?, None)
        };
        Ok(ChosenResponder { is_usual: self.is_usual(&responder, kinds), responder, model })
    }

    /// Something local that answers for a model by its bare name.
    fn serving(&self, model: &str, kinds: &[Protocol]) -> Option<Arc<dyn Responder>> {
        let able = self.0.iter().filter(|one| kinds.contains(&one.kind()));
        able.into_iter().find(|one| one.serves(model)).cloned()
    }

    /// Something local that answers for any model, where there is no upstream.
    fn standing_in(&self, kinds: &[Protocol]) -> Option<Arc<dyn Responder>> {
        let able = self.0.iter().filter(|one| kinds.contains(&one.kind()));
        able.into_iter().find(|one| one.serves_any()).cloned()
    }

    /// Who answers in these protocols when the model names none, the best protocol first.
    fn usual(&self, kinds: &[Protocol]) -> Option<&Arc<dyn Responder>> {
        let others = self.0.iter().filter(|one| one.local("").is_none());
        kinds.iter().find_map(|kind| others.clone().find(|one| one.kind() == *kind))
    }

    /// Whether this is who answers in these protocols when the model names none.
    pub(crate) fn is_usual(&self, one: &Arc<dyn Responder>, kinds: &[Protocol]) -> bool {
        self.usual(kinds).is_some_and(|usual| Arc::ptr_eq(usual, one))
    }

    /// All that speak one of these protocols, the usual one first; or the one that is named.
    pub(crate) fn able(
        &self,
        header: Option<&str>,
        kinds: &[Protocol],
    ) -> Result<Vec<Arc<dyn Responder>>, Refusal> {
        let usual = self.choose(header, None, kinds)?.responder;
        let others = self.0.iter().filter(|one| header.is_none() && kinds.contains(&one.kind()));
        let others = others.filter(|one| !Arc::ptr_eq(one, &usual)).cloned();
        Ok(std::iter::once(Arc::clone(&usual)).chain(others).collect())
    }

    fn unknown(&self, name: &str, kinds: &[Protocol]) -> Refusal {
        let able = self.0.iter().filter(|one| kinds.contains(&one.kind()));
        let names: Vec<&str> = able.map(|one| one.name()).collect();
        let known = names.join(", ");
        Refusal::not_found(format!("no upstream {name:?} answers this; there are: {known}"))
    }

    fn speechless(&self, kinds: &[Protocol]) -> Refusal {
        let wanted: Vec<&str> = kinds.iter().map(|kind| kind.as_str()).collect();
        Refusal::not_found(format!(
            "no upstream of kind {} is configured; add an [[upstream]] of that kind",
            wanted.join(" or ")
        ))
    }
}

const NO_UPSTREAM: &str = "no upstream is configured; start with: everwhen serve --upstream \
                           http://localhost:8080/v1";
