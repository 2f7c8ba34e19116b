//! Vaults and memories.

use everwhen::memory::{
    self, Address, Lifecycle, MemoryId, Name, Retention, Settings, SettingsChange,
};
use everwhen::time::Zone;
use everwhen::{MemoryChange, Result, VaultChange};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use utoipa::ToSchema;

use super::{check_bounds, read_time, shape};

/// A vault: the memories of one owner, isolated from all others.
#[derive(Serialize, ToSchema)]
pub(crate) struct Vault {
    /// The id.
    #[schema(examples("vlt_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    id: String,
    /// Its name, unique on this server.
    name: String,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// IANA time zone in which its days begin and end.
    #[schema(examples("Europe/Berlin"))]
    zone: String,
    /// Its settings.
    settings: SettingsOut,
    /// When it was created.
    #[schema(value_type = shape::TimeOut)]
    creation_time: String,
}

impl From<memory::VaultInfo> for Vault {
    fn from(vault: memory::VaultInfo) -> Self {
        Self {
            id: vault.id.to_string(),
            name: vault.name.to_string(),
            description: vault.description,
            zone: vault.zone.name().to_owned(),
            settings: vault.settings.into(),
            creation_time: vault.creation_time.to_string(),
        }
    }
}

/// The settings of a vault.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = Settings)]
struct SettingsOut {
    /// Idle timeout: a longer pause ends a conversation.
    #[schema(minimum = 1)]
    conversation_idle_timeout_minutes: u32,
    /// Number of ended conversations that stay in lists.
    #[schema(minimum = 1, format = Int64)]
    max_conversations_retained: u32,
    /// How long a question of the assistant waits for its answer.
    #[schema(minimum = 1)]
    conversation_state_timeout_minutes: u32,
    /// What happens to ended conversations beyond that number.
    retention: RetentionName,
    /// The preset for the timers of conversations, if one was chosen.
    #[serde(skip_serializing_if = "Option::is_none")]
    lifecycle: Option<LifecycleName>,
    /// Silence after which a conversation cools, if it was set; else half the idle timeout, or the
    /// preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    cooling_timeout_minutes: Option<u32>,
    /// Time after which a dormant conversation is closed, if it was set; else 30 days, or the
    /// preset's.
    #[serde(skip_serializing_if = "Option::is_none")]
    closed_timeout_minutes: Option<u32>,
}

impl From<Settings> for SettingsOut {
    fn from(settings: Settings) -> Self {
        Self {
            conversation_idle_timeout_minutes: settings.idle_timeout_minutes,
            max_conversations_retained: settings.conversations_retained,
            conversation_state_timeout_minutes: settings.state_timeout_minutes,
            retention: settings.retention.into(),
            lifecycle: settings.lifecycle.map(LifecycleName::from),
            cooling_timeout_minutes: settings.cooling_minutes,
            closed_timeout_minutes: settings.closed_minutes,
        }
    }
}

/// Settings to change; absent ones stay unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct NewSettings {
    /// Idle timeout: a longer pause ends a conversation.
    #[schema(minimum = 1, maximum = 5_270_400, examples(30))]
    #[serde(default, deserialize_with = "whole")]
    conversation_idle_timeout_minutes: Option<u32>,
    /// Number of ended conversations that stay in lists.
    #[schema(minimum = 1, maximum = 4_294_967_295u32, format = Int64, examples(1000))]
    #[serde(default, deserialize_with = "whole")]
    max_conversations_retained: Option<u32>,
    /// How long a question of the assistant waits for its answer.
    #[schema(minimum = 1, maximum = 5_270_400, examples(60))]
    #[serde(default, deserialize_with = "whole")]
    conversation_state_timeout_minutes: Option<u32>,
    /// What happens to ended conversations beyond that number.
    retention: Option<RetentionName>,
    /// A preset for when conversations cool, end and close; an explicit idle timeout overrides it.
    lifecycle: Option<LifecycleName>,
    /// Silence after which a conversation cools; at most the idle timeout.
    #[schema(minimum = 1, maximum = 5_270_400, examples(360))]
    #[serde(default, deserialize_with = "whole")]
    cooling_timeout_minutes: Option<u32>,
    /// Time after which a dormant conversation is closed.
    #[schema(minimum = 1, maximum = 5_270_400, examples(43_200))]
    #[serde(default, deserialize_with = "whole")]
    closed_timeout_minutes: Option<u32>,
}

