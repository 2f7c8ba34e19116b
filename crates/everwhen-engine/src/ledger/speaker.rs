//! Who is to speak: a last message such as `Mira:` names who speaks next and says nothing.
//!
//! A name and a colon, short, on one line; `**Mira:**` and `Mira (whispering):` are the same with
//! decoration. From the assistant's side that is enough, and one word may be in lower case. From the
//! user's side the name must be one that speaks in this history, because "Question:" may be
//! something a person says.

use super::{Commit, History, Message, Wanted};
use crate::memory::Role;

/// Longest generation prompt, in characters.
const PROMPT_CHARS: usize = 100;
/// Most words of a name.
const NAME_WORDS: usize = 4;
/// Names that always speak.
const MODELS: [&str; 3] = ["Assistant", "AI", "Bot"];
/// What stands around a name to make it bold or the like.
const DECORATION: [char; 5] = ['*', '_', '~', '`', ' '];

/// A speaker whose name may stand before what they say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct NextSpeaker {
    /// Whether it does in this history.
    pub(super) is_written: bool,
    /// How the reply begins: the name, as it is written in this history, and a colon.
    label: String,
    /// The names of all who speak here.
    known: Vec<String>,
}

impl NextSpeaker {
    /// The reply as it stands in the history: with its speaker's name before it, unless it begins
    /// with the name of a speaker.
    pub(super) fn with_name(&self, reply: &str) -> String {
        let begun = reply.trim_start();
        let is_named = label_before(begun)
            .is_some_and(|before| self.known.iter().any(|known| is_same(known, before)));
        if is_named { begun.to_owned() } else { format!("{} {begun}", self.label) }
    }

    /// The reply without the name.
    pub(super) fn without_name<'r>(&self, reply: &'r str) -> &'r str {
        reply.strip_prefix(&self.label).map_or(reply, str::trim_start)
    }
}

/// The next speaker, if the request names one. Their name will stand before what they say where the
/// request asks for the message of a speaker, and where a generation prompt ends a history in which names
/// are written.
pub(super) fn next_speaker(history: &History, commit: Commit) -> Option<NextSpeaker> {
    let messages = &history.messages;
    let (label, is_written) = match &history.wanted {
        // Where names stand beside messages they are not written into them.
        Wanted::By(name) => {
            (format!("{name}:"), messages.iter().all(|message| message.speaker.is_none()))
        }
        Wanted::Reply => {
            let (prompt, earlier) = (generation_prompt(history)?, messages.split_last()?.1);
            let names_are_written =
                earlier.iter().any(|message| name_before(&message.content).is_some());
            let is_person = !is_model(name_of(prompt)?);
            let is_written = commit == Commit::AtOnce || (names_are_written && is_person);
            (prompt.to_owned(), is_written)
        }
        Wanted::Continuation | Wanted::Unrecorded => return None,
    };
    let mut known: Vec<String> = speakers(messages).map(str::to_owned).collect();
    known.extend(name_of(&label).map(str::to_owned));
    Some(NextSpeaker { is_written, label, known })
}

/// The last message, if it only says who is to speak next.
pub(super) fn generation_prompt(history: &History) -> Option<&str> {
    if history.wanted != Wanted::Reply {
        return None;
    }
    let (last, earlier) = history.messages.split_last()?;
    let prompt = last.content.trim();
    let name = name_of(prompt)?;
    let is_known = || speakers(earlier).any(|known| is_same(known, name));
    let is_prompt = match last.role {
        Role::User => is_model(name) || is_known(),
        Role::Tool => false,
        Role::Assistant | Role::System => is_name(name) || is_word(name) || is_known(),
    };
    is_prompt.then_some(prompt)
}

/// The names that speak in a history: given beside messages, or written before them.
fn speakers(messages: &[Message]) -> impl Iterator<Item = &str> {
    messages.iter().flat_map(|message| {
        let written = name_before(&message.content);
        message.speaker.as_deref().into_iter().chain(written)
    })
}

fn is_same(one: &str, other: &str) -> bool {
    one.to_lowercase() == other.to_lowercase()
}

fn is_model(name: &str) -> bool {
    MODELS.iter().any(|model| is_same(model, name))
}

/// The name in a text that is a name and a colon and nothing else.
fn name_of(text: &str) -> Option<&str> {
    let text = text.trim();
    let label = text.trim_end_matches(DECORATION).strip_suffix(':')?;
    let is_short = text.chars().count() < PROMPT_CHARS && !text.contains('\n');
    let name = bare(label);
    let few_words = name.split(' ').count() <= NAME_WORDS;
    let reads_as_name = few_words && name.split(' ').all(is_made_of_letters);
    (is_short && reads_as_name).then_some(name)
}

/// The name before the first colon of the first line.
fn name_before(text: &str) -> Option<&str> {
    label_before(text).filter(|name| is_name(name))
}

/// What stands before the first colon of the first line, a name or not.
fn label_before(text: &str) -> Option<&str> {
    let line = text.trim_start().lines().next()?;
    let (label, _) = line.split_once(':')?;
    Some(bare(label))
}

