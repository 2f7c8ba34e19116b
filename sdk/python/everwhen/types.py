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
    "Batch",
    "BatchReceipt",
    "Branch",
    "Chapter",
    "Chat",
    "Context",
    "Conversation",
    "ConversationDetail",
    "ConversationTime",
    "CorrectedBy",
    "Corrects",
    "Doctor",
    "EndConversation",
    "EndedBy",
    "Entry",
    "EntryReceipt",
    "Fact",
    "FactEvidence",
    "FactMatter",
    "FactPeriod",
    "FactsText",
    "Forget",
    "Fork",
    "Forked",
    "FoundChapter",
    "FoundConversation",
    "FoundEntry",
    "FoundFact",
    "FoundSummary",
    "Imported",
    "ImportedBranch",
    "ImportedConversation",
    "ImportedEntry",
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
    "NewKey",
    "NewMemory",
    "NewSettings",
    "NewTextTime",
    "NewTextTimes",
    "NewVault",
    "OrderTold",
    "Outbox",
    "Pending",
    "Pin",
    "Problem",
    "ProblemKind",
    "ProfileValue",
    "Prompt",
    "Question",
    "Recollection",
    "Regenerating",
    "Removed",
    "RetentionName",
    "Retried",
    "Role",
    "RollingSummary",
    "ScopeName",
    "SetAsideExchange",
    "SetAsideJob",
    "Settings",
    "Settled",
    "SignalShare",
    "Standing",
    "TextTime",
    "TextTimes",
    "Time",
    "TimelineLine",
    "Usage",
    "UsageRow",
    "UsageTotal",
    "Vault",
    "VaultPatch",
]

Time: TypeAlias = Union[datetime, str]
"""A time that is sent: with a zone, or as RFC 3339 text with an offset."""


ActivityKind: TypeAlias = Literal["model", "tool"]
"""Who was at work."""


EndedBy: TypeAlias = Literal["idle", "caller"]
"""How a conversation ended: `idle` if it fell silent, `caller` if somebody ended it."""


Lifecycle: TypeAlias = Literal["daily-checkin", "weekly-therapy", "on-demand", "long-term"]
"""Timers of conversations for a kind of relationship: silence until they cool, from then until they end, and from then until they are closed. `daily-checkin`: 2 hours, 30 minutes, 7 days; `weekly-therapy`: 24 hours, 6 hours, 90 days; `on-demand`: 30 minutes, 15 minutes, 30 days; `long-term`: 12 hours, 6 hours, 365 days."""


LifecycleChoice: TypeAlias = Literal["daily-checkin", "weekly-therapy", "on-demand", "long-term", "vault"]
"""A preset, or `vault` for the vault's rules."""


ProblemKind: TypeAlias = Literal["invalid", "unauthenticated", "denied", "not_found", "method_not_allowed", "conflict", "too_large", "unsupported_media_type", "timeout", "busy", "unavailable", "damaged"]
"""Kinds of problems."""


RetentionName: TypeAlias = Literal["archive", "delete"]
"""What becomes of ended conversations beyond the number retained: `archive` takes them out of lists, `delete` removes them for good."""


Role: TypeAlias = Literal["user", "assistant", "system", "tool"]
"""Who speaks."""


ScopeName: TypeAlias = Literal["read", "write", "admin"]
"""What a key allows. Each scope includes the ones before it."""


@dataclass(frozen=True, kw_only=True)
class AboutTime:
    """A stretch of time as the question names it."""

    words: list[str]
    """The words it was read from."""

    order: OrderTold | None = None
    """Which of several, counted from the first or the last."""

    since: datetime | None = None
    """The first instant of it; absent if it has no beginning."""

    until: datetime | None = None
    """The first instant after it; absent if it has no end."""


