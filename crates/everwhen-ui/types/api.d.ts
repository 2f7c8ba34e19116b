// The API's types. Generated from openapi.json by tools/sdk/generate; do not edit.

/** A time that is sent: a Date, or RFC 3339 text with an offset. Times that come back are RFC 3339 in UTC. */
export type Time = Date | string;

/** A period that the question names. */
export interface AboutTime {
  /** Which of several, counted from the first or the last one. */
  order?: PeriodOrder | null | undefined;
  /** Its first instant; absent if it is open. */
  since?: string | null | undefined;
  /** The first instant after it; absent if it is open. */
  until?: string | null | undefined;
  /** The words it was read from. */
  words: string[];
}

/** A period in which a model or a tool was working. */
export interface Activity {
  /** When it began. */
  began_at: Time;
  /** Whether it was a model or a tool. */
  kind: ActivityKind;
  /** How long it took, in milliseconds of a monotonic clock; at most a day. */
  lasted_ms: number;
  /** The name of the model or tool. */
  name?: string | null | undefined;
}

/** What was working. */
export type ActivityKind = "model" | "tool";

/** The backups that the server makes by itself. */
export interface BackupStatus {
  /** Number of backups there are. */
  count: number;
  /** Their directory. */
  directory: string;
  /** Seconds between two backups. */
  every_seconds: number;
  /** Number of backups that are kept. */
  keep: number;
  /** When the newest one was begun; null before the first one. */
  last_at: string | null;
  /** The size of the newest one in bytes. */
  last_bytes: number | null;
  /** When the next one is due; null if that is now. */
  next_at: string | null;
}

/** Entries to store in one durable write: all of them or none. */
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

/** Entries that a fork moved to a branch. */
export interface Branch {
  /** When the fork happened. */
  archived_at: string;
  /** The id; list its entries with `?branch=`. */
  id: string;
  /** Number of entries. */
  message_count: number;
}

/** Where a line of a briefing comes from: an entry or a fact. */
export interface BriefingLine {
  /** The entry that it shows. */
  entry_id?: string | null | undefined;
  /** The fact that it shows. */
  fact_id?: string | null | undefined;
  /** The line, counted from 0. */
  line: number;
}

/** The summary of a run of entries. */
export interface Chapter {
  /** When it was stored. */
  creation_time: string;
  /** Names that occur in it. */
  entities: string[];
  /** Number of entries it covers. */
  entry_count: number;
  /** The id. */
  id: string;
  /** Its key phrases. */
  key_phrases: string[];
  /** What it was written from: `written` from entries, `imported` from another system, `searchable` from another system and only to be searched for, `condensed` from several chapters. */
  kind: string;
  /** The conversation_time of its last entry. */
  last_at: string;
  /** SHA-256 of the last message it covers, if another system wrote it and says so. */
  last_message_hash?: string | null | undefined;
  /** What else its source says about it. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Where it was imported from, and how well `last_at` is known. */
  provenance?: Provenance | null | undefined;
  /** The conversation_time of its first entry. */
  started_at: string;
  /** The summary. */
  text: string;
  /** The title. */
  title: string;
  /** Who wrote it: `llm`, or `extractive` for the built-in rules. */
  written_by: string;
}

/** What an import of chapters did, or would do. */
export interface ChapterImport {
  /** Chapters that were stored already. */
  known: number;
  /** Chapters that the source no longer has. */
  removed: number;
  /** Chapters that are new or have changed. */
  stored: number;
  /** Whether the summary is new. */
  summary: boolean;
}

/** A chat that the proxy recognised: one of many of the same person. */
export interface Chat {
  /** Whether a signature verified the user. */
  signed: boolean;
  /** The user, if a request named one. */
  user?: string | null | undefined;
}

/** One version of a memory's context document. */
export interface Context {
  /** The text. */
  content: string;
  /** The time up to which it is complete. */
  conversation_time: string;
  /** When it was stored. */
  creation_time: string;
  /** The id. */
  id: string;
  /** From 1; the highest is current. */
  version: number;
  /** Who wrote it: `agent`, or, from facts and chapters, `extractive` (rules) or `llm`. */
  written_by: string;
}

/** A run of entries that ended after a pause or explicitly. */
export interface Conversation {
  /** When it was archived. */
  archived_at?: string | null | undefined;
  /** The reason given for ending it. */
  end_reason?: string | null | undefined;
  /** When it ended; null while it is open. */
  ended_at: string | null;
  /** How it ended; null while it is open. */
  ended_by: EndedBy | null;
  /** Number of facts that a model proposed and that nothing said in it supports. */
  facts_dropped?: number | undefined;
  /** The id. */
  id: string;
  /** When its last entry was said. */
  last_at: string;
  /** Number of entries, without corrected ones and those on branches. */
  message_count: number;
  /** What the language model wrote when it looked back at it. */
  retrospection?: Retrospection | null | undefined;
  /** Its name in the system it was imported from. */
  source_id?: string | null | undefined;
  /** When its first entry was said. */
  started_at: string;
  /** `active` while entries are added; `cooling` once it is idle, until its facts are stored; `dormant` when it has ended; `closed` a while later. Present in lists and in single responses. */
  state?: string | null | undefined;
  /** A summary of two or three sentences; null until it has ended and been summarized. */
  summary: string | null;
  /** Who wrote title and summary: `extractive` for the built-in rules, `llm` for a model, `source` for the system it was imported from. */
  summary_by: string | null;
  /** A title of five to eight words; null until it has ended and been summarized. */
  title: string | null;
}

/** A conversation with its entries and branches. */
export interface ConversationDetail extends Conversation {
  /** When models and tools were working, in the order they began. */
  activities: Activity[];
  /** Its branches. */
  branches: Branch[];
  /** How long it was active and how long it was idle. */
  conversation_time: ConversationTime | null;
  /** Its current entries, oldest first. */
  entries: Entry[];
}

/** How long a conversation was active and how long it was idle. */
export interface ConversationTime {
  /** No activities were recorded, so `conversation_active_ms` has no meaning. */
  active_unknown: boolean;
  /** Milliseconds in which a model or tool was working; overlaps count once. */
  conversation_active_ms: number;
  /** Milliseconds from start to end. */
  conversation_elapsed_ms: number;
  /** The time of the last entry before its end; without one, the end. */
  conversation_end_at: string;
  /** The remaining milliseconds. */
  conversation_idle_ms: number;
  /** The time of the first entry or activity. */
  conversation_start_at: string;
  /** Number of entries of user and assistant. */
  conversation_turns: number;
}

/** The entry that replaces this one, and since when. */
export interface CorrectedBy {
  /** When the correction was stored. */
  at: string;
  /** The entry that replaces this one. */
  entry_id: string;
}

/** The corrected entry, and the reason. */
export interface Corrects {
  /** The corrected entry. */
  entry_id: string;
  /** The reason for the correction. */
  reason: string;
}

/** How many entries there are over time. */
export interface Density {
  /** How many entries each part has. The parts have equal lengths from `after`, or the first time, to `before`, or the last. */
  counts: number[];
  /** The first time there is; null in a memory without entries. */
  first: string | null;
  /** The last time there is. */
  last: string | null;
}

