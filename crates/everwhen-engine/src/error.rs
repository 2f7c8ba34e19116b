//! The one error of the engine: a kind that interfaces can map, and a sentence a person can act on.
//!
//! Messages say what was wrong and what would be right. They never contain the text of entries.

use std::fmt;

/// What every verb returns.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Why something could not be done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorKind {
    /// The caller's input is wrong; the same call will never succeed.
    Invalid,
    /// Not found, or not visible to this caller.
    NotFound,
    /// The caller may not do this.
    Denied,
    /// The state of the memory forbids it now.
    Conflict,
    /// The input exceeds a bound of [`crate::limits`].
    TooLarge,
    /// Too much at once; the same call may succeed later.
    Busy,
    /// The store or another adapter cannot be reached or cannot write.
    Unavailable,
    /// Stored data contradicts itself, or the program is wrong.
    Damaged,
}

/// Why the state of a memory forbids something, for programs that react to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ConflictReason {
    /// Something with this name exists.
    AlreadyExists,
    /// The conversation has ended.
    AlreadyEnded,
    /// The conversation has not ended.
    NotEnded,
    /// No conversation is active.
    NoActiveConversation,
    /// The entry has been corrected.
    AlreadyCorrected,
    /// The entry is on a branch.
    OnBranch,
    /// The conversation is not archived.
    NotArchived,
    /// There is nothing that could be moved, folded or looked back at.
    NothingToDo,
    /// A time lies in the future.
    FutureTime,
    /// A time lies in the past.
    PastTime,
    /// The idempotency key was used for a different write.
    IdempotencyKeyReused,
    /// What the idempotency key stored has been forgotten.
    Forgotten,
    /// No language model is configured.
    NoLanguageModel,
    /// Values that are right by themselves do not fit together.
    InconsistentValues,
    /// What was read has changed meanwhile, or another call has it.
    ChangedMeanwhile,
}

impl ConflictReason {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::AlreadyExists,
        Self::AlreadyEnded,
        Self::NotEnded,
        Self::NoActiveConversation,
        Self::AlreadyCorrected,
        Self::OnBranch,
        Self::NotArchived,
        Self::NothingToDo,
        Self::FutureTime,
        Self::PastTime,
        Self::IdempotencyKeyReused,
        Self::Forgotten,
        Self::NoLanguageModel,
        Self::InconsistentValues,
        Self::ChangedMeanwhile,
    ];

    /// As written in the body of an error.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AlreadyExists => "already_exists",
            Self::AlreadyEnded => "already_ended",
            Self::NotEnded => "not_ended",
            Self::NoActiveConversation => "no_active_conversation",
            Self::AlreadyCorrected => "already_corrected",
            Self::OnBranch => "on_branch",
            Self::NotArchived => "not_archived",
            Self::NothingToDo => "nothing_to_do",
            Self::FutureTime => "future_time",
            Self::PastTime => "past_time",
            Self::IdempotencyKeyReused => "idempotency_key_reused",
            Self::Forgotten => "forgotten",
            Self::NoLanguageModel => "no_language_model",
            Self::InconsistentValues => "inconsistent_values",
            Self::ChangedMeanwhile => "changed_meanwhile",
        }
    }
}

/// A failure with its kind and a sentence.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    reason: Option<ConflictReason>,
    message: String,
}

impl Error {
    /// An error of the given kind.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, reason: None, message: message.into() }
    }

    /// The input is wrong.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Invalid, message)
    }

    /// What was named does not exist, or is not visible to this caller.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::NotFound, message)
    }

    /// The state forbids it now.
    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Conflict, message)
    }

    /// Adds the reason of a conflict.
    #[must_use]
    pub fn because(self, reason: ConflictReason) -> Self {
        Self { reason: Some(reason), ..self }
    }

    /// The reason of a conflict, where one is known.
    pub fn reason(&self) -> Option<ConflictReason> {
        self.reason
    }

    /// The input exceeds a bound.
    pub fn too_large(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::TooLarge, message)
    }

    /// The store cannot be used.
    pub fn unavailable(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Unavailable, message)
    }

    /// Stored data contradicts itself.
    pub fn damaged(message: impl Into<String>) -> Self {
        Self::new(ErrorKind::Damaged, message)
    }

    /// The kind, for the tables of the interfaces.
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }

    /// Whether the same call may succeed later, without a change to it.
    pub fn is_retryable(&self) -> bool {
        matches!(self.kind, ErrorKind::Busy | ErrorKind::Unavailable)
    }

    /// The sentence, for people.
    pub fn message(&self) -> &str {
        &self.message
    }

    /// Puts a place before the message, such as `entries[3]: `.
    #[must_use]
    pub fn at(self, place: impl fmt::Display) -> Self {
        let message = format!("{place}: {}", self.message);
        Self { message, ..self }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<everwhen_time::Error> for Error {
    fn from(error: everwhen_time::Error) -> Self {
        Self::invalid(error.message())
    }
}
