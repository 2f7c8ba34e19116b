//! Who is calling, and which vaults they may hold.
//!
//! Three kinds of callers: the operator (by token) may do everything; the holder of a key has one
//! vault; and as long as no key has ever been seen, anyone may use every vault, but not what only
//! the operator may do. Once a key has been seen the door stays closed to the nameless, even when
//! that key is removed: taking a key away must not open anything.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::{Duration, Instant};

use axum::extract::FromRequestParts;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderValue};
use everwhen::key::{Key, KeyHash};
use everwhen::memory::{Address, VaultId};
use everwhen::{Engine, Error, ErrorKind, Result, Vault};
use subtle::ConstantTimeEq;

use crate::Door;
use crate::problem::{Cause, Problem};

/// The header for those who cannot set `Authorization`.
const API_KEY: &str = "x-api-key";
/// The header for those whose `Authorization` is for the model provider behind the proxy.
const OWN_KEY: &str = "x-everwhen-key";
/// A caller nobody knows may hold a key that another process has just added; so look, but not
/// more often than this.
const LOOK_AGAIN: Duration = Duration::from_secs(1);
/// A key that another process removed stops working after this.
const STALE: Duration = Duration::from_secs(30);

/// Who a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Caller {
    Operator,
    Holder(VaultId),
    Anyone,
}

/// What is known of keys and of the operator.
pub(crate) struct Access {
    operator: Option<String>,
    known: RwLock<Arc<Known>>,
    /// Held while keys are read, so that an older reading never replaces a newer one.
    reading: tokio::sync::Mutex<()>,
}

/// Somebody at the proxy, where a credential may be meant for whoever is behind it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Guest {
    pub(crate) caller: Caller,
    /// What their key is called.
    pub(crate) label: Option<String>,
    /// Whether they may say on whose behalf they speak.
    pub(crate) is_trusted: bool,
    /// Whether what they show in `Authorization` or `x-api-key` was not for us.
    pub(crate) credential_travels: bool,
}

/// The keys at one moment, by the first bytes of their hashes.
struct Known {
    keys: HashMap<[u8; 8], Vec<Key>>,
    closed: bool,
    since: Instant,
}

impl Known {
    fn new(all: &[Key], was_closed: bool) -> Self {
        let mut keys: HashMap<[u8; 8], Vec<Key>> = HashMap::new();
        for key in all {
            keys.entry(shelf(&key.hash)).or_default().push(key.clone());
        }
        Self { keys, closed: was_closed || !all.is_empty(), since: Instant::now() }
    }

    /// The key with this text. Where hashes begin alike they are compared whole, in constant time.
    fn key(&self, text: &str) -> Option<&Key> {
        let hash = KeyHash::of(text);
        self.keys.get(&shelf(&hash))?.iter().find(|key| key.hash == hash)
    }
}

fn shelf(hash: &KeyHash) -> [u8; 8] {
    let mut first = [0; 8];
    first.copy_from_slice(&hash.as_bytes()[..8]);
    first
}

impl Access {
    /// Reads the keys.
    pub(crate) async fn load(engine: &Engine, operator: Option<String>) -> Result<Self> {
        let known = Known::new(&engine.keys().await?, false);
        let reading = tokio::sync::Mutex::new(());
        let operator = operator.filter(|token| !token.is_empty());
        Ok(Self { operator, known: RwLock::new(Arc::new(known)), reading })
    }

    /// Shuts the door to the nameless, though no key was ever seen.
    pub(crate) fn close(&self) {
        let known = self.known();
        let closed = Known { keys: known.keys.clone(), closed: true, since: known.since };
        *self.known.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(closed);
    }

    /// Reads the keys anew, after a change.
    pub(crate) async fn refresh(&self, engine: &Engine) -> Result<()> {
        self.read_if(engine, |_| true).await
    }

    async fn read_if(&self, engine: &Engine, needed: impl Fn(&Known) -> bool) -> Result<()> {
        let _reading = self.reading.lock().await;
        let known = self.known();
        if needed(&known) {
            let fresh = Arc::new(Known::new(&engine.keys().await?, known.closed));
            *self.known.write().unwrap_or_else(PoisonError::into_inner) = fresh;
        }
        Ok(())
    }

