// A memory: what was said, the conversations it falls into, and what was made of it.

import { Pages } from "./pages.ts";
import { part, type Transport } from "./transport.ts";
import type {
  Activity, Chapter, ChapterImport, Context, Conversation, ConversationDetail, ConversationTime, BatchReceipt, Density, Entry, EntryReceipt, Fact, FactRemoved, FactsText,
  FileAnswer, FileCommand, Forked, Imported, ImportedChapters, ImportOutcomes, ImportedConversation, Memory, MemoryPatch, NewEntry, NewFactText, NewTextTimes, ProfileValue, Prompt, Question, Recollection,
  Regenerating, RetriedJobs, Removed, Retrospections, Role, RollingSummary, TagCount, TextTimes, Time, TimelineLine,
} from "./types.ts";

/** A name for a write: the same name again stores nothing twice. One is made if absent. */
export interface Write {
  idempotencyKey?: string | undefined;
}

/** What can be said about something to remember, besides the words. */
export type RememberOptions = Omit<NewEntry, "content" | "role" | "conversation_time"> &
  Write & { role?: Role | undefined; at?: Time | undefined };

/** Which entries to list. */
export interface EntriesOptions {
  after?: Time | undefined;
  before?: Time | undefined;
  created_after?: Time | undefined;
  created_before?: Time | undefined;
  /** As they stood at this time. */
  as_of?: Time | undefined;
  role?: Role | undefined;
  tag?: string | undefined;
  conversation_id?: string | undefined;
  branch?: string | undefined;
  include?: "current" | "all" | undefined;
  order?: "asc" | "desc" | undefined;
  /** At most this many in all. */
  limit?: number | undefined;
}

/** Which conversations to list. */
export interface ConversationsOptions {
  state?: "open" | "ended" | "all" | undefined;
  archived?: "false" | "true" | "all" | undefined;
  after?: Time | undefined;
  before?: Time | undefined;
  /** As they stood at this creation_time. */
  as_of?: Time | undefined;
  by?: "started" | "ended" | undefined;
  order?: "asc" | "desc" | undefined;
  limit?: number | undefined;
}

/** Which facts to list. */
export interface FactsOptions {
  as_of?: Time | undefined;
  /** What holds in a stretch of time, such as "2025-04". */
  about?: string | undefined;
  /** Those that were replaced, too. */
  all?: boolean | undefined;
  tag?: string | undefined;
  pinned?: boolean | undefined;
  limit?: number | undefined;
}

/** What to count, in how many parts. */
export interface DensityOptions {
  by?: "conversation_time" | "creation_time" | undefined;
  after?: Time | undefined;
  before?: Time | undefined;
  as_of?: Time | undefined;
  buckets?: number | undefined;
}

/** Which lines of the timeline to list. */
export type TimelineOptions = Pick<EntriesOptions, "after" | "before" | "role" | "as_of" | "limit">;

/** What to forget: exactly one of an entry, a conversation, a period and the whole memory. */
export type ForgetOptions = Write &
  ({ entry: string } | { conversation: string } | { after?: Time; before?: Time } | { whole_memory: true });

const LARGEST_BATCH = 1000;

