//! Whether a reply is right: by rules that need no model, and by a model that knows the rules of
//! the benchmark. Where both judge and disagree, the summary lists it.

mod value;

use everwhen::ports::{Prompt, Spent};
use everwhen::{Error, Vault};
use serde::{Deserialize, Serialize};

use super::source::Question;
use value::Value;

/// What was found about a reply.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct Verdict {
    /// By the rules.
    pub(super) matched: bool,
    /// By the model, if one judged.
    pub(super) judged: Option<bool>,
}

impl Verdict {
    /// What counts: the model's word if there is one.
    pub(super) fn correct(&self) -> bool {
        self.judged.unwrap_or(self.matched)
    }

    /// Whether rules and model say different things.
    pub(super) fn disagrees(&self) -> bool {
        self.judged.is_some_and(|judged| judged != self.matched)
    }
}

/// By the rules: dates are compared as dates, lengths of time as lengths, numbers as numbers, and
/// the rest word by word.
pub(super) fn matches(question: &Question, hypothesis: &str) -> bool {
    if question.abstention {
        return abstains(hypothesis);
    }
    let Some(answer) = &question.answer else { return false };
    alternatives(answer).iter().any(|answer| is_given(answer, hypothesis))
}

/// Every answer that counts as right. LongMemEval writes "7 days. 8 days (including the last day) is
/// also acceptable.", "25 minutes and 50 seconds (or 25:50)" and "One week. Answers ranging from 7
/// days to 10 days are also acceptable."
fn alternatives(answer: &str) -> Vec<String> {
    let mut accepted = Vec::new();
    let (first, more) = match answer.split_once(". ") {
        Some((first, more)) if more.contains("acceptable") => (first, Some(more)),
        _ => (answer, None),
    };
    accepted.extend(or_in_brackets(first));
    let Some(more) = more else { return accepted };
    let also = ["is also acceptable", "are also acceptable"]
        .iter()
        .find_map(|phrase| more.split_once(phrase))
        .map_or(more, |(also, _)| also);
    match also.split_once("ranging from ").and_then(|(_, range)| range.split_once(" to ")) {
        Some((from, to)) => accepted.extend(range(from, to)),
        None => accepted.push(without_brackets(also)),
    }
    accepted
}

/// "25 minutes and 50 seconds (or 25:50)" in both ways; anything else as it is.
fn or_in_brackets(answer: &str) -> Vec<String> {
    let Some((before, after)) = answer.split_once(" (or ") else { return vec![answer.to_owned()] };
    let inside = after.split([')', ',']).next().unwrap_or_default();
    vec![before.trim().to_owned(), inside.trim().to_owned()]
}

fn without_brackets(text: &str) -> String {
    match text.split_once(" (") {
        Some((before, after)) => {
            let rest = after.split_once(')').map_or("", |(_, rest)| rest);
            format!("{before}{rest}").trim().to_owned()
        }
        None => text.trim().to_owned(),
    }
}

