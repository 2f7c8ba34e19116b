// The openai package for JavaScript: whole and streamed replies, and giving up in the middle.
import assert from "node:assert/strict";
import OpenAI from "openai";

const proxy = process.env.PROXY;
const model = "smollm2-135m";
const client = new OpenAI({ baseURL: `${proxy}/m/openai-js/v1`, apiKey: "unused" });

const entries = async (memory, count) => {
  for (let tries = 0; ; tries++) {
    const answer = await fetch(`${proxy}/v1/vaults/default/memories/${memory}/entries`);
    const found = (await answer.json()).data ?? [];
    if (found.length >= count || tries > 100) return found.map(({ role, content }) => [role, content]);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

const messages = [{ role: "user", content: "Say hello." }];
const whole = await client.chat.completions.create({ model, messages, max_tokens: 8, temperature: 0 });
const first = whole.choices[0].message.content;
assert.ok(first);
messages.push({ role: "assistant", content: first }, { role: "user", content: "Again." });
let second = "";
for await (const chunk of await client.chat.completions.create({ model, messages, max_tokens: 8, stream: true })) {
  second += chunk.choices[0]?.delta?.content ?? "";
}
assert.deepEqual(await entries("openai-js", 4), [
  ["user", "Say hello."],
  ["assistant", first],
  ["user", "Again."],
  ["assistant", second],
]);

const leaving = new OpenAI({ baseURL: `${proxy}/m/leaving-js/v1`, apiKey: "unused" });
const long = await leaving.chat.completions.create({
  model, messages: [{ role: "user", content: "Count to one thousand." }], max_tokens: 200, stream: true,
});
for await (const chunk of long) {
  if (chunk.choices[0]?.delta?.content) break;
}
long.controller.abort();
assert.equal((await entries("leaving-js", 2)).length, 2);

// Two calls of tools at once, through translation to an Ollama.
const headers = { "x-everwhen-memory": "openai-js-tools", "x-everwhen-upstream": "ollama" };
const translated = new OpenAI({ baseURL: `${proxy}/v1`, apiKey: "unused", defaultHeaders: headers });
const parameters = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const tools = [{ type: "function", function: { name: "weather", description: "The weather in a city", parameters } }];
const weather = { Porto: "sunny", Rome: "rain" };
const asks = {
  whole: async (input) => (await translated.chat.completions.create({ model: "recorded", messages: input, tools })).choices[0],
  streamed: async (input) => {
    const stream = translated.chat.completions.stream({ model: "recorded", messages: input, tools });
    return (await stream.finalChatCompletion()).choices[0];
  },
};
for (const [name, ask] of Object.entries(asks)) {
  const asked = [{ role: "user", content: `Weather in Porto and Rome, ${name}?` }];
  const first = await ask(asked);
  assert.equal(first.finish_reason, "tool_calls");
  const calls = first.message.tool_calls;
  assert.deepEqual(calls.map((call) => JSON.parse(call.function.arguments).city), ["Porto", "Rome"]);
  assert.equal(new Set(calls.map((call) => call.id)).size, 2);
  asked.push({ role: "assistant", content: null, tool_calls: calls.map(({ id, type, function: { name, arguments: given } }) => ({ id, type, function: { name, arguments: given } })) });
  for (const call of calls.toReversed()) {
    asked.push({ role: "tool", tool_call_id: call.id, content: weather[JSON.parse(call.function.arguments).city] });
  }
  const told = await ask(asked);
  assert.equal(told.message.content, "Porto: sunny; Rome: rain");
  assert.equal(told.finish_reason, "stop");
}
