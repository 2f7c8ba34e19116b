//! The line of a story in which something is said:
//! `2023-01-08 12:49  user [tags=art,travel]: I visited MoMA today.`

use everwhen_engine::memory::{Name, NewEntry, Role, Said};
use everwhen_engine::time::Zone;
use jiff::Timestamp;

use super::names::Names;
use super::script::read_time;
use super::words::{is_date, words};

/// Something said, as the story has it.
pub(super) struct SaidLine {
    /// When; now if the line has no date.
    pub(super) time: Option<Timestamp>,
    /// Who.
    role: Role,
    /// What.
    pub(super) content: String,
    /// What stands in brackets.
    options: Options,
}

#[derive(Default)]
struct Options {
    tags: Vec<String>,
    tools: Vec<String>,
    speaker: Option<String>,
    summary: Option<String>,
    conversation: Option<String>,
    key: Option<String>,
    question: bool,
    ahead: bool,
    allow_future: bool,
}

impl SaidLine {
    /// Reads the line.
    pub(super) fn read(line: &str, zone: &Zone) -> Result<Self, String> {
        let (time, rest) = split_time(line)?;
        let time = time.map(|time| read_time(time, zone)).transpose()?;
        let word_end = rest.find(|letter: char| !letter.is_alphanumeric()).unwrap_or(rest.len());
        let (role, rest) = rest.split_at(word_end);
        let role = Role::named(role).map_err(|error| error.to_string())?;
        let (options, rest) = split_options(rest.trim_start())?;
        let content = rest
            .trim_start()
            .strip_prefix(':')
            .ok_or("before what is said stands a colon, as in \"user: hello\"")?;
        let options = Options::read(options)?;
        Ok(Self { time, role, content: content.trim().to_owned(), options })
    }

    /// Whether the clock stays where it is although this was said later.
    pub(super) fn is_ahead(&self) -> bool {
        self.options.ahead || self.options.allow_future
    }

    /// The idempotency key it is sent with.
    pub(super) fn key(&self) -> Option<&str> {
        self.options.key.as_deref()
    }

    /// What is sent to be remembered.
    pub(super) fn entry(&self, names: &Names) -> everwhen_engine::Result<NewEntry> {
        let options = &self.options;
        let mut entry = NewEntry::new(self.role, Said::new(self.content.as_str())?);
        entry.conversation_time = self.time;
        entry.allow_future = options.allow_future;
        entry.is_question = options.question;
        entry.tags = labels("tag", &options.tags)?;
        entry.tools_used = labels("tool", &options.tools)?;
        entry.summary.clone_from(&options.summary);
        entry.speaker =
            options.speaker.as_ref().map(|name| Name::new("speaker", name)).transpose()?;
        let conversation = options.conversation.as_ref().map(|name| names.conversation(name));
        entry.conversation = conversation.transpose().map_err(everwhen_engine::Error::invalid)?;
        Ok(entry)
    }
}

fn labels(what: &str, texts: &[String]) -> everwhen_engine::Result<Vec<Name>> {
    texts.iter().map(|text| Name::new(what, text)).collect()
}

fn split_time(line: &str) -> Result<(Option<&str>, &str), String> {
    if !line.starts_with(|letter: char| letter.is_ascii_digit()) {
        return Ok((None, line));
    }
    let first = line.find(' ').unwrap_or(line.len());
    if !is_date(&line[..first]) {
        return Ok((Some(&line[..first]), line[first..].trim_start()));
    }
    let second = line[first..].trim_start();
    let end = line.len() - second.len() + second.find(' ').unwrap_or(second.len());
    if !second.starts_with(|letter: char| letter.is_ascii_digit()) {
        return Err("the date needs a time of day behind it, such as 2023-01-08 12:49".into());
    }
    Ok((Some(&line[..end]), line[end..].trim_start()))
}

fn split_options(rest: &str) -> Result<(&str, &str), String> {
    let Some(inside) = rest.strip_prefix('[') else { return Ok(("", rest)) };
    inside
        .split_once(']')
        .ok_or_else(|| "a bracket is not closed; write ] behind the options".into())
}

impl Options {
    fn read(text: &str) -> Result<Self, String> {
        let mut options = Self::default();
        for word in words(text)? {
            let (name, value) = word.split_once('=').unwrap_or((&word, ""));
            options.put(name, value)?;
        }
        Ok(options)
    }

    fn put(&mut self, name: &str, value: &str) -> Result<(), String> {
        let list = || value.split(',').map(str::to_owned).collect();
        let text = || Some(value.to_owned());
        match name {
            "tags" => self.tags = list(),
            "tools" => self.tools = list(),
            "speaker" => self.speaker = text(),
            "summary" => self.summary = text(),
            "conversation" => self.conversation = text(),
            "key" => self.key = text(),
            "question" => self.question = true,
            "ahead" => self.ahead = true,
            "allow_future" => self.allow_future = true,
            _ => {
                return Err(format!(
                    "unknown option {name:?}; use tags=a,b tools=a,b speaker=… summary=\"…\" \
                     conversation=… key=… question ahead allow_future"
                ));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_may_carry_options() {
        let line = "2023-01-08 12:49  assistant [question tools=a,b speaker=\"Ana B\"]: Who: you?";
        let said = SaidLine::read(line, &Zone::utc()).unwrap();
        let entry = said.entry(&Names::default()).unwrap();
        assert_eq!(entry.role, Role::Assistant);
        assert_eq!(entry.content.as_str(), "Who: you?");
        assert!(entry.is_question);
        assert_eq!(entry.tools_used.len(), 2);
        assert_eq!(entry.speaker.unwrap().as_str(), "Ana B");
        assert_eq!(entry.conversation_time.unwrap().to_string(), "2023-01-08T12:49:00Z");
    }

    #[test]
    fn a_line_without_a_date_is_said_now() {
        let said = SaidLine::read("user: 7 is a number", &Zone::utc()).unwrap();
        assert_eq!((said.time, said.content.as_str()), (None, "7 is a number"));
    }
}
