//! The pairs that come with the program, and what they say about the built-in embedder.

use everwhen_models::StaticTable;

use super::*;

/// Words of a statement that say something, as the check of a model's facts reads them.
fn shares_a_word(said: &str, statement: &str) -> bool {
    let said = said.to_lowercase();
    let words = statement.split(|letter: char| !letter.is_alphanumeric());
    let long = words.map(str::to_lowercase).filter(|word| word.len() > 2);
    let common = ["the", "and", "has", "for", "with", "not", "does", "had", "from", "can", "out"];
    long.filter(|word| !common.contains(&word.as_str())).any(|word| said.contains(&word))
}

#[test]
fn statements_that_follow_in_other_words_share_none() {
    let pairs = built_in_pairs().unwrap();
    let others = pairs.iter().filter(|pair| pair.is == PairLabel::Follows);
    for pair in others {
        assert!(!shares_a_word(&pair.a, &pair.b), "{pair:?}");
    }
    for label in [PairLabel::Same, PairLabel::Related, PairLabel::Unrelated, PairLabel::Follows] {
        assert!(pairs.iter().filter(|pair| pair.is == label).count() >= 35, "{label:?}");
    }
}

#[tokio::test]
async fn c26_c42_the_built_in_thresholds_are_those_that_are_measured() {
    let measured = calibrate(&StaticTable, &built_in_pairs().unwrap()).await.unwrap();
    assert_eq!(measured.embedder, "static256-e2");
    assert_eq!(measured.thresholds(), StaticTable.thresholds(), "{measured:?}");
}

#[tokio::test]
async fn a_line_that_is_no_pair_is_named() {
    let error = read_pairs("{\"is\": \"same\", \"a\": \"x\", \"b\": \"y\"}\n{\"is\": 1}\n");
    assert!(error.unwrap_err().message().starts_with("line 2: "));
    let one = read_pairs("{\"is\": \"same\", \"a\": \"x\", \"b\": \"y\"}\n").unwrap();
    assert!(calibrate(&StaticTable, &one).await.is_err());
}
