"""The API's types. Generated from openapi.json by tools/sdk/generate; do not edit."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any, Literal, TypeAlias, Union

from everwhen._behaviour import RecollectionBehaviour, TextBehaviour

__all__ = [
    "AboutTime",
    "Activity",
    "ActivityKind",
    "BackupStatus",
    "Batch",
    "BatchReceipt",
    "Branch",
    "BriefingLine",
    "Chapter",
    "ChapterImport",
    "Chat",
    "Context",
    "Conversation",
    "ConversationDetail",
    "ConversationTime",
    "CorrectedBy",
    "Corrects",
    "Density",
    "Doctor",
    "EndConversation",
    "EndedBy",
    "Entry",
    "EntryPatch",
    "EntryReceipt",
    "Fact",
    "FactEvidence",
    "FactMatter",
    "FactPeriod",
    "FactRemoved",
    "FactsText",
    "FileAnswer",
    "FileCommand",
    "Forget",
    "Fork",
    "Forked",
    "FoundChapter",
    "FoundContext",
    "FoundConversation",
    "FoundEntry",
    "FoundFact",
    "FoundSummary",
    "ImportBatch",
    "ImportOutcome",
    "ImportOutcomes",
    "ImportReport",
    "ImportRun",
    "ImportRuns",
    "ImportStateName",
    "Imported",
    "ImportedBranch",
    "ImportedChapter",
    "ImportedChapters",
    "ImportedConversation",
    "ImportedEntry",
    "ImportedSummary",
    "JobGroup",
    "Jobs",
    "Key",
    "KnownPeriod",
    "Lifecycle",
    "LifecycleChoice",
    "MadeKey",
    "Memory",
    "MemoryPatch",
    "NewActivities",
    "NewContext",
    "NewCorrection",
    "NewEntry",
    "NewFactMatter",
    "NewFactText",
    "NewKey",
    "NewMemory",
    "NewSettings",
    "NewTextTime",
    "NewTextTimes",
    "NewVault",
    "Outbox",
    "Pending",
    "PeriodOrder",
    "Pin",
    "Problem",
    "ProblemKind",
    "ProblemReason",
    "ProfileValue",
    "Prompt",
    "Provenance",
    "Question",
    "Recollection",
    "Regenerating",
    "Removed",
    "RetentionName",
    "Retried",
    "RetriedJobs",
    "Retrospect",
    "Retrospection",
    "Retrospections",
    "Role",
    "RollingSummary",
    "ScopeName",
    "SetAsideExchange",
    "SetAsideJob",
    "Settings",
    "Settled",
    "SignalShare",
    "Standing",
    "TagCount",
    "TextTime",
    "TextTimes",
    "Time",
    "TimelineLine",
    "Usage",
    "UsageMonth",
    "UsageRow",
    "UsageTotal",
    "Vault",
    "VaultPatch",
    "WaitReason",
    "WorkerTaskStatus",
]

Time: TypeAlias = Union[datetime, str]
"""A time that is sent: with a zone, or as RFC 3339 text with an offset."""


ActivityKind: TypeAlias = Literal["model", "tool"]
"""What was working."""


EndedBy: TypeAlias = Literal["idle", "caller"]
"""How a conversation ended: `idle` after a pause, `caller` by a request."""


ImportStateName: TypeAlias = Literal["running", "done", "cancelled", "failed"]
"""How far an import is."""


Lifecycle: TypeAlias = Literal["daily-checkin", "weekly-therapy", "on-demand", "long-term"]
"""Preset timers of conversations: idle time until they cool, from then until they end, and from then until they are closed. `daily-checkin`: 2 hours, 30 minutes, 7 days; `weekly-therapy`: 24 hours, 6 hours, 90 days; `on-demand`: 30 minutes, 15 minutes, 30 days; `long-term`: 12 hours, 6 hours, 365 days."""


LifecycleChoice: TypeAlias = Literal["daily-checkin", "weekly-therapy", "on-demand", "long-term", "vault"]
"""A preset, or `vault` for the vault's settings."""


ProblemKind: TypeAlias = Literal["invalid", "unauthenticated", "denied", "not_found", "method_not_allowed", "conflict", "too_large", "unsupported_media_type", "timeout", "busy", "unavailable", "damaged"]
"""Kinds of problems."""


ProblemReason: TypeAlias = Literal["already_exists", "already_ended", "not_ended", "no_active_conversation", "already_corrected", "on_branch", "not_archived", "nothing_to_do", "future_time", "past_time", "idempotency_key_reused", "forgotten", "no_language_model", "inconsistent_values", "changed_meanwhile"]
"""What a conflict consists in."""


RetentionName: TypeAlias = Literal["archive", "delete"]
"""What happens to ended conversations beyond the number retained: `archive` hides them from lists, `delete` removes them permanently."""


Role: TypeAlias = Literal["user", "assistant", "system", "tool"]
"""The role of a speaker."""


ScopeName: TypeAlias = Literal["read", "write", "admin"]
"""What a key allows. Each scope includes the ones before it."""


WaitReason: TypeAlias = Literal["due", "scheduled", "running", "failed", "suspect", "set_aside"]
"""Why a job waits: its time has come or not, a worker runs it, it failed and is tried again, the process ended twice or more while it ran, or it failed too often."""


@dataclass(frozen=True, kw_only=True)
class AboutTime:
    """A period that the question names."""

    words: list[str]
    """The words it was read from."""

    order: PeriodOrder | None = None
    """Which of several, counted from the first or the last one."""

    since: datetime | None = None
    """Its first instant; absent if it is open."""

    until: datetime | None = None
    """The first instant after it; absent if it is open."""


@dataclass(frozen=True, kw_only=True)
class Activity:
    """A period in which a model or a tool was working."""

    began_at: Time
    """When it began."""

    kind: ActivityKind
    """Whether it was a model or a tool."""

    lasted_ms: int
    """How long it took, in milliseconds of a monotonic clock; at most a day."""

    name: str | None = None
    """The name of the model or tool."""


