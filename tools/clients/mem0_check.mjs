// mem0's own JavaScript client with `host` changed: adding, finding, updating, deleting, with dates.
import assert from "node:assert/strict";

process.env.MEM0_TELEMETRY = "false";
const { default: MemoryClient } = await import("mem0ai");

const client = new MemoryClient({ apiKey: "unused", host: `${process.env.PROXY}/mem0` });
const user = "vera-js";
const texts = (answer) => answer.results.map((one) => one.memory);

const added = await client.add([{ role: "user", content: "I moved to Porto." }], { userId: user, timestamp: 1709374800, metadata: { kind: "home" } });
await client.add([{ role: "user", content: "I adopted a dog called Rex." }], { userId: user });
const id = added.results[0].id;
const found = await client.search("Where do I live, Porto?", { filters: { user_id: user } });
assert.equal(found.results[0].memory, "I moved to Porto.");
assert.ok(String(new Date(found.results[0].createdAt).toISOString()).startsWith("2024-03-02T10:20:00"));
assert.deepEqual(texts(await client.getAll({ filters: { user_id: user } })), ["I adopted a dog called Rex.", "I moved to Porto."]);
assert.equal((await client.get(id)).memory, "I moved to Porto.");
await client.update(id, { text: "I moved to Lisbon." });
assert.equal((await client.get(id)).memory, "I moved to Lisbon.");
assert.deepEqual((await client.history(id)).map((row) => row.event), ["ADD", "UPDATE"]);
assert.ok((await client.users()).results.some((one) => one.name === user && one.type === "user"));
await client.delete(id);
await assert.rejects(client.get(id));
await client.deleteAll({ userId: user });
assert.deepEqual(texts(await client.getAll({ filters: { user_id: user } })), []);
