//! The one value a sentence states, if it states one: "my A1C dropped to 7.0%" is `a1c`, `7.0%`.

/// Ways to say where one lives, works and so on: what it begins with, and the matter's name.
const FRAMES: [(&str, &str); 13] = [
    ("i live in ", "home"),
    ("i'm living in ", "home"),
    ("i now live in ", "home"),
    ("i moved to ", "home"),
    ("i've moved to ", "home"),
    ("i just moved to ", "home"),
    ("we moved to ", "home"),
    ("i work at ", "workplace"),
    ("i work for ", "workplace"),
    ("i now work at ", "workplace"),
    ("i now work for ", "workplace"),
    ("i work as ", "occupation"),
    ("my name is ", "name"),
];
/// Words between a matter and its value.
const VERBS: [&str; 18] = [
    "is",
    "was",
    "are",
    "were",
    "came",
    "dropped",
    "fell",
    "rose",
    "improved",
    "went",
    "reached",
    "hit",
    "increased",
    "decreased",
    "stands",
    "got",
    "climbed",
    "became",
];
/// Words that belong to no name.
const LEADS: [&str; 23] = [
    "my", "the", "our", "latest", "current", "new", "last", "today's", "i", "that", "says", "so",
    "and", "doctor", "we", "you", "he", "she", "it", "they", "there", "this", "what",
];
/// A value begins at most so many words behind its verb.
const REACH: usize = 5;

/// The key and the value of the matter, from a sentence in lower case and its words.
pub(super) fn read(lower: &str, words: &[&str]) -> Option<(String, String)> {
    framed(lower).or_else(|| measured(lower, words)).or_else(|| possessed(lower))
}

/// "I live in Lisbon now."
fn framed(lower: &str) -> Option<(String, String)> {
    let (frame, key) = FRAMES.iter().find(|(frame, _)| lower.starts_with(frame))?;
    value(&lower[frame.len()..]).map(|value| ((*key).to_owned(), value))
}

/// A name, a verb and a figure: "A1C was 7.4%". The name is what stands before the verb.
fn measured(lower: &str, words: &[&str]) -> Option<(String, String)> {
    let verb = words.iter().position(|word| VERBS.contains(word))?;
    let figure = words[verb + 1..].iter().take(REACH).find(|word| has_digit(word))?;
    let name: Vec<&str> =
        words[..verb].iter().copied().filter(|word| !LEADS.contains(word)).collect();
    if name.is_empty() || name.len() > 3 {
        return None;
    }
    Some((name.join(" "), with_unit(lower, figure)))
}

fn has_digit(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_digit())
}

/// The figure with what is written right behind it.
fn with_unit(lower: &str, figure: &str) -> String {
    let end = lower.find(figure).map_or(lower.len(), |start| start + figure.len());
    let unit = if lower[end..].starts_with('%') { "%" } else { "" };
    format!("{figure}{unit}")
}

/// "My favourite colour is green."
fn possessed(lower: &str) -> Option<(String, String)> {
    let rest = lower.strip_prefix("my ")?;
    let (name, said) = rest.split_once(" is ").or_else(|| rest.split_once(" are "))?;
    let plain = name.split_whitespace().count() <= 3 && !name.contains([',', ';', ':']);
    let value = value(said.strip_prefix("now ").unwrap_or(said))?;
    let doing = value.split_whitespace().next().is_some_and(|first| first.ends_with("ing"));
    let short = value.split_whitespace().count() <= 6;
    (plain && short && !doing).then(|| (name.to_owned(), value))
}

/// The words up to the first mark or joining word.
fn value(text: &str) -> Option<String> {
    let end = text.find([',', ';', '.', '!', '(']).unwrap_or(text.len());
    let words: Vec<&str> = text[..end]
        .split_whitespace()
        .take_while(|word| !["and", "but", "because", "since", "with", "for", "now"].contains(word))
        .collect();
    (!words.is_empty()).then(|| words.join(" "))
}

#[cfg(test)]
mod tests {
    use unicode_segmentation::UnicodeSegmentation;

    use super::*;

    fn matter(text: &str) -> Option<(String, String)> {
        let lower = text.to_lowercase();
        let words: Vec<&str> = lower.unicode_words().collect();
        read(&lower, &words)
    }

    #[test]
    fn values_are_read_with_what_they_are_of() {
        let cases = [
            ("My A1C was 7.4%", "a1c", "7.4%"),
            ("A1C improved to 7.0%.", "a1c", "7.0%"),
            ("My A1C is now at 6.8%", "a1c", "6.8%"),
            ("My latest blood pressure came back at 120 over 80", "blood pressure", "120"),
            ("I live in Lisbon now.", "home", "lisbon"),
            ("I moved to Porto, finally", "home", "porto"),
            ("My favourite colour is dark green.", "favourite colour", "dark green"),
        ];
        for (text, key, value) in cases {
            assert_eq!(matter(text), Some((key.to_owned(), value.to_owned())), "{text}");
        }
    }

    #[test]
    fn other_sentences_state_no_value() {
        for text in [
            "I like tea",
            "We were there for 3 days and it was lovely",
            "My sister is coming to stay with us for the whole of next summer",
            "I bought 3 apples",
        ] {
            assert_eq!(matter(text), None, "{text}");
        }
    }
}
