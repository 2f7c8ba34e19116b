//! How the proxy behaves, and where it behaves otherwise: `[proxy]` and `[[proxy.for]]`.

use std::time::Duration;

use everwhen_models::Secret;

use super::key::{self, Key};
use super::layer::Layers;
use super::llm::secret;
use super::row::Row;
use super::{Chosen, choose, number};
use crate::ledger::Style;
use crate::{Error, Result};

/// What becomes of a chat that no client names and no history recognises.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unnamed {
    /// It gets a memory of its own.
    New,
    /// It goes into the memory that is meant when none is named.
    Default,
}

/// What a chat that names no memory is briefed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reach {
    /// Its own memory.
    Memory,
    /// All such chats of the same person in the vault.
    Vault,
}

/// What the proxy adds to a request, and how long it may take for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProxySettings {
    /// How messages are stamped.
    pub stamps: Style,
    /// Say what time it is and how long ago the last exchange was.
    pub now: bool,
    /// Tell of the last conversations, and of the current one where the client does not.
    pub context: bool,
    /// Tell what is remembered about what was asked.
    pub briefing: bool,
    /// Maximum length of the briefing in tokens.
    pub budget_tokens: u32,
    /// Memory may hold up a request for so long.
    pub deadline: Duration,
    /// What a chat is briefed from.
    pub reach: Reach,
    /// What a named memory is briefed from, beside itself.
    pub named_reach: Reach,
    /// Several people use this key: a request sees other chats only if it names its user.
    pub shared: bool,
    /// Tell what tools answered.
    pub tool_entries: bool,
    /// Replies are committed when they are complete, and names before colons are speakers.
    pub group_chat: bool,
    /// The memory of chats that name none.
    pub unnamed: Unnamed,
    /// Whether `prompt_cache_key` names a chat.
    pub prompt_cache_key: bool,
}

/// The settings, each with where it came from.
#[derive(Debug, Clone)]
pub struct ProxyConfig {
    /// How messages are stamped.
    pub stamps: Chosen<Style>,
    /// Whether the time is added.
    pub now: Chosen<bool>,
    /// Whether conversations are added.
    pub context: Chosen<bool>,
    /// Whether memories are added.
    pub briefing: Chosen<bool>,
    /// How many tokens a briefing may have.
    pub budget_tokens: Chosen<u32>,
    /// How long memory may hold up a request.
    pub deadline_ms: Chosen<u32>,
    /// What a chat is briefed from.
    pub reach: Chosen<Reach>,
    /// Whether what tools answered is added.
    pub tool_entries: Chosen<bool>,
    /// Whether several characters speak.
    pub group_chat: Chosen<bool>,
    /// The memory of chats that name none.
    pub unnamed: Chosen<Unnamed>,
    /// Whether `prompt_cache_key` names a chat.
    pub prompt_cache_key: Chosen<bool>,
    /// Whether what tools answer is remembered, and not only which were called.
    pub tool_output: Chosen<bool>,
    /// Whether the proxy answers Anthropic's memory tool itself.
    pub memory_tool: Chosen<bool>,
    /// Most bytes of exchanges that wait for the store.
    pub outbox_bytes: Chosen<u32>,
    /// How many days they may wait.
    pub outbox_days: Chosen<u32>,
    /// What Open WebUI signs its users with.
    pub openwebui_secret: Chosen<Option<Secret>>,
    /// Where it behaves otherwise; later ones win.
    pub exceptions: Vec<Exception>,
}

/// Overrides for a key or a memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exception {
    /// The label of the key; any if absent.
    pub key: Option<String>,
    /// The name of the memory; any if absent.
    pub memory: Option<String>,
    /// Whether several people speak with the key; a request cannot change it.
    pub shared: Option<bool>,
    /// What is otherwise.
    pub change: ProxyChange,
}

/// What is otherwise; absent parts stay.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProxyChange {
    /// How messages are stamped.
    pub stamps: Option<Style>,
    /// Whether the time is added.
    pub now: Option<bool>,
    /// Whether conversations are added.
    pub context: Option<bool>,
    /// Whether memories are added.
    pub briefing: Option<bool>,
    /// How many tokens a briefing may have.
    pub budget_tokens: Option<u32>,
    /// How long memory may hold up a request, in milliseconds.
    pub deadline_ms: Option<u32>,
    /// What a chat is briefed from.
    pub reach: Option<Reach>,
    /// Whether what tools answered is added.
    pub tool_entries: Option<bool>,
    /// Whether several characters speak.
    pub group_chat: Option<bool>,
}

