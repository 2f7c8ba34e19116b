//! What may be typed about vaults, memories and keys.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// List, make, change or remove vaults
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

/// What to do with vaults.
#[derive(Debug, Subcommand)]
pub(crate) enum VaultsAction {
    /// List them
    List,
    /// Make one
    Add(NewVaultArgs),
    /// Change one; what is not named stays
    Set(VaultChangeArgs),
    /// Forget one for good, with all in it
    Remove {
        /// Its name or id
        #[arg(value_name = "VAULT")]
        name: String,
        /// Do not ask
        #[arg(long)]
        yes: bool,
    },
}

impl VaultsArgs {
    /// What is done, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match self.action {
            None | Some(VaultsAction::List) => "list vaults",
            Some(VaultsAction::Add(_)) => "make the vault",
            Some(VaultsAction::Set(_)) => "change the vault",
            Some(VaultsAction::Remove { .. }) => "remove the vault",
        }
    }
}

/// A vault to make.
#[derive(Debug, Args)]
pub(crate) struct NewVaultArgs {
    /// Its name
    #[arg(value_name = "NAME")]
    pub(crate) name: String,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
}

/// A vault to change.
#[derive(Debug, Args)]
pub(crate) struct VaultChangeArgs {
    /// Its name or id
    #[arg(value_name = "VAULT")]
    pub(crate) name: String,
    /// A new name
    #[arg(long, value_name = "NAME")]
    pub(crate) rename: Option<String>,
    #[command(flatten)]
    pub(crate) rules: RulesArgs,
}

/// What can be said about a vault.
#[derive(Debug, Args)]
pub(crate) struct RulesArgs {
    /// Time zone in which its days begin and end
    #[arg(long, value_name = "ZONE")]
    pub(crate) zone: Option<String>,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// A longer pause ends a conversation
    #[arg(long, value_name = "MINUTES")]
    pub(crate) idle_timeout: Option<u32>,
    /// When conversations cool, end and close, by a preset: daily-checkin, weekly-therapy, on-demand, long-term
    #[arg(long, value_name = "PRESET", value_parser = LIFECYCLES)]
    pub(crate) lifecycle: Option<String>,
    /// So many ended conversations stay listed
    #[arg(long, value_name = "N")]
    pub(crate) retained: Option<u32>,
    /// A question waits so long for its answer
    #[arg(long, value_name = "MINUTES")]
    pub(crate) state_timeout: Option<u32>,
    /// What becomes of conversations beyond that: archive or delete
    #[arg(long, value_name = "CHOICE", value_parser = ["archive", "delete"])]
    pub(crate) retention: Option<String>,
}

/// Presets for the timers of conversations.
const LIFECYCLES: [&str; 4] = ["daily-checkin", "weekly-therapy", "on-demand", "long-term"];
/// The same, or the vault's rules.
const CHOICES: [&str; 5] = ["daily-checkin", "weekly-therapy", "on-demand", "long-term", "vault"];

/// List, make or change memories of a vault
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

/// What to do with memories.
#[derive(Debug, Subcommand)]
pub(crate) enum MemoriesAction {
    /// List them
    List,
    /// Make one
    Add {
        /// Its name
        #[arg(value_name = "NAME")]
        name: String,
        #[command(flatten)]
        about: MemoryArgs,
    },
    /// Change one; what is not named stays
    Set {
        /// Its name or id
        #[arg(value_name = "MEMORY")]
        name: String,
        /// A new name
        #[arg(long, value_name = "NAME")]
        rename: Option<String>,
        #[command(flatten)]
        about: MemoryArgs,
    },
}

/// What can be said about a memory.
#[derive(Debug, Args)]
pub(crate) struct MemoryArgs {
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    pub(crate) description: Option<String>,
    /// When its conversations cool, end and close: daily-checkin, weekly-therapy, on-demand, long-term; vault for the vault's rules
    #[arg(long, value_name = "PRESET", value_parser = CHOICES)]
    pub(crate) lifecycle: Option<String>,
}

impl MemoriesArgs {
    /// What is done, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match self.action {
            None | Some(MemoriesAction::List) => "list memories",
            Some(MemoriesAction::Add { .. }) => "make the memory",
            Some(MemoriesAction::Set { .. }) => "change the memory",
        }
    }
}

/// List, make or remove API keys
#[derive(Debug, Args)]
#[command(after_help = "\
Without any key, a server on this machine answers every program on this machine. From the first key
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

/// What to do with keys.
#[derive(Debug, Subcommand)]
pub(crate) enum KeysAction {
    /// List them, without their text
    List,
    /// Make one for a vault; its text is shown this once
    Add {
        #[command(flatten)]
        new: NewKeyArgs,
    },
    /// Remove one; requests with it are rejected from now on
    Remove {
        /// Its id
        #[arg(value_name = "KEY_ID")]
        id: String,
    },
    /// Have a key in a file: register the one it holds, or write a new one there; nothing is printed
    Ensure(EnsureKeyArgs),
}

/// A key in a file.
#[derive(Debug, Args)]
pub(crate) struct EnsureKeyArgs {
    /// The file; a new one can be read by its owner only
    #[arg(long, value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Wait this long for the database
    #[arg(long, value_name = "SECONDS", default_value_t = 0)]
    pub(crate) wait: u64,
}

/// A key to make.
#[derive(Debug, Args)]
pub(crate) struct NewKeyArgs {
    /// What it allows: read, write or admin
    #[arg(long, value_name = "SCOPE", default_value = "write", value_parser = ["read", "write", "admin"])]
    pub(crate) scope: String,
    /// When it stops working: after a time (12h, 90d, 8w) or at a date (2027-01-31)
    #[arg(long, value_name = "WHEN")]
    pub(crate) expires: Option<String>,
    /// Believe user headers sent with it, such as x-openwebui-user-id
    #[arg(long)]
    pub(crate) trusted: bool,
    /// What it is for
    #[arg(long, value_name = "TEXT")]
    pub(crate) label: Option<String>,
}

impl KeysArgs {
    /// What is done, as the rest of "could not …".
    pub(crate) fn purpose(&self) -> &'static str {
        match self.action {
            None | Some(KeysAction::List) => "list keys",
            Some(KeysAction::Add { .. }) => "make the key",
            Some(KeysAction::Remove { .. }) => "remove the key",
            Some(KeysAction::Ensure(_)) => "have the key in a file",
        }
    }
}