@dataclass(frozen=True, kw_only=True)
class BackupStatus:
    """The backups that the server makes by itself."""

    count: int
    """Number of backups there are."""

    directory: str
    """Their directory."""

    every_seconds: int
    """Seconds between two backups."""

    keep: int
    """Number of backups that are kept."""

    last_at: datetime | None
    """When the newest one was begun; null before the first one."""

    last_bytes: int | None
    """The size of the newest one in bytes."""

    next_at: datetime | None
    """When the next one is due; null if that is now."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Entries to store in one durable write: all of them or none."""

    entries: list[NewEntry]
    """The entries, at most 1000."""


@dataclass(frozen=True, kw_only=True)
class BatchReceipt:
    """Stored entries, in the order they were sent."""

    entries: list[EntryReceipt]
    """One for every entry."""

    pending: Pending | None = None
    """The assistant's question that waited for the first user entry among them."""


@dataclass(frozen=True, kw_only=True)
class Branch:
    """Entries that a fork moved to a branch."""

    archived_at: datetime
    """When the fork happened."""

    id: str
    """The id; list its entries with `?branch=`."""

    message_count: int
    """Number of entries."""


@dataclass(frozen=True, kw_only=True)
class BriefingLine:
    """Where a line of a briefing comes from: an entry or a fact."""

    line: int
    """The line, counted from 0."""

    entry_id: str | None = None
    """The entry that it shows."""

    fact_id: str | None = None
    """The fact that it shows."""


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """The summary of a run of entries."""

    creation_time: datetime
    """When it was stored."""

    entities: list[str]
    """Names that occur in it."""

    entry_count: int
    """Number of entries it covers."""

    id: str
    """The id."""

    key_phrases: list[str]
    """Its key phrases."""

    kind: str
    """What it was written from: `written` from entries, `imported` from another system, `searchable` from another
    system and only to be searched for, `condensed` from several chapters.
    """

    last_at: datetime
    """The conversation_time of its last entry."""

    started_at: datetime
    """The conversation_time of its first entry."""

    text: str
    """The summary."""

    title: str
    """The title."""

    written_by: str
    """Who wrote it: `llm`, or `extractive` for the built-in rules."""

    last_message_hash: str | None = None
    """SHA-256 of the last message it covers, if another system wrote it and says so."""

    metadata: dict[str, Any] | None = None
    """What else its source says about it."""

    provenance: Provenance | None = None
    """Where it was imported from, and how well `last_at` is known."""


@dataclass(frozen=True, kw_only=True)
class ChapterImport:
    """What an import of chapters did, or would do."""

    known: int
    """Chapters that were stored already."""

    removed: int
    """Chapters that the source no longer has."""

    stored: int
    """Chapters that are new or have changed."""

    summary: bool
    """Whether the summary is new."""


@dataclass(frozen=True, kw_only=True)
class Chat:
    """A chat that the proxy recognised: one of many of the same person."""

    signed: bool
    """Whether a signature verified the user."""

    user: str | None = None
    """The user, if a request named one."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """One version of a memory's context document."""

    content: str
    """The text."""

    conversation_time: datetime
    """The time up to which it is complete."""

    creation_time: datetime
    """When it was stored."""

    id: str
    """The id."""

    version: int
    """From 1; the highest is current."""

    written_by: str
    """Who wrote it: `agent`, or, from facts and chapters, `extractive` (rules) or `llm`."""


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """A run of entries that ended after a pause or explicitly."""

    ended_at: datetime | None
    """When it ended; null while it is open."""

    ended_by: EndedBy | None
    """How it ended; null while it is open."""

    id: str
    """The id."""

    last_at: datetime
    """When its last entry was said."""

    message_count: int
    """Number of entries, without corrected ones and those on branches."""

    started_at: datetime
    """When its first entry was said."""

    summary: str | None
    """A summary of two or three sentences; null until it has ended and been summarized."""

    summary_by: str | None
    """Who wrote title and summary: `extractive` for the built-in rules, `llm` for a model, `source` for the system it
    was imported from.
    """

    title: str | None
    """A title of five to eight words; null until it has ended and been summarized."""

    archived_at: datetime | None = None
    """When it was archived."""

    end_reason: str | None = None
    """The reason given for ending it."""

    facts_dropped: int | None = None
    """Number of facts that a model proposed and that nothing said in it supports."""

    retrospection: Retrospection | None = None
    """What the language model wrote when it looked back at it."""

    source_id: str | None = None
    """Its name in the system it was imported from."""

    state: str | None = None
    """`active` while entries are added; `cooling` once it is idle, until its facts are stored; `dormant` when it has
    ended; `closed` a while later. Present in lists and in single responses.
    """


@dataclass(frozen=True, kw_only=True)
class ConversationTime:
    """How long a conversation was active and how long it was idle."""

    active_unknown: bool
    """No activities were recorded, so `conversation_active_ms` has no meaning."""

    conversation_active_ms: int
    """Milliseconds in which a model or tool was working; overlaps count once."""

    conversation_elapsed_ms: int
    """Milliseconds from start to end."""

    conversation_end_at: datetime
    """The time of the last entry before its end; without one, the end."""

    conversation_idle_ms: int
    """The remaining milliseconds."""

    conversation_start_at: datetime
    """The time of the first entry or activity."""

    conversation_turns: int
    """Number of entries of user and assistant."""


@dataclass(frozen=True, kw_only=True)
class CorrectedBy:
    """The entry that replaces this one, and since when."""

    at: datetime
    """When the correction was stored."""

    entry_id: str
    """The entry that replaces this one."""


@dataclass(frozen=True, kw_only=True)
class Corrects:
    """The corrected entry, and the reason."""

    entry_id: str
    """The corrected entry."""

    reason: str
    """The reason for the correction."""


@dataclass(frozen=True, kw_only=True)
class Density:
    """How many entries there are over time."""

    counts: list[int]
    """How many entries each part has. The parts have equal lengths from `after`, or the first time, to `before`, or
    the last.
    """

    first: datetime | None
    """The first time there is; null in a memory without entries."""

    last: datetime | None
    """The last time there is."""


