//! Labelled pairs and thresholds as their files hold them.

use everwhen_engine::memory::EmbedderThresholds;
use serde::{Deserialize, Serialize};

use super::{LabelledPair, PairLabel};
use crate::{Error, Result};

/// A line of a file of pairs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairRow {
    is: LabelRow,
    a: String,
    b: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum LabelRow {
    Same,
    Related,
    OtherQuantity,
    Unrelated,
    Follows,
    DoesNotFollow,
}

/// Reads a line of a file of pairs.
pub(super) fn read_pair(line: &str) -> Result<LabelledPair> {
    let row: PairRow =
        serde_json::from_str(line).map_err(|error| Error::invalid(error.to_string()))?;
    let is = match row.is {
        LabelRow::Same => PairLabel::Same,
        LabelRow::Related => PairLabel::Related,
        LabelRow::OtherQuantity => PairLabel::OtherQuantity,
        LabelRow::Unrelated => PairLabel::Unrelated,
        LabelRow::Follows => PairLabel::Follows,
        LabelRow::DoesNotFollow => PairLabel::DoesNotFollow,
    };
    Ok(LabelledPair { is, a: row.a, b: row.b })
}

/// The table of one embedder.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ThresholdsRow {
    same: f64,
    related: f64,
    borne_out: f64,
}

impl ThresholdsRow {
    /// Reads and checks the thresholds.
    pub(super) fn read(&self) -> Result<EmbedderThresholds> {
        let all = [("same", self.same), ("related", self.related), ("borne_out", self.borne_out)];
        for (name, value) in all {
            if !(0.0..=1.0).contains(&value) {
                return Err(Error::invalid(format!("{name} is {value}; write 0 to 1")));
            }
        }
        if self.same < self.related {
            return Err(Error::invalid("same is lower than related"));
        }
        let [same, related, borne_out] = all.map(|(_, value)| value as f32);
        Ok(EmbedderThresholds { same, related, borne_out })
    }

    /// The thresholds to four decimal places.
    pub(super) fn write(one: &EmbedderThresholds) -> Self {
        let places = |value: f32| (f64::from(value) * 10_000.0).round() / 10_000.0;
        let [same, related, borne_out] = [one.same, one.related, one.borne_out].map(places);
        Self { same, related, borne_out }
    }
}
