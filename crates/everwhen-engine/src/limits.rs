//! Every bound in one place: lengths, counts, times.

use jiff::SignedDuration;

/// Longest content of one entry, in bytes of UTF-8.
pub const CONTENT_BYTES: usize = 1024 * 1024;
/// Longest summary of one entry, in bytes.
pub const SUMMARY_BYTES: usize = 64 * 1024;
/// Longest metadata of one entry, as JSON text in bytes.
pub const METADATA_BYTES: usize = 64 * 1024;
/// Longest context document, in characters.
pub const CONTEXT_CHARS: usize = 65_536;
/// Longest context document that is written here, in characters.
pub const CONTEXT_WRITTEN_CHARS: usize = 5_000;
/// Longest name of a vault, memory, speaker, conversation key, tag, tool or idempotency key.
pub const NAME_CHARS: usize = 200;
/// Longest description or reason.
pub const DESCRIPTION_CHARS: usize = 2_000;
/// Most tags, or tools, on one entry.
pub const LABELS: usize = 64;
/// Most entries in one call of remember.
pub const BATCH_ENTRIES: usize = 1_000;
/// Most entries in one imported conversation.
pub const IMPORT_ENTRIES: usize = 10_000;
/// Most rows in one page.
pub const PAGE_ROWS: usize = 1_000;
/// Rows in a page when the caller names no limit.
pub const PAGE_ROWS_DEFAULT: usize = 100;
/// Most parts that a density can be asked for.
pub const DENSITY_BUCKETS: usize = 2_000;
/// Parts of a density when the caller names no number.
pub const DENSITY_BUCKETS_DEFAULT: usize = 100;
/// How far in the future a conversation_time may lie: clocks differ a little.
pub const FUTURE_SLACK: SignedDuration = SignedDuration::from_secs(60);
/// How far the last write of a memory may be ahead of the clock for the next one to be given the same
/// creation_time. Beyond it a clock is wrong, and the present one counts.
pub const CLOCK_SLACK: SignedDuration = SignedDuration::from_secs(60);
/// Longest timeout a vault may set, in minutes: ten years.
pub const TIMEOUT_MINUTES: u32 = 10 * 366 * 24 * 60;
/// Longest text of one timeline line, in characters.
pub const TIMELINE_CHARS: usize = 160;
/// Longest question, in bytes.
pub const QUERY_BYTES: usize = 64 * 1024;
/// Tokens of a briefing when the caller names no budget.
pub const BRIEFING_TOKENS_DEFAULT: usize = 1_000;
/// Items in a recollection when the caller names no limit.
pub const RECALL_ITEMS_DEFAULT: usize = 10;
/// The number of chats of the same person that a chat is briefed from, the last active ones.
pub const RECALL_CHATS: usize = 200;
/// Bytes that indexes may take in memory, all together.
pub const INDEX_BYTES: usize = 1024 * 1024 * 1024;
/// How many moments of one memory are cached that questions asked as of.
pub(crate) const CACHED_MOMENTS: usize = 4;
/// How many facts are cached of lists as of a moment, in all memories together.
pub(crate) const CACHED_FACTS: usize = 20_000;
/// Bytes that the cached entries of one index may take.
pub const ENTRY_CACHE_BYTES: usize = 64 * 1024 * 1024;
/// Bytes that the cached entries of a large index may take: few of them fit anyway, and most of what a
/// question finds is read from the store.
pub const LARGE_ENTRY_CACHE_BYTES: usize = 16 * 1024 * 1024;
/// Entries of a large index.
pub const LARGE_INDEX_ENTRIES: usize = 400_000;
/// An index is saved again when this many entries have come since.
pub const UNKEPT_ENTRIES: usize = 2_000;
/// Tries of a job before it is set aside, without those that failed for a reason that passes.
pub const JOB_TRIES: u32 = 8;
/// The number of workers that vanish while a job runs before it waits for the next one: it may be what ends the
/// process.
pub const JOB_SUSPECT: u32 = 2;
/// The number of workers that vanish while a job runs before it is set aside. Not fewer: a process that is killed
/// again and again while a model thinks takes the same job along each time.
pub const JOB_CRASHES: u32 = 8;
/// How long a claimed job belongs to its worker.
pub const JOB_LEASE: SignedDuration = SignedDuration::from_secs(60);
/// A worker that needs longer for a job renews its lease this often.
pub const JOB_RENEWAL: SignedDuration = SignedDuration::from_secs(20);
/// Longest wait between two tries of a job.
pub const JOB_BACKOFF: SignedDuration = SignedDuration::from_mins(60);
/// Proofs in a history that are looked up to find its memory, newest first.
pub const PROOFS: usize = 64;
/// Memories that are considered for one proof.
pub const PROOF_HOLDERS: usize = 64;
/// The same request after this time is no retry.
pub const RETRY: SignedDuration = SignedDuration::from_mins(15);
/// Longest activity of a model or tool.
pub const ACTIVITY: SignedDuration = SignedDuration::from_hours(24);

/// Jobs that were set aside and are read at once.
pub const JOBS_READ: usize = 500;
/// Jobs that were set aside and are listed in a report; all are counted.
pub const SET_ASIDE_LISTED: usize = 1_000;
/// Memories of a clock that was wrong that are listed in a report.
pub const AHEAD_LISTED: usize = 20;
/// Names of vaults that are read at once while each vault is asked for its jobs by itself.
pub const VAULTS_READ: usize = 100;
/// Longest wait before all vaults are asked at once again, after a part of the store was away.
pub const WHOLE_BACKOFF: SignedDuration = SignedDuration::from_mins(1);
/// Longest wait before a vault is asked again that could not be reached.
pub const VAULT_BACKOFF: SignedDuration = SignedDuration::from_mins(10);

/// Longest retrospection on a conversation, in characters.
pub const RETROSPECTION_CHARS: usize = 4_000;
/// An entry that opens an exchange within this time after a conversation was ended inside an exchange
/// that had not been stored is taken for the opening of that exchange.
pub const FAREWELL: SignedDuration = SignedDuration::from_secs(120);

/// Longest statement of a fact, in characters.
pub const STATEMENT_CHARS: usize = 300;
