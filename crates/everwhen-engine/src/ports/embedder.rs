//! The embedder port: texts in, vectors out.

use super::Wait;
use crate::Error;
use crate::memory::EmbedderThresholds;

/// Turns texts into vectors whose cosine says how close they are in meaning.
pub trait Embedder: Send + Sync {
    /// Which model and version; vectors of different names never mix.
    fn name(&self) -> &str;
    /// Numbers in a vector.
    fn dimensions(&self) -> usize;
    /// What its cosines mean. The values are those that are usual for sentence transformers.
    fn thresholds(&self) -> EmbedderThresholds {
        EmbedderThresholds { same: 0.92, related: 0.75, borne_out: 0.4 }
    }
    /// One vector of length 1 per text; all zeros for a text that says nothing to the model.
    /// Local embedders are ready at once, remote ones wait.
    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>>;
    /// The vector of a question. Some models read questions and texts differently.
    fn embed_question<'a>(&'a self, question: &'a str) -> Wait<'a, Vec<f32>> {
        Box::pin(async move {
            let mut vectors = self.embed(&[question]).await?;
            vectors.pop().ok_or_else(|| Error::damaged("the embedder gave no vector"))
        })
    }
    /// Vectors that cost next to nothing: all of them where a table is read, those kept from
    /// before where there is a cache, none elsewhere. Only these are used while a caller waits.
    fn at_hand(&self, texts: &[&str]) -> Vec<Option<Vec<f32>>> {
        vec![None; texts.len()]
    }
    /// Whether vectors of texts are kept beyond this process, so that forgetting concerns them.
    fn keeps(&self) -> bool {
        false
    }
    /// Lets go of what is kept of these texts.
    fn forget(&self, _texts: &[&str]) {}
    /// Begins to note which of the vectors that are kept are needed.
    fn begin_sweep(&self) {}
    /// Notes that the vectors of these texts are needed.
    fn note_needed(&self, _texts: &[&str]) {}
    /// Erases the vectors that were neither noted nor computed since the sweep began, and returns how
    /// many there were.
    fn end_sweep(&self) -> usize {
        0
    }
}
