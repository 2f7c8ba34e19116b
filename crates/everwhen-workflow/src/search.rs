//! Recall results as one list of dated texts, and keyword matching in it.

use everwhen::recall::Recollection;
use everwhen::time::Zone;

use crate::port::SearchHit;

/// Words of this length match with different endings.
const BENDABLE: usize = 5;

/// Entries, facts and chapters in turn, the best of each first: their scores cannot be compared.
pub(crate) fn gathered(recollection: &Recollection, zone: &Zone) -> Vec<SearchHit> {
    let found =
        |time, text: &str| SearchHit { day: zone.day(time).to_string(), text: text.to_owned() };
    let mut said = recollection.items.iter().map(|one| {
        let entry = &one.entry;
        found(entry.conversation_time, entry.content.as_str())
    });
    let facts = recollection.facts.iter();
    let mut facts = facts.map(|one| found(one.fact.fact.mentioned_at, &one.fact.fact.statement));
    let chapters = recollection.chapters.iter();
    let mut chapters = chapters.map(|one| found(one.chapter.last.time, &one.chapter.text));
    let mut all = Vec::new();
    loop {
        let round = [said.next(), facts.next(), chapters.next()];
        if round.iter().all(Option::is_none) {
            return all;
        }
        all.extend(round.into_iter().flatten());
    }
}

/// Whether a text contains all words of any of these keywords, in any inflection.
pub(crate) fn says_any(text: &str, keywords: &[String]) -> bool {
    let said = words(text);
    let says = |word: &String| said.iter().any(|one| one.starts_with(stem(word)));
    keywords.iter().any(|keyword| {
        let wanted = words(keyword);
        !wanted.is_empty() && wanted.iter().all(says)
    })
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

fn stem(word: &str) -> &str {
    let letters = word.chars().count();
    let kept = if letters > BENDABLE { letters - 2 } else { letters };
    let end = word.char_indices().nth(kept).map_or(word.len(), |(place, _)| place);
    &word[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_keyword_will_do_and_all_of_its_words_must_be_there() {
        let text = "Dr. Evelyn Reed named the mission's parameters for Project Stardust.";
        let says = |keywords: &[&str]| {
            says_any(text, &keywords.iter().map(|&word| word.to_owned()).collect::<Vec<_>>())
        };
        assert!(says(&["Project Stardust"]));
        assert!(says(&["dr. evelyn reed", "nothing"]));
        assert!(says(&["mission parameter"]));
        assert!(!says(&["Project Moonlight"]));
        assert!(!says(&["; "]));
    }
}
