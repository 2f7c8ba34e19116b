// Lists that come in pages.

import type { Query, Transport } from "./transport.ts";

const LARGEST_PAGE = 1000;
const USUAL_PAGE = 100;

interface Page<T> {
  data: T[];
  next_cursor: string | null;
}

/** A list. Iterating over it asks for page after page, as far as it is needed; each iteration begins at the start. */
export class Pages<T> implements AsyncIterable<T> {
  readonly #transport: Transport;
  readonly #path: string;
  readonly #query: Query;

  constructor(transport: Transport, path: string, query: Query) {
    this.#transport = transport;
    this.#path = path;
    this.#query = query;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    const { limit, ...query } = this.#query;
    let left = typeof limit === "number" ? limit : Infinity;
    let cursor: string | null = null;
    while (left > 0) {
      const size = left === Infinity ? USUAL_PAGE : Math.min(left, LARGEST_PAGE);
      const page: Page<T> = await this.#transport.get(this.#path, { ...query, limit: size, cursor });
      for (const item of page.data) {
        if (left-- <= 0) return;
        yield item;
      }
      if (page.next_cursor === null) return;
      cursor = page.next_cursor;
    }
  }

  /** All of it. */
  async toList(): Promise<T[]> {
    const items: T[] = [];
    for await (const item of this) items.push(item);
    return items;
  }

  /** The first of it, if there is any. */
  async first(): Promise<T | undefined> {
    for await (const item of new Pages<T>(this.#transport, this.#path, { ...this.#query, limit: 1 })) return item;
    return undefined;
  }
}
