// Where everything begins: a server, and its vaults.

import { MemoryClient, type Write } from "./memory.ts";
import { Pages } from "./pages.ts";
import { part, Transport, type EverwhenOptions } from "./transport.ts";
import type {
  Doctor, FactPeriod, ImportRun, ImportRuns, Key, MadeKey, Memory, NewKey, NewMemory, NewVault, Question, Recollection, Removed, Retried, RetriedJobs, Settled, Standing, Usage, Vault, VaultPatch,
} from "./types.ts";

/**
 * The client of one server. A request that fails on the way or finds the server busy is sent again; every write has an
 * idempotency key, so nothing is stored twice.
 */
export class Everwhen {
  readonly #transport: Transport;
  readonly #vault: string;

  constructor(options: EverwhenOptions = {}) {
    this.#transport = new Transport(options);
    this.#vault = options.vault ?? "default";
  }

  /** The server's address. */
  get url(): string {
    return this.#transport.url;
  }

  /** One vault, by name or id. */
  vault(name: string): VaultClient {
    return new VaultClient(this.#transport, name);
  }

  /** One memory of this client's vault, by name or id. */
  memory(name = "default"): MemoryClient {
    return new MemoryClient(this.#transport, this.#vault, name);
  }

  /** All vaults, for who runs the server. */
  vaults(options: { limit?: number } = {}): Pages<Vault> {
    return new Pages(this.#transport, "/v1/vaults", { ...options });
  }

  /** Makes a vault; the first entry would make it, too. */
  createVault(vault: NewVault, { idempotencyKey }: Write = {}): Promise<Vault> {
    return this.#transport.write("POST", "/v1/vaults", vault, idempotencyKey);
  }

  /** All keys, for who runs the server. */
  async keys(): Promise<Key[]> {
    return (await this.#transport.get<{ data: Key[] }>("/v1/keys")).data;
  }

  /** Makes a key, which is shown only this once. */
  addKey(key: NewKey): Promise<MadeKey> {
    return this.#transport.send({ method: "POST", path: "/v1/keys", body: key, isRepeatable: false });
  }

  /** Removes a key; from then on it is rejected. */
  removeKey(id: string): Promise<Removed> {
    return this.#transport.send({ method: "DELETE", path: `/v1/keys/${part(id)}`, isRepeatable: false });
  }

  /** Does background work that is due now, and says how much is left. */
  settle(options: { limit?: number } = {}): Promise<Settled> {
    return this.#transport.send({ method: "POST", path: "/v1/settle", query: { ...options } });
  }

  /** What waits, what failed, and what is wrong. */
  doctor(): Promise<Doctor> {
    return this.#transport.get("/v1/doctor");
  }

  /** Has a job tried again that failed too often. */
  retryJob(id: string): Promise<Retried> {
    return this.#transport.send({ method: "POST", path: `/v1/jobs/${part(id)}/retry`, isRepeatable: false });
  }

  /** Has all jobs tried again that failed too often, or those of one kind. */
  retryJobs(options: { kind?: string } = {}): Promise<RetriedJobs> {
    return this.#transport.send({ method: "POST", path: "/v1/jobs/retry", query: { ...options } });
  }

  /** Whether the server is ready to answer. Throws UnavailableError if it is not. */
  health(): Promise<Standing> {
    return this.#transport.get("/readyz");
  }
}

/** How an uploaded file is imported; the API documents each. */
export interface ImportFileOptions {
  name?: string;
  memory?: string;
  from?: string;
  dry_run?: boolean;
  timezone?: string;
  date_order?: "dmy" | "mdy" | "ymd";
  at?: string;
  since?: string;
  until?: string;
  tools?: boolean;
  system?: boolean;
  hidden?: boolean;
  drop_branches?: boolean;
  me?: string;
  time_field?: string;
  role_field?: string;
  text_field?: string;
  conversation_field?: string;
}

/** One vault: an owner's memories, kept apart from all others. */
export class VaultClient {
  /** The vault's name, or its id. */
  readonly name: string;
  readonly #transport: Transport;
  readonly #path: string;

  constructor(transport: Transport, name: string) {
    this.name = name;
    this.#transport = transport;
    this.#path = `/v1/vaults/${part(name)}`;
  }

  /** One memory, by name or id. */
  memory(name = "default"): MemoryClient {
    return new MemoryClient(this.#transport, this.name, name);
  }

  /** All memories of the vault. */
  memories(options: { limit?: number } = {}): Pages<Memory> {
    return new Pages(this.#transport, `${this.#path}/memories`, { ...options });
  }

  /** Makes a memory; the first entry would make it, too. */
  createMemory(memory: NewMemory, { idempotencyKey }: Write = {}): Promise<Memory> {
    return this.#transport.write("POST", `${this.#path}/memories`, memory, idempotencyKey);
  }

  /** What was said about a question in all memories of the vault. */
  recall(query: string, options: Omit<Question, "query"> = {}): Promise<Recollection> {
    return this.#transport.send({ method: "POST", path: `${this.#path}/recall`, body: { ...options, query } });
  }

  /** What language models took since a day such as "2025-04-01", by day, model and purpose. */
  usage(options: { since?: string } = {}): Promise<Usage> {
    return this.#transport.get(`${this.#path}/usage`, { ...options });
  }

  /** How a date or words such as "last March" are read, in the zone of the vault. */
  readPeriod(text: string, options: { asked_at?: string } = {}): Promise<FactPeriod> {
    return this.#transport.get(`${this.#path}/period`, { text, ...options });
  }

  /** Uploads a file of another program, or an export, which is imported in the background. */
  importFile(file: Blob | ReadableStream<Uint8Array>, options: ImportFileOptions = {}): Promise<ImportRun> {
    return this.#transport.upload(`${this.#path}/imports`, file, { ...options });
  }

  /** Imports of files since the server was started, newest first. */
  async imports(): Promise<ImportRun[]> {
    return (await this.#transport.get<ImportRuns>(`${this.#path}/imports`)).data;
  }

  /** How far an import is, and what was found. */
  importRun(id: string): Promise<ImportRun> {
    return this.#transport.get(`${this.#path}/imports/${part(id)}`);
  }

  /** Ends an import; what is stored stays. */
  cancelImport(id: string): Promise<ImportRun> {
    return this.#transport.send({ method: "DELETE", path: `${this.#path}/imports/${part(id)}` });
  }

  /** Everything in the vault, or in one memory, as lines of JSON; with a `format` of another program, the
   * conversations of one memory as that program has them. */
  export(options: { memory?: string; format?: "chatgpt" | "claude" | "open-webui" | "sillytavern" } = {}): Promise<ReadableStream<Uint8Array>> {
    return this.#transport.stream(`${this.#path}/export`, { ...options });
  }

  /** What is known of the vault itself. */
  get(): Promise<Vault> {
    return this.#transport.get(this.#path);
  }

  /** Changes the name, the zone, the description or the settings. */
  change(changes: VaultPatch, { idempotencyKey }: Write = {}): Promise<Vault> {
    return this.#transport.write("PATCH", this.#path, changes, idempotencyKey);
  }

  /** Forgets the vault and all in it permanently, keys too. */
  forget({ idempotencyKey }: Write = {}): Promise<Removed> {
    return this.#transport.write("DELETE", this.#path, undefined, idempotencyKey);
  }
}
