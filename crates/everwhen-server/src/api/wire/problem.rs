//! The problem document, for the OpenAPI document; [`crate::error`] writes the real one.

use utoipa::ToSchema;

/// Why a request was rejected (RFC 9457).
#[derive(ToSchema)]
#[expect(dead_code, reason = "describes what another type writes")]
pub(crate) struct Problem {
    /// A URN of the kind of problem.
    #[schema(examples("urn:everwhen:problem:not_found"))]
    r#type: String,
    /// A short description of the kind.
    #[schema(examples("Not found"))]
    title: String,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599, examples(404))]
    status: u16,
    /// What was wrong with this request, and what would be right.
    #[schema(examples("memory not found: \"diary\""))]
    detail: String,
    /// The kind, for programs.
    kind: ProblemKind,
    /// What a conflict consists in, where that is known.
    reason: Option<ProblemReason>,
}

/// Kinds of problems.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes what another type writes")]
pub(crate) enum ProblemKind {
    Invalid,
    Unauthenticated,
    Denied,
    NotFound,
    MethodNotAllowed,
    Conflict,
    TooLarge,
    UnsupportedMediaType,
    Timeout,
    Busy,
    Unavailable,
    Damaged,
}

/// What a conflict consists in.
#[derive(ToSchema)]
#[schema(rename_all = "snake_case")]
#[expect(dead_code, reason = "describes what another type writes")]
pub(crate) enum ProblemReason {
    AlreadyExists,
    AlreadyEnded,
    NotEnded,
    NoActiveConversation,
    AlreadyCorrected,
    OnBranch,
    NotArchived,
    NothingToDo,
    FutureTime,
    PastTime,
    IdempotencyKeyReused,
    Forgotten,
    NoLanguageModel,
    InconsistentValues,
    ChangedMeanwhile,
}
