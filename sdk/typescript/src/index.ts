// Memory that knows when: everything said is kept with when it was said.

export { Everwhen, VaultClient, type ImportFileOptions } from "./client.ts";
export * from "./errors.ts";
export { MemoryClient } from "./memory.ts";
export type { ConversationsOptions, EntriesOptions, FactsOptions, ForgetOptions, RememberOptions, TimelineOptions, Write } from "./memory.ts";
export { Pages } from "./pages.ts";
export type { EverwhenOptions } from "./transport.ts";
export type * as types from "./types.ts";
export { VERSION } from "./version.ts";
