//! How close two statements are: by meaning where both have vectors of the embedder in use, else
//! by the words they share. And what they say exactly: their figures, and whether they deny.

use std::cell::OnceCell;
use std::collections::BTreeSet;

use unicode_segmentation::UnicodeSegmentation;

use crate::memory::{EmbedderThresholds, Fact, FactRules};
use crate::ports::Embedder;
use crate::text::is_stop_word;
use crate::text::quantity::{in_words, quantities};

/// What closeness means when only words can be compared.
const BY_WORDS: EmbedderThresholds =
    EmbedderThresholds { same: 0.85, related: 0.5, borne_out: 1.1 };

/// Measures closeness with one embedder's vectors and thresholds.
#[derive(Debug, Clone, Default)]
pub(crate) struct Ruler {
    meaning: Option<(String, EmbedderThresholds)>,
}

impl Ruler {
    /// Measures with an embedder, if there is one, by these rules.
    pub(crate) fn new(embedder: Option<&dyn Embedder>, rules: &FactRules) -> Self {
        Self { meaning: embedder.map(|one| (one.name().to_owned(), thresholds(one, rules))) }
    }

    /// Whether a fact has a vector that can be compared.
    pub(crate) fn has_meaning(&self, fact: &Fact) -> bool {
        let own = self.meaning.as_ref().map(|(name, _)| name);
        fact.vector.as_ref().is_some_and(|vector| Some(&vector.by) == own)
    }

    /// How close two facts are, and what that means.
    pub(crate) fn measure(
        &self,
        a: &ComparedFact<'_>,
        b: &ComparedFact<'_>,
    ) -> (f32, EmbedderThresholds) {
        if let (Some((name, thresholds)), Some(x), Some(y)) =
            (&self.meaning, &a.fact.vector, &b.fact.vector)
            && x.by == *name
            && let Some(cosine) = x.cosine(y)
        {
            return (cosine, *thresholds);
        }
        (shared_words(a.words(), b.words()), BY_WORDS)
    }
}

/// A fact with what is compared of it, read from its statement once and only when it is asked for: most facts
/// are compared with no other.
pub(crate) struct ComparedFact<'f> {
    pub(crate) fact: &'f Fact,
    denies: OnceCell<bool>,
    states_a_change: OnceCell<bool>,
    words: OnceCell<BTreeSet<String>>,
    quantities: OnceCell<BTreeSet<String>>,
}

impl<'f> ComparedFact<'f> {
    /// Reads a fact.
    pub(crate) fn new(fact: &'f Fact) -> Self {
        Self {
            fact,
            denies: OnceCell::new(),
            states_a_change: OnceCell::new(),
            words: OnceCell::new(),
            quantities: OnceCell::new(),
        }
    }

    /// Whether the statement says that something is not so, or no longer.
    pub(crate) fn denies(&self) -> bool {
        *self.denies.get_or_init(|| denies(&self.fact.statement))
    }

    /// Whether the statement says of itself that something has changed.
    pub(crate) fn states_a_change(&self) -> bool {
        *self.states_a_change.get_or_init(|| states_a_change(&self.fact.statement))
    }

    /// The words of the statement that say something.
    pub(crate) fn words(&self) -> &BTreeSet<String> {
        self.words.get_or_init(|| content_words(&self.fact.statement))
    }

    /// The quantities that the statement names.
    pub(crate) fn quantities(&self) -> &BTreeSet<String> {
        self.quantities.get_or_init(|| quantities(&self.fact.statement))
    }
}

/// What cosines of an embedder mean: as configured, else as measured, else as the embedder says.
pub(crate) fn thresholds(embedder: &dyn Embedder, rules: &FactRules) -> EmbedderThresholds {
    let measured = rules.by_embedder.get(embedder.name()).copied();
    let own = measured.unwrap_or_else(|| embedder.thresholds());
    EmbedderThresholds {
        same: rules.same.unwrap_or(own.same),
        related: rules.related.unwrap_or(own.related),
        borne_out: rules.borne_out.unwrap_or(own.borne_out),
    }
}

