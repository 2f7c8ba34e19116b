//! Title and summary by a language model. The built-in ones stay until it has answered, and also
//! where its answer is no title or no summary.

use unicode_segmentation::UnicodeSegmentation;

use crate::engine::Engine;
use crate::job::Job;
use crate::json::Json;
use crate::memory::{Entry, Role, Summary, SummaryBy};
use crate::ports::{Prompt, Reply};
use crate::summary::{self, first_words};
use crate::text::shorten;
use crate::time::Zone;
use crate::transcript::{transcript, windows};
use crate::{Error, Result, job_run};

/// Tokens an answer may have.
const REPLY_TOKENS: u32 = 400;
/// The maximum number of characters of a summary.
const SUMMARY_CHARS: usize = 1_000;

/// Runs a job of the kind `retell`: a language model writes the title and the summary again.
pub(crate) async fn run(engine: &Engine, job: &Job) -> Result<()> {
    let Some(read) = engine.material(job).await? else { return engine.drop_job(job).await };
    let Some(asker) = engine.asker(&read.vault, job) else { return engine.drop_job(job).await };
    let asked = prompt(&read.entries, &read.vault.zone);
    let read = |reply: &Reply| title_and_summary(reply.json.as_ref().unwrap_or(&Json::Null));
    let title_and_summary = asker.ask("title", &asked, read).await?;
    engine
        .commit(job, move |edit, job| {
            let Some(mut conversation) = job_run::ended_subject(edit, job)? else { return Ok(()) };
            let (title, text) = title_and_summary.clone();
            let known = conversation.summary.map(|known| known.title);
            let title = title.or(known).unwrap_or_default();
            conversation.summary = Some(Summary { title, text, by: SummaryBy::Llm });
            edit.put_context_job()?;
            edit.put_conversation(&conversation)
        })
        .await
}

/// The beginning and the end of a conversation, if it is too long to be shown.
fn prompt(entries: &[Entry], zone: &Zone) -> Prompt {
    let spoken: Vec<&Entry> =
        entries.iter().filter(|one| matches!(one.role, Role::User | Role::Assistant)).collect();
    let windows = windows(&spoken);
    let shown: Vec<&Entry> = match windows.as_slice() {
        [first, .., last] => first.iter().chain(last.iter()).copied().collect(),
        _ => spoken.clone(),
    };
    Prompt::new(include_str!("prompts/summarize_with_model.md"), transcript(&shown, zone))
        .with_schema("retelling", include_str!("prompts/summarize_with_model.schema.json"))
        .with_max_tokens(REPLY_TOKENS)
}

/// The title, if it is one, and the summary.
fn title_and_summary(json: &Json) -> Result<(Option<String>, String)> {
    let said = json.text("summary").unwrap_or_default();
    let sentences: Vec<&str> = said.unicode_sentences().take(summary::SENTENCES).collect();
    let text = shorten(&sentences.concat(), SUMMARY_CHARS);
    if text.unicode_words().next().is_none() {
        return Err(Error::invalid("the model's answer holds no summary"));
    }
    let title = json.text("title").unwrap_or_default().trim_matches(['"', '“', '”', ' ']);
    let long_enough = title.unicode_words().count() >= summary::TITLE_LEAST;
    Ok((long_enough.then(|| first_words(title, summary::TITLE_MOST)), text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judged(title: &str, summary: &str) -> Result<(Option<String>, String)> {
        let member = |name: &str, text: &str| (name.to_owned(), Json::Text(text.to_owned()));
        title_and_summary(&Json::Object(vec![member("title", title), member("summary", summary)]))
    }

    #[test]
    fn what_is_no_title_leaves_the_one_there_is() {
        let (title, text) = judged("\"Moving the dentist to next Friday\"", "A. B. C. D.").unwrap();
        assert_eq!(title.as_deref(), Some("Moving the dentist to next Friday"));
        assert_eq!(text, "A. B. C.");
        assert_eq!(judged("Dentist", "It moved.").unwrap().0, None);
        let long = judged("one two three four five six seven eight nine", "It moved.").unwrap();
        assert_eq!(long.0.unwrap().split(' ').count(), 8);
    }

    #[test]
    fn an_answer_without_a_summary_is_none() {
        assert!(judged("one two three four five", " … ").is_err());
        assert!(title_and_summary(&Json::Null).is_err());
    }
}