/** The report of the doctor. */
export interface Doctor {
  /** The backups that the server makes by itself; absent where none are scheduled. */
  backup?: BackupStatus | null | undefined;
  /** Background jobs. */
  jobs: Jobs;
  /** Exchanges of the proxy that wait to be stored; absent where there is no outbox. */
  outbox?: Outbox | null | undefined;
  /** Problems of the store. */
  problems: string[];
  /** The server's version. */
  version: string;
  /** What needs attention though the store works: a clock that was wrong, background work that fails. */
  warnings: string[];
  /** The tasks that run background jobs; none where no worker runs. */
  worker: WorkerTaskStatus[];
}

/** Which conversation to end, and why. */
export interface EndConversation {
  /** The conversation: the caller's name for it, or its id; the active one if absent. */
  conversation_id?: string | null | undefined;
  /** Whether it is ended inside an exchange that is stored afterwards, as by an agent whose program stores the user's words together with the reply: then the next entry that is no reply, if it is stored within two minutes without a time and a conversation of its own, still belongs to it. */
  in_exchange?: boolean | null | undefined;
  /** The reason, at most 2,000 characters. */
  reason?: string | null | undefined;
}

/** How a conversation ended: `idle` after a pause, `caller` by a request. */
export type EndedBy = "idle" | "caller";

/** One thing said, with when it was said and when it was stored. */
export interface Entry {
  /** The branch that a fork moved it to. */
  branch_id?: string | null | undefined;
  /** What was said. */
  content: string;
  /** The conversation it belongs to: the caller's name for it, else its id. */
  conversation_id: string;
  /** When it was said. */
  conversation_time: string;
  /** The entry that corrects this one. */
  corrected_by?: CorrectedBy | null | undefined;
  /** The entry this one corrects. */
  corrects?: Corrects | null | undefined;
  /** When it was stored. */
  creation_time: string;
  /** The id. */
  id: string;
  /** Whether this is a question of the assistant. */
  is_question?: boolean | undefined;
  /** The memory it belongs to. */
  memory_id: string;
  /** The JSON object that the caller stored with it. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Where it was imported from, and how well its time is known. */
  provenance?: Provenance | null | undefined;
  /** The role of the speaker. */
  role: Role;
  /** Its position in the order in which entries were stored. */
  sequence: number;
  /** The speaker's name. */
  speaker?: string | null | undefined;
  /** The caller's short version of the text. */
  summary?: string | null | undefined;
  /** Tags. */
  tags?: string[] | undefined;
  /** Tools that the assistant used. */
  tools_used?: string[] | undefined;
  /** The vault of that memory. */
  vault_id: string;
}

/** What to change about an entry. What was said and when is changed by a correction. */
export interface EntryPatch {
  /** Its new tags, which replace those it has. */
  tags: string[];
}

/** One stored entry. */
export interface EntryReceipt {
  /** The conversation it belongs to: the caller's name for it, else its id. */
  conversation_id: string;
  /** When it was said. */
  conversation_time: string;
  /** When it was stored. */
  creation_time: string;
  /** The id. */
  id: string;
  /** The assistant's question that waited for this entry. */
  pending?: Pending | null | undefined;
  /** Its position in the order in which entries were stored. */
  sequence: number;
}

/** One dated statement with its evidence. */
export interface Fact {
  /** Whether the vault believes it now. */
  current: boolean;
  /** When it happened, if the statement says so. */
  event: FactPeriod | null;
  /** The entries that are its evidence. */
  evidence: FactEvidence[];
  /** When it is true in the world. */
  holds: FactPeriod;
  /** The id. */
  id: string;
  /** When the vault believed it. */
  known: KnownPeriod;
  /** When it was last mentioned. */
  last_mentioned_at: string;
  /** The property and value that it states, if it states one. */
  matter: FactMatter | null;
  /** When it was first mentioned. */
  mentioned_at: string;
  /** Whether it is pinned. */
  pinned: boolean;
  /** `critical` if it is pinned and confirmed, `important` if it is confirmed, else `info`. */
  priority: string;
  /** `confirmed` if the user said it literally, else `inferred`. */
  source: string;
  /** The statement without a date. */
  statement: string;
  /** The fact that supersedes it. */
  superseded_by: string | null;
  /** The fact that it supersedes. */
  supersedes: string | null;
  /** Its tags. */
  tags: string[];
  /** The statement with the day it was first mentioned, in the vault's zone. */
  text: string;
  /** Who wrote it: `llm`, `extractive` for the built-in rules, or `user` for the owner's correction. */
  written_by: string;
}

/** A part of an entry. */
export interface FactEvidence {
  /** End of the part. */
  end: number;
  /** The entry. */
  entry_id: string;
  /** Start of the part, in bytes of the content. */
  start: number;
}

/** A property that has one value at a time. */
export interface FactMatter {
  /** The name of the property. */
  key: string;
  /** Its value. */
  value: string;
}

/** A half-open period; an end that is null is open. */
export interface FactPeriod {
  /** How exactly the ends are known: `minute`, `day`, `month` or `year`. */
  precision: string;
  /** First instant of the period. */
  since: string | null;
  /** First instant after the period. */
  until: string | null;
}

/** A fact that was removed. */
export interface FactRemoved {
  /** Its id. */
  id: string;
}

/** The facts that are believed now, as text for a model. */
export interface FactsText {
  /** Facts grouped by the month they were mentioned in; pinned ones first. */
  text: string;
}

/** The answer to a command on files. */
export interface FileAnswer {
  /** Whether the command was refused. */
  is_error: boolean;
  /** The text for the model. */
  text: string;
}

/** A command of Anthropic's memory tool. */
export interface FileCommand {
  /** view: the files as they were at this time (RFC 3339) */
  as_of?: Time | null | undefined;
  /** The six commands. */
  command: "view" | "create" | "str_replace" | "insert" | "delete" | "rename";
  /** create: the text */
  file_text?: string | null | undefined;
  /** insert: after this line; 0 is the beginning */
  insert_line?: number | null | undefined;
  /** insert: the text */
  insert_text?: string | null | undefined;
  /** rename */
  new_path?: string | null | undefined;
  /** str_replace: the text in its place; nothing if absent */
  new_str?: string | null | undefined;
  /** rename */
  old_path?: string | null | undefined;
  /** str_replace: text that occurs once */
  old_str?: string | null | undefined;
  /** File or directory below /memories; for all but rename */
  path?: string | null | undefined;
  /** view: first and last line; -1 is the end */
  view_range?: number[] | null | undefined;
}

/** A period of a memory to forget permanently; at least one end must be given. */
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
  /** The last entry to keep; later entries move to a branch. */
  after: string;
}

/** The branch that a fork created. */
export interface Forked {
  /** The branch. */
  branch_id: string;
  /** Number of entries. */
  message_count: number;
}

