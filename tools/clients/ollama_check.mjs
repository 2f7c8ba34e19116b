// The ollama package for JavaScript: whole and streamed replies, and two calls of tools at once through translation.
import assert from "node:assert/strict";
import { Ollama } from "ollama";

const proxy = process.env.PROXY;
const client = (memory, upstream) =>
  new Ollama({ host: proxy, headers: { "x-everwhen-memory": memory, "x-everwhen-upstream": upstream } });

const plain = client("ollama-js", "ollama");
const whole = await plain.chat({ model: "recorded", messages: [{ role: "user", content: "Say hello." }] });
assert.equal(whole.message.content, "Hello from upstream.");

const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ type: "function", function: { name: "weather", description: "The weather in a city", parameters } }];
const weather = { Porto: "sunny", Rome: "rain" };
const translated = client("ollama-js-tools", "strict");

const ask = {
  whole: async (messages) => (await translated.chat({ model: "recorded", messages, tools })).message,
  streamed: async (messages) => {
    const said = { role: "assistant", content: "", tool_calls: [] };
    for await (const part of await translated.chat({ model: "recorded", messages, tools, stream: true })) {
      said.content += part.message.content;
      said.tool_calls.push(...(part.message.tool_calls ?? []));
    }
    return said;
  },
};

for (const [name, say] of Object.entries(ask)) {
  const messages = [{ role: "user", content: `Weather in Porto and Rome, ${name}?` }];
  const calls = await say(messages);
  assert.deepEqual(calls.tool_calls.map((call) => call.function.arguments.city), ["Porto", "Rome"]);
  messages.push(calls);
  // The results come in the other order: each names its call.
  for (const call of calls.tool_calls.toReversed()) {
    const content = weather[call.function.arguments.city];
    messages.push({ role: "tool", tool_name: "weather", tool_call_id: call.id, content });
  }
  const told = await say(messages);
  assert.equal(told.content, "Porto: sunny; Rome: rain");
  assert.ok(!told.tool_calls?.length);
}
