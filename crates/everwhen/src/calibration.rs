//! Measures what cosines of an embedder mean, with pairs of sentences that people labelled.
//!
//! Facts are compared by cosine: from one threshold on two statements say the same, from another on
//! they are about the same thing, from a third on a statement may follow from words that it shares
//! none with. Cosines of different embedders are not comparable, so each embedder needs its own
//! thresholds. [`calibrate`] finds them; [`ThresholdsFile`] keeps them in the data directory, by the
//! name of the embedder, from where they are used.

mod measure;
mod row;
mod thresholds_file;

use everwhen_engine::memory::EmbedderThresholds;
use everwhen_engine::ports::Embedder;

pub use self::measure::MeasuredThreshold;
use self::measure::{Example, best_threshold};
pub use self::thresholds_file::ThresholdsFile;
use crate::{Error, Result};

/// The pairs that come with the program.
const PAIRS: &str = include_str!("calibration/pairs.jsonl");

/// Two sentences and what a person says about them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LabelledPair {
    /// How they are related.
    pub is: PairLabel,
    /// The first, or what was said.
    pub a: String,
    /// The second, or a statement about the person who said it.
    pub b: String,
}

/// How two sentences are related.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PairLabel {
    /// They say the same.
    Same,
    /// They are about the same thing and say something different.
    Related,
    /// They are about the same thing and differ in a quantity, which facts are compared by, too.
    OtherQuantity,
    /// They are about different things.
    Unrelated,
    /// The second follows from the first, in other words.
    Follows,
    /// The second does not follow from the first.
    DoesNotFollow,
}

/// The thresholds of an embedder, and how well they separate the pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct Calibration {
    /// The name of the embedder.
    pub embedder: String,
    /// From here on two statements say the same.
    pub same: MeasuredThreshold,
    /// From here on they are about the same thing.
    pub related: MeasuredThreshold,
    /// From here on a statement may follow from words that it shares none with.
    pub borne_out: MeasuredThreshold,
}

impl Calibration {
    /// The thresholds alone.
    pub fn thresholds(&self) -> EmbedderThresholds {
        EmbedderThresholds {
            same: self.same.threshold,
            related: self.related.threshold,
            borne_out: self.borne_out.threshold,
        }
    }
}

/// The pairs that come with the program.
pub fn built_in_pairs() -> Result<Vec<LabelledPair>> {
    read_pairs(PAIRS)
}

/// Reads pairs, one JSON object per line: `{"is": "same", "a": "…", "b": "…"}`.
pub fn read_pairs(text: &str) -> Result<Vec<LabelledPair>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let read = |(number, line): (usize, &str)| {
        row::read_pair(line).map_err(|error| error.at(format!("line {}", number + 1)))
    };
    lines.map(read).collect()
}

/// Measures the thresholds of an embedder. What is wrongly taken for the same is lost, what is wrongly
/// taken for related may be replaced, what wrongly counts as borne out is believed: so precision counts
/// two or four times as much as recall.
pub async fn calibrate(embedder: &dyn Embedder, pairs: &[LabelledPair]) -> Result<Calibration> {
    use PairLabel::{DoesNotFollow, Follows, OtherQuantity, Related, Same, Unrelated};
    let cosines = cosines(embedder, pairs).await?;
    let measured = |yes: &[PairLabel], no: &[PairLabel], beta: f64| {
        let all = pairs.iter().zip(&cosines);
        let meant = all.filter(|(pair, _)| yes.contains(&pair.is) || no.contains(&pair.is));
        let examples: Vec<Example> = meant
            .map(|(pair, cosine)| Example { cosine: *cosine, positive: yes.contains(&pair.is) })
            .collect();
        best_threshold(&examples, beta).ok_or_else(|| {
            Error::invalid(format!("there are no pairs for {yes:?} or none for {no:?}"))
        })
    };
    Ok(Calibration {
        embedder: embedder.name().to_owned(),
        same: measured(&[Same], &[Related, Unrelated], 0.5)?,
        related: measured(&[Same, Related, OtherQuantity], &[Unrelated], 0.25)?,
        borne_out: measured(&[Follows], &[DoesNotFollow], 0.5)?,
    })
}

async fn cosines(embedder: &dyn Embedder, pairs: &[LabelledPair]) -> Result<Vec<f32>> {
    let texts = |side: fn(&LabelledPair) -> &str| pairs.iter().map(side).collect::<Vec<_>>();
    let first = embedder.embed(&texts(|pair| &pair.a)).await?;
    let second = embedder.embed(&texts(|pair| &pair.b)).await?;
    let dot = |a: &[f32], b: &[f32]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f32>();
    // To six places: that of equal vectors is a rounding error away from 1.
    let cosine = |a: &[f32], b: &[f32]| (dot(a, b) * 1e6).round() / 1e6;
    Ok(first.iter().zip(&second).map(|(a, b)| cosine(a, b)).collect())
}

#[cfg(test)]
mod tests;
