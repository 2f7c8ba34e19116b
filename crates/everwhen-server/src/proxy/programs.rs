//! What known programs put into requests beside what a person said: one table of rules.
//!
//! Agents wrap the user's words in reminders and file listings, front ends ask models for titles,
//! and both do so in messages of the user's. A [`ProgramRule`] is one line about one program: the text or
//! header it is known by, the version it was seen in, how that is known, and a sample that a test
//! checks. [`attribute`] applies all of them to a request. Nothing is changed in what is passed on:
//! rules only say which words are the user's own, and what the request is for.
//!
//! To add a program, add lines to one of the tables, each with a sample.

mod agents;
mod editors;
mod frontends;
mod own;
mod purpose;
#[cfg(test)]
mod tests;

use axum::http::HeaderMap;

use everwhen_protocols::RequestView;

/// One thing that one program does.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ProgramRule {
    /// The program.
    pub(crate) program: &'static str,
    /// The version it was seen in.
    #[cfg_attr(not(test), expect(dead_code, reason = "for readers of the table"))]
    pub(crate) seen: &'static str,
    /// How it is known.
    #[expect(dead_code, reason = "for readers of the table")]
    pub(crate) known_from: KnownFrom,
    pub(crate) kind: ProgramRuleKind,
    /// A text, header value or body to which it applies.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the test of the table"))]
    pub(crate) sample: &'static str,
    /// What of the sample are the user's own words.
    #[cfg_attr(not(test), expect(dead_code, reason = "for the test of the table"))]
    pub(crate) own: &'static str,
}

/// A line of a table: the program and its version, how it is known, what it does, and a sample with what
/// of it are the user's own words.
const fn rule(
    (program, seen): (&'static str, &'static str),
    known_from: KnownFrom,
    kind: ProgramRuleKind,
    (sample, own): (&'static str, &'static str),
) -> ProgramRule {
    ProgramRule { program, seen, known_from, kind, sample, own }
}

/// How a rule is known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KnownFrom {
    /// A request that the program sent was recorded.
    Recorded,
    /// The program's source says so.
    Source,
    /// It was reported or documented.
    Reported,
}

/// What a program does, and the text it is known by.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProgramRuleKind {
    /// In a user's text, all from the first to the second text is the program's. It begins a line.
    Block(&'static str, &'static str),
    /// In a user's text, all from here to the end is the program's. It begins a line.
    Trailer(&'static str),
    /// A part of a user's message that begins so is the program's.
    Part(&'static str),
    /// Of a part that begins with the first text, only what stands between it and the second is the
    /// user's.
    Inside(&'static str, &'static str),
    /// Of a part that begins with the first text, only what follows the last occurrence of
    /// the second is the user's.
    Behind(&'static str, &'static str),
    /// Of a part whose first line ends so, only what stands between these tags is the user's.
    Result(&'static str, &'static [(&'static str, &'static str)]),
    /// All messages up to the one that begins so are examples.
    Examples(&'static str),
    /// An assistant's message with this text, right behind one that is the program's, is its, too.
    Answer(&'static str),

    /// A last line that requests the next message of the character named between these texts.
    Speaker(&'static str, &'static str),
    /// A last message that begins so asks for the rest of the assistant's last message.
    Continue(&'static str),
    /// A part of the last message that begins so asks for something that is no part of the chat; the
    /// messages before it are the chat's.
    SideRequest(&'static str),

    /// A request with this header, whatever its value, is auxiliary.
    Header(&'static str),
    /// A request in which this header has this value is auxiliary.
    HeaderIs(&'static str, &'static str),
    /// A request whose last message begins with the first text and contains the second is auxiliary.
    Last(&'static str, &'static str),
    /// A request with this in its instructions is auxiliary.
    Instructions(&'static str),
    /// A request without tools for an object of these fields alone is auxiliary.
    Schema(&'static [&'static str]),
}

/// All rules.
pub(crate) fn rules() -> impl Iterator<Item = &'static ProgramRule> + Clone {
    agents::RULES.iter().chain(editors::RULES).chain(frontends::RULES)
}

/// Says of every message of a request which words are its speaker's own; answers what the request
/// is for.
pub(crate) fn attribute(
    asked: &mut RequestView<'_>,
    headers: &HeaderMap,
    keeps_tool_output: bool,
) -> Purpose {
    let purpose = purpose::of(asked, headers, rules());
    own::attribute(&mut asked.messages, rules(), keeps_tool_output);
    if own::has_own_words(asked) { purpose } else { Purpose::Auxiliary }
}

pub(crate) use purpose::Purpose;
