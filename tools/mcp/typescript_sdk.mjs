// The whole story by the TypeScript SDK: typescript_sdk.mjs BINARY URL, run where the SDK is installed.

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";

const installed = createRequire(join(process.cwd(), "package.json"));
const { Client } = installed("@modelcontextprotocol/sdk/client/index.js");
const { StdioClientTransport } = installed("@modelcontextprotocol/sdk/client/stdio.js");
const { StreamableHTTPClientTransport } = installed("@modelcontextprotocol/sdk/client/streamableHttp.js");

const story = JSON.parse(readFileSync(new URL("story.json", import.meta.url)));

async function tell(transport, memory) {
  const client = new Client({ name: "typescript-sdk", version: "1" });
  await client.connect(transport);
  const call = async (name, args) => {
    const result = await client.callTool({ name, arguments: { ...args, memory } });
    assert.ok(!result.isError, JSON.stringify(result));
    return result.structuredContent;
  };
  // Listing first lets the SDK check every answer against its output schema.
  assert.equal((await client.listTools()).tools.length, 7);
  for (const entry of story.history) await call("add_entry", entry);
  const told = await call("search_memories", story.question);
  assert.equal(told.items[0].raw_entry, story.found);
  assert.ok((await call("get_timeline", {})).timeline.includes(story.line));
  await call("put_context", { content: "# Timeline\n2023-01-08 – Told of MoMA" });
  assert.ok((await call("get_context", {})).content.startsWith("# Timeline"));
  await call("add_entry", story.farewell);
  const ended = await call("end_conversation", { reason: "done" });
  const whole = await call("get_conversation", { conversation_id: ended.conversation_id });
  assert.equal(whole.messages.at(-1).content, story.farewell.raw_entry);
  assert.ok((await call("get_conversation", { list_recent: 5 })).conversations.length >= 1);
  await client.close();
}

const [binary, url] = process.argv.slice(2);
await tell(new StreamableHTTPClientTransport(new URL(url)), "typescript-http");
console.log("http: ok");
const data = mkdtempSync(join(tmpdir(), "everwhen-"));
await tell(new StdioClientTransport({ command: binary, args: ["mcp", "--data", data] }), "typescript-stdio");
rmSync(data, { recursive: true });
console.log("stdio: ok");
