//! Arguments of the commands for vaults, memories and keys.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// List, create, change or remove vaults
#[derive(Debug, Args)]
#[command(after_help = "\
EXAMPLES
  everwhen vaults
  everwhen vaults add ana --zone Europe/Berlin
  everwhen vaults set ana --idle-timeout 45
  everwhen vaults remove ana")]
pub(crate) struct VaultsArgs {
    #[command(subcommand)]
    pub(crate) action: Option<VaultsAction>,
}

/// Actions on vaults.
#[derive(Debug, Subcommand)]
pub(crate) enum VaultsAction {
    /// List vaults
    List,
    /// Create a vault
    Add(NewVaultArgs),
    /// Change a vault; options that are not given stay unchanged
    Set(VaultChangeArgs),
    /// Permanently remove a vault with everything in it
    Remove {
        /// Name or id of the vault
        #[arg(value_name = "VAULT")]
        name: String,
        /// Do not ask for confirmation
        #[arg(long)]
        yes: bool,
    },
}

impl VaultsArgs {
    /// The action, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match self.action {
            None | Some(VaultsAction::List) => "list vaults",
            Some(VaultsAction::Add(_)) => "make the vault",
            Some(VaultsAction::Set(_)) => "change the vault",
            Some(VaultsAction::Remove { .. }) => "remove the vault",
        }
    }
}

/// A vault to create.
#[derive(Debug, Args)]
pub(crate) struct NewVaultArgs {
    /// Name of the vault
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
}

/// A vault to change.
#[derive(Debug, Args)]
pub(crate) struct VaultChangeArgs {
    /// Name or id of the vault
    #[arg(value_name = "VAULT")]
    pub(crate) name: String,
    /// New name
    #[arg(long, value_name = "NAME")]
    pub(crate) rename: Option<String>,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
}

/// Settings of a vault.
#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// Time zone of the vault, in which its days begin and end
    #[arg(long, value_name = "ZONE")]
    pub(crate) zone: Option<String>,
    /// Description
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Idle timeout: a longer pause ends a conversation
    #[arg(long, value_name = "MINUTES")]
    pub(crate) idle_timeout: Option<u32>,
    /// Preset for when conversations cool, end and close: daily-checkin, weekly-therapy, on-demand,
    /// long-term
    #[arg(long, value_name = "PRESET", value_parser = LIFECYCLES)]
    pub(crate) lifecycle: Option<String>,
    /// Silence after which a conversation cools; at most the idle timeout
    #[arg(long, value_name = "MINUTES")]
    pub(crate) cooling: Option<u32>,
    /// Time after which a dormant conversation is closed
    #[arg(long, value_name = "MINUTES")]
    pub(crate) closed: Option<u32>,
    /// Number of ended conversations that stay listed
    #[arg(long, value_name = "N")]
    pub(crate) retained: Option<u32>,
    /// How long a question waits for its answer
    #[arg(long, value_name = "MINUTES")]
    pub(crate) state_timeout: Option<u32>,
    /// What happens to conversations beyond that number: archive or delete
    #[arg(long, value_name = "CHOICE", value_parser = ["archive", "delete"])]
    pub(crate) retention: Option<String>,
}

/// Presets for the timers of conversations.
const LIFECYCLES: [&str; 4] = ["daily-checkin", "weekly-therapy", "on-demand", "long-term"];
/// The presets, and `vault` for the settings of the vault.
const CHOICES: [&str; 5] = ["daily-checkin", "weekly-therapy", "on-demand", "long-term", "vault"];

/// List, create or change memories of a vault
#[derive(Debug, Args)]
#[command(after_help = "\
A memory is also made by the first entry that names it.

EXAMPLES
  everwhen memories
  everwhen memories --vault ana
  everwhen memories add diary --description \"What Ana does all day\"
  everwhen memories set diary --lifecycle daily-checkin")]
pub(crate) struct MemoriesArgs {
    #[command(subcommand)]
    pub(crate) action: Option<MemoriesAction>,
}

