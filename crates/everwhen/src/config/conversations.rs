//! The rules of conversations that a configuration asks for.

use everwhen_engine::conversations::retrospect::DEFAULT_QUESTION;
use everwhen_engine::memory::{Lifecycle, Retention, Settings, SettingsChange};

use super::embedder::maybe_number;
use super::key;
use super::layer::{Layers, Origin};
use super::{Chosen, choose, number, quoted};
use crate::{Error, Result};

/// The `[conversations]` table.
#[derive(Debug, Clone)]
pub struct ConversationsConfig {
    /// The pause that ends a conversation.
    pub idle_timeout_minutes: Chosen<u32>,
    /// How many ended conversations stay listed.
    pub conversations_retained: Chosen<u32>,
    /// How long a question waits.
    pub state_timeout_minutes: Chosen<u32>,
    /// What becomes of the rest.
    pub retention: Chosen<Retention>,
    /// The preset for the timers of conversations.
    pub lifecycle: Chosen<Option<Lifecycle>>,
    /// When conversations cool.
    pub cooling_minutes: Chosen<Option<u32>>,
    /// When conversations close.
    pub closed_minutes: Chosen<Option<u32>>,
    /// What the language model looks for when it looks back at a conversation: `off`, `on` or a
    /// question.
    pub retrospection: Chosen<String>,
}

impl ConversationsConfig {
    pub(super) fn read(layers: &Layers) -> Result<Self> {
        let preset = |text: &str| Lifecycle::named(text).map(Some);
        Ok(Self {
            idle_timeout_minutes: number(layers, key::IDLE_TIMEOUT, 30)?,
            conversations_retained: number(layers, key::RETAINED, 1000)?,
            state_timeout_minutes: number(layers, key::STATE_TIMEOUT, 60)?,
            retention: choose(layers, key::RETENTION, Retention::named, || Retention::Archive)?,
            lifecycle: choose(layers, key::LIFECYCLE, preset, || None)?,
            cooling_minutes: maybe_number(layers, key::COOLING)?,
            closed_minutes: maybe_number(layers, key::CLOSED)?,
            retrospection: choose(layers, key::RETROSPECTION, question, || "off".to_owned())?,
        })
    }

    /// The question with which the language model looks back at every conversation that ends; none
    /// if it does so only on request.
    pub fn retrospection(&self) -> Option<String> {
        match self.retrospection.value.as_str() {
            "off" => None,
            "on" => Some(DEFAULT_QUESTION.to_owned()),
            question => Some(question.to_owned()),
        }
    }

    /// The rules of a vault that is made without being described.
    pub(super) fn settings(&self) -> Settings {
        let settings = Settings {
            idle_timeout_minutes: self.idle_timeout_minutes.value,
            conversations_retained: self.conversations_retained.value,
            state_timeout_minutes: self.state_timeout_minutes.value,
            retention: self.retention.value,
            ..Settings::default()
        };
        self.written().on(settings)
    }

    /// What was configured, without the defaults. A timer beside a preset wins.
    pub fn written(&self) -> SettingsChange {
        fn given<T: Copy>(chosen: &Chosen<T>) -> Option<T> {
            (chosen.from != Origin::Default).then_some(chosen.value)
        }
        SettingsChange {
            idle_timeout_minutes: given(&self.idle_timeout_minutes),
            conversations_retained: given(&self.conversations_retained),
            state_timeout_minutes: given(&self.state_timeout_minutes),
            retention: given(&self.retention),
            lifecycle: self.lifecycle.value,
            cooling_minutes: self.cooling_minutes.value,
            closed_minutes: self.closed_minutes.value,
        }
    }

    /// Its values and where they came from, in the order of the keys.
    pub(super) fn rows(&self) -> [(String, &Origin); 8] {
        let minutes = |chosen: &Chosen<Option<u32>>| {
            chosen.value.map_or("none".to_owned(), |minutes| minutes.to_string())
        };
        let lifecycle = self.lifecycle.value.map_or("none".into(), |one| quoted(one.as_str()));
        [
            (self.idle_timeout_minutes.value.to_string(), &self.idle_timeout_minutes.from),
            (self.conversations_retained.value.to_string(), &self.conversations_retained.from),
            (self.state_timeout_minutes.value.to_string(), &self.state_timeout_minutes.from),
            (quoted(self.retention.value.as_str()), &self.retention.from),
            (lifecycle, &self.lifecycle.from),
            (minutes(&self.cooling_minutes), &self.cooling_minutes.from),
            (minutes(&self.closed_minutes), &self.closed_minutes.from),
            (quoted(&self.retrospection.value), &self.retrospection.from),
        ]
    }
}

/// `off`, `on` or a question of some length.
fn question(text: &str) -> Result<String> {
    let is_long_enough = text.trim().chars().count() >= 10;
    match text {
        "off" | "on" => Ok(text.to_owned()),
        _ if is_long_enough => Ok(text.to_owned()),
        _ => Err(Error::invalid("neither off nor on nor a question")),
    }
}
