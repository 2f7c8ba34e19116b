//! Generation prompts: a last message such as `Mira:` names who speaks next and says nothing.
//!
//! A name and a colon, short, on one line. From the assistant's side that is enough. From the
//! user's side the name must be one that speaks in this history, because "Question:" may be
//! something a person says.

use super::Message;
use crate::memory::Role;

/// Longest generation prompt, in characters.
const PROMPT_CHARS: usize = 100;
/// Most words of a name.
const NAME_WORDS: usize = 4;
/// Names that always speak.
const MODELS: [&str; 3] = ["Assistant", "AI", "Bot"];

/// The name of who is to speak next, if the last message is only that.
pub(super) fn generation_prompt(messages: &[Message]) -> Option<String> {
    let (last, earlier) = messages.split_last()?;
    let name = name_alone(&last.content)?;
    let is_prompt = match last.role {
        Role::User => MODELS.contains(&name) || speakers(earlier).any(|known| known == name),
        Role::Tool => false,
        Role::Assistant | Role::System => true,
    };
    is_prompt.then(|| name.to_owned())
}

/// The names that speak in a history: given beside messages, or written before them.
pub(super) fn speakers(messages: &[Message]) -> impl Iterator<Item = &str> {
    messages.iter().flat_map(|message| {
        let written = name_before(&message.content);
        message.speaker.as_deref().into_iter().chain(written)
    })
}

/// The reply as it stands in the history: with its speaker's name before it, unless it begins
/// with the name of somebody who speaks here.
pub(super) fn with_name(reply: &str, name: &str, known: &[String]) -> String {
    let begun = reply.trim_start();
    match name_before(begun) {
        Some(before) if before == name || known.iter().any(|known| known == before) => begun.into(),
        _ => format!("{name}: {begun}"),
    }
}

/// The name, if the text is a name and a colon and nothing else.
fn name_alone(text: &str) -> Option<&str> {
    let text = text.trim();
    let name = text.strip_suffix(':')?;
    (text.chars().count() < PROMPT_CHARS && is_name(name)).then_some(name)
}

/// The name before the first colon of the first line.
fn name_before(text: &str) -> Option<&str> {
    let line = text.trim_start().lines().next()?;
    let (name, _) = line.split_once(':')?;
    is_name(name).then_some(name)
}

/// Whether this could be somebody's name: few words, none in lower case, no punctuation.
fn is_name(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let reads_as_name = |word: &&str| {
        let first = word.chars().next();
        first.is_some_and(|letter| letter.is_alphanumeric() && !letter.is_lowercase())
            && word.chars().all(|letter| letter.is_alphanumeric() || "-_'’.".contains(letter))
    };
    words.len() <= NAME_WORDS && words.iter().all(reads_as_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(messages: &[(Role, &str)]) -> Vec<Message> {
        messages.iter().map(|(role, text)| Message::new(*role, *text)).collect()
    }

    #[test]
    fn a_name_and_a_colon_say_nothing() {
        for text in ["Assistant:", "Mira:", " Mira Lind: ", "Dr. Ana O'Neil:", "R2-D2:"] {
            let said = history(&[(Role::User, "hi"), (Role::Assistant, text)]);
            assert!(generation_prompt(&said).is_some(), "{text}");
        }
        for text in ["Here is the list:", "Mira", "", ":", "Mira: hi", "A:\nB:", "Sure, Mira:"] {
            let said = history(&[(Role::User, "hi"), (Role::Assistant, text)]);
            assert!(generation_prompt(&said).is_none(), "{text}");
        }
    }

    #[test]
    fn what_a_user_says_is_content_unless_somebody_has_that_name() {
        for text in ["Translate this:", "Translate:", "Question:"] {
            assert!(generation_prompt(&history(&[(Role::User, text)])).is_none(), "{text}");
        }
        let group = [(Role::Assistant, "Mira: hello"), (Role::User, "Mira:")];
        assert_eq!(generation_prompt(&history(&group)).as_deref(), Some("Mira"));
        assert!(generation_prompt(&history(&[(Role::User, "Assistant:")])).is_some());
    }

    #[test]
    fn a_reply_gets_the_name_it_lacks() {
        let known = ["Tom".to_owned()];
        assert_eq!(with_name(" hello", "Mira", &known), "Mira: hello");
        assert_eq!(with_name("Mira: hello", "Mira", &known), "Mira: hello");
        assert_eq!(with_name("Tom: hello", "Mira", &known), "Tom: hello");
        assert_eq!(with_name("Note: it is late", "Mira", &known), "Mira: Note: it is late");
        assert_eq!(with_name("", "Mira", &known), "Mira: ");
    }
}