@dataclass(frozen=True, kw_only=True)
class Doctor:
    """The report of the doctor."""

    jobs: Jobs
    """Background jobs."""

    problems: list[str]
    """Problems of the store."""

    version: str
    """The server's version."""

    warnings: list[str]
    """What needs attention though the store works: a clock that was wrong, background work that fails."""

    worker: list[WorkerTaskStatus]
    """The tasks that run background jobs; none where no worker runs."""

    backup: BackupStatus | None = None
    """The backups that the server makes by itself; absent where none are scheduled."""

    outbox: Outbox | None = None
    """Exchanges of the proxy that wait to be stored; absent where there is no outbox."""


@dataclass(frozen=True, kw_only=True)
class EndConversation:
    """Which conversation to end, and why."""

    conversation_id: str | None = None
    """The conversation: the caller's name for it, or its id; the active one if absent."""

    in_exchange: bool | None = None
    """Whether it is ended inside an exchange that is stored afterwards, as by an agent whose program stores the user's
    words together with the reply: then the next entry that is no reply, if it is stored within two minutes without
    a time and a conversation of its own, still belongs to it.
    """

    reason: str | None = None
    """The reason, at most 2,000 characters."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One thing said, with when it was said and when it was stored."""

    content: str
    """What was said."""

    conversation_id: str
    """The conversation it belongs to: the caller's name for it, else its id."""

    conversation_time: datetime
    """When it was said."""

    creation_time: datetime
    """When it was stored."""

    id: str
    """The id."""

    memory_id: str
    """The memory it belongs to."""

    role: Role
    """The role of the speaker."""

    sequence: int
    """Its position in the order in which entries were stored."""

    vault_id: str
    """The vault of that memory."""

    branch_id: str | None = None
    """The branch that a fork moved it to."""

    corrected_by: CorrectedBy | None = None
    """The entry that corrects this one."""

    corrects: Corrects | None = None
    """The entry this one corrects."""

    is_question: bool = False
    """Whether this is a question of the assistant."""

    metadata: dict[str, Any] | None = None
    """The JSON object that the caller stored with it."""

    provenance: Provenance | None = None
    """Where it was imported from, and how well its time is known."""

    speaker: str | None = None
    """The speaker's name."""

    summary: str | None = None
    """The caller's short version of the text."""

    tags: list[str] = field(default_factory=list)
    """Tags."""

    tools_used: list[str] = field(default_factory=list)
    """Tools that the assistant used."""


@dataclass(frozen=True, kw_only=True)
class EntryPatch:
    """What to change about an entry. What was said and when is changed by a correction."""

    tags: list[str]
    """Its new tags, which replace those it has."""


@dataclass(frozen=True, kw_only=True)
class EntryReceipt:
    """One stored entry."""

    conversation_id: str
    """The conversation it belongs to: the caller's name for it, else its id."""

    conversation_time: datetime
    """When it was said."""

    creation_time: datetime
    """When it was stored."""

    id: str
    """The id."""

    sequence: int
    """Its position in the order in which entries were stored."""

    pending: Pending | None = None
    """The assistant's question that waited for this entry."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One dated statement with its evidence."""

    current: bool
    """Whether the vault believes it now."""

    event: FactPeriod | None
    """When it happened, if the statement says so."""

    evidence: list[FactEvidence]
    """The entries that are its evidence."""

    holds: FactPeriod
    """When it is true in the world."""

    id: str
    """The id."""

    known: KnownPeriod
    """When the vault believed it."""

    last_mentioned_at: datetime
    """When it was last mentioned."""

    matter: FactMatter | None
    """The property and value that it states, if it states one."""

    mentioned_at: datetime
    """When it was first mentioned."""

    pinned: bool
    """Whether it is pinned."""

    priority: str
    """`critical` if it is pinned and confirmed, `important` if it is confirmed, else `info`."""

    source: str
    """`confirmed` if the user said it literally, else `inferred`."""

    statement: str
    """The statement without a date."""

    superseded_by: str | None
    """The fact that supersedes it."""

    supersedes: str | None
    """The fact that it supersedes."""

    tags: list[str]
    """Its tags."""

    text: str
    """The statement with the day it was first mentioned, in the vault's zone."""

    written_by: str
    """Who wrote it: `llm`, `extractive` for the built-in rules, or `user` for the owner's correction."""


@dataclass(frozen=True, kw_only=True)
class FactEvidence:
    """A part of an entry."""

    end: int
    """End of the part."""

    entry_id: str
    """The entry."""

    start: int
    """Start of the part, in bytes of the content."""


@dataclass(frozen=True, kw_only=True)
class FactMatter:
    """A property that has one value at a time."""

    key: str
    """The name of the property."""

    value: str
    """Its value."""


@dataclass(frozen=True, kw_only=True)
class FactPeriod:
    """A half-open period; an end that is null is open."""

    precision: str
    """How exactly the ends are known: `minute`, `day`, `month` or `year`."""

    since: datetime | None
    """First instant of the period."""

    until: datetime | None
    """First instant after the period."""


@dataclass(frozen=True, kw_only=True)
class FactRemoved:
    """A fact that was removed."""

    id: str
    """Its id."""


@dataclass(frozen=True, kw_only=True)
class FactsText:
    """The facts that are believed now, as text for a model."""

    text: str
    """Facts grouped by the month they were mentioned in; pinned ones first."""


@dataclass(frozen=True, kw_only=True)
class FileAnswer:
    """The answer to a command on files."""

    is_error: bool
    """Whether the command was refused."""

    text: str
    """The text for the model."""