@dataclass(frozen=True, kw_only=True)
class Activity:
    """A stretch in which a model or a tool was at work."""

    began_at: Time
    """When it began."""

    kind: ActivityKind
    """Who."""

    lasted_ms: int
    """How long it took, in milliseconds, by a clock that only goes forward; at most a day."""

    name: str | None = None
    """Which model or tool."""


@dataclass(frozen=True, kw_only=True)
class Batch:
    """Entries to remember in one durable write: all of them, or none."""

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
    """Entries that a fork put aside."""

    archived_at: datetime
    """When the fork happened."""

    id: str
    """Its id; ask for its entries with `?branch=`."""

    message_count: int
    """How many entries it holds."""


@dataclass(frozen=True, kw_only=True)
class Chapter:
    """What a run of entries was about."""

    creation_time: datetime
    """When it was stored."""

    entities: list[str]
    """Names that occur in it."""

    entry_count: int
    """How many entries it tells of."""

    id: str
    """Its id."""

    key_phrases: list[str]
    """Words that stand for it."""

    last_at: datetime
    """The conversation_time of its last entry."""

    started_at: datetime
    """The conversation_time of its first entry."""

    text: str
    """What it was about."""

    title: str
    """A title."""

    written_by: str
    """Who wrote it: `llm`, or `extractive` if it was chosen without a model."""


@dataclass(frozen=True, kw_only=True)
class Chat:
    """A chat that the proxy recognised: one of many of the same person."""

    signed: bool
    """Whether a signature proved it."""

    user: str | None = None
    """The user who speaks in it, if a request said so."""


@dataclass(frozen=True, kw_only=True)
class Context:
    """One version of a memory's context document."""

    content: str
    """The text."""

    conversation_time: datetime
    """The time up to which it tells the story."""

    creation_time: datetime
    """When it was stored."""

    id: str
    """Its id."""

    version: int
    """From 1; the highest is current."""

    written_by: str
    """Who wrote it: `agent`, or, from what is known, `extractive` or `llm`."""


@dataclass(frozen=True, kw_only=True)
class Conversation:
    """A run of entries, bounded by a pause or by a word."""

    ended_at: datetime | None
    """When it ended; null while it is open."""

    ended_by: EndedBy | None
    """How it ended; null while it is open."""

    id: str
    """Its id."""

    last_at: datetime
    """When its last entry was said."""

    message_count: int
    """How many entries it holds; corrected ones and those on branches do not count."""

    started_at: datetime
    """When its first entry was said."""

    summary: str | None
    """What it was about, in two or three sentences; null until it has ended and been summarized."""

    summary_by: str | None
    """Who wrote title and summary: `extractive` chose them from the conversation, without a model; `source` brought
    them along in an import.
    """

    title: str | None
    """What it was about, in five to eight words; null until it has ended and been summarized."""

    archived_at: datetime | None = None
    """Since when it has left lists."""

    end_reason: str | None = None
    """Why somebody ended it."""

    source_id: str | None = None
    """The name it has in the caller's own source."""

    state: str | None = None
    """`active` while it is talked in; `cooling` once it has fallen silent, and until its facts are kept; `dormant`
    when it is over; `closed` a while later. In lists and where one is asked for.
    """


@dataclass(frozen=True, kw_only=True)
class ConversationTime:
    """How much of a conversation was working and how much was waiting."""

    active_unknown: bool
    """Nobody recorded activities, so that `conversation_active_ms` says nothing."""

    conversation_active_ms: int
    """Milliseconds in which a model or tool was at work; overlaps count once."""

    conversation_elapsed_ms: int
    """Milliseconds from start to end."""

    conversation_end_at: datetime
    """The last entry before it was over; without one, when it was over."""

    conversation_idle_ms: int
    """The other milliseconds."""

    conversation_start_at: datetime
    """The first entry or the first activity, whichever is earlier."""

    conversation_turns: int
    """Entries of user and assistant."""


@dataclass(frozen=True, kw_only=True)
class CorrectedBy:
    """Which entry to read instead, and since when."""

    at: datetime
    """When the correction was stored."""

    entry_id: str
    """The entry to read instead."""


