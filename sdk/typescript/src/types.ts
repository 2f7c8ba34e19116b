// The API's types. Generated from openapi.json by tools/sdk/generate; do not edit.

/** A time that is sent: a Date, or RFC 3339 text with an offset. Times that come back are RFC 3339 in UTC. */
export type Time = Date | string;

/** A stretch of time as the question names it. */
export interface AboutTime {
  /** Which of several, counted from the first or the last. */
  order?: OrderTold | null | undefined;
  /** The first instant of it; absent if it has no beginning. */
  since?: string | null | undefined;
  /** The first instant after it; absent if it has no end. */
  until?: string | null | undefined;
  /** The words it was read from. */
  words: string[];
}

/** A stretch in which a model or a tool was at work. */
export interface Activity {
  /** When it began. */
  began_at: Time;
  /** Who. */
  kind: ActivityKind;
  /** How long it took, in milliseconds, by a clock that only goes forward; at most a day. */
  lasted_ms: number;
  /** Which model or tool. */
  name?: string | null | undefined;
}

/** Who was at work. */
export type ActivityKind = "model" | "tool";

/** Entries to remember in one durable write: all of them, or none. */
export interface Batch {
  /** The entries, at most 1000. */
  entries: NewEntry[];
}

/** Stored entries, in the order they were sent. */
export interface BatchReceipt {
  /** One for every entry. */
  entries: EntryReceipt[];
  /** The assistant's question that waited for the first user entry among them. */
  pending?: Pending | null | undefined;
}

/** Entries that a fork put aside. */
export interface Branch {
  /** When the fork happened. */
  archived_at: string;
  /** Its id; ask for its entries with `?branch=`. */
  id: string;
  /** How many entries it holds. */
  message_count: number;
}

/** What a run of entries was about. */
export interface Chapter {
  /** When it was stored. */
  creation_time: string;
  /** Names that occur in it. */
  entities: string[];
  /** How many entries it tells of. */
  entry_count: number;
  /** Its id. */
  id: string;
  /** Words that stand for it. */
  key_phrases: string[];
  /** The conversation_time of its last entry. */
  last_at: string;
  /** The conversation_time of its first entry. */
  started_at: string;
  /** What it was about. */
  text: string;
  /** A title. */
  title: string;
  /** Who wrote it: `llm`, or `extractive` if it was chosen without a model. */
  written_by: string;
}

/** A chat that the proxy recognised: one of many of the same person. */
export interface Chat {
  /** Whether a signature proved it. */
  signed: boolean;
  /** The user who speaks in it, if a request said so. */
  user?: string | null | undefined;
}

/** One version of a memory's context document. */
export interface Context {
  /** The text. */
  content: string;
  /** The time up to which it tells the story. */
  conversation_time: string;
  /** When it was stored. */
  creation_time: string;
  /** Its id. */
  id: string;
  /** From 1; the highest is current. */
  version: number;
  /** Who wrote it: `agent`, or, from what is known, `extractive` or `llm`. */
  written_by: string;
}

/** A run of entries, bounded by a pause or by a word. */
export interface Conversation {
  /** Since when it has left lists. */
  archived_at?: string | null | undefined;
  /** Why somebody ended it. */
  end_reason?: string | null | undefined;
  /** When it ended; null while it is open. */
  ended_at: string | null;
  /** How it ended; null while it is open. */
  ended_by: EndedBy | null;
  /** Its id. */
  id: string;
  /** When its last entry was said. */
  last_at: string;
  /** How many entries it holds; corrected ones and those on branches do not count. */
  message_count: number;
  /** The name it has in the caller's own source. */
  source_id?: string | null | undefined;
  /** When its first entry was said. */
  started_at: string;
  /** `active` while it is talked in; `cooling` once it has fallen silent, and until its facts are kept; `dormant` when it is over; `closed` a while later. In lists and where one is asked for. */
  state?: string | null | undefined;
  /** What it was about, in two or three sentences; null until it has ended and been summarized. */
  summary: string | null;
  /** Who wrote title and summary: `extractive` chose them from the conversation, without a model; `source` brought them along in an import. */
  summary_by: string | null;
  /** What it was about, in five to eight words; null until it has ended and been summarized. */
  title: string | null;
}