@dataclass(frozen=True, kw_only=True)
class FileCommand:
    """A command of Anthropic's memory tool."""

    command: Literal["view", "create", "str_replace", "insert", "delete", "rename"]
    """The six commands."""

    as_of: Time | None = None
    """view: the files as they were at this time (RFC 3339)"""

    file_text: str | None = None
    """create: the text"""

    insert_line: int | None = None
    """insert: after this line; 0 is the beginning"""

    insert_text: str | None = None
    """insert: the text"""

    new_path: str | None = None
    """rename"""

    new_str: str | None = None
    """str_replace: the text in its place; nothing if absent"""

    old_path: str | None = None
    """rename"""

    old_str: str | None = None
    """str_replace: text that occurs once"""

    path: str | None = None
    """File or directory below /memories; for all but rename"""

    view_range: list[int] | None = None
    """view: first and last line; -1 is the end"""


@dataclass(frozen=True, kw_only=True)
class Forget:
    """A period of a memory to forget permanently; at least one end must be given."""

    memory: str
    """The memory, by id or name."""

    after: Time | None = None
    """Forget what was said at this time or later."""

    before: Time | None = None
    """Forget what was said before this time."""


@dataclass(frozen=True, kw_only=True)
class Fork:
    """Where to fork."""

    after: str
    """The last entry to keep; later entries move to a branch."""


@dataclass(frozen=True, kw_only=True)
class Forked:
    """The branch that a fork created."""

    branch_id: str
    """The branch."""

    message_count: int
    """Number of entries."""


@dataclass(frozen=True, kw_only=True)
class FoundChapter:
    """A chapter that was found."""

    chapter: Chapter
    """The chapter."""

    score: float
    """The score; comparable only among the chapters of one recollection."""

    reasons: list[SignalShare] = field(default_factory=list)
    """The score breakdown, if `explain` was set."""


@dataclass(frozen=True, kw_only=True)
class FoundContext:
    """A current context document that was found."""

    content: str
    """Its text."""

    conversation_time: datetime
    """The time up to which it is complete."""

    memory: str
    """The memory it describes."""

    score: float
    """The score; comparable only among the context documents of one recollection."""

    version: int
    """Its version."""

    reasons: list[SignalShare] = field(default_factory=list)
    """The score breakdown, if `explain` was set."""


@dataclass(frozen=True, kw_only=True)
class FoundConversation:
    """A conversation that was found."""

    conversation: Conversation
    """The conversation."""

    memory: str
    """The name of its memory."""

    score: float
    """The score; comparable only within one recollection."""

    reasons: list[SignalShare] = field(default_factory=list)
    """The score breakdown, if `explain` was set."""


@dataclass(frozen=True, kw_only=True)
class FoundEntry:
    """An entry that was found."""

    entry: Entry
    """The entry."""

    memory: str
    """The name of its memory."""

    outside: bool
    """It was said outside the period of the question."""

    score: float
    """The score; comparable only within one recollection."""

    reasons: list[SignalShare] = field(default_factory=list)
    """The score breakdown, if `explain` was set."""


@dataclass(frozen=True, kw_only=True)
class FoundFact:
    """A fact that was found."""

    fact: Fact
    """The fact."""

    score: float
    """The score; comparable only among the facts of one recollection."""

    reasons: list[SignalShare] = field(default_factory=list)
    """The score breakdown, if `explain` was set."""


@dataclass(frozen=True, kw_only=True)
class FoundSummary:
    """The summary of a conversation that was found."""

    conversation: Conversation
    """The conversation, with its title, its summary and who wrote them."""

    memory: str
    """The name of its memory."""

    score: float
    """The score; comparable only among the summaries of one recollection."""

    reasons: list[SignalShare] = field(default_factory=list)
    """The score breakdown, if `explain` was set."""


@dataclass(frozen=True, kw_only=True)
class ImportBatch:
    """Conversations of other systems, imported in one durable write."""

    conversations: list[ImportedConversation]
    """The conversations."""


@dataclass(frozen=True, kw_only=True)
class ImportOutcome:
    """What became of one of several conversations."""

    branches: int
    """New branches."""

    conversation_id: str
    """The name of the conversation in its system."""

    corrected: int
    """Entries whose text had changed in their source."""

    known: int
    """Entries that were stored already."""

    stored: int
    """New entries."""

    problem: str | None = None
    """Why it was refused."""


@dataclass(frozen=True, kw_only=True)
class ImportOutcomes:
    """What became of several conversations."""

    outcomes: list[ImportOutcome]
    """For each conversation, in the order of the request."""


@dataclass(frozen=True, kw_only=True)
class ImportReport:
    """What was found in a file."""

    branches: int
    """Branches."""

    conversations: int
    """Conversations with something said."""

    left_out: dict[str, Any]
    """What was left out on purpose, by kind."""

    messages: int
    """Messages, those on branches included."""

    precision: dict[str, Any]
    """Messages by how precisely their time is known."""

    problems: list[str]
    """What could not be read: the file, the place in it, and what to do."""

    time_from: dict[str, Any]
    """Messages by what their time was taken from."""

    undated: int
    """Messages without any time, which are left out."""

    warnings: list[str]
    """What a person should know."""

    first: datetime | None = None
    """The first time."""

    last: datetime | None = None
    """The last time."""


@dataclass(frozen=True, kw_only=True)
class ImportRun:
    """An import of an uploaded file."""

    branches: int
    """New branches."""

    corrected: int
    """Entries whose text had changed in their source."""

    dry_run: bool
    """Whether nothing is stored."""

    file: str
    """The name of the file."""

    id: str
    """Its id."""

    known: int
    """Entries that were stored already."""

    messages: int
    """Messages that were read and stored, or found to be stored already."""

    refused: list[str]
    """Conversations that were not stored, and why."""

    started_at: datetime
    """When it began."""

    state: ImportStateName
    """How far it is."""

    stored: int
    """New entries."""

    found: ImportReport | None = None
    """What was found in the file, once it was read."""

    problem: str | None = None
    """Why it failed."""


@dataclass(frozen=True, kw_only=True)
class ImportRuns:
    """Imports, newest first."""

    data: list[ImportRun]
    """The imports."""


@dataclass(frozen=True, kw_only=True)
class Imported:
    """The result of an import."""

    branch_count: int
    """Number of branches."""

    conversation_id: str
    """The name of the conversation in that system."""

    message_count: int
    """Number of new entries; those that were already stored do not count."""