impl ProxyChange {
    /// Sets what is called `name` to what is written, if something changeable is called so.
    pub fn set(&mut self, name: &str, text: &str) -> Result<()> {
        match name {
            "stamps" => self.stamps = Some(Style::named(text)?),
            "now" => self.now = Some(switch(key::NOW, text)?),
            "context" => self.context = Some(switch(key::CONTEXT, text)?),
            "briefing" => self.briefing = Some(switch(key::BRIEFING, text)?),
            "budget_tokens" => self.budget_tokens = Some(count(key::BUDGET_TOKENS, text)?),
            "deadline_ms" => self.deadline_ms = Some(count(key::DEADLINE_MS, text)?),
            "reach" => self.reach = Some(reach(text)?),
            "tool_entries" => self.tool_entries = Some(switch(key::TOOL_ENTRIES, text)?),
            "group_chat" => self.group_chat = Some(switch(key::GROUP_CHAT, text)?),
            _ => return Err(Error::invalid(format!("`{name}` cannot be set here"))),
        }
        Ok(())
    }

    /// What can be set, by name.
    pub const NAMES: [&str; 9] = [
        "stamps",
        "now",
        "context",
        "briefing",
        "budget_tokens",
        "deadline_ms",
        "reach",
        "tool_entries",
        "group_chat",
    ];

    fn on(&self, settings: &mut ProxySettings) {
        let Self { stamps, now, context, briefing, budget_tokens, .. } = self;
        let Self { deadline_ms, reach, tool_entries, group_chat, .. } = self;
        settings.stamps = stamps.unwrap_or(settings.stamps);
        settings.now = now.unwrap_or(settings.now);
        settings.context = context.unwrap_or(settings.context);
        settings.briefing = briefing.unwrap_or(settings.briefing);
        settings.budget_tokens = budget_tokens.unwrap_or(settings.budget_tokens);
        settings.reach = reach.unwrap_or(settings.reach);
        settings.tool_entries = tool_entries.unwrap_or(settings.tool_entries);
        settings.group_chat = group_chat.unwrap_or(settings.group_chat);
        if let Some(milliseconds) = deadline_ms {
            settings.deadline = Duration::from_millis((*milliseconds).into());
        }
    }
}

impl Default for ProxyConfig {
    fn default() -> Self {
        Self::read(&Layers::default()).expect("nothing that was set can be wrong")
    }
}

impl ProxyConfig {
    pub(super) fn read(layers: &Layers) -> Result<Self> {
        let on = |key| choose(layers, key, move |text| switch(key, text), || true);
        let off = |key| choose(layers, key, move |text| switch(key, text), || false);
        Ok(Self {
            stamps: choose(layers, key::STAMPS, Style::named, || Style::Absolute)?,
            now: on(key::NOW)?,
            context: on(key::CONTEXT)?,
            briefing: on(key::BRIEFING)?,
            budget_tokens: number(layers, key::BUDGET_TOKENS, 1000)?,
            deadline_ms: number(layers, key::DEADLINE_MS, 250)?,
            reach: choose(layers, key::REACH, reach, || Reach::Vault)?,
            tool_entries: off(key::TOOL_ENTRIES)?,
            group_chat: off(key::GROUP_CHAT)?,
            unnamed: choose(layers, key::UNNAMED, Unnamed::named, || Unnamed::New)?,
            prompt_cache_key: off(key::PROMPT_CACHE_KEY)?,
            tool_output: off(key::TOOL_OUTPUT)?,
            memory_tool: off(key::MEMORY_TOOL)?,
            outbox_bytes: number(layers, key::OUTBOX_BYTES, 256 * 1024 * 1024)?,
            outbox_days: number(layers, key::OUTBOX_DAYS, 14)?,
            openwebui_secret: secret(layers, key::OPENWEBUI_SECRET)?,
            exceptions: layers.rows("proxy.for").map(Exception::read).collect::<Result<_>>()?,
        })
    }

