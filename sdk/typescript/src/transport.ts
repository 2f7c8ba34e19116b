// Sends requests, again where that is safe, and turns refusals into errors.

import { InvalidError, NotReachableError, errorFrom } from "./errors.ts";
import { VERSION } from "./version.ts";

/** How a server is asked. */
export interface EverwhenOptions {
  /** The server's address; http://127.0.0.1:3939 if absent. */
  url?: string | undefined;
  /** An API key, where there are keys. */
  key?: string | undefined;
  /** The vault that `memory` means; "default" if absent. */
  vault?: string | undefined;
  /** Milliseconds that a request may take; 30,000 if absent. */
  timeout?: number | undefined;
  /** How often a request is sent again; 3 if absent. */
  retries?: number | undefined;
  /** Milliseconds before it is sent again for the first time; the pause doubles each time. 200 if absent. */
  retryDelay?: number | undefined;
  /** What sends requests; the global fetch if absent. */
  fetch?: typeof globalThis.fetch | undefined;
}

/** Parameters of a request; what is undefined or null is not sent. */
export type Query = Record<string, string | number | boolean | Date | null | undefined>;

/** One request, before it is sent. */
export interface Request {
  method: string;
  path: string;
  query?: Query | undefined;
  body?: unknown;
  /** The name of a write: the server does it once, however often it is sent. */
  idempotencyKey?: string | undefined;
  /** Whether the server does nothing twice if it gets this twice. */
  isRepeatable?: boolean | undefined;
}

const RETRIED_STATUSES = new Set([408, 429, 502, 503, 504]);
const LONGEST_DELAY = 30_000;

/** A server, and how it is asked. */
export class Transport {
  readonly url: string;
  readonly #options: EverwhenOptions;

  constructor(options: EverwhenOptions) {
    this.url = (options.url ?? "http://127.0.0.1:3939").replace(/\/+$/, "");
    this.#options = options;
  }

  /** Reads something. */
  get<T>(path: string, query?: Query): Promise<T> {
    return this.send<T>({ method: "GET", path, query });
  }

  /** Writes something, with a name for the write. */
  write<T>(method: string, path: string, body?: unknown, idempotencyKey?: string, query?: Query): Promise<T> {
    return this.send<T>({ method, path, body, query, idempotencyKey: idempotencyKey ?? randomKey() });
  }