/** A conversation with its entries and branches. */
export interface ConversationDetail extends Conversation {
  /** When models and tools were at work, in the order they began. */
  activities: Activity[];
  /** What forks put aside. */
  branches: Branch[];
  /** How much of it was working and how much was waiting. */
  conversation_time: ConversationTime | null;
  /** Its entries in force, oldest first. */
  entries: Entry[];
}

/** How much of a conversation was working and how much was waiting. */
export interface ConversationTime {
  /** Nobody recorded activities, so that `conversation_active_ms` says nothing. */
  active_unknown: boolean;
  /** Milliseconds in which a model or tool was at work; overlaps count once. */
  conversation_active_ms: number;
  /** Milliseconds from start to end. */
  conversation_elapsed_ms: number;
  /** The last entry before it was over; without one, when it was over. */
  conversation_end_at: string;
  /** The other milliseconds. */
  conversation_idle_ms: number;
  /** The first entry or the first activity, whichever is earlier. */
  conversation_start_at: string;
  /** Entries of user and assistant. */
  conversation_turns: number;
}

/** Which entry to read instead, and since when. */
export interface CorrectedBy {
  /** When the correction was stored. */
  at: string;
  /** The entry to read instead. */
  entry_id: string;
}

/** Which entry is corrected, and why. */
export interface Corrects {
  /** The corrected entry. */
  entry_id: string;
  /** Why. */
  reason: string;
}

/** What a look at the whole server found. */
export interface Doctor {
  /** Background work. */
  jobs: Jobs;
  /** Exchanges of the proxy that wait to be stored; absent where there is no outbox. */
  outbox?: Outbox | null | undefined;
  /** What is wrong with the store; empty if nothing is. */
  problems: string[];
  /** The server's version. */
  version: string;
}

/** Which conversation to end, and why. */
export interface EndConversation {
  /** The conversation: the caller's own name for it, or its id; the active one if absent. */
  conversation_id?: string | null | undefined;
  /** Why it ends, in at most 2,000 characters. */
  reason?: string | null | undefined;
}

/** How a conversation ended: `idle` if it fell silent, `caller` if somebody ended it. */
export type EndedBy = "idle" | "caller";

/** One thing said, with when it was said and when it was stored. */
export interface Entry {
  /** The branch that a fork put it on. */
  branch_id?: string | null | undefined;
  /** What was said. */
  content: string;
  /** The conversation it belongs to: the caller's own name for it, else its id. */
  conversation_id: string;
  /** When it was said. */
  conversation_time: string;
  /** The entry that corrects this one. */
  corrected_by?: CorrectedBy | null | undefined;
  /** The entry this one corrects. */
  corrects?: Corrects | null | undefined;
  /** When it was stored. */
  creation_time: string;
  /** Its id. */
  id: string;
  /** Whether the assistant asked something here. */
  is_question?: boolean | undefined;
  /** The caller's own JSON object. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Who spoke. */
  role: Role;
  /** Its place in the memory's order of arrival. */
  sequence: number;
  /** The speaker's name. */
  speaker?: string | null | undefined;
  /** The caller's own short version. */
  summary?: string | null | undefined;
  /** Labels. */
  tags?: string[] | undefined;
  /** Tools the assistant used while saying it. */
  tools_used?: string[] | undefined;
}

/** One stored entry. */
export interface EntryReceipt {
  /** The conversation it fell into: the caller's own name for it, else its id. */
  conversation_id: string;
  /** When it was said. */
  conversation_time: string;
  /** When it was stored. */
  creation_time: string;
  /** Its id. */
  id: string;
  /** The assistant's question that waited for this entry. */
  pending?: Pending | null | undefined;
  /** Its place in the memory's order of arrival. */
  sequence: number;
}

/** One dated statement, with what it rests on. */
export interface Fact {
  /** Whether the vault believes it now. */
  current: boolean;
  /** When it happened, if the words say so. */
  event: FactPeriod | null;
  /** The entries it rests on. */
  evidence: FactEvidence[];
  /** When it is true in the world. */
  holds: FactPeriod;
  /** Its id. */
  id: string;
  /** When the vault believed it. */
  known: KnownPeriod;
  /** When it was last mentioned. */
  last_mentioned_at: string;
  /** The one value it states, if it states one. */
  matter: FactMatter | null;
  /** When it was first mentioned. */
  mentioned_at: string;
  /** Whether it is pinned. */
  pinned: boolean;
  /** `confirmed` if the user said it in these words, else `inferred`. */
  source: string;
  /** The statement alone. */
  statement: string;
  /** The fact that took its place. */
  superseded_by: string | null;
  /** The fact whose place it took. */
  supersedes: string | null;
  /** What it is about. */
  tags: string[];
  /** The statement with the day it was first mentioned, in the vault's zone. */
  text: string;
  /** Who wrote it: `llm`, or `extractive` if it was chosen without a model. */
  written_by: string;
}

