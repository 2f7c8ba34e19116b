//! Built-in variables: the conversation, the date, the outputs of nodes.
//!
//! Days and times are in the vault's time zone.

use everwhen::memory::Role;
use everwhen::ports::PromptMessage;
use jiff::Zoned;
use serde_json::Value;

/// How many messages a name asks for: `chat_user_prompt_last_three`.
const LAST: [(&str, usize); 7] =
    [("one", 1), ("two", 2), ("three", 3), ("four", 4), ("five", 5), ("ten", 10), ("twenty", 20)];

/// Windows of the conversation: `chat_user_prompt_` and `templated_user_prompt_` stand before each.
const WINDOWS: [(&str, &str); 11] = [
    ("last_one", "the latest message"),
    ("last_two", "the latest 2 messages"),
    ("last_three", "the latest 3 messages"),
    ("last_four", "the latest 4 messages"),
    ("last_five", "the latest 5 messages"),
    ("last_ten", "the latest 10 messages"),
    ("last_twenty", "the latest 20 messages"),
    ("n_messages", "as many messages as `nMessagesToIncludeInVariable` says"),
    ("estimated_token_limit", "as many messages as fit `estimatedTokensToIncludeInVariable`"),
    (
        "min_n_max_tokens",
        "at least `minMessagesInVariable` messages, and more while they fit \
                          `maxEstimatedTokensInVariable`",
    ),
    ("without_system", "all messages but those of the system"),
];

/// Every other built-in variable, with its meaning.
const SINGLE: [(&str, &str); 14] = [
    ("chat_system_prompt", "the system messages of the front end"),
    ("templated_system_prompt", "the same as `chat_system_prompt`"),
    ("messages", "the chat as JSON; in Jinja templates a list to loop over"),
    ("todays_date_pretty", "`August 07, 2025`"),
    ("todays_date_iso", "`2025-08-07`"),
    ("YYYY_MM_DD", "`2025_08_07`"),
    ("current_time_12h", "`7:09 PM`"),
    ("current_time_24h", "`19:09`"),
    ("current_month_full", "`August`"),
    ("current_day_of_week", "`Thursday`"),
    ("current_day_of_month", "`07`"),
    ("Discussion_Id", "the name of the memory; empty if the request names none"),
    ("Discussion_Directory", "a directory for files of this memory"),
    ("time_context_summary", "when the conversation began and when the last message was sent"),
];

/// Variables of a workflow that chooses a category.
pub(crate) const CATEGORY: [(&str, &str); 6] = [
    ("category_colon_descriptions", "`NAME: description; NAME: description`"),
    ("category_colon_descriptions_newline_bulletpoint", "the same as a list"),
    ("categoriesSeparatedByOr", "`NAME or NAME`"),
    ("categoryNameBulletpoints", "the names as a list"),
    ("category_list", "the names, separated by commas"),
    ("category_descriptions", "the descriptions, separated by commas"),
];

/// Every built-in variable with its meaning, except `{agent1Output}`, `{agent1Input}` and so on.
pub(crate) fn all() -> Vec<(String, String)> {
    let window = |(name, meaning): &(&str, &str)| {
        let speakers = format!("{meaning}, with speakers");
        [
            (format!("chat_user_prompt_{name}"), (*meaning).to_owned()),
            (format!("templated_user_prompt_{name}"), speakers),
        ]
    };
    let single = SINGLE.iter().map(|(name, meaning)| ((*name).to_owned(), (*meaning).to_owned()));
    WINDOWS.iter().flat_map(window).chain(single).collect()
}

/// The names of all built-in variables.
pub(crate) fn known<'n>() -> impl Iterator<Item = &'n str> {
    static NAMES: std::sync::LazyLock<Vec<String>> =
        std::sync::LazyLock::new(|| all().into_iter().map(|(name, _)| name).collect());
    NAMES.iter().map(String::as_str).chain(CATEGORY.iter().map(|(name, _)| *name))
}

/// Whether a name is that of a built-in variable.
pub(crate) fn is_known(name: &str) -> bool {
    known().any(|known| known == name)
}

/// The number in `agent3Output`.
pub(crate) fn output(name: &str) -> Option<usize> {
    numbered(name, "Output")
}

/// The number in `agent3Input`.
pub(crate) fn input(name: &str) -> Option<usize> {
    numbered(name, "Input")
}