@dataclass(frozen=True, kw_only=True)
class Corrects:
    """Which entry is corrected, and why."""

    entry_id: str
    """The corrected entry."""

    reason: str
    """Why."""


@dataclass(frozen=True, kw_only=True)
class Doctor:
    """What a look at the whole server found."""

    jobs: Jobs
    """Background work."""

    problems: list[str]
    """What is wrong with the store; empty if nothing is."""

    version: str
    """The server's version."""

    outbox: Outbox | None = None
    """Exchanges of the proxy that wait to be stored; absent where there is no outbox."""


@dataclass(frozen=True, kw_only=True)
class EndConversation:
    """Which conversation to end, and why."""

    conversation_id: str | None = None
    """The conversation: the caller's own name for it, or its id; the active one if absent."""

    reason: str | None = None
    """Why it ends, in at most 2,000 characters."""


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One thing said, with when it was said and when it was stored."""

    content: str
    """What was said."""

    conversation_id: str
    """The conversation it belongs to: the caller's own name for it, else its id."""

    conversation_time: datetime
    """When it was said."""

    creation_time: datetime
    """When it was stored."""

    id: str
    """Its id."""

    role: Role
    """Who spoke."""

    sequence: int
    """Its place in the memory's order of arrival."""

    branch_id: str | None = None
    """The branch that a fork put it on."""

    corrected_by: CorrectedBy | None = None
    """The entry that corrects this one."""

    corrects: Corrects | None = None
    """The entry this one corrects."""

    is_question: bool = False
    """Whether the assistant asked something here."""

    metadata: dict[str, Any] | None = None
    """The caller's own JSON object."""

    speaker: str | None = None
    """The speaker's name."""

    summary: str | None = None
    """The caller's own short version."""

    tags: list[str] = field(default_factory=list)
    """Labels."""

    tools_used: list[str] = field(default_factory=list)
    """Tools the assistant used while saying it."""


@dataclass(frozen=True, kw_only=True)
class EntryReceipt:
    """One stored entry."""

    conversation_id: str
    """The conversation it fell into: the caller's own name for it, else its id."""

    conversation_time: datetime
    """When it was said."""

    creation_time: datetime
    """When it was stored."""

    id: str
    """Its id."""

    sequence: int
    """Its place in the memory's order of arrival."""

    pending: Pending | None = None
    """The assistant's question that waited for this entry."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """One dated statement, with what it rests on."""

    current: bool
    """Whether the vault believes it now."""

    event: FactPeriod | None
    """When it happened, if the words say so."""

    evidence: list[FactEvidence]
    """The entries it rests on."""

    holds: FactPeriod
    """When it is true in the world."""

    id: str
    """Its id."""

    known: KnownPeriod
    """When the vault believed it."""

    last_mentioned_at: datetime
    """When it was last mentioned."""

    matter: FactMatter | None
    """The one value it states, if it states one."""

    mentioned_at: datetime
    """When it was first mentioned."""

    pinned: bool
    """Whether it is pinned."""

    source: str
    """`confirmed` if the user said it in these words, else `inferred`."""

    statement: str
    """The statement alone."""

    superseded_by: str | None
    """The fact that took its place."""

    supersedes: str | None
    """The fact whose place it took."""

    tags: list[str]
    """What it is about."""

    text: str
    """The statement with the day it was first mentioned, in the vault's zone."""

    written_by: str
    """Who wrote it: `llm`, or `extractive` if it was chosen without a model."""


@dataclass(frozen=True, kw_only=True)
class FactEvidence:
    """A piece of an entry."""

    end: int
    """Where it ends."""

    entry_id: str
    """The entry."""

    start: int
    """Where the piece begins, in bytes of the content."""


@dataclass(frozen=True, kw_only=True)
class FactMatter:
    """A matter with one value at a time."""

    key: str
    """Which."""

    value: str
    """Its value."""


