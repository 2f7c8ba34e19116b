// Anthropic's memory tool: the package's own tool runner carries out what a scripted model asks for.

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { test } from "node:test";
import Anthropic from "@anthropic-ai/sdk";
import { betaMemoryTool } from "@anthropic-ai/sdk/helpers/beta/memory";
import { Everwhen } from "../src/index.ts";
import { memoryFiles } from "../src/integrations/anthropic-memory.ts";

const client = new Everwhen({ url: process.env["EVERWHEN_SERVER"], key: process.env["EVERWHEN_KEY"] });
const notes = "/memories/notes.md";

type Command = Record<string, unknown>;

/** A model that gives one command after the other, then says that it is done. */
function scripted(commands: Command[], asked: string[]): Anthropic {
  return new Anthropic({
    apiKey: "unused",
    fetch: async (_url, init) => {
      asked.push(String(init?.body));
      const input = commands[asked.length - 1];
      const content = input === undefined
        ? [{ type: "text", text: "Done." }]
        : [{ type: "tool_use", id: `toolu_${asked.length}`, name: "memory", input }];
      const reply = {
        id: "msg_1", type: "message", role: "assistant", model: "m", content, stop_sequence: null,
        stop_reason: input === undefined ? "end_turn" : "tool_use", usage: { input_tokens: 1, output_tokens: 1 },
      };
      return new Response(JSON.stringify(reply), { headers: { "content-type": "application/json" } });
    },
  });
}

test("a model keeps files, and every version has its date", async () => {
  const memory = client.memory(`files-${randomUUID()}`);
  const files = memoryFiles(memory);
  const asked: string[] = [];
  const commands = [
    { command: "view", path: "/memories" },
    { command: "create", path: notes, file_text: "The user is called Ana.\n" },
    { command: "create", path: notes, file_text: "again" },
  ];
  const runner = scripted(commands, asked).beta.messages.toolRunner({
    model: "m", max_tokens: 10, messages: [{ role: "user", content: "Remember me." }], tools: [betaMemoryTool(files)],
  });
  const last = await runner;
  assert.equal(last.stop_reason, "end_turn");
  assert.equal(asked.length, 4);
  assert.match(asked[0] ?? "", /"type":"memory_20250818"/);
  assert.match(asked[2] ?? "", /File created successfully at: \/memories\/notes\.md/);
  assert.match(asked[3] ?? "", /File \/memories\/notes\.md already exists/);

  const before = new Date();
  const replaced = await files.str_replace({ command: "str_replace", path: notes, old_str: "Ana", new_str: "Bea" });
  assert.match(replaced, / {5}1\tThe user is called Bea\./);
  await files.insert({ command: "insert", path: notes, insert_line: 1, insert_text: "She lives in Porto." });
  await files.rename({ command: "rename", old_path: notes, new_path: "/memories/bea.md" });
  assert.match(await files.view({ command: "view", path: "/memories/bea.md" }), /Porto/);
  await files.delete({ command: "delete", path: "/memories/bea.md" });
  await assert.rejects(files.view({ command: "view", path: notes }), /does not exist/);
  const then = await memoryFiles(memory, { asOf: before }).view({ command: "view", path: notes });
  assert.match(then, /Ana/);
});
