//! Times of messages, by the SHA-256 of their texts.

use everwhen::ledger::{TextHash, Times};
use everwhen::{Error, Result};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{read_time, shape};

/// When texts were said, without the texts.
#[derive(Serialize, ToSchema)]
pub(crate) struct TextTimes {
    /// One for each text.
    texts: Vec<TextTime>,
    /// When a reply began whose text is not known yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::TimeOut>)]
    reply_began: Option<String>,
}

/// When one text was said.
#[derive(Serialize, ToSchema)]
pub(crate) struct TextTime {
    /// SHA-256 of the text.
    #[schema(value_type = shape::TextHash)]
    text_hash: String,
    /// When it was said.
    #[schema(value_type = shape::TimeOut)]
    conversation_time: String,
}

impl From<Times> for TextTimes {
    fn from(times: Times) -> Self {
        let text = |(hash, time): (TextHash, jiff::Timestamp)| TextTime {
            text_hash: hash.to_string(),
            conversation_time: time.to_string(),
        };
        Self {
            texts: times.texts.into_iter().map(text).collect(),
            reply_began: times.reply_began.map(|time| time.to_string()),
        }
    }
}

/// Times to import.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTextTimes {
    /// At most 10,000.
    texts: Vec<NewTextTime>,
    /// When a reply began whose text is not known yet.
    #[schema(value_type = Option<shape::TimeIn>)]
    reply_began: Option<String>,
}

/// When one text was said.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NewTextTime {
    /// SHA-256 of the text.
    #[schema(value_type = shape::TextHash)]
    text_hash: String,
    /// When it was said.
    #[schema(value_type = shape::TimeIn)]
    conversation_time: String,
}

impl NewTextTimes {
    /// Converts them to the engine's type; an error names the item.
    pub(crate) fn read(self) -> Result<Times> {
        let read = |(index, one): (usize, NewTextTime)| {
            one.read().map_err(|error| error.at(format!("texts[{index}]")))
        };
        Ok(Times {
            texts: self.texts.into_iter().enumerate().map(read).collect::<Result<_>>()?,
            reply_began: read_time("reply_began", self.reply_began.as_deref())?,
        })
    }
}

impl NewTextTime {
    fn read(self) -> Result<(TextHash, jiff::Timestamp)> {
        let time = everwhen::time::read_time(&self.conversation_time);
        Ok((
            self.text_hash.parse()?,
            time.map_err(|error| Error::from(error).at("conversation_time"))?,
        ))
    }
}