/// A label without decoration: `**Mira**`, `Mira (whispering)`.
fn bare(label: &str) -> &str {
    let label = label.trim_matches(DECORATION);
    let manner = label.strip_suffix(')').and_then(|label| label.split_once(" ("));
    manner.map_or(label, |(name, _)| name).trim_matches(DECORATION)
}

/// Whether this could be a person's name: few words, none in lower case, no punctuation.
fn is_name(text: &str) -> bool {
    let words: Vec<&str> = text.split(' ').collect();
    let is_capital = |letter: char| letter.is_alphanumeric() && !letter.is_lowercase();
    let reads_as_name = |word: &&str| word.starts_with(is_capital) && is_made_of_letters(word);
    words.len() <= NAME_WORDS && words.iter().all(reads_as_name)
}

/// Whether this is one word.
fn is_word(text: &str) -> bool {
    !text.contains(' ') && text.starts_with(char::is_alphabetic)
}

fn is_made_of_letters(word: &str) -> bool {
    !word.is_empty()
        && word.chars().all(|letter| letter.is_alphanumeric() || "-_'’.".contains(letter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(messages: &[(Role, &str)]) -> History {
        let messages = messages.iter().map(|(role, text)| Message::new(*role, *text));
        messages.collect::<Vec<Message>>().into()
    }

    #[test]
    fn a_name_and_a_colon_say_nothing() {
        for text in [
            "Assistant:",
            "Mira:",
            " Mira Lind: ",
            "Dr. Ana O'Neil:",
            "R2-D2:",
            "mira:",
            "*Mira*:",
            "**Mira:**",
            "Mira (whispering):",
        ] {
            let said = history(&[(Role::User, "hi"), (Role::Assistant, text)]);
            assert_eq!(generation_prompt(&said), Some(text.trim()));
        }
        for text in ["Here is the list:", "Mira", "", ":", "Mira: hi", "A:\nB:", "Sure, Mira:"] {
            let said = history(&[(Role::User, "hi"), (Role::Assistant, text)]);
            assert!(generation_prompt(&said).is_none(), "{text}");
        }
    }

    #[test]
    fn what_a_user_says_is_content_unless_somebody_has_that_name() {
        for text in ["Translate this:", "Translate:", "Question:", "mira:"] {
            assert!(generation_prompt(&history(&[(Role::User, text)])).is_none(), "{text}");
        }
        for prompt in ["Mira:", "mira:", "**Mira:**"] {
            let group = [(Role::Assistant, "Mira: hello"), (Role::User, prompt)];
            assert_eq!(generation_prompt(&history(&group)), Some(prompt));
        }
        assert!(generation_prompt(&history(&[(Role::User, "Assistant:")])).is_some());
    }

    #[test]
    fn a_reply_gets_the_name_it_lacks() {
        let group = [(Role::User, "Tom: hello"), (Role::Assistant, "Mira:")];
        let next = next_speaker(&history(&group), Commit::AtOnce).unwrap();
        assert_eq!(next.with_name(" hello"), "Mira: hello");
        assert_eq!(next.with_name("Mira: hello"), "Mira: hello");
        assert_eq!(next.with_name("**mira:** hello"), "**mira:** hello");
        assert_eq!(next.with_name("mira: hello"), "mira: hello");
        assert_eq!(next.with_name("Tom: hello"), "Tom: hello");
        assert_eq!(next.with_name("Note: it is late"), "Mira: Note: it is late");
        assert_eq!(next.with_name(""), "Mira: ");
    }

    #[test]
    fn a_name_is_written_as_the_request_writes_it() {
        for (prompt, expected) in [
            ("mira:", "mira: hello"),
            ("**Mira:**", "**Mira:** hello"),
            ("Mira (whispering):", "Mira (whispering): hello"),
        ] {
            let group = [(Role::User, "Tom: hello"), (Role::Assistant, prompt)];
            for commit in [Commit::AtOnce, Commit::NextTurn] {
                let next = next_speaker(&history(&group), commit).unwrap();
                assert_eq!(next.with_name("hello"), expected);
            }
        }
    }

    #[test]
    fn names_are_written_only_where_the_history_writes_them() {
        let plain = [(Role::User, "hello"), (Role::Assistant, "Mira:")];
        let is_written =
            |history: &History| next_speaker(history, Commit::NextTurn).unwrap().is_written;
        assert!(!is_written(&history(&plain)));
        let model = [(Role::User, "Tom: hello"), (Role::Assistant, "Assistant:")];
        assert!(!is_written(&history(&model)));
        let asked =
            History { wanted: Wanted::By("Bob".into()), ..history(&[(Role::User, "hello")]) };
        let bob = next_speaker(&asked, Commit::NextTurn).unwrap();
        assert_eq!((bob.is_written, &*bob.with_name("Hi.")), (true, "Bob: Hi."));
        assert_eq!(bob.without_name("Bob: Hi."), "Hi.");
        let mut beside = asked;
        beside.messages[0].speaker = Some("Tom".into());
        assert!(!is_written(&beside));
    }
}