/** A chapter that was found. */
export interface FoundChapter {
  /** The chapter. */
  chapter: Chapter;
  /** The score breakdown, if `explain` was set. */
  reasons?: SignalShare[] | undefined;
  /** The score; comparable only among the chapters of one recollection. */
  score: number;
}

/** A current context document that was found. */
export interface FoundContext {
  /** Its text. */
  content: string;
  /** The time up to which it is complete. */
  conversation_time: string;
  /** The memory it describes. */
  memory: string;
  /** The score breakdown, if `explain` was set. */
  reasons?: SignalShare[] | undefined;
  /** The score; comparable only among the context documents of one recollection. */
  score: number;
  /** Its version. */
  version: number;
}

/** A conversation that was found. */
export interface FoundConversation {
  /** The conversation. */
  conversation: Conversation;
  /** The name of its memory. */
  memory: string;
  /** The score breakdown, if `explain` was set. */
  reasons?: SignalShare[] | undefined;
  /** The score; comparable only within one recollection. */
  score: number;
}

/** An entry that was found. */
export interface FoundEntry {
  /** The entry. */
  entry: Entry;
  /** The name of its memory. */
  memory: string;
  /** It was said outside the period of the question. */
  outside: boolean;
  /** The score breakdown, if `explain` was set. */
  reasons?: SignalShare[] | undefined;
  /** The score; comparable only within one recollection. */
  score: number;
}

/** A fact that was found. */
export interface FoundFact {
  /** The fact. */
  fact: Fact;
  /** The score breakdown, if `explain` was set. */
  reasons?: SignalShare[] | undefined;
  /** The score; comparable only among the facts of one recollection. */
  score: number;
}

/** The summary of a conversation that was found. */
export interface FoundSummary {
  /** The conversation, with its title, its summary and who wrote them. */
  conversation: Conversation;
  /** The name of its memory. */
  memory: string;
  /** The score breakdown, if `explain` was set. */
  reasons?: SignalShare[] | undefined;
  /** The score; comparable only among the summaries of one recollection. */
  score: number;
}

/** Conversations of other systems, imported in one durable write. */
export interface ImportBatch {
  /** The conversations. */
  conversations: ImportedConversation[];
}

/** What became of one of several conversations. */
export interface ImportOutcome {
  /** New branches. */
  branches: number;
  /** The name of the conversation in its system. */
  conversation_id: string;
  /** Entries whose text had changed in their source. */
  corrected: number;
  /** Entries that were stored already. */
  known: number;
  /** Why it was refused. */
  problem?: string | null | undefined;
  /** New entries. */
  stored: number;
}

/** What became of several conversations. */
export interface ImportOutcomes {
  /** For each conversation, in the order of the request. */
  outcomes: ImportOutcome[];
}

/** What was found in a file. */
export interface ImportReport {
  /** Branches. */
  branches: number;
  /** Conversations with something said. */
  conversations: number;
  /** The first time. */
  first?: string | null | undefined;
  /** The last time. */
  last?: string | null | undefined;
  /** What was left out on purpose, by kind. */
  left_out: Record<string, unknown>;
  /** Messages, those on branches included. */
  messages: number;
  /** Messages by how precisely their time is known. */
  precision: Record<string, unknown>;
  /** What could not be read: the file, the place in it, and what to do. */
  problems: string[];
  /** Messages by what their time was taken from. */
  time_from: Record<string, unknown>;
  /** Messages without any time, which are left out. */
  undated: number;
  /** What a person should know. */
  warnings: string[];
}

/** An import of an uploaded file. */
export interface ImportRun {
  /** New branches. */
  branches: number;
  /** Entries whose text had changed in their source. */
  corrected: number;
  /** Whether nothing is stored. */
  dry_run: boolean;
  /** The name of the file. */
  file: string;
  /** What was found in the file, once it was read. */
  found?: ImportReport | null | undefined;
  /** Its id. */
  id: string;
  /** Entries that were stored already. */
  known: number;
  /** Messages that were read and stored, or found to be stored already. */
  messages: number;
  /** Why it failed. */
  problem?: string | null | undefined;
  /** Conversations that were not stored, and why. */
  refused: string[];
  /** When it began. */
  started_at: string;
  /** How far it is. */
  state: ImportStateName;
  /** New entries. */
  stored: number;
}

/** Imports, newest first. */
export interface ImportRuns {
  /** The imports. */
  data: ImportRun[];
}

/** How far an import is. */
export type ImportStateName = "running" | "done" | "cancelled" | "failed";

/** The result of an import. */
export interface Imported {
  /** Number of branches. */
  branch_count: number;
  /** The name of the conversation in that system. */
  conversation_id: string;
  /** Number of new entries; those that were already stored do not count. */
  message_count: number;
}

/** A branch of a conversation of another system. */
export interface ImportedBranch {
  /** When the fork happened. */
  archived_at: Time;
  /** The entries of the branch. */
  entries: ImportedEntry[];
}

/** A chapter as another system wrote it. */
export interface ImportedChapter {
  /** Names that occur in it. */
  entities?: string[] | null | undefined;
  /** Its key phrases. */
  key_phrases?: string[] | null | undefined;
  /** `imported`, or `searchable` if it is only to be searched for. */
  kind: string;
  /** When the last message it covers was said. */
  last_at: Time;
  /** SHA-256 of that message, by which it is recognised when a client sends it. */
  last_message_hash?: string | null | undefined;
  /** What else the source says about it: a JSON object, at most 64 KiB as text. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Its source, its id there (required), and how well `last_at` is known. A chapter with the same kind, source and id is replaced if it says something else. */
  provenance: Provenance;
  /** Its text. */
  text: string;
  /** Its title; made from the text if there is none. */
  title?: string | null | undefined;
}

/** Chapters and the summary of a memory, as another system wrote them. */
export interface ImportedChapters {
  /** The chapters, oldest first; at most 10,000. */
  chapters: ImportedChapter[];
  /** Whether these are all chapters of their kinds, so that others of the same source are removed. */
  complete?: boolean | null | undefined;
  /** The summary. */
  summary?: ImportedSummary | null | undefined;
}

/** A conversation of another system. */
export interface ImportedConversation {
  /** Its branches. */
  branches?: ImportedBranch[] | null | undefined;
  /** Its name in that system. */
  conversation_id: string;
  /** When it was ended explicitly; null if it was not. No conversation ends before its last entry, and one that has been idle for long has ended anyway. */
  ended_at?: Time | null | undefined;
  /** Its entries; together with its branches at least one and at most 10,000. */
  entries: ImportedEntry[];
  /** Its summary in that system; kept if the conversation has ended. */
  summary?: string | null | undefined;
  /** Its title in that system; kept if the conversation has ended. */
  title?: string | null | undefined;
}

