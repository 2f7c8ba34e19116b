// Vercel AI SDK: middleware that shows the model what was said before, and keeps what is said now.

import type {
  LanguageModelV4CallOptions, LanguageModelV4Message, LanguageModelV4Middleware, LanguageModelV4StreamPart,
} from "@ai-sdk/provider";
import type { NewEntry } from "../types.ts";
import { memoryBlock, type AdapterOptions } from "./items.ts";

/** How the middleware remembers. */
export interface EverwhenMiddlewareOptions extends AdapterOptions {
  /** The conversation that is kept; found by the time if absent. */
  conversationId?: string | undefined;
  /** Tokens the block of memory may have; 1,000 if absent. */
  budgetTokens?: number | undefined;
  /** Whether what is said is kept; true if absent. */
  store?: boolean | undefined;
}

/** Middleware for `wrapLanguageModel`. */
export function everwhenMiddleware(options: EverwhenMiddlewareOptions): LanguageModelV4Middleware {
  return {
    specificationVersion: "v4",
    transformParams: async ({ params }) => withBlock(params, options),
    wrapGenerate: async ({ doGenerate, params }) => {
      const result = await doGenerate();
      const text = result.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("");
      const tools = result.content.flatMap((part) => (part.type === "tool-call" ? [part.toolName] : []));
      await keep(params, text, tools, options);
      return result;
    },
    wrapStream: async ({ doStream, params }) => {
      const { stream, ...rest } = await doStream();
      return { ...rest, stream: stream.pipeThrough(listening(params, options)) };
    },
  };
}

/** The parameters with a block of memory behind the last question, for this call only. */
async function withBlock(params: LanguageModelV4CallOptions, options: EverwhenMiddlewareOptions): Promise<LanguageModelV4CallOptions> {
  const place = params.prompt.findLastIndex((message) => message.role === "user");
  const block = await memoryBlock(options.memory, question(params.prompt[place]), options.asOf, options.budgetTokens);
  if (block === "") return params;
  const prompt = params.prompt.map((message, n): LanguageModelV4Message => {
    if (n !== place || message.role !== "user") return message;
    return { ...message, content: [...message.content, { type: "text", text: block }] };
  });
  return { ...params, prompt };
}

/** Keeps the question, if this call is the first that answers it, and the answer. */
async function keep(params: LanguageModelV4CallOptions, text: string, tools: string[], options: EverwhenMiddlewareOptions): Promise<void> {
  if (options.store === false) return;
  const start = options.clock?.().getTime();
  const shared = { conversation_id: options.conversationId };
  const entries: NewEntry[] = [];
  const asked = question(params.prompt.at(-1));
  if (asked.trim() !== "") {
    entries.push({ ...shared, role: "user", content: asked, conversation_time: start === undefined ? undefined : new Date(start) });
  }
  if (text.trim() !== "") {
    const at = start === undefined ? undefined : new Date(start + 1);
    entries.push({ ...shared, role: "assistant", content: text, tools_used: tools.length ? tools : undefined, conversation_time: at });
  }
  if (entries.length > 0) await options.memory.rememberAll(entries);
}

/** Passes a stream on, and keeps what it said before its end is passed on. */
function listening(params: LanguageModelV4CallOptions, options: EverwhenMiddlewareOptions): TransformStream<LanguageModelV4StreamPart, LanguageModelV4StreamPart> {
  let text = "";
  const tools: string[] = [];
  return new TransformStream({
    async transform(part, controller) {
      if (part.type === "text-delta") text += part.delta;
      if (part.type === "tool-call") tools.push(part.toolName);
      if (part.type === "finish") await keep(params, text, tools, options);
      controller.enqueue(part);
    },
  });
}

/** What the user says in a message, without a block that was added to it. */
function question(message: LanguageModelV4Message | undefined): string {
  if (message?.role !== "user") return "";
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return texts.filter((text) => !text.startsWith("<memory>\n")).join("\n");
}
