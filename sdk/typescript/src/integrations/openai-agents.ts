// OpenAI Agents: a session that keeps its dates, and what was said in other sessions for the model.

import type { AgentInputItem, CallModelInputFilter, Session } from "@openai/agents-core";
import type { Role, Time } from "../types.ts";
import { entryOf, history, itemOf, memoryBlock, noneIfNotFound, type AdapterOptions } from "./items.ts";

const FRAMEWORK = "openai_js";
const ROLES: Record<string, Role> = { user: "user", assistant: "assistant", system: "system" };

/** A session, a conversation of the memory. */
export class EverwhenSession implements Session {
  readonly #options: AdapterOptions & { sessionId: string };

  constructor(options: AdapterOptions & { sessionId: string }) {
    this.#options = options;
  }

  /** The session's name, which is also its conversation's. */
  async getSessionId(): Promise<string> {
    return this.#options.sessionId;
  }

  /** The last items, oldest first. */
  async getItems(limit?: number): Promise<AgentInputItem[]> {
    const entries = await history(this.#options.memory, this.#options.sessionId, limit, this.#options.asOf);
    return entries.map((entry) => {
      const item = itemOf(FRAMEWORK, entry) as AgentInputItem | undefined;
      return item ?? plain(entry.role, entry.content);
    });
  }

  /** Keeps items, all of them or none. */
  async addItems(items: AgentInputItem[]): Promise<void> {
    const start = this.#options.clock?.().getTime();
    // A millisecond apart, so that their order survives a correction.
    const entries = items.map((item, n) =>
      entryOf(FRAMEWORK, item, roleOf(item), textOf(item), this.#options.sessionId, start === undefined ? undefined : new Date(start + n)),
    );
    await this.#options.memory.rememberAll(entries);
  }

  /** Forgets the last item and gives it back. */
  async popItem(): Promise<AgentInputItem | undefined> {
    const [entry] = await history(this.#options.memory, this.#options.sessionId, 1);
    if (!entry) return undefined;
    await this.#options.memory.forget({ entry: entry.id });
    return (itemOf(FRAMEWORK, entry) as AgentInputItem | undefined) ?? plain(entry.role, entry.content);
  }

  /** Forgets the session permanently. */
  async clearSession(): Promise<void> {
    await this.#options.memory.forget({ conversation: this.#options.sessionId }).catch(noneIfNotFound);
  }
}

/**
 * What `new Runner({ callModelInputFilter })` takes: it shows the model what was said about the last question, in any session,
 * behind its instructions. What it adds is not stored.
 */
export function recallFilter(options: { memory: AdapterOptions["memory"]; asOf?: Time; budgetTokens?: number }): CallModelInputFilter {
  return async ({ modelData }) => {
    const asked = modelData.input.findLast((item) => roleOf(item) === "user");
    const block = asked ? await memoryBlock(options.memory, textOf(asked), options.asOf, options.budgetTokens) : "";
    if (block === "") return modelData;
    // Not among the items: the runner would store it in the session.
    return { ...modelData, instructions: [modelData.instructions, block].filter(Boolean).join("\n\n") };
  };
}

function roleOf(item: AgentInputItem): Role {
  const role = "role" in item ? ROLES[item.role] : undefined;
  return role ?? (item.type?.endsWith("_result") ? "tool" : "assistant");
}

/** The words of an item; those of its parts, if it has several. */
function textOf(item: AgentInputItem): string {
  const said: unknown = "content" in item ? item.content : "output" in item ? item.output : "";
  if (typeof said === "string") return said;
  const parts: unknown[] = Array.isArray(said) ? said : [said];
  return parts.flatMap((part) => (hasText(part) ? [part.text] : [])).join("\n");
}

function hasText(part: unknown): part is { text: string } {
  return typeof part === "object" && part !== null && "text" in part && typeof part.text === "string";
}

function plain(role: Role, text: string): AgentInputItem {
  if (role === "user") return { role: "user", content: text };
  if (role === "system") return { role: "system", content: text };
  return { role: "assistant", status: "completed", content: [{ type: "output_text", text }] };
}