/** An entry of another system. */
export interface ImportedEntry {
  /** What was said. */
  content: string;
  /** When it was said. */
  conversation_time: Time;
  /** Whether this is a question of the assistant that waits for an answer. */
  is_question?: boolean | null | undefined;
  /** Any JSON object of the caller, at most 64 KiB as text. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Where it comes from, and how well its time is known. An entry whose `source_id` is known in the memory is not stored again; if its text has changed, it is corrected. */
  provenance?: Provenance | null | undefined;
  /** The role of the speaker. */
  role: Role;
  /** The name of the speaker, if several people share the role. */
  speaker?: string | null | undefined;
  /** Tags, at most 64. */
  tags?: string[] | null | undefined;
  /** Tools that the assistant used, at most 64. */
  tools_used?: string[] | null | undefined;
}

/** The summary of a memory as another system wrote it. */
export interface ImportedSummary {
  /** The text. */
  text: string;
  /** The `source_id` of the last chapter that is in it. */
  through?: string | null | undefined;
}

/** Jobs of one kind that wait for the same reason. */
export interface JobGroup {
  /** Number of jobs. */
  count: number;
  /** What they do. */
  kind: string;
  /** The last error of that one, if they failed or were set aside. */
  last_error: string | null;
  /** When the first of them is due or tried again; absent for those that were set aside. */
  next_at: string | null;
  /** Why they wait. */
  reason: WaitReason;
}

/** Background jobs. */
export interface Jobs {
  /** The jobs by what they do and why they wait. */
  groups: JobGroup[];
  /** Jobs that failed too often, at most 1000 of them; they are not retried until requested. */
  set_aside: SetAsideJob[];
  /** Number of jobs that are scheduled or running. */
  waiting: number;
}

/** A key, without its text. */
export interface Key {
  /** When it was created. */
  creation_time: string;
  /** When it expires. */
  expires_at?: string | null | undefined;
  /** The id. */
  id: string;
  /** Its description. */
  label?: string | null | undefined;
  /** When it was last used, to about a minute. */
  last_used_at?: string | null | undefined;
  /** Its scope. */
  scope: ScopeName;
  /** Whether user headers sent with it are trusted. */
  trusted: boolean;
  /** The id of the vault it is for. */
  vault: string;
}

/** When the vault believed something. */
export interface KnownPeriod {
  /** When it was stored. */
  since: string;
  /** When it was superseded or retracted; null if it was not. Equal to `since` for an old statement that was stored late. */
  until: string | null;
}

/** Preset timers of conversations: idle time until they cool, from then until they end, and from then until they are closed. `daily-checkin`: 2 hours, 30 minutes, 7 days; `weekly-therapy`: 24 hours, 6 hours, 90 days; `on-demand`: 30 minutes, 15 minutes, 30 days; `long-term`: 12 hours, 6 hours, 365 days. */
export type Lifecycle = "daily-checkin" | "weekly-therapy" | "on-demand" | "long-term";

/** A preset, or `vault` for the vault's settings. */
export type LifecycleChoice = "daily-checkin" | "weekly-therapy" | "on-demand" | "long-term" | "vault";

/** A new key. */
export interface MadeKey extends Key {
  /** The text of the key. Save it: it is shown only once. */
  key: string;
}

/** A memory: one continuing relationship, such as a chat, a project or a person. */
export interface Memory {
  /** The person of the chat; absent for a named memory. */
  chat?: Chat | null | undefined;
  /** When it was created. */
  creation_time: string;
  /** Its description. */
  description?: string | null | undefined;
  /** The id. */
  id: string;
  /** When something was last stored in it. */
  last_activity: string;
  /** The preset for its conversations, if it has its own. */
  lifecycle?: Lifecycle | null | undefined;
  /** Its name, unique in the vault. */
  name: string;
}

/** Changes of a memory; absent fields stay unchanged. */
export interface MemoryPatch {
  /** A new description, of at most 2,000 characters. */
  description?: string | null | undefined;
  /** A preset for its conversations from now on; `vault` for the vault's settings. */
  lifecycle?: LifecycleChoice | null | undefined;
  /** A new name. */
  name?: string | null | undefined;
}

/** Activities to record. */
export interface NewActivities {
  /** One for each attempt of a call; a pause between two attempts is idle time. */
  activities: Activity[];
}

/** A version to store. */
export interface NewContext {
  /** The text. */
  content: string;
  /** The time up to which it is complete; now if absent, never in the future. */
  conversation_time?: Time | null | undefined;
}

/** A correction of an entry. */
export interface NewCorrection {
  /** The corrected text. */
  content: string;
  /** The reason for the correction. */
  reason: string;
  /** Its tags; unchanged if absent. */
  tags?: string[] | null | undefined;
}

/** An entry to store. */
export interface NewEntry {
  /** Accept a `conversation_time` in the future. */
  allow_future?: boolean | null | undefined;
  /** What was said. */
  content: string;
  /** The conversation it belongs to: the caller's name for it, or the id of one that exists. Found by `conversation_time` if absent. */
  conversation_id?: string | null | undefined;
  /** When it was said; now if absent. More than a minute in the future is rejected unless `allow_future` is true. */
  conversation_time?: Time | null | undefined;
  /** Whether this is a question of the assistant that waits for an answer. */
  is_question?: boolean | null | undefined;
  /** Any JSON object of the caller, at most 64 KiB as text. */
  metadata?: Record<string, unknown> | null | undefined;
  /** Where it comes from, and how well its time is known. */
  provenance?: Provenance | null | undefined;
  /** The role of the speaker. */
  role: Role;
  /** The name of the speaker, if several people share the role. */
  speaker?: string | null | undefined;
  /** The caller's short version of the text. */
  summary?: string | null | undefined;
  /** Tags, at most 64. */
  tags?: string[] | null | undefined;
  /** Tools that the assistant used, at most 64. */
  tools_used?: string[] | null | undefined;
}

/** A property and its value. */
export interface NewFactMatter {
  /** The name of the property. */
  key: string;
  /** Its value. */
  value: string;
}

/** How a fact is to read. */
export interface NewFactText {
  /** The property and value it states; else what the built-in rules read from the statement. */
  matter?: NewFactMatter | null | undefined;
  /** The statement, without a date. */
  statement: string;
  /** Its tags; unchanged if absent. */
  tags?: string[] | null | undefined;
}

/** A key to create. */
export interface NewKey {
  /** When it expires; it does not expire if absent. */
  expires_at?: Time | null | undefined;
  /** Its description. */
  label?: string | null | undefined;
  /** Its scope; `write` if absent. */
  scope?: ScopeName | null | undefined;
  /** Whether user headers sent with it (such as `x-openwebui-user-id`) are trusted. */
  trusted?: boolean | null | undefined;
  /** The vault it is for, by id or name. */
  vault: string;
}

/** A memory to create. */
export interface NewMemory {
  /** Its description. */
  description?: string | null | undefined;
  /** A preset for its conversations; the vault's settings if absent. */
  lifecycle?: Lifecycle | null | undefined;
  /** Its name. */
  name: string;
}