    fn known(&self) -> Arc<Known> {
        Arc::clone(&self.known.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Who sends these headers.
    async fn caller(&self, engine: &Engine, headers: &HeaderMap) -> Result<Caller, Problem> {
        let credential = credential(headers)?;
        if let Some(text) = credential
            && self.is_operator(text)
        {
            return Ok(Caller::Operator);
        }
        let known = self.known();
        let first = recognize(&known, credential);
        let trusted_for = if matches!(first, Ok(Caller::Holder(_))) { STALE } else { LOOK_AGAIN };
        if known.since.elapsed() < trusted_for {
            return first;
        }
        self.read_if(engine, |known| known.since.elapsed() >= trusted_for).await?;
        recognize(&self.known(), credential)
    }

    /// Who sends these headers through the proxy. As long as there are no keys, anyone may, and
    /// whatever they show is for somebody else. A store that cannot be read does not stop those
    /// who were known before.
    pub(crate) async fn guest(
        &self,
        engine: &Engine,
        headers: &HeaderMap,
    ) -> Result<Guest, Problem> {
        let own = headers.get(OWN_KEY).and_then(|value| value.to_str().ok()).map(str::trim);
        let shown = own.or_else(|| credential(headers).ok().flatten());
        if self.known().since.elapsed() >= LOOK_AGAIN {
            let looked = self.read_if(engine, |known| known.since.elapsed() >= LOOK_AGAIN).await;
            looked.unwrap_or_else(|error| tracing::warn!(%error, "keys cannot be read now"));
        }
        let known = self.known();
        let mut guest = Guest {
            caller: Caller::Anyone,
            label: None,
            is_trusted: false,
            credential_travels: own.is_some() || !known.closed,
        };
        match shown {
            Some(text) if self.is_operator(text) => {
                guest.caller = Caller::Operator;
                guest.credential_travels = own.is_some();
            }
            shown if known.closed => {
                guest.caller = recognize(&known, shown)?;
                let key = shown.and_then(|text| known.key(text));
                guest.label = key.and_then(|key| key.label.as_ref()).map(ToString::to_string);
                guest.is_trusted = key.is_some_and(|key| key.trusted);
            }
            _ => {}
        }
        Ok(guest)
    }

    fn is_operator(&self, text: &str) -> bool {
        let token = self.operator.as_deref();
        token.is_some_and(|token| token.as_bytes().ct_eq(text.as_bytes()).into())
    }
}

fn recognize(known: &Known, credential: Option<&str>) -> Result<Caller, Problem> {
    match credential {
        Some(text) => known.key(text).map(|key| Caller::Holder(key.vault)).ok_or_else(|| {
            unauthenticated("this key opens nothing here; it may have been removed")
        }),
        None if known.closed => Err(unauthenticated(
            "a key is needed; send it as \"Authorization: Bearer KEY\" or as \"x-api-key: KEY\"",
        )),
        None => Ok(Caller::Anyone),
    }
}

/// The key or token a request carries.
fn credential(headers: &HeaderMap) -> Result<Option<&str>, Problem> {
    let readable = |value: &HeaderValue| value.to_str().is_ok();
    if let Some(value) = headers.get(AUTHORIZATION) {
        let (scheme, text) = value.to_str().ok().and_then(|text| text.split_once(' ')).unzip();
        return match (scheme, text.map(str::trim)) {
            (Some(scheme), Some(text)) if scheme.eq_ignore_ascii_case("bearer") => Ok(Some(text)),
            _ => Err(unauthenticated("cannot read Authorization; write \"Bearer KEY\"")),
        };
    }
    match headers.get(API_KEY) {
        Some(value) if !readable(value) => {
            Err(unauthenticated("cannot read x-api-key; write the key as it was shown"))
        }
        value => Ok(value.and_then(|value| value.to_str().ok())),
    }
}

fn unauthenticated(detail: &str) -> Problem {
    Problem::new(Cause::Unauthenticated, detail)
}

impl FromRequestParts<Door> for Caller {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        door.access.caller(&door.engine, &parts.headers).await
    }
}

impl Caller {
    /// The vault at this address, if it is one the caller may hold; else there is none.
    pub(crate) async fn vault(self, engine: &Engine, address: Address<VaultId>) -> Result<Vault> {
        let hidden = Error::not_found(format!("vault not found: {address}"));
        let vault = engine.vault(address).await?;
        match self {
            Self::Holder(own) if own != vault.id() => Err(hidden),
            _ => Ok(vault),
        }
    }

    /// The same, but one that does not exist yet is made by its first write. The holder of a key
    /// makes none.
    pub(crate) async fn vault_to_write(
        self,
        engine: &Engine,
        address: Address<VaultId>,
    ) -> Result<Vault> {
        match self {
            Self::Holder(_) => self.vault(engine, address).await,
            Self::Operator | Self::Anyone => engine.vault_to_write(address).await,
        }
    }

    /// Refuses the holder of a key, who has one vault and no say over others.
    pub(crate) fn over_all_vaults(self) -> Result<(), Problem> {
        match self {
            Self::Holder(_) => Err(denied("a key opens one vault; this takes the operator")),
            Self::Operator | Self::Anyone => Ok(()),
        }
    }
}

fn denied(detail: &str) -> Problem {
    Problem::new(Cause::Engine(ErrorKind::Denied), detail)
}

/// Proof that the operator is calling.
pub(crate) struct Operator;

impl FromRequestParts<Door> for Operator {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, door: &Door) -> Result<Self, Problem> {
        match Caller::from_request_parts(parts, door).await? {
            Caller::Operator => Ok(Self),
            Caller::Holder(_) => Err(denied("only the operator may do this, not a key's holder")),
            Caller::Anyone => Err(unauthenticated("only the operator may do this; send its token")),
        }
    }
}
