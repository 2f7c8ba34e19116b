//! How a model wants to be used: its pooling, its prefixes, how much it reads.
//!
//! Written in `everwhen.toml` beside the model. What is not written there is taken from the files
//! of sentence-transformers, which models from a hub bring along, and otherwise is what
//! all-MiniLM-L6-v2 wants.

use std::fs;
use std::path::Path;

use everwhen_engine::{Error, Result};
use serde::Deserialize;
use serde_json::Value;

/// What may be written beside a model.
const FILE: &str = "everwhen.toml";
/// The default number of word pieces that are read.
const MAX_TOKENS: usize = 256;
/// Fewer leave no room for a word between the marks around a text.
const LEAST_TOKENS: usize = 8;

/// How one vector is made from the vectors of a text's word pieces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pooling {
    /// Their mean (MiniLM, e5, gte).
    Mean,
    /// The vector of the mark before the text (bge, arctic).
    Cls,
}

/// How a model wants to be used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelConfig {
    /// What people call the model.
    pub name: String,
    /// How the vectors of word pieces become one.
    pub pooling: Pooling,
    /// Word pieces of a text that are read, marks included; the rest is cut.
    pub max_tokens: usize,
    /// Stands before a question, such as `query: ` for e5.
    pub query_prefix: String,
    /// Stands before a text, such as `passage: ` for e5.
    pub passage_prefix: String,
}

/// The file as it is written.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: Option<String>,
    pooling: Option<Pooling>,
    max_tokens: Option<usize>,
    query_prefix: Option<String>,
    passage_prefix: Option<String>,
}

impl ModelConfig {
    /// How the model in a directory wants to be used.
    pub fn of(directory: &Path) -> Result<Self> {
        let written = written(directory)?;
        let hub = |file: &str, key: &str| value(directory, file, key);
        let prompt = |name: &str| {
            hub("config_sentence_transformers.json", &format!("/prompts/{name}"))
                .and_then(|prompt| prompt.as_str().map(str::to_owned))
        };
        let limit = hub("sentence_bert_config.json", "/max_seq_length").and_then(|n| n.as_u64());
        let cls = hub("1_Pooling/config.json", "/pooling_mode_cls_token") == Some(true.into());
        let pooling = if cls { Pooling::Cls } else { Pooling::Mean };
        let limit = limit.and_then(|n| usize::try_from(n).ok()).unwrap_or(MAX_TOKENS);
        Self {
            name: written.name.unwrap_or_else(|| name(directory)),
            pooling: written.pooling.unwrap_or(pooling),
            max_tokens: written.max_tokens.unwrap_or(limit),
            query_prefix: written.query_prefix.or_else(|| prompt("query")).unwrap_or_default(),
            passage_prefix: written
                .passage_prefix
                .or_else(|| prompt("passage").or_else(|| prompt("document")))
                .unwrap_or_default(),
        }
        .checked(directory)
    }

    fn checked(self, directory: &Path) -> Result<Self> {
        if self.max_tokens < LEAST_TOKENS {
            return Err(Error::invalid(format!(
                "{}: max_tokens is {}; write at least {LEAST_TOKENS}",
                directory.join(FILE).display(),
                self.max_tokens
            )));
        }
        Ok(self)
    }

    /// The name together with a fingerprint of everything that decides what a vector is.
    pub(super) fn name_with(&self, files: &[&[u8]]) -> String {
        let mut hash = blake3::Hasher::new();
        for file in files {
            hash.update(&(file.len() as u64).to_le_bytes()).update(file);
        }
        let Self { pooling, max_tokens, query_prefix, passage_prefix, name } = self;
        let rest = format!("{pooling:?} {max_tokens} {query_prefix:?} {passage_prefix:?}");
        hash.update(rest.as_bytes());
        format!("{name}-{}", &hash.finalize().to_hex()[..8])
    }
}

fn written(directory: &Path) -> Result<Written> {
    let path = directory.join(FILE);
    if !path.exists() {
        return Ok(Written::default());
    }
    let wrong = |error: &dyn std::fmt::Display| {
        Error::invalid(format!("{} cannot be understood: {error}", path.display()))
    };
    let text = fs::read_to_string(&path).map_err(|error| wrong(&error))?;
    toml::from_str(&text).map_err(|error| wrong(&error))
}

fn value(directory: &Path, file: &str, pointer: &str) -> Option<Value> {
    let text = fs::read_to_string(directory.join(file)).ok()?;
    serde_json::from_str::<Value>(&text).ok()?.pointer(pointer).cloned()
}

fn name(directory: &Path) -> String {
    let whole = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    whole.file_name().map_or("transformer".into(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(files: &[(&str, &str)]) -> (tempfile::TempDir, Result<ModelConfig>) {
        let directory = tempfile::tempdir().unwrap();
        fs::create_dir(directory.path().join("1_Pooling")).unwrap();
        for (name, text) in files {
            fs::write(directory.path().join(name), text).unwrap();
        }
        let config = ModelConfig::of(directory.path());
        (directory, config)
    }

    #[test]
    fn without_files_a_model_is_used_like_minilm() {
        let (directory, config) = with(&[]);
        let config = config.unwrap();
        assert_eq!((config.pooling, config.max_tokens), (Pooling::Mean, 256));
        assert_eq!(config.query_prefix, "");
        assert!(directory.path().ends_with(&config.name));
    }

    #[test]
    fn files_of_the_hub_are_read_and_ours_stand_above_them() {
        let hub = [
            ("1_Pooling/config.json", r#"{"pooling_mode_cls_token": true}"#),
            ("sentence_bert_config.json", r#"{"max_seq_length": 512}"#),
            ("config_sentence_transformers.json", r#"{"prompts": {"query": "query: "}}"#),
        ];
        let config = with(&hub).1.unwrap();
        assert_eq!((config.pooling, config.max_tokens), (Pooling::Cls, 512));
        assert_eq!(config.query_prefix, "query: ");

        let ours = [("everwhen.toml", "name = 'mine'\nquery_prefix = ''\npooling = 'mean'")];
        let config = with(&[&hub[..], &ours].concat()).1.unwrap();
        assert_eq!((config.pooling, config.max_tokens), (Pooling::Mean, 512));
        assert_eq!((config.query_prefix.as_str(), config.name.as_str()), ("", "mine"));
    }

    #[test]
    fn a_wrong_key_or_value_is_named() {
        let message = |toml| with(&[("everwhen.toml", toml)]).1.unwrap_err().message().to_owned();
        assert!(message("poling = 'mean'").contains("poling"));
        assert!(message("pooling = 'max'").contains("max"));
        assert!(message("max_tokens = 2").contains("at least 8"));
    }

    #[test]
    fn whatever_decides_the_vectors_is_in_the_name() {
        let config = with(&[("everwhen.toml", "name = 'm'")]).1.unwrap();
        let name = config.name_with(&[b"model", b"words"]);
        assert!(name.starts_with("m-") && name.len() == 10, "{name}");
        assert_ne!(name, config.name_with(&[b"model", b"other"]));
        let prefixed = ModelConfig { query_prefix: "q".into(), ..config };
        assert_ne!(name, prefixed.name_with(&[b"model", b"words"]));
    }
}