/** One memory: a chat, a project, a person. Nothing is asked of the server until a method is called. */
export class MemoryClient {
  /** The memory's name, or its id. */
  readonly name: string;
  /** The vault's name, or its id. */
  readonly vault: string;
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, vault: string, name: string) {
    this.name = name;
    this.vault = vault;
    this.#transport = transport;
    this.#path = `/v1/vaults/${part(vault)}/memories/${part(name)}`;
  }

  /** Keeps something said, `at` its time or now. The memory is made if there is none of this name. */
  remember(content: string, options: RememberOptions = {}): Promise<EntryReceipt> {
    const { at, role = "user", idempotencyKey, ...rest } = options;
    const entry: NewEntry = { ...rest, content, role, conversation_time: at };
    return this.#transport.write("POST", `${this.#path}/entries`, entry, idempotencyKey);
  }

  /** Keeps many entries, a thousand in each request. Each thousand is stored whole or not at all. */
  async rememberAll(entries: Iterable<NewEntry>, { idempotencyKey }: Write = {}): Promise<EntryReceipt[]> {
    const waiting = [...entries];
    const receipts: EntryReceipt[] = [];
    for (let start = 0; start < waiting.length; start += LARGEST_BATCH) {
      const body = { entries: waiting.slice(start, start + LARGEST_BATCH) };
      const key = idempotencyKey && start ? `${idempotencyKey}-${start}` : idempotencyKey;
      const receipt: BatchReceipt = await this.#transport.write("POST", `${this.#path}/entries/batch`, body, key);
      receipts.push(...receipt.entries);
    }
    return receipts;
  }

  /** Entries by when they were said, oldest first unless `order` is "desc". */
  entries(options: EntriesOptions = {}): Pages<Entry> {
    return new Pages(this.#transport, `${this.#path}/entries`, { ...options });
  }

  /** One entry. */
  entry(id: string): Promise<Entry> {
    return this.#transport.get(`${this.#path}/entries/${part(id)}`);
  }

  /** A new entry takes the place of an old one, which stays in the past. */
  correct(id: string, content: string, options: Write & { reason: string }): Promise<EntryReceipt> {
    const body = { content, reason: options.reason };
    return this.#transport.write("POST", `${this.#path}/entries/${part(id)}/correction`, body, options.idempotencyKey);
  }

  /** One dated line for everything said, with the days that lie between. */
  timeline(options: TimelineOptions = {}): Pages<TimelineLine> {
    return new Pages(this.#transport, `${this.#path}/timeline`, { ...options });
  }

  /** How many entries there are over time, by when they were said or stored. */
  density(options: DensityOptions = {}): Promise<Density> {
    return this.#transport.get(`${this.#path}/density`, { ...options });
  }

  /** What was said about a question: `items`, best first, and a `briefing` for a model. */
  recall(query: string, options: Omit<Question, "query"> = {}): Promise<Recollection> {
    return this.#transport.send({ method: "POST", path: `${this.#path}/recall`, body: { ...options, query } });
  }

  /** Forgets permanently: an entry, a conversation, a period, or the whole memory. Nothing brings it back. */
  forget(what: ForgetOptions): Promise<Removed> {
    const { idempotencyKey: key, ...given } = what;
    const said = Object.entries(given).filter(([, value]) => value !== undefined && value !== null && value !== false);
    const isPeriod = said.every(([name]) => name === "after" || name === "before");
    if (said.length === 0 || (said.length > 1 && !isPeriod)) {
      throw new TypeError("say exactly one of entry, conversation, after and before, whole_memory");
    }
    const only = Object.fromEntries(said) as { entry?: string; conversation?: string; whole_memory?: true };
    if (only.entry !== undefined) return this.#transport.write("DELETE", `${this.#path}/entries/${part(only.entry)}`, undefined, key);
    if (only.conversation !== undefined) return this.#transport.write("DELETE", this.#conversation(only.conversation), undefined, key);
    if (only.whole_memory) return this.#transport.write("DELETE", this.#path, undefined, key);
    return this.#transport.write("POST", `/v1/vaults/${part(this.vault)}/forget`, { memory: this.name, ...only }, key);
  }

  /** Conversations: when they were, how long, what about. */
  conversations(options: ConversationsOptions = {}): Pages<Conversation> {
    return new Pages(this.#transport, `${this.#path}/conversations`, { ...options });
  }

  /** Replaces the tags of an entry; its id, text and times stay. */
  setTags(id: string, tags: string[], { idempotencyKey }: Write = {}): Promise<Entry> {
    return this.#transport.write("PATCH", `${this.#path}/entries/${part(id)}`, { tags }, idempotencyKey);
  }

  /** All tags of the current entries with the number of entries that have them, by name. */
  async tags(): Promise<TagCount[]> {
    return (await this.#transport.get<{ data: TagCount[] }>(`${this.#path}/tags`)).data;
  }

  /** One conversation with its entries, by its id or by the name it has in its source; with `as_of`, as it stood then. */
  conversation(id: string, options: { as_of?: Time | undefined } = {}): Promise<ConversationDetail> {
    return this.#transport.get(this.#conversation(id), options);
  }

  /**
   * Ends a conversation now instead of waiting for a pause: the one named, else the open one. Inside an exchange that
   * is stored afterwards (`in_exchange`), the user's next words still belong to it.
   */
  end(options: Write & { conversation_id?: string; reason?: string; in_exchange?: boolean } = {}): Promise<Conversation> {
    const { idempotencyKey, ...body } = options;
    return this.#transport.write("POST", `${this.#path}/conversations/end`, body, idempotencyKey);
  }

  /** Puts everything after one entry on a branch, so that the conversation goes on from that entry. */
  fork(id: string, options: Write & { after: string }): Promise<Forked> {
    return this.#transport.write("POST", `${this.#conversation(id)}/fork`, { after: options.after }, options.idempotencyKey);
  }

  /** Brings an archived conversation back to the list. */
  restore(id: string, { idempotencyKey }: Write = {}): Promise<Conversation> {
    return this.#transport.write("POST", `${this.#conversation(id)}/restore`, undefined, idempotencyKey);
  }

  /** Takes in a conversation as another system kept it, with its own end, title and branches. */
  importConversation(conversation: ImportedConversation, options: Write & { dry_run?: boolean } = {}): Promise<Imported> {
    const { idempotencyKey, dry_run } = options;
    return this.#transport.write("POST", `${this.#path}/conversations/import`, conversation, idempotencyKey, { dry_run });
  }

  /**
   * Takes in several conversations in one durable write; one that cannot be stored leaves the others. With `skip_forgotten`,
   * what was imported before and then forgotten stays forgotten.
   */
  importConversations(
    conversations: ImportedConversation[],
    options: { dry_run?: boolean; skip_forgotten?: boolean } = {},
  ): Promise<ImportOutcomes> {
    const { dry_run, skip_forgotten } = options;
    const query = { dry_run, skip_forgotten };
    return this.#transport.write("POST", `${this.#path}/conversations/import/batch`, { conversations }, undefined, query);
  }

  /** Says when models and tools were at work in a conversation. */
  recordActivities(id: string, activities: Activity[], { idempotencyKey }: Write = {}): Promise<ConversationTime> {
    return this.#transport.write("POST", `${this.#conversation(id)}/activities`, { activities }, idempotencyKey);
  }

  /** The current and the last conversations as text for a model. */
  async prompt(): Promise<string> {
    return (await this.#transport.get<Prompt>(`${this.#path}/conversations/prompt`)).prompt;
  }

  /** What is known: dated statements with their evidence. */
  facts(options: FactsOptions = {}): Pages<Fact> {
    return new Pages(this.#transport, `${this.#path}/facts`, { ...options });
  }

  /** One fact. */
  fact(id: string): Promise<Fact> {
    return this.#transport.get(`${this.#path}/facts/${part(id)}`);
  }

  /** Everything that was believed of the same matter as this fact. */
  async factHistory(id: string): Promise<Fact[]> {
    return (await this.#transport.get<{ data: Fact[] }>(`${this.#path}/facts/${part(id)}/history`)).data;
  }

  /** The facts by month, as text for a model. */
  async factsText(options: { all?: boolean; marks?: boolean } = {}): Promise<string> {
    return (await this.#transport.get<FactsText>(`${this.#path}/facts/text`, { ...options })).text;
  }

  /** Pins a fact so that it is listed first in every list and briefing, or unpins it. */
  pin(id: string, options: Write & { off?: boolean } = {}): Promise<Fact> {
    return this.#transport.write("POST", `${this.#path}/facts/${part(id)}/pin`, { pinned: !options.off }, options.idempotencyKey);
  }

  /** Replaces a fact with your own words; distilling again does not undo it. */
  correctFact(id: string, fact: NewFactText, { idempotencyKey }: Write = {}): Promise<Fact> {
    return this.#transport.write("PUT", `${this.#path}/facts/${part(id)}`, fact, idempotencyKey);
  }

  /** Removes a fact; distilling the same words again does not bring it back. */
  removeFact(id: string): Promise<FactRemoved> {
    return this.#transport.write("DELETE", `${this.#path}/facts/${part(id)}`, undefined, undefined);
  }

  /** What holds now, by key. */
  async profile(): Promise<ProfileValue[]> {
    return (await this.#transport.get<{ data: ProfileValue[] }>(`${this.#path}/profile`)).data;
  }

  /** What happened, by when it happened: facts that name a time, oldest first. */
  async events(): Promise<Fact[]> {
    return (await this.#transport.get<{ data: Fact[] }>(`${this.#path}/timeline/events`)).data;
  }

  /** Has the title and the summary of an ended conversation written again, in the background. */
  summarize(id: string, { idempotencyKey }: Write = {}): Promise<Conversation> {
    return this.#transport.write("POST", `${this.#conversation(id)}/summary`, undefined, idempotencyKey);
  }

  /** The context document: the newest, one version, or the one that stood at a time. */
  context(options: { version?: number; as_of?: Time } = {}): Promise<Context> {
    return this.#transport.get(`${this.#path}/context`, { ...options });
  }

  /** Writes the next version of the context document. */
  putContext(content: string, options: Write & { at?: Time } = {}): Promise<Context> {
    const body = { content, conversation_time: options.at };
    return this.#transport.write("PUT", `${this.#path}/context`, body, options.idempotencyKey);
  }

  /** Has the context document written from what is known. */
  rebuildContext({ idempotencyKey }: Write = {}): Promise<Context> {
    return this.#transport.write("POST", `${this.#path}/context/rebuild`, undefined, idempotencyKey);
  }

  /** Every version of the context document, newest first. */
  contextVersions(options: { limit?: number } = {}): Pages<Context> {
    return new Pages(this.#transport, `${this.#path}/context/versions`, { ...options });
  }

  /** Removes one version of the context document permanently; its number is not given again. */
  deleteContextVersion(version: number, { idempotencyKey }: Write = {}): Promise<Removed> {
    return this.#transport.write("DELETE", `${this.#path}/context/versions/${version}`, undefined, idempotencyKey);
  }

  /** Runs a command of Anthropic's memory tool on the files of this memory. Every version of a file stays, with its date. */
  runFileCommand(command: FileCommand, options: Write = {}): Promise<FileAnswer> {
    return this.#transport.write("POST", `${this.#path}/files`, command, options.idempotencyKey);
  }

  /** What the language model wrote when it looked back at ended conversations. */
  retrospection(options: { limit?: number } = {}): Promise<Retrospections> {
    return this.#transport.get(`${this.#path}/retrospection`, { ...options });
  }

  /** Has the language model look back at ended conversations, in the background: those at which it has not yet, or all. */
  retrospect(options: Write & { again?: boolean } = {}): Promise<Regenerating> {
    const { idempotencyKey, ...body } = options;
    return this.#transport.write("POST", `${this.#path}/retrospection`, body, idempotencyKey);
  }

  /** What the memory was about, in order. */
  chapters(options: { after?: Time; before?: Time; limit?: number } = {}): Pages<Chapter> {
    return new Pages(this.#transport, `${this.#path}/chapters`, { ...options });
  }

  /** Takes chapters and a summary that another system wrote; the same again changes nothing. */
  importChapters(chapters: ImportedChapters, options: { dry_run?: boolean } = {}): Promise<ChapterImport> {
    return this.#transport.write("POST", `${this.#path}/chapters/import`, chapters, undefined, { ...options });
  }

  /** The rolling summary. */
  summary(): Promise<RollingSummary> {
    return this.#transport.get(`${this.#path}/summary`);
  }

  /** Every version of the rolling summary, newest first. */
  summaryVersions(options: { limit?: number } = {}): Pages<RollingSummary> {
    return new Pages(this.#transport, `${this.#path}/summary/versions`, { ...options });
  }

  /** Has finished conversations turned into facts, chapters and summaries, in the background. */
  distill({ idempotencyKey }: Write = {}): Promise<Regenerating> {
    return this.#transport.write("POST", `${this.#path}/distill`, undefined, idempotencyKey);
  }

  /** Has all jobs of this memory tried again that failed too often, or those of one kind. */
  retryJobs(options: { kind?: string } = {}): Promise<RetriedJobs> {
    return this.#transport.send({ method: "POST", path: `${this.#path}/jobs/retry`, query: { ...options } });
  }

  /** Has everything that was derived from the entries derived again, in the background. */
  regenerate({ idempotencyKey }: Write = {}): Promise<Regenerating> {
    return this.#transport.write("POST", `${this.#path}/regenerate`, undefined, idempotencyKey);
  }

  /** When each message of another system was said, by the hash of its text. */
  times(): Promise<TextTimes> {
    return this.#transport.get(`${this.#path}/times`);
  }

  /** Says when messages of another system were said. */
  putTimes(times: NewTextTimes, { idempotencyKey }: Write = {}): Promise<TextTimes> {
    return this.#transport.write("PUT", `${this.#path}/times`, times, idempotencyKey);
  }

  /** What is known of the memory itself. */
  get(): Promise<Memory> {
    return this.#transport.get(this.#path);
  }

  /** Changes the name, the description or the lifecycle. */
  change(changes: MemoryPatch, { idempotencyKey }: Write = {}): Promise<Memory> {
    return this.#transport.write("PATCH", this.#path, changes, idempotencyKey);
  }

  #conversation(id: string): string {
    return `${this.#path}/conversations/${part(id)}`;
  }
}
