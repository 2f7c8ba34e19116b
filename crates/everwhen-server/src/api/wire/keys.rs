//! Keys on the wire. The text of a key is there once, when it is made.

use everwhen::Result;
use everwhen::key;
use everwhen::memory::{Address, Name, VaultId};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::shape;

/// A key to make.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewKey {
    /// The vault it opens, by id or name.
    #[schema(value_type = shape::Name)]
    vault: String,
    /// What it is for.
    #[schema(value_type = Option<shape::Name>)]
    label: Option<String>,
    /// Whether its holder may say on whose behalf it speaks.
    trusted: Option<bool>,
}

impl NewKey {
    /// Reads the vault, the label and whether it is trusted.
    pub(crate) fn read(self) -> Result<(Address<VaultId>, Option<Name>, bool)> {
        let vault = Address::read("vault", &self.vault)?;
        let label = self.label.map(|label| Name::new("label", label)).transpose()?;
        Ok((vault, label, self.trusted.unwrap_or_default()))
    }
}

/// A key, without its text.
#[derive(Serialize, ToSchema)]
pub(crate) struct Key {
    /// Its id.
    #[schema(examples("key_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    id: String,
    /// The id of the vault it opens.
    vault: String,
    /// What it is for.
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    /// Whether its holder may say on whose behalf it speaks.
    trusted: bool,
    /// When it was made.
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
            creation_time: key.creation_time.to_string(),
        }
    }
}

/// A key that was just made.
#[derive(Serialize, ToSchema)]
pub(crate) struct MadeKey {
    /// The key.
    #[serde(flatten)]
    pub(crate) made: Key,
    /// Its text. Keep it: it is shown this once.
    #[schema(examples("ew_2f9a…"))]
    pub(crate) key: String,
}
