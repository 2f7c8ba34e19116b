//! `POST /v1/embeddings`, which many servers have.

use serde::{Deserialize, Serialize};

use crate::Embeddings;

/// Embeddings as OpenAI has them.
pub(super) struct OpenAiEmbeddings;

/// The body of a request; Ollama spells it the same way.
#[derive(Serialize)]
struct EmbeddingsRequest<'a> {
    model: &'a str,
    input: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct Answer {
    data: Vec<Vector>,
}

#[derive(Deserialize)]
struct Vector {
    index: Option<usize>,
    embedding: Vec<f32>,
}

impl Embeddings for OpenAiEmbeddings {
    fn path(&self, path: &str) -> String {
        match path {
            _ if path.ends_with("/embeddings") => path.to_owned(),
            "" => "/v1/embeddings".to_owned(),
            _ => format!("{path}/embeddings"),
        }
    }

    fn request(&self, model: &str, texts: &[String], dimensions: Option<usize>) -> String {
        request(model, texts, dimensions)
    }

    fn vectors(&self, content: &[u8]) -> Result<Vec<Vec<f32>>, String> {
        in_order(parsed::<Answer>(content)?.data)
    }
}

/// The body of a request.
pub(crate) fn request(model: &str, texts: &[String], dimensions: Option<usize>) -> String {
    let request = EmbeddingsRequest { model, input: texts, dimensions };
    serde_json::to_string(&request).expect("texts and names are JSON")
}

/// Reads an answer. What serde says may quote it, and an answer may quote a text: only the place of
/// the problem is reported.
pub(crate) fn parsed<'a, T: Deserialize<'a>>(content: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(content).map_err(|error| {
        let problem = if error.is_data() { "JSON, but not that of embeddings" } else { "not JSON" };
        let place = format!("line {}, column {}", error.line(), error.column());
        format!("gave an answer that is {problem} ({place}); is the address right?")
    })
}

/// The vectors by their indexes, where they have them.
fn in_order(data: Vec<Vector>) -> Result<Vec<Vec<f32>>, String> {
    if data.iter().all(|vector| vector.index.is_none()) {
        return Ok(data.into_iter().map(|vector| vector.embedding).collect());
    }
    let mut vectors: Vec<Option<Vec<f32>>> = vec![None; data.len()];
    for vector in data {
        match vector.index.and_then(|index| vectors.get_mut(index)) {
            Some(place @ None) => *place = Some(vector.embedding),
            _ => return Err("gave vectors whose indexes do not number the texts".into()),
        }
    }
    Ok(vectors.into_iter().flatten().collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(content: &str) -> Result<Vec<Vec<f32>>, String> {
        OpenAiEmbeddings.vectors(content.as_bytes())
    }

    #[test]
    fn vectors_are_put_in_the_order_of_the_texts() {
        let content =
            r#"{"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}]}"#;
        assert_eq!(vectors(content).unwrap(), [[1.0], [2.0]]);
        let content = r#"{"data": [{"embedding": [1]}, {"embedding": [2]}]}"#;
        assert_eq!(vectors(content).unwrap(), [[1.0], [2.0]]);
    }

    #[test]
    fn answers_that_do_not_fit_are_described_but_not_quoted() {
        let twice = r#"{"data": [{"index": 0, "embedding": [2]}, {"index": 0, "embedding": [1]}]}"#;
        assert!(vectors(twice).unwrap_err().contains("indexes"));
        let other = vectors(r#"{"error": "secret words"}"#).unwrap_err();
        assert!(other.contains("not that of embeddings") && !other.contains("secret"), "{other}");
        let broken = vectors("<html>secret words").unwrap_err();
        assert!(broken.contains("not JSON") && !broken.contains("secret"), "{broken}");
    }
}
