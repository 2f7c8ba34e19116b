//! Search results as one list of dated texts, and keyword matching.

use everwhen::chapters::{Chapter, ChapterKind};
use everwhen::recall::Recollection;
use everwhen::time::Zone;
use rust_stemmers::{Algorithm, Stemmer};

use crate::port::SearchHit;

/// What stands between the memories of one chapter. Chapters are stored on one line.
pub(crate) const BETWEEN_MEMORIES: &str = " • ";

/// Entries and facts of a recollection, and chapters unless they are searched by other means, in
/// turn, the best of each first: their scores cannot be compared.
pub(crate) fn gathered(
    recollection: &Recollection,
    zone: &Zone,
    chapters: Option<Vec<SearchHit>>,
) -> Vec<SearchHit> {
    let found =
        |time, text: &str| SearchHit { day: zone.day(time).to_string(), text: text.to_owned() };
    let mut said = recollection.items.iter().map(|one| {
        let entry = &one.entry;
        found(entry.conversation_time, entry.content.as_str())
    });
    let facts = recollection.facts.iter();
    let mut facts = facts.map(|one| found(one.fact.fact.mentioned_at, &one.fact.fact.statement));
    let recalled = recollection.chapters.iter();
    let recalled = recalled
        .map(|one| SearchHit { day: day_of(&one.chapter, zone), text: one.chapter.text.clone() });
    let mut chapters = chapters.unwrap_or_else(|| recalled.collect()).into_iter();
    let mut all = Vec::new();
    loop {
        let round = [chapters.next(), said.next(), facts.next()];
        if round.iter().all(Option::is_none) {
            return all;
        }
        all.extend(round.into_iter().flatten());
    }
}

/// The day on which a chapter ended, or that it is not known.
fn day_of(chapter: &Chapter, zone: &Zone) -> String {
    match chapter.days(zone) {
        Some(_) => zone.day(chapter.last.time).to_string(),
        None => "date unknown".to_owned(),
    }
}

/// The memories of chapters that hold a keyword in their title, text, entities or key phrases, those
/// with the most keywords first, and of these the newest.
pub(crate) fn in_chapters(
    chapters: &[Chapter],
    keywords: &[String],
    zone: &Zone,
) -> Vec<SearchHit> {
    let mut ranked: Vec<(usize, usize, SearchHit)> = Vec::new();
    // What is condensed is found in the chapters that it was condensed from.
    let chapters = chapters.iter().filter(|one| one.kind != ChapterKind::Condensed);
    for (place, chapter) in chapters.enumerate() {
        for (count, text) in memories_with(chapter, keywords) {
            let day = day_of(chapter, zone);
            ranked.push((count, place, SearchHit { day, text: text.to_owned() }));
        }
    }
    ranked.sort_by_key(|(count, place, _)| std::cmp::Reverse((*count, *place)));
    ranked.into_iter().map(|(.., hit)| hit).collect()
}

/// The memories of a chapter that hold keywords, and how many. A keyword that only the chapter's
/// title, entities or phrases hold counts for the memory that shares a word with what holds it, or
/// for all if none does.
fn memories_with<'c>(chapter: &'c Chapter, keywords: &[String]) -> Vec<(usize, &'c str)> {
    let memories: Vec<&str> = chapter.text.split(BETWEEN_MEMORIES).collect();
    let mut counts = vec![0; memories.len()];
    let labels = std::iter::once(&chapter.title).chain(&chapter.entities);
    let labels: Vec<&String> = labels.chain(&chapter.key_phrases).collect();
    for keyword in keywords {
        let one = std::slice::from_ref(keyword);
        let in_text: Vec<usize> =
            (0..memories.len()).filter(|at| says_any(memories[*at], one)).collect();
        let meant = match in_text.is_empty() {
            false => in_text,
            true => {
                let mut labelled = labels.iter().filter(|label| says_any(label, one)).peekable();
                if labelled.peek().is_none() {
                    continue;
                }
                let words: Vec<String> = labelled.flat_map(|label| words(label)).collect();
                let shared: Vec<usize> =
                    (0..memories.len()).filter(|at| says_any(memories[*at], &words)).collect();
                if shared.is_empty() { (0..memories.len()).collect() } else { shared }
            }
        };
        meant.into_iter().for_each(|at| counts[at] += 1);
    }
    counts.into_iter().zip(memories).filter(|(count, _)| *count > 0).collect()
}

