//! What a configuration says about facts.

use std::collections::BTreeMap;

use everwhen_engine::facts::{FactRules, Fading};
use jiff::SignedDuration;

use super::key::{self, Key};
use super::layer::{Layers, Origin};
use super::{Chosen, choose, number, quoted, switch};
use crate::{Error, Result};

/// The words that `health` in `facts.auto_pin` means.
const HEALTH: [&str; 8] = [
    "allerg",
    "anaphyla",
    "intoleran",
    "interaction",
    "contraindicat",
    "emergency contact",
    "blood type",
    "epipen",
];

/// The `[facts]` table.
#[derive(Debug, Clone)]
pub struct FactsConfig {
    /// Whether unused facts rank lower over time.
    pub forgetting: Chosen<bool>,
    /// Half-life of their weight in days.
    pub half_life_days: Chosen<u32>,
    /// What makes a new fact a pinned one.
    pub auto_pin: Chosen<Vec<String>>,
    /// From which cosine on two facts say the same.
    pub same: Chosen<Option<f32>>,
    /// From which cosine on two facts are about the same thing.
    pub related: Chosen<Option<f32>>,
    /// From which cosine on a statement may follow from words that it shares none with.
    pub borne_out: Chosen<Option<f32>>,
}

impl FactsConfig {
    pub(super) fn read(layers: &Layers) -> Result<Self> {
        let config = Self {
            forgetting: choose(layers, key::FORGETTING, switch, || false)?,
            half_life_days: number(layers, key::HALF_LIFE, 180)?,
            auto_pin: words(layers, key::AUTO_PIN)?,
            same: share(layers, key::SAME)?,
            related: share(layers, key::RELATED)?,
            borne_out: share(layers, key::BORNE_OUT)?,
        };
        if let (Some(same), Some(related)) = (config.same.value, config.related.value)
            && same < related
        {
            return Err(Error::invalid("facts.same is lower than facts.related"));
        }
        Ok(config)
    }

    /// How facts fade, if they do.
    pub fn fading(&self) -> Option<Fading> {
        let hours = 24 * i64::from(self.half_life_days.value);
        self.forgetting.value.then(|| Fading { half_life: SignedDuration::from_hours(hours) })
    }

    /// How facts are compared and which are pinned by themselves.
    pub fn rules(&self) -> FactRules {
        let (health, own): (Vec<_>, Vec<_>) =
            self.auto_pin.value.iter().partition(|word| *word == "health");
        let health = if health.is_empty() { &[][..] } else { &HEALTH[..] };
        let auto_pin = own.into_iter().cloned().chain(health.iter().map(ToString::to_string));
        FactRules {
            same: self.same.value,
            related: self.related.value,
            borne_out: self.borne_out.value,
            by_embedder: BTreeMap::new(),
            auto_pin: auto_pin.collect(),
        }
    }

    /// Its values and where they came from, in the order of the keys.
    pub(super) fn rows(&self) -> [(String, &Origin); 6] {
        let share = |value: Option<f32>| value.map_or("none".to_owned(), |one| one.to_string());
        let words = quoted(&self.auto_pin.value.join(", "));
        [
            (quoted(if self.forgetting.value { "on" } else { "off" }), &self.forgetting.from),
            (self.half_life_days.value.to_string(), &self.half_life_days.from),
            (words, &self.auto_pin.from),
            (share(self.same.value), &self.same.from),
            (share(self.related.value), &self.related.from),
            (share(self.borne_out.value), &self.borne_out.from),
        ]
    }
}

/// A share of one, if it is set.
fn share(layers: &Layers, key: Key) -> Result<Chosen<Option<f32>>> {
    let Some(found) = layers.find(key) else {
        return Ok(Chosen { value: None, from: Origin::Default });
    };
    let number = found.amount(key)?;
    if !(0.0..=1.0).contains(&number) {
        return Err(found.refuse(key, format_args!("is {number}")));
    }
    Ok(Chosen { value: Some(number as f32), from: found.from.clone() })
}

/// Words in lower case, with commas between them; none unless they are set.
fn words(layers: &Layers, key: Key) -> Result<Chosen<Vec<String>>> {
    let read = |text: &str| {
        let words = text.split(',').map(|word| word.trim().to_lowercase());
        Ok(words.filter(|word| !word.is_empty()).collect())
    };
    choose(layers, key, read, Vec::new)
}
