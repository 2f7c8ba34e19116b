//! The answerer that needs no model: of what is remembered, the line that shares most with the
//! question. It proves that a run fits together, costs nothing, and always says the same.

use std::collections::HashSet;

use everwhen::ports::{Finish, Llm, Prompt, Reply, Spent, Wait};

/// Answers with a line of what it is shown.
pub(super) struct Extractive;

/// What stands before the question in every prompt of a run.
pub(super) const QUESTION: &str = "Question: ";

impl Llm for Extractive {
    fn name(&self) -> &str {
        "extractive"
    }

    fn ask<'a>(&'a self, prompt: &'a Prompt) -> Wait<'a, Reply> {
        Box::pin(async move { Ok(reply(prompt)) })
    }
}

fn reply(prompt: &Prompt) -> Reply {
    let shown = prompt.messages.last().map_or("", |message| message.content.as_str());
    let (question, lines) =
        shown.lines().partition::<Vec<&str>, _>(|line| line.starts_with(QUESTION));
    let wanted = words(question.last().unwrap_or(&""));
    let best = lines
        .iter()
        .map(|line| (words(line).intersection(&wanted).count(), *line))
        .filter(|(shared, _)| *shared > 0)
        .max_by_key(|(shared, line)| (*shared, std::cmp::Reverse(line.len())));
    let text = best.map_or_else(|| "I don't know.".to_owned(), |(_, line)| line.trim().to_owned());
    let count = |text: &str| text.split_whitespace().count() as u64;
    let spent = Spent { input_tokens: count(shown), output_tokens: count(&text), cost_nanos: 0 };
    let model = "extractive".to_owned();
    Reply { text, json: None, model, finish: Finish::Stop, spent, cached: false, unusable: None }
}

fn words(text: &str) -> HashSet<String> {
    let long = |word: &&str| word.len() > 3;
    text.split(|c: char| !c.is_alphanumeric()).filter(long).map(str::to_lowercase).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_that_shares_most_is_the_answer() {
        let shown =
            "2023-01-08: I bought a red bicycle\n2023-01-09: It rained\nQuestion: Which bicycle?";
        assert_eq!(reply(&Prompt::new("", shown)).text, "2023-01-08: I bought a red bicycle");
        assert_eq!(reply(&Prompt::new("", "It rained\nQuestion: Why?")).text, "I don't know.");
    }
}