/// Parses a whole number, also if it is written as `30.0`.
pub(super) fn whole<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<u32>, D::Error> {
    let Some(number) = Option::<serde_json::Number>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let float = number.as_f64().filter(|float| float.fract() == 0.0);
    let whole = float.filter(|float| (0.0..=f64::from(u32::MAX)).contains(float));
    let refused = || D::Error::custom(format!("{number} is not a whole number that fits here"));
    whole.map(|float| Some(float as u32)).ok_or_else(refused)
}

impl From<NewSettings> for SettingsChange {
    fn from(new: NewSettings) -> Self {
        Self {
            idle_timeout_minutes: new.conversation_idle_timeout_minutes,
            conversations_retained: new.max_conversations_retained,
            state_timeout_minutes: new.conversation_state_timeout_minutes,
            retention: new.retention.map(Retention::from),
            lifecycle: new.lifecycle.map(Lifecycle::from),
            cooling_minutes: new.cooling_timeout_minutes,
            closed_minutes: new.closed_timeout_minutes,
        }
    }
}

/// What happens to ended conversations beyond the number retained: `archive` hides them from lists,
/// `delete` removes them permanently.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
enum RetentionName {
    Archive,
    Delete,
}

/// Preset timers of conversations: idle time until they cool, from then until they end, and from then
/// until they are closed. `daily-checkin`: 2 hours, 30 minutes, 7 days;
/// `weekly-therapy`: 24 hours, 6 hours, 90 days; `on-demand`: 30 minutes, 15 minutes, 30 days;
/// `long-term`: 12 hours, 6 hours, 365 days.
#[derive(Clone, Copy, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
#[schema(as = Lifecycle)]
enum LifecycleName {
    DailyCheckin,
    WeeklyTherapy,
    OnDemand,
    LongTerm,
}

impl From<Lifecycle> for LifecycleName {
    fn from(lifecycle: Lifecycle) -> Self {
        match lifecycle {
            Lifecycle::DailyCheckin => Self::DailyCheckin,
            Lifecycle::WeeklyTherapy => Self::WeeklyTherapy,
            Lifecycle::OnDemand => Self::OnDemand,
            Lifecycle::LongTerm => Self::LongTerm,
        }
    }
}

impl From<LifecycleName> for Lifecycle {
    fn from(name: LifecycleName) -> Self {
        match name {
            LifecycleName::DailyCheckin => Self::DailyCheckin,
            LifecycleName::WeeklyTherapy => Self::WeeklyTherapy,
            LifecycleName::OnDemand => Self::OnDemand,
            LifecycleName::LongTerm => Self::LongTerm,
        }
    }
}

impl From<Retention> for RetentionName {
    fn from(retention: Retention) -> Self {
        match retention {
            Retention::Archive => Self::Archive,
            Retention::Delete => Self::Delete,
        }
    }
}

impl From<RetentionName> for Retention {
    fn from(name: RetentionName) -> Self {
        match name {
            RetentionName::Archive => Self::Archive,
            RetentionName::Delete => Self::Delete,
        }
    }
}

/// A vault to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewVault {
    /// Its name.
    #[schema(value_type = shape::VaultName)]
    name: String,
    /// Its description, at most 2,000 characters.
    description: Option<String>,
    /// Its time zone; the server's default if absent.
    #[schema(value_type = Option<shape::ZoneName>)]
    zone: Option<String>,
    /// Its settings; the server's defaults where absent.
    settings: Option<NewSettings>,
}

impl NewVault {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<everwhen::NewVault> {
        Ok(everwhen::NewVault {
            name: Name::new("name", self.name)?,
            description: self.description,
            zone: self.zone.as_deref().map(Zone::named).transpose()?,
            settings: self.settings.map(SettingsChange::from),
        })
    }
}

/// Changes of a vault; absent fields stay unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct VaultPatch {
    /// A new name.
    #[schema(value_type = Option<shape::VaultName>)]
    name: Option<String>,
    /// A new description, of at most 2,000 characters.
    description: Option<String>,
    /// A new time zone; instants stay the same, days move.
    #[schema(value_type = Option<shape::ZoneName>)]
    zone: Option<String>,
    /// New settings; they apply to new conversations.
    settings: Option<NewSettings>,
}

impl VaultPatch {
    /// Whether it changes the name.
    pub(crate) fn renames(&self) -> bool {
        self.name.is_some()
    }

    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<VaultChange> {
        Ok(VaultChange {
            name: self.name.map(|name| Name::new("name", name)).transpose()?,
            description: self.description,
            zone: self.zone.as_deref().map(Zone::named).transpose()?,
            settings: self.settings.map(SettingsChange::from),
        })
    }
}

