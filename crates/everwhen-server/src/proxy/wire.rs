//! What requests and replies say, in each language that is spoken here.
//!
//! A [`Wording`] knows where in a body the words stand. It decides nothing: it finds the messages
//! of a request, and the pieces of text in a reply, whole or in events.

mod anthropic;
pub(crate) mod completion;
pub(crate) mod json;
pub(crate) mod kept;
mod ollama;
mod openai;
pub(crate) mod partial;
mod responses;
pub(crate) mod seen;

use std::borrow::Cow;

use everwhen::memory::Role;

pub(crate) use anthropic::Messages;
use json::Object;

use super::programs::{Own, Purpose};

pub(crate) use ollama::{OllamaChat, OllamaGenerate};
pub(crate) use openai::{Chat, Completions};
pub(crate) use responses::Responses;

/// One way of writing requests and replies.
pub(crate) trait Wording: Send + Sync {
    /// What a request asks. Nothing if it cannot be read as such.
    fn read<'a>(&self, body: &'a str) -> Option<Asked<'a>>;

    /// What a reply says, or one event of it.
    fn hear<'a>(&self, body: &'a str) -> Heard<'a>;

    /// Whether text may be added to requests of this kind.
    fn takes_additions(&self) -> bool {
        true
    }

    /// The type of a part of a message that holds words.
    fn text_part(&self) -> &'static str {
        "text"
    }

    /// Whether a reply in events tells its text again, whole.
    fn tells_again(&self) -> bool {
        false
    }
}

/// A request.
pub(crate) struct Asked<'a> {
    /// Its fields.
    pub(crate) fields: Object<'a>,
    /// What was said, oldest first; what is no message is left out.
    pub(crate) messages: Vec<Message<'a>>,
    /// Whether the reply is wanted piece by piece.
    pub(crate) streams: bool,
    /// Ids of earlier replies and their parts that stand outside messages.
    pub(crate) ids: Vec<Cow<'a, str>>,
    /// Tools that were called since the last message, where calls are no messages.
    pub(crate) called: Vec<Cow<'a, str>>,
    /// What it is for.
    pub(crate) purpose: Purpose,
}

impl<'a> Asked<'a> {
    /// A request that is part of a chat, as long as nobody has looked closer.
    fn new(fields: Object<'a>, messages: Vec<Message<'a>>, streams: bool) -> Self {
        Self {
            fields,
            messages,
            streams,
            ids: Vec::new(),
            called: Vec::new(),
            purpose: Purpose::default(),
        }
    }

    /// The model.
    pub(crate) fn model(&self) -> Option<Cow<'a, str>> {
        self.fields.text("model")
    }
}

/// One message of a request.
#[derive(Debug, Clone)]
pub(crate) struct Message<'a> {
    /// Who speaks.
    pub(crate) role: Role,
    /// The speaker's name, where one is given.
    pub(crate) speaker: Option<Cow<'a, str>>,
    /// The words, without pictures; several parts are joined by line breaks.
    pub(crate) text: Cow<'a, str>,
    /// The whole content as it was sent, for messages without words.
    pub(crate) content: &'a str,
    /// The string literals that hold the words, quotes included.
    pub(crate) literals: Vec<&'a str>,
    /// Tools that are called in it.
    pub(crate) tools: Vec<Cow<'a, str>>,
    /// Ids of tool calls, and of the message itself, that a server may have given.
    pub(crate) ids: Vec<Cow<'a, str>>,
    /// Which words of it are the speaker's own.
    pub(crate) own: Own<'a>,
}

impl<'a> Message<'a> {
    /// The speaker's own words.
    pub(crate) fn words(&self) -> &str {
        match &self.own {
            Own::All => &self.text,
            Own::Some { words, .. } => words,
        }
    }

    /// The rest of the string literal that holds the first of the speaker's own words, from there
    /// on; nothing if there are none.
    pub(crate) fn opening(&self) -> Option<&'a str> {
        match &self.own {
            Own::All => self.literals.first().map(|literal| &literal[1..]),
            Own::Some { from, .. } => *from,
        }
    }

    /// Whether nobody said it: a system's message, or one that holds nothing but what a program wrote.
    pub(crate) fn is_instruction(&self) -> bool {
        let is_cut = self.own != Own::All && self.words().trim().is_empty();
        self.role == Role::System || (self.role != Role::Tool && is_cut && !self.has_more())
    }

    /// Whether it holds something besides text, such as an image.
    fn has_more(&self) -> bool {
        match self.content.as_bytes().first() {
            Some(b'[') => json::items(self.content).len() > self.literals.len(),
            Some(b'{') => {
                Object::read(self.content).is_some_and(|fields| !fields.items("images").is_empty())
            }
            _ => false,
        }
    }
}

/// What was heard in a reply or in one event of it.
#[derive(Debug, Default)]
pub(crate) struct Heard<'a> {
    /// Pieces of text.
    pub(crate) pieces: Vec<Piece<'a>>,
    /// Tools that are called.
    pub(crate) tools: Vec<Cow<'a, str>>,
    /// Ids that the client may send back: of tool calls, of the reply and its parts.
    pub(crate) ids: Vec<Cow<'a, str>>,
    /// Whether nothing comes after it.
    pub(crate) is_last: bool,
    /// Whether the reply says why it ends; a count of tokens may still follow.
    pub(crate) finishes: bool,
}

/// A piece of text.
#[derive(Debug)]
pub(crate) struct Piece<'a> {
    /// Which of several replies it belongs to.
    pub(crate) choice: u64,
    /// Which part of that reply.
    pub(crate) part: u64,
    /// The words.
    pub(crate) text: Cow<'a, str>,
    /// The string literal that holds them, quotes included.
    pub(crate) literal: &'a str,
}

impl<'a> Piece<'a> {
    fn new(choice: u64, part: u64, literal: Option<&'a str>) -> Option<Self> {
        let literal = literal?;
        Some(Self { choice, part, text: json::string(literal)?, literal })
    }
}

/// A role by its name on any wire.
fn role(name: &str) -> Option<Role> {
    match name {
        "user" => Some(Role::User),
        "assistant" | "model" => Some(Role::Assistant),
        "system" | "developer" => Some(Role::System),
        "tool" | "function" => Some(Role::Tool),
        _ => None,
    }
}

/// The words of a content that is a string or an array of parts, of which those count whose type
/// is one of `types`.
fn literals<'a>(content: &'a str, types: &[&str]) -> Vec<&'a str> {
    if content.starts_with('"') {
        return vec![content];
    }
    let text = |part: &'a str| {
        let part = Object::read(part)?;
        let kind = part.text("type")?;
        part.get("text").filter(|text| types.contains(&&*kind) && text.starts_with('"'))
    };
    json::items(content).into_iter().filter_map(text).collect()
}

/// Literals as one text.
fn joined<'a>(literals: &[&'a str]) -> Cow<'a, str> {
    match literals {
        [] => Cow::Borrowed(""),
        [one] => json::string(one).unwrap_or_default(),
        several => {
            let texts: Vec<Cow<'_, str>> =
                several.iter().filter_map(|one| json::string(one)).collect();
            Cow::Owned(texts.join("\n"))
        }
    }
}