@dataclass(frozen=True, kw_only=True)
class FactPeriod:
    """A stretch of time, half-open; an end that is null is open."""

    precision: str
    """How exactly the ends are known: `minute`, `day`, `month` or `year`."""

    since: datetime | None
    """First instant inside."""

    until: datetime | None
    """First instant after."""


@dataclass(frozen=True, kw_only=True)
class FactsText:
    """What is believed now, as text for a model."""

    text: str
    """Facts under the months they were mentioned in; pinned ones first."""


@dataclass(frozen=True, kw_only=True)
class Forget:
    """A period of a memory to forget for good; at least one end must be given."""

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
    """The entry after which everything is put on a branch."""


@dataclass(frozen=True, kw_only=True)
class Forked:
    """What a fork put aside."""

    branch_id: str
    """The branch."""

    message_count: int
    """How many entries it holds."""


@dataclass(frozen=True, kw_only=True)
class FoundChapter:
    """A chapter that was found."""

    chapter: Chapter
    """The chapter."""

    score: float
    """How well it answers; comparable among the chapters of one recollection only."""

    reasons: list[SignalShare] = field(default_factory=list)
    """What spoke for it, where an explanation was asked for."""


@dataclass(frozen=True, kw_only=True)
class FoundConversation:
    """A conversation that was found."""

    conversation: Conversation
    """The conversation."""

    memory: str
    """The name of its memory."""

    score: float
    """How well it answers; comparable inside one recollection only."""

    reasons: list[SignalShare] = field(default_factory=list)
    """What spoke for it, where an explanation was asked for."""


@dataclass(frozen=True, kw_only=True)
class FoundEntry:
    """An entry that was found."""

    entry: Entry
    """The entry."""

    memory: str
    """The name of its memory."""

    outside: bool
    """It was said outside the stretch the question asks about."""

    score: float
    """How well it answers; comparable inside one recollection only."""

    reasons: list[SignalShare] = field(default_factory=list)
    """What spoke for it, where an explanation was asked for."""


@dataclass(frozen=True, kw_only=True)
class FoundFact:
    """A fact that was found."""

    fact: Fact
    """The fact."""

    score: float
    """How well it answers; comparable among the facts of one recollection only."""

    reasons: list[SignalShare] = field(default_factory=list)
    """What spoke for it, where an explanation was asked for."""


@dataclass(frozen=True, kw_only=True)
class FoundSummary:
    """The summary of a conversation that was found."""

    conversation: Conversation
    """The conversation it tells of, with its title, its summary and who wrote them."""

    memory: str
    """The name of its memory."""

    score: float
    """How well it answers; comparable among the summaries of one recollection only."""

    reasons: list[SignalShare] = field(default_factory=list)
    """What spoke for it, where an explanation was asked for."""


@dataclass(frozen=True, kw_only=True)
class Imported:
    """What an import brought in."""

    branch_count: int
    """How many branches they left."""

    conversation_id: str
    """The conversation's name in its source."""

    message_count: int
    """How many entries came in; those that were here before do not count."""


@dataclass(frozen=True, kw_only=True)
class ImportedBranch:
    """Entries that a fork had put aside in another system."""

    archived_at: Time
    """When the fork happened."""

    entries: list[ImportedEntry]
    """What it put aside."""


@dataclass(frozen=True, kw_only=True)
class ImportedConversation:
    """A conversation as another system kept it."""

    conversation_id: str
    """Its name there."""

    entries: list[ImportedEntry]
    """What was said in it; with its branches at least one entry, at most 10,000."""

    branches: list[ImportedBranch] | None = None
    """What forks had put aside there."""

    ended_at: Time | None = None
    """When somebody ended it there; null if nobody did. No conversation ends before its last entry, and one that fell
    silent long ago has ended anyway.
    """

    summary: str | None = None
    """Its summary there; kept if the conversation has ended."""

    title: str | None = None
    """Its title there; kept if the conversation has ended."""