/** A piece of an entry. */
export interface FactEvidence {
  /** Where it ends. */
  end: number;
  /** The entry. */
  entry_id: string;
  /** Where the piece begins, in bytes of the content. */
  start: number;
}

/** A matter with one value at a time. */
export interface FactMatter {
  /** Which. */
  key: string;
  /** Its value. */
  value: string;
}

/** A stretch of time, half-open; an end that is null is open. */
export interface FactPeriod {
  /** How exactly the ends are known: `minute`, `day`, `month` or `year`. */
  precision: string;
  /** First instant inside. */
  since: string | null;
  /** First instant after. */
  until: string | null;
}

/** What is believed now, as text for a model. */
export interface FactsText {
  /** Facts under the months they were mentioned in; pinned ones first. */
  text: string;
}

/** A period of a memory to forget for good; at least one end must be given. */
export interface Forget {
  /** Forget what was said at this time or later. */
  after?: Time | null | undefined;
  /** Forget what was said before this time. */
  before?: Time | null | undefined;
  /** The memory, by id or name. */
  memory: string;
}

/** Where to fork. */
export interface Fork {
  /** The entry after which everything is put on a branch. */
  after: string;
}

/** What a fork put aside. */
export interface Forked {
  /** The branch. */
  branch_id: string;
  /** How many entries it holds. */
  message_count: number;
}

/** A chapter that was found. */
export interface FoundChapter {
  /** The chapter. */
  chapter: Chapter;
  /** What spoke for it, where an explanation was asked for. */
  reasons?: SignalShare[] | undefined;
  /** How well it answers; comparable among the chapters of one recollection only. */
  score: number;
}

/** A conversation that was found. */
export interface FoundConversation {
  /** The conversation. */
  conversation: Conversation;
  /** The name of its memory. */
  memory: string;
  /** What spoke for it, where an explanation was asked for. */
  reasons?: SignalShare[] | undefined;
  /** How well it answers; comparable inside one recollection only. */
  score: number;
}

/** An entry that was found. */
export interface FoundEntry {
  /** The entry. */
  entry: Entry;
  /** The name of its memory. */
  memory: string;
  /** It was said outside the stretch the question asks about. */
  outside: boolean;
  /** What spoke for it, where an explanation was asked for. */
  reasons?: SignalShare[] | undefined;
  /** How well it answers; comparable inside one recollection only. */
  score: number;
}

/** A fact that was found. */
export interface FoundFact {
  /** The fact. */
  fact: Fact;
  /** What spoke for it, where an explanation was asked for. */
  reasons?: SignalShare[] | undefined;
  /** How well it answers; comparable among the facts of one recollection only. */
  score: number;
}

/** The summary of a conversation that was found. */
export interface FoundSummary {
  /** The conversation it tells of, with its title, its summary and who wrote them. */
  conversation: Conversation;
  /** The name of its memory. */
  memory: string;
  /** What spoke for it, where an explanation was asked for. */
  reasons?: SignalShare[] | undefined;
  /** How well it answers; comparable among the summaries of one recollection only. */
  score: number;
}

/** What an import brought in. */
export interface Imported {
  /** How many branches they left. */
  branch_count: number;
  /** The conversation's name in its source. */
  conversation_id: string;
  /** How many entries came in; those that were here before do not count. */
  message_count: number;
}

/** Entries that a fork had put aside in another system. */
export interface ImportedBranch {
  /** When the fork happened. */
  archived_at: Time;
  /** What it put aside. */
  entries: ImportedEntry[];
}