/// A memory: one continuing relationship, such as a chat, a project or a person.
#[derive(Serialize, ToSchema)]
pub(crate) struct Memory {
    /// The id.
    #[schema(examples("mem_01jh2m8z5qf3v9k7c4x0tnwr6e"))]
    id: String,
    /// Its name, unique in the vault.
    name: String,
    /// Its description.
    #[serde(skip_serializing_if = "Option::is_none")]
    description: Option<String>,
    /// When it was created.
    #[schema(value_type = shape::TimeOut)]
    creation_time: String,
    /// When something was last stored in it.
    #[schema(value_type = shape::TimeOut)]
    last_activity: String,
    /// The preset for its conversations, if it has its own.
    #[serde(skip_serializing_if = "Option::is_none")]
    lifecycle: Option<LifecycleName>,
    /// The person of the chat; absent for a named memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    chat: Option<Chat>,
}

/// A chat that the proxy recognised: one of many of the same person.
#[derive(Serialize, ToSchema)]
pub(crate) struct Chat {
    /// The user, if a request named one.
    #[serde(skip_serializing_if = "Option::is_none")]
    user: Option<String>,
    /// Whether a signature verified the user.
    signed: bool,
}

impl From<memory::Person> for Chat {
    fn from(person: memory::Person) -> Self {
        let signed = matches!(person, memory::Person::Signed(_));
        Self { user: person.user().map(Into::into), signed }
    }
}

impl From<memory::Memory> for Memory {
    fn from(memory: memory::Memory) -> Self {
        Self {
            id: memory.id.to_string(),
            name: memory.name.to_string(),
            description: memory.description,
            creation_time: memory.creation_time.to_string(),
            last_activity: memory.last_creation.to_string(),
            lifecycle: memory.lifecycle.map(LifecycleName::from),
            chat: memory.chat_of.map(Chat::from),
        }
    }
}

/// A memory to create.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewMemory {
    /// Its name.
    #[schema(value_type = shape::MemoryName)]
    name: String,
    /// Its description.
    description: Option<String>,
    /// A preset for its conversations; the vault's settings if absent.
    lifecycle: Option<LifecycleName>,
}

impl NewMemory {
    /// Its name and settings.
    pub(crate) fn read(self) -> Result<(Name, MemoryChange)> {
        let lifecycle = self.lifecycle.map(|name| Some(name.into()));
        let about = MemoryChange { description: self.description, lifecycle, name: None };
        Ok((Name::new("name", self.name)?, about))
    }
}

/// Changes of a memory; absent fields stay unchanged.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct MemoryPatch {
    /// A new name.
    #[schema(value_type = Option<shape::MemoryName>)]
    name: Option<String>,
    /// A new description, of at most 2,000 characters.
    description: Option<String>,
    /// A preset for its conversations from now on; `vault` for the vault's settings.
    lifecycle: Option<LifecycleChoice>,
}

/// A preset, or `vault` for the vault's settings.
#[derive(Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
enum LifecycleChoice {
    DailyCheckin,
    WeeklyTherapy,
    OnDemand,
    LongTerm,
    Vault,
}

impl From<LifecycleChoice> for Option<Lifecycle> {
    fn from(choice: LifecycleChoice) -> Self {
        match choice {
            LifecycleChoice::DailyCheckin => Some(Lifecycle::DailyCheckin),
            LifecycleChoice::WeeklyTherapy => Some(Lifecycle::WeeklyTherapy),
            LifecycleChoice::OnDemand => Some(Lifecycle::OnDemand),
            LifecycleChoice::LongTerm => Some(Lifecycle::LongTerm),
            LifecycleChoice::Vault => None,
        }
    }
}

impl MemoryPatch {
    /// Converts it to the engine's type.
    pub(crate) fn read(self) -> Result<MemoryChange> {
        let name = self.name.map(|name| Name::new("name", name)).transpose()?;
        let lifecycle = self.lifecycle.map(Option::from);
        Ok(MemoryChange { name, description: self.description, lifecycle })
    }
}

/// A period of a memory to forget permanently; at least one end must be given.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Forget {
    /// The memory, by id or name.
    #[schema(value_type = shape::Name)]
    memory: String,
    /// Forget what was said at this time or later.
    #[schema(value_type = Option<shape::TimeIn>)]
    after: Option<String>,
    /// Forget what was said before this time.
    #[schema(value_type = Option<shape::TimeIn>)]
    before: Option<String>,
}

impl Forget {
    /// The memory and the period.
    pub(crate) fn read(self) -> Result<(Address<MemoryId>, everwhen::Forget)> {
        let after = read_time("after", self.after.as_deref())?;
        let before = read_time("before", self.before.as_deref())?;
        let (after, before) = check_bounds((after, before))?;
        let memory = Address::read("memory", &self.memory)?;
        Ok((memory, everwhen::Forget::Period { after, before }))
    }
}