  /** What the server answered. */
  async send<T>(request: Request): Promise<T> {
    const retries = this.#options.retries ?? 3;
    const target = this.url + request.path + queryText(request.query);
    const body = request.body === undefined ? null : bodyText(request.body);
    for (let attempt = 0; ; attempt++) {
      let response: Response | undefined;
      try {
        response = await this.#once(request, target, body);
        if (response.ok) return (await response.json()) as T;
      } catch (failure) {
        // fetch does not say whether the request arrived.
        if (attempt >= retries || request.isRepeatable === false) {
          throw new NotReachableError(`${this.url} did not answer: ${String(failure)}`, { cause: failure });
        }
        response = undefined;
      }
      if (response) {
        const isFinal = !RETRIED_STATUSES.has(response.status) || request.isRepeatable === false;
        const text = await response.text().catch(() => "");
        if (isFinal || attempt >= retries) throw errorFrom(response.status, text);
      }
      await new Promise((done) => setTimeout(done, this.#delay(attempt, response)));
    }
  }

  /** Sends a file. It is sent once, and may take long. */
  async upload<T>(path: string, file: Blob | ReadableStream<Uint8Array>, query?: Query): Promise<T> {
    const headers = { ...this.#headers(), "content-type": "application/octet-stream" };
    // A stream as a body needs `duplex`, which the types of fetch do not know everywhere.
    const init: RequestInit & { duplex?: "half" } = { method: "POST", headers, body: file as BodyInit, duplex: "half" };
    const response = await this.#fetch(path, query, init);
    return (await response.json()) as T;
  }

  /** What the server answers, as a stream. */
  async stream(path: string, query?: Query): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#fetch(path, query, { method: "GET", headers: this.#headers() });
    if (!response.body) throw new NotReachableError(`${this.url} sent nothing`);
    return response.body;
  }

  async #fetch(path: string, query: Query | undefined, init: RequestInit): Promise<Response> {
    const send = this.#options.fetch ?? globalThis.fetch;
    const target = this.url + path + queryText(query);
    let response: Response;
    try {
      response = await send(target, init);
    } catch (failure) {
      throw new NotReachableError(`${this.url} did not answer: ${String(failure)}`, { cause: failure });
    }
    if (!response.ok) throw errorFrom(response.status, await response.text().catch(() => ""));
    return response;
  }

  #headers(): Record<string, string> {
    const headers: Record<string, string> = { "x-everwhen-client": `everwhen-typescript/${VERSION}` };
    if (this.#options.key) headers["authorization"] = `Bearer ${this.#options.key}`;
    return headers;
  }

  #once(request: Request, target: string, body: string | null): Promise<Response> {
    const headers = this.#headers();
    if (request.idempotencyKey) headers["idempotency-key"] = request.idempotencyKey;
    if (body !== null) headers["content-type"] = "application/json";
    const send = this.#options.fetch ?? globalThis.fetch;
    return send(target, {
      method: request.method,
      headers,
      body,
      signal: AbortSignal.timeout(this.#options.timeout ?? 30_000),
    });
  }

  /** Growing pauses, never in step with others, and as long as the server asks. */
  #delay(attempt: number, response: Response | undefined): number {
    const asked = response?.headers.get("retry-after") ?? "";
    if (/^\d+$/.test(asked)) return Math.min(Number(asked) * 1000, LONGEST_DELAY);
    const growing = (this.#options.retryDelay ?? 200) * 2 ** attempt;
    return Math.min(growing, LONGEST_DELAY) * (0.5 + Math.random() / 2);
  }
}

/** A name that no other write has. Pages without https and Node 18 lack parts of `crypto`. */
function randomKey(): string {
  const source: Partial<Crypto> | undefined = globalThis.crypto;
  if (source?.randomUUID) return source.randomUUID();
  const bytes = source?.getRandomValues?.(new Uint8Array(16)) ?? Array.from({ length: 16 }, () => Math.floor(Math.random() * 256));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** A name or an id as one part of a path. Throws InvalidError for one that would lead to another address. */
export function part(text: string): string {
  // URLs have no way to write these two as a name: `..` and `%2E%2E` alike mean the address above.
  if (typeof text !== "string" || ["", ".", ".."].includes(text)) {
    throw invalid(`${JSON.stringify(text)} is no name or id; write at least one character, and neither "." nor ".."`);
  }
  return encodeURIComponent(text);
}

function queryText(query: Query | undefined): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null) continue;
    refuseWithoutValue(name, value);
    parameters.set(name, value instanceof Date ? value.toISOString() : String(value));
  }
  const text = parameters.toString();
  return text ? `?${text}` : "";
}

function bodyText(body: unknown): string {
  return JSON.stringify(body, function (this: Record<string, unknown>, name: string, value: unknown) {
    // `value` is what is left of a Date as JSON; the holder still has the Date.
    refuseWithoutValue(name, this[name]);
    return value;
  });
}

/** JSON has null for a date or a number without a value, and the server takes null as not said. */
function refuseWithoutValue(name: string, value: unknown): void {
  const isDate = Object.prototype.toString.call(value) === "[object Date]";
  if (isDate && Number.isNaN((value as Date).getTime())) {
    throw invalid(`${name} is an invalid Date; give a Date with a time, or text such as "2024-03-02T10:00:00Z"`);
  }
  if (typeof value === "number" && !Number.isFinite(value)) throw invalid(`${name} is ${value}; give a finite number`);
}

function invalid(detail: string): InvalidError {
  return new InvalidError(400, "invalid", "Invalid request", detail);
}