/// Every length from "7 days" to "10 days".
fn range(from: &str, to: &str) -> Vec<String> {
    let read = |text: &str| {
        let (number, unit) = text.trim().split_once(' ')?;
        Some((number.parse::<u32>().ok()?, unit.trim_end_matches(['.', ' ']).to_owned()))
    };
    match (read(from), read(to)) {
        (Some((low, _)), Some((high, unit))) => {
            (low..=high).map(|number| format!("{number} {unit}")).collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a reply gives this answer.
fn is_given(answer: &str, hypothesis: &str) -> bool {
    let (wanted, given) = (value::values(answer), value::values(hypothesis));
    let is_all = |value: &Value| value::is_whole(answer, value);
    match wanted.first() {
        Some(value) if wanted.len() == 1 && is_all(value) => {
            given.iter().any(|given| given.equals(value))
        }
        _ => says(hypothesis, answer),
    }
}

fn abstains(hypothesis: &str) -> bool {
    let said = words(hypothesis).join(" ");
    ["don t know", "do not know", "not mentioned", "no information", "cannot answer", "never said"]
        .iter()
        .any(|phrase| said.contains(phrase))
}

/// Whether the reply contains all words of the answer in order.
fn says(hypothesis: &str, answer: &str) -> bool {
    let (given, wanted) = (words(hypothesis), words(answer));
    !wanted.is_empty() && given.windows(wanted.len()).any(|window| window == wanted)
}

fn words(text: &str) -> Vec<String> {
    let small = ["a", "an", "the"];
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .map(str::to_lowercase)
        .filter(|word| !small.contains(&word.as_str()))
        .collect()
}

/// By a model.
pub(super) async fn ask(
    vault: &Vault,
    question: &Question,
    hypothesis: &str,
) -> Result<(bool, Spent), Error> {
    let system = include_str!("prompts/judge.txt").replace("{rule}", rule(question));
    let answer = question.answer.as_deref().unwrap_or("Nothing was said about it.");
    let shown = format!(
        "Question: {}\nRight answer: {answer}\nReply: {hypothesis}\nIs the reply right?",
        question.text
    );
    let reply = vault.ask("judge", &Prompt::new(system, shown).with_max_tokens(5)).await?;
    Ok((reply.text.trim().to_lowercase().starts_with("yes"), reply.spent))
}

/// What counts for a type of question, by LongMemEval's rules.
fn rule(question: &Question) -> &'static str {
    match question.kind.as_str() {
        _ if question.abstention => {
            "The question cannot be answered: a reply is right if it says so or asks for more."
        }
        "temporal-reasoning" => "Numbers of days, weeks or months may be off by one.",
        "knowledge-update" => {
            "A reply that also tells what was so before is right if it holds what is so now."
        }
        "single-session-preference" => {
            "The right answer describes what a good reply takes into account: a reply is right if \
             it uses what is known of the person, even if it does not use all of it."
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_right(answer: &str, hypothesis: &str) -> bool {
        let question = Question {
            id: "q".into(),
            kind: "t".into(),
            text: "?".into(),
            asked_at: "2023-05-30T20:36:00Z".parse().unwrap(),
            answer: Some(answer.into()),
            abstention: answer.is_empty(),
            gold: Vec::new(),
            sessions: Vec::new(),
            notes: Vec::new(),
        };
        matches(&question, hypothesis)
    }

    #[test]
    fn dates_are_compared_as_dates() {
        assert!(is_right("7 May 2023", "It was on May 7, 2023."));
        assert!(is_right("2023-05-07", "That was 7th of May 2023"));
        assert!(!is_right("7 May 2023", "It was on May 8, 2023."));
    }

    #[test]
    fn lengths_of_time_are_compared_as_lengths() {
        assert!(is_right("14 days", "Two weeks lay between them."));
        assert!(is_right("a week", "exactly 7 days"));
        assert!(!is_right("7 days", "7 weeks"));
        assert!(is_right("2 hours", "120 minutes"));
    }

    #[test]
    fn numbers_are_compared_as_numbers_and_the_rest_word_by_word() {
        assert!(is_right("3", "You have three cats."));
        assert!(is_right("1,200", "about 1200 of them"));
        assert!(!is_right("3", "You have 30 cats."));
        assert!(is_right("the Red Bicycle", "A red bicycle!"));
        assert!(!is_right("red bicycle", "The bicycle was red"));
        assert!(is_right("5 pounds of apples", "I bought 5 pounds of apples"));
    }

    #[test]
    fn bug_9_every_answer_that_is_also_acceptable_counts() {
        let museum = "7 days. 8 days (including the last day) is also acceptable.";
        assert!(is_right(museum, "7 days") && is_right(museum, "It was 7 days."));
        assert!(is_right(museum, "8 days") && !is_right(museum, "9 days"));
        let ago = "10 days ago. 11 days (including the last day) is also acceptable.";
        assert!(is_right(ago, "That was 11 days ago") && is_right(ago, "10 days"));
        let time = "25 minutes and 50 seconds (or 25:50)";
        assert!(is_right(time, "25:50") && is_right(time, "25 minutes and 50 seconds"));
        let count = "11 days (or 12 days, if April 15th to 22nd is considered as 8 days)";
        assert!(is_right(count, "12 days") && is_right(count, "11") == is_right("11 days", "11"));
        let range = "One week. Answers ranging from 7 days to 10 days are also acceptable.";
        assert!(is_right(range, "9 days") && is_right(range, "a week"));
        assert!(!is_right(range, "11 days"));
        assert!(is_right("Mod Podge or another sealant", "Mod Podge or another sealant"));
    }

    #[test]
    fn what_cannot_be_answered_must_not_be() {
        assert!(is_right("", "I don't know."));
        assert!(!is_right("", "Lisbon"));
    }

    #[test]
    fn disagreement_is_seen() {
        assert!(Verdict { matched: true, judged: Some(false) }.disagrees());
        assert!(!Verdict { matched: true, judged: None }.disagrees());
        assert!(Verdict { matched: false, judged: Some(true) }.correct());
    }
}