@dataclass(frozen=True, kw_only=True)
class ImportedEntry:
    """Something said, as another system kept it."""

    content: str
    """What was said."""

    conversation_time: Time
    """When it was said."""

    role: Role
    """Who spoke."""

    metadata: dict[str, Any] | None = None
    """A JSON object of the caller's own, at most 64 KiB as text."""

    speaker: str | None = None
    """The speaker's name, where there are several."""

    tags: list[str] | None = None
    """Labels, at most 64."""

    tools_used: list[str] | None = None
    """Tools the assistant used while saying it, at most 64."""


@dataclass(frozen=True, kw_only=True)
class Jobs:
    """Background work."""

    set_aside: list[SetAsideJob]
    """Jobs that failed too often and will not be tried again unless somebody says so."""

    waiting: int
    """How many jobs wait for their time or are being done."""


@dataclass(frozen=True, kw_only=True)
class Key:
    """A key, without its text."""

    creation_time: datetime
    """When it was made."""

    id: str
    """Its id."""

    scope: ScopeName
    """What it allows."""

    trusted: bool
    """Whether user headers sent with it are believed."""

    vault: str
    """The id of the vault it is for."""

    expires_at: datetime | None = None
    """From when on it is rejected."""

    label: str | None = None
    """What it is for."""

    last_used_at: datetime | None = None
    """When it was last used, to about a minute."""


@dataclass(frozen=True, kw_only=True)
class KnownPeriod:
    """When the vault believed something."""

    since: datetime
    """When it was stored."""

    until: datetime | None
    """When the vault learned better; null if it has not. Equal to `since` for old news that came late."""


@dataclass(frozen=True, kw_only=True)
class Memory:
    """A memory: one continuing relationship, such as a chat, a project or a person."""

    creation_time: datetime
    """When it was made."""

    id: str
    """Its id."""

    last_activity: datetime
    """When something was last stored in it."""

    name: str
    """Its name, unique in the vault."""

    chat: Chat | None = None
    """Whose chat it is; absent for a memory that somebody named."""

    description: str | None = None
    """What it is for."""

    lifecycle: Lifecycle | None = None
    """The preset for its conversations, if it has one of its own."""


@dataclass(frozen=True, kw_only=True)
class MemoryPatch:
    """What to change about a memory; what is absent stays."""

    description: str | None = None
    """A new description, of at most 2,000 characters."""

    lifecycle: LifecycleChoice | None = None
    """A preset for its conversations from now on; `vault` for the vault's rules."""

    name: str | None = None
    """A new name."""


@dataclass(frozen=True, kw_only=True)
class NewActivities:
    """Activities to record."""

    activities: list[Activity]
    """One for each try of a call; a pause between two tries is waiting."""


@dataclass(frozen=True, kw_only=True)
class NewContext:
    """A version to store."""

    content: str
    """The text."""

    conversation_time: Time | None = None
    """The time up to which it tells the story; now if absent, never the future."""


@dataclass(frozen=True, kw_only=True)
class NewCorrection:
    """What an entry should have said."""

    content: str
    """What should have been said."""

    reason: str
    """Why."""


@dataclass(frozen=True, kw_only=True)
class NewEntry:
    """Something to remember."""

    content: str
    """What was said."""

    role: Role
    """Who spoke."""

    allow_future: bool | None = None
    """Accept a `conversation_time` in the future."""

    conversation_id: str | None = None
    """The conversation it belongs to: the caller's own name for it, or the id of one that exists. Found by
    `conversation_time` if absent.
    """

    conversation_time: Time | None = None
    """When it was said; now if absent. More than a minute in the future is refused unless `allow_future` is true."""

    is_question: bool | None = None
    """Whether the assistant asks something here and waits for the answer."""

    metadata: dict[str, Any] | None = None
    """A JSON object of the caller's own, at most 64 KiB as text."""

    speaker: str | None = None
    """The speaker's name, where there are several."""

    summary: str | None = None
    """The caller's own short version."""

    tags: list[str] | None = None
    """Labels, at most 64."""

    tools_used: list[str] | None = None
    """Tools the assistant used while saying it, at most 64."""


