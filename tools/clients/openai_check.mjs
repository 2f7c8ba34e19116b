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
