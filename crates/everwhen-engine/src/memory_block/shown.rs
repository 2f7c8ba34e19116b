//! What a text includes already, so that it is not said again. Words are compared, not punctuation.

use unicode_segmentation::UnicodeSegmentation;

/// Texts that the block includes already.
#[derive(Default)]
pub(super) struct ShownTexts {
    /// Each text as its words in lower case, with a blank before and behind each.
    texts: Vec<String>,
}

impl ShownTexts {
    /// Notes that a text is included.
    pub(super) fn note(&mut self, text: &str) {
        self.texts.extend(words(text));
    }

    /// Whether a text is included as a whole, by itself.
    pub(super) fn has_whole(&self, text: &str) -> bool {
        words(text).is_none_or(|words| self.texts.contains(&words))
    }

    /// Whether a text is included, by itself or within another.
    pub(super) fn has(&self, text: &str) -> bool {
        words(text).is_none_or(|words| self.texts.iter().any(|known| known.contains(&words)))
    }

    /// The sentences of a text that are not included yet; nothing if all are.
    pub(super) fn rest_of(&self, text: &str) -> Option<String> {
        let new = text.unicode_sentences().map(str::trim).filter(|sentence| !self.has(sentence));
        let new: Vec<&str> = new.collect();
        (!new.is_empty()).then(|| new.join(" "))
    }
}

fn words(text: &str) -> Option<String> {
    let words: Vec<String> = text.unicode_words().map(str::to_lowercase).collect();
    (!words.is_empty()).then(|| format!(" {} ", words.join(" ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_within_another_text_is_included() {
        let mut shown = ShownTexts::default();
        shown.note("Well: my cat is called Tim! He is old.");
        assert!(shown.has("My cat is called Tim."));
        assert!(!shown.has_whole("My cat is called Tim."));
        assert!(!shown.has("my cat is called Ti"), "words are compared whole");
        let rest = shown.rest_of("My cat is called Tim. He is seven. He is old.");
        assert_eq!(rest.as_deref(), Some("He is seven."));
        assert_eq!(shown.rest_of("He is old."), None);
    }
}