@dataclass(frozen=True, kw_only=True)
class NewKey:
    """A key to make."""

    vault: str
    """The vault it is for, by id or name."""

    expires_at: Time | None = None
    """From when on it is rejected. Without this it does not expire."""

    label: str | None = None
    """What it is for."""

    scope: ScopeName | None = None
    """What it allows; `write` unless another is named."""

    trusted: bool | None = None
    """Whether user headers sent with it (`x-openwebui-user-id` and the like) are believed."""


@dataclass(frozen=True, kw_only=True)
class NewMemory:
    """A memory to make."""

    name: str
    """Its name."""

    description: str | None = None
    """What it is for."""

    lifecycle: Lifecycle | None = None
    """A preset for its conversations; the vault's rules if absent."""


@dataclass(frozen=True, kw_only=True)
class NewSettings:
    """Rules to set; those absent stay as they are."""

    conversationIdleTimeoutMinutes: int | None = None
    """A longer pause ends a conversation."""

    conversationStateTimeoutMinutes: int | None = None
    """A question of the assistant waits so long for its answer."""

    lifecycle: Lifecycle | None = None
    """A preset for when conversations cool, end and close; an idle timeout beside it wins."""

    maxConversationsRetained: int | None = None
    """So many ended conversations stay in lists."""

    retention: RetentionName | None = None
    """What becomes of ended conversations beyond that."""


@dataclass(frozen=True, kw_only=True)
class NewTextTime:
    """When one text was said."""

    conversation_time: Time
    """When it was said."""

    text_hash: str
    """SHA-256 of the text."""


@dataclass(frozen=True, kw_only=True)
class NewTextTimes:
    """Times to take in."""

    texts: list[NewTextTime]
    """At most 10,000."""

    reply_began: Time | None = None
    """When a reply began whose text is not settled yet."""


@dataclass(frozen=True, kw_only=True)
class NewVault:
    """A vault to make."""

    name: str
    """Its name."""

    description: str | None = None
    """What it is for, in at most 2,000 characters."""

    settings: NewSettings | None = None
    """Its rules; the server's defaults where absent."""

    zone: str | None = None
    """Where its days begin and end; the server's default if absent."""


@dataclass(frozen=True, kw_only=True)
class OrderTold:
    """Some of several in the order of time: "the first time", "our last two conversations"."""

    first: int
    """The first that is meant, counted from 1."""

    from_: str
    """From which side: `first` or `last`."""

    last: int
    """The last that is meant."""

    of: str
    """What is counted: `conversations`, or `matches` of the rest of the question."""


@dataclass(frozen=True, kw_only=True)
class Outbox:
    """Exchanges of the proxy that wait to be stored."""

    bytes: int
    """Bytes in use."""

    failure: str | None
    """Why the outbox cannot be written, if it cannot."""

    max_bytes: int
    """Bytes that may be used."""

    oldest: datetime | None
    """When the oldest that waits was accepted."""

    set_aside: list[SetAsideExchange]
    """Exchanges that can never be stored, the newest first."""

    waiting: int
    """How many wait."""


@dataclass(frozen=True, kw_only=True)
class Pending:
    """A question of the assistant that was waiting for an answer."""

    asked_at: datetime
    """When it was asked."""

    entry_id: str
    """The entry that asks."""


@dataclass(frozen=True, kw_only=True)
class Pin:
    """What to do with the pin of a fact."""

    pinned: bool | None = None
    """Whether it is to be pinned; true if absent."""