fn numbered(name: &str, ending: &str) -> Option<usize> {
    let digits = name.strip_prefix("agent")?.strip_suffix(ending)?;
    let plain = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_digit());
    plain.then(|| digits.parse().ok()).flatten()
}

/// Sizes of the variables whose length a node can set.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sizes {
    pub(crate) messages: usize,
    pub(crate) tokens: usize,
    pub(crate) min_messages: usize,
    pub(crate) max_tokens: usize,
    /// Whether each message is prefixed with its speaker.
    pub(crate) tags: bool,
}

impl Default for Sizes {
    fn default() -> Self {
        Self { messages: 5, tokens: 2048, min_messages: 5, max_tokens: 2048, tags: false }
    }
}

/// The chat as variables see it.
#[derive(Debug, Clone)]
pub(crate) struct ChatVariables {
    /// The messages, oldest first.
    pub messages: Vec<PromptMessage>,
    /// The time of the request, in the vault's time zone.
    pub now: Zoned,
    /// The name of the memory, as the front end gave it; empty if it gave none.
    pub discussion_id: String,
    /// The value of `{time_context_summary}`.
    pub time_context_summary: String,
    /// The messages as OpenAI's protocol writes them, where they hold more than text.
    pub raw: Vec<Option<Value>>,
    /// The client's tools, as OpenAI's protocol writes them, with its choice of them.
    pub tools: Option<Value>,
    /// What stands between messages in variables.
    pub separator: String,
}

impl ChatVariables {
    /// The value of a variable that is read from the chat.
    pub(crate) fn value(&self, name: &str, sizes: Sizes) -> Option<String> {
        match name {
            "Discussion_Id" => Some(self.discussion_id.clone()),
            "time_context_summary" => Some(self.time_context_summary.clone()),
            "Discussion_Directory" => Some(discussion_directory(&self.discussion_id)),
            "messages" => Some(self.as_json()),
            "chat_system_prompt" | "templated_system_prompt" => Some(self.system_prompt()),
            _ => self.date(name).or_else(|| self.conversation(name, sizes)),
        }
    }

    fn date(&self, name: &str) -> Option<String> {
        let format = match name {
            "todays_date_pretty" => "%B %d, %Y",
            "todays_date_iso" => "%Y-%m-%d",
            "YYYY_MM_DD" => "%Y_%m_%d",
            "current_time_12h" => "%-I:%M %p",
            "current_time_24h" => "%H:%M",
            "current_month_full" => "%B",
            "current_day_of_week" => "%A",
            "current_day_of_month" => "%d",
            _ => return None,
        };
        Some(self.now.strftime(format).to_string())
    }

    /// Part of the conversation. Endpoints take messages and apply their own chat template, so the
    /// variables that WilmerAI calls "templated" have the text of the others with speakers named.
    fn conversation(&self, name: &str, sizes: Sizes) -> Option<String> {
        let (window, tags) = match name.strip_prefix("templated_user_prompt_") {
            Some(window) => (window, true),
            None => (name.strip_prefix("chat_user_prompt_")?, sizes.tags),
        };
        let said = self.without_system();
        let count = match window {
            "without_system" => said.len(),
            "n_messages" => sizes.messages,
            "estimated_token_limit" => fitting(&said, 1, sizes.tokens),
            "min_n_max_tokens" => fitting(&said, sizes.min_messages, sizes.max_tokens),
            _ => {
                let number = window.strip_prefix("last_")?;
                LAST.into_iter().find(|(word, _)| *word == number)?.1
            }
        };
        let said = &said[said.len().saturating_sub(count)..];
        Some(joined(said, tags, &self.separator))
    }

    fn as_json(&self) -> String {
        let message = |message: &PromptMessage| serde_json::json!({ "role": message.role.as_str(), "content": message.content });
        self.messages.iter().map(message).collect::<Value>().to_string()
    }

    fn without_system(&self) -> Vec<&PromptMessage> {
        self.messages.iter().filter(|message| message.role != Role::System).collect()
    }

    /// The system messages that the front end sent.
    fn system_prompt(&self) -> String {
        let system = self.messages.iter().filter(|message| message.role == Role::System);
        let texts: Vec<&str> = system.map(|message| message.content.as_str()).collect();
        texts.join("\n")
    }
}

