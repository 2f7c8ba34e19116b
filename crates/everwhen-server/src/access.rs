//! Authentication: who sends a request, and what they may do.
//!
//! There are four kinds of callers. The operator, who sends the server's token, may do everything.
//! The holder of an API key may use one vault, as far as the key's scope allows and until the key
//! expires. While there are no keys, anyone may use every vault, but not what is reserved for the
//! operator. Once a key has been seen, requests without one are rejected until the server is
//! restarted, even when that key is removed: removing a key must not open a running server.
//!
//! Keys are looked up in memory ([`known`]). A task keeps that copy up to date ([`refresh`]), so
//! authentication never waits for the store; only an unknown key triggers one more read, for a
//! bounded time. When the store cannot be read, known keys keep working.

mod credential;
mod known;
mod refresh;
mod scope;

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use everwhen::key::{Key, Scope};
use everwhen::memory::{Address, KeyId, VaultId};
use everwhen::{Engine, Error, ErrorKind, Result, Vault};
use jiff::Timestamp;
use subtle::ConstantTimeEq;

use self::credential::{OWN_KEY, credential};
use self::known::{KnownKey, KnownKeys};
use self::refresh::Refresh;
use crate::error::{Cause, RequestError};

pub(crate) use scope::needed;

/// How long a request with an unknown key waits at most while keys are read again.
const UNKNOWN_KEY_TIMEOUT: Duration = Duration::from_secs(1);

/// Who a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    Operator,
    /// The holder of a key: their vault, and what the key allows.
    Holder(VaultId, Scope),
    Anyone,
}

/// A caller of the proxy, whose credential may be meant for the upstream.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ProxyCaller {
    pub(crate) caller: Caller,
    /// The label of their key.
    pub(crate) label: Option<String>,
    /// Whether the user headers they send are trusted.
    pub(crate) is_trusted: bool,
    /// Whether the credential they sent is not one of ours and may be forwarded to an upstream.
    pub(crate) credential_travels: bool,
}

/// The API keys and the operator's token.
pub(crate) struct Access {
    engine: Engine,
    operator: Option<String>,
    known: RwLock<Arc<KnownKeys>>,
    refresh: Arc<Refresh>,
}

/// What a credential was identified as.
enum CredentialKind {
    Operator,
    Key(KnownKey),
    Expired(Timestamp),
    Unknown,
    Absent,
}

impl Access {
    /// Loads the keys, and keeps them up to date until the result is dropped.
    pub(crate) async fn load(engine: &Engine, operator: Option<String>) -> Result<Arc<Self>> {
        let known = KnownKeys::new(&engine.keys().await?);
        let access = Arc::new(Self {
            engine: engine.clone(),
            operator: operator.filter(|token| !token.is_empty()),
            known: RwLock::new(Arc::new(known)),
            refresh: Arc::default(),
        });
        refresh::start(&access);
        Ok(access)
    }

    /// Rejects requests without a key from now on, even if there are no keys yet.
    pub(crate) fn require_key(&self) {
        self.change(KnownKeys::requiring);
    }

    /// Whether requests without a key are accepted.
    pub(crate) fn is_open(&self) -> bool {
        !self.known().is_key_required()
    }

    /// Records that a key was added through this server.
    pub(crate) fn added(&self, key: &Key) {
        self.change(|known| known.with(key));
    }

    /// Records that a key was removed through this server.
    pub(crate) fn removed(&self, id: KeyId) {
        self.change(|known| known.without(|key| key.id == id));
    }

    /// Records that a vault and its keys were removed through this server.
    pub(crate) fn removed_vault(&self, vault: VaultId) {
        self.change(|known| known.without(|key| key.vault == vault));
    }

    /// When each key was last used, as far as this server knows.
    pub(crate) fn last_uses(&self) -> HashMap<KeyId, Timestamp> {
        let known = self.known();
        known.all().filter_map(|known| Some((known.key.id, known.last_use()?))).collect()
    }

