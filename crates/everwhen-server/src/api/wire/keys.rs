//! API keys. The text of a key is shown only once, when it is created.

use everwhen::Result;
use everwhen::key::{self, Scope};
use everwhen::memory::{Address, Name, VaultId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::shape;

/// A key to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewKey {
    /// The vault it is for, by id or name.
    #[schema(value_type = shape::Name)]
    vault: String,
    /// Its description.
    #[schema(value_type = Option<shape::Name>)]
    label: Option<String>,
    /// Whether user headers sent with it (such as `x-openwebui-user-id`) are trusted.
    trusted: Option<bool>,
    /// Its scope; `write` if absent.
    scope: Option<ScopeName>,
    /// When it expires; it does not expire if absent.
    #[schema(value_type = Option<shape::TimeIn>)]
    expires_at: Option<String>,
}

/// What a key allows. Each scope includes the ones before it.
#[derive(Deserialize, Serialize, ToSchema, Clone, Copy)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ScopeName {
    /// Read the vault: list, get, recall, watch.
    Read,
    /// Also add, correct and forget entries, and chat through the proxy.
    Write,
    /// Also change the vault's settings, delete the vault, and read the server's metrics.
    Admin,
}

impl From<ScopeName> for Scope {
    fn from(name: ScopeName) -> Self {
        match name {
            ScopeName::Read => Self::Read,
            ScopeName::Write => Self::Write,
            ScopeName::Admin => Self::Admin,
        }
    }
}

impl From<Scope> for ScopeName {
    fn from(scope: Scope) -> Self {
        match scope {
            Scope::Read => Self::Read,
            Scope::Write => Self::Write,
            Scope::Admin => Self::Admin,
        }
    }
}

impl NewKey {
    /// The vault it is for.
    pub(crate) fn vault(&self) -> Result<Address<VaultId>> {
        Address::read("vault", &self.vault)
    }

    /// The key to create for that vault.
    pub(crate) fn read(self, vault: VaultId) -> Result<key::NewKey> {
        let usual = key::NewKey::of(vault);
        Ok(key::NewKey {
            label: self.label.map(|label| Name::new("label", label)).transpose()?,
            trusted: self.trusted.unwrap_or_default(),
            scope: self.scope.map_or(usual.scope, Scope::from),
            expires_at: super::read_time("expires_at", self.expires_at.as_deref())?,
            ..usual
        })
    }
}

/// A key, without its text.
#[derive(Serialize, ToSchema)]
pub(crate) struct Key {
    /// The id.
    #[schema(examples("key_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    id: String,
    /// The id of the vault it is for.
    vault: String,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Whether user headers sent with it are trusted.
    trusted: bool,
    /// Its scope.
    scope: ScopeName,
    /// When it expires.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::TimeOut>)]
    expires_at: Option<String>,
    /// When it was last used, to about a minute.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::TimeOut>)]
    last_used_at: Option<String>,
    /// When it was created.
    #[schema(value_type = shape::TimeOut)]
    creation_time: String,
}

impl From<key::Key> for Key {
    fn from(key: key::Key) -> Self {
        Self {
            id: key.id.to_string(),
            vault: key.vault.to_string(),
            label: key.label.map(|label| label.to_string()),
            trusted: key.trusted,
            scope: key.scope.into(),
            expires_at: key.expires_at.map(|at| at.to_string()),
            last_used_at: key.last_used_at.map(|at| at.to_string()),
            creation_time: key.creation_time.to_string(),
        }
    }
}

/// A new key.
#[derive(Serialize, ToSchema)]
pub(crate) struct MadeKey {
    /// The key.
    #[serde(flatten)]
    pub(crate) made: Key,
    /// The text of the key. Save it: it is shown only once.
    #[schema(examples("ew_2f9a…"))]
    pub(crate) key: String,
}
