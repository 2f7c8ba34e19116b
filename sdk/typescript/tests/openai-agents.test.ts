// OpenAI Agents: a real runner with a scripted model.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import { Agent, Runner, setTracingDisabled, tool, Usage, type AgentInputItem, type Model, type ModelRequest, type ModelResponse } from "@openai/agents";
import { z } from "zod";
import { Everwhen } from "../src/index.ts";
import { EverwhenSession, recallFilter } from "../src/integrations/openai-agents.ts";

setTracingDisabled(true);
const client = new Everwhen({ url: process.env["EVERWHEN_SERVER"], key: process.env["EVERWHEN_KEY"] });
const toldAt = new Date("2023-01-08T12:49:00Z");

/** A model that answers by a script and keeps what it was asked. */
class Scripted implements Model {
  readonly asked: AgentInputItem[][] = [];
  readonly instructions: (string | undefined)[] = [];
  readonly #answers: (string | ModelResponse["output"][number])[];

  constructor(...answers: (string | ModelResponse["output"][number])[]) {
    this.#answers = answers;
  }

  async getResponse(request: ModelRequest): Promise<ModelResponse> {
    this.asked.push(typeof request.input === "string" ? [] : [...request.input]);
    this.instructions.push(request.systemInstructions);
    const answer = this.#answers.shift() ?? "";
    const message = typeof answer === "string"
      ? { type: "message" as const, role: "assistant" as const, status: "completed" as const, content: [{ type: "output_text" as const, text: answer }] }
      : answer;
    return { usage: new Usage(), output: [message] };
  }

  getStreamedResponse(): never {
    throw new Error("not asked for");
  }
}

test("a second session is told what the first said", async () => {
  const memory = client.memory(randomUUID());
  const first = new EverwhenSession({ memory, sessionId: "monday", clock: () => toldAt });
  await new Runner().run(new Agent({ name: "a", model: new Scripted("Noted.") }), "My cat is called Tim.", { session: first });
  const goingOn = new Scripted("Still Tim.");
  await new Runner().run(new Agent({ name: "a", model: goingOn }), "And now?", { session: first });
  assert.deepEqual(goingOn.asked[0]?.map((item) => "role" in item && item.role), ["user", "assistant", "user"]);
  assert.equal((await memory.entries().first())?.conversation_time, "2023-01-08T12:49:00Z");

  const model = new Scripted("Tim.");
  const second = new EverwhenSession({ memory, sessionId: "tuesday" });
  const runner = new Runner({ callModelInputFilter: recallFilter({ memory }) });
  await runner.run(new Agent({ name: "a", model, instructions: "Be kind." }), "What is the name of my cat?", { session: second });
  const block = model.instructions[0] ?? "";
  assert.match(block, /^Be kind\.\n\n<memory>/);
  assert.match(block, /2023-01-08/);
  assert.match(block, /My cat is called Tim\./);
  // What was added for the model is not part of the session.
  assert.equal((await second.getItems()).length, 2);

  const unknowing = new Scripted("I do not know.");
  const past = new Runner({ callModelInputFilter: recallFilter({ memory, asOf: toldAt }) });
  await past.run(new Agent({ name: "a", model: unknowing }), "What is the name of my cat?");
  assert.equal(unknowing.instructions[0] ?? "", "");
});

test("items come back whole, and as they stood", async () => {
  const memory = client.memory(randomUUID());
  const session = new EverwhenSession({ memory, sessionId: "tools" });
  const weather = tool({ name: "weather", description: "How it is", parameters: z.object({ city: z.string() }), execute: ({ city }) => `Rain in ${city}.` });
  const call = { type: "function_call" as const, callId: "c1", name: "weather", arguments: '{"city":"Porto"}', status: "completed" as const };
  await new Runner().run(new Agent({ name: "a", model: new Scripted(call, "It rains."), tools: [weather] }), "How is the weather?", { session });
  const items = await session.getItems();
  assert.deepEqual(items.map((item) => item.type ?? "message"), ["message", "function_call", "function_call_result", "message"]);
  assert.match(JSON.stringify(items[2]), /Rain in Porto\./);
  assert.deepEqual(await session.getItems(2), items.slice(2));

  const entries = await memory.entries().toList();
  assert.deepEqual(entries.map((entry) => entry.role), ["user", "assistant", "tool", "assistant"]);
  const last = entries[3];
  assert.ok(last);
  await memory.correct(last.id, "It pours.", { reason: "it was more" });
  assert.match(JSON.stringify((await session.getItems()).at(-1)), /It pours\./);
  const past = new EverwhenSession({ memory, sessionId: "tools", asOf: last.creation_time });
  assert.deepEqual(await past.getItems(), items);

  assert.match(JSON.stringify(await session.popItem()), /It pours\./);
  assert.deepEqual(await session.getItems(), items.slice(0, 3));
  await session.clearSession();
  assert.deepEqual([await session.getItems(), await session.popItem()], [[], undefined]);
  await session.clearSession();
});