/** A conversation as another system kept it. */
export interface ImportedConversation {
  /** What forks had put aside there. */
  branches?: ImportedBranch[] | null | undefined;
  /** Its name there. */
  conversation_id: string;
  /** When somebody ended it there; null if nobody did. No conversation ends before its last entry, and one that fell silent long ago has ended anyway. */
  ended_at?: Time | null | undefined;
  /** What was said in it; with its branches at least one entry, at most 10,000. */
  entries: ImportedEntry[];
  /** Its summary there; kept if the conversation has ended. */
  summary?: string | null | undefined;
  /** Its title there; kept if the conversation has ended. */
  title?: string | null | undefined;
}

/** Something said, as another system kept it. */
export interface ImportedEntry {
  /** What was said. */
  content: string;
  /** When it was said. */
  conversation_time: Time;
  /** A JSON object of the caller's own, at most 64 KiB as text. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Who spoke. */
  role: Role;
  /** The speaker's name, where there are several. */
  speaker?: string | null | undefined;
  /** Labels, at most 64. */
  tags?: string[] | null | undefined;
  /** Tools the assistant used while saying it, at most 64. */
  tools_used?: string[] | null | undefined;
}

/** Background work. */
export interface Jobs {
  /** Jobs that failed too often and will not be tried again unless somebody says so. */
  set_aside: SetAsideJob[];
  /** How many jobs wait for their time or are being done. */
  waiting: number;
}

/** A key, without its text. */
export interface Key {
  /** When it was made. */
  creation_time: string;
  /** From when on it is rejected. */
  expires_at?: string | null | undefined;
  /** Its id. */
  id: string;
  /** What it is for. */
  label?: string | null | undefined;
  /** When it was last used, to about a minute. */
  last_used_at?: string | null | undefined;
  /** What it allows. */
  scope: ScopeName;
  /** Whether user headers sent with it are believed. */
  trusted: boolean;
  /** The id of the vault it is for. */
  vault: string;
}

/** When the vault believed something. */
export interface KnownPeriod {
  /** When it was stored. */
  since: string;
  /** When the vault learned better; null if it has not. Equal to `since` for old news that came late. */
  until: string | null;
}

/** Timers of conversations for a kind of relationship: silence until they cool, from then until they end, and from then until they are closed. `daily-checkin`: 2 hours, 30 minutes, 7 days; `weekly-therapy`: 24 hours, 6 hours, 90 days; `on-demand`: 30 minutes, 15 minutes, 30 days; `long-term`: 12 hours, 6 hours, 365 days. */
export type Lifecycle = "daily-checkin" | "weekly-therapy" | "on-demand" | "long-term";

/** A preset, or `vault` for the vault's rules. */
export type LifecycleChoice = "daily-checkin" | "weekly-therapy" | "on-demand" | "long-term" | "vault";

/** A key that was just made. */
export interface MadeKey extends Key {
  /** Its text. Keep it: it is shown this once. */
  key: string;
}

/** A memory: one continuing relationship, such as a chat, a project or a person. */
export interface Memory {
  /** Whose chat it is; absent for a memory that somebody named. */
  chat?: Chat | null | undefined;
  /** When it was made. */
  creation_time: string;
  /** What it is for. */
  description?: string | null | undefined;
  /** Its id. */
  id: string;
  /** When something was last stored in it. */
  last_activity: string;
  /** The preset for its conversations, if it has one of its own. */
  lifecycle?: Lifecycle | null | undefined;
  /** Its name, unique in the vault. */
  name: string;
}

/** What to change about a memory; what is absent stays. */
export interface MemoryPatch {
  /** A new description, of at most 2,000 characters. */
  description?: string | null | undefined;
  /** A preset for its conversations from now on; `vault` for the vault's rules. */
  lifecycle?: LifecycleChoice | null | undefined;
  /** A new name. */
  name?: string | null | undefined;
}

/** Activities to record. */
export interface NewActivities {
  /** One for each try of a call; a pause between two tries is waiting. */
  activities: Activity[];
}

/** A version to store. */
export interface NewContext {
  /** The text. */
  content: string;
  /** The time up to which it tells the story; now if absent, never the future. */
  conversation_time?: Time | null | undefined;
}

/** What an entry should have said. */
export interface NewCorrection {
  /** What should have been said. */
  content: string;
  /** Why. */
  reason: string;
}