@dataclass(frozen=True, kw_only=True)
class ImportedBranch:
    """A branch of a conversation of another system."""

    archived_at: Time
    """When the fork happened."""

    entries: list[ImportedEntry]
    """The entries of the branch."""


@dataclass(frozen=True, kw_only=True)
class ImportedChapter:
    """A chapter as another system wrote it."""

    kind: str
    """`imported`, or `searchable` if it is only to be searched for."""

    last_at: Time
    """When the last message it covers was said."""

    provenance: Provenance
    """Its source, its id there (required), and how well `last_at` is known. A chapter with the same kind, source and
    id is replaced if it says something else.
    """

    text: str
    """Its text."""

    entities: list[str] | None = None
    """Names that occur in it."""

    key_phrases: list[str] | None = None
    """Its key phrases."""

    last_message_hash: str | None = None
    """SHA-256 of that message, by which it is recognised when a client sends it."""

    metadata: dict[str, Any] | None = None
    """What else the source says about it: a JSON object, at most 64 KiB as text."""

    title: str | None = None
    """Its title; made from the text if there is none."""


@dataclass(frozen=True, kw_only=True)
class ImportedChapters:
    """Chapters and the summary of a memory, as another system wrote them."""

    chapters: list[ImportedChapter]
    """The chapters, oldest first; at most 10,000."""

    complete: bool | None = None
    """Whether these are all chapters of their kinds, so that others of the same source are removed."""

    summary: ImportedSummary | None = None
    """The summary."""


@dataclass(frozen=True, kw_only=True)
class ImportedConversation:
    """A conversation of another system."""

    conversation_id: str
    """Its name in that system."""

    entries: list[ImportedEntry]
    """Its entries; together with its branches at least one and at most 10,000."""

    branches: list[ImportedBranch] | None = None
    """Its branches."""

    ended_at: Time | None = None
    """When it was ended explicitly; null if it was not. No conversation ends before its last entry, and one that has
    been idle for long has ended anyway.
    """

    summary: str | None = None
    """Its summary in that system; kept if the conversation has ended."""

    title: str | None = None
    """Its title in that system; kept if the conversation has ended."""


@dataclass(frozen=True, kw_only=True)
class ImportedEntry:
    """An entry of another system."""

    content: str
    """What was said."""

    conversation_time: Time
    """When it was said."""

    role: Role
    """The role of the speaker."""

    is_question: bool | None = None
    """Whether this is a question of the assistant that waits for an answer."""

    metadata: dict[str, Any] | None = None
    """Any JSON object of the caller, at most 64 KiB as text."""

    provenance: Provenance | None = None
    """Where it comes from, and how well its time is known. An entry whose `source_id` is known in the memory is not
    stored again; if its text has changed, it is corrected.
    """

    speaker: str | None = None
    """The name of the speaker, if several people share the role."""

    tags: list[str] | None = None
    """Tags, at most 64."""

    tools_used: list[str] | None = None
    """Tools that the assistant used, at most 64."""


@dataclass(frozen=True, kw_only=True)
class ImportedSummary:
    """The summary of a memory as another system wrote it."""

    text: str
    """The text."""

    through: str | None = None
    """The `source_id` of the last chapter that is in it."""


@dataclass(frozen=True, kw_only=True)
class JobGroup:
    """Jobs of one kind that wait for the same reason."""

    count: int
    """Number of jobs."""

    kind: str
    """What they do."""

    last_error: str | None
    """The last error of that one, if they failed or were set aside."""

    next_at: datetime | None
    """When the first of them is due or tried again; absent for those that were set aside."""

    reason: WaitReason
    """Why they wait."""


@dataclass(frozen=True, kw_only=True)
class Jobs:
    """Background jobs."""

    groups: list[JobGroup]
    """The jobs by what they do and why they wait."""

    set_aside: list[SetAsideJob]
    """Jobs that failed too often, at most 1000 of them; they are not retried until requested."""

    waiting: int
    """Number of jobs that are scheduled or running."""


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key, without its text."""

    creation_time: datetime
    """When it was created."""

    id: str
    """The id."""

    scope: ScopeName
    """Its scope."""

    trusted: bool
    """Whether user headers sent with it are trusted."""

    vault: str
    """The id of the vault it is for."""

    expires_at: datetime | None = None
    """When it expires."""

    label: str | None = None
    """Its description."""

    last_used_at: datetime | None = None
    """When it was last used, to about a minute."""


@dataclass(frozen=True, kw_only=True)
class KnownPeriod:
    """When the vault believed something."""

    since: datetime
    """When it was stored."""

    until: datetime | None
    """When it was superseded or retracted; null if it was not. Equal to `since` for an old statement that was stored
    late.
    """


@dataclass(frozen=True, kw_only=True)
class Memory:
    """A memory: one continuing relationship, such as a chat, a project or a person."""

    creation_time: datetime
    """When it was created."""

    id: str
    """The id."""

    last_activity: datetime
    """When something was last stored in it."""

    name: str
    """Its name, unique in the vault."""

    chat: Chat | None = None
    """The person of the chat; absent for a named memory."""

    description: str | None = None
    """Its description."""

    lifecycle: Lifecycle | None = None
    """The preset for its conversations, if it has its own."""


@dataclass(frozen=True, kw_only=True)
class MemoryPatch:
    """Changes of a memory; absent fields stay unchanged."""

    description: str | None = None
    """A new description, of at most 2,000 characters."""

    lifecycle: LifecycleChoice | None = None
    """A preset for its conversations from now on; `vault` for the vault's settings."""

    name: str | None = None
    """A new name."""


@dataclass(frozen=True, kw_only=True)
class NewActivities:
    """Activities to record."""

    activities: list[Activity]
    """One for each attempt of a call; a pause between two attempts is idle time."""


@dataclass(frozen=True, kw_only=True)
class NewContext:
    """A version to store."""

    content: str
    """The text."""

    conversation_time: Time | None = None
    """The time up to which it is complete; now if absent, never in the future."""


