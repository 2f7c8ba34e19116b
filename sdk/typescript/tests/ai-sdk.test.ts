// Vercel AI SDK: generateText and streamText with a scripted model behind the middleware.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { generateText, isStepCount, streamText, tool, wrapLanguageModel } from "ai";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { z } from "zod";
import { Everwhen } from "../src/index.ts";
import { everwhenMiddleware } from "../src/integrations/ai-sdk.ts";

const client = new Everwhen({ url: process.env["EVERWHEN_SERVER"], key: process.env["EVERWHEN_KEY"] });
const toldAt = new Date("2023-01-08T12:49:00Z");
const usage = { inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 }, outputTokens: { total: 1, text: 1, reasoning: 0 } };
const stopped = { unified: "stop" as const, raw: "stop" };

/** A model that always says the same. */
function saying(text: string): MockLanguageModelV4 {
  return new MockLanguageModelV4({
    doGenerate: async () => ({ content: [{ type: "text", text }], finishReason: stopped, usage, warnings: [] }),
    doStream: async () => ({
      stream: simulateReadableStream({
        chunks: [
          { type: "stream-start" as const, warnings: [] },
          { type: "text-start" as const, id: "1" },
          ...[...text].map((delta) => ({ type: "text-delta" as const, id: "1", delta })),
          { type: "text-end" as const, id: "1" },
          { type: "finish" as const, finishReason: stopped, usage },
        ],
      }),
    }),
  });
}

test("a second chat is told what the first said", async () => {
  const memory = client.memory(randomUUID());
  const first = everwhenMiddleware({ memory, conversationId: "monday", clock: () => toldAt });
  await generateText({ model: wrapLanguageModel({ model: saying("Noted."), middleware: first }), prompt: "My cat is called Tim." });
  const told = await memory.entries({ conversation_id: "monday" }).toList();
  assert.deepEqual(told.map((entry) => [entry.role, entry.content]), [["user", "My cat is called Tim."], ["assistant", "Noted."]]);
  assert.equal(told[0]?.conversation_time, "2023-01-08T12:49:00Z");

  const model = saying("Tim, since 2023.");
  const second = everwhenMiddleware({ memory, conversationId: "tuesday" });
  const answer = streamText({ model: wrapLanguageModel({ model, middleware: second }), prompt: "What is the name of my cat?" });
  assert.equal(await answer.text, "Tim, since 2023.");
  const prompt = JSON.stringify(model.doStreamCalls[0]?.prompt);
  assert.match(prompt, /2023-01-08/);
  assert.match(prompt, /My cat is called Tim\./);
  const asked = await memory.entries({ conversation_id: "tuesday" }).toList();
  assert.deepEqual(asked.map((entry) => entry.content), ["What is the name of my cat?", "Tim, since 2023."]);

  const unknowing = saying("I do not know.");
  const past = everwhenMiddleware({ memory, asOf: toldAt, store: false });
  await generateText({ model: wrapLanguageModel({ model: unknowing, middleware: past }), prompt: "What is the name of my cat?" });
  assert.doesNotMatch(JSON.stringify(unknowing.doGenerateCalls[0]?.prompt), /Tim/);
});

test("with tools, a question is kept once", async () => {
  const memory = client.memory(randomUUID());
  const call = { type: "tool-call" as const, toolCallId: "c1", toolName: "weather", input: "{}" };
  const steps = [
    { content: [call], finishReason: { unified: "tool-calls" as const, raw: "tool_calls" }, usage, warnings: [] },
    { content: [{ type: "text" as const, text: "It rains." }], finishReason: stopped, usage, warnings: [] },
  ];
  const model = new MockLanguageModelV4({ doGenerate: async () => steps.shift() ?? assert.fail("asked too often") });
  const weather = tool({ description: "How it is", inputSchema: z.object({}), execute: async () => "Rain." });
  await generateText({
    model: wrapLanguageModel({ model, middleware: everwhenMiddleware({ memory }) }),
    tools: { weather },
    stopWhen: isStepCount(3),
    prompt: "How is the weather?",
  });
  assert.deepEqual((await memory.entries().toList()).map((entry) => entry.content), ["How is the weather?", "It rains."]);
});

test("a chat goes on when memory does not answer", async () => {
  const memory = new Everwhen({ url: "http://127.0.0.1:9", retries: 0 }).memory("nobody");
  const middleware = everwhenMiddleware({ memory, store: false });
  const { text } = await generateText({ model: wrapLanguageModel({ model: saying("Hello."), middleware }), prompt: "Hi." });
  assert.equal(text, "Hello.");
});