/** Something to remember. */
export interface NewEntry {
  /** Accept a `conversation_time` in the future. */
  allow_future?: boolean | null | undefined;
  /** What was said. */
  content: string;
  /** The conversation it belongs to: the caller's own name for it, or the id of one that exists. Found by `conversation_time` if absent. */
  conversation_id?: string | null | undefined;
  /** When it was said; now if absent. More than a minute in the future is refused unless `allow_future` is true. */
  conversation_time?: Time | null | undefined;
  /** Whether the assistant asks something here and waits for the answer. */
  is_question?: boolean | null | undefined;
  /** A JSON object of the caller's own, at most 64 KiB as text. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Who spoke. */
  role: Role;
  /** The speaker's name, where there are several. */
  speaker?: string | null | undefined;
  /** The caller's own short version. */
  summary?: string | null | undefined;
  /** Labels, at most 64. */
  tags?: string[] | null | undefined;
  /** Tools the assistant used while saying it, at most 64. */
  tools_used?: string[] | null | undefined;
}

/** A key to make. */
export interface NewKey {
  /** From when on it is rejected. Without this it does not expire. */
  expires_at?: Time | null | undefined;
  /** What it is for. */
  label?: string | null | undefined;
  /** What it allows; `write` unless another is named. */
  scope?: ScopeName | null | undefined;
  /** Whether user headers sent with it (`x-openwebui-user-id` and the like) are believed. */
  trusted?: boolean | null | undefined;
  /** The vault it is for, by id or name. */
  vault: string;
}

/** A memory to make. */
export interface NewMemory {
  /** What it is for. */
  description?: string | null | undefined;
  /** A preset for its conversations; the vault's rules if absent. */
  lifecycle?: Lifecycle | null | undefined;
  /** Its name. */
  name: string;
}

/** Rules to set; those absent stay as they are. */
export interface NewSettings {
  /** A longer pause ends a conversation. */
  conversationIdleTimeoutMinutes?: number | null | undefined;
  /** A question of the assistant waits so long for its answer. */
  conversationStateTimeoutMinutes?: number | null | undefined;
  /** A preset for when conversations cool, end and close; an idle timeout beside it wins. */
  lifecycle?: Lifecycle | null | undefined;
  /** So many ended conversations stay in lists. */
  maxConversationsRetained?: number | null | undefined;
  /** What becomes of ended conversations beyond that. */
  retention?: RetentionName | null | undefined;
}

/** When one text was said. */
export interface NewTextTime {
  /** When it was said. */
  conversation_time: Time;
  /** SHA-256 of the text. */
  text_hash: string;
}

/** Times to take in. */
export interface NewTextTimes {
  /** When a reply began whose text is not settled yet. */
  reply_began?: Time | null | undefined;
  /** At most 10,000. */
  texts: NewTextTime[];
}

/** A vault to make. */
export interface NewVault {
  /** What it is for, in at most 2,000 characters. */
  description?: string | null | undefined;
  /** Its name. */
  name: string;
  /** Its rules; the server's defaults where absent. */
  settings?: NewSettings | null | undefined;
  /** Where its days begin and end; the server's default if absent. */
  zone?: string | null | undefined;
}

/** Some of several in the order of time: "the first time", "our last two conversations". */
export interface OrderTold {
  /** The first that is meant, counted from 1. */
  first: number;
  /** From which side: `first` or `last`. */
  from: string;
  /** The last that is meant. */
  last: number;
  /** What is counted: `conversations`, or `matches` of the rest of the question. */
  of: string;
}

/** Exchanges of the proxy that wait to be stored. */
export interface Outbox {
  /** Bytes in use. */
  bytes: number;
  /** Why the outbox cannot be written, if it cannot. */
  failure: string | null;
  /** Bytes that may be used. */
  max_bytes: number;
  /** When the oldest that waits was accepted. */
  oldest: string | null;
  /** Exchanges that can never be stored, the newest first. */
  set_aside: SetAsideExchange[];
  /** How many wait. */
  waiting: number;
}

/** A question of the assistant that was waiting for an answer. */
export interface Pending {
  /** When it was asked. */
  asked_at: string;
  /** The entry that asks. */
  entry_id: string;
}

/** What to do with the pin of a fact. */
export interface Pin {
  /** Whether it is to be pinned; true if absent. */
  pinned?: boolean | null | undefined;
}

/** Why a request was refused (RFC 9457). */
export interface Problem {
  /** What was wrong with this request, and what would be right. */
  detail: string;
  /** The kind, for programs. */
  kind: ProblemKind;
  /** The HTTP status. */
  status: number;
  /** The kind in words. */
  title: string;
  /** Names the kind of problem. */
  type: string;
}