@dataclass(frozen=True, kw_only=True)
class NewCorrection:
    """A correction of an entry."""

    content: str
    """The corrected text."""

    reason: str
    """The reason for the correction."""

    tags: list[str] | None = None
    """Its tags; unchanged if absent."""


@dataclass(frozen=True, kw_only=True)
class NewEntry:
    """An entry to store."""

    content: str
    """What was said."""

    role: Role
    """The role of the speaker."""

    allow_future: bool | None = None
    """Accept a `conversation_time` in the future."""

    conversation_id: str | None = None
    """The conversation it belongs to: the caller's name for it, or the id of one that exists. Found by
    `conversation_time` if absent.
    """

    conversation_time: Time | None = None
    """When it was said; now if absent. More than a minute in the future is rejected unless `allow_future` is true."""

    is_question: bool | None = None
    """Whether this is a question of the assistant that waits for an answer."""

    metadata: dict[str, Any] | None = None
    """Any JSON object of the caller, at most 64 KiB as text."""

    provenance: Provenance | None = None
    """Where it comes from, and how well its time is known."""

    speaker: str | None = None
    """The name of the speaker, if several people share the role."""

    summary: str | None = None
    """The caller's short version of the text."""

    tags: list[str] | None = None
    """Tags, at most 64."""

    tools_used: list[str] | None = None
    """Tools that the assistant used, at most 64."""


@dataclass(frozen=True, kw_only=True)
class NewFactMatter:
    """A property and its value."""

    key: str
    """The name of the property."""

    value: str
    """Its value."""


@dataclass(frozen=True, kw_only=True)
class NewFactText:
    """How a fact is to read."""

    statement: str
    """The statement, without a date."""

    matter: NewFactMatter | None = None
    """The property and value it states; else what the built-in rules read from the statement."""

    tags: list[str] | None = None
    """Its tags; unchanged if absent."""


@dataclass(frozen=True, kw_only=True)
class NewKey:
    """A key to create."""

    vault: str
    """The vault it is for, by id or name."""

    expires_at: Time | None = None
    """When it expires; it does not expire if absent."""

    label: str | None = None
    """Its description."""

    scope: ScopeName | None = None
    """Its scope; `write` if absent."""

    trusted: bool | None = None
    """Whether user headers sent with it (such as `x-openwebui-user-id`) are trusted."""


@dataclass(frozen=True, kw_only=True)
class NewMemory:
    """A memory to create."""

    name: str
    """Its name."""

    description: str | None = None
    """Its description."""

    lifecycle: Lifecycle | None = None
    """A preset for its conversations; the vault's settings if absent."""


@dataclass(frozen=True, kw_only=True)
class NewSettings:
    """Settings to change; absent ones stay unchanged."""

    closedTimeoutMinutes: int | None = None
    """Time after which a dormant conversation is closed."""

    conversationIdleTimeoutMinutes: int | None = None
    """Idle timeout: a longer pause ends a conversation."""

    conversationStateTimeoutMinutes: int | None = None
    """How long a question of the assistant waits for its answer."""

    coolingTimeoutMinutes: int | None = None
    """Silence after which a conversation cools; at most the idle timeout."""

    lifecycle: Lifecycle | None = None
    """A preset for when conversations cool, end and close; an explicit idle timeout overrides it."""

    maxConversationsRetained: int | None = None
    """Number of ended conversations that stay in lists."""

    retention: RetentionName | None = None
    """What happens to ended conversations beyond that number."""


@dataclass(frozen=True, kw_only=True)
class NewTextTime:
    """When one text was said."""

    conversation_time: Time
    """When it was said."""

    text_hash: str
    """SHA-256 of the text."""


@dataclass(frozen=True, kw_only=True)
class NewTextTimes:
    """Times to import."""

    texts: list[NewTextTime]
    """At most 10,000."""

    reply_began: Time | None = None
    """When a reply began whose text is not known yet."""


@dataclass(frozen=True, kw_only=True)
class NewVault:
    """A vault to create."""

    name: str
    """Its name."""

    description: str | None = None
    """Its description, at most 2,000 characters."""

    settings: NewSettings | None = None
    """Its settings; the server's defaults where absent."""

    zone: str | None = None
    """Its time zone; the server's default if absent."""


@dataclass(frozen=True, kw_only=True)
class Outbox:
    """Exchanges of the proxy that wait to be stored."""

    bytes: int
    """Bytes in use."""

    failure: str | None
    """Why the outbox cannot be written, if it cannot."""

    max_bytes: int
    """Maximum number of bytes."""

    oldest: datetime | None
    """When the oldest waiting exchange was accepted."""

    set_aside: list[SetAsideExchange]
    """Exchanges that can never be stored, the newest first."""

    waiting: int
    """Number of waiting exchanges."""


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A question of the assistant that was waiting for an answer."""

    asked_at: datetime
    """When it was asked."""

    entry_id: str
    """The entry that asks."""


@dataclass(frozen=True, kw_only=True)
class PeriodOrder:
    """Some of several in chronological order: "the first time", "our last two conversations"."""

    first: int
    """The first one, counted from 1."""

    from_: str
    """Counted from the `first` or the `last`."""

    last: int
    """The last one."""

    of: str
    """What is counted: `conversations`, or `matches` of the rest of the question."""


@dataclass(frozen=True, kw_only=True)
class Pin:
    """Pins or unpins a fact."""

    pinned: bool | None = None
    """Whether to pin it; true if absent."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Why a request was rejected (RFC 9457)."""

    detail: str
    """What was wrong with this request, and what would be right."""

    kind: ProblemKind
    """The kind, for programs."""

    status: int
    """The HTTP status."""

    title: str
    """A short description of the kind."""

    type: str
    """A URN of the kind of problem."""

    reason: ProblemReason | None = None
    """What a conflict consists in, where that is known."""