/// Actions on memories.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoriesAction {
    /// List memories
    List,
    /// Create a memory
    Add {
        /// Name of the memory
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        about: MemoryArgs,
    },
    /// Change a memory; options that are not given stay unchanged
    Set {
        /// Name or id of the memory
        #[arg(value_name = "MEMORY")]
        name: String,
        /// New name
        #[arg(long, value_name = "NAME")]
        rename: Option<String>,
        #[command(flatten)]
        about: MemoryArgs,
    },
}

/// Settings of a memory.
#[derive(Debug, Args)]
pub(crate) struct MemoryArgs {
    /// Description
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// Preset for when its conversations cool, end and close: daily-checkin, weekly-therapy,
    /// on-demand, long-term; or vault for the vault's settings
    #[arg(long, value_name = "PRESET", value_parser = CHOICES)]
    pub(crate) lifecycle: Option<String>,
}

impl MemoriesArgs {
    /// The action, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match self.action {
            None | Some(MemoriesAction::List) => "list memories",
            Some(MemoriesAction::Add { .. }) => "make the memory",
            Some(MemoriesAction::Set { .. }) => "change the memory",
        }
    }
}

/// List, create or remove API keys
#[derive(Debug, Args)]
#[command(after_help = "\
Without any key, a server on this machine answers every program on this machine. From the first key \
on, requests without one are rejected.

SCOPES
  read   list, get, recall and watch the vault
  write  also add, correct and forget entries, and chat through the proxy
  admin  also change the vault's settings, delete the vault, and read the server's metrics

EXAMPLES
  everwhen keys
  everwhen keys add --vault ana --label \"Ana's phone\"
  everwhen keys add --vault ana --scope read --expires 90d
  everwhen keys ensure --vault default --file /run/everwhen/key --wait 600
  everwhen keys remove key_0695mmbd3hw97cyqkp9w4ny34r")]
pub(crate) struct KeysArgs {
    #[command(subcommand)]
    pub(crate) action: Option<KeysAction>,
}

/// Actions on keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysAction {
    /// List keys, without their text
    List,
    /// Create a key for a vault; its text is shown only once
    Add {
        #[command(flatten)]
        new: NewKeyArgs,
    },
    /// Remove a key; requests with it are rejected from now on
    Remove {
        /// Id of the key
        #[arg(value_name = "KEY_ID")]
        id: String,
    },
    /// Ensure that a file holds a valid key: register the key in it, or write a new one; nothing is
    /// printed
    Ensure(EnsureKeyArgs),
}

/// A key in a file.
#[derive(Debug, Args)]
pub(crate) struct EnsureKeyArgs {
    /// The file; a new one is readable only by its owner
    #[arg(long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Wait up to this long for the database
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) wait: u64,
}

/// A key to create.
#[derive(Debug, Args)]
pub(crate) struct NewKeyArgs {
    /// Scope of the key: read, write or admin
    #[arg(long, value_name = "SCOPE", default_value = "write", value_parser = ["read", "write", "admin"])]
    pub(crate) scope: String,
    /// Expiry: after a duration (12h, 90d, 8w) or at a date (2027-01-31)
    #[arg(long, value_name = "WHEN")]
    pub(crate) expires: Option<String>,
    /// Trust user headers sent with this key, such as x-openwebui-user-id
    #[arg(long)]
    pub(crate) trusted: bool,
    /// Description of the key
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
}

impl KeysArgs {
    /// The action, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match self.action {
            None | Some(KeysAction::List) => "list keys",
            Some(KeysAction::Add { .. }) => "make the key",
            Some(KeysAction::Remove { .. }) => "remove the key",
            Some(KeysAction::Ensure(_)) => "have the key in a file",
        }
    }

    /// Whether no vault is made for a new key.
    pub(crate) fn is_about_what_is_there(&self) -> bool {
        matches!(self.action, None | Some(KeysAction::List | KeysAction::Remove { .. }))
    }
}