/** Kinds of problems. */
export type ProblemKind = "invalid" | "unauthenticated" | "denied" | "not_found" | "method_not_allowed" | "conflict" | "too_large" | "unsupported_media_type" | "timeout" | "busy" | "unavailable" | "damaged";

/** The present value of one matter. */
export interface ProfileValue {
  /** The fact that says so. */
  fact_id: string;
  /** Which matter. */
  key: string;
  /** When it was last mentioned. */
  mentioned_at: string;
  /** Its present value. */
  value: string;
}

/** The current and the last conversations as text for a model. */
export interface Prompt {
  /** The text; empty if there is nothing to tell. */
  prompt: string;
}

/** A question to a memory. */
export interface Question {
  /** Only what was said at this time or later. */
  after?: Time | null | undefined;
  /** As the memory stood at this time. */
  as_of?: Time | null | undefined;
  /** When it is asked: "last week" counts from here. Now if absent. */
  asked_at?: Time | null | undefined;
  /** Only what was said before this time. */
  before?: Time | null | undefined;
  /** Tokens the briefing may have; 1000 if absent. */
  budget_tokens?: number | null | undefined;
  /** Say what spoke for each item. */
  explain?: boolean | null | undefined;
  /** Only these kinds; all if absent. */
  kinds?: ("entry" | "conversation" | "fact" | "chapter" | "summary")[] | null | undefined;
  /** So many items and so many conversations; 10 if absent. */
  limit?: number | null | undefined;
  /** What to do with a period the question names: `boost` (the default) puts it first, `filter` leaves everything else out, `ignore` takes its words as words. */
  period?: "boost" | "filter" | "ignore" | null | undefined;
  /** The question, in words. */
  query: string;
  /** Only what one of these roles said. */
  roles?: Role[] | null | undefined;
  /** Only what has one of these tags. */
  tags?: string[] | null | undefined;
}

/** What a memory has to say to a question. */
export interface Recollection {
  /** How time in the question was read; absent if it names none. */
  about?: AboutTime | null | undefined;
  /** The items as text for a model: dated, oldest first, with a timeline. */
  briefing: string;
  /** Chapters, best first. */
  chapters: FoundChapter[];
  /** Conversations, best first. */
  conversations: FoundConversation[];
  /** Facts, best first. One that was replaced is there only if the question names a time in which it held, or asks as of one. */
  facts: FoundFact[];
  /** Entries, best first. */
  items: FoundEntry[];
  /** Nothing was said in that stretch; what is here lies outside. */
  nothing_in_period: boolean;
  /** Summaries of conversations, best first; none as of an earlier time. */
  summaries: FoundSummary[];
  /** The embedder did not answer; what is here was found by words and time alone. */
  words_alone: boolean;
}

/** What is being made anew. */
export interface Regenerating {
  /** So many conversations become facts and titles again; chapters and summaries follow. */
  conversations: number;
}

/** What was removed for good. */
export interface Removed {
  /** Versions of context documents. */
  contexts: number;
  /** Conversations. */
  conversations: number;
  /** Entries. */
  entries: number;
  /** Facts. */
  facts: number;
  /** Jobs. */
  jobs: number;
  /** Keys. */
  keys: number;
  /** Memories. */
  memories: number;
  /** Vaults. */
  vaults: number;
}

/** What becomes of ended conversations beyond the number retained: `archive` takes them out of lists, `delete` removes them for good. */
export type RetentionName = "archive" | "delete";

/** A job that waits again. */
export interface Retried {
  /** Its id. */
  id: string;
}

/** Who speaks. */
export type Role = "user" | "assistant" | "system" | "tool";

/** One version of the summary of a whole memory. */
export interface RollingSummary {
  /** How many chapters are in it. */
  chapters: number;
  /** When it was stored. */
  creation_time: string;
  /** The text. */
  text: string;
  /** The conversation_time of the last entry it tells of. */
  through: string;
  /** From 1; the highest is current. */
  version: number;
  /** Who wrote it: `llm`, or `extractive` if it was chosen without a model. */
  written_by: string;
}

/** What a key allows. Each scope includes the ones before it. */
export type ScopeName = "read" | "write" | "admin";

