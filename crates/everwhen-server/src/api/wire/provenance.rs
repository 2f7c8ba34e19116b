//! Where an entry was imported from, and how well its time is known.

use everwhen::Result;
use everwhen::memory::{self, Name, TimeFrom, TimePrecision, ZoneFrom};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::shape;

/// Where an entry was imported from, and how well its time is known.
#[derive(Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Provenance {
    /// The program or format, such as `chatgpt`.
    #[schema(value_type = shape::Name)]
    source: String,
    /// The id of the message there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::Name>)]
    source_id: Option<String>,
    /// The time as it is written there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<shape::Name>)]
    time_text: Option<String>,
    /// How precisely the time is known: `us`, `ms`, `s`, `minute`, `hour`, `day`, `week`, `month`, `year`,
    /// or `unknown` if only the order is known. The period begins at `conversation_time`.
    #[schema(pattern = "^(us|ms|s|minute|hour|day|week|month|year|unknown)$", example = "s")]
    precision: String,
    /// What the time was taken from: `stated`, `generation`, `id`, `neighbour`, `conversation`, `file`,
    /// `export`, `asked` or `moved`.
    #[schema(
        pattern = "^(stated|generation|id|neighbour|conversation|file|export|asked|moved)$",
        example = "stated"
    )]
    time_from: String,
    /// How the time zone is known: `stated`, `utc-by-format`, `inferred`, `asked` or `assumed`.
    #[schema(pattern = "^(stated|utc-by-format|inferred|asked|assumed)$", example = "stated")]
    zone_from: String,
}

impl Provenance {
    /// Converts it to the engine's type.
    pub(super) fn read(self) -> Result<Box<memory::Provenance>> {
        let name =
            |what: &str, text: Option<String>| text.map(|text| Name::new(what, text)).transpose();
        Ok(Box::new(memory::Provenance {
            source: Name::new("provenance.source", self.source)?,
            source_id: name("provenance.source_id", self.source_id)?,
            time_text: name("provenance.time_text", self.time_text)?,
            precision: TimePrecision::named(&self.precision)?,
            time_from: TimeFrom::named(&self.time_from)?,
            zone_from: ZoneFrom::named(&self.zone_from)?,
        }))
    }

    /// Converts it from the engine's type.
    pub(super) fn write(from: memory::Provenance) -> Self {
        Self {
            source: from.source.to_string(),
            source_id: from.source_id.map(|id| id.to_string()),
            time_text: from.time_text.map(|text| text.to_string()),
            precision: from.precision.as_str().to_owned(),
            time_from: from.time_from.as_str().to_owned(),
            zone_from: from.zone_from.as_str().to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use utoipa::PartialSchema;

    use super::*;

    #[test]
    fn the_patterns_have_the_words_of_the_engine() {
        let schema = serde_json::to_value(Provenance::schema()).unwrap();
        let words = |all: Vec<&str>| format!("^({})$", all.join("|"));
        for (field, expected) in [
            ("precision", words(TimePrecision::ALL.iter().map(|one| one.as_str()).collect())),
            ("time_from", words(TimeFrom::ALL.iter().map(|one| one.as_str()).collect())),
            ("zone_from", words(ZoneFrom::ALL.iter().map(|one| one.as_str()).collect())),
        ] {
            assert_eq!(schema["properties"][field]["pattern"], expected, "{field}");
        }
    }
}