    fn known(&self) -> Arc<KnownKeys> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&KnownKeys) -> KnownKeys) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        *known = Arc::new(change(&known));
    }

    /// Replaces the keys by what was read from the store, unless keys were changed through this
    /// server since the read began, which may miss that change. Returns whether they were replaced.
    fn take_over(&self, before: &KnownKeys, read: &[Key]) -> bool {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let is_current = known.revision() == before.revision();
        if is_current {
            *known = Arc::new(known.replaced_by(read));
        }
        is_current
    }

    fn find(&self, credential: Option<&str>) -> CredentialKind {
        let Some(text) = credential else { return CredentialKind::Absent };
        if self.is_operator(text) {
            return CredentialKind::Operator;
        }
        let (known, now) = (self.known(), self.engine.now());
        match known.by_text(text) {
            None => CredentialKind::Unknown,
            Some(found) => match found.key.expires_at.filter(|_| found.key.has_expired(now)) {
                Some(at) => CredentialKind::Expired(at),
                None => {
                    found.note_use(now);
                    CredentialKind::Key(found.clone())
                }
            },
        }
    }

    /// Like [`find`](Self::find), but reads the keys again if the credential is unknown, because
    /// another process may have just added it. Waits no longer than `patience`.
    async fn find_within(
        &self,
        credential: Option<&str>,
        patience: Duration,
    ) -> Result<CredentialKind, RequestError> {
        let found = self.find(credential);
        if !matches!(found, CredentialKind::Unknown) {
            return Ok(found);
        }
        let is_current = self.refresh.run(patience).await;
        match self.find(credential) {
            CredentialKind::Unknown if !is_current => Err(RequestError::new(
                Cause::Engine(ErrorKind::Unavailable),
                "unknown API key; it may be new, but the store that holds keys cannot be read now",
            )),
            found => Ok(found),
        }
    }

    /// The caller with these headers, without reading keys again. `None` if they would be rejected.
    pub(crate) fn known_caller(&self, headers: &HeaderMap) -> Option<Caller> {
        self.recognized(&self.find(credential(headers).ok()?)).ok()
    }

    /// Authenticates the caller with these headers.
    async fn caller(&self, headers: &HeaderMap) -> Result<Caller, RequestError> {
        self.recognized(&self.find_within(credential(headers)?, UNKNOWN_KEY_TIMEOUT).await?)
    }

    fn recognized(&self, found: &CredentialKind) -> Result<Caller, RequestError> {
        match found {
            CredentialKind::Operator => Ok(Caller::Operator),
            CredentialKind::Key(known) => Ok(Caller::Holder(known.key.vault, known.key.scope)),
            CredentialKind::Expired(at) => {
                Err(unauthenticated(format!("this API key expired at {at}; ask for a new one")))
            }
            CredentialKind::Unknown => {
                Err(unauthenticated("unknown API key; it may have been removed"))
            }
            CredentialKind::Absent if self.known().is_key_required() => Err(unauthenticated(
                "an API key is required; send it as \"Authorization: Bearer KEY\" or as \
                 \"x-api-key: KEY\"",
            )),
            CredentialKind::Absent => Ok(Caller::Anyone),
        }
    }

    /// Authenticates a caller of the proxy. While there are no keys, anyone may call it, and a
    /// credential they send is for the upstream.
    pub(crate) async fn proxy_caller(
        &self,
        headers: &HeaderMap,
        patience: Duration,
    ) -> Result<ProxyCaller, RequestError> {
        let own = headers.get(OWN_KEY).and_then(|value| value.to_str().ok()).map(str::trim);
        let shown = own.or_else(|| credential(headers).ok().flatten());
        let found = match self.find(shown) {
            CredentialKind::Unknown if self.known().is_key_required() => {
                self.find_within(shown, patience).await?
            }
            found => found,
        };
        let is_open = !self.known().is_key_required();
        let caller = match &found {
            CredentialKind::Unknown if is_open => Caller::Anyone,
            found => self.recognized(found)?,
        };
        let key = match &found {
            CredentialKind::Key(known) => Some(&known.key),
            _ => None,
        };
        Ok(ProxyCaller {
            caller,
            label: key.and_then(|key| key.label.as_ref()).map(ToString::to_string),
            is_trusted: key.is_some_and(|key| key.trusted),
            credential_travels: own.is_some() || caller == Caller::Anyone,
        })
    }

    fn is_operator(&self, text: &str) -> bool {
        let token = self.operator.as_deref();
        token.is_some_and(|token| token.as_bytes().ct_eq(text.as_bytes()).into())
    }
}

impl Drop for Access {
    fn drop(&mut self) {
        self.refresh.wake();
    }
}

fn unauthenticated(detail: impl Into<String>) -> RequestError {
    RequestError::new(Cause::Unauthenticated, detail)
}

fn denied(detail: impl Into<String>) -> RequestError {
    RequestError::new(Cause::Engine(ErrorKind::Denied), detail)
}

impl<S: Send + Sync> FromRequestParts<S> for Caller
where
    Arc<Access>: FromRef<S>,
{
    type Rejection = RequestError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, RequestError> {
        Arc::<Access>::from_ref(state).caller(&parts.headers).await
    }
}

impl Caller {
    /// Opens the vault at this address; "not found" if it does not exist or the caller may not use
    /// it.
    pub(crate) async fn vault(self, engine: &Engine, address: Address<VaultId>) -> Result<Vault> {
        let hidden = Error::not_found(format!("vault not found: {address}"));
        let vault = engine.vault(address).await?;
        match self {
            Self::Holder(own, _) if own != vault.id() => Err(hidden),
            _ => Ok(vault),
        }
    }

    /// Like [`vault`](Self::vault), but creates the vault if it does not exist. The holder of a key
    /// cannot create one.
    pub(crate) async fn vault_to_write(
        self,
        engine: &Engine,
        address: Address<VaultId>,
    ) -> Result<Vault> {
        match self {
            Self::Holder(..) => self.vault(engine, address).await,
            Self::Operator | Self::Anyone => engine.vault_to_write(address).await,
        }
    }

    /// Rejects the holder of a key whose scope does not include `needed`.
    pub(crate) fn require(self, needed: Scope) -> Result<()> {
        match self {
            Self::Holder(_, scope) if scope < needed => Err(Error::new(
                ErrorKind::Denied,
                format!(
                    "this API key has scope {:?}; this needs a key with scope {:?}",
                    scope.as_str(),
                    needed.as_str()
                ),
            )),
            _ => Ok(()),
        }
    }

    /// Rejects the holder of a key, who may use only one vault.
    pub(crate) fn over_all_vaults(self) -> Result<(), RequestError> {
        match self {
            Self::Holder(..) => {
                Err(denied("an API key is for one vault; this needs the operator's token"))
            }
            Self::Operator | Self::Anyone => Ok(()),
        }
    }
}

/// Extractor that rejects everyone but the operator.
pub(crate) struct Operator;

impl<S: Send + Sync> FromRequestParts<S> for Operator
where
    Arc<Access>: FromRef<S>,
{
    type Rejection = RequestError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, RequestError> {
        match Caller::from_request_parts(parts, state).await? {
            Caller::Operator => Ok(Self),
            Caller::Holder(..) => {
                Err(denied("only the operator may do this, not the holder of an API key"))
            }
            Caller::Anyone => Err(unauthenticated("only the operator may do this; send its token")),
        }
    }
}