@dataclass(frozen=True, kw_only=True)
class ProfileValue:
    """The current value of one property."""

    fact_id: str
    """The fact that states it."""

    key: str
    """The name of the property."""

    mentioned_at: datetime
    """When it was last mentioned."""

    value: str
    """Its current value."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """The current and the latest conversations as text for a model."""

    prompt: str
    """The text; empty if there are no conversations."""


@dataclass(frozen=True, kw_only=True)
class Provenance:
    """Where an entry was imported from, and how well its time is known."""

    precision: str
    """How precisely the time is known: `us`, `ms`, `s`, `minute`, `hour`, `day`, `week`, `month`, `year`, or `unknown`
    if only the order is known. The period begins at `conversation_time`.
    """

    source: str
    """The program or format, such as `chatgpt`."""

    time_from: str
    """What the time was taken from: `stated`, `generation`, `id`, `neighbour`, `conversation`, `file`, `export`,
    `asked` or `moved`.
    """

    zone_from: str
    """How the time zone is known: `stated`, `utc-by-format`, `inferred`, `asked` or `assumed`."""

    source_id: str | None = None
    """The id of the message there."""

    time_text: str | None = None
    """The time as it is written there."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question to a memory."""

    query: str
    """The question, in words."""

    after: Time | None = None
    """Only entries said at this time or later."""

    as_of: Time | None = None
    """State of the memory at this time."""

    asked_at: Time | None = None
    """The time the question is asked; "last week" is relative to it. Now if absent."""

    before: Time | None = None
    """Only entries said before this time."""

    budget_tokens: int | None = None
    """Maximum length of the briefing in tokens; 1000 if absent."""

    diversity: float | None = None
    """How much variety counts against score: with more, fewer results that say the same (maximal marginal relevance).
    """

    except_conversations: list[str] | None = None
    """Leave out entries of these conversations, by their ids or the caller's names."""

    explain: bool | None = None
    """Return the score breakdown of each item, and where each line of the briefing comes from."""

    kinds: list[Literal["entry", "conversation", "fact", "chapter", "summary", "context"]] | None = None
    """Only these kinds of results; all if absent."""

    limit: int | None = None
    """Maximum number of items and of conversations; 10 if absent."""

    min_score: float | None = None
    """Only results that score at least this share of the best of their kind."""

    missed: int | None = None
    """Also return this many entries that just missed the limit or `min_score`, best first."""

    period: Literal["boost", "filter", "ignore"] | None = None
    """How to use a period that the question names: `boost` (the default) ranks it first, `filter` excludes everything
    else, `ignore` treats its words as plain words.
    """

    roles: list[Role] | None = None
    """Only entries of these roles."""

    tags: list[str] | None = None
    """Only entries with one of these tags."""


@dataclass(frozen=True, kw_only=True)
class Recollection(RecollectionBehaviour):
    """The answer of a memory to a question."""

    briefing: str
    """The items as text for a model: dated, oldest first, with a timeline."""

    chapters: list[FoundChapter]
    """Chapters, best first."""

    contexts: list[FoundContext]
    """Current context documents that match, best first."""

    conversations: list[FoundConversation]
    """Conversations, best first."""

    facts: list[FoundFact]
    """Facts, best first. A superseded fact is included only if the question names a time in which it held, or has an
    `as_of`.
    """

    items: list[FoundEntry]
    """Entries, best first."""

    nothing_in_period: bool
    """Nothing was said in that period; the results are outside of it."""

    summaries: list[FoundSummary]
    """Summaries of conversations, best first; none with `as_of`."""

    words_alone: bool
    """The embedder failed; the results were found by words and time only."""

    about: AboutTime | None = None
    """How time phrases in the question were read; absent if it has none."""

    briefing_lines: list[BriefingLine] = field(default_factory=list)
    """Where the lines of the briefing come from, if `explain` was set."""

    missed: list[FoundEntry] = field(default_factory=list)
    """Entries that just missed the limit, best first, if `missed` was set."""


@dataclass(frozen=True, kw_only=True)
class Regenerating:
    """What is being regenerated."""

    conversations: int
    """Number of conversations whose facts and titles are regenerated; chapters and summaries follow."""


@dataclass(frozen=True, kw_only=True)
class Removed:
    """What was permanently removed."""

    contexts: int
    """Versions of context documents."""

    conversations: int
    """Conversations."""

    entries: int
    """Entries."""

    facts: int
    """Facts."""

    jobs: int
    """Jobs."""

    keys: int
    """Keys."""

    memories: int
    """Memories."""

    vaults: int
    """Vaults."""


@dataclass(frozen=True, kw_only=True)
class Retried:
    """A job that is queued again."""

    id: str
    """The id."""


@dataclass(frozen=True, kw_only=True)
class RetriedJobs:
    """Jobs that are queued again."""

    retried: int
    """Number of jobs that are queued again."""


@dataclass(frozen=True, kw_only=True)
class Retrospect:
    """Which conversations to look back at."""

    again: bool | None = None
    """Also those that were looked back at before."""


@dataclass(frozen=True, kw_only=True)
class Retrospection:
    """What a language model wrote when it looked back at an ended conversation."""

    at: datetime
    """When it was written."""

    text: str
    """Its words."""


@dataclass(frozen=True, kw_only=True)
class Retrospections:
    """What a language model wrote when it looked back at conversations."""

    conversations: list[Conversation]
    """The conversations, the one that ended last first."""

    text: str
    """As text for a person or a model: a heading with title and date for each, the newest first."""


@dataclass(frozen=True, kw_only=True)
class RollingSummary:
    """One version of the summary of a whole memory."""

    chapters: int
    """Number of chapters it covers."""

    creation_time: datetime
    """When it was stored."""

    text: str
    """The text."""

    through: datetime
    """The conversation_time of the last entry it covers."""

    version: int
    """From 1; the highest is current."""

    written_by: str
    """Who wrote it: `llm`, or `extractive` for the built-in rules."""


@dataclass(frozen=True, kw_only=True)
class SetAsideExchange:
    """An exchange that can never be stored."""

    accepted_at: datetime
    """When it was accepted."""

    memory: str | None
    """The memory it was for, by id or name, if that is known."""

    reason: str
    """Why it was set aside."""

    vault: str
    """The vault it was for, by id or name."""


