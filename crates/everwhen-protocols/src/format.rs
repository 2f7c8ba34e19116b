//! Where the words of requests and replies are, found without taking the JSON apart.
//!
//! A [`ChatFormat`] knows one body format. It finds the messages of a request and the pieces of
//! text in a reply, whole or event by event, as slices of the body. So a caller can change single
//! places and leave every other byte as it came.

use std::borrow::Cow;

use crate::Role;
use crate::json::{self, Object};

/// One format of requests and replies.
pub trait ChatFormat: Send + Sync {
    /// Reads a request. Nothing if the body is not a request in this format.
    fn request<'a>(&self, body: &'a str) -> Option<RequestView<'a>>;

    /// Reads a reply, or one event of it.
    fn reply<'a>(&self, body: &'a str) -> Fragment<'a>;

    /// Whether text may be added to requests in this format.
    fn takes_additions(&self) -> bool {
        true
    }

    /// What a part with text looks like up to the text itself, such as `{"type":"text","text":`.
    fn text_part(&self) -> &'static str {
        "{\"type\":\"text\",\"text\":"
    }

    /// Whether a streamed reply repeats its whole text at the end.
    fn repeats_text(&self) -> bool {
        false
    }
}

/// A request as it was sent.
#[derive(Debug)]
pub struct RequestView<'a> {
    /// The fields of its body.
    pub fields: Object<'a>,
    /// The model, from the body or the path.
    pub model: Option<Cow<'a, str>>,
    /// Instructions that are no message, as they were sent.
    pub instructions: Option<&'a str>,
    /// The messages, oldest first; items that are no messages are left out.
    pub messages: Vec<Message<'a>>,
    /// Whether the reply is wanted piece by piece.
    pub streams: bool,
    /// Ids of earlier replies and their parts that are sent outside of messages.
    pub ids: Vec<Cow<'a, str>>,
    /// Tools that were called since the last message, where calls are no messages.
    pub called: Vec<Cow<'a, str>>,
}

impl<'a> RequestView<'a> {
    /// A request with these fields and messages; the model is the field `model`.
    pub fn new(fields: Object<'a>, messages: Vec<Message<'a>>, streams: bool) -> Self {
        let model = fields.text("model");
        let instructions = fields.get("system").or_else(|| fields.get("instructions"));
        let (ids, called) = (Vec::new(), Vec::new());
        Self { fields, model, instructions, messages, streams, ids, called }
    }
}

/// Which words of a message are its speaker's own, and not those of a program.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum OwnWords<'a> {
    /// All of its text.
    #[default]
    All,
    /// Some of it, or none.
    Some {
        /// The words.
        words: String,
        /// The rest of the string literal that holds the first of them, from there on.
        from: Option<&'a str>,
    },
}

/// One message of a request.
#[derive(Debug, Clone)]
pub struct Message<'a> {
    /// Who speaks.
    pub role: Role,
    /// The speaker's name, where one is given.
    pub speaker: Option<Cow<'a, str>>,
    /// The text, without images; several parts are joined by line breaks.
    pub text: Cow<'a, str>,
    /// The whole content as it was sent, for messages without text.
    pub content: &'a str,
    /// The string literals that hold the text, quotes included.
    pub literals: Vec<&'a str>,
    /// Names of the tools that are called in it.
    pub tools: Vec<Cow<'a, str>>,
    /// Ids of tool calls, and of the message itself, that a server may have given.
    pub ids: Vec<Cow<'a, str>>,
    /// Which words of it are the speaker's own.
    pub own: OwnWords<'a>,
}

impl<'a> Message<'a> {
    /// A message with this content, whose text is in these literals.
    pub fn new(role: Role, content: &'a str, literals: Vec<&'a str>) -> Self {
        Self {
            role,
            speaker: None,
            text: joined(&literals),
            content,
            literals,
            tools: Vec::new(),
            ids: Vec::new(),
            own: OwnWords::All,
        }
    }

    /// The speaker's own words.
    pub fn words(&self) -> &str {
        match &self.own {
            OwnWords::All => &self.text,
            OwnWords::Some { words, .. } => words,
        }
    }

    /// The rest of the string literal that holds the first of the speaker's own words, from there
    /// on; nothing if there are none.
    pub fn opening(&self) -> Option<&'a str> {
        match &self.own {
            OwnWords::All => self.literals.first().map(|literal| &literal[1..]),
            OwnWords::Some { from, .. } => *from,
        }
    }

    /// Whether it is no message of a person or a model: a system message, or one that holds nothing
    /// but what a program wrote.
    pub fn is_instruction(&self) -> bool {
        let is_cut = self.own != OwnWords::All && self.words().trim().is_empty();
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

/// What a reply, or one event of it, says.
#[derive(Debug, Default)]
pub struct Fragment<'a> {
    /// Pieces of text.
    pub pieces: Vec<TextPiece<'a>>,
    /// Names of the tools that are called.
    pub tools: Vec<Cow<'a, str>>,
    /// Ids that the client may send back: of tool calls, of the reply and its parts.
    pub ids: Vec<Cow<'a, str>>,
    /// Whether nothing comes after it.
    pub is_last: bool,
    /// Whether the reply says why it ends; a count of tokens may still follow.
    pub finishes: bool,
}

/// A piece of text in a reply.
#[derive(Debug)]
pub struct TextPiece<'a> {
    /// Which of several replies it belongs to.
    pub choice: u64,
    /// Which part of that reply.
    pub part: u64,
    /// The text.
    pub text: Cow<'a, str>,
    /// The string literal that holds it, quotes included.
    pub literal: &'a str,
}

impl<'a> TextPiece<'a> {
    /// The piece in a string literal; nothing if there is none.
    pub fn new(choice: u64, part: u64, literal: Option<&'a str>) -> Option<Self> {
        let literal = literal?;
        Some(Self { choice, part, text: json::string(literal)?, literal })
    }
}

/// A role by its name in any protocol.
pub(crate) fn role(name: &str) -> Option<Role> {
    match name {
        "user" => Some(Role::User),
        "assistant" | "model" => Some(Role::Assistant),
        "system" | "developer" => Some(Role::System),
        "tool" | "function" => Some(Role::Tool),
        _ => None,
    }
}

/// The string literals of a content that is a string or an array of parts, of which those count
/// whose type is one of `types`.
pub(crate) fn literals<'a>(content: &'a str, types: &[&str]) -> Vec<&'a str> {
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

/// A prompt that is one string; batches and lists of tokens are no messages.
pub(crate) fn prompt(content: &str) -> Option<Message<'_>> {
    json::string(content)?;
    Some(Message::new(Role::User, content, vec![content]))
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