    /// The settings for a memory and a key with this label, after what the request
    /// itself changes.
    pub fn settings(
        &self,
        key: Option<&str>,
        memory: Option<&str>,
        request: &ProxyChange,
    ) -> ProxySettings {
        let mut settings = self.usual();
        let fits = |wanted: &Option<String>, is: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| is == Some(wanted))
        };
        for one in &self.exceptions {
            if fits(&one.key, key) && fits(&one.memory, memory) {
                one.change.on(&mut settings);
                settings.shared = one.shared.unwrap_or(settings.shared);
                if one.memory.is_some() {
                    settings.named_reach = one.change.reach.unwrap_or(settings.named_reach);
                }
            }
        }
        request.on(&mut settings);
        settings.named_reach = request.reach.unwrap_or(settings.named_reach);
        settings
    }

    fn usual(&self) -> ProxySettings {
        ProxySettings {
            stamps: self.stamps.value,
            now: self.now.value,
            context: self.context.value,
            briefing: self.briefing.value,
            budget_tokens: self.budget_tokens.value,
            deadline: Duration::from_millis(self.deadline_ms.value.into()),
            reach: self.reach.value,
            // A named memory sees only itself, unless an override says otherwise.
            named_reach: Reach::Memory,
            shared: false,
            tool_entries: self.tool_entries.value,
            group_chat: self.group_chat.value,
            unnamed: self.unnamed.value,
            prompt_cache_key: self.prompt_cache_key.value,
        }
    }

    /// The lines of `everwhen config`, in the order of the keys.
    pub(super) fn listing(&self) -> [(String, &super::Origin); 16] {
        let secret = self.openwebui_secret.value.as_ref();
        let secret = secret.map_or("none".into(), |_| super::quoted("(not shown)"));
        let switch = |chosen: &Chosen<bool>| super::quoted(if chosen.value { "on" } else { "off" });
        [
            (super::quoted(self.stamps.value.as_str()), &self.stamps.from),
            (switch(&self.now), &self.now.from),
            (switch(&self.context), &self.context.from),
            (switch(&self.briefing), &self.briefing.from),
            (self.budget_tokens.value.to_string(), &self.budget_tokens.from),
            (self.deadline_ms.value.to_string(), &self.deadline_ms.from),
            (super::quoted(self.reach.value.as_str()), &self.reach.from),
            (switch(&self.tool_entries), &self.tool_entries.from),
            (switch(&self.group_chat), &self.group_chat.from),
            (super::quoted(self.unnamed.value.as_str()), &self.unnamed.from),
            (switch(&self.prompt_cache_key), &self.prompt_cache_key.from),
            (switch(&self.tool_output), &self.tool_output.from),
            (switch(&self.memory_tool), &self.memory_tool.from),
            (self.outbox_bytes.value.to_string(), &self.outbox_bytes.from),
            (self.outbox_days.value.to_string(), &self.outbox_days.from),
            (secret, &self.openwebui_secret.from),
        ]
    }
}

impl Exception {
    fn read(row: &Row) -> Result<Self> {
        let mut change = ProxyChange::default();
        for (name, written) in row.written() {
            match name {
                "key" | "memory" | "shared" => {}
                name => change.set(name, &written?).map_err(|error| error.at(row.place(name)))?,
            }
        }
        let (key, memory) = (row.text("key")?, row.text("memory")?);
        if key.is_none() && memory.is_none() {
            return Err(row.lacks("key", "the label of a key, or memory and its name"));
        }
        let (key, memory, shared) =
            (key.map(Into::into), memory.map(Into::into), row.flag("shared")?);
        Ok(Self { key, memory, shared, change })
    }
}

impl Reach {
    fn as_str(self) -> &'static str {
        match self {
            Self::Memory => "memory",
            Self::Vault => "vault",
        }
    }
}

fn reach(text: &str) -> Result<Reach> {
    let found = [Reach::Memory, Reach::Vault].into_iter().find(|reach| reach.as_str() == text);
    found.ok_or_else(|| Error::invalid(key::REACH.wrong(text)))
}

impl Unnamed {
    fn named(text: &str) -> Result<Self> {
        match text {
            "new" => Ok(Self::New),
            "default" => Ok(Self::Default),
            _ => Err(Error::invalid("is unknown")),
        }
    }

    fn as_str(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Default => "default",
        }
    }
}

fn switch(key: Key, text: &str) -> Result<bool> {
    match text {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(Error::invalid(key.wrong(text))),
    }
}

fn count(key: Key, text: &str) -> Result<u32> {
    let number = text.trim().parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| Error::invalid(key.wrong(text)))
}