/** An exchange that can never be stored. */
export interface SetAsideExchange {
  /** When it was accepted. */
  accepted_at: string;
  /** The memory it was for, by id or name, if that is known. */
  memory: string | null;
  /** Why it was set aside. */
  reason: string;
  /** The vault it was for, by id or name. */
  vault: string;
}

/** A job that was given up. */
export interface SetAsideJob {
  /** The id of the conversation it is about, if it is about one. */
  conversation_id: string | null;
  /** When it was last due. */
  due_at: string;
  /** Its id. */
  id: string;
  /** What it does. */
  kind: string;
  /** What went wrong the last time. */
  last_error: string | null;
  /** The id of its memory. */
  memory: string;
  /** How often it was tried. */
  tries: number;
  /** The id of its vault. */
  vault: string;
}

/** The rules of a vault. */
export interface Settings {
  /** A longer pause ends a conversation. */
  conversationIdleTimeoutMinutes: number;
  /** A question of the assistant waits so long for its answer. */
  conversationStateTimeoutMinutes: number;
  /** The preset for the timers of conversations, if one was chosen. */
  lifecycle?: Lifecycle | null | undefined;
  /** So many ended conversations stay in lists. */
  maxConversationsRetained: number;
  /** What becomes of ended conversations beyond that. */
  retention: RetentionName;
}

/** Jobs that were done. */
export interface Settled {
  /** How many. */
  done: number;
  /** How many more are due now. */
  due: number;
}

/** How much one signal gave. */
export interface SignalShare {
  /** The lane it comes from: `words`, `meaning` or `when`; absent where it joins all. */
  lane?: string | null | undefined;
  /** What it added to the score. */
  share: number;
  /** The signal. */
  signal: string;
  /** How strong it was. */
  value: number;
}

/** How the server stands. */
export interface Standing {
  /** What is degraded. */
  detail?: string | null | undefined;
  /** `ok`, or `degraded`: it serves, but something needs a look. */
  status: string;
}

/** When one text was said. */
export interface TextTime {
  /** When it was said. */
  conversation_time: string;
  /** SHA-256 of the text. */
  text_hash: string;
}

/** When texts were said, without the texts. */
export interface TextTimes {
  /** When a reply began whose text is not settled yet. */
  reply_began?: string | null | undefined;
  /** One for each text. */
  texts: TextTime[];
}

/** One dated line. */
export interface TimelineLine {
  /** The conversation: the caller's own name for it, else its id. */
  conversation_id: string;
  /** When it was said. */
  conversation_time: string;
  /** The day it was said, in the vault's zone. */
  date: string;
  /** The entry it stands for. */
  entry_id: string;
  /** What was said, shortened. */
  event: string;
  /** Days since the line before; null on the same day and on the first line. */
  gap: string | null;
  /** The line as text. */
  text: string;
}

/** What a vault used of the language model. */
export interface Usage {
  /** By day, model and purpose. */
  data: UsageRow[];
  /** All together. */
  total: UsageTotal;
}

/** What a vault used on one day, with one model, for one purpose. */
export interface UsageRow extends UsageTotal {
  /** The day, in UTC. */
  day: string;
  /** The model. */
  model: string;
  /** What for. */
  purpose: string;
}

/** Counts, tokens and cost. */
export interface UsageTotal {
  /** How often its answer was known already, and cost nothing. */
  cached: number;
  /** How often the model was asked. */
  calls: number;
  /** The price, in the currency of the configured prices. */
  cost: number;
  /** Tokens read. */
  input_tokens: number;
  /** Tokens written. */
  output_tokens: number;
}

/** A vault: one owner's memories, kept apart from all others. */
export interface Vault {
  /** When it was made. */
  creation_time: string;
  /** What it is for. */
  description?: string | null | undefined;
  /** Its id. */
  id: string;
  /** Its name, unique on this server. */
  name: string;
  /** Its rules. */
  settings: Settings;
  /** IANA time zone in which its days begin and end. */
  zone: string;
}

/** What to change about a vault; what is absent stays. */
export interface VaultPatch {
  /** A new description, of at most 2,000 characters. */
  description?: string | null | undefined;
  /** A new name. */
  name?: string | null | undefined;
  /** New rules; they hold for what comes, not for what is. */
  settings?: NewSettings | null | undefined;
  /** A new zone; times stay, days move. */
  zone?: string | null | undefined;
}
