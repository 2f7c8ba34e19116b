//! An embedder of words: texts that share words are close. It needs no table and is the same
//! everywhere.

use std::hash::{DefaultHasher, Hash, Hasher};

use everwhen_engine::ports::{Embedder, Wait};

/// Numbers in a vector.
const DIMENSIONS: usize = 64;

/// Gives each word a direction of its own and each text the sum of its words.
pub struct WordEmbedder;

impl WordEmbedder {
    fn vector(text: &str) -> Vec<f32> {
        let mut sum = vec![0f32; DIMENSIONS];
        let words = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
        for word in words {
            let mut hasher = DefaultHasher::new();
            word.to_lowercase().hash(&mut hasher);
            sum[hasher.finish() as usize % DIMENSIONS] += 1.0;
        }
        let length = sum.iter().map(|number| number * number).sum::<f32>().sqrt().max(1.0);
        sum.iter().map(|number| number / length).collect()
    }
}

impl Embedder for WordEmbedder {
    fn name(&self) -> &str {
        "words/1"
    }

    fn dimensions(&self) -> usize {
        DIMENSIONS
    }

    fn embed<'a>(&'a self, texts: &'a [&'a str]) -> Wait<'a, Vec<Vec<f32>>> {
        Box::pin(async { Ok(texts.iter().map(|text| Self::vector(text)).collect()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block_on;

    #[test]
    fn texts_that_share_words_are_close() {
        let texts = ["I live in Rome", "i live in Rome!", "Cats sleep"];
        let vectors = block_on(WordEmbedder.embed(&texts)).unwrap();
        let cosine = |a: usize, b: usize| -> f32 {
            vectors[a].iter().zip(&vectors[b]).map(|(a, b)| a * b).sum()
        };
        assert!((cosine(0, 1) - 1.0).abs() < 1e-6);
        assert!(cosine(0, 2) < 0.9);
    }
}