@dataclass(frozen=True, kw_only=True)
class SetAsideJob:
    """A job that was set aside."""

    conversation_id: str | None
    """The id of the conversation it is about, if it is about one."""

    due_at: datetime
    """When it was last due."""

    id: str
    """The id."""

    kind: str
    """What it does."""

    last_error: str | None
    """The last error."""

    memory: str
    """The id of its memory."""

    tries: int
    """Number of attempts."""

    vault: str
    """The id of its vault."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The settings of a vault."""

    conversationIdleTimeoutMinutes: int
    """Idle timeout: a longer pause ends a conversation."""

    conversationStateTimeoutMinutes: int
    """How long a question of the assistant waits for its answer."""

    maxConversationsRetained: int
    """Number of ended conversations that stay in lists."""

    retention: RetentionName
    """What happens to ended conversations beyond that number."""

    closedTimeoutMinutes: int | None = None
    """Time after which a dormant conversation is closed, if it was set; else 30 days, or the preset's."""

    coolingTimeoutMinutes: int | None = None
    """Silence after which a conversation cools, if it was set; else half the idle timeout, or the preset's."""

    lifecycle: Lifecycle | None = None
    """The preset for the timers of conversations, if one was chosen."""


@dataclass(frozen=True, kw_only=True)
class Settled:
    """Jobs that were run."""

    done: int
    """Number of jobs that were run."""

    due: int
    """Number of jobs that are still due."""


@dataclass(frozen=True, kw_only=True)
class SignalShare:
    """The contribution of one signal."""

    share: float
    """Its contribution to the score."""

    signal: str
    """The signal."""

    value: float
    """Its value."""

    lane: str | None = None
    """Its lane: `words`, `meaning` or `when`; absent if it combines all."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """The health of the server."""

    status: str
    """`ok`, or `degraded`: it works, but something needs attention."""

    detail: str | None = None
    """What is degraded."""


@dataclass(frozen=True, kw_only=True)
class TagCount:
    """A tag and how many current entries have it."""

    entries: int
    """The number of entries."""

    tag: str
    """The tag."""


@dataclass(frozen=True, kw_only=True)
class TextTime:
    """When one text was said."""

    conversation_time: datetime
    """When it was said."""

    text_hash: str
    """SHA-256 of the text."""


@dataclass(frozen=True, kw_only=True)
class TextTimes:
    """When texts were said, without the texts."""

    texts: list[TextTime]
    """One for each text."""

    reply_began: datetime | None = None
    """When a reply began whose text is not known yet."""


@dataclass(frozen=True, kw_only=True)
class TimelineLine(TextBehaviour):
    """One dated line."""

    conversation_id: str
    """The conversation: the caller's name for it, else its id."""

    conversation_time: datetime
    """When it was said."""

    date: date
    """The day it was said, in the vault's zone."""

    entry_id: str
    """The entry of the line."""

    event: str
    """What was said, shortened."""

    gap: str | None
    """Days since the next earlier line; null on the same day and on the first line of all."""

    text: str
    """The line as text."""


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Usage of the language model by a vault."""

    data: list[UsageRow]
    """By day, model and purpose."""

    month: UsageMonth
    """This calendar month (UTC), whatever `since` is."""

    total: UsageTotal
    """The sum."""


@dataclass(frozen=True, kw_only=True)
class UsageMonth:
    """What language models cost in a calendar month, in the currency of the configured prices."""

    cap: float | None
    """The cap (`llm.spending_cap`), after which no model is called until the next month; null if there is none."""

    cost: float
    """The cost for this vault."""

    since: date
    """The first day of the month, in UTC."""

    server_cost: float | None = None
    """The cost for all vaults, which the cap is for; absent for the holder of an API key, who may use one vault only.
    """


@dataclass(frozen=True, kw_only=True)
class UsageTotal:
    """Counts, tokens and cost."""

    cached: int
    """Number of cached replies, which cost nothing."""

    calls: int
    """Number of calls."""

    cost: float
    """The cost, in the currency of the configured prices."""

    input_tokens: int
    """Input tokens."""

    output_tokens: int
    """Output tokens."""


@dataclass(frozen=True, kw_only=True)
class Vault:
    """A vault: the memories of one owner, isolated from all others."""

    creation_time: datetime
    """When it was created."""

    id: str
    """The id."""

    name: str
    """Its name, unique on this server."""

    settings: Settings
    """Its settings."""

    zone: str
    """IANA time zone in which its days begin and end."""

    description: str | None = None
    """Its description."""


@dataclass(frozen=True, kw_only=True)
class VaultPatch:
    """Changes of a vault; absent fields stay unchanged."""

    description: str | None = None
    """A new description, of at most 2,000 characters."""

    name: str | None = None
    """A new name."""

    settings: NewSettings | None = None
    """New settings; they apply to new conversations."""

    zone: str | None = None
    """A new time zone; instants stay the same, days move."""


@dataclass(frozen=True, kw_only=True)
class WorkerTaskStatus:
    """A task that runs background jobs."""

    failure: str | None
    """Why it gets nothing done, while that is so."""

    restarts: int
    """How often it died and was restarted."""

    running: bool
    """Whether it runs."""

    task: str
    """Which one."""


@dataclass(frozen=True, kw_only=True)
class ConversationDetail(Conversation):
    """A conversation with its entries and branches."""

    activities: list[Activity]
    """When models and tools were working, in the order they began."""

    branches: list[Branch]
    """Its branches."""

    conversation_time: ConversationTime | None
    """How long it was active and how long it was idle."""

    entries: list[Entry]
    """Its current entries, oldest first."""


@dataclass(frozen=True, kw_only=True)
class MadeKey(Key):
    """A new key."""

    key: str
    """The text of the key. Save it: it is shown only once."""


@dataclass(frozen=True, kw_only=True)
class UsageRow(UsageTotal):
    """Usage on one day, of one model, for one purpose."""

    day: date
    """The day, in UTC."""

    model: str
    """The model."""

    purpose: str
    """The purpose."""