@dataclass(frozen=True, kw_only=True)
class Problem:
    """Why a request was refused (RFC 9457)."""

    detail: str
    """What was wrong with this request, and what would be right."""

    kind: ProblemKind
    """The kind, for programs."""

    status: int
    """The HTTP status."""

    title: str
    """The kind in words."""

    type: str
    """Names the kind of problem."""


@dataclass(frozen=True, kw_only=True)
class ProfileValue:
    """The present value of one matter."""

    fact_id: str
    """The fact that says so."""

    key: str
    """Which matter."""

    mentioned_at: datetime
    """When it was last mentioned."""

    value: str
    """Its present value."""


@dataclass(frozen=True, kw_only=True)
class Prompt:
    """The current and the last conversations as text for a model."""

    prompt: str
    """The text; empty if there is nothing to tell."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question to a memory."""

    query: str
    """The question, in words."""

    after: Time | None = None
    """Only what was said at this time or later."""

    as_of: Time | None = None
    """As the memory stood at this time."""

    asked_at: Time | None = None
    """When it is asked: "last week" counts from here. Now if absent."""

    before: Time | None = None
    """Only what was said before this time."""

    budget_tokens: int | None = None
    """Tokens the briefing may have; 1000 if absent."""

    explain: bool | None = None
    """Say what spoke for each item."""

    kinds: list[Literal["entry", "conversation", "fact", "chapter", "summary"]] | None = None
    """Only these kinds; all if absent."""

    limit: int | None = None
    """So many items and so many conversations; 10 if absent."""

    period: Literal["boost", "filter", "ignore"] | None = None
    """What to do with a period the question names: `boost` (the default) puts it first, `filter` leaves everything
    else out, `ignore` takes its words as words.
    """

    roles: list[Role] | None = None
    """Only what one of these roles said."""

    tags: list[str] | None = None
    """Only what has one of these tags."""


@dataclass(frozen=True, kw_only=True)
class Recollection(RecollectionBehaviour):
    """What a memory has to say to a question."""

    briefing: str
    """The items as text for a model: dated, oldest first, with a timeline."""

    chapters: list[FoundChapter]
    """Chapters, best first."""

    conversations: list[FoundConversation]
    """Conversations, best first."""

    facts: list[FoundFact]
    """Facts, best first. One that was replaced is there only if the question names a time in which it held, or asks as
    of one.
    """

    items: list[FoundEntry]
    """Entries, best first."""

    nothing_in_period: bool
    """Nothing was said in that stretch; what is here lies outside."""

    summaries: list[FoundSummary]
    """Summaries of conversations, best first; none as of an earlier time."""

    words_alone: bool
    """The embedder did not answer; what is here was found by words and time alone."""

    about: AboutTime | None = None
    """How time in the question was read; absent if it names none."""


@dataclass(frozen=True, kw_only=True)
class Regenerating:
    """What is being made anew."""

    conversations: int
    """So many conversations become facts and titles again; chapters and summaries follow."""


@dataclass(frozen=True, kw_only=True)
class Removed:
    """What was removed for good."""

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
    """A job that waits again."""

    id: str
    """Its id."""