fn shared_words(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f32 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    closeness(a.intersection(b).count(), a.len(), b.len())
}

/// Twice the words in both, over the words in each.
fn closeness(shared: usize, a: usize, b: usize) -> f32 {
    2.0 * shared as f32 / (a + b) as f32
}

/// Whether two statements of these numbers of words are about the same thing if they share this many.
pub(crate) fn close_by_words(shared: usize, a: usize, b: usize) -> bool {
    closeness(shared, a, b) >= BY_WORDS.related
}

/// The words that say something, figures left out: they are compared by themselves.
fn content_words(text: &str) -> BTreeSet<String> {
    text.unicode_words()
        .map(str::to_lowercase)
        .filter(|word| !is_stop_word(word) && !word.starts_with(|c: char| c.is_ascii_digit()))
        .collect()
}

/// The figures in a statement, in digits or in words.
pub(crate) fn figures(text: &str) -> BTreeSet<String> {
    let lower = text.to_lowercase();
    lower.unicode_words().filter_map(figure).collect()
}

/// The figure a word begins with: `500` of `500mg`, and none of `a1c`.
fn figure(word: &str) -> Option<String> {
    let end =
        word.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == ',')).unwrap_or(word.len());
    if end > 0 && word.starts_with(|letter: char| letter.is_ascii_digit()) {
        return Some(word[..end].replace(',', "."));
    }
    in_words(word).map(|number| number.to_string())
}

/// Whether a statement says that something is not so, or no longer.
pub(crate) fn denies(text: &str) -> bool {
    let lower = text.to_lowercase().replace('’', "'");
    let words: Vec<&str> = lower.unicode_words().collect();
    let denied = |word: &&str| DENIALS.contains(word) || word.ends_with("n't");
    words.iter().any(denied) || used_to(&words)
}

/// "I used to live there" says that it is over; "I am used to it" does not.
fn used_to(words: &[&str]) -> bool {
    const ACCUSTOMED: [&str; 14] = [
        "am", "i'm", "is", "are", "was", "were", "be", "been", "get", "getting", "got", "gotten",
        "we're", "they're",
    ];
    words.windows(3).any(|three| {
        three[1..] == ["used", "to"] && !ACCUSTOMED.contains(&three[0]) && !three[0].ends_with("'s")
    })
}

const DENIALS: [&str; 8] = ["not", "never", "no", "nor", "stopped", "quit", "cancelled", "anymore"];

/// Whether a statement says of itself that something has changed.
pub(crate) fn states_a_change(text: &str) -> bool {
    let lower = text.to_lowercase();
    lower.unicode_words().any(|word| CHANGES.contains(&word))
}

const CHANGES: [&str; 14] = [
    "now",
    "switched",
    "changed",
    "moved",
    "instead",
    "replaced",
    "became",
    "upgraded",
    "rescheduled",
    "postponed",
    "renamed",
    "reduced",
    "increased",
    "improved",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_read_in_digits_and_in_words() {
        let read = |text| figures(text).into_iter().collect::<Vec<_>>();
        assert_eq!(read("A1C was 7.4%, then 7,0."), ["7.0", "7.4"]);
        assert_eq!(read("I take it twice daily"), ["2"]);
        assert_eq!(read("metformin 500mg"), ["500"]);
        assert_eq!(read("eleven eggs, twelve times"), read("11 eggs, 12 times"));
        assert!(read("nothing here").is_empty());
    }

    #[test]
    fn denial_is_heard() {
        assert!(denies("I don’t eat meat") && denies("I no longer smoke") && denies("I quit"));
        assert!(!denies("I know nobody here, but I eat meat"));
        assert!(denies("I used to live in Berlin") && denies("Mira used to work here"));
        assert!(!denies("I am used to the noise") && !denies("I'm getting used to it"));
    }

    #[test]
    fn shared_words_pass_over_figures() {
        let shared = |a: &str, b: &str| shared_words(&content_words(a), &content_words(b));
        assert!(shared("My A1C was 7.4", "My A1C was 6.8") > 0.9);
        assert!(shared("I live in Berlin", "My sister plays chess") < 0.1);
    }
}
