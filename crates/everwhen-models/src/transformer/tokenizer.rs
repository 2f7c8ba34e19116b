//! The tokens a network reads: word pieces between the marks its tokenizer puts around a text.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;

use everwhen_engine::{Error, Result};
use serde_json::Value;

use crate::word_pieces::{Letters, WordPieces};

/// Word pieces, and the marks around them.
pub(super) struct Tokenizer {
    pieces: WordPieces,
    before: Vec<u32>,
    after: Vec<u32>,
    /// Fills short texts up to the length of the longest beside them.
    pub(super) padding: u32,
}

impl Tokenizer {
    /// From the content of a `tokenizer.json` or a `vocab.txt`.
    pub(super) fn read(path: &Path, content: &[u8]) -> Result<Self> {
        let is_json = path.extension().is_some_and(|extension| extension == "json");
        let read = if is_json { from_json(content) } else { from_lines(content) };
        read.map_err(|wrong| Error::invalid(format!("{}: {wrong}", path.display())))
    }

    /// The tokens of a text, at most `limit` of them with the marks.
    pub(super) fn tokens(&self, text: &str, limit: usize) -> Vec<u32> {
        let room = limit.saturating_sub(self.before.len() + self.after.len());
        let pieces = self.pieces.ids(text, room);
        [&self.before[..], &pieces, &self.after].concat()
    }
}

/// What is wrong with a file, as the end of a sentence about it.
type Wrong = String;

/// One piece per line, as BERT models bring it along.
fn from_lines(content: &[u8]) -> Result<Tokenizer, Wrong> {
    let text = str::from_utf8(content).map_err(|_| "it is not UTF-8 text")?;
    let pieces = text.lines().map(|line| Cow::Owned(line.to_owned())).zip(0..);
    let pieces = WordPieces::new(pieces, Letters { lower: true, plain: true });
    let pieces = pieces.ok_or("it has no piece [UNK] for unknown words")?;
    let mark = |name: &str| pieces.id(name).ok_or(format!("it has no piece {name}"));
    let (before, after, padding) = (vec![mark("[CLS]")?], vec![mark("[SEP]")?], mark("[PAD]")?);
    Ok(Tokenizer { pieces, before, after, padding })
}

/// The file of the `tokenizers` library, as far as it describes word pieces.
fn from_json(content: &[u8]) -> Result<Tokenizer, Wrong> {
    let file: Value =
        serde_json::from_slice(content).map_err(|error| format!("it is not JSON: {error}"))?;
    let kind = file.pointer("/model/type").and_then(Value::as_str).unwrap_or("unknown");
    if kind != "WordPiece" {
        return Err(format!(
            "it is a {kind} tokenizer; only WordPiece tokenizers, those of BERT models, are read"
        ));
    }
    let vocabulary: HashMap<String, u32> = file
        .pointer("/model/vocab")
        .and_then(|vocabulary| serde_json::from_value(vocabulary.clone()).ok())
        .ok_or("it has no vocabulary at model.vocab")?;
    let pieces = vocabulary.into_iter().map(|(piece, id)| (Cow::Owned(piece), id));
    let pieces =
        WordPieces::new(pieces, letters(&file)).ok_or("it has no piece [UNK] for unknown words")?;
    let (before, after) = marks(&file["post_processor"])
        .ok_or("its post_processor does not say which marks stand around a text")?;
    let padding = file.pointer("/padding/pad_id").and_then(id);
    let padding = padding.or_else(|| pieces.id("[PAD]")).or_else(|| pieces.id("<pad>"));
    Ok(Tokenizer { pieces, before, after, padding: padding.unwrap_or(0) })
}

/// Accents go with upper case, unless it is said otherwise.
fn letters(file: &Value) -> Letters {
    let said = |key| file.pointer(key).and_then(Value::as_bool);
    let lower = said("/normalizer/lowercase").unwrap_or(true);
    Letters { lower, plain: said("/normalizer/strip_accents").unwrap_or(lower) }
}

/// The ids of the marks before and after a text.
fn marks(processor: &Value) -> Option<(Vec<u32>, Vec<u32>)> {
    if let (Some(cls), Some(sep)) = (id(&processor["cls"][1]), id(&processor["sep"][1])) {
        return Some((vec![cls], vec![sep]));
    }
    let (mut before, mut after, mut seen) = (Vec::new(), Vec::new(), false);
    for part in processor["single"].as_array()? {
        match part["SpecialToken"]["id"].as_str() {
            None => seen = true,
            Some(name) => {
                let ids = processor["special_tokens"][name]["ids"].as_array()?;
                if seen { &mut after } else { &mut before }.extend(ids.iter().filter_map(id));
            }
        }
    }
    seen.then_some((before, after))
}

fn id(value: &Value) -> Option<u32> {
    value.as_u64().and_then(|id| u32::try_from(id).ok())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::word_pieces::BERT_UNCASED;

    fn file(processor: Value) -> Value {
        let vocabulary: HashMap<&str, usize> = BERT_UNCASED.lines().zip(0..).collect();
        json!({
            "normalizer": {"type": "BertNormalizer", "strip_accents": null, "lowercase": true},
            "post_processor": processor,
            "model": {"type": "WordPiece", "unk_token": "[UNK]", "vocab": vocabulary},
        })
    }

    fn template() -> Value {
        json!({
            "type": "TemplateProcessing",
            "single": [
                {"SpecialToken": {"id": "[CLS]", "type_id": 0}},
                {"Sequence": {"id": "A", "type_id": 0}},
                {"SpecialToken": {"id": "[SEP]", "type_id": 0}}
            ],
            "special_tokens": {"[CLS]": {"ids": [101]}, "[SEP]": {"ids": [102]}},
        })
    }

    fn read(name: &str, content: &[u8]) -> Result<Tokenizer> {
        Tokenizer::read(Path::new(name), content)
    }

    #[test]
    fn both_files_give_the_same_tokens_and_the_limit_counts_the_marks() {
        let other = json!({"type": "BertProcessing", "sep": ["[SEP]", 102], "cls": ["[CLS]", 101]});
        let readers = [
            read("vocab.txt", BERT_UNCASED.as_bytes()).unwrap(),
            read("tokenizer.json", file(template()).to_string().as_bytes()).unwrap(),
            read("tokenizer.json", file(other).to_string().as_bytes()).unwrap(),
        ];
        for tokenizer in readers {
            assert_eq!(tokenizer.tokens("Héllo, wörld!", 9), [101, 7592, 1010, 2088, 999, 102]);
            assert_eq!(tokenizer.tokens("Hello, world!", 4), [101, 7592, 1010, 102]);
            assert_eq!(tokenizer.tokens("", 4), [101, 102]);
            assert_eq!(tokenizer.padding, 0);
        }
    }

    #[test]
    fn what_cannot_be_read_is_said() {
        let message = |name: &str, content: &str| {
            read(name, content.as_bytes()).err().unwrap().message().to_owned()
        };
        assert!(message("tokenizer.json", "{").contains("not JSON"));
        assert!(message("tokenizer.json", r#"{"model": {"type": "Unigram"}}"#).contains("Unigram"));
        assert!(message("tokenizer.json", &file(json!(null)).to_string()).contains("marks"));
        assert!(message("vocab.txt", "hello\nworld").contains("[UNK]"));
        assert!(message("vocab.txt", "[UNK]\nworld").contains("[CLS]"));
    }
}