/** Settings to change; absent ones stay unchanged. */
export interface NewSettings {
  /** Time after which a dormant conversation is closed. */
  closedTimeoutMinutes?: number | null | undefined;
  /** Idle timeout: a longer pause ends a conversation. */
  conversationIdleTimeoutMinutes?: number | null | undefined;
  /** How long a question of the assistant waits for its answer. */
  conversationStateTimeoutMinutes?: number | null | undefined;
  /** Silence after which a conversation cools; at most the idle timeout. */
  coolingTimeoutMinutes?: number | null | undefined;
  /** A preset for when conversations cool, end and close; an explicit idle timeout overrides it. */
  lifecycle?: Lifecycle | null | undefined;
  /** Number of ended conversations that stay in lists. */
  maxConversationsRetained?: number | null | undefined;
  /** What happens to ended conversations beyond that number. */
  retention?: RetentionName | null | undefined;
}

/** When one text was said. */
export interface NewTextTime {
  /** When it was said. */
  conversation_time: Time;
  /** SHA-256 of the text. */
  text_hash: string;
}

/** Times to import. */
export interface NewTextTimes {
  /** When a reply began whose text is not known yet. */
  reply_began?: Time | null | undefined;
  /** At most 10,000. */
  texts: NewTextTime[];
}

/** A vault to create. */
export interface NewVault {
  /** Its description, at most 2,000 characters. */
  description?: string | null | undefined;
  /** Its name. */
  name: string;
  /** Its settings; the server's defaults where absent. */
  settings?: NewSettings | null | undefined;
  /** Its time zone; the server's default if absent. */
  zone?: string | null | undefined;
}

/** Exchanges of the proxy that wait to be stored. */
export interface Outbox {
  /** Bytes in use. */
  bytes: number;
  /** Why the outbox cannot be written, if it cannot. */
  failure: string | null;
  /** Maximum number of bytes. */
  max_bytes: number;
  /** When the oldest waiting exchange was accepted. */
  oldest: string | null;
  /** Exchanges that can never be stored, the newest first. */
  set_aside: SetAsideExchange[];
  /** Number of waiting exchanges. */
  waiting: number;
}

/** A question of the assistant that was waiting for an answer. */
export interface Pending {
  /** When it was asked. */
  asked_at: string;
  /** The entry that asks. */
  entry_id: string;
}

/** Some of several in chronological order: "the first time", "our last two conversations". */
export interface PeriodOrder {
  /** The first one, counted from 1. */
  first: number;
  /** Counted from the `first` or the `last`. */
  from: string;
  /** The last one. */
  last: number;
  /** What is counted: `conversations`, or `matches` of the rest of the question. */
  of: string;
}

/** Pins or unpins a fact. */
export interface Pin {
  /** Whether to pin it; true if absent. */
  pinned?: boolean | null | undefined;
}

/** Why a request was rejected (RFC 9457). */
export interface Problem {
  /** What was wrong with this request, and what would be right. */
  detail: string;
  /** The kind, for programs. */
  kind: ProblemKind;
  /** What a conflict consists in, where that is known. */
  reason?: ProblemReason | null | undefined;
  /** The HTTP status. */
  status: number;
  /** A short description of the kind. */
  title: string;
  /** A URN of the kind of problem. */
  type: string;
}

/** Kinds of problems. */
export type ProblemKind = "invalid" | "unauthenticated" | "denied" | "not_found" | "method_not_allowed" | "conflict" | "too_large" | "unsupported_media_type" | "timeout" | "busy" | "unavailable" | "damaged";

/** What a conflict consists in. */
export type ProblemReason = "already_exists" | "already_ended" | "not_ended" | "no_active_conversation" | "already_corrected" | "on_branch" | "not_archived" | "nothing_to_do" | "future_time" | "past_time" | "idempotency_key_reused" | "forgotten" | "no_language_model" | "inconsistent_values" | "changed_meanwhile";

/** The current value of one property. */
export interface ProfileValue {
  /** The fact that states it. */
  fact_id: string;
  /** The name of the property. */
  key: string;
  /** When it was last mentioned. */
  mentioned_at: string;
  /** Its current value. */
  value: string;
}

/** The current and the latest conversations as text for a model. */
export interface Prompt {
  /** The text; empty if there are no conversations. */
  prompt: string;
}

/** Where an entry was imported from, and how well its time is known. */
export interface Provenance {
  /** How precisely the time is known: `us`, `ms`, `s`, `minute`, `hour`, `day`, `week`, `month`, `year`, or `unknown` if only the order is known. The period begins at `conversation_time`. */
  precision: string;
  /** The program or format, such as `chatgpt`. */
  source: string;
  /** The id of the message there. */
  source_id?: string | null | undefined;
  /** What the time was taken from: `stated`, `generation`, `id`, `neighbour`, `conversation`, `file`, `export`, `asked` or `moved`. */
  time_from: string;
  /** The time as it is written there. */
  time_text?: string | null | undefined;
  /** How the time zone is known: `stated`, `utc-by-format`, `inferred`, `asked` or `assumed`. */
  zone_from: string;
}

/** A question to a memory. */
export interface Question {
  /** Only entries said at this time or later. */
  after?: Time | null | undefined;
  /** State of the memory at this time. */
  as_of?: Time | null | undefined;
  /** The time the question is asked; "last week" is relative to it. Now if absent. */
  asked_at?: Time | null | undefined;
  /** Only entries said before this time. */
  before?: Time | null | undefined;
  /** Maximum length of the briefing in tokens; 1000 if absent. */
  budget_tokens?: number | null | undefined;
  /** How much variety counts against score: with more, fewer results that say the same (maximal marginal relevance). */
  diversity?: number | null | undefined;
  /** Leave out entries of these conversations, by their ids or the caller's names. */
  except_conversations?: string[] | null | undefined;
  /** Return the score breakdown of each item, and where each line of the briefing comes from. */
  explain?: boolean | null | undefined;
  /** Only these kinds of results; all if absent. */
  kinds?: ("entry" | "conversation" | "fact" | "chapter" | "summary" | "context")[] | null | undefined;
  /** Maximum number of items and of conversations; 10 if absent. */
  limit?: number | null | undefined;
  /** Only results that score at least this share of the best of their kind. */
  min_score?: number | null | undefined;
  /** Also return this many entries that just missed the limit or `min_score`, best first. */
  missed?: number | null | undefined;
  /** How to use a period that the question names: `boost` (the default) ranks it first, `filter` excludes everything else, `ignore` treats its words as plain words. */
  period?: "boost" | "filter" | "ignore" | null | undefined;
  /** The question, in words. */
  query: string;
  /** Only entries of these roles. */
  roles?: Role[] | null | undefined;
  /** Only entries with one of these tags. */
  tags?: string[] | null | undefined;
}

/** The answer of a memory to a question. */
export interface Recollection {
  /** How time phrases in the question were read; absent if it has none. */
  about?: AboutTime | null | undefined;
  /** The items as text for a model: dated, oldest first, with a timeline. */
  briefing: string;
  /** Where the lines of the briefing come from, if `explain` was set. */
  briefing_lines?: BriefingLine[] | undefined;
  /** Chapters, best first. */
  chapters: FoundChapter[];
  /** Current context documents that match, best first. */
  contexts: FoundContext[];
  /** Conversations, best first. */
  conversations: FoundConversation[];
  /** Facts, best first. A superseded fact is included only if the question names a time in which it held, or has an `as_of`. */
  facts: FoundFact[];
  /** Entries, best first. */
  items: FoundEntry[];
  /** Entries that just missed the limit, best first, if `missed` was set. */
  missed?: FoundEntry[] | undefined;
  /** Nothing was said in that period; the results are outside of it. */
  nothing_in_period: boolean;
  /** Summaries of conversations, best first; none with `as_of`. */
  summaries: FoundSummary[];
  /** The embedder failed; the results were found by words and time only. */
  words_alone: boolean;
}

