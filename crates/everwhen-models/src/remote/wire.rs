//! The two protocols as JSON.

use everwhen_engine::Result;
use serde::{Deserialize, Serialize};

use super::setting::{Dialect, RemoteSetting};

#[derive(Serialize)]
struct Request<'a> {
    model: &'a str,
    input: &'a [String],
    #[serde(skip_serializing_if = "Option::is_none")]
    dimensions: Option<usize>,
}

#[derive(Deserialize)]
struct OpenAiAnswer {
    data: Vec<OpenAiVector>,
}

#[derive(Deserialize)]
struct OpenAiVector {
    index: Option<usize>,
    embedding: Vec<f32>,
}

#[derive(Deserialize)]
struct OllamaAnswer {
    embeddings: Vec<Vec<f32>>,
}

/// The body of a request; both protocols spell it the same way.
pub(super) fn request(setting: &RemoteSetting, texts: &[String]) -> String {
    let request = Request { model: &setting.model, input: texts, dimensions: setting.dimensions };
    serde_json::to_string(&request).expect("texts and names are JSON")
}

/// One vector per text from an answer, in the order of the texts; else what is wrong with it.
pub(super) fn vectors(
    dialect: Dialect,
    content: &[u8],
    count: usize,
) -> Result<Vec<Vec<f32>>, String> {
    let vectors = match dialect {
        Dialect::OpenAi => in_order(parsed::<OpenAiAnswer>(content)?.data)?,
        Dialect::Ollama => parsed::<OllamaAnswer>(content)?.embeddings,
    };
    if vectors.len() != count {
        return Err(format!("gave {} vectors for {count} texts", vectors.len()));
    }
    if vectors.iter().flatten().any(|value| !value.is_finite()) {
        return Err("gave a vector with a number beyond all bounds".into());
    }
    Ok(vectors)
}

/// What serde says may quote the answer, and an answer may quote a text: only the place is told.
fn parsed<'a, T: Deserialize<'a>>(content: &'a [u8]) -> Result<T, String> {
    serde_json::from_slice(content).map_err(|error| {
        let problem = if error.is_data() { "JSON, but not that of embeddings" } else { "not JSON" };
        let place = format!("line {}, column {}", error.line(), error.column());
        format!("gave an answer that is {problem} ({place}); is the address right?")
    })
}

/// The vectors by their indexes, where they have them.
fn in_order(data: Vec<OpenAiVector>) -> Result<Vec<Vec<f32>>, String> {
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

    fn openai(content: &str, count: usize) -> Result<Vec<Vec<f32>>, String> {
        vectors(Dialect::OpenAi, content.as_bytes(), count)
    }

    #[test]
    fn vectors_are_put_in_the_order_of_the_texts() {
        let content =
            r#"{"data": [{"index": 1, "embedding": [2]}, {"index": 0, "embedding": [1]}]}"#;
        assert_eq!(openai(content, 2).unwrap(), [[1.0], [2.0]]);
        let content = r#"{"data": [{"embedding": [1]}, {"embedding": [2]}]}"#;
        assert_eq!(openai(content, 2).unwrap(), [[1.0], [2.0]]);
        let ollama = vectors(Dialect::Ollama, br#"{"embeddings": [[1, 2]]}"#, 1);
        assert_eq!(ollama.unwrap(), [[1.0, 2.0]]);
    }

    #[test]
    fn answers_that_do_not_fit_are_described_but_not_quoted() {
        let twice = r#"{"data": [{"index": 0, "embedding": [2]}, {"index": 0, "embedding": [1]}]}"#;
        assert!(openai(twice, 2).unwrap_err().contains("indexes"));
        assert!(openai(r#"{"data": []}"#, 2).unwrap_err().contains("0 vectors for 2 texts"));
        assert!(openai(r#"{"data": [{"embedding": [1e300]}]}"#, 1).is_err());
        let other = openai(r#"{"error": "secret words"}"#, 1).unwrap_err();
        assert!(other.contains("not that of embeddings") && !other.contains("secret"), "{other}");
        let broken = openai("<html>secret words", 1).unwrap_err();
        assert!(broken.contains("not JSON") && !broken.contains("secret"), "{broken}");
    }
}
