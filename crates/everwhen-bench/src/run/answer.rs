//! Answering: look up, ask the model whether that is enough, look up more, answer.

use anyhow::Result;
use everwhen::ports::{Prompt, Reply, Spent};
use everwhen::{Error, Vault};
use jiff::tz::TimeZone;

use super::extractive::QUESTION;
use super::source::Question;
use super::via::Found;

/// What answering took and gave.
pub(super) struct ModelAnswer {
    pub(super) hypothesis: String,
    pub(super) spent: Spent,
}

/// What the model asks for if what was found is not enough.
pub(super) async fn wants_more(
    vault: &Vault,
    question: &Question,
    found: &Found,
) -> Result<(Option<String>, Spent), Error> {
    let prompt = Prompt::new(include_str!("prompts/enough.txt"), shown(question, &[found]));
    let reply = vault.ask("enough", &prompt.with_max_tokens(60)).await?;
    Ok((refinement(&reply), reply.spent))
}

fn refinement(reply: &Reply) -> Option<String> {
    let (_, wanted) = reply.text.split_once("REFINE:")?;
    let wanted = wanted.lines().next()?.trim();
    (!wanted.is_empty()).then(|| wanted.to_owned())
}

/// The answer from all that was found.
pub(super) async fn answer(
    vault: &Vault,
    question: &Question,
    found: &[&Found],
    max_tokens: u32,
) -> Result<ModelAnswer, Error> {
    let prompt = Prompt::new(include_str!("prompts/answer.txt"), shown(question, found));
    let reply = vault.ask("answer", &prompt.with_max_tokens(max_tokens)).await?;
    Ok(ModelAnswer { hypothesis: reply.text.trim().to_owned(), spent: reply.spent })
}

/// What the model is shown: what is remembered, the date of the question, the question.
fn shown(question: &Question, found: &[&Found]) -> String {
    let remembered: Vec<&str> = found.iter().map(|one| one.briefing.as_str()).collect();
    let asked = question.asked_at.to_zoned(TimeZone::UTC);
    let date = asked.strftime("%A, %Y-%m-%d %H:%M");
    format!("{}\n\nAsked on: {date}\n{QUESTION}{}", remembered.join("\n\n"), question.text)
}

#[cfg(test)]
mod tests {
    use everwhen::ports::Finish;

    use super::*;

    #[test]
    fn only_a_wish_for_more_is_one() {
        let reply = |text: &str| Reply {
            text: text.into(),
            json: None,
            model: "m".into(),
            finish: Finish::Stop,
            spent: Spent::default(),
            cached: false,
            unusable: None,
        };
        assert_eq!(refinement(&reply("SUFFICIENT")), None);
        assert_eq!(
            refinement(&reply("REFINE:  the dentist \nmore")).as_deref(),
            Some("the dentist")
        );
        assert_eq!(refinement(&reply("REFINE:")), None);
    }

    #[test]
    fn the_model_sees_the_date_of_the_question() {
        let question = Question {
            id: "q".into(),
            kind: "t".into(),
            text: "When?".into(),
            asked_at: "2023-05-30T20:36:00Z".parse().unwrap(),
            answer: None,
            abstention: false,
            gold: Vec::new(),
            sessions: Vec::new(),
            notes: Vec::new(),
        };
        let found = Found { sessions: Vec::new(), briefing: "remembered".into() };
        let shown = shown(&question, &[&found]);
        assert!(shown.ends_with("Asked on: Tuesday, 2023-05-30 20:36\nQuestion: When?"), "{shown}");
    }
}