/// How many of the latest messages fit into this number of tokens, but never fewer than `least`.
fn fitting(said: &[&PromptMessage], least: usize, tokens: usize) -> usize {
    let mut spent = 0;
    let newest_first = said.iter().rev().enumerate();
    let beyond = newest_first.into_iter().find(|(place, message)| {
        spent += estimated_tokens(&message.content);
        *place >= least && spent > tokens
    });
    beyond.map_or(said.len(), |(place, _)| place)
}

/// Estimated number of tokens, rounded up.
pub(crate) fn estimated_tokens(text: &str) -> usize {
    let words = text.split_whitespace().count() as f64 * 1.35;
    let letters = text.chars().count() as f64 / 3.5;
    (words.max(letters) * 1.10) as usize
}

/// The directory for files of a memory; what cannot stand in a path is replaced.
fn discussion_directory(name: &str) -> String {
    let plain = |letter: char| if r#"/\:"#.contains(letter) { '_' } else { letter };
    let name: String = name.chars().map(plain).collect();
    let name = name.trim_matches('.');
    format!("discussions/{}", if name.is_empty() { "unnamed" } else { name })
}

fn joined(said: &[&PromptMessage], tags: bool, separator: &str) -> String {
    let line = |message: &&PromptMessage| match (tags, message.role) {
        (false, _) => message.content.clone(),
        (true, Role::Assistant) => format!("Assistant: {}", message.content),
        (true, _) => format!("User: {}", message.content),
    };
    said.iter().map(line).collect::<Vec<_>>().join(separator)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variables() -> ChatVariables {
        let say = |role, content: &str| PromptMessage { role, content: content.into() };
        ChatVariables {
            messages: vec![
                say(Role::System, "Be brief."),
                say(Role::User, "one"),
                say(Role::Assistant, "two {agent1Output}"),
                say(Role::User, "three"),
            ],
            now: "2025-08-17T19:09:00[Europe/Berlin]".parse().unwrap(),
            discussion_id: "ana".into(),
            time_context_summary: "[Time Context: …]".into(),
            raw: vec![None; 4],
            tools: None,
            separator: "\n".into(),
        }
    }

    fn value(name: &str) -> String {
        variables().value(name, Sizes::default()).unwrap()
    }

    #[test]
    fn every_known_variable_stands_for_something() {
        for (name, _) in all() {
            assert!(variables().value(&name, Sizes::default()).is_some(), "{name}");
        }
        assert_eq!(variables().value("persona", Sizes::default()), None);
    }

    #[test]
    fn dates_are_those_of_the_zone() {
        for (name, shown) in [
            ("todays_date_pretty", "August 17, 2025"),
            ("todays_date_iso", "2025-08-17"),
            ("YYYY_MM_DD", "2025_08_17"),
            ("current_time_12h", "7:09 PM"),
            ("current_time_24h", "19:09"),
            ("current_month_full", "August"),
            ("current_day_of_week", "Sunday"),
            ("current_day_of_month", "17"),
        ] {
            assert_eq!(value(name), shown, "{name}");
        }
    }

    #[test]
    fn the_conversation_comes_in_windows_without_instructions() {
        assert_eq!(value("chat_user_prompt_last_one"), "three");
        assert_eq!(value("chat_user_prompt_last_two"), "two {agent1Output}\nthree");
        assert_eq!(value("chat_user_prompt_last_twenty"), "one\ntwo {agent1Output}\nthree");
        assert_eq!(
            value("templated_user_prompt_last_two"),
            "Assistant: two {agent1Output}\nUser: three"
        );
        assert_eq!(value("chat_system_prompt"), "Be brief.");
    }

    #[test]
    fn a_window_of_tokens_keeps_at_least_what_it_must() {
        let sizes = Sizes { tokens: 1, min_messages: 2, max_tokens: 1, ..Sizes::default() };
        let value = |name: &str| variables().value(name, sizes).unwrap();
        assert_eq!(value("chat_user_prompt_estimated_token_limit"), "three");
        assert_eq!(value("chat_user_prompt_min_n_max_tokens"), "two {agent1Output}\nthree");
    }

    #[test]
    fn nodes_are_numbered() {
        assert_eq!(output("agent12Output"), Some(12));
        assert_eq!(input("agent1Input"), Some(1));
        for name in ["agentOutput", "agent1Input", "agentxOutput", "agent+1Output"] {
            assert_eq!(output(name), None, "{name}");
        }
    }
}