/** What is being regenerated. */
export interface Regenerating {
  /** Number of conversations whose facts and titles are regenerated; chapters and summaries follow. */
  conversations: number;
}

/** What was permanently removed. */
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

/** What happens to ended conversations beyond the number retained: `archive` hides them from lists, `delete` removes them permanently. */
export type RetentionName = "archive" | "delete";

/** A job that is queued again. */
export interface Retried {
  /** The id. */
  id: string;
}

/** Jobs that are queued again. */
export interface RetriedJobs {
  /** Number of jobs that are queued again. */
  retried: number;
}

/** Which conversations to look back at. */
export interface Retrospect {
  /** Also those that were looked back at before. */
  again?: boolean | null | undefined;
}

/** What a language model wrote when it looked back at an ended conversation. */
export interface Retrospection {
  /** When it was written. */
  at: string;
  /** Its words. */
  text: string;
}

/** What a language model wrote when it looked back at conversations. */
export interface Retrospections {
  /** The conversations, the one that ended last first. */
  conversations: Conversation[];
  /** As text for a person or a model: a heading with title and date for each, the newest first. */
  text: string;
}

/** The role of a speaker. */
export type Role = "user" | "assistant" | "system" | "tool";

/** One version of the summary of a whole memory. */
export interface RollingSummary {
  /** Number of chapters it covers. */
  chapters: number;
  /** When it was stored. */
  creation_time: string;
  /** The text. */
  text: string;
  /** The conversation_time of the last entry it covers. */
  through: string;
  /** From 1; the highest is current. */
  version: number;
  /** Who wrote it: `llm`, or `extractive` for the built-in rules. */
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

/** A job that was set aside. */
export interface SetAsideJob {
  /** The id of the conversation it is about, if it is about one. */
  conversation_id: string | null;
  /** When it was last due. */
  due_at: string;
  /** The id. */
  id: string;
  /** What it does. */
  kind: string;
  /** The last error. */
  last_error: string | null;
  /** The id of its memory. */
  memory: string;
  /** Number of attempts. */
  tries: number;
  /** The id of its vault. */
  vault: string;
}

/** The settings of a vault. */
export interface Settings {
  /** Time after which a dormant conversation is closed, if it was set; else 30 days, or the preset's. */
  closedTimeoutMinutes?: number | null | undefined;
  /** Idle timeout: a longer pause ends a conversation. */
  conversationIdleTimeoutMinutes: number;
  /** How long a question of the assistant waits for its answer. */
  conversationStateTimeoutMinutes: number;
  /** Silence after which a conversation cools, if it was set; else half the idle timeout, or the preset's. */
  coolingTimeoutMinutes?: number | null | undefined;
  /** The preset for the timers of conversations, if one was chosen. */
  lifecycle?: Lifecycle | null | undefined;
  /** Number of ended conversations that stay in lists. */
  maxConversationsRetained: number;
  /** What happens to ended conversations beyond that number. */
  retention: RetentionName;
}

/** Jobs that were run. */
export interface Settled {
  /** Number of jobs that were run. */
  done: number;
  /** Number of jobs that are still due. */
  due: number;
}

/** The contribution of one signal. */
export interface SignalShare {
  /** Its lane: `words`, `meaning` or `when`; absent if it combines all. */
  lane?: string | null | undefined;
  /** Its contribution to the score. */
  share: number;
  /** The signal. */
  signal: string;
  /** Its value. */
  value: number;
}

/** The health of the server. */
export interface Standing {
  /** What is degraded. */
  detail?: string | null | undefined;
  /** `ok`, or `degraded`: it works, but something needs attention. */
  status: string;
}

/** A tag and how many current entries have it. */
export interface TagCount {
  /** The number of entries. */
  entries: number;
  /** The tag. */
  tag: string;
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
  /** When a reply began whose text is not known yet. */
  reply_began?: string | null | undefined;
  /** One for each text. */
  texts: TextTime[];
}

/** One dated line. */
export interface TimelineLine {
  /** The conversation: the caller's name for it, else its id. */
  conversation_id: string;
  /** When it was said. */
  conversation_time: string;
  /** The day it was said, in the vault's zone. */
  date: string;
  /** The entry of the line. */
  entry_id: string;
  /** What was said, shortened. */
  event: string;
  /** Days since the next earlier line; null on the same day and on the first line of all. */
  gap: string | null;
  /** The line as text. */
  text: string;
}

/** Usage of the language model by a vault. */
export interface Usage {
  /** By day, model and purpose. */
  data: UsageRow[];
  /** This calendar month (UTC), whatever `since` is. */
  month: UsageMonth;
  /** The sum. */
  total: UsageTotal;
}

/** What language models cost in a calendar month, in the currency of the configured prices. */
export interface UsageMonth {
  /** The cap (`llm.spending_cap`), after which no model is called until the next month; null if there is none. */
  cap: number | null;
  /** The cost for this vault. */
  cost: number;
  /** The cost for all vaults, which the cap is for; absent for the holder of an API key, who may use one vault only. */
  server_cost?: number | null | undefined;
  /** The first day of the month, in UTC. */
  since: string;
}

/** Usage on one day, of one model, for one purpose. */
export interface UsageRow extends UsageTotal {
  /** The day, in UTC. */
  day: string;
  /** The model. */
  model: string;
  /** The purpose. */
  purpose: string;
}

/** Counts, tokens and cost. */
export interface UsageTotal {
  /** Number of cached replies, which cost nothing. */
  cached: number;
  /** Number of calls. */
  calls: number;
  /** The cost, in the currency of the configured prices. */
  cost: number;
  /** Input tokens. */
  input_tokens: number;
  /** Output tokens. */
  output_tokens: number;
}

/** A vault: the memories of one owner, isolated from all others. */
export interface Vault {
  /** When it was created. */
  creation_time: string;
  /** Its description. */
  description?: string | null | undefined;
  /** The id. */
  id: string;
  /** Its name, unique on this server. */
  name: string;
  /** Its settings. */
  settings: Settings;
  /** IANA time zone in which its days begin and end. */
  zone: string;
}

/** Changes of a vault; absent fields stay unchanged. */
export interface VaultPatch {
  /** A new description, of at most 2,000 characters. */
  description?: string | null | undefined;
  /** A new name. */
  name?: string | null | undefined;
  /** New settings; they apply to new conversations. */
  settings?: NewSettings | null | undefined;
  /** A new time zone; instants stay the same, days move. */
  zone?: string | null | undefined;
}

/** Why a job waits: its time has come or not, a worker runs it, it failed and is tried again, the process ended twice or more while it ran, or it failed too often. */
export type WaitReason = "due" | "scheduled" | "running" | "failed" | "suspect" | "set_aside";

/** A task that runs background jobs. */
export interface WorkerTaskStatus {
  /** Why it gets nothing done, while that is so. */
  failure: string | null;
  /** How often it died and was restarted. */
  restarts: number;
  /** Whether it runs. */
  running: boolean;
  /** Which one. */
  task: string;
}

export type Page_Chapter = Page<Chapter>;
export type Page_Context = Page<Context>;
export type Page_Conversation = Page<Conversation>;
export type Page_Entry = Page<Entry>;
export type Page_Fact = Page<Fact>;
export type Page_Key = Page<Key>;
export type Page_Memory = Page<Memory>;
export type Page_ProfileValue = Page<ProfileValue>;
export type Page_RollingSummary = Page<RollingSummary>;
export type Page_TagCount = Page<TagCount>;
export type Page_TimelineLine = Page<TimelineLine>;
export type Page_Vault = Page<Vault>;

/** One page of a list. */
export interface Page<T> { data: T[]; next_cursor: string | null; has_more: boolean }

/** Every route: what it takes in its query and its body, and what it answers. */
export interface Routes {
  "/healthz": {
    get: { query: Record<string, never>; body: undefined; answer: Standing };
  };
  "/metrics": {
    get: { query: Record<string, never>; body: undefined; answer: string };
  };
  "/openapi.json": {
    get: { query: Record<string, never>; body: undefined; answer: Record<string, unknown> };
  };
  "/readyz": {
    get: { query: Record<string, never>; body: undefined; answer: Standing };
  };
  "/v1/doctor": {
    get: { query: Record<string, never>; body: undefined; answer: Doctor };
  };
  "/v1/jobs/retry": {
    post: { query: { kind?: "close" | "summarize" | "retell" | "distill" | "chapters" | "fold" | "context" | "workflow" | undefined }; body: undefined; answer: RetriedJobs };
  };
  "/v1/jobs/{id}/retry": {
    post: { query: Record<string, never>; body: undefined; answer: Retried };
  };
  "/v1/keys": {
    get: { query: Record<string, never>; body: undefined; answer: Page_Key };
    post: { query: Record<string, never>; body: NewKey; answer: MadeKey };
  };
  "/v1/keys/{id}": {
    delete: { query: Record<string, never>; body: undefined; answer: Removed };
  };
  "/v1/settle": {
    post: { query: { limit?: number | undefined }; body: undefined; answer: Settled };
  };
  "/v1/vaults": {
    get: { query: { cursor?: string | undefined; limit?: number | undefined }; body: undefined; answer: Page_Vault };
    post: { query: Record<string, never>; body: NewVault; answer: Vault };
  };
  "/v1/vaults/{vault}": {
    get: { query: Record<string, never>; body: undefined; answer: Vault };
    patch: { query: Record<string, never>; body: VaultPatch; answer: Vault };
    delete: { query: Record<string, never>; body: undefined; answer: Removed };
  };
  "/v1/vaults/{vault}/export": {
    get: { query: { memory?: string | undefined; format?: "everwhen" | "chatgpt" | "claude" | "open-webui" | "sillytavern" | undefined }; body: undefined; answer: Record<string, unknown>[] };
  };
  "/v1/vaults/{vault}/forget": {
    post: { query: Record<string, never>; body: Forget; answer: Removed };
  };
  "/v1/vaults/{vault}/imports": {
    get: { query: Record<string, never>; body: undefined; answer: ImportRuns };
    post: { query: { name?: string | undefined; memory?: string | undefined; from?: string | undefined; dry_run?: boolean | undefined; timezone?: string | undefined; date_order?: string | undefined; at?: Time | undefined; since?: Time | undefined; until?: Time | undefined; tools?: boolean | undefined; system?: boolean | undefined; hidden?: boolean | undefined; drop_branches?: boolean | undefined; me?: string | undefined; time_field?: string | undefined; role_field?: string | undefined; text_field?: string | undefined; conversation_field?: string | undefined }; body: Blob; answer: ImportRun };
  };
  "/v1/vaults/{vault}/imports/{id}": {
    get: { query: Record<string, never>; body: undefined; answer: ImportRun };
    delete: { query: Record<string, never>; body: undefined; answer: ImportRun };
  };
  "/v1/vaults/{vault}/memories": {
    get: { query: { cursor?: string | undefined; limit?: number | undefined }; body: undefined; answer: Page_Memory };
    post: { query: Record<string, never>; body: NewMemory; answer: Memory };
  };
  "/v1/vaults/{vault}/memories/{memory}": {
    get: { query: Record<string, never>; body: undefined; answer: Memory };
    patch: { query: Record<string, never>; body: MemoryPatch; answer: Memory };
    delete: { query: Record<string, never>; body: undefined; answer: Removed };
  };
  "/v1/vaults/{vault}/memories/{memory}/chapters": {
    get: { query: { after?: Time | undefined; before?: Time | undefined; as_of?: Time | undefined; cursor?: string | undefined; limit?: number | undefined }; body: undefined; answer: Page_Chapter };
  };
  "/v1/vaults/{vault}/memories/{memory}/chapters/import": {
    post: { query: { dry_run?: boolean | undefined }; body: ImportedChapters; answer: ChapterImport };
  };
  "/v1/vaults/{vault}/memories/{memory}/context": {
    get: { query: { version?: number | undefined; as_of?: Time | undefined }; body: undefined; answer: Context };
    put: { query: Record<string, never>; body: NewContext; answer: Context };
  };
  "/v1/vaults/{vault}/memories/{memory}/context/rebuild": {
    post: { query: Record<string, never>; body: undefined; answer: Context };
  };
  "/v1/vaults/{vault}/memories/{memory}/context/versions": {
    get: { query: { cursor?: string | undefined; limit?: number | undefined }; body: undefined; answer: Page_Context };
  };
  "/v1/vaults/{vault}/memories/{memory}/context/versions/{version}": {
    delete: { query: Record<string, never>; body: undefined; answer: Removed };
  };
  "/v1/vaults/{vault}/memories/{memory}/conversations": {
    get: { query: { state?: "open" | "ended" | "all" | undefined; archived?: "false" | "true" | "all" | undefined; after?: Time | undefined; before?: Time | undefined; as_of?: Time | undefined; by?: "started" | "ended" | undefined; order?: "asc" | "desc" | undefined; cursor?: string | undefined; limit?: number | undefined }; body: undefined; answer: Page_Conversation };
  };
  "/v1/vaults/{vault}/memories/{memory}/conversations/end": {
    post: { query: Record<string, never>; body: EndConversation; answer: Conversation };
  };
  "/v1/vaults/{vault}/memories/{memory}/conversations/import": {
    post: { query: { dry_run?: boolean | undefined }; body: ImportedConversation; answer: Imported };
  };
  "/v1/vaults/{vault}/memories/{memory}/conversations/import/batch": {
    post: { query: { dry_run?: boolean | undefined; skip_forgotten?: boolean | undefined }; body: ImportBatch; answer: ImportOutcomes };
  };
  "/v1/vaults/{vault}/memories/{memory}/conversations/prompt": {
    get: { query: Record<string, never>; body: undefined; answer: Prompt };
  };
  "/v1/vaults/{vault}/memories/{memory}/conversations/{id}": {
    get: { query: { as_of?: Time | undefined }; body: undefined; answer: ConversationDetail };
    delete: { query: Record<string, never>; body: undefined; answer: Removed };
  };
  "/v1/vaults/{vault}/memories/{memory}/conversations/{id}/activities": {
    post: { query: Record<string, never>; body: NewActivities; answer: ConversationTime };
  };
  "/v1/vaults/{vault}/memories/{memory}/conversations/{id}/fork": {
    post: { query: Record<string, never>; body: Fork; answer: Forked };
  };
  "/v1/vaults/{vault}/memories/{memory}/conversations/{id}/restore": {
    post: { query: Record<string, never>; body: undefined; answer: Conversation };
  };
  "/v1/vaults/{vault}/memories/{memory}/conversations/{id}/summary": {
    post: { query: Record<string, never>; body: undefined; answer: Conversation };
  };
  "/v1/vaults/{vault}/memories/{memory}/density": {
    get: { query: { by?: "conversation_time" | "creation_time" | undefined; after?: Time | undefined; before?: Time | undefined; as_of?: Time | undefined; buckets?: number | undefined }; body: undefined; answer: Density };
  };
  "/v1/vaults/{vault}/memories/{memory}/distill": {
    post: { query: Record<string, never>; body: undefined; answer: Regenerating };
  };
  "/v1/vaults/{vault}/memories/{memory}/entries": {
    get: { query: { after?: Time | undefined; before?: Time | undefined; created_after?: Time | undefined; created_before?: Time | undefined; as_of?: Time | undefined; role?: Role | undefined; tag?: string | undefined; conversation_id?: string | undefined; source?: string | undefined; branch?: string | undefined; include?: "current" | "all" | undefined; order?: "asc" | "desc" | undefined; cursor?: string | undefined; limit?: number | undefined }; body: undefined; answer: Page_Entry };
    post: { query: Record<string, never>; body: NewEntry; answer: EntryReceipt };
  };
  "/v1/vaults/{vault}/memories/{memory}/entries/batch": {
    post: { query: Record<string, never>; body: Batch; answer: BatchReceipt };
  };
  "/v1/vaults/{vault}/memories/{memory}/entries/{id}": {
    get: { query: Record<string, never>; body: undefined; answer: Entry };
    patch: { query: Record<string, never>; body: EntryPatch; answer: Entry };
    delete: { query: Record<string, never>; body: undefined; answer: Removed };
  };
  "/v1/vaults/{vault}/memories/{memory}/entries/{id}/correction": {
    post: { query: Record<string, never>; body: NewCorrection; answer: EntryReceipt };
  };
  "/v1/vaults/{vault}/memories/{memory}/facts": {
    get: { query: { as_of?: Time | undefined; about?: string | undefined; all?: boolean | undefined; tag?: string | undefined; pinned?: boolean | undefined; cursor?: string | undefined; limit?: number | undefined }; body: undefined; answer: Page_Fact };
  };
  "/v1/vaults/{vault}/memories/{memory}/facts/text": {
    get: { query: { all?: boolean | undefined; marks?: boolean | undefined }; body: undefined; answer: FactsText };
  };
  "/v1/vaults/{vault}/memories/{memory}/facts/{id}": {
    get: { query: Record<string, never>; body: undefined; answer: Fact };
    put: { query: Record<string, never>; body: NewFactText; answer: Fact };
    delete: { query: Record<string, never>; body: undefined; answer: FactRemoved };
  };
  "/v1/vaults/{vault}/memories/{memory}/facts/{id}/history": {
    get: { query: Record<string, never>; body: undefined; answer: Page_Fact };
  };
  "/v1/vaults/{vault}/memories/{memory}/facts/{id}/pin": {
    post: { query: Record<string, never>; body: Pin; answer: Fact };
  };
  "/v1/vaults/{vault}/memories/{memory}/files": {
    post: { query: Record<string, never>; body: FileCommand; answer: FileAnswer };
  };
  "/v1/vaults/{vault}/memories/{memory}/jobs/retry": {
    post: { query: { kind?: "close" | "summarize" | "retell" | "distill" | "chapters" | "fold" | "context" | "workflow" | undefined }; body: undefined; answer: RetriedJobs };
  };
  "/v1/vaults/{vault}/memories/{memory}/profile": {
    get: { query: { as_of?: Time | undefined }; body: undefined; answer: Page_ProfileValue };
  };
  "/v1/vaults/{vault}/memories/{memory}/recall": {
    post: { query: Record<string, never>; body: Question; answer: Recollection };
  };
  "/v1/vaults/{vault}/memories/{memory}/regenerate": {
    post: { query: Record<string, never>; body: undefined; answer: Regenerating };
  };
  "/v1/vaults/{vault}/memories/{memory}/retrospection": {
    get: { query: { limit?: number | undefined }; body: undefined; answer: Retrospections };
    post: { query: Record<string, never>; body: Retrospect; answer: Regenerating };
  };
  "/v1/vaults/{vault}/memories/{memory}/summary": {
    get: { query: Record<string, never>; body: undefined; answer: RollingSummary };
  };
  "/v1/vaults/{vault}/memories/{memory}/summary/versions": {
    get: { query: { cursor?: string | undefined; limit?: number | undefined }; body: undefined; answer: Page_RollingSummary };
  };
  "/v1/vaults/{vault}/memories/{memory}/tags": {
    get: { query: Record<string, never>; body: undefined; answer: Page_TagCount };
  };
  "/v1/vaults/{vault}/memories/{memory}/timeline": {
    get: { query: { after?: Time | undefined; before?: Time | undefined; role?: Role | undefined; as_of?: Time | undefined; order?: "asc" | "desc" | undefined; cursor?: string | undefined; limit?: number | undefined }; body: undefined; answer: Page_TimelineLine };
  };
  "/v1/vaults/{vault}/memories/{memory}/timeline/events": {
    get: { query: Record<string, never>; body: undefined; answer: Page_Fact };
  };
  "/v1/vaults/{vault}/memories/{memory}/times": {
    get: { query: Record<string, never>; body: undefined; answer: TextTimes };
    put: { query: Record<string, never>; body: NewTextTimes; answer: TextTimes };
  };
  "/v1/vaults/{vault}/period": {
    get: { query: { text: string | undefined; asked_at?: Time | undefined }; body: undefined; answer: FactPeriod };
  };
  "/v1/vaults/{vault}/recall": {
    post: { query: Record<string, never>; body: Question; answer: Recollection };
  };
  "/v1/vaults/{vault}/usage": {
    get: { query: { since?: string | undefined }; body: undefined; answer: Usage };
  };
}