@dataclass(frozen=True, kw_only=True)
class RollingSummary:
    """One version of the summary of a whole memory."""

    chapters: int
    """How many chapters are in it."""

    creation_time: datetime
    """When it was stored."""

    text: str
    """The text."""

    through: datetime
    """The conversation_time of the last entry it tells of."""

    version: int
    """From 1; the highest is current."""

    written_by: str
    """Who wrote it: `llm`, or `extractive` if it was chosen without a model."""


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
    """A job that was given up."""

    conversation_id: str | None
    """The id of the conversation it is about, if it is about one."""

    due_at: datetime
    """When it was last due."""

    id: str
    """Its id."""

    kind: str
    """What it does."""

    last_error: str | None
    """What went wrong the last time."""

    memory: str
    """The id of its memory."""

    tries: int
    """How often it was tried."""

    vault: str
    """The id of its vault."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """The rules of a vault."""

    conversationIdleTimeoutMinutes: int
    """A longer pause ends a conversation."""

    conversationStateTimeoutMinutes: int
    """A question of the assistant waits so long for its answer."""

    maxConversationsRetained: int
    """So many ended conversations stay in lists."""

    retention: RetentionName
    """What becomes of ended conversations beyond that."""

    lifecycle: Lifecycle | None = None
    """The preset for the timers of conversations, if one was chosen."""


@dataclass(frozen=True, kw_only=True)
class Settled:
    """Jobs that were done."""

    done: int
    """How many."""

    due: int
    """How many more are due now."""


@dataclass(frozen=True, kw_only=True)
class SignalShare:
    """How much one signal gave."""

    share: float
    """What it added to the score."""

    signal: str
    """The signal."""

    value: float
    """How strong it was."""

    lane: str | None = None
    """The lane it comes from: `words`, `meaning` or `when`; absent where it joins all."""


@dataclass(frozen=True, kw_only=True)
class Standing:
    """How the server stands."""

    status: str
    """`ok`, or `degraded`: it serves, but something needs a look."""

    detail: str | None = None
    """What is degraded."""


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
    """When a reply began whose text is not settled yet."""


@dataclass(frozen=True, kw_only=True)
class TimelineLine(TextBehaviour):
    """One dated line."""

    conversation_id: str
    """The conversation: the caller's own name for it, else its id."""

    conversation_time: datetime
    """When it was said."""

    date: date
    """The day it was said, in the vault's zone."""

    entry_id: str
    """The entry it stands for."""

    event: str
    """What was said, shortened."""

    gap: str | None
    """Days since the line before; null on the same day and on the first line."""

    text: str
    """The line as text."""


@dataclass(frozen=True, kw_only=True)
class Usage:
    """What a vault used of the language model."""

    data: list[UsageRow]
    """By day, model and purpose."""

    total: UsageTotal
    """All together."""


@dataclass(frozen=True, kw_only=True)
class UsageTotal:
    """Counts, tokens and cost."""

    cached: int
    """How often its answer was known already, and cost nothing."""

    calls: int
    """How often the model was asked."""

    cost: float
    """The price, in the currency of the configured prices."""

    input_tokens: int
    """Tokens read."""

    output_tokens: int
    """Tokens written."""


@dataclass(frozen=True, kw_only=True)
class Vault:
    """A vault: one owner's memories, kept apart from all others."""

    creation_time: datetime
    """When it was made."""

    id: str
    """Its id."""

    name: str
    """Its name, unique on this server."""

    settings: Settings
    """Its rules."""

    zone: str
    """IANA time zone in which its days begin and end."""

    description: str | None = None
    """What it is for."""


@dataclass(frozen=True, kw_only=True)
class VaultPatch:
    """What to change about a vault; what is absent stays."""

    description: str | None = None
    """A new description, of at most 2,000 characters."""

    name: str | None = None
    """A new name."""

    settings: NewSettings | None = None
    """New rules; they hold for what comes, not for what is."""

    zone: str | None = None
    """A new zone; times stay, days move."""


@dataclass(frozen=True, kw_only=True)
class ConversationDetail(Conversation):
    """A conversation with its entries and branches."""

    activities: list[Activity]
    """When models and tools were at work, in the order they began."""

    branches: list[Branch]
    """What forks put aside."""

    conversation_time: ConversationTime | None
    """How much of it was working and how much was waiting."""

    entries: list[Entry]
    """Its entries in force, oldest first."""


@dataclass(frozen=True, kw_only=True)
class MadeKey(Key):
    """A key that was just made."""

    key: str
    """Its text. Keep it: it is shown this once."""


@dataclass(frozen=True, kw_only=True)
class UsageRow(UsageTotal):
    """What a vault used on one day, with one model, for one purpose."""

    day: date
    """The day, in UTC."""

    model: str
    """The model."""

    purpose: str
    """What for."""