/// Whether a text contains all words of any of these keywords, in any inflection.
pub(crate) fn says_any(text: &str, keywords: &[String]) -> bool {
    let said = stems(text);
    keywords.iter().any(|keyword| {
        let wanted = stems(keyword);
        !wanted.is_empty() && wanted.iter().all(|word| said.contains(word))
    })
}

fn stems(text: &str) -> Vec<String> {
    let stemmer = Stemmer::create(Algorithm::English);
    words(text).iter().map(|word| stemmer.stem(word).into_owned()).collect()
}

fn words(text: &str) -> Vec<String> {
    let words = text.split(|letter: char| !letter.is_alphanumeric());
    words.filter(|word| !word.is_empty()).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use everwhen::memory::WrittenBy;
    use everwhen::ports::Cursor;
    use jiff::Timestamp;

    use super::*;

    fn keywords(words: &[&str]) -> Vec<String> {
        words.iter().map(|&word| word.to_owned()).collect()
    }

    #[test]
    fn any_keyword_will_do_and_all_of_its_words_must_be_there() {
        let text = "Dr. Evelyn Reed named the mission's parameters for Project Stardust.";
        let says = |words: &[&str]| says_any(text, &keywords(words));
        assert!(says(&["Project Stardust"]));
        assert!(says(&["dr. evelyn reed", "nothing"]));
        assert!(says(&["mission parameter"]));
        assert!(!says(&["Project Moonlight"]));
        assert!(!says(&["; "]));
    }

    #[test]
    fn inflections_match_also_of_short_words() {
        for (text, keyword) in [
            ("one bed", "beds"),
            ("two beds", "bed"),
            ("my garden", "gardening"),
            ("she was gardening", "gardens"),
            ("they planted it", "planting"),
        ] {
            assert!(says_any(text, &keywords(&[keyword])), "{keyword} in {text}");
        }
        assert!(!says_any("one bed", &keywords(&["bedroom"])));
    }

    fn chapter(text: &str) -> Chapter {
        let time: Timestamp = "2025-05-02T10:00:00Z".parse().unwrap();
        let place = Cursor { time, sequence: 1 };
        Chapter {
            id: "chp_00000000000000000000000001".parse().unwrap(),
            memory: "mem_00000000000000000000000001".parse().unwrap(),
            first: place,
            last: place,
            entries: 1,
            digest: [0; 32],
            title: "Stardust kickoff".into(),
            text: text.into(),
            entities: vec!["Dr. Evelyn Reed".into(), "Oslo".into()],
            key_phrases: vec!["mission parameters".into()],
            by: WrittenBy::Llm,
            creation_time: time,
            kind: ChapterKind::Written,
            provenance: None,
            metadata: None,
        }
    }

    fn found(text: &str, words: &[&str]) -> Vec<String> {
        let hits = in_chapters(&[chapter(text)], &keywords(words), &Zone::utc());
        hits.into_iter().map(|hit| hit.text).collect()
    }

    #[test]
    fn title_entities_and_phrases_are_looked_into() {
        let text = "The plan was agreed.";
        for keyword in ["Dr. Evelyn Reed", "mission parameter", "kickoff", "plans"] {
            assert_eq!(found(text, &[keyword]), [text], "{keyword}");
        }
        assert_eq!(found(text, &["tomatoes"]), [""; 0]);
    }

    #[test]
    fn memories_of_one_chapter_are_found_alone() {
        let text = "User planted tomatoes. • User lives in Oslo.";
        assert_eq!(found(text, &["Oslo"]), ["User lives in Oslo."]);
        assert_eq!(found(text, &["tomato"]), ["User planted tomatoes."]);
        assert_eq!(found(text, &["kickoff"]).len(), 2);
    }
}
